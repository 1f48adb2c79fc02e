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


def integers(values: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Floats in a dtype of integers. Their fractions are cut off, and NaN is 0, as the document of aclnnCast says.

    Floats become int32 first, or int64 for dtypes that it does not hold. Those beyond its range become the nearest
    integer. Then they wrap, because the document says that negative floats of this range become UINT8 without error.
    """
    wide = np.dtype(np.int32 if dtype.itemsize < 4 or dtype == np.int32 else np.int64)
    limit = 2.0 ** (8 * wide.itemsize - 1)
    if not values.size or (-limit <= values.min() and values.max() < limit):  # NaN is in no range
        return values.astype(wide).astype(dtype)
    values = np.trunc(values.astype(np.float64))
    if dtype == np.uint64:
        is_large = values >= limit
        large = np.where(is_large, np.minimum(values, 2.0**64 - 2.0**11), 0).astype(dtype)
        large[values >= 2.0**64] = np.iinfo(dtype).max
        return np.where(is_large, large, integers(np.where(is_large, 0, values), np.dtype(np.int64)).astype(dtype))
    result = np.where((values >= -limit) & (values < limit), values, 0).astype(wide)
    result[values >= limit], result[values < -limit] = np.iinfo(wide).max, np.iinfo(wide).min
    return result.astype(dtype)


def _wrapped(value: Any, bits: int, is_signed: bool) -> int:
    """The number in an integer of `bits`."""
    if isinstance(value, float):
        return int(integers(np.asarray([value]), np.dtype(f"{'' if is_signed else 'u'}int{bits}"))[0])
    number = int(value) % (1 << bits)
    return number - (1 << bits) if is_signed and number >> bits - 1 else number


def _real(value: Any) -> Any:
    return value.real if isinstance(value, complex) else value
