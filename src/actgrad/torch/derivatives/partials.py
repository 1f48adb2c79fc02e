"""The derivatives of any operator, from its formula in PyTorch's own operators. All higher orders build on these.

A kernel computes an element of the outputs from the elements at the same place of the inputs. So a derivative is a
product of tensors with the elements' partial derivatives. The formula on dual numbers gives the partial derivatives, as
expressions that PyTorch differentiates, transforms and compiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from math import prod
from typing import Any

import torch

from ...base.access import join, split
from ...base.computation import RowStatistics
from ...base.dtypes import BY_NAME
from ...base.element_formulas import element_and_formulas
from ...base.errors import InvalidArgument, InvalidDtype
from ...calls.operator import Operator
from ...checks import law
from . import closed_forms
from .dual import bound
from .statistics import ElementCall

Tensors = Sequence["torch.Tensor | None"]
_NO_STATISTICS = RowStatistics((), (), 0)


class FormulaCall:
    """A call with tensors that are cut into parts. A part has the numbers that one element of the result depends on."""

    def __init__(self, operator: Operator, tensors: Tensors, attributes: dict[str, Any]):
        self.operator, self.attributes, self.access = operator, attributes, operator.access
        every = zip(operator.schema.tensor_names, tensors, strict=True)
        self.tensors = {name: tensor for name, tensor in every if tensor is not None}
        if any(tensor.is_complex() for tensor in self.tensors.values()):
            names = [name for name, tensor in self.tensors.items() if tensor.is_complex()]
            raise InvalidDtype(
                f"{operator.name}: {names[0]} is complex; forward mode and second derivatives need real tensors; call "
                "PyTorch's own function"
            )
        if self.tensors.get(operator.ragged.groups) is not None:
            fault = f"{operator.name}: {operator.ragged.groups} assigns rows to groups"
            raise InvalidArgument(f"{fault}; a decomposed graph must have none; leave it out, or keep the operator")
        if self.access.has_blocks:
            fault = f"{operator.name} has statistics of blocks"
            raise InvalidArgument(f"{fault}; a decomposed graph must not have such statistics; keep the operator")
        dtypes = {name: BY_NAME[str(tensor.dtype).removeprefix("torch.")] for name, tensor in self.tensors.items()}
        dtype = torch.float64 if any(each.compute == "float64" for each in dtypes.values()) else torch.float32
        self.shapes = {name: tuple(tensor.shape) for name, tensor in self.tensors.items()}
        self.rank = self.access.rank(self.shapes)
        row = self.access.row_dimensions(self.rank, attributes, self.shapes)
        statistics = self.access.statistics(operator.schema.outputs, len(row)) or _NO_STATISTICS
        written = operator.definition.new_dtype_of(operator.schema.outputs[0], attributes)
        if written:
            dtypes[operator.schema.outputs[0]] = BY_NAME[written]
        element, formulas = element_and_formulas(operator.definition, dtypes, attributes, law.current())
        self.visible_tensors = {
            name: tensor for name, tensor in self.tensors.items() if name in operator.element_tensors
        }
        inputs = [part.to(dtype) for part in self.parts(self.visible_tensors) if part is not None]
        scalars = [attributes[a.name] for a in operator.schema.attributes if a.type == "Scalar"]
        self.elements = ElementCall(statistics, row, [bound(f, dtype) for f in formulas], element, inputs, scalars)

    def parts(self, tensors: dict[str, Any]) -> list[torch.Tensor | None]:
        """The parts of some inputs or outputs, such as two halves. Each part of a missing tensor is None."""
        parts: list[torch.Tensor | None] = []
        for name, tensor in tensors.items():
            if tensor is None:
                parts += [None] * self.access.part_count(name)
            else:
                parts += split(self.access, name, tensor, self.attributes, self.rank)
        return parts

    def positions(self, tensor: str) -> list[int]:
        """The positions of a tensor's parts among the elements' inputs."""
        owners = [name for name in self.visible_tensors for _ in self.parts({name: None})]
        return [index for index, name in enumerate(owners) if name == tensor]

    def masked(self, parts: Iterable[Any]) -> list[Any]:
        """The parts, but with 0 in rows that the operator does not compute."""
        counter = self.tensors.get(self.operator.ragged.counter)
        if counter is None:
            return [*parts]
        first = next(iter(self.tensors.values()))
        shape = first.shape[: self.access.dimension(self.attributes, first.dim())]
        numbers = first.new_ones(prod(shape), dtype=torch.int64).cumsum(0)  # 1, 2, ... in a tensor of the same class
        is_computed = numbers <= counter.sum()
        is_computed = is_computed.reshape(*shape, *(1,) * (first.dim() - len(shape)))
        return [None if part is None else torch.where(is_computed, part, 0) for part in parts]

    def joined(self, name: str, parts: Sequence[Any]) -> torch.Tensor:
        """Join parts into the packed tensor. A missing part is zero."""
        like = next(part for part in parts if part is not None)
        present = [torch.zeros_like(like) if part is None else part for part in parts]
        tensor: torch.Tensor = join(self.access, name, present, self.attributes, torch.cat)
        return tensor

    def shaped(self, values: Sequence[Any], dtype: torch.dtype) -> list[torch.Tensor]:
        """Make the outputs from the values of the formulas. A statistic lacks the dimensions of the row.

        `dtype` is the dtype of outputs for which the operator states none.
        """
        return [
            self._output(name, list(islice(parts, self.access.part_count(name))), dtype)
            for parts in [iter(values)]
            for name in self.operator.schema.outputs
        ]

    def _output(self, name: str, parts: list[Any], dtype: torch.dtype) -> torch.Tensor:
        """Make one output from its parts."""
        value = self.joined(name, parts) if len(parts) > 1 else parts[0]
        if self.elements.statistics.passes:
            shape = self.access.result_shape(name, self.elements.shape, self.attributes, self.shapes)
            value = value.reshape(shape)
        dtype_name = self.operator.definition.new_dtype_of(name, self.attributes)
        dtype = getattr(torch, dtype_name) if dtype_name else dtype
        return rounded(value, dtype).to(dtype)


def vector_jacobian(
    operator: Operator, tensors: Tensors, attributes: dict[str, Any], gradients: Tensors, number: int
) -> torch.Tensor:
    """The gradient of the tensor with this number, from the outputs' gradients. None means 0."""
    closed = closed_forms.CROSS_ENTROPIES.get(operator.definition.formula_for(attributes))
    if closed is not None and all(gradient is None for gradient in gradients[1:]):
        return closed(number, *tensors, gradients[0])
    call = FormulaCall(operator, tensors, attributes)
    cotangents = call.masked(call.parts(dict(zip(operator.schema.outputs, gradients, strict=True))))
    name = operator.schema.tensor_names[number]
    parts = [call.elements.vector_jacobian(index, cotangents) for index in call.positions(name)]
    target = call.tensors[name]
    if all(part is None for part in parts):
        return torch.zeros_like(target)
    if len(parts) > 1:
        return call.joined(name, parts).to(target.dtype)
    (part,) = parts
    assert part is not None, "tested above"
    aligned = call.access.aligned(name, call.shapes[name], part.dim(), attributes)
    return part.sum_to_size(aligned).reshape(target.shape).to(target.dtype)


