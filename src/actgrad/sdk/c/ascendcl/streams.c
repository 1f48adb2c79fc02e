/* Streams: work in the order in which a program gives it.

   Usually the thread that gives the work does it at once. A strict program's work waits for a synchronize, and the
   thread that synchronizes does it: a program that forgets to wait reads old results, as on hardware.

   Nothing can deadlock: work waits only for work queued before it, on any stream. A waiting thread does the head of a
   queue itself, unless another thread does it already. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Item {
    struct Item* next;
    actgrad_work work;
    actgrad_release release;
    void* argument;
} Item;

struct Stream {
    Stream* next;
    const Context* context; /* NULL: a default stream, of any context */
    int32_t device;
    Item* first;
    Item* last;
    uint64_t queued; /* items in total */
    uint64_t done;   /* items of these that are done */
    aclError failure;
    bool is_busy; /* a thread, `worker`, does an item */
    pthread_t worker;
};

pthread_mutex_t actgrad_streams_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static Stream* streams; /* of programs */
static Stream defaults[DEVICES];

/* The caller of this and the next three functions holds the lock. */
static bool is_alive(const Stream* stream) {
    if (stream >= defaults && stream < defaults + DEVICES) return true;
    for (const Stream* each = streams; each != NULL; each = each->next)
        if (each == stream) return true;
    return false;
}

/* The stream of a handle, or NULL. */
static Stream* stream_of(aclrtStream handle) {
    if (handle == NULL) return &defaults[actgrad_device_of(actgrad_current_context())];
    return is_alive(handle) ? handle : NULL;
}

/* A stream of the device with work to do, or NULL. */
static Stream* waiting_stream(int32_t device) {
    if (defaults[device].done < defaults[device].queued) return &defaults[device];
    for (Stream* each = streams; each != NULL; each = each->next)
        if (each->device == device && each->done < each->queued) return each;
    return NULL;
}

static aclError fail_stream(const char* function, aclrtStream handle) {
    return actgrad_fail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: stream %p is none, or was destroyed", function, handle);
}

/* The living stream of a handle; a strict program may use it in its own context alone. */
static aclError find_stream(const char* function, aclrtStream handle, Stream** found) {
    Stream* stream = *found = stream_of(handle);
    if (stream == NULL) return fail_stream(function, handle);
    if (!actgrad_get_settings()->is_strict || stream->context == NULL || stream->context == actgrad_current_context())
        return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: stream %p is of another context than the thread's", function,
                        handle);
}

static void release_argument(const Item* item) {
    if (item->release != NULL) item->release(item->argument);
}

static Item* take_first(Stream* stream) {
    Item* item = stream->first;
    stream->first = item->next;
    return item;
}

/* Does the item at the head, without the lock meanwhile. */
static void do_first(Stream* stream) {
    Item* item = take_first(stream);
    stream->is_busy = true;
    stream->worker = pthread_self();
    pthread_mutex_unlock(&actgrad_streams_lock);
    aclError status = item->work(item->argument);
    release_argument(item);
    free(item);
    pthread_mutex_lock(&actgrad_streams_lock);
    stream->is_busy = false;
    stream->done++;
    if (stream->failure == ACL_SUCCESS) stream->failure = status;
    pthread_cond_broadcast(&changed);
}

/* The caller holds the lock; while it is given up, another thread may destroy the stream. */
static void run_until(Stream* stream, uint64_t number) {
    while (is_alive(stream) && stream->done < number) {
        if (stream->is_busy)
            pthread_cond_wait(&changed, &actgrad_streams_lock);
        else if (stream->first != NULL)
            do_first(stream);
        else
            return;
    }
}

void actgrad_run_until(Place place) {
    LOCKED(&actgrad_streams_lock);
    run_until(place.stream, place.number);
}

static aclError take_failure(Stream* stream) {
    if (!is_alive(stream)) return ACL_SUCCESS;
    aclError failure = stream->failure;
    stream->failure = ACL_SUCCESS;
    return failure;
}

aclError actgrad_take_failure(Place place) {
    LOCKED(&actgrad_streams_lock);
    return take_failure(place.stream);
}

static aclError queue(const char* function, aclrtStream handle, const Item* item, Place* place) {
    Stream* stream;
    RETURN_IF_ERROR(actgrad_check_device(function));
    LOCKED(&actgrad_streams_lock);
    RETURN_IF_ERROR(find_stream(function, handle, &stream));
    Item* queued = malloc(sizeof *queued);
    if (queued == NULL) return actgrad_fail_memory(function);
    *queued = *item;
    if (stream->first == NULL)
        stream->first = queued;
    else
        stream->last->next = queued;
    stream->last = queued;
    stream->queued++;
    if (place != NULL) *place = (Place){stream, stream->queued};
    return ACL_SUCCESS;
}

static aclError do_now(const char* function, aclrtStream handle, const Item* item, Place* place) {
    Stream* stream;
    {
        LOCKED(&actgrad_streams_lock);
        stream = stream_of(handle);
    }
    if (place != NULL) *place = (Place){stream, 0};
    aclError status = stream == NULL ? fail_stream(function, handle) : item->work(item->argument);
    release_argument(item);
    return status;
}

aclError actgrad_submit_from(const char* function, aclrtStream stream, actgrad_work work, actgrad_release release,
                             void* argument, Place* place) {
    const Item item = {NULL, work, release, argument};
    if (!actgrad_get_settings()->is_strict) return do_now(function, stream, &item, place);
    aclError status = queue(function, stream, &item, place);
    if (status != ACL_SUCCESS) release_argument(&item);
    return status;
}

