/* A call in words, as the planner gets it. */
#include "nnopbase.h"

#include <stdlib.h>
#include <string.h>

enum { TENSOR_HEAD = 6 }; /* the words of a tensor before its sizes */

static bool is_alive(const actgrad_argument* argument) {
    static const actgrad_live_kind kinds[] = {[TENSOR] = LIVE_TENSOR, [SCALAR] = LIVE_SCALAR, [INTS] = LIVE_LIST,
                                              [BOOLS] = LIVE_LIST,   [TENSORS] = LIVE_LIST, [SCALARS] = LIVE_LIST};
    return actgrad_live_has(kinds[argument->kind], argument->pointer);
}

static int64_t sizes_of(const aclTensor* tensor) { return 2 * tensor->rank + tensor->storage_rank; }

static int64_t words_of_tensor(const aclTensor* tensor, int64_t* words) {
    const int64_t head[TENSOR_HEAD] = {TENSOR_WORDS,   tensor->dtype, tensor->format,
                                       tensor->offset, tensor->rank,  tensor->storage_rank};
    memcpy(words, head, sizeof head);
    memcpy(words + TENSOR_HEAD, tensor->dims, (size_t)sizes_of(tensor) * sizeof *words);
    return TENSOR_HEAD + sizes_of(tensor);
}

/* The bytes of a text are whole words, the last one filled up with zeros. */
static int64_t text_words(const char* text) { return ((int64_t)strlen(text) + 7) / 8; }

/* An entry of a list, as an argument. */
static actgrad_argument entry(const actgrad_argument* list, int64_t index) {
    int64_t count;
    const void* const* values = actgrad_list_values(list->pointer, &count);
    return (actgrad_argument){list->kind == TENSORS ? TENSOR : SCALAR, values[index], 0};
}

/* Adds the words and the tensors that an argument may take. */
static void add_sizes(const actgrad_argument* argument, int64_t* words, int64_t* tensors) {
    int64_t count = 0;
    *words += 4; /* the most of all but these */
    if (argument->kind == TEXT && argument->pointer != NULL) *words += text_words(argument->pointer);
    if (argument->kind == FLAG || argument->kind == TEXT || !is_alive(argument)) return;
    if (argument->kind >= INTS) actgrad_list_values(argument->pointer, &count);
    if (argument->kind == INTS || argument->kind == BOOLS) *words += count;
    for (int64_t k = 0; argument->kind > BOOLS && k < count; k++) {
        const actgrad_argument each = entry(argument, k);
        add_sizes(&each, words, tensors);
    }
    if (argument->kind == TENSOR) {
        *words += TENSOR_HEAD + sizes_of(argument->pointer);
        *tensors += 1;
    }
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
    } else if (argument->kind == TEXT && argument->pointer != NULL) {
        words[0] = TEXT_WORDS;
        words[1] = (int64_t)strlen(argument->pointer);
        memset(words + 2, 0, (size_t)text_words(argument->pointer) * sizeof *words);
        memcpy(words + 2, argument->pointer, (size_t)words[1]);
        call->count += 2 + text_words(argument->pointer);
    } else if (argument->pointer == NULL || !is_alive(argument)) {
        words[0] = argument->pointer == NULL ? NO_WORDS : DEAD_WORDS;
        call->count += 1;
    } else if (argument->kind == INTS) {
        const int64_t* values = actgrad_list_values(argument->pointer, &words[1]);
        words[0] = INTS_WORDS;
        memcpy(words + 2, values, (size_t)words[1] * sizeof *words);
        call->count += 2 + words[1];
    } else if (argument->kind == BOOLS) {
        const bool* values = actgrad_list_values(argument->pointer, &words[1]);
        words[0] = INTS_WORDS;
        for (int64_t k = 0; k < words[1]; k++) words[2 + k] = values[k];
        call->count += 2 + words[1];
    } else if (argument->kind > BOOLS) {
        actgrad_list_values(argument->pointer, &words[1]);
        words[0] = LIST_WORDS;
        call->count += 2;
        for (int64_t k = 0; k < words[1]; k++) {
            const actgrad_argument each = entry(argument, k);
            describe_argument(call, &each);
        }
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
    }
}

/* Takes memory for words and tensors; false without it. */
static bool make_room(Call* call, int64_t words, int64_t tensors) {
    call->words = malloc((size_t)(words + 3 * tensors) * sizeof *call->words);
    if (call->words == NULL) return false;
    call->places = call->words + words;
    call->objects = (const void**)(call->places + 2 * tensors);
    return true;
}

bool actgrad_describe_call(Call* call, const char* function, const actgrad_argument* arguments, int count) {
    int64_t words = 0, tensors = 0;
    for (int k = 0; k < count; k++) add_sizes(&arguments[k], &words, &tensors);
    *call = (Call){.function = function};
    if (!make_room(call, words, tensors)) return false;
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
