"""How exact an operator is: exact values, the error measure, and inputs and attributes to try.

Everything follows from an operator's schema and formula, so what is written over the registry with these functions
holds for an operator that is added later too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from . import xp
from .backends.reference import ReferenceKernel
from .layouts import GATED
from .op import Operator

Array = np.ndarray[Any, np.dtype[Any]]

# Inputs


def every_value(dtype: npt.DTypeLike) -> Array:
    """All 65,536 values of a 16-bit dtype, infinities and NaNs included."""
    return np.arange(65536, dtype=np.uint16).view(np.dtype(dtype))


def special_values(dtype: npt.DTypeLike) -> Array:
    """Zeros, infinities, NaN, the ends of the subnormal and the normal range, and small numbers, of both signs."""
    limits = ml_dtypes.finfo(dtype)
    tiny, normal, largest = limits.smallest_subnormal, limits.smallest_normal, limits.max
    positive = [0, tiny, 2 * float(tiny), float(normal) - float(tiny), normal, limits.eps, 0.5, 1, 1.5, 2, largest, np.inf]
    return np.array([sign * float(v) for v in positive for sign in (1, -1)] + [np.nan], np.float64).astype(dtype)


def stratified(dtype: npt.DTypeLike, count: int, rng: np.random.Generator) -> Array:
    """At least `count` finite values: every exponent equally often, in both signs, with random mantissas."""
    dtype = np.dtype(dtype)
    bits, mantissa = 8 * dtype.itemsize, int(ml_dtypes.finfo(dtype).nmant)
    exponents = 2 ** (bits - 1 - mantissa) - 1  # all but that of infinity and NaN
    rounds = -(-count // (2 * exponents))
    upper = np.concatenate([np.arange(exponents), np.arange(exponents) + exponents + 1])  # the sign is the bit above
    words = (np.tile(upper, rounds).astype(np.uint64) << np.uint64(mantissa)) | rng.integers(
        0, 2**mantissa, rounds * len(upper), np.uint64
    )
    return words.astype(f"u{dtype.itemsize}").view(dtype)


def samples(dtype: npt.DTypeLike, count: int, rng: np.random.Generator) -> Array:
    """About `count` values: special and stratified ones, and evenly spread ones around 0, in the tails and beyond.

    Beyond means where exp under- and overflows in this dtype.
    """
    end = 1.1 * float(np.log(float(ml_dtypes.finfo(dtype).max)))
    spread = [rng.uniform(-reach, reach, count // 8) for reach in (1.0, 4.0, 16.0, 40.0, end)]
    values = [special_values(dtype), stratified(dtype, 3 * count // 8, rng), *(s.astype(dtype) for s in spread)]
    return np.concatenate(values)


def tensors(
    operator: Operator, attributes: dict[str, Any], x: Array, rng: np.random.Generator | None = None
) -> tuple[Any, ...]:
    """The tensors of a call in which the formula meets each value of `x` once.

    What else the operator takes (grad_output, the other half of a gated tensor) is 1, or random normals with `rng`.
    Optional tensors are left out.
    """

    def other() -> Array:
        values = np.ones(x.shape) if rng is None else rng.standard_normal(x.shape)
        return values.astype(x.dtype)

    *others, _ = [a for a in operator.schema.tensors if not a.is_optional]
    main = x
    if operator.layout == GATED:
        main = np.concatenate([x, other()] if attributes["activate_left"] else [other(), x])
    return (*(other() for _ in others), main)


# Attributes

#: Values for an operator's scalars in their order: all different, none a default, each with and without exact products.
_SCALARS = ((1.3, 0.7, 0.5, 0.3), (0.6, 1.9, 1.1, 2.3), (-0.6, 1.7, 0.9, 0.8))


def attribute_cases(operator: Operator) -> list[dict[str, Any]]:
    """Attributes to try, from the schema alone: all flags and choices, with scalars at and off their defaults.

    Cases that break what the operator requires are left out; integers that are no choice keep their default.
    """
    arguments = operator.schema.attributes
    scalars = [a.name for a in arguments if a.type == "Scalar"]
    options: dict[str, tuple[Any, ...]] = {a.name: (False, True) for a in arguments if a.type == "bool"}
    if operator.choices:
        options[str(operator.switch)] = operator.choices
    values = [dict(zip(scalars, row, strict=False)) for row in _SCALARS] if scalars else []
    cases = [
        {**operator.defaults, **chosen, **dict(zip(options, flags, strict=True))}
        for chosen in [{}, *values]
        for flags in product(*options.values())
    ]
    return [case for case in cases if all(holds(case, None) for holds in operator.requires.values())]


def takes_result(operator: Operator, attributes: dict[str, Any]) -> bool:
    """Whether the derivative is that at x given y = f(x) in its place."""
    flags = [value for name, value in attributes.items() if name.endswith("is_result")]
    return operator.gradient_of is not None and (operator.schema.tensors[-1].name == "result" or any(flags))


# Exact values


@dataclass(frozen=True)
class Expected:
    """One output's exact values, in the reference's precision, and how errors in them are judged."""

    values: Array
    size: Array  # of the largest term that a value is the sum of
    slip: Array  # what rounding the arguments of exp etc. may change, in units of the compute dtype
    unit: float  # half the distance from 1 to the next number of the compute dtype
    dtype: np.dtype[Any]

    def errors(self, actual: Array) -> Array:
        """The errors of `actual` in ULP."""
        return ulp_errors(actual, self.values)

    @property
    def cancels(self) -> Array:
        """Where a value is the sum of larger terms, so that ULPs are not the measure."""
        return np.abs(self.values) < self.size / 2

    def term_errors(self, actual: Array) -> Array:
        """The errors of `actual` beyond rounding it, in units of the compute dtype of the larger term."""
        with np.errstate(all="ignore"):
            step = ulp(self.values, self.dtype)
            own_rounding = step / 2 if ml_dtypes.finfo(self.dtype).eps > 2 * self.unit else 0
            error = np.maximum(ulp_errors(actual, self.values) * step - own_rounding, 0) / (self.unit * self.size)
            return np.where(self.size > 0, error, 0)

    def faults(self, actual: Array, ulps: float, terms: float = 8) -> Array:
        """Where `actual` is wrong: by more than `ulps` ULP, or `terms` units of the larger term where they cancel."""
        with np.errstate(all="ignore"):
            allowance = np.nan_to_num(self.unit * self.slip / ulp(self.values, self.dtype), nan=0, posinf=0)
            cancelled = self.cancels & (self.term_errors(actual) <= terms)
        return ~((self.errors(actual) <= ulps + allowance) | cancelled)


def expected(
    operator: Operator, inputs: tuple[Any, ...], attributes: dict[str, Any], out_dtype: npt.DTypeLike = None
) -> tuple[Expected, ...]:
    """The outputs of a call on NumPy arrays, as exact as the reference computes; attributes are rounded as in any call."""
    plan = operator.plan(*inputs, backend="reference", **attributes)
    if out_dtype is not None:
        out = tuple(np.empty(array.shape, out_dtype) for array in as_tuple(plan.result))
        plan = operator.plan(*inputs, out=out if len(out) > 1 else out[0], backend="reference", **attributes)
    computation, kernel, loop = plan.computation, plan.kernel, plan.computation.loop
    assert isinstance(kernel, ReferenceKernel)
    with np.errstate(all="ignore"):
        numbers = [Sized(n, np.abs(n), np.zeros_like(n), True) for n in kernel.numbers(*plan.addresses)]
        formulas = [xp.bind(formula, _SIZED) for formula in computation.formulas]
        elements = [_sized(result) for result in computation.element(*formulas, *numbers)]
    unit = float(np.finfo(computation.compute).eps) / 2
    expectations = []
    for number, array in enumerate(as_tuple(plan.result)):
        whole = [np.zeros_like(array, kernel.precision) for _ in range(3)]
        for operand, result in zip(loop.outputs, elements, strict=True):
            if operand.tensor != number:
                continue
            scale = whole[0].itemsize // array.itemsize
            strides = tuple(scale * s for s in operand.strides)
            for target, part in zip(whole, (result.value, result.size, result.slip), strict=True):
                start = target.ravel(order="K")[operand.offset // array.itemsize :]
                np.lib.stride_tricks.as_strided(start, loop.shape, strides)[...] = part
        expectations.append(Expected(*whole, unit, array.dtype))
    return tuple(expectations)


def exact(operator: Operator, inputs: tuple[Any, ...], attributes: dict[str, Any]) -> tuple[Array, ...]:
    """The outputs of a call on NumPy arrays, not rounded to their dtype: float64, or longdouble for float64."""
    return tuple(e.values for e in expected(operator, inputs, attributes))


def as_tuple(result: Any) -> tuple[Any, ...]:
    """What an operator returned, as one array per output."""
    return result if isinstance(result, tuple) else (result,)


# The error measure


def ulp(values: Array, dtype: npt.DTypeLike) -> Array:
    """The unit in the last place of `dtype` at each value: the distance of the numbers around it.

    Among the subnormals it is the smallest of them, beyond the largest number that of the largest.
    """
    limits = ml_dtypes.finfo(dtype)
    exponent = np.frexp(np.where(np.isfinite(values), values, 0))[1] - 1
    exponent = np.where(values == 0, limits.minexp, np.clip(exponent, limits.minexp, limits.maxexp - 1))
    unit: Array = np.ldexp(np.ones_like(values), exponent - int(limits.nmant))
    return unit


def ulp_errors(actual: Array, values: Array) -> Array:
    """|actual - values| in ULP of actual's dtype; `values` are exact, so 0.5 is a perfect rounding.

    Infinity stands for the next number after the largest and for all beyond it: it is right where an exact value rounds
    to it. NaN agrees with NaN only, and an infinite exact value with infinity only; else the error is infinite. The
    sign of zero does not count.
    """
    largest = values.dtype.type(ml_dtypes.finfo(actual.dtype).max)
    with np.errstate(all="ignore"):
        beyond = largest + ulp(largest, actual.dtype)
        wide = actual.astype(values.dtype)
        is_infinite = np.isinf(wide)
        numbers = np.where(is_infinite, np.copysign(beyond, wide), wide)
        targets = np.where(is_infinite, np.clip(values, -beyond, beyond), values)
        error = np.where(wide == values, 0, np.abs(numbers - targets) / ulp(values, actual.dtype))
        error = np.where(np.isinf(values) & (wide != values), np.inf, error)
    agrees = np.isnan(wide) == np.isnan(values)
    result: Array = np.where(agrees, np.where(np.isnan(values), 0, error), np.inf)
    return result


# Numbers that know how far rounding can move them


class Sized:
    """A number (array), the size of the terms it was summed from, and what rounded arguments of functions change."""

    __array_ufunc__ = None  # so that NumPy leaves `array * sized` to this class
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Array, size: Array, slip: Array, is_exact: bool = False):
        self.value = value
        self.size = size
        self.slip = slip  # absolute, to be multiplied by the unit of the compute dtype
        self.is_exact = is_exact  # no rounding on the way here

    def __add__(self, other: Any) -> Sized:
        b = _sized(other)
        return Sized(self.value + b.value, np.maximum(self.size, b.size), self.slip + b.slip)

    def __mul__(self, other: Any) -> Sized:
        a, b = self, _sized(other)
        x, y = np.abs(a.value), np.abs(b.value)
        is_exact = a.is_exact and b.is_exact and (_is_power_of_two(x) or _is_power_of_two(y))
        return Sized(a.value * b.value, np.maximum(a.size * y, x * b.size), a.slip * y + x * b.slip, is_exact)

    def __truediv__(self, other: Any) -> Sized:
        b = _sized(other)
        inverse = 1 / b.value
        return self * Sized(inverse, b.size * inverse**2, b.slip * inverse**2, b.is_exact and _is_power_of_two(b.value))

    def __neg__(self) -> Sized:
        return Sized(-self.value, self.size, self.slip, self.is_exact)

    def __sub__(self, other: Any) -> Sized:
        return self + -_sized(other)

    def __rsub__(self, other: Any) -> Sized:
        return -self + other

    def __rtruediv__(self, other: Any) -> Sized:
        return _sized(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __gt__(self, other: Any) -> Any:
        return self.value > _sized(other).value

    def __ge__(self, other: Any) -> Any:
        return self.value >= _sized(other).value

    def __lt__(self, other: Any) -> Any:
        return self.value < _sized(other).value

    def __le__(self, other: Any) -> Any:
        return self.value <= _sized(other).value


def _sized(number: Any) -> Sized:
    """A constant of a formula is exact."""
    if isinstance(number, Sized):
        return number
    value = np.asarray(number, np.float64)
    return Sized(value, np.abs(value), np.zeros_like(value), True)


def _is_power_of_two(x: Array) -> bool:
    return x.ndim == 0 and bool(np.frexp(np.abs(x))[0] == 0.5)


def _where(condition: Any, x: Any, y: Any) -> Sized:
    a, b = _sized(x), _sized(y)
    parts = ((a.value, b.value), (a.size, b.size), (a.slip, b.slip))
    return Sized(*(np.where(condition, p, q) for p, q in parts), a.is_exact and b.is_exact)


def _minimum(x: Any, y: Any) -> Sized:
    a, b = _sized(x), _sized(y)
    return _where((a.value <= b.value) | np.isnan(a.value), a, b)


def _maximum(x: Any, y: Any) -> Sized:
    return -_minimum(-_sized(x), -_sized(y))


def _abs(x: Any) -> Sized:
    a = _sized(x)
    return Sized(np.abs(a.value), a.size, a.slip, a.is_exact)


def _function(name: str, slope: Any) -> Any:
    """The function of xp.py for sized numbers; `slope` is its derivative."""

    def apply(x: Any, *constants: float) -> Sized:
        a = _sized(x)
        value = xp.FUNCTIONS[name](a.value, *constants)
        rounding = 0 if a.is_exact else np.maximum(np.abs(a.value), a.size)
        return Sized(value, np.abs(value), np.abs(slope(a.value, *constants)) * (rounding + a.slip))

    return apply


def _sigmoid_cubic_slope(x: Array, c1: float, c3: float) -> Any:
    return xp.sigmoid_cubic(x, c1, c3) * xp.sigmoid_cubic(-x, c1, c3) * (c1 + 3 * c3 * x * x)


_SIZED = {
    "where": _where,
    "abs": _abs,
    "minimum": _minimum,
    "maximum": _maximum,
    "exp": _function("exp", np.exp),
    "expm1": _function("expm1", np.exp),
    "log1p": _function("log1p", lambda x: 1 / (1 + x)),
    "tanh": _function("tanh", lambda x: 1 - np.tanh(x) ** 2),
    "erfc": _function("erfc", lambda x: 2 * np.exp(-x * x) / np.sqrt(np.pi)),
    "normal_cdf": _function("normal_cdf", xp.normal_pdf),
    "normal_pdf": _function("normal_pdf", lambda x: x * xp.normal_pdf(x)),
    "sigmoid_cubic": _function("sigmoid_cubic", _sigmoid_cubic_slope),
}
