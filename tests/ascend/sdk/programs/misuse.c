/* What a program must not do, and the status and text that it gets for it. */
#include "program.h"

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_selu.h"

enum { NULL_POINTER = 161001, INVALID = 161002, RUNTIME = 361001, INNER = 561000, INNER_NULL = 561103 };

static aclrtStream stream;
static uint64_t size;
static aclOpExecutor* executor;

static void phase_one(Tensor x, Tensor y) { CHECK(aclnnSeluGetWorkspaceSize(x.tensor, y.tensor, &size, &executor)); }

static void null_pointers(Tensor x, Tensor y) {
    FAILS(aclnnSeluGetWorkspaceSize(NULL, y.tensor, &size, &executor), NULL_POINTER, "self is a null pointer");
    FAILS(aclnnSeluGetWorkspaceSize(x.tensor, NULL, &size, &executor), NULL_POINTER, "out is a null pointer");
    FAILS(aclnnSeluGetWorkspaceSize(x.tensor, y.tensor, NULL, &executor), NULL_POINTER, "workspaceSize is a null");
    FAILS(aclnnSeluGetWorkspaceSize(x.tensor, y.tensor, &size, NULL), NULL_POINTER, "executor is a null pointer");
    FAILS(aclnnSelu(NULL, 0, NULL, stream), NULL_POINTER, "executor is a null pointer");
    REQUIRE(aclCreateScalar(NULL, ACL_FLOAT) == NULL);
    REQUIRE(aclCreateTensor(NULL, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL) == NULL);
    CHECK(aclDestroyTensor(NULL));
    CHECK(aclDestroyScalar(NULL));
    aclGetRecentErrMsg();
}

static void executors(Tensor x, Tensor y) {
    phase_one(x, y);
    FAILS(aclnnLeakyRelu(NULL, 0, executor, stream), INNER, "aclnnLeakyRelu: executor is of aclnnSelu");
    CHECK(aclnnSelu(NULL, size, executor, stream)); /* the mistake did not use it up */
    FAILS(aclnnSelu(NULL, size, executor, stream), INNER, "ran already");
    phase_one(x, y);
    FAILS(aclnnSelu(NULL, 1, executor, stream), NULL_POINTER, "workspaceSize is 1");
    FAILS(aclnnSelu(NULL, 0, executor, stream), INNER, "ran already");
    phase_one(x, y);
    CHECK(aclDestroyAclOpExecutor(executor));
    FAILS(aclDestroyAclOpExecutor(executor), INNER, "was destroyed");
    FAILS(aclnnSelu(NULL, 0, executor, stream), INNER, "was destroyed");
    FAILS(aclSetAclOpExecutorRepeatable(executor), INNER, "was destroyed");
    FAILS(aclSetAclOpExecutorRepeatable(NULL), INNER_NULL, "null pointer");
    FAILS(aclDestroyAclOpExecutor(NULL), INNER_NULL, "null pointer");
    FAILS(aclnnSelu(NULL, 0, (aclOpExecutor*)&size, stream), INNER, "ran already or was destroyed");
    phase_one(x, y);
    aclrtStream gone;
    CHECK(aclrtCreateStream(&gone));
    CHECK(aclrtDestroyStream(gone));
    FAILS(aclnnSelu(NULL, 0, executor, gone), RUNTIME, "a stream that is not destroyed");
    CHECK(aclrtSynchronizeStream(stream));
}

static void objects(Tensor x, Tensor y) {
    aclTensor* gone = describe(x.memory, 2, 4);
    CHECK(aclDestroyTensor(gone));
    FAILS(aclDestroyTensor(gone), INVALID, "destroyed before");
    FAILS(aclnnSeluGetWorkspaceSize(gone, y.tensor, &size, &executor), INVALID, "self was destroyed");
    FAILS(aclSetRawTensorAddr(gone, x.memory), INVALID, "an aclTensor that is not destroyed");
    aclScalar* slope = number(0.5f);
    CHECK(aclDestroyScalar(slope));
    FAILS(aclDestroyScalar(slope), INVALID, "destroyed before");
    FAILS(aclnnLeakyReluGetWorkspaceSize(x.tensor, slope, y.tensor, &size, &executor), INVALID,
          "negativeSlope was destroyed");
    float value = 1;
    const int no_scalars[] = {ACL_STRING, ACL_DT_UNDEFINED, ACL_INT4, ACL_UINT1, ACL_COMPLEX32, 5, 12345};
    for (size_t k = 0; k < sizeof no_scalars / sizeof *no_scalars; k++) {
        REQUIRE(aclCreateScalar(&value, (aclDataType)no_scalars[k]) == NULL);
        const char* text = aclGetRecentErrMsg();
        REQUIRE(text != NULL && strstr(text, "it must be a data type of numbers") != NULL);
    }
    const aclTensor* members[] = {describe(x.memory, 2, 4), describe(y.memory, 2, 4)};
    aclTensorList* list = aclCreateTensorList(members, 2);
    uint64_t count = 0;
    CHECK(aclGetTensorListSize(list, &count));
    REQUIRE(count == 2);
    CHECK(aclDestroyTensorList(list));
    FAILS(aclDestroyTensor(members[1]), INVALID, "destroyed before"); /* with its list */
    FAILS(aclDestroyTensorList(list), INVALID, "destroyed before");
    FAILS(aclGetTensorListSize(list, &count), INVALID, "a list that is not destroyed");
    REQUIRE(aclCreateIntArray(NULL, 3) == NULL);
    REQUIRE(aclCreateIntArray((const int64_t*)&value, UINT64_MAX / 8 + 1) == NULL);
    aclGetRecentErrMsg();
}

