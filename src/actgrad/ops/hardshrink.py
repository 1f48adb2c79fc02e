"""Hard shrinkage, which sets small elements to 0."""

from ..base.definition import Roles, Torch
from ..base.xp import abs, where
from ..calls.operator import Operator


def hardshrink_formula(x, lambd):
    """0 if abs(x) <= lambd else x"""
    return where(abs(x) <= lambd, 0.0, x)


def hardshrink_gradient(g, x, lambd):
    """0 if abs(x) <= max(lambd, 0) else g"""
    return where(abs(x) <= lambd, 0.0, where(abs(x) <= 0, 0.0, g))


hardshrink = Operator(
    "hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor out",
    summary="x if abs(x) > lambd, else 0",
    paper="Donoho and Johnstone 1994, https://doi.org/10.1093/biomet/81.3.425",
    formula=hardshrink_formula,
    torch=Torch("hardshrink(lambd)", module="Hardshrink"),
)

hardshrink_backward = Operator(
    "hardshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor grad_input",
    summary="0 if abs(self) <= max(lambd, 0), else grad_output",
    formula=hardshrink_gradient,
    gradient_of=hardshrink,
    roles=Roles(takes_gradient=True),
    broadcasts=True,
)
