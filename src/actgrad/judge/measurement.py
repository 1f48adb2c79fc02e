"""The measurement of a call's errors, in chunks of elements, on all cores. The counts of all chunks are summed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..backends import cores
from . import oracle, standards
from .diagnosis import axis
from .elements import Array, At, Elements, Lane
from .error_bounds import Sized
from .golden import Golden
from .oracle import Expected
from .profiles import Profile
from .standards import STANDARDS, ElementErrors
from .verdict import MAX_FAILURES, SAMPLE_SIZE, ULP_EDGES, Failure, OutputResult

T = TypeVar("T")
Decides = Callable[[str, str], bool]  # (standard, dtype) -> whether this standard decides about this dtype
Progress = Callable[[int], None]  # a function that is called with the number of elements of each chunk
CHUNK = 1 << 18  # elements. With smaller chunks, threads mostly wait for Python's global lock
_RETAINED_BYTES = 24 << 20  # below 32 MiB, the largest value of glibc's threshold


def measure(
    call: Elements,
    golden: Golden,
    names: Sequence[str],
    decides: Decides,
    progress: Progress | None,
    looks_closer: bool = False,
    profile: Profile | None = None,
) -> list[OutputResult]:
    """The verdict of the standards `names` on each output.

    With `looks_closer`, elements that only make a mean too large fail too. The verdicts on chunks are added in the
    order of the chunks, so the result does not depend on the threads.
    """

    def chunk(at: slice) -> list[OutputResult]:
        inputs, errors = compare_at(call, golden, at, profile)
        lanes = zip(call.outputs, errors, strict=True)
        return [_verdict(call, lane, inputs, c, at.start, names, decides, looks_closer) for lane, c in lanes]

    outputs: list[OutputResult] = []
    for span, parts in in_threads(chunk, spans(call.size)):
        outputs = [a + b for a, b in zip(outputs, parts, strict=True)] if outputs else parts
        if progress is not None:
            progress((span.stop - span.start) * len(parts))
    return outputs


def _verdict(
    call: Elements,
    lane: Lane,
    inputs: Sequence[Any],
    c: ElementErrors,
    start: int,
    names: Sequence[str],
    decides: Decides,
    looks_closer: bool,
) -> OutputResult:
    """The verdict on the chunk of an output that begins at position `start`."""
    dtype, x, ulps = c.actual.dtype.name, inputs[call.main], np.where(c.by_terms, 0, c.ulps)
    outcomes, failing = [], np.zeros(len(ulps), bool)
    for standard in (STANDARDS[name] for name in names):
        over, outcome = standard.apply(c, decides(standard.name, dtype))
        failing |= over
        if outcome.limits is not None and looks_closer and standard.contributes is not None:
            failing |= standard.contributes(c, outcome.limits)
        outcomes.append(outcome)

    stride, most = max(1, call.size // SAMPLE_SIZE), max(64, SAMPLE_SIZE * CHUNK // max(1, call.size))
    some = np.arange(-start % stride, len(ulps), stride)
    at = np.flatnonzero(failing)
    worst = at[np.argsort(-ulps[at], kind="stable")]
    return OutputResult(
        lane.name,
        dtype,
        len(ulps),
        len(at),
        int(np.count_nonzero(c.by_terms)),
        tuple(outcomes),
        histogram(ulps),
        tuple(failure(call, lane, inputs, c, int(k), start) for k in at[:MAX_FAILURES]),
        tuple(failure(call, lane, inputs, c, int(k), start) for k in worst[:MAX_FAILURES]),
        np.stack([double(x[some]), double(ulps[some]), start + some], axis=1),
        start + np.union1d(at[:: -(-len(at) // most) or 1], at[:MAX_FAILURES]),
        axis.count(double(x[at])),
    )


def failure(call: Elements, lane: Lane, inputs: Sequence[Any], c: ElementErrors, k: int, start: int = 0) -> Failure:
    """Element `k` of a chunk of an output that begins at position `start`. `inputs` are those of the chunk."""
    pairs = zip(call.inputs, inputs, strict=True)
    numbers = {one.name: _number(values[k]) for one, values in pairs}
    errors = float(c.ulps[k]), 0.0 if c.by_terms[k] else float(c.ulps[k])
    return Failure(lane.index(start + k), numbers, _number(c.actual[k]), _number(c.golden[k]), *errors)


def _number(value: Any) -> float | int:
    return int(value) if isinstance(value, np.integer) else float(value)


def compare_at(
    call: Elements, golden: Golden, at: At, profile: Profile | None = None
) -> tuple[list[Any], list[ElementErrors]]:
    """The inputs at these positions, and the errors of each output there."""
    inputs = [lane.take(at) for lane in call.inputs]
    is_rest = call.in_rest(at)
    exact: Any = dict.fromkeys(call.numbers, np.empty(0))
    if call.size:
        exact = call.cleared(golden.values(inputs), at)
    errors = []
    for k, (lane, n) in enumerate(zip(call.outputs, call.numbers, strict=True)):
        actual, adjusted = lane.take(at), exact[n]
        if profile is not None:
            adjusted = profile.adjusted(k, exact[n], actual, inputs, at)
        is_stated = is_rest | _differs(adjusted, exact[n])  # nothing excuses an error there
        errors.append(_compare(actual, adjusted, call, golden, inputs, n, is_stated))
    return inputs, errors


def _differs(adjusted: Array, exact: Array) -> Array:
    if adjusted is exact:
        return np.zeros(len(exact), bool)
    return np.asarray(~((adjusted == exact) | (np.isnan(adjusted) & np.isnan(exact))))


def spans(size: int) -> Iterator[slice]:
    """The chunks of all elements, or one empty chunk."""
    for start in range(0, max(1, size), CHUNK):
        yield slice(start, min(start + CHUNK, size))


def in_threads(work: Callable[[slice], T], of: Iterable[slice]) -> Iterator[tuple[slice, T]]:
    """The chunks and the results of `work`, in order. Leaving the loop cancels the chunks that have not begun."""
    retain_memory()
    parts = list(of)
    with ThreadPoolExecutor(cores()) as pool:
        yield from zip(parts, pool.map(work, parts), strict=True)


def retain_memory() -> None:
    """Have glibc keep the memory of arrays that are freed later: freeing a large block raises its threshold.

    Otherwise half of the time would be spent on asking the system for this memory again.
    """
    np.empty(_RETAINED_BYTES, np.uint8)


def _compare(
    actual: Array,
    exact: Array,
    call: Elements,
    golden: Golden,
    lanes: Sequence[Array],
    number: int,
    is_rest: Array,
) -> ElementErrors:
    """The errors of one output. `faults` are the elements whose errors exceed actgrad's own bounds.

    An error of more ULP than allowed is not a fault if terms cancel, if a rounded argument of exp explains the error,
    or if a factor is subnormal.
    """
    c = standards.compare(actual, exact)
    if call.operator.gradient_of is None and c.actual.dtype.kind not in "iu":
        c = replace(c, lost_signs=_lost_signs(c, lanes[call.main]))
    ulps, terms = standards.bounds(call.operator, c.actual.dtype.name)
    suspect = np.flatnonzero((c.ulps > ulps) & ~is_rest)
    if not (len(suspect) and terms):
        return replace(c, faults=c.ulps > ulps)
    wrong = faults_among(c.actual[suspect], call, golden, [lane[suspect] for lane in lanes], number)[1]
    faults, by_terms = np.zeros(len(c.ulps), bool), np.zeros(len(c.ulps), bool)
    faults[suspect], by_terms[suspect] = wrong, ~wrong
    faults |= is_rest & (c.ulps > ulps)
    return replace(c, faults=faults, by_terms=by_terms)


def _lost_signs(c: ElementErrors, x: Array) -> Array | None:
    """Which results at x = -inf are zeros of the wrong sign: silu(-inf) is -0. None if no result there is 0."""
    with np.errstate(invalid="ignore"):
        zeros = (c.actual == 0) & (c.exact == 0) & (x == -np.inf)
    if not zeros.any():
        return None
    lost: Array = zeros & (np.signbit(c.actual) != np.signbit(c.exact))
    return lost


def faults_among(
    actual: Array, call: Elements, golden: Golden, lanes: Sequence[Array], number: int
) -> tuple[Expected, Array, Array]:
    """The exact values of some elements, the faults, and the errors that come from a factor. See `inherited`."""
    ulps, terms = standards.bounds(call.operator, actual.dtype.name)
    expected = golden.expected(lanes, actual.dtype)[number]
    faults, excused = expected.faults(actual, ulps, terms), np.zeros(len(actual), bool)
    if (at := np.flatnonzero(faults)).size and actual.dtype.kind not in "iu":
        is_factor = [k == call.main or isinstance(lane, Sized) for k, lane in enumerate(lanes)]
        pairs = zip(lanes, is_factor, strict=True)
        lanes = [lane[at] if is_part else np.ones_like(lane[at]) for lane, is_part in pairs]
        excused[at] = inherited(actual[at], expected.values[at], golden.expected(lanes, actual.dtype)[number], ulps)
    return expected, faults & ~excused, excused


def inherited(actual: Array, exact: Array, factor: Expected, ulps: float) -> Array:
    """The elements whose error comes from a factor (the derivative or f(active)) outside the compute dtype's range.

    A subnormal factor has fewer digits, and the other factor magnifies the error. A factor that is too large becomes
    infinite. Infinity times a factor that may round to 0 may be NaN or have either sign.
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


def histogram(ulps: Array) -> tuple[int, ...]:
    """The number of elements in each bin of ULP_EDGES. The first bin is from 0 to 0.25 ULP."""
    above = [len(ulps)]
    largest = float(np.max(ulps, initial=0))
    above += [int(np.count_nonzero(ulps > edge)) if largest > edge else 0 for edge in ULP_EDGES[1:]]
    return tuple(map(int, -np.diff([*above, 0])))


def double(values: Array) -> Array:
    with np.errstate(invalid="ignore", over="ignore"):  # signalling NaNs, and longdouble
        return values.astype(np.float64)
