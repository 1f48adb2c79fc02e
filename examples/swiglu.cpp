// SwiGLU of a packed tensor, the gradient of SwiGLU, and Swish. A null pointer gives Swish the default beta.
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "aclnnop/aclnn_swish.h"
#include "device.hpp"

int main() {
    Device device;
    const int64_t dim = -1;
    Tensor x({2, 4}, {-2, -1, 0.5f, 1, 2, 3, -0.5f, 0.25f}), out({2, 2}, 0.0f);
    Tensor gradOutput({2, 2}, {1, 2, 3, 4}), gradInput({2, 4}, 0.0f);

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnSwiGluGetWorkspaceSize(x, dim, out, size, executor);
    }, aclnnSwiGlu);
    out.print("swiglu");

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnSwiGluGradGetWorkspaceSize(gradOutput, x, dim, gradInput, size, executor);
    }, aclnnSwiGluGrad);
    gradInput.print("swiglu gradient");

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnSwishGetWorkspaceSize(x, nullptr, gradInput, size, executor);
    }, aclnnSwish);
    gradInput.print("swish");
}
