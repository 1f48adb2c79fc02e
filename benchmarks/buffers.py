"""Tensors of an operator in a layout, filled with random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt, prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import subject

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]
Index = tuple[Array, ...]  # numbers of elements, per dimension

ALIGNMENT = 64  # bytes, as PyTorch allocates
ROW = 2048  # elements; the default length of a gated tensor's rows, both halves together
POOL = 262_147  # random numbers, repeated over a tensor; a prime, so that rows of any length differ
SAMPLE = 2048  # elements looked at, at either end and in between


@dataclass(frozen=True)
class Tensors:
    """The inputs and outputs of one call: NumPy's arrays, or tensors of a GPU."""

    inputs: tuple[Any, ...]  # in the schema's order, None for an optional one left out
    outputs: tuple[Any, ...]

    @property
    def out(self) -> Any:
        """The outputs as the operator's `out` takes them."""
        return self.outputs if len(self.outputs) > 1 else self.outputs[0]


class Pool:
    """Random numbers to fill tensors with, normal around 0 with this standard deviation, or integers."""

    def __init__(self, dtype: np.dtype[Any], seed: int = 0, deviation: float = 1.0):
        random = np.random.default_rng(seed)
        if dtype.kind in "iu":
            self.main = self.others = random.integers(-100, 100, POOL).astype(dtype)
        else:
            scale = np.float32(deviation)
            self.others = (scale * random.standard_normal(POOL, np.float32)).astype(dtype)
            self.main = (scale * random.standard_normal(POOL, np.float32)).astype(dtype)


def room(shape: Shape, values: Array) -> Array:
    """A contiguous array of aligned memory, filled."""
    size = prod(shape) * values.itemsize
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    array: Array = memory[start : start + size].view(values.dtype)
    for first in range(0, array.size, values.size):
        part = array[first : first + values.size]
        part[...] = values[: part.size]
    return array.reshape(shape)


def _contiguous(shape: Shape, values: Array, role: str) -> Array:
    return room(shape, values)


def _transposed(shape: Shape, values: Array, role: str) -> Array:
    return room(shape[::-1], values).T


def _chunk(shape: Shape, values: Array, role: str) -> Array:
    return room((*shape[:-1], 2 * shape[-1]), values)[..., shape[-1] :]


def _one_transposed(shape: Shape, values: Array, role: str) -> Array:
    return (_transposed if role == "main" else _contiguous)(shape, values, role)


def _row_slice(shape: Shape, values: Array, role: str) -> Array:
    return room((shape[0] + 2, *shape[1:]), values)[1:-1]


def _step_2(shape: Shape, values: Array, role: str) -> Array:
    return room((*shape[:-1], 2 * shape[-1]), values)[..., ::2]


def _stride_0(shape: Shape, values: Array, role: str) -> Array:
    if role != "expanded":
        return room(shape, values)
    return as_strided(room((1,), values), shape, (0,) * len(shape))


def _reversed_outside(shape: Shape, values: Array, role: str) -> Array:
    """All dimensions but the last in reverse order in memory, so that none can be joined with its neighbour."""
    if role != "main":
        return room(shape, values)
    outer = range(len(shape) - 1)
    return room((*shape[-2::-1], shape[-1]), values).transpose(*reversed(outer), len(shape) - 1)


@dataclass(frozen=True)
class Layout:
    """How an operator's tensors lie in memory."""

    says: str
    make: Callable[[Shape, Array, str], Array]  # (shape, values, role) -> tensor
    rank: int = 2


LAYOUTS = {
    "contiguous": Layout("every tensor contiguous", _contiguous),
    "transposed": Layout("every tensor the transpose of a contiguous one", _transposed),
    "chunk": Layout("every tensor the upper half of one twice as wide, as by .chunk(2, -1)", _chunk),
    "one-transposed": Layout("the last input transposed, the others contiguous", _one_transposed),
    "row-slice": Layout("every tensor a slice of whole rows, t[1:-1]", _row_slice),
    "step-2": Layout("every tensor every second column of one twice as wide", _step_2),
    "stride-0": Layout("the first input one element, expanded, as the gradient of .sum() is", _stride_0),
    "rank-3": Layout("three dimensions that cannot be joined: reversed in the last input", _reversed_outside, 3),
    "rank-5": Layout("five such dimensions", _reversed_outside, 5),
    "rank-8": Layout("eight such dimensions", _reversed_outside, 8),
}  # fmt: skip


