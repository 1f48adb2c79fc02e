"""Dual numbers of tensors.

A formula of dual numbers gives its derivative, as an expression that PyTorch differentiates.

If a number does not depend on the differentiated input, its slope is None and costs nothing. The slope is also None if
the formula needs only the number's sign. At a kink, the slope is the slope from the left, where `x > 0` is false. Where
two tensors are equal, the slope of their maximum and minimum is the mean of both slopes.
PyTorch's own `abs` has the slope 0 at 0, which would make gelu''(0) = 0.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from functools import cache, reduce
from typing import Any

import torch

from ...base import xp


class Dual:
    """A tensor and its derivative in one direction."""

    __slots__ = ("slope", "value")

    def __init__(self, value: Any, slope: Any):
        self.value = value
        self.slope = slope

    def __add__(self, other: Any) -> Any:
        return _dual(self.value + value(other), sum_of(self.slope, slope(other)))

    def __mul__(self, other: Any) -> Any:
        a, b = self.value, value(other)
        return _dual(a * b, sum_of(_product(self.slope, b), _product(slope(other), a)))

    def __truediv__(self, other: Any) -> Any:
        quotient = self.value / value(other)
        return _dual(quotient, _quotient(sum_of(self.slope, _product(slope(other), -quotient)), value(other)))

    def __rtruediv__(self, other: Any) -> Any:
        quotient = other / self.value
        return _dual(quotient, _quotient(_product(self.slope, -quotient), self.value))

    def __neg__(self) -> Any:
        return _dual(-self.value, _product(self.slope, -1.0))

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    __radd__, __rmul__ = __add__, __mul__

    def __gt__(self, other: Any) -> Any:
        return self.value > value(other)

    def __ge__(self, other: Any) -> Any:
        return self.value >= value(other)

    def __lt__(self, other: Any) -> Any:
        return self.value < value(other)

    def __le__(self, other: Any) -> Any:
        return self.value <= value(other)

    def __eq__(self, other: Any) -> Any:
        return self.value == value(other)

    def __ne__(self, other: Any) -> Any:
        return self.value != value(other)


def value(x: Any) -> Any:
    """The number without its derivative."""
    return x.value if isinstance(x, Dual) else x


def slope(x: Any) -> Any:
    """The derivative of a number, or None if it is constant."""
    return x.slope if isinstance(x, Dual) else None


def _dual(number: Any, derivative: Any) -> Any:
    return number if derivative is None else Dual(number, derivative)


def sum_of(a: Any, b: Any) -> Any:
    """The sum of two slopes. None means 0."""
    if a is None or b is None:
        return b if a is None else a
    return a + b


def sum_present(terms: Iterable[Any]) -> Any:
    """The sum of the terms that are not None, or None if there is none."""
    return reduce(sum_of, terms, None)


def _product(derivative: Any, factor: Any) -> Any:
    return None if derivative is None else derivative * factor


def _quotient(derivative: Any, divisor: Any) -> Any:
    return None if derivative is None else derivative / divisor


def _normal_pdf(x: Any) -> Any:
    near = torch.clamp(x, -xp.DENSITY_END, xp.DENSITY_END)
    return torch.exp(-0.5 * near * near) / math.sqrt(2 * math.pi)


def _sigmoid_cubic(x: Any, c1: float, c3: float) -> Any:
    near = torch.clamp(x, -xp.CUBIC_END, xp.CUBIC_END)
    return torch.sigmoid(near * (c1 + c3 * near * near))


#: The functions of xp.py for tensors. Formulas of slopes may call them too.
_ON_TENSORS: Mapping[str, Callable[..., Any]] = {
    "exp": torch.exp,
    "expm1": torch.expm1,
    "log1p": torch.log1p,
    "tanh": torch.tanh,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "sigmoid": torch.sigmoid,
    "erfc": torch.special.erfc,
    "erfinv": torch.special.erfinv,
    "normal_cdf": torch.special.ndtr,
    "normal_pdf": _normal_pdf,
    "sigmoid_cubic": _sigmoid_cubic,
    "minimum": lambda x, high: torch.clamp(x, max=high),
    "maximum": lambda x, low: torch.clamp(x, min=low),
}


def _tensor_of(number: Any, dtype: torch.dtype) -> Any:
    """A number as a tensor without dimensions.

    A product keeps a number that is an input of a graph. `scalar_tensor` and `where` would make it a constant, and
    PyTorch would compile again for each number.
    """
    if isinstance(number, torch.SymFloat):
        return torch.ones((), dtype=dtype) * number
    return torch.scalar_tensor(number, dtype=dtype)


def _function(name: str, dtype: torch.dtype) -> Callable[..., Any]:
    """The function of xp.py called `name`, for dual numbers and for numbers of attributes, computed in `dtype`."""
    plain, derivative = _ON_TENSORS[name], xp.bind(xp.SLOPES[name], _ON_TENSORS)

    def apply(x: Any, *constants: float) -> Any:
        if not isinstance(value(x), torch.Tensor):
            x = _tensor_of(x, dtype)
        result = plain(value(x), *constants)
        return _dual(result, None if slope(x) is None else slope(x) * derivative(result, value(x), *constants))

    return apply


@cache
def functions(dtype: torch.dtype) -> Mapping[str, Callable[..., Any]]:
    """The functions that a formula may call, for dual numbers computed in `dtype`."""
    of_one_number = {name: _function(name, dtype) for name in xp.SLOPES}

    def choose(condition: Any, a: Any, b: Any) -> Any:
        if not isinstance(condition, torch.Tensor):  # a condition on attributes; a traced one becomes a guard
            return a if condition else b
        if not isinstance(a, torch.Tensor) and not isinstance(b, torch.Tensor):
            a = _tensor_of(a, dtype)  # torch.where of two Python numbers would have the default dtype
        a, b = (_tensor_of(z, dtype) if isinstance(z, torch.SymFloat) else z for z in (a, b))
        return torch.where(condition, a, b)

    def where(condition: Any, a: Any, b: Any) -> Any:
        slopes = slope(a), slope(b)
        number = choose(condition, value(a), value(b))
        if slopes == (None, None):
            return number
        return Dual(number, choose(condition, *[0.0 if s is None else s for s in slopes]))

    def absolute(x: Any) -> Any:
        return where(x > 0, x, -x)

    def extreme(a: Any, b: Any, is_first: Callable[[Any, Any], Any], limit: str) -> Any:
        if _is_bound(a, b):
            return torch.clamp(a, **{limit: b})
        if not isinstance(a, Dual):
            # The differentiated number comes first, because the slope from the left at a tie is the slope of b.
            a, b = b, a
        return _with_tie(where(_or_nan(is_first(a, b), a), a, b), a, b)

    table: dict[str, Callable[..., Any]] = {
        **of_one_number,
        "where": where,
        "abs": absolute,
        "conjugate": lambda x: x,
        "minimum": lambda a, b: extreme(a, b, operator.le, "max"),
        "maximum": lambda a, b: extreme(a, b, operator.gt, "min"),
        "exp_difference": lambda x, y: of_one_number["exp"](x - y),
    }
    return xp.with_factors(table)


def _is_bound(a: Any, b: Any) -> bool:
    """Whether a is a tensor and b a number other than 0. Then one of PyTorch's operators is enough."""
    return isinstance(a, torch.Tensor) and type(b) is float and b != 0 and not math.isnan(b)


def _with_tie(result: Any, a: Any, b: Any) -> Any:
    """The larger or smaller of a and b. Where two tensors are equal, the slope is the mean of both, as in PyTorch."""
    if not isinstance(result, Dual) or not isinstance(value(b), torch.Tensor):
        return result
    return Dual(result.value, torch.where(value(a) == value(b), sum_of(slope(a), slope(b)) / 2, result.slope))


def _or_nan(condition: Any, x: Any) -> Any:
    """Whether a condition holds or x is NaN. A number of the formula that is not a tensor is never NaN."""
    return condition | (value(x) != value(x)) if isinstance(value(x), torch.Tensor) else condition


@cache
def bound(formula: Callable[..., Any], dtype: torch.dtype) -> Callable[..., Any]:
    """The formula for dual numbers, computed in `dtype`."""
    return xp.bind(formula, functions(dtype))
