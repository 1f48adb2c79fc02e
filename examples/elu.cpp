// ELU forward, to another tensor and in place.
#include "aclnnop/aclnn_elu.h"
#include "device.hpp"

int main() {
    Device device;
    Scalar alpha(1.5f), scale(0.5f), input_scale(2.0f);
    Tensor self({2, 3}, {-2, -1, -0.5f, 0, 0.5f, 2}), out({2, 3}, 0.0f);

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnEluGetWorkspaceSize(self, alpha, scale, input_scale, out, size, executor);
    }, aclnnElu);
    out.print("elu");

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnInplaceEluGetWorkspaceSize(self, alpha, scale, input_scale, size, executor);
    }, aclnnInplaceElu);
    self.print("elu in place");
}
