/* Executors: what becomes of a call between its phases. An ordinary one is used up by phase two, by one thread; one
   that was made repeatable stays until it is destroyed, and its tensors may be moved. */
#include "executors.h"

#include <stdlib.h>
#include <string.h>

#include "aclnn/aclnn_base.h"

aclOpExecutor* actgrad_new_executor(Task* task) {
    aclOpExecutor* executor = malloc(sizeof *executor);
    if (executor != NULL) {
        *executor = (aclOpExecutor){false, task};
        if (actgrad_live_add(LIVE_EXECUTOR, executor)) return executor;
    }
    free(executor);
    actgrad_let_go_of_task(task);
    return NULL;
}

static int32_t report_none(const char* function, const aclOpExecutor* executor) {
    actgrad_report(INNER_ERROR, "%s: executor %p ran already, was destroyed, or is none", function,
                   (const void*)executor);
    return INNER;
}

int32_t actgrad_take_task(const char* function, aclOpExecutor* executor, Task** task) {
    if (executor == NULL) {
        actgrad_report(PARAMETER_ERROR, "%s: executor is a null pointer; it is required", function);
        return NULL_POINTER;
    }
    actgrad_live_lock();
    bool is_live = actgrad_live_has_locked(LIVE_EXECUTOR, executor);
    const char* own = is_live ? executor->task->call.function : function;
    bool is_of_it = strcmp(own, function) == 0;
    bool is_used_up = is_live && is_of_it && !executor->is_repeatable;
    if (is_used_up) actgrad_live_remove_locked(LIVE_EXECUTOR, executor);
    if (is_live && is_of_it) *task = is_used_up ? executor->task : actgrad_hold_task(executor->task);
    actgrad_live_unlock();
    if (is_used_up) actgrad_live_retire(executor);
    if (!is_live) return report_none(function, executor);
    if (is_of_it) return 0;
    actgrad_report(INNER_ERROR, "%s: executor is one of %s", function, own);
    return INNER;
}

/* ---- what a program may do with an executor */

static aclnnStatus check_pointers(const char* function, const aclOpExecutor* executor) {
    if (executor != NULL) return 0;
    actgrad_report(INNER_ERROR, "%s: executor is a null pointer; it is required", function);
    return INNER_NULL;
}

EXPORT aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
    aclnnStatus status = check_pointers(__func__, executor);
    if (status != 0) return status;
    actgrad_live_lock();
    bool is_live = actgrad_live_has_locked(LIVE_EXECUTOR, executor);
    if (is_live) executor->is_repeatable = true;
    actgrad_live_unlock();
    return is_live ? 0 : report_none(__func__, executor);
}

EXPORT aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    aclnnStatus status = check_pointers(__func__, executor);
    if (status != 0) return status;
    if (!actgrad_live_remove(LIVE_EXECUTOR, executor)) return report_none(__func__, executor);
    actgrad_let_go_of_task(executor->task);
    actgrad_live_retire(executor);
    return 0;
}

/* ---- other addresses */

typedef enum { INPUTS, OUTPUTS, ALL } Group;

/* The place, among the call's tensors, of number `index` of a group; -1 where there is none. */
static int place_of(const Call* call, Group group, size_t index) {
    if (group != OUTPUTS && index < (size_t)call->inputs) return call->input_places[index];
    if (group == ALL) index -= (size_t)call->inputs;
    return group != INPUTS && index < (size_t)call->outputs ? call->output_places[index] : -1;
}

/* The executor's call, with words of its own, as it would be with `tensor` at `address`. */
static aclnnStatus moved_call(const char* function, const aclOpExecutor* executor, Group group, size_t index,
                              const aclTensor* tensor, void* address, Call* moved) {
    const Call* call = &executor->task->call;
    int place = place_of(call, group, index);
    if (!executor->is_repeatable) {
        actgrad_report(INNER_ERROR, "%s: executor is not reusable; call aclSetAclOpExecutorRepeatable first", function);
        return INNER;
    }
    if (place < 0) {
        actgrad_report(PARAMETER_ERROR, "%s: index is %zu, but the call has %d inputs and %d outputs", function, index,
                       call->inputs, call->outputs);
        return INVALID;
    }
    if (call->objects[place] != tensor || !actgrad_live_has_locked(LIVE_TENSOR, tensor)) {
        actgrad_report(PARAMETER_ERROR, "%s: tensor is not the one that phase one was given for index %zu", function,
                       index);
        return INVALID;
    }
    if (!actgrad_copy_call(call, moved)) return NO_EXECUTOR;
    for (int k = 0; k < call->tensors; k++) /* the address belongs to the tensor, wherever that was given */
        if (call->objects[k] == tensor) actgrad_place(moved, k, address);
    return 0;
}

/* Gives the executor another task, unless it was destroyed meanwhile; `task` is then the one that is not needed. */
static bool replace(aclOpExecutor* executor, aclTensor* tensor, void* address, Task** task) {
    actgrad_live_lock();
    bool is_live = actgrad_live_has_locked(LIVE_EXECUTOR, executor);
    if (is_live) {
        Task* old = executor->task;
        executor->task = *task;
        *task = old;
        if (actgrad_live_has_locked(LIVE_TENSOR, tensor)) tensor->data = address;
    }
    actgrad_live_unlock();
    return is_live;
}

/* Plans the executor's call anew; nothing changes where that fails. */
static aclnnStatus set_address(const char* function, aclOpExecutor* executor, Group group, size_t index,
                               aclTensor* tensor, void* address) {
    aclnnStatus status = check_pointers(function, executor);
    if (status != 0) return status;
    if (tensor == NULL) {
        actgrad_report(INNER_ERROR, "%s: tensor is a null pointer; it is required", function);
        return INNER_NULL;
    }
    Call moved;
    actgrad_live_lock();
    bool is_live = actgrad_live_has_locked(LIVE_EXECUTOR, executor);
    if (is_live) status = moved_call(function, executor, group, index, tensor, address, &moved);
    actgrad_live_unlock();
    if (!is_live) return report_none(function, executor);
    if (status != 0) return status;
    Task* task;
    status = actgrad_plan_call(&moved, &task);
    if (status != 0) return status;
    if (!replace(executor, tensor, address, &task)) status = report_none(function, executor);
    actgrad_let_go_of_task(task);
    return status;
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
    aclnnStatus status = check_pointers(function, executor);
    if (status != 0) return status;
    if (!actgrad_live_has(LIVE_EXECUTOR, executor)) return report_none(function, executor);
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
    actgrad_set_aclnn_initialised(true);
    return 0;
}

EXPORT aclnnStatus aclnnFinalize(void) {
    actgrad_set_aclnn_initialised(false);
    return 0;
}
