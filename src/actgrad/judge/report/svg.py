"""Errors as SVG drawings in the colours of the page: over x, over the position, and a histogram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from ..elements import Array
from ..verdict import ULP_EDGES

Points = Sequence[Sequence[float]]  # (x or position, ULP)
TOP = 1e10  # ULP; larger errors, infinite errors and NaN are drawn at this height
_BINS = 150  # points of a drawing
_WIDTH, _HEIGHT, _LEFT = 340, 150, 52
_SIZES = [*(f"{edge:g}" for edge in ULP_EDGES[1:]), "inf"]


def outline(at: Array, ulps: Array) -> list[tuple[float, float]]:
    """The largest error in each of several ranges of x, or of the position."""
    usable = ~np.isnan(at)
    at, ulps = at[usable], np.minimum(np.nan_to_num(ulps[usable], nan=TOP, posinf=TOP), TOP)
    order = np.lexsort((-ulps, at))
    parts = np.array_split(order, min(_BINS, len(order)) or 1)
    best = [part[np.argmax(ulps[part])] for part in parts if len(part)]
    return [(float(f"{at[k]:.6g}"), float(f"{ulps[k]:.3g}")) for k in best]


def over_x(points: Points, label: str = "") -> str:
    """Errors over x. Small x have a linear scale, large x a logarithmic one, so that tails do not hide the middle."""
    return _errors(f"errors over x{label}", [_compressed(float(x)) for x, _ in points], points)


def _compressed(x: float) -> float:
    return math.copysign(math.log1p(abs(x)), x)


def over_position(points: Points, label: str = "") -> str:
    """Errors over the position in memory."""
    return _errors(f"errors over the position{label}", [float(x) for x, _ in points], points, start=[0.0])


def histogram(counts: Array, label: str = "") -> str:
    """The share of elements by the size of their errors, on a logarithmic scale from 0.001 %."""
    step, total = (_WIDTH - _LEFT - 10) / len(counts), max(1, int(counts.sum()))
    bars, labels = "", ""
    for k, count in enumerate(counts):
        height = (_HEIGHT - 35) * max(0.02, 1 + math.log10(count / total) / 5) if count else 0
        left, right = _LEFT + (k + 0.15) * step, _LEFT + (k + 0.85) * step
        bars += f"M{left:.1f} {_HEIGHT - 20}V{_HEIGHT - 20 - height:.1f}H{right:.1f}V{_HEIGHT - 20}"
        labels += _text((left + right) / 2, _HEIGHT - 4, _SIZES[k], "middle") if k % 2 == 0 else ""
    title = f"share of elements by error{label}; under each bar the largest error, in ULP"
    return _figure(title, f'<path class="bars" d="{bars}"/>{labels}', ("100 %", "0"))


def _errors(title: str, xs: Sequence[float], points: Points, start: Sequence[float] = ()) -> str:
    """Marks at the logarithm of 1 + ULP. The axis begins at `start`. Infinite x have marks near its ends."""
    ys = [math.log10(1 + float(y)) for _, y in points]
    finite = [x for x in [*start, *xs] if math.isfinite(x)] or [0.0, 1.0]
    low, high, top = min(finite), max(finite), max([*ys, math.log10(2)])
    margin = 0.06 * (high - low or 1.0) if any(map(math.isinf, xs)) else 0.0
    low, high = low - margin, high + margin
    across, up = (_WIDTH - _LEFT - 10) / (high - low or 1.0), (_HEIGHT - 35) / top

    def column(x: float) -> float:
        return _LEFT + (min(max(x, low), high) - low) * across

    marks = "".join(f"M{column(x):.1f} {_HEIGHT - 20 - y * up:.1f}h0" for x, y in zip(xs, ys, strict=True))
    drawing = f'<path class="points" d="{marks}"/>'
    if low < 0 < high:
        drawing += f'<path class="axis" d="M{column(0):.1f} {_HEIGHT - 24}v8"/>'
    labels = [*start, *(float(x) for x, _ in points)]
    if labels:
        drawing += _text(_LEFT, _HEIGHT - 4, f"{labels[0]:.4g}", "start")
        drawing += _text(_WIDTH - 5, _HEIGHT - 4, f"{labels[-1]:.4g}", "end")
    largest = max((float(y) for _, y in points), default=0.0)
    return _figure(f"{title}, in ULP", drawing, ("inf" if largest >= TOP else f"{max(largest, 1):.2g}", "0"))


def _figure(title: str, drawing: str, ends: tuple[str, str]) -> str:
    axis = f'<path class="axis" d="M{_LEFT} 10V{_HEIGHT - 20}H{_WIDTH - 5}"/>'
    labels = _text(_LEFT - 4, 16, ends[0], "end") + _text(_LEFT - 4, _HEIGHT - 20, ends[1], "end")
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"{axis}{drawing}{labels}</svg><figcaption>{escape(title)}</figcaption></figure>"
    )


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text class="label" x="{x:.1f}" y="{y}" text-anchor="{anchor}">{words}</text>'
