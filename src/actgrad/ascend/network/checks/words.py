"""Checks of pointers, products, lists and values, and conditions of other checks."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ....base.errors import ActgradError, InvalidArgument, KernelMissing, NotConfigured, NullArgument, either, quantity
from ....checks.check import Call, Check
from ...rules import rule
from ...rules.rule import product_of
from . import dtype_words, shape_words
from .dtypes import DtypeList
from .row import Group, Phrase, Row, dtypes_of, entries
from .terms import Relation

_NULLS: dict[int, type[ActgradError]] = {561103: KernelMissing, 161002: InvalidArgument}


def nulls(row: Row, is_optional: Callable[[str], bool]) -> Group:
    """Check that no required pointer is null. The word `null` has pointers with another status than 161001."""
    statuses = _null_statuses(row)
    lists = [(name, words[1]) for words in row.words if words[0] == "null_entries" for name in words[2:]]

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            value = call.tensors.get(name, call.attributes.get(name))
            return rule.missing(name) if value is None else None

        error = _NULLS.get(statuses.get(name, 161001), NullArgument)
        return Check(f"{name} is not null", test, error, about=(name,))

    pointers = row.of_type("Tensor", "Scalar", "ints", "bools", "tensors", "scalars", "text")
    required = [check(name) for name in pointers if not is_optional(name)]
    lengths = [words[1:] for words in row.words if words[0] == "lengths"]
    return (*required, *[_lengths(*names) for names in lengths], *[_entries(*each) for each in lists])


def _null_statuses(row: Row) -> dict[str, int]:
    return {name: words[1] for words in row.words if words[0] == "null" for name in words[2:]}


def _lengths(name: str, to: str) -> Check:
    """Check that two lists have the same number of tensors. The status is the status of a null pointer."""

    def test(call: Call) -> str | None:
        counts = [len(call.attributes[each]) for each in (name, to)]
        fault = f"{name} has {counts[0]} tensors, {to} has {counts[1]}; the numbers must be equal; add tensors to one"
        return fault if counts[0] != counts[1] else None

    return Check(f"{name} has as many tensors as {to}", test, NullArgument, about=(name, to))


def _entries(name: str, status: int) -> Check:
    """Check that no tensor of a list is null."""

    def test(call: Call) -> str | None:
        fault = f"{name} has a null pointer; each must be a tensor; pass a tensor"
        return fault if None in call.attributes[name] else None

    return Check(f"{name} has no null pointer", test, _NULLS[status], about=(name,))


def one_of(row: Row, *names: str) -> Group:
    """Check that one of these pointers is not null."""

    def test(call: Call) -> str | None:
        if any(call.tensors.get(name, call.attributes.get(name)) is not None for name in names):
            return None
        return f"{' and '.join(names)} are null; one must be a pointer; pass a pointer"

    return (Check(f"{either(names)} is not null", test, NullArgument, about=names),)


def masked(row: Row, mask: str, names: tuple[str, ...], length_status: int) -> Group:
    """Check that each output that a mask selects is not null. `length_status`: for a mask of another length."""

    def test(call: Call) -> str | None:
        flags = call.attributes[mask]
        if len(flags) != len(names):
            return f"{mask} has {quantity(len(flags), 'flag')}; it must have {len(names)}; change {mask}"
        return None

    def check(number: int, name: str) -> Check:
        def is_null(call: Call) -> str | None:
            return rule.missing(name) if call.attributes[mask][number] and call.tensors[name] is None else None

        error = _NULLS.get(_null_statuses(row).get(name, 161001), NullArgument)
        return Check(f"{name} is not null where {mask} asks for it", is_null, error, about=(name, mask))

    error = NullArgument if length_status == 161001 else InvalidArgument
    length = Check(f"{mask} has {len(names)} flags", test, error)
    return (length, *[check(k, name) for k, name in enumerate(names)])


def chips(row: Row, *names: str) -> Group:
    """Check that a generated function has a configuration for the product."""
    return tuple(check.changed(error=NotConfigured) for check in only(row, *names))


def only(row: Row, *names: str) -> Group:
    """Check that the product is one of these."""
    products = tuple(f"Ascend{name}" for name in names)

    def test(call: Call) -> str | None:
        product = product_of(call)
        is_one = product is None or product.name in products
        return None if is_one else f"the product is {product}; it must be {either(products)}; choose one of these"

    return (Check(f"the product is {either(products)}", test),)


def cube(row: Row, mode: str, *names: str) -> Group:
    """Check `cubeMathType`: it must allow rounding on products whose matrix unit does not take float32.

    The tensors that may be float32 are `names`, or all tensors without names.
    """
    factors = names or row.of_type("Tensor")

    def test(call: Call) -> str | None:
        is_float = any(meta.dtype.name == "float32" for name in factors for meta in entries(call, name))
        product = product_of(call)
        if product is None or product.bfloat16 or not is_float or call.attributes[mode] not in (0, 3, 4, -1):
            return None
        return f"{mode} is {call.attributes[mode]} for float32{call.place}; it must be 1 or 2; change {mode}"

    return (Check(f"{mode} lets products without a float32 matrix unit round", test, about=(mode,)),)


def dims(row: Row, name: str, tensor: str, *options: str) -> Group:
    """Check that dimensions exist in a tensor. `more` allows one more than the last, `once` forbids duplicates."""

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


def must(row: Row, *comparisons: Relation) -> Group:
    """Check comparisons. The check passes if a term names an absent argument."""
    text = " and ".join(each.text for each in comparisons)
    terms = {term.text: term for each in comparisons for term in each.terms}

    def test(call: Call) -> str | None:
        values = {name: term.read(call) for name, term in terms.items()}
        if None in values.values() or all(each.holds(call) for each in comparisons):
            return None
        words = " and ".join(f"{name} is {values[name]}" for name, term in terms.items() if term.names)
        return f"{words}; the call needs {text}; change one of them"

    names = tuple(dict.fromkeys(name for term in terms.values() for name in term.names))
    return (Check(text, test, about=names),)


def product(row: Row, name: str, *factors: str) -> Group:
    """Check that the number of a tensor's elements is a product of parameters."""

    def test(call: Call) -> str | None:
        meta, numbers = call.tensors[name], [call.attributes[factor] for factor in factors]
        if meta is None or meta.size == prod(numbers):
            return None
        fault = f"{name} has {quantity(meta.size, 'element')}, but {', '.join(factors)} are {numbers}"
        return f"{fault}; their product must be equal; change one of them"

    return (Check(f"{name} has as many elements as the product of {', '.join(factors)}", test, about=(name, *factors)),)


