"""The judge: every element is looked at once, wherever it lies, and what fails is told by its place in the tensors."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad.backends.reference import rounded
from actgrad.base.dtypes import BY_NAME
from actgrad.judge import golden, measurement, oracle
from actgrad.judge.diagnosis import axis
from actgrad.judge.elements import elements
from actgrad.judge.golden import Golden
from actgrad.judge.standards import STANDARDS
from tests.support import sample_values
from tests.support.diagnoses import judge

rng = np.random.default_rng(0)


def random(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return rng.standard_normal(shape).astype(dtype)


# Places


def test_failures_are_named_by_index_inputs_and_values() -> None:
    g, x = random(3, 4, 5), random(3, 4, 5)
    out = actgrad.elu_backward(g, x)
    out[1, 2, 3] += 1
    out[2, 0, 4] += 2000
    (output,) = judge(actgrad.elu_backward, {}, [g, x], [out]).outputs
    assert output.failing == 2
    assert [f.index for f in output.first] == [(1, 2, 3), (2, 0, 4)]
    assert [f.index for f in output.worst] == [(2, 0, 4), (1, 2, 3)]
    first = output.first[0]
    assert first.inputs == {"grad_output": float(g[1, 2, 3]), "self_or_result": float(x[1, 2, 3])}
    assert first.actual == float(out[1, 2, 3])
    assert first.golden == pytest.approx(float(out[1, 2, 3]) - 1, abs=1e-6)
    step = float(np.spacing(np.float32(abs(first.golden))))
    assert first.ulps == pytest.approx(1 / step, rel=1e-3)


@pytest.mark.parametrize("activate_left", [False, True])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_failures_of_a_gated_tensor_are_named_by_their_index_in_it(dim: int, activate_left: bool) -> None:
    packed = random(4, 6, 8)
    g = random(*[n // 2 if d == dim % 3 else n for d, n in enumerate(packed.shape)])
    attributes = {"dim": dim, "activate_left": activate_left}
    out = actgrad.geglu_backward(g, packed, **attributes)
    places = [(0, 0, 0), (3, 5, 7)]
    for place in places:
        out[place] += 10
    verdict = judge(actgrad.geglu_backward, attributes, [g, packed, None], [out])
    found = {f.index: f for output in verdict.outputs for f in output.first}
    assert sorted(found) == places
    for place, failure in found.items():
        assert failure.actual == out[place]
        assert float(packed[place]) in failure.inputs.values()
    names = {output.first[0].index: output.name for output in verdict.outputs}
    assert names == {(0, 0, 0): "grad_input, lower half", (3, 5, 7): "grad_input, upper half"}


@pytest.mark.parametrize("operator", actgrad.operators.values(), ids=lambda o: o.name)
def test_lanes_and_golden_agree_with_the_reference_in_any_layout(operator: actgrad.Operator) -> None:
    attributes = oracle.attribute_cases(operator)[-1]
    access = operator.access
    inputs = tuple(
        None  # an optional tensor that no gradient operator is given
        if a.is_optional and a.name != operator.given_value
        else np.asfortranarray(
            random(*access.whole_shape(a.name, (6, 8, 2), attributes)).astype(
                (*operator.definition.dtypes_of(a.name), np.float32)[0]
            )
        )[::-1]
        for a in operator.schema.tensors
    )
    results = oracle.as_tuple(operator(*inputs, backend="reference", **attributes))
    laid_out = tuple(np.asfortranarray(array) for array in results)
    call = elements(operator, attributes, inputs, laid_out)
    places = np.arange(call.size)
    exact = Golden(call.computation).values([lane.take(slice(0, call.size)) for lane in call.inputs])
    for lane, number in zip(call.outputs, call.numbers, strict=True):
        np.testing.assert_array_equal(lane.take(places), lane.take(slice(0, call.size)))
        np.testing.assert_array_equal(lane.take(places), rounded(exact[number], BY_NAME[lane.array.dtype.name]))
    assert judge(operator, attributes, inputs, laid_out).holds


def test_broadcast_inputs() -> None:
    g, x = random(5, 1), random(1, 7)
    out = actgrad.leaky_relu_backward(g, x, negative_slope=0.3)
    assert judge(actgrad.leaky_relu_backward, {"negative_slope": 0.3}, [g, x], [out]).holds
    out[4, 6] += 1
    (output,) = judge(actgrad.leaky_relu_backward, {"negative_slope": 0.3}, [g, x], [out]).outputs
    assert [f.index for f in output.first] == [(4, 6)]
    assert output.elements == 35


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0)])
def test_few_elements_or_none(shape: tuple[int, ...]) -> None:
    x = random(*shape)
    out = np.asarray(actgrad.gelu(x))
    verdict = judge(actgrad.gelu, {}, [x], [out])
    assert verdict.holds
    assert verdict.elements == x.size
    if x.size:
        (output,) = judge(actgrad.gelu, {}, [x], [out + 1]).outputs
        assert [f.index for f in output.first] == [(0,) * len(shape)]


def test_one_of_two_outputs() -> None:
    packed = random(4, 6)
    out, activated = actgrad.geglu(packed)
    assert judge(actgrad.geglu, {}, [packed], [out, None]).elements == 12
    verdict = judge(actgrad.geglu, {}, [packed], [None, activated + 1])
    assert [output.name for output in verdict.outputs] == [actgrad.geglu.schema.outputs[1]]
    assert not verdict.holds


def test_an_output_of_another_dtype_is_judged_in_that() -> None:
    g, x = random(500, dtype=np.float16), random(500, dtype=np.float16)
    out = np.empty(500, np.float32)
    actgrad.elu_backward(g, x, out=out)
    assert judge(actgrad.elu_backward, {}, [g, x], [out]).holds
    rounded = judge(actgrad.elu_backward, {}, [g, x], [out.astype(np.float16).astype(np.float32)])
    assert not rounded.holds
    assert [d.mistake for d in rounded.diagnoses] == ["lower-precision"]


# All elements, once each


@pytest.mark.parametrize("size", [measurement.CHUNK - 1, measurement.CHUNK, 3 * measurement.CHUNK + 5])
def test_each_element_counts_once(size: int) -> None:
    g, x = random(size), random(size)
    out = actgrad.gelu_backward(g, x)
    wrong = rng.choice(size, 1000, replace=False)
    out[wrong] = 7e4
    (output,) = judge(actgrad.gelu_backward, {}, [g, x], [out], explain=False).outputs
    assert output.failing == 1000
    assert sum(output.histogram) == output.elements == size
    assert {o.elements for o in output.outcomes if o.limits is not None} == {size}
    assert [f.index for f in output.first] == [(int(k),) for k in np.sort(wrong)[:5]]


def test_the_verdict_does_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    g, x = random(100_000), random(100_000)
    out = actgrad.gelu_backward(g, x) * np.float32(1.00001)
    verdicts = []
    for cores in (1, 5):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: range(cores), raising=False)
        verdicts.append(judge(actgrad.gelu_backward, {}, [g, x], [out]))
    one, five = verdicts
    for a, b in zip(one.outputs[0].outcomes, five.outputs[0].outcomes, strict=True):
        assert (a.over, a.largest) == (b.over, b.largest)
        assert a.total == pytest.approx(b.total)
    assert one.outputs[0].worst == five.outputs[0].worst
    assert one.ranges == five.ranges


@pytest.mark.needs("ascend")
def test_a_product_that_was_chosen_holds_in_all_threads() -> None:
    y = np.zeros(3 * measurement.CHUNK, np.float32)
    with actgrad.product("Ascend950"):
        out = actgrad.selu_backward(np.ones_like(y), y)
        assert judge(actgrad.selu_backward, {}, [np.ones_like(y), y], [out]).holds
    assert judge(actgrad.selu_backward, {}, [np.ones_like(y), y], [out]).failing == y.size


# What ULPs are no measure of


def test_cancelling_terms_are_judged_by_their_size() -> None:
    y = np.linspace(-1.7580993, -1.7580990, 2000).astype(np.float32)
    g = np.ones_like(y)
    out = actgrad.selu_backward(g, y)
    verdict = judge(actgrad.selu_backward, {}, [g, y], [out])
    assert verdict.holds
    assert verdict.outputs[0].by_terms > 0
    assert not judge(actgrad.selu_backward, {}, [g, y], [out + np.float32(3e-6)]).holds


def test_a_subnormal_factor_excuses_what_it_magnifies_and_no_more() -> None:
    x = np.linspace(-103, -88, 5000).astype(np.float32)  # exp(x) is subnormal
    g = np.full_like(x, 1e6)
    factor = np.exp(x.astype(np.float64)).astype(np.float32)
    assert judge(actgrad.elu_backward, {}, [g, x], [g * factor]).holds
    assert not judge(actgrad.elu_backward, {}, [g, x], [np.zeros_like(x)]).holds


def test_a_factor_that_overflows_or_vanishes_excuses_what_comes_of_it() -> None:
    y, g = np.full(8, -3.4e38, np.float32), np.full(8, 1e-40, np.float32)
    attributes = {"input_scale": 1.1, "is_result": True}
    infinite = actgrad.elu_backward(g, y, **attributes)
    assert np.isinf(infinite).all(), "the derivative is beyond float32, the gradient is not"
    assert judge(actgrad.elu_backward, attributes, [g, y], [infinite], measured=["ulp", "nonfinite"]).holds
    packed = np.array([np.inf] * 4 + [1e-45] * 4, np.float32)
    out, activated = actgrad.geglu(packed)
    assert np.isnan(out).all(), "gelu(1e-45) is 0 in float32"
    assert judge(actgrad.geglu, {}, [packed], [out, activated], measured=["ulp", "nonfinite"]).holds
    for wrong in (np.full(4, np.nan, np.float32), np.full(4, -np.inf, np.float32)):
        one = np.array([np.inf] * 4 + [1.0] * 4, np.float32)
        for standard in ("ulp", "nonfinite"):
            assert not judge(actgrad.geglu, {}, [one], [wrong, None], measured=[standard]).holds


def test_a_constant_has_the_error_of_its_rounding() -> None:
    """fast_gelu's 1.702, which float32 has not, in the argument of exp."""
    x = np.array([-38.0065613], np.float32)
    z = np.float32(1.702) * x
    out = (x * np.exp(z.astype(np.float64)) / (1 + np.exp(z.astype(np.float64)))).astype(np.float32)
    verdict = judge(actgrad.fast_gelu, {}, [x], [out], measured=["ulp"])
    assert verdict.holds
    assert not judge(actgrad.fast_gelu, {}, [x], [out * np.float32(1.0001)], measured=["ulp"]).holds


