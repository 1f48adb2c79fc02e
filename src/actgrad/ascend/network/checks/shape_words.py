"""Checks of formats and shapes."""

from __future__ import annotations

from math import prod
from typing import Any

from ....base.errors import KernelMissing, either, quantity
from ....base.loop import TensorMeta, broadcast_shapes, row_major
from ....checks import shape_rules
from ....checks.check import Call, Check
from ...rules.rule import PUBLIC_FORMATS, formats_of
from .row import Group, Row, entries
from .terms import Term

_IMAGES = {3: "NCL", 4: "NCHW", 5: "NCDHW"}


def _formats(call: Call, name: str) -> dict[str, str]:
    """The formats of a tensor, or of a list's tensors. The keys are the indices after the name, or ""."""
    return {key[len(name) :]: form for key, form in formats_of(call).items() if key.partition("[")[0] == name}


def public(row: Row, *names: str) -> Group:
    """Check that no tensor has a private format."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            wrong = [form for form in _formats(call, name).values() if form not in PUBLIC_FORMATS]
            fault = f"{name} has the private format {wrong[:1]}; it must be ND; create it with ACL_FORMAT_ND"
            return fault if wrong else None

        return Check(f"{name} has no private format", test, about=(name,))

    return tuple(map(check, names))


def one_format(row: Row, names: tuple[str, ...], unless_nd: bool) -> Group:
    """Check that each tensor has the format of the last tensor, or of the tensor with the same index in the last list.

    `unless_nd`: skip the check if the last tensor has the format ND.
    """
    *others, to = names

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            formats = _formats(call, to)
            for key, form in _formats(call, name).items():
                expected = formats.get(key, next(iter(formats.values()), form))
                if form != expected and not (expected == "ND" and unless_nd):
                    fault = f"{name} has format {form}, but {to} has {expected}"
                    return f"{fault}; the formats must be equal; create both with one format"
            return None

        return Check(f"{name} has the format of {to}", test, about=(name, to))

    return tuple(map(check, others))


def contiguous(row: Row, name: str) -> Group:
    """Check that a tensor is contiguous. Dimensions of size 1 may have any stride."""

    def test(call: Call) -> str | None:
        meta = call.tensors[name]
        if meta is None or not meta.size:
            return None
        rows = zip(meta.shape, meta.strides, row_major(meta.shape, meta.dtype.itemsize), strict=True)
        fault = f"{name} has strides {meta.strides} in bytes; it must be contiguous; copy {name}"
        return None if all(n == 1 or a == b for n, a, b in rows) else fault

    return (Check(f"{name} is contiguous", test, about=(name,)),)


def nd(row: Row, name: str) -> Group:
    """A tensor has the format ND."""

    def test(call: Call) -> str | None:
        form = formats_of(call).get(name, "ND")
        return f"{name} has format {form}; it must be ND; create it with ACL_FORMAT_ND" if form != "ND" else None

    return (Check(f"{name} has the format ND", test, about=(name,)),)


def formats(row: Row, name: str, *names: str) -> Group:
    """Check that a tensor does not have any of these formats."""

    def test(call: Call) -> str | None:
        form = formats_of(call).get(name)
        return f"{name} has format {form}; it must be ND; create it with ACL_FORMAT_ND" if form in names else None

    return (Check(f"{name} does not have the format {either(names)}", test, about=(name,)),)


def images(row: Row, names: tuple[str, ...], only_3d: bool) -> Group:
    """Check that each tensor has the image format of its rank: NCL, NCHW or NCDHW. ND fails.

    `only_3d`: tensors of other ranks may have any format.
    """
    ranks = {5: _IMAGES[5]} if only_3d else _IMAGES

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            meta = call.tensors.get(name)
            expected = None if meta is None else ranks.get(len(meta.shape))
            form = formats_of(call).get(name, "ND")
            if expected in (None, form):
                return None
            return f"{name} has format {form}; it must be {expected}; create it with ACL_FORMAT_{expected}"

        return Check(f"{name} has the format NCL, NCHW or NCDHW of its rank", test, about=(name,))

    return tuple(map(check, names))


def rank(row: Row, names: tuple[str, ...], lowest: int, highest: int) -> Group:
    """Check that tensors, or the tensors of lists, have `lowest` to `highest` dimensions."""
    bounds = str(lowest) if lowest == highest else f"{lowest} to {highest}"

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            ranks = [len(meta.shape) for meta in entries(call, name) if not lowest <= len(meta.shape) <= highest]
            wrong = quantity(ranks[0], "dimension") if ranks else ""
            return f"{name} has {wrong}; it must have {bounds}; reshape {name}" if wrong else None

        return Check(f"{name} has {bounds} dimensions", test, about=(name,))

    return tuple(map(check, names))


def shape(row: Row, *names: str) -> Group:
    return shape_rules.same_shape(*names[:-1], to=names[-1])


def broadcast(row: Row, *names: str) -> Group:
    """Check that tensors broadcast to the shape of the last tensor."""
    return _broadcast(row, names[:-1], names[-1])


def broadcastable(row: Row, *names: str) -> Group:
    """Check that tensors broadcast, to any shape."""
    return _broadcast(row, names, "")


def _broadcast(row: Row, inputs: tuple[str, ...], output: str) -> Group:

    def test(call: Call) -> str | None:
        shapes = {name: meta.shape for name in inputs if (meta := call.tensors.get(name)) is not None}
        together = broadcast_shapes(*shapes.values())
        if together is None:
            words = ", ".join(f"{name} has shape {each}" for name, each in shapes.items())
            return f"{words}; they must broadcast; reshape one of them"
        result = call.tensors.get(output)
        if result is None or result.shape == together:
            return None
        if row.arguments_of("ones") is not None and result.size == prod(together) == 1:
            return None
        return f"{output} has shape {result.shape}; it must be {together}, the shape of the result; reshape {output}"

    rule = f"{', '.join(inputs)} broadcast{f' to the shape of {output}' if output else ''}"
    return (Check(rule, test, about=(*inputs, *[output] * bool(output))),)


def fits(row: Row, name: str, *to: str) -> Group:
    """Check that an optional tensor broadcasts to the shape of other tensors, which broadcast."""

    def test(call: Call) -> str | None:
        meta, others = call.tensors.get(name), [call.tensors[each] for each in to]
        if meta is None or None in others:
            return None
        shape = broadcast_shapes(*(each.shape for each in others if each is not None))
        if shape is not None and broadcast_shapes(meta.shape, shape) == shape:
            return None
        return f"{name} has shape {meta.shape}; it must broadcast to {shape}, the shape of {names}; reshape {name}"

    names = " and ".join(to)
    return (Check(f"{name} broadcasts to the shape of {names}", test, about=(name, *to)),)


def into(row: Row, name: str, *sizes: Term) -> Group:
    """Check that a tensor broadcasts to a shape of terms."""

    def test(call: Call) -> str | None:
        meta, shape = call.tensors[name], tuple(each.read(call) for each in sizes)
        if meta is None or None in shape or broadcast_shapes(meta.shape, shape) == shape:
            return None
        return f"{name} has shape {meta.shape}; it must broadcast to {shape}; reshape {name}"

    return (Check(f"{name} broadcasts to ({', '.join(each.text for each in sizes)})", test, about=(name,)),)


def multiplied(row: Row, out: str, left: str, right: str) -> Group:
    """Check that a tensor has as many elements as a product of matrices. Hardware fails when it reshapes the product.

    Other checks refuse matrices that have no product.
    """

    def test(call: Call) -> str | None:
        result, a, b = (call.tensors[name] for name in (out, left, right))
        if result is None or a is None or b is None or not a.size or not b.size:
            return None
        batch, inner = broadcast_shapes(a.shape[:-2], b.shape[:-2]), b.shape[max(len(b.shape) - 2, 0)]
        shape = (*(batch or ()), *a.shape[-2:-1], *(b.shape[-1:] if len(b.shape) > 1 else ()))
        if batch is None or a.shape[-1] != inner or result.size == prod(shape):
            return None
        fault = f"{out} has shape {result.shape}, and the product has shape {shape}"
        return f"{fault}; their numbers of elements must be equal; reshape {out}"

    rule = f"{out} has as many elements as the product of {left} and {right}"
    return (Check(rule, test, KernelMissing, about=(out, left, right)),)


def reducible(row: Row, name: str, dims: str) -> Group:
    """Check that the dimensions along which the call reduces are not empty."""

    def test(call: Call) -> str | None:
        meta, positions = call.tensors[name], call.attributes[dims]
        if meta is None or all(meta.shape[k : k + 1 or None] != (0,) for k in positions or range(len(meta.shape))):
            return None
        return f"{name} has shape {meta.shape} and {dims} is {positions}; no reduced size may be 0; change {dims}"

    return (Check(f"no reduced size of {name} is 0", test, about=(name, dims)),)


def statistics(row: Row, name: str, to: str, normalized: str, *count_only: str) -> Group:
    """Check that a statistic has the leading sizes of a tensor, and 1 for each normalized dimension.

    With `count_only`, only the number of elements must be right. `normalized` is an array of sizes, or a tensor with
    that number of dimensions.
    """

    def test(call: Call) -> str | None:
        meta, other = call.tensors[name], call.tensors[to]
        if meta is None or other is None or not (meta.size or count_only):
            return None
        value = call.tensors.get(normalized, call.attributes.get(normalized))
        count = len(value.shape if isinstance(value, TensorMeta) else value or ())
        expected = (*other.shape[: len(other.shape) - count], *(1,) * count)
        fault = f"{name} has shape {meta.shape}; it must be {expected}; reshape {name}"
        return None if meta.shape == expected or (count_only and meta.size == prod(expected)) else fault

    return (Check(f"{name} has the leading sizes of {to}", test, about=(name, to, normalized)),)


def within(row: Row, name: str, to: str, dim: str = "") -> Group:
    """Check that no size of a tensor exceeds the size of another tensor, except along `dim`."""

    def test(call: Call) -> str | None:
        meta, other = call.tensors.get(name), call.tensors.get(to)
        if meta is None or other is None or not meta.size or len(meta.shape) != len(other.shape) or not meta.shape:
            return None
        position = call.attributes[dim] % len(meta.shape) if dim else -1
        if all(a <= b for k, (a, b) in enumerate(zip(meta.shape, other.shape, strict=True)) if k != position):
            return None
        but = f" but in dimension {position}" if dim else ""
        return f"{name} has shape {meta.shape}; no size may exceed {to}'s, {other.shape}{but}; slice {name}"

    return (Check(f"{name} lies within {to}", test, about=(name, to)),)


def last(row: Row, name: str, to: str, *full_names: str) -> Group:
    """Check that the sizes of a tensor or an array are the last sizes of another, or all of its sizes."""

    def sizes(call: Call, each: str) -> Any:
        value = call.tensors.get(each, call.attributes.get(each))
        return value.shape if isinstance(value, TensorMeta) else value

    def test(call: Call) -> str | None:
        a, b = sizes(call, name), sizes(call, to)
        if a is None or b is None or a == (b if full_names else b[max(len(b) - len(a), 0) :]):
            return None
        return (
            f"{name} is {a}, but {to} is {b}; it must be {'equal' if full_names else 'its last sizes'}; change {name}"
        )

    return (Check(f"{name} has the {'' if full_names else 'last '}sizes of {to}", test, about=(name, to)),)


def one_or_size_of(row: Row, name: str, to: str) -> Group:
    """Check that each size of a tensor is 1 or the size of another tensor."""

    def test(call: Call) -> str | None:
        a, b = call.tensors[name], call.tensors[to]
        if a is None or b is None or all(m in (1, n) for m, n in zip(a.shape, b.shape, strict=False)):
            return None
        return f"{name} has shape {a.shape}; each size must be 1 or that of {to}, {b.shape}; reshape {name}"

    return (Check(f"each size of {name} is 1 or that of {to}", test, about=(name, to)),)


def filled(row: Row, *names: str) -> Group:
    """Check that these tensors have elements."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            meta = call.tensors[name]
            is_empty = meta is not None and meta.size == 0
            return (
                f"{name} is empty (shape {meta and meta.shape}); it must have elements; skip the call"
                if is_empty
                else None
            )

        return Check(f"{name} has elements", test, about=(name,))

    return tuple(map(check, names))


