"""Ordinary results of extreme numbers: no intermediate result overflows or vanishes. The oracle is mpmath."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from ml_dtypes import bfloat16, finfo

import actgrad

DTYPES = (np.float32, np.float16, bfloat16, np.float64)
BETAS = (0.0, -0.0, 1e-45, -1e-45, 1e-38, -1e-38, 1e-30, 1e-20, -1e-20, 1e-3, 1.0, -1.3, 80.0, 1e20, 1e38, -3e38)


def numbers(dtype: Any) -> Any:
    """Both signs of 0, subnormals, every eighth power of two, the largest numbers, and numbers near the ends of exp."""
    limits = finfo(dtype)
    low, high = np.log2(float(limits.smallest_subnormal)), np.log2(float(limits.max))
    powers = [1.37 * 2.0**e for e in np.linspace(low, high - 1, 36)]
    ends = [0.0, float(limits.smallest_subnormal), float(limits.smallest_normal), float(limits.max), np.inf]
    positive = np.array([*ends, *powers, 0.5, 1.0, 20.0, 80.0, 88.7, 104.0, 700.0, 745.0])
    with np.errstate(over="ignore"):
        return np.concatenate([positive, -positive]).astype(dtype)


def swish(x: Any, beta: Any) -> Any:
    """x * sigmoid(beta * x), with the limits at infinity."""
    if mp.isinf(x):
        z = beta * x if beta else mp.mpf(0)
        return mp.mpf(0) if z < 0 else x / 2 if z == 0 else x
    return x / (1 + mp.exp(-beta * x))


def swish_slope(x: Any, beta: Any) -> Any:
    z = beta * x if beta or not mp.isinf(x) else mp.mpf(0)
    if mp.isinf(z):
        return mp.mpf(0) if z < 0 else mp.mpf(1)
    s = 1 / (1 + mp.exp(-z))
    return s * (1 + z * (1 - s))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_swish_of_extreme_numbers_and_betas(dtype: Any, backend: str) -> None:
    x = numbers(dtype)
    least, largest = float(finfo(dtype).smallest_subnormal), float(finfo(dtype).max)
    wide = np.longdouble if dtype is np.float64 else np.float64
    ulps = {2: 0.51}.get(np.dtype(dtype).itemsize, 12)
    for number in BETAS:
        # Arithmetic in float32 rounds beta first.
        beta = number if dtype is np.float64 else float(np.float32(number))
        got = actgrad.swish(x, beta=number, backend=backend)
        slopes = actgrad.swish_backward(np.ones_like(x), x, beta=number, backend=backend)
        for formula, results in ((swish, got), (swish_slope, slopes)):
            for each, result in zip(x, results, strict=True):
                with mp.workdps(60):
                    exact = formula(mp.mpf(float(each)), mp.mpf(beta))
                    z = abs(mp.mpf(float(each)) * mp.mpf(beta)) if beta and np.isfinite(float(each)) else mp.mpf(0)
                    if mp.isinf(exact) or abs(exact) > largest:
                        right = np.isinf(float(result)) or abs(float(result)) == largest
                    else:
                        # A rounded argument of exp changes the result by its own size.
                        unit = mp.mpf(2) ** -(52 if dtype is np.float64 else 23)
                        step = max(abs(exact) * float(finfo(dtype).eps), mp.mpf(least))
                        allowed = ulps * step + 2 * min(z, 2000) * unit * abs(exact)
                        allowed += 4 * unit * (formula is swish_slope)
                        if z > 129 and backend == "cpu" and dtype is not np.float64:  # a limit of the kernel
                            allowed += mp.mpf(2) ** -187 * abs(float(each))
                        right = abs(mp.mpf(float(wide(result))) - exact) <= allowed
                assert right, (formula.__name__, float(each), number, float(result), mp.nstr(exact, 12))
