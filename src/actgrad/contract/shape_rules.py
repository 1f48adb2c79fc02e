"""Rules on the pointers, products, formats, shapes and values of an operator's arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import Any

from ..base.access.along import has_dimension
from ..base.definition import Definition
from ..base.errors import (
    NotConfigured,
    NullArgument,
    UnsupportedOnProduct,
    did_you_mean,
    either,
    quantity,
    quote,
)
from ..base.loop import TensorMeta, broadcast_shapes, row_major
from ..base.products import BY_NAME, Product
from .check import Call, Check, Origin, When, change, of_each
from .results import result_shapes

#: Type of an attribute -> a phrase that says what to pass.
KINDS = {"Scalar": "a number", "bool": "True or False", "int": "an integer", "text": "a text"}


def missing(name: str, kind: str = "Tensor", is_c: bool = True) -> str:
    """The message about an argument that is left out. `kind` is its type in the schema. `is_c`: this is a C call."""
    if is_c:
        return f"{name} is a null pointer; it is required; pass {'an aclScalar' if kind == 'Scalar' else 'a pointer'}"
    return f"{name} is None; it is required; pass {KINDS.get(kind, 'an array or a tensor')}"


def no_nulls(definition: Definition) -> tuple[Check, ...]:
    """No required argument is missing. In C calls every tensor, output and scalar is a pointer."""

    def check(name: str, kind: str, when: When) -> Check:
        def test(call: Call) -> str | None:
            values = call.attributes if kind in KINDS else call.tensors
            return missing(name, kind, call.ruleset.typed) if values.get(name) is None else None

        return Check(f"{name} is not null", test, NullArgument, when, about=(name,))

    def when(argument: Any) -> When:
        if argument.name == definition.given_value:
            return When.TYPED
        return When.ALWAYS if argument.is_tensor or argument.type == "Scalar" else When.UNTYPED

    needed = [a for a in definition.schema.arguments if not a.is_optional or a.name == definition.given_value]
    inputs = [check(a.name, a.type, when(a)) for a in needed]
    checks = (*inputs, *[check(name, "Tensor", When.TYPED) for name in definition.schema.outputs])
    order = definition.null_order
    return tuple(sorted(checks, key=lambda check: order.index(check.about[0]))) if order else checks


def available(definition: Definition) -> Check:
    """The product has the operator."""
    error = NotConfigured if definition.generated else UnsupportedOnProduct

    def test(call: Call) -> str | None:
        definition, product = call.definition, call.product
        if product is None or product.name in definition.products:
            return None
        has = f"{', '.join(definition.products)} {'has' if len(definition.products) == 1 else 'have'} it"
        return f"not available on {product} ({product.marketing}); {has}; choose one of these products"

    return Check("the product has the operator", test, error, When.PRODUCT, Origin.ACTGRAD)


ANY_RANK = 1 << 30


def rank(*names: str, minimum: int = 0, maximum: int = 8) -> tuple[Check, ...]:
    """Each of these tensors has `minimum` to `maximum` dimensions."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        n = len(meta.shape)
        if minimum <= n <= maximum:
            return None
        return f"{name} has {quantity(n, 'dimension')}; it must have {allowed}; reshape {name}"

    bounds = f"{minimum} to {maximum}" if minimum < maximum else f"{minimum}"
    allowed = f"at least {minimum}" if maximum == ANY_RANK else bounds
    return of_each(names, f"{{name}} has {allowed} dimensions", test, when=When.LIMITS)


def nonempty(*names: str) -> tuple[Check, ...]:
    """Each of these tensors has elements."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        if meta.size:
            return None
        return f"{name} is empty (shape {meta.shape}); the documents require elements; skip the call"

    return of_each(names, "{name} is not empty", test)


def nd_format(*names: str) -> tuple[Check, ...]:
    """The format of these tensors is ND."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        form = call.formats.get(name, "ND")
        return None if form == "ND" else f"{name} has format {form}; it must be ND; create it with ACL_FORMAT_ND"

    return of_each(names, "{name} has format ND", test)


#: Formats that describe only the order of dimensions. CANN calls the other formats private.
PUBLIC_FORMATS = ("ND", "NCHW", "NHWC", "HWCN", "NDHWC", "NCDHW", "NCL", "NC", "UNDEFINED")


def public_format(*names: str) -> tuple[Check, ...]:
    """No tensor has a private format."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        form = call.formats.get(name, "ND")
        if form in PUBLIC_FORMATS:
            return None
        return f"{name} has the private format {form}; it must be ND; create it with ACL_FORMAT_ND"

    return of_each(names, "{name} has no private format", test, origin=Origin.OPERATOR)


def same_format(*names: str, to: str) -> tuple[Check, ...]:
    """Each of these tensors has the format of the tensor `to`."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        form, other = call.formats.get(name, "ND"), call.formats.get(to, "ND")
        if form == other:
            return None
        return f"{name} has format {form}, but {to} has {other}; the formats must be equal; create both with one format"

    return of_each(names, f"{{name}} has the format of {to}", test, origin=Origin.OPERATOR, about=(to,))


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


def required(rule: str, holds: Callable[[dict[str, Any], Product | None], bool], attributes: list[str]) -> Check:
    """A rule in the field `requires` of an operator or C function."""
    words = set(re.findall(r"\w+", rule))
    concerned = tuple(name for name in attributes if name in words) or tuple(attributes)
    # A rule that names a product is actgrad's decision, because CANN's source code does not ask for the product.
    origin = Origin.ACTGRAD if words & set(BY_NAME) else Origin.BOTH

    def test(call: Call) -> str | None:
        if holds(call.attributes, call.product):
            return None
        values = " and ".join(f"{name} is {quote(call.attributes[name])}" for name in concerned)
        return f"{values}; the operator needs {rule}; change {either(concerned)}"

    return Check(rule, test, origin=origin, about=concerned)
