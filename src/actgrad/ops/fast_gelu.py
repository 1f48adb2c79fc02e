"""Fast GELU, x * sigmoid(1.702 * x) (Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415)."""

from ..base.definition import C, Torch
from ..calls.operator import Operator
from ..contract.dtype_rules import equal, supported
from ..contract.shape_rules import rank, same_format, same_shape
from .silu import QUICK, swish_derivative, swish_formula

PRODUCTS = "Ascend950 Ascend910_93 Ascend910B"
DIFFERENCES = ("Ascend310P and Ascend910: the README says yes, the source has no dtype there. Here: none.",)


def fast_gelu_formula(x):
    """x * sigmoid(1.702 * x)"""
    return swish_formula(x, QUICK)


def fast_gelu_derivative(x):
    """s * (1 + 1.702 * x * (1 - s)), s = sigmoid(1.702 * x)"""
    return swish_derivative(x, QUICK)


fast_gelu = Operator(
    "fast_gelu(Tensor self) -> Tensor out",
    summary="x * sigmoid(1.702 * x) of each element x, which is near GELU.",
    formula=fast_gelu_formula,
    checks=(
        equal("out", to="self"),
        supported("self", only_on=PRODUCTS),
        same_shape("out", to="self"),
        rank("self"),
        same_format("out", to="self"),
    ),
    differences=DIFFERENCES,
    torch=Torch("fast_gelu", module="FastGELU"),
    aclnn=C("FastGelu", in_place=False),
    ir="FastGelu(x=self) -> y",
)

fast_gelu_backward = Operator(
    "fast_gelu_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="The gradient of fast GELU's input.",
    formula=fast_gelu_derivative,
    gradient_of=fast_gelu,
    checks=(
        equal("self", "grad_input", to="grad_output"),
        supported("self", only_on=PRODUCTS),
        same_shape("self", "grad_input", to="grad_output"),
        rank("self"),
        same_format("grad_input", "grad_output", to="self"),
    ),
    differences=DIFFERENCES,
    aclnn="FastGeluBackward",
    ir="FastGeluGrad(dy=grad_output, x=self) -> z",
)
