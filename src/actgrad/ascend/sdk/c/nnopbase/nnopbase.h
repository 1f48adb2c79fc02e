/* The modules of libnnopbase, bottom to top: each module uses the modules above it in this file, and libascendcl. The
   generated functions of the operators call the last module. */
#ifndef ACTGRAD_NNOPBASE_H
#define ACTGRAD_NNOPBASE_H

#include "ascendcl/services.h"

#include "../../../calls/_aliasing.h"

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"

#include <string.h>

enum { NULL_POINTER = 161001, INVALID = 161002, RUNTIME = 361001, INNER = 561000, NO_EXECUTOR = 561101,
       INNER_NULL = 561103 };
enum { MAX_RANK = 64 };
enum { EXECUTORS_ORDER = FIRST_ORDER, SERVER_ORDER, HANDLES_ORDER, STARTING_ORDER, CACHE_ORDER }; /* orders of locks */

/* stack.c: runs a function with enough stack for the interpreter and for strided kernels. Failures of the function are
   reported in the calling thread. */
void actgrad_with_stack(void (*function)(void*), void* argument);

/* objects.c */
struct aclTensor {
    actgrad_live live;
    int32_t dtype;
    int32_t format;
    int64_t rank;
    int64_t storage_rank;
    int64_t offset; /* in elements */
    void* data;
    int64_t* dims; /* dims, strides and storage dims, in one allocation */
    int64_t* strides;
    int64_t* storage_dims;
};
struct aclScalar {
    actgrad_live live;
    int32_t dtype;
    uint64_t bits[2];
};

void actgrad_reshape(const void* tensor, const int64_t* dims, int64_t rank); /* makes it contiguous, with its rank */
const void* actgrad_list_values(const void* list, int64_t* count); /* the values of a list or array that is alive */

/* interpreter.c, server.c, planner.c: the planner, which is Python code of seam.py, in this process or in another. The
   planner reads a call as words, and for each tensor its address and the bytes left in its allocation. The answer is a
   plan. */
/* Dead: a destroyed object, or a pointer to anything else. */
enum { NO_WORDS, TENSOR_WORDS, SCALAR_WORDS, FLAG_WORDS, DEAD_WORDS, TEXT_WORDS, INTS_WORDS, LIST_WORDS };
enum { MAX_OPERANDS = 9 };
enum { INTERFACE = 12 }; /* the version of words and plans. seam.py has the same number */

/* An operand of a plan's function. */
typedef struct {
    int64_t tensor;      /* its index in the call */
    int64_t offset;      /* bytes from the tensor's address to the operand's */
    int64_t needed;      /* bytes from the tensor's address to the end of its allocation, at least */
    actgrad_bytes bytes; /* the bytes of its elements, counted from the operand's address */
    int64_t alike;       /* bits of the inputs that have the layout of this output */
} actgrad_operand;

typedef struct {
    int64_t status;
    int64_t workspace_size;
    int64_t handle; /* the handle of the objects that the planner keeps for the plan, or 0 */
    int64_t run;    /* a function of (block, addresses), which returns 0 if memory is missing. 0 if nothing runs here */
    int64_t block;
    int64_t is_run_by_planner;
    int64_t is_general; /* whether the plan holds for every call of the same words */
    int64_t outputs, operands;
    actgrad_operand all[MAX_OPERANDS]; /* outputs, then inputs */
} actgrad_plan;

/* Requests: plan a call of a function (PLAN), run a plan (RUN), release plans (RELEASE), and END when the process ends.
   The words of RUN and RELEASE are handles of plans. RUN has one place: the distance from device addresses to the
   planner's addresses. In its answer, `outputs` is the number of words that follow: for each tensor with a new shape, its
   index, its rank and its sizes. */
enum { PLAN = 1, RUN = 2, RELEASE = 3, END = 4 };
typedef void actgrad_planner(int64_t request, const char* function, const int64_t* words, int64_t count,
                             const int64_t* places, int64_t place_count, actgrad_plan* answer);
actgrad_planner* actgrad_start_interpreter(void);
actgrad_planner* actgrad_start_server(void);
actgrad_planner actgrad_ask_planner; /* starts the planner at the first request. On failure, INNER and a report */
void actgrad_release_later(int64_t handle); /* returns handles to the planner in batches */

/* calls.c: a call in the form that the planner reads. */
typedef enum { TENSOR, SCALAR, FLAG, TEXT, INTS, BOOLS, TENSORS, SCALARS } actgrad_kind;
typedef struct {
    actgrad_kind kind;
    const void* pointer;
    int64_t value;
} actgrad_argument;
static inline int64_t actgrad_bits(double number) {
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}
typedef struct {
    const char* function;
    int64_t* words; /* the arrays `places` and `objects` follow in the same allocation */
    int64_t count;  /* number of words */
    int64_t tensors;
    int64_t* places;      /* for each tensor, its address and the bytes from the address to the end of its memory */
    const void** objects; /* the tensors */
} Call;
bool actgrad_describe_call(Call* call, const char* function, const actgrad_argument* arguments, int count);
bool actgrad_copy_call(const Call* call, Call* copy); /* the copy has its own words. Both return false if memory is missing */
void actgrad_place(Call* call, int64_t tensor, void* data);

/* tasks.c: a planned call. Its holders are its executor, the cache, each piece of work that is queued or running, and
   the tasks of similar calls. */
typedef struct Task {
    long holders; /* changed atomically */
    int process;  /* the process that planned it */
    Call call;
    actgrad_plan plan;
    int64_t addresses[MAX_OPERANDS];
    struct Task* source; /* the cached task of the same plan, which keeps the machine code, or NULL */
} Task;
int32_t actgrad_plan_call(const Call* call, Task** task); /* takes ownership of the words and reports a failure */
int32_t actgrad_run_task(void* task);
Task* actgrad_hold_task(Task* task);
void actgrad_drop_task(void* task);
bool actgrad_task_writes(const void* task, uint64_t start, uint64_t end); /* addresses of device memory */

/* executors.c: an ordinary executor serves one call. */
struct aclOpExecutor {
    actgrad_live live;
    bool is_repeatable;
    Task* task;
};
aclOpExecutor* actgrad_new_executor(Task* task); /* takes ownership of the task. Returns NULL if memory is missing */
/* The task for phase two of `function`. The caller holds the task. An ordinary executor is used up afterwards. */
int32_t actgrad_take_task(const char* function, aclOpExecutor* executor, Task** task);

/* phases.c: the generated functions of the operators call these. */
EXPORT int32_t actgrad_phase_one(const char* function, const actgrad_argument* arguments, int count,
                                 uint64_t* workspaceSize, aclOpExecutor** executor);
EXPORT int32_t actgrad_note_phase_one(int32_t status); /* keeps a failure for other threads and returns it */
EXPORT int32_t actgrad_phase_two(const char* function, void* workspace, uint64_t workspaceSize,
                                 aclOpExecutor* executor, void* stream);

#endif
