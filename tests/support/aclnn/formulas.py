"""The operators' formulas as their documents write them, in double."""

from __future__ import annotations

import math

import numpy as np

from tests.support.aclnn.functions import WHOLE, python_call
from tests.support.aclnn.values import Call


def formula(call: Call, given: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """What a call computes."""
    name = call.function.removeprefix("aclnn").removeprefix("Inplace").replace("V3", "")
    a = python_call(call)[1]
    if call.function in WHOLE and "interleaved" in call.arguments:
        return (clipped(call, given),)
    if call.function in WHOLE:
        return gated(name, call, given)
    x, g = given[-1], given[0]
    return (FORMULAS[name](x, g, a),)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def swish_slope(x, beta):
    s = sigmoid(beta * x)
    return s * (1 + beta * x * (1 - s))


def elu_slope(x, a):
    whole = a["alpha"] * a["scale"]
    negative = x + whole if a["is_result"] else whole * np.exp(x * a["input_scale"])
    return np.where(x > 0, a["scale"], a["input_scale"] * negative)


#: By C's names: x is the last tensor, g the first, `a` the attributes by their names in Python.
FORMULAS = {
    "Elu": lambda x, g, a: a["scale"] * np.where(x > 0, x, a["alpha"] * (np.exp(x * a["input_scale"]) - 1)),
    "EluBackward": lambda x, g, a: g * elu_slope(x, a),
    "Selu": lambda x, g, a: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(x) - 1)),
    "SeluBackward": lambda x, g, a: g * np.where(x >= 0, 1.0507009873554805, x + 1.7580993408473768),
    "LeakyRelu": lambda x, g, a: np.maximum(0, x) + a["negative_slope"] * np.minimum(0, x),
    "LeakyReluBackward": lambda x, g, a: g * np.where(x > 0, 1, a["negative_slope"]),
    "Sigmoid": lambda x, g, a: sigmoid(x),
    "SigmoidBackward": lambda x, g, a: g * (1 - x) * x,
    "Tanh": lambda x, g, a: np.tanh(x),
    "TanhBackward": lambda x, g, a: g * (1 - x * x),
    "Silu": lambda x, g, a: x * sigmoid(x),
    "SiluBackward": lambda x, g, a: g * swish_slope(x, 1),
    "Swish": lambda x, g, a: x * sigmoid(a["beta"] * x),
    "SwishBackward": lambda x, g, a: g * swish_slope(x, a["beta"]),
    "Relu": lambda x, g, a: np.maximum(x, 0),
    "AddRelu": lambda x, g, a: np.maximum(g + a["alpha"] * x, 0),
    "Threshold": lambda x, g, a: np.where(x > a["threshold"], x, a["value"]),
    "ThresholdBackward": lambda x, g, a: np.where(x > a["threshold"], g, 0),
    "Hardtanh": lambda x, g, a: np.clip(x, a["min_val"], a["max_val"]),
    "HardtanhBackward": lambda x, g, a: np.where((x > a["min_val"]) & (x < a["max_val"]), g, 0),
    "Hardsigmoid": lambda x, g, a: np.clip(x / 6 + 0.5, 0, 1),
    "HardsigmoidBackward": lambda x, g, a: np.where(np.abs(x) < 3, g / 6, 0),
    "Hardswish": lambda x, g, a: x * np.clip(x + 3, 0, 6) / 6,
    "HardswishBackward": lambda x, g, a: np.where(x < -3, 0, np.where(x > 3, g, g * (x / 3 + 0.5))),
    "HardswishBackwardV2": lambda x, g, a: np.where(x <= -3, 0, np.where(x >= 3, g, g * (x / 3 + 0.5))),
    "Gelu": lambda x, g, a: gelu_and_slope(x, True)[0],
    "GeluV2": lambda x, g, a: gelu_and_slope(x, a["approximate"])[0],
    "GeluBackward": lambda x, g, a: g * gelu_and_slope(x, True)[1],
    "GeluBackwardV2": lambda x, g, a: g * gelu_and_slope(x, a["approximate"] == "tanh")[1],
    "Softmax": lambda x, g, a: np.exp(log_softmax(x, a["dim"])),
    "SoftmaxBackward": lambda x, g, a: (g - (g * x).sum(a["dim"], keepdims=True)) * x,
    "LogSoftmax": lambda x, g, a: log_softmax(x, a["dim"]),
    "LogSoftmaxBackward": lambda x, g, a: g - np.exp(x) * g.sum(a["dim"], keepdims=True),
    "Prelu": lambda x, g, a: np.where(g > 0, g, x * g),  # the weights lie along the last dimension
    "Celu": lambda x, g, a: np.maximum(x, 0) + np.minimum(0, a["alpha"] * (np.exp(x / a["alpha"]) - 1)),
    "Erfinv": lambda x, g, a: inverse(np.vectorize(math.erf), x),
    "FastGelu": lambda x, g, a: x * sigmoid(1.702 * x),
    "FastGeluBackward": lambda x, g, a: g * swish_slope(x, 1.702),
    "LogSigmoid": lambda x, g, a: np.log(sigmoid(x)),
    "LogSigmoidForward": lambda x, g, a: np.log(sigmoid(x)),
    "LogSigmoidBackward": lambda x, g, a: g / (1 + np.exp(x)),
    "Mish": lambda x, g, a: x * np.tanh(np.log(1 + np.exp(x))),
    "MishBackward": lambda x, g, a: g * mish_slope(x),
    "Softplus": lambda x, g, a: where_past(x, a, x, np.log(1 + np.exp(a["beta"] * x)) / a["beta"]),
    "SoftplusBackward": lambda x, g, a: where_past(x, a, g, g / (1 + np.exp(-a["beta"] * x))),
    "Hardshrink": lambda x, g, a: np.where(np.abs(x) <= a["lambd"], 0, x),
    "HardshrinkBackward": lambda x, g, a: np.where(np.abs(x) <= a["lambd"], 0, g),
    "Softshrink": lambda x, g, a: np.sign(x) * np.maximum(np.abs(x) - a["lambd"], 0),
    "SoftshrinkBackward": lambda x, g, a: np.where(np.abs(x) > a["lambd"], g, 0),
    "Shrink": lambda x, g, a: np.where(np.abs(x) > a["lambd"], x - np.sign(x) * a["bias"], 0),
    "Heaviside": lambda x, g, a: np.where(g > 0, 1, np.where(g < 0, 0, x)),
    "RReluWithNoise": lambda x, g, a: np.where(x > 0, x, (a["lower"] + a["upper"]) / 2 * x),
    "SquaredRelu": lambda x, g, a: np.maximum(x, 0) ** 2,
}


