"""Errors in ULP, exact values, and inputs and attributes for tests.

Everything follows from an operator's schema and formula. So a test over the registry that uses these functions also
covers new operators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product as combined
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from ..backends.reference import rounded
from ..base import xp
from ..base.access import Access, join
from ..base.computation import Computation
from ..base.dtypes import BY_NAME, Dtype
from ..base.schema import Argument
from ..calls.operator import Operator
from ..checks.law import LawInForce
from ..checks.run import refused_flags
from . import error_bounds
from .error_bounds import Sized

Array = np.ndarray[Any, np.dtype[Any]]

# Inputs


def special_values(dtype: npt.DTypeLike) -> Array:
    """Zeros, infinities, NaN, the ends of the subnormal and the normal range, and small numbers, of both signs."""
    limits = ml_dtypes.finfo(dtype)
    tiny, normal, largest = limits.smallest_subnormal, limits.smallest_normal, limits.max
    near_zero = [0, tiny, 2 * float(tiny), float(normal) - float(tiny), normal, limits.eps]
    positive = [*near_zero, 0.5, 1, 1.5, 2, largest, np.inf]
    return np.array([sign * float(v) for v in positive for sign in (1, -1)] + [np.nan], np.float64).astype(dtype)


def ends(dtype: str) -> tuple[Any, Any]:
    """The smallest and the largest number of a dtype, as Python numbers."""
    kind = BY_NAME[dtype]
    if kind.kind == "bool":
        return 0, 1
    limits: Any = ml_dtypes.finfo(kind.numpy) if kind.kind == "float" else np.iinfo(kind.numpy)
    number = float if kind.kind == "float" else int
    return number(limits.min), number(limits.max)


def stratified(dtype: npt.DTypeLike, count: int, rng: np.random.Generator) -> Array:
    """At least `count` finite values with random mantissas. All exponents and both signs are equally frequent."""
    dtype = np.dtype(dtype)
    bits, mantissa = 8 * dtype.itemsize, int(ml_dtypes.finfo(dtype).nmant)
    exponents = 2 ** (bits - 1 - mantissa) - 1  # all exponents except the exponent of infinity and NaN
    rounds = -(-count // (2 * exponents))
    upper = np.concatenate([np.arange(exponents), np.arange(exponents) + exponents + 1])  # sign bit and exponent
    words = (np.tile(upper, rounds).astype(np.uint64) << np.uint64(mantissa)) | rng.integers(
        0, 2**mantissa, rounds * len(upper), np.uint64
    )
    return words.astype(f"u{dtype.itemsize}").view(dtype)


def tensors(
    operator: Operator, attributes: dict[str, Any], x: Array, rng: np.random.Generator | None = None
) -> tuple[Any, ...]:
    """The tensors of a call that computes the formula once for each value of `x`.

    All other operands (grad_output, the other half of a packed tensor) are 1, or with `rng` random normal numbers.
    Optional tensors are left out.
    """
    x = x.reshape(operator.access.row(x.size))

    def other() -> Array:
        values = np.ones(x.shape) if rng is None else np.asarray(rng.standard_normal(x.shape))
        return values.astype(x.dtype)

    return tuple(tensor for tensor in paired(operator, attributes, x, other) if tensor is not None)


def paired(
    operator: Operator, attributes: dict[str, Any], x: Array, other: Callable[[], Array]
) -> tuple[Array | None, ...]:
    """The tensors of a call in which `x` is the main operand, and each other operand is a result of `other`.

    `other` returns an array with as many elements as `x`. An optional tensor is None.
    """
    definition = operator.definition

    def tensor(access: Access, argument: Argument) -> Array | None:
        if argument.is_optional:
            return None
        shape = access.whole_shape(argument.name, x.shape, attributes)
        if dtypes := definition.dtypes_of(argument.name):
            return np.resize(np.arange(256), shape).astype(dtypes[0])
        is_main = argument.name == definition.main
        count = len(access.parts(argument.name, shape, attributes))
        values = [x if is_main and k == 0 else other().reshape(x.shape) for k in range(count)]
        if not access.brings_elements(argument.name):
            values = [np.resize(values[0], shape)]
        return np.asarray(join(access, argument.name, values, attributes, np.concatenate))

    saved = definition.required_outputs
    tensors = {a.name: tensor(operator.access, a) for a in operator.schema.tensors if a.name not in saved}
    if saved:
        forward = operator.gradient_of
        assert forward is not None, "only a gradient reads outputs of a forward operator"
        inputs = [tensors.get(a.name, tensor(forward.access, a)) for a in forward.schema.tensors]
        results = dict(zip(forward.schema.outputs, forward_results(operator, attributes, *inputs), strict=True))
        tensors |= {name: results[output] for name, output in saved.items()}
    return tuple([tensors[name] for name in operator.schema.tensor_names])


# Attributes

LARGE_IN_ROWS = 1000.0  # exp of this number overflows in every dtype, but a sum over a row does not
#: Values for an operator's scalars, in their order. They differ from each other and from the defaults. One is a power
#: of two, and one is negative. For no 16-bit number x is `first * x + second` 0 or 1, because rounding would decide
#: there on which side of a jump the result lies.
_SCALARS = ((1.3, 0.7, 0.5, 0.3), (0.6, 2.3, 1.1, 1.9), (-1.2, 1.7, 0.9, 0.8))


def attribute_cases(operator: Operator, judge: LawInForce | None = None) -> list[dict[str, Any]]:
    """Attributes to try: all combinations of flags and choices, with default and with other scalars.

    Cases that break a rule of the operator are left out. An int attribute that is not the switch has its default.
    """
    arguments = operator.schema.attributes
    scalars = [a.name for a in arguments if a.type == "Scalar"]
    options: dict[str, tuple[Any, ...]] = {a.name: (False, True) for a in arguments if a.type == "bool"}
    for flag in refused_flags(operator.definition):
        del options[flag]
    if operator.choices:
        options[str(operator.switch)] = operator.choices
    values = [dict(zip(scalars, row, strict=False)) for row in _SCALARS] if scalars else []
    cases = [
        {**operator.defaults, **numbers, **dict(zip(options, flags, strict=True))}
        for numbers in [{}, *values]
        for flags in combined(*options.values())
    ]
    rules = operator.requires.values()
    cases = [case for case in cases if all(holds(case) for holds in rules)]
    return cases if judge is None else [case for case in cases if judge.allows(operator.definition, case)]


def attributes_for(operator: Operator, attributes: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    """The attributes with scalars for tensors of this dtype. For integer arithmetic, scalars are integers in range."""
    definition, kind = operator.definition, BY_NAME[dtype].kind
    computes_integers = definition.integers.formula is not None and not definition.integers.in_floats
    if kind not in ("bool", "int", "uint") or not computes_integers:
        return dict(attributes)
    minimum, maximum = (0, 1) if kind == "bool" else ends(dtype)
    rounded = {name: min(max(round(attributes[name]), int(minimum)), int(maximum)) for name in operator.schema.scalars}
    return {**attributes, **rounded}


def forward_results(operator: Operator, attributes: Mapping[str, Any], *inputs: Any) -> tuple[Array, ...]:
    """The results of a gradient operator's forward operator, with the attributes that both have."""
    forward = operator.gradient_of
    assert forward is not None, "a backward operator"
    shared = {name: value for name, value in attributes.items() if name in forward.defaults}
    return tuple(map(np.asarray, as_tuple(forward(*inputs, backend="reference", **shared))))


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


def as_tuple(result: Any) -> tuple[Any, ...]:
    """The result of an operator as a tuple with an array for each output."""
    return result if isinstance(result, tuple) else (result,)


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
