/* Tasks: the planner plans a call, unless a cached task is similar. The computation needs no interpreter.

   A task is cached if its plan holds for every call of the same words. A similar call needs no planner if its memory is
   large enough and its operands do not overlap. Then it waits for no lock of the interpreter, so threads compute in
   parallel. */
#include "nnopbase.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Direct-mapped: a task evicts the task in its slot. */
enum { SLOTS = 4096 };

FORK_SAFE_LOCK(cache_lock, CACHE_ORDER)
static Task* cache[SLOTS];

Task* actgrad_hold_task(Task* task) {
    __atomic_add_fetch(&task->holders, 1, __ATOMIC_RELAXED);
    return task;
}

void actgrad_drop_task(void* argument) {
    Task* task = argument;
    if (task == NULL || __atomic_sub_fetch(&task->holders, 1, __ATOMIC_ACQ_REL) > 0) return;
    if (task->plan.handle != 0) actgrad_release_later(task->plan.handle);
    actgrad_drop_task(task->source);
    free(task->call.words);
    free(task);
}

static Task** slot_of(const Call* call) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char* c = call->function; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    for (int64_t k = 0; k < call->count; k++) {
        hash = (hash ^ (uint64_t)call->words[k]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return &cache[hash % SLOTS];
}

static bool is_like(const Call* call, const Call* other) {
    return call->count == other->count && strcmp(call->function, other->function) == 0 &&
           memcmp(call->words, other->words, (size_t)call->count * sizeof *call->words) == 0;
}

/* The cached task of a similar call, or NULL. The caller holds the task. */
static Task* hold_cached(const Call* call) {
    Task** slot = slot_of(call);
    LOCKED(&cache_lock);
    return *slot != NULL && is_like(&(*slot)->call, call) ? actgrad_hold_task(*slot) : NULL;
}

/* Puts a task that the caller holds into its slot. Returns the task that was in the slot before. */
static Task* exchange(Task* task) {
    Task** slot = slot_of(&task->call);
    LOCKED(&cache_lock);
    Task* evicted = *slot;
    *slot = task;
    return evicted;
}

/* The addresses of the operands in this process. All have the same distance from the device addresses. */
static void place_operands(Task* task) {
    const int64_t distance = actgrad_memory_distance();
    for (int64_t k = 0; k < task->plan.operands; k++) {
        const actgrad_operand* operand = &task->plan.all[k];
        task->addresses[k] = task->call.places[2 * operand->tensor] + operand->offset + distance;
    }
}

static bool is_writable(const Task* task, int64_t output) {
    const actgrad_operand* all = task->plan.all;
    for (int64_t k = 0; k < task->plan.operands; k++)
        if (k != output && !actgrad_may_write(task->addresses[output], all[output].bytes, task->addresses[k],
                                              all[k].bytes, all[output].alike >> k & 1))
            return false;
    return true;
}

static bool has_room(const Task* task) {
    for (int64_t k = 0; k < task->plan.operands; k++) {
        const actgrad_operand* operand = &task->plan.all[k];
        if (task->call.places[2 * operand->tensor + 1] < operand->needed) return false;
        if (k < task->plan.outputs && !is_writable(task, k)) return false;
    }
    return true;
}

/* Takes the plan of a cached task. Returns false if the planner must decide. */
static bool finds_plan(Task* task) {
    Task* source = hold_cached(&task->call);
    if (source == NULL) return false;
    task->plan = source->plan;
    task->plan.handle = 0; /* the source keeps the objects */
    place_operands(task);
    if (has_room(task))
        task->source = source;
    else
        actgrad_drop_task(source);
    return task->source != NULL;
}

static void ask_planner(void* argument) {
    Task* task = argument;
    const Call* call = &task->call;
    actgrad_ask_planner(PLAN, call->function, call->words, call->count, call->places, 2 * call->tensors, &task->plan);
}

static void make_plan(Task* task) {
    enum { UNANSWERED = -1 }; /* an exception that escapes the planner must not look like success */
    task->process = getpid();
    task->plan.status = UNANSWERED;
    actgrad_with_stack(ask_planner, task);
    if (task->plan.status == UNANSWERED)
        task->plan.status =
            actgrad_fail(INNER, "%s: the check of the call ended without a result; it must have one; report this",
                         task->call.function);
    if (task->plan.status != 0) return;
    place_operands(task);
    if (task->plan.is_general) actgrad_drop_task(exchange(actgrad_hold_task(task)));
}

int32_t actgrad_plan_call(const Call* call, Task** task) {
    Task* made = calloc(1, sizeof *made);
    if (made == NULL) {
        free(call->words);
        return NO_EXECUTOR;
    }
    made->holders = 1;
    made->call = *call;
    if (!finds_plan(made)) make_plan(made);
    int32_t status = (int32_t)made->plan.status;
    if (status == 0)
        *task = made;
    else
        actgrad_drop_task(made);
    return status;
}

/* Fails if the program has freed memory that phase one saw. */
static int32_t check_memory(const Task* task) {
    for (int64_t k = 0; k < task->call.tensors; k++) {
        uint64_t address = (uint64_t)task->call.places[2 * k];
        int64_t left = task->call.places[2 * k + 1];
        if (left >= 0 && actgrad_memory_left(address) < left)
            return actgrad_fail(RUNTIME,
                                "%s: the device memory at %p was freed before the call computed; it must stay; free "
                                "it after aclrtSynchronizeStream",
                                task->call.function, (void*)(uintptr_t)address);
    }
    return 0;
}

/* Whether a task writes into this memory. A plan of a function on lists of tensors has no outputs here. */
bool actgrad_task_writes(const void* argument, uint64_t start, uint64_t end) {
    const Task* task = argument;
    for (int64_t k = 0; k < task->plan.outputs; k++) {
        const actgrad_operand* operand = &task->plan.all[k];
        const int64_t address = task->call.places[2 * operand->tensor] + operand->offset;
        if ((uint64_t)(address + operand->bytes.low) < end && start < (uint64_t)(address + operand->bytes.high))
            return true;
    }
    return false;
}

/* The server of a forked child does not know the plans of the parent's server. */
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
    const Task* task;
    int32_t status;
} Run;

