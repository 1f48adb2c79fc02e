/* Streams: work in the order in which it was given.

   Usually the work is done at once, by the thread that gives it. When strict it waits until a stream is synchronised,
   and is done then by the thread that synchronises: a program that forgets to wait sees what it would see on hardware.

   Nothing can deadlock: work waits only for work that was queued before it, on whatever stream, and what is at the
   head of a queue is being done or can be done by whoever waits for it. */
#include "runtime.h"

#include <pthread.h>
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
    const Context* context; /* NULL: one of any context, the default */
    int32_t device;
    Item* first;
    Item* last;
    uint64_t queued; /* how many items there ever were */
    uint64_t done;   /* how many of them are done */
    aclError failure;
    bool is_busy; /* a thread does an item */
    pthread_t worker;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static Stream* streams; /* those that programs made */
static Stream defaults[DEVICES];

void actgrad_streams_lock(void) { pthread_mutex_lock(&lock); }
void actgrad_streams_unlock(void) { pthread_mutex_unlock(&lock); }

/* ---- which stream: under the lock */

static bool is_alive(const Stream* stream) {
    if (stream >= defaults && stream < defaults + DEVICES) return true;
    for (const Stream* each = streams; each != NULL; each = each->next)
        if (each == stream) return true;
    return false;
}

/* The stream of a handle, or NULL. */
static Stream* stream_of(aclrtStream handle) {
    const Context* context = actgrad_current_context();
    if (handle == NULL) return &defaults[context == NULL ? 0 : actgrad_device_of(context)];
    return is_alive(handle) ? handle : NULL;
}

/* The next stream of a device that has work to do, or NULL. */
static Stream* waiting_stream(int32_t device) {
    if (defaults[device].done < defaults[device].queued) return &defaults[device];
    for (Stream* each = streams; each != NULL; each = each->next)
        if (each->device == device && each->done < each->queued) return each;
    return NULL;
}

static aclError fail_stream(const char* function, aclrtStream handle) {
    return actgrad_fail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: stream %p is none, or was destroyed", function, handle);
}

/* A stream serves the context it was made in; who is not strict overlooks it. */
static aclError check_context(const char* function, const Stream* stream) {
    if (!actgrad_is_strict() || stream->context == NULL || stream->context == actgrad_current_context())
        return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: stream %p is of another context than the thread's", function,
                        (const void*)stream);
}

/* ---- giving and doing work */

static void release_argument(actgrad_release release, void* argument) {
    if (release != NULL) release(argument);
}

static void append(Stream* stream, Item* item) {
    if (stream->first == NULL)
        stream->first = item;
    else
        stream->last->next = item;
    stream->last = item;
    stream->queued++;
}

/* Does the item at the head, without the lock meanwhile. */
static void do_first(Stream* stream) {
    Item* item = stream->first;
    stream->first = item->next;
    stream->is_busy = true;
    stream->worker = pthread_self();
    actgrad_streams_unlock();
    aclError status = item->work(item->argument);
    release_argument(item->release, item->argument);
    free(item);
    actgrad_streams_lock();
    stream->is_busy = false;
    stream->done++;
    if (stream->failure == ACL_SUCCESS) stream->failure = status;
    pthread_cond_broadcast(&changed);
}

/* Under the lock, which it gives up meanwhile: the stream may be destroyed by another thread. */
static void run_until(Stream* stream, uint64_t number) {
    while (is_alive(stream) && stream->done < number) {
        if (stream->is_busy)
            pthread_cond_wait(&changed, &lock);
        else if (stream->first != NULL)
            do_first(stream);
        else
            return;
    }
}

void actgrad_run_until(Place place) {
    actgrad_streams_lock();
    run_until(place.stream, place.number);
    actgrad_streams_unlock();
}

static aclError take_failure(Stream* stream) {
    if (!is_alive(stream)) return ACL_SUCCESS;
    aclError failure = stream->failure;
    stream->failure = ACL_SUCCESS;
    return failure;
}

aclError actgrad_take_failure(Place place) {
    actgrad_streams_lock();
    aclError failure = take_failure(place.stream);
    actgrad_streams_unlock();
    return failure;
}

static aclError queue(const char* function, aclrtStream handle, Item* item, Place* place) {
    aclError status = actgrad_check_device(function);
    if (status != ACL_SUCCESS) return status;
    actgrad_streams_lock();
    Stream* stream = stream_of(handle);
    status = stream == NULL ? fail_stream(function, handle) : check_context(function, stream);
    if (status == ACL_SUCCESS) {
        append(stream, item);
        if (place != NULL) *place = (Place){stream, stream->queued};
    }
    actgrad_streams_unlock();
    return status;
}

static aclError do_later(const char* function, aclrtStream handle, Item work, Place* place) {
    Item* item = malloc(sizeof *item);
    aclError status = ACL_ERROR_RT_MEMORY_ALLOCATION;
    if (item == NULL) {
        actgrad_report(RUNTIME_ERROR, "%s: there is no host memory left", function);
    } else {
        *item = work;
        status = queue(function, handle, item, place);
    }
    if (status != ACL_SUCCESS) {
        release_argument(work.release, work.argument);
        free(item);
    }
    return status;
}

static aclError do_now(const char* function, aclrtStream handle, Item work, Place* place) {
    actgrad_streams_lock();
    Stream* stream = stream_of(handle);
    actgrad_streams_unlock();
    if (place != NULL) *place = (Place){stream, 0};
    aclError status = stream == NULL ? fail_stream(function, handle) : work.work(work.argument);
    release_argument(work.release, work.argument);
    return status;
}

