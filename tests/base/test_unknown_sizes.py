"""Unknown sizes agree with whatever the sizes turn out to be; NumPy says what known ones are broadcast to."""

from __future__ import annotations

import itertools
import operator
from math import prod
from typing import Any

import numpy as np
import pytest

from actgrad.base.access import Along, Elementwise, Halves
from actgrad.base.access.unknown_sizes import completed_shapes
from actgrad.base.loop import UNKNOWN, UNKNOWN_RANK, UnknownSize, broadcast_shapes, first_known


@pytest.mark.parametrize("size", [0, 1, 2, 7, UNKNOWN])
def test_an_unknown_size_equals_every_size(size: int) -> None:
    shape, other = (4, UNKNOWN), (4, size)
    for compare in (operator.eq, operator.le, operator.ge):
        assert compare(UNKNOWN, size)
        assert compare(size, UNKNOWN)
    for compare in (operator.ne, operator.lt, operator.gt):
        assert not compare(UNKNOWN, size)
        assert not compare(size, UNKNOWN)
    assert shape == other
    assert shape in [other]
    assert shape != (5, size)
    assert shape != (*other, 1)


def test_numbers_from_an_unknown_size() -> None:
    assert isinstance(prod((3, UNKNOWN, 2)), UnknownSize)
    assert isinstance(2 * UNKNOWN // 2, UnknownSize)
    assert prod((3, UNKNOWN, 0)) == 0
    assert not isinstance(prod((UNKNOWN, 0)), UnknownSize)
    assert UNKNOWN % 2 == 0
    assert bool(UNKNOWN)
    assert (int(UNKNOWN), str(UNKNOWN)) == (-1, "-1")
    assert type(int(UNKNOWN)) is int
    assert first_known((UNKNOWN, 3, 4)) == 3
    assert first_known((UNKNOWN, UNKNOWN)) is UNKNOWN


SHAPES = [*itertools.product((0, 1, 2, 3), repeat=1), *itertools.product((1, 2, 3), repeat=2), ()]


@pytest.mark.parametrize("a", SHAPES)
@pytest.mark.parametrize("b", SHAPES)
def test_broadcasting_knows_no_more_than_the_sizes_tell(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    try:
        expected = np.broadcast_shapes(a, b)
    except ValueError:
        assert broadcast_shapes(a, b) is None
        return
    assert broadcast_shapes(a, b) == expected
    for mask in itertools.product((False, True), repeat=len(a) + len(b)):
        hidden = [UNKNOWN if hide else size for hide, size in zip(mask, (*a, *b), strict=True)]
        first, second = tuple(hidden[: len(a)]), tuple(hidden[len(a) :])
        for shapes in ((first, second), (second, first)):
            joined = broadcast_shapes(*shapes)
            assert joined is not None
            sizes = list(zip(joined, expected, strict=True))
            assert all(size is UNKNOWN or int(size) == known for size, known in sizes), (shapes, joined)
    # A size other than 1 decides, whichever side knows it.
    assert [int(size) for size in broadcast_shapes((UNKNOWN, 1), (5, UNKNOWN)) or ()] == [5, -1]
    assert [int(size) for size in broadcast_shapes((5, UNKNOWN), (UNKNOWN, 1)) or ()] == [5, -1]


def test_inputs_tell_sizes_of_one_another() -> None:
    def complete(*arguments: Any) -> dict[str, tuple[int, ...]]:
        return {name: tuple(map(int, shape)) for name, shape in completed_shapes(*arguments).items()}

    elementwise, halves, along = Elementwise(), Halves(("x",)), Along("weight", 1)
    two = {"a": (UNKNOWN, 3), "b": (2, UNKNOWN)}
    assert complete(elementwise, two, {}, False) == {"a": (2, 3), "b": (2, 3)}
    assert complete(elementwise, two, {}, True) == {"a": (-1, 3), "b": (2, -1)}
    assert complete(elementwise, {"a": UNKNOWN_RANK, "b": (2, 3)}, {}, False) == {
        "a": (2, 3),
        "b": (2, 3),
    }
    assert complete(elementwise, {"a": UNKNOWN_RANK, "b": (2, 3)}, {}, True) == {}
    packed = {"x": (UNKNOWN, 6), "y": (4, UNKNOWN)}
    assert complete(halves, packed, {"dim": -1}, False) == {"x": (4, 6), "y": (4, 3)}
    assert complete(halves, {"x": UNKNOWN_RANK, "y": (4, 3)}, {"dim": 0}, False) == {
        "x": (8, 3),
        "y": (4, 3),
    }
    assert complete(along, {"x": (4, 5), "weight": (UNKNOWN,)}, {}, False) == {
        "x": (4, 5),
        "weight": (-1,),
    }
    assert complete(along, {"x": UNKNOWN_RANK, "weight": (5,)}, {}, False) == {}
