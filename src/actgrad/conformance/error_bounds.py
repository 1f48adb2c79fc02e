"""Numbers that know how far rounding can move them: a formula run on them bounds the errors of any backend.

The bounds cover errors that ULP do not measure. A sum is as inexact as its larger term, however small the sum is.
exp(a) changes by |a| times the relative error of a. Where rounding decides a comparison, either branch is right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..base import xp
from ..base.computation import LENGTH, TOTAL

Array = np.ndarray[Any, np.dtype[Any]]


class Sized:
    """An array of numbers, the size of the terms each was summed from, and the change by rounded arguments."""

    __array_ufunc__ = None  # so that NumPy leaves `array * sized` to this class
    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("is_exact", "size", "slip", "value")

    def __init__(self, value: Array, size: Array, slip: Array, is_exact: bool = False):
        self.value = value
        self.size = size
        self.slip = slip  # absolute, to be multiplied by the relative error of one rounding
        self.is_exact = is_exact  # nothing was rounded on the way here

    def map(self, function: Callable[[Any], Any]) -> Sized:
        """The result of an array function that selects or reshapes numbers."""
        return Sized(function(self.value), function(self.size), function(self.slip), self.is_exact)

    def __getitem__(self, at: Any) -> Sized:
        return self.map(lambda part: part[at])

    def __float__(self) -> float:
        return float(self.value)

    def __add__(self, other: Any) -> Sized:
        b = self.beside(other)
        return Sized(self.value + b.value, np.maximum(self.size, b.size), self.slip + b.slip)

    def __mul__(self, other: Any) -> Sized:
        a, b = self, self.beside(other)
        x, y = np.abs(a.value), np.abs(b.value)
        is_exact = a.is_exact and b.is_exact and (_is_power_of_two(x) or _is_power_of_two(y))
        return Sized(a.value * b.value, np.maximum(a.size * y, x * b.size), a.slip * y + x * b.slip, is_exact)

    def __truediv__(self, other: Any) -> Sized:
        b = self.beside(other)
        inverse = 1 / b.value
        is_exact = b.is_exact and _is_power_of_two(b.value)
        return self * Sized(inverse, b.size * inverse**2, b.slip * inverse**2, is_exact)

    def __neg__(self) -> Sized:
        return Sized(-self.value, self.size, self.slip, self.is_exact)

    def __sub__(self, other: Any) -> Sized:
        return self + -self.beside(other)

    def __rsub__(self, other: Any) -> Sized:
        return -self + other

    def __rtruediv__(self, other: Any) -> Sized:
        return self.beside(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __gt__(self, other: Any) -> Comparison:
        return _compared(np.greater, self, self.beside(other))

    def __ge__(self, other: Any) -> Comparison:
        return _compared(np.greater_equal, self, self.beside(other))

    def __lt__(self, other: Any) -> Comparison:
        return _compared(np.less, self, self.beside(other))

    def __le__(self, other: Any) -> Comparison:
        return _compared(np.less_equal, self, self.beside(other))

    def __eq__(self, other: object) -> Comparison:  # type: ignore[override]
        return Comparison(np.equal(self.value, self.beside(other).value))

    def beside(self, other: Any) -> Sized:
        """The other operand. A constant has the error of its rounding to the compute dtype."""
        b = number(other)
        if b is not other and self.value.dtype == np.float64:
            b.slip = np.abs(b.value - b.value.astype(np.float32)) / _unit(self.value)
        return b

    @property
    def rounding(self) -> Any:
        """The size of the error of one rounding, in units of the compute dtype."""
        return 0 if self.is_exact else np.maximum(np.abs(self.value), self.size)


class Comparison(NamedTuple):
    """Where a comparison holds, and where the sides are so near that rounding decides it."""

    holds: Array
    is_open: Any = False


def _compared(function: Callable[..., Any], a: Sized, b: Sized) -> Comparison:
    apart = np.abs(a.value - b.value)
    return Comparison(function(a.value, b.value), apart < _unit(apart) * (a.rounding + a.slip + b.rounding + b.slip))


def _unit(exact: Array) -> float:
    """The largest relative error of a rounding in the compute dtype, which the dtype of exact values tells."""
    if exact.dtype.kind in "iu":
        return 0.0
    return 2.0**-53 if exact.dtype == np.longdouble else 2.0**-24


def exactly(value: Any) -> Sized:
    """An input, an attribute or a constant: it was not rounded."""
    value = np.asarray(value)
    return Sized(value, np.abs(value), np.zeros_like(value), True)


def number(value: Any) -> Sized:
    """Any operand of a formula as a Sized."""
    return value if isinstance(value, Sized) else exactly(value)


def _is_power_of_two(x: Array) -> bool:
    return np.ndim(x) == 0 and bool(np.frexp(np.abs(x))[0] == 0.5)


def _where(condition: Comparison, x: Any, y: Any) -> Sized:
    a, b = number(x), number(y)
    holds, is_open = condition
    value, size, slip = (np.where(holds, p, q) for p, q in ((a.value, b.value), (a.size, b.size), (a.slip, b.slip)))
    if np.any(is_open):  # either branch is right
        slip = slip + np.where(is_open, np.abs(a.value - b.value) / _unit(value), 0)
    return Sized(value, size, slip, a.is_exact and b.is_exact)


def _minimum(x: Any, y: Any) -> Sized:
    a, b = number(x), number(y)
    return _where(Comparison((a.value <= b.value) | np.isnan(a.value)), a, b)


def _maximum(x: Any, y: Any) -> Sized:
    return -_minimum(-number(x), -number(y))


def _abs(x: Any) -> Sized:
    a = number(x)
    return Sized(np.abs(a.value), a.size, a.slip, a.is_exact)


def _function(name: str) -> Callable[..., Sized]:
    """The function of xp.py for sized numbers."""

    def apply(x: Any, *constants: float) -> Sized:
        a = number(x)
        value = xp.FUNCTIONS[name](a.value, *constants)
        slope, error = np.abs(xp.SLOPES[name](value, a.value, *constants)), a.rounding + a.slip
        slip = np.where((slope == 0) | (error == 0), 0, slope * error)  # either may be 0 and the other infinite
        return Sized(value, np.abs(value), slip)

    return apply


def _exp_difference(x: Any, y: Any) -> Sized:
    """exp(x - y): the difference itself is not rounded."""
    a, b = number(x), number(y)
    value = xp.FUNCTIONS["exp_difference"](a.value, b.value)
    slip = np.where(value == 0, 0, value * (a.rounding + a.slip + b.rounding + b.slip))
    return Sized(value, np.abs(value), slip)


def combined(shape: tuple[int, ...], axes: tuple[int, ...], kind: str, terms: Any) -> Sized:
    """A statistic of rows along `axes` of arrays of this shape. Each term of a total is rounded."""
    if kind == LENGTH:
        return exactly(np.asarray(prod(shape[axis] for axis in axes)).astype(number(terms).value.dtype))
    each = number(terms).map(lambda part: np.broadcast_to(part, shape))
    if kind == TOTAL:
        sizes = np.where(_is_beyond(each.value), np.inf, each.size)
        value, size, slip = (np.sum(part, axis=axes, keepdims=True) for part in (each.value, sizes, each.slip))
        return Sized(value, size, slip)
    largest = partial(np.fmax.reduce, axis=axes, keepdims=True, initial=-np.inf)
    value = largest(each.value)
    size = np.where(_is_beyond(value), np.inf, np.abs(value))
    return Sized(value, size, np.max(each.slip, axis=axes, keepdims=True, initial=0), each.is_exact)


def _is_beyond(values: Any) -> Any:
    """Where the compute dtype does not hold a finite value."""
    largest = np.finfo(np.float64 if values.dtype == np.longdouble else np.float32).max
    return np.isfinite(values) & (np.abs(values) > largest)


#: The functions a formula may call, for sized numbers.
FUNCTIONS: Mapping[str, Callable[..., Any]] = xp.with_factors(
    {
        **{name: _function(name) for name in xp.SLOPES},
        "where": _where,
        "abs": _abs,
        "conjugate": number,
        "minimum": _minimum,
        "maximum": _maximum,
        "exp_difference": _exp_difference,
    }
)
