"""The methods of an access object, for formulas that read every tensor at the index of the result's element.

The other kinds of access override some of these methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from .. import computation
from ..computation import RowStatistics
from ..errors import InvalidArgument
from ..loop import Shape, broadcast_shapes
from ..records import Record

Shapes = Mapping[str, Shape]  # by the names of tensors
NONE: Mapping[str, Any] = MappingProxyType({})
Function = Callable[..., Any]
Choice = Callable[[Any], Function]


class Part(Record):
    """A range of a tensor along one dimension."""

    name: str
    dim: int
    start: int
    stop: int
    step: int = 1

    @property
    def size(self) -> int:
        """The number of elements along the dimension. In a trace, it may be an expression."""
        return (self.stop - self.start + self.step - 1) // self.step if self.step > 1 else self.stop - self.start

    @property
    def slices(self) -> tuple[slice, ...]:
        """The index of the part in a tensor of any library."""
        return (*(slice(None),) * self.dim, slice(self.start, self.stop, self.step))


class Elementwise(Record):
    """The formula reads every tensor at the index of the result's element. Tensors are broadcast together."""

    is_uniform = True  # whether the formula reads only one number of each tensor
    is_packed = False  # whether a tensor has more than one part
    sees_rows = False  # whether the formula reads statistics of the row
    has_bits = False  # whether a tensor has the bits of eight elements in a byte
    has_blocks = False  # whether rows are cut into blocks with separate statistics
    has_contiguous_results = False  # whether new results are row-major. Otherwise they have the order of an input
    broadcasts = False  # whether tensors may have fewer elements than others, whatever the operator's checks are
    least_rank = 0  # the least number of dimensions of a tensor with elements
    example_shape: ClassVar[Shape] = (5,)  # of the elements of an example
    stored_dtypes: ClassVar[Mapping[str, str]] = NONE  # the tensors whose dtype the layout decides, with this dtype
    factors: ClassVar[tuple[str, ...]] = ()  # what `multiplies` may name besides tensors: parts of a tensor

    @property
    def grouped_tensors(self) -> tuple[str, ...]:
        """The tensors that have a row for each group of rows."""
        return ()

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """The tensors that this access names."""
        return ()

    @property
    def terms(self) -> tuple[Any, ...]:
        """The terms of the statistics that the formula reads."""
        return ()

    @property
    def dimension_attribute(self) -> str:
        """The attribute that is the number of a dimension, or "" for none."""
        return ""

    def dimension(self, attributes: Mapping[str, Any], rank: int) -> int | None:
        """The dimension that is halved or that a row lies along, from 0, or None without an attribute for it."""
        return attributes[self.dimension_attribute] % max(rank, 1) if self.dimension_attribute else None

    def position_of(self, name: str) -> int | None:
        """The dimension that a tensor of one dimension lies along, or None for other tensors."""
        return None

    def shardable_dimensions(self, rank: int, attributes: Mapping[str, Any], shapes: Shapes) -> list[int]:
        """The dimensions along which the elements can be computed in pieces."""
        return [*range(rank)]

    def part_count(self, *names: str) -> int:
        """The number of parts of these tensors together."""
        return len(names)

    def is_statistic(self, name: str) -> bool:
        """Whether an output is a statistic, with one element for each row."""
        return False

    def is_per_row(self, name: str) -> bool:
        """Whether a tensor has one element for each row along the last dimension."""
        return False

    def element(self, outputs: Sequence[str]) -> Function | None:
        """The arithmetic of an element, a function of computation.py. None if it follows from the operator's roles."""
        return None

    def product(self, outputs: Sequence[str]) -> Function:
        """The arithmetic of a formula that is multiplied by a factor."""
        return computation.pair_forward

    def product_gradient(self) -> Function:
        """The arithmetic of the gradient of such a product."""
        return computation.pair_backward

    def formulas(self, formula: Function, choose: Choice, fill: Choice) -> tuple[Function, ...]:
        """The formulas of a computation. `choose` makes a function of a term. `fill` adds the numbers of `absent`."""
        return (fill(formula),)

    def formula_arguments(self, names: Sequence[str]) -> list[str]:
        """The arguments of a formula of these tensors, before the attributes. Each part has its tensor's name."""
        return [name for name in names for _ in range(self.formula_count(name))]

    def formula_count(self, *names: str) -> int:
        """The number of arguments or results that a formula has for these tensors."""
        return self.part_count(*names)

    def with_packed(self, *names: str) -> Elementwise:
        """The access of an operator that has further packed tensors."""
        return self

    def parts(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> tuple[Part | None, ...]:
        """The parts of a tensor. None means the whole tensor."""
        return (None,)

    def merged_from(self, attributes: Mapping[str, Any], rank: int) -> int | None:
        """The first of the dimensions that are merged into one row, or None if no dimensions are merged."""
        return None

    def part_shape(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of each part of a tensor."""
        return shape

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of a tensor whose parts have the shape `elements`."""
        return elements

    def aligned(self, name: str, shape: Shape, rank: int, attributes: Mapping[str, Any] = NONE) -> Shape:
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        return shape

    def flattens(self, name: str) -> bool:
        """Whether a tensor of any shape is read as a tensor with one dimension."""
        return False

    def is_elementwise(self, name: str) -> bool:
        """Whether the formula reads a tensor at the index of the result's element."""
        return self.part_count(name) == 1 and not self.flattens(name)

    def row_dimensions(self, rank: int, attributes: Mapping[str, Any], shapes: Shapes = NONE) -> tuple[int, ...]:
        """The dimensions of a row with statistics. `shapes` are the tensors' shapes."""
        return ()

    def blocks(self, size: int, attributes: Mapping[str, Any]) -> Shape:
        """The shape of the blocks that a row of this size is cut into. Each block has statistics. () for whole rows."""
        return ()

    def rank(self, shapes: Shapes) -> int:
        """The rank of the elements that are computed, for inputs of these shapes."""
        return max([len(shape) for name, shape in shapes.items() if self.brings_elements(name)])

    def brings_elements(self, name: str) -> bool:
        """Whether the elements have the rank of this tensor."""
        return True

    def elements_shape(self, shapes: Shapes, attributes: Mapping[str, Any]) -> Shape:
        """The shape of the elements that are computed, for inputs whose shapes passed the checks."""
        if len(shapes) == 1:
            return next(iter(shapes.values()))
        elements = broadcast_shapes(*[self.aligned(*item, self.rank(shapes), attributes) for item in shapes.items()])
        if elements is None:
            words = ", ".join(f"{name} has shape {shape}" for name, shape in shapes.items())
            raise InvalidArgument(f"{words}; they cannot be broadcast together; reshape one of them")
        return elements

    def result_shapes(self, outputs: Sequence[str], shapes: Shapes, attributes: Mapping[str, Any]) -> tuple[Shape, ...]:
        """The shape of each output, for inputs whose shapes passed the checks."""
        elements = self.elements_shape(shapes, attributes)
        return tuple([self.result_shape(name, elements, attributes, shapes) for name in outputs])

    def result_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any], shapes: Shapes) -> Shape:
        """The shape of an output. `elements` is the shape of the elements, `shapes` are the shapes of the inputs."""
        return self.whole_shape(name, elements, attributes)

    def dtype_tensors(self, names: Sequence[str]) -> Sequence[str]:
        """The inputs whose dtypes are promoted to the dtype of the result."""
        return names

    def statistics(self, outputs: tuple[str, ...], dims: int) -> RowStatistics | None:
        """The statistics of a computation whose rows have `dims` dimensions. None without statistics."""
        return None

    def row(self, count: int) -> Shape:
        """A shape for `count` elements, so that every tensor has a different number for each element."""
        return (count,)


Access = Elementwise
