"""The fields of both formats: what they must be, in words that name them."""

from __future__ import annotations

import math
from typing import Any

from ...dtypes import BY_NAME
from .described import MOST_DIMENSIONS
from .interface import DTYPES


class Fault(Exception):
    """A field that is not what the format says it is; the reader adds file and case."""


def shown(value: Any) -> str:
    """A value of a file in an error: short, and without what a terminal would obey."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def text(case: dict[str, Any], name: str) -> str:
    """A field that is a name."""
    value = case.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Fault(f"{name} is {shown(value)}; it must be a name")
    return value


def optional_text(case: dict[str, Any], name: str) -> str | None:
    """A field that is a name, or null."""
    return None if case.get(name) is None else text(case, name)


def whole(what: str, value: Any) -> int | None:
    """A whole number from 0, or null."""
    if value is not None and (type(value) is not int or value < 0):
        raise Fault(f"{what} is {shown(value)}; it must be a whole number from 0")
    return value


def flag(what: str, value: Any) -> bool | None:
    """True or false, or null."""
    if value is not None and type(value) is not bool:
        raise Fault(f"{what} is {shown(value)}; it must be true or false")
    return value


def boolean(what: str, value: Any) -> bool:
    """The value of a boolean attribute: true or false, or 1 or 0 as C writes them."""
    if type(value) not in (bool, int) or value not in (0, 1):
        raise Fault(f"{what} is {shown(value)}; it must be true or false")
    return bool(value)


def texts(what: str, value: Any) -> tuple[str, ...]:
    """Names: none, one, or several."""
    entries = () if value is None else tuple(value) if isinstance(value, (list, tuple)) else (value,)
    if not all(isinstance(one, str) and one.strip() for one in entries):
        raise Fault(f"{what} is {shown(value)}; it must be names")
    return entries


def dtype(what: str, word: Any) -> str:
    """A data type by its word in either format."""
    name = DTYPES.get(word, word) if isinstance(word, str) else None
    if name not in BY_NAME:
        raise Fault(f"{what} is {shown(word)}; known: {', '.join((*BY_NAME, *DTYPES))}")
    return name


def shape(what: str, given: Any) -> tuple[int, ...]:
    """Sizes of dimensions: whole numbers that are not negative."""
    if not isinstance(given, (list, tuple)) or not all(type(n) is int and 0 <= n < 1 << 62 for n in given):
        raise Fault(f"{what} is {shown(given)}; it must be a list of whole numbers that are not negative")
    if len(given) > MOST_DIMENSIONS:
        raise Fault(f"{what} has {len(given)} dimensions; at most {MOST_DIMENSIONS} can be made")
    return tuple(given)


def ordered(what: str, low: float, high: float) -> tuple[float, float]:
    """A range, whose ends are finite or equal."""
    if low == high or (math.isnan(low) and math.isnan(high)):
        return low, high
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise Fault(f"{what} is from {low} to {high}; it must be from a number to a larger one, or one number twice")
    return low, high
