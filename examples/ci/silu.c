/* Compares SiLU of eight numbers on the device with the formula. The exit status is 0 if all results are right. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_silu.h"

enum { COUNT = 8 };

static void require(int status, const char* what) {
    if (status == 0) return;
    const char* text = aclGetRecentErrMsg();
    fprintf(stderr, "%s: status %d: %s\n", what, status, text ? text : "");
    exit(1);
}
#define REQUIRE(call) require(call, #call)

static aclTensor* vector(void** memory) {
    const int64_t shape[] = {COUNT};
    REQUIRE(aclrtMalloc(memory, COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    return aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, *memory);
}

int main(void) {
    float x[COUNT], y[COUNT];
    for (int k = 0; k < COUNT; k++) x[k] = (float)k - 3.5f;
    aclrtStream stream;
    REQUIRE(aclInit(NULL));
    REQUIRE(aclrtSetDevice(0));
    REQUIRE(aclrtCreateStream(&stream));
    void *memory_x, *memory_y, *workspace = NULL;
    aclTensor *self = vector(&memory_x), *out = vector(&memory_y);
    REQUIRE(aclrtMemcpy(memory_x, sizeof x, x, sizeof x, ACL_MEMCPY_HOST_TO_DEVICE));
    uint64_t size;
    aclOpExecutor* executor;
    REQUIRE(aclnnSiluGetWorkspaceSize(self, out, &size, &executor));
    if (size > 0) REQUIRE(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    REQUIRE(aclnnSilu(workspace, size, executor, stream));
    REQUIRE(aclrtSynchronizeStream(stream));
    REQUIRE(aclrtMemcpy(y, sizeof y, memory_y, sizeof y, ACL_MEMCPY_DEVICE_TO_HOST));
    int wrong = 0;
    for (int k = 0; k < COUNT; k++) {
        float expected = x[k] / (1 + expf(-x[k]));
        if (!(fabsf(y[k] - expected) <= 1e-6f)) wrong = 1;
        printf("silu(%g) = %g\n", x[k], y[k]);
    }
    REQUIRE(aclDestroyTensor(self));
    REQUIRE(aclDestroyTensor(out));
    REQUIRE(aclrtFree(memory_x));
    REQUIRE(aclrtFree(memory_y));
    if (workspace != NULL) REQUIRE(aclrtFree(workspace));
    REQUIRE(aclrtDestroyStream(stream));
    REQUIRE(aclrtResetDevice(0));
    REQUIRE(aclFinalize());
    return wrong;
}
