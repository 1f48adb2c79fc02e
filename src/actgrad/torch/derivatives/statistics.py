"""The derivatives of operators whose elements see statistics of their row, from formula and terms.

A derivative is the element's own, and that through each statistic. The terms' partial derivatives come from dual
numbers, so that PyTorch differentiates, transforms and compiles the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch

from ...base.computation import ONCE, TOTAL, RowStatistics
from .dual import Dual, slope, sum_of, value

Numbers = list[Any]


class RowCall(NamedTuple):
    """A call's inputs, and the functions of its statistics and its elements on dual numbers."""

    statistics: RowStatistics
    dims: tuple[int, ...]  # of a row
    formulas: Sequence[Callable[..., Any]]  # of an element, then the terms
    element: Callable[..., Any]
    inputs: list[torch.Tensor]
    attributes: list[float]

    def terms(self) -> list[tuple[str, int, Callable[..., Any]]]:
        """Of each statistic its combination, how many earlier ones its term sees, and the term."""
        found: list[tuple[str, int, Callable[..., Any]]] = []
        terms = iter(self.formulas[1:])
        for one in self.statistics.passes:
            seen = len(found)
            found += [(combine, seen, next(terms)) for combine in one]
        return found

    def outputs(self, inputs: Numbers, found: Numbers) -> Numbers:
        """A number of each output, given the inputs and all statistics."""
        return self.statistics.results(self.element, self.formulas, inputs, found, self.attributes)

    def found(self, inputs: Numbers) -> Numbers:
        """All statistics, with derivatives where the inputs have some."""

        def combine(kind: str, terms: Any) -> Any:
            number, share = self.combined(kind, value(terms))
            derivative = slope(terms)
            return number if derivative is None else Dual(number, self.total(share * derivative))

        return self.statistics.find(self.formulas[1:], inputs, self.attributes, combine)

    def combined(self, combine: str, terms: torch.Tensor) -> tuple[torch.Tensor, Any]:
        """A statistic, and each term's share in its derivative; the largest terms share it."""
        terms = self.whole(terms)
        if combine == TOTAL:
            return self.total(terms), 1.0
        number = torch.amax(terms, self.dims, keepdim=True)
        is_largest = (terms == number).to(terms.dtype)
        return number, is_largest / self.total(is_largest)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the elements."""
        return tuple(torch.broadcast_shapes(*(x.shape for x in self.inputs)))

    def whole(self, terms: torch.Tensor) -> torch.Tensor:
        """Terms of all elements."""
        return terms.expand(self.shape)  # broadcast_to has no rule for batched gradients

    def total(self, terms: torch.Tensor) -> torch.Tensor:
        """The sums of the rows."""
        return torch.sum(self.whole(terms), self.dims, keepdim=True)


def results(call: RowCall) -> list[torch.Tensor]:
    """The outputs; a statistic that one holds has 1 for each of the row's dimensions."""
    values = call.outputs(call.inputs, call.found(call.inputs))
    pairs = zip(values, call.statistics.held_by, strict=True)
    return [call.whole(y) if held < 0 else y for y, held in pairs]


def jacobian_vector(call: RowCall, directions: Sequence[torch.Tensor | None]) -> list[torch.Tensor]:
    """The outputs' tangents, given those of the inputs; None stands for 0."""
    inputs = [x if d is None else Dual(x, d.to(x.dtype)) for x, d in zip(call.inputs, directions, strict=True)]
    outputs = call.outputs(inputs, call.found(inputs))
    tangents = [torch.zeros_like(value(y)) if slope(y) is None else slope(y) for y in outputs]
    pairs = zip(tangents, call.statistics.held_by, strict=True)
    return [call.whole(tangent) if held < 0 else tangent for tangent, held in pairs]


def vector_jacobian(call: RowCall, place: int, gradients: Sequence[torch.Tensor | None]) -> torch.Tensor | None:
    """The gradient of the input at `place`, given the outputs' gradients; None stands for 0."""
    found, terms = call.found(call.inputs), call.terms()
    of_found: Numbers = [None] * len(found)
    total: Any = None

    def derivatives(function: Callable[[Numbers, Numbers], Numbers], number: int | None) -> Numbers:
        """The derivatives of a function by a statistic, or by the input at `place`."""
        inputs, numbers = list(call.inputs), list(found)
        if number is None:
            inputs[place] = Dual(inputs[place], 1.0)
        else:
            numbers[number] = Dual(numbers[number], 1.0)
        return [slope(y) for y in function(inputs, numbers)]

    for output, gradient in enumerate(gradients):
        if gradient is None:
            continue
        gradient = gradient.to(call.inputs[0].dtype)
        held = call.statistics.held_by[output]
        if held >= 0:
            of_found[held] = sum_of(of_found[held], gradient)
            continue
        for number in range(len(found)):
            derivative = derivatives(call.outputs, number)[output]
            if derivative is not None:
                of_found[number] = sum_of(of_found[number], call.total(gradient * derivative))
        own = derivatives(call.outputs, None)[output]
        total = sum_of(total, None if own is None else gradient * own)
    for number in reversed(range(len(found))):
        if of_found[number] is None:
            continue
        combine, seen, term = terms[number]
        if combine == ONCE:
            for earlier in range(seen):
                numbers = list(found[:seen])
                numbers[earlier] = Dual(numbers[earlier], 1.0)
                derivative = slope(term(*numbers, *call.attributes))
                if derivative is not None:
                    of_found[earlier] = sum_of(of_found[earlier], of_found[number] * derivative)
            continue
        compute = partial(_term, call, term, seen)
        _, share = call.combined(combine, value(compute(call.inputs, found)[0]))
        shared = of_found[number] * share
        for earlier in range(seen):
            (derivative,) = derivatives(compute, earlier)
            if derivative is not None:
                of_found[earlier] = sum_of(of_found[earlier], call.total(shared * derivative))
        (own,) = derivatives(compute, None)
        total = sum_of(total, None if own is None else call.whole(shared * own))
    return None if total is None else call.whole(total)


def _term(call: RowCall, term: Callable[..., Any], seen: int, inputs: Numbers, found: Numbers) -> Numbers:
    return [term(*inputs, *found[:seen], *call.attributes)]
