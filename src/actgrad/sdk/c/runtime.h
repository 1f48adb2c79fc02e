/* What the files of libascendcl share among themselves. */
#ifndef ACTGRAD_RUNTIME_H
#define ACTGRAD_RUNTIME_H

#include "internal.h"

#include "acl/acl.h"

enum { DEVICES = 8 }; /* as many as a server with Ascend cards has */

/* errors.c: reports a failure and gives its code back, so that `return actgrad_fail(...)` does both. */
aclError actgrad_fail(aclError code, const char* format, ...) __attribute__((format(printf, 2, 3)));
aclError actgrad_fail_null(const char* function, const char* argument);

/* settings.c: ACTGRAD_PRODUCT, "" where it is not set. */
const char* actgrad_product(void);

/* blocks.c: which stretches of memory are in use, by address. */
typedef struct {
    uint64_t start;
    uint64_t size; /* as the program asked for it */
} Block;
typedef struct {
    Block* all;
    size_t count;
    size_t capacity;
} Blocks;
/* How many start at the address or before it. */
size_t actgrad_blocks_after(const Blocks* blocks, uint64_t address);
/* The one around an address, or NULL. */
const Block* actgrad_blocks_find(const Blocks* blocks, uint64_t address);
/* False where memory runs out. */
bool actgrad_blocks_insert(Blocks* blocks, size_t index, Block block);
void actgrad_blocks_remove(Blocks* blocks, size_t index);

/* arena.c: the addresses that device memory is made of. The caller holds memory.c's lock. */
typedef struct {
    uint64_t base;
    uint64_t size;
    int64_t distance;   /* from a device address to where this process may touch it */
    int file;           /* what is mapped there; -1 for private memory */
    uint64_t touchable; /* how much of it can be touched */
} Arena;
bool actgrad_arena_open(Arena* arena);
bool actgrad_arena_reach(Arena* arena, uint64_t end); /* makes what lies before `end` touchable; false if it cannot */
void actgrad_arena_use_huge_pages(const Arena* arena, uint64_t start, uint64_t end);
/* Whole pages; they are zero when next touched. */
void actgrad_arena_give_back(const Arena* arena, uint64_t start, uint64_t end);
/* A copy of the file with what is in use, for a child to have instead of it; -1 where that fails. */
int actgrad_arena_copy(const Arena* arena, const Blocks* used);
void actgrad_arena_change_file(Arena* arena, int file); /* takes the file; -1 leaves the arena empty */

/* memory.c */
bool actgrad_is_device_address(uint64_t address); /* whether any allocation could lie there */
void actgrad_describe_address(uint64_t address, char* text, size_t size); /* "0x... is ..." */
void actgrad_report_memory_leaks(void);

/* device.c: contexts live as long as the process, so that a pointer to one can always be looked at. */
typedef struct Context Context;
Context* actgrad_current_context(void); /* the thread's; NULL where it has none, or where it was destroyed */
int32_t actgrad_device_of(const Context* context);
/* 0, or the reported failure of `function`: no aclInit (when strict), or no device in this thread. */
aclError actgrad_check_device(const char* function);
aclError actgrad_check_device_if_strict(const char* function);

/* streams.c */
typedef struct Stream Stream;
typedef struct {
    Stream* stream; /* it may be destroyed: only streams.c looks into it */
    uint64_t number;
} Place; /* in the queue of a stream */
/* What actgrad_submit does, for a function that gives its name. `place` gets where the work was queued, if not NULL. */
aclError actgrad_do(const char* function, aclrtStream stream, actgrad_work work, actgrad_release release,
                    void* argument, Place* place);
void actgrad_run_until(Place place); /* what was queued up to there is done then */
aclError actgrad_take_failure(Place place); /* the first failure on that stream since it was asked for */
aclError actgrad_run_device(int32_t device); /* all of its streams; 0 or the first failure */
aclError actgrad_check_timeout(const char* function, int32_t timeout);
void actgrad_report_stream_leaks(void);

/* events.c */
void actgrad_report_event_leaks(void);

/* forks.c calls these around a fork, in one order. */
void actgrad_device_lock(void);
void actgrad_device_unlock(void);
void actgrad_streams_lock(void);
void actgrad_streams_unlock(void);
void actgrad_streams_forget_other_threads(void);
void actgrad_events_lock(void);
void actgrad_events_unlock(void);
void actgrad_memory_lock(void);
void actgrad_memory_unlock(void);
void actgrad_memory_before_fork(void);
void actgrad_memory_in_parent(void);
void actgrad_memory_in_child(void);
void actgrad_clock_lock(void);
void actgrad_clock_unlock(void);

#endif
