"""Each planted mistake in the arithmetic is found, named and located.

The wrong outputs are made here with plain NumPy, not by the functions that the diagnosis computes with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad.base.dtypes import BY_NAME
from tests.support import sample_values
from tests.support.diagnoses import ALPHA, OFF, SCALE, assert_named, elu_gradient, judge, numbers

pytestmark = pytest.mark.share(6)


def test_exp_minus_one_cancels() -> None:
    x = np.concatenate([numbers()[1], np.random.default_rng(2).uniform(-0.02, 0.02, 2000).astype(np.float32)])
    wrong = np.where(x > 0, x, np.exp(x) - np.float32(1))
    verdict = judge(actgrad.elu, {}, [x], [wrong])
    assert_named(verdict, "expm1-cancellation")
    assert all("0" in r.says and "5" not in r.says.replace("0.5", "") for r in verdict.ranges), verdict.ranges


def test_one_plus_erf_cancels() -> None:
    from math import erf, sqrt

    x = numbers()[1]
    tail = np.array([np.float32(1) + np.float32(erf(v / sqrt(2))) for v in x.astype(float)], np.float32)
    assert_named(judge(actgrad.gelu, {}, [x], [np.float32(0.5) * x * tail]), "tail-cancellation")


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
def test_rounding_of_integers(dtype: Any) -> None:
    x = np.random.default_rng(4).integers(-90, 90, 2000).astype(dtype)
    exact = SCALE * np.where(x > 0, x, ALPHA * np.expm1(np.minimum(x, 0.0)))
    for mistake, values in (("truncation", np.trunc(exact)), ("floor", np.floor(exact)), ("ceil", np.ceil(exact))):
        assert_named(judge(actgrad.selu, {}, [x], [values.astype(dtype)]), mistake)


def test_integers_that_wrap_around() -> None:
    x = np.arange(-128, 128).astype(np.int8)
    exact = SCALE * np.where(x > 0, x, ALPHA * np.expm1(np.minimum(x, 0.0)))
    verdict = judge(actgrad.selu, {}, [x], [np.rint(exact).astype(np.int64).astype(np.int8)])
    assert_named(verdict, "wrap-around")


def test_truncation_of_bfloat16() -> None:
    g, x = (a.astype(bfloat16) for a in numbers())
    cut = (elu_gradient(g, x).view(np.uint32) >> 16).astype(np.uint16).view(bfloat16)
    assert_named(judge(actgrad.elu_backward, OFF, [g, x], [cut]), "truncation", "bfloat16")


@pytest.mark.parametrize("dtype", [np.float16, bfloat16])
def test_intermediate_results_in_half_precision(dtype: Any) -> None:
    g, x = (a.astype(dtype) for a in numbers())
    alpha, scale, input_scale = (dtype(v) for v in OFF.values())
    tail = np.exp((input_scale * np.minimum(x, dtype(0))).astype(dtype)).astype(dtype)
    slope = np.where(x > 0, scale, ((scale * alpha) * input_scale * tail).astype(dtype))
    verdict = judge(actgrad.elu_backward, OFF, [g, x], [(g * slope).astype(dtype)])
    assert_named(verdict, "half-intermediates", np.dtype(dtype).name)


@pytest.mark.parametrize("short", [np.float16, bfloat16])
def test_a_shorter_dtype(short: Any) -> None:
    g, x = numbers()
    verdict = judge(actgrad.elu_backward, OFF, [g, x], [elu_gradient(g, x).astype(short).astype(np.float32)])
    assert_named(verdict, "lower-precision", np.dtype(short).name)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_subnormals_flushed(dtype: Any) -> None:
    x = sample_values.samples(dtype, 3000, np.random.default_rng(6))
    x = x[np.isfinite(x.astype(np.float64))]
    right = actgrad.elu(x)
    flushed = np.where(np.abs(right) < np.finfo(dtype).smallest_normal, dtype(0), right)
    assert_named(judge(actgrad.elu, {}, [x], [flushed]), "subnormals-flushed")


def test_exp_that_overflows_in_float16() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(0, 2, 3000).astype(np.float16)
    x[:900:60] = np.linspace(-11.2, -16, 15).astype(np.float16)
    x[1500:] *= np.float16(10)
    x[1500:2400:60] = 1000.0
    active, gate = x[:1500].astype(float), x[1500:].astype(float)
    sigmoid = np.where(active < -np.log(65504), 0, 1 / (1 + np.exp(-active)))
    wrong = (active * sigmoid * gate).astype(np.float16)
    verdict = judge(actgrad.swiglu, {}, [x], [wrong])
    assert_named(verdict, "exp-overflow", "exp overflows in float16: the sigmoid is 0 below -11.09")


@pytest.mark.parametrize("stored", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_logarithm_of_a_stored_softmax_is_named(stored: str, dtype: str) -> None:
    scale = 40 if stored == "float32" else 2  # float32 loses digits only where exp underflows
    x = (np.random.default_rng(3).standard_normal((16, 200)) * scale).astype(dtype)
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True).astype(np.float64))
    with np.errstate(divide="ignore", over="ignore"):
        softmax = (e / e.sum(-1, keepdims=True)).astype(BY_NAME[stored].numpy)
        out = np.log(softmax.astype(np.float64)).astype(dtype)
    verdict = judge(actgrad.log_softmax, {}, [x], [out])
    assert [d.mistake for d in verdict.diagnoses] == ["log-of-softmax"]
    assert stored in verdict.diagnoses[0].says


def test_a_softmax_is_no_log_softmax() -> None:
    x = np.random.default_rng(3).standard_normal((16, 200)).astype(np.float32)
    out = actgrad.softmax(x).astype(np.float16).astype(np.float32)
    assert [d.mistake for d in judge(actgrad.softmax, {}, [x], [out]).diagnoses] == ["lower-precision"]
