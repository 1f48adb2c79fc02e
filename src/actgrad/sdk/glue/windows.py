"""Convolution, pooling and their gradients: products of matrices and sums over windows of (batch, channels, ...)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from ...base.errors import quantity
from .indices import indices_within
from .matmul import binned_means, binned_means_backward, product
from .rule import EACH, MIXED, Rule, Shape


def _spatial(key: Sequence[Any]) -> Any:
    """An index of the last dimensions."""
    return (..., *key)


@dataclass(frozen=True)
class _Windows:
    """`counts` windows over the last dimensions. The first begins `before` elements before the array."""

    kernel: Shape
    stride: Shape
    dilation: Shape
    before: Shape
    counts: Shape

    def _reach(self) -> Shape:
        """The sizes of the array that the windows cover."""
        rows = zip(self.counts, self.stride, self.dilation, self.kernel, strict=True)
        return tuple((n - 1) * s + d * (k - 1) + 1 for n, s, d, k in rows)

    def _cut(self, sizes: Shape) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """The part of the array that windows cover: its slices in the array, and its slices among the covered sizes."""
        rows = list(zip(sizes, self.before, self._reach(), strict=True))
        inside = tuple(slice(max(-p, 0), max(min(n, size - p), 0)) for n, p, size in rows)
        return inside, tuple(
            slice(part.start + p, max(part.stop, part.start) + p) for part, (_, p, _) in zip(inside, rows, strict=True)
        )

    def of(self, a: Any, fill: float = 0) -> Any:
        """Elements by batch, channel, window and position in the window. Elements outside the array are `fill`."""
        covered = np.full((*a.shape[:2], *self._reach()), fill, a.dtype)
        inside, area = self._cut(a.shape[2:])
        covered[_spatial(area)] = a[_spatial(inside)]
        steps = [n * s for n, s in zip(covered.strides[2:], self.stride, strict=True)]
        inner = [n * d for n, d in zip(covered.strides[2:], self.dilation, strict=True)]
        shape = (*a.shape[:2], *self.counts, *self.kernel)
        return np.lib.stride_tricks.as_strided(covered, shape, (*covered.strides[:2], *steps, *inner), writeable=False)

    def sums(self, parts: Any, sizes: Shape) -> Any:
        """The inverse of `of`: for each element, the sum of its parts in all windows."""
        covered = np.zeros((*parts.shape[:2], *self._reach()), parts.dtype)
        for position in np.ndindex(self.kernel):
            rows = zip(position, self.dilation, self.stride, self.counts, strict=True)
            area = tuple(slice(k * d, k * d + s * (n - 1) + 1, s) for k, d, s, n in rows)
            covered[_spatial(area)] += parts[_spatial(position)]
        result = np.zeros((*parts.shape[:2], *sizes), parts.dtype)
        inside, area = self._cut(sizes)
        result[_spatial(inside)] = covered[_spatial(area)]
        return result


def _spread(values: Sequence[int], rank: int) -> Shape:
    """A number for each dimension. A single number is repeated."""
    return tuple(values) * (rank if len(values) == 1 else 1)


def _margins(padding: Sequence[int], rank: int, transposed: bool = False) -> tuple[Shape, Shape]:
    """The elements before and after each dimension, from one number for both, or from (top, bottom, left, right)."""
    takes_pairs = rank == 2 or (rank == 1 and not transposed)
    if len(padding) not in (rank, 2 * rank if takes_pairs else rank):
        lengths = f"{rank} or {2 * rank} numbers" if takes_pairs else quantity(rank, "number")
        raise ValueError(f"padding is {tuple(padding)}; it must have {lengths}; change padding")
    is_paired = len(padding) == 2 * rank
    return tuple(padding[:: 2 if is_paired else 1]), tuple(padding[1::2] if is_paired else padding)


def _matched(**lists: tuple[Sequence[int], int]) -> None:
    for name, (values, rank) in lists.items():
        if len(values) != rank:
            fault = f"{name} has {quantity(len(values), 'number')}, but the windows have {rank} dimensions"
            raise ValueError(f"{fault}; it must have a number for each; change {name}")


def _compare(shape: Shape, expected: Shape, name: str = "gradOutput") -> None:
    """Raise unless a gradient, or indices, have the shape of the output."""
    if shape != expected:
        raise ValueError(f"{name} has shape {shape}; it must be {expected}, the output's; reshape {name}")


def _convolution_windows(
    sizes: Shape, kernel: Shape, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]
) -> _Windows:
    """The windows of a convolution over an array of these sizes."""
    rank = len(sizes)
    _matched(stride=(stride, rank), dilation=(dilation, rank))
    before, after = _margins(padding, rank)
    rows = zip(sizes, kernel, stride, before, after, dilation, strict=True)
    counts = tuple((n + p + q - d * (k - 1) - 1) // s + 1 for n, k, s, p, q, d in rows)
    return _Windows(tuple(kernel), tuple(stride), tuple(dilation), before, counts)


def _rows(a: Any, groups: int) -> Any:
    """An array (batch, channels, ...) as a matrix for each group of channels: a row for each batch and position."""
    a = a.reshape(a.shape[0], groups, -1, prod(a.shape[2:]))
    return a.transpose(1, 0, 3, 2).reshape(groups, -1, a.shape[2])


def _array(rows: Any, batch: int, sizes: Shape) -> Any:
    """The inverse of `_rows`."""
    a = rows.reshape(len(rows), batch, -1, rows.shape[-1]).transpose(1, 0, 3, 2)
    return a.reshape(batch, -1, *sizes)


def _columns(a: Any, windows: _Windows, groups: int) -> Any:
    """A matrix for each group of channels: a row for each window, a column for each element of a window."""
    rank, parts = len(windows.kernel), windows.of(a)
    parts = parts.reshape(len(a), groups, -1, *parts.shape[2:])
    order = (1, 0, *range(3, 3 + rank), 2, *range(3 + rank, 3 + 2 * rank))
    return parts.transpose(order).reshape(groups, len(a) * prod(windows.counts), -1)


def _weights(weight: Any, groups: int) -> Any:
    """A matrix for each group of channels: a row for each of the group's outputs."""
    return weight.reshape(groups, len(weight) // groups, -1)


def _convolved(a: Any, weight: Any, windows: _Windows, groups: int) -> Any:
    rows = product(_columns(a, windows, groups), _weights(weight, groups).transpose(0, 2, 1))
    return _array(rows, len(a), windows.counts)


def _by_input(gradient: Any, weight: Any, windows: _Windows, groups: int, sizes: Shape) -> Any:
    """The gradient of `_convolved` with respect to its input, which also computes the transposed convolution."""
    rank, batch = len(sizes), len(gradient)
    parts = product(_rows(gradient, groups), _weights(weight, groups))
    parts = parts.reshape(groups, batch, *windows.counts, -1, *windows.kernel)
    order = (1, 0, 2 + rank, *range(2, 2 + rank), *range(3 + rank, 3 + 2 * rank))
    return windows.sums(parts.transpose(order).reshape(batch, -1, *windows.counts, *windows.kernel), sizes)


def _by_weight(a: Any, gradient: Any, windows: _Windows, groups: int, shape: Shape) -> Any:
    return product(_rows(gradient, groups).transpose(0, 2, 1), _columns(a, windows, groups)).reshape(shape)


def _convolution(
    a: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, more: Any, groups: int,
    mode: int,
) -> Any:  # fmt: skip
    shape = _convolution_shape(a.shape, weight.shape, None, stride, padding, dilation, transposed, more, groups, mode)
    if not (a.size and prod(shape)):
        return np.zeros(shape, a.dtype)
    sizes = shape[2:] if transposed else a.shape[2:]
    windows = _convolution_windows(sizes, weight.shape[2:], stride, padding, dilation)
    if transposed:  # outputPadding may leave room for further windows
        windows = replace(windows, counts=a.shape[2:])
    result = _by_input(a, weight, windows, groups, sizes) if transposed else _convolved(a, weight, windows, groups)
    return result if bias is None else result + bias.reshape(-1, *(1,) * len(sizes))


def _convolution_shape(
    a: Shape, weight: Shape, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, more: Any,
    groups: int, mode: int,
) -> Shape:  # fmt: skip
    rank = len(a) - 2
    inner = weight[0] if transposed else weight[1] * groups
    if rank not in (1, 2, 3) or len(weight) != len(a) or groups < 1 or weight[0] % groups or a[1] != inner:
        fault = f"input has shape {a}, weight {weight}, groups is {groups}"
        expected = "both must have 3 to 5 dimensions, and input the channels of weight"
        raise ValueError(f"{fault}; {expected}; reshape one of them")
    outer = weight[1] * groups if transposed else weight[0]
    if bias is not None and bias != (outer,):
        raise ValueError(f"bias has shape {bias}; it must be {(outer,)}; reshape bias")
    if not transposed:
        counts = _convolution_windows(a[2:], weight[2:], stride, padding, dilation).counts
        if min(counts, default=1) < 1:
            fault = f"input has shape {a}, weight {weight}, padding is {tuple(padding)}"
            raise ValueError(f"{fault}; a window must fit into the padded input; enlarge padding")
        return (a[0], outer, *counts)
    _matched(stride=(stride, rank), dilation=(dilation, rank), outputPadding=(more, rank))
    before, after = _margins(padding, rank, transposed)
    rows = zip(a[2:], weight[2:], stride, before, after, dilation, more, strict=True)
    return (a[0], outer, *((n - 1) * s - p - q + d * (k - 1) + extra + 1 for n, k, s, p, q, d, extra in rows))


def _convolution_backward(
    gradient: Any, a: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    more: Any, groups: int, mask: Any, mode: int,
) -> Any:  # fmt: skip
    if not gradient.size:
        return np.zeros_like(a), np.zeros_like(weight), np.zeros(gradient.shape[1], a.dtype)
    outer, inner = (a, gradient) if transposed else (gradient, a)  # as in the convolution that is not transposed
    windows = _convolution_windows(inner.shape[2:], weight.shape[2:], stride, padding, dilation)
    windows = replace(windows, counts=outer.shape[2:])
    by_a = by_weight = by_bias = None
    if mask[0] and transposed:
        by_a = _convolved(gradient, weight, windows, groups)
    elif mask[0]:
        by_a = _by_input(gradient, weight, windows, groups, a.shape[2:])
    if mask[1]:
        by_weight = _by_weight(inner, outer, windows, groups, weight.shape)
    if mask[2]:
        by_bias = gradient.sum((0, *range(2, gradient.ndim)))
    return by_a, by_weight, by_bias


def _convolution_backward_shapes(gradient: Shape, a: Shape, weight: Shape, bias: Any, *rest: Any) -> Any:
    stride, padding, dilation, transposed, more, groups, _, mode = rest
    _margins(padding, len(a) - 2, True)  # one number is enough for one dimension, while a convolution takes a pair
    expected = _convolution_shape(a, weight, None, stride, padding, dilation, transposed, more, groups, mode)
    _compare(gradient, expected)
    return a, weight, expected[1:2]


def _pool_windows(
    shape: Shape, kernel: Any, stride: Any, padding: Any, dilation: Any = (1,), rounds_up: bool = False, end: Any = ()
) -> _Windows:
    """Windows over the last two dimensions. With `rounds_up`, a window may end beyond the array, but must begin in it.

    `end` is the padding at the bottom and at the right, if it differs from the padding at the top and at the left.
    """
    kernel, stride = _spread(kernel, 2), _spread(stride or kernel, 2)
    padding, dilation = _spread(padding or (0,), 2), _spread(dilation or (1,), 2)
    _matched(kernelSize=(kernel, 2), stride=(stride, 2), padding=(padding, 2), dilation=(dilation, 2))
    if min(stride) < 1:
        raise ValueError(f"stride is {stride}; each number must be at least 1; change stride")
    counts = []
    for n, k, s, p, q, d in zip(shape[-2:], kernel, stride, padding, end or padding, dilation, strict=True):
        count = (n + p + q - d * (k - 1) - 1 + (s - 1 if rounds_up else 0)) // s + 1
        counts.append(count - (rounds_up and (count - 1) * s >= n + p))
    if len(shape) not in (3, 4) or min(counts) < 1:
        expected = "it must have 3 or 4 dimensions, and a window must fit into it"
        raise ValueError(f"self has shape {shape}, kernelSize is {kernel}; {expected}; change one of them")
    return _Windows(kernel, stride, dilation, padding, tuple(counts))


def _batched(a: Any) -> Any:
    """A tensor with a batch dimension. Programs may leave this dimension out."""
    return a if a.ndim == 4 else a[None]


def _pool_shape(
    shape: Shape, kernel: Any, stride: Any, padding: Any, dilation: Any = (1,), rounds_up: bool = False, end: Any = ()
) -> Shape:
    windows = _pool_windows(shape, kernel, stride, padding, dilation, rounds_up, end)
    for p, q, k in zip(windows.before, end or windows.before, windows.kernel, strict=True):
        if min(p, q) < 0 or p + q > k or max(p, q) >= k:
            fault = f"padding is {(*windows.before, *end)}, kernelSize is {windows.kernel}"
            expected = "padding must be at most half of kernelSize, or two sides together at most kernelSize"
            raise ValueError(f"{fault}; {expected}, and a window must have an element; change one of them")
    return (*shape[:-2], *windows.counts)


def _largest(a: Any, windows: _Windows) -> tuple[Any, Any]:
    """The largest element of each window, and its position in the plane. As in PyTorch, the first of equal elements.

    If a window has NaN, the last NaN counts. The padding is never the largest.
    """
    parts = windows.of(_batched(a), -np.inf)
    parts = parts.reshape(*parts.shape[:4], -1)
    plane = np.arange(prod(a.shape[-2:])).reshape(1, 1, *a.shape[-2:])
    positions = np.broadcast_to(windows.of(plane, -1).reshape(*windows.counts, -1), parts.shape)
    first = np.argmax(parts, -1)
    values = np.take_along_axis(parts, first[..., None], -1)[..., 0]
    last_nan = parts.shape[-1] - 1 - np.argmax(np.isnan(parts)[..., ::-1], -1)
    offset = np.where(values == -np.inf, np.argmax(positions >= 0, -1), np.where(np.isnan(values), last_nan, first))
    index = np.take_along_axis(positions, offset[..., None], -1)
    shape = (*a.shape[:-2], *windows.counts)
    return values.reshape(shape), index.reshape(shape)


def _max_pool(a: Any, *settings: Any) -> tuple[Any, Any]:
    return _largest(a, _pool_windows(a.shape, *settings))


def _padded(kernel: Any, strides: Any, _: Any, pads: Any, dilations: Any, rounds_up: int) -> tuple[Any, ...]:
    """MaxPool's arguments for `_pool_windows`. Four pads are top, left, bottom, right. A missing stride is 1."""
    for name, values in (("pads", pads), ("dilations", dilations)):
        if len(values) not in (0, 1, 2, 4):
            raise ValueError(f"{name} is {tuple(values)}; it must have 0, 1, 2 or 4 numbers; change {name}")
    if any(number != 1 for number in dilations):
        raise ValueError(f"dilations is {tuple(dilations)}; each number must be 1; change dilations")
    return kernel, strides or (1,), tuple(pads[:2]), (1,), rounds_up != 0, tuple(pads[2:])


def _max_pool_with_mask(a: Any, *settings: Any) -> tuple[Any, Any]:
    """The result, and a mask of zeros: its content is undocumented, and the gradient needs no mask."""
    return _max_pool(a, *settings)[0], 0


def _to_largest(gradient: Any, shape: Shape, positions: Any) -> Any:
    """The gradient with respect to the input: each largest element gets the sum of its windows' gradients."""
    planes = prod(shape[:-2])
    result = np.zeros((planes, shape[-2] * shape[-1]), np.float32)
    index = indices_within(positions.reshape(planes, -1), result.shape[1])
    np.add.at(result, (np.arange(planes)[:, None], index), gradient.reshape(planes, -1))
    return result.reshape(shape)


def _max_pool_backward(gradient: Any, a: Any, positions: Any, *settings: Any) -> Any:
    return _to_largest(gradient, a.shape, positions)


def _max_pool_mask_backward(gradient: Any, a: Any, mask: Any, *settings: Any) -> Any:
    return _to_largest(gradient, a.shape, _max_pool(a.astype(np.float32), *settings)[1])


def _max_pool_backward_shape(gradient: Shape, a: Shape, positions: Shape, *settings: Any) -> Shape:
    _compare(gradient, _pool_shape(a, *settings))
    return a


def _max_pool_indices_backward_shape(gradient: Shape, a: Shape, positions: Shape, *settings: Any) -> Shape:
    _compare(positions, gradient, "indices")
    return _max_pool_backward_shape(gradient, a, positions, *settings)


def _divisors(shape: Shape, windows: _Windows, includes_padding: bool, divisor: int) -> Any:
    """The divisor of each window's sum: the number of its elements in the padded array, or in the array."""
    if divisor:
        return divisor
    lengths = []
    for n, count, k, s, p in zip(
        shape[-2:], windows.counts, windows.kernel, windows.stride, windows.before, strict=True
    ):
        first = np.arange(count) * s - p
        last = np.minimum(first + k, n + p)
        lengths.append(last - first if includes_padding else np.minimum(last, n) - np.maximum(first, 0))
    return np.multiply.outer(*lengths)


def _mean_pool(
    a: Any, kernel: Any, stride: Any, padding: Any, rounds_up: bool, includes_padding: bool, divisor: int, mode: int
) -> Any:
    windows = _pool_windows(a.shape, kernel, stride, padding, (1,), rounds_up)
    sums = windows.of(_batched(a)).sum((-2, -1)) / _divisors(a.shape, windows, includes_padding, divisor)
    return sums.reshape(*a.shape[:-2], *windows.counts)


def _mean_pool_backward(
    gradient: Any, a: Any, kernel: Any, stride: Any, padding: Any, rounds_up: bool, includes_padding: bool,
    divisor: int, mode: int,
) -> Any:  # fmt: skip
    if not (a.size and gradient.size):  # hardware computes nothing in this case
        return None
    windows = _pool_windows(a.shape, kernel, stride, padding, (1,), rounds_up)
    share = _batched(gradient / _divisors(a.shape, windows, includes_padding, divisor))
    parts = np.broadcast_to(share[..., None, None], (*share.shape, *windows.kernel))
    return windows.sums(parts, a.shape[-2:]).reshape(a.shape)


def _mean_pool_backward_shape(gradient: Shape, a: Shape, *settings: Any) -> Shape:
    if prod(gradient) and prod(a):
        _compare(gradient, _mean_pool_shape(a, *settings))
    return a


def _mean_pool_shape(a: Shape, kernel: Any, stride: Any, padding: Any, rounds_up: bool, *_: Any) -> Shape:
    return _pool_shape(a, kernel, stride, padding, (1,), rounds_up)


def _adaptive_shape(shape: Shape, sizes: Any) -> Shape:
    _matched(outputSize=(sizes, 2))
    return (*shape[:-2], *sizes)


def _image_columns(a: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    windows = _pool_windows(a.shape, kernel, stride, padding, dilation)
    parts = windows.of(_batched(a)).transpose(0, 1, 4, 5, 2, 3)
    return parts.reshape(_image_columns_shape(a.shape, kernel, dilation, padding, stride))


def _image_columns_shape(shape: Shape, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Shape:
    windows = _pool_windows(shape, kernel, stride, padding, dilation)
    return (*shape[:-3], shape[-3] * prod(windows.kernel), prod(windows.counts))


RULES: dict[str, Rule] = {
    "convolution": Rule(_convolution, MIXED, _convolution_shape),
    "convolution_backward": Rule(_convolution_backward, MIXED, _convolution_backward_shapes),
    "max_pool": Rule(
        lambda a, *more: _max_pool(a, *_padded(*more))[0], MIXED, lambda a, *more: _pool_shape(a, *_padded(*more))
    ),
    "max_pool_with_indices": Rule(_max_pool, MIXED, lambda *arguments: (_pool_shape(*arguments),) * 2),
    "max_pool_with_mask": Rule(_max_pool_with_mask, MIXED, lambda *arguments: (_pool_shape(*arguments), ...)),
    "max_pool_backward": Rule(_max_pool_backward, EACH, _max_pool_indices_backward_shape),
    "max_pool_mask_backward": Rule(_max_pool_mask_backward, EACH, _max_pool_backward_shape),
    "mean_pool": Rule(_mean_pool, MIXED, _mean_pool_shape),
    "mean_pool_backward": Rule(_mean_pool_backward, MIXED, _mean_pool_backward_shape),
    "adaptive_pool": Rule(binned_means, MIXED, _adaptive_shape),
    "adaptive_pool_backward": Rule(binned_means_backward, MIXED, lambda gradient, a: a),
    "image_columns": Rule(_image_columns, EACH, _image_columns_shape),
}
