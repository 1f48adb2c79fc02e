"""Words of checks.txt on dtypes of tensors, lists and typed scalars."""

from __future__ import annotations

from ...base.dtypes import BY_NAME, Dtype, can_convert, promote
from ...base.errors import InvalidDtype, either
from ...contract import dtype_rules
from ...contract.check import Call, Check
from .row import Group, Row, dtype_list, dtypes_of, entries

_ORDER = {"bool": 0, "int": 1, "uint": 1, "float": 2, "other": 2, "complex": 3}


def dtype(row: Row, name: str) -> Group:
    """An argument, or each tensor of a list, has one of the row's dtypes; `NAME?` in the row: unless it is empty."""
    dtypes = row.dtypes[name]
    name, mark, _ = name.partition("?")

    def test(call: Call) -> str | None:
        names = dtypes.on(call)
        for actual in [meta.dtype for meta in entries(call, name) if meta.size] if mark else dtypes_of(call, name):
            if actual.name not in names:
                return f"{name} is {actual}; it must be {either(names)}{call.on_product}; convert {name}"
        return None

    return (Check(f"{name} has a supported dtype", test, InvalidDtype, about=(name,)),)


def equal(row: Row, *names: str) -> Group:
    """These tensors have the dtype of the last."""
    return dtype_rules.equal(*names[:-1], to=names[-1])


def same(row: Row, name: str, other: str) -> Group:
    """A tensor has the dtype that a parameter names."""

    def test(call: Call) -> str | None:
        pairs = zip(dtypes_of(call, name), dtypes_of(call, other), strict=False)
        for a, b in pairs:
            if a != b:
                return f"{name} is {a}, but {other} is {b}; they must be equal; change {other}"
        return None

    return (Check(f"{name} has the dtype {other}", test, InvalidDtype, about=(name, other)),)


def casts(row: Row, source: str, target: str) -> Group:
    """The dtype of one argument can be converted to that of another."""

    def test(call: Call) -> str | None:
        pairs = zip(dtypes_of(call, source), dtypes_of(call, target), strict=False)
        return next((_unconvertible(target, b, source, a) for a, b in pairs if not can_convert(a, b)), None)

    return (Check(f"{source} can be converted to {target}'s dtype", test, InvalidDtype, about=(source, target)),)


def _unconvertible(target: str, b: Dtype, source: str, a: Dtype) -> str:
    return f"{target} is {b}, but {source} is {a}; {source} must convert to {target}; pass {target} as {a}"


def with_scalar(tensor: Dtype, scalar: Dtype) -> Dtype | None:
    """The dtype of a tensor with a typed scalar, which counts only where its category is higher."""
    return tensor if _ORDER[scalar.kind] <= _ORDER[tensor.kind] else promote(tensor, scalar)


def _common(call: Call, names: tuple[str, ...]) -> Dtype | None:
    """The common dtype of tensors and scalars, or None."""
    tensors = [each for name in names if name not in call.scalar_dtypes for each in dtypes_of(call, name)]
    result: Dtype | None = tensors[0]
    for other in tensors[1:]:
        result = None if result is None else promote(result, other)
    for name in names:
        if result is not None and name in call.scalar_dtypes:
            result = with_scalar(result, call.scalar_dtypes[name])
    return result


def promoted(row: Row, *names: str) -> Group:
    """Arguments have a common dtype, in the row's list `promoted` and not in `never`, that converts to the outputs'.

    The row's list `integers` has the dtype that integers are computed as. `anyout` names products without conversion.
    """
    integers, free_products = row.dtypes.get("integers"), row.says("anyout")

    def common(call: Call) -> Dtype | None:
        result = _common(call, names) if any(dtypes_of(call, name) for name in names) else None
        is_integer = result is not None and result.kind in ("bool", "int", "uint")
        return BY_NAME[integers.names[0]] if integers and is_integer else result

    def exists(call: Call) -> str | None:
        actual = {name: dtypes_of(call, name) for name in names}
        if not any(actual.values()):
            return None
        words = " and ".join(f"{name} is {', '.join(map(str, dict.fromkeys(d)))}" for name, d in actual.items() if d)
        result = common(call)
        if result is None:
            return f"{words}; they must have a common dtype; convert one of them"
        words = f"{words}, with the common dtype {result}"
        if "promoted" in row.dtypes and result.name not in (allowed := row.dtypes["promoted"].on(call)):
            return f"{words}; it must be {either(allowed)}{call.on_product}; convert them"
        if "never" in row.dtypes and result.name in row.dtypes["never"].on(call):
            return f"{words}; it must be another dtype; convert them"
        return None

    def converts(call: Call) -> str | None:
        result, product = common(call), call.product
        if result is None or (free_products is not None and (not free_products or str(product) in free_products)):
            return None
        for name in row.outputs:
            for actual in dtypes_of(call, name):
                if not can_convert(result, actual):
                    return _unconvertible(name, actual, "the result", result)
        return None

    exist = Check(f"{' and '.join(names)} have a common dtype", exists, InvalidDtype, about=names)
    convert = Check("the result can be converted to the outputs' dtypes", converts, InvalidDtype, about=names)
    return exist, convert


