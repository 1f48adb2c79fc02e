// GeGLU backward: the forward pass gives gelu, and the gradient has the shape of the packed input.
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "device.hpp"

int main() {
    Device device;
    const int64_t dim = -1, tanh = 1;
    Tensor self({2, 4}, {-2, -1, 0.5f, 1, 2, 3, -0.5f, 0.25f}), out({2, 2}, 0.0f), gelu({2, 2}, 0.0f);
    Tensor gradient({2, 2}, {1, 2, 3, 4}), result({2, 4}, 0.0f);

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnGeGluGetWorkspaceSize(self, dim, tanh, out, gelu, size, executor);
    }, aclnnGeGlu);
    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnGeGluBackwardGetWorkspaceSize(gradient, self, gelu, dim, tanh, result, size, executor);
    }, aclnnGeGluBackward);
    result.print("geglu backward");

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnGeGluV3GetWorkspaceSize(self, dim, tanh, true, out, gelu, size, executor);
    }, aclnnGeGluV3);
    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnGeGluV3BackwardGetWorkspaceSize(gradient, self, gelu, dim, tanh, true, result, size, executor);
    }, aclnnGeGluV3Backward);
    result.print("geglu backward, left half activated");
}
