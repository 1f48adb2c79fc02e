"""Slices, padding, repetition, and other orders of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from actgrad.ascend.network.entry import Shape


def mean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """sum(a) / count along an axis: NaN if there are no elements. NumPy's mean would print a warning then."""
    return np.mean(a, axis, keepdims=keepdims) if a.size else np.sum(a, axis, keepdims=keepdims) / np.float32(0)


def with_dimension(a: Any) -> Any:
    """An array with at least one dimension, because a dim of a number may be 0 or -1."""
    return a.reshape(a.shape or (1,))


def _margins(shape: Shape, pad: Sequence[int]) -> list[tuple[int, int]]:
    """The number of elements to add before and after each dimension. `pad` has pairs, the last dimension first."""
    if len(pad) % 2 or len(pad) > 2 * len(shape):
        fault = f"pad has {len(pad)} numbers, but self has {len(shape)} dimensions"
        raise ValueError(f"{fault}; it must have a pair for each of the last dimensions; change pad")
    pairs = [(pad[k], pad[k + 1]) for k in range(0, len(pad), 2)]
    return [(0, 0)] * (len(shape) - len(pairs)) + pairs[::-1]


def _padded_shape(shape: Shape, pad: Sequence[int], *_: Any) -> Shape:
    sizes = tuple(n + before + after for n, (before, after) in zip(shape, _margins(shape, pad), strict=True))
    if any(n < 0 for n in sizes):
        raise ValueError(f"pad is {pad}, but self has shape {shape}; no size may become negative; change pad")
    return sizes


def _padded(a: Any, pad: Sequence[int], value: Any) -> Any:
    """The padded tensor. Negative numbers crop."""
    result = np.full(_padded_shape(a.shape, pad), value, a.dtype)
    pairs = _margins(a.shape, pad)
    part = a[
        tuple(
            slice(max(-before, 0), max(n + min(after, 0), 0)) for n, (before, after) in zip(a.shape, pairs, strict=True)
        )
    ]
    to = tuple(slice(max(before, 0), max(before, 0) + n) for n, (before, _) in zip(part.shape, pairs, strict=True))
    result[to] = part
    return result


#: NumPy's names of the modes of padding.
_MODES = {"reflection": "reflect", "replication": "edge", "circular": "wrap"}


def _in_mode(a: Any, pad: Sequence[int], mode: str) -> Any:
    """`a`, padded by NumPy's own function. Negative numbers crop the padded array."""
    pairs = _margins(a.shape, pad)
    result = np.pad(a, [(max(before, 0), max(after, 0)) for before, after in pairs], _MODES[mode])  # type: ignore[call-overload]
    sizes = zip(result.shape, pairs, strict=True)
    return result[tuple(slice(max(-before, 0), n + min(after, 0)) for n, (before, after) in sizes)]


def _copied(mode: str) -> Callable[..., Any]:
    return lambda a, pad: _in_mode(a, pad, mode)


def _copied_backward(mode: str) -> Callable[..., Any]:
    """The gradient of padding: each element has the sum over the positions that copy it."""

    def compute(gradient: Any, a: Any, pad: Sequence[int]) -> Any:
        places = _in_mode(np.arange(a.size).reshape(a.shape), pad, mode)
        result = np.zeros(a.size, gradient.dtype)
        for place, share in zip(places.ravel().tolist(), gradient.ravel(), strict=True):
            result[place] += share
        return result.reshape(a.shape)

    return compute


def _shuffled(a: Any, groups: int) -> Any:
    """The channels in another order: the first of each group, then the second of each group, and so on."""
    parts = a.reshape(a.shape[0], groups, -1, *a.shape[2:])
    return np.swapaxes(parts, 1, 2).reshape(a.shape)


def _with_diagonal(a: Any, value: Any, wraps: bool) -> Any:
    """A copy with `value` on the diagonal. With `wraps`, a matrix with more rows than columns has several diagonals."""
    result = np.array(a)
    np.fill_diagonal(result, np.asarray(value).astype(a.dtype), wraps)
    return result


def _repeated(a: Any, repeats: Any, dim: int, size: int) -> Any:
    """Repeat each element as often as `repeats` says. The result has `size` elements along `dim`."""
    a = with_dimension(a)
    counts = np.broadcast_to(repeats, a.shape[dim])
    if size and (counts.sum() != size or (counts < 0).any()):
        fault = f"outputSize is {size}, but repeats adds up to {counts.sum()}"
        raise ValueError(f"{fault}; it must be this sum, and no repeat may be negative; change outputSize")
    return np.repeat(a, counts, dim) if size else None


RULES: dict[str, Callable[..., Any]] = {
    "constant_pad": _padded,
    **{f"{mode}_pad": _copied(mode) for mode in _MODES},
    **{f"{mode}_pad_backward": _copied_backward(mode) for mode in _MODES},
    "shuffle_channels": _shuffled,
    "diagonal_matrix": np.diagflat,
    "fill_diagonal": _with_diagonal,
    "repeat_elements": lambda a, repeats, size: _repeated(a.reshape(-1), repeats, 0, size),
    "repeat_along": _repeated,
    "repeat_numbers": lambda repeats, size: _repeated(np.arange(repeats.size), repeats.reshape(-1), 0, size),
}
