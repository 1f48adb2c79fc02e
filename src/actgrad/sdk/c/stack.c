/* More stack for threads that have little: the interpreter, the compiler and strided kernels want some. */
#include "internal.h"

#include <pthread.h>

enum { NEEDED = 1 << 20, GIVEN = 8 << 20 };

typedef struct {
    void (*function)(void*);
    void* argument;
} Task;

static void* do_task(void* task) {
    ((Task*)task)->function(((Task*)task)->argument);
    return NULL;
}

/* The lowest address of the calling thread's stack; asked once per thread, because it is slow in the main thread. */
static uintptr_t lowest_address(void) {
    static __thread uintptr_t known;
    if (known == 0) {
        pthread_attr_t attributes;
        void* low = NULL;
        size_t size = 0;
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            pthread_attr_getstack(&attributes, &low, &size);
            pthread_attr_destroy(&attributes);
        }
        known = (uintptr_t)low + 1;
    }
    return known;
}

void actgrad_with_stack(void (*function)(void*), void* argument) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    pthread_attr_t attributes;
    pthread_t thread;
    if (here - lowest_address() < NEEDED && pthread_attr_init(&attributes) == 0) {
        Task task = {function, argument};
        bool is_started = pthread_attr_setstacksize(&attributes, GIVEN) == 0 &&
                          pthread_create(&thread, &attributes, do_task, &task) == 0;
        pthread_attr_destroy(&attributes);
        if (is_started) {
            pthread_join(thread, NULL);
            return;
        }
    }
    function(argument); /* it may do all the same */
}