def jacobian_vector(
    operator: Operator, tensors: Tensors, attributes: dict[str, Any], tangents: Tensors, dtype: torch.dtype
) -> list[torch.Tensor | None]:
    """The outputs' tangents, from the tensors' tangents. None means 0."""
    call = FormulaCall(operator, tensors, attributes)
    tangent_of = dict(zip(operator.schema.tensor_names, tangents, strict=True))
    directions = call.parts({name: tangent_of[name] for name in call.visible_tensors})
    results = call.shaped(call.masked(call.elements.jacobian_vector(directions)), dtype)
    return [result if result.is_floating_point() else None for result in results]  # integers have no tangents


def results(operator: Operator, tensors: Tensors, attributes: dict[str, Any]) -> tuple[torch.Tensor, ...]:
    """Compute the outputs of a call by the formula. The default dtype is the dtype of the first tensor."""
    call = FormulaCall(operator, tensors, attributes)
    return tuple(call.shaped(call.masked(call.elements.results()), next(iter(call.tensors.values())).dtype))


def rounded(result: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """A result to be copied into an output of `dtype`.

    Kernels round to the nearest integer, and floats of 8 bits saturate. A copy does neither.
    """
    if result.dtype == dtype or dtype == torch.float8_e8m0fnu:
        return result
    if dtype.is_floating_point and dtype.itemsize == 1:
        return result.clamp(-torch.finfo(dtype).max, torch.finfo(dtype).max)
    if not result.is_floating_point() or dtype.is_floating_point or dtype.is_complex or dtype == torch.bool:
        return result
    ends = torch.iinfo(dtype)
    return result.double().round().nan_to_num(0.0, ends.max, ends.min).clamp(ends.min, ends.max)


def depends_on_sign_only(operator: Operator, attributes: dict[str, Any], name: str) -> bool:
    """Whether the derivative by a tensor is 0 except at kinks, because the operator needs only its signs."""
    if operator.access.sees_rows:
        return False
    ones = [torch.ones((), device="cpu")] * len(operator.schema.tensor_names)
    call = FormulaCall(operator, ones, attributes)
    return all(derivative is None for index in call.positions(name) for derivative in call.elements.partials(index))
