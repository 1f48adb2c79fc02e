"""Mistakes in a definition. Each message says what to write.

`define` finds the mistakes that show when an operator is defined, and `validate` the other ones at its first call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..base import torch_names
from ..base.definition import Definition, functions_in
from ..base.dtypes import BY_NAME, BY_NUMBER
from ..base.errors import InvalidOperator, either, one, quote
from . import lint_calls, lint_definition, lint_formulas
from .lint_definition import refuse_fields
from .old_names import state_law, with_new_names

__all__ = ["define", "faults", "refuse_fields", "state_law", "validate", "with_new_names"]

#: The dtypes that no kernel reads or writes. An operator may state one for an output.
OTHER_DTYPES = frozenset(dtype.name for dtype in BY_NUMBER.values())


def define(definition: Definition, others: Sequence[Definition]) -> None:
    """Raise an InvalidOperator for the first mistake that a definition shows without a call.

    `others` are the operators that are registered. No two operators have one name in an interface.
    """
    formulas = functions_in(definition.formula)
    if not formulas or not all(map(callable, formulas)):
        expected = "it must be a function, or a mapping of functions"
        raise InvalidOperator(
            f"operator {definition.name}: formula is {quote(definition.formula)}; {expected}; pass one"
        )
    for find in (lint_definition.of_types, lint_definition.of_definition):
        lint_definition.refuse(definition.name, find(definition))
    lint_definition.refuse(definition.name, lint_definition.of_gradients(definition))
    if any(definition.name == other.name for other in others):
        fault = f"operator {definition.name}: is registered already"
        raise InvalidOperator(f"{fault}; a name must be new; choose another name")
    holders = {name: other.name for other in others for name in lint_definition.public_names(other)}
    lint_definition.refuse(definition.name, lint_definition.of_names(definition, holders))


def validate(definition: Definition) -> None:
    """Raise an InvalidOperator for the first mistake in a definition. The message says what to write."""
    prefix = f"operator {definition.name}: "
    try:
        for fault in faults(definition):
            raise InvalidOperator(prefix + fault)
    except InvalidOperator as error:
        raise error if str(error).startswith(prefix) else InvalidOperator(f"{prefix}{error}") from None
    except Exception as error:  # a value in a definition may raise any exception
        raise InvalidOperator(f"{prefix}its definition cannot be read: {type(error).__name__}: {error}") from error


def faults(definition: Definition) -> Iterator[str]:
    """All mistakes in a definition."""
    yield from _names(definition)
    yield from _roles(definition)
    yield from _gradients(definition)
    yield from lint_formulas.of_switch(definition)
    yield from lint_calls.of_checks(definition)
    yield from lint_formulas.of_statistics(definition)
    yield from lint_formulas.of_formulas(definition)
    yield from lint_calls.of_requirements(definition)
    yield from lint_calls.of_sample_calls(definition)


def _names(definition: Definition) -> Iterator[str]:
    for name in definition.dtypes.besides_floats.split():
        if name not in BY_NAME:
            yield f"dtypes.besides_floats has {name!r}; it must be {either(BY_NAME)}; write names with spaces between"
    for name, dtypes in definition.dtypes.outputs.items():
        if name not in definition.schema.outputs:
            yield f"dtypes.outputs names {name!r}; it must be {either(definition.schema.outputs)}; name one of these"
        stored = definition.access.stored_dtypes.get(name)
        if stored and dtypes != stored:
            yield f"dtypes.outputs has {dtypes!r} for {name}, which has bits; it must be {stored}; leave {name} out"
        for dtype in definition.dtypes_of(name) or [dtypes]:
            if dtype not in BY_NAME and dtype not in OTHER_DTYPES:
                yield f"dtypes.outputs has {dtype!r} for {name}; it must be {either(BY_NAME)}; write one of these"
    integers = definition.integers
    if integers.dtype and integers.dtype not in BY_NAME:
        yield f"integers.dtype is {integers.dtype!r}; it must be {either(BY_NAME)}; pass one of these"
    if integers.in_floats and integers.formula is None:
        yield "integers.in_floats=True says how the formula is computed; state integers.formula, or leave it out"
    torch_names.parse(definition)  # it raises an InvalidOperator for a wrong name


def _roles(definition: Definition) -> Iterator[str]:
    tensors, attributes = definition.schema.tensor_names, definition.schema.attributes_by_name
    for role, name in (("result", definition.result.tensor), ("linear_in", definition.roles.linear_in)):
        if name and name not in tensors:
            yield f"{role} is {name!r}; it must be {either(tensors)}; name one of these tensors"
    flag = definition.result.flag
    if flag and getattr(attributes.get(flag), "type", "") != "bool":
        yield f"result.flag is {flag!r}; it must be a bool attribute; {_use(attributes)}"
    counter, attribute = definition.ragged.counter, definition.access.dimension_attribute
    if counter and (counter != tensors[-1] or not _is_optional(definition, counter)):
        yield f"ragged.counter is {counter!r}; it must be the last tensor and optional; write it last as Tensor?"
    groups = definition.ragged.groups
    if groups and (groups != tensors[-1] or not _is_optional(definition, groups)):
        yield f"ragged.groups is {groups!r}; it must be the last tensor and optional; write it last as Tensor?"
    if groups and not definition.access.grouped_tensors:
        yield "ragged.groups is set; an access must name tensors with a row for each group; state ScaledRows(...)"
    for name in definition.defaults_of_tensors:
        if not _is_optional(definition, name):
            yield f"defaults_of_tensors names {name!r}; it must be optional; write Tensor? {name} in the schema"
    last = [name for name in tensors if name != counter][-1]
    only_checked = definition.roles.only_checked
    if only_checked and only_checked != last:
        behind = f" before {counter}" if counter else ""
        yield f"only_checked is {only_checked!r}; it must be the last tensor{behind}, {last}; change one of them"
    if counter and not attribute and definition.access.dimension({}, 1) is None:
        yield "ragged.counter counts rows along a dimension; state a layout with dim, for example Halves(('x',))"
    names = (*tensors, *definition.schema.outputs)
    for name in definition.access.tensor_names:
        if name not in names:
            yield f"layout names {name!r}; it must be {either(names)}; name one of these tensors"
    if definition.access.has_bits and definition.gradient_of is not None and not definition.roles.takes_gradient:
        yield "layout=Bits selects by bits, and infinity times 0 would be NaN; state takes_gradient=True"
    multiplies = definition.roles.multiplies
    if definition.access.has_bits and multiplies:
        yield "layout=Bits has no multiplies; the formula must return the product; leave out multiplies"
    halves = definition.access.factors
    if multiplies and multiplies not in (*tensors, *halves):
        yield f"multiplies is {multiplies!r}; it must be {either((*tensors, *halves))}; name one of these"
    elif multiplies and not halves and (len(tensors) != 2 or multiplies != tensors[0]):
        yield (
            f"multiplies is {multiplies!r}; an operator with multiplies has two tensors, first the factor "
            f"and then the formula's; it has {_listed(tensors)}"
        )
    elif multiplies and halves and multiplies != "other":
        yield f"multiplies is {multiplies!r}, but the formula is of one half; write multiplies='other'"


def _gradients(definition: Definition) -> Iterator[str]:
    forward = definition.gradient_of
    if forward is None:
        roles = {"result": definition.result.tensor or definition.result.flag}
        for role, value in {**roles, "takes_gradient": definition.roles.takes_gradient}.items():
            if value:
                yield f"{role} is set, but gradient_of is not; only a gradient has it; state gradient_of"
        return
    tensors = forward.schema.tensor_names
    first = definition.schema.tensor_names[0]
    if first in tensors:
        yield f"its first tensor, {first}, is a tensor of {forward.name}; write Tensor grad_output before it"
    if definition.result.tensor and definition.result.tensor not in tensors and len(tensors) > 1:
        yield (
            f"result is {definition.result.tensor!r}, but {forward.name} has several tensors, which its result "
            f"cannot replace; read these instead: {_listed(tensors)}"
        )
    result, *further_outputs = forward.schema.outputs
    if definition.result.tensor in further_outputs:
        yield (
            f"result is {definition.result.tensor!r}, another output of {forward.name}; it must be the first "
            f"output, {result}; leave out result"
        )
    for argument in definition.schema.attributes:
        other = forward.schema.attributes_by_name.get(argument.name)
        if other is None and definition.defaults[argument.name] is None:
            yield (
                f"its attribute {argument.name} has no default, and {forward.name} has no attribute of that name; "
                f"it has {_listed(forward.schema.attributes_by_name) or 'none'}; give it a default or such a name"
            )
        elif other is not None and other.type != argument.type:
            expected = f"that of {forward.name} is {one(other.type)}"
            yield f"its attribute {argument.name} is {one(argument.type)}, but {expected}"
    parts = definition.access.formula_count(*[
        name for name in definition.schema.outputs if not definition.access.is_statistic(name)
    ])  # fmt: skip
    if parts > 2:
        yield (
            f"it has {parts} gradients of elements, and at most 2 are supported; leave the operator out: "
            f"PyTorch then differentiates the formula of {forward.name}"
        )
    with_roles = (
        definition.result.tensor,
        *definition.forward_outputs,
        definition.ragged.counter,
        definition.roles.only_checked,
    )
    for name in definition.schema.tensor_names[1:]:
        if name not in tensors and name not in with_roles:
            cure = f"state result=Result({name!r}) if it is the first output, {result}"
            must = f"it must be a tensor of {forward.name} ({_listed(tensors)}) or have a role"
            yield f"{name} has no role; {must}; {cure}"


def _is_optional(definition: Definition, name: str) -> bool:
    return any(argument.name == name and argument.is_optional for argument in definition.schema.tensors)


def _attributes(names: Any) -> str:
    """The end of a message about a name that must be the name of an attribute."""
    return f"it must be an attribute; {_use(names)}"


def _use(names: Any) -> str:
    return f"name one of {_listed(names)}" if names else "add the attribute to the schema"


def _listed(names: Any) -> str:
    return ", ".join(names)
