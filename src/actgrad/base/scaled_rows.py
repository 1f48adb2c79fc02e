"""Rows with tensors of one number for each element of a row: the access of quantisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .access.elementwise import NONE, Part
from .access.halves import Halves
from .loop import Shape
from .rows import Rows


class ScaledRows(Rows):
    """Rows along the last dimension, and tensors `scales` that all rows share.

    Such a tensor has one number for each element of a row, or one number. With `halves`, a row has the elements of both
    halves of a packed tensor. Scales may be packed too. If `halves` names a tensor, this tensor has one number for each
    row, and its gradient is a statistic with the shape of the tensor.
    """

    broadcasts = True

    dim: str = ""
    scales: tuple[str, ...] = ()
    halves: Halves | None = None

    @property
    def factors(self) -> tuple[str, ...]:  # type: ignore[override]
        """What `multiplies` may name besides tensors: parts of a tensor."""
        return () if self.halves is None else self.halves.factors

    @property
    def is_packed(self) -> bool:  # type: ignore[override]
        """Whether a tensor has more than one part."""
        return self.halves is not None

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """The tensors that this access names."""
        return self.scales if self.halves is None else (*self.halves.tensor_names, *self.scales)

    @property
    def grouped_tensors(self) -> tuple[str, ...]:
        """The tensors that have a row for each group of rows."""
        return self.scales

    def dimension(self, attributes: Mapping[str, Any], rank: int) -> int:
        """The dimension of a row, from 0."""
        return max(rank, 1) - 1

    def is_elementwise(self, name: str) -> bool:
        """Whether the formula reads a tensor at the index of the result's element."""
        return self.part_count(name) == 1 and name not in self.scales

    def brings_elements(self, name: str) -> bool:
        """Whether the elements have the rank of this tensor."""
        return name not in self.scales and (self.halves is None or self.halves.brings_elements(name))

    def is_per_row(self, name: str) -> bool:
        """Whether a tensor has one element for each row."""
        return self.halves is not None and (self.halves.is_per_row(name) or self.is_statistic(name))

    def with_packed(self, *names: str) -> ScaledRows:
        """The access of an operator that has further packed tensors."""
        return self if self.halves is None else self.changed(halves=self.halves.with_packed(*names))

    def part_count(self, *names: str) -> int:
        """The number of parts of these tensors together."""
        return len(names) if self.halves is None else self.halves.part_count(*names)

    def parts(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> tuple[Part | None, ...]:
        """The parts of a tensor. None means the whole tensor."""
        return (None,) if self.halves is None else self.halves.parts(name, shape, attributes)

    def part_shape(self, name: str, shape: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of each part of a tensor."""
        return shape if self.halves is None else self.halves.part_shape(name, shape, attributes)

    def whole_shape(self, name: str, elements: Shape, attributes: Mapping[str, Any]) -> Shape:
        """The shape of a tensor whose parts have the shape `elements`."""
        if name in self.scales:
            elements = elements[-1:]
        if self.halves is not None and name in self.halves.tensor_names:
            return self.halves.whole_shape(name, elements, attributes)
        return elements if name in self.scales else Rows.whole_shape(self, name, elements, attributes)

    def aligned(self, name: str, shape: Shape, rank: int, attributes: Mapping[str, Any] = NONE) -> Shape:
        """The shape that broadcasts a tensor to elements of `rank` dimensions."""
        if len(shape) == rank:
            return shape
        if self.halves is None or self.is_statistic(name):
            return Rows.aligned(self, name, shape, rank, attributes)
        return self.halves.aligned(name, shape, rank, attributes)

    def result_shape(
        self, name: str, elements: Shape, attributes: Mapping[str, Any], shapes: Mapping[str, Shape]
    ) -> Shape:
        """The shape of an output."""
        if self.halves is not None and self.is_statistic(name) and name == f"grad_{self.halves.tensor}":
            return shapes[self.halves.tensor]
        if self.halves is not None and name in self.halves.packed:
            return self.halves.result_shape(name, elements, attributes, shapes)
        return self.whole_shape(name, elements, attributes)

    def elements_shape(self, shapes: Mapping[str, Shape], attributes: Mapping[str, Any]) -> Shape:
        """The shape of the elements that are computed: the shape of the first tensor, or of its halves."""
        name, shape = next(iter(shapes.items()))
        return self.part_shape(name, shape, attributes)

    def dtype_tensors(self, names: Sequence[str]) -> Sequence[str]:
        """The inputs whose dtypes are promoted to the dtype of the result."""
        return [name for name in names if self.brings_elements(name)]
