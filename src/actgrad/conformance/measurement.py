"""Elements measured in parts, on all cores: what each part comes to, and how parts add up.

Most elements are clear: within the ULPs that are allowed. The others are set aside and looked at together, because
what their terms allow them is computed by NumPy, whose calls cost more than their elements where those are few.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ..backends import cores
from . import oracle, standards
from .diagnosis import axis
from .elements import Array, Elements
from .golden import Golden
from .oracle import Expected
from .standards import STANDARDS, Comparison, Tally
from .verdict import ULP_EDGES

T = TypeVar("T")
CHUNK = 1 << 18  # elements measured together: with fewer, threads mostly wait for each other at the interpreter
_RETAINED = 24 << 20  # bytes; glibc's thresholds grow up to 32 MiB
ASIDE = 1 << 16  # elements looked at together of those set aside
SHOWN = 5  # failures of each kind
SAMPLED = 4096  # elements for plots, and failing ones for the diagnosis


@dataclass(frozen=True)
class Part:
    """What some elements of one output come to."""

    tallies: dict[str, Tally]
    histogram: Array
    by_terms: int
    failing: int
    first: Array  # places of failing elements, some of them
    worst: tuple[tuple[float, int], ...]  # -ULP, place
    ranges: Array  # failing elements per range of x
    points: Array  # (x, ULP) of some elements

    def __add__(self, other: Part) -> Part:
        return Part(
            {name: self.tallies[name] + tally for name, tally in other.tallies.items()},
            self.histogram + other.histogram,
            self.by_terms + other.by_terms,
            self.failing + other.failing,
            _thinned(np.concatenate([self.first, other.first])),
            tuple(sorted((*self.worst, *other.worst))[:SHOWN]),
            self.ranges + other.ranges,
            np.concatenate([self.points, other.points]),
        )


def _thinned(places: Array) -> Array:
    """Half of the places where they are many, the first ones always among them."""
    return places if len(places) <= 8 * SAMPLED else np.concatenate([places[:SHOWN], places[SHOWN::2]])


@dataclass(frozen=True)
class _Aside:
    """Elements of one output that ULPs alone do not decide about."""

    lane: int
    places: Array
    inputs: tuple[Array, ...]
    actual: Array
    exact: Array

    @staticmethod
    def joined(of: Sequence[_Aside]) -> _Aside:
        inputs = tuple(np.concatenate(lanes) for lanes in zip(*(a.inputs for a in of), strict=True))
        places, actual, exact = (
            np.concatenate([getattr(a, name) for a in of]) for name in ("places", "actual", "exact")
        )
        return _Aside(of[0].lane, places, inputs, actual, exact)

    def take(self, at: slice) -> _Aside:
        inputs = tuple(x[at] for x in self.inputs)
        return _Aside(self.lane, self.places[at], inputs, self.actual[at], self.exact[at])


class Measurement:
    """A call being measured by some standards."""

    def __init__(self, call: Elements, golden: Golden, asked: Sequence[str]):
        self.call, self.golden, self.asked = call, golden, asked
        self._stride = max(1, call.size // SAMPLED)
        nothing = Part(
            {name: Tally() for name in asked}, np.zeros(len(ULP_EDGES), np.int64), 0, 0, np.zeros(0, np.int64), (),
            np.zeros(axis.BINS, np.int64), np.zeros((0, 2)),
        )  # fmt: skip
        self.parts = [nothing] * len(call.outputs)

    def run(self, progress: Callable[[int], None] | None) -> None:
        """Measure all elements; the parts add up in one order whichever thread is first."""
        aside: list[list[_Aside]] = [[] for _ in self.parts]
        for span, (clear, unclear) in in_threads(self._clear, spans(self.call.size)):
            self._add(clear)
            for one in unclear:
                aside[one.lane].append(one)
            for k, some in enumerate(aside):
                if sum(len(a.places) for a in some) >= ASIDE:
                    self._look_at(some)
                    aside[k] = []
            if progress is not None:
                progress((span.stop - span.start) * len(self.parts))
        for some in aside:
            self._look_at(some)

    def _look_at(self, aside: list[_Aside]) -> None:
        """Measure elements set aside, on all cores."""
        if aside:
            whole = _Aside.joined(aside)
            each = -(-len(whole.places) // cores())
            pieces = [slice(start, start + each) for start in range(0, len(whole.places), each)]
            for _, parts in in_threads(lambda at: self._unclear(whole.take(at)), pieces):
                self._add(parts)

    def _add(self, found: list[tuple[int, Part]]) -> None:
        for k, part in found:
            self.parts[k] = self.parts[k] + part

    def _clear(self, at: slice) -> tuple[list[tuple[int, Part]], list[_Aside]]:
        """Measure the elements that are within the ULPs allowed; the others are given back."""
        call, places = self.call, np.arange(at.start, at.stop)
        inputs = tuple(lane.take(at) for lane in call.inputs)
        exact = self.golden.values(inputs)
        parts, aside = [], []
        for k, (lane, number) in enumerate(zip(call.outputs, call.numbers, strict=True)):
            actual = lane.take(at)
            c = standards.compare(actual, exact[number])
            within = c.ulps <= standards.bounds(call.operator, actual.dtype.name)[0]
            if within.all():
                parts.append((k, self._part(replace(c, faults=~within), inputs[call.main], places)))
                continue
            clear, unclear = np.flatnonzero(within), np.flatnonzero(~within)
            x = tuple(lane[unclear] for lane in inputs)
            aside.append(_Aside(k, places[unclear], x, actual[unclear], exact[number][unclear]))
            if len(clear):
                c = replace(c.take(clear), faults=np.zeros(len(clear), bool))
                parts.append((k, self._part(c, inputs[call.main][clear], places[clear])))
        return parts, aside

    def _unclear(self, some: _Aside) -> list[tuple[int, Part]]:
        number = self.call.numbers[some.lane]
        c = with_faults(standards.compare(some.actual, some.exact), self.call, self.golden, some.inputs, number)
        return [(some.lane, self._part(c, some.inputs[self.call.main], some.places))]

    def _sampled(self, places: Array) -> Array:
        """Which of these places, which rise, are among those for plots."""
        if not len(places):
            return places
        sampled = np.arange(-(-int(places[0]) // self._stride) * self._stride, int(places[-1]) + 1, self._stride)
        found = np.searchsorted(places, sampled)
        return found[places[found] == sampled]

    def _part(self, c: Comparison, x: Array, places: Array) -> Part:
        dtype, ulps = c.actual.dtype.name, c.ulps
        tallies, failing = {}, None
        for name in self.asked:
            standard = STANDARDS[name]
            if standard.is_defined(dtype):
                over, tallies[name] = standard.measure(c, standard.limits_of(dtype))
                if tallies[name].over:
                    failing = over if failing is None else failing | over
        if c.by_terms is not None:
            ulps = np.where(c.by_terms, 0, ulps)
        some = self._sampled(places)
        at = np.zeros(0, np.int64) if failing is None else np.flatnonzero(failing)
        worst = at[np.argsort(-ulps[at], kind="stable")[:SHOWN]]
        most = max(64, SAMPLED * CHUNK // max(1, self.call.size), SAMPLED * len(places) // max(1, self.call.size))
        kept = np.union1d(at[:: -(-len(at) // most) or 1], at[:SHOWN])
        return Part(
            tallies,
            histogram(ulps),
            0 if c.by_terms is None else int(np.count_nonzero(c.by_terms)),
            len(at),
            places[kept],
            tuple((-float(ulps[k]), int(places[k])) for k in worst),
            axis.count(double(x[at])),
            np.stack([double(x[some]), double(ulps[some])], axis=1),
        )


def spans(size: int) -> Iterator[slice]:
    """All elements, part by part."""
    for start in range(0, size, CHUNK):
        yield slice(start, min(start + CHUNK, size))


def keep_freed_memory() -> None:
    """Have the C library keep the pages of arrays that are freed, for the next ones.

    glibc gives back what is larger than thresholds of its own, and raises them to the size of a block that is freed.
    Else half of the time goes into asking for the same pages again with every part.
    """
    np.empty(_RETAINED, np.uint8)


def in_threads(work: Callable[[slice], T], of: Iterable[slice]) -> Iterator[tuple[slice, T]]:
    """The results in the order of the parts; a few are computed ahead."""
    keep_freed_memory()
    workers = cores()
    waiting: deque[tuple[slice, Future[T]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for span in of:
                waiting.append((span, pool.submit(work, span)))
                if len(waiting) > 4 * workers:
                    done, future = waiting.popleft()
                    yield done, future.result()
            while waiting:
                done, future = waiting.popleft()
                yield done, future.result()
        finally:
            for _, future in waiting:
                future.cancel()


def with_faults(c: Comparison, call: Elements, golden: Golden, lanes: Sequence[Array], number: int) -> Comparison:
    """The comparison, with what is beyond the project's own bounds.

    ULPs decide, but of those beyond them each is looked at again: where terms cancel, an argument of exp was rounded,
    or a factor is subnormal, ULPs are not the measure.
    """
    ulps, terms = standards.bounds(call.operator, c.actual.dtype.name)
    suspect = np.flatnonzero(c.ulps > ulps)
    if not len(suspect) or c.actual.dtype.kind in "iu":
        return replace(c, faults=c.ulps > ulps)
    some, actual = [lane[suspect] for lane in lanes], c.actual[suspect]
    dtypes = [actual.dtype] * len(call.computation.loop.outputs)
    expected = golden.expected(some, dtypes)[number]
    wrong = expected.faults(actual, ulps, terms)
    if (at := np.flatnonzero(wrong)).size:
        alone = [lane[at] if k == call.main else np.ones_like(lane[at]) for k, lane in enumerate(some)]
        wrong[at] = ~inherited(actual[at], expected.values[at], golden.expected(alone, dtypes)[number], ulps)
    faults, by_terms = np.zeros(len(c.ulps), bool), np.zeros(len(c.ulps), bool)
    faults[suspect], by_terms[suspect] = wrong, ~wrong
    return replace(c, faults=faults, by_terms=by_terms)


def inherited(actual: Array, exact: Array, factor: Expected, ulps: float) -> Array:
    """Where an error is that of a factor, the derivative or the activated half, which the compute dtype cannot hold.

    A subnormal factor has fewer digits, and what it is multiplied by magnifies their loss; a factor too large is
    infinite there; infinity times a factor that may be 0 is of either sign, or NaN.
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
    """Elements per bin of ULP_EDGES; the first is exact ones to 0.25."""
    above = [len(ulps)]
    largest = float(np.max(ulps, initial=0))
    above += [int(np.count_nonzero(ulps > edge)) if largest > edge else 0 for edge in ULP_EDGES[1:]]
    return -np.diff([*above, 0])


def double(values: Array) -> Array:
    with np.errstate(invalid="ignore", over="ignore"):  # signalling NaNs, and longdouble
        return values.astype(np.float64)
