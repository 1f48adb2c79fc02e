/* Streams: work in the order in which a program submits it.

   Usually the thread that submits work does it at once. In a strict program, work waits for a synchronize, and the
   thread that synchronizes does the work. So a program that forgets to synchronize reads old results, as on hardware.

   Deadlocks are impossible: work waits only for earlier work in the queue, on any stream, and the waiting thread does
   that work itself. Only one thread works at a time. */
#include "runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct Stream {
    actgrad_live live;
    const Context* context; /* NULL for a default stream, which all contexts share */
    int32_t device;
    uint64_t left;    /* items in the queue */
    aclError failure; /* the first failure that no synchronize has returned yet */
};

typedef struct Item {
    struct Item* next;
    Place place; /* its stream is alive, because aclrtDestroyStream drops the stream's items */
    bool is_begun;
    actgrad_work work;
    actgrad_release release;
    actgrad_writes writes; /* NULL for work that writes no memory */
    void* argument;
} Item;

FORK_SAFE_LOCK(streams_lock, STREAMS_ORDER)
static Stream defaults[DEVICES] = {{.device = 0}, {.device = 1}, {.device = 2}, {.device = 3},
                                   {.device = 4}, {.device = 5}, {.device = 6}, {.device = 7}};
static Item* queue; /* items of all streams */
static Item** end = &queue;
static _Atomic uint64_t numbers;

/* Held by the thread that works. If work waits for other work, the same thread does the other work too. */
static pthread_mutex_t working = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_t worker; /* the thread whose work has begun */

static bool is_default(const Stream* stream) { return stream >= defaults && stream < defaults + DEVICES; }
static bool is_alive(const Stream* stream) { return is_default(stream) || actgrad_live_has(LIVE_STREAM, stream); }

/* The stream of a handle, or NULL. */
static Stream* stream_of(aclrtStream handle) {
    if (handle == NULL) return &defaults[actgrad_device_of(actgrad_current_context())];
    return is_alive(handle) ? handle : NULL;
}

static aclError fail_stream(const char* function, aclrtStream handle) {
    return actgrad_fail(ACL_ERROR_RT_STREAM_CONTEXT,
                        "%s: stream is %p; it must be a stream that is not destroyed; call aclrtCreateStream", function,
                        handle);
}

/* The end of the queue, if the stream is alive. A strict program may use a stream only in the stream's context. */
static aclError find_end(const char* function, aclrtStream handle, Place* found) {
    Stream* stream = stream_of(handle);
    if (stream == NULL) return fail_stream(function, handle);
    if (actgrad_get_settings()->is_strict && stream->context != NULL && stream->context != actgrad_current_context())
        return actgrad_fail(ACL_ERROR_RT_STREAM_CONTEXT,
                            "%s: stream %p is of another context; it must be of the thread's context; call "
                            "aclrtSetCurrentContext first",
                            function, handle);
    *found = (Place){stream, numbers};
    return ACL_SUCCESS;
}

/* The first item of the place's stream up to the place, or NULL. The caller holds the lock. */
static Item* first_item(Place place) {
    Item* item = queue;
    while (item != NULL && item->place.stream != place.stream) item = item->next;
    return item != NULL && item->place.number <= place.number ? item : NULL;
}

static Item* next_item(Place place) {
    LOCKED(&streams_lock);
    return first_item(place);
}

bool actgrad_is_pending(Place place) { return next_item(place) != NULL; }

/* Removes an item from the queue. The caller holds the lock. */
static void take_out(const Item* item) {
    Item** link = &queue;
    while (*link != item) link = &(*link)->next;
    *link = item->next;
    if (item->next == NULL) end = link;
    item->place.stream->left--;
}

/* Ends an item that was done or dropped. */
static void end_item(Item* item, aclError status) {
    {
        LOCKED(&streams_lock);
        take_out(item);
        if (item->place.stream->failure == ACL_SUCCESS) item->place.stream->failure = status;
    }
    if (item->release != NULL) item->release(item->argument);
    free(item);
}

/* Another thread may have done the item meanwhile. */
static void do_next(Place place) {
    LOCKED(&working);
    Item* item = next_item(place);
    if (item == NULL) return;
    item->is_begun = true;
    worker = pthread_self();
    end_item(item, item->work(item->argument));
}

