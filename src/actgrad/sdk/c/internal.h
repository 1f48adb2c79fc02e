/* What the libraries of the SDK share. Nothing of this is for programs. */
#ifndef ACTGRAD_INTERNAL_H
#define ACTGRAD_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* ---- libascendcl ---------------------------------------------------------------------------------------------- */

/* errors.c: the text of the last failure, one per thread, as aclGetRecentErrMsg gives it once. */
#define PARAMETER_ERROR "AclNN_Parameter_Error(EZ1001)"
#define INNER_ERROR "AclNN_Inner_Error(EZ9999)"
#define RUNTIME_ERROR "Invalid_Argument(EE1001)"
/* "[PID: n] time title: text" */
EXPORT void actgrad_report(const char* title, const char* format, ...) __attribute__((format(printf, 2, 3)));
/* A text that is complete. */
EXPORT void actgrad_report_text(const char* text);

/* settings.c: what the environment says, read once. */
EXPORT bool actgrad_is_strict(void); /* ACTGRAD_STRICT=1 */
EXPORT bool actgrad_uses_server(void); /* the operators are computed by another process */
EXPORT const char* actgrad_python(void); /* the interpreter's executable */
EXPORT const char* actgrad_libpython(void); /* its shared library, "" where there is none */
EXPORT const char* actgrad_version(void); /* its version, for example "3.12" */
EXPORT bool actgrad_is_version(const char* version); /* whether "3.12.1 (..." is that version */

/* memory.c: device memory. */
/* The bytes from an address to the end of its allocation; -1 where it is in none that is alive. */
EXPORT int64_t actgrad_memory_left(uint64_t address);
/* What to add to a device address to get the address where this process may touch it; 0 unless strict. */
EXPORT int64_t actgrad_memory_distance(void);
/* The file behind device memory and where it is mapped, for a process that computes on it; 0 on success. */
EXPORT int actgrad_memory_share(int* file, uint64_t* base, uint64_t* size);

/* streams.c: work in order. */
typedef int32_t (*actgrad_work)(void* argument); /* its status */
typedef void (*actgrad_release)(void* argument);
/* Do `work` on a stream: at once, or strictly when it is synchronised; `release` in any case: afterwards, or when the
   work is dropped or refused.
   The status of what was done at once; 107003 and nothing done where `stream` is none or was destroyed. */
EXPORT int32_t actgrad_submit(void* stream, actgrad_work work, actgrad_release release, void* argument);

/* device.c: what aclFinalize asks about, to report what was not given back when strict. */
typedef void (*actgrad_leaks)(void);
EXPORT void actgrad_on_finalize(actgrad_leaks report);
/* Whether the calling thread has a device; reports the failure of `function` where it has none. */
EXPORT bool actgrad_has_device(const char* function);
/* What aclnnInit and aclnnFinalize say; the end of the last of both kinds reports the leaks. */
EXPORT void actgrad_set_aclnn_initialised(bool is);

/* ---- libnnopbase ---------------------------------------------------------------------------------------------- */

enum { MAX_RANK = 64 };

/* live.c: which objects a program may use. Their memory is not looked at, so that a destroyed one is told safely. */
typedef enum { LIVE_TENSOR, LIVE_SCALAR, LIVE_LIST, LIVE_EXECUTOR, LIVE_KINDS } actgrad_live_kind;
bool actgrad_live_add(actgrad_live_kind kind, const void* object); /* false where memory runs out */
bool actgrad_live_has(actgrad_live_kind kind, const void* object);
bool actgrad_live_remove(actgrad_live_kind kind, const void* object); /* whether it was there; one thread gets true */
/* Frees memory of objects that are not alive any more, after a while: until then no new object has their address. */
void actgrad_live_retire(void* memory);
void actgrad_live_lock(void); /* for who looks into an object; the two below are for the holder of the lock */
void actgrad_live_unlock(void);
bool actgrad_live_has_locked(actgrad_live_kind kind, const void* object);
bool actgrad_live_remove_locked(actgrad_live_kind kind, const void* object);

