"""CANN's rules on data types: lists of chips, and typed scalars of the C interface."""

from __future__ import annotations

from ...base.dtypes import can_convert
from ...base.errors import InvalidDtype, either
from ...base.loop import TensorMeta
from ...checks import dtype_rules
from ...checks.check import Call
from ...checks.dtype_rules import INTEGERS, integer_for_integers, real, unsupported
from ...checks.results import result_dtype
from ..products import Product
from .rule import Origin, Rule, When, limited, on_each, product_of, rule_from, scalar_dtypes


def on_product(product: Product | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """`names` without the dtypes that the product's chips lack."""
    return names if product is None or product.bfloat16 else tuple(name for name in names if name != "bfloat16")


def supported(*names: str, dtypes: str = "", products: str = "", everywhere: bool = False) -> tuple[Rule, ...]:
    """Each of these tensors has a dtype of the law's list, or of the list `dtypes`.

    The product must have the dtype too, unless `everywhere`. Without a product, the operator's own list applies. If
    `products` is not empty, other products have no dtypes.
    """
    listed, takers = tuple(dtypes.split()), tuple(products.split())
    own = dict(zip(names, dtype_rules.supported(*names), strict=True))

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        product = product_of(call)
        if product is None:
            return own[name].test(call)
        if takers and product.name not in takers:
            return f"{name} is {meta.dtype}; the operator takes no dtype{call.place}; choose another product"
        if not listed and not everywhere:
            allowed = call.input_dtypes
        else:
            allowed = listed or call.law.record(call.definition).dtype_names
            allowed = allowed if everywhere else on_product(product, allowed)
        return None if meta.dtype.name in allowed else unsupported(name, meta.dtype, allowed, call)

    return on_each(names, "{name} has a supported dtype", test, InvalidDtype)


def has_dtype(name: str, dtype: str, or_dtype_of: str = "") -> tuple[Rule, ...]:
    """A tensor has this dtype. Without a product, it may also have the dtype of the tensor `or_dtype_of`."""
    (own,) = dtype_rules.has_dtype(name, dtype, or_dtype_of=or_dtype_of)
    (strict,) = dtype_rules.has_dtype(name, dtype)

    def test(call: Call) -> str | None:
        return (own if product_of(call) is None else strict).test(call)

    return (rule_from(own, test=test),)


def on_chip(*names: str) -> tuple[Rule, ...]:
    """Check that the product has these tensors' dtypes, because the operator's list has the dtypes of all products."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        if on_product(product_of(call), (meta.dtype.name,)):
            return None
        return f"{name} is {meta.dtype}; it must be a dtype that {product_of(call)} has; convert {name}"

    return on_each(names, "the product has {name}'s dtype", test, InvalidDtype, When.PRODUCT)


def scalar_supported(name: str, dtypes: str, everywhere: bool = False) -> tuple[Rule, ...]:
    """This typed scalar has one of these dtypes. A number in Python must only be real.

    The product must have the dtype too, unless `everywhere`.
    """
    names = tuple(dtypes.split())

    def test(call: Call) -> str | None:
        dtype = scalar_dtypes(call)[name]
        allowed = names if everywhere else on_product(product_of(call), names)
        if dtype.name in allowed:
            return None
        return f"{name} is a scalar of {dtype}; it must be {either(allowed)}{call.place}; create it with that dtype"

    rule = f"{name} has a supported dtype ({', '.join(names)})"
    typed = Rule(rule, test, InvalidDtype, (name,), When.TYPED)
    return (typed, *limited(real(name), when=When.UNTYPED))


def scalar_converts(name: str) -> tuple[Rule, ...]:
    """This typed scalar can be converted to the result's dtype. A number in Python must be real.

    If the result has integers, a number in Python must be an integer.
    """

    def test(call: Call) -> str | None:
        dtype, result = scalar_dtypes(call)[name], result_dtype(call)
        if can_convert(dtype, result):
            return None
        return f"{name} is a scalar of {dtype}; it must convert to the result's dtype, {result}; create it as {result}"

    typed = Rule(f"{name} can be converted to the result's dtype", test, InvalidDtype, (name,), When.TYPED)
    of_integers = limited(integer_for_integers(name), when=When.UNTYPED, origin=Origin.ACTGRAD)
    return (typed, *limited(real(name), when=When.UNTYPED), *of_integers)


def scalar_on_product(name: str) -> tuple[Rule, ...]:
    """The product has the dtype of this typed scalar. Any dtype of the product is allowed."""

    def test(call: Call) -> str | None:
        dtype = scalar_dtypes(call)[name]
        if on_product(product_of(call), (dtype.name,)):
            return None
        return f"{name} is a scalar of {dtype}; it must be a dtype that {product_of(call)} has; create it as float32"

    return (Rule(f"the product has {name}'s dtype", test, InvalidDtype, (name,), When.TYPED, Origin.ACTGRAD),)


def has_integer_type(call: Call, name: str) -> bool:
    """Whether a scalar of a C call has an integer dtype. CANN converts such a scalar as C does, modulo a power of 2."""
    typed = scalar_dtypes(call).get(name)
    return typed is not None and typed.kind in ("bool", *INTEGERS)
