"""Finds mistakes with sample calls: rules that raise, and checks that accept wrong shapes or refuse right shapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product as combined
from typing import Any

from ..base.definition import Definition
from ..base.dtypes import BY_NAME
from ..base.errors import ActgradError, quote
from ..base.loop import TensorMeta, row_major
from ..base.schema import Argument
from ..checks import Call, Check, own_checks, run

#: The numbers on which this module tries rules. A rule must return True or False for each of them.
NUMBERS = (1.0, 0.0, -1.0, 0.5, float("inf"), float("nan"))
#: The sizes of the dimensions of a sample call. They differ, and are multiples of 16.
SIZES = (32, 16, 48, 64, 80, 96, 112, 128)


def of_requirements(definition: Definition) -> Iterator[str]:
    """The mistakes in the rules on attributes of an operator, and in a function that chooses its formula."""
    fields = {"requires": definition.requires, "result.suffices": definition.result.suffices}
    for field, rules in fields.items():
        for rule, holds in rules.items():
            yield from _of_rule(f"{field} {rule!r}", holds, definition)
    if callable(definition.switch) and isinstance(definition.formula, Mapping):
        yield from _of_rule("switch", definition.switch, definition, list(definition.formula))
    if None in definition.defaults.values():
        return
    for rule, holds in definition.requires.items():
        if not holds(dict(definition.defaults)):
            defaults = ", ".join(f"{name}={value!r}" for name, value in definition.defaults.items())
            yield f"its defaults ({defaults}) break {rule!r}; give it other defaults, or none"


def _of_rule(
    rule_name: str, rule: Callable[..., Any], definition: Definition, allowed: Sequence[Any] = (False, True)
) -> Iterator[str]:
    """The first mistake in a function of attributes, which must return one of the allowed values."""
    must = f"it must return {' or '.join(map(repr, allowed))}"
    try:
        inspect.signature(rule).bind({})
    except TypeError:
        count = len(inspect.signature(rule).parameters)
        yield f"{rule_name} takes {count} arguments; write lambda attributes: ..."
        return
    for attributes in _samples(definition):
        values = ", ".join(f"{name}={value!r}" for name, value in attributes.items()) or "no attributes"
        try:
            result = rule(dict(attributes))
            is_allowed = any(result is value or (type(result) is type(value) and result == value) for value in allowed)
        except KeyError as error:
            has = ", ".join(attributes) or "none"
            yield f"{rule_name} reads the attribute {error}, which the operator does not have; it has {has}"
            return
        except Exception as error:  # the code of a rule may raise any exception
            yield f"{rule_name} raises {type(error).__name__} ({error}) for {values}; {must}"
            return
        if not is_allowed:
            yield f"{rule_name} returns {quote(result)} for {values}; {must}"
            return


def _samples(definition: Definition) -> Iterator[dict[str, Any]]:
    """Attributes to try rules on: all flags and choices, with the default scalars and with NUMBERS for all scalars."""

    def options(argument: Argument) -> tuple[Any, ...]:
        if argument.type == "bool":
            return (False, True)
        return definition.choices if argument.name == definition.switch and definition.choices else (None,)

    attributes = definition.schema.attributes
    for values in combined(*map(options, attributes)):
        for number in (None, *NUMBERS):
            sample = {}
            for argument, value in zip(attributes, values, strict=True):
                default = definition.defaults[argument.name]
                if value is None:
                    value = default if argument.type == "int" or number is None else number
                if value is None:
                    value = 0 if argument.type == "int" else 1.0
                sample[argument.name] = value
            yield sample


def of_checks(definition: Definition) -> Iterator[str]:
    """The mistakes in the field `preconditions`: values that are not checks, and names that are not arguments."""
    schema = definition.schema
    for number, group in enumerate(definition.preconditions):
        for check in group:
            if not isinstance(check, Check):
                yield f"preconditions[{number}] has {quote(check)}, not a rule; write supported('self') or Check(...)"
                return
    arguments = {*schema.tensor_names, *schema.outputs, *schema.attributes_by_name}
    for check in own_checks(definition):
        for name in check.about:
            if name not in arguments:
                listed = ", ".join(sorted(arguments))
                expected = f"it must be one of {listed}"
                yield f"the check {check.rule!r} is about {name!r}; {expected}; name one of these"


def of_sample_calls(definition: Definition) -> Iterator[str]:
    """The mistakes in checks that calls on small tensors show."""
    access, names = definition.access, [a.name for a in definition.schema.tensors if not a.is_optional]
    sample = _sample(definition, names)
    if isinstance(sample, str):
        for name in names:
            if (position := access.position_of(name)) is not None:
                yield f"its checks refuse {name} along dimension {position}: {sample}; {_rule_along(definition, name)}"
        return
    attributes, shapes = sample
    first, *rest = names
    for name in [name for name in rest if name in definition.element_tensors]:
        shape = shapes[name]
        wrong = {**shapes, name: (*shape[:-1], shape[-1] + 1)}
        if _fault(definition, wrong, attributes) is None:
            cure = f"list same_shape({name!r}, to={first!r}) or broadcastable({name!r}, to={first!r}) in preconditions"
            cure = cure if access.brings_elements(name) else _rule_along(definition, name)
            yield f"its checks let {name} of shape {wrong[name]} pass with {first} of shape {shapes[first]}; {cure}"
    plain = [
        name
        for name in names
        if access.is_elementwise(name) and access.brings_elements(name) and name in definition.element_tensors
    ]
    ones = [{**shapes, name: (1, *shapes[name][1:])} for name in plain]
    if definition.broadcasts and len(plain) > 1 and all(_fault(definition, one, attributes) for one in ones):
        a, b = plain[:2]
        yield (
            f"broadcasts=True, but its checks refuse {a} of shape {ones[0][a]} with {b} of shape {shapes[b]}; "
            f"list broadcastable({b!r}, to={a!r}) in preconditions instead of same_shape"
        )


def _sample(definition: Definition, names: list[str]) -> tuple[dict[str, Any], dict[str, tuple[int, ...]]] | str:
    """The attributes and shapes of a call that passes all checks. If no call passes, the error of the last call.

    The call has as few dimensions as possible.
    """
    access, fault = definition.access, ""
    attributes = next(filter(lambda sample: _keeps_rules(definition, sample), _samples(definition)), None)
    if attributes is None:
        return "no attributes keep its rules"
    position = max([access.position_of(name) or 0 for name in names], key=abs)
    first = position + 1 if position >= 0 else 2 - position  # in two dimensions, -1 and 1 are the same
    for rank in range(max(2, first), len(SIZES) + 1):
        elements = SIZES[:rank]
        shapes = {name: access.whole_shape(name, elements, attributes) for name in names}
        fault = _fault(definition, shapes, attributes) or ""
        if not fault:
            return attributes, shapes
    return fault


def _keeps_rules(definition: Definition, attributes: dict[str, Any]) -> bool:
    return all(holds(dict(attributes)) for holds in definition.requires.values())


def _fault(definition: Definition, shapes: dict[str, tuple[int, ...]], attributes: dict[str, Any]) -> str | None:
    """The error of a call on tensors of these shapes, or None if the call passes all checks."""
    dtype = BY_NAME[definition.input_dtypes[0]]
    metas = {name: TensorMeta(dtype, shape, row_major(shape, dtype.itemsize)) for name, shape in shapes.items()}
    try:
        run(Call(definition, {name: metas.get(name) for name in definition.schema.tensor_names}, attributes))
    except ActgradError as error:
        return str(error).removeprefix(f"{definition.name}: ")
    return None


def _rule_along(definition: Definition, name: str) -> str:
    position, first = definition.access.position_of(name), definition.schema.tensor_names[0]
    option = "" if position in (None, 1) else f", position={position}"
    return f"list along({name!r}, to={first!r}{option}) in preconditions, and leave {name} out of same_shape"
