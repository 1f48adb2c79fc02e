/* SELU backward in C, with every call written out: allocate, copy, describe, two phases, synchronise, copy back. */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_selu_backward.h"

enum { COUNT = 8 };
static const int64_t shape[] = {4, 2}, strides[] = {2, 1};

static void check(int status, const char* call) {
    if (status == 0) return;
    const char* text = aclGetRecentErrMsg();
    fprintf(stderr, "%s: status %d\n%s\n", call, status, text ? text : "");
    exit(1);
}
#define CHECK(call) check(call, #call)

static aclTensor* tensor_of(const float* values, void** memory) {
    const size_t size = COUNT * sizeof(float);
    CHECK(aclrtMalloc(memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(*memory, size, values, size, ACL_MEMCPY_HOST_TO_DEVICE));
    return aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 2, *memory);
}

int main(void) {
    float gradient_values[COUNT], result_values[COUNT], values[COUNT] = {0};
    for (int k = 0; k < COUNT; k++) {
        gradient_values[k] = 1.0f;
        result_values[k] = (float)k;
    }
    aclrtStream stream;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));

    void *gradient_memory, *result_memory, *memory;
    aclTensor* gradient = tensor_of(gradient_values, &gradient_memory);
    aclTensor* result = tensor_of(result_values, &result_memory);
    aclTensor* grad_input = tensor_of(values, &memory);

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = NULL;
    CHECK(aclnnSeluBackwardGetWorkspaceSize(gradient, result, grad_input, &workspace_size, &executor));
    void* workspace = NULL;
    if (workspace_size > 0) CHECK(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclnnSeluBackward(workspace, workspace_size, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(values, sizeof values, memory, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int k = 0; k < COUNT; k++) printf("result[%d] is: %f\n", k, values[k]);

    aclDestroyTensor(gradient);
    aclDestroyTensor(result);
    aclDestroyTensor(grad_input);
    CHECK(aclrtFree(gradient_memory));
    CHECK(aclrtFree(result_memory));
    CHECK(aclrtFree(memory));
    if (workspace != NULL) CHECK(aclrtFree(workspace));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
