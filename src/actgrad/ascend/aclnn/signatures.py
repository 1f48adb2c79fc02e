"""The names and parameters of an operator's C functions, which follow from its schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ... import ops  # noqa: F401  fills the registry
from ...base.dtypes import BY_NUMBER
from ...base.errors import NullArgument
from ...base.forks import cached_property
from ...calls.operator import REGISTRY, Operator
from ..law import LAWS, law_of
from ..rules.law import C, Law, Parameter
from ..rules.lint import has_in_place
from ..rules.rule import Rule, When

#: Word in a message -> the word in C. Data types have the names of the documents.
_WORDS = {row.name: row.acl_name for row in BY_NUMBER.values()} | {
    "None": "a null pointer",
    "True": "true",
    "False": "false",
}
_WORD = re.compile(r"\w+")
_CHOICE = re.compile(r"'(\w+)' \((\d+)\)")  # the name and the number of a choice
_TEXT = re.compile(r"'(\w*)'( \(\d+\))?")
_C_TYPES = {"Tensor": "aclTensor*", "Scalar": "aclScalar*", "bool": "bool", "int": "int64_t", "double": "double",
            "text": "char*"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter of a C function."""

    name: str  # the name in C
    argument: str  # the name in the operator's schema
    type: str  # "Tensor", "Scalar", "bool", "int", "double" or "text"
    is_output: bool = False
    is_const: bool = False  # whether it is a const pointer in CANN's prototype
    is_unread: bool = False  # whether the operator has no such argument
    is_optional: bool = False  # whether an unread tensor may be a null pointer
    origin: Parameter | None = None  # what the law says about it

    @property
    def c_type(self) -> str:
        """The type in C."""
        return f"const {_C_TYPES[self.type]}" if self.is_const else _C_TYPES[self.type]

    def has(self, property_name: str) -> bool:
        """Whether the law says this of the parameter, for example "must_be_null"."""
        return self.origin is not None and bool(getattr(self.origin, property_name))


@dataclass(frozen=True)
class Signature:
    """The signature of phase one of a C function. Phase two has the same parameters for all functions."""

    name: str  # the name of phase two
    operator: Operator
    function: C
    law: Law  # the rules and products of this C function
    in_place: bool  # whether the first tensor is both input and output
    parameters: tuple[CParameter, ...]

    @property
    def fixed(self) -> Mapping[str, Any]:
        """The attributes that the function fixes."""
        fixed, attributes = self.function.fixed, self.operator.definition.schema.attributes_by_name
        return fixed and {name: value for name, value in fixed.items() if name in attributes}

    @property
    def header(self) -> str:
        """The header in aclnnop/ that declares the function."""
        return self.function.header or f"aclnn_{_snake(self.function.name)}.h"

    @property
    def first_name(self) -> str:
        return self.name + FIRST

    @property
    def checks(self) -> tuple[Rule, ...]:
        """The rules that a call can break, in order. A call cannot break rules of fixed arguments and of defaults."""
        return tuple(check for check in self.law.rules if self._can_break(check))

    def _can_break(self, check: Rule) -> bool:
        about = {*check.about}
        if check.when is When.UNTYPED or (about and about <= self.function.fixed.keys()):
            return False
        if about and self.function.fixed.get(check.about[0], "") is None:  # a tensor that the function lacks
            return False
        if check.error is NullArgument and about & {p.argument for p in self.parameters if p.has("null_means_default")}:
            return False
        return not about & {p.argument for p in self.parameters if p.has("other_numbers_mean_first")}

    @cached_property
    def _names(self) -> dict[str, str]:
        """The C names of the schema's arguments."""
        schema = self.operator.schema
        names = {p.argument: p.name for p in self.parameters}
        if self.in_place:
            names |= dict.fromkeys((schema.tensor_names[0], *schema.outputs), self.parameters[0].name)
        return names

    def translated(self, text: str) -> str:
        """A message or a rule with the names of the C interface."""
        words = {**_WORDS, **self._names}
        prefix = f"{self.operator.name}: "
        translated = _WORD.sub(lambda match: words.get(match[0], match[0]), text.removeprefix(prefix))
        is_text = any(p.type == "text" and not p.is_unread for p in self.parameters)
        translated = _TEXT.sub(r'"\1"', translated) if is_text else _CHOICE.sub(r"\2 (\1)", translated)
        return f"{self.name}: {translated}" if text.startswith(prefix) else translated

    def __str__(self) -> str:
        parameters = [f"{p.c_type} {p.name}" for p in self.parameters]
        return f"aclnnStatus {self.first_name}({', '.join([*parameters, *RETURNED])})"


