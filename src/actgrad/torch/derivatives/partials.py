"""The derivatives of any operator from its formula, in PyTorch's own operators: all higher orders are made of them.

A kernel computes an element of the outputs from the elements at the same place of the inputs. So a derivative is a
product of tensors with the elements' partial derivatives. The formula of dual numbers gives these, as expressions that
PyTorch differentiates, transforms and compiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, NamedTuple

import torch

from ...base import products
from ...base.access import join, split
from ...base.errors import InvalidDtype
from ...calls.operator import Operator
from . import statistics
from .dual import Dual, bound, slope, value

Tensors = Sequence["torch.Tensor | None"]


class ElementCall(NamedTuple):
    """The computation of a call's elements."""

    compute: Any  # (inputs, attributes) -> outputs, on dual numbers
    inputs: list[torch.Tensor]
    owners: list[int]  # the number of the tensor that each input is a part of
    attributes: list[float]
    dtype: torch.dtype  # of the arithmetic
    rows: statistics.RowCall | None  # of an operator whose elements see statistics


def vector_jacobian(
    operator: Operator, tensors: Tensors, attributes: dict[str, Any], gradients: Tensors, number: int
) -> torch.Tensor:
    """The gradient of the tensor at `number`, given the outputs' gradients; None stands for 0."""
    element = _element(operator, tensors, attributes)
    rank = _rank(operator, tensors)
    cotangents = _parts(operator, attributes, gradients, rank, of_outputs=True)
    is_counted = counted_rows(operator, tensors, attributes)
    if is_counted is not None:
        cotangents = [None if cotangent is None else torch.where(is_counted, cotangent, 0) for cotangent in cotangents]
    places = [place for place, owner in enumerate(element.owners) if owner == number]
    if element.rows is None:
        parts = [sum_present(_products(element, place, cotangents)) for place in places]
    else:
        parts = [statistics.vector_jacobian(element.rows, place, cotangents) for place in places]
    target = tensors[number]
    assert target is not None, "only given tensors are differentiated"
    if all(part is None for part in parts):
        return torch.zeros_like(target)
    if len(parts) > 1:
        return _joined(operator, operator.schema.tensor_names[number], attributes, parts, target.dtype)
    aligned = operator.access.aligned(
        operator.schema.tensor_names[number], tuple(target.shape), parts[0].dim(), attributes
    )
    return parts[0].sum_to_size(aligned).reshape(target.shape).to(target.dtype)


def jacobian_vector(
    operator: Operator, tensors: Tensors, attributes: dict[str, Any], tangents: Tensors, dtype: torch.dtype
) -> list[torch.Tensor]:
    """The outputs' tangents, given the tensors' tangents; None stands for 0."""
    element = _element(operator, tensors, attributes)
    rank = _rank(operator, tensors)
    pairs = zip(_parts(operator, attributes, tensors, rank), _parts(operator, attributes, tangents, rank), strict=True)
    directions = [tangent for tensor, tangent in pairs if tensor is not None]
    if element.rows is not None:
        found = statistics.jacobian_vector(element.rows, directions)
        return _shaped(operator, tensors, attributes, element.rows.shape, found, dtype)
    columns = [
        [None if d is None else direction.to(element.dtype) * d for d in _partials(element, place)]
        for place, direction in enumerate(directions)
        if direction is not None
    ]
    totals = [sum_present(terms) for terms in zip(*columns, strict=True)]
    like = torch.broadcast_tensors(*element.inputs)[0]
    results = [(torch.zeros_like(like) if tangent is None else tangent).to(dtype) for tangent in totals]
    is_counted = counted_rows(operator, tensors, attributes)
    if is_counted is not None:
        results = [torch.where(is_counted, result, 0) for result in results]
    (name, *_) = operator.schema.outputs
    return [_joined(operator, name, attributes, results, dtype)] if name in operator.access.packed else results


def counted_rows(operator: Operator, tensors: Tensors, attributes: dict[str, Any]) -> torch.Tensor | None:
    """Whether elements lie in rows that are computed, broadcast to them; None where no tensor counts rows."""
    counted = operator.counted
    counts = None if counted is None else tensors[operator.schema.tensor_names.index(counted.tensor)]
    if counts is None:
        return None
    first = tensors[0]
    assert first is not None, "the first tensor is never optional"
    dim = attributes[operator.access.dim] % first.dim()
    numbers = torch.arange(prod(first.shape[:dim]), device=first.device)
    return (numbers < counts.sum()).reshape(*first.shape[:dim], *(1,) * (first.dim() - dim))


def results(operator: Operator, tensors: Tensors, attributes: dict[str, Any]) -> tuple[torch.Tensor, ...]:
    """The call's outputs by the formula, in the dtype of the first tensor."""
    element = _element(operator, tensors, attributes)
    dtype = next(tensor.dtype for tensor in tensors if tensor is not None)
    if element.rows is not None:
        found = statistics.results(element.rows)
        return tuple(_shaped(operator, tensors, attributes, element.rows.shape, found, dtype))
    outputs = element.compute(*element.inputs, *element.attributes)
    values = [value(output).to(dtype) for output in outputs]
    (name, *_) = operator.schema.outputs
    return (_joined(operator, name, attributes, values, dtype),) if name in operator.access.packed else tuple(values)


