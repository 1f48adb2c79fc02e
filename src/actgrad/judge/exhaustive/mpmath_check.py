"""Compares the exact values of a sweep with mpmath, on a sample, because the sweep measures by these values."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...base import xp
from ...base.computation import Computation
from ...base.errors import ActgradError
from ..elements import Array
from ..golden import ATOL, RTOL, Golden

DIGITS = 40
SAMPLED = 48  # finite numbers
_FAR = 10_000  # beyond this number, every function here is constant or overflows


def verify(golden: Golden, lanes: Sequence[Array], name: str) -> bool:
    """Raise if exact values differ from mpmath's by more than 2^-40 of the larger term.

    Return False if mpmath is missing.

    `lanes` are finite inputs of the formula.
    """
    try:
        mpmath = importlib.import_module("mpmath")
    except ImportError:
        return False
    expected = golden.expected(lanes, np.float64)
    values = golden.values(lanes)
    with mpmath.workdps(DIGITS):
        for k in range(len(lanes[0])):
            numbers = [mpmath.mpf(float(lane[k])) for lane in lanes]
            for got, standard, of in zip(values, _exact(mpmath, golden.computation, numbers), expected, strict=True):
                room = RTOL * max(float(of.size[k]), float(of.argument_error[k])) + ATOL
                if not _agree(mpmath, float(got[k]), standard, room):
                    at = ", ".join(repr(float(lane[k])) for lane in lanes)
                    says = f"{float(got[k])!r} in float64, {mpmath.nstr(standard, 17)} in mpmath"
                    fault = f"{name}: the exact value at ({at}) is {says}"
                    raise ActgradError(f"{fault}; both must agree; report this, because the reference is wrong here")
    return True


def _agree(mpmath: Any, got: float, standard: Any, room: float) -> bool:
    if np.isnan(got):
        return bool(mpmath.isnan(standard))
    if np.isinf(got) or not np.isfinite(room):
        return bool(abs(standard) > mpmath.ldexp(1, 1000) and (standard > 0) == (got > 0))
    return bool(abs(got - standard) <= room)


def _exact(mpmath: Any, computation: Computation, numbers: list[Any]) -> tuple[Any, ...]:
    """The results of a computation in mpmath's numbers."""
    functions = _functions(mpmath)
    formulas = [xp.bind(formula, functions) for formula in computation.formulas]
    results = computation.element(*formulas, *numbers, *map(mpmath.mpf, computation.scalars))
    return tuple(results) if isinstance(results, (tuple, list)) else (results,)


_NAMES = {"exp": "exp", "expm1": "expm1", "tanh": "tanh", "erfc": "erfc", "normal_cdf": "ncdf", "normal_pdf": "npdf"}


def _functions(mpmath: Any) -> Mapping[str, Any]:
    """The functions of xp.py in mpmath."""

    def near(function: Any) -> Any:
        return lambda x: function(max(-_FAR, min(x, _FAR)))

    functions = {name: near(getattr(mpmath, word)) for name, word in _NAMES.items()}
    exp = functions["exp"]
    functions |= {
        "conjugate": lambda x: x, "abs": abs, "minimum": min, "maximum": max, "log1p": mpmath.log1p,
        "where": lambda condition, x, y: x if condition else y,
        "sqrt": lambda x: mpmath.nan if x < 0 else mpmath.sqrt(x),
        "rsqrt": lambda x: mpmath.nan if x < 0 else mpmath.inf if x == 0 else 1 / mpmath.sqrt(x),
        "erfinv": lambda x: mpmath.nan if abs(x) > 1 else mpmath.inf * x if abs(x) == 1 else mpmath.erfinv(x),
        "sigmoid": lambda x: 1 / (1 + exp(-x)),
        "sigmoid_cubic": lambda x, c1, c3: 1 / (1 + exp(-(c1 * x + c3 * x**3))),
    }  # fmt: skip
    return xp.with_factors(functions)
