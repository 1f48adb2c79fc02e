"""Records behave as frozen data classes do."""

from __future__ import annotations

import copy
import pickle
from typing import ClassVar

import pytest

from actgrad.base.records import Record


class Point(Record):
    unit: ClassVar[str] = "mm"
    is_flat = True  # no field: it has no annotation
    x: int
    y: int = 2


class Named(Point):
    name: str = ""
    y: int = 3


def test_fields_and_defaults() -> None:
    assert (Point.field_names, Point.required_fields) == (("x", "y"), ("x",))
    assert Named.field_names == ("x", "y", "name")
    assert repr(Named(1, name="a")) == "Named(x=1, y=3, name='a')"
    assert Point(1).changed(y=5) == Point(y=5, x=1)


def test_equal_fields_are_equal_records() -> None:
    assert Point(1) == Point(1, 2)
    assert hash(Point(1)) == hash(Point(1, 2))
    assert Point(1) != Point(1, 3)
    assert Point(1, 3) != Named(1, 3)
    assert Point(1) != (1, 2)


@pytest.mark.parametrize("same", [copy.copy, copy.deepcopy, lambda record: pickle.loads(pickle.dumps(record))])
def test_copies(same: object) -> None:
    assert callable(same)
    assert same(Named(1, 4, "b")) == Named(1, 4, "b")


def test_wrong_arguments_and_changes_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Point\(\) takes 2 arguments; 3 were given"):
        Point(1, 2, 3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=3)
    with pytest.raises(TypeError, match="multiple values for argument 'x'"):
        Point(1, x=1)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        Point(y=1)
    point = Point(1)
    with pytest.raises(AttributeError, match="cannot assign to 'x': a Point is immutable; make a changed copy"):
        point.x = 3
    with pytest.raises(AttributeError, match="cannot delete 'x'"):
        del point.x
    assert point == Point(1)
