"""The rules of the table in functions/: what computes each function.

A rule gets tensors as tensors of PyTorch (`TorchEntry`) or as arrays of NumPy (`Entry`), and numbers and flags
unchanged. It returns the values of the function's results. Dtypes follow PyTorch's rules.

NumPy computes only copies, casts, fills and ranges, plain arithmetic, comparisons and selections, parts, joins and
transpositions of tensors, random numbers, and the matrix product of FLOAT. So small programs need no PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import nan
from typing import Any

import numpy as np

from ...base.errors import quantity
from . import attention, indices, losses, matmul, norms, optimizers, randomness, rearrangement, reductions
from .entry import (
    COMMON,
    COMPARED,
    EACH,
    FLOAT32,
    FLOATING,
    PROMOTED,
    RESULT,
    Entry,
    Shape,
    TorchEntry,
    category,
)
from .pytorch import torch
from .rearrangement import with_dimension
from .windows import convolution, pooling


def _joined(shapes: Sequence[Shape], dim: int) -> Shape:
    parts = [shape for shape in shapes if shape != (0,)]  # PyTorch skips these
    if not parts:
        return (0,)
    first = parts[0]
    if not -len(first) <= dim < len(first):
        limits = f"it must lie in [{-len(first)}, {len(first) - 1}]"
        raise ValueError(f"dim is {dim}, but the tensors have shape {tuple(first)}; {limits}; change dim")
    dim %= len(first)
    if any(
        len(part) != len(first) or part[:dim] != first[:dim] or part[dim + 1 :] != first[dim + 1 :] for part in parts
    ):
        expected = f"all sizes but that of dimension {dim} must be equal"
        raise ValueError(f"the tensors have shapes {', '.join(map(str, parts))}; {expected}; reshape them")
    return (*first[:dim], sum(part[dim] for part in parts), *first[dim + 1 :])


def _stacked(shapes: Sequence[Shape], dim: int) -> Shape:
    if len(set(shapes)) != 1 or not -len(shapes[0]) - 1 <= dim <= len(shapes[0]):
        rank = len(shapes[0])
        expected = f"the shapes must be equal and dim must lie in [{-rank - 1}, {rank}]"
        words = f"the tensors have shapes {', '.join(map(str, shapes))} and dim is {dim}"
        raise ValueError(f"{words}; {expected}; reshape them or change dim")
    dim %= len(shapes[0]) + 1
    return (*shapes[0][:dim], len(shapes), *shapes[0][dim:])


def _selected(shape: Shape, dim: int, index: Shape) -> Shape:
    """The shape of a selection.

    A number has no dimension to select along. An index that is a number counts as a list of one.
    """
    if not shape:
        return ()
    if not -len(shape) <= dim < len(shape):
        limits = f"it must lie in [{-len(shape)}, {len(shape) - 1}]"
        raise ValueError(f"dim is {dim}, but self has shape {tuple(shape)}; {limits}; change dim")
    return (*shape[: dim % len(shape)], *(index or (1,)), *shape[dim % len(shape) + 1 :])


def _sequence(start: Any, end: Any, step: Any, result: Any) -> Any:
    """start + k * step. Of integers, CANN converts start and step first."""
    if np.issubdtype(result.dtype, np.integer):
        start, step = start.astype(np.int64), step.astype(np.int64)
    return (start + step * np.arange(result.size)).reshape(result.shape)


def _repeated(shape: Shape, times: Sequence[int]) -> Shape:
    if len(times) < len(shape):
        expected = f"it must have at least {len(shape)}, one per dimension of self"
        raise ValueError(f"repeats has {quantity(len(times), 'number')}; {expected}; add to repeats")
    return tuple(n * k for n, k in zip((*(1,) * (len(times) - len(shape)), *shape), times, strict=True))


def _rolled(a: Any, shifts: Sequence[int], dims: Sequence[int]) -> Any:
    return torch.roll(a, tuple(shifts), tuple(dims)) if dims else torch.roll(a, sum(shifts))


def _concatenated(parts: Sequence[Any], dim: int) -> Any:
    return np.concatenate([part for part in parts if part.shape != (0,)] or list(parts[:1]), dim)


def _clamp(a: Any, low: Any, high: Any) -> Any:
    above = a if low is None else np.maximum(a, low)
    return above if high is None else np.minimum(above, high)


def _nan_to_num(a: Any, nan: float, highest: float, lowest: float) -> Any:
    if not np.issubdtype(a.dtype, np.inexact):
        return a
    return np.where(np.isnan(a), nan, np.where(a == np.inf, highest, np.where(a == -np.inf, lowest, a)))


def _as_tensors(*values: Any) -> list[Any]:
    """Tensors, and numbers as tensors of the same dtype. PyTorch alone would round a number to the default dtype."""
    dtype = next(each.dtype for each in values if isinstance(each, torch.Tensor))
    return [each if isinstance(each, torch.Tensor) else torch.tensor(each, dtype=dtype) for each in values]


def _power(a: Any, b: Any) -> Any:
    """For integers, a negative power is the truncated inverse, and 0 gives 0, like CANN's kernel for INT64."""
    a, b = _as_tensors(a, b)
    if a.is_floating_point() or a.is_complex() or b.is_floating_point() or b.is_complex():
        return torch.pow(a, b)
    a, b = (each.byte() if each.dtype == torch.bool else each for each in (a, b))
    powers = torch.pow(a, torch.abs(b))
    return torch.where(b < 0, torch.where(torch.abs(a) == 1, powers, 0), powers)


