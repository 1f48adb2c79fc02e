/* aclGetRecentErrMsg: the thread's newest text, once. */
#include "program.h"

#include <pthread.h>

#include "aclnnop/aclnn_selu.h"

static uint64_t size;
static aclOpExecutor* executor;

static int fail(void) { return aclnnSeluGetWorkspaceSize(NULL, NULL, &size, &executor); }

static void* in_another_thread(void* unused) {
    CHECK(aclrtSetDevice(0));
    REQUIRE(aclGetRecentErrMsg() == NULL); /* the main thread's are not seen here */
    FAILS(fail(), 161001, "self is a null pointer");
    REQUIRE(aclGetRecentErrMsg() == NULL);
    REQUIRE(fail() == 161001); /* nobody asks for this one */
    return unused;
}

int main(void) {
    pthread_t thread;
    aclrtStream stream = start();
    REQUIRE(aclGetRecentErrMsg() == NULL);
    REQUIRE(fail() == 161001);
    REQUIRE(pthread_create(&thread, NULL, in_another_thread, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    const char* text = aclGetRecentErrMsg();
    REQUIRE(text != NULL && strstr(text, "AclNN_Parameter_Error(EZ1001): aclnnSelu: self is a null pointer"));
    REQUIRE(strncmp(text, "[PID: ", 6) == 0);
    REQUIRE(aclGetRecentErrMsg() == NULL);
    REQUIRE(fail() == 161001);
    FAILS(aclnnSelu(NULL, 0, NULL, stream), 161001, "executor"); /* the newest counts */
    REQUIRE(aclGetRecentErrMsg() == NULL);
    REQUIRE(fail() == 161001);
    Tensor x = matrix(1, 4, NULL);
    RUN(aclnnInplaceSelu, x.tensor);
    FAILS(0, 0, "self is a null pointer"); /* what works does not clear it */
    destroy(x);
    finish(stream);
    puts("ok");
    return 0;
}
