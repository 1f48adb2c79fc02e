"""Mistakes in a definition. Each message says what to write.

`define` finds the mistakes that show when an operator is defined, and `validate` the other ones at its first call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..base import torch_names
from ..base.definition import Definition, functions_in
from ..base.dtypes import BY_NAME, BY_NUMBER
from ..base.errors import InvalidOperator, did_you_mean, either, one, quote
from ..base.products import BY_NAME as PRODUCTS
from . import lint_calls, lint_definition, lint_formulas
from .lint_definition import refuse_fields

__all__ = ["define", "faults", "refuse_fields", "validate"]

#: The dtypes of CANN. An operator may state a dtype that no kernel of actgrad writes.
CANN_DTYPES = frozenset(dtype.name for dtype in BY_NUMBER.values())


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
    _ = definition.graphs  # raise the error for a wrong line here, not at the first use of actgrad.ir
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
    for field, names in (("dtypes", definition.dtypes), ("further_dtypes", definition.further_dtypes.split())):
        for name in (name for name in names if name not in BY_NAME):
            yield f"{field} has {name!r}; it must be {either(BY_NAME)}; write names with spaces between"
    for name in definition.products:
        if name not in PRODUCTS:
            cure = did_you_mean(name, PRODUCTS, "use one of these")
            yield f"products has {name!r}; it must be {either(PRODUCTS)}; {cure}"
    for field, names in (("dtypes", definition.dtypes), ("products", definition.products)):
        if not names:
            yield f"{field} is empty, so that every call is refused; leave it out, or name some"
    for name, dtypes in definition.output_dtypes.items():
        if name not in definition.schema.outputs:
            yield f"output_dtypes names {name!r}; it must be {either(definition.schema.outputs)}; name one of these"
        if dtypes != "uint8" and definition.access.has_bits and name in definition.access.tensor_names:
            yield f"output_dtypes has {dtypes!r} for {name}, which has bits; it must be uint8; leave {name} out"
        for dtype in definition.dtypes_of(name) or [dtypes]:
            if dtype not in BY_NAME and dtype not in CANN_DTYPES:
                yield f"output_dtypes has {dtype!r} for {name}; it must be {either(BY_NAME)}; write one of these"
    if definition.integer_result and definition.integer_result not in BY_NAME:
        yield f"integer_result is {definition.integer_result!r}; it must be {either(BY_NAME)}; pass one of these"
    if definition.integers_as_floats and definition.integer_formula is None:
        yield "integers_as_floats=True says how integer_formula is computed; state integer_formula, or leave it out"
    torch_names.parse(definition)  # it raises an InvalidOperator for a wrong name
    for c in definition.aclnn:
        for name in c.products.split():
            if name not in PRODUCTS:
                yield f"aclnn {c.name} has products {name!r}; it must be {either(PRODUCTS)}; pass one of these"
        for name in (*c.fixed, *c.optional.split(), *c.doubles.split(), *c.text.split()):
            if name not in definition.schema.attributes_by_name and c.fixed.get(name, name) is not None:
                yield f"aclnn {c.name} names {name!r}; {_attributes(definition.defaults)}"


def _roles(definition: Definition) -> Iterator[str]:
    tensors, attributes = definition.schema.tensor_names, definition.schema.attributes_by_name
    for role in ("reads_result", "linear_in"):
        name = getattr(definition, role)
        if name and name not in tensors:
            yield f"{role} is {name!r}; it must be {either(tensors)}; name one of these tensors"
    if definition.result_flag and getattr(attributes.get(definition.result_flag), "type", "") != "bool":
        yield f"result_flag is {definition.result_flag!r}; it must be a bool attribute; {_use(attributes)}"
    counter, attribute = definition.row_counter, definition.access.dimension_attribute
    if counter and (counter != tensors[-1] or not _is_optional(definition, counter)):
        yield f"row_counter is {counter!r}; it must be the last tensor and optional; write it last as Tensor?"
    groups = definition.row_groups
    if groups and (groups != tensors[-1] or not _is_optional(definition, groups)):
        yield f"row_groups is {groups!r}; it must be the last tensor and optional; write it last as Tensor?"
    if groups and not definition.access.grouped_tensors:
        yield "row_groups is set; an access must name tensors with a row for each group; state ScaledRows(...)"
    for name in definition.absent:
        if not _is_optional(definition, name):
            yield f"absent names {name!r}; it must be an optional tensor; write Tensor? {name} in the schema"
    last = [name for name in tensors if name != counter][-1]
    if definition.unseen and definition.unseen != last:
        behind = f" before {counter}" if counter else ""
        yield f"unseen is {definition.unseen!r}; it must be the last tensor{behind}, {last}; change one of them"
    if counter and not attribute and definition.access.dimension({}, 1) is None:
        yield "row_counter counts rows along a dimension; state reads with an attribute dim, for example Halves(('x',))"
    names = (*tensors, *definition.schema.outputs)
    for name in definition.access.tensor_names:
        if name not in names:
            yield f"reads names {name!r}; it must be {either(names)}; name one of these tensors"
    if definition.access.has_bits and definition.gradient_of is not None and not definition.takes_gradient:
        yield "reads=Bits selects by bits, and infinity times 0 would be NaN; state takes_gradient=True"
    if definition.access.has_bits and definition.multiplies:
        yield "reads=Bits has no multiplies; the formula must return the product; leave out multiplies"
    halves = ("other",) if definition.access.is_packed else ()
    if definition.multiplies and definition.multiplies not in (*tensors, *halves):
        yield f"multiplies is {definition.multiplies!r}; it must be {either((*tensors, *halves))}; name one of these"
    elif definition.multiplies and not halves and (len(tensors) != 2 or definition.multiplies != tensors[0]):
        yield (
            f"multiplies is {definition.multiplies!r}; an operator with multiplies has two tensors, first the factor "
            f"and then the formula's; it has {_listed(tensors)}"
        )
    elif definition.multiplies and halves and definition.multiplies != "other":
        yield f"multiplies is {definition.multiplies!r}, but the formula is of one half; write multiplies='other'"


def _gradients(definition: Definition) -> Iterator[str]:
    forward = definition.gradient_of
    if forward is None:
        for role in ("reads_result", "result_flag", "takes_gradient"):
            if getattr(definition, role):
                yield f"{role} is set, but gradient_of is not; only a gradient has it; state gradient_of"
        return
    tensors = forward.schema.tensor_names
    first = definition.schema.tensor_names[0]
    if first in tensors:
        yield f"its first tensor, {first}, is a tensor of {forward.name}; write Tensor grad_output before it"
    if definition.reads_result and definition.reads_result not in tensors and len(tensors) > 1:
        yield (
            f"reads_result is {definition.reads_result!r}, but {forward.name} has several tensors, which its result "
            f"cannot replace; read these instead: {_listed(tensors)}"
        )
    result, *further_outputs = forward.schema.outputs
    if definition.reads_result in further_outputs:
        yield (
            f"reads_result is {definition.reads_result!r}, another output of {forward.name}; it must be the first "
            f"output, {result}; leave out reads_result"
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
    roles = (definition.reads_result, *definition.forward_outputs, definition.row_counter, definition.unseen)
    for name in definition.schema.tensor_names[1:]:
        if name not in tensors and name not in roles:
            cure = f"state reads_result={name!r} if it is the first output, {result}"
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
