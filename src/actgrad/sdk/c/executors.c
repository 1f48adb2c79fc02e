/* Executors and the two phases. Phase one describes a call to the planner, which checks it by the rules of Python's API
   and answers with machine code and addresses; phase two runs that without the interpreter. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "aclnn/acl_meta.h"

enum { NULL_POINTER = 161001, INVALID = 161002, INNER = 561000, NO_EXECUTOR = 561101, INNER_NULL = 561103 };

struct aclOpExecutor {
    const char* function;
    bool is_repeatable;
    actgrad_plan plan;
    /* The call as the planner was told, for new addresses. */
    int64_t count;
    int64_t tensors;
    int64_t* words;
    int64_t* places;
    int inputs, outputs;
    int input_places[MAX_OPERANDS], output_places[MAX_OPERANDS]; /* among the tensors */
    const void* objects[MAX_OPERANDS];
};

/* ---- phase one */

static int64_t words_of_tensor(const aclTensor* tensor, int64_t* words) {
    int64_t count = 0;
    words[count++] = TENSOR_WORDS;
    words[count++] = tensor->dtype;
    words[count++] = tensor->format;
    words[count++] = tensor->offset;
    words[count++] = tensor->rank;
    words[count++] = tensor->storage_rank;
    int64_t sizes = 2 * tensor->rank + tensor->storage_rank;
    if (sizes > 0) memcpy(words + count, tensor->dims, (size_t)sizes * sizeof *words);
    return count + sizes;
}

static int64_t most_words(const actgrad_argument* argument) {
    if (argument->kind > TENSOR_IN_OUT || argument->pointer == NULL) return 4;
    const aclTensor* tensor = argument->pointer;
    return 6 + 2 * tensor->rank + tensor->storage_rank;
}

/* Whether an argument is alive, as far as it is an object; reports where it is not. */
static bool is_alive(const char* function, const actgrad_argument* argument) {
    if (argument->pointer == NULL || argument->kind == FLAG) return true;
    bool is_scalar = argument->kind == SCALAR;
    if (actgrad_live_has(is_scalar ? LIVE_SCALAR : LIVE_TENSOR, argument->pointer)) return true;
    actgrad_report(PARAMETER_ERROR, "%s: %s was destroyed, or is no %s", function, argument->name,
                   is_scalar ? "aclScalar" : "aclTensor");
    return false;
}

static void put_place(aclOpExecutor* executor, int64_t tensor, void* data) {
    executor->places[2 * tensor] = (int64_t)(intptr_t)data;
    executor->places[2 * tensor + 1] = data == NULL ? -2 : actgrad_memory_left((uint64_t)(uintptr_t)data);
}

static void describe(aclOpExecutor* executor, const actgrad_argument* arguments, int count) {
    for (int k = 0; k < count; k++) {
        int64_t* words = executor->words + executor->count;
        const actgrad_argument* argument = &arguments[k];
        if (argument->kind == FLAG) {
            words[0] = FLAG_WORDS;
            words[1] = argument->value;
            executor->count += 2;
        } else if (argument->pointer == NULL) {
            words[0] = NO_WORDS;
            executor->count += 1;
        } else if (argument->kind == SCALAR) {
            const aclScalar* scalar = argument->pointer;
            words[0] = SCALAR_WORDS;
            words[1] = scalar->dtype;
            memcpy(words + 2, scalar->bits, sizeof scalar->bits);
            executor->count += 4;
        } else {
            const aclTensor* tensor = argument->pointer;
            executor->count += words_of_tensor(tensor, words);
            int place = (int)executor->tensors++;
            executor->objects[place] = tensor;
            put_place(executor, place, tensor->data);
            if (argument->kind != TENSOR_OUT) executor->input_places[executor->inputs++] = place;
            if (argument->kind != TENSOR_IN) executor->output_places[executor->outputs++] = place;
        }
    }
}

static aclOpExecutor* new_executor(const char* function, const actgrad_argument* arguments, int count) {
    int64_t most = 0;
    for (int k = 0; k < count; k++) most += most_words(&arguments[k]);
    aclOpExecutor* executor = calloc(1, sizeof *executor);
    if (executor == NULL) return NULL;
    executor->words = malloc((size_t)(most + 2 * count) * sizeof *executor->words);
    executor->places = executor->words == NULL ? NULL : executor->words + most;
    if (executor->words == NULL) {
        free(executor);
        return NULL;
    }
    executor->function = function;
    describe(executor, arguments, count);
    return executor;
}

static void free_executor(aclOpExecutor* executor) {
    if (executor->plan.handle != 0) actgrad_release_later(executor->plan.handle);
    free(executor->words);
    free(executor);
}

typedef struct {
    const actgrad_planner* planner;
    const aclOpExecutor* executor;
    const int64_t* places;
    actgrad_plan* plan;
} Planning;

