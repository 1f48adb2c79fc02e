"""GELU, the Gaussian error linear unit."""

from ..base.definition import Switch, Torch
from ..base.xp import (
    maximum,
    minimum,
    normal_cdf,
    normal_cdf_times,
    normal_pdf_times,
    sigmoid_cubic,
    sigmoid_cubic_times,
)
from ..calls.operator import Operator

C1 = 1.5957691216057307117597842397375  # 2 * sqrt(2 / pi)

C3 = 0.044715 * C1

X_LIMIT = 40.0  # the result is 0 for x < -X_LIMIT in every dtype. The limit avoids infinity * 0


def gelu_erf(x):
    """x * Phi(x), Phi the distribution function of the standard normal distribution"""
    return normal_cdf_times(x, maximum(x, -X_LIMIT))


def gelu_erf_derivative(x):
    """Phi(x) + x * phi(x), phi the density of the standard normal distribution"""
    return normal_cdf(x) + normal_pdf_times(x, minimum(maximum(x, -X_LIMIT), X_LIMIT))


def gelu_tanh(x):
    """0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3 * x**3)"""
    return sigmoid_cubic_times(x, C1, C3, maximum(x, -X_LIMIT))


def gelu_tanh_derivative(x):
    """s * (1 + x * (1 - s) * (C1 + 3 * C3 * x**2)), s = sigmoid(C1 * x + C3 * x**3)"""
    bounded = minimum(maximum(x, -X_LIMIT), X_LIMIT)
    slope = C1 + 3.0 * C3 * bounded * bounded
    # sigmoid_cubic(-x) is 1 - s without the rounding error of the subtraction.
    return sigmoid_cubic_times(x, C1, C3, 1.0 + bounded * sigmoid_cubic(-x, C1, C3) * slope)


gelu = Operator(
    "gelu(Tensor self, int approximate=0) -> Tensor out",
    summary="0.5 * x * (1 + erf(x / sqrt(2))); approximate='tanh': 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 "
    "* x**3)))\n\n"
    "approximate is 'none' (0) or 'tanh' (1).",
    paper="Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415",
    formula=Switch("approximate", {"none": gelu_erf, "tanh": gelu_tanh}),
    torch=Torch("gelu(*, approximate)", module="GELU(approximate)"),
)

gelu_backward = Operator(
    "gelu_backward(Tensor grad_output, Tensor self, int approximate=0) -> Tensor grad_input",
    summary="grad_output * (Phi(self) + self * phi(self)); Phi and phi are the distribution function and the density "
    "of the standard normal distribution\n\n"
    "approximate='tanh' (1) computes the derivative of GELU's tanh form.",
    formula=Switch("approximate", {"none": gelu_erf_derivative, "tanh": gelu_tanh_derivative}),
    gradient_of=gelu,
)
