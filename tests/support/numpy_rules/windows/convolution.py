"""Convolution, the columns of images, and their gradients: products of matrices, and sums over windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from actgrad.ascend.network.entry import Shape

from ..matmul import product
from .pooling import each_window, places
from .windows import Windows, margins, matched


def _convolution_windows(
    sizes: Shape, kernel: Shape, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]
) -> Windows:
    """The windows of a convolution over an array of these sizes."""
    rank = len(sizes)
    matched(stride=(stride, rank), dilation=(dilation, rank))
    before, after = margins(padding, rank)
    rows = zip(sizes, kernel, stride, before, after, dilation, strict=True)
    counts = tuple((n + p + q - d * (k - 1) - 1) // s + 1 for n, k, s, p, q, d in rows)
    return Windows(tuple(kernel), tuple(stride), tuple(dilation), before, counts)


def _rows(a: Any, groups: int) -> Any:
    """An array (batch, channels, ...) as a matrix for each group of channels: a row for each batch and position."""
    a = a.reshape(a.shape[0], groups, -1, prod(a.shape[2:]))
    return a.transpose(1, 0, 3, 2).reshape(groups, -1, a.shape[2])


def _array(rows: Any, batch: int, sizes: Shape) -> Any:
    """The inverse of `_rows`."""
    a = rows.reshape(len(rows), batch, -1, rows.shape[-1]).transpose(1, 0, 3, 2)
    return a.reshape(batch, -1, *sizes)


def _columns(a: Any, windows: Windows, groups: int) -> Any:
    """A matrix for each group of channels: a row for each window, a column for each element of a window."""
    rank, parts = len(windows.kernel), windows.of(a)
    parts = parts.reshape(len(a), groups, -1, *parts.shape[2:])
    order = (1, 0, *range(3, 3 + rank), 2, *range(3 + rank, 3 + 2 * rank))
    return parts.transpose(order).reshape(groups, len(a) * prod(windows.counts), -1)


def _weights(weight: Any, groups: int) -> Any:
    """A matrix for each group of channels: a row for each of the group's outputs."""
    return weight.reshape(groups, len(weight) // groups, -1)


def _convolved(a: Any, weight: Any, windows: Windows, groups: int) -> Any:
    rows = product(_columns(a, windows, groups), _weights(weight, groups).transpose(0, 2, 1))
    return _array(rows, len(a), windows.counts)


def _by_input(gradient: Any, weight: Any, windows: Windows, groups: int, sizes: Shape) -> Any:
    """The gradient of `_convolved` with respect to its input, which also computes the transposed convolution."""
    rank, batch = len(sizes), len(gradient)
    parts = product(_rows(gradient, groups), _weights(weight, groups))
    parts = parts.reshape(groups, batch, *windows.counts, -1, *windows.kernel)
    order = (1, 0, 2 + rank, *range(2, 2 + rank), *range(3 + rank, 3 + 2 * rank))
    return windows.sums(parts.transpose(order).reshape(batch, -1, *windows.counts, *windows.kernel), sizes)


def _by_weight(a: Any, gradient: Any, windows: Windows, groups: int, shape: Shape) -> Any:
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
    matched(stride=(stride, rank), dilation=(dilation, rank), outputPadding=(more, rank))
    before, after = margins(padding, rank, transposed)
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


def _image_columns(a: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """A column for each window: its elements by channel, row and column. Those in the padding are 0."""
    windows = places(2, a.shape, kernel, stride, padding, dilation)
    images = a.reshape(-1, *a.shape[-3:])
    columns = []
    for _, window in each_window(windows):
        part = np.zeros((*images.shape[:2], *map(len, window)), a.dtype)
        for step in np.ndindex(*map(len, window)):
            place = tuple(row[k] for row, k in zip(window, step, strict=True))
            if all(0 <= x < n for x, n in zip(place, a.shape[-2:], strict=True)):
                part[(..., *step)] = images[(..., *place)]
        columns.append(part.reshape(len(images), -1))
    result = np.stack(columns, -1)
    return result.reshape(*a.shape[:-3], *result.shape[1:])


RULES: dict[str, Callable[..., Any]] = {
    "convolution": _convolution,
    "convolution_backward": _convolution_backward,
    "image_columns": _image_columns,
}
