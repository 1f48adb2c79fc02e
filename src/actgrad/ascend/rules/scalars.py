"""Numbers of scalars as CANN's checks read them: ToFloat, ToInt32 and ToInt64 of aclScalar.

C++ does not define the conversion of a float that no integer can represent. Such a float is the nearest integer here,
as on AArch64. NaN stays NaN, so that every comparison with it passes or fails as in floats.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def to_float(value: Any) -> float:
    """The number in float32."""
    with np.errstate(over="ignore"):
        return float(np.float32(_real(value)))


def to_int(value: Any, bits: int = 64, is_integer: bool = False) -> int | float:
    """The number in int64, or in an integer of `bits`. A fraction is cut off. An integer wraps."""
    value = _real(value)
    if is_integer or isinstance(value, int):
        return (int(value) + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
    if math.isnan(value):
        return float(value)
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    return high if value > high else low if value < low else int(value)


def _real(value: Any) -> Any:
    return value.real if isinstance(value, complex) else value
