/* Threads that race each other: for one executor, which exactly one of them gets, and for the first start. */
#include "program.h"

#include <pthread.h>

#include "aclnnop/aclnn_selu.h"

enum { THREADS = 4, ROUNDS = 300 };

static aclOpExecutor* executor;
static pthread_barrier_t barrier;
static int got[THREADS];

static void* use(void* argument) {
    int me = (int)(intptr_t)argument;
    aclrtStream stream = NULL;
    CHECK(aclrtSetDevice(0));
    for (int k = 0; k < ROUNDS; k++) {
        pthread_barrier_wait(&barrier);
        int status = me % 2 == 0 ? aclnnInplaceSelu(NULL, 0, executor, stream) : aclDestroyAclOpExecutor(executor);
        REQUIRE(status == 0 || status == 561000);
        got[me] = status == 0;
        pthread_barrier_wait(&barrier);
    }
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtResetDevice(0));
    return NULL;
}

static void* start_and_compute(void* argument) {
    const float values[] = {1, 2, 3, 4};
    float results[4];
    aclrtStream stream = NULL;
    CHECK(aclrtSetDevice(0));
    pthread_barrier_wait(&barrier);
    Tensor x = matrix(1, 4, values);
    RUN(aclnnInplaceSelu, x.tensor);
    read_back(x, results);
    for (int k = 0; k < 4; k++) REQUIRE(fabsf(results[k] - 1.0507010f * values[k]) < 1e-5f);
    destroy(x);
    CHECK(aclrtResetDevice(0));
    return argument;
}

int main(void) {
    pthread_t threads[THREADS];
    CHECK(aclInit(NULL));
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int k = 0; k < THREADS; k++) pthread_create(&threads[k], NULL, start_and_compute, NULL);
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
    pthread_barrier_destroy(&barrier);

    CHECK(aclrtSetDevice(0));
    Tensor x = matrix(1, 4, NULL);
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int k = 0; k < THREADS; k++) pthread_create(&threads[k], NULL, use, (void*)(intptr_t)k);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t size;
        CHECK(aclnnInplaceSeluGetWorkspaceSize(x.tensor, &size, &executor));
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        int winners = 0;
        for (int k = 0; k < THREADS; k++) winners += got[k];
        REQUIRE(winners == 1);
    }
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
    destroy(x);
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    puts("ok");
    return 0;
}
