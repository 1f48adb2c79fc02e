"""Squared ReLU."""

from ..base.definition import Torch
from ..base.xp import where
from ..calls.operator import Operator


def squared_relu_formula(x):
    """x**2 if x > 0 else 0"""
    positive = where(x <= 0, 0.0, x)
    return positive * positive


def squared_relu_derivative(x):
    """2 * x if x > 0 else 0"""
    return where(x <= 0, 0.0, 2.0 * x)


squared_relu = Operator(
    "squared_relu(Tensor self) -> Tensor out",
    summary="max(x, 0)**2",
    paper="So et al. 2021, https://arxiv.org/abs/2109.08668",
    formula=squared_relu_formula,
    torch=Torch("squared_relu", module="SquaredReLU"),
)

squared_relu_backward = Operator(
    "squared_relu_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="2 * max(self, 0) * grad_output",
    formula=squared_relu_derivative,
    gradient_of=squared_relu,
)
