"""Faults of a definition, each with the mend. An operator is validated when a call of it is first prepared."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from ..base import xp
from ..base.computation import ONCE
from ..base.definition import Definition
from ..base.dtypes import BY_NAME
from ..base.errors import InvalidOperator, did_you_mean, either, quantity
from ..base.products import BY_NAME as PRODUCTS
from .kinds import checks_of


@cache
def validate(definition: Definition) -> None:
    """Raise an InvalidOperator that names the first fault of a definition, and what to write."""
    for fault in faults(definition):
        raise InvalidOperator(f"operator {definition.name}: {fault}")


def faults(definition: Definition) -> Iterator[str]:
    """All faults of a definition."""
    yield from _names(definition)
    yield from _roles(definition)
    yield from _gradients(definition)
    yield from _checks(definition)
    yield from _statistics(definition)
    yield from _formulas(definition)


def _names(definition: Definition) -> Iterator[str]:
    for name in definition.dtypes:
        if name not in BY_NAME:
            yield f"dtypes has {name!r}; it must be {either(BY_NAME)}; write names with spaces between"
    for name in definition.products:
        if name not in PRODUCTS:
            cure = did_you_mean(name, PRODUCTS, "use one of these")
            yield f"products has {name!r}; it must be {either(PRODUCTS)}; {cure}"
    for c in definition.aclnn:
        for name in (*c.fixed, *c.optional.split(), *c.doubles.split(), *c.text.split()):
            if name not in definition.schema.attributes_by_name:
                yield f"aclnn {c.name} names {name!r}; {_attributes(definition.defaults)}"


def _roles(definition: Definition) -> Iterator[str]:
    tensors, attributes = definition.schema.tensor_names, definition.schema.attributes_by_name
    for role in ("reads_result", "given_value", "linear_in"):
        name = getattr(definition, role)
        if name and name not in tensors:
            yield f"{role} is {name!r}; it must be {either(tensors)}; name one of these tensors"
    if definition.given_value and not _is_optional(definition, definition.given_value):
        yield f"given_value is {definition.given_value!r}; it must be optional; write Tensor? in the schema"
    if definition.result_flag and getattr(attributes.get(definition.result_flag), "type", "") != "bool":
        yield f"result_flag is {definition.result_flag!r}; it must be a bool attribute; {_use(attributes)}"
    is_switch = definition.switch in attributes or _is_optional(definition, str(definition.switch))
    if isinstance(definition.switch, str) and definition.switch and not is_switch:
        yield f"switch is {definition.switch!r}; {_attributes(attributes)}"
    if definition.counted is not None:
        counting = definition.counted.tensor
        if counting != tensors[-1] or not _is_optional(definition, counting):
            yield f"counted is {counting!r}; it must be the last tensor and optional; write it last as Tensor?"
    if definition.unseen and definition.unseen != tensors[-1]:
        yield f"unseen is {definition.unseen!r}; it must be the last tensor, {tensors[-1]}; change one of them"
    known = (*tensors, *definition.schema.outputs)
    for name in definition.access.packed:
        if name not in known:
            yield f"reads packs {name!r}; it must be {either(known)}; name one of these tensors"
    if definition.access.dim and definition.access.dim not in attributes:
        dim = definition.access.dim
        cure = _use(attributes) if attributes else f"add int {dim}=-1 to the schema"
        yield f"reads counts dimensions by {dim!r}; it must be an attribute; {cure}"
    halves = ("other",) if definition.access.packed else ()
    if definition.multiplies and definition.multiplies not in (*tensors, *halves):
        yield f"multiplies is {definition.multiplies!r}; it must be {either((*tensors, *halves))}; name one of these"


def _gradients(definition: Definition) -> Iterator[str]:
    forward = definition.gradient_of
    if forward is None:
        if definition.reads_result or definition.result_flag or definition.given_value:
            set_roles = [role for role in ("reads_result", "result_flag", "given_value") if getattr(definition, role)]
            yield f"{either(set_roles)} is set, but gradient_of is not; only a gradient has it; state gradient_of"
        return
    tensors = forward.schema.tensor_names
    roles = (definition.reads_result, definition.given_value, definition.counted.tensor if definition.counted else "")
    for name in definition.schema.tensor_names[1:]:
        if name not in tensors and name not in roles:
            yield (
                f"{name} has no role; it must be a tensor of {forward.name} ({_listed(tensors)}) or have a role; state "
                f"reads_result={name!r} if it is the forward operator's result, given_value={name!r} if it is its "
                "formula's value"
            )


def _checks(definition: Definition) -> Iterator[str]:
    schema = definition.schema
    known = {*schema.tensor_names, *schema.outputs, *schema.attributes_by_name}
    for check in checks_of(definition):
        for name in check.about:
            if name not in known:
                cure = did_you_mean(name, known, "name one of these")
                yield f"the check {check.rule!r} is about {name!r}; it must be one of {_listed(sorted(known))}; {cure}"


def _formulas(definition: Definition) -> Iterator[str]:
    """The formula takes what an element sees, then the scalars."""
    scalars = sum(argument.type == "Scalar" for argument in definition.schema.attributes)
    gates = definition.multiplies or (definition.gradient_of is not None and definition.gradient_of.multiplies)
    for formula in _all_formulas(definition):
        xp.check(formula)
        wanted = 1 + scalars if gates else _elements(definition) + scalars
        if definition.switch in definition.schema.tensor_names:
            wanted += formula is definition.formula_for({}, None, {str(definition.switch): True})
        arity = len(inspect.signature(formula).parameters)
        if arity != wanted:
            scalars_of = [a.name for a in definition.schema.attributes if a.type == "Scalar"]
            must = f"it must take {wanted}: the elements of its tensors, then {_listed(scalars_of) or 'no scalars'}"
            yield f"formula {formula.__name__} takes {quantity(arity, 'argument')}; {must}; change its parameters"


def _elements(definition: Definition) -> int:
    """How many elements the formula is given; kernels multiply a derivative by the first tensor's."""
    names = _seen(definition)
    if definition.access.terms:
        return (1 if definition.access.kept else len(names)) + len(definition.access.terms)
    return sum(2 if name in definition.access.packed else 1 for name in names)


