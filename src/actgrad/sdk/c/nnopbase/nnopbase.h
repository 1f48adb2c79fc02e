/* The modules of libnnopbase, bottom to top: each uses those above it in this file, and libascendcl. The generated
   functions of the operators call the last one. */
#ifndef ACTGRAD_NNOPBASE_H
#define ACTGRAD_NNOPBASE_H

#include "ascendcl/services.h"

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"

enum { NULL_POINTER = 161001, INVALID = 161002, RUNTIME = 361001, INNER = 561000, NO_EXECUTOR = 561101,
       INNER_NULL = 561103 };
enum { MAX_RANK = 64 };

/* stack.c: runs a function with enough stack for the interpreter and for strided kernels. Its failures are reported in
   the calling thread. */
void actgrad_with_stack(void (*function)(void*), void* argument);

/* live.c: the objects that a program may use. It tells destroyed ones without reading their memory. */
typedef enum { LIVE_TENSOR, LIVE_SCALAR, LIVE_LIST, LIVE_EXECUTOR, LIVE_KINDS } actgrad_live_kind;
bool actgrad_live_add(actgrad_live_kind kind, const void* object); /* false without memory */
bool actgrad_live_has(actgrad_live_kind kind, const void* object);
bool actgrad_live_remove(actgrad_live_kind kind, const void* object); /* true for one thread alone */
void actgrad_live_retire(void* memory); /* frees it after a while: until then no new object has its address */
/* For callers that hold the lock, because they read the object. */
bool actgrad_live_has_locked(actgrad_live_kind kind, const void* object);
bool actgrad_live_remove_locked(actgrad_live_kind kind, const void* object);

/* objects.c */
struct aclTensor {
    int32_t dtype;
    int32_t format;
    int64_t rank;
    int64_t storage_rank;
    int64_t offset; /* elements */
    void* data;
    int64_t* dims; /* dims, strides and storage dims, in one piece */
    int64_t* strides;
    int64_t* storage_dims;
};
struct aclScalar {
    int32_t dtype;
    uint64_t bits[2];
};

/* interpreter.c, server.c, planner.c: the planner, Python code of seam.py, in this process or in another. It gets a
   call as words, and per tensor its address and the bytes left in its allocation. It answers with a plan. */
enum { NO_WORDS, TENSOR_WORDS, SCALAR_WORDS, FLAG_WORDS, DEAD_WORDS }; /* dead: destroyed, or no object at all */
enum { MAX_OPERANDS = 8 };
enum { INTERFACE = 5 }; /* the version of words and plans; seam.py has the same number */

/* The memory that a plan needs of one tensor, in bytes from the address of its storage. */
typedef struct {
    int64_t needed;    /* to the end of its allocation, or more */
    int64_t low, high; /* the first byte of the elements, and the one after the last */
    int64_t alike;     /* bits of the tensors with the same layout and offset: the same view at the same address */
} actgrad_extent;

typedef struct {
    int64_t status;
    int64_t workspace_size;
    int64_t handle; /* of the objects that the planner keeps for the plan; 0 for none */
    int64_t run;    /* a function of (block, addresses), which returns 0 without memory; itself 0 for no work here */
    int64_t block;
    int64_t is_run_by_planner;
    uint64_t addresses[MAX_OPERANDS];
    int64_t is_general; /* the plan holds for every call of the same words; the fields below are set only then */
    int64_t operands;   /* of the function: output and input addresses */
    int64_t tensors[MAX_OPERANDS]; /* per operand the number of its tensor, and the bytes from that one's address */
    int64_t offsets[MAX_OPERANDS];
    actgrad_extent extents[MAX_OPERANDS]; /* per tensor of the call */
} actgrad_plan;

typedef struct {
    void (*plan)(const char* function, const int64_t* words, int64_t count, const int64_t* places, int64_t tensors,
                 actgrad_plan* plan);
    int32_t (*run)(int64_t handle, int64_t distance); /* from the plan's addresses to the memory itself */
    void (*release)(const int64_t* handles, int64_t count);
} actgrad_planner;

const actgrad_planner* actgrad_start_interpreter(void);
const actgrad_planner* actgrad_start_server(void);
void actgrad_server_forget(void); /* in a forked child: the server is its parent's */
const actgrad_planner* actgrad_planner_or_report(void); /* starts it at the first call; NULL and a report on failure */
void actgrad_release_later(int64_t handle); /* gives back handles in batches */

/* calls.c: a call, as the planner gets it. */
typedef enum { TENSOR_IN, TENSOR_OUT, TENSOR_IN_OUT, SCALAR, FLAG } actgrad_kind;
typedef struct {
    actgrad_kind kind;
    const char* name;
    const void* pointer;
    int64_t value;
} actgrad_argument;
typedef struct {
    const char* function;
    int64_t* words;
    int64_t count; /* of the words */
    int64_t tensors;
    int64_t places[2 * MAX_OPERANDS]; /* per tensor its address, and the bytes from there to the end of its memory */
    const void* objects[MAX_OPERANDS];
    int inputs, outputs;
    int input_places[MAX_OPERANDS], output_places[MAX_OPERANDS]; /* among the tensors */
} Call;
bool actgrad_describe_call(Call* call, const char* function, const actgrad_argument* arguments, int count);
bool actgrad_copy_call(const Call* call, Call* copy); /* with words of its own; both: false without memory */
void actgrad_place(Call* call, int64_t tensor, void* data);

/* cached_calls.c: calls that passed, with their general plans. */
typedef struct CachedCall CachedCall;
CachedCall* actgrad_find_cached(const Call* call, actgrad_plan* plan); /* holds it; NULL: no call like this one */
CachedCall* actgrad_cache_call(const Call* call, actgrad_plan* plan); /* takes the plan's handle; NULL: no memory */
void actgrad_drop_cached(CachedCall* cached);

/* tasks.c: a planned call. Its executor holds it, and so does each piece of work that is queued or running. */
typedef struct {
    long holders; /* atomic */
    int process;  /* that planned it */
    Call call;
    actgrad_plan plan;
    CachedCall* cached; /* with the machine code that the plan runs; NULL for none */
} Task;
int32_t actgrad_plan_call(const Call* call, Task** task); /* takes the call's words; reports a failure */
int32_t actgrad_run_task(void* task);
Task* actgrad_hold_task(Task* task);
void actgrad_drop_task(void* task);

/* executors.c: ordinary executors run once. Their fields are read under the lock of live.c alone. */
struct aclOpExecutor {
    bool is_repeatable;
    Task* task;
};
aclOpExecutor* actgrad_new_executor(Task* task); /* takes the task; NULL: no memory */
/* The task for phase two of `function`, held. An ordinary executor is used up by this. */
int32_t actgrad_take_task(const char* function, aclOpExecutor* executor, Task** task);

/* phases.c: the generated functions of the operators call these. */
EXPORT int32_t actgrad_phase_one(const char* function, const actgrad_argument* arguments, int count,
                                 uint64_t* workspaceSize, aclOpExecutor** executor);
EXPORT int32_t actgrad_phase_two(const char* function, void* workspace, uint64_t workspaceSize,
                                 aclOpExecutor* executor, void* stream);

/* The locks, for forks.c and for callers of the _locked functions. */
extern pthread_mutex_t actgrad_cache_lock, actgrad_starting_lock, actgrad_handles_lock, actgrad_server_lock,
    actgrad_live_lock;

#endif
