"""Rules on the shapes and values of an operator's arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from ..base.access.along import has_dimension
from ..base.definition import Definition
from ..base.errors import NullArgument, did_you_mean, either, quantity, quote
from ..base.loop import TensorMeta, broadcast_shapes, row_major
from .check import Call, Check, change, of_each
from .results import result_shapes

#: Type of an attribute -> a phrase that says what to pass.
KINDS = {"Scalar": "a number", "bool": "True or False", "int": "an integer", "text": "a text"}


def present(definition: Definition) -> tuple[Check, ...]:
    """No required argument is missing."""

    def check(name: str, kind: str) -> Check:
        def test(call: Call) -> str | None:
            values = call.attributes if kind in KINDS else call.tensors
            fault = f"{name} is None; it is required; pass {KINDS.get(kind, 'an array or a tensor')}"
            return fault if values.get(name) is None else None

        return Check(f"{name} is not null", test, NullArgument, (name,))

    return tuple([check(a.name, a.type) for a in definition.schema.arguments if not a.is_optional])


def rank(*names: str, minimum: int = 0, maximum: int = 1 << 30) -> tuple[Check, ...]:
    """Each of these tensors has `minimum` to `maximum` dimensions."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        n = len(meta.shape)
        if minimum <= n <= maximum:
            return None
        return f"{name} has {quantity(n, 'dimension')}; it must have {allowed}; reshape {name}"

    bounds = f"{minimum} to {maximum}" if minimum < maximum else f"{minimum}"
    allowed = f"at least {minimum}" if maximum == 1 << 30 else bounds
    return of_each(names, f"{{name}} has {allowed} dimensions", test)


def same_shape(*names: str, to: str) -> tuple[Check, ...]:
    """Each of these tensors has the shape of the tensor `to`."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        other = call.tensors[to]
        if other is None or meta.shape == other.shape:
            return None
        return f"{name} has shape {meta.shape}; it must be {other.shape}, the shape of {to}; {change(call, name)}"

    return of_each(names, f"{{name}} has the shape of {to}", test, about=(to,))


def broadcastable(name: str, to: str) -> tuple[Check, ...]:
    """Two tensors can be broadcast together."""

    def test(call: Call) -> str | None:
        got, expected = call.inputs[name].shape, call.inputs[to].shape
        if broadcast_shapes(expected, got) is not None:
            return None
        return f"{name} has shape {got}, but {to} has shape {expected}; they must broadcast; reshape one of them"

    return (Check(f"{name} can be broadcast with {to}", test, about=(name, to)),)


def broadcasts_to(name: str, to: str) -> tuple[Check, ...]:
    """A tensor can be broadcast to the shape of the tensor `to`."""

    def test(call: Call) -> str | None:
        got, expected = call.inputs[name].shape, call.inputs[to].shape
        if broadcast_shapes(expected, got) == expected:
            return None
        return f"{name} has shape {got}; it must broadcast to {expected}, the shape of {to}; reshape {name}"

    return (Check(f"{name} can be broadcast to the shape of {to}", test, about=(name, to)),)


def broadcast_together(*names: str) -> tuple[Check, ...]:
    """All of these tensors that a call has can be broadcast together."""

    def test(call: Call) -> str | None:
        shapes = {name: call.inputs[name].shape for name in names if name in call.inputs}
        if broadcast_shapes(*shapes.values()) is not None:
            return None
        words = ", ".join(f"{name} has shape {shape}" for name, shape in shapes.items())
        return f"{words}; they must broadcast; reshape one of them"

    return (Check(f"{', '.join(names)} can be broadcast together", test, about=names),)


def along(name: str, to: str, position: int = 1) -> tuple[Check, ...]:
    """A tensor of any shape has one element, or as many elements as the tensor `to` has along a dimension.

    `position` is the dimension. A negative one is counted from the last.
    """
    dimension = f"dimension {position}" if position >= 0 else "the last dimension" if position == -1 else ""
    dimension = dimension or f"dimension {position}, counted from the last,"

    def test(call: Call) -> str | None:
        meta, other = call.inputs[name], call.inputs[to].shape
        sizes = [other[position]] if has_dimension(position, len(other)) else []
        if meta.size == 1 or meta.size in sizes:  # a list, because traced sizes cannot be hashed
            return None
        allowed = [f"({size},)" for size in sizes if size != 1] + ["(1,)"]
        return f"{name} has shape {meta.shape}; it must be {either(allowed)}; reshape {name}"

    return (Check(f"{name} has one element, or as many as {to} has along {dimension}", test, about=(name, to)),)


def whole_bytes(name: str) -> tuple[Check, ...]:
    """The bits of a tensor's elements along the last dimension fill whole bytes."""

    def test(call: Call) -> str | None:
        shape = call.inputs[name].shape
        if shape and shape[-1] % 8 == 0:
            return None
        expected = "the last dimension must be a multiple of 8, because a byte has the bits of eight elements"
        return f"{name} has shape {shape}; {expected}; pad {name}"

    return (Check(f"the last dimension of {name} is a multiple of 8", test, about=(name,)),)


