"""The judge: from an operator, attributes, inputs and actual outputs to a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..calls.operator import Operator
from . import standards
from .diagnosis import axis
from .diagnosis.ranking import diagnose
from .diagnosis.sample import Sample
from .elements import Array, Elements, elements
from .golden import Golden
from .measurement import SAMPLED, SHOWN, Measured, Measurement, double, spans, with_faults
from .standards import STANDARDS, Tally
from .verdict import Failure, Judged, Verdict

VERIFIED = 256  # elements whose exact values are computed in both ways
Progress = Callable[[int], None]  # called with the number of elements of each chunk


def judge(
    operator: Operator,
    attributes: dict[str, Any],
    inputs: Sequence[Array | None],
    actual: Sequence[Array | None],
    *,
    asked: Iterable[str] = tuple(STANDARDS),
    strict: bool = False,
    progress: Progress | None = None,
    explain: bool = True,
) -> Verdict:
    """The verdict of some standards on `actual`: outcomes, failing elements, and the mistakes that they look like.

    The rules of a chosen product (actgrad.product) hold. actgrad's own bounds (`ulp`) count if `strict`, and for a
    dtype that no published standard among `asked` defines.

    Args:
        operator: the operator that was computed.
        attributes: its attributes; the others have their defaults.
        inputs: the tensors in the order of the schema, None for an optional one.
        actual: the outputs in the order of the schema, None for one that is not judged.
        asked: the names of the standards.
        strict: whether actgrad's own bounds count beside published standards.
        progress: called with the number of elements of each finished chunk.
        explain: whether to search for mistakes.

    Raises:
        ActgradError: the errors of a call on such tensors.
    """
    call = elements(operator, attributes, tuple(inputs), tuple(actual))
    asked = [name for name in STANDARDS if name in set(asked)]
    golden = Golden(call.computation)
    sample = np.arange(0, call.size, max(1, call.size // VERIFIED))
    golden.verify([lane.take(sample) for lane in call.inputs])
    measurement = Measurement(call, golden, asked)
    measurement.run(progress)
    parts = measurement.outputs
    is_failing = any(part.failing for part in parts)
    judged = [_judged(call, golden, k, asked, strict, part) for k, part in enumerate(parts)]
    return Verdict(
        operator=operator.name,
        attributes=call.attributes,
        golden=golden.source,
        standards=tuple(asked),
        outputs=tuple(judged),
        ranges=axis.ranges(_counts(call), np.sum([part.ranges for part in parts], axis=0)) if is_failing else (),
        diagnoses=diagnose(_sample(call, golden, parts)) if is_failing and explain else (),
    )


# All elements


def _counts(call: Elements) -> Array:
    """Elements per range of x, for each output."""
    counts = sum((axis.count(double(call.x.take(span))) for span in spans(call.size)), np.zeros(axis.BINS, np.int64))
    return counts * len(call.outputs)


def _judged(call: Elements, golden: Golden, k: int, asked: list[str], strict: bool, part: Measured) -> Judged:
    lane = call.outputs[k]
    dtype = lane.array.dtype.name
    return Judged(
        name=lane.name,
        dtype=dtype,
        elements=call.size,
        failing=part.failing,
        by_terms=part.by_terms,
        outcomes=tuple(
            standards.decide(
                STANDARDS[name], dtype, part.tallies.get(name, Tally()), standards.counts(name, asked, dtype, strict)
            )
            for name in asked
        ),
        histogram=tuple(int(n) for n in part.histogram),
        first=_failures(call, golden, k, np.sort(part.first)[:SHOWN]),
        worst=_failures(call, golden, k, np.array([place for _, place in part.worst], np.int64)),
        points=part.points,
    )


def _failures(call: Elements, golden: Golden, k: int, places: Array) -> tuple[Failure, ...]:
    if not len(places):
        return ()
    lane = call.outputs[k]
    inputs, actual = [operand.take(places) for operand in call.inputs], lane.take(places)
    exact = golden.values(inputs)[call.numbers[k]]
    c = standards.compare(actual, exact)
    return tuple(
        Failure(
            lane.index(int(place)),
            {operand.name: _number(values[n]) for operand, values in zip(call.inputs, inputs, strict=True)},
            _number(actual[n]),
            _number(c.golden[n]),
            float(c.ulps[n]),
        )
        for n, place in enumerate(places)
    )


def _number(value: Any) -> float | int:
    return int(value) if isinstance(value, np.integer) else float(value)


def _sample(call: Elements, golden: Golden, parts: Sequence[Measured]) -> Sample:
    """Failing elements and some right ones, as many as a diagnosis needs."""
    failing = np.unique(np.concatenate([part.first for part in parts]))
    failing = failing[:: -(-len(failing) // SAMPLED) or 1]
    others = np.arange(0, call.size, max(1, call.size // SAMPLED))
    places = np.unique(np.concatenate([failing, others]))
    inputs = [lane.take(places) for lane in call.inputs]
    actual = [lane.take(places) for lane in call.outputs]
    exact = golden.values(inputs)
    wrong = []
    for lane, number in zip(actual, call.numbers, strict=True):
        c = with_faults(standards.compare(lane, exact[number]), call, golden, inputs, number)
        assert c.faults is not None, "just looked at"
        wrong.append(c.faults)
    return Sample(call, places, tuple(inputs), tuple(actual), tuple(wrong), tuple(part.failing for part in parts))
