/* Work in order, what is left of it when a stream goes, and failures. */
#include "check.h"

static char done[64];
static int released;

typedef struct {
    char letter;
    int32_t status;
} Work;

static int32_t write_letter(void* argument) {
    const Work* work = argument;
    done[strlen(done)] = work->letter;
    return work->status;
}

static void count_release(void* argument) {
    (void)argument;
    released++;
}

static int32_t submit(aclrtStream stream, Work* work) {
    return actgrad_submit(stream, write_letter, count_release, NULL, work);
}

static void forget(void) {
    memset(done, 0, sizeof done);
    released = 0;
}

static Work a = {'a', 0}, b = {'b', 0}, c = {'c', 0}, bad = {'x', 161002}, worse = {'y', 561000};

static void order(void) {
    aclrtStream one = NULL, two = NULL;
    aclrtStreamStatus status;
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStreamWithConfig(&two, 0, ACL_STREAM_FAST_LAUNCH));
    forget();
    OK(submit(one, &a));
    OK(submit(two, &b));
    OK(submit(one, &c));
    CHECK(strcmp(done, is_strict() ? "" : "abc") == 0);
    OK(aclrtStreamQuery(one, &status));
    CHECK(status == (is_strict() ? ACL_STREAM_STATUS_NOT_READY : ACL_STREAM_STATUS_COMPLETE));
    OK(aclrtSynchronizeStream(one));
    CHECK(strcmp(done, is_strict() ? "ac" : "abc") == 0);
    OK(aclrtStreamQuery(one, &status));
    CHECK(status == ACL_STREAM_STATUS_COMPLETE);
    OK(aclrtSynchronizeDevice());
    CHECK(strlen(done) == 3 && released == 3);
    OK(aclrtDestroyStream(one));
    OK(aclrtDestroyStreamForce(two));
}

static void default_stream(void) {
    forget();
    OK(submit(NULL, &a));
    CHECK(strcmp(done, is_strict() ? "" : "a") == 0);
    OK(aclrtSynchronizeStream(NULL));
    CHECK(strcmp(done, "a") == 0);
    OK(submit(NULL, &b));
    OK(aclrtSynchronizeDeviceWithTimeout(100));
    CHECK(strcmp(done, "ab") == 0 && released == 2);
}

static void failures(void) {
    aclrtStream stream = NULL;
    OK(aclrtCreateStream(&stream));
    forget();
    CHECK(submit(stream, &bad) == (is_strict() ? 0 : bad.status));
    CHECK(submit(stream, &worse) == (is_strict() ? 0 : worse.status));
    OK(submit(stream, &a));
    CHECK(aclrtSynchronizeStream(stream) == (is_strict() ? bad.status : 0)); /* the first */
    CHECK(strcmp(done, "xya") == 0 && released == 3);
    OK(aclrtSynchronizeStream(stream));
    CHECK(submit(NULL, &bad) == (is_strict() ? 0 : bad.status));
    CHECK(aclrtSynchronizeDevice() == (is_strict() ? bad.status : 0));
    OK(aclrtDestroyStream(stream));
}

static void destroyed(void) {
    aclrtStream stream = NULL;
    OK(aclrtCreateStream(&stream));
    forget();
    OK(submit(stream, &a));
    OK(aclrtDestroyStream(stream));
    CHECK(strcmp(done, is_strict() ? "" : "a") == 0 && released == 1);
    FAILS(submit(stream, &b), 107003, "that is not destroyed");
    FAILS(submit(&a, &b), 107003, "that is not destroyed");
    CHECK(released == 3); /* what is refused is released too */
    FAILS(aclrtDestroyStream(stream), 107003, "aclrtDestroyStream: stream");
    FAILS(aclrtSynchronizeStream(stream), 107003, "aclrtSynchronizeStream: stream");
    aclrtStreamStatus status;
    FAILS(aclrtStreamQuery(stream, &status), 107003, "aclrtStreamQuery: stream");
}

static void misuse(void) {
    FAILS(aclrtCreateStream(NULL), 100000, "aclrtCreateStream: stream is a null pointer");
    FAILS(aclrtDestroyStream(NULL), 100000, "aclrtDestroyStream: stream is a null pointer");
    FAILS(aclrtStreamQuery(NULL, NULL), 100000, "status is a null pointer");
    FAILS(aclrtSynchronizeStreamWithTimeout(NULL, -2), 107000, "timeout is -2");
    OK(aclrtSynchronizeStreamWithTimeout(NULL, -1));
    OK(aclrtSynchronizeStreamWithTimeout(NULL, 0));
}

int main(void) {
    aclrtStream stream = NULL;
    if (!is_strict()) FAILS(aclrtCreateStream(&stream), 107002, "the thread has no device");
    if (!is_strict()) FAILS(aclrtSynchronizeStream(NULL), 107002, "the thread has no device");
    start();
    order();
    default_stream();
    failures();
    destroyed();
    misuse();
    end();
    return 0;
}