def _sign(a: Any) -> Any:
    """1, 0 or -1. NaN has the sign 0, in CANN's kernel as in PyTorch."""
    if a.dtype == np.bool_ or np.issubdtype(a.dtype, np.complexfloating):
        return a if a.dtype == np.bool_ else np.sign(a)
    return (a > 0).astype(a.dtype) - (a < 0).astype(a.dtype)


def _to_odd(a: Any) -> Any:
    """The nearest integer. A tie rounds to the odd integer."""
    lower = torch.floor(a)
    return torch.where(a - lower == 0.5, lower + (lower % 2 == 0), torch.round(a))


def _away_from_0(a: Any) -> Any:
    """The nearest integer. A tie rounds away from 0. Adding 0.5 first would round twice."""
    part = torch.trunc(a)
    return torch.copysign(torch.where(torch.abs(a - part) >= 0.5, part + torch.sign(a), part), a)


#: Rounding functions by number. Any other number means rint.
_ROUNDING: dict[int, Callable[[Any], Any]] = {
    2: lambda a: torch.floor(a), 3: lambda a: torch.ceil(a),
    4: _away_from_0, 5: lambda a: torch.trunc(a), 6: _to_odd,
}  # fmt: skip


def _rounded(a: Any, mode: Any) -> Any:
    return _ROUNDING.get(int(mode), lambda a: torch.round(a))(a) if a.is_floating_point() else a


def _rounded_at(a: Any, decimals: int) -> Any:
    """The numbers, rounded at a decimal place. Integers have only zeros behind the point."""
    if a.is_floating_point() or a.is_complex():
        return torch.round(a, decimals=decimals)
    return a if decimals >= 0 else torch.round(a.double(), decimals=decimals)


def _complex(a: Any, b: Any) -> Any:
    result = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a.dtype, np.complex64))
    result.real, result.imag = a, b
    return result


def _floor_of_quotient(a: Any, b: Any) -> Any:
    """floor(a / b). As in CANN's FloorDiv, the quotient of floats is rounded first: 1 / 0.1 gives 10. NumPy gives 9."""
    if np.result_type(a, b).kind == "f":
        return np.floor(np.true_divide(a, b))
    return np.floor_divide(a, b)


def _quotient(a: Any, b: Any, mode: int) -> Any:
    """The quotient: exact in mode 0, rounded towards 0 in mode 1, rounded down in mode 2."""
    if mode == 0 and category(a.dtype) < 2:
        a, b = a.astype(FLOAT32), b.astype(FLOAT32)
    if mode == 2:
        return _floor_of_quotient(a, b)
    if mode == 1 and np.issubdtype(a.dtype, np.integer):
        return np.floor_divide(a, b) + ((np.mod(a, b) != 0) & ((a < 0) != (b < 0)))
    return np.trunc(a / b) if mode == 1 else a / b


def _quotient_shape(a: Shape, b: Any, mode: int) -> Shape:
    if mode not in (0, 1, 2):
        raise ValueError(f"mode is {mode}; it must be 0, 1 (towards 0) or 2 (down); change mode")
    return np.broadcast_shapes(a, b if isinstance(b, tuple) else ())


def _logit(a: Any, epsilon: float) -> Any:
    """The logarithm of the odds. Unless epsilon is negative, elements are first clipped to [epsilon, 1 - epsilon]."""
    return torch.logit(a, epsilon if epsilon >= 0 else None)


