/* More stack for threads that have little, because the interpreter, the compiler and strided kernels need stack. */
#include "nnopbase.h"

#include <stdlib.h>
#include <string.h>

enum { NEEDED = 1 << 20, GIVEN = 8 << 20 };

typedef struct {
    void (*function)(void*);
    void* argument;
    char* report; /* the failure, for the waiting thread, or NULL */
} Errand;

static void* do_errand(void* argument) {
    Errand* errand = argument;
    errand->function(errand->argument);
    const char* text = aclGetRecentErrMsg();
    if (text != NULL) errand->report = strdup(text);
    return NULL;
}

/* The bounds of the thread's stack. They are read once per thread, because the bounds of the main thread are slow to
   get. */
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

/* Returns false on a stack that does not belong to the thread, such as a coroutine's, because its size is unknown. */
static bool has_enough(void) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    Bounds stack = bounds_of_stack();
    return here >= stack.low && here < stack.high && here - stack.low >= NEEDED;
}

static bool do_in_thread(Errand* errand) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) return false;
    bool is_started = pthread_attr_setstacksize(&attributes, GIVEN) == 0 &&
                      pthread_create(&thread, &attributes, do_errand, errand) == 0;
    pthread_attr_destroy(&attributes);
    if (is_started) pthread_join(thread, NULL);
    return is_started;
}

void actgrad_with_stack(void (*function)(void*), void* argument) {
    Errand errand = {function, argument, NULL};
    if (has_enough() || !do_in_thread(&errand)) function(argument); /* without a thread, this stack may suffice too */
    if (errand.report != NULL) actgrad_report_text(errand.report);
    free(errand.report);
}
