"""Mish, x * tanh(softplus(x))."""

from ..base.definition import Torch
from ..base.xp import abs, exp_times, maximum, minimum, where
from ..calls.operator import Operator

X_LIMIT = 1000.0  # the result is 0 for x < -X_LIMIT in every dtype. The limit avoids infinity * 0


def mish_formula(x):
    """x * tanh(log(1 + exp(x))) = x * (p**2 - 1) / (p**2 + 1), p = 1 + exp(x)"""
    a = -abs(x)
    e = exp_times(a, 1.0)
    # If x > 0, divide numerator and denominator by exp(2 * x). Otherwise divide the numerator by exp(x).
    ratio = where(x > 0, 1.0 + 2.0 * e, 2.0 + e) / mish_denominator(x, e)
    return where(x > 0, x * ratio, exp_times(a, where(x > 0, 0.0, maximum(x, -X_LIMIT)) * ratio))


def mish_denominator(x, e):
    """p**2 + 1 if x <= 0 else (p**2 + 1) * e**2, for p = 1 + exp(x) and e = exp(-abs(x))"""
    return where(x > 0, 1.0 + 2.0 * e * (1.0 + e), 2.0 + e * (2.0 + e))


def mish_derivative(x):
    """t + x * sigmoid(x) * (1 - t**2), t = tanh(log(1 + exp(x)))"""
    a = -abs(x)
    e = exp_times(a, 1.0)
    d = mish_denominator(x, e)
    z = 4.0 * minimum(maximum(x, -X_LIMIT), X_LIMIT)
    slope = where(x > 0, e * e, 1.0) * z * (1.0 + e)
    # For x < -1 both terms cancel. There, a single numerator over d**2 has a smaller rounding error.
    numerator = (z + 4.0) + e * ((z + 6.0) + e * (4.0 + e))
    near = where(x > 0, 1.0 + 2.0 * e, 2.0 + e)
    y = (where(x < -1.0, 0.0, near) + where(x < -1.0, numerator, slope) / d) / d
    return where(x > 0, y, exp_times(a, y))


mish = Operator(
    "mish(Tensor self) -> Tensor out",
    summary="x * tanh(log(1 + exp(x)))",
    paper="Misra 2019, https://arxiv.org/abs/1908.08681",
    formula=mish_formula,
    torch=Torch("mish(inplace)", module="Mish"),
)

mish_backward = Operator(
    "mish_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="grad_output * (t + self * sigmoid(self) * (1 - t**2)), where t = tanh(log(1 + exp(self)))",
    formula=mish_derivative,
    gradient_of=mish,
    broadcasts=True,
)
