"""Counted rows: calls that compute only as many rows as a tensor of integers counts, which is known when they run.

A row is all that lies behind one place of the dimensions before the one that the access numbers. The tensor may be left
out; it is the last one of the schema, and no element sees it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

from .loop import Loop, Meta

Box = tuple[tuple[int, int], ...]  # the first place and the number of places of each dimension


@dataclass(frozen=True, slots=True)
class Counted:
    """The tensor whose sum is the number of rows, and whether results are 0 behind them, else as they were."""

    tensor: str
    clears: bool = False


class RowCount(NamedTuple):
    """The same of one call."""

    meta: Meta  # of the tensor
    dimensions: int  # of the loop that a row is a place of
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


def _within(sizes: tuple[int, ...], place: int, first: int, last: int) -> Iterator[Box]:
    """The boxes that lie at one place of the first dimension."""
    before = place * prod(sizes[1:])
    for box in boxes(sizes[1:], first - before, last - before):
        yield ((place, 1), *box)


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
