"""Mistakes in the form of a function: a clamped sigmoid, 1.702 for GELU, no maximum in exp, a sum in half precision.

Each rule computes the call again with other functions, or with other statistics of its rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ...base import xp
from ...base.computation import LARGEST, TOTAL
from ...base.dtypes import BY_NAME
from .. import error_bounds, oracle
from ..elements import Array, Elements, statistics
from ..error_bounds import FUNCTIONS, Sized
from .sample import Prediction, Rule, Sample, Suspicion

Change = Callable[[str, Sized, Sized], Sized]
#: The inputs at which a sigmoid may be clamped.
_CLAMP_POINTS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 16.0, 20.0)
_LARGEST_EXPONENT = math.log(65504)  # exp of a larger number is infinity in float16
_SLOPES = {"x / 6": 1 / 6, "x / 5": 1 / 5, "x / 4": 1 / 4}  # slopes of lines that approximate a sigmoid
_BLOCKS = (8, 16, 32, 64, 128, 256)
_MOST = 1 << 18  # the number of elements whose rows a rule sums again


def function_form(sample: Sample) -> Iterator[Suspicion]:
    """Sigmoids that are clamped or linear, and x * sigmoid(1.702 x) for GELU."""
    names = frozenset().union(*map(xp.functions_of, sample.call.computation.formulas))
    if any(name.startswith(("normal_cdf", "sigmoid_cubic", "erfc")) for name in names):
        functions = _with(normal_cdf=_cdf_1702, normal_pdf=_slope_1702, sigmoid_cubic=lambda x, c1, c3: _cdf_1702(x))
        yield Suspicion("sigmoid-1.702", "GELU as x * sigmoid(1.702 x)", sample.recomputed(functions=functions))
    if any(name.startswith("sigmoid") for name in names):
        if sample.actual[0].dtype.name == "float16":
            overflow = partial(_cut, FUNCTIONS["sigmoid"], (-_LARGEST_EXPONENT, np.inf))
            sentence = f"exp overflows in float16: the sigmoid is 0 below {-_LARGEST_EXPONENT:.4g}"
            yield Suspicion("exp-overflow", sentence, sample.recomputed(functions=_with(sigmoid=overflow)))
        forms: dict[str, Callable[[Any], Sized]] = {
            f"a straight line for the sigmoid: clamp({words} + 0.5, 0, 1)": partial(_straight, slope)
            for words, slope in _SLOPES.items()
        }
        for end in _CLAMP_POINTS:
            clamped = f"the sigmoid saturates: its argument is clamped to [-{end:g}, {end:g}]"
            forms[clamped] = partial(_clamped, FUNCTIONS["sigmoid"], end)
            forms[f"the sigmoid saturates: it is 0 or 1 beyond {end:g}"] = partial(
                _cut, FUNCTIONS["sigmoid"], (-end, end)
            )
        for sentence, form in forms.items():
            yield Suspicion("saturating-sigmoid", sentence, sample.recomputed(functions=_with(sigmoid=form)))
    if names and sample.is_of_floats:
        for end in _CLAMP_POINTS:
            x = np.clip(sample.x.astype(np.float64), -end, end).astype(sample.x.dtype)
            mistake = "saturating-sigmoid" if any(name.startswith("sigmoid") for name in names) else "clamped-input"
            sentence = f"the function saturates: x is clamped to [-{end:g}, {end:g}]"
            yield Suspicion(mistake, sentence, sample.recomputed(inputs={sample.call.main: x}))


def _with(**functions: Callable[..., Any]) -> Mapping[str, Any]:
    return xp.with_factors({**FUNCTIONS, **functions})


def _cdf_1702(x: Any) -> Sized:
    return FUNCTIONS["sigmoid"](error_bounds.number(x) * 1.702)


def _slope_1702(x: Any) -> Sized:
    s = _cdf_1702(x)
    return 1.702 * s * (1.0 - s)


def _straight(slope: float, x: Any) -> Sized:
    value = error_bounds.number(x).value
    return error_bounds.exactly(np.clip(value * slope + 0.5, 0, 1))


def _clamped(function: Callable[..., Sized], end: float, x: Any) -> Sized:
    return function(error_bounds.number(x).map(lambda part: np.clip(part, -end, end)))


def _cut(function: Callable[..., Sized], ends: tuple[float, float], x: Any) -> Sized:
    value = error_bounds.number(x).value
    result = function(x)
    cut = np.where(value < ends[0], 0, np.where(value > ends[1], 1, result.value))
    return Sized(cut, result.size, result.argument_error)


def exp_overflow(sample: Sample) -> Iterator[Suspicion]:
    """NaN or infinity instead of a limit, beyond a number where exp overflows."""
    if not sample.is_of_floats or sample.is_integer or not _has_exp(sample):
        return
    with np.errstate(all="ignore"):
        x = sample.x.astype(np.float64)
    lost = sample.where(
        lambda right, actual: np.isfinite(right.stored.astype(np.float64)) & ~np.isfinite(actual.astype(np.float64))
    )
    any_lost = np.any(lost, axis=0)
    for side, sign in (("x >=", 1.0), ("x <=", -1.0)):
        ends = sign * x[any_lost & (sign * x > 0)]
        limit = 5.0 if sample.is_half else 20.0
        if len(ends) < 2 or not limit <= ends.min() < np.inf:
            continue
        beyond = sign * x >= ends.min()
        if all(np.count_nonzero(wrong & beyond) > 0.9 * np.count_nonzero(beyond & np.isfinite(x)) for wrong in lost):
            sentence = f"exp overflows: NaN or infinity for {side} {sign * ends.min():g}, where the result is finite"
            at = np.isfinite(x)
            explains = tuple(part & beyond for part in lost)
            yield Suspicion("exp-overflow", sentence, explains=explains, among=tuple(part & at for part in lost))


def _has_exp(sample: Sample) -> bool:
    """Whether the formula calls a function that a kernel computes from exp. hardswish has none."""
    return bool(frozenset().union(*map(xp.functions_of, sample.call.computation.formulas)) - xp.SIMPLE)


def nan_at_infinity(sample: Sample) -> Iterator[Suspicion]:
    """NaN at x = inf or x = -inf, where the function has a limit: infinity times 0 in the kernel."""
    if not sample.is_of_floats or sample.is_integer:
        return
    lost = sample.where(lambda right, actual: ~np.isnan(right.values) & np.isnan(actual.astype(np.float64)))
    explains, ends = [np.zeros_like(part) for part in lost], []
    limits: set[str] = set()
    floats = [k for k, lane in enumerate(sample.actual) if lane.dtype.kind not in "iu" and lost[k].any()]
    for end in (-np.inf, np.inf):
        at = {k: _with_most(lost[k], [x == end for x in sample.xs_of(k)]) for k in floats}
        results = [sample.right[k].stored[at[k] & ~np.isnan(sample.right[k].values)] for k in floats]
        numbers = np.concatenate([np.empty(0), *(one.astype(np.float64) for one in results)])
        count = sum(np.count_nonzero(lost[k] & at[k]) for k in floats)
        if count and count >= 0.9 * len(numbers):
            explains = [one | (lost[k] & at[k]) if k in at else one for k, one in enumerate(explains)]
            ends.append(f"x = {end}")
            limits |= {f"{number:g}" for number in numbers}
    if ends:
        words = f"the limit there is {min(limits)}" if len(limits) == 1 else "the results have limits there"
        sentence = f"NaN at {' and '.join(ends)}: {words}"
        yield Suspicion("nan-at-infinity", sentence, explains=tuple(explains), among=tuple(explains))


def _with_most(lost: Array, sides: list[Array]) -> Array:
    """The side that has the most lost elements."""
    return max(sides, key=lambda side: np.count_nonzero(lost & side))


def row_statistics(sample: Sample) -> Iterator[Suspicion]:
    """Rows that did not subtract their maximum, and rows that were summed in half precision."""
    call = sample.call
    if call.computation.statistics is None or call.size > _MOST or not call.statistics_axes or sample.is_integer:
        return
    sentence = "the maximum is not subtracted: exp overflows or loses its digits"
    for dtype in ("float32", "float16"):
        yield Suspicion("no-maximum", sentence, _with_statistics(sample, _no_maximum, _exp_in(dtype)))
    for number in (0.0, 1.0):
        sentence = f"the sum of each row is left out: as if it were {number:g}"
        yield Suspicion("sum-ignored", sentence, _with_statistics(sample, _FixedSum(number)))
    length = prod(call.shape[axis] for axis in call.statistics_axes)
    for count in sorted({length % block for block in _BLOCKS if block < length} - {0}):
        sentence = f"the last {count} elements of each row are not counted in its sum"
        yield Suspicion("tail-not-counted", sentence, _with_statistics(sample, partial(_cut_off, call, count)))
    for name in ("float16", "bfloat16"):
        sentence = f"accumulation in {name}: the sums of rows stagnate"
        for terms, is_one_sum in product((name, "float32"), (False, True)):
            sums = _HalfSums(call, name, terms, is_one_sum)
            prediction = _with_statistics(sample, sums)
            if sums.totals > 1 or not is_one_sum:
                yield Suspicion("half-accumulation", sentence, prediction)


def _with_statistics(sample: Sample, change: Change, functions: Mapping[str, Any] = FUNCTIONS) -> Prediction | None:
    """The results with other statistics of rows.

    `change` makes them from the kind, the terms and the exact statistics.
    """
    call = sample.call

    def statistic(kind: str, each: Any) -> Sized:
        exact = error_bounds.combine(call.shape, call.statistics_axes, kind, each)
        return change(kind, error_bounds.number(each), exact)

    with np.errstate(all="ignore"):
        inputs = call.inputs[: len(call.computation.loop.inputs)]
        lanes = statistics(call.computation, inputs, statistic, functions)
        values = [lane.take(sample.positions) for lane in lanes]
        return sample.recomputed(functions=functions, statistics=values)


def _no_maximum(kind: str, terms: Sized, exact: Sized) -> Sized:
    return exact.map(np.zeros_like) if kind == LARGEST else exact


class _FixedSum:
    """Replaces the sum of each row by a number. If the sum has several totals, the others become 0."""

    def __init__(self, number: float) -> None:
        self.number = number

    def __call__(self, kind: str, terms: Sized, exact: Sized) -> Sized:
        if kind != TOTAL:
            return exact
        number, self.number = self.number, 0.0
        return exact.map(lambda part: np.full_like(part, number))


def _cut_off(call: Elements, count: int, kind: str, terms: Sized, exact: Sized) -> Sized:
    """The statistic of rows without their last elements. The maximum still includes these elements."""
    if kind != TOTAL:
        return exact
    shape, axes = call.shape, call.statistics_axes
    lengths = [shape[axis] for axis in axes]
    is_counted = (np.arange(prod(lengths)) < prod(lengths) - count).reshape(lengths)
    at = np.moveaxis(is_counted.reshape(*lengths, *[1] * (len(shape) - len(axes))), range(len(axes)), axes)
    return error_bounds.combine(shape, axes, kind, terms.map(lambda part: np.where(at, part, 0)))


def _exp_in(dtype: str) -> Mapping[str, Any]:
    """exp rounded to a dtype: infinity and 0 outside its range, as in float32 above 88.7 and below -103.9."""

    def exp_difference(x: Any, y: Any) -> Sized:
        a, b = error_bounds.number(x), error_bounds.number(y)
        value = np.exp(a.value - b.value).astype(BY_NAME[dtype].numpy).astype(np.result_type(a.value))
        return Sized(value, np.abs(value), np.zeros_like(value))

    return _with(exp_difference=exp_difference)


class _HalfSums:
    """Totals of rows in a 16-bit dtype, of terms in that dtype or in float32.

    With `is_one_sum`, the totals are parts of one sum: log_softmax counts the largest elements separately.
    """

    def __init__(self, call: Elements, dtype: str, terms_dtype: str, is_one_sum: bool) -> None:
        self.call = call
        self.dtype, self.terms_dtype = BY_NAME[dtype].numpy, BY_NAME[terms_dtype].numpy
        self.is_one_sum = is_one_sum
        self.terms: Any = 0.0
        self.before: Any = 0.0
        self.totals = 0

    def __call__(self, kind: str, terms: Sized, exact: Sized) -> Sized:
        if kind != TOTAL:
            return exact
        self.totals += 1
        self.terms = self.terms * self.is_one_sum + terms.value
        axes = self.call.statistics_axes
        values = np.broadcast_to(self.terms, self.call.shape).astype(np.float64)
        moved = np.moveaxis(values, axes, range(len(axes))).reshape(-1, *exact.value.shape)
        total = np.zeros(moved.shape[1:], self.dtype)
        for part in moved.astype(self.terms_dtype):
            total = (total + part).astype(self.dtype)
        together = total.astype(exact.value.dtype)
        value, self.before = together - self.before * self.is_one_sum, together
        return Sized(value, np.maximum(exact.size, np.abs(value)), exact.argument_error)


def sign_of_zero(sample: Sample) -> Iterator[Suspicion]:
    """Zeros of the wrong sign."""
    if sample.is_integer:
        return

    def is_turned(right: oracle.Expected, actual: Array) -> Array:
        return (actual == 0) & (right.values == 0) & (np.signbit(actual) != np.signbit(right.values))

    turned = sample.where(is_turned)
    yield Suspicion("zero-sign", "the sign of zero is lost", explains=turned, among=turned)


RULES: tuple[Rule, ...] = (function_form, exp_overflow, nan_at_infinity)
