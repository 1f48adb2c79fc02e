"""The parser of an operator's names in actgrad.torch, for example "elu(alpha, inplace, *, scale, save)"."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .errors import InvalidOperator, quote

_NAME = re.compile(r"(?P<name>[A-Za-z]\w*)(?:\((?P<parameters>.*)\))?")


class ParsedNames(NamedTuple):
    """The names of a function and of a module, and the names of their parameters."""

    function: str
    tensors: tuple[str, ...]  # the function's names for the schema's tensors
    words: tuple[str, ...]  # the function's other parameters. "*" may be among them
    module: str  # the module's name, or "" if the operator has no module
    module_words: tuple[str, ...]  # the module's parameters. "*" and names of tensors may be among them


def parse(definition: Any) -> ParsedNames | None:
    """The names that a definition states, or None. Raises InvalidOperator for parameters that the operator lacks."""
    if definition.torch is None:
        return None
    attributes, tensors = definition.schema.attributes_by_name, definition.schema.tensors
    allowed = {*attributes, "*", "save", *(["inplace"] if definition.may_be_in_place else [])}
    allowed |= (
        {f"{definition.access.dimension_attribute}=None", "_stacklevel", "dtype"}
        if definition.access.sees_rows
        else set()
    )
    function, words = _parsed(definition, definition.torch.function, [*attributes])
    renamed = [word for word in words if word not in allowed]
    if renamed and (len(tensors) == 1 or len(tensors) != len(renamed) or words[: len(tensors)] != renamed):
        raise _refusal(definition, definition.torch.function)
    names = renamed or (["input"] if len(tensors) == 1 else [argument.name for argument in tensors])
    parameters = [word for word in words if word in allowed]
    module, words = (
        _parsed(definition, definition.torch.module, parameters) if definition.torch.module else ("", parameters)
    )
    if not allowed.union(names).issuperset(words):
        raise _refusal(definition, definition.torch.module)
    return ParsedNames(function, tuple(names), tuple(parameters), module, tuple(words))


def _parsed(definition: Any, text: str, default: list[str]) -> tuple[str, list[str]]:
    line = _NAME.fullmatch(text)
    if line is None:
        raise _refusal(definition, text)
    parameters = line["parameters"]
    return line["name"], default if parameters is None else re.findall(r"\*|\w+(?:=None)?", parameters)


def _refusal(definition: Any, text: str) -> InvalidOperator:
    takes = ", ".join([*definition.schema.attributes_by_name, "save"])
    takes += ", inplace" if definition.may_be_in_place else ""
    return InvalidOperator(
        f"operator {definition.name}: torch names {quote(text)}; it must have the form of 'name' or "
        f"'name(alpha, *, save)', with names for all tensors or for none, and of {takes}; rewrite it"
    )
