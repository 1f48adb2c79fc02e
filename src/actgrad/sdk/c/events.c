/* Events: marks in a stream that others can wait for, and that tell when the stream came there. */
#include "runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct Event Event;
struct Event {
    Event* next;
    Place place;        /* where it was recorded last */
    uint64_t recording; /* which recording of the process that was; 0: none */
    bool is_complete;
    struct timespec time; /* when it was reached */
};

/* A recording that waits in a queue. The event may be recorded again, or destroyed, before it is reached. */
typedef struct {
    Event* event;
    uint64_t recording;
} Recording;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Event* events;
static uint64_t recordings;

void actgrad_events_lock(void) { pthread_mutex_lock(&lock); }
void actgrad_events_unlock(void) { pthread_mutex_unlock(&lock); }

static bool is_alive(const Event* event) {
    for (const Event* each = events; each != NULL; each = each->next)
        if (each == event) return true;
    return false;
}

static aclError fail_event(const char* function, const char* argument, aclrtEvent event) {
    if (event == NULL) return actgrad_fail_null(function, argument);
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %p is none, or was destroyed", function, argument, event);
}

/* What an event is now; false and a report where it is none. */
static aclError look(const char* function, const char* argument, aclrtEvent handle, Event* now) {
    actgrad_events_lock();
    bool alive = handle != NULL && is_alive(handle);
    if (alive) *now = *(const Event*)handle;
    actgrad_events_unlock();
    return alive ? ACL_SUCCESS : fail_event(function, argument, handle);
}

static bool is_pending(const Event* event) { return event->recording != 0 && !event->is_complete; }

/* ---- making and destroying */

static aclError create(const char* function, aclrtEvent* event) {
    if (event == NULL) return actgrad_fail_null(function, "event");
    aclError status = actgrad_check_device(function);
    if (status != ACL_SUCCESS) return status;
    Event* made = calloc(1, sizeof *made);
    if (made == NULL)
        return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: there is no host memory left", function);
    actgrad_events_lock();
    made->next = events;
    events = made;
    actgrad_events_unlock();
    *event = made;
    return ACL_SUCCESS;
}

aclError aclrtCreateEvent(aclrtEvent* event) { return create(__func__, event); }

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
    (void)flag; /* every event here keeps the time and can be waited for */
    return create(__func__, event);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
    (void)flag;
    return create(__func__, event);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
    bool was_alive = false;
    actgrad_events_lock();
    for (Event** link = &events; *link != NULL && !was_alive;) {
        was_alive = *link == event;
        if (was_alive)
            *link = (*link)->next;
        else
            link = &(*link)->next;
    }
    actgrad_events_unlock();
    if (!was_alive) return fail_event(__func__, "event", event);
    free(event);
    return ACL_SUCCESS;
}

/* ---- recording and waiting in a stream */

static int32_t reach(void* argument) {
    const Recording* reached = argument;
    actgrad_events_lock();
    if (is_alive(reached->event) && reached->event->recording == reached->recording) {
        clock_gettime(CLOCK_MONOTONIC, &reached->event->time);
        reached->event->is_complete = true;
    }
    actgrad_events_unlock();
    return ACL_SUCCESS;
}

/* Makes the recording the event's last; false where there is no such event. */
static bool begin(Event* event, uint64_t* recording) {
    actgrad_events_lock();
    bool alive = event != NULL && is_alive(event);
    if (alive) {
        *recording = event->recording = ++recordings;
        event->is_complete = false;
    }
    actgrad_events_unlock();
    return alive;
}

/* Notes where a recording was queued, or that it was not. */
static void settle(Event* event, uint64_t recording, aclError status, Place place) {
    actgrad_events_lock();
    if (is_alive(event) && event->recording == recording) {
        event->place = place;
        if (status != ACL_SUCCESS) event->recording = 0;
    }
    actgrad_events_unlock();
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    Recording* recording = malloc(sizeof *recording);
    if (recording == NULL)
        return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: there is no host memory left", __func__);
    recording->event = event;
    if (!begin(event, &recording->recording)) {
        free(recording);
        return fail_event(__func__, "event", event);
    }
    const uint64_t number = recording->recording;
    Place place = {NULL, 0};
    aclError status = actgrad_do(__func__, stream, reach, free, recording, &place);
    settle(event, number, status, place);
    return status;
}

