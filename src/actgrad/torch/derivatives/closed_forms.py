"""Closed forms of the second and third derivatives of activations: formulas for kernels, as in ops/.

The derivative of a formula of dual numbers has many operations, and PyTorch would run and save each of them. For the
same reason, the gradient of a cross entropy has a closed form, in PyTorch's operators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from ...base.xp import abs, exp, maximum, minimum, normal_pdf, sigmoid, sigmoid_cubic, where
from ...ops.elu import elu_derivative, elu_derivative_from_result
from ...ops.gelu import C1, C3, gelu_erf_derivative, gelu_tanh_derivative
from ...ops.gelu import X_LIMIT as GELU_LIMIT
from ...ops.leaky_relu import leaky_relu_derivative
from ...ops.log_softmax import entropy_gradient
from ...ops.mish import mish_denominator, mish_derivative
from ...ops.selu import ALPHA, SCALE, selu_derivative, selu_derivative_from_result
from ...ops.sigmoid import (
    sigmoid_derivative_from_result,
    sigmoid_derivative_not_conjugated,
    tanh_derivative_from_result,
)
from ...ops.silu import silu_derivative
from ...ops.softplus import softplus_derivative

Formula = Callable[..., Any]
X_LIMIT = 1000.0  # the derivatives of larger abs(x) are 0 in every dtype. The limit avoids infinity * 0


def silu_second(x):
    """s * c * (2 + x * (c - s)), s = sigmoid(x), c = 1 - s"""
    s, c = sigmoid(x), sigmoid(-x)
    return s * c * (2.0 + bounded(x) * (c - s))


def silu_third(x):
    """s * c * (3 * (c - s) + x * ((c - s)**2 - 2 * s * c)), s = sigmoid(x), c = 1 - s"""
    s, c = sigmoid(x), sigmoid(-x)
    return s * c * (3.0 * (c - s) + bounded(x) * ((c - s) * (c - s) - 2.0 * s * c))


def gelu_erf_second(x):
    """(2 - x**2) * phi(x), phi the density of the standard normal distribution"""
    z = bounded(x)
    return (2.0 - z * z) * normal_pdf(x)


def gelu_erf_third(x):
    """x * (x**2 - 4) * phi(x), phi the density of the standard normal distribution"""
    z = bounded(x)
    return z * (z * z - 4.0) * normal_pdf(x)


def gelu_tanh_second(x):
    """2 * s' + x * s'', s = sigmoid(z), z = C1 * x + C3 * x**3"""
    near = minimum(maximum(x, -GELU_LIMIT), GELU_LIMIT)
    s, c = sigmoid_cubic(x, C1, C3), sigmoid_cubic(-x, C1, C3)
    z1, z2 = C1 + 3.0 * C3 * near * near, 6.0 * C3 * near
    return s * c * (2.0 * z1 + near * ((c - s) * z1 * z1 + z2))


def gelu_tanh_third(x):
    """3 * s'' + x * s''', s = sigmoid(z), z = C1 * x + C3 * x**3"""
    near = minimum(maximum(x, -GELU_LIMIT), GELU_LIMIT)
    s, c = sigmoid_cubic(x, C1, C3), sigmoid_cubic(-x, C1, C3)
    z1, z2 = C1 + 3.0 * C3 * near * near, 6.0 * C3 * near
    second = (c - s) * z1 * z1 + z2
    third = ((c - s) * (c - s) - 2.0 * s * c) * z1 * z1 * z1 + 3.0 * (c - s) * z1 * z2 + 6.0 * C3
    return s * c * (3.0 * second + near * third)


def mish_second(x):
    """w * s * (2 + x * (c - 2 * t * s)), t = tanh(log(1 + exp(x))), w = 1 - t**2, s = sigmoid(x), c = 1 - s"""
    s, c = sigmoid(x), sigmoid(-x)
    return mish_width(x) * s * (2.0 + bounded(x) * (c - 2.0 * mish_tanh(x) * s))


def mish_third(x):
    """w * s * (3 * u + x * (4 * t**2 * s**2 - 6 * t * s * c - 2 * w * s**2 + c * (c - s))), u = c - 2 * t * s"""
    s, c, t, w = sigmoid(x), sigmoid(-x), mish_tanh(x), mish_width(x)
    ts = t * s
    inner = 4.0 * ts * ts - 6.0 * ts * c - 2.0 * w * s * s + c * (c - s)
    return w * s * (3.0 * (c - 2.0 * ts) + bounded(x) * inner)


def mish_tanh(x):
    """tanh(log(1 + exp(x)))"""
    e = exp(-abs(x))
    return where(x > 0, 1.0 + 2.0 * e, e * (2.0 + e)) / mish_denominator(x, e)


def mish_width(x):
    """1 - tanh(log(1 + exp(x)))**2"""
    e = exp(-abs(x))
    d = mish_denominator(x, e)
    return where(x > 0, e * e, 1.0) * 4.0 * (1.0 + e) * (1.0 + e) / d / d


def softplus_second(x, beta, threshold):
    """0 if beta * x > threshold else beta * s * (1 - s), s = sigmoid(beta * x)"""
    z = beta * x
    return where(z > threshold, 0.0, beta * sigmoid(z) * sigmoid(-z))


