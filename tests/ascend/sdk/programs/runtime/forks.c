/* Parent and child have device memory of their own, and no lock stays behind. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 100000 };

static char* block;
static int to_child[2], to_parent[2];
static atomic_bool stop;

static void tell(int pipe) { CHECK(write(pipe, "!", 1) == 1); }
static void listen_to(int pipe) {
    char byte;
    CHECK(read(pipe, &byte, 1) == 1);
}

static void child(void* unused) {
    (void)unused;
    listen_to(to_child[0]); /* the parent has overwritten and freed its own */
    CHECK(first_byte(block) == 1 && first_byte(block + SIZE - 1) == 1);
    OK(aclrtMemset(block, SIZE, 3, SIZE));
    char* more = allocate(SIZE);
    OK(aclrtMemset(more, SIZE, 4, SIZE));
    CHECK(first_byte(block) == 3 && first_byte(more) == 4);
    OK(aclrtFree(more));
    OK(aclrtFree(block));
    OK(aclrtSynchronizeDevice());
    tell(to_parent[1]);
    OK(aclFinalize());
}

static void each_its_own(void) {
    CHECK(pipe(to_child) == 0 && pipe(to_parent) == 0);
    block = allocate(SIZE);
    OK(aclrtMemset(block, SIZE, 1, SIZE));
    fflush(NULL);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        child(NULL);
        _exit(0);
    }
    OK(aclrtMemset(block, SIZE, 2, SIZE));
    OK(aclrtFree(block));
    char* again = allocate(SIZE);
    OK(aclrtMemset(again, SIZE, 5, SIZE));
    tell(to_child[1]);
    listen_to(to_parent[0]);
    CHECK(first_byte(again) == 5);
    OK(aclrtFree(again));
    int status = 0;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Takes every lock all the time. */
static void* be_busy(void* unused) {
    (void)unused;
    OK(aclrtSetDevice(0));
    while (!stop) {
        aclrtStream stream = NULL;
        aclrtEvent event = NULL;
        char* memory = allocate(100);
        OK(aclrtCreateStream(&stream));
        OK(aclrtCreateEvent(&event));
        OK(aclrtMemsetAsync(memory, 100, 1, 100, stream));
        OK(aclrtRecordEvent(event, stream));
        OK(aclrtSynchronizeStream(stream));
        FAILS(aclrtFree(NULL), 100000, "aclrtFree");
        OK(aclrtDestroyEvent(event));
        OK(aclrtDestroyStream(stream));
        OK(aclrtFree(memory));
    }
    OK(aclrtResetDevice(0));
    return NULL;
}

static void use_everything(void* unused) {
    (void)unused;
    alarm(20);
    stop = false;
    aclrtStream stream = NULL;
    OK(aclrtCreateStream(&stream));
    char* memory = allocate(100);
    OK(aclrtMemsetAsync(memory, 100, 1, 100, stream));
    OK(aclrtSynchronizeDevice());
    CHECK(first_byte(memory) == 1);
    OK(aclrtDestroyStream(stream));
    OK(aclrtFree(memory));
    FAILS(aclrtFree(memory), 107000, "was freed");
}

static void while_others_work(void) {
    pthread_t threads[2];
    for (int k = 0; k < 2; k++) CHECK(pthread_create(&threads[k], NULL, be_busy, NULL) == 0);
    for (int k = 0; k < 30; k++) check_child(use_everything, NULL);
    stop = true;
    for (int k = 0; k < 2; k++) CHECK(pthread_join(threads[k], NULL) == 0);
}

static atomic_int begun;

static int32_t linger(void* unused) {
    (void)unused;
    for (begun++; !stop;) usleep(1000);
    return 0;
}

static void* work_slowly(void* unused) {
    (void)unused;
    OK(aclrtSetDevice(0));
    OK(actgrad_submit(NULL, linger, NULL, NULL, NULL));
    OK(aclrtSynchronizeStream(NULL));
    return NULL;
}

static void do_nothing_twice(void* unused) {
    (void)unused;
    alarm(20);
    stop = true;
    OK(aclrtSynchronizeDevice());
    CHECK(begun == 1);
    OK(aclFinalize());
}

/* A child does not repeat the work that another thread was in the midst of. */
static void while_work_goes_on(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work_slowly, NULL) == 0);
    while (begun == 0) usleep(1000);
    check_child(do_nothing_twice, NULL);
    stop = true;
    CHECK(pthread_join(thread, NULL) == 0);
    stop = false;
}

int main(void) {
    start();
    each_its_own();
    while_work_goes_on();
    /* A sanitizer's own allocator keeps its locks in the child, and that waits for ever. */
    if (getenv("UNDER_A_CHECKER") == NULL) while_others_work();
    end();
    return 0;
}
