"""Pooling over the last two or three dimensions, and its gradients. `rank` is the number of these dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, reduce
from math import prod
from typing import Any

import numpy as np

from actgrad.ascend.network.entry import Shape

from ..indices import indices_within
from .windows import Windows, matched, spatial, spread


def pool_windows(
    rank: int, shape: Shape, kernel: Any, stride: Any, padding: Any, dilation: Any = (1,), rounds_up: bool = False,
    end: Any = (),
) -> Windows:  # fmt: skip
    """Windows over the last dimensions. With `rounds_up`, a window may end beyond the array, but must begin in it.

    `end` is the padding at the bottom and at the right, if it differs from the padding at the top and at the left.
    """
    kernel, stride = spread(kernel, rank), spread(stride or kernel, rank)
    padding, dilation = spread(padding or (0,), rank), spread(dilation or (1,), rank)
    matched(kernelSize=(kernel, rank), stride=(stride, rank), padding=(padding, rank), dilation=(dilation, rank))
    if min(stride) < 1:
        raise ValueError(f"stride is {stride}; each number must be at least 1; change stride")
    counts = []
    for n, k, s, p, q, d in zip(shape[-rank:], kernel, stride, padding, end or padding, dilation, strict=True):
        count = (n + p + q - d * (k - 1) - 1 + (s - 1 if rounds_up else 0)) // s + 1
        counts.append(count - (rounds_up and (count - 1) * s >= n + p))
    if len(shape) not in (rank + 1, rank + 2) or min(counts) < 1:
        expected = f"it must have {rank + 1} or {rank + 2} dimensions, and a window must fit into it"
        raise ValueError(f"self has shape {shape}, kernelSize is {kernel}; {expected}; change one of them")
    return Windows(kernel, stride, dilation, padding, tuple(counts))


def batched(rank: int, a: Any) -> Any:
    """A tensor with a batch dimension. Programs may leave this dimension out."""
    return a if a.ndim == rank + 2 else a[None]


def _place_of_largest(parts: Any) -> Any:
    """The place of the largest number along the last dimension: as in PyTorch, the last NaN, or the first of equals."""
    is_nan = np.isnan(parts)
    last_nan = parts.shape[-1] - 1 - np.argmax(is_nan[..., ::-1], -1)
    return np.where(is_nan.any(-1), last_nan, np.argmax(parts, -1))


def _max_pool(rank: int, a: Any, *settings: Any) -> tuple[Any, Any]:
    """The largest element of each window, and its position in the plane. The padding is never the largest."""
    windows = pool_windows(rank, a.shape, *settings)
    parts = windows.of(batched(rank, a), -np.inf)
    parts = parts.reshape(*parts.shape[: 2 + rank], -1)
    plane = np.arange(prod(a.shape[-rank:])).reshape(1, 1, *a.shape[-rank:])
    positions = np.broadcast_to(windows.of(plane, -1).reshape(*windows.counts, -1), parts.shape)
    place = _place_of_largest(parts)[..., None]
    values = np.take_along_axis(parts, place, -1)
    place = np.where(values == -np.inf, np.argmax(positions >= 0, -1)[..., None], place)
    shape = (*a.shape[:-rank], *windows.counts)
    return values.reshape(shape), np.take_along_axis(positions, place, -1).reshape(shape)


def _padded(kernel: Any, strides: Any, _: Any, pads: Any, dilations: Any, rounds_up: int) -> tuple[Any, ...]:
    """MaxPool's arguments for `pool_windows`. Four pads are top, left, bottom, right. A missing stride is 1."""
    for name, values in (("pads", pads), ("dilations", dilations)):
        if len(values) not in (0, 1, 2, 4):
            raise ValueError(f"{name} is {tuple(values)}; it must have 0, 1, 2 or 4 numbers; change {name}")
    if any(number != 1 for number in dilations):
        raise ValueError(f"dilations is {tuple(dilations)}; each number must be 1; change dilations")
    return kernel, strides or (1,), tuple(pads[:2]), (1,), rounds_up != 0, tuple(pads[2:])


def _max_pool_with_mask(a: Any, *settings: Any) -> tuple[Any, Any]:
    """The result, and a mask of zeros: its content is undocumented, and the gradient needs no mask."""
    return _max_pool(2, a, *settings)[0], 0


def _to_largest(rank: int, gradient: Any, a: Any, positions: Any, *_: Any) -> Any:
    """The gradient with respect to the input: each largest element gets the sum of its windows' gradients."""
    if not (a.size and gradient.size):  # hardware computes nothing in this case
        return None
    planes = prod(a.shape[:-rank])
    result = np.zeros((planes, prod(a.shape[-rank:])), np.float64)
    index = indices_within(positions.reshape(planes, -1), result.shape[1])
    np.add.at(result, (np.arange(planes)[:, None], index), gradient.reshape(planes, -1))
    return result.reshape(a.shape)


