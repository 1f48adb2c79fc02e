"""Profiles: what an output may hold at infinities, and where a formula jumps, if it does not follow CANN's contract.

A profile changes exact values of single elements. Everywhere else, and for the standards, nothing changes. PyTorch's
profile also takes the values of formulas that read an intermediate result in 16 bits, where PyTorch stores one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from .. import aten
from ..backends.reference import rounded
from ..base import xp
from ..base.definition import functions_in
from ..base.dtypes import BY_NAME
from ..base.errors import ActgradError, library
from ..base.xp import sigmoid
from . import oracle
from .elements import Array, At, Elements, Lane, elements
from .error_bounds import FUNCTIONS, Sized
from .golden import Golden

CANN, PYTORCH, IEEE = "cann", "pytorch", "ieee"
#: The values of --profile.
PROFILES: Mapping[str, str] = {
    CANN: "the contract of CANN's operators: a limit where the function has one",
    PYTORCH: "PyTorch's values (torch.ops.aten) where they are infinite or NaN, where an input is infinite, NaN or "
    "near the largest number, and where the formula jumps",
    IEEE: "NaN too where an input is infinite and the function has a finite limit: infinity times 0",
}
MOST_ALONE = 256  # elements with NaN that PyTorch computes one by one


def _slope_of_stored_sigmoid(x: Any) -> Any:
    s = sigmoid(x)  # type: ignore[no-untyped-call]
    return s * (1.0 - s)


#: Operators of which PyTorch stores an intermediate result in the dtype of its tensors: the function that is stored,
#: and the formula of the derivative from it. In 16 bits, 1 - sigmoid(x) is then 0 for large x.
_STORED: Mapping[str, tuple[str, Callable[..., Any]]] = {"glu_backward": ("sigmoid", _slope_of_stored_sigmoid)}
_APART = 4.0  # relative difference, in units of the dtype's precision, above which two values differ


class Profile:
    """The exact values of a call under a profile."""

    def __init__(self, name: str, call: Elements, golden: Golden) -> None:
        self.name, self.call, self.golden = name, call, golden
        self._of_pytorch: tuple[Lane, ...] = ()
        is_float = BY_NAME[call.x.array.dtype.name].kind == "float"
        if name == PYTORCH and is_float and call.size and call.operator.name in aten.ATEN:
            self._of_pytorch = _lanes_of_pytorch(call)

    @property
    def is_plain(self) -> bool:
        """Whether the profile changes nothing for this call."""
        return self.name == CANN or (self.name == PYTORCH and not self._of_pytorch)

    def adjusted(self, number: int, exact: Array, actual: Array, inputs: Sequence[Any], at: At) -> Array:
        """The exact values of output lane `number` at these positions."""
        if self.is_plain or actual.dtype.kind in "iu":
            return exact
        arrays = [lane for lane in inputs if isinstance(lane, np.ndarray) and lane.dtype.kind not in "iub"]
        finite = [np.isfinite(lane.astype(np.float64)) for lane in arrays]
        is_special = ~np.all(finite, axis=0) if finite else np.zeros(len(exact), bool)
        if self.name == IEEE:
            lost = np.isnan(actual.astype(np.float64)) & np.isfinite(exact) & is_special
            return np.where(lost & _has_tails(self.call), np.nan, exact)
        is_special |= np.any([_is_largest(lane) for lane in arrays], axis=0)
        other = self._of_pytorch[number].take(at).astype(exact.dtype)
        differs, has_nan = _differ(exact, other, actual.dtype), _has_nan(arrays)
        is_special |= ~np.isfinite(other)
        jumps = np.zeros(len(exact), bool)
        if (candidates := np.flatnonzero(differs & ~is_special)).size:
            jumps[candidates] = self._jumps(number, exact, other, inputs, candidates, actual.dtype)
        # PyTorch treats NaN in an input differently at different positions, so each of its values is right there.
        wide = actual.astype(exact.dtype)
        either = differs & ~_differ(exact, wide, actual.dtype) & has_nan
        chosen = np.where(differs & (is_special | jumps) & ~either, other, exact)
        for k in np.flatnonzero(has_nan & _differ(chosen, wide, actual.dtype))[:MOST_ALONE]:
            chosen[k] = self._alone(number, inputs, int(k), chosen[k])
        if self.call.operator.name not in _STORED or actual.dtype.itemsize > 2:
            return chosen
        stored = self._from_stored(number, inputs, actual.dtype)
        with np.errstate(invalid="ignore"):
            is_nearer = np.abs(wide - stored) < np.abs(wide - chosen)
        return np.where(is_nearer & ~is_special, stored, chosen)

    def _from_stored(self, number: int, inputs: Sequence[Any], dtype: np.dtype[Any]) -> Array:
        """The exact values of the formula that reads an intermediate result in this dtype."""
        name, derivative = _STORED[self.call.operator.name]

        def stored(x: Any) -> Sized:
            result: Sized = FUNCTIONS[name](x)
            return result.map(lambda part: rounded(part, BY_NAME[dtype.name]).astype(part.dtype))

        computation = self.call.computation._replace(formulas=(*self.call.computation.formulas[:-1], derivative))
        functions = xp.with_factors({**FUNCTIONS, name: stored})
        results = Golden(computation).expected(inputs, dtype, functions)
        return results[self.call.numbers[number]].values

    def _alone(self, number: int, inputs: Sequence[Any], k: int, otherwise: Any) -> Any:
        """PyTorch's value for an element as the only one of its tensors: its loops for the last few elements."""
        operator = self.call.operator
        if not operator.access.is_uniform or len(inputs) != len(self.call.tensors):
            return otherwise
        one = [lane[k : k + 1] for lane in inputs]
        results = oracle.as_tuple(aten.results(_torch(), operator, tuple(one), _stated(self.call)))
        return results[number][0]

    def _jumps(
        self, number: int, exact: Array, other: Array, inputs: Sequence[Any], at: Array, dtype: np.dtype[Any]
    ) -> Array:
        """Whether PyTorch's values are the formula's values directly next to x, behind a jump.

        In 16 bits, a steep formula differs at the next number too. But half way, it has neither of both values.
        """
        lanes = [lane[at] for lane in inputs]

        def value(x: Array) -> Array:
            moved = [*lanes]
            moved[self.call.main] = x
            return self.golden.expected(moved, np.float64)[self.call.numbers[number]].values

        x = lanes[self.call.main]
        found = np.zeros(len(at), bool)
        for end in (-np.inf, np.inf):
            with np.errstate(over="ignore"):
                beyond = np.nextafter(x, x.dtype.type(end))
            there, between = value(beyond), value((x.astype(np.longdouble) + beyond.astype(np.longdouble)) / 2)
            is_slope = _differ(between, there, dtype, 1.0) & _differ(between, exact[at], dtype, 1.0)
            found |= _differ(there, exact[at], dtype) & ~is_slope & ~_differ(there, other[at], dtype)
        return found


