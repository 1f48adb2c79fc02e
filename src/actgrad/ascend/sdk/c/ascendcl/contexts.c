/* Contexts: the current context of a thread, the contexts that programs make, and their switches. */
#include "runtime.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SWITCHES = ACL_OPT_STRONG_CONSISTENCY + 1 };

struct Context {
    Context* next;
    int32_t device;
    atomic_bool is_alive; /* read without the lock */
    int64_t switches[SWITCHES];
};

atomic_bool actgrad_is_started;
FORK_SAFE_LOCK(contexts_lock, CONTEXTS_ORDER)
static Context* contexts; /* all contexts that programs made, also after they were destroyed */
static Context defaults[DEVICES] = {{.device = 0}, {.device = 1}, {.device = 2}, {.device = 3},
                                    {.device = 4}, {.device = 5}, {.device = 6}, {.device = 7}};
static uint64_t uses[DEVICES]; /* calls of aclrtSetDevice minus calls of aclrtResetDevice */
static int64_t switches[SWITCHES];
static _Thread_local Context* current;

static bool is_default(const Context* context) { return context >= defaults && context < defaults + DEVICES; }

Context* actgrad_current_context(void) { return current != NULL && current->is_alive ? current : NULL; }

int32_t actgrad_device_of(const Context* context) { return context == NULL ? 0 : context->device; }

static aclError check_started(const char* function) {
    if (actgrad_is_started || !actgrad_get_settings()->is_strict) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_UNINITIALIZE,
                        "%s: the runtime is not started; aclInit must come before; call aclInit first", function);
}

aclError actgrad_check_device(const char* function) {
    RETURN_IF_ERROR(check_started(function));
    if (actgrad_current_context() != NULL) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_CONTEXT_NULL,
                        "%s: the thread has no device; it must have one; call aclrtSetDevice or "
                        "aclrtSetCurrentContext in it first",
                        function);
}

aclError actgrad_check_device_if_strict(const char* function) {
    return actgrad_get_settings()->is_strict ? actgrad_check_device(function) : ACL_SUCCESS;
}

aclError actgrad_check_device_id(const char* function, int32_t deviceId) {
    const int devices = actgrad_get_settings()->devices;
    if (deviceId >= 0 && deviceId < devices) return check_started(function);
    if (devices == 0)
        return actgrad_fail(ACL_ERROR_RT_INVALID_DEVICEID,
                            "%s: deviceId is %d; ASCEND_RT_VISIBLE_DEVICES must name a device; change or unset it",
                            function, deviceId);
    return actgrad_fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: deviceId is %d; it must be 0 to %d; pass one of these",
                        function, deviceId, devices - 1);
}

void actgrad_use_device(int32_t device) {
    LOCKED(&contexts_lock);
    uses[device]++;
    current = &defaults[device];
    current->is_alive = true;
}

bool actgrad_leave_device(int32_t device, bool is_forced) {
    LOCKED(&contexts_lock);
    if (uses[device] == 0) return false;
    uses[device] = is_forced ? 0 : uses[device] - 1;
    return uses[device] == 0;
}

void actgrad_end_default_context(int32_t device) { defaults[device].is_alive = false; }

/* The context of a handle, if it is alive. */
static aclError find_context(const char* function, aclError code, aclrtContext handle, Context** found) {
    if (handle == NULL) return actgrad_fail_null(function, "context");
    LOCKED(&contexts_lock);
    bool is_alive = is_default(handle) && ((const Context*)handle)->is_alive;
    for (const Context* each = contexts; each != NULL; each = each->next)
        is_alive = is_alive || (handle == each && each->is_alive);
    if (!is_alive)
        return actgrad_fail(code,
                            "%s: context is %p; it must be a context that is not destroyed; call aclrtCreateContext",
                            function, handle);
    *found = handle;
    return ACL_SUCCESS;
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
    if (context == NULL) return actgrad_fail_null(__func__, "context");
    RETURN_IF_ERROR(actgrad_check_device_id(__func__, deviceId));
    Context* made = calloc(1, sizeof *made);
    if (made == NULL) return actgrad_fail_memory(__func__);
    made->device = deviceId;
    made->is_alive = true;
    LOCKED(&contexts_lock);
    made->next = contexts;
    *context = contexts = current = made;
    return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context) {
    Context* found;
    RETURN_IF_ERROR(find_context(__func__, ACL_ERROR_RT_PARAM_INVALID, context, &found));
    if (is_default(found))
        return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID,
                            "%s: context %p is a device's default; it must be one of aclrtCreateContext; call "
                            "aclrtResetDevice instead",
                            __func__, context);
    found->is_alive = false;
    return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    return find_context(__func__, ACL_ERROR_RT_CONTEXT_NULL, context, &current);
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    if (context == NULL) return actgrad_fail_null(__func__, "context");
    RETURN_IF_ERROR(actgrad_check_device(__func__));
    *context = current;
    return ACL_SUCCESS;
}

void actgrad_report_contexts(void) {
    for (const Context* each = contexts; each != NULL; each = each->next)
        if (each->is_alive)
            fprintf(stderr, "actgrad: context %p was never destroyed; destroy all objects before aclFinalize; call "
                            "aclrtDestroyContext\n",
                    (const void*)each);
}

/* Sets a switch of the process or of the thread's context. If `given` is NULL, reads the switch into `result`. */
static aclError use_switch(const char* function, aclSysParamOpt opt, bool is_of_context, const int64_t* given,
                           int64_t* result) {
    if (given == NULL && result == NULL) return actgrad_fail_null(function, "value");
    if ((int)opt < 0 || (int)opt >= SWITCHES)
        return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID,
                            "%s: opt is %d; it must be one of aclSysParamOpt; pass one", function,
                            (int)opt);
    if (is_of_context) RETURN_IF_ERROR(actgrad_check_device(function));
    LOCKED(&contexts_lock);
    int64_t* place = is_of_context ? &current->switches[opt] : &switches[opt];
    if (given != NULL)
        *place = *given;
    else
        *result = *place;
    return ACL_SUCCESS;
}

#define SWITCH(setter, getter, is_of_context)                                           \
    aclError setter(aclSysParamOpt opt, int64_t value) {                                \
        return use_switch(__func__, opt, is_of_context, &value, NULL);                  \
    }                                                                                   \
    aclError getter(aclSysParamOpt opt, int64_t* value) {                               \
        return use_switch(__func__, opt, is_of_context, NULL, value);                   \
    }

SWITCH(aclrtSetSysParamOpt, aclrtGetSysParamOpt, false)
SWITCH(aclrtCtxSetSysParamOpt, aclrtCtxGetSysParamOpt, true)
