"""A function's parameters, the dtypes of its arguments, and words for its other checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ....base.dtypes import BY_NUMBER, Dtype
from ....base.loop import TensorMeta
from ....checks.check import Call, Check
from ...aclnn.signatures import CParameter
from ...rules.rule import scalar_dtypes
from .dtypes import DtypeList

Group = tuple[Check, ...]
Phrase = tuple[Any, ...]  # a word and its arguments

#: The rank of a dtype in promotion: booleans, integers, floating-point numbers, complex numbers.
CATEGORIES = {"bool": 0, "int": 1, "uint": 1, "float": 2, "float8": 2, "other": 2, "complex": 3}


@dataclass(frozen=True)
class Row:
    """What patterns and words read of a function."""

    name: str
    parameters: tuple[CParameter, ...]
    dtypes: dict[str, DtypeList]
    words: tuple[Phrase, ...]

    def of_type(self, *types: str) -> list[str]:
        return [p.name for p in self.parameters if p.type in types]

    @property
    def outputs(self) -> list[str]:
        return [p.name for p in self.parameters if p.is_output]

    @property
    def inputs(self) -> list[str]:
        """Tensors and lists that the function reads. A function in place reads its result, which comes first."""
        tensors = [(k, p) for k, p in enumerate(self.parameters) if p.type in ("Tensor", "tensors")]
        return [p.name for k, p in tensors if k == 0 or not p.is_output]

    def arguments_of(self, word: str) -> tuple[Any, ...] | None:
        """The arguments of a word of this row, or None if the row does not have the word."""
        return next((words[1:] for words in self.words if words[0] == word), None)


def entries(call: Call, name: str) -> Iterator[TensorMeta]:
    """A tensor, or the tensors of a list. The result is empty if the argument is left out."""
    value: Any = call.tensors.get(name, call.attributes.get(name))
    metas = (value,) if isinstance(value, TensorMeta) or value is None else value if isinstance(value, tuple) else ()
    yield from (each for each in metas if isinstance(each, TensorMeta))


def dtypes_of(call: Call, name: str) -> list[Dtype]:
    """The dtypes of a tensor, a list of tensors, a scalar or a parameter of type aclDataType."""
    if name in scalar_dtypes(call):
        return [scalar_dtypes(call)[name]]
    number = call.attributes.get(name)
    if isinstance(number, int) and not isinstance(number, bool):
        return [BY_NUMBER.get(number, BY_NUMBER[-1])]
    return [meta.dtype for meta in entries(call, name)]