void actgrad_run_until(Place place) {
    while (actgrad_is_pending(place)) do_next(place);
}

aclError actgrad_finish(Place place) {
    actgrad_run_until(place);
    LOCKED(&streams_lock);
    if (!is_alive(place.stream)) return ACL_SUCCESS;
    aclError failure = place.stream->failure;
    place.stream->failure = ACL_SUCCESS;
    return failure;
}

/* Work that failed. The thread that submitted it has its status, but other threads must not read results as if the work
   had been done. torch_npu submits work in a separate thread, which stops permanently after a failure and drops all
   later work. So reads in other threads fail until that thread submits work again. After a refused operator of the
   older interface, the next read fails in the thread that submitted it too. */
typedef struct {
    uint64_t thread; /* the thread that submitted the work, or 0 if no work failed */
    bool fails_in_its_thread; /* whether a read in that thread must fail once, too */
    bool is_reported;         /* whether a read has reported the failure */
    bool is_followed;         /* whether the thread has submitted work again */
    char reason[512];
} Refusal;

FORK_SAFE_LOCK(refusals_lock, REFUSALS_ORDER)
static Refusal refusals[DEVICES];
static atomic_int count; /* the number of devices with a refusal. Reads look for refusals only if it is not 0 */

/* A unique number of the calling thread. The system would give the number of an ended thread to a new thread. */
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
    /* The status of the work is not returned, because torch_npu treats 207000 from a read as a warning. */
    return actgrad_fail(ACL_ERROR_RT_FAILURE,
                        "%s: results may be missing, because earlier work failed; it must succeed before a read; "
                        "correct: %s",
                        function, refusal->reason);
}

void actgrad_forget_refusal(int32_t device) {
    LOCKED(&refusals_lock);
    clear(&refusals[device]);
}

static aclError add_to_queue(const char* function, aclrtStream handle, Item item, Place* place) {
    RETURN_IF_ERROR(actgrad_check_device(function));
    LOCKED(&streams_lock);
    RETURN_IF_ERROR(find_end(function, handle, &item.place));
    Item* queued = malloc(sizeof *queued);
    if (queued == NULL) return actgrad_fail_memory(function);
    item.place.number = ++numbers;
    item.place.stream->left++;
    *queued = item;
    *end = queued;
    end = &queued->next;
    if (place != NULL) *place = item.place;
    return ACL_SUCCESS;
}

aclError actgrad_submit_from(const char* function, aclrtStream handle, actgrad_work work, actgrad_release release,
                             actgrad_writes writes, void* argument, Place* place) {
    aclError status;
    if (actgrad_get_settings()->is_strict) {
        const Item item = {.work = work, .release = release, .writes = writes, .argument = argument};
        status = add_to_queue(function, handle, item, place);
        if (status == ACL_SUCCESS) actgrad_note_work();
        if (status == ACL_SUCCESS) return status;
    } else {
        Stream* stream = stream_of(handle);
        if (place != NULL) *place = (Place){stream, 0};
        status = stream == NULL ? fail_stream(function, handle) : work(argument);
        if (status == ACL_SUCCESS) actgrad_note_work();
        actgrad_note_refusal(status, false);
    }
    if (release != NULL) release(argument);
    return status;
}

int32_t actgrad_submit(void* stream, actgrad_work work, actgrad_release release, actgrad_writes writes,
                       void* argument) {
    return actgrad_submit_from("aclnn", stream, work, release, writes, argument, NULL);
}

void actgrad_warn_of_writers(const char* function, uint64_t start, uint64_t end) {
    LOCKED(&streams_lock);
    for (const Item* item = queue; item != NULL; item = item->next) {
        if (item->is_begun || item->writes == NULL || !item->writes(item->argument, start, end)) continue;
        fprintf(stderr,
                "actgrad: %s reads the memory at 0x%" PRIx64
                " before a queued task has written it; the task must end first; call aclrtSynchronizeStream before\n",
                function, start);
        return;
    }
}

static aclError create(const char* function, aclrtStream* stream) {
    if (stream == NULL) return actgrad_fail_null(function, "stream");
    RETURN_IF_ERROR(actgrad_check_device(function));
    Stream* made = calloc(1, sizeof *made);
    if (made == NULL) return actgrad_fail_memory(function);
    made->context = actgrad_current_context();
    made->device = actgrad_device_of(made->context);
    actgrad_live_add(LIVE_STREAM, &made->live);
    *stream = made;
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream* stream) { return create(__func__, stream); }

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
    return create(__func__, stream);
}

