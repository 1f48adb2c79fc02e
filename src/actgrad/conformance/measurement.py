"""The elements of a call measured in chunks, on all cores. The chunks add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ..backends import cores
from . import oracle, standards
from .diagnosis import axis
from .elements import Array, At, Elements
from .error_bounds import Sized
from .golden import Golden
from .oracle import Expected
from .standards import STANDARDS, ElementErrors, Tally
from .verdict import ULP_EDGES

T = TypeVar("T")
Progress = Callable[[int], None]  # called with the number of elements of each chunk
CHUNK = 1 << 18  # elements measured together: with fewer, threads mostly wait for each other at the interpreter
_RETAINED = 24 << 20  # bytes, because glibc's thresholds grow up to 32 MiB
SHOWN = 5  # failures of each kind
SAMPLED = 4096  # elements for plots, and failing ones for the diagnosis


@dataclass(frozen=True)
class Measures:
    """The measures of some elements of one output."""

    tallies: dict[str, Tally]
    histogram: Array
    by_terms: int
    failing: int
    first: Array  # places of failing elements, some of them
    worst: tuple[tuple[float, int], ...]  # -ULP, place
    ranges: Array  # failing elements per range of x
    points: Array  # (x, ULP, place) of some elements

    def __add__(self, other: Measures) -> Measures:
        return Measures(
            {name: self.tallies[name] + tally for name, tally in other.tallies.items()},
            self.histogram + other.histogram,
            self.by_terms + other.by_terms,
            self.failing + other.failing,
            _thinned(np.concatenate([self.first, other.first])),
            tuple(sorted((*self.worst, *other.worst))[:SHOWN]),
            self.ranges + other.ranges,
            np.concatenate([self.points, other.points]),
        )


def _thinned(positions: Array) -> Array:
    """Half of the places when they are many, always with the first ones."""
    return positions if len(positions) <= 8 * SAMPLED else np.concatenate([positions[:SHOWN], positions[SHOWN::2]])


def measure(call: Elements, golden: Golden, names: Sequence[str], progress: Progress | None) -> list[Measures]:
    """All elements of each output. The chunks add up in one order whichever thread is first."""

    def chunk(at: slice) -> list[Measures]:
        inputs, errors = compare_at(call, golden, at)
        return [_measures(c, inputs[call.main], at.start, names, call.size) for c in errors]

    outputs: list[Measures] = []
    for span, parts in in_threads(chunk, spans(call.size)):
        outputs = [a + b for a, b in zip(outputs, parts, strict=True)] if outputs else parts
        if progress is not None:
            progress((span.stop - span.start) * len(parts))
    return outputs


def _measures(c: ElementErrors, x: Array, start: int, names: Sequence[str], size: int) -> Measures:
    """The measures of a chunk, from place `start` of an output of `size` elements."""
    dtype, ulps = c.actual.dtype.name, np.where(c.by_terms, 0, c.ulps)
    tallies, failing = {}, np.zeros(len(ulps), bool)
    for standard in (STANDARDS[name] for name in names):
        if dtype in standard.limits:
            over, tallies[standard.name] = standard.measure(c, standard.limits[dtype])
            failing |= over
    stride, most = max(1, size // SAMPLED), max(64, SAMPLED * CHUNK // max(1, size))
    some = np.arange(-start % stride, len(ulps), stride)
    at = np.flatnonzero(failing)
    worst = at[np.argsort(-ulps[at], kind="stable")[:SHOWN]]
    first = np.union1d(at[:: -(-len(at) // most) or 1], at[:SHOWN])
    return Measures(
        tallies,
        histogram(ulps),
        int(np.count_nonzero(c.by_terms)),
        len(at),
        start + first,
        tuple((-float(ulps[k]), start + int(k)) for k in worst),
        axis.count(double(x[at])),
        np.stack([double(x[some]), double(ulps[some]), start + some], axis=1),
    )


def compare_at(call: Elements, golden: Golden, at: At) -> tuple[list[Any], list[ElementErrors]]:
    """The inputs at some elements, and the errors of each output there."""
    inputs = [lane.take(at) for lane in call.inputs]
    exact = golden.values(inputs) if call.size else dict.fromkeys(call.numbers, np.empty(0))
    lanes = zip(call.outputs, call.numbers, strict=True)
    return inputs, [_compare(lane.take(at), exact[n], call, golden, inputs, n) for lane, n in lanes]


def spans(size: int) -> Iterator[slice]:
    """All elements, part by part, or one empty part."""
    for start in range(0, max(1, size), CHUNK):
        yield slice(start, min(start + CHUNK, size))


def in_threads(work: Callable[[slice], T], of: Iterable[slice]) -> Iterator[tuple[slice, T]]:
    """The results in the order of the parts. Leaving the loop cancels the parts that have not begun."""
    # glibc raises the size from which it gives memory back when a block is freed: it keeps the pages of our arrays.
    # Half of the time would go into asking for the same pages again.
    np.empty(_RETAINED, np.uint8)
    parts = list(of)
    with ThreadPoolExecutor(cores()) as pool:
        yield from zip(parts, pool.map(work, parts), strict=True)


def _compare(
    actual: Array, exact: Array, call: Elements, golden: Golden, lanes: Sequence[Array], number: int
) -> ElementErrors:
    """The errors of one output, with the elements beyond the project's own bounds.

    ULP decide first. Larger errors are no faults where terms cancel, where a rounded argument of exp explains the
    error, or where a factor is subnormal.
    """
    c = standards.compare(actual, exact)
    if call.operator.gradient_of is None and c.actual.dtype.kind not in "iu":
        c = replace(c, lost_signs=_lost_signs(c, lanes[call.main]))
    ulps = standards.bounds(call.operator, c.actual.dtype.name)[0]
    suspect = np.flatnonzero(c.ulps > ulps)
    if not len(suspect) or c.actual.dtype.kind in "iu":
        return replace(c, faults=c.ulps > ulps)
    wrong = faults_among(c.actual[suspect], call, golden, [lane[suspect] for lane in lanes], number)[1]
    faults, by_terms = np.zeros(len(c.ulps), bool), np.zeros(len(c.ulps), bool)
    faults[suspect], by_terms[suspect] = wrong, ~wrong
    return replace(c, faults=faults, by_terms=by_terms)


def _lost_signs(c: ElementErrors, x: Array) -> Array | None:
    """The zeros of the wrong sign among limits at x = -inf, as silu(-inf) = -0, or None without any."""
    with np.errstate(invalid="ignore"):
        zeros = (c.actual == 0) & (c.exact == 0) & (x == -np.inf)
    if not zeros.any():
        return None
    lost: Array = zeros & (np.signbit(c.actual) != np.signbit(c.exact))
    return lost


def faults_among(
    actual: Array, call: Elements, golden: Golden, lanes: Sequence[Array], number: int
) -> tuple[Expected, Array, Array]:
    """The exact values of some elements, the faults among them, and the errors that a factor excuses."""
    ulps, terms = standards.bounds(call.operator, actual.dtype.name)
    expected = golden.expected(lanes, actual.dtype)[number]
    faults, excused = expected.faults(actual, ulps, terms), np.zeros(len(actual), bool)
    if (at := np.flatnonzero(faults)).size:
        is_factor = [k == call.main or isinstance(lane, Sized) for k, lane in enumerate(lanes)]
        pairs = zip(lanes, is_factor, strict=True)
        lanes = [lane[at] if is_part else np.ones_like(lane[at]) for lane, is_part in pairs]
        excused[at] = inherited(actual[at], expected.values[at], golden.expected(lanes, actual.dtype)[number], ulps)
    return expected, faults & ~excused, excused


def inherited(actual: Array, exact: Array, factor: Expected, ulps: float) -> Array:
    """The elements whose error comes from a factor (the derivative, the activated half) beyond the compute dtype.

    A subnormal factor has fewer digits, and the other factor magnifies their loss. Too large a factor is infinite.
    Infinity times a factor that may be 0 is of either sign, or NaN.
    """
    size = np.abs(factor.values)
    with np.errstate(all="ignore"):
        unit = ulps * oracle.ulp(factor.values, np.dtype(factor.compute))
        magnified = np.abs(actual.astype(size.dtype) - exact) <= unit * np.abs(exact / factor.values)
        magnified &= np.isfinite(exact)
        overflows = np.isfinite(size) & (size > np.finfo(factor.compute).max)
        undecided = np.isinf(exact) & np.isfinite(size) & ((size <= unit) | factor.cancels)
    inherited: Array = magnified | overflows | undecided
    return inherited


def histogram(ulps: Array) -> Array:
    """Elements per bin of ULP_EDGES. The first is exact ones to 0.25."""
    above = [len(ulps)]
    largest = float(np.max(ulps, initial=0))
    above += [int(np.count_nonzero(ulps > edge)) if largest > edge else 0 for edge in ULP_EDGES[1:]]
    return -np.diff([*above, 0])


def double(values: Array) -> Array:
    with np.errstate(invalid="ignore", over="ignore"):  # signalling NaNs, and longdouble
        return values.astype(np.float64)
