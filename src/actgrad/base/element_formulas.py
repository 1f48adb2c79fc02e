"""The arithmetic of one element, which follows from an operator's definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from . import computation, xp
from .definition import Definition, Formula
from .dtypes import Dtype


def element_and_formulas(
    definition: Definition, tensors: Mapping[str, Dtype], attributes: dict[str, Any], law: Any
) -> tuple[Callable[..., Any], tuple[Formula, ...]]:
    """The arithmetic of one element, a function of computation.py, and its formulas, for tensors of these dtypes.

    Formulas get the numbers of `defaults_of_tensors` as constants. The law may have another formula.
    """
    formula, forward = definition.formula_for(attributes, law, tensors), definition.gradient_of
    xp.check(formula)
    access, outputs = definition.access, definition.schema.outputs
    fill = partial(_filled, definition, tensors)
    element = access.element(outputs)
    if element is not None:
        choose = partial(definition.choose, attributes=attributes, tensors=tensors)
        return element, access.formulas(formula, choose, fill)
    if forward is None:
        if not definition.roles.multiplies:
            filled = fill(formula) if definition.defaults_of_tensors else formula
            return computation.forward if len(outputs) == 1 else computation.forward_of_several, (filled,)
        return access.product(outputs), (formula,)
    parts = access.part_count(*outputs)
    if definition.roles.takes_gradient:
        return computation.forward if parts == 1 else computation.forward_of_several, (formula,)
    if not forward.roles.multiplies:
        return computation.backward if parts == 1 else computation.backward_of_two, (formula,)
    if definition.given_value in tensors:
        return computation.gated_backward_given, (formula,)
    both = forward.formula_for(attributes, law), formula
    return access.product_gradient(), both


def _filled(definition: Definition, tensors: Mapping[str, Dtype], formula: Formula) -> Formula:
    """A formula of all tensors as a formula of the tensors of a call."""
    defaults = definition.defaults_of_tensors
    if not defaults:
        return formula
    numbers = [
        defaults[name] if name in defaults and name not in tensors else None
        for name in definition.element_tensors
        for _ in range(definition.access.part_count(name))
    ]
    return xp.with_numbers(formula, tuple(numbers)) if any(number is not None for number in numbers) else formula