def positive(row: Row, name: str, lowest: int = 0) -> Group:
    """Check that each entry of an array is at least 0, or at least `lowest`."""

    def test(call: Call) -> str | None:
        fault = f"{name} is {call.attributes[name]}; each must be at least {lowest}; change {name}"
        return None if all(number >= lowest for number in call.attributes[name] or ()) else fault

    return (Check(f"each number of {name} is at least {lowest}", test, about=(name,)),)


def lists(row: Row, *options: str) -> Group:
    """Check that lists have the same number of tensors, equal shapes and one dtype.

    `apart`: each list has its own dtype.
    """
    names = row.of_type("tensors")
    shaped = [name for name in names if name not in (row.arguments_of("any_shape") or ())]

    def lengths(call: Call) -> str | None:
        counts = {n: len(v) for n in row.of_type("tensors", "scalars") if (v := call.attributes.get(n)) is not None}
        if row.arguments_of("empty") is not None and not counts[names[0]]:
            return None
        words = ", ".join(f"{name} has {count}" for name, count in counts.items())
        return f"{words}; the lengths must be equal; add to the shorter lists" if len({*counts.values()}) > 1 else None

    def shapes(call: Call) -> str | None:
        for number, metas in enumerate(zip(*[call.attributes[name] for name in shaped], strict=False)):
            if len({meta.shape for meta in metas}) > 1:
                words = ", ".join(f"{n}[{number}] has shape {m.shape}" for n, m in zip(shaped, metas, strict=True))
                return f"{words}; they must be equal; reshape one of them"
        return None

    def dtypes(call: Call) -> str | None:
        groups = [(name,) for name in names] if "apart" in options else [tuple(names)]
        for group in groups:
            actual = {f"{name}": meta.dtype for name in group for meta in entries(call, name)}
            every = {meta.dtype for name in group for meta in entries(call, name)}
            if len(every) > 1:
                words = ", ".join(sorted(map(str, every)))
                return f"{', '.join(actual)} have tensors of {words}; the dtypes must be equal; convert some of them"
        return None

    of_shapes = Check("tensors at the same index have the same shape", shapes)
    checks = (Check("the lists have the same length", lengths), of_shapes)
    return (Check("all tensors have the same dtype", dtypes), *checks, *shape_words.rank(row, tuple(names), 0, 8))


