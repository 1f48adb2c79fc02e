"""The dtype in which CANN compares a tensor with a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..aclnn.objects import AclScalar
from ..choice import current_product
from .arrays import element_of
from .entry import FLOAT32, Dtype, category, promoted, with_scalar

_FLOAT64 = np.dtype(np.float64)
_NEAR = 2.0**-23  # CANN's sources compare doubles with this distance


def compared(compare: Any, tensor: Dtype, number: AclScalar) -> Dtype:
    """The dtype to which both are converted. Ascend950 promotes by PyTorch's rules, the other products by their own."""
    scalar, product = number.dtype.numpy, current_product()
    if product is not None and product.name == "Ascend950":
        return with_scalar(tensor, scalar)
    if compare in (np.greater, np.greater_equal):
        return _of_greater(tensor, number)
    if category(tensor) >= 2:
        return promoted(tensor, scalar) if category(scalar) == 3 and compare in (np.equal, np.not_equal) else tensor
    if compare in (np.equal, np.not_equal):
        return promoted(tensor, scalar) if category(tensor) == 0 or category(scalar) >= 2 else tensor
    return FLOAT32 if scalar == _FLOAT64 else promoted(tensor, scalar)


def _of_greater(tensor: Dtype, number: AclScalar) -> Dtype:
    """A float64 number that the tensor's floats nearly represent does not promote."""
    if category(tensor) == 2 and number.dtype.numpy == _FLOAT64:
        rounded = float(element_of(number, tensor))
        if rounded == number.value or abs(rounded - number.value) <= _NEAR:
            return tensor
    return promoted(tensor, number.dtype.numpy)
