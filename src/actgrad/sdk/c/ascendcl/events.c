/* Events: marks in a stream that other streams can wait for, with the time when the stream reached them. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct Event Event;
struct Event {
    Event* next;
    Place place;        /* of its last recording */
    uint64_t recording; /* the number of that recording in the process; 0: none */
    bool is_complete;
    struct timespec time; /* of its completion */
};

/* A recording in a queue. The program may record the event again, or destroy it, before the queue gets there. */
typedef struct {
    Event* event;
    uint64_t number;
} Recording;

pthread_mutex_t actgrad_events_lock = PTHREAD_MUTEX_INITIALIZER;
static Event* events;
static uint64_t recordings;

/* The caller holds the lock. */
static bool is_alive(const Event* event) {
    for (const Event* each = events; each != NULL; each = each->next)
        if (each == event) return true;
    return false;
}

static aclError fail_event(const char* function, const char* argument, aclrtEvent event) {
    if (event == NULL) return actgrad_fail_null(function, argument);
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %p is none, or was destroyed", function, argument, event);
}

/* A copy of the event as it is now. */
static aclError look(const char* function, const char* argument, aclrtEvent handle, Event* now) {
    LOCKED(&actgrad_events_lock);
    if (handle == NULL || !is_alive(handle)) return fail_event(function, argument, handle);
    *now = *(const Event*)handle;
    return ACL_SUCCESS;
}

static bool is_pending(const Event* event) { return event->recording != 0 && !event->is_complete; }

static aclError create(const char* function, aclrtEvent* event) {
    if (event == NULL) return actgrad_fail_null(function, "event");
    RETURN_IF_ERROR(actgrad_check_device(function));
    Event* made = calloc(1, sizeof *made);
    if (made == NULL) return actgrad_fail_memory(function);
    LOCKED(&actgrad_events_lock);
    made->next = events;
    *event = events = made;
    return ACL_SUCCESS;
}

/* Every event keeps the time and can be waited for, whatever its flag. */
aclError aclrtCreateEvent(aclrtEvent* event) { return create(__func__, event); }
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) { return create(__func__, event); }
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) { return create(__func__, event); }

aclError aclrtDestroyEvent(aclrtEvent event) {
    LOCKED(&actgrad_events_lock);
    for (Event** link = &events; *link != NULL; link = &(*link)->next) {
        if (*link != event) continue;
        *link = (*link)->next;
        free(event);
        return ACL_SUCCESS;
    }
    return fail_event(__func__, "event", event);
}

static int32_t reach(void* argument) {
    const Recording* reached = argument;
    Event* event = reached->event;
    LOCKED(&actgrad_events_lock);
    if (is_alive(event) && event->recording == reached->number) {
        clock_gettime(CLOCK_MONOTONIC, &event->time);
        event->is_complete = true;
    }
    return ACL_SUCCESS;
}

/* Gives the event a new recording, its last one; 0 when the event is none. */
static uint64_t begin(Event* event) {
    LOCKED(&actgrad_events_lock);
    if (event == NULL || !is_alive(event)) return 0;
    event->is_complete = false;
    return event->recording = ++recordings;
}

/* Notes the place of a recording in its queue, or that it has none. */
static void settle(Event* event, uint64_t number, aclError status, Place place) {
    LOCKED(&actgrad_events_lock);
    if (!is_alive(event) || event->recording != number) return;
    event->place = place;
    if (status != ACL_SUCCESS) event->recording = 0;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    Recording* recording = malloc(sizeof *recording);
    if (recording == NULL) return actgrad_fail_memory(__func__);
    const uint64_t number = begin(event);
    if (number == 0) {
        free(recording);
        return fail_event(__func__, "event", event);
    }
    *recording = (Recording){event, number};
    Place place = {NULL, 0};
    aclError status = actgrad_submit_from(__func__, stream, reach, free, recording, &place);
    settle(event, number, status, place);
    return status;
}

static int32_t wait_for(void* place) {
    actgrad_run_until(*(const Place*)place);
    return ACL_SUCCESS;
}

/** Waits for the last recording of the event at this call; an event never recorded delays nothing. */
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    Event now;
    RETURN_IF_ERROR(look(__func__, "event", event, &now));
    Place* place = malloc(sizeof *place);
    if (place == NULL) return actgrad_fail_memory(__func__);
    *place = now.place;
    return actgrad_submit_from(__func__, stream, wait_for, free, place, NULL);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
    Event* reset = event;
    LOCKED(&actgrad_events_lock);
    if (reset == NULL || !is_alive(reset)) return fail_event(__func__, "event", event);
    reset->recording = 0;
    reset->is_complete = false;
    return ACL_SUCCESS;
}

static aclError synchronize(const char* function, aclrtEvent event) {
    Event now;
    RETURN_IF_ERROR(look(function, "event", event, &now));
    if (!is_pending(&now)) return ACL_SUCCESS;
    actgrad_run_until(now.place);
    return actgrad_take_failure(now.place);
}

aclError aclrtSynchronizeEvent(aclrtEvent event) { return synchronize(__func__, event); }

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
    RETURN_IF_ERROR(actgrad_check_timeout(__func__, timeout));
    return synchronize(__func__, event);
}

static aclError ask(const char* function, aclrtEvent event, const void* status, Event* now) {
    return status == NULL ? actgrad_fail_null(function, "status") : look(function, "event", event, now);
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
    Event now;
    RETURN_IF_ERROR(ask(__func__, event, status, &now));
    *status = is_pending(&now) ? ACL_EVENT_STATUS_NOT_READY : ACL_EVENT_STATUS_COMPLETE;
    return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    Event now;
    RETURN_IF_ERROR(ask(__func__, event, status, &now));
    *status = is_pending(&now) ? ACL_EVENT_RECORDED_STATUS_NOT_READY : ACL_EVENT_RECORDED_STATUS_COMPLETE;
    return ACL_SUCCESS;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
    Event now;
    RETURN_IF_ERROR(ask(__func__, event, status, &now));
    *status = is_pending(&now) ? ACL_EVENT_WAIT_STATUS_NOT_READY : ACL_EVENT_WAIT_STATUS_COMPLETE;
    return ACL_SUCCESS;
}

static aclError look_reached(const char* function, const char* argument, aclrtEvent event, Event* now) {
    RETURN_IF_ERROR(look(function, argument, event, now));
    if (now->is_complete) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "%s: %s %p %s", function, argument, event,
                        now->recording == 0 ? "was never recorded" : "is not reached yet; synchronize its stream");
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
    Event start, end;
    if (ms == NULL) return actgrad_fail_null(__func__, "ms");
    RETURN_IF_ERROR(look_reached(__func__, "startEvent", startEvent, &start));
    RETURN_IF_ERROR(look_reached(__func__, "endEvent", endEvent, &end));
    double elapsed = (double)(end.time.tv_sec - start.time.tv_sec) * 1e3 +
                     (double)(end.time.tv_nsec - start.time.tv_nsec) * 1e-6;
    if (elapsed < 0)
        return actgrad_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "%s: endEvent was reached %g ms before startEvent",
                            __func__, -elapsed);
    *ms = (float)elapsed;
    return ACL_SUCCESS;
}

static void report_leaks(void) {
    LOCKED(&actgrad_events_lock);
    for (const Event* each = events; each != NULL; each = each->next)
        fprintf(stderr, "actgrad: event %p was never destroyed\n", (const void*)each);
}

__attribute__((constructor)) static void register_reporter(void) { actgrad_on_finalize(report_leaks); }
