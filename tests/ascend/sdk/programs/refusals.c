/* Work that failed, and the reads that follow: in the thread that gave the work, and in another one. */
#include "acl/acl_op_compiler.h"

#include "program.h"

#include <dlfcn.h>
#include <pthread.h>

#include "aclnnop/aclnn_selu.h"

static aclrtStream stream;
static aclrtEvent event;
static Tensor x;
static float found[4];

/* Reads, and what only looks like one */

static int synchronize(void) { return aclrtSynchronizeStream(stream); }
static int synchronize_with_timeout(void) { return aclrtSynchronizeStreamWithTimeout(stream, 1000); }
static int synchronize_device(void) { return aclrtSynchronizeDevice(); }
static int synchronize_event(void) { return aclrtSynchronizeEvent(event); }
static int copy_back(void) {
    return aclrtMemcpy(found, sizeof found, x.memory, x.size, ACL_MEMCPY_DEVICE_TO_HOST);
}
static int copy_to_device(void) {
    return aclrtMemcpy(x.memory, x.size, found, sizeof found, ACL_MEMCPY_HOST_TO_DEVICE);
}
static int copy_later(void) {
    return aclrtMemcpyAsync(found, sizeof found, x.memory, x.size, ACL_MEMCPY_DEVICE_TO_HOST, stream);
}
static int query(void) {
    aclrtStreamStatus status;
    return aclrtStreamQuery(stream, &status);
}

static int (*const READS[])(void) = {synchronize, synchronize_with_timeout, synchronize_device, synchronize_event,
                                     copy_back, copy_to_device, copy_later, query};
enum { KINDS = sizeof READS / sizeof *READS };

static void others_go_on(void) {
    void* memory = device_memory(64);
    CHECK(aclrtMemset(memory, 64, 1, 64));
    CHECK(aclrtFree(memory));
}

/* Work that fails */

