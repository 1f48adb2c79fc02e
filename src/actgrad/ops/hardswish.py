"""Hard swish and hard sigmoid: swish and sigmoid, approximated by straight lines."""

from ..base.definition import Dtypes, Integers, Roles, Switch, Torch
from ..base.xp import maximum, minimum, where
from ..calls.operator import Operator
from ..checks.dtype_rules import convertible, number_for_integers, supported
from ..checks.shape_rules import same_shape
from .silu import scaled

ONE_IN_FLOAT32 = 1.0 - 2.0**-25  # it rounds to 1 in float32, as 3 * alpha + beta does if alpha is rounded down


def hardsigmoid_formula(x, alpha, beta):
    """min(max(alpha * x + beta, 0), 1), where 0 * x is 0 also for infinite x"""
    return minimum(maximum(scaled(x, alpha) + beta, 0.0), 1.0)


def hardsigmoid_of_integers(x, alpha, beta):
    """1 if alpha * x + beta, rounded to float32, is at least 1, else 0; this is hardsigmoid, truncated"""
    return where(scaled(x, alpha) + beta >= ONE_IN_FLOAT32, 1.0, 0.0)


def hardsigmoid_gradient(g, x, alpha, beta):
    """alpha * g if -beta < alpha * x < 1 - beta else 0"""
    u = alpha * x  # compare u with 1 - beta, because u + beta already rounds to 1 for some u below 1 - beta
    return where(u > -beta, where(u < 1.0 - beta, alpha * g, 0.0), 0.0)


def hardswish_formula(x):
    """x if x >= 3, 0 if x <= -3, else x * (x + 3) / 6"""
    near = minimum(maximum(x, -3.0), 3.0)
    return where(x >= 3.0, x, near * (near + 3.0) / 6.0)


def hardswish_gradient(g, x):
    """g if x >= 3, 0 if x <= -3, else g * (x / 3 + 1 / 2)"""
    near = minimum(maximum(x, -3.0), 3.0)
    return where(x <= -3.0, 0.0, where(x >= 3.0, g, g * ((2.0 * near + 3.0) / 6.0)))  # NaN at NaN


def hardswish_gradient_closed(g, x):
    """g if x > 3, 0 if x < -3, else g * (x / 3 + 1 / 2)"""
    near = minimum(maximum(x, -3.0), 3.0)
    return where(x < -3.0, 0.0, where(x > 3.0, g, g * ((2.0 * near + 3.0) / 6.0)))  # NaN at NaN


hardsigmoid = Operator(
    "hardsigmoid(Tensor self, Scalar alpha=0.16666666666666666, Scalar beta=0.5) -> Tensor out",
    summary="min(max(alpha * x + beta, 0), 1)\n\nInteger results are truncated: 1 if alpha * x + beta >= 1, else 0.",
    paper="Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244",
    formula=hardsigmoid_formula,
    integers=Integers(formula=hardsigmoid_of_integers, in_floats=True),
    dtypes=Dtypes("int32"),
    preconditions=(
        supported("self"),
        convertible("out"),
        same_shape("out", to="self"),
        number_for_integers("alpha", "beta"),
    ),
    torch=Torch("hardsigmoid(inplace)", module="Hardsigmoid"),
)

hardsigmoid_backward = Operator(
    "hardsigmoid_backward(Tensor grad_output, Tensor self, Scalar alpha, Scalar beta) -> Tensor grad_input",
    summary="alpha * grad_output if -beta < alpha * self < 1 - beta, else 0",
    formula=hardsigmoid_gradient,
    gradient_of=hardsigmoid,
    roles=Roles(takes_gradient=True),
    preconditions=(
        supported("grad_output", "self"),
        convertible("grad_input"),
        same_shape("self", "grad_input", to="grad_output"),
    ),
)

hardswish = Operator(
    "hardswish(Tensor self) -> Tensor out",
    summary="x * min(max(x + 3, 0), 6) / 6",
    paper="Howard et al. 2019 (MobileNetV3), https://arxiv.org/abs/1905.02244",
    formula=hardswish_formula,
    torch=Torch("hardswish(inplace)", module="Hardswish"),
)

hardswish_backward = Operator(
    "hardswish_backward(Tensor grad_output, Tensor self, bool closed=False) -> Tensor grad_input",
    summary="0 if self <= -3, grad_output if self >= 3, else grad_output * (self / 3 + 1 / 2)\n\n"
    "With closed=True, -3 and 3 belong to the middle branch.",
    formula=Switch("closed", {False: hardswish_gradient, True: hardswish_gradient_closed}),
    gradient_of=hardswish,
    roles=Roles(takes_gradient=True),
)
