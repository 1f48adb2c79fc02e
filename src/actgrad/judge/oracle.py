"""Errors in ULP, and exact values, with the inputs and attributes of `samples`.

Everything follows from an operator's schema and formula. So a test over the registry that uses these functions also
covers new operators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from ..backends.reference import rounded
from ..base import xp
from ..base.computation import Computation
from ..base.dtypes import BY_NAME, Dtype
from ..samples import LARGE_IN_ROWS as LARGE_IN_ROWS
from ..samples import as_tuple as as_tuple
from ..samples import attribute_cases as attribute_cases
from ..samples import attributes_for as attributes_for
from ..samples import ends as ends
from ..samples import forward_results as forward_results
from ..samples import paired as paired
from ..samples import special_values as special_values
from ..samples import stratified as stratified
from ..samples import tensors as tensors
from . import error_bounds
from .error_bounds import Sized

Array = np.ndarray[Any, np.dtype[Any]]

# Exact values


@dataclass(frozen=True)
class Expected:
    """The exact values of an output, in the reference's precision, with error bounds."""

    values: Array
    size: Array  # the size of each value's largest term, see error_bounds.Sized
    argument_error: Array  # the error from rounded arguments of functions such as exp, see error_bounds.Sized
    dtype: np.dtype[Any]  # the dtype of the output
    compute: str  # the dtype of the arithmetic

    @property
    def unit(self) -> float:
        """The largest relative error of one rounding in the compute dtype."""
        return float(np.finfo(self.compute).eps) / 2

    @property
    def cancels(self) -> Array:
        """Where larger terms cancel, so that ULP do not measure the error."""
        with np.errstate(invalid="ignore", over="ignore"):
            return np.abs(self.values) < self.size / 2

    @property
    def is_normal(self) -> Array:
        """Where a value is 0 or a normal number of the compute dtype, so that a factor does not magnify its error."""
        limits, size = np.finfo(self.compute), np.abs(self.values)
        return (size == 0) | ((size >= limits.smallest_normal) & (size <= limits.max))

    @property
    def overflows(self) -> Array:
        """Where a value is finite, but too large for the compute dtype."""
        return np.isfinite(self.values) & (np.abs(self.values) > np.finfo(self.compute).max)

    @property
    def is_magnified(self) -> Array:
        """Where rounded arguments of exp change a large value by more ULP than the mixed tolerance allows."""
        size = np.abs(self.values)
        with np.errstate(over="ignore"):
            return np.asarray((size > 1) & (self.argument_error > 32 * size))

    @property
    def stored(self) -> Array:
        """The values rounded to the output's dtype."""
        with np.errstate(all="ignore"):
            return rounded(self.values, BY_NAME[self.dtype.name])

    def errors(self, actual: Array) -> Array:
        """The errors of `actual` in ULP. For integers, the differences."""
        if self.dtype.kind in "iu":
            return np.abs(actual.astype(np.float64) - self.values.astype(np.float64))
        return ulp_errors(actual, saturated(self.values, BY_NAME[self.dtype.name]))

    def term_errors(self, actual: Array) -> Array:
        """The errors of `actual`, relative to the larger term, in units of the compute dtype.

        The error of rounding the result to a narrower dtype is subtracted.
        """
        with np.errstate(all="ignore"):
            step = ulp(self.values, self.dtype)
            is_rounded_again = self.dtype != np.dtype(self.compute)
            error = np.maximum(self.errors(actual) - is_rounded_again / 2, 0) * step / (self.unit * self.size)
            return np.where(self.size > 0, error, 0)

    def faults(self, actual: Array, ulps: float, terms: float = 8) -> Array:
        """Where `actual` is wrong by more than `ulps` ULP and, if terms cancel, by more than `terms` units.

        A unit is the larger term times the relative error of one rounding. The bounds grow by `argument_error`.
        """
        if self.dtype.kind in "iu":
            return np.asarray((self.stored != actual) & ~self._is_next_to_a_tie(actual, terms))
        with np.errstate(all="ignore"):
            argument_error = np.nan_to_num(
                self.unit * self.argument_error / ulp(self.values, self.dtype), nan=0, posinf=0
            )
            allowed = (self.errors(actual) <= ulps + argument_error) | (
                self.cancels & (self.term_errors(actual) <= terms)
            )
        faults: Array = ~allowed
        return faults

    def _is_next_to_a_tie(self, actual: Array, terms: float) -> Array:
        """Where `actual` is within 1/2 of the exact value, up to the errors of a computation in floats."""
        if np.dtype(self.compute).kind != "f":
            return np.zeros(len(actual), bool)
        with np.errstate(all="ignore"):
            slack = self.unit * (terms * np.maximum(self.size, np.abs(self.values)) + self.argument_error)
            return np.asarray(np.abs(actual.astype(self.values.dtype) - self.values) <= 0.5 + slack)


