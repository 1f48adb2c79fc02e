/* Times calls of aclnnEluBackward. Arguments: elements, calls per round, rounds, threads. Prints the microseconds of a
   call in each round, both phases and the wait; several threads work at the same time, and their rates are added. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_elu_backward.h"

static int64_t elements;
static int calls, rounds, threads;
static double took[64]; /* by thread, the last round */
static pthread_barrier_t barrier;

static void check(int status, const char* call) {
    if (status == 0) return;
    const char* text = aclGetRecentErrMsg();
    fprintf(stderr, "%s: status %d\n%s\n", call, status, text ? text : "");
    exit(1);
}
#define CHECK(call) check(call, #call)

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static aclTensor* tensor(float value) {
    const size_t size = (size_t)elements * sizeof(float);
    float* values = malloc(size);
    void* memory;
    CHECK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int64_t k = 0; k < elements; k++) values[k] = value * (float)(k % 7 - 3);
    CHECK(aclrtMemcpy(memory, size, values, size, ACL_MEMCPY_HOST_TO_DEVICE));
    free(values);
    return aclCreateTensor(&elements, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &elements, 1, memory);
}

static void print_round(void) {
    double rate = 0;
    for (int k = 0; k < threads; k++) rate += calls / took[k];
    printf("%f\n", 1 / rate);
}

static void* work(void* number) {
    const int thread = (int)(intptr_t)number;
    aclrtStream stream;
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    aclTensor *gradient = tensor(1), *self = tensor(0.5f), *result = tensor(0);
    float value = 1.25f;
    aclScalar* scalar = aclCreateScalar(&value, ACL_FLOAT);
    for (int round = -1; round < rounds; round++) { /* the first is not counted */
        pthread_barrier_wait(&barrier);
        double start = microseconds();
        for (int k = 0; k < calls; k++) {
            uint64_t size;
            aclOpExecutor* executor;
            CHECK(aclnnEluBackwardGetWorkspaceSize(gradient, scalar, scalar, scalar, false, self, result, &size,
                                                   &executor));
            CHECK(aclnnEluBackward(NULL, size, executor, stream));
            CHECK(aclrtSynchronizeStream(stream));
        }
        took[thread] = microseconds() - start;
        pthread_barrier_wait(&barrier);
        if (thread == 0 && round >= 0) print_round();
    }
    return NULL;
}

int main(int count, char** arguments) {
    if (count != 5) return 2;
    elements = atoll(arguments[1]);
    calls = atoi(arguments[2]);
    rounds = atoi(arguments[3]);
    threads = atoi(arguments[4]);
    pthread_t started[64];
    CHECK(aclInit(NULL));
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int k = 1; k < threads; k++) pthread_create(&started[k], NULL, work, (void*)(intptr_t)k);
    work(NULL);
    for (int k = 1; k < threads; k++) pthread_join(started[k], NULL);
    return 0;
}
