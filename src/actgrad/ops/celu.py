"""CELU, the continuously differentiable exponential linear unit."""

from ..base.definition import Torch
from ..base.dtypes import FLOAT32_ZERO
from ..base.xp import exp, expm1, where
from ..calls.operator import Operator
from ..contract.dtype_rules import convertible, real, supported
from ..contract.shape_rules import rank, same_shape
from ..contract.stages import on

# If a product is in force, alpha is rounded to float32, so a tiny alpha is 0.
NOT_ZERO_2 = {"alpha2 neither 0 nor NaN": lambda a, product: abs(a["alpha2"]) > (FLOAT32_ZERO if product else 0)}
NOT_ZERO = {"alpha neither 0 nor NaN": lambda a, product: abs(a["alpha"]) > (FLOAT32_ZERO if product else 0)}


def scaled_celu_formula(x, alpha1, alpha2, alpha3):
    """alpha3 * x if x > 0 else alpha1 * (exp(x / alpha2) - 1)"""
    # expm1(2 * u) = p * (p + 2), p = expm1(u). With a negative alpha2, this form overflows only if the result does.
    p = expm1(0.5 * (where(x > 0, 0.0, x) / alpha2))
    return where(x > 0, alpha3 * x, alpha1 * p * (p + 2.0))


def scaled_celu_derivative(x, alpha1, alpha2, alpha3):
    """alpha3 if x > 0 else alpha1 / alpha2 * exp(x / alpha2)"""
    return where(x > 0, alpha3, alpha1 / alpha2 * exp(where(x > 0, 0.0, x) / alpha2))


def celu_formula(x, alpha):
    """x if x > 0 else alpha * (exp(x / alpha) - 1)"""
    return scaled_celu_formula(x, alpha, alpha, 1.0)


def celu_derivative(x, alpha):
    """1 if x > 0 else exp(x / alpha)"""
    return where(x > 0, 1.0, exp(where(x > 0, 0.0, x) / alpha))


celu = Operator(
    "celu(Tensor self, Scalar alpha=1) -> Tensor out",
    summary="x if x > 0, else alpha * (exp(x / alpha) - 1)",
    paper="Barron 2017, https://arxiv.org/abs/1704.07483",
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
        "Ascend310B: the source takes BFLOAT16, although the lists of other operators leave it out there. actgrad "
        "takes it too.",
        "Ascend310P: the README lists the operator, and the documents do not. actgrad has it.",
    ),
    torch=Torch("celu(alpha, inplace)", module="CELU"),
    aclnn="Celu",
    ir="CeluV2(x=self, alpha=1.0) -> y",
)

celu_backward = Operator(
    "celu_backward(Tensor grad_output, Tensor self, Scalar alpha) -> Tensor grad_input",
    summary="grad_output if self > 0, else grad_output * exp(self / alpha)",
    formula=celu_derivative,
    gradient_of=celu,
    requires=NOT_ZERO,
)

scaled_celu = Operator(
    "scaled_celu(Tensor self, Scalar alpha1=1, Scalar alpha2=1, Scalar alpha3=1) -> Tensor out",
    summary="alpha3 * x if x > 0, else alpha1 * (exp(x / alpha2) - 1)",
    paper="Barron 2017, https://arxiv.org/abs/1704.07483",
    formula=scaled_celu_formula,
    dtypes="float32 float16",
    requires=NOT_ZERO_2,
    differences=(
        "Large x / alpha2: the kernel limits the quotient to 87. actgrad computes the formula.",
        "alpha2: the README requires a positive number, and the kernel takes any number. actgrad takes any number "
        "except 0.",
    ),
    torch=Torch("scaled_celu(alpha1, alpha2, alpha3)", module="ScaledCELU"),
    ir="Celu(x=self, alpha1=1.0, alpha2=1.0, alpha3=1.0) -> y",
)

scaled_celu_backward = Operator(
    "scaled_celu_backward(Tensor grad_output, Tensor self, Scalar alpha1, Scalar alpha2, Scalar alpha3) "
    "-> Tensor grad_input",
    summary="alpha3 * grad_output if self > 0, else alpha1 / alpha2 * exp(self / alpha2) * grad_output",
    formula=scaled_celu_derivative,
    gradient_of=scaled_celu,
    dtypes="float32 float16",
    requires=NOT_ZERO_2,
)
