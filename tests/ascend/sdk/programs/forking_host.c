/* A program that forks while another thread computes. The child computes in its own memory, the parent goes on. */
#include "program.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aclnnop/aclnn_leaky_relu.h"

enum { CHILDREN = 6, SIZE = 1 << 16 };

static volatile bool is_over;
static float values[SIZE];

static void compute(Tensor x, Tensor y, float slope) {
    aclrtStream stream = NULL;
    aclScalar* scalar = number(slope);
    RUN(aclnnLeakyRelu, x.tensor, scalar, y.tensor);
    CHECK(aclDestroyScalar(scalar));
}

static void* keep_computing(void* unused) {
    CHECK(aclrtSetDevice(0));
    Tensor x = matrix(1, SIZE, NULL);
    for (int k = 1; !is_over; k++) compute(x, x, 1.0f / (float)k);
    destroy(x);
    CHECK(aclrtResetDevice(0));
    return unused;
}

/* Whether the whole output is slope * -1. */
static void expect(Tensor y, float slope) {
    static float results[SIZE];
    read_back(y, results);
    for (int k = 0; k < SIZE; k++) REQUIRE(results[k] == -slope);
}

static void be_child(int number_of_it, Tensor x, Tensor y, aclOpExecutor* planned) {
    CHECK(aclnnLeakyRelu(NULL, 0, planned, NULL));
    CHECK(aclrtSynchronizeStream(NULL));
    expect(y, 7);
    for (int round = 0; round < 3; round++) {
        Tensor fresh = matrix(1, SIZE, NULL);
        compute(x, y, 100.0f + (float)number_of_it);
        expect(y, 100.0f + (float)number_of_it);
        compute(x, fresh, 3);
        expect(fresh, 3);
        destroy(fresh);
    }
    _exit(0);
}

int main(void) {
    pthread_t thread;
    pid_t children[CHILDREN];
    aclrtStream stream = start();
    for (int k = 0; k < SIZE; k++) values[k] = -1;
    Tensor x = matrix(1, SIZE, values), y = matrix(1, SIZE, NULL);
    compute(x, y, 0.5f);
    aclScalar* scalar = number(7);
    uint64_t size;
    aclOpExecutor* executor; /* planned here, and used in each child */
    CHECK(aclnnLeakyReluGetWorkspaceSize(x.tensor, scalar, y.tensor, &size, &executor));
    REQUIRE(pthread_create(&thread, NULL, keep_computing, NULL) == 0);
    for (int k = 0; k < CHILDREN; k++) {
        children[k] = fork();
        REQUIRE(children[k] >= 0);
        if (children[k] == 0) be_child(k, x, y, executor);
        compute(x, y, 2 + (float)k);
        expect(y, 2 + (float)k);
    }
    for (int k = 0; k < CHILDREN; k++) {
        int status = -1;
        REQUIRE(wait(&status) > 0); /* nothing here has children of the program's own */
        REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    REQUIRE(wait(NULL) == -1);
    expect(y, 1 + CHILDREN); /* no child wrote into it */
    CHECK(aclDestroyAclOpExecutor(executor));
    CHECK(aclDestroyScalar(scalar));
    is_over = true;
    pthread_join(thread, NULL);
    destroy(x);
    destroy(y);
    finish(stream);
    puts("ok");
    return 0;
}
