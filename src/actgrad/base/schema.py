"""The language of schema lines. It is PyTorch's, with names for outputs. One line is an operator's interface."""

from __future__ import annotations

import re
from typing import Any

from .errors import InvalidOperator, quote
from .records import Record

_SCHEMA = re.compile(r"(?P<name>[a-z]\w*)\((?P<inputs>.*)\) -> (?P<outputs>Tensor \w+|\((?:Tensor \w+(?:, )?)+\))")
_ARGUMENT = re.compile(r"(?P<type>Tensor\??|Scalar|bool|int) (?P<name>[a-z]\w*)(?:=(?P<default>\S+))?")
LITERALS = {"True": True, "False": False}


class Argument(Record):
    """An argument of an operator. `default` is None if the argument has no default."""

    type: str  # "Tensor", "Tensor?", "Scalar", "bool" or "int"
    name: str
    default: Any = None
    is_tensor = is_optional = False  # no fields: they follow from the type

    def __init__(self, type: str, name: str, default: Any = None):
        is_tensor, is_optional = type.startswith("Tensor"), type.endswith("?")
        self.__dict__.update(type=type, name=name, default=default, is_tensor=is_tensor, is_optional=is_optional)


class Schema:
    """An operator's interface, from a schema line."""

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


def name_in(text: object) -> str:
    """The name in a schema line. The rest of the line may be wrong."""
    match = re.match(r"\s*(\w+)", text) if isinstance(text, str) else None
    return match[1] if match else quote(text)


def parse(text: str) -> Schema:
    """Parse a schema line, for example "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor out"."""
    line = _SCHEMA.fullmatch(text) if isinstance(text, str) else None
    if line is None:
        example = "'name(Tensor x, Scalar alpha=1) -> Tensor out'"
        fault = f"operator {name_in(text)}: schema is {quote(text)}; it must have the form of {example}"
        raise InvalidOperator(f"{fault}; rewrite it")
    arguments = []
    for part in line["inputs"].split(", "):
        match = _ARGUMENT.fullmatch(part)
        if match is None:
            raise InvalidOperator(
                f"operator {line['name']}: {part!r} is not an argument; the types are Tensor, Tensor?, Scalar (a "
                "float), bool and int; write 'TYPE name' or 'TYPE name=DEFAULT'"
            )
        if match["type"].startswith("Tensor") and match["default"] is not None:
            raise InvalidOperator(
                f"operator {line['name']}: {part!r} has a default; a tensor must have none; write 'Tensor?' if it is "
                "optional"
            )
        try:
            default = literal(match["type"], match["default"])
        except ValueError as error:
            raise InvalidOperator(f"operator {line['name']}: {error}") from None
        arguments.append(Argument(match["type"], match["name"], default))
    names = [a.name for a in arguments]
    if len(set(names)) != len(names):
        arguments_are = f"operator {line['name']}: the arguments are {', '.join(names)}"
        raise InvalidOperator(f"{arguments_are}; each name must occur once; rename one")
    return Schema(text, line["name"], tuple(arguments), tuple(re.findall(r"Tensor (\w+)", line["outputs"])))


def literal(kind: str, text: str | None) -> Any:
    """The value that a text of a schema line has for an attribute of this type. Raises ValueError."""
    if text is None:
        return None
    if kind == "bool":
        if text not in LITERALS:
            raise ValueError(f"the default is {text!r}; it must be True or False; write one of these")
        return LITERALS[text]
    try:
        return int(text) if kind == "int" else float(text)
    except ValueError:
        number = "an integer" if kind == "int" else "a number"
        raise ValueError(f"the default is {text!r}; it must be {number}; write one") from None
