/* Start and end, devices, contexts, the chip's name, switches. */
#include "check.h"

#include <pthread.h>

static void life(void) {
    uint64_t references = 9;
    FAILS(aclFinalize(), 100037, "aclFinalize: the runtime is not started");
    FAILS(aclInit("no such file"), 100003, "configPath is \"no such file\"");
    OK(aclInit(""));
    FAILS(aclInit(NULL), 100002, "aclInit: called a second time");
    OK(aclFinalize());
    FAILS(aclFinalize(), 100037, "aclFinalize");
    OK(aclInit(NULL));
    FAILS(aclInit(NULL), 100002, "aclInit");
    OK(aclFinalizeReference(&references));
    CHECK(references == 1);
    OK(aclFinalizeReference(NULL));
    FAILS(aclFinalizeReference(&references), 100037, "aclFinalizeReference");
}

static void strict_wants_a_start(void) {
    void* block = NULL;
    char byte = 0;
    FAILS(aclrtSetDevice(0), 100001, "aclrtSetDevice: the runtime is not started");
    FAILS(aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST), 100001, "aclrtMalloc");
    actgrad_set_aclnn_initialised(true); /* what aclnnInit does */
    FAILS(aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST), 107002, "aclrtMalloc");
    FAILS(aclrtMallocHost(&block, 8), 107002, "aclrtMallocHost");
    FAILS(aclrtMemset(&byte, 1, 0, 1), 107002, "aclrtMemset");
    FAILS(aclrtMemcpy(&byte, 1, &byte, 1, ACL_MEMCPY_DEFAULT), 107002, "aclrtMemcpy");
    CHECK(actgrad_check_device_if_strict("aclnnElu") == 107002);
    CHECK(strstr(aclGetRecentErrMsg(), "aclnnElu: the thread has no device") != NULL);
    actgrad_set_aclnn_initialised(false);
}

static void devices(void) {
    int32_t device = -1;
    uint32_t count = 0;
    aclrtRunMode mode = ACL_DEVICE;
    OK(aclrtGetDeviceCount(&count));
    CHECK(count >= 1);
    OK(aclrtGetRunMode(&mode));
    CHECK(mode == ACL_HOST);
    FAILS(aclrtGetDevice(&device), 107002, "aclrtGetDevice: the thread has no device");
    FAILS(aclrtSynchronizeDevice(), 107002, "aclrtSynchronizeDevice");
    FAILS(aclrtSetDevice(-1), 107001, "aclrtSetDevice: deviceId is -1; it must be 0 to");
    FAILS(aclrtSetDevice((int32_t)count), 107001, "deviceId");
    FAILS(aclrtResetDevice(-1), 107001, "aclrtResetDevice");
    OK(aclrtSetDevice((int32_t)count - 1));
    OK(aclrtGetDevice(&device));
    CHECK(device == (int32_t)count - 1);
    OK(aclrtSetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtResetDevice(0));
    OK(aclrtGetDevice(&device)); /* set twice, reset once */
    OK(aclrtResetDevice(0));
    FAILS(aclrtGetDevice(&device), 107002, "aclrtGetDevice");
    OK(aclrtResetDevice(0));
    OK(aclrtResetDeviceForce((int32_t)count - 1));
    FAILS(aclrtGetDevice(NULL), 100000, "deviceId is a null pointer");
    FAILS(aclrtGetDeviceCount(NULL), 100000, "count is a null pointer");
    FAILS(aclrtGetRunMode(NULL), 100000, "runMode is a null pointer");
}

static void* use_context(void* context) {
    aclrtContext now = NULL;
    int32_t device = -1;
    FAILS(aclrtGetCurrentContext(&now), 107002, "aclrtGetCurrentContext"); /* each thread has its own */
    OK(aclrtSetCurrentContext(context));
    OK(aclrtGetDevice(&device));
    CHECK(device == 1);
    return NULL;
}

static void contexts(void) {
    aclrtContext one = NULL, two = NULL, now = NULL;
    aclrtStream stream = NULL;
    pthread_t thread;
    int32_t device = -1;
    OK(aclrtCreateContext(&one, 0));
    OK(aclrtCreateContext(&two, 1));
    OK(aclrtGetCurrentContext(&now));
    CHECK(now == two);
    OK(aclrtCreateStream(&stream));
    CHECK(pthread_create(&thread, NULL, use_context, two) == 0 && pthread_join(thread, NULL) == 0);
    OK(aclrtSetCurrentContext(one));
    OK(aclrtGetDevice(&device));
    CHECK(device == 0);
    if (is_strict())
        FAILS(aclrtSynchronizeStream(stream), 107003, "is of another context");
    else
        OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyStream(stream));
    OK(aclrtDestroyContext(one));
    FAILS(aclrtGetCurrentContext(&now), 107002, "the thread has no device");
    FAILS(aclrtSetCurrentContext(one), 107002, "that is not destroyed");
    FAILS(aclrtDestroyContext(one), 107000, "that is not destroyed");
    FAILS(aclrtDestroyContext(&now), 107000, "it must be a context");
    OK(aclrtDestroyContext(two));
    OK(aclrtSetDevice(0));
    OK(aclrtGetCurrentContext(&now));
    FAILS(aclrtDestroyContext(now), 107000, "is a device's default");
    OK(aclrtResetDevice(0));
    FAILS(aclrtSetCurrentContext(now), 107002, "aclrtSetCurrentContext");
    FAILS(aclrtSetCurrentContext(NULL), 100000, "context is a null pointer");
    FAILS(aclrtCreateContext(NULL, 0), 100000, "context is a null pointer");
    FAILS(aclrtCreateContext(&one, 99), 107001, "deviceId is 99");
    FAILS(aclrtDestroyContext(NULL), 100000, "context is a null pointer");
}

static void switches(void) {
    int64_t value = -1;
    OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    CHECK(value == 0);
    OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    CHECK(value == 1);
    FAILS(aclrtSetSysParamOpt((aclSysParamOpt)77, 1), 107000, "opt is 77");
    FAILS(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL), 100000, "value is a null pointer");
    FAILS(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), 107002, "aclrtCtxSetSysParamOpt");
    OK(aclrtSetDevice(0));
    OK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    CHECK(value == 0);
    OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    OK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    CHECK(value == 1);
    OK(aclrtResetDevice(0));
}

int main(void) {
    const char* product = getenv("ACTGRAD_PRODUCT");
    CHECK(strncmp(aclrtGetSocName(), product ? product : "Ascend910B", product ? strlen(product) : 10) == 0);
    life();
    if (is_strict()) strict_wants_a_start();
    OK(aclInit(NULL));
    devices();
    contexts();
    switches();
    OK(aclFinalize());
    return 0;
}
