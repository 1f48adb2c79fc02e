/* Ends by "return", "exit" or "thread" (an exit in another thread) while a thread makes first calls, one after another:
   at once, or so many milliseconds after the first one. With "late", makes a first call when the process ends. */
#include "program.h"

#include <pthread.h>
#include <unistd.h>

#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_selu.h"

static volatile bool has_called;
static Tensor x;

static aclTensor* typed(aclDataType type) {
    const int64_t shape[] = {1, 8};
    return aclCreateTensor(shape, 2, type, NULL, 0, ACL_FORMAT_ND, shape, 2, x.memory);
}

/* Each pair of types is a kernel of its own. Nothing is said of a call that the end of the process stopped. */
static void* call_all(void* none) {
    static const aclDataType types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
    CHECK(aclrtSetDevice(0));
    aclScalar* slope = number(0.5f);
    for (int k = 0; k < 16; k++) {
        uint64_t size;
        aclOpExecutor* executor;
        (void)aclnnLeakyReluGetWorkspaceSize(typed(types[k / 4]), slope, typed(types[k % 4]), &size, &executor);
        has_called = true;
    }
    pause();
    return none;
}

static void call_late(void) {
    uint64_t size;
    aclOpExecutor* executor;
    if (has_called) /* else the compiler is loaded by this call */
        FAILS(aclnnInplaceSeluGetWorkspaceSize(x.tensor, &size, &executor), 561000, "the process is ending");
    _exit(7);
}

static void* end(void* none) {
    exit(7);
    return none;
}

int main(int count, char** arguments) {
    REQUIRE(count == 3);
    const char* how = arguments[1];
    const int milliseconds = atoi(arguments[2]);
    pthread_t calling, ending;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    x = matrix(1, 16, NULL);
    if (strcmp(how, "late") == 0) atexit(call_late);
    REQUIRE(pthread_create(&calling, NULL, call_all, NULL) == 0);
    while (milliseconds >= 0 && !has_called) usleep(100);
    if (milliseconds > 0) usleep((useconds_t)milliseconds * 1000);
    if (strcmp(how, "exit") == 0) exit(7);
    if (strcmp(how, "thread") == 0) {
        REQUIRE(pthread_create(&ending, NULL, end, NULL) == 0);
        pthread_join(ending, NULL);
    }
    return 7;
}
