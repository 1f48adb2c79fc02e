"""The operators by name."""

from ..calls.operator import Operator

__all__ = [
    "add_relu",
    "bnll",
    "celu",
    "celu_backward",
    "clipped_swiglu",
    "clipped_swiglu_backward",
    "confusion_softmax_grad",
    "elu",
    "elu_backward",
    "erfinv",
    "fast_gelu",
    "fast_gelu_backward",
    "fast_gelu_v2",
    "fast_gelu_v2_backward",
    "fatrelu_mul",
    "fused_bias_leaky_relu",
    "fused_bias_leaky_relu_backward",
    "geglu",
    "geglu_backward",
    "geglu_packed",
    "geglu_two",
    "geglu_two_backward",
    "gelu",
    "gelu_backward",
    "gelu_mul",
    "glu",
    "glu_backward",
    "hardshrink",
    "hardshrink_backward",
    "hardsigmoid",
    "hardsigmoid_backward",
    "hardswish",
    "hardswish_backward",
    "hardtanh",
    "hardtanh_backward",
    "heaviside",
    "leaky_relu",
    "leaky_relu_backward",
    "log_softmax",
    "log_softmax_backward",
    "logsigmoid",
    "logsigmoid_backward",
    "mish",
    "mish_backward",
    "p_relu_grad_reduce",
    "prelu",
    "prelu_backward",
    "relu",
    "relu6",
    "relu6_backward",
    "relu6_d",
    "relu_backward",
    "rrelu_with_noise",
    "scaled_celu",
    "scaled_celu_backward",
    "selu",
    "selu_backward",
    "selu_backward_from_input",
    "shrink",
    "sigmoid",
    "sigmoid_backward",
    "silu",
    "silu_backward",
    "situ_glu",
    "situ_glu_backward",
    "softmax",
    "softmax_backward",
    "softmax_cross_entropy_with_logits",
    "softmax_grad_ext",
    "softplus",
    "softplus_backward",
    "softshrink",
    "softshrink_backward",
    "softsign",
    "softsign_backward",
    "squared_relu",
    "squared_relu_backward",
    "swiglu",
    "swiglu_backward",
    "swiglu_group",
    "swiglu_two",
    "swiglu_two_backward",
    "swish",
    "swish_backward",
    "tanh",
    "tanh_backward",
    "threshold",
    "threshold_backward",
    "threshold_tensor",
    "unit_step",
]

add_relu: Operator
bnll: Operator
celu: Operator
celu_backward: Operator
clipped_swiglu: Operator
clipped_swiglu_backward: Operator
confusion_softmax_grad: Operator
elu: Operator
elu_backward: Operator
erfinv: Operator
fast_gelu: Operator
fast_gelu_backward: Operator
fast_gelu_v2: Operator
fast_gelu_v2_backward: Operator
fatrelu_mul: Operator
fused_bias_leaky_relu: Operator
fused_bias_leaky_relu_backward: Operator
geglu: Operator
geglu_backward: Operator
geglu_packed: Operator
geglu_two: Operator
geglu_two_backward: Operator
gelu: Operator
gelu_backward: Operator
gelu_mul: Operator
glu: Operator
glu_backward: Operator
hardshrink: Operator
hardshrink_backward: Operator
hardsigmoid: Operator
hardsigmoid_backward: Operator
hardswish: Operator
hardswish_backward: Operator
hardtanh: Operator
hardtanh_backward: Operator
heaviside: Operator
leaky_relu: Operator
leaky_relu_backward: Operator
log_softmax: Operator
log_softmax_backward: Operator
logsigmoid: Operator
logsigmoid_backward: Operator
mish: Operator
mish_backward: Operator
p_relu_grad_reduce: Operator
prelu: Operator
prelu_backward: Operator
relu: Operator
relu6: Operator
relu6_backward: Operator
relu6_d: Operator
relu_backward: Operator
rrelu_with_noise: Operator
scaled_celu: Operator
scaled_celu_backward: Operator
selu: Operator
selu_backward: Operator
selu_backward_from_input: Operator
shrink: Operator
sigmoid: Operator
sigmoid_backward: Operator
silu: Operator
silu_backward: Operator
situ_glu: Operator
situ_glu_backward: Operator
softmax: Operator
softmax_backward: Operator
softmax_cross_entropy_with_logits: Operator
softmax_grad_ext: Operator
softplus: Operator
softplus_backward: Operator
softshrink: Operator
softshrink_backward: Operator
softsign: Operator
softsign_backward: Operator
squared_relu: Operator
squared_relu_backward: Operator
swiglu: Operator
swiglu_backward: Operator
swiglu_group: Operator
swiglu_two: Operator
swiglu_two_backward: Operator
swish: Operator
swish_backward: Operator
tanh: Operator
tanh_backward: Operator
threshold: Operator
threshold_backward: Operator
threshold_tensor: Operator
unit_step: Operator
