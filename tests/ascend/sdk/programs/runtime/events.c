/* Events across streams, their status and their times. */
#include "check.h"

static char done[16];

static int32_t write_letter(void* letter) {
    done[strlen(done)] = *(const char*)letter;
    return 0;
}

static void submit(aclrtStream stream, const char* letter) {
    OK(actgrad_submit(stream, write_letter, NULL, NULL, (void*)(uintptr_t)letter));
}

static aclrtEventRecordedStatus status_of(aclrtEvent event) {
    aclrtEventRecordedStatus status;
    OK(aclrtQueryEventStatus(event, &status));
    return status;
}

static void across_streams(void) {
    aclrtStream one = NULL, two = NULL;
    aclrtEvent event = NULL;
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStream(&two));
    OK(aclrtCreateEvent(&event));
    CHECK(status_of(event) == ACL_EVENT_RECORDED_STATUS_COMPLETE); /* nothing was recorded */
    OK(aclrtStreamWaitEvent(two, event));
    submit(one, "a");
    OK(aclrtRecordEvent(event, one));
    submit(one, "z");
    CHECK(status_of(event) == (is_strict() ? ACL_EVENT_RECORDED_STATUS_NOT_READY : ACL_EVENT_RECORDED_STATUS_COMPLETE));
    OK(aclrtStreamWaitEvent(two, event));
    submit(two, "b");
    OK(aclrtSynchronizeStream(two));
    CHECK(strcmp(done, is_strict() ? "ab" : "azb") == 0); /* not what follows the event */
    CHECK(status_of(event) == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclrtSynchronizeEvent(event));
    OK(aclrtDestroyEvent(event));
    OK(aclrtSynchronizeStream(one));
    OK(aclrtDestroyStream(one));
    OK(aclrtDestroyStream(two));
}

/* Each stream waits for the other, again and again: what came first is done first. */
static void back_and_forth(void) {
    aclrtStream streams[2];
    aclrtEvent events[8];
    memset(done, 0, sizeof done);
    OK(aclrtCreateStream(&streams[0]));
    OK(aclrtCreateStream(&streams[1]));
    for (int k = 0; k < 8; k++) {
        OK(aclrtCreateEventExWithFlag(&events[k], ACL_EVENT_SYNC));
        submit(streams[k % 2], &"abcdefgh"[k]);
        OK(aclrtRecordEvent(events[k], streams[k % 2]));
        OK(aclrtStreamWaitEvent(streams[(k + 1) % 2], events[k]));
    }
    OK(aclrtSynchronizeStream(streams[0]));
    CHECK(strcmp(done, "abcdefgh") == 0);
    for (int k = 0; k < 8; k++) OK(aclrtDestroyEvent(events[k]));
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyStream(streams[0]));
    OK(aclrtDestroyStream(streams[1]));
}

static int32_t sleep_a_little(void* argument) {
    (void)argument;
    return usleep(20000);
}

static void times(void) {
    aclrtEvent from = NULL, to = NULL;
    float elapsed = -1;
    OK(aclrtCreateEventWithFlag(&from, ACL_EVENT_TIME_LINE));
    OK(aclrtCreateEventWithFlag(&to, ACL_EVENT_TIME_LINE));
    FAILS(aclrtEventElapsedTime(&elapsed, from, to), 107006, "was never recorded");
    OK(aclrtRecordEvent(from, NULL));
    OK(actgrad_submit(NULL, sleep_a_little, NULL, NULL, NULL));
    OK(aclrtRecordEvent(to, NULL));
    if (is_strict()) FAILS(aclrtEventElapsedTime(&elapsed, from, to), 107006, "is not reached yet");
    OK(aclrtSynchronizeEventWithTimeout(to, 1000));
    OK(aclrtEventElapsedTime(&elapsed, from, to));
    CHECK(elapsed >= 20 && elapsed < 10000);
    FAILS(aclrtEventElapsedTime(&elapsed, to, from), 107007, "endEvent was reached");
    OK(aclrtResetEvent(to, NULL));
    FAILS(aclrtEventElapsedTime(&elapsed, from, to), 107006, "endEvent");
    OK(aclrtDestroyEvent(from));
    OK(aclrtDestroyEvent(to));
}

/* A stream or an event may go while others refer to it. */
static void gone_meanwhile(void) {
    aclrtStream one = NULL, two = NULL;
    aclrtEvent event = NULL;
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStream(&two));
    OK(aclrtCreateEvent(&event));
    OK(aclrtRecordEvent(event, one));
    OK(aclrtStreamWaitEvent(two, event));
    OK(aclrtDestroyStream(one));
    OK(aclrtSynchronizeEvent(event));
    OK(aclrtRecordEvent(event, two));
    OK(aclrtDestroyEvent(event));
    OK(aclrtSynchronizeStream(two));
    OK(aclrtDestroyStream(two));
}

static void misuse(void) {
    aclrtEvent event = NULL;
    aclrtEventRecordedStatus status;
    aclrtEventStatus old_status;
    aclrtEventWaitStatus wait_status;
    float elapsed;
    OK(aclrtCreateEvent(&event));
    OK(aclrtQueryEvent(event, &old_status));
    CHECK(old_status == ACL_EVENT_STATUS_COMPLETE);
    OK(aclrtQueryEventWaitStatus(event, &wait_status));
    CHECK(wait_status == ACL_EVENT_WAIT_STATUS_COMPLETE);
    FAILS(aclrtQueryEventStatus(event, NULL), 100000, "status is a null pointer");
    FAILS(aclrtEventElapsedTime(NULL, event, event), 100000, "ms is a null pointer");
    FAILS(aclrtSynchronizeEventWithTimeout(event, -5), 107000, "timeout is -5");
    FAILS(aclrtRecordEvent(event, &elapsed), 107003, "aclrtRecordEvent: stream");
    CHECK(status_of(event) == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclrtDestroyEvent(event));
    FAILS(aclrtDestroyEvent(event), 107000, "aclrtDestroyEvent: event");
    FAILS(aclrtRecordEvent(event, NULL), 107000, "that is not destroyed");
    FAILS(aclrtStreamWaitEvent(NULL, event), 107000, "that is not destroyed");
    FAILS(aclrtSynchronizeEvent(event), 107000, "that is not destroyed");
    FAILS(aclrtQueryEventStatus(event, &status), 107000, "that is not destroyed");
    FAILS(aclrtResetEvent(event, NULL), 107000, "that is not destroyed");
    FAILS(aclrtCreateEvent(NULL), 100000, "event is a null pointer");
    FAILS(aclrtRecordEvent(NULL, NULL), 100000, "event is a null pointer");
    FAILS(aclrtDestroyEvent(NULL), 100000, "event is a null pointer");
}

int main(void) {
    start();
    across_streams();
    back_and_forth();
    times();
    gone_meanwhile();
    misuse();
    end();
    return 0;
}
