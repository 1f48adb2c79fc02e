"""TTK's cross check: the errors of an output, compared with the errors of a second device's output.

The method is described in hicann/ops-test-kit, docs/Precision_Comparison.md, section 8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .elements import Array, Elements
from .golden import Golden
from .measurement import failure
from .standards import CROSS_CHECK, ElementErrors, Outcome, compare
from .verdict import MAX_FAILURES, OutputResult


class Level(NamedTuple):
    """The largest ratios of the errors of both devices."""

    largest: float  # of the largest relative errors
    mean: float  # of the mean relative errors
    root: float  # of the root mean squares of the errors


LEVELS: Mapping[str, Level] = {"L0": Level(10.0, 2.0, 2.0), "L1": Level(5.0, 1.5, 1.5), "L2": Level(2.0, 1.2, 1.2)}
LEVEL = "L1"
MOST_SMALL = 2.0  # the largest ratio of the numbers of wrong elements near 0
OFFSET = 1e-7  # added to |golden| in a relative error
#: dtype -> the size below which a golden value is small, and the error above which a small element is wrong
SMALL = {"float16": (2.0**-11, 2.0**-16), "bfloat16": (2.0**-8, 2.0**-16), "float32": (2.0**-14, 2.0**-30)}


def compared(
    call: Elements, second: Elements, golden: Golden, outputs: Sequence[OutputResult], level: str
) -> tuple[OutputResult, ...]:
    """The verdicts on outputs, with the outcome of the cross check."""
    everything = slice(0, call.size)
    inputs = [lane.take(everything) for lane in call.inputs]
    exact = call.cleared(golden.values(inputs), everything)
    verdicts = []
    for lane, other, number, output in zip(call.outputs, second.outputs, call.numbers, outputs, strict=True):
        ours, theirs = (compare(one.take(everything), exact[number]) for one in (lane, other))
        outcome = _outcome(ours, theirs, LEVELS[level])
        output = replace(output, outcomes=(*output.outcomes, outcome))
        if outcome.is_broken and not output.failing:  # the worse elements of the two devices
            worse = np.flatnonzero(ours.error > theirs.error)
            first = worse[np.argsort(-(ours.error - theirs.error)[worse], kind="stable")[:MAX_FAILURES]]
            failures = tuple(failure(call, lane, inputs, ours, int(k)) for k in first)
            output = replace(output, failing=len(worse), first=failures, worst=failures, positions=worse)
        verdicts.append(output)
    return tuple(verdicts)


def _outcome(ours: ElementErrors, theirs: ElementErrors, level: Level) -> Outcome:
    dtype = ours.actual.dtype.name
    if dtype not in SMALL:
        return Outcome(CROSS_CHECK, None, note=f"not defined for {dtype}")
    lost = (ours.error == np.inf) & (theirs.error < np.inf)
    finite = np.isfinite(ours.golden) & np.isfinite(ours.error) & np.isfinite(theirs.error)
    size = np.abs(ours.golden)
    small, wrong = SMALL[dtype]
    is_large, is_small = finite & (size >= small), finite & (size < small)
    relative = [_relative(one.error, size, is_large) for one in (ours, theirs)]
    ratios = {
        "largest": _ratio(*(float(one.max(initial=0)) for one in relative)),
        "mean": _ratio(*map(_mean, relative)),
        "root": _ratio(*(_root(one.error[is_large]) for one in (ours, theirs))),
    }
    counts = [int(np.count_nonzero(one.error[is_small] > wrong)) for one in (ours, theirs)]
    ratio_of_small = _ratio(float(counts[0]), float(counts[1]))
    holds = not lost.any() and ratio_of_small <= MOST_SMALL
    holds &= all(ratios[name] <= limit for name, limit in level._asdict().items())
    words = ", ".join(f"{name} {ratios[name]:.3g} (at most {limit:g})" for name, limit in level._asdict().items())
    says = f"errors relative to the second device: {words}; near 0 {ratio_of_small:.3g} (at most {MOST_SMALL:g})"
    says += f"; {int(np.count_nonzero(lost))} not finite" if lost.any() else ""
    worse = 0 if holds else max(1, int(np.count_nonzero(ours.error > theirs.error)))
    return Outcome(CROSS_CHECK, (), elements=len(ours.error), over=worse, note=says)


def _relative(error: Array, size: Array, at: Array) -> Array:
    relative: Array = error[at] / (size[at] + OFFSET)
    return relative


def _mean(values: Array) -> float:
    return float(values.mean()) if values.size else 0.0


def _root(errors: Array) -> float:
    return float(np.sqrt(np.mean(np.square(errors)))) if errors.size else 0.0


def _ratio(ours: float, theirs: float) -> float:
    """The ratio of two errors. Two exact outputs have the ratio 1."""
    if theirs == 0:
        return 1.0 if ours == 0 else float("inf")
    return float(ours / theirs)
