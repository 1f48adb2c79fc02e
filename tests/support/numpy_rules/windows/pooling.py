"""Pooling over the last two or three dimensions, and its gradients, one window at a time.

`rank` is the number of these dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

Shape = tuple[int, ...]


def _for_each(values: Any, rank: int, otherwise: Sequence[int]) -> list[int]:
    """A number for each dimension. A single number is for all of them."""
    numbers = list(values or otherwise)
    return numbers * rank if len(numbers) == 1 else numbers


def places(
    rank: int, shape: Shape, kernel: Any, stride: Any, padding: Any, dilation: Any = (1,), rounds_up: bool = False,
    end: Any = (),
) -> list[list[list[int]]]:  # fmt: skip
    """For each dimension and each window: the places of its elements, also those in the padding.

    Windows must fit into the padded array. With `rounds_up`, one more may stick out, but must begin before the padding
    at the end.
    """
    kernel = _for_each(kernel, rank, ())
    rows = zip(
        shape[-rank:], kernel, _for_each(stride, rank, kernel), _for_each(padding, rank, (0,)),
        _for_each(end, rank, padding or (0,)), _for_each(dilation, rank, (1,)), strict=True,
    )  # fmt: skip
    result = []
    for n, k, s, before, after, d in rows:
        windows: list[list[int]] = []
        first, is_last = -before, False
        while not is_last:
            window = [first + d * j for j in range(k)]
            fits = window[-1] < n + after
            is_last = not fits or window[-1] == n + after - 1
            if fits or (rounds_up and windows and first < n):
                windows.append(window)
            first += s
        result.append(windows)
    return result


def each_window(windows: list[list[list[int]]]) -> Iterator[tuple[Shape, list[list[int]]]]:
    """The index of each window, and its places in each dimension."""
    for index in np.ndindex(*map(len, windows)):
        yield index, [row[k] for row, k in zip(windows, index, strict=True)]


def inside(window: list[list[int]], sizes: Shape) -> list[Shape]:
    """The coordinates of a window's elements that are in the array, in row-major order."""
    steps = np.ndindex(*map(len, window))
    coordinates = (tuple(row[j] for row, j in zip(window, step, strict=True)) for step in steps)
    return [c for c in coordinates if all(0 <= x < n for x, n in zip(c, sizes, strict=True))]


def _planes(a: Any, rank: int) -> Any:
    """The tensor as a list of planes."""
    return a.reshape(prod(a.shape[:-rank]), *a.shape[-rank:])


def _counts(windows: list[list[list[int]]]) -> Shape:
    return tuple(map(len, windows))


def _largest(plane: Any, coordinates: list[Shape]) -> tuple[Any, int]:
    """The largest number and its position in the plane: as in PyTorch, the last NaN, or the first of equals."""
    best, position = -np.inf, coordinates[0]
    for c in coordinates:
        if plane[c] > best or np.isnan(plane[c]):
            best, position = plane[c], c
    return best, int(np.ravel_multi_index(position, plane.shape))


def _max_over(rank: int, a: Any, windows: list[list[list[int]]]) -> tuple[Any, Any]:
    planes, counts = _planes(a, rank), _counts(windows)
    values, positions = np.empty((len(planes), *counts)), np.empty((len(planes), *counts), np.int64)
    for index, window in each_window(windows):
        coordinates = inside(window, planes.shape[1:])
        for k, plane in enumerate(planes):
            values[(k, *index)], positions[(k, *index)] = _largest(plane, coordinates)
    shape = (*a.shape[:-rank], *counts)
    return values.reshape(shape), positions.reshape(shape)


def _max_pool(rank: int, a: Any, *settings: Any) -> tuple[Any, Any]:
    return _max_over(rank, a, places(rank, a.shape, *settings))


def _max_pool_by_pads(a: Any, kernel: Any, strides: Any, _: Any, pads: Any, dilations: Any, rounds_up: int) -> Any:
    """MaxPool. Four pads are top, left, bottom, right. A missing stride is 1."""
    before, after = tuple(pads[:2]), tuple(pads[2:])
    return _max_pool(2, a, kernel, strides or (1,), before, (1,), rounds_up != 0, after)[0]


def _to_largest(rank: int, gradient: Any, a: Any, positions: Any, *_: Any) -> Any:
    """Each largest element gets the sum of its windows' gradients."""
    if not (a.size and gradient.size):  # hardware computes nothing in this case
        return None
    size = prod(a.shape[-rank:])
    result = np.zeros((prod(a.shape[:-rank]), size))
    rows = zip(result, positions.reshape(len(result), -1), gradient.reshape(len(result), -1), strict=True)
    for plane, where, values in rows:
        for position, value in zip(where, values, strict=True):
            if not 0 <= position < size:
                raise ValueError(f"position {position}")
            plane[int(position)] += value
    return result.reshape(a.shape)


