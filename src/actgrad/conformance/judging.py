"""The judge: from an operator, attributes, inputs and actual outputs to a verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..calls.operator import Operator
from . import standards
from .diagnosis import axis
from .diagnosis.ranking import diagnose
from .diagnosis.sample import EarlierOutputs, Sample
from .elements import Array, Elements, elements
from .golden import Golden
from .measurement import Progress, compare_at, double, measure, spans
from .power import power
from .standards import STANDARDS
from .verdict import SAMPLED, OutputVerdict, Verdict

VERIFIED = 256  # elements whose exact values are computed in both ways


def judge(
    operator: Operator,
    attributes: dict[str, Any],
    inputs: Sequence[Array | None],
    actual: Sequence[Array | None],
    *,
    asked: Iterable[str] | None = None,
    deciding: Collection[str] | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    explain: bool = True,
    with_power: bool = True,
    earlier: EarlierOutputs = tuple,
) -> Verdict:
    """The verdict of some standards on `actual`: outcomes, failing elements, and the mistakes that they look like.

    The rules of a chosen product (actgrad.product) hold. actgrad's own bounds (`ulp`) count if `strict`, and for a
    dtype that no published standard among `deciding` defines.

    Args:
        operator: the operator that was computed.
        attributes: its attributes, the others having their defaults.
        inputs: the tensors in the order of the schema, None for an optional one.
        actual: the outputs in the order of the schema, None for one that is not judged.
        asked: the names of the standards to measure, or None for all.
        deciding: the standards that decide, or None for `asked`, else for the standards in force.
        strict: whether actgrad's own bounds count too.
        progress: called with the number of elements of each finished chunk.
        explain: whether to search for mistakes.
        with_power: whether to say which wrong outputs would be accepted.
        earlier: returns the names of earlier calls and their outputs, which may stand where an output is stale.

    Raises:
        ActgradError: the errors of a call on such tensors.
    """
    call = elements(operator, attributes, tuple(inputs), tuple(actual))
    requested = set(STANDARDS if asked is None else asked)
    names = [name for name in STANDARDS if name in requested]
    if deciding is None:
        deciding = standards.IN_FORCE if asked is None else names
    golden = Golden(call.computation)
    if call.size:
        sample = np.arange(0, call.size, max(1, call.size // VERIFIED))
        golden.verify([lane.take(sample) for lane in call.inputs])
    parts = measure(call, golden, names, partial(standards.counts, deciding=deciding, strict=strict), progress)
    verdict = Verdict(operator.name, call.attributes, golden.source, tuple(names), tuple(parts))
    if with_power:
        verdict = replace(verdict, power=power(call, golden, deciding, strict))
    if not verdict.failing:
        return verdict
    counts = len(parts) * np.sum([axis.count(double(call.x.take(span))) for span in spans(call.size)], axis=0)
    ranges = axis.ranges(counts, np.sum([part.failing_by_range for part in parts], axis=0))
    return replace(verdict, ranges=ranges, diagnoses=diagnose(_sample(call, golden, parts, earlier)) if explain else ())


def _sample(call: Elements, golden: Golden, parts: Sequence[OutputVerdict], earlier: EarlierOutputs) -> Sample:
    """Failing elements and some right ones, as many as a diagnosis needs."""
    failing = np.unique(np.concatenate([part.positions for part in parts]))
    failing = failing[:: -(-len(failing) // SAMPLED) or 1]
    grid = np.arange(0, call.size, max(1, call.size // SAMPLED))
    positions = np.unique(np.concatenate([failing, grid]))
    inputs, errors = compare_at(call, golden, positions)
    actual, wrong = tuple(c.actual for c in errors), tuple(c.wrong for c in errors)
    count, failing_counts = len(call.computation.loop.inputs), tuple(part.failing for part in parts)
    statistics = tuple(inputs[count:])
    return Sample(call, positions, tuple(inputs[:count]), actual, wrong, failing_counts, statistics, earlier)
