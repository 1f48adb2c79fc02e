/* Four threads that plan and compute at the same time, each on its own memory; threads come and go. */
#include "program.h"

#include <pthread.h>

#include "aclnnop/aclnn_leaky_relu.h"

enum { THREADS = 4, ROUNDS = 30, GENERATIONS = 5 };

static void* work(void* argument) {
    int me = (int)(intptr_t)argument;
    aclrtStream stream;
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    for (int round = 0; round < ROUNDS; round++) {
        int64_t columns = 1 + (me * 7919 + round * 104729) % 5000;
        float* values = (float*)malloc((size_t)columns * sizeof *values);
        for (int64_t k = 0; k < columns; k++) values[k] = (float)((k + me) % 11) - 5;
        Tensor x = matrix(1, columns, values), y = matrix(1, columns, NULL);
        aclScalar* slope = number(0.25f * (float)(me + 1)); /* each plan is another one */
        RUN(aclnnLeakyRelu, x.tensor, slope, y.tensor);
        read_back(y, values);
        for (int64_t k = 0; k < columns; k++) {
            float given = (float)((k + me) % 11) - 5;
            REQUIRE(values[k] == (given > 0 ? given : given * 0.25f * (float)(me + 1)));
        }
        CHECK(aclDestroyScalar(slope));
        destroy(x);
        destroy(y);
        free(values);
    }
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    return NULL;
}

int main(void) {
    CHECK(aclInit(NULL));
    for (int generation = 0; generation < GENERATIONS; generation++) {
        pthread_t threads[THREADS];
        for (int k = 0; k < THREADS; k++) REQUIRE(pthread_create(&threads[k], NULL, work, (void*)(intptr_t)k) == 0);
        for (int k = 0; k < THREADS; k++) REQUIRE(pthread_join(threads[k], NULL) == 0);
    }
    CHECK(aclFinalize());
    puts("ok");
    return 0;
}
