/* A thread that forks without ever having called an operator. Its child computes: in this thread, in new ones, in a child
   of its own, and after this thread has ended. */
#include "program.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aclnnop/aclnn_leaky_relu.h"

static pthread_barrier_t computed;
static bool stays;

/* Each number of columns is a call of its own, which the planner has not seen. */
static void compute(int64_t columns) {
    aclrtStream stream = NULL;
    float values[64];
    CHECK(aclrtSetDevice(0));
    for (int64_t k = 0; k < columns; k++) values[k] = -2;
    Tensor x = matrix(1, columns, values), y = matrix(1, columns, NULL);
    aclScalar* slope = number(0.5f);
    RUN(aclnnLeakyRelu, x.tensor, slope, y.tensor);
    read_back(y, values);
    for (int64_t k = 0; k < columns; k++) REQUIRE(values[k] == -1);
    CHECK(aclDestroyScalar(slope));
    destroy(x);
    destroy(y);
}

static void* be_worker(void* columns) {
    compute((intptr_t)columns);
    return NULL;
}

static void* be_worker_that_stays(void* columns) {
    compute((intptr_t)columns);
    pthread_barrier_wait(&computed);
    while (stays) usleep(1000);
    return NULL;
}

static pthread_t start_thread(void* (*function)(void*), intptr_t argument) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, function, (void*)argument) == 0);
    return thread;
}

static void wait_for(pid_t child) {
    int status = -1;
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void fork_and_compute(int64_t columns) {
    pid_t child = fork();
    if (child == 0) {
        compute(columns);
        pthread_join(start_thread(be_worker, columns + 1), NULL);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            compute(columns + 2);
            _exit(0);
        }
        wait_for(grandchild);
        _exit(0);
    }
    wait_for(child);
}

static pthread_t forking;

static void* outlive(void* unused) {
    REQUIRE(pthread_join(forking, NULL) == 0);
    compute(60);
    _exit(0);
    return unused;
}

/* The child's first thread ends, and another one computes then. */
static void* fork_and_end(void* calls_before) {
    if (calls_before != NULL) compute(50);
    forking = pthread_self();
    pid_t child = fork();
    if (child == 0) {
        start_thread(outlive, 0);
        return NULL;
    }
    wait_for(child);
    return NULL;
}

int main(void) {
    CHECK(aclInit(NULL));
    pthread_join(start_thread(be_worker, 8), NULL);
    fork_and_compute(10);

    stays = true;
    REQUIRE(pthread_barrier_init(&computed, NULL, 2) == 0);
    pthread_t worker = start_thread(be_worker_that_stays, 20);
    pthread_barrier_wait(&computed);
    fork_and_compute(30);
    for (intptr_t calls_before = 0; calls_before < 2; calls_before++)
        pthread_join(start_thread(fork_and_end, calls_before), NULL);
    stays = false;
    pthread_join(worker, NULL);

    fork_and_compute(40);
    compute(45);
    CHECK(aclFinalize());
    puts("ok");
    return 0;
}
