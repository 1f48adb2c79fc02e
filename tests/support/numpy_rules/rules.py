"""The oracle of each rule that the package computes with PyTorch: a function of arrays, numbers and flags."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from actgrad.ascend.network.entry import category

from . import attention, indices, losses, matmul, norms, optimizers, rearrangement, reductions
from .rearrangement import with_dimension
from .windows import convolution, pooling


def _rolled(a: Any, shifts: Sequence[int], dims: Sequence[int]) -> Any:
    return np.roll(a, shifts, dims) if dims else np.roll(a, sum(shifts))


def _power(a: Any, b: Any) -> Any:
    """Compute integer powers of float32 in float64, because NumPy's float32 powers may be inexact.

    For integers, a negative power is the truncated inverse, and 0 gives 0, like CANN's kernel for INT64.
    """
    if category(a.dtype) < 2 and np.any(b < 0):
        inverse = np.where(np.abs(a) == 1, np.power(a, np.abs(b)), 0)
        return np.where(b < 0, inverse, np.power(a, np.abs(b)))
    return np.power(a, b) if a.dtype != np.float32 else np.power(a.astype(np.float64), b).astype(np.float32)


def _lerp(a: Any, b: Any, weight: Any) -> Any:
    """Interpolate from the nearer end, as PyTorch does."""
    return np.where(np.abs(weight) < 0.5, a + weight * (b - a), b - (b - a) * (1 - weight))


def _to_odd(a: Any) -> Any:
    """The nearest integer. A tie rounds to the odd integer."""
    lower = np.floor(a)
    return np.where(a - lower == 0.5, lower + (lower % 2 == 0), np.rint(a))


#: Rounding functions by number. Any other number means rint.
_ROUNDING: dict[int, Callable[[Any], Any]] = {
    2: np.floor, 3: np.ceil, 4: lambda a: np.copysign(np.floor(np.abs(a) + 0.5), a), 5: np.trunc, 6: _to_odd,
}  # fmt: skip


def _rounded(a: Any, mode: Any) -> Any:
    return _ROUNDING.get(int(mode.reshape(())), np.rint)(a)


def _logit(a: Any, epsilon: float) -> Any:
    """The logarithm of the odds. Unless epsilon is negative, elements are first clipped to [epsilon, 1 - epsilon]."""
    if epsilon >= 0:
        a = np.where(a < epsilon, epsilon, np.where(a > 1 - epsilon, 1 - epsilon, a)).astype(a.dtype)
    return np.log(a / (1 - a))


def _logit_backward(a: Any, gradient: Any, epsilon: float) -> Any:
    low = max(epsilon, 0)
    outside = (a < low) | (a > 1 - low)
    return np.where(outside, np.nan if epsilon < 0 else 0, gradient / (a * (1 - a)))


def _masked(a: Any, mask: Any, chance: float) -> Any:
    if not mask.size:  # hardware ends the call
        return None
    is_kept = np.unpackbits(mask, count=a.size, bitorder="little").reshape(a.shape)
    return np.where(is_kept, a.astype(np.float32) / (1 - chance), 0)


def _integers_stay(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return integers unchanged, because NumPy rounds them as float64, which changes large integers."""
    return lambda a: function(a) if category(a.dtype) >= 2 else a


_PLAIN = ("isfinite", "floor", "ceil", "trunc", "signbit", "gcd", "isinf")

_FLOATING = (
    "exp", "log", "sqrt", "sin", "cos", "reciprocal", "log1p", "expm1", "log2", "log10", "tan", "sinh", "cosh", "tanh",
    "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "arctan2", "exp2", "logaddexp", "logaddexp2",
)  # fmt: skip

RULES: dict[str, Callable[..., Any]] = {
    "lerp": _lerp,
    "round": _integers_stay(np.rint),
    "logit": _logit,
    "logit_backward": _logit_backward,
    "frac": lambda a: np.zeros_like(a) if category(a.dtype) < 2 else a - np.trunc(a),
    "sinc": lambda a: np.sinc(a.astype(np.promote_types(a.dtype, np.float64))),
    "addr": matmul.addr,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    **{name: getattr(np, name) for name in _FLOATING},
    "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
    "round_by_mode": _rounded,
    "pow": _power,
    **{name: getattr(np, name) for name in _PLAIN},
    "trace": np.trace,
    "x_log_y": lambda a, b: np.where(np.isnan(b), np.nan, np.where(a == 0, 0, a * np.log(b))),
    "round_decimals": np.round,
    "matmul": lambda a, b, *_: matmul.product(a, b),
    "dequantized_matmul": matmul.dequantized_product,
    "addmm": matmul.addmm,
    "addbmm": matmul.addbmm,
    "addmv": lambda c, a, b, alpha, beta, *_: matmul.addmm(c, a, b, beta, alpha),
    "inverse": np.linalg.inv,
    "triangular": matmul.triangular,
    "outer": np.multiply.outer,
    "select": indices.selection,
    "select_from_both_ends": indices.selection_from_both_ends,
    "embedding": lambda a, index: indices.selection(a, 0, index),
    "repeat": np.tile,
    "roll": _rolled,
    "tril": np.tril,
    "triu": np.triu,
    "erf": lambda a: np.vectorize(math.erf, otypes=[a.dtype])(a),
    "erfc": lambda a: np.vectorize(math.erfc, otypes=[a.dtype])(a),
    "dropout": _masked,
    "flip": lambda a, dims: np.flip(with_dimension(a), dims),
    **attention.RULES,
    **convolution.RULES,
    **indices.RULES,
    **losses.RULES,
    **norms.RULES,
    **optimizers.RULES,
    **pooling.RULES,
    **rearrangement.RULES,
    **reductions.RULES,
}
