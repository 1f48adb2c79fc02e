"""The exact values of a call. The CPU backend computes them in float64, and NumPy verifies a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import backends
from ..backends.kernel import BackendKernel
from ..backends.reference import ReferenceKernel
from ..base.access import split
from ..base.computation import Computation
from ..base.dtypes import BY_NAME
from ..base.loop import Loop, Operand
from ..calls.operator import Operator
from . import oracle
from .elements import Array, new_elements
from .error_bounds import FUNCTIONS, Sized

_DOUBLE = BY_NAME["float64"]
RTOL = 2.0**-40  # relative to the larger term: far below one ULP of float32, far above the rounding error of float64
ATOL = 1e-300  # far below the smallest number of any dtype that is computed in float32


class Golden:
    """The exact results of a computation, for lanes of elements.

    The CPU backend computes a float32 computation in float64, about 100 times as fast as NumPy. `verify` compares both
    on a sample. NumPy computes other computations in the precision of the reference: longdouble or integers.
    """

    def __init__(self, computation: Computation):
        self.computation = computation
        self.precision = ReferenceKernel(computation).precision
        self.is_compiled = computation.compute == "float32" and computation.statistics is None
        self._kernels: dict[int, BackendKernel] = {}

    @property
    def source(self) -> str:
        """A phrase that says how the exact values are computed."""
        if self.is_compiled:
            return "the formula compiled for float64, compared with NumPy on a sample"
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
        """The exact results with error bounds, for outputs of this dtype. NumPy computes them, which is slow.

        `functions` are as in oracle.evaluate.
        """
        with np.errstate(all="ignore"):
            numbers = [
                value if isinstance(value, Sized) else np.asarray(value).astype(self.precision)
                for value in (*lanes, *self.computation.scalars)
            ]
        expectations = []
        for result in oracle.evaluate(self.computation, numbers, functions):  # a result may have one number for all
            parts = result.value, result.size, result.argument_error
            value, size, argument_error = (np.broadcast_to(part, lanes[0].shape) for part in parts)
            expectations.append(oracle.Expected(value, size, argument_error, np.dtype(dtype), self.computation.compute))
        return expectations

    def verify(self, lanes: Sequence[Array]) -> None:
        """Compare the compiled formula with NumPy on a few elements. If they differ, use NumPy from now on."""
        if not self.is_compiled:
            return
        for got, exact in zip(self.values(lanes), self.expected(lanes, np.float64), strict=True):
            with np.errstate(all="ignore"):
                near = np.abs(got - exact.values) <= RTOL * np.maximum(exact.size, exact.argument_error) + ATOL
            if not (near | (got == exact.values) | (np.isnan(got) & np.isnan(exact.values))).all():
                self.is_compiled = False

    def _kernel(self, size: int) -> BackendKernel:
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
    """The exact outputs of a call on NumPy arrays, with error bounds. Attributes are rounded as in any call."""
    call = new_elements(operator, attributes, inputs, out_dtype)
    golden, outputs = Golden(call.computation), oracle.as_tuple(call.out)
    results = iter(golden.expected([lane.take(slice(0, call.size)) for lane in call.inputs], outputs[0].dtype))
    expectations = []
    for name, output in zip(operator.schema.outputs, outputs, strict=True):
        value, size, argument_error = (np.zeros(output.shape, golden.precision) for _ in range(3))
        views = (
            split(operator.access, name, array, call.attributes, len(call.shape))
            for array in (value, size, argument_error)
        )
        for targets in zip(*views, strict=True) if call.size else ():  # a sum over no elements is 0
            result = next(results)
            parts = call.cleared((result.values, result.size, result.argument_error), slice(0, call.size))
            for target, lane in zip(targets, parts, strict=True):
                if target.size == lane.size:  # rows may be cut into blocks
                    target[...] = lane.reshape(target.shape)
                    continue
                # A statistic is the same for all elements of a row, so take the first element.
                sizes = (*[1] * (len(call.shape) - target.ndim), *target.shape)
                target[...] = lane.reshape(call.shape)[tuple(map(slice, sizes))].reshape(target.shape)
        expectations.append(oracle.Expected(value, size, argument_error, output.dtype, call.computation.compute))
    return tuple(expectations)


def exact(operator: Operator, inputs: tuple[Any, ...], attributes: dict[str, Any]) -> tuple[Array, ...]:
    """The exact outputs of a call on NumPy arrays, before they are rounded to their dtype.

    The arrays have float64, or longdouble if the arithmetic is in float64.
    """
    return tuple(e.values for e in expected(operator, inputs, attributes))
