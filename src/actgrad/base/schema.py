"""The schema language: PyTorch's, with named outputs. One line carries an operator's whole interface."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .errors import InvalidOperator, shown

_SCHEMA = re.compile(r"(?P<name>[a-z]\w*)\((?P<inputs>.*)\) -> (?P<outputs>Tensor \w+|\((?:Tensor \w+(?:, )?)+\))")
_ARGUMENT = re.compile(r"(?P<type>Tensor\??|Scalar|bool|int) (?P<name>[a-z]\w*)(?:=(?P<default>\S+))?")
_GRAPH = re.compile(r"(?P<name>[A-Z]\w*)\((?P<inputs>.*)\) -> (?P<outputs>\w+|\(\w+(?:, \w+)+\))")
_LITERALS = {"True": True, "False": False}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of an operator; `default` is None where it has none."""

    type: str  # "Tensor", "Tensor?", "Scalar", "bool" or "int"
    name: str
    default: Any = None

    @property
    def is_tensor(self) -> bool:
        return self.type.startswith("Tensor")

    @property
    def is_optional(self) -> bool:
        return self.type.endswith("?")


class Schema:
    """A parsed schema line."""

    def __init__(self, text: str, name: str, arguments: tuple[Argument, ...], outputs: tuple[str, ...]):
        self.text = text
        self.name = name
        self.arguments = arguments
        self.outputs = outputs
        self.tensors = tuple(a for a in arguments if a.is_tensor)
        self.tensor_names = tuple(a.name for a in self.tensors)
        self.attributes = tuple(a for a in arguments if not a.is_tensor)
        self.scalars = tuple(a.name for a in self.attributes if a.type == "Scalar")
        self.attributes_by_name = {a.name: a for a in self.attributes}

    def __str__(self) -> str:
        return self.text


def parse(text: str) -> Schema:
    """Parse a schema line, for example "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor out"."""
    line = _SCHEMA.fullmatch(text) if isinstance(text, str) else None
    if line is None:
        raise InvalidOperator(f"not a schema: {shown(text)}; it reads 'name(Tensor x, Scalar alpha=1) -> Tensor out'")
    arguments = []
    for part in line["inputs"].split(", "):
        match = _ARGUMENT.fullmatch(part)
        if match is None:
            raise InvalidOperator(
                f"schema of {line['name']}: not an argument: {part!r}; types: Tensor, Scalar, bool, int"
            )
        if match["type"].startswith("Tensor") and match["default"] is not None:
            raise InvalidOperator(
                f"schema of {line['name']}: {part!r} has a default; an optional tensor is a 'Tensor?'"
            )
        arguments.append(Argument(match["type"], match["name"], _literal(match["type"], match["default"])))
    names = [a.name for a in arguments]
    if len(set(names)) != len(names):
        raise InvalidOperator(f"schema of {line['name']}: an argument is named twice ({', '.join(names)})")
    return Schema(text, line["name"], tuple(arguments), tuple(re.findall(r"Tensor (\w+)", line["outputs"])))


@dataclass(frozen=True, slots=True)
class GraphSignature:
    """An operator's interface in graph mode (IR): its own names, and defaults that differ from the functions'."""

    name: str
    inputs: tuple[str, ...]  # in the order of the schema's tensors
    attributes: dict[str, Any]  # by the schema's names, with the defaults of the graph operator
    outputs: tuple[str, ...]


def parse_graph(text: str) -> GraphSignature:
    """Parse a graph operator's line, for example "LeakyRelu(x, negative_slope=0.0) -> y"."""
    line = _GRAPH.fullmatch(text) if isinstance(text, str) else None
    if line is None:
        raise InvalidOperator(f"not a graph operator: {shown(text)}; it reads 'Elu(x, alpha=1.0) -> y'")
    parts = [part.partition("=") for part in line["inputs"].split(", ")]
    attributes = {name: _number(default) for name, equals, default in parts if equals}
    inputs = tuple(name for name, equals, _ in parts if not equals)
    return GraphSignature(line["name"], inputs, attributes, tuple(re.findall(r"\w+", line["outputs"])))


def _number(text: str) -> bool | int | float:
    if text in _LITERALS:
        return _LITERALS[text]
    try:
        return int(text) if text.lstrip("-").isdigit() else float(text)
    except ValueError:
        raise InvalidOperator(f"{text!r} is no number, True or False") from None


def _literal(kind: str, text: str | None) -> Any:
    if text is None:
        return None
    if kind == "bool":
        if text not in _LITERALS:
            raise InvalidOperator(f"{text!r} is no bool; it is True or False")
        return _LITERALS[text]
    try:
        return int(text) if kind == "int" else float(text)
    except ValueError:
        raise InvalidOperator(f"{text!r} is no {kind}") from None
