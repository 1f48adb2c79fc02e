"""Cubic polynomials for GELU's functions near 0: tables for machines that read rows of four numbers fast.

They take the place of `coefficients.FLOAT32_PIECES`, for the same functions up to the same ends, in `cubic_pieces`. Made
from the accurate functions in float64, which use nothing but arithmetic: the tables are the same on every machine.
"""

from collections.abc import Callable
from functools import cache, partial
from math import ceil
from typing import Any

import numpy as np

from . import accurate
from .coefficients import FLOAT32_PIECES

PER_UNIT = 64.0  # pieces; so short that a cubic's relative error is at most 2.1e-8 (normal) and 5.2e-8 (sigmoid)


@cache
def tables() -> dict[str, Any]:
    """The constants of `accurate` by name."""
    cubic = partial(accurate.sigmoid_cubic, c1=FLOAT32_PIECES["SIGMOID_C1"], c3=FLOAT32_PIECES["SIGMOID_C3"])
    normal = (lambda a: accurate.normal_cdf(-a), lambda a: accurate.normal_pdf(a) / -PER_UNIT)
    return {
        **FLOAT32_PIECES,
        "NORMAL_PER_UNIT": PER_UNIT,
        "NORMAL_PIECES": _pieces(FLOAT32_PIECES["NORMAL_NEAR"], *normal),
        "SIGMOID_PER_UNIT": PER_UNIT,
        "SIGMOID_PIECES": _pieces(FLOAT32_PIECES["SIGMOID_NEAR"], lambda a: cubic(-a)),
    }


def _pieces(end: float, *functions: Callable[[Any], Any]) -> tuple[tuple[float, ...], ...]:
    """Row n, of each function(a): the cubic in u = PER_UNIT*a - n that has its values at Chebyshev's four points."""
    u = np.polynomial.chebyshev.chebpts1(4) / 2
    a = (np.arange(ceil(end * PER_UNIT) + 1)[:, None] + u) / PER_UNIT
    interpolated = np.linalg.inv(np.vander(u, 4)).T
    rows = np.concatenate([function(a) @ interpolated for function in functions], axis=1)
    return tuple(map(tuple, rows.astype(np.float32).tolist()))
