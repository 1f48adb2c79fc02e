/* Initialisation, devices, contexts, and what the process and its contexts have switched on. */
#include "runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SWITCHES = ACL_OPT_STRONG_CONSISTENCY + 1, MAX_REPORTERS = 16 };

struct Context {
    Context* next;
    int32_t device;
    atomic_bool is_alive; /* looked at without the lock */
    int64_t switches[SWITCHES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t initialisations; /* by aclInit, that aclFinalize has not ended */
static bool aclnn_is_initialised;
static Context* contexts; /* those that programs made, destroyed ones too */
static Context defaults[DEVICES] = {{.device = 0}, {.device = 1}, {.device = 2}, {.device = 3},
                                    {.device = 4}, {.device = 5}, {.device = 6}, {.device = 7}};
static uint64_t uses[DEVICES]; /* aclrtSetDevice less aclrtResetDevice */
static int64_t switches[SWITCHES];
static actgrad_leaks reporters[MAX_REPORTERS];
static int reporter_count;
static _Thread_local Context* current;

void actgrad_device_lock(void) { pthread_mutex_lock(&lock); }
void actgrad_device_unlock(void) { pthread_mutex_unlock(&lock); }

/* ---- the start and the end */

static bool is_initialised(void) {
    actgrad_device_lock();
    bool is = initialisations > 0 || aclnn_is_initialised;
    actgrad_device_unlock();
    return is;
}

aclError aclInit(const char* configPath) {
    if (configPath != NULL && configPath[0] != '\0' && access(configPath, R_OK) != 0)
        return actgrad_fail(ACL_ERROR_INVALID_FILE, "%s: configPath is \"%s\", which cannot be read", __func__,
                            configPath);
    actgrad_device_lock();
    bool was_initialised = initialisations++ > 0;
    actgrad_device_unlock();
    if (!was_initialised) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_REPEAT_INITIALIZE, "%s: it was called before; once is enough", __func__);
}

void actgrad_on_finalize(actgrad_leaks report) {
    actgrad_device_lock();
    if (reporter_count < MAX_REPORTERS) reporters[reporter_count++] = report;
    actgrad_device_unlock();
}

static void report_context_leaks(void) {
    for (const Context* each = contexts; each != NULL; each = each->next)
        if (each->is_alive) fprintf(stderr, "actgrad: context %p was never destroyed\n", (const void*)each);
}

/* Without the lock: a reporter may ask what takes it. */
static void report_leaks(void) {
    if (!actgrad_is_strict()) return;
    actgrad_report_memory_leaks();
    actgrad_report_stream_leaks();
    actgrad_report_event_leaks();
    report_context_leaks();
    for (int k = 0; k < reporter_count; k++) reporters[k]();
}

static aclError fail_finalize(const char* function) {
    return actgrad_fail(ACL_ERROR_REPEAT_FINALIZE, "%s: aclInit is not in force; it was not called, or ended before",
                        function);
}

aclError aclFinalize(void) {
    actgrad_device_lock();
    bool was_initialised = initialisations > 0;
    initialisations = 0;
    actgrad_device_unlock();
    if (!was_initialised) return fail_finalize(__func__);
    report_leaks();
    return ACL_SUCCESS;
}

aclError aclFinalizeReference(uint64_t* refCount) {
    actgrad_device_lock();
    bool was_initialised = initialisations > 0;
    if (was_initialised) initialisations--;
    uint64_t left = initialisations;
    actgrad_device_unlock();
    if (refCount != NULL) *refCount = left;
    if (!was_initialised) return fail_finalize(__func__);
    if (left == 0) report_leaks();
    return ACL_SUCCESS;
}

void actgrad_set_aclnn_initialised(bool is) {
    actgrad_device_lock();
    bool was_last = aclnn_is_initialised && !is && initialisations == 0;
    aclnn_is_initialised = is;
    actgrad_device_unlock();
    if (was_last) report_leaks();
}

/* ---- what the thread works with */

Context* actgrad_current_context(void) { return current != NULL && current->is_alive ? current : NULL; }

int32_t actgrad_device_of(const Context* context) { return context->device; }

static aclError check_initialised(const char* function) {
    if (!actgrad_is_strict() || is_initialised()) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_UNINITIALIZE, "%s: aclInit is not in force; call it first", function);
}

aclError actgrad_check_device(const char* function) {
    aclError status = check_initialised(function);
    if (status != ACL_SUCCESS || actgrad_current_context() != NULL) return status;
    return actgrad_fail(ACL_ERROR_RT_CONTEXT_NULL,
                        "%s: the thread has no device; call aclrtSetDevice or aclrtSetCurrentContext in it first",
                        function);
}

aclError actgrad_check_device_if_strict(const char* function) {
    return actgrad_is_strict() ? actgrad_check_device(function) : ACL_SUCCESS;
}

bool actgrad_has_device(const char* function) { return actgrad_check_device(function) == ACL_SUCCESS; }

/* ---- devices */

static aclError check_id(const char* function, int32_t deviceId) {
    if (deviceId < 0 || deviceId >= DEVICES)
        return actgrad_fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: deviceId is %d; there are devices 0 to %d", function,
                            deviceId, DEVICES - 1);
    return check_initialised(function);
}

aclError aclrtSetDevice(int32_t deviceId) {
    aclError status = check_id(__func__, deviceId);
    if (status != ACL_SUCCESS) return status;
    actgrad_device_lock();
    uses[deviceId]++;
    current = &defaults[deviceId];
    current->is_alive = true;
    actgrad_device_unlock();
    return ACL_SUCCESS;
}

