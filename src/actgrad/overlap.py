"""Whether views share memory: an output may be exactly an input, but may not half overlap one, nor itself."""

from __future__ import annotations

from math import prod

import numpy as np

from .arrays import View, numpy_array
from .loop import Meta

_ENUMERABLE = 1 << 24  # elements of an output whose addresses are compared one by one


def bounds(view: View) -> tuple[int, int]:
    """The first byte of a view's elements and the one after the last."""
    low = high = view.address
    for n, stride in zip(view.meta.shape, view.meta.strides, strict=True):
        reach = (n - 1) * stride
        low, high = low + min(reach, 0), high + max(reach, 0)
    return low, high + view.meta.dtype.itemsize


def same_view(a: View, b: View) -> bool:
    """Whether `a` and `b` are the same elements in the same order."""
    return a.address == b.address and _walk(a.meta) == _walk(b.meta)


def partly_overlap(a: View, b: View) -> bool:
    """Whether `a` and `b` share memory without being the same view."""
    if a.device != b.device or 0 in a.meta.shape or 0 in b.meta.shape:
        return False
    (a_low, a_high), (b_low, b_high) = bounds(a), bounds(b)
    if a_high <= b_low or b_high <= a_low:
        return False
    if same_view(a, b):
        return False
    return bool(np.shares_memory(numpy_array(a.address, a.meta), numpy_array(b.address, b.meta)))


def overlaps_itself(meta: Meta) -> bool:
    """Whether two elements of a tensor lie on the same byte."""
    if 0 in meta.shape:
        return False
    steps = sorted((abs(s), n) for n, s in zip(meta.shape, meta.strides, strict=True) if n > 1)
    reach = meta.dtype.itemsize
    for k, (stride, n) in enumerate(steps):
        if stride < reach:  # dimensions interlock: rare, and told only by the addresses themselves
            return _elements_collide(meta, steps[: k + 1]) or (k + 1 < len(steps) and _elements_collide(meta, steps))
        reach += stride * (n - 1)
    return False


def _elements_collide(meta: Meta, steps: list[tuple[int, int]]) -> bool:
    if any(stride == 0 for stride, _ in steps):
        return True
    if prod(n for _, n in steps) > _ENUMERABLE:
        return True  # too many to tell; refusing is the safe answer
    offsets = np.zeros(1, np.int64)
    for stride, n in steps:
        offsets = np.add.outer(offsets, stride * np.arange(n, dtype=np.int64)).ravel()
    offsets.sort()
    return bool((np.diff(offsets) < meta.dtype.itemsize).any())


def _walk(meta: Meta) -> tuple[object, ...]:
    """What two views must agree in to be the same, apart from their address."""
    return meta.dtype.itemsize, meta.shape, tuple(s for n, s in zip(meta.shape, meta.strides, strict=True) if n > 1)