aclError actgrad_do(const char* function, aclrtStream stream, actgrad_work work, actgrad_release release,
                    void* argument, Place* place) {
    Item item = {NULL, work, release, argument};
    return actgrad_is_strict() ? do_later(function, stream, item, place) : do_now(function, stream, item, place);
}

int32_t actgrad_submit(void* stream, actgrad_work work, actgrad_release release, void* argument) {
    return actgrad_do("aclnn", stream, work, release, argument, NULL);
}

/* ---- making and destroying */

static aclError create(const char* function, aclrtStream* stream) {
    if (stream == NULL) return actgrad_fail_null(function, "stream");
    aclError status = actgrad_check_device(function);
    if (status != ACL_SUCCESS) return status;
    Stream* made = calloc(1, sizeof *made);
    if (made == NULL)
        return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: there is no host memory left", function);
    made->context = actgrad_current_context();
    made->device = actgrad_device_of(made->context);
    actgrad_streams_lock();
    made->next = streams;
    streams = made;
    actgrad_streams_unlock();
    *stream = made;
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream* stream) { return create(__func__, stream); }

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
    (void)priority, (void)flag;
    return create(__func__, stream);
}

/* Out of the list, when no thread works in it. False where it is not there, perhaps not any more. */
static bool detach(Stream* stream) {
    while (is_alive(stream) && stream->is_busy) pthread_cond_wait(&changed, &lock);
    for (Stream** link = &streams; *link != NULL; link = &(*link)->next) {
        if (*link != stream) continue;
        *link = stream->next;
        pthread_cond_broadcast(&changed);
        return true;
    }
    return false;
}

static void drop_work(Stream* stream) {
    uint64_t dropped = stream->queued - stream->done;
    if (dropped > 0)
        fprintf(stderr, "actgrad: stream %p was destroyed before it was synchronised: %llu piece%s of work dropped\n",
                (void*)stream, (unsigned long long)dropped, dropped == 1 ? "" : "s");
    while (stream->first != NULL) {
        Item* item = stream->first;
        stream->first = item->next;
        release_argument(item->release, item->argument);
        free(item);
    }
}

static aclError destroy(const char* function, aclrtStream handle) {
    if (handle == NULL) return actgrad_fail_null(function, "stream");
    actgrad_streams_lock();
    bool was_alive = detach(handle);
    actgrad_streams_unlock();
    if (!was_alive) return fail_stream(function, handle);
    drop_work(handle);
    free(handle);
    return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream) { return destroy(__func__, stream); }
aclError aclrtDestroyStreamForce(aclrtStream stream) { return destroy(__func__, stream); }

/* ---- waiting */

aclError actgrad_check_timeout(const char* function, int32_t timeout) {
    if (timeout >= -1) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: timeout is %d; it must be at least -1, which is none",
                        function, timeout);
}

static aclError synchronize(const char* function, aclrtStream handle) {
    aclError status = actgrad_check_device(function);
    if (status != ACL_SUCCESS) return status;
    actgrad_streams_lock();
    Stream* stream = stream_of(handle);
    status = stream == NULL ? fail_stream(function, handle) : check_context(function, stream);
    if (status == ACL_SUCCESS) {
        run_until(stream, stream->queued);
        status = take_failure(stream);
    }
    actgrad_streams_unlock();
    return status;
}

aclError aclrtSynchronizeStream(aclrtStream stream) { return synchronize(__func__, stream); }

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
    aclError status = actgrad_check_timeout(__func__, timeout);
    return status != ACL_SUCCESS ? status : synchronize(__func__, stream);
}

aclError actgrad_run_device(int32_t device) {
    aclError first_failure = ACL_SUCCESS;
    actgrad_streams_lock();
    for (Stream* stream; (stream = waiting_stream(device)) != NULL;) {
        run_until(stream, stream->queued);
        aclError failure = take_failure(stream);
        if (first_failure == ACL_SUCCESS) first_failure = failure;
    }
    actgrad_streams_unlock();
    return first_failure;
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    if (status == NULL) return actgrad_fail_null(__func__, "status");
    aclError result = actgrad_check_device(__func__);
    if (result != ACL_SUCCESS) return result;
    actgrad_streams_lock();
    const Stream* asked = stream_of(stream);
    if (asked != NULL)
        *status = asked->done == asked->queued ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    actgrad_streams_unlock();
    return asked == NULL ? fail_stream(__func__, stream) : ACL_SUCCESS;
}

/* ---- the end, and forks */

static void report_unfinished(const Stream* stream, const char* what) {
    unsigned long long left = stream->queued - stream->done;
    if (left == 0) return;
    fprintf(stderr, "actgrad: %s %p was never synchronised: %llu left to do\n", what, (const void*)stream, left);
}

void actgrad_report_stream_leaks(void) {
    actgrad_streams_lock();
    for (const Stream* each = streams; each != NULL; each = each->next) {
        fprintf(stderr, "actgrad: stream %p was never destroyed\n", (const void*)each);
        report_unfinished(each, "stream");
    }
    for (int k = 0; k < DEVICES; k++) report_unfinished(&defaults[k], "default stream");
    actgrad_streams_unlock();
}

static void forget_worker(Stream* stream) {
    if (!stream->is_busy || pthread_equal(stream->worker, pthread_self())) return;
    stream->is_busy = false;
    stream->done++;
}

/* In a child: what another thread was doing is not going on here, and nobody waits. */
void actgrad_streams_forget_other_threads(void) {
    for (Stream* each = streams; each != NULL; each = each->next) forget_worker(each);
    for (int k = 0; k < DEVICES; k++) forget_worker(&defaults[k]);
    changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}
