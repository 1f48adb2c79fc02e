"""Numbers with error bounds. A formula on these numbers computes bounds for the rounding errors of any backend.

The bounds cover errors that ULP do not measure. The error of a sum depends on its larger term, also if the sum is
small. The relative error of exp(a) is the absolute error of a. If rounding decides a comparison, both branches are
right.
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
    """An array of numbers with, for each number, the size of its largest term and the error from rounded arguments."""

    __array_ufunc__ = None  # so that NumPy calls `__rmul__` of this class for `array * sized`
    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("argument_error", "is_exact", "size", "value")

    def __init__(self, value: Array, size: Array, argument_error: Array, is_exact: bool = False):
        self.value = value
        self.size = size
        self.argument_error = argument_error  # the absolute error, in units of the relative error of one rounding
        self.is_exact = is_exact  # whether no operation has rounded the numbers

    def map(self, function: Callable[[Any], Any]) -> Sized:
        """The same numbers after a function that selects or reshapes elements."""
        return Sized(function(self.value), function(self.size), function(self.argument_error), self.is_exact)

    def __getitem__(self, at: Any) -> Sized:
        return self.map(lambda part: part[at])

    def __float__(self) -> float:
        return float(self.value)

    def __add__(self, other: Any) -> Sized:
        b = self.operand(other)
        return Sized(self.value + b.value, np.maximum(self.size, b.size), self.argument_error + b.argument_error)

    def __mul__(self, other: Any) -> Sized:
        a, b = self, self.operand(other)
        x, y = np.abs(a.value), np.abs(b.value)
        is_exact = a.is_exact and b.is_exact and (_is_power_of_two(x) or _is_power_of_two(y))
        return Sized(
            a.value * b.value, np.maximum(a.size * y, x * b.size), a.argument_error * y + x * b.argument_error, is_exact
        )

    def __truediv__(self, other: Any) -> Sized:
        a, b = self._with_underflow(), self.operand(other)._with_underflow()
        inverse = 1 / b.value
        is_exact = b.is_exact and _is_power_of_two(b.value)
        square = np.where(b.value == 0, 0, inverse**2)  # not infinity, because 0 times infinity is NaN
        return a * Sized(inverse, np.maximum(np.abs(inverse), b.size * square), b.argument_error * square, is_exact)

    def _with_underflow(self) -> Sized:
        """This number with the error of rounding a subnormal number. A division makes this error large."""
        if self.is_exact or self.value.dtype.kind != "f":
            return self
        limits = np.finfo(np.float64 if self.value.dtype == np.longdouble else np.float32)
        step = float(limits.smallest_subnormal) / _unit(self.value)
        is_subnormal = np.abs(self.value) < limits.smallest_normal
        return Sized(self.value, self.size, self.argument_error + np.where(is_subnormal, step, 0), False)

    def __neg__(self) -> Sized:
        return Sized(-self.value, self.size, self.argument_error, self.is_exact)

    def __sub__(self, other: Any) -> Sized:
        return self + -self.operand(other)

    def __rsub__(self, other: Any) -> Sized:
        return -self + other

    def __rtruediv__(self, other: Any) -> Sized:
        return self.operand(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __gt__(self, other: Any) -> Comparison:
        return _compare(np.greater, self, self.operand(other))

    def __ge__(self, other: Any) -> Comparison:
        return _compare(np.greater_equal, self, self.operand(other))

    def __lt__(self, other: Any) -> Comparison:
        return _compare(np.less, self, self.operand(other))

    def __le__(self, other: Any) -> Comparison:
        return _compare(np.less_equal, self, self.operand(other))

    def __eq__(self, other: object) -> Comparison:  # type: ignore[override]
        return Comparison(np.equal(self.value, self.operand(other).value))

    def operand(self, other: Any) -> Sized:
        """The other operand as a Sized. A constant has the error of its rounding to the compute dtype."""
        b = number(other)
        if b is not other and self.value.dtype == np.float64:
            b.argument_error = np.abs(b.value - b.value.astype(np.float32)) / _unit(self.value)
        return b

    @property
    def rounding(self) -> Any:
        """The error bound of rounding this number once, in units of the relative error of one rounding."""
        return 0 if self.is_exact else np.maximum(np.abs(self.value), self.size)


class Comparison(NamedTuple):
    """The result of a comparison, and where both sides are so near that rounding decides the result."""

    holds: Array
    is_open: Any = False


def _compare(function: Callable[..., Any], a: Sized, b: Sized) -> Comparison:
    apart = np.abs(a.value - b.value)
    return Comparison(
        function(a.value, b.value),
        apart < _unit(apart) * (a.rounding + a.argument_error + b.rounding + b.argument_error),
    )


def _unit(exact: Array) -> float:
    """The largest relative error of a rounding to float32 if `exact` has float64, to float64 if it has longdouble."""
    if exact.dtype.kind in "iu":
        return 0.0
    return 2.0**-53 if exact.dtype == np.longdouble else 2.0**-24


def exactly(value: Any) -> Sized:
    """A Sized without errors, for an input, an attribute or a constant."""
    value = np.asarray(value)
    return Sized(value, np.abs(value), np.zeros_like(value), True)


def number(value: Any) -> Sized:
    """An operand of a formula as a Sized."""
    return value if isinstance(value, Sized) else exactly(value)


def _is_power_of_two(x: Array) -> bool:
    return np.ndim(x) == 0 and bool(np.frexp(np.abs(x))[0] == 0.5)


def _where(condition: Comparison, x: Any, y: Any) -> Sized:
    a, b = number(x), number(y)
    holds, is_open = condition
    value, size, argument_error = (
        np.where(holds, p, q) for p, q in ((a.value, b.value), (a.size, b.size), (a.argument_error, b.argument_error))
    )
    if np.any(is_open):  # both branches are right
        argument_error = argument_error + np.where(is_open, np.abs(a.value - b.value) / _unit(value), 0)
    return Sized(value, size, argument_error, a.is_exact and b.is_exact)


def _minimum(x: Any, y: Any) -> Sized:
    a, b = number(x), number(y)
    return _where(Comparison((a.value <= b.value) | np.isnan(a.value)), a, b)


def _maximum(x: Any, y: Any) -> Sized:
    a, b = number(x), number(y)  # not -minimum(-x, -y): the smallest integer has no negative
    return _where(Comparison((a.value >= b.value) | np.isnan(a.value)), a, b)


def _abs(x: Any) -> Sized:
    a = number(x)
    return Sized(np.abs(a.value), a.size, a.argument_error, a.is_exact)


def _function(name: str) -> Callable[..., Sized]:
    """The function of xp.py with this name, for Sized."""

    def apply(x: Any, *constants: float) -> Sized:
        a = number(x)
        value = xp.FUNCTIONS[name](a.value, *constants)
        slope, error = np.abs(xp.SLOPES[name](value, a.value, *constants)), a.rounding + a.argument_error
        argument_error = np.where((slope == 0) | (error == 0), 0, slope * error)  # avoid 0 * infinity
        return Sized(value, np.abs(value), argument_error)

    return apply


def _exp_difference(x: Any, y: Any) -> Sized:
    """exp(x - y), for backends that do not round x - y."""
    a, b = number(x), number(y)
    value = xp.FUNCTIONS["exp_difference"](a.value, b.value)
    argument_error = np.where(value == 0, 0, value * (a.rounding + a.argument_error + b.rounding + b.argument_error))
    return Sized(value, np.abs(value), argument_error)


def combine(shape: tuple[int, ...], axes: tuple[int, ...], kind: str, terms: Any) -> Sized:
    """A statistic of the rows along `axes` of arrays with this shape. Each term of a total is rounded."""
    if kind == LENGTH:
        return exactly(np.asarray(prod(shape[axis] for axis in axes)).astype(number(terms).value.dtype))
    each = number(terms).map(lambda part: np.broadcast_to(part, shape))
    if kind == TOTAL:
        sizes = np.where(_is_beyond(each.value), np.inf, each.size)
        value, size, argument_error = (
            np.sum(part, axis=axes, keepdims=True) for part in (each.value, sizes, each.argument_error)
        )
        return Sized(value, size, argument_error)
    largest = partial(np.fmax.reduce, axis=axes, keepdims=True, initial=-np.inf)
    value = largest(each.value)
    size = np.where(_is_beyond(value), np.inf, np.abs(value))
    argument_error = np.fmax.reduce(each.argument_error, axis=axes, keepdims=True, initial=0)  # NaN does not count
    return Sized(value, size, argument_error, each.is_exact)


def _is_beyond(values: Any) -> Any:
    """Where a finite value is too large for the compute dtype."""
    largest = np.finfo(np.float64 if values.dtype == np.longdouble else np.float32).max
    return np.isfinite(values) & (np.abs(values) > largest)


#: The functions that a formula may call, for Sized.
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
