/* Calls that passed. A call of the same words, on memory that is large enough and plainly apart, needs no planner. It
   waits for no lock of the interpreter then, so that threads compute side by side. */
#include "nnopbase.h"

#include <stdlib.h>
#include <string.h>

struct CachedCall {
    long holders; /* atomic: the table, and the tasks that use its machine code */
    uint64_t hash;
    Call call; /* with words of its own; its places are those of the planned call */
    actgrad_plan plan;
};

/* Direct-mapped: a call evicts the one in its slot. */
enum { SLOTS = 4096 };

pthread_mutex_t actgrad_cache_lock = PTHREAD_MUTEX_INITIALIZER;
static CachedCall* table[SLOTS];

static uint64_t hash_of(const Call* call) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char* c = call->function; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    for (int64_t k = 0; k < call->count; k++) {
        hash = (hash ^ (uint64_t)call->words[k]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool matches(const CachedCall* cached, const Call* call, uint64_t hash) {
    return cached->hash == hash && cached->call.count == call->count &&
           strcmp(cached->call.function, call->function) == 0 &&
           memcmp(cached->call.words, call->words, (size_t)call->count * sizeof *call->words) == 0;
}

static bool is_output(const Call* call, int tensor) {
    for (int k = 0; k < call->outputs; k++)
        if (call->output_places[k] == tensor) return true;
    return false;
}

/* Whether an output may be written: it is apart from every other tensor, or exactly an input of its layout. */
static bool is_writable(const actgrad_plan* plan, const Call* call, int output) {
    const actgrad_extent* mine = &plan->extents[output];
    for (int other = 0; other < call->tensors; other++) {
        const actgrad_extent* theirs = &plan->extents[other];
        int64_t place = call->places[2 * output], their_place = call->places[2 * other];
        if (other == output || place + mine->high <= their_place + theirs->low ||
            their_place + theirs->high <= place + mine->low)
            continue;
        bool is_same = place == their_place && (mine->alike >> other & 1) == 1 && !is_output(call, other);
        if (!is_same) return false;
    }
    return true;
}

static bool has_room(const actgrad_plan* plan, const Call* call) {
    for (int k = 0; k < call->tensors; k++) {
        if (call->places[2 * k + 1] < plan->extents[k].needed) return false;
        if (is_output(call, k) && !is_writable(plan, call, k)) return false;
    }
    return true;
}

static CachedCall* hold_cached(const Call* call) {
    uint64_t hash = hash_of(call);
    LOCKED(&actgrad_cache_lock);
    CachedCall* cached = table[hash % SLOTS];
    if (cached == NULL || !matches(cached, call, hash)) return NULL;
    __atomic_add_fetch(&cached->holders, 1, __ATOMIC_RELAXED);
    return cached;
}

CachedCall* actgrad_find_cached(const Call* call, actgrad_plan* plan) {
    CachedCall* cached = hold_cached(call);
    if (cached == NULL) return NULL;
    if (!has_room(&cached->plan, call)) { /* the planner knows the fault, if there is one */
        actgrad_drop_cached(cached);
        return NULL;
    }
    *plan = cached->plan;
    plan->handle = 0;
    for (int k = 0; k < plan->operands; k++)
        plan->addresses[k] = (uint64_t)(call->places[2 * plan->tensors[k]] + plan->offsets[k]);
    return cached;
}

static CachedCall* exchange(CachedCall* cached) {
    LOCKED(&actgrad_cache_lock);
    CachedCall* before = table[cached->hash % SLOTS];
    table[cached->hash % SLOTS] = cached;
    return before;
}

CachedCall* actgrad_cache_call(const Call* call, actgrad_plan* plan) {
    CachedCall* cached = calloc(1, sizeof *cached);
    if (cached == NULL || !actgrad_copy_call(call, &cached->call)) {
        free(cached);
        return NULL;
    }
    cached->holders = 2; /* the table and the caller */
    cached->hash = hash_of(call);
    cached->plan = *plan;
    plan->handle = 0; /* released with the cached call */
    CachedCall* evicted = exchange(cached);
    if (evicted != NULL) actgrad_drop_cached(evicted);
    return cached;
}

void actgrad_drop_cached(CachedCall* cached) {
    if (__atomic_sub_fetch(&cached->holders, 1, __ATOMIC_ACQ_REL) > 0) return;
    if (cached->plan.handle != 0) actgrad_release_later(cached->plan.handle);
    free(cached->call.words);
    free(cached);
}
