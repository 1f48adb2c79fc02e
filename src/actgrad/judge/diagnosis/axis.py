"""Ranges of x. Zero, the infinities and NaN are separate ranges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..elements import Array

_POSITIVE = (float(np.nextafter(0.0, 1.0)), 1e-30, 1e-10, 1e-4, 1e-2, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 1e10)
#: Upper edges. If an upper edge is negative, it belongs to its range. Otherwise the lower edge belongs to the range.
EDGES = np.array([-np.inf, *(-e for e in reversed(_POSITIVE)), *_POSITIVE, np.inf])
BINS = len(EDGES) + 2  # plus the range above all edges, and NaN
#: The text of each range: its lower end, its upper end, and the text for a single number. The smallest edge is 0.
_LOWS = (
    "", "-inf < ", *(f"{-e:g} < " for e in reversed(_POSITIVE[1:])), "0 <= ",
    "0 < ", *(f"{e:g} <= " for e in _POSITIVE[1:]), "inf <= ",
)  # fmt: skip
_HIGHS = (
    " <= -inf", *(f" <= {-e:g}" for e in reversed(_POSITIVE[1:])), " < 0",
    " <= 0", *(f" < {e:g}" for e in _POSITIVE[1:]), " < inf", "",
)  # fmt: skip
_ALONE = {0: "x = -inf", len(EDGES) // 2: "x = 0", len(EDGES): "x = inf", BINS - 1: "x is NaN"}


@dataclass(frozen=True)
class Range:
    """A range of x, and the number of its elements that fail."""

    says: str
    failing: int
    elements: int


def count(x: Array) -> Array:
    """The number of elements of `x` in each range. x is float64."""
    below = np.where(x > 0, np.searchsorted(EDGES, x, side="right"), np.searchsorted(EDGES, x, side="left"))
    return np.bincount(np.where(np.isnan(x), BINS - 1, below), minlength=BINS)


def ranges(elements: Array, failing: Array) -> tuple[Range, ...]:
    """The ranges with failing elements. Adjacent ranges in which all elements fail become one range."""
    spans: list[tuple[int, int, int, int]] = []  # first and last bin, failing, elements
    for k in np.flatnonzero(failing):
        bad, all_ = int(failing[k]), int(elements[k])
        if spans and k < BINS - 1 and bad == all_:
            first, _, before, of = spans[-1]
            # Empty ranges between two ranges do not separate them.
            if before == of and not elements[spans[-1][1] + 1 : k].any():
                spans[-1] = (first, int(k), before + bad, of + all_)
                continue
        spans.append((int(k), int(k), bad, all_))
    return tuple(Range(_says(first, last), bad, all_) for first, last, bad, all_ in spans)


def _says(first: int, last: int) -> str:
    if first == last and first in _ALONE:
        return _ALONE[first]
    low, high = _LOWS[first], _HIGHS[last]
    return f"{low}x{high}" if low or high else "any x"