def bits_of(name: str, of: str) -> tuple[Check, ...]:
    """A tensor has a byte for eight elements of the tensor `of`, along the last dimension."""

    def test(call: Call) -> str | None:
        got, expected = call.inputs[name].shape, call.definition.access.part_shape(of, call.inputs[of].shape, {})
        if got == expected:
            return None
        return f"{name} has shape {got}; it must be {expected}, a byte for eight elements of {of}; reshape {name}"

    return (Check(f"{name} has a byte for eight elements of {of}", test, about=(name, of)),)


def result_shape(*names: str, or_in_a_row: bool = False) -> tuple[Check, ...]:
    """Each of these outputs has the shape of the result. The checks of the inputs' shapes must come before.

    With `or_in_a_row`, a contiguous output with as many elements may have any shape.
    """

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        expected = result_shapes(call)[call.definition.schema.outputs.index(name)]
        if meta.shape == expected or (or_in_a_row and meta.size == prod(expected) and _is_in_a_row(meta)):
            return None
        return f"{name} has shape {meta.shape}; it must be {expected}, the shape of the result; {change(call, name)}"

    return of_each(names, "{name} has the shape of the result" + ", or as many elements in a row" * or_in_a_row, test)


def _is_in_a_row(meta: TensorMeta) -> bool:
    """Whether a tensor is contiguous. Strides of dimensions of size 1 do not matter."""
    steps = zip(meta.shape, meta.strides, row_major(meta.shape, meta.dtype.itemsize), strict=True)
    return meta.size == 0 or all(n == 1 or stride == step for n, stride, step in steps)


def unknown_choice(switch: str, value: object, choices: tuple[str, ...]) -> str:
    """The message about a value that is not one of the choices."""
    names = either(f"{name!r} ({k})" for k, name in enumerate(choices))
    return f"{switch} is {quote(value)}; it must be {names}; {did_you_mean(value, choices, 'pass one of these')}"


def known_choice(switch: str, choices: tuple[str, ...]) -> Check:
    """The attribute `switch` is one of these choices."""

    def test(call: Call) -> str | None:
        value = call.attributes[switch]
        if value in choices:
            return None
        return unknown_choice(switch, value, choices)

    names = ", ".join(f"{choice!r} ({k})" for k, choice in enumerate(choices))
    return Check(f"{switch} is one of {names}", test, about=(switch,))


def required(rule: str, holds: Callable[[dict[str, Any]], bool], attributes: Sequence[str]) -> Check:
    """A rule on the values of attributes, such as "alpha > 0"."""
    words = set(re.findall(r"\w+", rule))
    concerned = tuple(name for name in attributes if name in words) or tuple(attributes)

    def test(call: Call) -> str | None:
        if holds(call.attributes):
            return None
        values = " and ".join(f"{name} is {quote(call.attributes[name])}" for name in concerned)
        return f"{values}; the operator needs {rule}; change {either(concerned)}"

    return Check(rule, test, about=concerned)


def on_values(definition: Definition) -> list[Check]:
    """The checks on the values of attributes."""
    checks = [known_choice(str(definition.switch), definition.choices)] if definition.choices else []
    attributes = [a.name for a in definition.schema.attributes]
    return checks + [required(rule, holds, attributes) for rule, holds in definition.requires.items()]
