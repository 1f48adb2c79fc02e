"""Convolution, the columns of images, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ..entry import EACH, MIXED, Entry, Shape, TorchEntry
from ..pytorch import torch
from .pooling import pool_windows
from .windows import Windows, compare, margins, matched


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


def _uneven(padding: Sequence[int], rank: int, transposed: bool) -> tuple[Shape, tuple[int, ...]]:
    """The padding that both sides have, and the further padding of each side, as `torch.nn.functional.pad` takes it.

    PyTorch's convolution takes no sides that differ.
    """
    before, after = margins(padding, rank, transposed)
    both = tuple(max(min(pair), 0) for pair in zip(before, after, strict=True))
    rows = list(zip(before, after, both, strict=True))[::-1]
    return both, tuple(side for p, q, common in rows for side in (p - common, q - common))


def _convolution(
    a: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, more: Any, groups: int,
    mode: int,
) -> Any:  # fmt: skip
    shape = _convolution_shape(
        tuple(a.shape), tuple(weight.shape), None, stride, padding, dilation, transposed, more, groups, mode
    )
    if not (a.numel() and prod(shape)):
        return torch.zeros(shape, dtype=a.dtype)
    both, sides = _uneven(padding, a.ndim - 2, transposed)
    more = more if transposed else [0] * len(stride)  # CANN reads it of a transposed convolution only
    settings = (stride, both, dilation, transposed, more, groups)
    if not any(sides):
        return torch.convolution(a, weight, bias, *settings)
    if not transposed:
        return torch.convolution(torch.nn.functional.pad(a, sides), weight, bias, *settings)
    return torch.nn.functional.pad(torch.convolution(a, weight, bias, *settings), [-side for side in sides])


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
    if not gradient.numel():
        return torch.zeros_like(a), torch.zeros_like(weight), torch.zeros(gradient.shape[1], dtype=a.dtype)
    by_bias = torch.sum(gradient, (0, *range(2, a.ndim))) if mask[2] else None  # PyTorch's own adds in a plain loop
    both, sides = _uneven(padding, a.ndim - 2, transposed)
    if any(sides) and transposed:
        gradient = torch.nn.functional.pad(gradient, sides)
    elif any(sides):
        a = torch.nn.functional.pad(a, sides)
    more = more if transposed else [0] * len(stride)
    settings, needed = (stride, both, dilation, transposed, more, groups), [*list(mask)[:2], False]
    by_a, by_weight, _ = torch.ops.aten.convolution_backward(gradient, a, weight, None, *settings, needed)
    if any(sides) and not transposed and mask[0]:
        by_a = torch.nn.functional.pad(by_a, [-side for side in sides])
    return by_a, by_weight, by_bias


def _convolution_backward_shapes(gradient: Shape, a: Shape, weight: Shape, bias: Any, *rest: Any) -> Any:
    stride, padding, dilation, transposed, more, groups, _, mode = rest
    margins(padding, len(a) - 2, True)  # one number is enough for one dimension, while a convolution takes a pair
    expected = _convolution_shape(a, weight, None, stride, padding, dilation, transposed, more, groups, mode)
    compare(gradient, expected)
    return a, weight, expected[1:2]


def _image_columns(a: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    windows = pool_windows(2, a.shape, kernel, stride, padding, dilation)
    return torch.ops.aten.im2col(a, windows.kernel, windows.dilation, windows.before, windows.stride)


def _image_columns_shape(shape: Shape, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Shape:
    windows = pool_windows(2, shape, kernel, stride, padding, dilation)
    return (*shape[:-3], shape[-3] * prod(windows.kernel), prod(windows.counts))


RULES: dict[str, Entry] = {
    "convolution": TorchEntry(_convolution, MIXED, _convolution_shape),
    "convolution_backward": TorchEntry(_convolution_backward, MIXED, _convolution_backward_shapes),
    "image_columns": TorchEntry(_image_columns, EACH, _image_columns_shape),
}