static void ask_planner(void* argument) {
    Planning* planning = argument;
    const aclOpExecutor* executor = planning->executor;
    planning->planner = actgrad_planner_or_report();
    if (planning->planner == NULL) return;
    planning->planner->plan(executor->function, executor->words, executor->count, planning->places, executor->tensors,
                            planning->plan);
}

/* Have the call of an executor planned for `places`. The answer says failure until it is filled in, so that an
   exception that escapes the planner never looks like success. */
static int32_t plan_for(const aclOpExecutor* executor, const int64_t* places, actgrad_plan* plan) {
    memset(plan, 0, sizeof *plan);
    plan->status = INNER;
    Planning planning = {.executor = executor, .places = places, .plan = plan};
    actgrad_with_stack(ask_planner, &planning);
    if (plan->status == 0 && plan->run != 0)
        for (int k = 0; k < MAX_OPERANDS; k++) plan->addresses[k] += (uint64_t)actgrad_memory_distance();
    return (int32_t)plan->status;
}

EXPORT int32_t actgrad_phase_one(const char* function, const actgrad_argument* arguments, int count,
                                 uint64_t* workspaceSize, aclOpExecutor** executor) {
    if (workspaceSize == NULL || executor == NULL) {
        actgrad_report(PARAMETER_ERROR, "%s: %s is a null pointer; it is required", function,
                       workspaceSize == NULL ? "workspaceSize" : "executor");
        return NULL_POINTER;
    }
    for (int k = 0; k < count; k++)
        if (!is_alive(function, &arguments[k])) return INVALID;
    aclOpExecutor* made = new_executor(function, arguments, count);
    if (made == NULL) return NO_EXECUTOR;
    int32_t status = plan_for(made, made->places, &made->plan);
    if (status == 0 && !actgrad_live_add(LIVE_EXECUTOR, made)) status = NO_EXECUTOR;
    if (status != 0) {
        free_executor(made);
        return status;
    }
    *workspaceSize = (uint64_t)made->plan.workspace_size;
    *executor = made;
    return 0;
}

/* ---- phase two */

typedef struct {
    const actgrad_plan* plan;
    int32_t status;
} Running;

static void run_plan(void* argument) {
    Running* running = argument;
    const actgrad_plan* plan = running->plan;
    if (plan->is_run_by_planner) {
        const actgrad_planner* planner = actgrad_planner_or_report();
        running->status = planner == NULL ? INNER : planner->run(plan->handle);
    } else if (plan->run != 0) {
        void (*run)(void*, const uint64_t*) = (void (*)(void*, const uint64_t*))(intptr_t)plan->run;
        run((void*)(intptr_t)plan->block, plan->addresses);
    }
}

static int32_t compute(void* argument) {
    Running running = {.plan = &((const aclOpExecutor*)argument)->plan, .status = 0};
    actgrad_with_stack(run_plan, &running);
    return running.status;
}

static void release_used(void* executor) { free_executor(executor); }

static int32_t compute_copy(void* plan) {
    Running running = {.plan = plan, .status = 0};
    actgrad_with_stack(run_plan, &running);
    return running.status;
}

EXPORT int32_t actgrad_phase_two(const char* function, void* workspace, uint64_t workspaceSize,
                                 aclOpExecutor* executor, void* stream) {
    if (executor == NULL) {
        actgrad_report(PARAMETER_ERROR, "%s: executor is a null pointer; it is required", function);
        return NULL_POINTER;
    }
    if (!actgrad_live_has(LIVE_EXECUTOR, executor)) {
        actgrad_report(INNER_ERROR, "%s: executor %p ran already, was destroyed, or is none; call %sGetWorkspaceSize",
                       function, (void*)executor, function);
        return INNER;
    }
    if (strcmp(executor->function, function) != 0) {
        actgrad_report(INNER_ERROR, "%s: executor is one of %s", function, executor->function);
        return INNER;
    }
    bool lacks_workspace = workspaceSize > 0 && workspace == NULL;
    if (lacks_workspace)
        actgrad_report(PARAMETER_ERROR, "%s: workspace is a null pointer, but workspaceSize is %llu", function,
                       (unsigned long long)workspaceSize);
    if (executor->is_repeatable) {
        if (lacks_workspace) return NULL_POINTER;
        if (!actgrad_is_strict()) return actgrad_submit(stream, compute, NULL, executor);
        /* It may be given other addresses, or be destroyed, before the stream is synchronised. */
        actgrad_plan* copy = malloc(sizeof *copy);
        if (copy == NULL) return INNER;
        *copy = executor->plan;
        return actgrad_submit(stream, compute_copy, free, copy);
    }
    if (!actgrad_live_remove(LIVE_EXECUTOR, executor)) { /* another thread was quicker */
        actgrad_report(INNER_ERROR, "%s: executor %p ran already", function, (void*)executor);
        return INNER;
    }
    if (lacks_workspace) {
        free_executor(executor);
        return NULL_POINTER;
    }
    return actgrad_submit(stream, compute, release_used, executor);
}

