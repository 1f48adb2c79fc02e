/* Events: marks in a stream that other streams can wait for. An event holds the time when the stream reached it. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    actgrad_live live;
    Place place;          /* where its last recording is in the queue. Without a stream, it was never recorded. */
    struct timespec time; /* when a stream reached the place, or 0 if no stream did */
} Event;

FORK_SAFE_LOCK(events_lock, EVENTS_ORDER) /* guards the positions and times */

static aclError fail_event(const char* function, const char* argument, aclrtEvent event) {
    if (event == NULL) return actgrad_fail_null(function, argument);
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "%s: %s is %p; it must be an event that is not destroyed; call aclrtCreateEvent", function,
                        argument, event);
}

/* The present state of an event, if it is alive. */
static aclError look(const char* function, const char* argument, aclrtEvent event, Event* now) {
    LOCKED(&events_lock);
    if (!actgrad_live_has(LIVE_EVENT, event)) return fail_event(function, argument, event);
    now->place = ((const Event*)event)->place;
    now->time = ((const Event*)event)->time;
    return ACL_SUCCESS;
}

static aclError reset(const char* function, aclrtEvent handle) {
    Event* event = handle;
    LOCKED(&events_lock);
    if (!actgrad_live_has(LIVE_EVENT, event)) return fail_event(function, "event", event);
    event->place = (Place){NULL, 0};
    event->time = (struct timespec){0, 0};
    return ACL_SUCCESS;
}

static aclError create(const char* function, aclrtEvent* event) {
    if (event == NULL) return actgrad_fail_null(function, "event");
    RETURN_IF_ERROR(actgrad_check_device(function));
    Event* made = calloc(1, sizeof *made);
    if (made == NULL) return actgrad_fail_memory(function);
    actgrad_live_add(LIVE_EVENT, &made->live);
    *event = made;
    return ACL_SUCCESS;
}

/* Whatever its flag, every event keeps the time, and streams can wait for it. */
aclError aclrtCreateEvent(aclrtEvent* event) { return create(__func__, event); }
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) { return create(__func__, event); }
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) { return create(__func__, event); }

aclError aclrtDestroyEvent(aclrtEvent event) {
    if (!actgrad_live_remove(LIVE_EVENT, event)) return fail_event(__func__, "event", event);
    actgrad_live_retire(event);
    return ACL_SUCCESS;
}

/* The program may destroy the event before its queue reaches the recording. */
static int32_t reach(void* argument) {
    Event* event = argument;
    LOCKED(&events_lock);
    if (actgrad_live_has(LIVE_EVENT, event)) clock_gettime(CLOCK_MONOTONIC, &event->time);
    return ACL_SUCCESS;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    Event* recorded = event;
    Place place = {NULL, 0};
    RETURN_IF_ERROR(reset(__func__, event));
    aclError status = actgrad_submit_from(__func__, stream, reach, NULL, NULL, event, &place);
    LOCKED(&events_lock);
    if (actgrad_live_has(LIVE_EVENT, event)) recorded->place = place;
    return status;
}

static int32_t wait_for(void* place) {
    actgrad_run_until(*(const Place*)place);
    return ACL_SUCCESS;
}

/** Waits for the event's last recording before this call. An event that was never recorded delays nothing. */
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    Event now;
    RETURN_IF_ERROR(look(__func__, "event", event, &now));
    Place* place = malloc(sizeof *place);
    if (place == NULL) return actgrad_fail_memory(__func__);
    *place = now.place;
    return actgrad_submit_from(__func__, stream, wait_for, free, NULL, place, NULL);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) { return reset(__func__, event); }

static aclError synchronize(const char* function, aclrtEvent event) {
    Event now;
    RETURN_IF_ERROR(look(function, "event", event, &now));
    RETURN_IF_ERROR(actgrad_check_refusals(function));
    return actgrad_is_pending(now.place) ? actgrad_finish(now.place) : ACL_SUCCESS;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) { return synchronize(__func__, event); }

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
    RETURN_IF_ERROR(actgrad_check_timeout(__func__, timeout));
    return synchronize(__func__, event);
}

#define QUERY(function, type, value)                                                            \
    aclError function(aclrtEvent event, type* status) {                                         \
        Event now;                                                                              \
        if (status == NULL) return actgrad_fail_null(__func__, "status");                       \
        RETURN_IF_ERROR(look(__func__, "event", event, &now));                                  \
        *status = actgrad_is_pending(now.place) ? value##_NOT_READY : value##_COMPLETE;         \
        return ACL_SUCCESS;                                                                     \
    }

QUERY(aclrtQueryEvent, aclrtEventStatus, ACL_EVENT_STATUS)
QUERY(aclrtQueryEventStatus, aclrtEventRecordedStatus, ACL_EVENT_RECORDED_STATUS)
QUERY(aclrtQueryEventWaitStatus, aclrtEventWaitStatus, ACL_EVENT_WAIT_STATUS)

static aclError look_reached(const char* function, const char* argument, aclrtEvent event, Event* now) {
    RETURN_IF_ERROR(look(function, argument, event, now));
    if (now->time.tv_sec != 0 && !actgrad_is_pending(now->place)) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "%s: %s %p %s", function, argument, event,
                        now->place.stream == NULL
                            ? "was never recorded; both events must be recorded; call aclrtRecordEvent first"
                            : "is not reached yet; both events must be reached; synchronize its stream first");
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
    Event start, end;
    if (ms == NULL) return actgrad_fail_null(__func__, "ms");
    RETURN_IF_ERROR(look_reached(__func__, "startEvent", startEvent, &start));
    RETURN_IF_ERROR(look_reached(__func__, "endEvent", endEvent, &end));
    double elapsed = (double)(end.time.tv_sec - start.time.tv_sec) * 1e3 +
                     (double)(end.time.tv_nsec - start.time.tv_nsec) * 1e-6;
    if (elapsed < 0)
        return actgrad_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
                            "%s: endEvent was reached %g ms before startEvent; it must be later; exchange them",
                            __func__,
                            -elapsed);
    *ms = (float)elapsed;
    return ACL_SUCCESS;
}
