/* Calls that passed once: another one of the same words, on memory that is large enough and plainly apart, needs no
   planner. It waits for no lock of the interpreter then, so that threads compute side by side. */
#include "executors.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct Remembered {
    long holders; /* atomic: the table, and the tasks that use its machine code */
    uint64_t hash;
    Call call; /* with words of its own; its places are of the call that was planned */
    actgrad_plan plan;
};

/* Direct-mapped: a call that falls on another's slot takes it. */
enum { SLOTS = 4096 };

static Remembered* table[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hash_of(const Call* call) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char* c = call->function; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    for (int64_t k = 0; k < call->count; k++) {
        hash = (hash ^ (uint64_t)call->words[k]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_like(const Remembered* known, const Call* call, uint64_t hash) {
    return known->hash == hash && known->call.count == call->count &&
           strcmp(known->call.function, call->function) == 0 &&
           memcmp(known->call.words, call->words, (size_t)call->count * sizeof *call->words) == 0;
}

static bool is_output(const Call* call, int tensor) {
    for (int k = 0; k < call->outputs; k++)
        if (call->output_places[k] == tensor) return true;
    return false;
}

/* An output that may be written: apart from every other tensor, or exactly an input of its layout. */
static bool is_free(const actgrad_plan* plan, const Call* call, int output) {
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
        if (is_output(call, k) && !is_free(plan, call, k)) return false;
    }
    return true;
}

Remembered* actgrad_recall(const Call* call, actgrad_plan* plan) {
    uint64_t hash = hash_of(call);
    pthread_mutex_lock(&lock);
    Remembered* known = table[hash % SLOTS];
    if (known != NULL && is_like(known, call, hash))
        __atomic_add_fetch(&known->holders, 1, __ATOMIC_RELAXED);
    else
        known = NULL;
    pthread_mutex_unlock(&lock);
    if (known == NULL) return NULL;
    if (!has_room(&known->plan, call)) { /* what is wrong with it, if anything, the planner says */
        actgrad_let_go_of_remembered(known);
        return NULL;
    }
    *plan = known->plan;
    plan->handle = 0;
    for (int k = 0; k < plan->operands; k++)
        plan->addresses[k] = (uint64_t)(call->places[2 * plan->tensors[k]] + plan->offsets[k]);
    return known;
}

Remembered* actgrad_remember(const Call* call, actgrad_plan* plan) {
    Remembered* known = calloc(1, sizeof *known);
    if (known == NULL || !actgrad_copy_call(call, &known->call)) {
        free(known);
        return NULL;
    }
    known->holders = 2;
    known->hash = hash_of(call);
    known->plan = *plan;
    plan->handle = 0; /* given back with what is remembered */
    pthread_mutex_lock(&lock);
    Remembered* before = table[known->hash % SLOTS];
    table[known->hash % SLOTS] = known;
    pthread_mutex_unlock(&lock);
    if (before != NULL) actgrad_let_go_of_remembered(before);
    return known;
}

void actgrad_let_go_of_remembered(Remembered* known) {
    if (__atomic_sub_fetch(&known->holders, 1, __ATOMIC_ACQ_REL) > 0) return;
    if (known->plan.handle != 0) actgrad_release_later(known->plan.handle);
    free(known->call.words);
    free(known);
}

void actgrad_remembered_lock(void) { pthread_mutex_lock(&lock); }
void actgrad_remembered_unlock(void) { pthread_mutex_unlock(&lock); }
