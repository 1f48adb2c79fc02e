// SELU forward, to another tensor and in place.
#include "aclnnop/aclnn_selu.h"
#include "device.hpp"

int main() {
    Device device;
    Tensor self({6}, {-2, -1, -0.5f, 0, 0.5f, 2}), out({6}, 0.0f);

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnSeluGetWorkspaceSize(self, out, size, executor);
    }, aclnnSelu);
    out.print("selu");

    run(device, [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnInplaceSeluGetWorkspaceSize(self, size, executor);
    }, aclnnInplaceSelu);
    self.print("selu in place");
}
