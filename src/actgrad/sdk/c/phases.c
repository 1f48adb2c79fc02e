/* The two phases of a call. Phase one describes it to the planner, which checks it by the rules of Python's API and
   answers with machine code and addresses, unless a call like it passed before; phase two runs that without the
   interpreter. */
#include "executors.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a call in words */

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

static bool is_alive(const actgrad_argument* argument) {
    return actgrad_live_has(argument->kind == SCALAR ? LIVE_SCALAR : LIVE_TENSOR, argument->pointer);
}

static int64_t most_words(const actgrad_argument* argument) {
    if (argument->kind > TENSOR_IN_OUT || !is_alive(argument)) return 4;
    const aclTensor* tensor = argument->pointer;
    return 6 + 2 * tensor->rank + tensor->storage_rank;
}

void actgrad_place(Call* call, int64_t tensor, void* data) {
    call->places[2 * tensor] = (int64_t)(intptr_t)data;
    call->places[2 * tensor + 1] = data == NULL ? -2 : actgrad_memory_left((uint64_t)(uintptr_t)data);
}

static void describe_argument(Call* call, const actgrad_argument* argument) {
    int64_t* words = call->words + call->count;
    if (argument->kind == FLAG) {
        words[0] = FLAG_WORDS;
        words[1] = argument->value;
        call->count += 2;
    } else if (argument->pointer == NULL) {
        words[0] = NO_WORDS;
        call->count += 1;
    } else if (!is_alive(argument)) {
        words[0] = DEAD_WORDS;
        call->count += 1;
    } else if (argument->kind == SCALAR) {
        const aclScalar* scalar = argument->pointer;
        words[0] = SCALAR_WORDS;
        words[1] = scalar->dtype;
        memcpy(words + 2, scalar->bits, sizeof scalar->bits);
        call->count += 4;
    } else {
        const aclTensor* tensor = argument->pointer;
        int place = (int)call->tensors++;
        call->count += words_of_tensor(tensor, words);
        call->objects[place] = tensor;
        actgrad_place(call, place, tensor->data);
        if (argument->kind != TENSOR_OUT) call->input_places[call->inputs++] = place;
        if (argument->kind != TENSOR_IN) call->output_places[call->outputs++] = place;
    }
}

static bool describe(Call* call, const char* function, const actgrad_argument* arguments, int count) {
    int64_t most = 0;
    for (int k = 0; k < count; k++) most += most_words(&arguments[k]);
    *call = (Call){.function = function, .words = malloc((size_t)most * sizeof *call->words)};
    if (call->words == NULL) return false;
    for (int k = 0; k < count; k++) describe_argument(call, &arguments[k]);
    return true;
}

bool actgrad_copy_call(const Call* call, Call* copy) {
    size_t size = (size_t)call->count * sizeof *call->words;
    *copy = *call;
    copy->words = malloc(size + 1);
    if (copy->words != NULL) memcpy(copy->words, call->words, size);
    return copy->words != NULL;
}

/* ---- phase one */

typedef struct {
    const Call* call;
    actgrad_plan* plan;
} Planning;

static void ask_planner(void* argument) {
    const Planning* planning = argument;
    const Call* call = planning->call;
    const actgrad_planner* planner = actgrad_planner_or_report();
    if (planner == NULL)
        planning->plan->status = INNER;
    else
        planner->plan(call->function, call->words, call->count, call->places, call->tensors, planning->plan);
}

static Task* new_task(const Call* call) {
    Task* task = calloc(1, sizeof *task);
    if (task == NULL)
        free(call->words);
    else
        *task = (Task){.holders = 1, .process = getpid(), .call = *call};
    return task;
}

int32_t actgrad_plan_call(const Call* call, Task** task) {
    enum { UNANSWERED = -1 }; /* an exception that escapes the planner never looks like success */
    Task* made = new_task(call);
    if (made == NULL) return NO_EXECUTOR;
    made->like = actgrad_recall(call, &made->plan);
    if (made->like == NULL) {
        made->plan.status = UNANSWERED;
        actgrad_with_stack(ask_planner, &(Planning){&made->call, &made->plan});
        if (made->plan.status == 0 && made->plan.is_general) made->like = actgrad_remember(call, &made->plan);
    }
    int32_t status = (int32_t)made->plan.status;
    if (status == UNANSWERED) {
        actgrad_report(INNER_ERROR, "%s: the planner ended without an answer", call->function);
        status = INNER;
    }
    if (status != 0) {
        actgrad_let_go_of_task(made);
        return status;
    }
    if (made->plan.run != 0)
        for (int k = 0; k < MAX_OPERANDS; k++) made->plan.addresses[k] += (uint64_t)actgrad_memory_distance();
    *task = made;
    return 0;
}

