"""All checks of an operator, in order: those that every operator has around those that it states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..layouts import GATED
from . import dtypes, gated, rules
from .call import Check

if TYPE_CHECKING:
    from ..op import Operator


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
    storable = map(dtypes.storable, operator.schema.outputs)
    return (*rules.given(operator), rules.available(), *middle, *storable)


VALUES: tuple[Check, ...] = (Check("the attributes have allowed values", lambda call: None),)


def usual(operator: Operator) -> tuple[tuple[Check, ...], ...]:
    """What an operator that states nothing else asks of dtypes and shapes."""
    first, *others = operator.schema.tensor_names
    outputs = operator.schema.outputs
    scalars = [a.name for a in operator.schema.attributes if a.type == "Scalar"]
    if operator.layout == GATED:
        halves = outputs if operator.gradient_of is None else [n for n in (first, *others) if n != gated.PACKED]
        return (
            dtypes.supported(first),
            dtypes.equal(*others, *outputs, to=first),
            rules.rank(gated.PACKED),
            gated.dim_in_range(),
            gated.even(),
            gated.half(*halves),
            rules.result_shape(*outputs),
        )
    return (
        dtypes.supported(first),
        dtypes.equal(*others, to=first),
        dtypes.real(*scalars),
        dtypes.listed(*outputs),
        dtypes.convertible(*outputs),
        rules.same_shape(*others, *outputs, to=first),
        rules.rank(first),
    )


def _values(operator: Operator) -> Iterator[Check]:
    if operator.choices:
        yield rules.known_choice(str(operator.switch), operator.choices)
    attributes = [a.name for a in operator.schema.attributes]
    for rule, holds in operator.requires.items():
        yield rules.required(rule, holds, attributes)
