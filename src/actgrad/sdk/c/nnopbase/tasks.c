/* Tasks: a call is planned by the planner, unless a cached call matches, and computed without the interpreter. */
#include "nnopbase.h"

#include <stdlib.h>
#include <unistd.h>

Task* actgrad_hold_task(Task* task) {
    __atomic_add_fetch(&task->holders, 1, __ATOMIC_RELAXED);
    return task;
}

void actgrad_drop_task(void* argument) {
    Task* task = argument;
    if (__atomic_sub_fetch(&task->holders, 1, __ATOMIC_ACQ_REL) > 0) return;
    if (task->plan.handle != 0) actgrad_release_later(task->plan.handle);
    if (task->cached != NULL) actgrad_drop_cached(task->cached);
    free(task->call.words);
    free(task);
}

static void ask_planner(void* argument) {
    Task* task = argument;
    const Call* call = &task->call;
    const actgrad_planner* planner = actgrad_planner_or_report();
    if (planner == NULL)
        task->plan.status = INNER;
    else
        planner->plan(call->function, call->words, call->count, call->places, call->tensors, &task->plan);
}

static void plan_or_find(Task* task) {
    enum { UNANSWERED = -1 }; /* an exception that escapes the planner never looks like success */
    task->cached = actgrad_find_cached(&task->call, &task->plan);
    if (task->cached != NULL) return;
    task->plan.status = UNANSWERED;
    actgrad_with_stack(ask_planner, task);
    if (task->plan.status == UNANSWERED)
        task->plan.status = actgrad_fail(INNER, "%s: the planner ended without an answer", task->call.function);
    if (task->plan.status == 0 && task->plan.is_general) task->cached = actgrad_cache_call(&task->call, &task->plan);
}

int32_t actgrad_plan_call(const Call* call, Task** task) {
    Task* made = calloc(1, sizeof *made);
    if (made == NULL) {
        free(call->words);
        return NO_EXECUTOR;
    }
    *made = (Task){.holders = 1, .process = getpid(), .call = *call};
    plan_or_find(made);
    int32_t status = (int32_t)made->plan.status;
    if (status != 0) {
        actgrad_drop_task(made);
        return status;
    }
    if (made->plan.run != 0)
        for (int k = 0; k < MAX_OPERANDS; k++) made->plan.addresses[k] += (uint64_t)actgrad_memory_distance();
    *task = made;
    return 0;
}

/* Fails if the program freed memory that phase one saw. */
static int32_t check_memory(const Task* task) {
    for (int64_t k = 0; k < task->call.tensors; k++) {
        uint64_t address = (uint64_t)task->call.places[2 * k];
        int64_t left = task->call.places[2 * k + 1];
        if (left >= 0 && actgrad_memory_left(address) < left)
            return actgrad_fail(RUNTIME, "the device memory at %p was freed between the call's two phases",
                                (void*)(uintptr_t)address);
    }
    return 0;
}

/* The server of a forked child does not know the plans of its parent's. */
static int32_t compute_anew(const Task* task) {
    Call call;
    Task* fresh;
    if (!actgrad_copy_call(&task->call, &call)) return NO_EXECUTOR;
    RETURN_IF_ERROR(actgrad_plan_call(&call, &fresh));
    int32_t status = actgrad_run_task(fresh);
    actgrad_drop_task(fresh);
    return status;
}

typedef struct {
    const actgrad_plan* plan;
    int32_t status;
} Run;

static void run_plan(void* argument) {
    Run* run = argument;
    const actgrad_plan* plan = run->plan;
    if (plan->is_run_by_planner) {
        const actgrad_planner* planner = actgrad_planner_or_report();
        run->status = planner == NULL ? INNER : planner->run(plan->handle, actgrad_memory_distance());
        return;
    }
    int32_t (*kernel)(void*, const uint64_t*) = (int32_t (*)(void*, const uint64_t*))(intptr_t)plan->run;
    if (kernel((void*)(intptr_t)plan->block, plan->addresses) != 0) return;
    run->status = actgrad_fail(INNER, "the host has no memory left for a thread's buffers");
}

int32_t actgrad_run_task(void* argument) {
    const Task* task = argument;
    const actgrad_plan* plan = &task->plan;
    if (plan->run == 0 && !plan->is_run_by_planner) return 0; /* there are no elements */
    RETURN_IF_ERROR(check_memory(task));
    if (plan->is_run_by_planner && actgrad_get_settings()->uses_server && task->process != getpid())
        return compute_anew(task);
    Run run = {plan, 0};
    actgrad_with_stack(run_plan, &run);
    return run.status;
}
