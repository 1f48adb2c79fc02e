"""All checks of an operator, in order: those that every operator has around those that it states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..base.access import GATED
from . import dtype_rules, halves_rules, shape_rules
from .check import Check

if TYPE_CHECKING:
    from ..calls.operator import Operator


def of(operator: Operator, stated: tuple[tuple[Check, ...], ...]) -> tuple[Check, ...]:
    """All checks of an operator, in order; `stated` are those on dtypes and shapes, the usual ones where empty.

    `VALUES` among them stands for the checks on attributes, which else come last.
    """
    values = tuple(_values(operator))
    middle: list[Check] = []
    for part in stated or usual(operator):
        middle += values if part is VALUES else part
    if VALUES not in stated:
        middle += values
    storable = map(dtype_rules.storable, operator.schema.outputs)
    return (*shape_rules.given(operator), shape_rules.available(), *middle, *storable)


VALUES: tuple[Check, ...] = (Check("the attributes have allowed values", lambda call: None),)


def usual(operator: Operator) -> tuple[tuple[Check, ...], ...]:
    """What an operator that states nothing else asks of dtypes and shapes."""
    first, *others = operator.schema.tensor_names
    outputs = operator.schema.outputs
    scalars = [a.name for a in operator.schema.attributes if a.type == "Scalar"]
    if operator.layout == GATED:
        halves = outputs if operator.gradient_of is None else [n for n in (first, *others) if n != halves_rules.PACKED]
        return (
            dtype_rules.supported(first),
            dtype_rules.equal(*others, *outputs, to=first),
            shape_rules.rank(halves_rules.PACKED),
            halves_rules.dim_in_range(),
            halves_rules.even(),
            halves_rules.half(*halves),
            shape_rules.result_shape(*outputs),
        )
    return (
        dtype_rules.supported(first),
        dtype_rules.equal(*others, to=first),
        dtype_rules.real(*scalars),
        dtype_rules.listed(*outputs),
        dtype_rules.convertible(*outputs),
        shape_rules.same_shape(*others, *outputs, to=first),
        shape_rules.rank(first),
    )


def _values(operator: Operator) -> Iterator[Check]:
    if operator.choices:
        yield shape_rules.known_choice(str(operator.switch), operator.choices)
    attributes = [a.name for a in operator.schema.attributes]
    for rule, holds in operator.requires.items():
        yield shape_rules.required(rule, holds, attributes)
