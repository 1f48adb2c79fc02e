"""PyTorch's promotion of dtypes, for NumPy's arrays."""

from __future__ import annotations

from functools import reduce
from typing import Any

import ml_dtypes
import numpy as np

Dtype = np.dtype[Any]

FLOAT32 = np.dtype(np.float32)
_BFLOAT16, _FLOAT16 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16)


def category(dtype: Dtype) -> int:
    """0 for bool, 1 for integers, 2 for floating point, 3 for complex numbers."""
    return {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}[dtype.kind]  # "V" is NumPy's word for floats of ml_dtypes


def _of_two(a: Dtype, b: Dtype) -> Dtype:
    if {a, b} == {_BFLOAT16, _FLOAT16}:
        return FLOAT32
    if category(a) != category(b) and min(category(a), category(b)) < 2:
        return max(a, b, key=category)
    return np.promote_types(a, b)


def promoted(*dtypes: Dtype) -> Dtype:
    """The dtype of a result of tensors."""
    return reduce(_of_two, dtypes)


def with_scalar(tensor: Dtype, scalar: Dtype) -> Dtype:
    """The dtype of a result of a tensor and a number. The number counts only if its category is higher."""
    if category(scalar) <= category(tensor):
        return tensor
    defaults: dict[int, Dtype] = {1: np.dtype(np.int64), 2: FLOAT32, 3: np.dtype(np.complex64)}
    return defaults[category(scalar)]


def working(dtype: Dtype) -> Dtype:
    """The dtype to compute in. 16-bit dtypes compute in float32, so that results are rounded once, at the end."""
    return FLOAT32 if dtype in (_BFLOAT16, _FLOAT16) else dtype
