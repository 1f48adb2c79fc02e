/* A call as words, the form that the planner reads. */
#include "nnopbase.h"

#include <stdlib.h>
#include <string.h>

static bool is_alive(const actgrad_argument* argument) {
    static const actgrad_live_kind kinds[] = {[TENSOR] = LIVE_TENSOR, [SCALAR] = LIVE_SCALAR, [INTS] = LIVE_LIST,
                                              [BOOLS] = LIVE_LIST,   [TENSORS] = LIVE_LIST, [SCALARS] = LIVE_LIST};
    if (actgrad_live_has(kinds[argument->kind], argument->pointer)) return true;
    return argument->kind == SCALARS && actgrad_live_has(LIVE_TENSOR, argument->pointer); /* it has one dimension */
}

void actgrad_place(Call* call, int64_t tensor, void* data) {
    call->places[2 * tensor] = (int64_t)(intptr_t)data;
    call->places[2 * tensor + 1] = data == NULL ? -2 : actgrad_memory_left((uint64_t)(uintptr_t)data);
}

/* Adds bytes as whole words, and fills the last word with zeros. If the call has no memory, only counts the words. */
static inline void add(Call* call, const void* bytes, int64_t size) {
    const int64_t count = (size + 7) / 8;
    if (call->words != NULL && size > 0) {
        call->words[call->count + count - 1] = 0;
        memcpy(call->words + call->count, bytes, (size_t)size);
    }
    call->count += count;
}

static inline void add_two(Call* call, int64_t kind, int64_t value) {
    const int64_t words[] = {kind, value};
    add(call, words, sizeof words);
}

static void describe_tensor(Call* call, const aclTensor* tensor) {
    const int64_t head[] = {TENSOR_WORDS,   tensor->dtype, tensor->format,
                            tensor->offset, tensor->rank,  tensor->storage_rank};
    add(call, head, sizeof head);
    add(call, tensor->dims, (2 * tensor->rank + tensor->storage_rank) * (int64_t)sizeof *tensor->dims);
    if (call->words != NULL) {
        call->objects[call->tensors] = tensor;
        actgrad_place(call, call->tensors, tensor->data);
    }
    call->tensors++;
}

static void describe_argument(Call* call, const actgrad_argument* argument) {
    const actgrad_kind kind = argument->kind;
    const void* pointer = argument->pointer;
    if (kind == FLAG) {
        add_two(call, FLAG_WORDS, argument->value);
    } else if (pointer == NULL || (kind != TEXT && !is_alive(argument))) {
        const int64_t none = pointer == NULL ? NO_WORDS : DEAD_WORDS;
        add(call, &none, sizeof none);
    } else if (kind == TEXT) {
        add_two(call, TEXT_WORDS, (int64_t)strlen(pointer));
        add(call, pointer, (int64_t)strlen(pointer));
    } else if (kind == TENSOR || (kind == SCALARS && actgrad_live_has(LIVE_TENSOR, pointer))) {
        describe_tensor(call, pointer);
    } else if (kind == SCALAR) {
        add_two(call, SCALAR_WORDS, ((const aclScalar*)pointer)->dtype);
        add(call, ((const aclScalar*)pointer)->bits, sizeof ((const aclScalar*)pointer)->bits);
    } else {
        int64_t count;
        const void* values = actgrad_list_values(pointer, &count);
        add_two(call, kind == INTS || kind == BOOLS ? INTS_WORDS : LIST_WORDS, count);
        if (kind == INTS) add(call, values, count * (int64_t)sizeof(int64_t));
        for (int64_t k = 0; kind != INTS && k < count; k++) {
            const int64_t flag = kind == BOOLS && ((const bool*)values)[k];
            if (kind == BOOLS)
                add(call, &flag, sizeof flag);
            else
                describe_argument(call, &(actgrad_argument){kind == TENSORS ? TENSOR : SCALAR,
                                                            ((const void* const*)values)[k], 0});
        }
    }
}

/* Allocates memory for words and tensors. Returns false if memory is missing. */
static bool make_room(Call* call, int64_t words, int64_t tensors) {
    call->words = malloc((size_t)(words + 3 * tensors) * sizeof *call->words);
    if (call->words == NULL) return false;
    call->places = call->words + words;
    call->objects = (const void**)(call->places + 2 * tensors);
    return true;
}

bool actgrad_describe_call(Call* call, const char* function, const actgrad_argument* arguments, int count) {
    Call counted = {.function = function};
    for (int k = 0; k < count; k++) describe_argument(&counted, &arguments[k]);
    *call = (Call){.function = function};
    if (!make_room(call, counted.count, counted.tensors)) return false;
    for (int k = 0; k < count; k++) describe_argument(call, &arguments[k]);
    return true;
}

bool actgrad_copy_call(const Call* call, Call* copy) {
    *copy = *call;
    if (!make_room(copy, call->count, call->tensors)) return false;
    memcpy(copy->words, call->words, (size_t)call->count * sizeof *call->words);
    memcpy(copy->places, call->places, 2 * (size_t)call->tensors * sizeof *call->places);
    memcpy(copy->objects, call->objects, (size_t)call->tensors * sizeof *call->objects);
    return true;
}
