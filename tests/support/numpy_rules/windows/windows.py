"""Windows over the last dimensions of an array (batch, channels, ...), for convolution and pooling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from actgrad.ascend.network.entry import Shape
from actgrad.base.errors import quantity


def spatial(key: Sequence[Any]) -> Any:
    """An index of the last dimensions."""
    return (..., *key)


@dataclass(frozen=True)
class Windows:
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
        covered[spatial(area)] = a[spatial(inside)]
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
            covered[spatial(area)] += parts[spatial(position)]
        result = np.zeros((*parts.shape[:2], *sizes), parts.dtype)
        inside, area = self._cut(sizes)
        result[spatial(inside)] = covered[spatial(area)]
        return result


def spread(values: Sequence[int], rank: int) -> Shape:
    """A number for each dimension. A single number is repeated."""
    return tuple(values) * (rank if len(values) == 1 else 1)


def margins(padding: Sequence[int], rank: int, transposed: bool = False) -> tuple[Shape, Shape]:
    """The elements before and after each dimension, from one number for both, or from (top, bottom, left, right)."""
    takes_pairs = rank == 2 or (rank == 1 and not transposed)
    if len(padding) not in (rank, 2 * rank if takes_pairs else rank):
        lengths = f"{rank} or {2 * rank} numbers" if takes_pairs else quantity(rank, "number")
        raise ValueError(f"padding is {tuple(padding)}; it must have {lengths}; change padding")
    is_paired = len(padding) == 2 * rank
    return tuple(padding[:: 2 if is_paired else 1]), tuple(padding[1::2] if is_paired else padding)


def matched(**lists: tuple[Sequence[int], int]) -> None:
    for name, (values, rank) in lists.items():
        if len(values) != rank:
            fault = f"{name} has {quantity(len(values), 'number')}, but the windows have {rank} dimensions"
            raise ValueError(f"{fault}; it must have a number for each; change {name}")