@pytest.mark.parametrize("dtype", [np.float16, bfloat16])
def test_half_precision_must_be_rounded_once(dtype: Any) -> None:
    x = np.abs(random(3000)).astype(dtype)
    out = actgrad.leaky_relu(x)
    up = np.nextafter(out, dtype(np.inf)) if dtype is np.float16 else (out.view(np.uint16) + 1).view(dtype)
    verdict = judge(actgrad.leaky_relu, {}, [x], [up], measured=["ulp", "mixed"])
    assert [o.holds for o in verdict.outputs[0].outcomes] == [True, False]


# Exact values


def test_a_compiled_formula_that_is_wrong_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    g, x = random(3000), random(3000)
    out = actgrad.elu_backward(g, x)
    call = elements(actgrad.elu_backward, {}, (g, x), (out,))
    honest = Golden(call.computation)
    honest.verify([g, x])
    assert honest.is_compiled
    values = Golden.values
    monkeypatch.setattr(
        golden.Golden,
        "values",
        lambda self, lanes: [v * (1 + 1e-9 * self.is_compiled) for v in values(self, lanes)],
    )
    doubted = Golden(call.computation)
    doubted.verify([g, x])
    assert not doubted.is_compiled
    assert "NumPy" in doubted.source
    np.testing.assert_allclose(doubted.values([g, x])[0], values(honest, [g, x])[0], rtol=1e-13)


