"""Checks of dtypes of tensors, lists and typed scalars."""

from __future__ import annotations

from itertools import product
from math import ceil, floor, isfinite
from typing import Any

import ml_dtypes
import numpy as np

from ....base.dtypes import BY_NAME, Dtype, can_convert, promote
from ....base.errors import InvalidDtype, either, quantity
from ....checks import dtype_rules
from ....checks.check import Call, Check
from ...rules.rule import has_integer_type, product_of, scalar_dtypes
from ...rules.scalars import to_float, to_int
from .dtypes import DtypeList
from .row import CATEGORIES, Group, Row, dtypes_of, entries


def dtype(row: Row, name: str, key: str = "") -> Group:
    """Check that an argument, or each tensor of a list, has a dtype that the row lists, for it or under `key`."""
    dtypes = row.dtypes[key or name]

    def of_arguments(call: Call) -> list[Dtype]:
        is_exempt = dtypes.exempts_empty
        return [meta.dtype for meta in entries(call, name) if meta.size] if is_exempt else dtypes_of(call, name)

    def test(call: Call) -> str | None:
        names = dtypes.allowed(call)
        for actual in of_arguments(call):
            if actual.name not in names:
                return f"{name} is {actual}; it must be {either(names)}{call.place}; convert {name}"
        return None

    return (Check(f"{name} has a supported dtype", test, InvalidDtype, about=(name,)),)


def equal(row: Row, *names: str) -> Group:
    """Check that these tensors have the dtype of the last tensor."""
    return dtype_rules.equal(*names[:-1], to=names[-1])


def same(row: Row, name: str, other: str) -> Group:
    """Check that a tensor, or each tensor of a list, has the dtype of another argument, or that a parameter names."""

    def test(call: Call) -> str | None:
        for a, b in product(dtypes_of(call, name), dtypes_of(call, other)):
            if a != b:
                return f"{name} is {a}, but {other} is {b}; they must be equal; change {other}"
        return None

    return (Check(f"{name} has the dtype {other}", test, InvalidDtype, about=(name, other)),)


def casts(row: Row, source: str, target: str) -> Group:
    """Check that the dtype of one argument can be converted to the dtype of another."""

    def test(call: Call) -> str | None:
        pairs = zip(dtypes_of(call, source), dtypes_of(call, target), strict=False)
        return next((_unconvertible(target, b, source, a) for a, b in pairs if not can_convert(a, b)), None)

    return (Check(f"{source} can be converted to {target}'s dtype", test, InvalidDtype, about=(source, target)),)


def _unconvertible(target: str, b: Dtype, source: str, a: Dtype) -> str:
    return f"{target} is {b}, but {source} is {a}; {source} must convert to {target}; pass {target} as {a}"


def with_scalar(tensor: Dtype, scalar: Dtype) -> Dtype | None:
    """The common dtype of a tensor and a typed scalar. The scalar counts only if its category is higher."""
    return tensor if CATEGORIES[scalar.kind] <= CATEGORIES[tensor.kind] else promote(tensor, scalar)


def _common(call: Call, names: tuple[str, ...]) -> Dtype | None:
    """The common dtype of tensors and scalars, or None if there is none."""
    tensors = [each for name in names if name not in scalar_dtypes(call) for each in dtypes_of(call, name)]
    result: Dtype | None = tensors[0]
    for other in tensors[1:]:
        result = None if result is None else promote(result, other)
    for name in names:
        if result is not None and name in scalar_dtypes(call):
            result = with_scalar(result, scalar_dtypes(call)[name])
    return result


def promoted(row: Row, *names: str) -> Group:
    """Check that arguments have a common dtype that converts to the outputs' dtypes.

    The common dtype must be in the row's list `promoted` and not in `never`. The row's list `integers` has the dtype in
    which integers are computed. `unconverted_on` names products without a conversion.
    """
    integers, free_products = row.dtypes.get("integers"), row.arguments_of("unconverted_on")

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
        if "promoted" in row.dtypes and result.name not in (allowed := row.dtypes["promoted"].allowed(call)):
            return f"{words}; it must be {either(allowed)}{call.place}; convert them"
        if "never" in row.dtypes and result.name in row.dtypes["never"].allowed(call):
            return f"{words}; it must be another dtype; convert them"
        return None

    def converts(call: Call) -> str | None:
        result, product = common(call), product_of(call)
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


def promotable(row: Row, *names: str) -> Group:
    """Check that two arguments have a common dtype. A scalar counts like a tensor."""

    def test(call: Call) -> str | None:
        for a, b in zip(*[dtypes_of(call, name) for name in names], strict=False):
            if promote(a, b) is None:
                return f"{names[0]} is {a} and {names[1]} is {b}; they must have a common dtype; convert one of them"
        return None

    return (Check(f"{' and '.join(names)} can be promoted", test, InvalidDtype, about=names),)


