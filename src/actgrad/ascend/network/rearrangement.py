"""Slices, padding, repetition, and other orders of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...base.loop import broadcast_shapes
from .entry import COMMON, EACH, Entry, Shape, TorchEntry
from .pytorch import torch


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
    return torch.constant_pad_nd(a, tuple(pad), value)


#: For each mode of padding, a function of the positions in a padded dimension, counted from the first element, and of
#: the dimension's size. It returns the index of the element that each position copies.
_COPIED: dict[str, Callable[[Any, int], Any]] = {
    "reflection": lambda positions, n: n - 1 - torch.abs(n - 1 - torch.abs(positions)),
    "replication": lambda positions, n: torch.clamp(positions, 0, n - 1),
    "circular": lambda positions, n: positions % n,
}


def _copies(shape: Shape, pad: Sequence[int], mode: str) -> list[Any]:
    """For each dimension, the index of the element that each position copies. Negative numbers of `pad` crop."""
    sizes = zip(shape, _margins(shape, pad), strict=True)
    return [_COPIED[mode](torch.arange(-before, n + after), n) for n, (before, after) in sizes]


def _copied(mode: str) -> Entry:
    def compute(a: Any, pad: Sequence[int]) -> Any:
        for dim, places in enumerate(_copies(a.shape, pad, mode)):
            a = torch.index_select(a, dim, places)
        return a

    return TorchEntry(compute, EACH, _padded_shape if mode != "circular" else _circular_shape)


def _circular_shape(shape: Shape, pad: Sequence[int]) -> Shape:
    if any(max(margins) > n for n, margins in zip(shape, _margins(shape, pad), strict=True)):
        fault = f"pad is {tuple(pad)}, but self has shape {shape}"
        raise ValueError(f"{fault}; no number may exceed the size of its dimension; change pad")
    return _padded_shape(shape, pad)


def _copied_backward(mode: str) -> Entry:
    """The gradient of padding: each element has the sum over the positions that copy it."""

    def compute(gradient: Any, a: Any, pad: Sequence[int]) -> Any:
        for dim, places in enumerate(_copies(a.shape, pad, mode)):
            sizes = (*gradient.shape[:dim], a.shape[dim], *gradient.shape[dim + 1 :])
            gradient = torch.index_add(torch.zeros(sizes, dtype=gradient.dtype), dim, places, gradient)
        return gradient

    def shape(gradient: Shape, a: Shape, pad: Sequence[int]) -> Shape:
        expected = _padded_shape(a, pad) if mode != "circular" else _circular_shape(a, pad)
        if gradient != expected:
            raise ValueError(f"gradOutput has shape {gradient}; it must be {expected}; reshape gradOutput")
        return a

    return TorchEntry(compute, COMMON, shape)


def _shuffled(a: Any, groups: int) -> Any:
    """The channels in another order: the first of each group, then the second of each group, and so on."""
    parts = a.reshape(a.shape[0], groups, -1, *a.shape[2:])
    return torch.transpose(parts, 1, 2).reshape(a.shape)


def _with_diagonal(a: Any, value: Any, wraps: bool) -> Any:
    """A copy with `value` on the diagonal. With `wraps`, a matrix with more rows than columns has several diagonals."""
    return a.clone().fill_diagonal_(value, wraps)


def _diagonal_shape(shape: Shape, *_: Any) -> Shape:
    if len(shape) > 2 and len(set(shape)) > 1:
        raise ValueError(f"selfRef has shape {shape}; its sizes must be equal; reshape selfRef")
    return shape


def _flat_shape(shape: Shape, axis: int) -> Shape:
    axis = dimension(shape, axis)
    return prod(shape[:axis]), prod(shape[axis:])


def _expanded_shape(shape: Shape, size: Sequence[int]) -> Shape:
    sizes = tuple(size)
    if min(sizes, default=0) < 0 or broadcast_shapes(shape, sizes) != sizes:
        raise ValueError(f"size is {sizes}, but self has shape {shape}; self must broadcast to size; change size")
    return sizes


def _repeated(a: Any, repeats: Any, dim: int, size: int) -> Any:
    """Repeat each element as often as `repeats` says. The result has `size` elements along `dim`."""
    a = with_dimension(a)
    counts = torch.as_tensor(repeats).long().reshape(-1).expand(a.shape[dim])
    if size and (counts.sum() != size or (counts < 0).any()):
        fault = f"outputSize is {size}, but repeats adds up to {counts.sum()}"
        raise ValueError(f"{fault}; it must be this sum, and no repeat may be negative; change outputSize")
    return torch.repeat_interleave(a, counts, dim) if size else None


def _repeated_shape(shape: Shape, repeats: int | Shape, dim: int, size: int) -> Any:
    """The shape of the result. The values of a tensor `repeats` are unknown here."""
    if isinstance(repeats, int) and size != (shape or (1,))[dimension(shape, dim)] * repeats:
        fault = f"outputSize is {size}, but self has shape {shape} and repeats is {repeats}"
        raise ValueError(f"{fault}; it must be the number of elements of the result; change outputSize")
    return with_size(shape, dim, size) if size else ...


def _equal_parts(shape: Shape, size: int, dim: int) -> list[int]:
    """The sizes of parts of `size` elements along a dimension. The last part may be smaller."""
    total = shape[dim]
    return [min(size, total - start) for start in range(0, total, size or 1)]


def _split(a: Any, sizes: Sequence[int], dim: int) -> list[Any]:
    return np.split(a, np.cumsum(sizes)[:-1], dim)


def _split_shapes(shape: Shape, sizes: Sequence[int], dim: int) -> list[Shape]:
    if sum(sizes) != shape[dim] or any(size < 0 for size in sizes):
        expected = f"they must add up to {shape[dim]}, the size of dimension {dim}"
        raise ValueError(f"the sizes are {tuple(sizes)}, but self has shape {shape}; {expected}; change the sizes")
    return [with_size(shape, dim, size) for size in sizes]


RULES: dict[str, Entry] = {
    "split": Entry(
        lambda a, size, dim: _split(a, _equal_parts(a.shape, size, dim), dim),
        EACH,
        lambda shape, size, dim: _split_shapes(shape, _equal_parts(shape, size, dim), dim),
        writes_list=True,
    ),
    "split_with_sizes": Entry(_split, EACH, _split_shapes, writes_list=True),
    "slice": Entry(
        lambda a, dim, start, end, step: _sliced(a, (start,), (end,), (dim,), (step,)),
        EACH,
        lambda shape, dim, start, end, step: _sliced_shape(shape, (start,), (end,), (dim,), (step,)),
    ),
    "slices": Entry(_sliced, EACH, _sliced_shape),
    "constant_pad": TorchEntry(_padded, EACH, _padded_shape, fills=True, keeps_unsigned=True),
    **{f"{mode}_pad": _copied(mode) for mode in _COPIED},
    **{f"{mode}_pad_backward": _copied_backward(mode) for mode in _COPIED},
    "shuffle_channels": TorchEntry(_shuffled, EACH, lambda shape, groups: shape),
    "diagonal_matrix": TorchEntry(
        lambda a, k: torch.diagflat(a, k), EACH, lambda shape, k: (prod(shape) + abs(k),) * 2
    ),
    "fill_diagonal": TorchEntry(_with_diagonal, EACH, _diagonal_shape, fills=True),
    "flatten": Entry(lambda a, axis: a.reshape(_flat_shape(a.shape, axis)), EACH, _flat_shape),
    "expand": Entry(lambda a, size: np.broadcast_to(a, size), EACH, _expanded_shape),
    "repeat_elements": TorchEntry(
        lambda a, repeats, size: _repeated(a.reshape(-1), repeats, 0, size),
        EACH,
        lambda shape, repeats, size: _repeated_shape((prod(shape),), repeats, 0, size),
    ),
    "repeat_along": TorchEntry(_repeated, EACH, _repeated_shape),
    "repeat_numbers": TorchEntry(
        lambda repeats, size: _repeated(torch.arange(repeats.numel()), repeats.reshape(-1), 0, size),
        EACH,
        lambda shape, size: _repeated_shape(shape, shape, 0, size),
    ),
}
