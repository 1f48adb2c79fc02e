"""Rows with tensors of one number for each element of a row: the access of quantisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .access.elementwise import Part
from .access.halves import Halves
from .loop import Shape
from .rows import Rows


@dataclass(frozen=True, slots=True)
class ScaledRows(Rows):
    """Rows along the last dimension, and tensors `scales` that all rows share.

    Such a tensor has one number for each element of a row, or one number. With `halves`, a row has the elements of both
    halves of a packed tensor.
    """

    broadcasts = True

    dim: str = ""
    scales: tuple[str, ...] = ()
    halves: Halves | None = None

    @property
    def is_packed(self) -> bool:  # type: ignore[override]
        """Whether a tensor has more than one part."""
        return self.halves is not None

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """The tensors that it names."""
        return self.scales if self.halves is None else (*self.halves.packed, *self.scales)

    @property
    def grouped_tensors(self) -> tuple[str, ...]:
        """The tensors that have a row for each group of rows."""
        return self.scales

    def is_elementwise(self, name: str) -> bool:
        """Whether an element sees the element at its own index of a tensor."""
        return self.part_count(name) == 1 and name not in self.scales

    def brings_elements(self, name: str) -> bool:
        """Whether the elements have the rank of this tensor."""
        return name not in self.scales

    def part_count(self, *names: str) -> int:
        """The number of parts of these tensors together."""
        return len(names) if self.halves is None else self.halves.part_count(*names)

    def parts(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> tuple[Part | None, ...]:
        """The parts of a tensor, None for the whole of it."""
        return (None,) if self.halves is None else self.halves.parts(name, shape, attributes)

    def part_shape(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of each of its parts."""
        return shape if self.halves is None else self.halves.part_shape(name, shape, attributes)

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of a tensor whose parts have the shape `elements`."""
        if name in self.scales:
            return elements[-1:]
        if self.halves is not None and name in self.halves.packed:
            return self.halves.whole_shape(name, elements, attributes)
        return Rows.whole_shape(self, name, elements, attributes)

    def elements_shape(self, shapes: Mapping[str, Shape], attributes: Mapping[str, Any]) -> Shape:
        """The shape of the elements that are computed: that of the first tensor, or of its halves."""
        name, shape = next(iter(shapes.items()))
        return self.part_shape(name, shape, attributes)

    def dtype_tensors(self, names: Sequence[str]) -> Sequence[str]:
        """The inputs whose dtypes are promoted to the dtype of the result."""
        return [name for name in names if name not in self.scales]