def _logit_backward(a: Any, gradient: Any, epsilon: float) -> Any:
    low = max(epsilon, 0)
    outside = (a < low) | (a > 1 - low)
    return torch.where(outside, nan if epsilon < 0 else 0.0, gradient / (a * (1 - a)))


def _integers_stay(function: str) -> Entry:
    """Integers are returned unchanged."""
    return TorchEntry(lambda a: getattr(torch, function)(a) if a.is_floating_point() or a.is_complex() else a)


def _of_torch(function: str, dtype: str = COMMON) -> Entry:
    """A function of PyTorch, elementwise, of tensors only."""
    return TorchEntry(lambda *values: getattr(torch, function)(*_as_tensors(*values)), dtype)


_PLAIN = (
    "maximum", "minimum", "logical_not", "logical_and", "logical_or", "logical_xor", "bitwise_xor", "left_shift",
    "right_shift",
)  # fmt: skip

_COMPARISONS = ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal")

_FLOATING = (
    "exp", "log", "sqrt", "sin", "cos", "reciprocal", "log1p", "expm1", "log2", "log10", "tan", "sinh", "cosh", "tanh",
    "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "arctan2", "exp2", "logaddexp", "logaddexp2",
    "rsqrt", "sigmoid", "erf", "erfc",
)  # fmt: skip

