"""Results of other programs, as named on the command line: files, attributes, and the verdict."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import chain
from typing import Any

from ...base.errors import ActgradError, did_you_mean, either, quantity
from ...calls.operator import REGISTRY, Operator
from ...writing import terminal
from ..judging import judge
from ..verdict import Verdict
from . import tensor_files

_BOOLS = {"true": True, "1": True, "false": False, "0": False}
#: The notation of attributes on the command line, for each type of the schema.
_TYPES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "Scalar": ("a number", float),
    "bool": ("true or false", lambda text: _BOOLS[text.lower()]),
    "int": ("an integer", int),
}


def judge_files(args: argparse.Namespace, standard_names: list[str], deciding: Collection[str]) -> Verdict:
    """The verdict on the files of --actual."""
    operator = REGISTRY[args.operator[0]]
    attributes = _attributes(operator, args.attr or [])
    tensors, outputs = operator.schema.tensors, operator.schema.outputs
    minimum = sum(not a.is_optional for a in tensors)
    if not minimum <= len(args.inputs) <= len(tensors):
        names = ", ".join(a.name + (" (may be left out)" if a.is_optional else "") for a in tensors)
        got = quantity(len(args.inputs), "file")
        raise ActgradError(f"{operator.name}: --inputs got {got}; it takes {names}; name them in this order")
    if len(args.actual) > len(outputs):
        got = quantity(len(args.actual), "file")
        raise ActgradError(f"{operator.name}: --actual got {got}; it takes {', '.join(outputs)}; leave the others out")
    inputs, actual = list(map(tensor_files.read, args.inputs)), list(map(tensor_files.read, args.actual))
    judged_outputs = [*actual, *[None] * (len(outputs) - len(actual))]
    try:
        with terminal.progress(operator.name, sum(array.size for array in actual)) as advance:
            options = {"measured": standard_names, "deciding": deciding, "strict": args.strict, "progress": advance}
            options["profile"] = args.profile
            verdict = judge(operator, attributes, inputs, judged_outputs, **options)
    except ActgradError as error:
        files = zip([a.name for a in tensors], args.inputs, strict=False), zip(outputs, args.actual, strict=False)
        files_by_name = ", ".join(f"{name} is {file}" for name, file in chain(*files))
        pairs = zip([*args.inputs, *args.actual], [*inputs, *actual], strict=True)
        bits = [file for file, array in pairs if file.endswith(".npy") and array.dtype.name in ("uint16", "int16")]
        hint = f"; if {bits[0]} has the bits of bfloat16, write {bits[0]}:bfloat16" if bits else ""
        raise ActgradError(f"{error} ({files_by_name}){hint}") from error
    return replace(verdict, dtype=actual[0].dtype.name, case=", ".join(args.actual))


def _attributes(operator: Operator, texts: list[str]) -> dict[str, Any]:
    """The attributes on the command line. Each may be given once."""
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
    """Name and value of an attribute from the command line."""
    name, is_given, value = text.partition("=")
    argument = operator.schema.attributes_by_name.get(name)
    if argument is None or not is_given:
        names = list(operator.schema.attributes_by_name)
        if not is_given or not name:
            example = names[0] if names else "NAME"
            fault = f"{operator.name}: --attr {text}: has no {'name' if is_given else 'value'}"
            raise ActgradError(f"{fault}; expected NAME=VALUE; write for example {example}=1")
        expected = f"the attributes are {', '.join(names)}" if names else f"{operator.name} has no attributes"
        cure = did_you_mean(name, names, f"leave --attr {text} out")
        raise ActgradError(f"{operator.name}: --attr {text}: attribute {name} is unknown; {expected}; {cure}")
    choices = operator.choices if name == operator.switch else ()
    if value in choices:
        return name, value
    kind, parse = _TYPES[argument.type]
    try:
        return name, parse(value)
    except (ValueError, KeyError):
        expected = either((kind, *choices))
        cure = did_you_mean(value, choices or ("true", "false"), "change it")
        raise ActgradError(
            f"{operator.name}: --attr {text}: {name} is {value!r}; it must be {expected}; {cure}"
        ) from None
