"""Slices, padding and repetition."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from .rule import EACH, Rule, Shape


def with_dimension(a: Any) -> Any:
    """An array with at least one dimension, because a dim of a number may be 0 or -1."""
    return a.reshape(a.shape or (1,))


def dimension(shape: Shape, dim: int) -> int:
    """The dimension as a number from 0. A negative `dim` counts from the end. A shape () counts as (1,)."""
    rank = max(len(shape), 1)
    if not -rank <= dim < rank:
        raise ValueError(f"dim is {dim}, but self has shape {shape}; it must lie in [{-rank}, {rank - 1}]; change dim")
    return dim % rank


def with_size(shape: Shape, dim: int, size: int) -> Shape:
    """A shape with another size in one dimension."""
    dim = dimension(shape, dim)
    return (*shape[:dim], size, *shape[dim + 1 :])


def _slices(shape: Shape, starts: Sequence[int], ends: Sequence[int], dims: Sequence[int], steps: Sequence[int]) -> Any:
    """The key of a slice, by Python's rules for starts and ends."""
    key = [slice(None)] * len(shape)
    for start, end, dim, step in zip(starts, ends, dims, steps, strict=True):
        key[dimension(shape, dim)] = slice(start, end, step)
    return tuple(key)


def _sliced(a: Any, *rest: Any) -> Any:
    return a[_slices(a.shape, *rest)]


def _sliced_shape(shape: Shape, *rest: Any) -> Shape:
    return tuple(len(range(n)[part]) for n, part in zip(shape, _slices(shape, *rest), strict=True))


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


def _reflected(a: Any, pad: Sequence[int]) -> Any:
    """The tensor, padded by reflection at the first and the last element of each dimension. Negative numbers crop."""
    for dim, (before, after) in enumerate(_margins(a.shape, pad)):
        n = a.shape[dim]
        a = np.take(a, n - 1 - np.abs(n - 1 - np.abs(np.arange(-before, n + after))), dim)
    return a


def _repeated(a: Any, repeats: Any, dim: int, size: int) -> Any:
    """Each element as often as `repeats` says. The result has `size` elements along `dim`."""
    a = with_dimension(a)
    counts = np.broadcast_to(repeats, a.shape[dim])
    if size and (counts.sum() != size or (counts < 0).any()):
        fault = f"outputSize is {size}, but the elements take {counts.sum()} places"
        raise ValueError(f"{fault}; it must be the sum of repeats, and none may be negative; change outputSize")
    return np.repeat(a, counts, dim) if size else None


def _repeated_shape(shape: Shape, repeats: int | Shape, dim: int, size: int) -> Any:
    """The shape of the result. The values of a tensor `repeats` are unknown here."""
    if isinstance(repeats, int) and size != (shape or (1,))[dimension(shape, dim)] * repeats:
        fault = f"outputSize is {size}, but self has shape {shape} and repeats is {repeats}"
        raise ValueError(f"{fault}; it must be the number of elements of the result; change outputSize")
    return with_size(shape, dim, size) if size else ...


RULES: dict[str, Rule] = {
    "slice": Rule(
        lambda a, dim, start, end, step: _sliced(a, (start,), (end,), (dim,), (step,)),
        EACH,
        lambda shape, dim, start, end, step: _sliced_shape(shape, (start,), (end,), (dim,), (step,)),
    ),
    "slices": Rule(_sliced, EACH, _sliced_shape),
    "constant_pad": Rule(_padded, EACH, _padded_shape),
    "reflection_pad": Rule(_reflected, EACH, _padded_shape),
    "repeat_elements": Rule(
        lambda a, repeats, size: _repeated(a.reshape(-1), repeats, 0, size),
        EACH,
        lambda shape, repeats, size: _repeated_shape((prod(shape),), repeats, 0, size),
    ),
    "repeat_along": Rule(_repeated, EACH, _repeated_shape),
    "repeat_numbers": Rule(
        lambda repeats, size: _repeated(np.arange(repeats.size), repeats.reshape(-1), 0, size),
        EACH,
        lambda shape, size: _repeated_shape(shape, shape, 0, size),
    ),
}
