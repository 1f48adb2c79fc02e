/* An executor that is used again and again, on other memory too. */
#include "program.h"

#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_selu.h"

enum { NULL_POINTER = 161001, INVALID = 161002, INNER = 561000, INNER_NULL = 561103 };
static const float ONES[] = {1, 1, 1, 1}, TWOS[] = {2, 2, 2, 2}, SIGNS[] = {-1, 1, -1, 1};

static void expect(Tensor tensor, float first, float second) {
    float values[4];
    read_back(tensor, values);
    REQUIRE(values[0] == first && values[1] == second && values[2] == first && values[3] == second);
    CHECK(aclrtMemset(tensor.memory, tensor.size, 0, tensor.size));
}

int main(void) {
    aclrtStream stream = start();
    Tensor g = matrix(1, 4, ONES), other = matrix(1, 4, TWOS), x = matrix(1, 4, SIGNS), out = matrix(1, 4, NULL);
    Tensor place = matrix(1, 4, NULL);
    aclScalar* slope = number(0.5f);
    uint64_t size = 0;
    aclOpExecutor* executor = NULL;
#define ONCE()                                                             \
    do {                                                                   \
        CHECK(aclnnLeakyReluBackward(NULL, size, executor, stream));       \
        CHECK(aclrtSynchronizeStream(stream));                             \
    } while (0)
    CHECK(aclnnLeakyReluBackwardGetWorkspaceSize(g.tensor, x.tensor, slope, false, out.tensor, &size, &executor));
    FAILS(aclSetInputTensorAddr(executor, 0, g.tensor, other.memory), INNER, "it must be reusable");
    CHECK(aclSetAclOpExecutorRepeatable(executor));
    for (int k = 0; k < 3; k++) {
        ONCE();
        expect(out, 0.5f, 1);
    }
    FAILS(aclnnLeakyReluBackward(NULL, 8, executor, stream), NULL_POINTER, "workspaceSize is 8");
    ONCE(); /* that did not destroy it */
    expect(out, 0.5f, 1);

    CHECK(aclSetInputTensorAddr(executor, 0, g.tensor, other.memory));
    ONCE();
    expect(out, 1, 2);
    CHECK(aclSetOutputTensorAddr(executor, 0, out.tensor, place.memory));
    ONCE();
    expect(place, 1, 2);
    CHECK(aclSetTensorAddr(executor, 2, out.tensor, out.memory));
    CHECK(aclSetTensorAddr(executor, 0, g.tensor, g.memory));
    ONCE();
    expect(out, 0.5f, 1);
    CHECK(AclSetInputTensorAddr(executor, 0, g.tensor, other.memory)); /* the spelling of older releases */
    CHECK(AclSetOutputTensorAddr(executor, 0, out.tensor, place.memory));
    ONCE();
    expect(place, 1, 2);
    CHECK(AclSetTensorAddr(executor, 2, out.tensor, out.memory));
    CHECK(AclSetTensorAddr(executor, 0, g.tensor, g.memory));
    ONCE();
    expect(out, 0.5f, 1);
    FAILS(AclSetTensorAddr(executor, 3, out.tensor, g.memory), INVALID, "AclSetTensorAddr: index is 3");
    FAILS(AclSetDynamicTensorAddr(executor, 0, 0, NULL, g.memory), INVALID, "AclSetDynamicTensorAddr: the operator");
    FAILS(AclSetDynamicInputTensorAddr(NULL, 0, 0, NULL, g.memory), INNER_NULL, "executor is a null pointer");
    FAILS(AclSetDynamicOutputTensorAddr(NULL, 0, 0, NULL, g.memory), INNER_NULL, "executor is a null pointer");
    void* address = NULL;
    CHECK(aclGetRawTensorAddr(g.tensor, &address));
    REQUIRE(address == g.memory);

    FAILS(aclSetInputTensorAddr(NULL, 0, g.tensor, g.memory), INNER_NULL, "executor is a null pointer");
    FAILS(aclSetInputTensorAddr(executor, 0, NULL, g.memory), INNER_NULL, "tensor is a null pointer");
    FAILS(aclSetInputTensorAddr(executor, 2, g.tensor, g.memory), INVALID, "2 inputs");
    FAILS(aclSetOutputTensorAddr(executor, 1, out.tensor, g.memory), INVALID, "1 outputs");
    FAILS(aclSetTensorAddr(executor, 3, out.tensor, g.memory), INVALID, "index is 3");
    FAILS(aclSetInputTensorAddr(executor, 1, g.tensor, g.memory), INVALID, "tensor is not the tensor of phase one");
    FAILS(aclSetInputTensorAddr(executor, 0, g.tensor, &size), INVALID, "it must be device memory");
    FAILS(aclSetOutputTensorAddr(executor, 0, out.tensor, (char*)x.memory - 4), INVALID, "out");
    FAILS(aclSetDynamicInputTensorAddr(executor, 0, 0, NULL, g.memory), INVALID, "no list of tensors");
    ONCE(); /* a refusal changes nothing */
    expect(out, 0.5f, 1);

    /* What is queued computes on the memory it was queued with, and outlives its executor. */
    CHECK(aclnnLeakyReluBackward(NULL, size, executor, stream));
    CHECK(aclSetOutputTensorAddr(executor, 0, out.tensor, place.memory));
    CHECK(aclnnLeakyReluBackward(NULL, size, executor, stream));
    CHECK(aclDestroyAclOpExecutor(executor));
    CHECK(aclrtSynchronizeStream(stream));
    expect(out, 0.5f, 1);
    expect(place, 0.5f, 1);
    FAILS(aclnnLeakyReluBackward(NULL, size, executor, stream), INNER, "was destroyed");
    FAILS(aclSetInputTensorAddr(executor, 0, g.tensor, g.memory), INNER, "was destroyed");

    /* In place one tensor is input and output. */
    CHECK(aclnnInplaceSeluGetWorkspaceSize(x.tensor, &size, &executor));
    CHECK(aclSetAclOpExecutorRepeatable(executor));
    CHECK(aclSetInputTensorAddr(executor, 0, x.tensor, other.memory));
    CHECK(aclnnInplaceSelu(NULL, size, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));
    float values[4];
    read_back(other, values);
    REQUIRE(fabsf(values[0] - 2.101402f) < 1e-5f);
    read_back(x, values);
    REQUIRE(values[0] == -1);
    CHECK(aclDestroyAclOpExecutor(executor));

    Tensor all[] = {g, other, x, out, place};
    for (int k = 0; k < 5; k++) destroy(all[k]);
    CHECK(aclDestroyScalar(slope));
    finish(stream);
    puts("ok");
    return 0;
}
