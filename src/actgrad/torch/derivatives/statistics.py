"""The derivatives of elements that may use statistics of their row, from the formula and the terms.

A derivative is the sum of the element's own derivative and of the derivatives through each statistic. The partial
derivatives come from dual numbers, so that PyTorch differentiates, transforms and compiles the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple

import torch

from ...base.computation import LENGTH, ONCE, TOTAL, RowStatistics
from .dual import Dual, slope, sum_of, sum_present, value

Numbers = Sequence[Any]


class ElementCall(NamedTuple):
    """The inputs of a call's elements, and the functions of their statistics and outputs on dual numbers."""

    statistics: RowStatistics
    dims: tuple[int, ...]  # dimensions of a row
    formulas: Sequence[Callable[..., Any]]  # the formula of an element, then the terms
    element: Callable[..., Any]
    inputs: Sequence[torch.Tensor]
    attributes: Sequence[float]

    def outputs(self, inputs: Numbers, statistics: Numbers) -> list[Any]:
        """A number for each output, from the inputs and all statistics."""
        if not self.statistics.passes:
            return list(self.element(*self.formulas, *inputs, *self.attributes))
        return self.statistics.results(self.element, self.formulas, inputs, statistics, self.attributes)

    def row_statistics(self, inputs: Numbers) -> list[Any]:
        """All statistics. A statistic is a dual number if an input is a dual number."""

        def combine(kind: str, terms: Any) -> Any:
            if kind == LENGTH:
                return self.length
            number, share = self.combined(kind, value(terms))
            derivative = slope(terms)
            return number if derivative is None else Dual(number, self.total(share * derivative))

        return self.statistics.compute(self.formulas[1:], inputs, self.attributes, combine)

    def combined(self, combine: str, terms: torch.Tensor) -> tuple[torch.Tensor, Any]:
        """A statistic, and the share of each term in its derivative.

        If several terms are the largest, each of them has an equal share.
        """
        terms = self.broadcast(terms)
        if combine == TOTAL:
            return self.total(terms), 1.0
        is_empty = 0 in [terms.shape[d] for d in self.dims]  # amax refuses such rows
        if not self.dims:  # PyTorch would read an empty list of dimensions as all dimensions
            return terms, 1.0
        number = self.total(terms) - math.inf if is_empty else torch.amax(terms, self.dims, keepdim=True)
        is_largest = (terms == number).to(terms.dtype)
        return number, is_largest / self.total(is_largest)

    def broadcast(self, terms: torch.Tensor) -> torch.Tensor:
        """Terms, broadcast to all elements."""
        if terms.shape == self.shape:
            return terms
        return terms.expand(self.shape)  # broadcast_to has no rule for batched gradients

    @property
    def length(self) -> torch.Tensor:
        """The number of elements in a row, as a tensor of shape (1, ..., 1)."""
        shape = self.shape
        count = prod(shape[d] for d in self.dims)
        return self.inputs[0].new_full((1,) * len(shape), count)

    def total(self, terms: torch.Tensor) -> torch.Tensor:
        """The sum of each row."""
        terms = self.broadcast(terms)
        return torch.sum(terms, self.dims, keepdim=True) if self.dims else terms

    @property
    def shape(self) -> torch.Size:
        """The shape of the elements."""
        return torch.broadcast_shapes(*(x.shape for x in self.inputs))

    def statistic_of(self, output: int) -> int:
        """The statistic that an output holds, or -1 if the output holds the elements' results."""
        return self.statistics.output_statistics[output] if self.statistics.passes else -1

    def partials(self, index: int) -> list[Any]:
        """The outputs' own derivatives with respect to the input at `index`.

        None if an output does not depend on the input.
        """
        return [slope(y) for y in self.outputs(_seeded(self.inputs, index), self.row_statistics(self.inputs))]

    def results(self) -> list[torch.Tensor]:
        """The outputs. If an output is a statistic, it has size 1 in each of the row's dimensions."""
        outputs = self.outputs(self.inputs, self.row_statistics(self.inputs))
        return [self.broadcast(y) if self.statistic_of(k) < 0 else self.of_rows(y) for k, y in enumerate(outputs)]

    def of_rows(self, y: Any) -> torch.Tensor:
        """A statistic as a tensor with one value for each row. A formula may also give the statistic as one number."""
        shape = [1 if d in self.dims else n for d, n in enumerate(self.shape)]
        # A product keeps a number that is an input of a graph. new_full would make it a constant.
        return y if isinstance(y, torch.Tensor) else self.inputs[0].new_ones(shape) * y

    def jacobian_vector(self, directions: Sequence[torch.Tensor | None]) -> list[torch.Tensor]:
        """The outputs' tangents, from the inputs' tangents. None means 0."""
        inputs = [x if d is None else Dual(x, d.to(x.dtype)) for x, d in zip(self.inputs, directions, strict=True)]
        outputs = self.outputs(inputs, self.row_statistics(inputs))
        tangents = [torch.zeros_like(value(y)) if slope(y) is None else slope(y) for y in outputs]
        return [self.broadcast(tangent) if self.statistic_of(k) < 0 else tangent for k, tangent in enumerate(tangents)]

    def vector_jacobian(self, index: int, gradients: Sequence[torch.Tensor | None]) -> torch.Tensor | None:
        """The gradient of the input at `index`, from the outputs' gradients. None means 0."""
        dtype, statistics = self.inputs[index].dtype, self.row_statistics(self.inputs)
        cotangents = [None if gradient is None else gradient.to(dtype) for gradient in gradients]
        of_elements = [gradient if self.statistic_of(k) < 0 else None for k, gradient in enumerate(cotangents)]
        total = _weighted(self.outputs(_seeded(self.inputs, index), statistics), of_elements)
        of_statistics = [
            sum_present((
                self._total_of(self.outputs(self.inputs, _seeded(statistics, number)), of_elements),
                *(gradient for k, gradient in enumerate(cotangents) if self.statistic_of(k) == number),
            ))
            for number in range(len(statistics))
        ]  # fmt: skip
        for number, (combine, count) in reversed([*enumerate(self._terms())]):
            gradient, term, earlier = of_statistics[number], partial(self._term, number), statistics[:count]
            if gradient is None or combine == LENGTH:
                continue
            inputs, pulled = ((), _weighted) if combine == ONCE else (self.inputs, self._total_of)
            if combine != ONCE:
                _, share = self.combined(combine, term(inputs, earlier)[0])
                gradient = gradient * share
                contribution = _weighted(term(_seeded(inputs, index), earlier), [gradient])
                total = sum_of(total, None if contribution is None else self.broadcast(contribution))
            for k in range(count):
                of_statistics[k] = sum_of(of_statistics[k], pulled(term(inputs, _seeded(earlier, k)), [gradient]))
        return total

    def _total_of(self, numbers: Iterable[Any], gradients: Iterable[Any]) -> Any:
        through = _weighted(numbers, gradients)
        return None if through is None else self.total(through)

    def _term(self, number: int, inputs: Numbers, earlier: Numbers) -> list[Any]:
        return [self.formulas[1 + number](*inputs, *earlier, *self.attributes)]

    def _terms(self) -> list[tuple[str, int]]:
        """For each statistic, its kind, and the number of earlier statistics that its term gets."""
        result: list[tuple[str, int]] = []
        for combinations in self.statistics.passes:
            result += [(combine, len(result)) for combine in combinations]
        return result


def _seeded(numbers: Numbers, index: int) -> list[Any]:
    """The numbers, with derivatives with respect to the number at `index`."""
    return [Dual(number, 1.0) if k == index else number for k, number in enumerate(numbers)]


def _weighted(numbers: Iterable[Any], gradients: Iterable[Any]) -> Any:
    """The sum of gradients times derivatives. None means 0."""
    pairs = zip(gradients, map(slope, numbers), strict=True)
    return sum_present(None if gradient is None or factor is None else gradient * factor for gradient, factor in pairs)