/* Takes a stream out of use. Returns false if the stream does not exist. */
static bool detach(const Stream* stream) {
    LOCKED(&streams_lock);
    return actgrad_live_remove(LIVE_STREAM, stream);
}

static aclError destroy(const char* function, aclrtStream handle) {
    if (handle == NULL) return actgrad_fail_null(function, "stream");
    LOCKED(&working);
    if (!detach(handle)) return fail_stream(function, handle);
    const Place all = {handle, UINT64_MAX};
    const unsigned long long dropped = all.stream->left;
    if (dropped > 0)
        fprintf(stderr,
                "actgrad: stream %p was destroyed with %llu task%s left; all must end first; call "
                "aclrtSynchronizeStream\n",
                handle, dropped, dropped == 1 ? "" : "s");
    for (Item* item; (item = next_item(all)) != NULL;) end_item(item, ACL_SUCCESS);
    actgrad_live_retire(handle);
    return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream) { return destroy(__func__, stream); }
aclError aclrtDestroyStreamForce(aclrtStream stream) { return destroy(__func__, stream); }

aclError actgrad_check_timeout(const char* function, int32_t timeout) {
    if (timeout >= -1) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "%s: timeout is %d; it must be at least -1; pass -1 for no timeout", function, timeout);
}

static aclError synchronize(const char* function, aclrtStream handle) {
    Place last;
    RETURN_IF_ERROR(actgrad_check_device(function));
    RETURN_IF_ERROR(find_end(function, handle, &last));
    RETURN_IF_ERROR(actgrad_check_refusals(function));
    return actgrad_get_settings()->is_strict ? actgrad_finish(last) : ACL_SUCCESS;
}

aclError aclrtSynchronizeStream(aclrtStream stream) { return synchronize(__func__, stream); }

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
    RETURN_IF_ERROR(actgrad_check_timeout(__func__, timeout));
    return synchronize(__func__, stream);
}

/* A stream of the device with work to do, or NULL. */
static Stream* waiting_stream(int32_t device) {
    LOCKED(&streams_lock);
    for (const Item* each = queue; each != NULL; each = each->next)
        if (each->place.stream->device == device) return each->place.stream;
    return NULL;
}

aclError actgrad_run_device(int32_t device) {
    aclError first_failure = ACL_SUCCESS;
    for (Stream* stream; (stream = waiting_stream(device)) != NULL;) {
        aclError failure = actgrad_finish((Place){stream, UINT64_MAX});
        if (first_failure == ACL_SUCCESS) first_failure = failure;
    }
    return first_failure;
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    if (status == NULL) return actgrad_fail_null(__func__, "status");
    RETURN_IF_ERROR(actgrad_check_device(__func__));
    LOCKED(&streams_lock);
    const Stream* found = stream_of(stream);
    if (found == NULL) return fail_stream(__func__, stream);
    RETURN_IF_ERROR(actgrad_check_refusals(__func__));
    *status = found->left == 0 ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

/** Checks the mode and has no other effect. Work continues after a failure. */
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
    if (mode > ACL_STOP_ON_FAILURE)
        return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID,
                            "%s: mode is %llu; it must be 0 or 1; pass 0 to go on", __func__,
                            (unsigned long long)mode);
    return stream_of(stream) == NULL ? fail_stream(__func__, stream) : ACL_SUCCESS;
}

void actgrad_report_streams(void) {
    LOCKED(&streams_lock);
    for (const Item* each = queue; each != NULL; each = each->next)
        if (first_item(each->place) == each)
            fprintf(stderr,
                    "actgrad: %sstream %p has %llu task%s left at the end; all must end first; call "
                    "aclrtSynchronizeStream\n",
                    is_default(each->place.stream) ? "default " : "", (const void*)each->place.stream,
                    (unsigned long long)each->place.stream->left, each->place.stream->left == 1 ? "" : "s");
}

/* A child drops the items that another thread had begun, because they may have changed a part of their memory. */
static void in_child(void) {
    working = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    if (pthread_equal(worker, pthread_self())) return;
    for (Item *item = queue, *next; item != NULL; item = next) {
        next = item->next;
        if (item->is_begun) take_out(item);
    }
}
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }
