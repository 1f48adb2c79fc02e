"""The judge on integers that are computed as integers, and on what it judges otherwise or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.judge.elements import judged_dtypes
from tests.support.calls import status
from tests.support.diagnoses import judge

Capture = pytest.CaptureFixture[str]


# Integers


def test_integers_that_doubles_do_not_tell_apart() -> None:
    x = np.array([2**62 + 1, 2**63 - 1, -(2**63), 5], np.int64)
    right = np.array([2**62 + 1, 2**63 - 1, 0, 5], np.int64)
    assert judge(actgrad.relu, {}, [x], [right]).holds
    wrong = right - np.array([1, 0, 0, 0], np.int64)
    (output,) = judge(actgrad.relu, {}, [x], [wrong]).outputs
    assert [(f.index, f.actual, f.golden, f.ulps) for f in output.first] == [((0,), 2**62, 2**62 + 1, 1.0)]


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_sums_wrap_around(dtype: Any) -> None:
    most = int(np.iinfo(dtype).max)
    x, y = np.array([most, 1], dtype), np.array([2, 1], dtype)
    wrapped = np.array([1 if dtype is np.uint8 else 0, 2], dtype)
    assert judge(actgrad.add_relu, {}, [x, y], [wrapped]).holds
    (output,) = judge(actgrad.add_relu, {}, [x, y], [np.array([most, 2], dtype)]).outputs
    assert [f.index for f in output.first] == [(0,)]
    assert output.worst[0].ulps == most - int(wrapped[0])


def test_scalars_are_integers_too() -> None:
    x = np.array([1, 2], np.int8)
    assert judge(actgrad.threshold, {"threshold": 1.3, "value": 7.9}, [x], [np.array([7, 2], np.int8)]).holds


def test_a_gradient_without_its_factor_is_named() -> None:
    x = np.random.default_rng(0).integers(-20, 20, 100).astype(np.int32)
    verdict = judge(actgrad.threshold_backward, {"threshold": 3}, [2 * x, x], [np.where(x > 3, 1, 0).astype(np.int32)])
    assert [d.mistake for d in verdict.diagnoses] == ["grad_output-ignored"]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64"])
def test_integers_computed_as_floats(dtype: str) -> None:
    x = np.arange(-3, 4).astype(dtype)
    right = (1 / (1 + np.exp(-x.astype(np.float64)))).astype(np.float32)
    assert judge(actgrad.sigmoid, {}, [x], [right]).holds
    assert not judge(actgrad.sigmoid, {}, [x], [right + np.float32(1e-5)]).holds


def test_our_backend_on_every_integer_dtype(capsys: Capture) -> None:
    assert status("check", "add_relu", "sigmoid", "--dtype", "bool,int8,uint8,int16,int64") == 0
    out = capsys.readouterr().out
    assert {word for word in out.split() if word.startswith(("int", "uint", "bool"))} >= {"bool", "uint8", "int64"}


# Complex numbers


def test_complex_numbers_are_left_out_of_dtypes_and_refused_by_name(capsys: Capture, tmp_path: Path) -> None:
    assert not {"complex64", "complex128"} & set(judged_dtypes(actgrad.sigmoid, None))
    assert status("check", "sigmoid", "--dtype", "float32,complex64") == 2
    assert "--dtype is complex64; check judges real numbers" in capsys.readouterr().err
    x = np.ones(4, np.complex64)
    with pytest.raises(actgrad.InvalidArgument, match="sigmoid: self is complex64; check judges real numbers"):
        judge(actgrad.sigmoid, {}, [x], [actgrad.sigmoid(x, backend="reference")])


# Jumps


def test_either_side_of_a_jump_that_lies_between_two_numbers() -> None:
    slope, betas = np.float32(1.3), np.linspace(0.5, 0.9, 99).astype(np.float32)
    left = {float(b): float(slope) * float(-b / slope) + float(b) for b in betas}  # at the number next to the jump
    beta = min((b for b in left if left[b]), key=lambda b: abs(left[b]))
    x = np.array([-beta / slope, 0.5], np.float32)
    for near, far in ((0, 0), (slope, 0), (0, slope)):
        result = np.array([near, far], np.float32)
        attributes = {"alpha": 1.3, "beta": beta}
        verdict = judge(actgrad.hardsigmoid_backward, attributes, [np.ones_like(x), x], [result], measured=["ulp"])
        assert verdict.holds == (far == 0)


def test_a_sum_that_rounding_makes_negative() -> None:
    alpha, y = np.float32(1.3), np.float32(0.7)
    x = -(alpha * y)  # what is left is the error of the product
    exact = float(x) + float(alpha) * float(y)
    assert exact != 0
    for value in (0.0, abs(exact)):
        out = np.array([value], np.float32)
        assert judge(actgrad.add_relu, {"alpha": 1.3}, [np.array([x]), np.array([y])], [out]).holds
    far = np.array([1e-3], np.float32)
    assert not judge(actgrad.add_relu, {"alpha": 1.3}, [np.array([x]), np.array([y])], [far]).holds


# Tensors along a dimension, and results of other shapes


@pytest.mark.parametrize(("shape", "size"), [((4, 5), 5), ((2, 5, 3), 5), ((2, 5, 3), 1), ((7,), 1)])
def test_a_slope_for_each_channel(shape: tuple[int, ...], size: int) -> None:
    rng = np.random.default_rng(0)
    x, weight = rng.standard_normal(shape).astype(np.float32), rng.standard_normal(size).astype(np.float32)
    slope = weight if size == 1 else weight.reshape(-1, *(1,) * (len(shape) - 2))
    right = np.where(x > 0, x, slope * x)
    assert judge(actgrad.prelu, {}, [x, weight], [right]).holds
    wrong = right.copy()
    place = tuple(n - 1 for n in shape)
    wrong[place] += 1
    (output,) = judge(actgrad.prelu, {}, [x, weight], [wrong]).outputs
    assert [f.index for f in output.first] == [place]
    assert output.first[0].inputs == {"self": float(x[place]), "weight": float(weight[-1])}


@pytest.mark.needs("ascend")
def test_results_of_another_shape() -> None:
    """CANN takes an output with as many elements in a row, so the judge does too if a product is in force."""
    x = np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32)
    right = actgrad.swiglu(x)
    with actgrad.product("Ascend910B"):
        assert judge(actgrad.swiglu, {}, [x], [right.reshape(-1)]).holds
    for size in (0, 12):
        with pytest.raises(actgrad.InvalidArgument, match=rf"swiglu: out has shape \({size},\); it must be \(3, 4\)"):
            judge(actgrad.swiglu, {}, [x], [np.zeros(size, np.float32)])