RULES: dict[str, Entry] = {
    "copy": Entry(lambda to, source: source, EACH),
    "cast": Entry(lambda source, *dtype: source, EACH),
    "fill": Entry(lambda to, value: value.reshape(()), EACH, lambda to, value: to, fills=True),
    # The order of FRACTAL_NZ: every format is read as ND, so the weights stay.
    "keep": Entry(lambda a: None, EACH),
    "zero": Entry(lambda to: 0, EACH),
    "one": Entry(lambda to: 1, EACH),
    "add": Entry(lambda a, b, alpha=1: a + alpha * b),
    # CANN's test of Sub expects exclusive or for BOOL.
    "sub": Entry(lambda a, b, alpha=1: a - alpha * b if a.dtype != np.bool_ else a ^ alpha & b),
    "mul": Entry(np.multiply),
    "div": Entry(np.divide, FLOATING),
    "addcmul": Entry(lambda a, b, c, value: a + value * b * c),
    "addcdiv": Entry(lambda a, b, c, value: a + value * (b / c)),
    "lerp": _of_torch("lerp"),
    "square": Entry(np.square),
    **{name: _integers_stay(name) for name in ("round", "floor", "ceil", "trunc")},
    **{name: _of_torch(name) for name in ("isfinite", "isinf", "signbit", "gcd")},
    "sign": Entry(_sign),
    "abs": Entry(np.abs),
    "neg": Entry(np.negative),
    "rsub": Entry(lambda a, b, alpha=1: b - alpha * a),
    "logit": TorchEntry(_logit, FLOATING, lambda shape, *_: shape),
    "logit_backward": TorchEntry(_logit_backward, FLOATING, lambda shape, *_: shape),
    "remainder_in_result": Entry(np.mod, RESULT, rounds_numbers=True),
    "real": Entry(np.real, EACH),
    "frac": TorchEntry(lambda a: torch.frac(a) if a.is_floating_point() else torch.zeros_like(a)),
    "sinc": TorchEntry(lambda a: torch.sinc(a.to(torch.promote_types(a.dtype, torch.float64))), FLOATING),
    "is_negative_infinity": Entry(lambda a: a == -np.inf),
    "is_positive_infinity": Entry(lambda a: a == np.inf),
    "max_of_list": Entry(lambda parts: reduce(np.maximum, parts), RESULT, lambda shapes: np.broadcast_shapes(*shapes)),
    "min_of_list": Entry(lambda parts: reduce(np.minimum, parts), RESULT, lambda shapes: np.broadcast_shapes(*shapes)),
    "addr": TorchEntry(matmul.addr, COMMON, matmul.addr_shape),
    **{name: _of_torch(name, FLOATING) for name in _FLOATING},
    "round_by_mode": TorchEntry(_rounded, shape=lambda shape, mode: shape),
    "pow": TorchEntry(_power),
    "clamp": Entry(_clamp),
    **{name: Entry(getattr(np, name)) for name in (*_PLAIN, *_COMPARISONS)},
    **{f"{name}_number": Entry(getattr(np, name), COMPARED, rounds_numbers=True) for name in _COMPARISONS},
    "fmod": Entry(np.fmod),
    "where": Entry(lambda condition, a, b: np.where(condition != 0, a, b)),
    "masked_fill": Entry(lambda a, mask, value: np.where(mask != 0, value.astype(a.dtype), a), EACH, fills=True),
    "nan_to_num": Entry(_nan_to_num),
    "trace": TorchEntry(lambda a: torch.sum(torch.diagonal(a)), RESULT, lambda shape: ()),
    "complex": Entry(_complex, EACH),
    "divide_by_mode": Entry(_quotient, PROMOTED, _quotient_shape),
    "x_log_y": _of_torch("xlogy", FLOATING),
    "round_decimals": TorchEntry(_rounded_at, shape=lambda shape, *_: shape),
    "matmul": Entry(
        lambda a, b, *_: np.matmul(a, b),
        RESULT,
        matmul.product_shape,
        other_dtypes=TorchEntry(lambda a, b, *_: torch.matmul(a, b), RESULT, matmul.product_shape),
    ),
    "dequantized_matmul": TorchEntry(matmul.dequantized_product, EACH, matmul.dequantized_shape, reads_nibbles=True),
    "addmm": TorchEntry(matmul.addmm, RESULT, matmul.sum_shape),
    "addbmm": TorchEntry(matmul.addbmm, RESULT, matmul.addbmm_shape),
    "addmv": TorchEntry(lambda c, a, b, alpha, beta, *_: matmul.addmm(c, a, b, beta, alpha), RESULT, matmul.sum_shape),
    "inverse": TorchEntry(matmul.inverse, FLOATING, lambda shape: shape),
    "triangular": TorchEntry(matmul.triangular, COMMON, matmul.triangular_shapes),
    "outer": TorchEntry(lambda a, b: torch.outer(a, b), COMMON, lambda a, b: (*a, *b)),
    "sum_of_list": Entry(lambda parts: reduce(np.add, parts), RESULT, lambda shapes: np.broadcast_shapes(*shapes)),
    # Phase one compares the number of steps with the size of the result.
    "sequence": Entry(_sequence, EACH, lambda start, end, step, result: result, is_in_place=True),
    "select": TorchEntry(indices.selection, EACH, _selected),
    "select_from_both_ends": TorchEntry(indices.selection_from_both_ends, EACH, _selected),
    "embedding": TorchEntry(lambda a, index: indices.selection(a, 0, index), EACH, lambda a, index: (*index, *a[1:])),
    "permute": Entry(np.transpose, EACH, lambda shape, dims: tuple(shape[d] for d in dims)),
    "repeat": TorchEntry(lambda a, times: a.repeat(tuple(times)), EACH, _repeated),
    "roll": TorchEntry(_rolled, EACH, lambda shape, *_: shape),
    "tril": TorchEntry(lambda a, diagonal: torch.tril(a, diagonal), EACH, lambda shape, *_: shape),
    "triu": TorchEntry(lambda a, diagonal: torch.triu(a, diagonal), EACH, lambda shape, *_: shape),
    "stack": Entry(np.stack, RESULT, _stacked),
    "cat": Entry(_concatenated, RESULT, _joined),
    "bitwise_and": Entry(np.bitwise_and),
    "bitwise_or": Entry(np.bitwise_or),
    "bitwise_not": Entry(np.invert),
    "floor_divide": Entry(_floor_of_quotient),
    "remainder": Entry(np.mod, rounds_numbers=True),
    "flip": TorchEntry(lambda a, dims: torch.flip(with_dimension(a), tuple(dims)), EACH, lambda shape, dims: shape),
    "eye": Entry(np.eye, EACH, lambda n, m: (n, m)),
    "linspace": Entry(np.linspace, EACH, lambda start, end, steps: (steps,)),
    "logspace": Entry(
        lambda a, b, steps, base: base ** np.linspace(a, b, steps), EACH, lambda a, b, steps, base: (steps,)
    ),
    "equal_all": Entry(np.array_equal, COMMON, lambda *shapes: ()),
    "is_close": Entry(lambda a, b, rtol, atol, equal_nan: np.isclose(a, b, rtol, atol, equal_nan)),
    **attention.RULES,
    **convolution.RULES,
    **indices.RULES,
    **losses.RULES,
    **norms.RULES,
    **optimizers.RULES,
    **pooling.RULES,
    **randomness.RULES,
    **rearrangement.RULES,
    **reductions.RULES,
}
