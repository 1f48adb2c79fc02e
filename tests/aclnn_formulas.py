"""The operators' formulas as their documents write them, in double."""

from __future__ import annotations

import math

import numpy as np
from aclnn_functions import python_call
from aclnn_values import Call


def formula(call: Call, given: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """What a call computes."""
    name = call.function.removeprefix("aclnn").removeprefix("Inplace").replace("V3", "")
    a = python_call(call)[1]
    if name.startswith(("GeGlu", "SwiGlu")):
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
    "Prelu": lambda x, g, a: np.where(g > 0, g, x * g),  # the weights lie along the last dimension
}


def gated(name: str, call: Call, given: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """A function of one half, times the other; the gradients of both."""
    left, right = np.split(given["Grad" in name or "Backward" in name], 2, call["dim"])
    is_left = call.arguments.get("activateLeft", "Swi" in name)
    active, other = (left, right) if is_left else (right, left)
    if "Swi" in name:
        value, slope = active * sigmoid(active), swish_slope(active, 1)
    else:
        value, slope = gelu_and_slope(active, call["approximate"])
    if name in ("GeGlu", "SwiGlu"):
        return (other * value, value)[: 2 if name == "GeGlu" else 1]
    g = given[0]
    halves = [g * other * slope, g * (given[2] if name == "GeGluBackward" else value)]
    return (np.concatenate(halves if is_left else halves[::-1], call["dim"]),)


def gelu_and_slope(x: np.ndarray, approximate: bool) -> tuple[np.ndarray, np.ndarray]:
    if approximate:
        k = 2 * math.sqrt(2 / math.pi)
        s = 1 / (1 + np.exp(-k * (x + 0.044715 * x**3)))
        return x * s, s + x * s * (1 - s) * k * (1 + 3 * 0.044715 * x**2)
    phi = 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return x * phi, phi + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
