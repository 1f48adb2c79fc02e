"""The access of an operator with a tensor of bits, with eight bits in a byte, such as the mask of ReLU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import computation
from ..loop import Shape
from ..xp import where
from .elementwise import Choice, Elementwise, Function, Part

BITS = 8  # in a byte


def bit(x, power):  # type: ignore[no-untyped-def]  # a formula
    """1 if x >= power, else 0"""
    return where(x >= power, 1.0, 0.0)


class Bits(Elementwise):
    """The formula reads every tensor at the index of the result's element, and one bit of the tensor `tensor`.

    A byte of this tensor has the bits of eight elements along the last dimension. The first element has the lowest bit.
    A kernel computes the eight elements of a byte together. The formula computes one element. Its last argument before
    the attributes, or its last result, is the bit, which is 0 or 1.
    """

    is_uniform = False
    is_packed = True
    has_bits = True
    example_shape = (2, 2)

    tensor: str

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """The tensors that this access names."""
        return (self.tensor,)

    def shardable_dimensions(self, rank: int, attributes: Mapping[str, Any], shapes: Mapping[str, Shape]) -> list[int]:
        """The dimensions along which the elements can be computed in pieces: all except the dimension of the bits."""
        return [*range(rank - 1)]

    def part_count(self, *names: str) -> int:
        """The number of parts of these tensors together."""
        return sum(1 if name == self.tensor else BITS for name in names)

    def formula_count(self, *names: str) -> int:
        """The number of arguments or results that a formula has for these tensors."""
        return len(names)

    def element(self, outputs: Sequence[str]) -> Function:
        """The arithmetic of the eight elements of a byte."""
        return computation.forward_to_bits if self.tensor in outputs else computation.forward_from_bits

    @property
    def stored_dtypes(self) -> Mapping[str, str]:  # type: ignore[override]  # a constant elsewhere
        """The tensors whose dtype the layout decides: bits are in bytes."""
        return {self.tensor: "uint8"}

    def formulas(self, formula: Function, choose: Choice, fill: Choice) -> tuple[Function, ...]:
        """The formulas of a computation: the formula of an element, and the formula of a bit."""
        return formula, bit

    def parts(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> tuple[Part | None, ...]:
        """The first element of each byte, the second one, and so on. A byte is one part."""
        if name == self.tensor:
            return (None,)
        dim = len(shape) - 1
        return tuple([Part(f"element {k} of {BITS}", dim, k, shape[dim], BITS) for k in range(BITS)])

    def part_shape(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of each part of a tensor."""
        return shape if name == self.tensor or not shape else (*shape[:-1], shape[-1] // BITS)

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of a tensor whose parts have the shape `elements`."""
        return elements if name == self.tensor or not elements else (*elements[:-1], elements[-1] * BITS)

    def elements_shape(self, shapes: Mapping[str, Shape], attributes: Mapping[str, Any]) -> Shape:
        """The shape of the elements that are computed: of the first tensor's parts."""
        name, shape = next(iter(shapes.items()))
        return self.part_shape(name, shape, attributes)

    def result_shape(
        self, name: str, elements: Shape, attributes: Mapping[str, Any], shapes: Mapping[str, Shape]
    ) -> Shape:
        """The shape of an output. To a tracer, eight times an eighth is another size than the input's size."""
        return elements if name == self.tensor else next(shape for n, shape in shapes.items() if n != self.tensor)

    def dtype_tensors(self, names: Sequence[str]) -> Sequence[str]:
        """The inputs whose dtypes are promoted to the dtype of the result."""
        return [name for name in names if name != self.tensor]