# Words that are conditions


def _conditional(row: Row, words: Phrase, condition: str, holds: Callable[[Call], bool]) -> Group:
    def conditional(check: Check) -> Check:
        return check.changed(
            rule=f"{check.rule}, where {condition}", test=lambda c: check.test(c) if holds(c) else None
        )

    return tuple(map(conditional, checks_of(row, words)))


def when(row: Row, comparison: Relation, *words: Any) -> Group:
    """Apply another word only if a comparison holds."""
    return _conditional(row, words, comparison.text, comparison.holds)


def where(row: Row, name: str, *words: Any) -> Group:
    """Apply another word only if an optional pointer is passed."""

    def is_passed(call: Call) -> bool:
        return call.tensors.get(name, call.attributes.get(name)) is not None

    return _conditional(row, words, f"{name} is passed", is_passed)


def unless(row: Row, name: str, dtypes: DtypeList, *words: Any) -> Group:
    """Apply another word unless a tensor has one of these dtypes."""
    names = dtypes.names
    return _conditional(
        row, words, f"{name} is not {either(names)}", lambda c: all(d.name not in names for d in dtypes_of(c, name))
    )


def on(row: Row, chips: tuple[str, ...], *words: Any) -> Group:
    """Apply another word only on some products."""
    products = tuple(f"Ascend{chip}" for chip in chips)
    return _conditional(
        row, words, f"the product is {either(products)}", lambda call: str(product_of(call)) in products
    )


def tiling(row: Row, *words: Any) -> Group:
    """Apply another word at the stage where a generated function plans its kernel."""
    return rule.in_tiling(checks_of(row, words))


def nothing(row: Row, *_: str) -> Group:
    """A word that checks nothing here, because patterns read it."""
    return ()


#: Words that patterns, the judge and `nulls` read.
_READ = (
    "null", "null_entries", "lengths", "optional", "free", "unconverted_on", "any_rank", "ones", "empty_first", "empty",
    "any_shape", "twice", "reductions",
)  # fmt: skip
_DTYPE_WORDS = (
    "dtype", "equal", "same", "casts", "promoted", "alpha", "real", "promotable", "copyable", "part",
    "float32_or_dtype_of", "columns", "scalar_fits", "ranged", "representable", "stepped", "interval",
)  # fmt: skip
_SHAPE_WORDS = (
    "public", "contiguous", "nd", "one_format", "formats", "images", "rank", "shape", "broadcast", "broadcastable",
    "fits", "into", "multiplied", "reducible", "statistics", "within", "last", "one_or_size_of", "filled", "masks",
    "indexed",
)  # fmt: skip
_WORDS = (one_of, masked, chips, only, cube, dims, must, product, positive, lists, when, where, unless, on, tiling)
WORDS: dict[str, Callable[..., Group]] = {
    **{f.__name__: f for f in _WORDS},
    **{name: getattr(dtype_words, name) for name in _DTYPE_WORDS},
    **{name: getattr(shape_words, name) for name in _SHAPE_WORDS},
    **dict.fromkeys(_READ, nothing),
}


def checks_of(row: Row, words: Phrase) -> Group:
    return WORDS[words[0]](row, *words[1:])
