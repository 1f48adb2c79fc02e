"""Tables of cubic polynomials for GELU's functions, for processors that load rows of four numbers fast.

`piecewise_cubic` uses these tables instead of `coefficients.FLOAT32_PIECES`, which end closer to 0. The cubics
interpolate the accurate functions in float64. These use only arithmetic, so the tables are the same on every machine.
"""

from collections.abc import Callable
from functools import cache
from math import ceil
from typing import Any

import numpy as np

from . import accurate
from .coefficients import FLOAT32_PIECES

# The end of each table, because coefficients become subnormal soon after it, and the number of pieces per unit. The
# cubics have a relative error of 3.0e-8 (normal) and 3.5e-8 (sigmoid) at the end.
NORMAL_NEAR, NORMAL_PER_UNIT = 12.5, 128.0
SIGMOID_NEAR, SIGMOID_PER_UNIT = 10.0, 224.0


@cache
def tables() -> dict[str, Any]:
    """The constants of `accurate` by name, with these tables instead of the tables in `coefficients`."""
    c1, c3 = (FLOAT32_PIECES[name] for name in ("SIGMOID_C1", "SIGMOID_C3"))
    return FLOAT32_PIECES | {
        "NORMAL_NEAR": NORMAL_NEAR,
        "NORMAL_PER_UNIT": NORMAL_PER_UNIT,
        "NORMAL_PIECES": (
            _cubics(lambda a: accurate.normal_cdf(-a), NORMAL_NEAR, NORMAL_PER_UNIT),
            _cubics(lambda a: accurate.normal_pdf(a) / -NORMAL_PER_UNIT, NORMAL_NEAR, NORMAL_PER_UNIT),
        ),
        "SIGMOID_NEAR": SIGMOID_NEAR,
        "SIGMOID_PER_UNIT": SIGMOID_PER_UNIT,
        "SIGMOID_PIECES": (
            _cubics(lambda a: accurate.sigmoid_cubic(-a, c1, c3), SIGMOID_NEAR, SIGMOID_PER_UNIT),
        ),
    }  # fmt: skip


def _cubics(function: Callable[[Any], Any], end: float, per_unit: float) -> Any:
    """Row n: the cubic in u = per_unit*a - n that equals function(a) at Chebyshev's four points of |u| <= 1/2."""
    u = np.polynomial.chebyshev.chebpts1(4) / 2
    a = (np.arange(ceil(end * per_unit) + 1)[:, None] + u) / per_unit
    return (function(a) @ np.linalg.inv(np.vander(u, 4)).T).astype(np.float32)
