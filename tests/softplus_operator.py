"""Softplus, a smooth rectifier: the operator that tests add to the registry (Dugas et al. 2001)."""

from actgrad.base.xp import abs, exp, log1p, maximum, where
from actgrad.calls.operator import Operator


def softplus_formula(x, beta):
    """log(1 + exp(beta * x)) / beta"""
    return maximum(x, 0.0) + log1p(exp(-beta * abs(x))) / beta


def softplus_derivative(x, beta):
    """1 / (1 + exp(-beta * x))"""
    e = exp(-beta * abs(x))
    return where(x > 0, 1.0 / (1.0 + e), e / (1.0 + e))


softplus = Operator(
    "softplus(Tensor self, Scalar beta=1) -> Tensor out",
    summary="The softplus of each element.",
    formula=softplus_formula,
    requires={"beta > 0": lambda a, product: a["beta"] > 0},
)

softplus_backward = Operator(
    "softplus_backward(Tensor grad_output, Tensor self, Scalar beta) -> Tensor grad_input",
    summary="The gradient of softplus' input.",
    formula=softplus_derivative,
    gradient_of=softplus,
    requires={"beta > 0": lambda a, product: a["beta"] > 0},
)
