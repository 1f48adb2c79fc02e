"""Numbers of scalars as CANN reads them: ToFloat, ToInt32 and ToInt64 of aclScalar, and elements of tensors.

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


def as_element(value: Any, dtype: np.dtype[Any], is_integer: bool = False) -> np.ndarray[Any, Any]:
    """The number as an element of a tensor. Of a complex number, a real tensor gets the real part.

    An integer wraps. `is_integer` says that a float stands for one, because aclScalar keeps integers as floats here.
    """
    if dtype.kind in ("i", "u"):
        value = int(value) if is_integer else _real(value)
        value = _wrapped(value, 8 * dtype.itemsize, dtype.kind == "i")
    elif dtype.kind != "c":
        value = _real(value)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(value).astype(dtype)


def _wrapped(value: Any, bits: int, is_signed: bool) -> int:
    """The number in an integer of `bits`. A float is converted to 32 or 64 bits first, and NaN to 0."""
    if isinstance(value, float):
        wide = max(bits, 32)
        low, high = (-(1 << wide - 1), (1 << wide - 1) - 1) if is_signed else (0, (1 << wide) - 1)
        value = 0 if math.isnan(value) else high if value >= high else low if value <= low else int(value)
    number = int(value) % (1 << bits)
    return number - (1 << bits) if is_signed and number >> bits - 1 else number


def _real(value: Any) -> Any:
    return value.real if isinstance(value, complex) else value
