"""Ranges of x; zero, the infinities and NaN are ranges of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..elements import Array

_POSITIVE = (float(np.nextafter(0.0, 1.0)), 1e-30, 1e-10, 1e-4, 1e-2, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 1e10)
#: Upper edges; a negative upper edge belongs to its range, else the lower edge does.
EDGES = np.array([-np.inf, *(-e for e in reversed(_POSITIVE)), *_POSITIVE, np.inf])
BINS = len(EDGES) + 2  # with the range above all edges, and NaN


@dataclass(frozen=True)
class Range:
    """A range of x: how many of its elements fail."""

    says: str
    failing: int
    elements: int


def count(x: Array) -> Array:
    """How many of `x` lie in each range; x is float64."""
    below = np.where(x > 0, np.searchsorted(EDGES, x, side="right"), np.searchsorted(EDGES, x, side="left"))
    return np.bincount(np.where(np.isnan(x), BINS - 1, below), minlength=BINS)


def ranges(elements: Array, failing: Array) -> tuple[Range, ...]:
    """The ranges with failing elements; neighbours that fail altogether are one range."""
    found: list[tuple[int, int, int, int]] = []  # first and last bin, failing, elements
    for k in np.flatnonzero(failing):
        bad, all_ = int(failing[k]), int(elements[k])
        if found and k < BINS - 1 and bad == all_:
            first, _, before, of = found[-1]
            # Empty ranges between the two do not part them.
            if before == of and not elements[found[-1][1] + 1 : k].any():
                found[-1] = (first, int(k), before + bad, of + all_)
                continue
        found.append((int(k), int(k), bad, all_))
    return tuple(Range(_says(first, last), bad, all_) for first, last, bad, all_ in found)


def _says(first: int, last: int) -> str:
    if first == BINS - 1:
        return "x is NaN"
    zero = len(EDGES) // 2  # the range of 0 alone
    if first == last:
        alone = {zero: "x = 0", 0: "x = -inf", len(EDGES): "x = inf"}
        if first in alone:
            return alone[first]
    low = "" if first == 0 else _low(first - zero, EDGES[first - 1])
    high = "" if last == len(EDGES) else _high(last - zero, EDGES[last])
    return f"{low}x{high}" if low or high else "any x"


def _low(side: int, edge: float) -> str:
    """The lower end of a range of negative (side < 0), zero or positive numbers."""
    if side in (0, 1):
        return "0 <= " if side == 0 else "0 < "
    return f"{edge:g} {'<' if side < 0 else '<='} "


def _high(side: int, edge: float) -> str:
    """The upper end of such a range."""
    if side in (0, -1):
        return " <= 0" if side == 0 else " < 0"
    return f" {'<=' if side < 0 else '<'} {edge:g}"
