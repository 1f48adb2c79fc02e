"""One call of a glue function: phase one checks its arguments, phase two computes on the program's memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...aclnn.objects import AclScalar, AclTensor
from ...arrays import View
from ...base.errors import InvalidArgument, NullArgument
from .elementary import TABLE, Quantity
from .promotion import Dtype


class Work:
    """A checked call. Phase two may run it several times."""

    def __init__(self, name: str, parameters: Sequence[str], given: Sequence[Any]):
        self.name, self.glue = name, TABLE[name]
        self.given = dict(zip(parameters, given, strict=True))
        for parameter, value in self.given.items():
            self._check(parameter, value)
        self._check_shapes()

    def _check(self, parameter: str, value: Any) -> None:
        if value is None:
            raise NullArgument(f"{self.name}: {parameter} is a null pointer; it is required")
        if isinstance(value, AclTensor):
            if value.view is None:
                raise InvalidArgument(f"{self.name}: {parameter} was destroyed")
            if value.fault:
                raise InvalidArgument(f"{self.name}: {parameter} {value.fault}")
            if value.dtype.kind == "other" or value.dtype.name == "complex32":
                raise InvalidArgument(f"{self.name}: {parameter} has dtype {value.dtype.acl_name}, which is not here")
        elif isinstance(value, AclScalar) and value.is_destroyed:
            raise InvalidArgument(f"{self.name}: {parameter} was destroyed")

    def _check_shapes(self) -> None:
        shapes = {name: each.view_dims for name, each in self.given.items() if isinstance(each, AclTensor)}
        wanted = self._wanted(shapes)
        if (found := shapes[self.glue.result]) != wanted:
            raise InvalidArgument(f"{self.name}: {self.glue.result} has shape {found}; it must have {wanted}")

    def _wanted(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """The shape that the result must have."""
        first = next(iter(self.given))  # a function in place reads its first parameter and writes it
        inputs = [shape for name, shape in shapes.items() if name != self.glue.result or name == first]
        if self.glue.meets == "reduce":
            return self._reduced(inputs[0])
        try:
            return np.broadcast_shapes(*inputs)
        except ValueError:
            raise InvalidArgument(f"{self.name}: shapes {inputs} do not broadcast together") from None

    def _reduced(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        _, dims, keep, *_ = self.given.values()
        rank = len(shape)
        if any(not -max(rank, 1) <= d < max(rank, 1) for d in dims):
            raise InvalidArgument(f"{self.name}: dims is {tuple(dims)}; self has {rank} dimensions")
        gone = {d % rank for d in dims if rank} or set(range(rank))
        if keep:
            return tuple(1 if k in gone else n for k, n in enumerate(shape))
        return tuple(n for k, n in enumerate(shape) if k not in gone)

    def run(self, distance: int) -> None:
        """Compute, on memory that this process touches at `distance` from its device address."""
        values = [_value(value, distance) for value in self.given.values()]
        with np.errstate(all="ignore"):
            self.glue.compute(*values)


def _value(value: Any, distance: int) -> Any:
    if isinstance(value, AclTensor):
        assert value.view is not None
        return _array(value.view, value.dtype.numpy, distance)
    return Quantity(value.value, value.dtype.numpy) if isinstance(value, AclScalar) else value


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


def _array(view: View, dtype: Dtype, distance: int) -> np.ndarray[Any, Any]:
    if 0 in view.meta.shape:
        return np.empty(view.meta.shape, dtype)
    return np.asarray(_DeviceMemory(view, distance)).view(dtype)
