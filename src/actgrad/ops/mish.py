"""Mish, x * tanh(softplus(x)) (Misra 2019, https://arxiv.org/abs/1908.08681)."""

from ..base.definition import Torch
from ..base.xp import maximum, minimum, sigmoid, sigmoid_times
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, equal, supported
from ..contract.shape_rules import broadcastable, rank, result_shape, same_shape

FAR = 1000.0  # beyond it the tail is 0 in every dtype; keeps infinity * 0 out of the products


def mish_formula(x):
    """x * tanh(log(1 + exp(x))) = x * s * (1 + q) / (1 + q**2), s = sigmoid(x), q = sigmoid(-x)"""
    q = sigmoid(-x)
    return sigmoid_times(x, maximum(x, -FAR) * ((1.0 + q) / (1.0 + q * q)))


def mish_derivative(x):
    """t + x * s * (1 - t**2), t = tanh(log(1 + exp(x))) = s * (1 + q) / d, 1 - t**2 = (2 * q / d)**2, d = 1 + q**2"""
    q = sigmoid(-x)
    d = 1.0 + q * q
    ratio = 2.0 * q / d
    return sigmoid_times(x, (1.0 + q) / d + minimum(maximum(x, -FAR), FAR) * ratio * ratio)


mish = Operator(
    "mish(Tensor self) -> Tensor out",
    summary="x * tanh(softplus(x)) of each element x.",
    formula=mish_formula,
    checks=(supported("self", "out"), equal("out", to="self"), rank("self", "out"), same_shape("out", to="self")),
    torch=Torch("mish(inplace)", module="Mish"),
    aclnn="Mish",
    ir="Mish(x=self) -> y",
)

mish_backward = Operator(
    "mish_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="The gradient of Mish's input.",
    formula=mish_derivative,
    gradient_of=mish,
    broadcasts=True,
    checks=(
        convertible("grad_input"),
        supported("grad_output", "self", "grad_input"),
        rank("grad_output", "self", "grad_input"),
        broadcastable("self", to="grad_output"),
        result_shape("grad_input"),
    ),
    differences=("Empty tensors: the documents refuse them, the source accepts them. Here: accepted.",),
    aclnn="MishBackward",
    ir="MishGrad(grad=grad_output, x=self, tanhx=_?) -> x_grad",
)