def alpha(row: Row, *names: str) -> Group:
    """The factor `alpha` converts to the common dtype of these; a boolean result needs an integer factor."""

    def test(call: Call) -> str | None:
        result, factor = _common(call, names), call.scalar_dtypes["alpha"]
        if result is None or (result.kind == "bool" and factor.kind in ("bool", "int", "uint")):
            return None
        return None if can_convert(factor, result) else _unconvertible("the result", result, "alpha", factor)

    return (Check("alpha can be converted to the common dtype", test, InvalidDtype, about=("alpha",)),)


def real(row: Row, *names: str) -> Group:
    """These arguments are not complex."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            complexes = [actual for actual in dtypes_of(call, name) if actual.kind == "complex"]
            return f"{name} is {complexes[0]}; it must be real; pass its real part" if complexes else None

        return Check(f"{name} is real", test, InvalidDtype, about=(name,))

    return tuple(map(check, names))


def part(row: Row, name: str, source: str) -> Group:
    """A tensor has the dtype of another, or of its real part."""

    def test(call: Call) -> str | None:
        (actual,), (other,) = dtypes_of(call, name), dtypes_of(call, source)
        expected = other.part if other.kind == "complex" else other
        fault = f"{name} is {actual}, but {source} is {other}; {name} must be {expected}; convert {name}"
        return None if actual == expected else fault

    return (Check(f"{name} has the dtype of {source}, or of its real part", test, InvalidDtype, about=(name, source)),)


def orfloat(row: Row, name: str, source: str) -> Group:
    """An optional tensor is float32 or has the dtype of another."""

    def test(call: Call) -> str | None:
        expected = dict.fromkeys(("float32", *map(str, dtypes_of(call, source))))
        for actual in dtypes_of(call, name):
            if actual.name not in expected:
                fault = f"{name} is {actual}, but {source} is {dtypes_of(call, source)[0]}"
                return f"{fault}; {name} must be {either(expected)}; convert {name}"
        return None

    return (Check(f"{name} is float32 or has the dtype of {source}", test, InvalidDtype, about=(name, source)),)


def columns(row: Row, *words: str) -> Group:
    """The dtypes of some tensors together are one of several combinations, with slashes between."""
    names, *rows = [part.split() for part in " ".join(words).split("/")]
    lists = [dtype_list("+".join(each), {}).names for each in rows]

    def test(call: Call) -> str | None:
        actual = tuple(str(each) for name in names for each in dtypes_of(call, name))
        fault = f"{', '.join(names)} are {', '.join(actual)}"
        expected = either(" with ".join(each) for each in lists)
        return None if actual in lists else f"{fault}; they must be {expected}; convert them"

    return (Check(f"the dtypes of {', '.join(names)} fit together", test, InvalidDtype, about=tuple(names)),)


def scalarof(row: Row, name: str, tensors: str, *chips: str) -> Group:
    """A scalar of a list's function: of float32 or float64, float16 or float64, or integers, as the list's tensors.

    On the named chips float32 goes with float16 too.
    """

    def test(call: Call) -> str | None:
        actual, of_list = dtypes_of(call, name), dtypes_of(call, tensors)
        if not actual or not of_list:
            return None
        half = ("float16", "float64", *["float32"] * (str(call.product) in chips))
        by_name = {"float32": ("float32", "float64"), "bfloat16": ("float32", "float64"), "float16": half}
        expected = by_name.get(of_list[0].name, ("int32", "int64"))
        fault = f"{name} is a scalar of {actual[0]}, but {tensors} is {of_list[0]}"
        return (
            None if actual[0].name in expected else f"{fault}; it must be {either(expected)}; create it with that dtype"
        )

    return (Check(f"{name} fits the dtype of {tensors}", test, InvalidDtype, about=(name, tensors)),)
