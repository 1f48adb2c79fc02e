/* What an executor is, for the files that make and use them. */
#ifndef ACTGRAD_EXECUTORS_H
#define ACTGRAD_EXECUTORS_H

#include "internal.h"

#include "aclnn/acl_meta.h"

enum { NULL_POINTER = 161001, INVALID = 161002, RUNTIME = 361001, INNER = 561000, NO_EXECUTOR = 561101,
       INNER_NULL = 561103 };

/* A call as the planner is told of it. */
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

typedef struct Remembered Remembered;

/* What phase two does. It is held by its executor and by each piece of work that is queued or running. */
typedef struct {
    long holders; /* atomic */
    int process;  /* that planned it */
    Call call;
    actgrad_plan plan;
    Remembered* like; /* the call that it was planned like, NULL for none */
} Task;

/* Its fields are looked at under the lock of live.c alone: another thread may be about to use it up. */
struct aclOpExecutor {
    bool is_repeatable;
    Task* task;
};

/* phases.c */
bool actgrad_copy_call(const Call* call, Call* copy); /* with words of its own; false where memory runs out */
void actgrad_place(Call* call, int64_t tensor, void* data);
/* A new task for a call, whose words it takes; or the status of a failure, which is reported. */
int32_t actgrad_plan_call(const Call* call, Task** task);
Task* actgrad_hold_task(Task* task);
void actgrad_let_go_of_task(void* task);

/* remembered.c */
/* What was remembered of a call like this one, held, whose plan this one gets; NULL for none. */
Remembered* actgrad_recall(const Call* call, actgrad_plan* plan);
/* Remembers a call with a general plan, whose handle it takes, and holds it for the caller; NULL: no memory. */
Remembered* actgrad_remember(const Call* call, actgrad_plan* plan);
void actgrad_let_go_of_remembered(Remembered* remembered);

/* executors.c */
aclOpExecutor* actgrad_new_executor(Task* task); /* takes the task; NULL: no memory */
/* The task of an executor for phase two of `function`, held; an ordinary executor is used up by this. */
int32_t actgrad_take_task(const char* function, aclOpExecutor* executor, Task** task);

#endif