def copyable(row: Row, source: str, target: str) -> Group:
    """Check that two lists have the same dtype, or float32 in one list and a 16-bit dtype in the other."""

    def test(call: Call) -> str | None:
        for a, b in zip(dtypes_of(call, source)[:1], dtypes_of(call, target)[:1], strict=False):
            if a != b and sorted((a.name, b.name)) not in (["float16", "float32"], ["bfloat16", "float32"]):
                return f"{source} is {a} and {target} is {b}; they must be equal, or float32 and 16 bits; convert one"
        return None

    return (Check(f"{source} can be copied to {target}", test, InvalidDtype, about=(source, target)),)


def ranged(row: Row, name: str, tensors: str) -> Group:
    """Check that a scalar is in the range of a list's dtype, if the scalar has another dtype. Infinities are not."""

    def test(call: Call) -> str | None:
        actual, of_list = dtypes_of(call, name), dtypes_of(call, tensors)
        if not actual or not of_list or actual[0] == of_list[0]:
            return None
        value, (low, high) = float(call.attributes[name]), _range(of_list[0])
        fault = f"{name} is {call.attributes[name]}, but {tensors} is {of_list[0]}"
        return (
            f"{fault}; it must lie in [{low}, {high}]; pass a smaller number" if value < low or value > high else None
        )

    return (Check(f"{name} lies in the range of {tensors}", test, about=(name, tensors)),)


#: The dtype as which a scalar promotes a tensor of a lower category, by the scalar's category.
_DEFAULTS = {1: "int64", 2: "float32", 3: "complex64"}


def representable(row: Row, name: str, tensor: str, *promoted: str) -> Group:
    """Check that a tensor's dtype can represent a scalar: `CheckOverflows` of aclScalar.

    With `promoted`, the dtype is the common dtype of the tensor and the scalar.

    Floats can represent infinity and NaN, and an unsigned integer the negative of each of its numbers, as an integer.
    """

    def test(call: Call) -> str | None:
        (dtype,), (of_scalar,), value = dtypes_of(call, tensor), dtypes_of(call, name), call.attributes[name]
        if promoted and CATEGORIES[of_scalar.kind] > CATEGORIES[dtype.kind]:
            dtype = promote(dtype, BY_NAME[_DEFAULTS[CATEGORIES[of_scalar.kind]]]) or dtype
        if dtype.kind == "bool" or of_scalar.kind == "bool":
            return None
        low, high = _range(dtype.part if dtype.kind == "complex" else dtype)
        numbers = (value.real, value.imag) if isinstance(value, complex) else (value,)
        low = -high if dtype.kind == "uint" and of_scalar.kind == "int" else low
        is_float = dtype.kind in ("float", "complex")
        if all(low <= number <= high or (is_float and not isfinite(number)) for number in numbers):
            return None
        fault = f"{name} is {value}, and {tensor} computes in {dtype}"
        return f"{fault}; it must lie in [{low}, {high}]; pass a smaller number"

    return (Check(f"the dtype of {tensor} can represent {name}", test, about=(name, tensor)),)


def _range(dtype: Dtype) -> tuple[Any, Any]:
    """The lowest and the highest number of a dtype."""
    limits = np.iinfo(dtype.numpy) if dtype.kind in ("int", "uint") else ml_dtypes.finfo(dtype.numpy)
    return (
        (int(limits.min), int(limits.max)) if dtype.kind in ("int", "uint") else (float(limits.min), float(limits.max))
    )


def stepped(row: Row, start: str, end: str, step: str, out: str, *closed: str) -> Group:
    """Check that steps lead from the start to the end, and that the result has an element for each.

    CANN compares the numbers in float32, float64 or int64, as the result's dtype says. It does not say what infinite
    numbers mean. With `closed`, the end may be the last element.
    """

    def test(call: Call) -> str | None:
        meta, given = call.tensors[out], [call.attributes[name] for name in (start, end, step)]
        if meta is None:
            return None
        convert = to_int if meta.dtype.kind == "int" else float if meta.dtype.name == "float64" else to_float
        first, last, by = (convert(number) for number in given)
        fault = f"{start}, {end} and {step} are {given[0]}, {given[1]} and {given[2]}"
        if not all(map(isfinite, (*given, first, last, by))):
            return f"{fault}; they must be finite; change them"
        if not ((by > 0 and first <= last) or (by < 0 and first >= last)):
            return f"{fault}; {step} must not be 0 and lead from {start} to {end}; change {step}"
        counts = {_count(given[0], given[1], given[2], bool(closed))}
        counts |= {_count(first, last, by, bool(closed))} if meta.dtype.kind == "int" else set()
        words = f"{fault}, and {out} has {quantity(meta.size, 'element')}"
        expected = either(map(str, sorted(counts)))
        return None if meta.size in counts else f"{words}; it must have {expected}; create a tensor of that size"

    return (Check(f"{step} leads from {start} to {end}", test, about=(start, end, step, out)),)


