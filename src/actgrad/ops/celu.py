"""CELU, the continuously differentiable exponential linear unit."""

from ..base.definition import Torch
from ..base.xp import exp, expm1, where
from ..calls.operator import Operator


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
    requires={"alpha neither 0 nor NaN": lambda a: abs(a["alpha"]) > 0},
    torch=Torch("celu(alpha, inplace)", module="CELU"),
)

celu_backward = Operator(
    "celu_backward(Tensor grad_output, Tensor self, Scalar alpha) -> Tensor grad_input",
    summary="grad_output if self > 0, else grad_output * exp(self / alpha)",
    formula=celu_derivative,
    gradient_of=celu,
    requires={"alpha neither 0 nor NaN": lambda a: abs(a["alpha"]) > 0},
)

scaled_celu = Operator(
    "scaled_celu(Tensor self, Scalar alpha1=1, Scalar alpha2=1, Scalar alpha3=1) -> Tensor out",
    summary="alpha3 * x if x > 0, else alpha1 * (exp(x / alpha2) - 1)",
    paper="Barron 2017, https://arxiv.org/abs/1704.07483",
    formula=scaled_celu_formula,
    requires={"alpha2 neither 0 nor NaN": lambda a: abs(a["alpha2"]) > 0},
    torch=Torch("scaled_celu(alpha1, alpha2, alpha3)", module="ScaledCELU"),
)

scaled_celu_backward = Operator(
    "scaled_celu_backward(Tensor grad_output, Tensor self, Scalar alpha1, Scalar alpha2, Scalar alpha3) "
    "-> Tensor grad_input",
    summary="alpha3 * grad_output if self > 0, else alpha1 / alpha2 * exp(self / alpha2) * grad_output",
    formula=scaled_celu_derivative,
    gradient_of=scaled_celu,
    requires={"alpha2 neither 0 nor NaN": lambda a: abs(a["alpha2"]) > 0},
)
