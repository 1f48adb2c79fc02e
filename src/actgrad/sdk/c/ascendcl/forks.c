/* A forked child has only the thread that forked: every lock is taken before, so that none stays locked in it. */
#include "runtime.h"

/* In the order in which one is taken while another is held. */
static pthread_mutex_t* const locks[] = {&actgrad_lifecycle_lock, &actgrad_contexts_lock, &actgrad_events_lock,
                                         &actgrad_streams_lock,   &actgrad_live_lock,     &actgrad_memory_lock,
                                         &actgrad_clock_lock};
enum { COUNT = sizeof locks / sizeof *locks };

static void before_fork(void) {
    for (int k = 0; k < COUNT; k++) pthread_mutex_lock(locks[k]);
    actgrad_memory_before_fork();
}

static void unlock_all(void) {
    for (int k = COUNT; k-- > 0;) pthread_mutex_unlock(locks[k]);
}

static void in_parent(void) {
    actgrad_memory_in_parent();
    unlock_all();
}

static void in_child(void) {
    actgrad_memory_in_child();
    actgrad_streams_in_child();
    unlock_all();
}

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(before_fork, in_parent, in_child); }
