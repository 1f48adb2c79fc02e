"""Pooling over the last two or three dimensions, and its gradients. `rank` is the number of these dimensions."""

from __future__ import annotations

from functools import partial
from math import inf, prod
from typing import Any

from ..entry import EACH, MIXED, Entry, Shape, TorchEntry
from ..indices import indices_within
from ..pytorch import torch, wide_enough
from .windows import Windows, compare, matched, spread


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


def _shape(
    rank: int, shape: Shape, kernel: Any, stride: Any, padding: Any, dilation: Any = (1,), rounds_up: bool = False,
    end: Any = (),
) -> Shape:  # fmt: skip
    windows = pool_windows(rank, shape, kernel, stride, padding, dilation, rounds_up, end)
    for p, q, k in zip(windows.before, end or windows.before, windows.kernel, strict=True):
        if min(p, q) < 0 or p + q > k or max(p, q) >= k:
            fault = f"padding is {(*windows.before, *end)}, kernelSize is {windows.kernel}"
            expected = "padding must be at most half of kernelSize, or two sides together at most kernelSize"
            raise ValueError(f"{fault}; {expected}, and a window must have an element; change one of them")
    return (*shape[:-rank], *windows.counts)


def _max_pool(rank: int, a: Any, *settings: Any) -> tuple[Any, Any]:
    """The largest element of each window, and its position in the plane. The padding is never the largest.

    The last NaN counts, or the first of equal numbers.
    """
    windows = pool_windows(rank, a.shape, *settings)
    rounds_up = settings[4] if len(settings) > 4 else False
    function = getattr(torch.ops.aten, f"max_pool{rank}d_with_indices")
    return function(a, windows.kernel, windows.stride, windows.before, windows.dilation, rounds_up)


def _max_pool_uneven(a: Any, kernel: Any, stride: Any, before: Any, dilation: Any, rounds_up: bool, end: Any) -> Any:
    """The largest element of each window. The padding may be larger at the end."""
    windows = pool_windows(2, a.shape, kernel, stride, before, dilation, rounds_up, end)
    (top, left), (bottom, right) = windows.before, end or windows.before
    padded = torch.nn.functional.pad(a, (left, right, top, bottom), value=-inf)
    values, _ = _max_pool(2, padded, windows.kernel, windows.stride, (0,), (1,), rounds_up)
    return values[..., : windows.counts[0], : windows.counts[1]]


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
    if not (a.numel() and gradient.numel()):  # hardware computes nothing in this case
        return None
    planes = prod(a.shape[:-rank])
    dtype = torch.float64 if a.dtype == torch.float64 else torch.float32
    result = wide_enough(torch.zeros((planes, prod(a.shape[-rank:])), dtype=dtype), prod(gradient.shape[-rank:]))
    index = indices_within(positions.reshape(planes, -1), result.shape[1])
    return torch.scatter_add(result, 1, index, gradient.reshape(planes, -1).to(result.dtype)).reshape(a.shape)


def _max_pool_mask_backward(gradient: Any, a: Any, mask: Any, *settings: Any) -> Any:
    return _to_largest(2, gradient, a, _max_pool(2, a if a.dtype == torch.float64 else a.float(), *settings)[1])


def _max_pool_backward_shape(rank: int, gradient: Shape, a: Shape, positions: Shape, *settings: Any) -> Shape:
    compare(gradient, _shape(rank, a, *settings))
    return a


def _max_pool_indices_backward_shape(rank: int, gradient: Shape, a: Shape, positions: Shape, *settings: Any) -> Shape:
    compare(positions, gradient, "indices")
    return _max_pool_backward_shape(rank, gradient, a, positions, *settings)


def _mean_pool(
    rank: int, a: Any, kernel: Any, stride: Any, padding: Any, rounds_up: bool, includes_padding: bool, divisor: int,
    *mode: int,
) -> Any:  # fmt: skip
    windows = pool_windows(rank, a.shape, kernel, stride, padding, (1,), rounds_up)
    function = getattr(torch.ops.aten, f"avg_pool{rank}d")
    settings = (windows.kernel, windows.stride, windows.before, rounds_up, includes_padding, divisor or None)
    return function(wide_enough(a, prod(windows.kernel)), *settings)


