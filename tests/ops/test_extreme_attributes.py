"""Ordinary results of extreme numbers: no intermediate result overflows or vanishes. The oracle is mpmath."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from ml_dtypes import bfloat16, finfo

import actgrad
from actgrad.base.dtypes import BY_NAME
from actgrad.base.loop import TensorMeta
from actgrad.calls import prepare

pytestmark = pytest.mark.share(4)

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


def celu(x: Any, alpha: Any) -> Any:
    return x if x > 0 else alpha * mp.expm1(x / alpha)


def scaled_celu(x: Any, alpha1: Any, alpha2: Any, alpha3: Any) -> Any:
    return alpha3 * x if x > 0 else alpha1 * mp.expm1(x / alpha2)


def elu(x: Any, alpha: Any, scale: Any, input_scale: Any) -> Any:
    return scale * x if x > 0 else scale * alpha * mp.expm1(input_scale * x)


def elu_slope(x: Any, alpha: Any, scale: Any, input_scale: Any) -> Any:
    return scale if x > 0 else scale * alpha * input_scale * mp.exp(input_scale * x)


def softplus(x: Any, beta: Any, threshold: Any) -> Any:
    z = beta * x
    return x if z > threshold else (mp.log1p(mp.exp(z)) if z > -1e4 else mp.exp(z)) / beta


def situ(x: Any, beta: Any) -> Any:
    return beta * mp.tanh(x / beta) / (1 + mp.exp(-x))


SIZES = (1e-38, 1e-30, 1e-10, 1.0, 1e10, 1e30, 3e38)
PAIRS = [(a, b) for a in SIZES for b in SIZES]
FORMULAS = {
    "celu": (celu, ("alpha",), [(sign * a,) for a in SIZES for sign in (1, -1)]),
    "scaled_celu": (scaled_celu, ("alpha1", "alpha2", "alpha3"), [(a, b, 1.0) for a, b in PAIRS]),
    "elu": (elu, ("alpha", "scale", "input_scale"), [(a, b, c) for a, b in PAIRS for c in (1e-30, 1.0, 1e10)]),
    "elu_backward": (
        elu_slope,
        ("alpha", "scale", "input_scale"),
        [(a, b, c) for a, b in PAIRS for c in (1e-30, 1.0, 1e10)],
    ),
    "softplus": (softplus, ("beta", "threshold"), [(s * b, 20.0) for b in SIZES for s in (1, -1)]),
    "situ_glu": (situ, ("beta",), [(b,) for b in SIZES]),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("name", FORMULAS)
def test_ordinary_results_of_extreme_factors(name: str, dtype: Any) -> None:
    """No factor makes an ordinary result infinite, zero, NaN or inexact."""
    formula, names, cases = FORMULAS[name]
    limits = finfo(dtype)
    x = np.array([v for v in numbers(dtype)[::3] if np.isfinite(float(v))]).astype(dtype)
    unit = 2.0**-52 if dtype is np.float64 else 2.0**-23
    for case in cases:
        # A call with ordinary factors has the bounds of tests/ops/test_accuracy.py.
        if all(2.0**-20 <= abs(number) <= 2.0**20 for number in case):
            continue
        attributes = dict(zip(names, case, strict=True))
        if name == "situ_glu":
            got = actgrad.situ_glu(np.concatenate([x, np.ones_like(x)]), **attributes)
        elif name == "elu_backward":
            got = actgrad.elu_backward(np.ones_like(x), **attributes, is_result=False, self_or_result=x)
        else:
            got = actgrad.operators[name](x, **attributes)
        exact_case = [mp.mpf(number if dtype is np.float64 else float(np.float32(number))) for number in case]
        for each, result in zip(x, got, strict=True):
            with mp.workdps(60):
                exact = formula(mp.mpf(float(each)), *exact_case)
                size = abs(exact)
                if size > float(limits.max) * 0.999:
                    assert abs(float(result)) >= float(limits.max) * 0.99, (case, float(each))
                    continue
                step = max(size * float(limits.eps), mp.mpf(float(limits.smallest_subnormal)))
                # float64 has no format for factors that is wider than longdouble, whose exp rounds its argument.
                error = abs(mp.mpf(float(result)) - exact)
                assert error <= 0.51 * step + 4 * unit * size * (dtype is np.float64), (case, float(each), result)


def test_only_factors_of_exp_leave_the_machine_code() -> None:
    """Limits may be as large as one likes, and products round once."""
    x = TensorMeta(BY_NAME["float32"], (8,), (4,))

    def backend(name: str, **attributes: float) -> str:
        operator = actgrad.operators[name]
        return prepare.prepare(operator.definition, (x,), {**operator.defaults, **attributes}).backend

    assert backend("elu") == backend("elu", alpha=0.0) == backend("elu", alpha=3.7) == "cpu"
    assert backend("hardtanh", min_val=-3e38, max_val=3e38) == "cpu"
    assert backend("leaky_relu", negative_slope=1e-30) == "cpu"
    assert backend("softplus", threshold=1e30) == "cpu"
    assert backend("softplus", beta=1e30) == backend("elu", scale=1e-30) == "reference"
