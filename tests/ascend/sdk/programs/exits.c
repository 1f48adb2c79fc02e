/* Ends while threads compute: "return" from main, "exit", "_exit", or in "thread" by a thread that is not the first. */
#include "program.h"

#include <pthread.h>
#include <unistd.h>

#include "aclnnop/aclnn_leaky_relu.h"

static const char* how;
static volatile int computed;

static void* compute(void* argument) {
    aclrtStream stream = NULL;
    int is_last = argument != NULL;
    CHECK(aclrtSetDevice(0));
    Tensor x = matrix(1, 1 << 14, NULL);
    for (int k = 1;; k++) {
        aclScalar* slope = number(1.0f / (float)k);
        RUN(aclnnLeakyRelu, x.tensor, slope, x.tensor);
        CHECK(aclDestroyScalar(slope));
        computed = computed + 1;
        if (is_last && k > 20 && strcmp(how, "thread") == 0) exit(7);
    }
    return NULL;
}

int main(int count, char** arguments) {
    how = count > 1 ? arguments[1] : "return";
    pthread_t threads[3];
    CHECK(aclInit(NULL));
    for (int k = 0; k < 3; k++) REQUIRE(pthread_create(&threads[k], NULL, compute, k == 2 ? threads : NULL) == 0);
    while (computed < 50) usleep(1000);
    if (strcmp(how, "thread") == 0) pthread_join(threads[2], NULL);
    if (strcmp(how, "exit") == 0) exit(7);
    if (strcmp(how, "_exit") == 0) _exit(7);
    return 7;
}
