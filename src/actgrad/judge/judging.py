"""`judge`: the verdict on a call and its actual outputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..calls.operator import Operator
from . import cross_check, standards
from .diagnosis import axis
from .diagnosis.ranking import diagnose, internal_error
from .diagnosis.sample import EarlierOutputs, Sample
from .elements import Array, Elements, elements
from .golden import Golden
from .measurement import Progress, compare_at, double, measure, spans
from .power import power
from .profiles import CANN, Profile
from .standards import STANDARDS, ElementErrors
from .verdict import SAMPLE_SIZE, Diagnosis, OutputResult, Verdict

DIAGNOSED = 1 << 14  # elements of a call that a diagnosis looks at: all elements of a case with several tiles of 4,096
VERIFICATION_SIZE = 256  # elements whose exact values the CPU backend and NumPy both compute


def judge(
    operator: Operator,
    attributes: dict[str, Any],
    inputs: Sequence[Array | None],
    actual: Sequence[Array | None],
    *,
    measured: Iterable[str] | None = None,
    deciding: Collection[str] | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    explain: bool = True,
    with_power: bool = True,
    earlier: EarlierOutputs = tuple,
    profile: str = CANN,
    baseline: Sequence[Array | None] | None = None,
    level: str = cross_check.LEVEL,
) -> Verdict:
    """The verdict of some standards on `actual`: outcomes, failing elements, and the mistakes that explain them.

    The rules of the product in force (actgrad.product) apply. actgrad's own bounds (`ulp`) decide if `strict`. They
    also decide for a dtype for which no published standard in `deciding` is defined.

    Args:
        operator: the operator that was computed.
        attributes: the attributes. An attribute that is left out has its default.
        inputs: the tensors in the order of the schema, None for an optional tensor that is left out.
        actual: the outputs in the order of the schema, None for an output that is not judged.
        measured: the names of the standards to measure, or None for all.
        deciding: the standards that decide. None means `measured`, or the standards in force if `measured` is None.
        strict: whether actgrad's own bounds decide too.
        progress: a function that is called with the number of elements of each finished chunk.
        explain: whether to search for mistakes.
        with_power: whether to find out which wrong outputs would be accepted.
        earlier: a function that returns the names and outputs of earlier calls. A stale output has values of these.
        profile: what an output may hold at infinities and jumps, see profiles.py.
        baseline: the outputs of a second device. The errors must be at most a few times those of this device.
        level: how many times, see cross_check.py.

    Raises:
        ActgradError: the errors of a call on such tensors.
    """
    call = elements(operator, attributes, tuple(inputs), tuple(actual))
    usual = [name for name in STANDARDS if name not in (*standards.ONLY_IF_NAMED, standards.CROSS_CHECK)]
    requested = set(usual if measured is None else measured) | {*(deciding or ())}
    names = [name for name in STANDARDS if name in requested and name != standards.CROSS_CHECK]
    if deciding is None:
        deciding = standards.IN_FORCE if measured is None else names
    golden = Golden(call.computation)
    if call.size:
        sample = np.arange(0, call.size, max(1, call.size // VERIFICATION_SIZE))
        golden.verify([lane.take(sample) for lane in call.inputs])
    meaning = None if profile == CANN else Profile(profile, call, golden)
    decides = partial(standards.counts, deciding=deciding, strict=strict)
    parts = measure(call, golden, names, decides, progress, profile=meaning)
    verdict = Verdict(operator.name, call.attributes, golden.source, tuple(parts))
    if not verdict.holds and not verdict.failing:  # a mean is too large, and no single element is
        parts = measure(call, golden, names, decides, None, looks_closer=True, profile=meaning)
        verdict = replace(verdict, outputs=tuple(parts))
    if baseline is not None:
        second = elements(operator, attributes, tuple(inputs), tuple(baseline))
        verdict = replace(verdict, outputs=cross_check.compared(call, second, golden, verdict.outputs, level))
        parts = list(verdict.outputs)
    if with_power:
        verdict = replace(verdict, power=power(call, golden, deciding, strict))
    if not verdict.failing:
        return verdict
    counts = len(parts) * np.sum([axis.count(double(call.x.take(span))) for span in spans(call.size)], axis=0)
    ranges = axis.ranges(counts, np.sum([part.failing_by_range for part in parts], axis=0))
    return replace(
        verdict, ranges=ranges, diagnoses=_diagnoses(call, golden, parts, earlier, meaning) if explain else ()
    )


def _diagnoses(
    call: Elements,
    golden: Golden,
    parts: Sequence[OutputResult],
    earlier: EarlierOutputs,
    profile: Profile | None,
) -> tuple[Diagnosis, ...]:
    try:
        return diagnose(_sample(call, golden, parts, earlier, profile))
    except Exception as error:  # a diagnosis must not cost a verdict
        return (internal_error(error, sum(part.failing for part in parts)),)


def _sample(
    call: Elements,
    golden: Golden,
    parts: Sequence[OutputResult],
    earlier: EarlierOutputs,
    profile: Profile | None,
) -> Sample:
    """Some failing and some right elements, for the diagnosis."""
    failing = np.unique(np.concatenate([part.positions for part in parts]))
    failing = failing[:: -(-len(failing) // SAMPLE_SIZE) or 1]
    grid = np.arange(0, call.size, -(-call.size // DIAGNOSED))
    positions = np.unique(np.concatenate([failing, grid]))
    inputs, errors = compare_at(call, golden, positions, profile)
    actual = tuple(c.actual for c in errors)
    outside = tuple(c.wrong for c in errors)
    wrong = _broken(parts, errors) or outside
    count, failing_counts = len(call.computation.loop.inputs), tuple(part.failing for part in parts)
    statistics = tuple(inputs[count:])
    return Sample(call, positions, tuple(inputs[:count]), actual, wrong, failing_counts, statistics, earlier, outside)


def _broken(parts: Sequence[OutputResult], errors: Sequence[ElementErrors]) -> tuple[Array, ...]:
    """The elements that fail a standard which rejects the call. () if the call is accepted, or if no element is."""
    wrong = []
    for part, c in zip(parts, errors, strict=True):
        over = np.zeros(len(c.error), bool)
        for outcome in part.outcomes:
            if outcome.is_broken and outcome.limits is not None and outcome.standard != standards.CROSS_CHECK:
                standard = STANDARDS[outcome.standard]
                over |= standard.apply(c)[0]
                over |= standard.contributes(c, outcome.limits) if standard.contributes is not None else False
        wrong.append(over)
    return tuple(wrong) if any(map(np.any, wrong)) else ()
