/* The start and the end of the runtime. When a strict program ends the runtime, it gets a list of its leaks. */
#include "runtime.h"

#include <unistd.h>

FORK_SAFE_LOCK(lifecycle_lock, LIFECYCLE_ORDER)
static uint64_t initialisations; /* calls of aclInit without a matching aclFinalize */
static bool aclnn_is_initialised;

/* Called after each change of the two variables above. The caller holds the lock. */
static void update(bool is_end) {
    actgrad_is_started = initialisations > 0 || aclnn_is_initialised;
    if (!is_end || !actgrad_get_settings()->is_strict) return;
    actgrad_report_contexts();
    actgrad_report_memory();
    actgrad_report_objects();
    actgrad_report_streams();
}

/** Starts the runtime. `configPath` may be null, otherwise the file must exist. Returns 100002 if the runtime has
    started already, and 100000 if ACTGRAD_PRODUCT names no product. */
aclError aclInit(const char* configPath) {
    if (configPath != NULL && configPath[0] != '\0' && access(configPath, R_OK) != 0)
        return actgrad_fail(ACL_ERROR_INVALID_FILE,
                            "%s: configPath is \"%s\"; it must be a readable file; check the path or pass NULL",
                            __func__,
                            configPath);
    if (!actgrad_get_settings()->is_known)
        return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                            "%s: ACTGRAD_PRODUCT is \"%s\"; it must be Ascend950, Ascend910_93, Ascend910B, "
                            "Ascend310B, Ascend310P, Ascend910 or one of their chips; set it to one, for example "
                            "Ascend910B3",
                            __func__, actgrad_get_settings()->product);
    LOCKED(&lifecycle_lock);
    initialisations++;
    update(false);
    if (initialisations == 1) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_REPEAT_INITIALIZE,
                        "%s: called a second time; it must be called once; remove one call", __func__);
}

/* Ends one aclInit, or all of them. */
static aclError finalize(const char* function, bool is_all, uint64_t* result) {
    LOCKED(&lifecycle_lock);
    const uint64_t before = initialisations;
    initialisations = is_all || before == 0 ? 0 : before - 1;
    if (result != NULL) *result = initialisations;
    if (before == 0)
        return actgrad_fail(ACL_ERROR_REPEAT_FINALIZE,
                            "%s: the runtime is not started; aclInit must come before; call it or remove this call",
                            function);
    update(initialisations == 0);
    return ACL_SUCCESS;
}

/** Ends all calls of aclInit. Returns 100037 if the runtime has not started. */
aclError aclFinalize(void) { return finalize(__func__, true, NULL); }

/** Ends one aclInit. The runtime ends with the last one. `refCount` may be null, otherwise it gets the number that
    remains. */
aclError aclFinalizeReference(uint64_t* refCount) { return finalize(__func__, false, refCount); }

void actgrad_set_aclnn_initialised(bool is) {
    LOCKED(&lifecycle_lock);
    const bool was = aclnn_is_initialised;
    aclnn_is_initialised = is;
    update(was && !is && initialisations == 0);
}