def _max_pool_mask_backward(gradient: Any, a: Any, mask: Any, *settings: Any) -> Any:
    return _to_largest(2, gradient, a, _max_pool(2, a.astype(np.float64), *settings)[1])


def _divisors(rank: int, shape: Shape, windows: Windows, includes_padding: bool, divisor: int) -> Any:
    """The divisor of each window's sum: the number of its elements in the padded array, or in the array."""
    if divisor:
        return divisor
    lengths = []
    for n, count, k, s, p in zip(
        shape[-rank:], windows.counts, windows.kernel, windows.stride, windows.before, strict=True
    ):
        first = np.arange(count) * s - p
        last = np.minimum(first + k, n + p)
        lengths.append(last - first if includes_padding else np.minimum(last, n) - np.maximum(first, 0))
    return reduce(np.multiply.outer, lengths)


def _mean_pool(
    rank: int, a: Any, kernel: Any, stride: Any, padding: Any, rounds_up: bool, includes_padding: bool, divisor: int,
    *mode: int,
) -> Any:  # fmt: skip
    windows = pool_windows(rank, a.shape, kernel, stride, padding, (1,), rounds_up)
    sums = windows.of(batched(rank, a)).sum(tuple(range(-rank, 0)))
    return (sums / _divisors(rank, a.shape, windows, includes_padding, divisor)).reshape(
        *a.shape[:-rank], *windows.counts
    )


def _mean_pool_backward(
    rank: int, gradient: Any, a: Any, kernel: Any, stride: Any, padding: Any, rounds_up: bool, includes_padding: bool,
    divisor: int, *mode: int,
) -> Any:  # fmt: skip
    if not (a.size and gradient.size):  # hardware computes nothing in this case
        return None
    windows = pool_windows(rank, a.shape, kernel, stride, padding, (1,), rounds_up)
    share = batched(rank, gradient / _divisors(rank, a.shape, windows, includes_padding, divisor))
    parts = np.broadcast_to(share.reshape(*share.shape, *(1,) * rank), (*share.shape, *windows.kernel))
    return windows.sums(parts, a.shape[-rank:]).reshape(a.shape)


def _bins(shape: Shape, sizes: Shape) -> Iterator[tuple[Any, Any]]:
    """The bins of adaptive pooling: the index of each result, and of its elements. Neighbours may share elements."""
    for place in np.ndindex(*sizes):
        rows = zip(place, shape[-len(sizes) :], sizes, strict=True)
        yield spatial(place), spatial([slice(k * n // count, -(-(k + 1) * n // count)) for k, n, count in rows])


def _adaptive_shape(rank: int, shape: Shape, sizes: Any) -> Shape:
    matched(outputSize=(sizes, rank))
    return (*shape[:-rank], *sizes)


def _adaptive_mean(rank: int, a: Any, sizes: Any) -> Any:
    if not a.size:  # hardware computes nothing in this case
        return None
    result = np.empty(_adaptive_shape(rank, a.shape, sizes), a.dtype)
    for place, area in _bins(a.shape, tuple(sizes)):
        result[place] = a[area].mean(tuple(range(-rank, 0)))
    return result


def _adaptive_mean_backward(rank: int, gradient: Any, a: Any) -> Any:
    if not (a.size and gradient.size):  # hardware computes nothing in this case
        return None
    result = np.zeros_like(a)
    for place, area in _bins(a.shape, gradient.shape[-rank:]):
        share = gradient[place] / prod(a[area].shape[-rank:])
        result[area] += share.reshape(*share.shape, *(1,) * rank)
    return result


def _adaptive_max(rank: int, a: Any, sizes: Any) -> Any:
    """The largest element of each bin, and its position in the plane."""
    if not a.size:  # hardware computes nothing in this case
        return None, None
    plane = np.arange(prod(a.shape[-rank:])).reshape(a.shape[-rank:])
    values = np.empty(_adaptive_shape(rank, a.shape, sizes), a.dtype)
    index = np.empty(values.shape, np.int64)
    for place, area in _bins(a.shape, tuple(sizes)):
        parts = a[area].reshape(*a.shape[:-rank], -1)
        largest = _place_of_largest(parts)
        values[place] = np.take_along_axis(parts, largest[..., None], -1)[..., 0]
        index[place] = plane[area].reshape(-1)[largest]
    return values, index


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
    "max_pool": lambda a, *more: _max_pool(2, a, *_padded(*more))[0],
    "max_pool_with_mask": _max_pool_with_mask,
    "max_pool_mask_backward": _max_pool_mask_backward,
}