def _shaped(
    operator: Operator,
    tensors: Tensors,
    attributes: dict[str, Any],
    elements: tuple[int, ...],
    values: Sequence[Any],
    dtype: torch.dtype,
) -> list[torch.Tensor]:
    """Values of an operator on rows, each in its output's shape; that of a statistic is smaller."""
    given = zip(operator.schema.tensor_names, tensors, strict=True)
    shapes = {name: tuple(tensor.shape) for name, tensor in given if tensor is not None}
    held = [operator.access.held_shape(name, elements, attributes, shapes) for name in operator.schema.outputs]
    return [number.reshape(shape).to(dtype) for number, shape in zip(values, held, strict=True)]


def depends_on_sign_only(operator: Operator, attributes: dict[str, Any], name: str) -> bool:
    """Whether the derivative by a tensor is 0 but at kinks: the operator needs only the signs of its elements."""
    tensors = operator.schema.tensor_names
    if operator.access.terms:
        return False
    element = _element(operator, [torch.ones((), device="cpu")] * len(tensors), attributes)
    places = [place for place, owner in enumerate(element.owners) if tensors[owner] == name]
    return all(derivative is None for place in places for derivative in _partials(element, place))


def _rank(operator: Operator, tensors: Tensors) -> int:
    """The number of the elements' dimensions; a tensor along one dimension does not tell it."""
    named = zip(operator.schema.tensor_names, tensors, strict=True)
    return max(tensor.dim() for name, tensor in named if tensor is not None and name != operator.access.tensor)


def _element(operator: Operator, tensors: Tensors, attributes: dict[str, Any]) -> ElementCall:
    names = operator.schema.tensor_names
    named = dict(zip(names, tensors, strict=True))
    element, formulas = operator.element_and_formulas(named, attributes, products.chosen())
    given = [tensor for tensor in tensors if tensor is not None]
    if any(tensor.is_complex() for tensor in given):
        fault = (
            "its derivatives in forward mode and beyond the first are those of real numbers, but a tensor is complex"
        )
        raise InvalidDtype(f"{operator.name}: {fault}; PyTorch's own function has them")
    dtype = torch.float64 if any(tensor.dtype == torch.float64 for tensor in given) else torch.float32
    functions = [bound(formula, dtype) for formula in formulas]
    rank = _rank(operator, tensors)
    inputs = [part.to(dtype) for part in _parts(operator, attributes, tensors, rank) if part is not None]
    owners = [
        number
        for number, tensor in enumerate(tensors)
        if tensor is not None and names[number] in operator.seen
        for _ in operator.access.parts(names[number], tuple(tensor.shape), attributes)
    ]
    scalars = [attributes[a.name] for a in operator.schema.attributes if a.type == "Scalar"]
    shapes = {name: tuple(tensor.shape) for name, tensor in named.items() if tensor is not None}
    own = operator.access.row_dimensions(rank, attributes, shapes)
    of_rows = operator.access.statistics(operator.schema.outputs, len(own))
    rows = statistics.RowCall(of_rows, own, functions, element, inputs, scalars) if of_rows else None
    return ElementCall(lambda *numbers: element(*functions, *numbers), inputs, owners, scalars, dtype, rows)


def _partials(element: ElementCall, place: int) -> list[Any]:
    """The outputs' derivatives by the input at `place`; None where an output does not depend on it."""
    numbers: list[Any] = list(element.inputs)
    numbers[place] = Dual(numbers[place], 1.0)
    return [slope(output) for output in element.compute(*numbers, *element.attributes)]


def _products(element: ElementCall, place: int, cotangents: Tensors) -> list[Any]:
    return [
        None if cotangent is None or derivative is None else cotangent.to(element.dtype) * derivative
        for cotangent, derivative in zip(cotangents, _partials(element, place), strict=True)
    ]


def sum_present(terms: Iterable[Any]) -> Any:
    """The sum of the terms that are not None; None without any."""
    present = [term for term in terms if term is not None]
    return sum(present[1:], present[0]) if present else None


def _parts(
    operator: Operator, attributes: dict[str, Any], tensors: Tensors, rank: int = 0, of_outputs: bool = False
) -> list[torch.Tensor | None]:
    """Tensors, gradients or tangents as the parts that an element sees; None for each part of a missing one.

    With a rank, a tensor along one dimension is shaped to meet elements of that many.
    """
    names, access = operator.schema.outputs if of_outputs else operator.schema.tensor_names, operator.access
    parts: list[torch.Tensor | None] = []
    for name, tensor in zip(names, tensors, strict=True):
        if not of_outputs and name not in operator.seen:
            parts.append(None)
        elif tensor is None:
            parts += [None] * (2 if name in access.packed else 1)
        else:
            parts += split(access, name, tensor, attributes, rank)
    return parts


def _joined(
    operator: Operator, name: str, attributes: dict[str, Any], parts: Sequence[Any], dtype: torch.dtype
) -> torch.Tensor:
    """The packed tensor of these parts; a missing part is zero."""
    like = next(part for part in parts if part is not None)
    present = [(torch.zeros_like(like) if part is None else part).to(dtype) for part in parts]
    joined: torch.Tensor = join(operator.access, name, present, attributes, torch.cat)
    return joined
