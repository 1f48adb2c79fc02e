"""Inputs of accuracy tests: all numbers of a small dtype, or samples of a large one."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from actgrad.samples import special_values, stratified

Array = np.ndarray[Any, np.dtype[Any]]


def every_value(dtype: npt.DTypeLike) -> Array:
    """All 65,536 values of a 16-bit dtype. Infinities and NaNs are among them."""
    return np.arange(65536, dtype=np.uint16).view(np.dtype(dtype))


def samples(dtype: npt.DTypeLike, count: int, rng: np.random.Generator) -> Array:
    """About `count` values: special values, values with every exponent, and uniform values in several ranges.

    In the largest range, exp underflows and overflows in this dtype.
    """
    end = 1.1 * float(np.log(float(ml_dtypes.finfo(dtype).max)))
    spread = [rng.uniform(-reach, reach, count // 8) for reach in (1.0, 4.0, 16.0, 40.0, end)]
    values = [
        special_values(dtype),
        stratified(dtype, 3 * count // 8, rng),
        *(s.astype(dtype) for s in spread),
    ]
    return np.concatenate(values)