def softplus_third(x, beta, threshold):
    """0 if beta * x > threshold else beta**2 * s * c * (c - s), s = sigmoid(beta * x), c = 1 - s"""
    z = beta * x
    s, c = sigmoid(z), sigmoid(-z)
    return where(z > threshold, 0.0, beta * beta * s * c * (c - s))


def elu_second(x, alpha, scale, input_scale):
    """0 if x > 0 else scale * alpha * input_scale**2 * exp(input_scale * x)"""
    negative = where(x > 0, 0.0, x)
    return where(x > 0, 0.0, scale * alpha * input_scale * input_scale * exp(input_scale * negative))


def elu_third(x, alpha, scale, input_scale):
    """0 if x > 0 else scale * alpha * input_scale**3 * exp(input_scale * x)"""
    negative = where(x > 0, 0.0, x)
    factor = scale * alpha * input_scale * input_scale * input_scale
    return where(x > 0, 0.0, factor * exp(input_scale * negative))


def elu_second_from_result(y, alpha, scale, input_scale):
    """0 if y > 0 else input_scale"""
    return where(y > 0, 0.0, input_scale)


def selu_second(x):
    """0 if x >= 0 else SCALE * ALPHA * exp(x), for the second and the third derivative"""
    return where(x >= 0, 0.0, elu_second(x, ALPHA, SCALE, 1.0))


def selu_second_from_result(y):
    """0 if y >= 0 else 1"""
    return where(y >= 0, 0.0, 1.0)


def sigmoid_second_from_result(y):
    """1 - 2 * y"""
    return 1.0 - 2.0 * y


def tanh_second_from_result(y):
    """-2 * y"""
    return -2.0 * y


def minus_two(y):
    """-2"""
    return -2.0


def bounded(x):
    """x, or the limit beyond which the derivatives are 0"""
    return minimum(maximum(x, -X_LIMIT), X_LIMIT)


def derivative(x, a=None, b=None, c=None):
    """A name that `products` replaces by the formula of a derivative."""
    raise NotImplementedError


def two(g2, g1, x):
    """g2 * g1 * derivative(x)"""
    return g2 * (g1 * derivative(x))


def two_with_two(g2, g1, x, a, b):
    """g2 * g1 * derivative(x, a, b)"""
    return g2 * (g1 * derivative(x, a, b))


def two_with_three(g2, g1, x, a, b, c):
    """g2 * g1 * derivative(x, a, b, c)"""
    return g2 * (g1 * derivative(x, a, b, c))


def three(g3, g2, g1, x):
    """g3 * g2 * g1 * derivative(x)"""
    return g3 * (g2 * (g1 * derivative(x)))


def three_with_two(g3, g2, g1, x, a, b):
    """g3 * g2 * g1 * derivative(x, a, b)"""
    return g3 * (g2 * (g1 * derivative(x, a, b)))


def three_with_three(g3, g2, g1, x, a, b, c):
    """g3 * g2 * g1 * derivative(x, a, b, c)"""
    return g3 * (g2 * (g1 * derivative(x, a, b, c)))


#: The number of factors and of attributes -> the formula of their product with a derivative.
PRODUCTS: Mapping[tuple[int, int], Formula] = {
    (2, 0): two,
    (2, 2): two_with_two,
    (2, 3): two_with_three,
    (3, 0): three,
    (3, 2): three_with_two,
    (3, 3): three_with_three,
}

#: The formula of a first derivative -> the formulas of the next derivatives. None is a derivative that is 0.
DERIVATIVES: Mapping[Formula, tuple[Formula | None, ...]] = {
    silu_derivative: (silu_second, silu_third),
    gelu_erf_derivative: (gelu_erf_second, gelu_erf_third),
    gelu_tanh_derivative: (gelu_tanh_second, gelu_tanh_third),
    mish_derivative: (mish_second, mish_third),
    softplus_derivative: (softplus_second, softplus_third),
    elu_derivative: (elu_second, elu_third),
    elu_derivative_from_result: (elu_second_from_result, None),
    selu_derivative: (selu_second, selu_second),
    selu_derivative_from_result: (selu_second_from_result, None),
    leaky_relu_derivative: (None,),
    sigmoid_derivative_from_result: (sigmoid_second_from_result, minus_two, None),
    sigmoid_derivative_not_conjugated: (sigmoid_second_from_result, minus_two, None),
    tanh_derivative_from_result: (tanh_second_from_result, minus_two, None),
}


def cross_entropy_gradient(number: int, features: Any, labels: Any, gradient: Any) -> Any:
    """The gradient of sum(gradient * loss) by the features (number 0) or the labels (number 1)."""
    target = (features, labels)[number]
    dtype = torch.promote_types(torch.promote_types(features.dtype, labels.dtype), torch.float32)
    factor = gradient.to(dtype).unsqueeze(-1)
    if number == 1:
        return (-factor * torch.log_softmax(features, -1, dtype)).to(target.dtype)
    total = labels.sum(-1, keepdim=True, dtype=dtype)
    return (factor * (torch.softmax(features, -1, dtype) * total - labels)).to(target.dtype)


#: The formula of an operator -> its gradients, from the gradient of the first output.
CROSS_ENTROPIES: Mapping[Formula, Callable[..., Any]] = {entropy_gradient: cross_entropy_gradient}
