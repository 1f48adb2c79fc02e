"""The reference backend: NumPy in float64, or in longdouble for float64 outputs.

It is slow and simple, and the tests compare the other backends with it. Only this backend computes integers in integer
arithmetic, and complex numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..arrays import numpy_array
from ..base import xp
from ..base.computation import LENGTH, TOTAL, Computation
from ..base.dtypes import Dtype
from ..base.floating_point import default_environment
from ..base.loop import Operand, TensorMeta
from .kernel import BackendKernel


class ReferenceKernel:
    """A computation that NumPy runs on whole arrays."""

    def __init__(self, computation: Computation):
        self.computation = computation
        self.precision: type[np.number[Any]] = _precision(computation)

    def __str__(self) -> str:
        return f"NumPy in {np.dtype(self.precision).name}"

    def numbers(self, *addresses: int) -> list[Any]:
        """The formula's arguments: inputs as arrays, then attributes, all in the precision of the reference."""
        inputs = [self._array(o, addresses).astype(self.precision) for o in self.computation.loop.inputs]
        return inputs + [np.asarray(s).astype(self.precision)[()] for s in self.computation.scalars]

    machine_code = None
    with_scalars = None
    with_size = None

    @default_environment()  # the caller's rounding mode does not change the results
    def run(self, *addresses: int) -> None:
        computation, loop = self.computation, self.computation.loop
        if computation.is_empty:  # a call on zero elements may have dtypes that NumPy lacks
            return
        with np.errstate(all="ignore"):
            numbers = self.numbers(*addresses)
            with xp.formula_errors(computation.formulas):
                results = self._results(numbers)
            for operand, result in zip(loop.outputs, results, strict=True):
                self._write(operand, addresses, result)

    def _results(self, numbers: list[Any]) -> Sequence[Any]:
        """For each output, the values of all elements."""
        computation, rows = self.computation, self.computation.statistics
        if rows is None:
            results: Sequence[Any] = computation.element(*computation.formulas, *numbers)
            return results
        axes, count = tuple(range(-rows.dims, 0)), len(computation.loop.inputs)

        def combine(kind: str, terms: Any) -> Any:
            if kind == LENGTH:
                return np.asarray(prod(computation.loop.shape[-rows.dims :])).astype(self.precision)[()]
            each = np.broadcast_to(terms, computation.loop.shape)
            if kind == TOTAL:
                return np.sum(each, axis=axes, keepdims=True)
            return np.fmax.reduce(each, axis=axes, keepdims=True, initial=-np.inf)

        inputs, attributes = numbers[:count], numbers[count:]
        terms = [self._as_written(k, term) for k, term in enumerate(computation.formulas[1:])]
        statistics = rows.compute(terms, inputs, attributes, combine)
        return rows.results(computation.element, computation.formulas, inputs, statistics, attributes)

    def _as_written(self, number: int, term: Callable[..., Any]) -> Callable[..., Any]:
        """A term. It is rounded to the dtype of the output, if the formula reads the rounded statistic."""
        dtype = self.computation.written_dtype(number)
        if dtype is None:
            return term
        return lambda *arguments: rounded(np.asarray(term(*arguments)), dtype).astype(self.precision)

    def _write(self, operand: Operand, addresses: tuple[int, ...], values: np.ndarray) -> None:
        dtype, shape = operand.dtype, self.computation.loop.shape
        if self.computation.statistics is not None and 0 in shape:  # a row without elements has statistics too
            shape = values.shape
        if dtype.kind != "complex":
            target = numpy_array(addresses[operand.tensor] + operand.offset, TensorMeta(dtype, shape, operand.strides))
            target[...] = rounded(np.asarray(values).real, dtype)  # a formula may return a constant
            return
        shape, strides = (*shape, 2), (*operand.strides, dtype.part.itemsize)
        parts = numpy_array(addresses[operand.tensor] + operand.offset, TensorMeta(dtype.part, shape, strides))
        parts[..., 0], parts[..., 1] = (rounded(part, dtype.part) for part in (values.real, values.imag))

    def _array(self, operand: Operand, addresses: tuple[int, ...]) -> np.ndarray:
        meta = TensorMeta(operand.dtype, self.computation.loop.shape, operand.strides)
        return numpy_array(addresses[operand.tensor] + operand.offset, meta)


def _precision(computation: Computation) -> type[np.number[Any]]:
    """The type to compute in: longdouble for float64 results; integers and complex numbers keep their type."""
    if computation.compute.startswith("complex"):
        return np.clongdouble if computation.compute == "complex128" else np.complex128
    if computation.compute not in ("float32", "float64"):
        return np.dtype(computation.compute).type
    doubles = any(o.dtype.compute == "float64" for o in computation.loop.outputs)
    return np.longdouble if doubles else np.float64


def rounded(values: np.ndarray, dtype: Dtype) -> np.ndarray:
    """`values` rounded once to `dtype`: to nearest, ties to even.

    Integers and floats of 8 bits saturate. NaN becomes the integer 0. float8_e8m0fnu has the exponent of a number.
    """
    if values.dtype.kind in "iu":  # these values are exact
        if dtype.kind in ("bool", "int", "uint"):
            return values.astype(dtype.numpy)
        values = values.astype(np.longdouble)
    if dtype.kind in ("int", "uint"):
        limits = np.iinfo(dtype.numpy)
        integers = np.nan_to_num(np.rint(values), nan=0.0, posinf=np.inf, neginf=-np.inf)
        inside = np.clip(integers, limits.min, limits.max)
        return inside.astype(dtype.numpy)
    if dtype.name == "float8_e8m0fnu":  # without the sign. Infinity and NaN have the exponent that is its NaN
        return (_round_to_odd(values).view(np.uint32) >> 23).astype(np.uint8).view(dtype.numpy)
    if dtype.kind == "float8":
        values = np.clip(values, -dtype.largest, dtype.largest)
    if dtype.itemsize <= 2:  # the conversion goes through float32; rounding to odd makes that step harmless
        values = _round_to_odd(values)
    return values.astype(dtype.numpy)


def _round_to_odd(values: np.ndarray) -> np.ndarray:
    """`values` rounded to odd in float32: rounding the result once more equals rounding `values` once.

    Truncate, then set the last bit of inexact results (Boldo and Melquiond, Emulation of a FMA and correctly rounded
    sums, 2008).
    """
    nearest = values.astype(np.float32)
    bits = nearest.view(np.int32).copy()
    back = nearest.astype(values.dtype)
    bits -= np.abs(back) > np.abs(values)
    bits |= (back != values) & ~np.isnan(values)
    return bits.view(np.float32)


def prepare(computation: Computation) -> BackendKernel:
    """The kernel of a computation."""
    return ReferenceKernel(computation)