static void run_plan(void* argument) {
    Run* run = argument;
    const actgrad_plan* plan = &run->task->plan;
    if (plan->is_run_by_planner) {
        actgrad_plan answer = {.status = INNER};
        /* In a server, the memory is at its device addresses. */
        const int64_t distance = actgrad_get_settings()->uses_server ? 0 : actgrad_memory_distance();
        actgrad_ask_planner(RUN, "", &plan->handle, 1, &distance, 1, &answer);
        run->status = (int32_t)answer.status;
        const int64_t* reshaped = &answer.operands; /* for each tensor: its index, its rank and its sizes */
        const int64_t* end = reshaped + (run->status == 0 ? answer.outputs : 0);
        for (; reshaped < end; reshaped += 2 + reshaped[1])
            actgrad_reshape(run->task->call.objects[reshaped[0]], reshaped + 2, reshaped[1]);
        return;
    }
    int32_t (*kernel)(void*, const int64_t*) = (int32_t (*)(void*, const int64_t*))(intptr_t)plan->run;
    if (kernel((void*)(intptr_t)plan->block, run->task->addresses) != 0) return;
    run->status = actgrad_fail(INNER, "host memory ran out; each thread needs a buffer; free memory");
}

int32_t actgrad_run_task(void* argument) {
    const Task* task = argument;
    const actgrad_plan* plan = &task->plan;
    if (plan->run == 0 && !plan->is_run_by_planner) return 0; /* tensors without elements */
    RETURN_IF_ERROR(check_memory(task));
    if (plan->is_run_by_planner && actgrad_get_settings()->uses_server && task->process != getpid())
        return compute_anew(task);
    Run run = {task, 0};
    actgrad_with_stack(run_plan, &run);
    return run.status;
}