def saturated(values: Array, dtype: Dtype) -> Array:
    """Exact values within the range of a dtype that saturates, as floats of 8 bits do."""
    return np.clip(values, -dtype.largest, dtype.largest) if dtype.kind == "float8" else values


def evaluate(
    computation: Computation, numbers: Sequence[Any], functions: Mapping[str, Any] = error_bounds.FUNCTIONS
) -> list[Sized]:
    """The outputs of a computation. `numbers` are its inputs, statistics and scalars in the precision of the result.

    `functions` are the functions that formulas call. The diagnosis passes wrong functions to get wrong results.
    """
    with np.errstate(all="ignore"):
        formulas = [xp.bind(formula, functions) for formula in computation.formulas]
        sized, rows = list(map(error_bounds.number, numbers)), computation.statistics
        if rows is None:
            results = computation.element(*formulas, *sized)
        else:
            inputs, last = len(computation.loop.inputs), len(computation.loop.inputs) + len(formulas) - 1
            results = rows.results(computation.element, formulas, sized[:inputs], sized[inputs:last], sized[last:])
        return [error_bounds.number(result) for result in results]


# The error measure


def ulp(values: Array, dtype: npt.DTypeLike) -> Array:
    """The unit in the last place (ULP) of `dtype` at each value, which is the distance between neighbouring numbers.

    For subnormal numbers, the unit is the smallest subnormal number. Beyond the range, it is the
    unit of the largest number.
    """
    limits = ml_dtypes.finfo(dtype)
    if values.dtype == np.float64:  # with only the bits of the exponent, a number is a power of two
        power: Array = (values.view(np.uint64) & np.uint64(0x7FF << 52)).view(np.float64)
        smallest, largest = float(limits.smallest_subnormal), 2.0 ** (int(limits.maxexp) - 1 - int(limits.nmant))
        return np.clip(power * 2.0 ** -int(limits.nmant), smallest, largest)
    exponent = np.frexp(np.where(np.isfinite(values), values, 0))[1] - 1
    exponent = np.where(values == 0, limits.minexp, np.clip(exponent, limits.minexp, limits.maxexp - 1))
    unit: Array = np.ldexp(np.ones_like(values), exponent - int(limits.nmant))
    return unit


def ulp_errors(actual: Array, values: Array) -> Array:
    """|actual - values| in ULP of actual's dtype. `values` are exact, so a correctly rounded result has at most 0.5.

    An infinity in `actual` counts as the number after the largest finite number, so infinity is right if the exact
    value rounds to infinity. If only one of both is NaN, or the exact value is another infinity, the error is infinite.
    The sign of zero does not count.
    """
    largest = values.dtype.type(ml_dtypes.finfo(actual.dtype).max)
    with np.errstate(all="ignore"):
        unit, wide = ulp(values, actual.dtype), actual.astype(values.dtype)
        plain = np.asarray(np.abs(wide - values) / unit)
        if np.max(plain, initial=0) < np.inf:  # there are no infinities and no NaNs
            return plain
        beyond, is_infinite = largest + ulp(largest, actual.dtype), np.isinf(wide)
        numbers = np.where(is_infinite, np.copysign(beyond, wide), wide)
        targets = np.where(is_infinite, np.clip(values, -beyond, beyond), values)
        error = np.where(wide == values, 0, np.abs(numbers - targets) / unit)
        error = np.where(np.isinf(values) & (wide != values), np.inf, error)
    agrees = np.isnan(wide) == np.isnan(values)
    result: Array = np.where(agrees, np.where(np.isnan(values), 0, error), np.inf)
    return result


def few_digits(error: float) -> str:
    """An error as a text for a table, with at most three digits."""
    if not np.isfinite(error):
        return "NaN"
    if error < 10_000:
        return f"{error:.2f}" if error < 100 else f"{error:.0f}"
    mantissa, exponent = f"{error:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"
