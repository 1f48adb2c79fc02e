"""CELU, the continuously differentiable exponential linear unit (Barron 2017, https://arxiv.org/abs/1704.07483)."""

from ..base.definition import Torch
from ..base.xp import exp, expm1, where
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, real, supported
from ..contract.shape_rules import rank, same_shape
from ..contract.stages import on
from .elu import FLOAT32_ZERO

# Where a product judges, alpha is read as float32.
NOT_ZERO = {"alpha neither 0 nor NaN": lambda a, product: abs(a["alpha"]) > (FLOAT32_ZERO if product else 0)}


def celu_formula(x, alpha):
    """x if x > 0 else alpha * (exp(x / alpha) - 1)"""
    # expm1(2 * u) = p * (p + 2), p = expm1(u): with a negative alpha nothing overflows before the result does.
    p = expm1(0.5 * (where(x > 0, 0.0, x) / alpha))
    return where(x > 0, x, alpha * p * (p + 2.0))


def celu_derivative(x, alpha):
    """1 if x > 0 else exp(x / alpha)"""
    return where(x > 0, 1.0, exp(where(x > 0, 0.0, x) / alpha))


celu = Operator(
    "celu(Tensor self, Scalar alpha=1) -> Tensor out",
    summary="x where x > 0, else alpha * (exp(x / alpha) - 1), of each element x.",
    formula=celu_formula,
    checks=(
        supported("self", everywhere=True),
        on("Ascend310P Ascend910", supported("self")),
        real("alpha"),
        convertible("out"),
        rank("self"),
        same_shape("out", to="self"),
    ),
    requires=NOT_ZERO,
    differences=(
        "Ascend310B: its lists have no BFLOAT16 elsewhere, the source takes it here. Here: too.",
        "Ascend310P: the documents say no, the README yes. Here: available.",
    ),
    torch=Torch("celu(alpha, inplace)", module="CELU"),
    aclnn="Celu",
    ir="CeluV2(x=self, alpha=1.0) -> y",
)

celu_backward = Operator(
    "celu_backward(Tensor grad_output, Tensor self, Scalar alpha) -> Tensor grad_input",
    summary="The gradient of CELU's input.",
    formula=celu_derivative,
    gradient_of=celu,
    requires=NOT_ZERO,
)
