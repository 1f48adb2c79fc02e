"""Kernels of calls with a tensor that counts rows or assigns rows to groups. They read this tensor in every run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..arrays import numpy_array
from ..backends.kernel import BackendKernel, EmptyKernel
from ..base import first_use
from ..base.bounded_cache import BoundedCache
from ..base.computation import Computation
from ..base.dtypes import BY_NAME
from ..base.errors import InvalidArgument
from ..base.floating_point import default_environment
from ..base.loop import Loop, TensorMeta

Array = np.ndarray[Any, np.dtype[Any]]
Make = Callable[[Computation], BackendKernel]
_CAPACITY = 64  # the number of counts, or of sizes of boxes, whose kernels are cached

Box = tuple[tuple[int, int], ...]  # the first index and the size along each dimension


class RowCount(NamedTuple):
    """The tensor that counts the rows of a call."""

    meta: TensorMeta
    dimensions: int  # the number of dimensions of the loop over rows
    clears: bool


def boxes(sizes: tuple[int, ...], first: int, last: int) -> Iterator[Box]:
    """The positions from `first` to `last` - 1, in row-major order of an array with these sizes, as boxes."""
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
    """The boxes at one index of the first dimension."""
    before = index * prod(sizes[1:])
    for box in boxes(sizes[1:], first - before, last - before):
        yield ((index, 1), *box)


def narrowed(loop: Loop, box: Box) -> Loop:
    """The part of a loop in a box of its first dimensions."""
    sizes = (*(size for _, size in box), *loop.shape[len(box) :])
    starts = [start for start, _ in box]

    def moved(operands: tuple) -> tuple:  # type: ignore[type-arg]
        return tuple(
            o._replace(offset=o.offset + sum(n * step for n, step in zip(starts, o.strides, strict=False)))
            for o in operands
        )

    return Loop(sizes, moved(loop.outputs), moved(loop.inputs))


class CountedKernel:
    """A kernel that computes the first rows. It makes kernels for a number of rows when this number first occurs."""

    machine_code = None
    with_scalars = None
    with_size = None

    def __init__(self, computation: Computation, counts: RowCount, make: Make):
        self._computation, self._counts, self._make = computation, counts, make
        self._kernels = BoundedCache[int, list[BackendKernel]](_CAPACITY)

    def __str__(self) -> str:
        return "a kernel for each count of rows"

    def run(self, *addresses: int) -> None:
        """Compute the first rows. Their number is the sum of the last tensor."""
        *tensors, counter = addresses
        sizes = self._computation.loop.shape[: self._counts.dimensions]
        rows = prod(sizes)
        count = counted_rows(numpy_array(counter, self._counts.meta), rows)
        kernels = self._kernels.get(count)
        if kernels is None:
            kernels = self._make_kernels(sizes, count)
        for kernel in kernels:
            kernel.run(*tensors)
        if self._counts.clears:
            for box in boxes(sizes, count, rows):
                _clear(self._computation, box, tensors)

    def _make_kernels(self, sizes: tuple[int, ...], count: int) -> list[BackendKernel]:
        loops = [narrowed(self._computation.loop, box) for box in boxes(sizes, 0, count)]
        with first_use.lock, default_environment():
            kernels = [self._make(self._computation._replace(loop=loop)) for loop in loops]
        return self._kernels.keep(count, kernels)


def _clear(computation: Computation, box: Box, addresses: list[int]) -> None:
    """Write 0 to the outputs in a box. In float8_e8m0fnu, which has no 0, the byte 0 is the smallest number."""
    loop, rows = narrowed(computation.loop, box), computation.statistics
    for k, operand in enumerate(loop.outputs):
        dtype = BY_NAME["uint8"] if operand.dtype.kind == "float8" else operand.dtype
        shape = loop.shape
        if rows is not None and rows.output_statistics[k] >= 0:  # it has one number for each row, even for an empty row
            shape = (*shape[: len(shape) - rows.dims], *[1] * rows.dims)
        numpy_array(addresses[operand.tensor] + operand.offset, TensorMeta(dtype, shape, operand.strides))[...] = 0


def prepare(computation: Computation, counts: RowCount, make: Make) -> BackendKernel:
    """The kernel of a computation with a tensor that counts rows."""
    if computation.device != "cpu":
        fault = f"the tensor that counts rows is on {computation.device}"
        raise InvalidArgument(f"{fault}; it must be on the CPU; move all tensors with .cpu()")
    return EmptyKernel() if computation.is_empty else CountedKernel(computation, counts, make)


class RowGroups(NamedTuple):
    """The tensor that puts a call's rows into groups: it has the end of each group, or its number of rows."""

    name: str
    meta: TensorMeta
    are_counts: bool
    steps: Mapping[int, int]  # bytes from group to group of each tensor with a row for each group, by its number
    rest: Computation | None  # computes rows behind the last group without these tensors
    keeps: bool = False  # whether rows behind the last group keep their values. Otherwise, without `rest`, they raise
    clears: bool = False  # whether the rows that are kept become 0

    def ends(self, address: int, rows: int) -> list[int]:
        """The end of each group: the number of the first row behind it. Raises if a row belongs to no group.

        All rows are one group if no tensor has a row for each group and no rows are kept. Negative counts are 0.
        """
        if not self.steps and not self.keeps:
            return [rows]
        limited = group_ends(numpy_array(address, self.meta).tolist(), self.are_counts, rows)
        if rows and limited[-1] < rows and self.rest is None and not self.keeps:
            fault = f"{self.name} ends at row {limited[-1]}, but there are {rows} rows"
            raise InvalidArgument(f"{fault}; each row must be in a group; pass an end of {rows} for the last group")
        return limited


