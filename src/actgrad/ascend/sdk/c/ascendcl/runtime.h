/* The modules of libascendcl, bottom to top: each module uses only modules above it in this file. */
#ifndef ACTGRAD_RUNTIME_H
#define ACTGRAD_RUNTIME_H

#include "services.h"

#include <stdatomic.h>

#include "acl/acl.h"

/* errors.c */
aclError actgrad_fail_memory(const char* function); /* malloc returned NULL */
const char* actgrad_newest_reason(void);            /* the thread's newest text, without time and title */

/* live.c. Each function actgrad_report_... lists leaks when a strict program ends. */
void actgrad_report_objects(void);

/* contexts.c: a context lives as long as the process, so any pointer to a context may be read. */
extern atomic_bool actgrad_is_started; /* set in lifecycle.c. A strict program must call aclInit or aclnnInit */
void actgrad_report_contexts(void);
typedef struct Context Context;
Context* actgrad_current_context(void); /* the thread's context, or NULL if it has none or its context has ended */
int32_t actgrad_device_of(const Context* context); /* returns 0 for NULL */
aclError actgrad_check_device_id(const char* function, int32_t deviceId);
aclError actgrad_check_device(const char* function); /* fails in a thread without a context */
void actgrad_use_device(int32_t device); /* counts a use, and makes the default context current */
bool actgrad_leave_device(int32_t device, bool is_forced); /* returns whether no use is left */
void actgrad_end_default_context(int32_t device);

/* arena.c: a sorted array of the memory blocks in use, and the address space of the blocks. Callers hold a lock. */
typedef struct {
    uint64_t start;
    uint64_t size; /* the size that the program requested */
    const void* maker; /* the code that requested it */
} Block;
typedef struct {
    Block* all;
    size_t count;
    size_t capacity;
} Blocks;
size_t actgrad_blocks_after(const Blocks* blocks, uint64_t address); /* blocks that start at or before it */
const Block* actgrad_blocks_find(const Blocks* blocks, uint64_t address); /* the block around an address, or NULL */
const Block* actgrad_blocks_starting(const Blocks* blocks, uint64_t address); /* the block that starts there, or NULL */
bool actgrad_blocks_insert(Blocks* blocks, size_t index, Block block); /* returns false if memory is missing */
void actgrad_blocks_remove(Blocks* blocks, size_t index);

typedef struct {
    uint64_t base;
    uint64_t size;
    int64_t distance;   /* distance from a device address to an address in this process */
    int file;           /* mapped at the addresses, or -1 for private memory */
    uint64_t touchable; /* bytes from the base that are accessible */
} Arena;
bool actgrad_arena_open(Arena* arena);
bool actgrad_arena_reach(Arena* arena, uint64_t end); /* makes the memory before `end` accessible */
void actgrad_arena_use_huge_pages(const Arena* arena, uint64_t start, uint64_t end);
void actgrad_arena_give_back(const Arena* arena, uint64_t start, uint64_t end); /* the memory reads as 0 afterwards */
int actgrad_arena_copy(const Arena* arena); /* the file for a forked child, or -1 on failure */
void actgrad_arena_change_file(Arena* arena, int file); /* takes ownership of the file; -1 leaves the arena empty */

/* memory.c */
bool actgrad_is_device_address(uint64_t address); /* whether any allocation could be at this address */
void actgrad_describe_address(uint64_t address, char* text, size_t size); /* "0x... is ..." */
void actgrad_report_memory(void);

/* streams.c */
typedef struct Stream Stream;
typedef struct {
    Stream* stream; /* may be destroyed, so only streams.c reads it */
    uint64_t number;
} Place; /* a place in the queue of a strict program. The default place is before the queue */
/* Like actgrad_submit, with the name of the caller. If `place` is not NULL, it gets the work's place in the queue. */
aclError actgrad_submit_from(const char* function, aclrtStream stream, actgrad_work work, actgrad_release release,
                             actgrad_writes writes, void* argument, Place* place);
/* Prints a warning if queued work writes memory that the function reads now. */
void actgrad_warn_of_writers(const char* function, uint64_t start, uint64_t end);
bool actgrad_is_pending(Place place);
void actgrad_run_until(Place place); /* does the stream's work up to the place */
aclError actgrad_finish(Place place); /* the same, and returns the first failure on that stream since the last call */
aclError actgrad_run_device(int32_t device); /* does the work of all its streams. Returns 0 or the first failure */
aclError actgrad_check_timeout(const char* function, int32_t timeout);
void actgrad_report_streams(void);
/* Called by functions that read results, or that report the end of work. */
aclError actgrad_check_refusals(const char* function); /* fails if work failed and the thread does not know it yet */
void actgrad_note_work(void);                          /* the thread submitted work that did not fail */
void actgrad_forget_refusal(int32_t device);

#endif