static int older(const char* name) {
    aclopAttr* attr = aclopCreateAttr();
    const int64_t dims[] = {1, 4};
    aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    aclDataBuffer* buffer = aclCreateDataBuffer(x.memory, x.size);
    const aclTensorDesc* const* descs = (const aclTensorDesc* const*)&desc;
    int status = aclopCompileAndExecute(name, 1, descs, (const aclDataBuffer* const*)&buffer, 1, descs, &buffer, attr,
                                        ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
    aclopDestroyAttr(attr);
    aclDestroyTensorDesc(desc);
    CHECK(aclDestroyDataBuffer(buffer));
    return status;
}

static void refuse_older(void) { FAILS(older("Acos"), 207000, "operator Acos is not in actgrad"); }
static void refuse_wrong_call(void) { FAILS(older(NULL), 100000, "opType is a null pointer"); }
static void refuse_second_version(void) {
    FAILS(aclopCompileAndExecuteV2("Acos", 0, NULL, NULL, 0, NULL, NULL, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL,
                                   stream), 207000, "Acos is not in actgrad");
}
static void refuse_execute(void) {
    FAILS(aclopExecute("Elu", 0, NULL, NULL, 0, NULL, NULL, NULL, stream), 207000, "aclopExecute is not in actgrad");
}
static void refuse_execute_v2(void) {
    FAILS(aclopExecuteV2("Elu", 0, NULL, NULL, 0, NULL, NULL, NULL, stream), 207000, "aclopExecuteV2 is not in");
}
static void refuse_handle(void) {
    FAILS(aclopExecWithHandle(NULL, 0, NULL, 0, NULL, stream), 207000, "aclopExecWithHandle is not in actgrad");
}
static void refuse_cast(void) { FAILS(aclopCast(NULL, NULL, NULL, NULL, 0, stream), 207000, "aclopCast is not in"); }

static void refuse_stub(void) {
    int (*acos)(void);
    void* symbol = dlsym(RTLD_DEFAULT, "aclnnLinalgQrGetWorkspaceSize");
    REQUIRE(symbol != NULL);
    memcpy(&acos, &symbol, sizeof acos);
    FAILS(acos(), 561103, "aclnnLinalgQr is not in actgrad: ");
}

static void refuse_phase_one(void) {
    uint64_t size;
    aclOpExecutor* executor;
    FAILS(aclnnInplaceSeluGetWorkspaceSize(NULL, &size, &executor), 161001, "selfRef is a null pointer");
}

static void fail_phase_two(void) {
    Tensor other = matrix(1, 4, NULL);
    uint64_t size;
    aclOpExecutor* executor;
    CHECK(aclnnInplaceSeluGetWorkspaceSize(other.tensor, &size, &executor));
    CHECK(aclrtFree(other.memory));
    FAILS(aclnnInplaceSelu(NULL, size, executor, stream), 361001, "was freed before the call computed");
    CHECK(aclDestroyTensor(other.tensor));
}

static const struct {
    void (*fail)(void);
    const char* reason;
    int phase; /* 0: of the older interface */
} FAILURES[] = {
    {refuse_older, "operator Acos is not in actgrad", 0},
    {refuse_wrong_call, "opType is a null pointer", 0},
    {refuse_second_version, "operator Acos is not in actgrad", 0},
    {refuse_execute, "aclopExecute is not in actgrad", 0},
    {refuse_execute_v2, "aclopExecuteV2 is not in actgrad", 0},
    {refuse_handle, "aclopExecWithHandle is not in actgrad", 0},
    {refuse_cast, "aclopCast is not in actgrad", 0},
    {refuse_stub, "aclnnLinalgQr is not in actgrad", 1},
    {refuse_phase_one, "selfRef is a null pointer", 1},
    {fail_phase_two, "was freed before the call computed", 2},
};

static void work(void) {
    uint64_t size;
    aclOpExecutor* executor;
    CHECK(aclnnInplaceSeluGetWorkspaceSize(x.tensor, &size, &executor));
    CHECK(aclnnInplaceSelu(NULL, size, executor, stream));
}

/* One thread, which knows: the older interface alone fails at the next read, once. */
static void same_thread(int kind, int failure) {
    const bool is_older = FAILURES[failure].phase == 0;
    for (int is_followed = 0; is_followed < 2; is_followed++) {
        FAILURES[failure].fail();
        others_go_on();
        if (is_followed) work(); /* it does not hide what was lost */
        if (is_older) FAILS(READS[kind](), 500003, FAILURES[failure].reason);
        for (int k = 0; k < KINDS; k++) CHECK(READS[k]());
        work();
        CHECK(READS[kind]());
    }
}

/* Two threads: that which reads was told nothing */

static pthread_barrier_t barrier;
static int chosen;

static void* worker(void* unused) {
    CHECK(aclrtSetDevice(0));
    FAILURES[chosen].fail();
    pthread_barrier_wait(&barrier); /* the reads fail now */
    pthread_barrier_wait(&barrier);
    work();
    pthread_barrier_wait(&barrier);
    return unused;
}

static void other_thread(int kind, int failure, bool is_kept) {
    pthread_t thread;
    chosen = failure;
    REQUIRE(pthread_barrier_init(&barrier, NULL, 2) == 0 && pthread_create(&thread, NULL, worker, NULL) == 0);
    pthread_barrier_wait(&barrier);
    for (int k = 0; k < 3; k++) {
        others_go_on();
        if (k == 1) work(); /* the reader's own work is not what was lost */
        if (is_kept) {
            FAILS(READS[kind](), 500003, FAILURES[failure].reason);
            FAILS(READS[k](), 500003, "results may be missing, because earlier work failed; ");
        } else {
            CHECK(READS[kind]());
        }
    }
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    CHECK(READS[kind]());
    REQUIRE(pthread_join(thread, NULL) == 0);
    CHECK(READS[kind]());
}

/* The thread ends: nothing more is read until the device is reset. */
static void* end(void* unused) {
    CHECK(aclrtSetDevice(0));
    refuse_older();
    return unused;
}

static void ended_thread(void) {
    for (int k = 0; k < 2; k++) { /* another thread of the same number changes nothing */
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, end, NULL) == 0 && pthread_join(thread, NULL) == 0);
        FAILS(copy_back(), 500003, "aclrtMemcpy: results may be missing, because earlier work failed; ");
    }
    CHECK(aclrtResetDeviceForce(0));
    CHECK(aclrtSetDevice(0));
    CHECK(copy_back());
}

int main(void) {
    const char* queue = getenv("TASK_QUEUE_ENABLE");
    const bool is_queued = queue != NULL && strcmp(queue, "2") == 0;
    const char* strict = getenv("ACTGRAD_STRICT");
    const bool is_strict = strict != NULL && strcmp(strict, "1") == 0;
    stream = start();
    x = matrix(1, 4, NULL);
    CHECK(aclrtCreateEvent(&event));
    CHECK(aclrtRecordEvent(event, stream));
    for (int failure = 0; failure < (int)(sizeof FAILURES / sizeof *FAILURES); failure++) {
        const bool is_phase_one = FAILURES[failure].phase == 1;
        if (FAILURES[failure].phase == 2 && is_strict) continue; /* the synchronize that does the work fails */
        for (int kind = 0; kind < KINDS; kind++) {
            same_thread(kind, failure);
            other_thread(kind, failure, !is_phase_one || is_queued);
        }
    }
    ended_thread();
    CHECK(aclrtDestroyEvent(event));
    destroy(x);
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclFinalize());
    puts("ok");
    return 0;
}
