"""Kernels of calls that compute as many rows as a tensor counts, which they read whenever they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from ..arrays import numpy_array
from ..backends.kernel import EmptyKernel, Kernel
from ..base import first_use
from ..base.bounded_cache import BoundedCache
from ..base.computation import Computation
from ..base.errors import InvalidArgument
from ..base.floating_point import default_environment
from ..base.loop import Loop, TensorMeta

Make = Callable[[Computation], Kernel]
_CAPACITY = 64  # counts whose kernels are cached

Box = tuple[tuple[int, int], ...]  # the first place and the number of places of each dimension


class RowCount(NamedTuple):
    """The tensor that counts the rows of a call."""

    meta: TensorMeta
    dimensions: int  # the number of dimensions of the loop over rows
    clears: bool


def boxes(sizes: tuple[int, ...], first: int, last: int) -> Iterator[Box]:
    """The places from `first` up to `last` of dimensions, counted in their order, as boxes."""
    if first >= last:
        return
    if not sizes:
        yield ()
        return
    inner = prod(sizes[1:])
    start, end = -(-first // inner), last // inner
    if start > end:
        yield from _within(sizes, end, first, last)
        return
    yield from _within(sizes, start - 1, first, start * inner)
    if start < end:
        yield ((start, end - start), *((0, n) for n in sizes[1:]))
    yield from _within(sizes, end, end * inner, last)


def _within(sizes: tuple[int, ...], index: int, first: int, last: int) -> Iterator[Box]:
    """The boxes that lie at one place of the first dimension."""
    before = index * prod(sizes[1:])
    for box in boxes(sizes[1:], first - before, last - before):
        yield ((index, 1), *box)


def narrowed(loop: Loop, box: Box) -> Loop:
    """The part of a loop that lies in a box of its first dimensions."""
    sizes = (*(size for _, size in box), *loop.shape[len(box) :])
    starts = [start for start, _ in box]

    def moved(operands: tuple) -> tuple:  # type: ignore[type-arg]
        return tuple(
            replace(o, offset=o.offset + sum(n * step for n, step in zip(starts, o.strides, strict=False)))
            for o in operands
        )

    return Loop(sizes, moved(loop.outputs), moved(loop.inputs))


class CountedKernel:
    """The kernels of the first rows, one for each box that they fill, made when a count is first met."""

    machine_code = None
    with_scalars = None
    with_size = None

    def __init__(self, computation: Computation, counts: RowCount, make: Make):
        self._computation, self._counts, self._make = computation, counts, make
        self._kernels = BoundedCache[int, list[Kernel]](_CAPACITY)

    def __str__(self) -> str:
        return "a kernel for each count of rows"

    def run(self, *addresses: int) -> None:
        """Compute as many rows as the last tensor counts."""
        *tensors, counter = addresses
        sizes = self._computation.loop.shape[: self._counts.dimensions]
        rows = prod(sizes)
        counted = numpy_array(counter, self._counts.meta).sum(dtype=np.longdouble)  # in INT64 a sum may wrap around
        count = int(min(max(counted, 0), rows))
        kernels = self._kernels.get(count)
        if kernels is None:
            kernels = self._made(sizes, count)
        for kernel in kernels:
            kernel.run(*tensors)
        if self._counts.clears:
            for box in boxes(sizes, count, rows):
                _clear(narrowed(self._computation.loop, box), tensors)

    def _made(self, sizes: tuple[int, ...], count: int) -> list[Kernel]:
        loops = [narrowed(self._computation.loop, box) for box in boxes(sizes, 0, count)]
        with first_use.lock, default_environment():
            kernels = [self._make(replace(self._computation, loop=loop)) for loop in loops]
        return self._kernels.keep(count, kernels)


def _clear(loop: Loop, addresses: list[int]) -> None:
    """Write 0 to the outputs of a loop."""
    for operand in loop.outputs:
        meta = TensorMeta(operand.dtype, loop.shape, operand.strides)
        numpy_array(addresses[operand.tensor] + operand.offset, meta)[...] = 0


def prepare(computation: Computation, counts: RowCount, make: Make) -> Kernel:
    """The kernel of a computation whose rows are counted."""
    if computation.device != "cpu":
        fault = f"the tensor that counts rows is on {computation.device}"
        raise InvalidArgument(f"{fault}; it must be on the CPU; move all tensors with .cpu()")
    return CountedKernel(computation, counts, make) if computation.loop.size else EmptyKernel()
