"""The power of a test case: whether its standards would accept outputs that are wrong everywhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np

from ..backends.reference import rounded
from ..base.dtypes import BY_NAME
from . import standards
from .elements import Array, Elements
from .golden import Golden
from .standards import STANDARDS

SAMPLE_SIZE = 1 << 16  # only the first elements of a call are used
VERDICT = "verdict"  # a key next to the names of standards. It stands for all standards that decide


#: The standards of the table. The others are measured only if a caller names them.
USUAL = tuple(name for name in STANDARDS if name not in (*standards.ONLY_IF_NAMED, standards.CROSS_CHECK))


def _zeros(golden: Array) -> Array:
    return np.zeros_like(golden)


def _times_4(golden: Array) -> Array:
    return np.asarray(golden * golden.dtype.type(4))


def _rolled(golden: Array) -> Array:
    return np.roll(golden, 1)


def _stale(golden: Array) -> Array:
    """The second half has the results of the first half."""
    half = len(golden) // 2
    return np.concatenate([golden[:half], golden[: len(golden) - half]])


#: Functions that make an output which no standard should accept from the right output.
WRONG: Mapping[str, Callable[[Array], Array]] = {
    "zeros": _zeros, "times 4": _times_4, "rolled": _rolled, "stale": _stale,
}  # fmt: skip


def power(
    call: Elements, golden: Golden, deciding: Collection[str], strict: bool, only_finite: bool = False
) -> dict[str, dict[str, bool]]:
    """Whether each standard accepts each wrong output. The key `verdict` tells whether all deciding standards do.

    With `only_finite`, elements whose exact value is NaN or infinite are left out.
    """
    at = slice(0, min(call.size, SAMPLE_SIZE))
    exact = call.cleared(golden.values([lane.take(at) for lane in call.inputs]), at) if call.size else None
    accepted = {mistake: dict.fromkeys((VERDICT, *USUAL), True) for mistake in WRONG}
    for lane, number in zip(call.outputs, call.numbers, strict=True):
        dtype = BY_NAME[lane.array.dtype.name]
        values = np.empty(0) if exact is None else exact[number]
        with np.errstate(all="ignore"):
            values = values[np.isfinite(values.astype(np.float64))] if only_finite else values
            right = rounded(values, dtype)
            wrong_outputs = {mistake: make(right) for mistake, make in WRONG.items()}
        bound = standards.bounds(call.operator, dtype.name)[0]
        for mistake, wrong in wrong_outputs.items():
            errors = standards.compare(wrong, values)
            errors = replace(errors, faults=errors.ulps > bound)
            for name in USUAL:
                holds = STANDARDS[name].apply(errors)[1].holds is not False
                accepted[mistake][name] &= holds
                if standards.counts(name, dtype.name, deciding, strict):
                    accepted[mistake][VERDICT] &= holds
    return accepted


def weaknesses(accepted: Mapping[str, Mapping[str, bool]]) -> list[str]:
    """The wrong outputs that all deciding standards would accept."""
    return [mistake for mistake, by_standard in accepted.items() if by_standard[VERDICT]]