def _max_pool_mask_backward(gradient: Any, a: Any, mask: Any, *settings: Any) -> Any:
    return _to_largest(2, gradient, a, _max_pool(2, a.astype(np.float64), *settings)[1])


def _divisor(window: list[list[int]], sizes: Shape, padding: Any, includes_padding: bool, divisor: int) -> int:
    """The number of a window's elements in the array, or in the padded array."""
    if divisor:
        return divisor
    if not includes_padding:
        return len(inside(window, sizes))
    padded = zip(window, sizes, _for_each(padding, len(sizes), (0,)), strict=True)
    return prod(sum(-p <= x < n + p for x in row) for row, n, p in padded)


def _mean_pool(
    rank: int, a: Any, kernel: Any, stride: Any, padding: Any, rounds_up: bool, includes_padding: bool, divisor: int,
    *mode: int,
) -> Any:  # fmt: skip
    windows, planes = places(rank, a.shape, kernel, stride, padding, (1,), rounds_up), _planes(a, rank)
    result = np.empty((len(planes), *_counts(windows)))
    for index, window in each_window(windows):
        total = sum((planes[(slice(None), *c)] for c in inside(window, planes.shape[1:])), np.zeros(len(planes)))
        result[(slice(None), *index)] = total / _divisor(window, planes.shape[1:], padding, includes_padding, divisor)
    return result.reshape(*a.shape[:-rank], *result.shape[1:])


def _mean_pool_backward(
    rank: int, gradient: Any, a: Any, kernel: Any, stride: Any, padding: Any, rounds_up: bool, includes_padding: bool,
    divisor: int, *mode: int,
) -> Any:  # fmt: skip
    if not (a.size and gradient.size):  # hardware computes nothing in this case
        return None
    windows, result = places(rank, a.shape, kernel, stride, padding, (1,), rounds_up), np.zeros(_planes(a, rank).shape)
    gradients = _planes(gradient, rank)
    for index, window in each_window(windows):
        count = _divisor(window, result.shape[1:], padding, includes_padding, divisor)
        for c in inside(window, result.shape[1:]):
            result[(slice(None), *c)] += gradients[(slice(None), *index)] / count
    return result.reshape(a.shape)


def _bins(sizes: Shape, counts: Sequence[int]) -> list[list[list[int]]]:
    """The windows of adaptive pooling: bin k of c has the places from floor(k n / c) to ceil((k + 1) n / c)."""
    rows = zip(sizes, counts, strict=True)
    return [[[x for x in range(n) if k * n // c <= x and x * c < (k + 1) * n] for k in range(c)] for n, c in rows]


def _adaptive_mean(rank: int, a: Any, sizes: Any) -> Any:
    if not a.size:  # hardware computes nothing in this case
        return None
    windows, planes = _bins(a.shape[-rank:], sizes), _planes(a, rank)
    result = np.empty((len(planes), *sizes))
    for index, window in each_window(windows):
        result[(slice(None), *index)] = planes[(slice(None), *np.ix_(*window))].mean(tuple(range(1, rank + 1)))
    return result.reshape(*a.shape[:-rank], *sizes)


def _adaptive_mean_backward(rank: int, gradient: Any, a: Any) -> Any:
    if not (a.size and gradient.size):  # hardware computes nothing in this case
        return None
    result, gradients = np.zeros(_planes(a, rank).shape), _planes(gradient, rank)
    for index, window in each_window(_bins(a.shape[-rank:], gradient.shape[-rank:])):
        for c in inside(window, result.shape[1:]):
            result[(slice(None), *c)] += gradients[(slice(None), *index)] / prod(map(len, window))
    return result.reshape(a.shape)


def _adaptive_max(rank: int, a: Any, sizes: Any) -> Any:
    """The largest element of each bin, and its position in the plane."""
    return _max_over(rank, a, _bins(a.shape[-rank:], sizes)) if a.size else (None, None)


def _rules(rank: int) -> dict[str, Callable[..., Any]]:
    """The rules of pooling over `rank` dimensions."""

    def of(function: Any) -> Any:
        return partial(function, rank)

    return {
        f"max_pool_{rank}d_with_indices": of(_max_pool),
        f"max_pool_{rank}d_backward": of(_to_largest),
        f"mean_pool_{rank}d": of(_mean_pool),
        f"mean_pool_{rank}d_backward": of(_mean_pool_backward),
        f"adaptive_mean_{rank}d": of(_adaptive_mean),
        f"adaptive_mean_{rank}d_backward": of(_adaptive_mean_backward),
        f"adaptive_max_{rank}d": of(_adaptive_max),
        f"adaptive_max_{rank}d_backward": of(_to_largest),
    }


RULES: dict[str, Callable[..., Any]] = {
    **_rules(2),
    **_rules(3),
    "max_pool": _max_pool_by_pads,
    "max_pool_with_mask": lambda a, *settings: (_max_pool(2, a, *settings)[0], 0),
    "max_pool_mask_backward": _max_pool_mask_backward,
}
