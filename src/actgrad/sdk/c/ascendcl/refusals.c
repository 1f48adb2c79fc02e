/* Work that a program gave and that failed. Other threads must not read results as if it had been done.

   The thread that gave the work has its status. Other threads do not know: torch_npu gives work in a thread of its own,
   which stops for good after a failure and drops whatever follows. So reads in other threads fail until that thread
   gives work again. A refused operator of the older interface fails the next read in its own thread too. */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    uint64_t thread; /* that gave the work; 0: no work failed */
    bool fails_in_its_thread; /* a read in that thread must fail once, too */
    bool is_reported;         /* by a read */
    bool is_followed;         /* the thread gave work again */
    char reason[512];
} Refusal;

FORK_SAFE_LOCK(refusals_lock, REFUSALS_ORDER)
static Refusal refusals[DEVICES];
static atomic_int count; /* of devices with a refusal: nothing else is read while it is 0 */

/* A number of the calling thread's own: the system gives the number of an ended thread to a new one. */
static uint64_t this_thread(void) {
    static atomic_uint_fast64_t last;
    static _Thread_local uint64_t number;
    if (number == 0) number = ++last;
    return number;
}

static Refusal* of_current_device(void) { return &refusals[actgrad_device_of(actgrad_current_context())]; }

static void clear(Refusal* refusal) {
    if (refusal->thread != 0) count--;
    refusal->thread = 0;
}

int32_t actgrad_note_refusal(int32_t status, bool fails_in_its_thread) {
    if (status == ACL_SUCCESS) return status;
    LOCKED(&refusals_lock);
    Refusal* refusal = of_current_device();
    const bool is_own = refusal->thread == this_thread();
    const bool is_graver = fails_in_its_thread && !refusal->fails_in_its_thread;
    if (refusal->thread == 0 || (is_own && (refusal->is_reported || is_graver))) {
        clear(refusal);
        *refusal = (Refusal){.thread = this_thread(), .fails_in_its_thread = fails_in_its_thread};
        snprintf(refusal->reason, sizeof refusal->reason, "%s", actgrad_newest_reason());
        count++;
    } else if (is_own) {
        refusal->is_followed = false; /* the first reason stays */
    }
    return status;
}

void actgrad_note_work(void) {
    if (count == 0) return;
    LOCKED(&refusals_lock);
    Refusal* refusal = of_current_device();
    if (refusal->thread != this_thread()) return;
    if (refusal->is_reported || !refusal->fails_in_its_thread)
        clear(refusal);
    else
        refusal->is_followed = true;
}

aclError actgrad_check_refusals(const char* function) {
    if (count == 0) return ACL_SUCCESS;
    LOCKED(&refusals_lock);
    Refusal* refusal = of_current_device();
    if (refusal->thread == 0) return ACL_SUCCESS;
    if (refusal->thread == this_thread() && (refusal->is_reported || !refusal->fails_in_its_thread)) return ACL_SUCCESS;
    refusal->is_reported = true;
    if (refusal->is_followed) clear(refusal);
    /* Not the work's own status: torch_npu takes 207000 of a read for a warning. */
    return actgrad_fail(ACL_ERROR_RT_FAILURE, "%s: results may be missing, because earlier work failed: %s", function,
                        refusal->reason);
}

void actgrad_forget_refusal(int32_t device) {
    LOCKED(&refusals_lock);
    clear(&refusals[device]);
}
