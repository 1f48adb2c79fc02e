"""One call of a glue function: phase one checks its arguments, phase two computes on the program's memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...aclnn.objects import AclScalar, AclTensor
from ...aclnn.signatures import CParameter
from ...arrays import View
from ...base.errors import InvalidArgument, NullArgument
from .promotion import FLOAT32, Dtype, category, promoted, with_scalar, working
from .rules import FLOATING, OWN, RESULT, RULES

_LEFT_OUT = ("clipValueMin", "clipValueMax")  # parameters that may be null pointers


def check(name: str, parameter: str, value: Any, may_be_null: bool) -> None:
    """Raise where an argument has no memory, no dtype to compute with, or is missing."""
    if value is None and not may_be_null:
        raise NullArgument(f"{name}: {parameter} is a null pointer; it is required")
    if isinstance(value, AclTensor):
        if value.view is None:
            raise InvalidArgument(f"{name}: {parameter} was destroyed")
        if value.fault:
            raise InvalidArgument(f"{name}: {parameter} {value.fault}")
        if value.dtype.kind == "other" or value.dtype.name == "complex32":
            raise InvalidArgument(f"{name}: {parameter} has dtype {value.dtype.acl_name}, which is not here")
    elif isinstance(value, AclScalar) and value.is_destroyed:
        raise InvalidArgument(f"{name}: {parameter} was destroyed")


class Work:
    """A checked call. Phase two may run it several times."""

    def __init__(self, name: str, rule: str, parameters: Sequence[CParameter], given: Sequence[Any]):
        self.name, self.rule = name, RULES[rule]
        for parameter, value in zip(parameters, given, strict=True):
            for each in value if isinstance(value, tuple) else (value,):
                check(name, parameter.name, each, parameter.name in _LEFT_OUT)
        self._result = next(k for k, parameter in enumerate(parameters) if parameter.is_output)
        self._calls = [tuple(given)]
        if parameters[self._result].type == "tensors":
            self._calls = self._one_by_one(given)
        for call in self._calls:
            self._check_shape(parameters[self._result].name, call)

    def _one_by_one(self, given: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The calls of one tensor each that a call of lists is."""
        count = len(given[self._result])
        lists = [value if isinstance(value, tuple) else (value,) * count for value in given]
        if any(len(each) != count for each in lists):
            raise InvalidArgument(f"{self.name}: its lists have {', '.join(str(len(each)) for each in lists)} entries")
        return list(zip(*lists, strict=True))

    def _inputs(self, call: tuple[Any, ...]) -> list[Any]:
        """A function in place reads its result, which comes first."""
        return [value for k, value in enumerate(call) if k != self._result or k == 0]

    def _check_shape(self, result: str, call: tuple[Any, ...]) -> None:
        shapes = [_each(lambda each: getattr(each, "view_dims", each), value) for value in self._inputs(call)]
        tensors = [value.view_dims for value in self._inputs(call) if isinstance(value, AclTensor)]
        try:
            wanted = self.rule.shape(*shapes) if self.rule.shape else np.broadcast_shapes(*tensors)
        except ValueError as error:
            reason = error if self.rule.shape else f"shapes {tensors} do not broadcast together"
            raise InvalidArgument(f"{self.name}: {reason}") from None
        if (found := call[self._result].view_dims) != wanted:
            raise InvalidArgument(f"{self.name}: {result} has shape {found}; it must have {wanted}")

    def run(self, distance: int) -> None:
        """Compute, on memory that this process touches at `distance` from its device address."""
        with np.errstate(all="ignore"):
            for call in self._calls:
                self._compute(call, distance)

    def _compute(self, call: tuple[Any, ...], distance: int) -> None:
        result = array_of(call[self._result], distance)
        dtype = self._dtype(call, result.dtype)
        given = [_each(lambda each: _converted(each, dtype, distance), value) for value in self._inputs(call)]
        values = np.asarray(self.rule.compute(*given))
        _copy(result, values if dtype is None else values.astype(dtype))

    def _dtype(self, call: tuple[Any, ...], result: Dtype) -> Dtype | None:
        """The dtype of the values; None: each array keeps its own."""
        if self.rule.dtype == OWN:
            return None
        if self.rule.dtype == RESULT:
            return result if category(result) >= 2 else np.dtype(np.int64)
        inputs = self._inputs(call)
        dtype = promoted(*[each.dtype.numpy for each in inputs if isinstance(each, AclTensor)] or [FLOAT32])
        for each in inputs:
            if isinstance(each, AclScalar):
                dtype = with_scalar(dtype, each.dtype.numpy)
        return FLOAT32 if self.rule.dtype == FLOATING and category(dtype) < 2 else dtype


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    """An argument, with `function` of its tensors and numbers."""
    if isinstance(value, tuple):
        return tuple(_each(function, each) for each in value)
    return function(value) if isinstance(value, (AclTensor, AclScalar)) else value


def _converted(value: AclTensor | AclScalar, dtype: Dtype | None, distance: int) -> Any:
    given = array_of(value, distance) if isinstance(value, AclTensor) else np.asarray(value.value)
    return given if dtype is None else given.astype(working(dtype))


def _copy(to: np.ndarray[Any, Any], source: np.ndarray[Any, Any]) -> None:
    if source.dtype.kind == "c" and to.dtype.kind != "c":
        source = source.real
    to[...] = source != 0 if to.dtype == np.bool_ else source


class _DeviceMemory:
    """Memory for NumPy, by its array interface."""

    def __init__(self, view: View, distance: int):
        meta = view.meta
        self.__array_interface__ = {
            "data": (view.address + distance, False),
            "shape": meta.shape,
            "strides": meta.strides,
            "typestr": f"|V{meta.dtype.itemsize}",
            "version": 3,
        }


def array_of(tensor: AclTensor, distance: int) -> np.ndarray[Any, Any]:
    """A tensor's elements, where this process touches them."""
    assert tensor.view is not None
    if 0 in tensor.view.meta.shape:
        return np.empty(tensor.view.meta.shape, tensor.dtype.numpy)
    return np.asarray(_DeviceMemory(tensor.view, distance)).view(tensor.dtype.numpy)
