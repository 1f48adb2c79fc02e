/* A forked child has only the thread that forked: the locks of libnnopbase are taken before. Those of libascendcl come
   after them, because it was loaded before; the interpreter's come first, because it starts later. */
#include "nnopbase.h"

/* In the order in which one is taken while another is held. */
static pthread_mutex_t* const locks[] = {&actgrad_cache_lock, &actgrad_starting_lock, &actgrad_handles_lock,
                                         &actgrad_server_lock, &actgrad_executors_lock};
enum { COUNT = sizeof locks / sizeof *locks };

static void before_fork(void) {
    for (int k = 0; k < COUNT; k++) pthread_mutex_lock(locks[k]);
}

static void unlock_all(void) {
    for (int k = COUNT; k-- > 0;) pthread_mutex_unlock(locks[k]);
}

static void in_child(void) {
    actgrad_server_forget();
    unlock_all();
}

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(before_fork, unlock_all, in_child); }
