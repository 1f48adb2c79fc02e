"""Results of other programs as the command line names them: files, attributes, and the verdict."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import chain
from typing import Any

from ...base.errors import ActgradError
from ...calls.operator import REGISTRY, Operator
from ...writing import terminal
from ..judging import judge
from ..verdict import CaseVerdict
from . import tensor_files

_BOOLS = {"true": True, "1": True, "false": False, "0": False}
#: How the command line writes attributes of each type of the schema.
_TYPES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "Scalar": ("a number", float),
    "bool": ("true or false", lambda text: _BOOLS[text.lower()]),
    "int": ("an integer", int),
}


def judged(given: argparse.Namespace, asked: list[str]) -> CaseVerdict:
    """The verdict on the files of --actual."""
    operator = REGISTRY[given.operator[0]]
    attributes = _attributes(operator, given.attr or [])
    tensors, outputs = operator.schema.tensors, operator.schema.outputs
    least = sum(not a.is_optional for a in tensors)
    if not least <= len(given.inputs) <= len(tensors):
        names = ", ".join(a.name + (" (may be left out)" if a.is_optional else "") for a in tensors)
        raise ActgradError(f"{operator.name}: --inputs takes {names}; got {len(given.inputs)} files")
    if len(given.actual) > len(outputs):
        raise ActgradError(f"{operator.name}: --actual takes {', '.join(outputs)}; got {len(given.actual)} files")
    inputs, actual = list(map(tensor_files.read, given.inputs)), list(map(tensor_files.read, given.actual))
    judged_outputs = [*actual, *[None] * (len(outputs) - len(actual))]
    try:
        with terminal.progress(operator.name, sum(array.size for array in actual)) as advance:
            verdict = judge(
                operator, attributes, inputs, judged_outputs, asked=asked, strict=given.strict, progress=advance
            )
    except ActgradError as error:
        files = zip([a.name for a in tensors], given.inputs, strict=False), zip(outputs, given.actual, strict=False)
        held = ", ".join(f"{name} is {file}" for name, file in chain(*files))
        raise ActgradError(f"{error} ({held})") from error
    return CaseVerdict(operator.name, actual[0].dtype.name, ", ".join(given.actual), verdict)


def _attributes(operator: Operator, texts: list[str]) -> dict[str, Any]:
    """The attributes that the command line gives, each once."""
    attributes: dict[str, Any] = {}
    for text in texts:
        name, value = _attribute(operator, text)
        if name in attributes:
            raise ActgradError(f"{operator.name}: --attr {text}: {name} is given twice")
        attributes[name] = value
    return attributes


def _attribute(operator: Operator, text: str) -> tuple[str, Any]:
    """Name and value of an attribute as it is written on the command line."""
    name, is_given, value = text.partition("=")
    argument = operator.schema.attributes_by_name.get(name)
    if argument is None or not is_given:
        takes = ", ".join(operator.schema.attributes_by_name) or "none"
        fault = f"there is no attribute {name}" if is_given else "it is no NAME=VALUE"
        raise ActgradError(f"{operator.name}: --attr {text}: {fault}; it takes {takes}")
    choices = operator.choices if name == operator.switch else ()
    if value in choices:
        return name, value
    kind, parse = _TYPES[argument.type]
    try:
        return name, parse(value)
    except (ValueError, KeyError):
        known = f" or one of {', '.join(choices)}" if choices else ""
        raise ActgradError(f"{operator.name}: --attr {text}: {name} is {kind}{known}") from None
