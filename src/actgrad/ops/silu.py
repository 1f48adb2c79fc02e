"""SiLU and Swish: x times a logistic function."""

from ..base.definition import Torch
from ..base.xp import abs, maximum, minimum, sigmoid, sigmoid_times, where
from ..calls.operator import Operator

X_LIMIT = 1000.0  # the result is 0 for x < -X_LIMIT in every dtype. The limit avoids infinity * 0

LARGE = 2.0**60

QUICK = 1.702  # the factor in GELU's approximation x * sigmoid(1.702 * x)


def silu_formula(x):
    """x * sigmoid(x)"""
    return sigmoid_times(x, maximum(x, -X_LIMIT))


def silu_derivative(x):
    """s * (1 + x * (1 - s)), s = sigmoid(x)"""
    # sigmoid(-x) is 1 - s without the rounding error of the subtraction.
    return sigmoid_times(x, 1.0 + minimum(maximum(x, -X_LIMIT), X_LIMIT) * sigmoid(-x))


def swish_formula(x, beta):
    """x * sigmoid(beta * x)"""
    z = scaled(x, beta)
    # sigmoid_times takes a factor of at most LARGE where sigmoid(z) is not 1. A power of two as a factor is exact.
    # In float32, sigmoid(z) is at least 2**-188, so results of z < -129 and a larger x are below 2**-60, but no more.
    rest = where(abs(x) > LARGE, where(z < -X_LIMIT, 1.0, x / LARGE), 1.0)
    factor = where(z < -X_LIMIT, 0.0 * maximum(minimum(x, 1.0), -1.0), where(rest == 1.0, x, LARGE))
    return sigmoid_times(z, factor) * rest


def swish_derivative(x, beta):
    """s * (1 + beta * x * (1 - s)), s = sigmoid(beta * x)"""
    return silu_derivative(scaled(x, beta))


def scaled(x, beta):
    """beta * x, or 0 if beta is 0 and x is infinite"""
    z = beta * x
    return where(z == z, z, beta * maximum(minimum(x, 1.0), -1.0))


silu = Operator(
    "silu(Tensor self) -> Tensor out",
    summary="x * sigmoid(x)",
    paper="Elfwing et al. 2017, https://arxiv.org/abs/1702.03118",
    formula=silu_formula,
    torch=Torch("silu(inplace)", module="SiLU"),
)

silu_backward = Operator(
    "silu_backward(Tensor grad_output, Tensor self) -> Tensor grad_input",
    summary="grad_output * s * (1 + self * (1 - s)), where s = sigmoid(self)",
    formula=silu_derivative,
    gradient_of=silu,
    broadcasts=True,
)

swish = Operator(
    "swish(Tensor self, Scalar beta=1) -> Tensor out",
    summary="x * sigmoid(beta * x)",
    paper="Ramachandran et al. 2017, https://arxiv.org/abs/1710.05941",
    formula=swish_formula,
    torch=Torch("swish(beta)", module="Swish"),
)

swish_backward = Operator(
    "swish_backward(Tensor grad_output, Tensor self, Scalar beta) -> Tensor grad_input",
    summary="grad_output * s * (1 + beta * self * (1 - s)), where s = sigmoid(beta * self)",
    formula=swish_derivative,
    gradient_of=swish,
)