#: The end of the name of phase one.
FIRST = "GetWorkspaceSize"
#: The last parameters of phase one, which are output pointers. The Python function returns them.
RETURNED = ("uint64_t* workspaceSize", "aclOpExecutor** executor")
#: The parameters of phase two.
SECOND = ("void* workspace", "uint64_t workspaceSize", "aclOpExecutor* executor", "aclrtStream stream")


def camel(name: str) -> str:
    """The C name of an argument, for example selfOrResult for self_or_result."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _snake(name: str) -> str:
    """The name of a function in snake case, for example swi_glu_grad for SwiGluGrad."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def list_signatures(operator: Operator) -> tuple[Signature, ...]:
    """The signatures of an operator's C functions and of their in-place forms."""
    return _signatures_of_law(operator, law_of(operator.definition))


@cache
def _signatures_of_law(operator: Operator, law: Law) -> tuple[Signature, ...]:
    return tuple([signature for function in law.functions for signature in of_function(operator, function)])


def of_function(operator: Operator, function: C) -> Iterator[Signature]:
    """The signature of a C function, and of its in-place form if there is one."""
    parameters = _parameters(operator, function)
    law = law_of(operator.definition)
    yield Signature(f"aclnn{function.name}", operator, function, law.of_function(function), False, parameters)
    if function.in_place is not None and has_in_place(function, operator.definition):
        first, *rest = [parameter for parameter in parameters if not parameter.is_output]
        form = function.in_place
        reference = CParameter(form.reference, first.argument, "Tensor", True, form.is_const)
        variant = law.of_function(function, in_place=True)
        yield Signature(f"aclnnInplace{function.name}", operator, function, variant, True, (reference, *rest))


def _parameters(operator: Operator, function: C) -> tuple[CParameter, ...]:
    """The parameters of phase one without the last two, RETURNED."""
    schema = operator.definition.schema
    arguments = [argument for argument in schema.arguments if argument.name not in function.fixed]
    types = {a.name: "Tensor" if a.is_tensor else a.type for a in arguments} | dict.fromkeys(schema.outputs, "Tensor")
    rest = iter(types.items())
    parameters = []
    for each in function.parameters or [camel(name) for name in types]:
        own = Parameter(each) if isinstance(each, str) else each
        if own.is_foreign:
            constant = {str: "text", bool: "bool"}.get(type(own.constant), "int")
            kind = own.type or ("Tensor" if own.must_be_null or own.constant is None else constant)
            is_const = kind == "Tensor" if own.is_const is None else own.is_const
            optional = own.may_be_null or own.must_be_null
            parameters.append(CParameter(own.name, own.name, kind, False, is_const, True, optional, own))
            continue
        argument, kind = next(rest)
        kind, is_output = own.type or kind, argument in schema.outputs
        usual = kind in ("Tensor", "Scalar") and not is_output
        is_const = usual if own.is_const is None else own.is_const
        parameters.append(CParameter(own.name, argument, kind, is_output, is_const, origin=own))
    return tuple(parameters)


def find(name: str) -> Signature | None:
    """The signature of the C function whose phase two has this name."""
    stem = name.removeprefix("aclnn")
    for operator in REGISTRY.values():
        law = LAWS.get(operator.definition)
        for function in law.functions if law is not None else ():
            if stem in (function.name, f"Inplace{function.name}"):
                for pair in list_signatures(operator):
                    if pair.name == name:
                        return pair
    return None


def all_signatures() -> list[Signature]:
    """The signatures of all operators, in the order of the registry."""
    return [signature for operator in REGISTRY.values() for signature in list_signatures(operator)]
