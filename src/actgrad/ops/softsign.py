"""Softsign, x / (1 + abs(x))."""

from ..base.definition import Torch
from ..base.xp import abs, maximum, minimum
from ..calls.operator import Operator

X_LIMIT = 1e30  # for larger abs(x), the result is 1 or -1 in every dtype. The limit avoids infinity / infinity


def softsign_formula(x):
    """x / (1 + abs(x))"""
    bounded = minimum(maximum(x, -X_LIMIT), X_LIMIT)
    return bounded / (1.0 + abs(bounded))


def softsign_derivative(x):
    """1 / (1 + abs(x))**2"""
    inverse = 1.0 / (1.0 + abs(x))
    return inverse * inverse


softsign = Operator(
    "softsign(Tensor self) -> Tensor out",
    summary="x / (1 + abs(x))",
    paper="Turian et al. 2009, https://aclanthology.org/N09-2062",
    formula=softsign_formula,
    torch=Torch("softsign", module="Softsign"),
)

softsign_backward = Operator(
    "softsign_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="grad_output / (1 + abs(self))**2",
    formula=softsign_derivative,
    gradient_of=softsign,
)
