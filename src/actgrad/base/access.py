"""Access: the parts of a call's tensors that one element sees, and the arithmetic of that element.

An access object cuts every tensor into the parts that an element sees one element of each. Loops, checks, derivatives,
sharding and test cases ask it; nothing else knows how a tensor is packed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from .computation import RowStatistics
from .errors import InvalidArgument
from .loop import UNKNOWN, UNKNOWN_RANK, Shape, broadcast_shapes, first_known

NONE: Mapping[str, Any] = MappingProxyType({})


class Part(NamedTuple):
    """A range of a tensor along one dimension."""

    name: str
    dim: int
    start: int
    stop: int
    step: int = 1

    @property
    def size(self) -> int:
        """The number of elements along the dimension; an expression where a tracer does not know them."""
        return (self.stop - self.start + self.step - 1) // self.step if self.step > 1 else self.stop - self.start

    @property
    def slices(self) -> tuple[slice, ...]:
        """The index of the part in a tensor of any library."""
        return (*(slice(None),) * self.dim, slice(self.start, self.stop, self.step))


@dataclass(frozen=True, slots=True)
class Elementwise:
    """An element sees the element at its own place of every tensor; tensors are broadcast together."""

    packed: ClassVar[tuple[str, ...]] = ()  # tensors with more than one part
    dim: ClassVar[str] = ""  # the attribute that numbers a dimension
    tensor: ClassVar[str] = ""  # the tensor that lies along one dimension, or has fewer elements otherwise
    terms: ClassVar[tuple[Callable[..., Any], ...]] = ()  # of the statistics of rows that an element sees
    kept: ClassVar[bool] = False  # whether an element sees the last term in place of the tensors
    held: ClassVar[tuple[str, ...]] = ()  # the statistics' names; an output with such a name holds one for each row
    per_row: ClassVar[bool] = False  # whether `tensor` has one element for each row along the last dimension

    @property
    def broadcasts(self) -> bool:
        """Whether tensors may have fewer elements than others, whatever the operator's checks are."""
        return False

    def numbers_dimensions(self, attribute: str) -> bool:
        """Whether an attribute is the number of a dimension."""
        return attribute == self.dim

    def with_packed(self, *names: str) -> Elementwise:
        """The access of an operator that has further packed tensors."""
        return self

    def parts(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> tuple[Part | None, ...]:
        """The parts of a tensor, None for the whole of it."""
        return (None,)

    def merged_from(self, attributes: Mapping[str, Any], rank: int) -> int | None:
        """The dimension from which on all are merged into one row; None where none are."""
        return None

    def part_shape(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of each of its parts."""
        return shape

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of a tensor whose parts have the shape `elements`."""
        return elements

    def aligned(self, name: str, shape: Shape, rank: int, attributes: Mapping[str, Any] = NONE) -> Shape:
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        return shape

    def flattens(self, name: str) -> bool:
        """Whether a tensor's dimensions count as one, whatever its shape is."""
        return False

    def is_elementwise(self, name: str) -> bool:
        """Whether an element sees the element at its own place of a tensor."""
        return name not in self.packed and not self.flattens(name)

    def row_dimensions(
        self, rank: int, attributes: Mapping[str, Any], shapes: Mapping[str, Shape] = NONE
    ) -> tuple[int, ...]:
        """The dimensions of a row, whose statistics an element sees; `shapes` are those of the tensors."""
        return ()

    def rank(self, shapes: Mapping[str, Shape]) -> int:
        """The rank of the elements that are computed, for inputs of these shapes."""
        return max([len(shape) for name, shape in shapes.items() if name != self.tensor])

    def brings_elements(self, name: str) -> bool:
        """Whether the elements have the rank of this tensor."""
        return name != self.tensor

    def elements_shape(self, shapes: Mapping[str, Shape], attributes: Mapping[str, Any]) -> Shape:
        """The shape of the elements that are computed, for inputs whose shapes passed the checks."""
        if len(shapes) == 1:
            return next(iter(shapes.values()))
        rank = self.rank(shapes)
        elements = broadcast_shapes(*[self.aligned(*item, rank, attributes) for item in shapes.items()])
        if elements is None:
            words = ", ".join(f"{name} has shape {shape}" for name, shape in shapes.items())
            raise InvalidArgument(f"{words}; they cannot be broadcast together")
        return elements

    def result_shapes(
        self, outputs: Sequence[str], shapes: Mapping[str, Shape], attributes: Mapping[str, Any]
    ) -> tuple[Shape, ...]:
        """The shape of each output, for inputs whose shapes passed the checks."""
        elements = self.elements_shape(shapes, attributes)
        return tuple([self.result_shape(name, elements, attributes, shapes) for name in outputs])

    def result_shape(
        self, name: str, elements: Shape, attributes: Mapping[str, Any], shapes: Mapping[str, Shape]
    ) -> Shape:
        """The shape of an output, from the elements' shape and the inputs' shapes."""
        return self.whole_shape(name, elements, attributes)

    def dtype_tensors(self, names: Sequence[str]) -> Sequence[str]:
        """The inputs whose dtypes are promoted to the dtype of the result."""
        return names

    def complete(
        self, shapes: Mapping[str, Shape], attributes: Mapping[str, Any], broadcasts: bool
    ) -> dict[str, Shape]:
        """The inputs' shapes with the sizes that they tell of one another; none where the elements' rank is unknown.

        Unless the operator broadcasts, the parts of all tensors have one shape.
        """
        names = [name for name in shapes if self.brings_elements(name)]
        ranked = [name for name in names if shapes[name] is not UNKNOWN_RANK]
        if not ranked or (broadcasts and len(ranked) < len(names)):
            return {}
        any_sizes = (UNKNOWN,) * len(shapes[ranked[0]])
        complete = {name: any_sizes if shape is UNKNOWN_RANK else shape for name, shape in shapes.items()}
        alike = [name for name in names if not broadcasts and len(complete[name]) == len(any_sizes)]
        parts = [self.part_shape(name, complete[name], attributes) for name in alike]
        elements = tuple(map(first_known, zip(*parts, strict=True)))
        for name in alike:
            pairs = zip(complete[name], self.whole_shape(name, elements, attributes), strict=True)
            complete[name] = tuple(map(first_known, pairs))
        return complete

    def statistics(self, outputs: tuple[str, ...], dims: int) -> RowStatistics | None:
        """The statistics of rows of so many dimensions, as a computation has them."""
        return None

    def row(self, count: int) -> Shape:
        """The shape of so many elements, where each sees its own number of every tensor."""
        return (count,)


def along(size: int, position: int, rank: int) -> Shape:
    """The shape that broadcasts so many elements along a dimension to elements of `rank` dimensions."""
    if rank <= position:
        return () if not rank and size == 1 else (size,)
    return (size, *(1,) * (rank - 1 - position))


@dataclass(frozen=True, slots=True)
class Along(Elementwise):
    """As Elementwise, but of one tensor an element sees the number at its place along one dimension.

    The tensor has one dimension, as the channels' slopes of PReLU, or one element for all places.
    """

    tensor: str  # type: ignore[misc]  # a field here, none in Elementwise
    position: int = 1

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """`elements`, for the tensor along a dimension the size of that."""
        if name != self.tensor:
            return elements
        return (elements[self.position],) if len(elements) > self.position else (1,)

    def aligned(self, name: str, shape: Shape, rank: int, attributes: Mapping[str, Any] = NONE) -> Shape:
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        return along(prod(shape), self.position, rank) if name == self.tensor else shape

    def flattens(self, name: str) -> bool:
        """Whether a tensor's dimensions count as one, whatever its shape is."""
        return name == self.tensor

    def row(self, count: int) -> Shape:
        """The shape of so many elements, where each sees its own number of every tensor."""
        return (*(1,) * self.position, count)


@dataclass(frozen=True, slots=True)
class Halves(Elementwise):
    """An element sees one element of each half of the packed tensors, along the dimension that an attribute numbers.

    `active` is the half that comes first, "lower" or "upper", or the attribute that is true for the lower one. Where
    `interleaved`, or the attribute of that name, is true, the halves are the even and the odd elements: along the
    dimension, or with `merges` of all dimensions from it on, in one row. Of `tensor` an element sees the only element,
    or with `per_row` that of its row along the last dimension.
    """

    packed: tuple[str, ...]  # type: ignore[misc]  # a field here, none in Elementwise
    active: str = "upper"
    interleaved: bool | str = False
    dim: str = "dim"  # type: ignore[misc]
    merges: bool = False
    tensor: str = ""  # type: ignore[misc]
    per_row: bool = False  # type: ignore[misc]

    def with_packed(self, *names: str) -> Halves:
        """The access of an operator that has further packed tensors."""
        return replace(self, packed=(*self.packed, *names))

    def parts(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> tuple[Part | None, ...]:
        """The active half of a packed tensor and the other one; None for the whole of another tensor."""
        if name not in self.packed:
            return (None,)
        dim = attributes[self.dim] % len(shape)
        merged = self.merged_from(attributes, len(shape))
        middle = (shape[dim] if merged is None else prod(shape[dim:])) // 2
        if self.is_interleaved(attributes):
            lower, upper = Part("even half", dim, 0, 2 * middle, 2), Part("odd half", dim, 1, 2 * middle, 2)
        else:
            lower, upper = Part("lower half", dim, 0, middle), Part("upper half", dim, middle, 2 * middle)
        return (lower, upper) if self.is_lower(attributes) else (upper, lower)

    def is_lower(self, attributes: Mapping[str, Any]) -> bool:
        """Whether the lower half is the active one."""
        return bool(attributes.get(self.active, self.active == "lower"))

    def is_interleaved(self, attributes: Mapping[str, Any]) -> bool:
        """Whether the halves are the even and the odd elements."""
        return bool(attributes[self.interleaved] if isinstance(self.interleaved, str) else self.interleaved)

    def merged_from(self, attributes: Mapping[str, Any], rank: int) -> int | None:
        """The dimension from which on all are merged into one row; None where the last one alone is."""
        dim = int(attributes[self.dim]) % rank if rank else 0
        return dim if self.merges and dim < rank - 1 and self.is_interleaved(attributes) else None

    def aligned(self, name: str, shape: Shape, rank: int, attributes: Mapping[str, Any] = NONE) -> Shape:
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        if self.flattens(name):
            return (1,)
        return (*shape, 1) if name == self.tensor and self.per_row and len(shape) == rank - 1 else shape

    def flattens(self, name: str) -> bool:
        """Whether a tensor's dimensions count as one, whatever its shape is."""
        return name == self.tensor and not self.per_row

    def part_shape(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> Shape:
        """`shape`, of a packed tensor with half its size along the dimension."""
        return self._resized(shape, attributes, lambda n: n // 2) if name in self.packed else shape

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """`elements`, for a packed tensor with twice the size along the dimension."""
        if name == self.tensor:
            return (*elements[:-1], 1) if self.per_row else (1,)
        return self._resized(elements, attributes, lambda n: 2 * n) if name in self.packed else elements

    def elements_shape(self, shapes: Mapping[str, Shape], attributes: Mapping[str, Any]) -> Shape:
        """The shape of the parts of a packed input; comparing it with other sizes would specialise a traced graph."""
        for name in self.packed:
            if name in shapes:
                return self.part_shape(name, shapes[name], attributes)
        return Elementwise.elements_shape(self, shapes, attributes)

    def result_shape(
        self, name: str, elements: Shape, attributes: Mapping[str, Any], shapes: Mapping[str, Shape]
    ) -> Shape:
        """The shape of an output. A packed one takes the packed input's: to a tracer twice the half is another size."""
        shape = next((shapes[packed] for packed in self.packed if packed in shapes), elements)
        return shape if name in self.packed else elements

    def dtype_tensors(self, names: Sequence[str]) -> Sequence[str]:
        """The inputs whose dtypes are promoted to the dtype of the result: the packed ones."""
        return [name for name in names if name in self.packed] or names

    def _resized(self, shape: Shape, attributes: Mapping[str, Any], size: Callable[[int], int]) -> Shape:
        if not shape:
            return shape
        dim = attributes[self.dim] % len(shape)
        return (*shape[:dim], size(shape[dim]), *shape[dim + 1 :])


Access = Elementwise


def split(access: Access, name: str, tensor: Any, attributes: Mapping[str, Any], rank: int = 0) -> list[Any]:
    """The parts of a tensor of any library, as views that broadcast to elements of `rank` dimensions."""
    shape = tuple(tensor.shape)
    aligned = access.aligned(name, shape, rank, attributes)
    whole = tensor if aligned == shape else tensor.reshape(aligned)
    merged = access.merged_from(attributes, len(shape))
    if merged is not None and name in access.packed:
        half, row = access.part_shape(name, shape, attributes), tensor.reshape((*shape[:merged], prod(shape[merged:])))
        return [row[part.slices].reshape(half) for part in access.parts(name, shape, attributes) if part is not None]
    return [whole if part is None else tensor[part.slices] for part in access.parts(name, shape, attributes)]


def loop_views(access: Access, name: str, tensor: Any, attributes: Mapping[str, Any]) -> list[Any]:
    """The parts of a contiguous tensor as views, with the shape that the loop over elements has."""
    shape = tuple(tensor.shape)
    merged = access.merged_from(attributes, len(shape))
    whole = tensor if merged is None else tensor.reshape((*shape[:merged], prod(shape[merged:])))
    return [whole if part is None else whole[part.slices] for part in access.parts(name, shape, attributes)]


def join(
    access: Access, name: str, parts: Sequence[Any], attributes: Mapping[str, Any], concatenate: Callable[..., Any]
) -> Any:
    """The tensor that has these parts; `concatenate(tensors, dim)` is its library's."""
    if len(parts) == 1:
        return parts[0]
    shape = access.whole_shape(name, tuple(parts[0].shape), attributes)
    places = [part for part in access.parts(name, shape, attributes) if part is not None]
    ordered = [part for _, part in sorted(zip(places, parts, strict=True), key=lambda pair: pair[0].start)]
    dim = places[0].dim
    merged = access.merged_from(attributes, len(shape))
    if merged is not None:
        rows = [part.reshape((*shape[:dim], prod(part.shape[dim:]), 1)) for part in ordered]
        return concatenate(rows, dim + 1).reshape(shape)
    if places[0].step == 1:
        return concatenate(ordered, dim)
    alone = (*parts[0].shape[: dim + 1], 1, *parts[0].shape[dim + 1 :])
    return concatenate([part.reshape(alone) for part in ordered], dim + 1).reshape(shape)
