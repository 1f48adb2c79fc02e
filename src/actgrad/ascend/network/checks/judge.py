"""Phase one of a function: its checks as checks of the contract, and the check of a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, cast

from ....base.definition import Definition
from ....base.loop import TensorMeta, row_major
from ....checks.check import Call, Check
from ...aclnn.objects import AclScalar, AclTensor
from ...aclnn.signatures import CParameter
from ...rules import rule
from ...rules.law import rules_of_c
from ...rules.rule import Rule
from ..function import Checks
from ..functions import functions
from .row import Row
from .words import nulls

_OPTIONAL = ("clipValueMin", "clipValueMax")


def patterns() -> dict[str, str]:
    """The pattern of each function that has checks, by the function's name."""
    return {name: checks.pattern.name for name in functions() if (checks := _checks_of(name)) is not None}


def _checks_of(name: str) -> Checks | None:
    return functions()[name].checks


@cache
def row_of(name: str, parameters: tuple[CParameter, ...]) -> Row | None:
    """What the checks of a function read, or None if its checks are unknown."""
    checks = _checks_of(name)
    return None if checks is None else Row(name, parameters, checks.dtypes, checks.words)


def may_be_null(row: Row | None, parameter: str) -> bool:
    """Whether a pointer may be null."""
    return (
        parameter in _OPTIONAL or "Optional" in parameter or parameter in ((row and row.arguments_of("optional")) or ())
    )


class Judge(NamedTuple):
    """The checks of a function: `pointers`, which need no memory, and the other checks."""

    pointers: tuple[Check, ...] = ()
    later: tuple[Check, ...] = ()
    #: If one of these is an empty tensor or list, or the number 0, the call ends without work. "": all outputs must be
    #: empty.
    empty: tuple[str, ...] = ()
    any_shape: tuple[str, ...] = ()  # results with as many elements as the rule gives, in any shape

    def has_no_work(self, call: Call) -> bool:
        """Whether hardware ends a call that has passed its checks, before the shapes of results are compared."""
        if self.empty == ("",):
            return bool(call.outputs) and all(meta.size == 0 for meta in call.outputs.values())
        values = [call.attributes.get(name) for name in self.empty]
        if any(value in ((), 0) or (isinstance(value, tuple) and 0 in value) for value in values):
            return True
        return any((meta := call.tensors.get(name)) is not None and meta.size == 0 for name in self.empty)


@cache
def judge_of(name: str, parameters: tuple[CParameter, ...]) -> Judge | None:
    """The checks of a function, or None if they are unknown."""
    row, known = row_of(name, parameters), _checks_of(name)
    if row is None or known is None:
        return None
    pattern = known.pattern
    later = pattern.checks(row)
    if (early := row.arguments_of("empty_first")) is not None:
        later = rule.unless_empty(early, later)
    empty = ("",) if pattern.is_generated else (early or row.arguments_of("empty") or ())
    pointers = nulls(row, lambda parameter: may_be_null(row, parameter))
    return Judge(pointers, later, empty, row.arguments_of("any_shape") or ())


@dataclass(frozen=True)
class _Schema:
    tensor_names: tuple[str, ...]
    scalars: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class _Function:
    """The parts of a definition that checks of the contract read."""

    name: str
    schema: _Schema
    element_tensors: tuple[str, ...]


def call_of(name: str, parameters: Sequence[CParameter], arguments: Sequence[Any]) -> Call:
    """A call as metadata: tensors by name, and `x[0]` for a list's tensor. Lists, arrays and numbers are attributes."""
    tensors: dict[str, TensorMeta | None] = {}
    attributes: dict[str, Any] = {}
    scalars, formats, outputs = {}, {}, []
    for parameter, value in zip(parameters, arguments, strict=True):
        if parameter.type == "Tensor" or isinstance(value, AclTensor):
            tensors[parameter.name] = None if value is None else _meta(value)
            if value is not None:
                formats[parameter.name] = value.format
        elif isinstance(value, tuple):
            attributes[parameter.name] = tuple(_meta(each) if isinstance(each, AclTensor) else each for each in value)
            entries = {f"{parameter.name}[{k}]": each for k, each in enumerate(value) if isinstance(each, AclTensor)}
            tensors |= {key: _meta(each) for key, each in entries.items()}
            formats |= {key: each.format for key, each in entries.items()}
        elif isinstance(value, AclScalar):
            attributes[parameter.name], scalars[parameter.name] = value.value, value.dtype
        else:
            attributes[parameter.name] = value
        if parameter.is_output:
            outputs += [each for each in tensors if each.partition("[")[0] == parameter.name]
    function = _Function(name, _Schema(tuple(formats), tuple(scalars), tuple(outputs)), tuple(tensors))
    law = rules_of_c()._replace(scalar_dtypes=tuple(scalars.values()), formats=tuple(formats.values()))
    return Call(cast(Definition, function), tensors, attributes, law)


def _meta(tensor: AclTensor) -> TensorMeta:
    itemsize = tensor.dtype.itemsize
    shape = tensor.view_dims
    strides = tuple(stride * itemsize for stride in tensor.strides) if tensor.strides else row_major(shape, itemsize)
    return TensorMeta(tensor.dtype, shape, strides)


def run(checks: tuple[Check, ...], call: Call) -> None:
    """Raise the error of the first check that a call breaks."""
    for check in checks:
        fault = check.test(call) if not isinstance(check, Rule) or check.applies(call.law) else None
        if fault is not None:
            raise check.error_class(call.law)(f"{call.definition.name}: {fault}")