def _torch() -> Any:
    return library("torch", f"--profile {PYTORCH} needs PyTorch", "torch", ActgradError)


def _stated(call: Elements) -> dict[str, Any]:
    return {name: value for name, value in call.attributes.items() if value is not None}


def _lanes_of_pytorch(call: Elements) -> tuple[Lane, ...]:
    inputs = tuple(None if a is None else np.array(a, order="C") for a in call.tensors)  # a map may be read-only
    results = oracle.as_tuple(aten.results(_torch(), call.operator, inputs, _stated(call)))
    of_pytorch = elements(call.operator, call.attributes, call.tensors, results)
    return tuple(of_pytorch.outputs)


def _differ(a: Array, b: Array, dtype: np.dtype[Any], units: float = _APART) -> Array:
    """Whether values differ by more than their rounding to this dtype."""
    apart = units * float(ml_dtypes.finfo(dtype).eps)
    with np.errstate(all="ignore"):
        near = (np.abs(a - b) <= apart * np.maximum(np.abs(a), np.abs(b))) & np.isfinite(a) & np.isfinite(b)
    return np.asarray(~(near | (a == b) | (np.isnan(a) & np.isnan(b))))


def _is_largest(lane: Array) -> Array:
    """Whether numbers are so large that a sum or a product of two overflows."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(lane.astype(np.float64)) >= float(ml_dtypes.finfo(lane.dtype).max) / 16)


def _has_nan(arrays: Sequence[Array]) -> Array:
    return np.asarray(np.any([np.isnan(lane.astype(np.float64)) for lane in arrays], axis=0))


def _has_tails(call: Elements) -> bool:
    """Whether the formula calls a function such as exp, whose limit is multiplied by infinity."""
    formulas = [f for formula in call.computation.formulas for f in functions_in(formula)]
    return bool(frozenset().union(*map(xp.functions_of, formulas)) - xp.SIMPLE)
