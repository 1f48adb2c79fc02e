"""SELU, the self-normalising ELU."""

from ..base.definition import Dtypes, Result, Torch
from ..base.xp import where
from ..calls.operator import Operator
from .elu import elu_derivative, elu_formula

ALPHA = 1.6732632423543772848170429916717

SCALE = 1.0507009873554804934193349852946


def selu_formula(x):
    """SCALE * (x if x > 0 else ALPHA * (exp(x) - 1)), ALPHA = 1.67326324..., SCALE = 1.05070098..."""
    return elu_formula(x, ALPHA, SCALE, 1.0)


def selu_derivative(x):
    """SCALE if x >= 0 else SCALE * ALPHA * exp(x)"""
    return where(x >= 0, SCALE, selu_derivative_950(x))


def selu_derivative_950(x):
    """SCALE if x > 0 else SCALE * ALPHA * exp(x), on Ascend950"""
    return elu_derivative(x, ALPHA, SCALE, 1.0)


def selu_derivative_from_result(y):
    """SCALE if y >= 0 else y + SCALE * ALPHA, for y = selu(x)"""
    return where(y >= 0, SCALE, y + SCALE * ALPHA)


selu = Operator(
    "selu(Tensor self) -> Tensor out",
    summary="scale * x if x > 0, else scale * alpha * (exp(x) - 1), where scale = 1.0507009873554805 and alpha = "
    "1.6732632423543773\n\n"
    "Integers are computed as floats, rounded to the nearest even number, and saturate.",
    paper="Klambauer et al. 2017, https://arxiv.org/abs/1706.02515",
    formula=selu_formula,
    dtypes=Dtypes("int32 int8"),
    torch=Torch("selu(inplace, *, save)", module="SELU"),
)

selu_backward = Operator(
    "selu_backward(Tensor grad_output, Tensor result) -> Tensor grad_input",
    summary="scale * grad_output if result >= 0, else (result + scale * alpha) * grad_output, where scale = "
    "1.0507009873554805 and alpha = 1.6732632423543773; result = selu(x)\n\n"
    "On Ascend950 a result of 0 belongs to the second case. Integers are computed as floats, rounded to the "
    "nearest even number, and saturate.",
    formula=selu_derivative_from_result,
    gradient_of=selu,
    result=Result("result"),
    dtypes=Dtypes("int32 int8"),
)

selu_backward_from_input = Operator(
    "selu_backward_from_input(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="scale * grad_output if self >= 0, else scale * alpha * exp(self) * grad_output, where scale = "
    "1.0507009873554805 and alpha = 1.6732632423543773\n\n"
    "On Ascend950 an input of 0 belongs to the second case. In half precision this gradient is more exact than "
    "selu_backward, which sees only the rounded result. Integers are computed as floats, rounded to the nearest even "
    "number, and saturate.",
    formula=selu_derivative,
    gradient_of=selu,
    dtypes=Dtypes("int32 int8"),
)
