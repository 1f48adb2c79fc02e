"""A loop: the elements that a kernel visits, and where each operand's element lies in memory.

This module computes only with shapes and strides, never with data. Strides and offsets are in bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from .dtypes import Dtype

Shape = tuple[int, ...]


class UnknownSize(int):
    """A size that a graph does not know yet. It equals every size, so rules on shapes accept it.

    A product with an unknown size is unknown, or 0 if a factor is 0. bool() of an unknown size is True.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __ge__ = __le__ = __eq__
    __gt__ = __lt__ = __ne__
    __hash__ = int.__hash__

    def __mul__(self, other: int) -> int:
        return other and self  # 0 times any size is 0

    __rmul__ = __floordiv__ = __mul__

    def __mod__(self, other: int) -> int:
        return 0


UNKNOWN = UnknownSize(-1)
#: The shape of unknown rank. Compare with `is`, because `==` on a traced shape makes a guard on its sizes.
UNKNOWN_RANK: Shape = (-2,)


def first_known(sizes: tuple[int, ...]) -> int:
    """The first size that is known, or UNKNOWN."""
    return next((size for size in sizes if size is not UNKNOWN), UNKNOWN)


class TensorMeta(NamedTuple):
    """A tensor without its data: dtype, shape, strides."""

    dtype: Dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # bytes

    @property
    def size(self) -> int:
        return prod(self.shape)


def extent(meta: TensorMeta) -> tuple[int, int]:
    """The range of a tensor's bytes, counted from its address: the first byte, and the byte after the last."""
    low = high = 0
    if 0 in meta.shape:
        return low, high
    for n, stride in zip(meta.shape, meta.strides, strict=True):
        reach = (n - 1) * stride
        low, high = low + min(reach, 0), high + max(reach, 0)
    return low, high + meta.dtype.itemsize


def same_layout(a: TensorMeta, b: TensorMeta) -> bool:
    """Whether two tensors at the same address have the same elements in the same order."""

    def walk(meta: TensorMeta) -> list[tuple[int, int]]:
        return [(n, s) for n, s in zip(meta.shape, meta.strides, strict=True) if n != 1]

    return a.dtype.itemsize == b.dtype.itemsize and walk(a) == walk(b)


class Operand(NamedTuple):
    """One input or output of a loop."""

    tensor: int  # the index of the tensor among the call's outputs and then inputs
    dtype: Dtype
    offset: int  # bytes from the tensor's address
    strides: tuple[int, ...]  # bytes, for each dimension of the loop


