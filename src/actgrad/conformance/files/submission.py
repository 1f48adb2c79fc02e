"""Results of other programs as the command line names them: files, attributes, and the verdict."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import chain
from typing import Any

from ...base.errors import ActgradError, did_you_mean, either, quantity
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
    minimum = sum(not a.is_optional for a in tensors)
    if not minimum <= len(given.inputs) <= len(tensors):
        names = ", ".join(a.name + (" (may be left out)" if a.is_optional else "") for a in tensors)
        got = quantity(len(given.inputs), "file")
        raise ActgradError(f"{operator.name}: --inputs got {got}; it takes {names}; name them in this order")
    if len(given.actual) > len(outputs):
        got = quantity(len(given.actual), "file")
        raise ActgradError(f"{operator.name}: --actual got {got}; it takes {', '.join(outputs)}; leave the others out")
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
            raise ActgradError(
                f"{operator.name}: --attr {text}: {name} is given twice; once is expected; leave one out"
            )
        attributes[name] = value
    return attributes


def _attribute(operator: Operator, text: str) -> tuple[str, Any]:
    """Name and value of an attribute as it is written on the command line."""
    name, is_given, value = text.partition("=")
    argument = operator.schema.attributes_by_name.get(name)
    if argument is None or not is_given:
        known = list(operator.schema.attributes_by_name)
        if not is_given:
            example = known[0] if known else "NAME"
            fault = f"{operator.name}: --attr {text}: has no value"
            raise ActgradError(f"{fault}; expected NAME=VALUE; write for example {example}=1")
        expected = f"the attributes are {', '.join(known)}" if known else f"{operator.name} has no attributes"
        cure = did_you_mean(name, known, f"leave --attr {text} out")
        raise ActgradError(f"{operator.name}: --attr {text}: attribute {name} is unknown; {expected}; {cure}")
    choices = operator.choices if name == operator.switch else ()
    if value in choices:
        return name, value
    kind, parse = _TYPES[argument.type]
    try:
        return name, parse(value)
    except (ValueError, KeyError):
        expected = either((kind, *choices))
        cure = did_you_mean(value, choices or ("true", "false"), f"change {value or 'the empty value'}")
        raise ActgradError(f"{operator.name}: --attr {text}: {name} must be {expected}; {cure}") from None
