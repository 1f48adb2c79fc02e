"""Rules on the data types of tensors and scalars."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ..base.definition import Definition
from ..base.dtypes import BY_NAME, BY_NUMBER, Dtype, can_convert, promote
from ..base.errors import InvalidDtype, KernelMissing, either
from ..base.loop import TensorMeta
from .check import Call, Check, of_each
from .results import result_dtype

INTEGERS = ("int", "uint")  # kinds of dtypes


def unsupported(name: str, dtype: Dtype, allowed: Sequence[str], call: Call) -> str:
    """The message about a tensor whose dtype is not allowed."""
    return f"{name} is {dtype}; it must be {either(allowed)}{call.place}; convert {name}"


def supported(*names: str) -> tuple[Check, ...]:
    """Each of these tensors has a dtype of the operator's list.

    An output whose numbers have fractions, such as sigmoid's for integers, must be floating-point.
    """

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        allowed = call.input_dtypes
        if call.definition.integers.dtype and name in call.definition.schema.outputs:
            allowed = tuple(each for each in allowed if BY_NAME[each].kind not in ("bool", *INTEGERS))
        return None if meta.dtype.name in allowed else unsupported(name, meta.dtype, allowed, call)

    return of_each(names, "{name} has a supported dtype", test, InvalidDtype)


def has_dtype(name: str, *dtypes: str, or_dtype_of: str = "") -> tuple[Check, ...]:
    """A tensor has one of these dtypes, or the dtype of the tensor `or_dtype_of`."""

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        other = call.tensors.get(or_dtype_of)
        if meta.dtype.name in dtypes or (other is not None and meta.dtype == other.dtype):
            return None
        return unsupported(name, meta.dtype, dtypes, call)

    return of_each((name,), f"{{name}} is {either(dtypes)}", test, InvalidDtype)


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
        allowed = call.input_dtypes
        if result is not None and result.name in allowed:
            return None
        promoted_to = "which have no common dtype" if result is None else f"which promote to {result}"
        expected = f"the common dtype must be {either(allowed)}{call.place}"
        tensors = ", ".join(f"{name} is {dtype}" for name, dtype in dtypes.items())
        return f"{tensors}, {promoted_to}; {expected}; convert them"

    return (Check(f"{' and '.join(names)} are promoted to a supported dtype", test, InvalidDtype, about=names),)


def real(*names: str) -> tuple[Check, ...]:
    """Each of these scalars can be converted to float, because it is not complex."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            value = call.attributes[name]
            if not isinstance(value, complex):
                return None
            return f"{name} is complex ({value}); it must be a real number; pass its real part"

        return Check(f"{name} can be converted to float", test, InvalidDtype, (name,))

    return tuple(map(check, names))


def integer_for_integers(*names: str) -> tuple[Check, ...]:
    """Each of these scalars is an integer if the result has integers. No rule says how to round it."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            value, result = call.attributes[name], result_dtype(call)
            if result.kind not in INTEGERS or not math.isfinite(value) or int(value) == value:
                return None
            return f"{name} is {value}, but the result is {result}; {name} must be an integer; round it, or pass floats"

        return Check(f"{name} is an integer if the result is an integer", test, InvalidDtype, (name,))

    return tuple(map(check, names))


def scalars_of_integers(
    definition: Definition, is_exempt: Callable[[Call, str], bool] = lambda call, name: False
) -> tuple[Check, ...]:
    """If an operator computes in integers, the integer dtype can represent each scalar.

    Other numbers are refused, because no rule says how to convert them. `is_exempt` says which scalars of a call may
    have any value.
    """
    if not _has_integers(definition):
        return ()

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            value, result = call.attributes[name], result_dtype(call)
            if is_exempt(call, name) or not call.are_integers or result.kind not in INTEGERS:
                return None
            low, high = _range(result)
            fault = f"{_value_and_dtype(name, call)}; it must lie in [{low}, {high}]; use a floating dtype"
            return None if math.isfinite(value) and low <= int(value) <= high else fault

        return Check(f"if the result is an integer, {name} is in the range of its dtype", test, about=(name,))

    return tuple(map(check, definition.schema.scalars))


def number_for_integers(*names: str) -> tuple[Check, ...]:
    """If the result has integers, these scalars are not NaN. The kernel computes with them in floats."""

    def check(name: str) -> Check:
        def test(call: Call) -> str | None:
            is_number = call.attributes[name] == call.attributes[name]
            fault = f"{_value_and_dtype(name, call)}; it must be a number; use a floating dtype"
            return None if is_number or result_dtype(call).kind not in INTEGERS else fault

        return Check(f"{name} is not NaN if the result is an integer", test, about=(name,))

    return tuple(map(check, names))


def _value_and_dtype(name: str, call: Call) -> str:
    return f"{name} is {call.attributes[name]}, but the result is {result_dtype(call)}"


def _has_integers(definition: Definition) -> bool:
    """Whether an operator has integer arithmetic. Its scalars are then converted to the integer dtype."""
    return definition.integers.formula is not None and not definition.integers.in_floats


def computes_integers(call: Call) -> bool:
    """Whether a call is computed in integer arithmetic."""
    return _has_integers(call.definition) and call.are_integers


def _range(dtype: Dtype) -> tuple[int, int]:
    """The smallest and the largest number of an integer dtype."""
    bits = 8 * dtype.itemsize
    return (0, (1 << bits) - 1) if dtype.kind == "uint" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def convertible(*names: str, source: str = "") -> tuple[Check, ...]:
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

    return of_each(names, f"{target} can be converted to {{name}}'s dtype", test, InvalidDtype)


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
        else f"{name} is {meta.dtype}; it must be {either(dtypes)}; pass {name} in such a dtype"
    )


def numbered(definition: Definition) -> tuple[Check, ...]:
    """A kernel of actgrad writes the dtype that the attribute of `dtypes` numbers (aclDataType).

    Other software has more of these dtypes. An empty output of the caller needs no kernel.
    """
    attribute, output = definition.dtypes.attribute, definition.schema.outputs[0]
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
    return (Check(rule, test, KernelMissing, (attribute,)),)


def storable(*names: str) -> tuple[Check, ...]:
    """A kernel of actgrad can write the dtype of each of these outputs.

    The rule on conversions allows more dtypes. A call without elements needs no kernel, and passes.
    """

    def test(call: Call, name: str, meta: TensorMeta) -> str | None:
        is_stated = meta.dtype.name in call.definition.dtypes_of(name)
        if meta.size == 0 or meta.dtype.kind not in ("float8", "other") or is_stated:
            return None
        return f"{name} is {meta.dtype}; no kernel of this operator writes it; pass a floating or complex {name}"

    rule = "a kernel writes {name}'s dtype, unless it is empty"
    return of_each(names, rule, test, KernelMissing)
