/* The functions of libascendcl that libnnopbase calls, and the macros of both libraries. Not a public header. */
#ifndef ACTGRAD_SERVICES_H
#define ACTGRAD_SERVICES_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* Returns from the calling function with the status of a failure. */
#define RETURN_IF_ERROR(expression)       \
    do {                                  \
        int32_t status_ = (expression);   \
        if (status_ != 0) return status_; \
    } while (0)

/* Holds a mutex until the end of the block. */
#define LOCKED(mutex) __attribute__((cleanup(actgrad_unlock), unused)) pthread_mutex_t* locked_ = actgrad_lock(mutex)
static inline pthread_mutex_t* actgrad_lock(pthread_mutex_t* mutex) {
    pthread_mutex_lock(mutex);
    return mutex;
}
static inline void actgrad_unlock(pthread_mutex_t** mutex) { pthread_mutex_unlock(*mutex); }

/* Defines a lock of a file. A fork takes the lock first, so that it is not left locked in the child, where only the
   thread that forked exists. pthread_atfork runs handlers in reverse order of registration: if a thread holds two locks
   at once, the lock that it takes first has the higher order. Locks of libnnopbase come before those of libascendcl,
   which is loaded earlier. */
#define FORK_SAFE_LOCK(name, order)                                           \
    static pthread_mutex_t name = PTHREAD_MUTEX_INITIALIZER;                  \
    static void take_##name(void) { pthread_mutex_lock(&name); }              \
    static void give_##name(void) { pthread_mutex_unlock(&name); }            \
    __attribute__((constructor(order))) static void register_##name(void) {   \
        pthread_atfork(take_##name, give_##name, give_##name);                \
    }
enum {
    FIRST_ORDER = 101, CLOCK_ORDER, REFUSALS_ORDER, MEMORY_ORDER, LIVE_ORDER, STREAMS_ORDER, EVENTS_ORDER,
    CONTEXTS_ORDER, LIFECYCLE_ORDER
};

/* settings.c: the environment, read once. */
enum { DEVICES = 8 }; /* the number of devices in a server with Ascend cards */
typedef struct {
    bool is_strict;        /* ACTGRAD_STRICT=1 */
    bool uses_server;      /* another process computes the operators */
    bool queues_phase_one; /* torch_npu's TASK_QUEUE_ENABLE=2: a separate thread also calls phase one */
    const char* python;    /* the interpreter's executable */
    const char* libpython; /* its shared library, or "" if there is none */
    const char* product;   /* ACTGRAD_PRODUCT, or "" if it is not set */
    const char* chip;      /* the chip that the variable names, or a chip of that product or of the default product */
    bool is_known;         /* whether the product exists */
    int devices;           /* devices that the program sees, at most DEVICES */
} actgrad_settings;
EXPORT const actgrad_settings* actgrad_get_settings(void);

/* errors.c: keeps the text of the thread's last failure, "[PID: n] time title: text", and returns its code. */
EXPORT int32_t actgrad_fail(int32_t code, const char* format, ...) __attribute__((format(printf, 2, 3)));
EXPORT int32_t actgrad_fail_null(const char* function, const char* argument); /* 100000: a pointer is required */
EXPORT void actgrad_report_text(const char* text); /* prints the text with the time and the title */

/* live.c: the objects that a program may use. A lookup recognises a destroyed object without reading its memory. */
typedef enum {
    LIVE_STREAM, LIVE_EVENT, LIVE_TENSOR, LIVE_SCALAR, LIVE_LIST, LIVE_EXECUTOR, LIVE_DESC, LIVE_BUFFER, LIVE_ATTR,
    LIVE_KINDS
} actgrad_live_kind;
typedef struct actgrad_live {
    struct actgrad_live* next;
} actgrad_live; /* the first member of an object */
EXPORT void actgrad_live_add(actgrad_live_kind kind, actgrad_live* object);
EXPORT bool actgrad_live_has(actgrad_live_kind kind, const void* object);
EXPORT bool actgrad_live_remove(actgrad_live_kind kind, const void* object); /* returns true for only one thread */
EXPORT void actgrad_live_retire(void* memory); /* frees the memory later, so that its address is not reused soon */
/* Fails with 100000 if an argument is null, destroyed or of another kind. */
EXPORT int32_t actgrad_check_object(actgrad_live_kind kind, const char* function, const char* argument,
                                    const void* object);

/* contexts.c: fails if a strict program's thread has no device. */
EXPORT int32_t actgrad_check_device_if_strict(const char* function);

/* memory.c: device memory. */
EXPORT int64_t actgrad_memory_left(uint64_t address); /* bytes to the end of its allocation, or -1 outside of all */
EXPORT int64_t actgrad_memory_distance(void); /* distance from a device address to an address in this process */
/* The file behind device memory and its mapping, for another process that computes on this memory. Returns 0 on
   success. */
EXPORT int actgrad_memory_share(int* file, uint64_t* base, uint64_t* size);

/* streams.c: does `work` on a stream, at once, or in a strict program at the next synchronize. `release` always
   follows: after the work, or when the work is dropped or refused. Returns the work's status, or 107003 if the stream
   is invalid. */
typedef int32_t (*actgrad_work)(void* argument);
typedef void (*actgrad_release)(void* argument);
typedef bool (*actgrad_writes)(const void* argument, uint64_t start, uint64_t end); /* whether work writes memory */
EXPORT int32_t actgrad_submit(void* stream, actgrad_work work, actgrad_release release, actgrad_writes writes,
                              void* argument);
/* Keeps the reason of a failure, unless `status` is 0, and returns `status`. Reads in other threads fail until the
   thread submits work again. */
EXPORT int32_t actgrad_note_refusal(int32_t status, bool fails_in_its_thread);

/* lifecycle.c: for aclnnInit and aclnnFinalize. */
EXPORT void actgrad_set_aclnn_initialised(bool is);

/* acl_op/attributes.c: the attributes as JSON without braces, or "" for a null pointer. Valid until the next change. The
   caller checks that the object is alive. */
struct aclopAttr;
EXPORT const char* actgrad_attributes(const struct aclopAttr* attr);

/* acl_op/descriptions.c: fails with 100000 unless both objects are alive and the buffer has the bytes that are described.
   `side` is "input" or "output". */
struct aclTensorDesc;
struct aclDataBuffer;
EXPORT int32_t actgrad_check_described(const char* function, const char* side, int index,
                                       const struct aclTensorDesc* desc, const struct aclDataBuffer* buffer);

#endif
