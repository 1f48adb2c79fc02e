/* A forked child has the thread that forked alone: every lock is taken before, so that none stays locked in it. */
#include "runtime.h"

#include <pthread.h>

/* In the order in which one is taken while another is held. */
static void before_fork(void) {
    actgrad_device_lock();
    actgrad_events_lock();
    actgrad_streams_lock();
    actgrad_memory_lock();
    actgrad_clock_lock();
    actgrad_memory_before_fork();
}

static void unlock_all(void) {
    actgrad_clock_unlock();
    actgrad_memory_unlock();
    actgrad_streams_unlock();
    actgrad_events_unlock();
    actgrad_device_unlock();
}

static void in_parent(void) {
    actgrad_memory_in_parent();
    unlock_all();
}

static void in_child(void) {
    actgrad_memory_in_child();
    actgrad_streams_forget_other_threads();
    unlock_all();
}

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(before_fork, in_parent, in_child); }