class Loop(NamedTuple):
    """An iteration space and its operands."""

    shape: tuple[int, ...]
    outputs: tuple[Operand, ...]
    inputs: tuple[Operand, ...]

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.outputs + self.inputs

    def positions(self, tensor: int) -> frozenset[tuple[int, tuple[int, ...]]]:
        """The offset and the strides of each part of a tensor. A stride is 0 along a dimension of size 1."""
        parts = [operand for operand in self.operands if operand.tensor == tensor]
        return frozenset(
            (part.offset, tuple(0 if n == 1 else stride for n, stride in zip(self.shape, part.strides, strict=True)))
            for part in parts
        )

    def __str__(self) -> str:
        dtypes = ", ".join(o.dtype.name for o in self.inputs), ", ".join(o.dtype.name for o in self.outputs)
        return f"{' x '.join(map(str, self.shape)) or 'scalar'}, {dtypes[0]} -> {dtypes[1]}"

    def coalesced(self) -> Loop:
        """The same elements in as few dimensions as possible. Dimensions with small strides of the output come last."""
        if self.size > 1 and all(o.strides == row_major(self.shape, o.dtype.itemsize) for o in self.operands):
            return self._flat()  # a shortcut with the same result
        dimensions = [d for d, n in enumerate(self.shape) if n != 1]
        loop = self.reordered(dimensions)._ascending()
        order = sorted(range(len(loop.shape)), key=lambda d: [-abs(o.strides[d]) for o in loop.operands])
        return loop.reordered(order)._merged()

    def _flat(self) -> Loop:
        """The loop with one dimension. Every operand must be contiguous."""

        def flat(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
            return tuple([Operand(o.tensor, o.dtype, o.offset, (o.dtype.itemsize,)) for o in operands])

        return Loop((self.size,), flat(self.outputs), flat(self.inputs))

    def resized(self, shape: Shape) -> Loop:
        """A loop over the same operands with another shape. All operands must be contiguous."""
        strides = {itemsize: row_major(shape, itemsize) for itemsize in {o.dtype.itemsize for o in self.operands}}

        def resize(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
            return tuple([Operand(o.tensor, o.dtype, 0, strides[o.dtype.itemsize]) for o in operands])

        return Loop(shape, resize(self.outputs), resize(self.inputs))

    def reordered(self, dimensions: Sequence[int]) -> Loop:
        """The loop over `dimensions` only, in that order. The other dimensions must have one element."""

        def pick(operand: Operand) -> Operand:
            strides = tuple([operand.strides[d] for d in dimensions])
            return Operand(operand.tensor, operand.dtype, operand.offset, strides)

        shape = tuple(self.shape[d] for d in dimensions)
        return Loop(shape, tuple(map(pick, self.outputs)), tuple(map(pick, self.inputs)))

    def _ascending(self) -> Loop:
        """The same elements, with each dimension reversed along which all operands have strides of at most 0."""
        back = [
            d for d in range(len(self.shape))
            if all(o.strides[d] <= 0 for o in self.operands) and any(o.strides[d] < 0 for o in self.operands)
        ]  # fmt: skip
        if not back:
            return self

        def turn(operand: Operand) -> Operand:
            offset = operand.offset + sum(operand.strides[d] * (self.shape[d] - 1) for d in back)
            strides = tuple(-s if d in back else s for d, s in enumerate(operand.strides))
            return operand._replace(offset=offset, strides=strides)

        return Loop(self.shape, tuple(map(turn, self.outputs)), tuple(map(turn, self.inputs)))

    def _merged(self) -> Loop:
        """The same elements, with neighbouring dimensions merged if they are contiguous in every operand."""
        groups: list[list[int]] = []
        for d in range(len(self.shape)):
            if groups and all(o.strides[groups[-1][-1]] == o.strides[d] * self.shape[d] for o in self.operands):
                groups[-1].append(d)
            else:
                groups.append([d])
        inner = self.reordered([group[-1] for group in groups])
        return inner._replace(shape=tuple([prod([self.shape[d] for d in group]) for group in groups]))


def are_flat(metas: Sequence[TensorMeta | None]) -> bool:
    """Whether all tensors that are not None are contiguous, and have the same shape with at least 2 elements."""
    first = metas[0]
    if first is None or first.size < 2:
        return False
    shape, strides = first.shape, {first.dtype.itemsize: row_major(first.shape, first.dtype.itemsize)}
    for meta in metas:
        if meta is None:
            continue
        itemsize = meta.dtype.itemsize
        if itemsize not in strides:
            strides[itemsize] = row_major(shape, itemsize)
        if meta.shape != shape or meta.strides != strides[itemsize]:
            return False
    return True


def broadcast_shapes(*shapes: Shape) -> Shape | None:
    """The common shape of these shapes after broadcasting, or None if there is none."""
    rank = max(map(len, shapes))
    joined = []
    for m, *further_sizes in zip(*[(1,) * (rank - len(shape)) + shape for shape in shapes], strict=True):
        for n in further_sizes:
            if m != n and 1 not in (m, n):
                return None
            if m is UNKNOWN:  # if n is 1, the result is UNKNOWN. Otherwise the result is n
                m, n = n, m
            m = n if m == 1 else m
        joined.append(m)
    return tuple(joined)


def dense_strides(shape: tuple[int, ...], orders: Sequence[tuple[int, ...]], itemsize: int) -> tuple[int, ...]:
    """Strides of a dense tensor with dimensions in the order of these strides, as in PyTorch's elementwise functions.

    For two dimensions, the first strides decide that differ and are not 0. If strides are equal, a larger dimension
    goes outside. This comparison is not transitive, so the sort must be PyTorch's.
    """
    inner_first = list(reversed(range(len(shape))))
    for number in range(1, len(shape)):
        place = number
        for before in reversed(range(number)):
            is_inner = _is_inner(inner_first[place], inner_first[before], shape, orders)
            if is_inner:
                inner_first[place], inner_first[before] = inner_first[before], inner_first[place]
                place = before
            elif is_inner is not None:
                break
    strides = [0] * len(shape)
    step, last = itemsize, 1
    for d in inner_first:
        step *= max(last, 1)  # never with the size of the outermost dimension, which a tracer may not know
        strides[d], last = step, shape[d]
    return tuple(strides)


def _is_inner(d: int, other: int, shape: tuple[int, ...], orders: Sequence[tuple[int, ...]]) -> bool | None:
    """Whether dimension `d` of a dense tensor lies inside the other dimension. None if the strides do not tell."""
    for order in orders:
        a, b = abs(order[d]), abs(order[other])
        if not a or not b:
            continue
        if a != b:
            return a < b
        if shape[other] > shape[d]:
            return True
    return None


def with_ones(meta: TensorMeta, dims: Sequence[int]) -> TensorMeta:
    """A tensor with additional dimensions of size 1 at the positions `dims`."""
    sizes, strides = list(meta.shape), list(meta.strides)
    for d in sorted(dims):
        sizes.insert(d, 1)
        strides.insert(d, 0)
    return TensorMeta(meta.dtype, tuple(sizes), tuple(strides))


def row_major(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The strides of a contiguous tensor."""
    strides, step, last = [], itemsize, 1
    for n in reversed(shape):
        step *= max(last, 1)  # see dense_strides
        strides.append(step)
        last = n
    return tuple(reversed(strides))
