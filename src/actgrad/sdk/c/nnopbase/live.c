/* The objects that a program may use: one set of addresses per kind, open addressing with linear probing. */
#include "nnopbase.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uintptr_t* slots; /* 0: never used; REMOVED: used before */
    size_t capacity;  /* a power of two */
    size_t used;      /* slots that are not 0 */
    size_t count;
} Set;

static const uintptr_t REMOVED = 1; /* no object has this address */

pthread_mutex_t actgrad_live_lock = PTHREAD_MUTEX_INITIALIZER;
static Set sets[LIVE_KINDS];

static size_t start_of(const Set* set, uintptr_t address) {
    return (size_t)((address >> 4) * 0x9e3779b97f4a7c15u >> 20) & (set->capacity - 1);
}

/* The slot that holds `address`, else the free slot that ends the search. */
static uintptr_t* find(const Set* set, uintptr_t address) {
    size_t k = start_of(set, address);
    while (set->slots[k] != 0 && set->slots[k] != address) k = (k + 1) & (set->capacity - 1);
    return &set->slots[k];
}

static bool grow(Set* set) {
    Set larger = {.capacity = set->count * 4 < 64 ? 64 : set->capacity * (set->count * 2 < set->capacity ? 1 : 2)};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL) return false;
    for (size_t k = 0; k < set->capacity; k++) {
        if (set->slots[k] == 0 || set->slots[k] == REMOVED) continue;
        *find(&larger, set->slots[k]) = set->slots[k];
        larger.used = ++larger.count;
    }
    free(set->slots);
    *set = larger;
    return true;
}

bool actgrad_live_add(actgrad_live_kind kind, const void* object) {
    LOCKED(&actgrad_live_lock);
    Set* set = &sets[kind];
    if (4 * (set->used + 1) > 3 * set->capacity && !grow(set)) return false;
    *find(set, (uintptr_t)object) = (uintptr_t)object;
    set->used++;
    set->count++;
    return true;
}

bool actgrad_live_has_locked(actgrad_live_kind kind, const void* object) {
    const Set* set = &sets[kind];
    return object != NULL && set->capacity > 0 && *find(set, (uintptr_t)object) != 0;
}

bool actgrad_live_remove_locked(actgrad_live_kind kind, const void* object) {
    if (!actgrad_live_has_locked(kind, object)) return false;
    *find(&sets[kind], (uintptr_t)object) = REMOVED;
    sets[kind].count--;
    return true;
}

bool actgrad_live_has(actgrad_live_kind kind, const void* object) {
    LOCKED(&actgrad_live_lock);
    return actgrad_live_has_locked(kind, object);
}

bool actgrad_live_remove(actgrad_live_kind kind, const void* object) {
    LOCKED(&actgrad_live_lock);
    return actgrad_live_remove_locked(kind, object);
}

void actgrad_live_retire(void* memory) {
    enum { KEPT = 256 };
    static void* kept[KEPT];
    static size_t next;
    LOCKED(&actgrad_live_lock);
    free(kept[next]);
    kept[next] = memory;
    next = (next + 1) % KEPT;
}

static void report_leaks(void) {
    static const char* const names[LIVE_KINDS] = {"aclTensor", "aclScalar", "array or list", "aclOpExecutor"};
    LOCKED(&actgrad_live_lock);
    for (int kind = 0; kind < LIVE_KINDS; kind++)
        for (size_t k = 0; k < sets[kind].capacity; k++)
            if (sets[kind].slots[k] > REMOVED)
                fprintf(stderr, "actgrad: %s %p was never destroyed\n", names[kind], (void*)sets[kind].slots[k]);
}

__attribute__((constructor)) static void register_reporter(void) { actgrad_on_finalize(report_leaks); }
