"""Rows: the access of an operator whose formula reads statistics of the element's row, such as softmax.

A statistic combines a term of each element of the row. A pass over the row computes one or more statistics. The terms
of a pass can read the statistics of earlier passes. Softmax computes the largest element m in its first pass, and the
total of exp(x - m) in its second pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from . import computation
from .access.along import TensorAlong, has_dimension
from .access.elementwise import NONE, Choice, Elementwise, Function
from .computation import LARGEST, LENGTH, ONCE, ONCE_PER_ROW, TOTAL, RowStatistics
from .loop import UNKNOWN_RANK, Shape
from .records import Record

Term = Callable[..., Any] | Mapping[Any, Any]


class Statistic(Record):
    """A number of a row, such as the largest or the total of its elements' terms."""

    combine: str
    #: (inputs..., statistics of earlier passes..., attributes...) -> number. It may be a mapping as the formula is.
    term: Term


def largest(term: Term) -> Statistic:
    """The largest term of a row, without NaN. A row without terms has -infinity."""
    return Statistic(LARGEST, term)


def total(term: Term) -> Statistic:
    """The sum of a row's terms."""
    return Statistic(TOTAL, term)


def once(term: Term) -> Statistic:
    """A function of earlier statistics and the attributes, computed once for a row. Its pass has no other statistic."""
    return Statistic(ONCE, term)


def length() -> Statistic:
    """The number of a row's elements. Its pass has no other statistic."""
    return Statistic(LENGTH, _not_called)


def _not_called() -> float:
    """The term of `length`, which is never called."""
    return 0.0


class Rows(Elementwise):
    """The formula reads every tensor at the index of the result's element, and the statistics of the element's row.

    A row lies along the dimension in the attribute `dim`, or along the dimension `position` if `dim` is "". The formula
    takes the inputs, all statistics and the attributes. With `replaces_inputs`, it takes the last term of the last pass
    instead of the inputs. An output with the name of a statistic is this statistic, with one element for each row.
    """

    is_uniform = False
    sees_rows = True
    has_contiguous_results = True  # as results of PyTorch's softmax
    least_rank = 1  # a tensor without dimensions is a row of one element
    example_shape = (2, 2)

    passes: tuple[Mapping[str, Statistic], ...] = ()
    dim: str = "dim"
    position: int = -1
    replaces_inputs: bool = False

    @property
    def dimension_attribute(self) -> str:
        """The attribute that is the number of a dimension, or "" for none."""
        return self.dim

    @property
    def statistics_by_name(self) -> dict[str, Statistic]:
        """All statistics, in the order in which they are computed."""
        return {name: statistic for group in self.passes for name, statistic in group.items()}

    @property
    def terms(self) -> tuple[Any, ...]:
        """The terms of all statistics."""
        return tuple(statistic.term for statistic in self.statistics_by_name.values() if statistic.combine != LENGTH)

    def is_statistic(self, name: str) -> bool:
        """Whether an output is a statistic, with one number for each row."""
        return any(name in group for group in self.passes)

    def element(self, outputs: Sequence[str]) -> Function:
        """The arithmetic of one element, for one or for several results besides the statistics."""
        is_one = self.part_count(*[output for output in outputs if not self.is_statistic(output)]) == 1
        return computation.forward if is_one else computation.forward_of_several

    def formulas(self, formula: Function, choose: Choice, fill: Choice) -> tuple[Function, ...]:
        """The formulas of a computation: the elements' formula, and the terms of all statistics."""
        terms = [
            choose(statistic.term) if (statistic.combine,) in ONCE_PER_ROW else fill(choose(statistic.term))
            for statistic in self.statistics_by_name.values()
        ]
        return (formula if self.replaces_inputs else fill(formula), *terms)

    def term_arguments(self, names: Sequence[str]) -> list[str]:
        """The arguments of a term of these tensors, before statistics and attributes."""
        return [name for name in names for _ in range(self.part_count(name))]

    def formula_arguments(self, names: Sequence[str]) -> list[str]:
        """The arguments of a formula of these tensors, before the attributes. A term in their place has no name."""
        return [*([""] if self.replaces_inputs else self.term_arguments(names)), *self.statistics_by_name]

    def shardable_dimensions(self, rank: int, attributes: Mapping[str, Any], shapes: Mapping[str, Shape]) -> list[int]:
        """The dimensions along which the elements can be computed in pieces: all but the dimensions of a row."""
        row = self.row_dimensions(rank, attributes, shapes)
        return [d for d in range(rank) if d not in row]

    def row_dimensions(
        self, rank: int, attributes: Mapping[str, Any], shapes: Mapping[str, Shape] = NONE
    ) -> tuple[int, ...]:
        """The dimensions of a row."""
        return ((attributes[self.dim] if self.dim else self.position) % rank,) if rank else ()

    def statistics(self, outputs: tuple[str, ...], dims: int) -> RowStatistics:
        """The statistics for the computation, if a row has `dims` dimensions."""
        names = tuple(self.statistics_by_name)
        parts = [output for output in outputs for _ in range(self.part_count(output))]
        return RowStatistics(
            tuple(tuple(statistic.combine for statistic in group.values()) for group in self.passes),
            tuple(names.index(output) if output in names else -1 for output in parts),
            dims,
            self.replaces_inputs,
        )

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of a tensor: `elements`, or for a statistic `elements` without the row's dimensions."""
        if not self.is_statistic(name) or elements is UNKNOWN_RANK:
            return elements
        row = self.row_dimensions(len(elements), attributes)
        return tuple(n for d, n in enumerate(elements) if d not in row)

    def aligned(self, name: str, shape: Shape, rank: int, attributes: Mapping[str, Any] = NONE) -> Shape:
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        if not self.is_statistic(name):
            return shape
        sizes = list(shape)
        for d in sorted(self.row_dimensions(rank, attributes)):
            sizes.insert(d, 1)
        return tuple(sizes)


class RowsAlong(TensorAlong, Rows):
    """Rows for the gradient of a tensor that lies along the dimension `position`. This gradient is a statistic.

    A row is all elements for which the formula reads the same number of the tensor.
    """

    broadcasts = True
    has_contiguous_results = False

    tensor: str = ""
    dim: str = ""
    position: int = 1

    def row_dimensions(
        self, rank: int, attributes: Mapping[str, Any], shapes: Mapping[str, Shape] = NONE
    ) -> tuple[int, ...]:
        """The dimensions of a row: all but the dimension of the tensor, where the tensor has several elements."""
        is_one = prod(shapes.get(self.tensor, (0,))) == 1
        other = self.position % rank if has_dimension(self.position, rank) else None
        return tuple(d for d in range(rank) if is_one or d != other)

    def result_shape(
        self, name: str, elements: Shape, attributes: Mapping[str, Any], shapes: Mapping[str, Shape]
    ) -> Shape:
        """The shape of an output: the gradient of the tensor has the tensor's shape."""
        return shapes[self.tensor] if self.is_statistic(name) else elements
