// ELU backward, from the input and from the result.
#include "aclnnop/aclnn_elu_backward.h"
#include "device.hpp"

int main() {
    Device device;
    Scalar alpha(1.5f), scale(0.5f), input_scale(2.0f);
    Tensor gradient({2, 3}, {1, 2, 3, 4, 5, 6}), self({2, 3}, {-2, -1, -0.5f, 0, 0.5f, 2}), out({2, 3}, 0.0f);

    for (bool is_result : {false, true}) {
        run(device, [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnEluBackwardGetWorkspaceSize(gradient, alpha, scale, input_scale, is_result, self, out, size,
                                                    executor);
        }, aclnnEluBackward);
        out.print(is_result ? "elu backward, from the result" : "elu backward, from the input");
    }
}
