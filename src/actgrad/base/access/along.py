"""The access of an operator with a tensor along one dimension, such as PReLU's weight with a number per channel."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from ..loop import Shape
from .elementwise import NONE, Elementwise


def has_dimension(position: int, rank: int) -> bool:
    """Whether elements of `rank` dimensions have this dimension. A negative dimension counts from the last."""
    return -rank <= position < rank


def along(size: int, position: int, rank: int) -> Shape:
    """The shape that broadcasts so many elements along a dimension to elements of `rank` dimensions."""
    if not has_dimension(position, rank):
        return () if not rank and size == 1 else (size,)
    return (size, *(1,) * (rank - 1 - position % rank))


class TensorAlong(Elementwise):
    """The methods of an access with a tensor along the dimension `position`. -1 is the last dimension."""

    is_uniform = False
    example_shape = (2, 2)

    tensor: str
    position: int

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """The tensors that this access names."""
        return (self.tensor,)

    def position_of(self, name: str) -> int | None:
        """The dimension that a tensor of one dimension lies along, or None for other tensors."""
        return self.position if name == self.tensor else None

    def brings_elements(self, name: str) -> bool:
        """Whether the elements have the rank of this tensor."""
        return name != self.tensor

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """`elements`, or for a tensor along the dimension the size of that dimension."""
        if not self.flattens(name):
            return elements
        return (elements[self.position],) if has_dimension(self.position, len(elements)) else (1,)

    def aligned(self, name: str, shape: Shape, rank: int, attributes: Mapping[str, Any] = NONE) -> Shape:
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        return along(prod(shape), self.position, rank) if self.flattens(name) else shape

    def flattens(self, name: str) -> bool:
        """Whether a tensor's dimensions count as one, for any shape."""
        return name == self.tensor or self.is_statistic(name)

    def row(self, count: int) -> Shape:
        """A shape for this many elements, so that every tensor has a different number for each element."""
        return (*(1,) * self.position, count) if self.position >= 0 else (count, *(1,) * (-1 - self.position))


class Along(TensorAlong):
    """Like Elementwise, but the formula reads one tensor at the index of the result's element along one dimension.

    This tensor has one dimension, such as the slopes of PReLU's channels, or one number for all elements.
    """

    tensor: str
    position: int = 1
