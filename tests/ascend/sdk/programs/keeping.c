/* A program that computes and gives everything back, also in a thread and in a child. With an argument it loses memory of
   its own: 1 byte before the first call, 2 between the phases, 4 in the thread, 8 in the child, 16 at the end. */
#include "program.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_selu.h"

static bool loses;
static char* volatile last;

static void lose(size_t size) {
    if (loses) last = malloc(size);
    last = NULL;
}

static void* compute(void* unused) {
    static const float values[] = {1, -1, 2, -2};
    aclrtStream stream = NULL;
    CHECK(aclrtSetDevice(0));
    Tensor x = matrix(2, 2, values), y = matrix(2, 2, NULL);
    aclScalar* one = number(1);
    RUN(aclnnSelu, x.tensor, y.tensor);
    RUN(aclnnAdd, x.tensor, y.tensor, one, y.tensor);
    FAILS(aclnnSeluGetWorkspaceSize(x.tensor, NULL, &(uint64_t){0}, &(aclOpExecutor*){NULL}), 161001, "out");
    CHECK(aclDestroyScalar(one));
    destroy(x);
    destroy(y);
    lose(4);
    return unused;
}

static void phases(void) {
    uint64_t size = 0;
    aclOpExecutor* executor = NULL;
    Tensor x = matrix(1, 1 << 20, NULL); /* enough for all threads */
    CHECK(aclnnInplaceSeluGetWorkspaceSize(x.tensor, &size, &executor));
    lose(2);
    CHECK(aclnnInplaceSelu(NULL, size, executor, NULL));
    CHECK(aclrtSynchronizeStream(NULL));
    destroy(x);
}

int main(int count, char** arguments) {
    (void)arguments;
    loses = count > 1;
    lose(1);
    aclrtStream stream = start();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, compute, NULL));
    CHECK(pthread_join(thread, NULL));
    pid_t child = fork(); /* before there are threads that compute: a checker would speak of them */
    if (child == 0) {
        phases();
        lose(8);
        exit(0); /* where a checker in the process looks for leaks */
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    phases();
    finish(stream);
    lose(16);
    return status != 0;
}
