"""Dual numbers of tensors: a formula of dual numbers gives its derivative as an expression that PyTorch differentiates.

A number that does not depend on the differentiated input has the slope None and costs nothing. So a formula that needs
only the sign of a number has the slope None too. At a kink the slope is the one from the left, where `x > 0` is false:
PyTorch's own `abs` gives 0 there, and gelu''(0) = 0 with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache, reduce
from typing import Any

import torch

from ...base import xp

_FAR = 100.0  # the normal density is 0 from here on, in every dtype; keeps infinity * 0 out of its derivatives
_SATURATED = 1e9  # the slope of a logistic function of the cube is 0 from here on


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


def value(x: Any) -> Any:
    """The number itself."""
    return x.value if isinstance(x, Dual) else x


def slope(x: Any) -> Any:
    """Its derivative, None where it is constant."""
    return x.slope if isinstance(x, Dual) else None


def _dual(number: Any, derivative: Any) -> Any:
    return number if derivative is None else Dual(number, derivative)


def sum_of(a: Any, b: Any) -> Any:
    """The sum; None stands for 0."""
    if a is None or b is None:
        return b if a is None else a
    return a + b


def sum_present(terms: Iterable[Any]) -> Any:
    """The sum of the terms that are not None; None without any."""
    return reduce(sum_of, terms, None)


def _product(derivative: Any, factor: Any) -> Any:
    return None if derivative is None else derivative * factor


def _quotient(derivative: Any, divisor: Any) -> Any:
    return None if derivative is None else derivative / divisor


def _function(plain: Callable[..., Any], derivative: Callable[..., Any]) -> Callable[..., Any]:
    """The function for dual numbers; `derivative` is given its value, its argument and its constants."""

    def apply(x: Any, *constants: float) -> Any:
        result = plain(value(x), *constants)
        return _dual(result, None if slope(x) is None else slope(x) * derivative(result, value(x), *constants))

    return apply


def _normal_pdf(x: Any) -> Any:
    near = torch.clamp(x, -_FAR, _FAR)
    return torch.exp(-0.5 * near * near) / math.sqrt(2 * math.pi)


def _erfc_slope(_: Any, x: Any) -> Any:
    near = torch.clamp(x, -_FAR, _FAR)
    return torch.exp(-near * near) * (-2 / math.sqrt(math.pi))


def _sigmoid_cubic(x: Any, c1: float, c3: float) -> Any:
    near = torch.clamp(x, -_SATURATED, _SATURATED)
    return torch.sigmoid(near * (c1 + c3 * near * near))


def _sigmoid_cubic_slope(s: Any, x: Any, c1: float, c3: float) -> Any:
    near = torch.clamp(x, -_SATURATED, _SATURATED)
    return s * _sigmoid_cubic(-x, c1, c3) * (c1 + 3 * c3 * near * near)  # 1 - s(x) = s(-x), digits kept


@cache
def functions(dtype: torch.dtype) -> Mapping[str, Callable[..., Any]]:
    """The functions a formula may call, for dual numbers computed in `dtype`."""

    def choose(condition: Any, a: Any, b: Any) -> Any:
        if not isinstance(condition, torch.Tensor):  # of attributes alone; a traced one becomes a guard
            return a if condition else b
        if not isinstance(a, torch.Tensor) and not isinstance(b, torch.Tensor):
            a = torch.scalar_tensor(a, dtype=dtype)  # torch.where of two plain numbers has the default dtype
        return torch.where(condition, a, b)

    def where(condition: Any, a: Any, b: Any) -> Any:
        slopes = slope(a), slope(b)
        number = choose(condition, value(a), value(b))
        if slopes == (None, None):
            return number
        return Dual(number, choose(condition, *[0.0 if s is None else s for s in slopes]))

    def absolute(x: Any) -> Any:
        return where(x > 0, x, -x)

    def maximum(a: Any, b: Any) -> Any:
        if _is_bound(a, b):
            return torch.clamp(a, min=b)
        if not isinstance(a, Dual):
            a, b = b, a  # the differentiated one first: at a tie the slope from the left is the other one's
        return where(_or_nan(a > b, a), a, b)

    def minimum(a: Any, b: Any) -> Any:
        if _is_bound(a, b):
            return torch.clamp(a, max=b)
        if not isinstance(a, Dual):
            a, b = b, a
        return where(_or_nan(a <= b, a), a, b)

    exp = _function(torch.exp, lambda result, x: result)
    table: dict[str, Callable[..., Any]] = {
        "where": where,
        "abs": absolute,
        "conjugate": lambda x: x,
        "minimum": minimum,
        "maximum": maximum,
        "exp": exp,
        "exp_difference": lambda x, y: exp(x - y),
        "expm1": _function(torch.expm1, lambda result, x: torch.exp(x)),
        "log1p": _function(torch.log1p, lambda result, x: 1 / (1 + x)),
        "tanh": _function(torch.tanh, lambda result, x: 1 - result * result),
        "sqrt": _function(torch.sqrt, lambda result, x: 0.5 / result),
        "rsqrt": _function(torch.rsqrt, lambda result, x: -0.5 * result * (result * result)),
        "sigmoid": _function(torch.sigmoid, lambda result, x: result * torch.sigmoid(-x)),
        "erfc": _function(torch.special.erfc, _erfc_slope),
        "erfinv": _function(
            torch.special.erfinv, lambda result, x: torch.exp(result * result) * (math.sqrt(math.pi) / 2)
        ),
        "normal_cdf": _function(torch.special.ndtr, lambda result, x: _normal_pdf(x)),
        "normal_pdf": _function(_normal_pdf, lambda result, x: -torch.clamp(x, -_FAR, _FAR) * result),
        "sigmoid_cubic": _function(_sigmoid_cubic, _sigmoid_cubic_slope),
    }
    return xp.with_factors(table)


def _is_bound(a: Any, b: Any) -> bool:
    """Whether a is a tensor and b a number other than 0, for which one of PyTorch's operators suffices."""
    return isinstance(a, torch.Tensor) and type(b) is float and b != 0 and not math.isnan(b)


def _or_nan(condition: Any, x: Any) -> Any:
    """Whether a condition holds or x is NaN, which a number of the formula never is."""
    return condition | (value(x) != value(x)) if isinstance(value(x), torch.Tensor) else condition


@cache
def bound(formula: Callable[..., Any], dtype: torch.dtype) -> Callable[..., Any]:
    """A formula as one of dual numbers computed in `dtype`."""
    return xp.bind(formula, functions(dtype))
