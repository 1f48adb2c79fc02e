"""Rules on the data types of tensors and typed scalars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

from ..base.definition import Definition
from ..base.dtypes import BY_NAME, BY_NUMBER, FLOATS, Dtype, can_convert, promote
from ..base.errors import InvalidDtype, KernelMissing, either
from ..base.loop import TensorMeta
from ..base.products import Product
from .check import Call, Check, Origin, When, of_each
from .results import result_dtype

INTEGERS = ("int", "uint")  # kinds of dtypes


@cache
def allowed_dtypes(definition: Definition, product: Product | None) -> tuple[str, ...]:
    """The dtypes that an operator's tensors may have: CANN's list for a product, or actgrad's list without one."""
    if product is None:
        wider = (*_floats(definition), *definition.dtypes, *definition.further_dtypes.split())
        return tuple(name for name in BY_NAME if name in wider)
    return definition.dtypes if definition.bfloat16_everywhere else _on(product, definition.dtypes)


def _floats(definition: Definition) -> tuple[str, ...]:
    """The floating dtypes in actgrad's list.

    The list lacks float64 if an output has a statistic in float32, because the formula reads this rounded statistic.
    """
    written = {
        definition.dtypes_of(name)[:1] for name in definition.schema.outputs if definition.access.is_statistic(name)
    }
    return tuple(name for name in FLOATS if name != "float64" or ("float32",) not in written)


def _unsupported(name: str, dtype: Dtype, allowed: tuple[str, ...], call: Call) -> str:
    """The message about a tensor whose dtype is not allowed."""
    return f"{name} is {dtype}; it must be {either(allowed)}{call.on_product}; convert {name}"


