// Leaky ReLU backward. Its two inputs may be broadcast together: here, gradOutput has one row for all rows of self.
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "device.hpp"

int main() {
    Device device;
    Scalar slope(0.125f);
    Tensor gradient({3}, {1, 2, 3}), self({2, 3}, {-2, -1, -0.5f, 0, 0.5f, 2}), out({2, 3}, 0.0f);

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnLeakyReluBackwardGetWorkspaceSize(gradient, self, slope, false, out, size, executor);
    }, aclnnLeakyReluBackward);
    out.print("leaky relu backward");
}