int32_t actgrad_submit(void* stream, actgrad_work work, actgrad_release release, void* argument) {
    return actgrad_submit_from("aclnn", stream, work, release, argument, NULL);
}

static aclError create(const char* function, aclrtStream* stream) {
    if (stream == NULL) return actgrad_fail_null(function, "stream");
    RETURN_IF_ERROR(actgrad_check_device(function));
    Stream* made = calloc(1, sizeof *made);
    if (made == NULL) return actgrad_fail_memory(function);
    made->context = actgrad_current_context();
    made->device = actgrad_device_of(made->context);
    LOCKED(&actgrad_streams_lock);
    made->next = streams;
    *stream = streams = made;
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream* stream) { return create(__func__, stream); }

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
    return create(__func__, stream);
}

/* Removes a stream from the list once no thread works in it; false when it is not, or no longer, there. */
static bool detach(Stream* stream) {
    LOCKED(&actgrad_streams_lock);
    while (is_alive(stream) && stream->is_busy) pthread_cond_wait(&changed, &actgrad_streams_lock);
    for (Stream** link = &streams; *link != NULL; link = &(*link)->next) {
        if (*link != stream) continue;
        *link = stream->next;
        pthread_cond_broadcast(&changed);
        return true;
    }
    return false;
}

static aclError destroy(const char* function, aclrtStream handle) {
    if (handle == NULL) return actgrad_fail_null(function, "stream");
    if (!detach(handle)) return fail_stream(function, handle);
    Stream* stream = handle;
    uint64_t dropped = stream->queued - stream->done;
    if (dropped > 0)
        fprintf(stderr, "actgrad: stream %p was destroyed before it was synchronised: %llu piece%s of work dropped\n",
                handle, (unsigned long long)dropped, dropped == 1 ? "" : "s");
    while (stream->first != NULL) {
        Item* item = take_first(stream);
        release_argument(item);
        free(item);
    }
    free(stream);
    return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream) { return destroy(__func__, stream); }
aclError aclrtDestroyStreamForce(aclrtStream stream) { return destroy(__func__, stream); }

aclError actgrad_check_timeout(const char* function, int32_t timeout) {
    if (timeout >= -1) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: timeout is %d; it must be at least -1, which is none",
                        function, timeout);
}

static aclError synchronize(const char* function, aclrtStream handle) {
    Stream* stream;
    RETURN_IF_ERROR(actgrad_check_device(function));
    LOCKED(&actgrad_streams_lock);
    RETURN_IF_ERROR(find_stream(function, handle, &stream));
    run_until(stream, stream->queued);
    return take_failure(stream);
}

aclError aclrtSynchronizeStream(aclrtStream stream) { return synchronize(__func__, stream); }

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
    RETURN_IF_ERROR(actgrad_check_timeout(__func__, timeout));
    return synchronize(__func__, stream);
}

aclError actgrad_run_device(int32_t device) {
    aclError first_failure = ACL_SUCCESS;
    LOCKED(&actgrad_streams_lock);
    for (Stream* stream; (stream = waiting_stream(device)) != NULL;) {
        run_until(stream, stream->queued);
        aclError failure = take_failure(stream);
        if (first_failure == ACL_SUCCESS) first_failure = failure;
    }
    return first_failure;
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    if (status == NULL) return actgrad_fail_null(__func__, "status");
    RETURN_IF_ERROR(actgrad_check_device(__func__));
    LOCKED(&actgrad_streams_lock);
    const Stream* found = stream_of(stream);
    if (found == NULL) return fail_stream(__func__, stream);
    *status = found->done == found->queued ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

/** Checked, and without effect: work goes on after a failure. */
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
    if (mode > ACL_STOP_ON_FAILURE)
        return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: mode is %llu; it must be 0 or 1", __func__,
                            (unsigned long long)mode);
    LOCKED(&actgrad_streams_lock);
    return stream_of(stream) == NULL ? fail_stream(__func__, stream) : ACL_SUCCESS;
}

static void report_unfinished(const Stream* stream, const char* kind) {
    unsigned long long left = stream->queued - stream->done;
    if (left == 0) return;
    fprintf(stderr, "actgrad: %s %p was never synchronised: %llu left to do\n", kind, (const void*)stream, left);
}

static void report_leaks(void) {
    LOCKED(&actgrad_streams_lock);
    for (const Stream* each = streams; each != NULL; each = each->next) {
        fprintf(stderr, "actgrad: stream %p was never destroyed\n", (const void*)each);
        report_unfinished(each, "stream");
    }
    for (int k = 0; k < DEVICES; k++) report_unfinished(&defaults[k], "default stream");
}

__attribute__((constructor)) static void register_reporter(void) { actgrad_on_finalize(report_leaks); }

static void forget_worker(Stream* stream) {
    if (!stream->is_busy || pthread_equal(stream->worker, pthread_self())) return;
    stream->is_busy = false;
    stream->done++;
}

/* In a child: the item of another thread will never be done, and no thread waits. */
void actgrad_streams_forget_other_threads(void) {
    for (Stream* each = streams; each != NULL; each = each->next) forget_worker(each);
    for (int k = 0; k < DEVICES; k++) forget_worker(&defaults[k]);
    changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}