def _mean_pool_backward(
    rank: int, gradient: Any, a: Any, kernel: Any, stride: Any, padding: Any, rounds_up: bool, includes_padding: bool,
    divisor: int, *mode: int,
) -> Any:  # fmt: skip
    if not (a.numel() and gradient.numel()):  # hardware computes nothing in this case
        return None
    windows = pool_windows(rank, a.shape, kernel, stride, padding, (1,), rounds_up)
    function = getattr(torch.ops.aten, f"avg_pool{rank}d_backward")
    settings = (windows.kernel, windows.stride, windows.before, rounds_up, includes_padding, divisor or None)
    terms = prod(windows.kernel)
    return function(wide_enough(gradient, terms), wide_enough(a, terms), *settings)


def _mean_pool_backward_shape(rank: int, gradient: Shape, a: Shape, *settings: Any) -> Shape:
    if prod(gradient) and prod(a):
        compare(gradient, _mean_pool_shape(rank, a, *settings))
    return a


def _mean_pool_shape(rank: int, a: Shape, kernel: Any, stride: Any, padding: Any, rounds_up: bool, *_: Any) -> Shape:
    return _shape(rank, a, kernel, stride, padding, (1,), rounds_up)


def _adaptive_shape(rank: int, shape: Shape, sizes: Any) -> Shape:
    matched(outputSize=(sizes, rank))
    return (*shape[:-rank], *sizes)


def _adaptive_mean(rank: int, a: Any, sizes: Any) -> Any:
    if not a.numel():  # hardware computes nothing in this case
        return None
    a = wide_enough(a, prod(a.shape[-rank:]) // max(prod(sizes), 1))
    return getattr(torch.ops.aten, f"_adaptive_avg_pool{rank}d")(a, tuple(sizes))


def _adaptive_mean_backward(rank: int, gradient: Any, a: Any) -> Any:
    if not (a.numel() and gradient.numel()):  # hardware computes nothing in this case
        return None
    terms = prod(gradient.shape[-rank:]) // prod(a.shape[-rank:])
    function = getattr(torch.ops.aten, f"_adaptive_avg_pool{rank}d_backward")
    return function(wide_enough(gradient, terms), wide_enough(a, terms))


def _adaptive_max(rank: int, a: Any, sizes: Any) -> Any:
    """The largest element of each bin, and its position in the plane."""
    if not a.numel():  # hardware computes nothing in this case
        return None, None
    return getattr(torch.ops.aten, f"adaptive_max_pool{rank}d")(a, tuple(sizes))


def _adaptive_backward_shape(rank: int, gradient: Shape, a: Shape, *indices: Shape) -> Shape:
    for positions in indices:
        compare(positions, gradient, "indices")
    compare(gradient, (*a[:-rank], *gradient[-rank:]))
    return a


def _rules(rank: int) -> dict[str, Entry]:
    """The rules of pooling over `rank` dimensions."""

    def of(function: Any) -> Any:
        return partial(function, rank)

    def twice(shape: Any) -> Any:
        return lambda *arguments: (shape(rank, *arguments),) * 2

    return {
        f"max_pool_{rank}d_with_indices": TorchEntry(of(_max_pool), MIXED, twice(_shape)),
        f"max_pool_{rank}d_backward": TorchEntry(of(_to_largest), EACH, of(_max_pool_indices_backward_shape)),
        f"mean_pool_{rank}d": TorchEntry(of(_mean_pool), MIXED, of(_mean_pool_shape)),
        f"mean_pool_{rank}d_backward": TorchEntry(of(_mean_pool_backward), MIXED, of(_mean_pool_backward_shape)),
        f"adaptive_mean_{rank}d": TorchEntry(of(_adaptive_mean), MIXED, of(_adaptive_shape)),
        f"adaptive_mean_{rank}d_backward": TorchEntry(of(_adaptive_mean_backward), MIXED, of(_adaptive_backward_shape)),
        f"adaptive_max_{rank}d": TorchEntry(of(_adaptive_max), MIXED, twice(_adaptive_shape)),
        f"adaptive_max_{rank}d_backward": TorchEntry(of(_to_largest), EACH, of(_adaptive_backward_shape)),
    }


RULES: dict[str, Entry] = {
    **_rules(2),
    **_rules(3),
    "max_pool": TorchEntry(
        lambda a, *more: _max_pool_uneven(a, *_padded(*more)), MIXED, lambda a, *more: _shape(2, a, *_padded(*more))
    ),
    "max_pool_with_mask": TorchEntry(_max_pool_with_mask, MIXED, lambda *arguments: (_shape(2, *arguments), ...)),
    "max_pool_mask_backward": TorchEntry(_max_pool_mask_backward, EACH, partial(_max_pool_backward_shape, 2)),
}
