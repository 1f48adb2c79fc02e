/* Many threads at once, on streams of their own and on common ones. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 6, SIZE = 3000 };

static aclrtStream common;
static aclrtEvent common_event;
static atomic_int counted;

static int turns(void) { return getenv("UNDER_A_CHECKER") == NULL ? 300 : 20; }

static int32_t count(void* unused) {
    (void)unused;
    atomic_fetch_add(&counted, 1);
    return 0;
}

static void turn(int me) {
    unsigned char back[SIZE];
    aclrtStream stream = NULL;
    OK(aclrtCreateStream(&stream));
    char* block = allocate(SIZE);
    OK(aclrtMemsetAsync(block, SIZE, me, SIZE, stream));
    OK(actgrad_submit(common, count, NULL, NULL, NULL));
    OK(aclrtRecordEvent(common_event, common));
    OK(aclrtStreamWaitEvent(stream, common_event));
    OK(aclrtMemcpyAsync(back, SIZE, block, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    for (int k = 0; k < SIZE; k++) CHECK(back[k] == me);
    if (me % 2) OK(aclrtSynchronizeStream(common));
    OK(aclrtFree(block));
    OK(aclrtDestroyStream(stream));
}

static void* work(void* argument) {
    int me = (int)(intptr_t)argument;
    void* block = NULL;
    if (!is_strict()) FAILS(aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST), 107002, "the thread has no device");
    OK(aclrtSetDevice(0));
    for (int k = 0; k < turns(); k++) turn(me);
    OK(aclrtResetDevice(0));
    return NULL;
}

/* A thread with the smallest stack. */
static void small_stack(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, 64 << 10) == 0);
    CHECK(pthread_create(&thread, &attributes, work, (void*)(intptr_t)9) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
}

int main(void) {
    pthread_t threads[THREADS];
    alarm(100);
    start();
    OK(aclrtCreateStream(&common));
    OK(aclrtCreateEvent(&common_event));
    for (intptr_t k = 0; k < THREADS; k++) CHECK(pthread_create(&threads[k], NULL, work, (void*)(k + 1)) == 0);
    for (int k = 0; k < THREADS; k++) CHECK(pthread_join(threads[k], NULL) == 0);
    OK(aclrtSynchronizeDevice());
    CHECK(counted == THREADS * turns());
    if (getenv("UNDER_A_CHECKER") == NULL) small_stack();
    OK(aclrtDestroyEvent(common_event));
    OK(aclrtDestroyStream(common));
    end();
    return 0;
}
