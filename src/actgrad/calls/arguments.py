"""The arguments of a call: `arrange` and `views` turn a caller's arguments into views and plain values."""

from __future__ import annotations

import numbers
import operator as python_operator
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from .. import arrays, checks
from ..arrays import ArrayView
from ..base.definition import Definition
from ..base.dtypes import EXACT
from ..base.errors import InvalidArgument, InvalidCall, did_you_mean, either, kind_of, quantity, quote
from ..base.schema import Argument
from ..checks import law

Inputs = Sequence["ArrayView | None"]  # in the order of the schema. None for an optional tensor that was left out
Outputs = Sequence["ArrayView | None"]  # empty if the call allocates all outputs


def arrange(
    definition: Definition, tensors: tuple[Any, ...], attributes: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The tensors of a call in the schema's order, or None for a tensor that is left out, and all attributes."""
    names = definition.schema.tensor_names
    values = definition.defaults
    if attributes:
        tensors, attributes = _split_by_name(definition, tensors, attributes)
        pairs = _with_arguments(definition, attributes)
        values = {**values, **attributes}
    elif len(tensors) > len(names):
        _refuse_surplus(definition, len(tensors))
    missing = len(names) - len(tensors)
    if missing:
        tensors = (*tensors, *(None,) * missing)
    # Errors about null and product come before all other errors, also before errors about wrong types.
    if law.is_any_in_force() or any(t is None for t in tensors) or any(v is None for v in values.values()):
        tensors_by_name = dict(zip(names, tensors, strict=True))
        checks.run(checks.Call(definition, tensors_by_name, values, law.current()), early=True)
    if attributes:
        values = {**values, **{name: attribute(definition, *item) for name, item in pairs}}
    return tensors, values


def views(definition: Definition, tensors: tuple[Any, ...], out: tuple[Any, ...]) -> tuple[Inputs, Outputs]:
    """The views of a call's tensors and outputs. `out` is empty if the call allocates all outputs."""
    inputs = _views(definition, tensors, definition.schema.tensor_names)
    outputs = _views(definition, out, definition.schema.outputs)
    for view in outputs:
        if view is not None and view.kind == "torch":
            arrays.refuse_locked(definition.name, view.source)
    return inputs, outputs


def _views(definition: Definition, tensors: tuple[Any, ...], names: tuple[str, ...]) -> list[ArrayView | None]:
    pairs = zip(tensors, names, strict=False)
    return [None if obj is None else arrays.view(obj, definition.name, name) for obj, name in pairs]


def attribute(definition: Definition, argument: Argument, value: Any) -> Any:
    """An attribute's value in its standard form: a float, int, bool, complex number or name of a choice."""
    name, kind = argument.name, argument.type
    if value is None or (kind == "Scalar" and type(value) is float):
        return value
    if definition.choices and name == definition.switch:
        if isinstance(value, (str, bool, np.bool_)):
            return value
        number = _integer(definition, name, value)
        return definition.choices[number] if 0 <= number < len(definition.choices) else number
    if kind == "int":
        return _integer(definition, name, value)
    if kind == "bool":
        return flag(definition.name, name, value)
    try:
        if isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real):
            return complex(value)
        if isinstance(value, (numbers.Real, np.bool_)) or type(value).__name__ == "bfloat16":
            return _float(value)
    except Exception as error:  # a number of another library may raise any exception
        cause = quote(f"{type(error).__name__}: {error}")
        expected = f"it must be a number, but float() raises {cause}"
        raise InvalidCall(f"{definition.name}: {name} is {quote(value)}; {expected}; pass a float") from error
    cure = "pass .item()" if hasattr(type(value), "item") else "pass a float"
    raise InvalidCall(f"{definition.name}: {name} is {kind_of(value)}; it must be a number; {cure}")