/* ---- what a program may do with an executor */

static aclnnStatus check_executor(const char* function, const aclOpExecutor* executor) {
    if (executor == NULL) {
        actgrad_report(INNER_ERROR, "%s: executor is a null pointer; it is required", function);
        return INNER_NULL;
    }
    if (actgrad_live_has(LIVE_EXECUTOR, executor)) return 0;
    actgrad_report(INNER_ERROR, "%s: executor %p ran already, was destroyed, or is none", function,
                   (const void*)executor);
    return INNER;
}

EXPORT aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
    aclnnStatus status = check_executor(__func__, executor);
    if (status == 0) executor->is_repeatable = true;
    return status;
}

EXPORT aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    aclnnStatus status = check_executor(__func__, executor);
    if (status != 0) return status;
    if (!actgrad_live_remove(LIVE_EXECUTOR, executor)) return INNER;
    free_executor(executor);
    return 0;
}

/* Plan the executor's call anew with one tensor on other memory; nothing changes where that fails. */
static aclnnStatus move_tensor(aclOpExecutor* executor, aclTensor* tensor, void* address) {
    actgrad_plan plan;
    int64_t before[2 * MAX_OPERANDS];
    size_t size = (size_t)executor->tensors * 2 * sizeof *before;
    memcpy(before, executor->places, size);
    for (int k = 0; k < executor->tensors; k++) /* the address belongs to the tensor, wherever that was given */
        if (executor->objects[k] == tensor) put_place(executor, k, address);
    int32_t status = plan_for(executor, executor->places, &plan);
    if (status != 0) {
        memcpy(executor->places, before, size);
        return status;
    }
    if (executor->plan.handle != 0) actgrad_release_later(executor->plan.handle);
    executor->plan = plan;
    tensor->data = address;
    return 0;
}

typedef enum { INPUTS, OUTPUTS, ALL } Group;

/* The place, among the call's tensors, of number `index` of a group; -1 where there is none. */
static int place_of(const aclOpExecutor* executor, Group group, size_t index) {
    if (group != OUTPUTS && index < (size_t)executor->inputs) return executor->input_places[index];
    if (group == ALL) index -= (size_t)executor->inputs;
    return group != INPUTS && index < (size_t)executor->outputs ? executor->output_places[index] : -1;
}

static aclnnStatus set_address(const char* function, aclOpExecutor* executor, Group group, size_t index,
                               aclTensor* tensor, void* address) {
    aclnnStatus status = check_executor(function, executor);
    if (status != 0) return status;
    if (tensor == NULL) {
        actgrad_report(INNER_ERROR, "%s: tensor is a null pointer; it is required", function);
        return INNER_NULL;
    }
    if (!executor->is_repeatable) {
        actgrad_report(INNER_ERROR, "%s: executor is not reusable; call aclSetAclOpExecutorRepeatable first", function);
        return INNER;
    }
    int place = place_of(executor, group, index);
    if (place < 0) {
        actgrad_report(PARAMETER_ERROR, "%s: index is %zu, but the call has %d inputs and %d outputs", function, index,
                       executor->inputs, executor->outputs);
        return INVALID;
    }
    if (executor->objects[place] != tensor || !actgrad_live_has(LIVE_TENSOR, tensor)) {
        actgrad_report(PARAMETER_ERROR, "%s: tensor is not the one that phase one was given for index %zu", function,
                       index);
        return INVALID;
    }
    return move_tensor(executor, tensor, address);
}

EXPORT aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
    return set_address(__func__, executor, INPUTS, index, tensor, addr);
}

EXPORT aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
    return set_address(__func__, executor, OUTPUTS, index, tensor, addr);
}

EXPORT aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
    return set_address(__func__, executor, ALL, index, tensor, addr);
}

/* No operator here takes a list of tensors. */
static aclnnStatus refuse_list(const char* function, const aclOpExecutor* executor) {
    aclnnStatus status = check_executor(function, executor);
    if (status != 0) return status;
    actgrad_report(PARAMETER_ERROR, "%s: the operator has no list of tensors", function);
    return INVALID;
}

#define LIST_ADDRESS(name)                                                                                         \
    EXPORT aclnnStatus name(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,                    \
                            aclTensorList* tensors, void* addr) {                                                   \
        (void)irIndex, (void)relativeIndex, (void)tensors, (void)addr;                                              \
        return refuse_list(__func__, executor);                                                                     \
    }

LIST_ADDRESS(aclSetDynamicInputTensorAddr)
LIST_ADDRESS(aclSetDynamicOutputTensorAddr)
LIST_ADDRESS(aclSetDynamicTensorAddr)

/* ---- the library's life */

EXPORT aclnnStatus aclnnInit(const char* configPath) {
    (void)configPath;
    return 0;
}

EXPORT aclnnStatus aclnnFinalize(void) { return 0; }