/* Waits for the device's work and ends its default context, if nobody else uses it. */
static aclError reset(const char* function, int32_t deviceId, bool is_forced) {
    aclError status = check_id(function, deviceId);
    if (status != ACL_SUCCESS) return status;
    actgrad_device_lock();
    bool was_used = uses[deviceId] > 0;
    if (was_used) uses[deviceId] = is_forced ? 0 : uses[deviceId] - 1;
    bool is_last = was_used && uses[deviceId] == 0;
    actgrad_device_unlock();
    if (!is_last) return ACL_SUCCESS;
    status = actgrad_run_device(deviceId);
    defaults[deviceId].is_alive = false;
    return status;
}

aclError aclrtResetDevice(int32_t deviceId) { return reset(__func__, deviceId, false); }
aclError aclrtResetDeviceForce(int32_t deviceId) { return reset(__func__, deviceId, true); }

aclError aclrtGetDevice(int32_t* deviceId) {
    if (deviceId == NULL) return actgrad_fail_null(__func__, "deviceId");
    aclError status = actgrad_check_device(__func__);
    if (status == ACL_SUCCESS) *deviceId = current->device;
    return status;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    if (count == NULL) return actgrad_fail_null(__func__, "count");
    *count = DEVICES;
    return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
    if (runMode == NULL) return actgrad_fail_null(__func__, "runMode");
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

/* One chip of each product. */
const char* aclrtGetSocName(void) {
    static const char* const names[][2] = {
        {"Ascend950", "Ascend950PR_9589"}, {"Ascend910_93", "Ascend910_9391"}, {"Ascend910B", "Ascend910B1"},
        {"Ascend310B", "Ascend310B1"},     {"Ascend310P", "Ascend310P3"},      {"Ascend910", "Ascend910A"},
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(actgrad_product(), names[k][0]) == 0) return names[k][1];
    return "Ascend910B1"; /* what the operators take where no product is named; one they do not know they refuse */
}

aclError aclrtSynchronizeDevice(void) {
    aclError status = actgrad_check_device(__func__);
    return status != ACL_SUCCESS ? status : actgrad_run_device(current->device);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
    aclError status = actgrad_check_timeout(__func__, timeout);
    if (status == ACL_SUCCESS) status = actgrad_check_device(__func__);
    return status != ACL_SUCCESS ? status : actgrad_run_device(current->device);
}

/* ---- contexts */

/* The one of a handle that is alive, or NULL: under the lock. */
static Context* context_of(aclrtContext handle) {
    for (int k = 0; k < DEVICES; k++)
        if (handle == &defaults[k]) return defaults[k].is_alive ? &defaults[k] : NULL;
    for (Context* each = contexts; each != NULL; each = each->next)
        if (handle == each) return each->is_alive ? each : NULL;
    return NULL;
}

static bool is_default(const Context* context) { return context >= defaults && context < defaults + DEVICES; }

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
    if (context == NULL) return actgrad_fail_null(__func__, "context");
    aclError status = check_id(__func__, deviceId);
    if (status != ACL_SUCCESS) return status;
    Context* made = calloc(1, sizeof *made);
    if (made == NULL)
        return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: there is no host memory left", __func__);
    made->device = deviceId;
    made->is_alive = true;
    actgrad_device_lock();
    made->next = contexts;
    contexts = made;
    actgrad_device_unlock();
    *context = current = made;
    return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context) {
    if (context == NULL) return actgrad_fail_null(__func__, "context");
    actgrad_device_lock();
    Context* found = context_of(context);
    bool is_made = found != NULL && !is_default(found);
    if (is_made) found->is_alive = false;
    actgrad_device_unlock();
    if (is_made) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: context %p %s", __func__, context,
                        found == NULL ? "is none, or was destroyed"
                                      : "is a device's default; aclrtResetDevice destroys it");
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    if (context == NULL) return actgrad_fail_null(__func__, "context");
    actgrad_device_lock();
    Context* found = context_of(context);
    actgrad_device_unlock();
    if (found == NULL)
        return actgrad_fail(ACL_ERROR_RT_CONTEXT_NULL, "%s: context %p is none, or was destroyed", __func__, context);
    current = found;
    return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    if (context == NULL) return actgrad_fail_null(__func__, "context");
    aclError status = actgrad_check_device(__func__);
    if (status == ACL_SUCCESS) *context = current;
    return status;
}

/* ---- switches */

static aclError check_switch(const char* function, aclSysParamOpt opt) {
    if ((int)opt >= 0 && (int)opt < SWITCHES) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: opt is %d; it must be of aclSysParamOpt", function, (int)opt);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    aclError status = check_switch(__func__, opt);
    if (status != ACL_SUCCESS) return status;
    actgrad_device_lock();
    switches[opt] = value;
    actgrad_device_unlock();
    return ACL_SUCCESS;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    if (value == NULL) return actgrad_fail_null(__func__, "value");
    aclError status = check_switch(__func__, opt);
    if (status != ACL_SUCCESS) return status;
    actgrad_device_lock();
    *value = switches[opt];
    actgrad_device_unlock();
    return ACL_SUCCESS;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    aclError status = check_switch(__func__, opt);
    if (status == ACL_SUCCESS) status = actgrad_check_device(__func__);
    if (status != ACL_SUCCESS) return status;
    actgrad_device_lock();
    current->switches[opt] = value;
    actgrad_device_unlock();
    return ACL_SUCCESS;
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    if (value == NULL) return actgrad_fail_null(__func__, "value");
    aclError status = check_switch(__func__, opt);
    if (status == ACL_SUCCESS) status = actgrad_check_device(__func__);
    if (status != ACL_SUCCESS) return status;
    actgrad_device_lock();
    *value = current->switches[opt];
    actgrad_device_unlock();
    return ACL_SUCCESS;
}
