"""Each planted mistake is found, named and located; right results get no diagnosis.

The wrong outputs are made here with plain NumPy, not by the functions that the diagnosis computes with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad.conformance import Verdict
from actgrad.judge import oracle
from actgrad.judge.backend_cases import cases
from actgrad.judge.elements import judged_dtypes
from actgrad.judge.standards import ONLY_IF_NAMED
from tests.support import sample_values
from tests.support.diagnoses import ALPHA, OFF, SCALE, Array, assert_named, elu_gradient, judge, mistakes, numbers

pytestmark = pytest.mark.share(6)

# Right results


@pytest.mark.parametrize("operator", actgrad.operators.values(), ids=lambda o: o.name)
@pytest.mark.share(16)
def test_what_is_right_gets_no_diagnosis(operator: actgrad.Operator) -> None:
    for dtype in judged_dtypes(operator, None):
        for case in cases(operator, dtype, seed=11):
            if case.name not in ("usual", "special") or (dtype == "float64" and case.name == "usual"):
                continue
            results = oracle.as_tuple(operator(*case.inputs, **case.attributes))
            usual = [name for name in case.standards if name not in ONLY_IF_NAMED]
            verdict = judge(operator, case.attributes, case.inputs, results, measured=usual)
            assert verdict.holds, (dtype, case)
            assert not verdict.diagnoses


def test_another_arithmetic_that_is_right_gets_no_diagnosis() -> None:
    g, x = numbers()
    assert judge(actgrad.elu_backward, OFF, [g, x], [elu_gradient(g, x)]).holds


def test_what_nothing_explains_gets_no_diagnosis() -> None:
    g, x = numbers()
    noise = np.random.default_rng(5).standard_normal(x.size).astype(np.float32)
    for attributes in (OFF, {}, {**OFF, "is_result": True}):
        verdict = judge(actgrad.elu_backward, attributes, [g, x], [noise])
        assert verdict.failing
        assert not verdict.diagnoses


def test_errors_of_the_right_size_in_a_few_elements_are_no_diagnosis() -> None:
    x = numbers()[1]
    x[:50] = np.linspace(-1e-4, -1e-3, 50)
    wrong = np.where(x > 0, x, np.exp(x) - np.float32(1))
    wrong[50:1500] = np.random.default_rng(9).standard_normal(1450)
    assert not judge(actgrad.elu, {}, [x], [wrong]).diagnoses


def test_neighbours_in_half_precision_are_no_other_attribute() -> None:
    """Where alpha is almost 1, leaving it out gives many of the neighbours too."""
    g, x = (a.astype(bfloat16) for a in numbers())
    x = -np.abs(x)
    attributes = {"alpha": 1.006, "scale": 0.7}
    bits = actgrad.elu_backward(g, x, **attributes).view(np.uint16)
    beside = np.where(np.arange(x.size) % 5 < 2, bits + 1, bits - 1).astype(np.uint16).view(bfloat16)
    assert mistakes(judge(actgrad.elu_backward, attributes, [g, x], [beside])) == ["half-intermediates"]


# Branches


def test_wrong_branch_at_zero() -> None:
    g, x = numbers()
    wrong = np.where(x == 0, g * np.float32(0.7), elu_gradient(g, x))
    verdict = judge(actgrad.elu_backward, OFF, [g, x], [wrong])
    assert_named(verdict, "branch-at-0", "as if it were positive")
    assert [(r.says, r.failing, r.elements) for r in verdict.ranges] == [("x = 0", 8, 8)]
    x = x[x != 0]
    assert judge(actgrad.elu_backward, OFF, [g[: x.size], x], [elu_gradient(g[: x.size], x)]).holds


def test_the_branch_at_zero_is_the_products() -> None:
    g, y = numbers()
    y = np.clip(y, -1.7, 1)
    positive, negative = g * np.float32(SCALE), g * (y + np.float32(SCALE * ALPHA))
    at_zero_positive, at_zero_negative = np.where(y >= 0, positive, negative), np.where(y > 0, positive, negative)
    judged = judge(actgrad.selu_backward, {}, [g, y], [at_zero_negative])
    assert_named(judged, "branch-at-0", "the rule of Ascend950")
    with actgrad.product("Ascend950"):
        assert judge(actgrad.selu_backward, {}, [g, y], [at_zero_negative]).holds
        judged = judge(actgrad.selu_backward, {}, [g, y], [at_zero_positive])
    assert_named(judged, "branch-at-0", "the rule of Ascend910_93, Ascend910B")


def test_the_branch_at_zero_of_integers() -> None:
    rng = np.random.default_rng(1)
    g, y = rng.integers(-20, 20, 2000).astype(np.int8), rng.integers(-2, 3, 2000).astype(np.int8)
    exact = g * np.where(y > 0, SCALE, y + SCALE * ALPHA)
    wrong = np.clip(np.rint(exact), -128, 127).astype(np.int8)
    assert_named(judge(actgrad.selu_backward, {}, [g, y], [wrong]), "branch-at-0", "the rule of Ascend950")


# Attributes and factors


@pytest.mark.parametrize("name", OFF)
def test_an_attribute_that_is_missing(name: str) -> None:
    g, x = numbers()
    verdict = judge(actgrad.elu_backward, OFF, [g, x], [elu_gradient(g, x, **{**OFF, name: 1.0})])
    assert_named(verdict, f"missing-{name}", f"as if {name} were 1")


def test_a_slope_that_is_ignored() -> None:
    g, x = numbers()
    wrong = np.where(x > 0, g, np.float32(0.01) * g)
    verdict = judge(actgrad.leaky_relu_backward, {"negative_slope": 0.3}, [g, x], [wrong])
    assert_named(verdict, "negative_slope-ignored", "its default")


def test_a_scale_that_is_missing_on_one_side() -> None:
    g, x = numbers()
    for side, where in ((x > 0, "where x > 0"), (x <= 0, "where x <= 0")):
        right = elu_gradient(g, x)
        verdict = judge(actgrad.elu_backward, OFF, [g, x], [np.where(side, right / np.float32(0.7), right)])
        assert_named(verdict, "missing-scale", where)
        assert all(("<= 0" in r.says or "-" in r.says) == ("<=" in where) for r in verdict.ranges)


def test_input_scale_on_the_positive_side() -> None:
    g, x = numbers()
    wrong = np.where(x > 0, np.float32(0.6), np.float32(1)) * elu_gradient(g, x)
    verdict = judge(actgrad.elu_backward, OFF, [g, x], [wrong])
    assert_named(verdict, "surplus-input_scale", "where x > 0")
    forward = np.where(x > 0, x * np.float32(0.7 * 0.6), actgrad.elu(x, **OFF))
    assert_named(judge(actgrad.elu, OFF, [x], [forward]), "surplus-input_scale", "where x > 0")


def test_a_scale_that_is_built_in_and_missing() -> None:
    g, y = numbers()
    y = np.clip(y, -1.7, 1)
    without = np.where(y >= 0, g, g * (y / np.float32(SCALE) + np.float32(ALPHA)))
    assert_named(judge(actgrad.selu_backward, {}, [g, y], [without]), "missing-scale")
    only_inside = np.where(y >= 0, g, g * (y + np.float32(ALPHA)))
    assert_named(judge(actgrad.selu_backward, {}, [g, y], [only_inside]), "missing-scale", "SCALE = 1.0507")


def test_attributes_that_are_exchanged_or_converted() -> None:
    g, x = numbers()
    swapped = elu_gradient(g, x, alpha=0.7, scale=1.3)
    assert_named(judge(actgrad.elu_backward, OFF, [g, x], [swapped]), "attributes-exchanged", "alpha and scale")
    cut = elu_gradient(g, x, alpha=2.0)
    verdict = judge(actgrad.elu_backward, {**OFF, "alpha": 2.7}, [g, x], [cut])
    assert_named(verdict, "alpha-converted", "cut to an integer")


def test_a_sign_and_any_other_factor() -> None:
    g, x = numbers()
    right = elu_gradient(g, x)
    assert_named(judge(actgrad.elu_backward, OFF, [g, x], [-right]), "sign")
    assert_named(judge(actgrad.elu_backward, OFF, [g, x], [right * np.float32(3.25)]), "factor", "3.25")


# Flags, choices, inputs


def test_the_result_taken_for_the_input_and_the_other_way_round() -> None:
    g, x = numbers()
    from_input = elu_gradient(g, x)
    verdict = judge(actgrad.elu_backward, {**OFF, "is_result": True}, [g, x], [from_input])
    assert_named(verdict, "result-for-input", "the result is taken for the input")
    from_result = g * np.where(x > 0, np.float32(0.7), np.float32(0.6) * (x + np.float32(0.7 * 1.3)))
    verdict = judge(actgrad.elu_backward, OFF, [g, x], [from_result])
    assert_named(verdict, "result-for-input", "the input is taken for the result")


def test_the_forward_pass_applied_to_what_is_a_result_already() -> None:
    g, x = numbers()
    y = np.where(x > 0, SCALE * x, SCALE * ALPHA * np.expm1(np.minimum(x, 0)))
    wrong = g * np.where(y >= 0, SCALE, y + SCALE * ALPHA)
    assert_named(judge(actgrad.selu_backward, {}, [g, x], [wrong.astype(np.float32)]), "forward-applied")


def test_grad_output_ignored_and_inputs_exchanged() -> None:
    g, x = numbers()
    alone = elu_gradient(np.ones_like(g), x)
    assert_named(judge(actgrad.elu_backward, OFF, [g, x], [alone]), "grad_output-ignored")
    assert_named(judge(actgrad.elu_backward, OFF, [g, x], [elu_gradient(x, g)]), "inputs-exchanged")


def gelu(x: Array, approximate: str) -> Array:
    from math import erfc, sqrt, tanh

    if approximate == "tanh":
        return np.array([0.5 * v * (1 + tanh(sqrt(2 / np.pi) * (v + 0.044715 * v**3))) for v in x.astype(float)])
    return np.array([0.5 * v * erfc(-v / sqrt(2)) for v in x.astype(float)])


@pytest.mark.parametrize(("asked", "computed"), [("none", "tanh"), ("tanh", "none")])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_tanh_for_erf_and_erf_for_tanh(asked: str, computed: str, dtype: Any) -> None:
    x = numbers()[1].astype(dtype)
    verdict = judge(actgrad.gelu, {"approximate": asked}, [x], [gelu(x, computed).astype(dtype)])
    words = {"tanh": "tanh for erf", "none": "erf for tanh"}[computed]
    assert mistakes(verdict)[:1] == [f"approximate-{computed}"]
    assert words in verdict.diagnoses[0].says


def geglu_gradient(g: Array, active: Array, other: Array) -> tuple[Array, Array]:
    """Of the active and of the other half."""
    x = active.astype(float).ravel()
    density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    y = gelu(active.ravel(), "none")
    slope = np.where(x == 0, 0.5, y / np.where(x == 0, 1, x)) + x * density
    g, other = g.astype(float), other.astype(float)
    halves = g * slope.reshape(g.shape) * other, g * y.reshape(g.shape)
    return halves[0].astype(active.dtype), halves[1].astype(active.dtype)


@pytest.mark.parametrize("dim", [-1, 0])
def test_swapped_halves(dim: int) -> None:
    rng = np.random.default_rng(3)
    packed, g = (rng.standard_normal(shape).astype(np.float32) for shape in ((24, 40), (24, 20) if dim else (12, 40)))
    lower, upper = np.split(packed, 2, axis=dim)
    attributes = {"dim": dim}

    def judged(*halves: Array) -> Verdict:
        return judge(actgrad.geglu_backward, attributes, [g, packed, None], [np.concatenate(halves, axis=dim)])

    active, other = geglu_gradient(g, upper, lower)
    assert judged(other, active).holds
    assert_named(judged(active, other), "swapped-halves", "written where the other's belongs")
    active, other = geglu_gradient(g, lower, upper)
    assert_named(judged(active, other), "swapped-halves", "as if activate_left were True")
    assert_named(judged(other, active), "swapped-halves", "while the gradients are written as they should be")
    y = gelu(lower.ravel(), "none").reshape(lower.shape)
    out = [(y * upper).astype(np.float32), y.astype(np.float32)]
    assert_named(judge(actgrad.geglu, attributes, [packed], out), "swapped-halves", "the other half is activated")


@pytest.mark.parametrize("dim", [-1, 0])
@pytest.mark.parametrize("name", ["swiglu", "glu"])
def test_swapped_halves_without_a_flag(name: str, dim: int) -> None:
    rng = np.random.default_rng(4)
    packed, g = (rng.standard_normal(shape).astype(np.float32) for shape in ((24, 40), (24, 20) if dim else (12, 40)))
    halves = [half.astype(np.float64) for half in np.split(packed, 2, axis=dim)]
    active, other = halves if name == "swiglu" else halves[::-1]  # GLU's gate is the upper half

    def gate(x: Array) -> Array:
        return (x if name == "swiglu" else 1) / (1 + np.exp(-x))

    operator = actgrad.operators[name]
    assert judge(operator, {"dim": dim}, [packed], [(gate(active) * other).astype(np.float32)]).holds
    swapped = (gate(other) * active).astype(np.float32)
    assert_named(judge(operator, {"dim": dim}, [packed], [swapped]), "swapped-halves", "the other half is activated")
    right = actgrad.operators[f"{name}_backward"](g, packed, dim=dim)
    exchanged = np.concatenate(np.split(right, 2, axis=dim)[::-1], axis=dim)
    verdict = judge(actgrad.operators[f"{name}_backward"], {"dim": dim}, [g, packed], [exchanged])
    assert_named(verdict, "swapped-halves", "written where the other's belongs")


def test_output_left_unwritten() -> None:
    g, x = numbers()
    right = elu_gradient(g, x)
    for value in (np.nan, 0.0, 123.0):
        wrong = right.copy()
        wrong[1000:1100] = value
        assert_named(judge(actgrad.elu_backward, OFF, [g, x], [wrong]), "unwritten", "elements 1000 to 1099")
    verdict = judge(actgrad.elu_backward, OFF, [g, x], [np.full_like(x, np.nan)])
    assert_named(verdict, "unwritten", "every element")


def test_nan_and_infinity_lost() -> None:
    x = sample_values.samples(np.float16, 500, np.random.default_rng(8))
    right = actgrad.elu(x, scale=3.0)
    without_nan = np.where(np.isnan(x), np.float16(0), right)
    assert_named(judge(actgrad.elu, {"scale": 3.0}, [x], [without_nan]), "nan-lost")
    x = x[~np.isnan(x)]
    clipped = np.clip(actgrad.elu(x, scale=3.0), -65504, 65504)
    assert_named(judge(actgrad.elu, {"scale": 3.0}, [x], [clipped]), "saturated")


def test_two_mistakes_are_two_diagnoses() -> None:
    g, x = numbers()
    wrong = np.where(x < 0, np.float32(1 / 1.3), np.float32(1)) * elu_gradient(g, x)
    wrong[-8:] = g[-8:] * np.float32(0.7)
    verdict = judge(actgrad.elu_backward, OFF, [g, x], [wrong])
    assert mistakes(verdict) == ["missing-alpha", "branch-at-0"]


def test_a_few_elements_are_no_second_mistake() -> None:
    """Swapped halves in PyTorch's arithmetic: two results of 0 that are subnormal, and NaN at -inf."""
    x = np.random.default_rng(1).normal(0, 3, (64, 60)).astype(np.float32)
    x[3, 40], x[4, 41], x[5, 42] = -104.0, -99.0, -np.inf
    x[3, 10], x[4, 11] = -4.9, -3.6
    lower, upper = x[:, :30].astype(float), x[:, 30:].astype(float)
    with np.errstate(all="ignore"):
        wrong = (upper / (1 + np.exp(-upper)) * lower).astype(np.float32)
        wrong[3, 10], wrong[4, 11], wrong[5, 12] = 0.0, 0.0, np.nan
    verdict = judge(actgrad.swiglu, {}, [x], [wrong])
    assert mistakes(verdict) == ["swapped-halves"]


def test_an_operator_that_is_added_is_diagnosed_too(smooth_relu: Any) -> None:
    x = numbers()[1]
    wrong = smooth_relu.smooth_relu(x, beta=1.0)
    assert_named(judge(smooth_relu.smooth_relu, {"beta": 1.7}, [x], [wrong]), "missing-beta")


@pytest.mark.parametrize("name", ["gelu_backward", "threshold_backward", "hardsigmoid_backward", "silu_backward"])
def test_the_forward_result_instead_of_the_gradient_is_named(name: str) -> None:
    operator = actgrad.operators[name]
    rng = np.random.default_rng(8)
    g, x = (rng.uniform(-4, 4, (40, 30)).astype(np.float32) for _ in range(2))
    attributes = {"threshold": 0.5} if name.startswith("threshold") else {}
    forward = {"threshold": 0.5, "value": 0.0} if name.startswith("threshold") else {}
    out = operator.gradient_of(x, **forward)
    verdict = judge(operator, attributes, [g, x], [out])
    assert [d.mistake for d in verdict.diagnoses] == ["forward-returned"]
    assert operator.gradient_of.name in verdict.diagnoses[0].says
