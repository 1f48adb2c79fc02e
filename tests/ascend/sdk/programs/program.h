/* What the programs here share: tensors of floats on the device, and checks that say what failed. C and C++. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

#define REQUIRE(condition)                                                                       \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            const char* reason = aclGetRecentErrMsg();                                           \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, reason ? reason : ""); \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)
#define CHECK(call) REQUIRE((call) == 0)

/* A call fails with a status, and its text holds a part. */
#define FAILS(call, expected, part)                                                              \
    do {                                                                                         \
        int status_of_it = (call);                                                               \
        const char* text_of_it = aclGetRecentErrMsg();                                           \
        if (status_of_it != (expected) || text_of_it == NULL || strstr(text_of_it, part) == NULL) { \
            fprintf(stderr, "%s:%d: %s: %d, %s\n", __FILE__, __LINE__, #call, status_of_it,      \
                    text_of_it ? text_of_it : "no text");                                        \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)

typedef struct {
    aclTensor* tensor;
    void* memory;
    size_t size;
} Tensor;

static inline aclTensor* describe(void* memory, int64_t rows, int64_t columns) {
    const int64_t shape[] = {rows, columns};
    aclTensor* tensor =
        aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, memory);
    REQUIRE(tensor != NULL);
    return tensor;
}

static inline void* device_memory(size_t size) {
    void* memory = NULL;
    CHECK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

/* A matrix of floats with these values, or all zero. */
static inline Tensor matrix(int64_t rows, int64_t columns, const float* values) {
    Tensor made;
    made.size = (size_t)(rows * columns) * sizeof(float);
    made.memory = device_memory(made.size);
    made.tensor = describe(made.memory, rows, columns);
    if (values != NULL)
        CHECK(aclrtMemcpy(made.memory, made.size, values, made.size, ACL_MEMCPY_HOST_TO_DEVICE));
    else
        CHECK(aclrtMemset(made.memory, made.size, 0, made.size));
    return made;
}

static inline void read_back(Tensor tensor, float* values) {
    CHECK(aclrtMemcpy(values, tensor.size, tensor.memory, tensor.size, ACL_MEMCPY_DEVICE_TO_HOST));
}

static inline void destroy(Tensor tensor) {
    CHECK(aclDestroyTensor(tensor.tensor));
    CHECK(aclrtFree(tensor.memory));
}

static inline aclScalar* number(float value) {
    aclScalar* scalar = aclCreateScalar(&value, ACL_FLOAT);
    REQUIRE(scalar != NULL);
    return scalar;
}

static inline aclrtStream start(void) {
    aclrtStream stream = NULL;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    return stream;
}

static inline void finish(aclrtStream stream) {
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}

/* Both phases of a call and the wait for it: RUN(aclnnSelu, x.tensor, y.tensor). */
#define RUN(function, ...)                                                                       \
    do {                                                                                         \
        uint64_t size_of_it = 0;                                                                 \
        aclOpExecutor* executor_of_it = NULL;                                                    \
        CHECK(function##GetWorkspaceSize(__VA_ARGS__, &size_of_it, &executor_of_it));            \
        CHECK(function(NULL, size_of_it, executor_of_it, stream));                               \
        CHECK(aclrtSynchronizeStream(stream));                                                   \
    } while (0)

#endif
