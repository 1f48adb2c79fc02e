/* The start and the end of the runtime; the last end lists what a strict program never gave back. */
#include "runtime.h"

#include <unistd.h>

enum { MAX_REPORTERS = 16 };

pthread_mutex_t actgrad_lifecycle_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t initialisations; /* calls of aclInit that aclFinalize has not ended */
static bool aclnn_is_initialised;
static void (*reporters[MAX_REPORTERS])(void);
static int reporter_count;

static bool is_initialised(void) {
    LOCKED(&actgrad_lifecycle_lock);
    return initialisations > 0 || aclnn_is_initialised;
}

aclError actgrad_check_initialised(const char* function) {
    if (!actgrad_get_settings()->is_strict || is_initialised()) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_UNINITIALIZE, "%s: aclInit is not in force; call it first", function);
}

void actgrad_on_finalize(void (*report_leaks)(void)) {
    LOCKED(&actgrad_lifecycle_lock);
    if (reporter_count < MAX_REPORTERS) reporters[reporter_count++] = report_leaks;
}

/* Without the lock: a reporter may call a function that takes it. */
static void report_leaks(void) {
    for (int k = 0; k < reporter_count && actgrad_get_settings()->is_strict; k++) reporters[k]();
}

/** `configPath` may be null; otherwise the file must exist. 100002 while an earlier aclInit is in force,
    100000 where ACTGRAD_PRODUCT names no product. */
aclError aclInit(const char* configPath) {
    if (configPath != NULL && configPath[0] != '\0' && access(configPath, R_OK) != 0)
        return actgrad_fail(ACL_ERROR_INVALID_FILE, "%s: configPath is \"%s\", which cannot be read", __func__,
                            configPath);
    if (!actgrad_get_settings()->is_known)
        return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                            "%s: ACTGRAD_PRODUCT is \"%s\", which is no product; it may be Ascend950, Ascend910_93, "
                            "Ascend910B, Ascend310B, Ascend310P, Ascend910 or a chip of one, like Ascend910B3",
                            __func__, actgrad_get_settings()->product);
    LOCKED(&actgrad_lifecycle_lock);
    if (initialisations++ == 0) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_REPEAT_INITIALIZE, "%s: it was called before; once is enough", __func__);
}

/* Ends one aclInit, or all; the end of the last reports the leaks. */
static aclError finalize(const char* function, bool is_all, uint64_t* result) {
    bool was_initialised;
    uint64_t left;
    {
        LOCKED(&actgrad_lifecycle_lock);
        was_initialised = initialisations > 0;
        if (was_initialised) initialisations = is_all ? 0 : initialisations - 1;
        left = initialisations;
    }
    if (result != NULL) *result = left;
    if (!was_initialised)
        return actgrad_fail(ACL_ERROR_REPEAT_FINALIZE,
                            "%s: aclInit is not in force; it was not called, or ended before", function);
    if (left == 0) report_leaks();
    return ACL_SUCCESS;
}

/** Ends all calls of aclInit; 100037 when none is in force. */
aclError aclFinalize(void) {
    return finalize(__func__, true, NULL);
}

/** Takes back one aclInit and ends with the last; `refCount`, which may be null, gets the number left. */
aclError aclFinalizeReference(uint64_t* refCount) {
    return finalize(__func__, false, refCount);
}

void actgrad_set_aclnn_initialised(bool is) {
    bool was_last;
    {
        LOCKED(&actgrad_lifecycle_lock);
        was_last = aclnn_is_initialised && !is && initialisations == 0;
        aclnn_is_initialised = is;
    }
    if (was_last) report_leaks();
}
