/* Executors. An ordinary executor serves one call of phase two. A repeatable executor lives until the program destroys
   it, and its tensors may move to other addresses. */
#include "nnopbase.h"

#include <stdlib.h>
#include <string.h>

/* Guards the fields of executors, and the moment when a call takes an executor. */
FORK_SAFE_LOCK(executors_lock, EXECUTORS_ORDER)

aclOpExecutor* actgrad_new_executor(Task* task) {
    aclOpExecutor* executor = malloc(sizeof *executor);
    if (executor == NULL) {
        actgrad_drop_task(task);
        return NULL;
    }
    executor->is_repeatable = false;
    executor->task = task;
    actgrad_live_add(LIVE_EXECUTOR, &executor->live);
    return executor;
}

static int32_t fail_executor(const char* function, const aclOpExecutor* executor) {
    return actgrad_fail(INNER,
                        "%s: executor %p ran already or was destroyed; each call needs a new one; call phase one",
                        function, (const void*)executor);
}

int32_t actgrad_take_task(const char* function, aclOpExecutor* executor, Task** task) {
    if (executor == NULL)
        return actgrad_fail(NULL_POINTER,
                            "%s: executor is a null pointer; it is required; pass the executor of phase one", function);
    {
        LOCKED(&executors_lock);
        if (!actgrad_live_has(LIVE_EXECUTOR, executor)) return fail_executor(function, executor);
        *task = executor->task;
        const char* own = (*task)->call.function;
        if (strcmp(own, function) != 0)
            return actgrad_fail(INNER,
                                "%s: executor is of %s; it must be of %sGetWorkspaceSize; pass that one", function,
                                own, function);
        if (executor->is_repeatable) {
            actgrad_hold_task(*task);
            return 0;
        }
        actgrad_live_remove(LIVE_EXECUTOR, executor);
    }
    actgrad_live_retire(executor);
    return 0;
}

static aclnnStatus check_pointer(const char* function, const char* argument, const void* pointer) {
    if (pointer != NULL) return 0;
    return actgrad_fail(INNER_NULL, "%s: %s is a null pointer; it is required; pass a pointer", function, argument);
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
    RETURN_IF_ERROR(check_pointer(__func__, "executor", executor));
    LOCKED(&executors_lock);
    if (!actgrad_live_has(LIVE_EXECUTOR, executor)) return fail_executor(__func__, executor);
    executor->is_repeatable = true;
    return 0;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    RETURN_IF_ERROR(check_pointer(__func__, "executor", executor));
    {
        LOCKED(&executors_lock);
        if (!actgrad_live_remove(LIVE_EXECUTOR, executor)) return fail_executor(__func__, executor);
    }
    actgrad_drop_task(executor->task);
    actgrad_live_retire(executor);
    return 0;
}

typedef enum { INPUTS, OUTPUTS, ALL } Group;

/* The position, among the call's tensors, of item `index` of a group, or -1 if it has none. */
static int64_t place_of(const actgrad_plan* plan, Group group, size_t index) {
    if (plan->operands == plan->outputs) return -1; /* no inputs: the function is not an operator of actgrad */
    const size_t outputs = (size_t)plan->outputs, inputs = (size_t)plan->operands - outputs;
    if (group != OUTPUTS && index < inputs) return plan->all[outputs + index].tensor;
    if (group == ALL) index -= inputs;
    return group != INPUTS && index < outputs ? plan->all[index].tensor : -1;
}

/* A copy of the executor's call with separate words, in which `tensor` is at `address`. */
static aclnnStatus move_call(const char* function, const aclOpExecutor* executor, Group group, size_t index,
                             const aclTensor* tensor, void* address, Call* moved) {
    LOCKED(&executors_lock);
    if (!actgrad_live_has(LIVE_EXECUTOR, executor)) return fail_executor(function, executor);
    const Call* call = &executor->task->call;
    const actgrad_plan* plan = &executor->task->plan;
    int64_t place = place_of(plan, group, index);
    if (!executor->is_repeatable)
        return actgrad_fail(INNER,
                            "%s: executor runs once; it must be reusable; call aclSetAclOpExecutorRepeatable first",
                            function);
    if (place < 0)
        return actgrad_fail(INVALID, "%s: index is %zu; the call has %d inputs and %d outputs; pass a smaller index",
                            function, index, (int)(plan->operands - plan->outputs), (int)plan->outputs);
    if (call->objects[place] != tensor || !actgrad_live_has(LIVE_TENSOR, tensor))
        return actgrad_fail(INVALID,
                            "%s: tensor is not the tensor of phase one; it must be the tensor at index %zu; pass that "
                            "tensor",
                            function, index);
    if (!actgrad_copy_call(call, moved)) return NO_EXECUTOR;
    for (int k = 0; k < call->tensors; k++) /* a tensor that is used in place has several positions */
        if (call->objects[k] == tensor) actgrad_place(moved, k, address);
    return 0;
}

/* Exchanges the executor's task, unless another thread has destroyed the executor meanwhile. */
static aclnnStatus exchange(const char* function, aclOpExecutor* executor, aclTensor* tensor, void* address,
                            Task** task) {
    LOCKED(&executors_lock);
    if (!actgrad_live_has(LIVE_EXECUTOR, executor)) return fail_executor(function, executor);
    Task* old = executor->task;
    executor->task = *task;
    *task = old;
    if (actgrad_live_has(LIVE_TENSOR, tensor)) tensor->data = address;
    return 0;
}

/* Plans the executor's call again. After a failure, nothing has changed. */
static aclnnStatus set_address(const char* function, aclOpExecutor* executor, Group group, size_t index,
                               aclTensor* tensor, void* address) {
    Call moved;
    Task* task;
    RETURN_IF_ERROR(check_pointer(function, "executor", executor));
    RETURN_IF_ERROR(check_pointer(function, "tensor", tensor));
    RETURN_IF_ERROR(move_call(function, executor, group, index, tensor, address, &moved));
    RETURN_IF_ERROR(actgrad_plan_call(&moved, &task));
    aclnnStatus status = exchange(function, executor, tensor, address, &task);
    actgrad_drop_task(task);
    return status;
}

/* No operator of the registry takes a list of tensors, and other functions are not planned again. */
static aclnnStatus refuse_list(const char* function, const aclOpExecutor* executor) {
    RETURN_IF_ERROR(check_pointer(function, "executor", executor));
    if (!actgrad_live_has(LIVE_EXECUTOR, executor)) return fail_executor(function, executor);
    return actgrad_fail(INVALID,
                        "%s: the operator has no list of tensors; it must have one; use aclSetTensorAddr", function);
}

/* Older releases of CANN spell the same functions with a capital letter. */
#define SETTERS(group, name)                                                                                       \
    aclnnStatus aclSet##name(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {         \
        return set_address(__func__, executor, group, index, tensor, addr);                                        \
    }                                                                                                              \
    aclnnStatus AclSet##name(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {         \
        return set_address(__func__, executor, group, index, tensor, addr);                                        \
    }                                                                                                              \
    aclnnStatus aclSetDynamic##name(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,           \
                                    aclTensorList* tensors, void* addr) {                                          \
        return refuse_list(__func__, executor);                                                                    \
    }                                                                                                              \
    aclnnStatus AclSetDynamic##name(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,           \
                                    aclTensorList* tensors, void* addr) {                                          \
        return refuse_list(__func__, executor);                                                                    \
    }

SETTERS(INPUTS, InputTensorAddr)
SETTERS(OUTPUTS, OutputTensorAddr)
SETTERS(ALL, TensorAddr)