static void memory(Tensor x, Tensor y) {
    float on_host[8] = {0};
    aclTensor* host = describe(on_host, 2, 4);
    FAILS(aclnnSeluGetWorkspaceSize(host, y.tensor, &size, &executor), INVALID,
          "it must be device memory that is not freed");
    aclTensor* past = describe((char*)x.memory + 4, 2, 4);
    FAILS(aclnnSeluGetWorkspaceSize(past, y.tensor, &size, &executor), INVALID,
          "self has 28 bytes of storage; storageDims (2, 4) needs 32");
    void* block = device_memory(32);
    aclTensor* freed = describe(block, 2, 4);
    CHECK(aclnnSeluGetWorkspaceSize(freed, y.tensor, &size, &executor));
    CHECK(aclrtFree(block));
    aclOpExecutor* of_freed = executor;
    FAILS(aclnnSeluGetWorkspaceSize(freed, y.tensor, &size, &executor), INVALID,
          "it must be device memory that is not freed");
    int status = aclnnSelu(NULL, 0, of_freed, stream);
    if (status == 0) status = aclrtSynchronizeStream(stream); /* strictly it is found out then */
    FAILS(status, RUNTIME, "was freed before the call computed");
    REQUIRE(aclrtFree(block) == 107000);
    aclTensor* null = describe(NULL, 2, 4);
    FAILS(aclnnSeluGetWorkspaceSize(null, y.tensor, &size, &executor), INVALID, "its storage is a null pointer");
    REQUIRE(aclrtMemcpy(on_host, 32, x.memory, 32, ACL_MEMCPY_HOST_TO_DEVICE) == 107000);
    const aclTensor* all[] = {host, past, freed, null};
    for (int k = 0; k < 4; k++) CHECK(aclDestroyTensor(all[k]));
    aclGetRecentErrMsg();
}

static void huge_sizes(Tensor y) {
    const int64_t shape[] = {INT64_MAX, INT64_MAX, 2}, negative[] = {-1, 4};
    aclTensor* huge = aclCreateTensor(shape, 3, ACL_FLOAT, NULL, INT64_MAX, ACL_FORMAT_ND, shape, 3, y.memory);
    FAILS(aclnnSeluGetWorkspaceSize(huge, y.tensor, &size, &executor), INVALID, "shape");
    aclTensor* below = aclCreateTensor(negative, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, negative, 2, y.memory);
    FAILS(aclnnSeluGetWorkspaceSize(below, y.tensor, &size, &executor), INVALID,
          "viewDims is (-1, 4); each must be 0 or more");
    REQUIRE(aclCreateTensor(shape, UINT64_MAX, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 3, y.memory) == NULL);
    aclTensor* odd = aclCreateTensor(shape, 0, (aclDataType)99, NULL, 0, ACL_FORMAT_ND, shape, 0, y.memory);
    FAILS(aclnnSeluGetWorkspaceSize(odd, y.tensor, &size, &executor), INVALID, "dataType is 99");
    CHECK(aclDestroyTensor(huge));
    CHECK(aclDestroyTensor(below));
    CHECK(aclDestroyTensor(odd));
    aclGetRecentErrMsg();
}

int main(void) {
    CHECK(aclnnInit(NULL));
    stream = start();
    Tensor x = matrix(2, 4, NULL), y = matrix(2, 4, NULL);
    null_pointers(x, y);
    executors(x, y);
    objects(x, y);
    memory(x, y);
    huge_sizes(y);
    REQUIRE(aclGetRecentErrMsg() == NULL);
    destroy(x);
    destroy(y);
    finish(stream);
    CHECK(aclnnFinalize());
    puts("ok");
    return 0;
}
