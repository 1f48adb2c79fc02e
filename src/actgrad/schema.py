"""The schema language: PyTorch's, with named outputs. One line carries an operator's whole interface."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_SCHEMA = re.compile(r"(?P<name>[a-z]\w*)\((?P<inputs>.*)\) -> (?P<outputs>Tensor \w+|\((?:Tensor \w+(?:, )?)+\))")
_ARGUMENT = re.compile(r"(?P<type>Tensor\??|Scalar|bool|int) (?P<name>[a-z]\w*)(?:=(?P<default>\S+))?")
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


@dataclass(frozen=True, slots=True)
class Schema:
    """A parsed schema line."""

    text: str
    name: str
    arguments: tuple[Argument, ...]
    outputs: tuple[str, ...]

    def __str__(self) -> str:
        return self.text

    @property
    def tensors(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if a.is_tensor)

    @property
    def attributes(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if not a.is_tensor)


def parse(text: str) -> Schema:
    """Parse a schema line, for example "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor out"."""
    line = _SCHEMA.fullmatch(text)
    if line is None:
        raise ValueError(f"not a schema: {text!r}; it reads 'name(Tensor x, Scalar alpha=1) -> Tensor out'")
    arguments = []
    for part in line["inputs"].split(", "):
        match = _ARGUMENT.fullmatch(part)
        if match is None:
            raise ValueError(f"schema of {line['name']}: not an argument: {part!r}; types: Tensor, Scalar, bool, int")
        arguments.append(Argument(match["type"], match["name"], _literal(match["type"], match["default"])))
    return Schema(text, line["name"], tuple(arguments), tuple(re.findall(r"Tensor (\w+)", line["outputs"])))


def _literal(kind: str, text: str | None) -> Any:
    if text is None:
        return None
    if kind == "bool":
        return _LITERALS[text]
    return int(text) if kind == "int" else float(text)
