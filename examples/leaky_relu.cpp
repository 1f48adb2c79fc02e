// Leaky ReLU forward, to another tensor and in place.
#include "aclnnop/aclnn_leaky_relu.h"
#include "device.hpp"

int main() {
    Device device;
    Scalar slope(0.125f);
    Tensor self({6}, {-2, -1, -0.5f, 0, 0.5f, 2}), out({6}, 0.0f);

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnLeakyReluGetWorkspaceSize(self, slope, out, size, executor);
    }, aclnnLeakyRelu);
    out.print("leaky relu");

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnInplaceLeakyReluGetWorkspaceSize(self, slope, size, executor);
    }, aclnnInplaceLeakyRelu);
    self.print("leaky relu in place");
}
