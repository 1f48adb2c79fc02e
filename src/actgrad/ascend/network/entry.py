"""A rule: its computation, its dtype by PyTorch's promotion, and the shape of its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import ml_dtypes
import numpy as np

Shape = tuple[int, ...]
Dtype = np.dtype[Any]

FLOAT32 = np.dtype(np.float32)
_BFLOAT16, _FLOAT16 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16)


def category(dtype: Dtype) -> int:
    """The rank of a dtype in promotion: 0 for bool, 1 for integers, 2 for floating point, 3 for complex numbers."""
    return {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}[dtype.kind]  # "V" is NumPy's word for floats of ml_dtypes


def _of_two(a: Dtype, b: Dtype) -> Dtype:
    if {a, b} == {_BFLOAT16, _FLOAT16}:
        return FLOAT32
    if category(a) != category(b) and min(category(a), category(b)) < 2:
        return max(a, b, key=category)
    return np.promote_types(a, b)


def promoted(*dtypes: Dtype) -> Dtype:
    """The dtype of a result for tensors of these dtypes."""
    return reduce(_of_two, dtypes)


def with_scalar(tensor: Dtype, scalar: Dtype) -> Dtype:
    """The dtype of a result for a tensor and a number. The number counts only if its category is higher."""
    if category(scalar) <= category(tensor):
        return tensor
    defaults: dict[int, Dtype] = {1: np.dtype(np.int64), 2: FLOAT32, 3: np.dtype(np.complex64)}
    return defaults[category(scalar)]


def working(dtype: Dtype) -> Dtype:
    """The dtype to compute in. 16-bit dtypes compute in float32, so that results are rounded once, at the end."""
    return FLOAT32 if dtype in (_BFLOAT16, _FLOAT16) else dtype


#: The dtype of the arrays that a rule gets, and of its result after rounding.
COMMON = "common"  # the promoted dtype of its arguments
FLOATING = "floating"  # the promoted dtype, but float32 for integers
RESULT = "result"  # the dtype of the result, but int64 for integers
EACH = "each"  # each array keeps its own dtype
PROMOTED = "promoted"  # the promoted dtype, but each result is rounded to its own dtype
COMPARED = "compared"  # the dtype in which CANN compares a tensor with a number
MIXED = "mixed"  # the promoted floating dtype, but each result is rounded to its own dtype


@dataclass(frozen=True)
class Entry:
    """A computation, and the shape that its result must have."""

    compute: Callable[..., Any]
    dtype: str = COMMON
    #: A function of shapes, AclScalars and flags that returns a shape. It returns `...` if any shape is right, and a
    #: tuple of shapes for several results. If `shape` is None, the result has the broadcast shape of the inputs.
    shape: Callable[..., Any] | None = None
    is_found: bool = False  # whether the sizes of results depend on the values. `shape` is then the largest
    is_in_place: bool = False  # whether it reads all of its results, while other rules read at most the first
    writes_list: bool = False  # whether one call writes all tensors of a list. Other rules compute one tensor at a time
    reads_nibbles: bool = False  # whether the computation takes INT4, as int8. Other rules refuse INT4
    uses_torch: bool = False  # whether the computation takes tensors of PyTorch. Other rules take arrays of NumPy
    rounds_numbers: bool = False  # whether numbers are first rounded to the promoted dtype, which may have 16 bits
    fills: bool = False  # whether its numbers are elements of the result. They are converted to the result's dtype
    keeps_unsigned: bool = False  # whether a rule of PyTorch takes unsigned integers. Others take their bits as signed
    other_dtypes: Entry | None = None  # the rule of calls whose tensors are not all FLOAT, if it differs


#: A rule that computes with PyTorch.
TorchEntry = partial(Entry, uses_torch=True)


def mean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """sum(a) / count along an axis: NaN if there are no elements. NumPy's mean would print a warning then."""
    return np.mean(a, axis, keepdims=keepdims) if a.size else np.sum(a, axis, keepdims=keepdims) / np.float32(0)
