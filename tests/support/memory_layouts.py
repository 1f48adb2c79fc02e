"""Layouts of memory: drawn at random, and by name."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tests.support.calls import Memory


@st.composite
def shapes(draw: st.DrawFn) -> tuple[int, ...]:
    """Ranks 0 to 8; one dimension may be long enough for several tiles, the others are short."""
    rank = draw(st.integers(0, 8))
    longest = {0: 1, 1: 70, 2: 24, 3: 9}.get(rank, 3)
    shape = draw(st.lists(st.integers(0, longest), min_size=rank, max_size=rank))
    if rank and rank <= 4 and draw(st.booleans()):
        shape[draw(st.integers(0, rank - 1))] = draw(st.sampled_from([33, 129, 1025, 2050]))
    return tuple(shape)


def memories(rank: int) -> st.SearchStrategy[Memory]:
    steps = st.lists(st.sampled_from([1, 1, 1, 2, 3, -1, -2]), min_size=rank, max_size=rank).map(tuple)
    offsets = st.sampled_from([0, 0, 1, 2, 4, 7, 8, 64])
    ascending = st.just(tuple(range(rank)))
    return st.builds(Memory, ascending | st.permutations(range(rank)).map(tuple), steps, offsets)


@st.composite
def laid_out(draw: st.DrawFn, values: np.ndarray) -> np.ndarray:
    """`values` in some layout; a quarter of the time with some dimensions spread over one element (stride 0)."""
    if values.ndim and draw(st.integers(0, 3)) == 0:
        kept = draw(st.lists(st.booleans(), min_size=values.ndim, max_size=values.ndim))
        one = tuple(slice(None) if k else slice(0, 1) for k in kept)
        return np.broadcast_to(draw(laid_out_exactly(values[one])), values.shape)
    return draw(laid_out_exactly(values))


@st.composite
def laid_out_exactly(draw: st.DrawFn, values: np.ndarray) -> np.ndarray:
    return draw(memories(values.ndim)).holding(values)


def transposed(values: np.ndarray) -> np.ndarray:
    return np.asfortranarray(values)


def every_second(values: np.ndarray) -> np.ndarray:
    return Memory(tuple(range(values.ndim)), (*(1,) * (values.ndim - 1), 2)).holding(values)


def backwards(values: np.ndarray) -> np.ndarray:
    return Memory(tuple(range(values.ndim)), (-1,) * values.ndim).holding(values)


def unaligned(values: np.ndarray) -> np.ndarray:
    return Memory(tuple(range(values.ndim)), (1,) * values.ndim, 1).holding(values)


def chunk(values: np.ndarray) -> np.ndarray:
    """The upper half of a tensor of twice the columns, as `.chunk(2, -1)` gives it."""
    whole = np.concatenate([np.full_like(values, 7), values], axis=-1)
    return whole[..., values.shape[-1] :]


def field(values: np.ndarray) -> np.ndarray:
    """A field of packed records: its stride is no multiple of its size."""
    records = np.zeros(values.shape, [("tag", "i1"), ("value", values.dtype)])
    records["value"] = values
    return records["value"]


NAMED = [np.ascontiguousarray, transposed, every_second, backwards, unaligned, chunk, field]


OUTPUTS = {
    "transposed": Memory((1, 0), (1, 1)),
    "step 2": Memory((0, 1), (1, 2)),
    "padded rows": Memory((0, 1), (3, 1)),
    "backwards": Memory((0, 1), (1, -1)),
    "upside down": Memory((0, 1), (-1, 1)),
    "odd address": Memory((0, 1), (1, 1), 1),
    "transposed, step 3, odd address": Memory((1, 0), (-1, 3), 3),
}
