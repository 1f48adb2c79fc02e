"""Soft shrinkage, which moves elements towards 0."""

from ..base.definition import Roles, Torch
from ..base.xp import abs, where
from ..calls.operator import Operator


def shrink_formula(x, lambd, bias):
    """x - bias if x > lambd, x + bias if x < -lambd, else 0"""
    return where(x == x, shrink_formula_950(x, lambd, bias), x)


def shrink_formula_950(x, lambd, bias):
    """x - bias if x > lambd, x + bias if x < -lambd, else 0 (also for NaN), on Ascend950"""
    return where(x > lambd, x - bias, where(x < -lambd, x + bias, 0.0))


def softshrink_formula(x, lambd):
    """x - lambd if x > lambd, x + lambd if x < -lambd, else 0"""
    return shrink_formula(x, lambd, lambd)


def softshrink_gradient(g, x, lambd):
    """0 if abs(x) <= lambd else g"""
    return where(abs(x) <= lambd, 0.0, g)


softshrink = Operator(
    "softshrink(Tensor self, Scalar lambd=0.5) -> Tensor out",
    summary="sign(x) * max(abs(x) - lambd, 0)\n\nNaN gives NaN, and 0 on Ascend950.",
    paper="Donoho 1995, https://doi.org/10.1109/18.382009",
    formula=softshrink_formula,
    requires={"lambd >= 0": lambda a: not a["lambd"] < 0},
    torch=Torch("softshrink(lambd)", module="Softshrink"),
)

softshrink_backward = Operator(
    "softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor grad_input",
    summary="0 if abs(self) <= lambd, else grad_output",
    formula=softshrink_gradient,
    gradient_of=softshrink,
    roles=Roles(takes_gradient=True),
    broadcasts=True,
    requires={"lambd >= 0": lambda a: not a["lambd"] < 0},
)

shrink = Operator(
    "shrink(Tensor self, Scalar lambd=0.5, Scalar bias=0) -> Tensor out",
    summary="x - bias if x > lambd, x + bias if x < -lambd, else 0\n\nNaN gives NaN, and 0 on Ascend950.",
    paper="ONNX, https://onnx.ai/onnx/operators/onnx__Shrink.html",
    formula=shrink_formula,
    requires={"lambd >= 0": lambda a: not a["lambd"] < 0},
    torch=Torch("shrink(lambd, bias)", module="Shrink"),
)
