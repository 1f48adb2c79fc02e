/* The two phases of a call, and the library's start and end. Phase one plans a task, by the rules of Python's API.
   Phase two computes the task on a stream. */
#include "nnopbase.h"

/** `configPath` may be null. A program may call aclInit too. */
aclnnStatus aclnnInit(const char* configPath) {
    actgrad_set_aclnn_initialised(true);
    return 0;
}

/** A program may call aclFinalize too. */
aclnnStatus aclnnFinalize(void) {
    actgrad_set_aclnn_initialised(false);
    return 0;
}

int32_t actgrad_note_phase_one(int32_t status) {
    return actgrad_get_settings()->queues_phase_one ? actgrad_note_refusal(status, false) : status;
}

static int32_t plan(const char* function, const actgrad_argument* arguments, int count, uint64_t* workspaceSize,
                    aclOpExecutor** executor) {
    if (workspaceSize == NULL || executor == NULL)
        return actgrad_fail(NULL_POINTER, "%s: %s is a null pointer; it is required; pass a pointer", function,
                            workspaceSize == NULL ? "workspaceSize" : "executor");
    if (actgrad_check_device_if_strict(function) != 0) return RUNTIME;
    Call call;
    Task* task;
    if (!actgrad_describe_call(&call, function, arguments, count)) return NO_EXECUTOR;
    RETURN_IF_ERROR(actgrad_plan_call(&call, &task));
    uint64_t size = (uint64_t)task->plan.workspace_size;
    aclOpExecutor* made = actgrad_new_executor(task);
    if (made == NULL) return NO_EXECUTOR;
    *workspaceSize = size;
    *executor = made;
    return 0;
}

int32_t actgrad_phase_one(const char* function, const actgrad_argument* arguments, int count, uint64_t* workspaceSize,
                          aclOpExecutor** executor) {
    return actgrad_note_phase_one(plan(function, arguments, count, workspaceSize, executor));
}

/* Statuses of operators stay as they are. Codes of the runtime, for example for a destroyed stream, become RUNTIME. */
static int32_t operator_status(int32_t status) {
    int32_t family = status / 1000;
    return status == 0 || family == 161 || family == 361 || family == 561 ? status : RUNTIME;
}

int32_t actgrad_phase_two(const char* function, void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                          void* stream) {
    Task* task;
    RETURN_IF_ERROR(actgrad_take_task(function, executor, &task));
    if (workspaceSize > 0 && workspace == NULL) {
        actgrad_drop_task(task);
        return actgrad_fail(NULL_POINTER,
                            "%s: workspace is a null pointer, but workspaceSize is %llu; it must be memory of that "
                            "size; call aclrtMalloc",
                            function, (unsigned long long)workspaceSize);
    }
    return operator_status(actgrad_submit(stream, actgrad_run_task, actgrad_drop_task, actgrad_task_writes, task));
}