def _seen(definition: Definition) -> list[str]:
    """The tensors that formulas see."""
    names = [a.name for a in definition.schema.tensors if not a.is_optional and a.name in definition.seen]
    return names if definition.gradient_of is None or definition.takes_gradient else names[1:]


def _statistics(definition: Definition) -> Iterator[str]:
    """A term takes the tensors' elements, the statistics of earlier passes, then the scalars."""
    statistics = definition.access.statistics(definition.schema.outputs, 1)
    if statistics is None:
        return
    if statistics.kept and sum(held < 0 for held in statistics.held_by) != 1:
        yield "kept is set; then exactly one output must be of elements; leave out kept, or return one such output"
    if all(one == (ONCE,) for one in statistics.passes):
        yield "reads has only once(); a pass must read elements; write largest(term) or total(term) before once(term)"
    scalars = [a.name for a in definition.schema.attributes if a.type == "Scalar"]
    found: list[str] = []
    for one in statistics.passes:
        names = definition.access.held[len(found) : len(found) + len(one)]
        if ONCE in one and len(one) > 1:
            yield f"once() shares a pass with others ({_listed(names)}); it must be alone; give it a pass of its own"
        wanted = [*([] if one == (ONCE,) else _seen(definition)), *found, *scalars]
        for name, term in zip(names, definition.access.terms[len(found) :], strict=False):
            arity = len(inspect.signature(term).parameters)
            if arity != len(wanted):
                must = f"it must take {len(wanted)}: {_listed(wanted) or 'nothing'}"
                yield f"the term of {name!r} takes {quantity(arity, 'argument')}; {must}; change its parameters"
            xp.check(term)
        found += names


def _all_formulas(definition: Definition) -> tuple[Callable[..., Any], ...]:
    formula = definition.formula
    return tuple(formula.values()) if not callable(formula) else (formula,)


def _is_optional(definition: Definition, name: str) -> bool:
    return any(argument.name == name and argument.is_optional for argument in definition.schema.tensors)


def _attributes(names: Any) -> str:
    """The end of a message about a name that must be an attribute's."""
    return f"it must be an attribute; {_use(names)}"


def _use(names: Any) -> str:
    return f"name one of {_listed(names)}" if names else "add the attribute to the schema"


def _listed(names: Any) -> str:
    return ", ".join(names)
