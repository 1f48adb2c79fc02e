"""GELU, the Gaussian error linear unit (Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415)."""

from ..base.definition import Torch
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
FAR = 40.0  # beyond it the tail is 0 in every dtype; keeps infinity * 0 out of the products


def gelu_erf(x):
    """x * Phi(x), Phi the distribution function of the standard normal distribution"""
    return normal_cdf_times(x, maximum(x, -FAR))


def gelu_erf_derivative(x):
    """Phi(x) + x * phi(x), phi the density of the standard normal distribution"""
    return normal_cdf(x) + normal_pdf_times(x, minimum(maximum(x, -FAR), FAR))


def gelu_tanh(x):
    """0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) = x * sigmoid(C1 * x + C3 * x**3)"""
    return sigmoid_cubic_times(x, C1, C3, maximum(x, -FAR))


def gelu_tanh_derivative(x):
    """s * (1 + x * (1 - s) * (C1 + 3 * C3 * x**2)), s = sigmoid(C1 * x + C3 * x**3)"""
    bounded = minimum(maximum(x, -FAR), FAR)
    slope = C1 + 3.0 * C3 * bounded * bounded
    # 1 - s(x) = s(-x), which keeps its digits where s is almost 1.
    return sigmoid_cubic_times(x, C1, C3, 1.0 + bounded * sigmoid_cubic(-x, C1, C3) * slope)


gelu = Operator(
    "gelu(Tensor self, int approximate=0) -> Tensor out",
    summary='The Gaussian error linear unit of each element; approximate is "none" (0) or "tanh" (1).',
    formula={"none": gelu_erf, "tanh": gelu_tanh},
    switch="approximate",
    torch=Torch("gelu(*, approximate)", module="GELU(approximate)"),
)

gelu_backward = Operator(
    "gelu_backward(Tensor grad_output, Tensor self, int approximate=0) -> Tensor grad_input",
    summary='The gradient of GELU\'s input; approximate is "none" (0) or "tanh" (1).',
    formula={"none": gelu_erf_derivative, "tanh": gelu_tanh_derivative},
    switch="approximate",
    gradient_of=gelu,
)