static int32_t wait_for(void* place) {
    actgrad_run_until(*(const Place*)place);
    return ACL_SUCCESS;
}

/* Waits for the recording that is the event's last now; one that was never recorded holds nothing up. */
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    Event now;
    aclError status = look(__func__, "event", event, &now);
    if (status != ACL_SUCCESS) return status;
    Place* place = malloc(sizeof *place);
    if (place == NULL)
        return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: there is no host memory left", __func__);
    *place = now.place;
    return actgrad_do(__func__, stream, wait_for, free, place, NULL);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
    (void)stream;
    actgrad_events_lock();
    bool alive = event != NULL && is_alive(event);
    if (alive) ((Event*)event)->recording = 0, ((Event*)event)->is_complete = false;
    actgrad_events_unlock();
    return alive ? ACL_SUCCESS : fail_event(__func__, "event", event);
}

/* ---- waiting and asking on the host */

static aclError synchronize(const char* function, aclrtEvent event) {
    Event now;
    aclError status = look(function, "event", event, &now);
    if (status != ACL_SUCCESS || !is_pending(&now)) return status;
    actgrad_run_until(now.place);
    return actgrad_take_failure(now.place);
}

aclError aclrtSynchronizeEvent(aclrtEvent event) { return synchronize(__func__, event); }

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
    aclError status = actgrad_check_timeout(__func__, timeout);
    return status != ACL_SUCCESS ? status : synchronize(__func__, event);
}

static aclError ask(const char* function, aclrtEvent event, const void* status, bool* pending) {
    if (status == NULL) return actgrad_fail_null(function, "status");
    Event now;
    aclError result = look(function, "event", event, &now);
    if (result == ACL_SUCCESS) *pending = is_pending(&now);
    return result;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
    bool pending = false;
    aclError result = ask(__func__, event, status, &pending);
    if (result == ACL_SUCCESS) *status = pending ? ACL_EVENT_STATUS_NOT_READY : ACL_EVENT_STATUS_COMPLETE;
    return result;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    bool pending = false;
    aclError result = ask(__func__, event, status, &pending);
    if (result == ACL_SUCCESS)
        *status = pending ? ACL_EVENT_RECORDED_STATUS_NOT_READY : ACL_EVENT_RECORDED_STATUS_COMPLETE;
    return result;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
    bool pending = false;
    aclError result = ask(__func__, event, status, &pending);
    if (result == ACL_SUCCESS) *status = pending ? ACL_EVENT_WAIT_STATUS_NOT_READY : ACL_EVENT_WAIT_STATUS_COMPLETE;
    return result;
}

static aclError look_reached(const char* function, const char* argument, aclrtEvent event, Event* now) {
    aclError status = look(function, argument, event, now);
    if (status != ACL_SUCCESS || now->is_complete) return status;
    return actgrad_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "%s: %s %p %s", function, argument, event,
                        now->recording == 0 ? "was never recorded" : "is not reached yet; synchronize its stream");
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
    Event start;
    Event end;
    if (ms == NULL) return actgrad_fail_null(__func__, "ms");
    aclError status = look_reached(__func__, "startEvent", startEvent, &start);
    if (status == ACL_SUCCESS) status = look_reached(__func__, "endEvent", endEvent, &end);
    if (status != ACL_SUCCESS) return status;
    double elapsed = (double)(end.time.tv_sec - start.time.tv_sec) * 1e3 +
                     (double)(end.time.tv_nsec - start.time.tv_nsec) * 1e-6;
    if (elapsed < 0)
        return actgrad_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "%s: endEvent was reached %g ms before startEvent",
                            __func__, -elapsed);
    *ms = (float)elapsed;
    return ACL_SUCCESS;
}

void actgrad_report_event_leaks(void) {
    actgrad_events_lock();
    for (const Event* each = events; each != NULL; each = each->next)
        fprintf(stderr, "actgrad: event %p was never destroyed\n", (const void*)each);
    actgrad_events_unlock();
}
