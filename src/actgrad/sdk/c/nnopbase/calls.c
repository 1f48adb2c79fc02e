/* A call in words, as the planner gets it. */
#include "nnopbase.h"

#include <stdlib.h>
#include <string.h>

enum { TENSOR_HEAD = 6 }; /* the words of a tensor before its sizes */

static bool is_alive(const actgrad_argument* argument) {
    static const actgrad_live_kind kinds[] = {[TENSOR] = LIVE_TENSOR, [SCALAR] = LIVE_SCALAR, [INTS] = LIVE_LIST};
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

static int64_t most_words(const actgrad_argument* argument) {
    if (argument->kind == TEXT && argument->pointer != NULL) return 2 + text_words(argument->pointer);
    if (argument->kind == INTS && argument->pointer != NULL && is_alive(argument)) {
        int64_t count;
        actgrad_ints(argument->pointer, &count);
        return 2 + count;
    }
    if (argument->kind != TENSOR || !is_alive(argument)) return 4;
    return TENSOR_HEAD + sizes_of(argument->pointer);
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
        const int64_t* values = actgrad_ints(argument->pointer, &words[1]);
        words[0] = INTS_WORDS;
        memcpy(words + 2, values, (size_t)words[1] * sizeof *words);
        call->count += 2 + words[1];
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

bool actgrad_describe_call(Call* call, const char* function, const actgrad_argument* arguments, int count) {
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
