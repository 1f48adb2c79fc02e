"""The operators by name."""

from ..calls.operator import Operator

__all__ = [
    "add_relu",
    "elu",
    "elu_backward",
    "geglu",
    "geglu_backward",
    "geglu_packed",
    "geglu_two",
    "geglu_two_backward",
    "gelu",
    "gelu_backward",
    "hardsigmoid",
    "hardsigmoid_backward",
    "hardswish",
    "hardswish_backward",
    "hardtanh",
    "hardtanh_backward",
    "leaky_relu",
    "leaky_relu_backward",
    "prelu",
    "relu",
    "relu_backward",
    "selu",
    "selu_backward",
    "selu_backward_from_input",
    "sigmoid",
    "sigmoid_backward",
    "silu",
    "silu_backward",
    "swiglu",
    "swiglu_backward",
    "swiglu_two",
    "swiglu_two_backward",
    "swish",
    "swish_backward",
    "tanh",
    "tanh_backward",
    "threshold",
    "threshold_backward",
]

add_relu: Operator
elu: Operator
elu_backward: Operator
geglu: Operator
geglu_backward: Operator
geglu_packed: Operator
geglu_two: Operator
geglu_two_backward: Operator
gelu: Operator
gelu_backward: Operator
hardsigmoid: Operator
hardsigmoid_backward: Operator
hardswish: Operator
hardswish_backward: Operator
hardtanh: Operator
hardtanh_backward: Operator
leaky_relu: Operator
leaky_relu_backward: Operator
prelu: Operator
relu: Operator
relu_backward: Operator
selu: Operator
selu_backward: Operator
selu_backward_from_input: Operator
sigmoid: Operator
sigmoid_backward: Operator
silu: Operator
silu_backward: Operator
swiglu: Operator
swiglu_backward: Operator
swiglu_two: Operator
swiglu_two_backward: Operator
swish: Operator
swish_backward: Operator
tanh: Operator
tanh_backward: Operator
threshold: Operator
threshold_backward: Operator
