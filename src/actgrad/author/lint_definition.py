"""Mistakes that are found when an operator is defined: fields of wrong types, and names that are wrong or not free.

`linter.validate` finds mistakes in checks and formulas at the first call.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..base.definition import Dtypes, Integers, Ragged, Result, Roles
from ..base.errors import InvalidOperator, quote, some
from ..base.schema import Schema, name_in
from .lint_access import of_access

#: Names in `actgrad` that an operator must not have. A test compares this list with the package.
PACKAGE_NAMES = """
aclnn arrays ascend aten author backends base calls checks cli conformance errors get_num_threads ir judge kernel op
operators ops precompile product rules samples sdk set_num_threads sys torch torch_npu writing xp
"""
#: Names in `actgrad.torch` that a function or a module must not have. A test compares this list with the package.
TORCH_NAMES = """
autograd batching call celu_ conventions conversion convert decomposition deferred derivatives elu_ exact_in_graphs
function_arguments functions geglu_ascend geglu_diffusers geglu_gemma geglu_megatron geglu_modernbert geglu_onnx
geglu_t5 geglu_vllm graphs hardtanh_ kernels leaky_relu_ models modules npu_stand_in patched public_names register
register_all registration relu_ report revert rrelu selu_ sharding softmin tanhshrink threshold_ torch variants
Gate ModelReport Report gated_linear linear_cross_entropy
"""
_PACKAGE_NAMES, _TORCH_NAMES = frozenset(PACKAGE_NAMES.split()), frozenset(TORCH_NAMES.split())
_CALL_NAMES = ("out", "backend")  # keyword arguments of every call


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _are_rules(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, value)) and all(map(callable, value.values()))


def _dtypes_in(value: Mapping[Any, Any]) -> Iterator[Any]:
    """The texts of `output_dtypes`. A value may be a mapping from the values of the switch."""
    for dtypes in value.values():
        yield from dtypes.values() if isinstance(dtypes, Mapping) else (dtypes,)


_Kind = tuple[Callable[[Any], bool], str]
_TEXT: _Kind = (_is_text, "a text")
_FLAG: _Kind = (_is_flag, "True or False")
RESTS = ("cleared", "kept", "computed", "refused")
_RULES: _Kind = (_are_rules, "a mapping {'alpha > 0': lambda attributes: attributes['alpha'] > 0}")
#: Field, or part and its field -> a test of its value, and a phrase that says what the value must be.
_KINDS: Mapping[str, _Kind] = {
    **dict.fromkeys(("summary", "paper"), _TEXT),
    "broadcasts": _FLAG,
    "defaults_of_tensors": (
        lambda value: isinstance(value, Mapping) and all(isinstance(n, (int, float)) for n in value.values()),
        "a mapping such as {'weight': 1.0}",
    ),
    "preconditions": (
        lambda value: isinstance(value, tuple) and all(isinstance(group, tuple) for group in value),
        "a tuple of rules: (supported('self'),) for one rule, and (Check(...),) for a rule of your own",
    ),
    "requires": _RULES,
    "ragged": (lambda value: isinstance(value, Ragged), "Ragged(...)"),
    "roles": (lambda value: isinstance(value, Roles), "Roles(...)"),
    "result": (lambda value: isinstance(value, Result), "Result(...)"),
    "integers": (lambda value: isinstance(value, Integers), "Integers(...)"),
    "dtypes": (lambda value: isinstance(value, Dtypes), "Dtypes('int32', outputs={'mask': 'uint8'})"),
    **dict.fromkeys(("roles.multiplies", "roles.linear_in", "roles.only_checked"), _TEXT),
    "roles.takes_gradient": _FLAG,
    "result.tensor": _TEXT,
    "result.flag": _TEXT,
    "result.suffices": _RULES,
    "integers.dtype": _TEXT,
    "integers.in_floats": _FLAG,
    "ragged.counter": _TEXT,
    "ragged.groups": _TEXT,
    "ragged.are_counts": (
        lambda value: _is_text(value) or _is_flag(value), "the name of an int attribute, or True"
    ),
    "ragged.rest": (lambda value: value in RESTS, f"one of {', '.join(RESTS)}"),
    "dtypes.besides_floats": (_is_text, "a text of names with spaces between"),
    "dtypes.outputs": (
        lambda value: isinstance(value, Mapping) and all(map(_is_text, (*value, *_dtypes_in(value)))),
        "a mapping such as {'mask': 'uint8'}",
    ),
    "dtypes.attribute": _TEXT,
    "formula.by": (lambda value: _is_text(value) or callable(value), "the name of an attribute, or a function"),
    "formula.variant": (lambda value: value is None or callable(value), "a function of attributes and dtypes"),
}  # fmt: skip


def refuse_fields(text: object, field_names: Iterable[str], fields: Mapping[str, bool]) -> None:
    """Raise an error for an unknown or a missing field. `fields` has the names, and whether each field is required."""
    names = [*field_names]
    for name in names:
        if name not in fields:
            fault = f"operator {name_in(text)}: {name} is not a field"
            raise InvalidOperator(f"{fault}; the fields are {some(fields, name)}")
    for name, is_required in fields.items():
        if is_required and name not in names:
            raise InvalidOperator(
                f"operator {name_in(text)}: {name} is missing; an operator must state it; write {name}=..."
            )


def of_types(definition: Any) -> Iterator[str]:
    """The fields of a definition that have wrong types."""
    for name, (holds, must) in _KINDS.items():
        part, _, field = name.partition(".")
        value = getattr(definition, part)
        if field and not hasattr(value, field):
            continue  # a formula without a switch
        value = getattr(value, field) if field else value
        if not holds(value):
            yield f"{name} is {quote(value)}; it must be {must}"


def of_definition(definition: Any) -> Iterator[str]:
    """The other mistakes in a definition whose fields have the right types."""
    yield from of_schema(definition.schema)
    yield from of_access(definition.layout, definition.schema)
    yield from of_choices(definition)
    yield from of_torch(definition)


def of_gradients(definition: Any) -> Iterator[str]:
    """A mistake, unless the outputs are one gradient for each tensor of the forward operator, in order.

    The gradient of an optional tensor may be missing.
    """
    forward, gradients = definition.gradient_of, definition.gradients.values()
    optional = {a.name for a in forward.schema.tensors if a.is_optional} if forward is not None else ()
    tensors = forward.element_tensors if forward is not None else ()
    if tuple(gradients) != tuple(name for name in tensors if name in gradients or name not in optional):
        yield (
            f"it returns {', '.join(definition.schema.outputs)}; it must return a gradient for each of "
            f"{', '.join(tensors)}; return {', '.join(f'grad_{name}' for name in tensors)}"
        )


def of_schema(schema: Schema) -> Iterator[str]:
    """The mistakes in a schema line: wrong names, and orders of arguments that PyTorch's schemas do not allow."""
    yield from _names(schema)
    if not schema.tensors:
        yield "its schema has no tensor; write 'Tensor self' first"
        return
    if schema.tensors[0].is_optional:
        first = schema.tensors[0].name
        yield f"its first tensor, {first}, is optional; write 'Tensor {first}', or a required tensor before it"
    arguments, attributes = schema.arguments, [a.name for a in schema.attributes]
    positions = [k for k, a in enumerate(arguments) if not a.is_tensor]
    if positions and positions[-1] - positions[0] + 1 != len(positions):
        yield f"its schema has tensors between attributes; write {', '.join(attributes)} next to each other"
    default = ""
    for argument in arguments:
        if argument.default is not None:
            default = argument.name
        elif default:
            yield (
                f"{argument.name} has no default, but {default} before it has one; "
                f"write {default} last, or give {argument.name} a default"
            )
            return
    for argument in schema.attributes:
        value = argument.default
        if isinstance(value, float) and value - value != 0:
            yield f"the default of {argument.name} is {value}, which PyTorch's schemas cannot have; write a finite one"
        if argument.type == "int" and value is not None and not -(1 << 63) <= value < 1 << 63:
            yield f"the default of {argument.name} is {value}; it must be an integer of 64 bits"