@pytest.mark.share(6)
@pytest.mark.parametrize("operator", actgrad.operators.values(), ids=lambda o: o.name)
def test_golden_is_the_references(operator: actgrad.Operator) -> None:
    """With attributes that float32 and float64 do not agree on."""
    for attributes in oracle.attribute_cases(operator):
        x = sample_values.samples(np.float32, 2000, np.random.default_rng(1))
        inputs = oracle.tensors(operator, attributes, x, np.random.default_rng(2))
        given = tuple(inputs) + (None,) * (len(operator.schema.tensors) - len(inputs))
        results = oracle.as_tuple(operator(*inputs, **attributes))
        call = elements(operator, attributes, given, results)
        compiled = Golden(call.computation)
        lanes = [lane.take(slice(0, call.size)) for lane in call.inputs]
        for got, exact in zip(compiled.values(lanes), compiled.expected(lanes, x.dtype), strict=True):
            with np.errstate(all="ignore"):
                near = np.abs(got - exact.values) <= 2.0**-40 * np.maximum(exact.size, exact.argument_error) + 1e-300
            assert (near | (got == exact.values) | np.isnan(got) & np.isnan(exact.values)).all()


# The axis


def test_ranges_of_x() -> None:
    values = [-np.inf, -200, -1, -0.99, -1e-40, -0.0, 0.0, 1e-40, 0.99, 1, 200, np.inf, np.nan]
    counts = [axis.count(np.array([v])) for v in values]
    assert all(c.sum() == 1 for c in counts)
    says = [axis.ranges(c, c)[0].says for c in counts]
    assert says == [
        "x = -inf", "-1e+10 < x <= -100", "-2 < x <= -1", "-1 < x <= -0.5", "-1e-30 < x < 0", "x = 0", "x = 0",
        "0 < x < 1e-30", "0.5 <= x < 1", "1 <= x < 2", "100 <= x < 1e+10", "x = inf", "x is NaN",
    ]  # fmt: skip
    (all_,) = axis.ranges(np.sum(counts[:-1], axis=0), np.sum(counts[:-1], axis=0))
    assert all_.says == "any x"
    assert all_.failing == 12