def _count(first: Any, last: Any, by: Any, is_closed: bool) -> int:
    """The number of steps. Programs compute it from the numbers as given, or as integers."""
    if isinstance(first, int):
        return int((last - first) // by + 1 if is_closed else -((first - last) // by))
    return floor((last - first) / by) + 1 if is_closed else ceil((last - first) / by)


def interval(row: Row, low: str, high: str, tensor: str) -> Group:
    """Check that two scalars are the finite ends of an interval: as int32 if the tensor has integers, or as float32.

    Two equal infinities are allowed, because CANN then takes the extremes of the elements.
    """

    def test(call: Call) -> str | None:
        numbers = [call.attributes[name] for name in (low, high)]
        floats = [to_float(number) for number in numbers]
        words = f"{low} and {high} are {numbers[0]} and {numbers[1]}"
        if not all(map(isfinite, floats)) and floats[0] != floats[1]:
            return f"{words}; both must be finite in float32; change them"
        a, b = floats
        if any(dtype.kind in ("int", "uint") for dtype in dtypes_of(call, tensor)):
            a, b = (to_int(call.attributes[name], 32, has_integer_type(call, name)) for name in (low, high))
        return f"{words}; {low} must be at most {high}; exchange them" if a > b else None

    return (Check(f"{low} is at most {high}, and both are finite", test, about=(low, high, tensor)),)


def alpha(row: Row, *names: str) -> Group:
    """Check that the factor `alpha` converts to the common dtype of these. A boolean result needs an integer factor."""

    def test(call: Call) -> str | None:
        result, factor = _common(call, names), scalar_dtypes(call)["alpha"]
        if result is None or (result.kind == "bool" and factor.kind in ("bool", "int", "uint")):
            return None
        return None if can_convert(factor, result) else _unconvertible("the result", result, "alpha", factor)

    return (Check("alpha can be converted to the common dtype", test, InvalidDtype, about=("alpha",)),)


def real(row: Row, *names: str) -> Group:
    """Check that these arguments are not complex."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            complexes = [actual for actual in dtypes_of(call, name) if actual.kind == "complex"]
            return f"{name} is {complexes[0]}; it must be real; pass its real part" if complexes else None

        return Check(f"{name} is real", test, InvalidDtype, about=(name,))

    return tuple(map(check, names))


def part(row: Row, name: str, source: str) -> Group:
    """Check that a tensor has the dtype of another tensor, or of its real part."""

    def test(call: Call) -> str | None:
        (actual,), (other,) = dtypes_of(call, name), dtypes_of(call, source)
        expected = other.part if other.kind == "complex" else other
        fault = f"{name} is {actual}, but {source} is {other}; {name} must be {expected}; convert {name}"
        return None if actual == expected else fault

    return (Check(f"{name} has the dtype of {source}, or of its real part", test, InvalidDtype, about=(name, source)),)


def float32_or_dtype_of(row: Row, name: str, source: str) -> Group:
    """Check that an optional tensor is float32 or has the dtype of another tensor."""

    def test(call: Call) -> str | None:
        expected = dict.fromkeys(("float32", *map(str, dtypes_of(call, source))))
        for actual in dtypes_of(call, name):
            if actual.name not in expected:
                fault = f"{name} is {actual}, but {source} is {dtypes_of(call, source)[0]}"
                return f"{fault}; {name} must be {either(expected)}; convert {name}"
        return None

    return (Check(f"{name} is float32 or has the dtype of {source}", test, InvalidDtype, about=(name, source)),)


def columns(row: Row, names: tuple[str, ...], *rows: tuple[DtypeList, ...]) -> Group:
    """Check that the dtypes of some tensors are one of several combinations, each a tuple with a dtype per tensor."""
    lists = [tuple(each.names[0] for each in combination) for combination in rows]

    def test(call: Call) -> str | None:
        actual = tuple(str(each) for name in names for each in dtypes_of(call, name))
        fault = f"{', '.join(names)} are {', '.join(actual)}"
        expected = either(" with ".join(each) for each in lists)
        return None if actual in lists else f"{fault}; they must be {expected}; convert them"

    return (Check(f"the dtypes of {', '.join(names)} fit together", test, InvalidDtype, about=tuple(names)),)


def scalar_fits(row: Row, name: str, tensors: str, *chips: str) -> Group:
    """Check that a scalar of a list's function is float32 or float64, float16 or float64, or an integer, like the list.

    On the named chips, float32 is allowed with float16 too.
    """

    def test(call: Call) -> str | None:
        actual, of_list = dtypes_of(call, name), dtypes_of(call, tensors)
        if not actual or not of_list:
            return None
        half = ("float16", "float64", *["float32"] * (str(product_of(call)) in chips))
        by_name = {"float32": ("float32", "float64"), "bfloat16": ("float32", "float64"), "float16": half}
        expected = by_name.get(of_list[0].name, ("int32", "int64"))
        fault = f"{name} is a scalar of {actual[0]}, but {tensors} is {of_list[0]}"
        return (
            None if actual[0].name in expected else f"{fault}; it must be {either(expected)}; create it with that dtype"
        )

    return (Check(f"{name} fits the dtype of {tensors}", test, InvalidDtype, about=(name, tensors)),)
