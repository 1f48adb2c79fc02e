/* An executor whose outputs move onto its inputs: onto one that later results need, which is refused, and onto others. */
#include "program.h"

#include "aclnnop/aclnn_prelu_backward.h"

enum { INVALID = 161002, SIDE = 3, ALL = SIDE * SIDE };
static const float GRADIENTS[] = {1, 2, 4}, WEIGHTS[] = {0.25f, 0.5f, 2}, X[] = {-1, 2, -3, -4, 5, -6, -7, -8, 9};

static Tensor vector(const float* values) {
    const int64_t shape[] = {SIDE};
    Tensor made = matrix(1, SIDE, values);
    CHECK(aclDestroyTensor(made.tensor));
    made.tensor = aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, made.memory);
    REQUIRE(made.tensor != NULL);
    return made;
}

static void expect(Tensor tensor, void* memory, const float* wanted, int count) {
    float values[ALL];
    CHECK(aclrtMemcpy(values, tensor.size, memory, tensor.size, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int k = 0; k < count; k++) REQUIRE(values[k] == wanted[k]);
}

int main(void) {
    aclrtStream stream = start();
    Tensor g = matrix(SIDE, 1, GRADIENTS), x = matrix(SIDE, SIDE, X), by_x = matrix(SIDE, SIDE, NULL);
    Tensor weight = vector(WEIGHTS), by_weight = vector(NULL);
    float sums[SIDE] = {0}, gradients[ALL];
    for (int k = 0; k < ALL; k++) {
        const float gradient = GRADIENTS[k / SIDE];
        gradients[k] = X[k] > 0 ? gradient : WEIGHTS[k % SIDE] * gradient;
        sums[k % SIDE] += X[k] > 0 ? 0 : X[k] * gradient;
    }
    uint64_t size = 0;
    aclOpExecutor* executor = NULL;
    FAILS(aclnnPreluBackwardGetWorkspaceSize(g.tensor, x.tensor, weight.tensor, x.tensor, x.tensor, &size, &executor),
          INVALID, "gradWeight");
    CHECK(aclnnPreluBackwardGetWorkspaceSize(g.tensor, x.tensor, weight.tensor, by_x.tensor, by_weight.tensor, &size,
                                             &executor));
    CHECK(aclSetAclOpExecutorRepeatable(executor));
    for (int k = 0; k < 2; k++) {
        FAILS(aclSetOutputTensorAddr(executor, 1, by_weight.tensor, g.memory), INVALID,
              "gradWeight overlaps gradOutput; results that come later need gradOutput");
        CHECK(aclnnPreluBackward(NULL, size, executor, stream));
        CHECK(aclrtSynchronizeStream(stream));
        expect(by_weight, by_weight.memory, sums, SIDE);
        expect(by_x, by_x.memory, gradients, ALL);
    }
    CHECK(aclSetOutputTensorAddr(executor, 1, by_weight.tensor, weight.memory));
    CHECK(aclSetOutputTensorAddr(executor, 0, by_x.tensor, x.memory));
    CHECK(aclnnPreluBackward(NULL, size, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));
    expect(by_weight, weight.memory, sums, SIDE);
    expect(by_x, x.memory, gradients, ALL);
    CHECK(aclDestroyAclOpExecutor(executor));
    Tensor all[] = {g, x, by_x, weight, by_weight};
    for (int k = 0; k < 5; k++) destroy(all[k]);
    finish(stream);
    puts("ok");
    return 0;
}