def _names(schema: Schema) -> Iterator[str]:
    """The mistakes in names of a schema line."""
    names = [schema.name, *(a.name for a in schema.arguments), *schema.outputs]
    for name in names:
        if not name.isascii() or keyword.iskeyword(name):
            reason = "is a keyword of Python" if name.isascii() else "has letters outside ASCII"
            yield f"the name {name!r} {reason}; write another name, for example lambd for lambda"
    if schema.name.endswith("_"):
        yield f"its name ends in an underscore, as PyTorch names calls in place; write {schema.name.rstrip('_')!r}"
    if schema.name in _PACKAGE_NAMES:
        yield f"actgrad.{schema.name} exists already; choose another name"
    for argument in schema.arguments:
        if argument.name in _CALL_NAMES:
            yield f"{argument.name} is a keyword of every call; give the argument another name"
    for output in schema.outputs:
        if output in (a.name for a in schema.arguments):
            yield f"the output {output} has the name of an argument; give it another name, for example out"
    if len(set(schema.outputs)) != len(schema.outputs):
        yield f"an output is named twice ({', '.join(schema.outputs)})"


def of_choices(definition: Any) -> Iterator[str]:
    """A mistake, if the default of the switch is not the number of a choice."""
    argument = definition.schema.attributes_by_name.get(definition.switch)
    if argument is not None and definition.choices and argument.default is not None:
        count = len(definition.choices)
        if argument.type != "int" or not 0 <= argument.default < count:
            choices = ", ".join(f"{k} for {name!r}" for k, name in enumerate(definition.choices))
            text = f"{argument.type} {argument.name}={argument.default}"
            yield f"the formula's keys are texts, but the switch is {text}; write int {argument.name}=0, with {choices}"