def flag(function: str, name: str, value: Any) -> bool:
    """The value of a flag as a bool. A caller may pass True, False, 1 or 0, of Python or NumPy."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value in (0, 1)):
        return bool(value)
    raise InvalidCall(f"{function}: {name} is {quote(value)}; it must be True or False; pass one of these")


def check_libraries(definition: Definition, inputs: Inputs, outputs: Outputs) -> None:
    """Raise an error for tensors of several libraries."""
    first = inputs[0]
    assert first is not None, "the first tensor is never optional"
    for view in (*inputs, *outputs):
        if view is not None and view.kind != first.kind:
            refuse_mixture(definition, inputs, outputs)


def refuse_mixture(definition: Definition, inputs: Inputs, outputs: Outputs) -> NoReturn:
    """Raise the error for tensors of several libraries or devices."""
    pairs = zip((*definition.schema.tensor_names, *definition.schema.outputs), (*inputs, *outputs), strict=False)
    (first_name, first), *rest = [(name, view) for name, view in pairs if view is not None]
    for name, view in rest:
        if view.kind != first.kind:
            kinds = f"{name} is {kind_of(view.source)}, but {first_name} is {kind_of(first.source)}"
            raise InvalidCall(f"{definition.name}: {kinds}; all must be of one library; convert one of them")
        if view.device != first.device:
            fault = f"{name} is on {view.device}, but {first_name} is on {first.device}"
            raise InvalidArgument(f"{definition.name}: {fault}; all must be on one device; move one of them")
    raise AssertionError("all tensors have the same library and device")


def _split_by_name(
    definition: Definition, tensors: tuple[Any, ...], arguments: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The tensors, which a caller passed by position or by name, and the attributes."""
    names = definition.schema.tensor_names
    if len(tensors) > len(names):
        _refuse_surplus(definition, len(tensors))
    by_name = [name for name in arguments if name in names]
    if not by_name:
        return tensors, arguments
    for name in by_name:
        if name in names[: len(tensors)]:
            raise InvalidCall(
                f"{definition.name}: {name} is given twice, by position and by name; it must be given once; leave "
                "one out"
            )
    rest = tuple(arguments.get(name) for name in names[len(tensors) :])
    return (*tensors, *rest), {name: value for name, value in arguments.items() if name not in names}


def _with_arguments(definition: Definition, attributes: dict[str, Any]) -> list[tuple[str, tuple[Argument, Any]]]:
    """Each attribute: its name, its argument in the schema, and its value. Raises for an unknown name."""
    declared = definition.schema.attributes_by_name
    for name in attributes:
        if name not in declared:
            names = [*definition.schema.tensor_names, *declared]
            cure = did_you_mean(name, names, f"leave {name} out")
            raise InvalidCall(f"{definition.name}: {name} is unknown; the arguments are {', '.join(names)}; {cure}")
    return [(name, (declared[name], value)) for name, value in attributes.items()]


def outputs(definition: Definition, out: Any) -> tuple[Any, ...]:
    """The outputs that a caller passes. None for an output that the call allocates."""
    names = definition.schema.outputs
    if len(names) == 1:
        return (out,)
    if not isinstance(out, (tuple, list)) or len(out) != len(names):
        got = kind_of(out) + (f" of {len(out)}" if isinstance(out, (tuple, list)) else "")
        expected = f"it must be a tuple of {len(names)}: {', '.join(names)}"
        raise InvalidCall(f"{definition.name}: out is {got}; {expected}; pass None for an output to allocate")
    return tuple(out)


def _float(value: Any) -> float:
    """The nearest float. A large integer stays an int, because a float may not represent it exactly."""
    if isinstance(value, numbers.Integral) and EXACT < abs(int(value)) < 1 << 63:
        return int(value)
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _integer(definition: Definition, name: str, value: Any) -> int:
    if type(value) is not int:
        if isinstance(value, (bool, np.bool_)) or not hasattr(type(value), "__index__"):
            raise _no_integer(definition, name, quote(value))
        try:
            value = python_operator.index(value)
        except Exception as error:  # __index__ of an object, for example of an array, may raise any exception
            raise _no_integer(definition, name, kind_of(value)) from error
    if not -(1 << 63) <= value < 1 << 63:
        expected = "it must be an integer of 64 bits, signed"
        raise InvalidArgument(f"{definition.name}: {name} is {quote(value)}; {expected}; pass a smaller one")
    return int(value)


def _no_integer(definition: Definition, name: str, value: str) -> InvalidCall:
    choices = list(map(repr, definition.choices)) if name == definition.switch else []
    expected, cure = either(["an integer", *choices]), either(choices or ["an int"])
    return InvalidCall(f"{definition.name}: {name} is {value}; it must be {expected}; pass {cure}")


def _refuse_surplus(definition: Definition, count: int) -> NoReturn:
    names = definition.schema.tensor_names
    expected = f"it takes {quantity(len(names), 'tensor')} by position: {', '.join(names)}"
    attributes = list(definition.defaults)
    cure = f"pass {', '.join(attributes)} by name" if attributes else "leave the others out"
    raise InvalidCall(f"{definition.name}: got {quantity(count, 'argument')} by position; {expected}; {cure}")
