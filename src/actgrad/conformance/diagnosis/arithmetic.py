"""Mistakes in the arithmetic: rounding, precision, subnormal numbers, terms that cancel.

The rules are as in `mistakes`. Some predict only the size of the errors: they win where no other rule explains the
failing elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
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


def rounding(sample: Sample) -> Iterator[Suspicion]:
    """The exact value converted to the output's dtype without rounding to nearest."""
    exact = [right.values for right in sample.right]
    if sample.is_integer:
        limits = np.iinfo(sample.actual[0].dtype)
        ways: Mapping[str, tuple[str, Callable[[Array], Array]]] = {
            "truncation": ("truncation for rounding: digits behind the point are cut off", np.trunc),
            "floor": ("rounded down, not to nearest", np.floor),
            "ceil": ("rounded up, not to nearest", np.ceil),
            "half-away": ("ties are rounded away from 0, not to even", _half_away),
        }
        for mistake, (says, way) in ways.items():
            yield Suspicion(mistake, says, _valued(sample, [way(v) for v in exact]))
        span = float(limits.max) - float(limits.min) + 1
        wrapped = [(np.rint(v) - limits.min) % span + limits.min for v in exact]
        yield Suspicion(
            "wrap-around", "values beyond the dtype wrap around, they do not saturate", _valued(sample, wrapped)
        )
        return
    if sample.actual[0].dtype.itemsize == 2:
        cut = [_truncated(right) for right in sample.right]
        pairs = zip(cut, sample.actual, strict=True)
        agrees = [(c == actual.astype(c.dtype)) | np.isnan(c) for c, actual in pairs]
        if np.mean(np.concatenate(agrees)) > 0.9:  # right elements included: half of them would be rounded up
            says = f"truncation for rounding: bits that {sample.actual[0].dtype.name} has no room for are cut off"
            explains = tuple(w & a for w, a in zip(sample.wrong, agrees, strict=True))
            yield Suspicion("truncation", says, explains=explains)


def _half_away(values: Array) -> Array:
    return np.copysign(np.floor(np.abs(values) + 0.5), values)


def _truncated(right: Expected) -> Array:
    """The number of 16 bits next to each value in the direction of 0."""
    values, stored = right.values, right.stored
    with np.errstate(all="ignore"):
        above = np.abs(stored.astype(values.dtype)) > np.abs(values)
        toward_zero = (stored.view(np.uint16) - above.astype(np.uint16)).view(right.dtype)
        return toward_zero.astype(values.dtype)


def _valued(sample: Sample, values: list[Array]) -> Prediction:
    """A prediction of exactly these values."""
    zero = np.zeros(len(sample.places))
    return [replace(right, values=v, size=np.abs(v), slip=zero) for right, v in zip(sample.right, values, strict=True)]


def subnormals_flushed(sample: Sample) -> Iterator[Suspicion]:
    """Subnormal inputs and results taken for 0."""
    if not sample.is_of_floats:
        return

    def flushed(values: Array, dtype: np.dtype[Any]) -> Array:
        normal = float(ml_dtypes.finfo(dtype).smallest_normal)
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(values.astype(np.longdouble)) < normal, values.dtype.type(0), values)

    prediction = sample.recomputed(inputs=[flushed(lane, lane.dtype) for lane in sample.inputs])
    if prediction is not None:
        results = [flushed(p.values, p.dtype) for p in prediction]
        yield Suspicion("subnormals-flushed", "subnormal numbers are flushed to 0", _valued(sample, results))


def lower_precision(sample: Sample) -> Iterator[Suspicion]:
    """Every value is one of a shorter dtype."""
    itemsize = sample.actual[0].dtype.itemsize
    for name in ("bfloat16", "float16", "float32"):
        dtype = BY_NAME[name].numpy
        if sample.is_integer or dtype.itemsize >= itemsize:
            continue
        unit = float(ml_dtypes.finfo(dtype).eps)

        def is_long(_: Expected, actual: Array, dtype: np.dtype[Any] = dtype) -> Array:
            return actual.astype(dtype).astype(actual.dtype) != actual

        def is_near(right: Expected, actual: Array, unit: float = unit) -> Array:
            error = np.abs(actual.astype(right.values.dtype) - right.values)
            return error <= 8 * unit * (right.size + right.slip)

        if not any(e.any() for e in sample.where(is_long)):
            says = f"computed or stored in {name}: every value that is wrong is a {name} number"
            yield Suspicion("lower-precision", says, explains=sample.where(is_near))


def expm1_as_exp(sample: Sample) -> Iterator[Suspicion]:
    """exp(x) - 1, which has no digits left near 0."""
    if "expm1" not in _functions(sample):
        return

    def cancelling(x: Any) -> Sized:
        difference: Sized = error_bounds.FUNCTIONS["exp"](x) - 1.0
        return difference

    functions = {**error_bounds.FUNCTIONS, "expm1": cancelling}
    says = "exp(x) - 1 for expm1(x): the error is that of a difference that cancels near 0"
    yield Suspicion("expm1-cancellation", says, sample.recomputed(functions=functions), is_loose=True)


#: Functions with a tail to 0 on the negative side.
_TAILS = ("normal_cdf", "sigmoid", "sigmoid_cubic")


def distribution_as_sum(sample: Sample) -> Iterator[Suspicion]:
    """(1 + erf) / 2 or (1 + tanh) / 2, which has no digits left in the negative tail."""
    words = _functions(sample)
    functions = dict(error_bounds.FUNCTIONS)
    for name in _TAILS:

        def cancelling(x: Any, *constants: float, name: str = name) -> Sized:
            value: Sized = error_bounds.FUNCTIONS[name](x, *constants)
            return Sized(value.value, np.maximum(value.size, 0.5), value.slip)

        def times(x: Any, *rest: Any, cancelling: Callable[..., Sized] = cancelling) -> Sized:
            *constants, by = rest
            return cancelling(x, *constants) * by

        functions |= {name: cancelling, f"{name}_times": times}
    if not words & {*_TAILS, *(f"{name}_times" for name in _TAILS)}:
        return
    says = "1 + erf or 1 + tanh, halved: the error is that of a sum that cancels in the negative tail"
    yield Suspicion("tail-cancellation", says, sample.recomputed(functions=functions), is_loose=True)


def half_intermediates(sample: Sample) -> Iterator[Suspicion]:
    """Intermediate results rounded to the storage dtype of 16 bits."""
    if sample.is_integer or sample.actual[0].dtype.itemsize != 2:
        return

    def is_small(right: Expected, actual: Array) -> Array:
        limits = ml_dtypes.finfo(actual.dtype)
        error = np.abs(actual.astype(right.values.dtype) - right.values)
        return error <= 4 * (float(limits.eps) * (right.size + right.slip) + float(limits.smallest_subnormal))

    name = sample.actual[0].dtype.name
    says = f"intermediate results are rounded to {name}: every error is of that size"
    yield Suspicion("half-intermediates", says, explains=sample.where(is_small), is_loose=True)


def _functions(sample: Sample) -> frozenset[str]:
    """The functions that the formulas of the call use."""
    return frozenset().union(*map(xp.functions_of, sample.call.computation.formulas))


RULES: tuple[Rule, ...] = (
    rounding, subnormals_flushed, lower_precision, expm1_as_exp, distribution_as_sum, half_intermediates,
)  # fmt: skip