def log_softmax(x, dim):
    near = x - x.max(dim, keepdims=True, initial=-np.inf)
    return near - np.log(np.exp(near).sum(dim, keepdims=True))


def mish_slope(x):
    t = np.tanh(np.log(1 + np.exp(x)))
    return t + x * (1 - t * t) * sigmoid(x)


def where_past(x, a, far, near):
    return np.where(a["beta"] * x > a["threshold"], far, near)


def inverse(function, y):
    """The argument in [-6, 6] at which an increasing function has a value, by bisection; NaN outside."""
    low, high = np.full_like(y, -6), np.full_like(y, 6)
    for _ in range(80):
        middle = (low + high) / 2
        is_low = function(middle) < y
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return np.where(np.abs(y) < 1, high, np.nan)


def clipped(call: Call, given: list[np.ndarray]) -> np.ndarray:
    """Clipped SwiGLU and its gradient, of all rows."""
    a, limit = call.arguments, call["limit"]
    whole = given["gradY" in a]
    dim = a["dim"] % whole.ndim
    row = (*whole.shape[:dim], -1)
    x = whole.reshape(row)
    first, second = (x[..., ::2], x[..., 1::2]) if a["interleaved"] else np.split(x, 2, -1)
    low, bounded = np.minimum(first, limit), np.clip(second, -limit, limit)
    if a.get("clampMode", 0):
        factors = np.minimum(first * sigmoid(first), limit), bounded
    else:
        factors = low * sigmoid(a["alpha"] * low), bounded + a["bias"]
    half = (*whole.shape[:dim], whole.shape[dim] // 2, *whole.shape[dim + 1 :])
    if "gradY" not in a:
        return (factors[0] * factors[1]).reshape(half)
    g = given[0].reshape(row)
    by_first = np.where(first <= limit, g * swish_slope(low, a["alpha"]) * factors[1], 0)
    by_second = np.where(np.abs(second) <= limit, g * factors[0], 0)
    both = np.stack([by_first, by_second], -1) if a["interleaved"] else np.stack([by_first, by_second], -2)
    return both.reshape(whole.shape)


def gated(name: str, call: Call, given: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """A function of one half, times the other; the gradients of both."""
    is_gradient, dim = "Grad" in name or "Backward" in name, call.arguments.get("dim", -1)
    left, right = np.split(given[is_gradient], 2, dim)
    is_left = call.arguments.get(
        "activateLeft", name in ("SwiGlu", "SwiGluGrad", "GeluMul", "SwigluGroup", "FatreluMul")
    )
    active, other = (left, right) if is_left else (right, left)
    slope_of_other = 1
    if name == "SwigluGroup":
        low, other = np.minimum(active, call["clampLimit"]), np.clip(other, -call["clampLimit"], call["clampLimit"])
        value, slope = low * sigmoid(low), 1
    elif name == "FatreluMul":
        value, slope = np.where(active > given[1], active, 0), 1
    elif "Swi" in name:
        value, slope = active * sigmoid(active), swish_slope(active, 1)
    elif "Situ" in name:
        (value, slope), (other, slope_of_other) = (
            situ_and_slope(active, call["beta"]),
            bounded(other, call["linearBeta"]),
        )
    elif name in ("Glu", "GluBackward"):
        value, slope = sigmoid(active), sigmoid(active) * (1 - sigmoid(active))
    else:
        form = call.arguments.get("approximate", call.arguments.get("approximateOptional") == "tanh")
        value, slope = gelu_and_slope(active, form)
    if not is_gradient:
        return (other * value, value)[: 2 if name == "GeGlu" else 1]
    g = given[0]
    halves = [g * other * slope, g * (given[2] if name == "GeGluBackward" else value) * slope_of_other]
    return (np.concatenate(halves if is_left else halves[::-1], dim),)


def situ_and_slope(x: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    t, s = np.tanh(x / beta), sigmoid(x)
    return beta * t * s, s * (1 - t * t + beta * t * (1 - s))


def bounded(x: np.ndarray, bound: float) -> tuple[np.ndarray, np.ndarray]:
    """The values of SiTU-GLU, which a positive number bounds, and their slope."""
    t = np.tanh(x / bound) if bound > 0 else x
    return (bound * t, 1 - t * t) if bound > 0 else (x, np.ones_like(x))


def gelu_and_slope(x: np.ndarray, approximate: bool) -> tuple[np.ndarray, np.ndarray]:
    if approximate:
        k = 2 * math.sqrt(2 / math.pi)
        s = 1 / (1 + np.exp(-k * (x + 0.044715 * x**3)))
        return x * s, s + x * s * (1 - s) * k * (1 + 3 * 0.044715 * x**2)
    phi = 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return x * phi, phi + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def is_close(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two results differ by rounding alone.

    In float an exponential may underflow that does not in double: times an infinite gradient that is NaN, not infinity.
    """
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    tolerance = {1: 1, 2: 2**-7, 4: 1 if a.dtype.kind == "i" else 1e-5}.get(a.dtype.itemsize, 1e-5)
    with np.errstate(invalid="ignore"):
        a, b = a.astype(wide), b.astype(wide)
        same = np.isclose(a, b, tolerance, tolerance, equal_nan=True) | (np.isnan(a) & np.isinf(b))
    return bool(same.all())
