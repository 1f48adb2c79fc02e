"""Leaky ReLU."""

from ..base.definition import Result, Roles, Torch
from ..base.xp import where
from ..calls.operator import Operator


def leaky_relu_formula(x, negative_slope):
    """x if x > 0 else negative_slope * x"""
    return where(x > 0, x, negative_slope * x)


def leaky_relu_derivative(x, negative_slope):
    """1 if x > 0 else negative_slope; x may be the result, which has the sign of the input if negative_slope >= 0"""
    return where(x > 0, 1.0, negative_slope)


leaky_relu = Operator(
    "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor out",
    summary="x if x > 0, else negative_slope * x",
    paper="Maas et al. 2013, https://ai.stanford.edu/~amaas/papers/relu_hybrid_icml2013_final.pdf",
    formula=leaky_relu_formula,
    torch=Torch("leaky_relu(negative_slope, inplace, *, save)", module="LeakyReLU"),
)

leaky_relu_backward = Operator(
    "leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor out",
    summary="grad_output if self > 0, else negative_slope * grad_output\n\n"
    "With self_is_result, self is the result of leaky_relu. The result has the sign of the input, because a "
    "negative negative_slope is refused then.",
    formula=leaky_relu_derivative,
    gradient_of=leaky_relu,
    roles=Roles(orders_results="self"),
    result=Result("self", flag="self_is_result"),
    broadcasts=True,
    requires={
        "negative_slope >= 0 when self_is_result": lambda a: not (a["self_is_result"] and a["negative_slope"] < 0)
    },
)
