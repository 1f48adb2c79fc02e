"""The access of an operator on the two halves of a tensor, for example GeGLU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from .. import computation
from ..loop import Shape
from .elementwise import NONE, Elementwise, Function, Part


class Halves(Elementwise):
    """The formula reads one number of each half of the packed tensors. The attribute `dim` is the halved dimension.

    `active` is the first argument of the formula: the "lower" or the "upper" half, or the name of an attribute that is
    True for the lower half. If `interleaved` is True, or names an attribute that is True, the halves are the even and
    the odd elements. `tensor` has one number for all elements.
    """

    is_uniform = False
    is_packed = True
    example_shape = (2, 2)
    factors = ("other",)

    packed: tuple[str, ...]
    active: str = "upper"
    interleaved: bool | str = False
    dim: str = "dim"
    tensor: str = ""

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """The tensors whose names the access has."""
        return (*self.packed, self.tensor) if self.tensor else self.packed

    @property
    def dimension_attribute(self) -> str:
        """The attribute with the dimension that is halved, or "" for the last dimension."""
        return self.dim

    def number(self, attributes: Mapping[str, Any]) -> int:
        """The dimension that is halved."""
        return attributes[self.dim] if self.dim else -1

    def shardable_dimensions(self, rank: int, attributes: Mapping[str, Any], shapes: Mapping[str, Shape]) -> list[int]:
        """The dimensions along which the elements can be computed in pieces: all except the halved dimension."""
        merged = self.merged_from(attributes, rank)
        dim = self.number(attributes) % max(rank, 1)
        return [d for d in range(rank) if d != dim and (merged is None or d < merged)]

    def product(self, outputs: Sequence[str]) -> Function:
        """The arithmetic of a formula of one half that is multiplied by the other half."""
        return computation.gated_forward if len(outputs) > 1 else computation.gated_forward_alone

    def product_gradient(self) -> Function:
        """The arithmetic of the gradients by both halves."""
        return computation.gated_backward

    def part_count(self, *names: str) -> int:
        """The number of parts of these tensors together."""
        return sum(2 if name in self.packed else 1 for name in names)

    def brings_elements(self, name: str) -> bool:
        """Whether the elements have the rank of this tensor."""
        return name != self.tensor

    def with_packed(self, *names: str) -> Halves:
        """The access of an operator that has further packed tensors."""
        return self.changed(packed=(*self.packed, *names))

    def parts(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> tuple[Part | None, ...]:
        """The active half of a packed tensor and the other half. (None,) for another tensor."""
        if name not in self.packed:
            return (None,)
        dim = self.number(attributes) % len(shape)
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

    def aligned(self, name: str, shape: Shape, rank: int, attributes: Mapping[str, Any] = NONE) -> Shape:
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        return (1,) if self.flattens(name) else shape

    def flattens(self, name: str) -> bool:
        """Whether a tensor of any shape is read as a tensor with one dimension."""
        return name == self.tensor

    def part_shape(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of each part of a tensor: for a packed tensor, half the size along the dimension."""
        return self._resized(shape, attributes, lambda n: n // 2) if name in self.packed else shape

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of a tensor: `elements`, or for a packed tensor twice the size along the dimension."""
        if name == self.tensor:
            return (1,)
        return self._resized(elements, attributes, lambda n: 2 * n) if name in self.packed else elements

    def elements_shape(self, shapes: Mapping[str, Shape], attributes: Mapping[str, Any]) -> Shape:
        """The shape of a part of a packed input. Other inputs are not read, because a comparison would make a guard."""
        for name in self.packed:
            if name in shapes:
                return self.part_shape(name, shapes[name], attributes)
        return Elementwise.elements_shape(self, shapes, attributes)

    def result_shape(
        self, name: str, elements: Shape, attributes: Mapping[str, Any], shapes: Mapping[str, Shape]
    ) -> Shape:
        """The shape of an output: for a packed one the packed input's, because a tracer cannot compute 2 * (n // 2)."""
        shape = next((shapes[packed] for packed in self.packed if packed in shapes), elements)
        return shape if name in self.packed else elements

    def dtype_tensors(self, names: Sequence[str]) -> Sequence[str]:
        """The inputs whose dtypes are promoted to the dtype of the result: the packed inputs."""
        return [name for name in names if name in self.packed] or names

    def _resized(self, shape: Shape, attributes: Mapping[str, Any], size: Callable[[int], int]) -> Shape:
        if not shape:
            return shape
        dim = self.number(attributes) % len(shape)
        return (*shape[:dim], size(shape[dim]), *shape[dim + 1 :])