/* objects.c */
typedef struct aclTensor {
    int32_t dtype;
    int32_t format;
    int64_t rank;
    int64_t storage_rank;
    int64_t offset; /* elements */
    void* data;
    int64_t* dims; /* dims, strides and storage dims, in one piece */
    int64_t* strides;
    int64_t* storage_dims;
} aclTensor;

typedef struct aclScalar {
    int32_t dtype;
    uint64_t bits[2];
} aclScalar;

/* phases.c: what the generated stubs call. */
typedef enum { TENSOR_IN, TENSOR_OUT, TENSOR_IN_OUT, SCALAR, FLAG } actgrad_kind;
typedef struct actgrad_argument {
    actgrad_kind kind;
    const char* name;
    const void* pointer;
    int64_t value;
} actgrad_argument;
struct aclOpExecutor;
EXPORT int32_t actgrad_phase_one(const char* function, const actgrad_argument* arguments, int count,
                                 uint64_t* workspaceSize, struct aclOpExecutor** executor);
EXPORT int32_t actgrad_phase_two(const char* function, void* workspace, uint64_t workspaceSize,
                                 struct aclOpExecutor* executor, void* stream);

/* host.c: the planner, Python code in this process or in another. A call goes there as words: per argument its kind
   (see WORDS below) and what describes it; then, per tensor, its address and the bytes left in its allocation. */
enum { NO_WORDS, TENSOR_WORDS, SCALAR_WORDS, FLAG_WORDS, DEAD_WORDS }; /* dead: destroyed, or no object at all */
enum { MAX_OPERANDS = 8 };
enum { INTERFACE = 4 }; /* counts the changes to what C and Python tell each other; seam.py has the same number */

/* What the memory of one tensor must be like for a plan to hold; bytes from the address of its storage. */
typedef struct actgrad_extent {
    int64_t needed;    /* to the end of its allocation, or more */
    int64_t low, high; /* the first byte of the elements, and the one after the last */
    int64_t alike;     /* bits of the tensors of the same layout and offset, the same view where the address is */
} actgrad_extent;

/* What phase two does. */
typedef struct actgrad_plan {
    int64_t status;
    int64_t workspace_size;
    int64_t handle; /* of what the planner keeps for it; 0 for nothing */
    int64_t run;    /* a function of (block, addresses), which returns 0 where memory is missing; itself 0 where there is
                       nothing to compute, or the planner does it */
    int64_t block;
    int64_t is_run_by_planner;
    uint64_t addresses[MAX_OPERANDS];
    int64_t is_general; /* holds for all calls of these words, as what follows says; nothing of that is set otherwise */
    int64_t operands;   /* of the function: output and input addresses */
    int64_t tensors[MAX_OPERANDS]; /* per operand which of the call's it is, and the bytes from that one's address */
    int64_t offsets[MAX_OPERANDS];
    actgrad_extent extents[MAX_OPERANDS]; /* per tensor of the call */
} actgrad_plan;

typedef struct actgrad_planner {
    void (*plan)(const char* function, const int64_t* words, int64_t count, const int64_t* places, int64_t tensors,
                 actgrad_plan* plan);
    int32_t (*run)(int64_t handle);
    void (*release)(const int64_t* handles, int64_t count);
} actgrad_planner;

const actgrad_planner* actgrad_planner_or_report(void); /* started when first asked for; NULL and a report on failure */
void actgrad_release_later(int64_t handle); /* a handle that is not needed any more; given back in batches */

const actgrad_planner* actgrad_start_interpreter(void); /* interpreter.c */
const actgrad_planner* actgrad_start_server(void);      /* server.c */

/* stack.c: kernels and the interpreter need more stack than some threads have. What the function reports is the calling
   thread's. */
void actgrad_with_stack(void (*function)(void*), void* argument);

/* forking.c calls these around a fork. */
void actgrad_host_lock(void);
void actgrad_host_unlock(void);
void actgrad_remembered_lock(void);
void actgrad_remembered_unlock(void);
void actgrad_server_lock(void);
void actgrad_server_unlock(void);
void actgrad_server_forget(void); /* in a child: the server is its parent's */

#endif
