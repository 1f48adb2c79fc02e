"""Failing elements and some right elements, and other ways to compute the call for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...base.computation import Computation
from ...base.dtypes import BY_NAME
from ...base.errors import ActgradError
from .. import elements, error_bounds, oracle, standards
from ..elements import Array, Elements, Lane
from ..golden import Golden

LARGE_ERROR, LARGE_ERROR_BFLOAT16 = 32.0, 8.0  # errors above this number of ULP are large
ROOM = 4.0
MOST_OF_ROWS = 1 << 18  # elements of a call whose rows are computed again
Prediction = list[oracle.Expected]  # one per output lane
#: Outputs of earlier calls, with the names of these calls. They are read only if an element fails.
EarlierOutputs = Callable[[], Iterable[tuple[str, Array]]]


@dataclass(frozen=True)
class Sample:
    """Some elements of a call: inputs, actual outputs, and which elements are wrong."""

    call: Elements
    positions: Array  # in C order
    inputs: tuple[Array, ...]
    actual: tuple[Array, ...]  # per output lane, like `wrong` and `failing`
    wrong: tuple[Array, ...]
    failing: tuple[int, ...]  # the indices among all elements of the call, not in the sample
    statistics: tuple[error_bounds.Sized, ...] = ()  # the exact statistics of the elements' rows
    earlier: EarlierOutputs = tuple
    #: Also the elements that a standard tolerates and actgrad's own bounds do not: they complete a pattern of places.
    outside: tuple[Array, ...] = ()
    room: float = 1.0  # ULP within which 16-bit results agree with a prediction

    def with_large_errors(self) -> Sample:
        """The sample with only the elements that have large errors. Predictions allow for a kernel's own rounding."""
        if self.is_integer:
            return self
        limit = LARGE_ERROR_BFLOAT16 if self.actual[0].dtype.name == "bfloat16" else LARGE_ERROR
        errors = self.errors(self.right)
        wrong = tuple(wrong & ~(ulps <= limit) for wrong, ulps in zip(self.wrong, errors, strict=True))
        counts = [tuple(map(np.count_nonzero, lanes)) for lanes in (wrong, self.wrong)]
        failing = tuple(n * far // max(1, of) for n, far, of in zip(self.failing, *counts, strict=True))
        return replace(self, wrong=wrong, outside=wrong, failing=failing, room=ROOM)

    @property
    def x(self) -> Array:
        return self.inputs[self.call.main]

    def xs_of(self, lane: int) -> list[Array]:
        """The parts of the main tensor that decide about an output lane: x, and the part with the name of the lane.

        Each half of a packed gradient depends on both halves of the packed tensor. Next to bits, an output has a lane
        for each element of a byte of bits, and depends only on this element.
        """
        part = self.call.outputs[lane].name.partition(",")[2]
        names = [one.name for one in self.call.inputs[: len(self.inputs)]]
        if not part or (name := f"{self.call.operator.definition.main},{part}") not in names:
            return [self.x]
        own = self.inputs[names.index(name)]
        return [own] if self.call.operator.access.has_bits else [self.x, own]

    @property
    def is_integer(self) -> bool:
        """Whether the results are integers."""
        return self.actual[0].dtype.kind in "iu"

    @property
    def is_half(self) -> bool:
        """Whether the results are 16-bit floats."""
        return not self.is_integer and self.actual[0].dtype.itemsize == 2

    @property
    def is_of_floats(self) -> bool:
        """Whether the inputs and the results are floats."""
        return BY_NAME[self.x.dtype.name].kind == "float"

    @property
    def failing_values(self) -> Array:
        """The actual values of the wrong elements, for all outputs."""
        values = [actual[wrong] for actual, wrong in zip(self.actual, self.wrong, strict=True)]
        return np.concatenate([v.astype(np.float64) for v in values] if len(values) > 1 else values)

    @cached_property
    def right(self) -> Prediction:
        """The right values."""
        results = self.recomputed()
        assert results is not None, "the call itself was checked"
        return results

    @cached_property
    def memory(self) -> list[tuple[Array, Array, tuple[int, ...]]]:
        """For each lane: the sample's indices in the output's memory, and the exact values in the shape of this memory.

        The halves of one output share its memory.
        """
        call = self.call
        everything = slice(0, call.size)
        exact = Golden(call.computation).values([lane.take(everything) for lane in call.inputs])
        exact = call.cleared(exact, everything)
        lanes: list[tuple[Array, Array, tuple[int, ...]]] = []
        memories: dict[str, Array] = {}
        for lane, number in zip(call.outputs, call.numbers, strict=True):
            values = np.asarray(exact[number])
            if lane.numbers is None:
                lanes.append((self.positions, values, call.shape))
                continue
            indices = lane.numbers().ravel()
            memory = memories.setdefault(lane.name.split(",")[0], np.zeros(int(np.prod(lane.shape)), values.dtype))
            memory[indices] = values
            lanes.append((indices[self.positions], memory, lane.shape))
        return lanes

    def _bounds(self, dtype: np.dtype[Any]) -> tuple[float, float]:
        """The ULP, and the units of terms, within which an element of an output agrees with a prediction.

        They leave room for the rounding of other kernels. Each output has its own, because a quantised result has 8
        bits, and its scale 32.
        """
        ulps, terms = standards.bounds(self.call.operator, dtype.name)
        return max(4 * ulps, 1.0) if dtype.itemsize > 2 else self.room, 2 * terms

    def recomputed(
        self,
        attributes: Mapping[str, Any] | None = None,
        inputs: Mapping[int, Array] | None = None,
        functions: Mapping[str, Any] = error_bounds.FUNCTIONS,
        formula: Any = None,
        is_other_half: bool = False,
        statistics: Sequence[error_bounds.Sized] | None = None,
    ) -> Prediction | None:
        """The results with other attributes, inputs (by index), functions or formula. None if the call is refused.

        With `is_other_half`, the other half of a packed tensor is the active half. The statistics of rows follow from
        all this, if they are not given.
        """
        call = self.call
        lanes = [(inputs or {}).get(k, lane) for k, lane in enumerate(self.inputs)]
        computation, numbers = call.computation, call.numbers
        if attributes is not None:
            setting = {**call.attributes, **attributes}
            try:
                plan = call.operator.plan(*call.tensors, out=call.out, backend="reference", **setting)
            except ActgradError:
                return None
            computation = plan.computation
            is_other_half = self.other_half_is_active(setting)
        if is_other_half:
            first = [lane.name.partition(",")[0] for lane in call.inputs].index(self.packed)
            lanes[first], lanes[first + 1] = lanes[first + 1], lanes[first]
            if call.operator.access.part_count(call.operator.schema.outputs[0]) > 1:
                numbers = (*numbers[1::-1], *numbers[2:])  # the gradient of each half is at that half's place
        if formula is not None:
            place = self.formula_place
            formulas = computation.formulas[:place], computation.formulas[place + 1 :]
            computation = computation._replace(formulas=(*formulas[0], formula, *formulas[1]))
        if statistics is None:
            is_changed = attributes is not None or inputs or functions is not error_bounds.FUNCTIONS or is_other_half
            whole = self._whole(lanes, is_other_half, bool(inputs)) if is_changed else None
            statistics = self.statistics if whole is None else self._statistics(computation, whole, functions)
        results = Golden(computation).expected([*lanes, *statistics], self.actual[0].dtype, functions)
        pairs = zip(numbers, self.actual, strict=True)
        return [cleared(call, replace(results[n], dtype=lane.dtype), self.positions) for n, lane in pairs]

    def _whole(self, lanes: Sequence[Array], is_other_half: bool, has_other_inputs: bool) -> list[Lane] | None:
        """All elements of the inputs. None if only the sample's elements are known, or if rows have no statistics."""
        call, own = self.call, self.call.inputs[: len(self.inputs)]
        if not self.statistics:
            return None
        if len(self.positions) == call.size:
            return [Lane(one.name, lane.reshape(call.shape)) for one, lane in zip(own, lanes, strict=True)]
        if has_other_inputs or call.size > MOST_OF_ROWS:
            return None
        whole = list(own)
        if is_other_half:
            first = [lane.name.partition(",")[0] for lane in own].index(self.packed)
            whole[first], whole[first + 1] = whole[first + 1], whole[first]
        return whole

    def _statistics(
        self, computation: Computation, whole: Sequence[Lane], functions: Mapping[str, Any]
    ) -> Sequence[error_bounds.Sized]:
        """The statistics of the elements' rows for other inputs."""
        combine = partial(error_bounds.combine, self.call.shape, self.call.statistics_axes)
        with np.errstate(all="ignore"):
            found = elements.statistics(computation, whole, combine, functions)
        return [lane.take(self.positions) for lane in found]

    def other_half_is_active(self, attributes: dict[str, Any]) -> bool:
        """Whether these attributes make the other half of the packed tensor the active half."""
        operator = self.call.operator
        if not operator.access.is_packed:
            return False
        orders = [
            operator.access.parts(self.packed, (2,), {**setting, operator.access.dimension_attribute: 0})
            for setting in (self.call.attributes, attributes)
        ]
        return orders[0] == orders[1][::-1]

    @property
    def packed(self) -> str:
        """The packed tensor whose halves the formula reads: the main tensor if it is packed."""
        access, main = self.call.operator.access, self.call.operator.definition.main
        return next(n for n in (main, *self.call.operator.element_tensors) if access.part_count(n) > 1)

    @property
    def formula_place(self) -> int:
        """The index of the operator's formula. A gated gradient has the forward formula before its own."""
        access, formulas = self.call.operator.access, self.call.computation.formulas
        return 0 if access.sees_rows or access.has_bits else len(formulas) - 1

    def agrees(self, prediction: Prediction) -> tuple[Array, ...]:
        """The elements that agree with a prediction."""
        pairs = zip(prediction, self.actual, strict=True)
        return tuple(~p.faults(actual, *self._bounds(actual.dtype)) for p, actual in pairs)

    def errors(self, prediction: Prediction) -> tuple[Array, ...]:
        """The distances from a prediction in ULP, or the differences for integers."""
        return tuple(p.errors(actual) for p, actual in zip(prediction, self.actual, strict=True))

    def moved(self, prediction: Prediction) -> tuple[Array, ...]:
        """The elements where a prediction differs from the right value."""
        pairs = zip(prediction, self.right, strict=True)
        return tuple(right.faults(p.stored, *self._bounds(right.dtype)) for p, right in pairs)

    def where(self, explains: Callable[[oracle.Expected, Array], Array]) -> tuple[Array, ...]:
        """The wrong elements that `explains` chooses from the right and the actual values."""
        lanes = zip(self.right, self.actual, self.wrong, strict=True)
        with np.errstate(all="ignore"):
            return tuple(wrong & explains(right, actual) for right, actual, wrong in lanes)


def cleared(call: Elements, result: oracle.Expected, at: Array) -> oracle.Expected:
    """A result at these positions, with 0 in the rows that the call does not compute."""
    if call.rest is None:
        return result
    values, size, argument_error = call.cleared((result.values, result.size, result.argument_error), at)
    return replace(result, values=values, size=size, argument_error=argument_error)


def where_wrong(sample: Sample, prediction: Prediction) -> Prediction:
    """A prediction for the failing elements, and the right values of the others."""
    return [
        replace(
            p,
            values=np.where(wrong, p.values, right.values),
            size=np.where(wrong, p.size, right.size),
            argument_error=np.where(wrong, p.argument_error, right.argument_error),
        )
        for p, right, wrong in zip(prediction, sample.right, sample.wrong, strict=True)
    ]


@dataclass(frozen=True)
class Suspicion:
    """A mistake, with the values that it predicts, or with the failing elements that it explains."""

    mistake: str
    says: str
    prediction: Prediction | None = None
    explains: tuple[Array, ...] | None = None
    share: float = 0.0  # share of the failing elements that it must explain, if larger than the usual share
    among: tuple[Array, ...] | None = None  # the failing elements that the share refers to, or None for all
    is_loose: bool = False  # whether the prediction is the right value, with larger terms that allow for errors


Rule = Callable[[Sample], Iterator[Suspicion]]
