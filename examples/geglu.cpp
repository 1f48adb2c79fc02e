// GeGLU forward with both functions. The second function has an argument for the half that it activates.
#include "aclnnop/aclnn_geglu.h"
#include "device.hpp"

int main() {
    Device device;
    const int64_t dim = -1, tanh = 1;
    Tensor self({2, 4}, {-2, -1, 0.5f, 1, 2, 3, -0.5f, 0.25f}), out({2, 2}, 0.0f), gelu({2, 2}, 0.0f);

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnGeGluGetWorkspaceSize(self, dim, tanh, out, gelu, size, executor);
    }, aclnnGeGlu);
    out.print("geglu");
    gelu.print("gelu of the right half");

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnGeGluV3GetWorkspaceSize(self, dim, tanh, true, out, gelu, size, executor);
    }, aclnnGeGluV3);
    out.print("geglu, left half activated");
    gelu.print("gelu of the left half");
}
