"""A program that fills a delivery with outputs and knows only NumPy and json: `python delivery_vendor.py DIR`.

It computes in float64 from the published formulas and rounds once.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np

erf = np.vectorize(math.erf, otypes=[float])
erfc = np.vectorize(math.erfc, otypes=[float])


def from_file(array, dtype):
    """The numbers of a .npy file: bfloat16 is stored as its bits."""
    if dtype == "bfloat16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array


def to_file(numbers, dtype):
    """The inverse, rounded to nearest, ties to even."""
    if dtype != "bfloat16":
        return np.asarray(numbers).astype(dtype)
    single = np.asarray(numbers, np.float64).astype(np.float32)
    bits = single.view(np.uint32)
    with np.errstate(over="ignore"):
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(single), 0x7FC0, rounded).astype(np.uint16)


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e))


def times(x, y):
    """x * y, 0 where y is the 0 of a limit."""
    return np.where((y == 0) & np.isinf(x), np.copysign(0, x), x * y)


def cdf(x):
    return 0.5 * erfc(-x / math.sqrt(2))


def cubic(x):
    return 2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)


def gelu(x, approximate="none"):
    return times(x, cdf(x) if approximate == "none" else sigmoid(cubic(x)))


def gelu_slope(x, approximate="none"):
    if approximate == "none":
        return cdf(x) + np.where(np.isinf(x), 0, x) * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    s = sigmoid(cubic(x))
    size = np.clip(x, -20, 20)
    return s + size * s * sigmoid(-cubic(x)) * 2 * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * size * size)


def silu(x):
    return times(x, sigmoid(x))


def silu_slope(x):
    finite = np.clip(x, -1e4, 1e4)
    return sigmoid(x) + finite * sigmoid(x) * sigmoid(-x)


def halves(x, dim):
    return np.split(x, 2, axis=dim)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def elu_slope(a):
    def slope(x):
        inner = a["alpha"] * a["scale"] * a["input_scale"] * np.exp(np.minimum(a["input_scale"] * x, 0))
        if a["is_result"]:
            inner = a["input_scale"] * (x + a["alpha"] * a["scale"])
        return np.where(x > 0, a["scale"], inner)

    return slope


def mish_slope(x):
    tanh, finite = np.tanh(softplus(x)), np.clip(x, -1e4, 1e4)
    return tanh + finite * (1 - tanh * tanh) * sigmoid(x)


def softmax(x, dim):
    with np.errstate(invalid="ignore"):
        e = np.exp(x - np.max(x, axis=dim, keepdims=True))
    return e / np.sum(e, axis=dim, keepdims=True)


def log_softmax(x, dim):
    shifted = x - np.max(x, axis=dim, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=dim, keepdims=True))


def swiglu_backward(i, a):
    active, other = halves(i["x"], a["dim"])
    return [np.concatenate([i["grad_output"] * silu_slope(active) * other, i["grad_output"] * silu(active)], a["dim"])]


def geglu(i, a):
    lower, upper = halves(first(i), a["dim"])
    active, other = (lower, upper) if a["activate_left"] else (upper, lower)
    y = gelu(active, a["approximate"])
    return [y * other, y]


def prelu(i, a):
    x, weight = i["self"], i["weight"]
    shape = [1] * x.ndim
    if x.ndim > 1:
        shape[1] = -1
    return [np.where(x > 0, x, x * weight.reshape(shape if weight.size > 1 else [1] * x.ndim))]


def first(i):
    return next(iter(i.values()))


def gradient(slope):
    """grad_output times the slope at the other tensor."""

    def compute(i, a):
        grad, x = i.values()
        return [grad * slope(x)]

    return compute


OPERATORS = {
    "gelu": lambda i, a: [gelu(first(i), a["approximate"])],
    "gelu_backward": lambda i, a: gradient(lambda x: gelu_slope(x, a["approximate"]))(i, a),
    "silu": lambda i, a: [silu(first(i))],
    "silu_backward": gradient(silu_slope),
    "swiglu": lambda i, a: [silu(halves(i["x"], a["dim"])[0]) * halves(i["x"], a["dim"])[1]],
    "swiglu_backward": swiglu_backward,
    "geglu": geglu,
    "softmax": lambda i, a: [softmax(first(i), a["dim"])],
    "log_softmax": lambda i, a: [log_softmax(first(i), a["dim"])],
    "elu_backward": lambda i, a: gradient(elu_slope(a))(i, a),
    "leaky_relu": lambda i, a: [np.where(first(i) > 0, first(i), first(i) * a["negative_slope"])],
    "mish_backward": gradient(mish_slope),
    "prelu": prelu,
    "sigmoid": lambda i, a: [sigmoid(first(i))],
    "relu": lambda i, a: [np.where(np.isnan(first(i)), first(i), np.where(first(i) > 0, first(i), 0))],
}


def results(folder, case):
    """The exact results of a case."""
    inputs = {
        name: from_file(np.load(folder / one["file"]), one["dtype"]).astype(np.float64)
        for name, one in case["inputs"].items()
    }
    with np.errstate(all="ignore"):
        return OPERATORS[case["operator"]](inputs, case["attributes"])


def fill(folder, change=lambda case, name, numbers: numbers):
    """Write the outputs of all cases; `change` may spoil the exact numbers of one."""
    folder = Path(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    for case in manifest["cases"]:
        for (name, one), numbers in zip(case["outputs"].items(), results(folder, case), strict=False):
            with np.errstate(all="ignore"):
                np.save(folder / one["file"], to_file(change(case, name, numbers), one["dtype"]).reshape(one["shape"]))


if __name__ == "__main__":
    fill(sys.argv[1])