def test_neighbours_that_fail_altogether_are_one_range() -> None:
    x = np.array([-3.0, -0.7, 0.0, 0.3, 0.7, 1.5, 3.0])
    failing = axis.count(x[x <= 0.3]) + axis.count(np.array([1.5]))
    found = axis.ranges(axis.count(x) + axis.count(np.array([1.6])), failing)
    assert [(r.says, r.failing, r.elements) for r in found] == [("-5 < x < 0.5", 4, 4), ("1 <= x < 2", 1, 2)]


# Errors of the call


def test_a_call_that_is_refused() -> None:
    x = random(4)
    with pytest.raises(
        actgrad.InvalidArgument, match=r"elu_backward: alpha is .*; the operator needs alpha >= 0 when is_result"
    ):
        judge(actgrad.elu_backward, {"alpha": -1.0, "is_result": True}, [x, x], [x])
    with pytest.raises(actgrad.InvalidArgument, match="grad_input has shape"):
        judge(actgrad.elu_backward, {}, [x, x], [random(5)])
    with pytest.raises(actgrad.InvalidArgument, match="int32"):
        judge(actgrad.elu_backward, {}, [x, x], [np.zeros(4, np.int32)])


def test_complex_outputs_are_not_judged() -> None:
    x = random(4)
    with pytest.raises(actgrad.InvalidArgument, match="out is complex64; check judges real numbers"):
        judge(actgrad.elu, {}, [x], [np.zeros(4, np.complex64)])


def test_only_what_is_asked_for_is_judged() -> None:
    x = random(100)
    verdict = judge(actgrad.elu, {}, [x], [actgrad.elu(x) * np.float32(1.00003)], measured=["mixed"])
    assert verdict.standards == ("mixed",)
    assert verdict.holds
    assert not verdict.diagnoses
    assert set(STANDARDS) == {
        *["mixed", "mere-mare", "thousandth", "ulp", "binary", "quant", "cross-check", "nonfinite"]
    }
