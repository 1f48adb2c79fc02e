/* More stack for threads that have little: the interpreter, the compiler and strided kernels want some. */
#include "internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

enum { NEEDED = 1 << 20, GIVEN = 8 << 20 };

typedef struct {
    void (*function)(void*);
    void* argument;
    char* report; /* what was reported meanwhile, which belongs to the thread that waits; NULL for nothing */
} Task;

static void* do_task(void* argument) {
    Task* task = argument;
    task->function(task->argument);
    const char* text = aclGetRecentErrMsg();
    if (text != NULL) task->report = strdup(text);
    return NULL;
}

/* The bounds of the calling thread's stack; asked once per thread, because it is slow in the main thread. */
typedef struct {
    uintptr_t low, high;
} Bounds;

static Bounds bounds_of_stack(void) {
    static __thread Bounds known;
    pthread_attr_t attributes;
    if (known.high == 0 && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void* low = NULL;
        size_t size = 0;
        pthread_attr_getstack(&attributes, &low, &size);
        pthread_attr_destroy(&attributes);
        known = (Bounds){(uintptr_t)low, (uintptr_t)low + size};
    }
    return known;
}

/* A stack that is not the thread's own, as coroutines have, may be of any size. */
static bool has_enough(void) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    Bounds stack = bounds_of_stack();
    return here >= stack.low && here < stack.high && here - stack.low >= NEEDED;
}

static bool do_elsewhere(Task* task) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) return false;
    bool is_started = pthread_attr_setstacksize(&attributes, GIVEN) == 0 &&
                      pthread_create(&thread, &attributes, do_task, task) == 0;
    pthread_attr_destroy(&attributes);
    if (is_started) pthread_join(thread, NULL);
    return is_started;
}

void actgrad_with_stack(void (*function)(void*), void* argument) {
    Task task = {function, argument, NULL};
    if (has_enough() || !do_elsewhere(&task)) function(argument); /* without another thread it may do all the same */
    if (task.report != NULL) actgrad_report_text(task.report);
    free(task.report);
}
