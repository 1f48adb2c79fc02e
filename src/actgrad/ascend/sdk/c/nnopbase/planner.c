/* The planner. The first call of an operator starts it, in this process or in another. */
#include "nnopbase.h"

#include <stdlib.h>
#include <string.h>

FORK_SAFE_LOCK(starting_lock, STARTING_ORDER)
static actgrad_planner* planner;
static char* failure; /* why the start failed; a failed start is not repeated */

static actgrad_planner* start(void) {
    actgrad_planner* started =
        actgrad_get_settings()->uses_server ? actgrad_start_server() : actgrad_start_interpreter();
    if (started != NULL) return started;
    const char* text = aclGetRecentErrMsg();
    failure = strdup(text == NULL ? "the operators did not start; they must; run actgrad sdk again" : text);
    return NULL;
}

static actgrad_planner* planner_or_report(void) {
    actgrad_planner* started = __atomic_load_n(&planner, __ATOMIC_ACQUIRE);
    if (started != NULL) return started;
    LOCKED(&starting_lock);
    if (planner == NULL && failure == NULL) __atomic_store_n(&planner, start(), __ATOMIC_RELEASE);
    if (planner == NULL && failure != NULL) actgrad_report_text(failure);
    return planner;
}

void actgrad_ask_planner(int64_t request, const char* function, const int64_t* words, int64_t count,
                         const int64_t* places, int64_t place_count, actgrad_plan* answer) {
    actgrad_planner* started = planner_or_report();
    if (started != NULL)
        started(request, function, words, count, places, place_count, answer);
    else
        answer->status = INNER;
}

/* Handles to return to the planner, in batches because each batch costs a call of the planner. */
enum { BATCH = 64 };

FORK_SAFE_LOCK(handles_lock, HANDLES_ORDER)
static int64_t handles[BATCH];
static int64_t count;

/* Adds a handle. Copies a full batch and begins a new one. */
static bool fills_batch(int64_t handle, int64_t* batch) {
    LOCKED(&handles_lock);
    handles[count++] = handle;
    if (count < BATCH) return false;
    memcpy(batch, handles, sizeof handles);
    count = 0;
    return true;
}

static void release_batch(void* batch) {
    actgrad_plan answer;
    actgrad_ask_planner(RELEASE, "", batch, BATCH, NULL, 0, &answer);
}

void actgrad_release_later(int64_t handle) {
    int64_t batch[BATCH];
    if (fills_batch(handle, batch)) actgrad_with_stack(release_batch, batch);
}
