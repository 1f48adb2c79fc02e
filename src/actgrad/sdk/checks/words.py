"""Words of checks.txt on pointers, products, formats, shapes and values, and those that guard other words."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import prod
from typing import Any

from ...base.errors import (
    ActgradError,
    InvalidArgument,
    KernelMissing,
    NotConfigured,
    NullArgument,
    either,
    quantity,
)
from ...base.loop import TensorMeta, broadcast_shapes
from ...contract import shape_rules, stages
from ...contract.check import Call, Check
from . import dtype_words
from .row import Group, Row, entries, is_number, term

_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le, "<": operator.lt, "==": operator.eq, "!=": operator.ne, ">=": operator.ge, ">": operator.gt,
    "multiple": lambda a, b: b == 0 or a % b == 0,
}  # fmt: skip
_NULLS: dict[str, type[ActgradError]] = {"561103": KernelMissing, "161002": InvalidArgument}


def nulls(row: Row, is_optional: Callable[[str], bool]) -> Group:
    """No required pointer is null. The word `null STATUS NAME ...` names those with another status than 161001."""
    statuses = {name: words[1] for words in row.words if words[0] == "null" for name in words[2:]}

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            value = call.tensors.get(name, call.attributes.get(name))
            return shape_rules.missing(name) if value is None else None

        error = _NULLS.get(statuses.get(name, ""), NullArgument)
        return Check(f"{name} is not null", test, error, about=(name,))

    pointers = row.of_type("Tensor", "Scalar", "ints", "bools", "tensors", "scalars", "text")
    return tuple(check(name) for name in pointers if not is_optional(name))


def oneof(row: Row, *names: str) -> Group:
    """One of these pointers is not null."""

    def test(call: Call) -> str | None:
        if any(call.tensors.get(name, call.attributes.get(name)) is not None for name in names):
            return None
        return f"{' and '.join(names)} are null; one must be a pointer; pass a pointer"

    return (Check(f"{either(names)} is not null", test, NullArgument, about=names),)


def masked(row: Row, mask: str, *names: str) -> Group:
    """Each output that a mask asks for is not null."""

    def test(call: Call) -> str | None:
        flags = call.attributes[mask]
        if len(flags) != len(names):
            return f"{mask} has {quantity(len(flags), 'flag')}; it must have {len(names)}; change {mask}"
        return None

    def check(number: int, name: str) -> Check:
        def is_null(call: Call) -> str | None:
            return shape_rules.missing(name) if call.attributes[mask][number] and call.tensors[name] is None else None

        return Check(f"{name} is not null where {mask} asks for it", is_null, NullArgument, about=(name, mask))

    return (Check(f"{mask} has {len(names)} flags", test), *[check(k, name) for k, name in enumerate(names)])


def chips(row: Row, *names: str) -> Group:
    """A generated function has a configuration for the product."""
    return tuple(replace(check, error=NotConfigured) for check in only(row, *names))


def only(row: Row, *names: str) -> Group:
    """The product is one of these."""
    products = tuple(f"Ascend{name}" for name in names)

    def test(call: Call) -> str | None:
        is_one = call.product is None or call.product.name in products
        return None if is_one else f"the product is {call.product}; it must be {either(products)}; choose one of these"

    return (Check(f"the product is {either(products)}", test),)


def cube(row: Row, mode: str) -> Group:
    """Products whose matrix unit takes no float32 need a cubeMathType that lets them round."""

    def test(call: Call) -> str | None:
        is_float = any(meta.dtype.name == "float32" for name in row.of_type("Tensor") for meta in entries(call, name))
        if call.product is None or call.product.bfloat16 or not is_float or call.attributes[mode] not in (0, 3, -1):
            return None
        return f"{mode} is {call.attributes[mode]} for float32{call.on_product}; it must be 1 or 2; change {mode}"

    return (Check(f"{mode} lets products without a float32 matrix unit round", test, about=(mode,)),)


def public(row: Row, *names: str) -> Group:
    return shape_rules.public_format(*names)


def oneformat(row: Row, *names: str) -> Group:
    return shape_rules.same_format(*names[:-1], to=names[-1])


def rank(row: Row, names: str, bounds: str) -> Group:
    """Tensors or lists, with commas between, have LOW-HIGH dimensions, or as many as the bound says."""
    low, _, high = bounds.partition("-")
    lowest, highest = int(low), int(high or low)

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            ranks = [len(meta.shape) for meta in entries(call, name) if not lowest <= len(meta.shape) <= highest]
            wrong = quantity(ranks[0], "dimension") if ranks else ""
            words = bounds.replace("-", " to ")
            return f"{name} has {wrong}; it must have {words}; reshape {name}" if wrong else None

        return Check(f"{name} has {bounds} dimensions", test, about=(name,))

    return tuple(map(check, names.split(",")))


def shape(row: Row, *names: str) -> Group:
    return shape_rules.same_shape(*names[:-1], to=names[-1])


def broadcast(row: Row, *names: str) -> Group:
    """Tensors broadcast to the shape of the last. `-` in its place: to any shape."""
    *inputs, output = names

    def test(call: Call) -> str | None:
        shapes = {name: meta.shape for name in inputs if (meta := call.tensors.get(name)) is not None}
        together = broadcast_shapes(*shapes.values())
        if together is None:
            words = ", ".join(f"{name} has shape {each}" for name, each in shapes.items())
            return f"{words}; they must broadcast; reshape one of them"
        result = call.tensors.get(output)
        if result is None or result.shape == together:
            return None
        if row.says("ones") is not None and result.size == prod(together) == 1:
            return None
        return f"{output} has shape {result.shape}; it must be {together}, the shape of the result; reshape {output}"

    return (Check(f"{', '.join(inputs)} broadcast to the shape of {output}", test, about=names),)


def fits(row: Row, name: str, to: str) -> Group:
    """A tensor, if there is one, broadcasts to the shape of another."""

    def test(call: Call) -> str | None:
        meta, other = call.tensors.get(name), call.tensors[to]
        if meta is None or other is None or broadcast_shapes(meta.shape, other.shape) == other.shape:
            return None
        return f"{name} has shape {meta.shape}; it must broadcast to {other.shape}, the shape of {to}; reshape {name}"

    return (Check(f"{name} broadcasts to the shape of {to}", test, about=(name, to)),)


def within(row: Row, name: str, to: str, dim: str = "") -> Group:
    """No size of a tensor is larger than that of another, but along a dimension."""

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
    """The sizes of a tensor or an array are the last ones of another, or all of them."""

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


def onesor(row: Row, name: str, to: str) -> Group:
    """Each size of a tensor is 1 or that of another."""

    def test(call: Call) -> str | None:
        a, b = call.tensors[name], call.tensors[to]
        if a is None or b is None or all(m in (1, n) for m, n in zip(a.shape, b.shape, strict=False)):
            return None
        return f"{name} has shape {a.shape}; each size must be 1 or that of {to}, {b.shape}; reshape {name}"

    return (Check(f"each size of {name} is 1 or that of {to}", test, about=(name, to)),)


def filled(row: Row, *names: str) -> Group:
    """These tensors have elements."""

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


def dims(row: Row, name: str, tensor: str, *options: str) -> Group:
    """One dimension, or each of an array, is one of a tensor's; `more`: or one behind; `once`: none occurs twice."""

    def test(call: Call) -> str | None:
        meta, value = next(entries(call, tensor), None), call.attributes.get(name)
        if meta is None or value is None:
            return None
        numbers = value if isinstance(value, tuple) else (value,)
        limit = max(len(meta.shape) + ("more" in options), 1)
        if any(not -limit <= number < limit for number in numbers):
            count = quantity(len(meta.shape), "dimension")
            return f"{name} is {value}, but {tensor} has {count}; it must lie in [{-limit}, {limit - 1}]; change {name}"
        if "once" in options and len({number % limit for number in numbers}) < len(numbers):
            return f"{name} is {value}; each dimension must occur once; remove the others"
        return None

    return (Check(f"{name} is a dimension of {tensor}", test, about=(name, tensor)),)


