"""The rules that clients.txt names: what a function of the table computes from its arguments.

A rule gets arrays, and numbers and flags as they are. It returns the values of its function's result. The rules of
dtypes are PyTorch's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Shape = tuple[int, ...]

#: The dtype in which a rule gets its arrays, and in which its result is rounded.
COMMON = "common"  # the promoted dtype of its arguments
FLOATING = "floating"  # the same, float32 for integers
RESULT = "result"  # the dtype of its result, int64 for integers
OWN = "own"  # each array keeps its dtype


@dataclass(frozen=True)
class Rule:
    """A computation, and the shape that its result must have."""

    compute: Callable[..., Any]
    dtype: str = COMMON
    shape: Callable[..., Shape] | None = None  # from shapes, numbers and flags; None: shapes broadcast


def _reduced(shape: Shape, dims: Sequence[int], keep: bool, *_: Any) -> Shape:
    rank = len(shape)
    if any(not -max(rank, 1) <= d < max(rank, 1) for d in dims):
        raise ValueError(f"dims is {tuple(dims)}; self has {rank} dimensions")
    gone = {d % rank for d in dims if rank} or set(range(rank))
    return tuple(1 if k in gone else n for k, n in enumerate(shape) if keep or k not in gone)


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, dims, keep, dtype: function(a, axis=tuple(dims) or None, keepdims=keep)


def _matrices(a: Shape, b: Shape, *_: Any) -> Shape:
    """The shape of a product of matrices, of vectors, or of batches of matrices."""
    if not a or not b or a[-1] != b[max(len(b) - 2, 0)]:
        raise ValueError(f"matrices of shapes {a} and {b} have no product")
    return (*np.broadcast_shapes(a[:-2], b[:-2]), *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _added(c: Shape, a: Shape, b: Shape, *_: Any) -> Shape:
    return np.broadcast_shapes(c, _matrices(a, b))


def _addmm(c: Any, a: Any, b: Any, beta: Any, alpha: Any, *_: Any) -> Any:
    product = alpha * np.matmul(a, b)
    return product + beta * c if beta else product  # without beta, c may hold NaN


def _joined(shapes: Sequence[Shape], dim: int) -> Shape:
    parts = [shape for shape in shapes if shape != (0,)]  # PyTorch leaves these out
    if not parts:
        return (0,)
    first = parts[0]
    if not -len(first) <= dim < len(first):
        raise ValueError(f"dim is {dim}; the tensors have {len(first)} dimensions")
    dim %= len(first)
    if any(part[:dim] != first[:dim] or part[dim + 1 :] != first[dim + 1 :] for part in parts):
        raise ValueError(f"tensors of shapes {', '.join(map(str, parts))} cannot be joined along {dim}")
    return (*first[:dim], sum(part[dim] for part in parts), *first[dim + 1 :])


def _concatenated(parts: Sequence[Any], dim: int) -> Any:
    return np.concatenate([part for part in parts if part.shape != (0,)] or list(parts[:1]), dim)


def _clamp(a: Any, low: Any, high: Any) -> Any:
    above = a if low is None else np.maximum(a, low)
    return above if high is None else np.minimum(above, high)


def _lerp(a: Any, b: Any, weight: Any) -> Any:
    """PyTorch computes from the nearer end."""
    return np.where(np.abs(weight) < 0.5, a + weight * (b - a), b - (b - a) * (1 - weight))


def _loss_shape(a: Shape, b: Shape, reduction: int) -> Shape:
    return () if reduction else np.broadcast_shapes(a, b)


def _mse_loss(a: Any, b: Any, reduction: int) -> Any:
    """Reduction 1 is the mean, 2 the sum."""
    squares = np.square(a - b)
    return (squares, np.mean(squares), np.sum(squares))[reduction]


def _mse_loss_backward(gradient: Any, a: Any, b: Any, reduction: int) -> Any:
    return gradient * (2.0 / max(a.size, 1) if reduction == 1 else 2.0) * (a - b)


RULES: dict[str, Rule] = {
    "copy": Rule(lambda to, source: source, OWN),
    "cast": Rule(lambda source, *dtype: source, OWN),
    "fill": Rule(lambda to, value: value, OWN),
    "zero": Rule(lambda to: 0, OWN),
    "one": Rule(lambda to: 1, OWN),
    "add": Rule(lambda a, b, alpha=1: a + alpha * b),
    "sub": Rule(lambda a, b, alpha=1: a - alpha * b),
    "mul": Rule(np.multiply),
    "div": Rule(np.divide, FLOATING),
    "addcmul": Rule(lambda a, b, c, value: a + value * b * c),
    "addcdiv": Rule(lambda a, b, c, value: a + value * (b / c)),
    "lerp": Rule(_lerp),
    "square": Rule(np.square),
    "sign": Rule(np.sign),
    "abs": Rule(np.abs),
    "neg": Rule(np.negative),
    "rsqrt": Rule(lambda a: 1 / np.sqrt(a), FLOATING),
    **{name: Rule(getattr(np, name), FLOATING) for name in ("exp", "log", "sqrt", "sin", "cos", "reciprocal")},
    "pow": Rule(np.power),
    "clamp": Rule(_clamp),
    **{name: Rule(getattr(np, name)) for name in ("maximum", "minimum", "greater", "less", "equal", "logical_not")},
    "where": Rule(lambda condition, a, b: np.where(condition != 0, a, b)),
    "masked_fill": Rule(lambda a, mask, value: np.where(mask != 0, value.astype(a.dtype), a), OWN),
    "sum": Rule(_reduction(np.sum), RESULT, _reduced),
    "mean": Rule(_reduction(np.mean), RESULT, _reduced),
    "cumsum": Rule(lambda a, dim, dtype: np.cumsum(a, dim), RESULT),
    "matmul": Rule(lambda a, b, *_: np.matmul(a, b), RESULT, _matrices),
    "addmm": Rule(_addmm, RESULT, _added),
    "cat": Rule(_concatenated, RESULT, _joined),
    "mse_loss": Rule(_mse_loss, FLOATING, _loss_shape),
    "mse_loss_backward": Rule(_mse_loss_backward, FLOATING),
}