EXPORT int32_t actgrad_phase_one(const char* function, const actgrad_argument* arguments, int count,
                                 uint64_t* workspaceSize, aclOpExecutor** executor) {
    if (workspaceSize == NULL || executor == NULL) {
        actgrad_report(PARAMETER_ERROR, "%s: %s is a null pointer; it is required", function,
                       workspaceSize == NULL ? "workspaceSize" : "executor");
        return NULL_POINTER;
    }
    if (actgrad_is_strict() && !actgrad_has_device(function)) return RUNTIME;
    Call call;
    Task* task;
    if (!describe(&call, function, arguments, count)) return NO_EXECUTOR;
    int32_t status = actgrad_plan_call(&call, &task);
    if (status != 0) return status;
    uint64_t size = (uint64_t)task->plan.workspace_size;
    aclOpExecutor* made = actgrad_new_executor(task);
    if (made == NULL) return NO_EXECUTOR;
    *workspaceSize = size;
    *executor = made;
    return 0;
}

/* ---- phase two */

Task* actgrad_hold_task(Task* task) {
    __atomic_add_fetch(&task->holders, 1, __ATOMIC_RELAXED);
    return task;
}

void actgrad_let_go_of_task(void* argument) {
    Task* task = argument;
    if (__atomic_sub_fetch(&task->holders, 1, __ATOMIC_ACQ_REL) > 0) return;
    if (task->plan.handle != 0) actgrad_release_later(task->plan.handle);
    if (task->like != NULL) actgrad_let_go_of_remembered(task->like);
    free(task->call.words);
    free(task);
}

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
    } else {
        int32_t (*run)(void*, const uint64_t*) = (int32_t (*)(void*, const uint64_t*))(intptr_t)plan->run;
        if (run((void*)(intptr_t)plan->block, plan->addresses) == 0) {
            actgrad_report(INNER_ERROR, "the host has no memory left for a thread's buffers");
            running->status = INNER;
        }
    }
}

/* Whether the memory that phase one saw is still there. */
static bool has_memory(const Task* task) {
    for (int64_t k = 0; k < task->call.tensors; k++) {
        uint64_t address = (uint64_t)task->call.places[2 * k];
        int64_t left = task->call.places[2 * k + 1];
        if (left < 0 || actgrad_memory_left(address) >= left) continue;
        actgrad_report(INNER_ERROR, "the device memory at %p was freed between the call's two phases",
                       (void*)(uintptr_t)address);
        return false;
    }
    return true;
}

static int32_t compute(void* argument);

/* A forked child has another server than its parent, which does not know what that had planned. */
static bool is_of_another_server(const Task* task) {
    return task->plan.is_run_by_planner && actgrad_uses_server() && task->process != getpid();
}

static int32_t compute_anew(const Task* task) {
    Call call;
    Task* fresh;
    if (!actgrad_copy_call(&task->call, &call)) return NO_EXECUTOR;
    int32_t status = actgrad_plan_call(&call, &fresh);
    if (status != 0) return status;
    status = compute(fresh);
    actgrad_let_go_of_task(fresh);
    return status;
}

static int32_t compute(void* argument) {
    const Task* task = argument;
    if (task->plan.run == 0 && !task->plan.is_run_by_planner) return 0; /* there are no elements */
    if (!has_memory(task)) return RUNTIME;
    if (is_of_another_server(task)) return compute_anew(task);
    Running running = {.plan = &task->plan, .status = 0};
    actgrad_with_stack(run_plan, &running);
    return running.status;
}

/* A status of the runtime, as for a stream that was destroyed, in the operators' terms. */
static int32_t of_operators(int32_t status) {
    int32_t family = status / 1000;
    return status == 0 || family == 161 || family == 361 || family == 561 ? status : RUNTIME;
}

EXPORT int32_t actgrad_phase_two(const char* function, void* workspace, uint64_t workspaceSize,
                                 aclOpExecutor* executor, void* stream) {
    Task* task;
    int32_t status = actgrad_take_task(function, executor, &task);
    if (status != 0) return status;
    if (workspaceSize > 0 && workspace == NULL) {
        actgrad_report(PARAMETER_ERROR, "%s: workspace is a null pointer, but workspaceSize is %llu", function,
                       (unsigned long long)workspaceSize);
        actgrad_let_go_of_task(task);
        return NULL_POINTER;
    }
    return of_operators(actgrad_submit(stream, compute, actgrad_let_go_of_task, task));
}