def must(row: Row, *chain: str) -> Group:
    """A chain of comparisons, such as `0 <= reduction <= 2`. A term of an absent tensor makes them true."""
    text = " ".join(chain)

    def test(call: Call) -> str | None:
        values = [term(call, each) for each in chain[::2]]
        if _holds(values, chain[1::2]):
            return None
        words = " and ".join(f"{t} is {v}" for t, v in zip(chain[::2], values, strict=True) if not is_number(t))
        return f"{words}; the call needs {text}; change one of them"

    return (Check(text, test, about=tuple(p.name for p in row.parameters if p.name in text)),)


def _holds(values: list[Any], signs: tuple[str, ...]) -> bool:
    pairs = zip(signs, pairwise(values), strict=True)
    return any(value is None for value in values) or all(_SIGNS[sign](a, b) for sign, (a, b) in pairs)


def product(row: Row, name: str, *factors: str) -> Group:
    """The number of a tensor's elements is a product of parameters."""

    def test(call: Call) -> str | None:
        meta, numbers = call.tensors[name], [call.attributes[factor] for factor in factors]
        if meta is None or meta.size == prod(numbers):
            return None
        fault = f"{name} has {quantity(meta.size, 'element')}, but {', '.join(factors)} are {numbers}"
        return f"{fault}; their product must be equal; change one of them"

    return (Check(f"{name} has as many elements as the product of {', '.join(factors)}", test, about=(name, *factors)),)


