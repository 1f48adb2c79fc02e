"""Smooth ReLU: the operator that tests add to the registry."""

from actgrad.base.xp import abs, exp, log1p, maximum, where
from actgrad.calls.operator import Operator


def smooth_relu_formula(x, beta):
    """log(1 + exp(beta * x)) / beta"""
    return maximum(x, 0.0) + log1p(exp(-beta * abs(x))) / beta


def smooth_relu_derivative(x, beta):
    """1 / (1 + exp(-beta * x))"""
    e = exp(-beta * abs(x))
    return where(x > 0, 1.0 / (1.0 + e), e / (1.0 + e))


smooth_relu = Operator(
    "smooth_relu(Tensor self, Scalar beta=1) -> Tensor out",
    summary="log(1 + exp(beta * x)) / beta",
    paper="Dugas et al. 2001, "
    "https://papers.nips.cc/paper/1920-incorporating-second-order-functional-knowledge-for-better-option-pricing",
    formula=smooth_relu_formula,
    requires={"beta > 0": lambda a: a["beta"] > 0},
)

smooth_relu_backward = Operator(
    "smooth_relu_backward(Tensor grad_output, Tensor self, Scalar beta) -> Tensor grad_input",
    summary="grad_output * sigmoid(beta * self)",
    formula=smooth_relu_derivative,
    gradient_of=smooth_relu,
    requires={"beta > 0": lambda a: a["beta"] > 0},
)
