"""The language of the lines of graph operators, such as "Elu(x=self, alpha=1.0) -> y"."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ...base.definition import Definition
from ...base.errors import InvalidOperator, quantity, quote
from ...base.schema import LITERALS, literal

_GRAPH = re.compile(
    r"(?P<name>[A-Z]\w*)\((?P<inputs>[^;]*)(?:; (?P<fixed>.*))?\) -> (?P<outputs>\w+|\(\w+(?:, \w+(?:=_)?)+\))"
)
UNREAD = "_"  # it replaces a name of the schema, if the operator does not read the input or attribute of the graph
BROADCAST = "broadcast"  # an option after the semicolon in the line of a graph operator


@dataclass(frozen=True, slots=True)
class GraphSignature:
    """An operator's interface in graph mode (IR): names in the graph, and for each the name in the schema."""

    name: str
    tensors: dict[str, str]  # graph input -> tensor of the schema, or "" if it is not read. In the graph's order
    renamed: dict[str, str]  # graph attribute -> attribute of the schema, or "" if it is not read
    attributes: dict[str, Any]  # graph attribute -> default
    outputs: tuple[str, ...]  # names in the graph, in the order of the schema's outputs
    unwritten: tuple[str, ...]  # names of the graph's last outputs, which the operator does not write
    fixed: dict[str, Any] = field(default_factory=dict)  # attributes of the schema that the graph lacks -> values
    optional: tuple[str, ...] = ()  # graph inputs that may be left out
    broadcasts: bool = False  # whether the graph operator broadcasts its inputs together before it calls the operator

    @property
    def inputs(self) -> tuple[str, ...]:
        """The graph names of the inputs."""
        return tuple(self.tensors)


def parse_graph(text: str, definition: Definition) -> GraphSignature:
    """Parse a graph operator's line, for example "LeakyRelu(x=self, slope=negative_slope:0.0) -> y".

    An input is `graph_name=tensor`. An attribute is `graph_name=attribute:default`. If both names are equal, write
    `tensor` or `attribute=default`. If the operator has only one required tensor, write only the graph's name for it.
    A question mark at the end marks an optional input. `graph_name=_` is an input that the operator does not read.
    `graph_name=_:default` is an attribute that has this value in every call. `graph_name=_` as one of the last outputs
    is an output that the operator does not write. After a semicolon, `attribute=value` fixes an attribute that the
    graph operator lacks. `broadcast` there means that the graph operator broadcasts its inputs together, although the
    operator refuses different shapes.
    """
    schema, choices = definition.schema, definition.choices
    line = _GRAPH.fullmatch(text) if isinstance(text, str) else None
    if line is None:
        raise InvalidOperator(
            f"operator {schema.name}: graph operator is {quote(text)}; it must have the form of "
            "'Elu(x=self, alpha=1.0) -> y'; rewrite it"
        )

    def fault(words: str) -> InvalidOperator:
        return InvalidOperator(f"operator {schema.name}: graph operator {line['name']}: {words}")

    def value(attribute: str, part: str, text: str) -> Any:
        if attribute == UNREAD or text in choices:
            number = float(text) if re.fullmatch(r"\d+\.\d+", text) else text
            return LITERALS.get(text, int(text) if re.fullmatch(r"-?\d+", text) else number)
        try:
            return literal(schema.attributes_by_name[attribute].type, text)
        except ValueError as error:
            raise fault(f"{part!r}: {error}") from None

    tensors: dict[str, str] = {}
    renamed: dict[str, str] = {}
    attributes: dict[str, Any] = {}
    fixed: dict[str, Any] = {}
    required = [a.name for a in schema.tensors if not a.is_optional]
    parts = line["inputs"].split(", ")
    for part in parts:
        name, other, default = _graph_argument(part.removesuffix("?"))
        if not name.isidentifier() or not other.isidentifier():
            expected = "it must be 'name=tensor' or 'name=attribute:default'"
            raise fault(f"{part!r} is not an argument; {expected}; rewrite it")
        if "=" not in part and name not in schema.tensor_names and len(required) == 1:
            other = required[0]
        noun, form, names = "tensor", "TENSOR", schema.tensor_names
        if default is not None:
            noun, form, names = "attribute", f"ATTRIBUTE:{default}", tuple(schema.attributes_by_name)
        if other not in (*names, UNREAD):
            expected = f"its {noun}s are {', '.join(names) or 'none'}"
            raise fault(f"{part!r} names no {noun} of {schema.name}; {expected}; write '{name}={form}'")
        if name in tensors | renamed or (other != UNREAD and other in (*tensors.values(), *renamed.values())):
            raise fault(f"{part!r} repeats a name; each name must occur once; rename one")
        (tensors if default is None else renamed)[name] = "" if other == UNREAD else other
        if default is not None:
            attributes[name] = value(other, part, default)
    options = line["fixed"].split(", ") if line["fixed"] else []
    for part in options:
        name, _, text = part.partition("=")
        if part != BROADCAST and (name not in schema.attributes_by_name or name in renamed.values()):
            rest = [name for name in schema.attributes_by_name if name not in renamed.values()]
            expected = f"behind the semicolon it must be one of {', '.join(rest) or 'none'}"
            raise fault(f"{part!r} fixes no attribute of {schema.name}; {expected}; rename it")
        fixed |= {} if part == BROADCAST else {name: value(name, part, text)}
    missing = [name for name in required if name not in tensors.values()]
    if missing:
        expected = "each required tensor must be an input"
        raise fault(f"{missing[0]} is missing; {expected}; write 'GRAPH_NAME={missing[0]}'")
    unwritten = tuple(re.findall(r"(\w+)=_", line["outputs"]))
    outputs = tuple(name for name in re.findall(r"\w+", line["outputs"]) if name not in (UNREAD, *unwritten))
    if len(outputs) != len(schema.outputs):
        expected = f"{schema.name} has {quantity(len(schema.outputs), 'output')}: {', '.join(schema.outputs)}"
        raise fault(f"{quantity(len(outputs), 'output')} after '->'; {expected}; name as many")
    optional = tuple(part.partition("=")[0].removesuffix("?") for part in parts if part.endswith("?"))
    for name, default in definition.defaults.items():
        if default is None and name not in (*renamed.values(), *fixed):
            raise fault(
                f"{name}, which has no default, is left out; each attribute must have a value; write "
                f"'GRAPH_NAME={name}:DEFAULT'"
            )
    return GraphSignature(
        line["name"], tensors, renamed, attributes, outputs, unwritten, fixed, optional, BROADCAST in options
    )


def _graph_argument(part: str) -> tuple[str, str, str | None]:
    """The graph's name, the schema's name and the default of an argument of a graph operator. A tensor has None."""
    name, equals, rest = part.partition("=")
    other, colon, default = rest.partition(":")
    if colon:
        return name, other, default
    if not equals or (rest.isidentifier() and rest not in LITERALS):
        return name, rest or name, None
    return name, name, rest
