"""Mistakes in the arithmetic: rounding, precision, subnormal numbers, terms that cancel.

A rule takes a sample and yields suspicions, as in `mistakes`. Some rules predict only the size of the errors. They win
only if no other rule explains the failing elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from ...base import xp
from ...base.dtypes import BY_NAME
from .. import error_bounds
from ..elements import Array
from ..error_bounds import Sized
from ..oracle import Expected
from .sample import Prediction, Rule, Sample, Suspicion


def rounding_to_integers(sample: Sample) -> Iterator[Suspicion]:
    """The exact value converted to an integer without rounding to nearest, or without saturation."""
    if not sample.is_integer:
        return
    limits = np.iinfo(sample.actual[0].dtype)
    span = float(limits.max) - float(limits.min) + 1
    ways: tuple[tuple[str, str, Callable[[Array], Array]], ...] = (
        ("truncation", "truncation for rounding: digits behind the point are cut off", np.trunc),
        ("floor", "rounded down, not to nearest", np.floor),
        ("ceil", "rounded up, not to nearest", np.ceil),
        ("half-away", "ties are rounded away from 0, not to even", _half_away),
        ("wrap-around", "values beyond the dtype wrap around, they do not saturate",
         lambda v: (np.rint(v) - limits.min) % span + limits.min),
    )  # fmt: skip
    for mistake, sentence, way in ways:
        with np.errstate(invalid="ignore"):  # NaN
            values = [way(one.values) if one.dtype.kind in "iu" else one.values for one in sample.right]
        yield Suspicion(mistake, sentence, _valued(sample, values))


def rounded_otherwise(sample: Sample) -> Iterator[Suspicion]:
    """16-bit floats that were truncated, or rounded to the other 16-bit dtype first. Passing elements show it too."""
    if not sample.is_half:
        return
    name = sample.actual[0].dtype.name
    other = {"float16": "bfloat16", "bfloat16": "float16"}[name]

    def twice(right: Expected) -> Array:
        return right.values.astype(np.float32).astype(BY_NAME[other].numpy).astype(right.dtype)

    cut = f"truncation for rounding: bits that {name} cannot hold are cut off"
    for mistake, sentence, share, way in (
        ("double-rounding", f"double rounding: results are rounded to {other} before {name}", 0.98, twice),
        ("truncation", cut, 0.9, _truncated),  # a kernel that rounds would round half of the right elements up
    ):
        agrees = []
        for right, actual in zip(sample.right, sample.actual, strict=True):
            with np.errstate(all="ignore"):
                values = way(right).astype(np.float64)
                agrees.append((values == actual.astype(np.float64)) | (np.isnan(values) & np.isnan(actual)))
        if np.mean(np.concatenate(agrees)) > share:
            explains = tuple(wrong & a for wrong, a in zip(sample.wrong, agrees, strict=True))
            yield Suspicion(mistake, sentence, explains=explains)


def _half_away(values: Array) -> Array:
    return np.copysign(np.floor(np.abs(values) + 0.5), values)


def _truncated(right: Expected) -> Array:
    """The 16-bit number next to each value in the direction of 0."""
    values, stored = right.values, right.stored
    if right.dtype.itemsize != 2:  # bits next to floats
        return stored
    with np.errstate(all="ignore"):
        above = np.abs(stored.astype(values.dtype)) > np.abs(values)
        toward_zero = (stored.view(np.uint16) - above.astype(np.uint16)).view(right.dtype)
        return toward_zero.astype(values.dtype)


def _valued(sample: Sample, values: list[Array]) -> Prediction:
    """A prediction of exactly these values."""
    zero = np.zeros(len(sample.positions))
    return [
        replace(right, values=v, size=np.abs(v), argument_error=zero)
        for right, v in zip(sample.right, values, strict=True)
    ]


def subnormals_flushed(sample: Sample) -> Iterator[Suspicion]:
    """Subnormal inputs and results that were treated as 0."""
    if not sample.is_of_floats:
        return

    def flushed(values: Array, dtype: np.dtype[Any]) -> Array:
        normal = float(ml_dtypes.finfo(dtype).smallest_normal)
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(values.astype(np.longdouble)) < normal, values.dtype.type(0), values)

    floats = {k: lane for k, lane in enumerate(sample.inputs) if BY_NAME[lane.dtype.name].kind == "float"}
    inputs = {k: flushed(lane, lane.dtype) for k, lane in floats.items()}
    prediction = sample.recomputed(inputs=inputs)
    if prediction is not None:
        results = [p.values if p.dtype.kind in "iu" else flushed(p.values, p.dtype) for p in prediction]
        concerned = np.zeros(len(sample.positions), bool)  # an input or a result is subnormal
        for values, dtype in ((lane, lane.dtype) for lane in floats.values()):
            concerned |= (flushed(values, dtype) == 0) & (values != 0)
        for right in sample.right:
            if right.dtype.kind not in "iu":
                concerned |= (flushed(right.values, right.dtype) == 0) & (right.values != 0)
        pairs = zip(results, sample.right, strict=True)
        results = [np.where(concerned, one, right.values) for one, right in pairs]
        yield Suspicion("subnormals-flushed", "subnormal numbers are flushed to 0", _valued(sample, results))


def lower_precision(sample: Sample) -> Iterator[Suspicion]:
    """Values that are all numbers of a shorter dtype."""
    itemsize = sample.actual[0].dtype.itemsize
    for name in ("bfloat16", "float16", "float32"):
        dtype = BY_NAME[name].numpy
        if sample.is_integer or dtype.itemsize >= itemsize:
            continue
        values = sample.failing_values
        with np.errstate(all="ignore"):
            is_short = (values.astype(dtype).astype(values.dtype) == values).all()
        if is_short and 2 * np.count_nonzero(values) > len(values):  # 0 is a number of every dtype
            sentence = f"computed or stored in {name}: every value that is wrong is a {name} number"
            explains = _within(sample, 8 * float(ml_dtypes.finfo(dtype).eps))
            yield Suspicion("lower-precision", sentence, explains=explains, share=0.9)


def log_of_softmax(sample: Sample) -> Iterator[Suspicion]:
    """The logarithm of a softmax that was stored in some dtype: it loses digits, and is -inf where exp underflows."""
    call = sample.call
    if not call.statistics_axes or len(sample.memory) != 1 or not sample.is_of_floats or sample.is_integer:
        return
    _, exact, shape = sample.memory[0]
    if shape != call.shape or not exact.size:
        return
    with np.errstate(all="ignore"):
        sums = np.exp(exact.astype(np.float64).reshape(shape)).sum(axis=tuple(call.statistics_axes))
        is_log_softmax = bool((np.abs(sums[np.isfinite(sums)] - 1) < 1e-6).all()) and np.isfinite(sums).any()
    if not is_log_softmax:
        return
    for name in ("float16", "bfloat16", "float32"):
        with np.errstate(all="ignore"):
            stored = [np.exp(one.values.astype(np.float64)).astype(BY_NAME[name].numpy) for one in sample.right]
            values = [np.log(one.astype(np.float64)) for one in stored]
        sentence = f"the logarithm of a softmax in {name}: small probabilities lose their digits, or become -inf"
        yield Suspicion("log-of-softmax", sentence, _valued(sample, values))


def half_intermediates(sample: Sample) -> Iterator[Suspicion]:
    """Intermediate results that were rounded to the 16-bit storage dtype."""
    if sample.is_half:
        limits = ml_dtypes.finfo(sample.actual[0].dtype)
        explains = _within(sample, 4 * float(limits.eps), 4 * float(limits.smallest_subnormal))
        if not _has_both_signs(sample):
            return
        sentence = f"intermediate results are rounded to {sample.actual[0].dtype.name}: every error is of that size"
        yield Suspicion("half-intermediates", sentence, explains=explains, is_loose=True)


def _has_both_signs(sample: Sample) -> bool:
    """Whether errors make results larger and smaller, as rounding does, or only few elements fail."""
    right = np.concatenate([one.values[wrong] for one, wrong in zip(sample.right, sample.wrong, strict=True)])
    larger = np.abs(sample.failing_values.astype(np.float64)) > np.abs(right.astype(np.float64))
    return len(larger) < 20 or 0.05 < float(np.mean(larger)) < 0.95


def _within(sample: Sample, relative: float, absolute: float = 0.0) -> tuple[Array, ...]:
    """The wrong elements whose errors are within a share of their terms."""

    def is_near(right: Expected, actual: Array) -> Array:
        error = np.abs(actual.astype(right.values.dtype) - right.values)
        return error <= relative * (right.size + right.argument_error) + absolute

    return sample.where(is_near)


def expm1_as_exp(sample: Sample) -> Iterator[Suspicion]:
    """exp(x) - 1, which has no correct digits near 0."""
    if "expm1" in _functions(sample):
        functions = {**error_bounds.FUNCTIONS, "expm1": lambda x: error_bounds.FUNCTIONS["exp"](x) - 1.0}
        sentence = "exp(x) - 1 for expm1(x): the difference cancels near 0"
        yield Suspicion("expm1-cancellation", sentence, sample.recomputed(functions=functions), is_loose=True)


#: Functions that tend to 0 on the negative side.
_TAILS = ("normal_cdf", "sigmoid", "sigmoid_cubic")


def distribution_as_sum(sample: Sample) -> Iterator[Suspicion]:
    """(1 + erf) / 2 or (1 + tanh) / 2, which has no correct digits in the negative tail."""
    with np.errstate(invalid="ignore"):
        tail = sample.x < -4
    if sample.is_half and not any(
        np.count_nonzero(wrong & tail) > 0.3 * np.count_nonzero(tail) for wrong in sample.wrong
    ):
        return  # a 16-bit number loses digits only at large negative x, and there it loses all digits
    with np.errstate(invalid="ignore"):
        outside = [np.count_nonzero(wrong & ~(sample.x < -1)) for wrong in sample.wrong]
    if sum(outside) > 0.1 * sum(map(np.count_nonzero, sample.wrong)):
        return  # the sum loses no digits there
    lost = sample.failing_values == 0
    if len(lost) and np.mean(lost) > 0.8:  # a result of 0 may come from any small number
        return
    if _functions(sample) & {*_TAILS, *(f"{name}_times" for name in _TAILS)}:
        sums = {name: partial(_as_sum, error_bounds.FUNCTIONS[name]) for name in _TAILS}
        functions = xp.with_factors({**error_bounds.FUNCTIONS, **sums})
        sentence = "(1 + erf) / 2 or (1 + tanh) / 2: the sum cancels in the negative tail"
        yield Suspicion("tail-cancellation", sentence, sample.recomputed(functions=functions), is_loose=True)


def _as_sum(function: Callable[..., Sized], *arguments: Any) -> Sized:
    value = function(*arguments)
    return Sized(value.value, np.maximum(value.size, 0.5), value.argument_error)


def _functions(sample: Sample) -> frozenset[str]:
    """The functions that the formulas of the call use."""
    return frozenset().union(*map(xp.functions_of, sample.call.computation.formulas))


RULES: tuple[Rule, ...] = (
    rounding_to_integers, rounded_otherwise, log_of_softmax, lower_precision, expm1_as_exp, distribution_as_sum,
    half_intermediates,
)  # fmt: skip