def _on(product: Product | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """`names` without the dtypes that the product's chips lack."""
    return names if product is None or product.bfloat16 else tuple(name for name in names if name != "bfloat16")


def supported(*names: str, dtypes: str = "", products: str = "", everywhere: bool = False) -> tuple[Check, ...]:
    """Each of these tensors has a dtype of the operator's list, or of the list `dtypes`.

    The product must have the dtype too, unless `everywhere`. Without a product, actgrad's list applies. An output whose
    numbers have fractions, such as sigmoid's for integers, must be floating-point. If `products` is not empty, other
    products have no dtypes.
    """
    listed, takers = tuple(dtypes.split()), tuple(products.split())

    def allowed_by(call: Call, name: str) -> tuple[str, ...]:
        if call.product is None:
            row = allowed_dtypes(call.definition, None)
            is_float = bool(call.definition.integer_result) and name in call.definition.schema.outputs
            return tuple(each for each in row if BY_NAME[each].kind not in ("bool", *INTEGERS)) if is_float else row
        if takers and call.product.name not in takers:
            return ()
        names = listed or call.definition.dtypes
        return names if everywhere or (call.definition.bfloat16_everywhere and not listed) else _on(call.product, names)

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        allowed = allowed_by(call, name)
        if meta.dtype.name in allowed:
            return None
        if not allowed:
            return f"{name} is {meta.dtype}; the operator takes no dtype{call.on_product}; choose another product"
        return _unsupported(name, meta.dtype, allowed, call)

    return of_each(names, "{name} has a supported dtype", test, InvalidDtype)


def has_dtype(name: str, dtype: str, or_dtype_of: str = "") -> tuple[Check, ...]:
    """A tensor has this dtype. Without a product, it may also have the dtype of the tensor `or_dtype_of`."""

    def test(call: Call) -> str | None:
        meta = call.tensors.get(name)
        other = call.tensors.get(or_dtype_of) if call.product is None else None
        if meta is None or meta.dtype.name == dtype or (other is not None and meta.dtype == other.dtype):
            return None
        return _unsupported(name, meta.dtype, (dtype,), call)

    return (Check(f"{name} is {dtype}", test, InvalidDtype, about=(name,)),)


def on_chip(*names: str) -> tuple[Check, ...]:
    """Check that the product has these tensors' dtypes, because the operator's list has the dtypes of all products."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        if _on(call.product, (meta.dtype.name,)):
            return None
        return f"{name} is {meta.dtype}; it must be a dtype that {call.product} has; convert {name}"

    return of_each(names, "the product has {name}'s dtype", test, InvalidDtype, When.PRODUCT)


def equal(*names: str, to: str, unless_empty: bool = False) -> tuple[Check, ...]:
    """Each of these tensors has the dtype of the tensor `to`. With `unless_empty`, `to` may be empty instead."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        other = call.tensors[to]
        if other is None or meta.dtype == other.dtype or (unless_empty and other.size == 0):
            return None
        return f"{name} is {meta.dtype}, but {to} is {other.dtype}; their dtypes must be equal; convert one of them"

    condition = f", unless {to} is empty" if unless_empty else ""
    return of_each(names, f"{{name}} has the dtype of {to}{condition}", test, InvalidDtype, about=(to,))


def promoted(*names: str) -> tuple[Check, ...]:
    """The dtypes of these tensors are promoted to a dtype of the operator's list."""

    def test(call: Call) -> str | None:
        dtypes = {name: meta.dtype for name in names if (meta := call.tensors.get(name)) is not None}
        first, *rest = dtypes.values()
        result: Dtype | None = first
        for dtype in rest:
            result = None if result is None else promote(result, dtype)
        allowed = allowed_dtypes(call.definition, call.product)
        if result is not None and result.name in allowed:
            return None
        promoted_to = "which have no common dtype" if result is None else f"which promote to {result}"
        expected = f"the common dtype must be {either(allowed)}{call.on_product}"
        tensors = ", ".join(f"{name} is {dtype}" for name, dtype in dtypes.items())
        return f"{tensors}, {promoted_to}; {expected}; convert them"

    return (Check(f"{' and '.join(names)} are promoted to a supported dtype", test, InvalidDtype, about=names),)


def real(*names: str, when: When = When.ALWAYS) -> tuple[Check, ...]:
    """Each of these scalars can be converted to float, because it is not complex."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            value = call.attributes[name]
            if not isinstance(value, complex):
                return None
            return f"{name} is complex ({value}); it must be a real number; pass its real part"

        return Check(f"{name} can be converted to float", test, InvalidDtype, when, about=(name,))

    return tuple(map(check, names))


def scalar_supported(name: str, dtypes: str, everywhere: bool = False) -> tuple[Check, ...]:
    """This typed scalar has one of these dtypes. A number in Python must only be real.

    The product must have the dtype too, unless `everywhere`.
    """
    names = tuple(dtypes.split())

    def test(call: Call) -> str | None:
        dtype, allowed = call.scalar_dtypes[name], names if everywhere else _on(call.product, names)
        if dtype.name in allowed:
            return None
        return (
            f"{name} is a scalar of {dtype}; it must be {either(allowed)}{call.on_product}; create it with that dtype"
        )

    typed = Check(f"{name} has a supported dtype ({', '.join(names)})", test, InvalidDtype, When.TYPED, about=(name,))
    return (typed, *real(name, when=When.UNTYPED))


def scalar_converts(name: str) -> tuple[Check, ...]:
    """This typed scalar can be converted to the result's dtype. A number in Python must be real.

    If the result has integers, a number in Python must be an integer.
    """

    def test(call: Call) -> str | None:
        dtype, result = call.scalar_dtypes[name], result_dtype(call)
        if can_convert(dtype, result):
            return None
        return f"{name} is a scalar of {dtype}; it must convert to the result's dtype, {result}; create it as {result}"

    def fraction(call: Call) -> str | None:
        value, result = call.attributes[name], result_dtype(call)
        if result.kind not in INTEGERS or not math.isfinite(value) or int(value) == value:
            return None
        return f"{name} is {value}, but the result is {result}; {name} must be an integer; round it, or pass floats"

    typed = Check(f"{name} can be converted to the result's dtype", test, InvalidDtype, When.TYPED, about=(name,))
    rule = f"{name} is an integer if the result is an integer"
    check = Check(rule, fraction, InvalidDtype, When.UNTYPED, Origin.ACTGRAD, (name,))
    return (typed, *real(name, when=When.UNTYPED), check)


def scalars_of_integers(definition: Definition) -> tuple[Check, ...]:
    """If an operator computes in integers, the integer dtype can represent each scalar.

    Other numbers are refused, because no rule says how to convert them. A typed scalar with an integer dtype may have
    any value, because CANN converts such a scalar as C does, modulo a power of two.
    """
    if not _has_integers(definition):
        return ()

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            value, result, typed = call.attributes[name], result_dtype(call), call.scalar_dtypes.get(name)
            is_exempt = typed is not None and typed.kind in ("bool", *INTEGERS)
            if is_exempt or not call.are_integers or result.kind not in INTEGERS:
                return None
            low, high = _range(result)
            fault = f"{_value_and_dtype(name, call)}; it must lie in [{low}, {high}]; use a floating dtype"
            return None if math.isfinite(value) and low <= int(value) <= high else fault

        rule = f"if the result is an integer, {name} is in the range of its dtype"
        return Check(rule, test, origin=Origin.ACTGRAD, about=(name,))

    return tuple(map(check, definition.schema.scalars))


def number_for_integers(*names: str) -> tuple[Check, ...]:
    """If the result has integers, these scalars are not NaN. The kernel computes with them in floats."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            is_number = call.attributes[name] == call.attributes[name]
            fault = f"{_value_and_dtype(name, call)}; it must be a number; use a floating dtype"
            return None if is_number or result_dtype(call).kind not in INTEGERS else fault

        return Check(f"{name} is not NaN if the result is an integer", test, origin=Origin.ACTGRAD, about=(name,))

    return tuple(map(check, names))


def _value_and_dtype(name: str, call: Call) -> str:
    return f"{name} is {call.attributes[name]}, but the result is {result_dtype(call)}"


def _has_integers(definition: Definition) -> bool:
    """Whether an operator has integer arithmetic. Its scalars are then converted to the integer dtype."""
    return definition.integer_formula is not None and not definition.integers_as_floats


def computes_integers(call: Call) -> bool:
    """Whether a call is computed in integer arithmetic."""
    return _has_integers(call.definition) and call.are_integers


def _range(dtype: Dtype) -> tuple[int, int]:
    """The smallest and the largest number of an integer dtype."""
    bits = 8 * dtype.itemsize
    return (0, (1 << bits) - 1) if dtype.kind == "uint" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def scalar_on_product(name: str) -> tuple[Check, ...]:
    """The product has the dtype of this typed scalar. Any dtype of the product is allowed."""

    def test(call: Call) -> str | None:
        dtype = call.scalar_dtypes[name]
        if _on(call.product, (dtype.name,)):
            return None
        return f"{name} is a scalar of {dtype}; it must be a dtype that {call.product} has; create it as float32"

    return (Check(f"the product has {name}'s dtype", test, InvalidDtype, When.TYPED, Origin.ACTGRAD, (name,)),)


def convertible(*names: str, source: str = "", origin: Origin = Origin.BOTH) -> tuple[Check, ...]:
    """The result, or the tensor `source`, can be converted to the dtype of each of these outputs."""
    target = source or "the result"

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        if not source and call.definition.dtypes_of(name):
            return _fault_of_output(call, name, meta)
        result = call.inputs[source].dtype if source else result_dtype(call)
        if can_convert(result, meta.dtype):
            return None
        fault = f"{name} is {meta.dtype}, but {target} is {result}"
        return f"{fault}; {target} must convert to {name}; pass a floating {name}"

    return of_each(names, f"{target} can be converted to {{name}}'s dtype", test, InvalidDtype, origin=origin)


def result_dtype_of(*names: str) -> tuple[Check, ...]:
    """Each of these outputs has the dtype of the result: the inputs' dtypes, promoted."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        if call.definition.dtypes_of(name):
            return _fault_of_output(call, name, meta)
        result = result_dtype(call)
        if meta.dtype == result:
            return None
        return (
            f"{name} is {meta.dtype}, but the result is {result}; their dtypes must be equal; pass {name} in {result}"
        )

    return of_each(names, "{name} has the dtype of the result", test, InvalidDtype)


def dtypes_as_written(names: Mapping[str, Sequence[str]]) -> tuple[Check, ...]:
    """Each of these tensors has the dtype of bits, or the dtype in which the forward operator writes it."""

    return tuple([
        check
        for name, dtypes in names.items()
        for check in of_each((name,), f"{name} is {either(dtypes)}", _fault_of_output, InvalidDtype)
    ])  # fmt: skip


def _fault_of_output(call: Call, name: str, meta: TensorMeta) -> str | None:
    """A message if the operator does not state this dtype for the tensor, otherwise None."""
    dtypes = call.definition.dtypes_of(name)
    return (
        None
        if meta.dtype.name in dtypes
        else f"{name} is {meta.dtype}; it must be {either(dtypes)}; pass such a {name}"
    )


def numbered(definition: Definition) -> tuple[Check, ...]:
    """A kernel of actgrad writes the dtype that `dtype_attribute` numbers (aclDataType).

    CANN has more of these dtypes. An empty output of the caller needs no kernel.
    """
    attribute, output = definition.dtype_attribute, definition.schema.outputs[0]
    if not attribute:
        return ()
    numbers = {BY_NAME[name].acl: BY_NAME[name].acl_name for name in definition.dtypes_of(output)}
    written = either([f"{number} ({name})" for number, name in numbers.items()])

    def test(call: Call) -> str | None:
        number, meta = call.attributes[attribute], call.outputs.get(output)
        if number in numbers or (meta is not None and meta.size == 0):
            return None
        name = f" ({BY_NUMBER[number].acl_name})" if number in BY_NUMBER else ""
        return f"{attribute} is {number}{name}; actgrad writes {written}; pass such a number"

    rule = f"a kernel writes the dtype that {attribute} numbers, unless {output} is empty"
    return (Check(rule, test, KernelMissing, origin=Origin.ACTGRAD, about=(attribute,)),)


def storable(*names: str) -> tuple[Check, ...]:
    """A kernel of actgrad can write the dtype of each of these outputs.

    CANN's rule on conversions allows more dtypes. A call with such a dtype fails because there is no kernel. A call
    without elements needs no kernel, and passes.
    """

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        is_stated = meta.dtype.name in call.definition.dtypes_of(name)
        if meta.size == 0 or meta.dtype.kind not in ("float8", "other") or is_stated:
            return None
        return f"{name} is {meta.dtype}; no kernel of this operator writes it; pass a floating or complex {name}"

    rule = "a kernel writes {name}'s dtype, unless it is empty"
    return of_each(names, rule, test, KernelMissing, origin=Origin.OPERATOR)
