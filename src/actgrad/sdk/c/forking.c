/* A forked child has the thread that forked alone: the locks of libnnopbase are taken before, in the order in which one
   is taken while another is held. Those of libascendcl come after them, because it was loaded before; the interpreter's
   comes first, because it is started later. */
#include "internal.h"

#include <pthread.h>

static void before_fork(void) {
    actgrad_remembered_lock();
    actgrad_host_lock();
    actgrad_server_lock();
    actgrad_live_lock();
}

static void unlock_all(void) {
    actgrad_live_unlock();
    actgrad_server_unlock();
    actgrad_host_unlock();
    actgrad_remembered_unlock();
}

static void in_child(void) {
    actgrad_server_forget();
    unlock_all();
}

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(before_fork, unlock_all, in_child); }