def positive(row: Row, name: str, lowest: str = "0") -> Group:
    """Each entry of an array is at least 0, or another number."""

    def test(call: Call) -> str | None:
        fault = f"{name} is {call.attributes[name]}; each must be at least {lowest}; change {name}"
        return None if all(number >= int(lowest) for number in call.attributes[name]) else fault

    return (Check(f"each number of {name} is at least {lowest}", test, about=(name,)),)


def lists(row: Row, *options: str) -> Group:
    """Lists have as many tensors, and tensors at one place equal shapes; `dtypes`: all tensors have one dtype."""
    names = row.of_type("tensors")

    def lengths(call: Call) -> str | None:
        counts = {name: len(call.attributes[name]) for name in row.of_type("tensors", "scalars")}
        words = ", ".join(f"{name} has {count}" for name, count in counts.items())
        return f"{words}; the lists must be of one length; fill them up" if len({*counts.values()}) > 1 else None

    def shapes(call: Call) -> str | None:
        for number, metas in enumerate(zip(*[call.attributes[name] for name in names], strict=False)):
            if len({meta.shape for meta in metas}) > 1:
                words = ", ".join(f"{name}[{number}] has shape {m.shape}" for name, m in zip(names, metas, strict=True))
                return f"{words}; they must be equal; reshape one of them"
        return None

    def dtypes(call: Call) -> str | None:
        groups = [(name,) for name in names] if "apart" in options else [tuple(names)]
        for group in groups:
            actual = {f"{name}": meta.dtype for name in group for meta in entries(call, name)}
            every = {meta.dtype for name in group for meta in entries(call, name)}
            if len(every) > 1:
                words = ", ".join(sorted(map(str, every)))
                return f"{', '.join(actual)} have tensors of {words}; they must be of one dtype; convert the others"
        return None

    checks = (Check("the lists are of one length", lengths), Check("tensors at one place have one shape", shapes))
    return (Check("all tensors have one dtype", dtypes), *checks, *rank(row, ",".join(names), "0-8"))


# Words that guard others


def _guarded(row: Row, words: tuple[str, ...], condition: str, holds: Callable[[Call], bool]) -> Group:
    def guarded(check: Check) -> Check:
        return replace(
            check, rule=f"{check.rule}, where {condition}", test=lambda c: check.test(c) if holds(c) else None
        )

    return tuple(map(guarded, checks_of(row, words)))


def when(row: Row, left: str, sign: str, right: str, *words: str) -> Group:
    """Another word, where a comparison holds."""

    def holds(call: Call) -> bool:
        return _holds([term(call, left), term(call, right)], (sign,))

    return _guarded(row, words, f"{left} {sign} {right}", holds)


def where(row: Row, name: str, *words: str) -> Group:
    """Another word, where an optional tensor is passed."""
    return _guarded(row, words, f"{name} is passed", lambda call: call.tensors.get(name) is not None)


def tiling(row: Row, *words: str) -> Group:
    """Another word, at the stage where a generated function plans its kernel."""
    return stages.tiling(checks_of(row, words))


def nothing(row: Row, *_: str) -> Group:
    """Words that patterns read."""
    return ()


WORDS: dict[str, Callable[..., Group]] = {
    **{f.__name__: f for f in (oneof, masked, chips, only, cube, public, oneformat, rank, shape, broadcast, fits)},
    **{
        f.__name__: f for f in (within, last, onesor, filled, dims, must, product, positive, lists, when, where, tiling)
    },
    **{name: getattr(dtype_words, name) for name in ("dtype", "equal", "same", "casts", "promoted", "alpha", "real")},
    **{name: getattr(dtype_words, name) for name in ("part", "orfloat", "columns", "scalarof")},
    **dict.fromkeys(
        ("null", "optional", "free", "anyout", "anyrank", "ones", "emptyfirst", "twice", "reductions"), nothing
    ),
}


def checks_of(row: Row, words: tuple[str, ...]) -> Group:
    return WORDS[words[0]](row, *words[1:])
