"""Leaky ReLU of x + bias, scaled."""

from ..base.definition import Roles, Torch
from ..base.xp import abs, where
from ..calls.operator import Operator


def fused_bias_leaky_relu_formula(x, bias, negative_slope, scale):
    """scale * leaky_relu(x + bias, negative_slope)"""
    is_large = abs(x) > 1.0  # then add half of x and half of bias, so that the sum overflows only if the result does
    half = where(is_large, 0.5, 1.0)
    z = half * x + half * bias
    return z * (where(is_large, 2.0, 1.0) * scaled_slope(z, negative_slope, scale))


def scaled_slope(x, negative_slope, scale):
    """scale if x > 0 else negative_slope * scale"""
    return where(x > 0, scale, negative_slope * scale)


def fused_bias_leaky_relu_gradient(g, y, negative_slope, scale):
    """g * scale if y > 0 else g * negative_slope * scale, for y = fused_bias_leaky_relu(x, bias)"""
    return g * scaled_slope(y, negative_slope, scale)


fused_bias_leaky_relu = Operator(
    "fused_bias_leaky_relu(Tensor self, Tensor bias, Scalar negative_slope=0.2, Scalar scale=1.414213562373) "
    "-> Tensor out",
    summary="scale * z if z > 0, else scale * negative_slope * z, where z = self + bias; bias has the shape of self",
    paper="Karras et al. 2020 (StyleGAN2), https://arxiv.org/abs/1912.04958",
    formula=fused_bias_leaky_relu_formula,
    torch=Torch("fused_bias_leaky_relu(input, bias, negative_slope, scale)"),
)

fused_bias_leaky_relu_backward = Operator(
    "fused_bias_leaky_relu_backward(Tensor grad_output, Tensor features, Scalar negative_slope=0.2, "
    "Scalar scale=1.414213562373) -> Tensor grad_input",
    summary="scale * grad_output if features > 0, else scale * negative_slope * grad_output; features is the result "
    "of fused_bias_leaky_relu\n\n"
    "This is the gradient of self and also of bias.",
    paper="Karras et al. 2020 (StyleGAN2), https://arxiv.org/abs/1912.04958",
    formula=fused_bias_leaky_relu_gradient,
    roles=Roles(linear_in="grad_output"),
)