def shape_of(layout: str, size: int, is_gated: bool, row: int = ROW) -> Shape:
    """The shape of an operator's largest tensor, of about `size` elements and not more."""
    rank = LAYOUTS[layout].rank
    if is_gated and rank == 2:
        columns = max(2, min(row, size) // 2 * 2)
        return max(1, size // columns), columns
    if layout == "contiguous":
        return (size,)
    if rank == 2:
        root = isqrt(size)
        columns = next((c for c in range(root, max(root // 2, 1) - 1, -1) if size % c == 0), max(root, 1))
        return size // columns, columns
    # Rows of about 1000 elements while there are enough of them, then outer dimensions as equal as can be.
    outer: list[int] = []
    for k in range(rank - 1, 0, -1):
        rows = size // prod(outer) / 1000
        outer.append(max(2 if size >= 4**rank else 1, round(rows ** (1 / k))))
    columns = max(1, size // prod(outer))
    return *outer, max(2, columns // 2 * 2) if is_gated else columns


def numbers_of(operator: Any, name: str, numbers: Array) -> Array:
    """The numbers of a pool in the dtype that a tensor has, if the operator states one."""
    dtypes = operator.definition.dtypes_of(name)
    return numbers.astype(dtypes[0]) if dtypes else numbers


def make(operator: Any, layout: str, shape: Shape, pool: Pool, with_optional: bool) -> Tensors:
    """The tensors of one call; `shape` is that of the largest."""
    packed, build = subject.packed(operator), LAYOUTS[layout].make
    half = (*shape[:-1], shape[-1] // (8 if operator.access.has_bits else 2))
    required = [a.name for a in operator.schema.tensors if not a.is_optional]

    def tensor(name: str, role: str) -> Array:
        size = half if packed and name not in packed else shape
        return build(size, numbers_of(operator, name, pool.main if name == required[-1] else pool.others), role)

    def role(name: str) -> str:
        if layout == "stride-0":
            return "expanded" if name == required[0] else "other"
        return "main" if name == required[-1] else "other"

    given = [(a.name, with_optional or not a.is_optional) for a in operator.schema.tensors]
    inputs = tuple(tensor(name, role(name)) if is_given else None for name, is_given in given)
    return Tensors(inputs, tuple(tensor(name, "output") for name in operator.schema.outputs))


def spoil(outputs: Sequence[Array]) -> None:
    """Overwrite outputs before a call, so that no right result of another call is left in them."""
    for output in outputs:
        output[...] = 85 if output.dtype.kind in "iu" else np.nan


def take(tensor: Any, index: Index) -> Array:
    """Some elements of a NumPy array."""
    taken: Array = tensor[index]
    return taken


def sample(
    tensors: Sequence[Any], is_gated: bool, take: Callable[[Any, Index], Array] = take
) -> tuple[Array | None, ...]:
    """Some elements of each tensor, the same of all, as contiguous vectors: the ends and some in between.

    Gated tensors become the sampled elements of their lower half, followed by those of the upper one.
    """
    given = [t for t in tensors if t is not None]
    narrowest = min(t.shape[-1] for t in given) if given[0].shape else 1
    shape = next(t.shape for t in given if not t.shape or t.shape[-1] == narrowest)
    if is_gated and all(t.shape == shape for t in given):
        raise ValueError("a gated call has tensors of two widths")
    size = prod(shape)
    between = np.random.default_rng(0).integers(0, size, SAMPLE)
    places = np.unique(np.concatenate([np.arange(min(size, SAMPLE)), np.arange(max(0, size - SAMPLE), size), between]))
    index = np.unravel_index(places, shape)

    def pick(tensor: Any) -> Array:
        if tensor.shape == shape:
            return take(tensor, index)
        upper = (*index[:-1], index[-1] + shape[-1])
        return np.concatenate([take(tensor, index), take(tensor, upper)])

    return tuple(None if t is None else pick(t) for t in tensors)


def sets(tensors: Tensors, cache_bytes: int) -> int:
    """The number of sets of buffers at which a set has left the caches before its next turn."""
    arrays = [a for a in (*tensors.inputs, *tensors.outputs) if a is not None]
    size = sum(a.nbytes if a.strides and all(a.strides) else a.itemsize for a in arrays)
    return -(-2 * cache_bytes // max(size, 1))
