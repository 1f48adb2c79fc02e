"""The C functions of an operator: names and parameters, derived from its schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .. import ops  # noqa: F401  fills the registry
from ..base.dtypes import BY_NUMBER
from ..calls.operator import REGISTRY, Operator

#: Words of messages, and C's words for them; data types as the documents write them.
_WORDS = {row.name: row.acl_name for row in BY_NUMBER.values()} | {
    "None": "a null pointer",
    "True": "true",
    "False": "false",
}
_C_TYPES = {"Scalar": "const aclScalar*", "bool": "bool", "int": "int64_t"}


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter of a C function."""

    name: str  # in C
    argument: str  # in the operator's schema
    type: str  # "Tensor", "Scalar", "bool" or "int"
    is_output: bool = False

    @property
    def c_type(self) -> str:
        """The type in C."""
        if self.type == "Tensor":
            return "aclTensor*" if self.is_output else "const aclTensor*"
        return _C_TYPES[self.type]


@dataclass(frozen=True)
class Signature:
    """The first of an operator's two C functions; the second has the same parameters for all operators."""

    name: str  # of the second function
    operator: Operator
    fixed: Mapping[str, Any]  # attributes that are no parameters of the function
    in_place: bool  # one tensor, selfRef, is input and output
    parameters: tuple[CParameter, ...]

    @property
    def first_name(self) -> str:
        return self.name + FIRST

    @cached_property
    def _names(self) -> dict[str, str]:
        """The C names of the schema's arguments."""
        schema = self.operator.schema
        names = {name: camel(name) for name in (*(a.name for a in schema.arguments), *schema.outputs)}
        return names | dict.fromkeys((*schema.tensor_names, *schema.outputs), "selfRef") if self.in_place else names

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(r"\b(" + "|".join(map(re.escape, {**_WORDS, **self._names})) + r")\b")

    def translated(self, text: str) -> str:
        """A message or a rule in the words of C."""
        words = {**_WORDS, **self._names}
        prefix = f"{self.operator.name}: "
        translated = self._pattern.sub(lambda match: words[match[0]], text.removeprefix(prefix))
        return f"{self.name}: {translated}" if text.startswith(prefix) else translated

    def __str__(self) -> str:
        parameters = [f"{p.c_type} {p.name}" for p in self.parameters]
        return f"aclnnStatus {self.first_name}({', '.join([*parameters, *RETURNED])})"


#: The end of the first function's name.
FIRST = "GetWorkspaceSize"
#: The out-parameters of the first function; Python returns them.
RETURNED = ("uint64_t* workspaceSize", "aclOpExecutor** executor")
#: The parameters of the second function.
SECOND = ("void* workspace", "uint64_t workspaceSize", "aclOpExecutor* executor", "aclrtStream stream")


def camel(name: str) -> str:
    """The C name of an argument: self_or_result is selfOrResult."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def of(operator: Operator) -> tuple[Signature, ...]:
    """The signatures of an operator; a forward operator of one tensor also has one in place."""
    found = []
    for base, fixed in operator.aclnn.items():
        inputs = [
            CParameter(camel(a.name), a.name, "Tensor" if a.is_tensor else a.type)
            for a in operator.schema.arguments
            if a.name not in fixed
        ]
        outputs = [CParameter(camel(name), name, "Tensor", is_output=True) for name in operator.schema.outputs]
        found.append(Signature(f"aclnn{base}", operator, fixed, False, (*inputs, *outputs)))
        if operator.definition.may_be_in_place:
            first, *attributes = inputs
            reference = CParameter("selfRef", first.argument, "Tensor", is_output=True)
            found.append(Signature(f"aclnnInplace{base}", operator, fixed, True, (reference, *attributes)))
    return tuple(found)


def every() -> list[Signature]:
    """The signatures of all operators, in the order of the registry."""
    return [signature for operator in REGISTRY.values() for signature in of(operator)]