def masks(row: Row, name: str, to: str) -> Group:
    """Check that masks among the indices have the sizes of the dimensions that they index."""

    def test(call: Call) -> str | None:
        meta, indices = call.tensors[to], list(entries(call, name))
        if meta is None or all(each.dtype.name != "bool" for each in indices):
            return None
        position, fault = 0, f"{name} has masks for other sizes than {to}'s, {meta.shape}; they must be equal"
        for each in indices:
            is_mask = each.dtype.name == "bool"
            if is_mask and each.shape != meta.shape[position : position + len(each.shape)]:
                return f"{fault}; change {name}"
            position += len(each.shape) if is_mask else 1
        return f"{fault}; remove one" if position > len(meta.shape) else None

    return (Check(f"masks of {name} fit {to}", test, about=(name, to)),)


def indexed(row: Row, name: str, to: str, result: str) -> Group:
    """Check that the result has the shape of a tensor at these indices. A tensor to write must broadcast to this shape.

    An index without elements means a whole dimension. Masks are skipped, because the shape depends on their values.
    """

    def test(call: Call) -> str | None:
        meta, indices, other = call.tensors[to], list(entries(call, name)), call.tensors[result]
        if meta is None or other is None or not (meta.size and other.size):
            return None
        words = f"{name} have shapes {[each.shape for each in indices]}, but {to} has shape {meta.shape}"
        if sum(len(each.shape) if each.dtype.name == "bool" else 1 for each in indices) > len(meta.shape):
            return f"{words}; there must be at most one index for each dimension; remove one"
        if any(each.dtype.name == "bool" for each in indices):
            return None
        positions = [k for k, each in enumerate(indices) if each.size]
        together = broadcast_shapes((), *(indices[k].shape for k in positions))
        if together is None:
            return f"{words}; the shapes of indices must broadcast; reshape one of them"
        first = positions[0] if positions and positions[-1] - positions[0] < len(positions) else 0
        rest = [n for k, n in enumerate(meta.shape) if k not in positions]
        expected = (*rest[:first], *together, *rest[first:])
        is_read = any(p.name == result and p.is_output for p in row.parameters)
        if other.shape == expected or (not is_read and broadcast_shapes(other.shape, expected) == expected):
            return None
        return f"{result} has shape {other.shape}; it must be {expected}, the shape at the indices; reshape {result}"

    return (Check(f"{result} has the shape of {to} at {name}", test, about=(name, to, result)),)