def of_names(definition: Any, holders: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """Names of PyTorch functions and modules that occur twice, here or in another operator.

    `holders` has the operator of each name. Its keys are a field and a name that the field states.
    """
    earlier: list[tuple[str, str]] = []
    for kind, name in public_names(definition):
        holder = holders.get((kind, name))
        if (kind, name) in earlier:
            yield f"it states {kind} {name!r} twice; leave out one"
        elif holder is not None:
            yield f"{kind} is {name!r}, the {kind} name of {holder}; choose another"
        earlier.append((kind, name))


def public_names(definition: Any) -> Iterator[tuple[str, str]]:
    """The names of an operator in actgrad.torch, each with the field that states the name."""
    if definition.torch is not None:
        for text in (definition.torch.function, definition.torch.module):
            if text:
                yield "torch", name_in(text)


def of_torch(definition: Any) -> Iterator[str]:
    """The names of PyTorch functions and modules that are keywords, or that actgrad.torch uses for something else."""
    if definition.torch is None:
        return
    if not hasattr(definition.torch, "function"):
        yield f"torch is {quote(definition.torch)}; write Torch('name') or Torch('name(alpha)', module='Name')"
        return
    for text in (definition.torch.function, definition.torch.module):
        name = name_in(text) if text else ""
        if name in _TORCH_NAMES:
            yield f"torch is {name!r}, and actgrad.torch.{name} exists already; choose another name"
        if keyword.iskeyword(name):
            yield f"torch is {name!r}, which is a keyword of Python; choose another"


def refuse(name: str, faults: Iterable[str]) -> None:
    """Raise an InvalidOperator with the first of `faults`, if there is one."""
    for fault in faults:
        raise InvalidOperator(f"operator {name}: {fault}")
