"""Rows: the access of an operator whose elements see statistics of their row.

A statistic combines a term of each element of the row. A pass over the row takes one or more statistics; its terms see
the statistics of earlier passes. Softmax takes the largest element m, then the total of exp(x - m).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

from .access import NONE, Elementwise, along
from .computation import LARGEST, LENGTH, ONCE, TOTAL, RowStatistics
from .loop import UNKNOWN_RANK, Shape


class Statistic(NamedTuple):
    """A number of a row, such as the largest or the total of its elements' terms."""

    combine: str
    term: Callable[..., Any]  # (inputs..., statistics of earlier passes..., attributes...) -> number


def largest(term: Callable[..., Any]) -> Statistic:
    """The largest term of a row; NaN is left out, and a row without terms has -infinity."""
    return Statistic(LARGEST, term)


def total(term: Callable[..., Any]) -> Statistic:
    """The sum of a row's terms."""
    return Statistic(TOTAL, term)


def once(term: Callable[..., Any]) -> Statistic:
    """A function of earlier statistics and the attributes, computed once for a row; alone in its pass."""
    return Statistic(ONCE, term)


def length() -> Statistic:
    """The number of a row's elements; alone in its pass."""
    return Statistic(LENGTH, _not_called)


def _not_called() -> float:
    """The length of a row has no term."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Rows(Elementwise):
    """An element sees the element at its own place of every tensor, and the statistics of its row.

    A row lies along the dimension that the attribute `dim` numbers; without one, along the dimension `position`. The
    formula takes the inputs, all statistics and the attributes; with `kept`, the last pass's last term in place of the
    inputs. An output with a statistic's name holds that, one for each row.
    """

    passes: tuple[Mapping[str, Statistic], ...] = ()
    dim: str = "dim"  # type: ignore[misc]  # a field here, none in Elementwise
    position: int = -1
    kept: bool = False  # type: ignore[misc]

    @property
    def named(self) -> dict[str, Statistic]:
        """All statistics by name."""
        return {name: statistic for one in self.passes for name, statistic in one.items()}

    @property
    def terms(self) -> tuple[Callable[..., Any], ...]:  # type: ignore[override]
        """The terms of all statistics."""
        return tuple(statistic.term for statistic in self.named.values())

    @property
    def held(self) -> tuple[str, ...]:  # type: ignore[override]
        """The statistics' names."""
        return tuple(self.named)

    def row_dimensions(
        self, rank: int, attributes: Mapping[str, Any], shapes: Mapping[str, Shape] = NONE
    ) -> tuple[int, ...]:
        """The dimensions of a row."""
        return ((attributes[self.dim] if self.dim else self.position) % rank,) if rank else ()

    def statistics(self, outputs: tuple[str, ...], dims: int) -> RowStatistics:
        """The statistics as a computation has them."""
        names = self.held
        return RowStatistics(
            tuple(tuple(statistic.combine for statistic in one.values()) for one in self.passes),
            tuple(names.index(output) if output in names else -1 for output in outputs),
            dims,
            self.kept,
        )

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """`elements`, for a statistic without the row's dimensions."""
        if name not in self.named or elements is UNKNOWN_RANK:
            return elements
        own = self.row_dimensions(len(elements), attributes)
        return tuple(n for d, n in enumerate(elements) if d not in own)

    def aligned(self, name: str, shape: Shape, rank: int, attributes: Mapping[str, Any] = NONE) -> Shape:
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        if name not in self.named:
            return shape
        sizes, own = list(shape), self.row_dimensions(rank, attributes)
        for d in sorted(own):
            sizes.insert(d, 1)
        return tuple(sizes)


@dataclass(frozen=True, slots=True)
class RowsAlong(Rows):
    """As Rows, with a tensor that lies along the dimension `position`, and its gradient, which holds a statistic.

    A row is all elements that see the same number of the tensor.
    """

    tensor: str = ""  # type: ignore[misc]
    dim: str = ""  # type: ignore[misc]
    position: int = 1

    def row_dimensions(
        self, rank: int, attributes: Mapping[str, Any], shapes: Mapping[str, Shape] = NONE
    ) -> tuple[int, ...]:
        """The dimensions of a row: all but that of the tensor, where it has several elements."""
        is_one = prod(shapes.get(self.tensor, (0,))) == 1
        return tuple(d for d in range(rank) if is_one or d != self.position)

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """`elements`, for the tensor and its gradient the size of the dimension."""
        if name not in (self.tensor, *self.held):
            return elements
        return (elements[self.position],) if len(elements) > self.position else (1,)

    @property
    def broadcasts(self) -> bool:
        """Whether tensors may have fewer elements than others: the gradient may."""
        return True

    def result_shape(
        self, name: str, elements: Shape, attributes: Mapping[str, Any], shapes: Mapping[str, Shape]
    ) -> Shape:
        """The shape of an output: of the tensor's gradient the tensor's."""
        return shapes[self.tensor] if name in self.held else elements

    def aligned(self, name: str, shape: Shape, rank: int, attributes: Mapping[str, Any] = NONE) -> Shape:
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        return along(prod(shape), self.position, rank) if self.flattens(name) else shape

    def flattens(self, name: str) -> bool:
        """Whether a tensor's dimensions count as one, whatever its shape is."""
        return name in (self.tensor, *self.held)

    def row(self, count: int) -> Shape:
        """The shape of so many elements, where each sees its own number of every tensor."""
        return (*(1,) * self.position, count)
