"""The exact values of a call, in double precision by the CPU backend and verified by NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import backends
from ..backends.kernel import Kernel
from ..backends.reference import ReferenceKernel
from ..base.access import split
from ..base.computation import Computation
from ..base.dtypes import BY_NAME
from ..base.loop import Loop, Operand
from ..calls.operator import Operator
from . import oracle
from .elements import Array, planned
from .error_bounds import FUNCTIONS, Sized

_DOUBLE = BY_NAME["float64"]
AGREES = 2.0**-40  # share of the larger term: far below one ULP of float32, far above the rounding of double
NOTHING = 1e-300  # far below the smallest number of any dtype that is computed in float32


class Golden:
    """The exact results of a computation, for lanes of elements.

    The CPU backend computes a float32 computation in float64, about a hundred times as fast as NumPy. `verify`
    compares both on a sample. Other computations take the reference's precision: longdouble, or the integers' own.
    """

    def __init__(self, computation: Computation):
        self.computation = computation
        self.precision = ReferenceKernel(computation).precision
        self.is_compiled = computation.compute == "float32" and computation.statistics is None
        self._kernels: dict[int, Kernel] = {}

    @property
    def source(self) -> str:
        """The source of the exact values, in words."""
        if self.is_compiled:
            return "the formula compiled for float64, held against NumPy on a sample"
        return f"the formula in NumPy's {np.dtype(self.precision).name}"

    def values(self, lanes: Sequence[Array]) -> list[Array]:
        """The exact results for inputs given as 1-D arrays."""
        if not self.is_compiled:
            return [e.values for e in self.expected(lanes, lanes[0].dtype)]
        with np.errstate(invalid="ignore"):  # signalling NaNs
            inputs = [np.ascontiguousarray(lane, np.float64) for lane in lanes]
        size = len(inputs[0])
        outputs = [np.empty(size) for _ in self.computation.loop.outputs]
        if size:
            addresses = [array.__array_interface__["data"][0] for array in (*outputs, *inputs)]
            self._kernel(size).run(*addresses)
        return list(outputs)

    def expected(
        self, lanes: Sequence[Any], dtype: Any, functions: Mapping[str, Any] = FUNCTIONS
    ) -> list[oracle.Expected]:
        """The same by NumPy, with the sizes of the terms, for outputs of this dtype: slow, for a few elements.

        `functions` are as in oracle.evaluate.
        """
        with np.errstate(all="ignore"):
            numbers = [
                value if isinstance(value, Sized) else np.asarray(value).astype(self.precision)
                for value in (*lanes, *self.computation.scalars)
            ]
        expectations = []
        for result in oracle.evaluate(self.computation, numbers, functions):  # it may be one number for all elements
            parts = result.value, result.size, result.slip
            value, size, slip = (np.broadcast_to(part, lanes[0].shape) for part in parts)
            expectations.append(oracle.Expected(value, size, slip, np.dtype(dtype), self.computation.compute))
        return expectations

    def verify(self, lanes: Sequence[Array]) -> None:
        """Compare the compiled formula with NumPy on a few elements. NumPy takes over where they differ."""
        if not self.is_compiled:
            return
        for got, exact in zip(self.values(lanes), self.expected(lanes, np.float64), strict=True):
            with np.errstate(all="ignore"):
                near = np.abs(got - exact.values) <= AGREES * np.maximum(exact.size, exact.slip) + NOTHING
            if not (near | (got == exact.values) | (np.isnan(got) & np.isnan(exact.values))).all():
                self.is_compiled = False

    def _kernel(self, size: int) -> Kernel:
        kernel = self._kernels.get(size)
        if kernel is None:
            c = self.computation
            count = len(c.loop.outputs)
            operands = [Operand(k, _DOUBLE, 0, (8,)) for k in range(count + len(c.loop.inputs))]
            space = Loop((size,), tuple(operands[:count]), tuple(operands[count:]))
            kernel = backends.load("cpu").prepare(Computation(c.element, c.formulas, c.scalars, "float64", space))
            self._kernels[size] = kernel
        return kernel


def expected(
    operator: Operator, inputs: tuple[Any, ...], attributes: dict[str, Any], out_dtype: npt.DTypeLike | None = None
) -> tuple[oracle.Expected, ...]:
    """The outputs of a call on NumPy arrays, as exact as the reference is. Attributes are rounded as in any call."""
    call = planned(operator, attributes, inputs, out_dtype)
    golden, outputs = Golden(call.computation), oracle.as_tuple(call.out)
    results = iter(golden.expected([lane.take(slice(0, call.size)) for lane in call.inputs], outputs[0].dtype))
    expectations = []
    for name, output in zip(operator.schema.outputs, outputs, strict=True):
        value, size, slip = (np.zeros(output.shape, golden.precision) for _ in range(3))
        views = (split(operator.access, name, array, call.attributes, len(call.shape)) for array in (value, size, slip))
        for targets in zip(*views, strict=True) if call.size else ():  # a sum of nothing is 0
            result = next(results)
            for target, lane in zip(targets, (result.values, result.size, result.slip), strict=True):
                # All elements of a row have the same number, the number of the row.
                sizes = (*[1] * (len(call.shape) - target.ndim), *target.shape)
                target[...] = lane.reshape(call.shape)[tuple(map(slice, sizes))].reshape(target.shape)
        expectations.append(oracle.Expected(value, size, slip, output.dtype, call.computation.compute))
    return tuple(expectations)


def exact(operator: Operator, inputs: tuple[Any, ...], attributes: dict[str, Any]) -> tuple[Array, ...]:
    """The outputs of a call on NumPy arrays, not rounded to their dtype: float64, or longdouble for float64."""
    return tuple(e.values for e in expected(operator, inputs, attributes))