def counted_rows(counts: Array, rows: int) -> int:
    """The number of rows that a tensor counts, of `rows`."""
    return int(min(max(counts.sum(dtype=np.longdouble), 0), rows))  # a sum in INT64 may overflow


def group_ends(numbers: Iterable[int], are_counts: bool, rows: int) -> list[int]:
    """The end of each group, from ends or from counts. Ends never decrease and lie within the rows."""
    ends = accumulate(max(number, 0) for number in numbers) if are_counts else numbers
    return [min(max(end, 0), rows) for end in accumulate(ends, max)] or [0]


def ungrouped(meta: TensorMeta, groups: int) -> TensorMeta:
    """The part of a tensor that the first of the groups reads: one row, or one number.

    A tensor of one dimension has a number for each group, or it is the row of the only group.
    """
    if meta.shape == (groups,):
        return TensorMeta(meta.dtype, (1,), (0,))
    return meta if len(meta.shape) == 1 else TensorMeta(meta.dtype, meta.shape[1:], meta.strides[1:])


class GroupedKernel:
    """The kernels of a call's groups. Each size of a box of rows has one, which its first use makes."""

    machine_code = None
    with_scalars = None
    with_size = None

    def __init__(self, computation: Computation, groups: RowGroups, make: Make):
        self._computation, self._groups, self._make = computation, groups, make
        self._kernels = BoundedCache[tuple[Computation, tuple[int, ...]], BackendKernel](_CAPACITY)
        loop = computation.loop
        self._strides = {o.tensor: o.strides for o in (*loop.outputs, *loop.inputs)}

    def __str__(self) -> str:
        return "a kernel for each number of rows in a group"

    def run(self, *addresses: int) -> None:
        """Compute the rows of each group."""
        *tensors, index = addresses
        assert self._computation.statistics is not None, "groups are of rows"
        sizes = self._computation.loop.shape[: -self._computation.statistics.dims]
        ends = self._groups.ends(index, prod(sizes))
        for group, (first, last) in enumerate(zip([0, *ends], ends, strict=False)):
            self._compute(self._computation, boxes(sizes, first, last), group, dict(enumerate(tensors)))
        if self._groups.rest is not None:
            tensors_of_rest = {n: address for n, address in enumerate(tensors) if n not in self._groups.steps}
            self._compute(self._groups.rest, boxes(sizes, ends[-1], prod(sizes)), 0, tensors_of_rest)
        if self._groups.clears:
            for box in boxes(sizes, ends[-1], prod(sizes)):
                _clear(self._computation, box, tensors)

    def _compute(self, computation: Computation, pieces: Iterable[Box], group: int, addresses: dict[int, int]) -> None:
        """Compute some boxes of rows that belong to one group."""
        for box in pieces:
            kernel = self._kernel(computation, tuple([count for _, count in box]))
            starts = [start for start, _ in box]
            kernel.run(*[address + self._offset(n, group, starts) for n, address in addresses.items()])

    def _offset(self, tensor: int, group: int, starts: list[int]) -> int:
        """Bytes from a tensor's first element to the first element of a box in a group."""
        steps = zip(starts, self._strides[tensor], strict=False)
        return group * self._groups.steps.get(tensor, 0) + sum(start * step for start, step in steps)

    def _kernel(self, computation: Computation, sizes: tuple[int, ...]) -> BackendKernel:
        kernel = self._kernels.get((computation, sizes))
        if kernel is None:
            loop = computation.loop
            shape = (*sizes, *loop.shape[len(sizes) :])
            with first_use.lock, default_environment():
                kernel = self._make(computation._replace(loop=Loop(shape, loop.outputs, loop.inputs)))
            self._kernels.keep((computation, sizes), kernel)
        return kernel


def prepare_groups(computation: Computation, groups: RowGroups, make: Make) -> BackendKernel:
    """The kernel of a computation with a tensor that assigns rows to groups."""
    if computation.device != "cpu":
        fault = f"{groups.name} is on {computation.device}"
        raise InvalidArgument(f"{fault}; it must be on the CPU; move all tensors with .cpu()")
    return EmptyKernel() if computation.is_empty else GroupedKernel(computation, groups, make)
