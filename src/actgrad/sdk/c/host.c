/* The planner: started when the first operator is called, in this process or in another. */
#include "internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static const actgrad_planner* planner;
static char* failure; /* why it could not be started, which is tried once */

static const actgrad_planner* start(void) {
    const actgrad_planner* started = actgrad_uses_server() ? actgrad_start_server() : actgrad_start_interpreter();
    if (started != NULL) return started;
    const char* text = aclGetRecentErrMsg();
    failure = strdup(text == NULL ? "the operators could not be started" : text);
    return NULL;
}

const actgrad_planner* actgrad_planner_or_report(void) {
    const actgrad_planner* started = __atomic_load_n(&planner, __ATOMIC_ACQUIRE);
    if (started != NULL) return started;
    pthread_mutex_lock(&starting);
    if (planner == NULL && failure == NULL) __atomic_store_n(&planner, start(), __ATOMIC_RELEASE);
    started = planner;
    if (started == NULL && failure != NULL) actgrad_report_text(failure);
    pthread_mutex_unlock(&starting);
    return started;
}

/* Handles to give back. Each costs a call of the planner, so they wait until there are some. */
enum { BATCH = 64 };

static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER;
static int64_t handles[BATCH];
static int64_t count;

static void release_batch(void* batch) {
    const actgrad_planner* started = actgrad_planner_or_report();
    if (started != NULL) started->release(batch, BATCH);
}

void actgrad_release_later(int64_t handle) {
    int64_t batch[BATCH];
    pthread_mutex_lock(&waiting);
    handles[count++] = handle;
    bool is_full = count == BATCH;
    if (is_full) {
        memcpy(batch, handles, sizeof batch);
        count = 0;
    }
    pthread_mutex_unlock(&waiting);
    if (is_full) actgrad_with_stack(release_batch, batch);
}

void actgrad_host_lock(void) {
    pthread_mutex_lock(&starting);
    pthread_mutex_lock(&waiting);
}

void actgrad_host_unlock(void) {
    pthread_mutex_unlock(&waiting);
    pthread_mutex_unlock(&starting);
}
