"""Mistakes of quantised operators, optional tensors and exchanged gradients have names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad.judge import judge

Array = Any
RNG = np.random.default_rng(3)
X = (RNG.standard_normal((24, 96)) * RNG.uniform(0.5, 4, (24, 1))).astype(np.float32)
SMOOTH = RNG.uniform(0.5, 2, 96).astype(np.float32)


def quantised(v: Array, scale: Array) -> Array:
    return np.clip(np.rint(v / scale), -128, 127).astype(np.int8)


def parts(x: Array = X) -> tuple[Array, Array]:
    wide = x.astype(np.float64)
    return wide, np.abs(wide).max(-1, keepdims=True) / 127


def dynamic(change: Any) -> tuple[Array, Array]:
    wide, scale = parts()
    out, stored = change(wide, scale)
    return out, stored.reshape(-1).astype(np.float32)


DYNAMIC: dict[str, tuple[Any, str]] = {
    "127 is 128": (lambda v, s: (quantised(v, s * 127 / 128), s), "scale"),
    "sign": (lambda v, s: (quantised(-v, s), s), "sign"),
    "zero point": (lambda v, s: (np.clip(np.rint(v / s) + 3, -128, 127).astype(np.int8), s), "zero-point"),
    "floor": (lambda v, s: (np.clip(np.floor(v / s), -128, 127).astype(np.int8), s), "floor"),
    "truncation": (lambda v, s: (np.trunc(v / s).astype(np.int8), s), "truncation"),
    "next row": (lambda v, s: (quantised(v, np.roll(s, -1, 0)), s), "neighbour-row"),
    "one scale": (lambda v, s: (quantised(v, np.full_like(s, s.max())), s), "scale-of-tensor"),
    "rows": (lambda v, s: (np.roll(quantised(v, s), -1, 0), s), "rows-shifted"),
    "inverse": (lambda v, s: (quantised(v, s), 1 / s), "scale-inverted"),
    "scale times 127": (lambda v, s: (quantised(v, s), s * 127), "scale-factor"),
}


@pytest.mark.parametrize("kind", DYNAMIC)
def test_mistakes_of_dynamic_quantisation_are_named(kind: str) -> None:
    change, name = DYNAMIC[kind]
    verdict = judge(actgrad.dynamic_quant, {}, [X], [*dynamic(change)])
    assert not verdict.holds
    assert [d.mistake for d in verdict.diagnoses][:1] == [name], verdict.diagnoses


def test_an_optional_tensor_that_is_ignored_is_named() -> None:
    inputs = [X.astype(np.float16), SMOOTH.astype(np.float16)]
    wrong = actgrad.dynamic_quant(inputs[0])
    verdict = judge(actgrad.dynamic_quant, {}, inputs, [*wrong])
    assert verdict.diagnoses[0].mistake == "smooth_scales-ignored", verdict.diagnoses
    index = np.array([5, 9, 24], np.int32)
    rows = (RNG.uniform(0.5, 2, (3, 96)) * [[1.0], [4.0], [0.3]]).astype(np.float16)
    wrong = actgrad.dynamic_quant(inputs[0], rows, np.array([6, 10, 24], np.int32))
    verdict = judge(actgrad.dynamic_quant, {}, [inputs[0], rows, index], [*wrong])
    assert verdict.diagnoses[0].mistake == "group-boundary", verdict.diagnoses


def test_exchanged_gradients_and_powers_of_attributes_are_named() -> None:
    g, x, gate = (RNG.standard_normal((30, 41)).astype(np.float32) for _ in range(3))
    right = actgrad.swiglu_two_backward(g, x, gate)
    verdict = judge(actgrad.swiglu_two_backward, {}, [g, x, gate], [*right[::-1]])
    assert verdict.diagnoses[0].mistake == "outputs-exchanged", verdict.diagnoses
    wrong = actgrad.swish(x, beta=0.7 * 0.7)
    verdict = judge(actgrad.swish, {"beta": 0.7}, [x], [wrong])
    assert verdict.diagnoses[0].mistake == "beta-squared", verdict.diagnoses
    wide = x.astype(np.float64)
    celu = np.where(wide > 0, wide, 1.7 * np.expm1(np.minimum(wide, 0))).astype(np.float32)
    verdict = judge(actgrad.celu, {"alpha": 1.7}, [x], [celu])
    assert verdict.diagnoses[0].mistake == "alpha-in-argument", verdict.diagnoses


def test_a_transposed_input_and_tiles_of_any_size_are_named() -> None:
    g, x = (RNG.standard_normal((40, 40)).astype(np.float32) for _ in range(2))
    wrong = actgrad.silu_backward(g, np.ascontiguousarray(x.T))
    verdict = judge(actgrad.silu_backward, {}, [g, x], [wrong])
    assert verdict.diagnoses[0].mistake == "input-transposed", verdict.diagnoses
    for operator, other, tensors in (  # kernels that read a transposed tensor as if it were contiguous
        (actgrad.relu_backward, 1, (RNG.standard_normal((17, 31)), RNG.standard_normal((17, 31)))),
        (actgrad.softmax_backward, 0, (RNG.standard_normal((5, 6, 16)), RNG.random((5, 6, 16)))),
        (actgrad.glu_backward, 1, (RNG.standard_normal((12, 20)), RNG.standard_normal((12, 40)))),
    ):
        right = [tensor.astype(np.float32) for tensor in tensors]
        read = [*right]
        read[other] = np.ascontiguousarray(right[other].T).reshape(right[other].shape)
        verdict = judge(operator, {}, right, [operator(*read)])
        assert verdict.diagnoses[0].mistake == "input-transposed", verdict.diagnoses
        assert operator.schema.tensor_names[other] in verdict.diagnoses[0].says
    for tile in (31, 100, 1000):
        x = RNG.uniform(1, 2, 9 * tile + 7).astype(np.float32)
        out = actgrad.silu(x)
        out[np.arange(len(out)) % tile >= tile - 9] = RNG.uniform(5, 6)
        verdict = judge(actgrad.silu, {}, [x], [out])
        assert verdict.diagnoses[0].mistake in ("tile-tail", "tiles"), (tile, verdict.diagnoses)
        assert str(tile) in verdict.diagnoses[0].says


def test_names_need_their_mechanism() -> None:
    x = np.array([-np.inf, np.inf, np.nan, 0.5, 200, 300, 400, 500] * 20, np.float32)
    out = actgrad.hardswish(x)
    verdict = judge(actgrad.hardswish, {}, [x], [np.where(x > 250, np.float32(np.inf), out)])
    assert "exp-overflow" not in [d.mistake for d in verdict.diagnoses]
    g = np.ones_like(x)
    out = actgrad.hardtanh_backward(g, x, min_val=-1.0, max_val=1.0)
    verdict = judge(actgrad.hardtanh_backward, {}, [g, x], [np.where(np.isnan(x), np.float32(7), out)])
    assert "inputs-exchanged" not in [d.mistake for d in verdict.diagnoses]
    y = np.linspace(-3, 3, 4000, dtype=np.float32)
    out = (actgrad.sigmoid(y) * (1 + 2e-3 * RNG.uniform(-1, 1, 4000))).astype(np.float32)
    verdict = judge(actgrad.sigmoid, {}, [y], [out])
    assert "tail-cancellation" not in [d.mistake for d in verdict.diagnoses]


def test_zeros_are_unwritten_where_half_of_the_right_values_are_zeros() -> None:
    x, values = (RNG.standard_normal((20, 30)).astype(np.float32) for _ in range(2))
    verdict = judge(actgrad.heaviside, {}, [x, values], [np.zeros_like(x)])
    assert [d.says for d in verdict.diagnoses] == ["output left unwritten: out: every element is 0.0"]


@pytest.mark.parametrize("distance", [1, -3, 96])
def test_integers_of_other_elements(distance: int) -> None:
    out, scale = actgrad.dynamic_quant(X)
    wrong = np.roll(out.ravel(), distance).reshape(out.shape)
    (found,) = judge(actgrad.dynamic_quant, {}, [X], [wrong, scale]).diagnoses
    assert found.mistake in ("shifted", "rows-shifted")


def test_an_attribute_next_to_rows_that_are_not_computed() -> None:
    """The rows behind the last group are 0 in the prediction too, so they do not contradict it."""
    index = np.array([9, 6], np.int64)
    inputs = [X, None, index]
    wrong = actgrad.swiglu_group(*inputs, clamp_limit=1.69)
    assert not wrong[15:].any()
    (found,) = judge(actgrad.swiglu_group, {"clamp_limit": 1.3}, inputs, [wrong]).diagnoses
    assert found.mistake == "clamp_limit-squared"


def test_an_input_that_is_read_after_the_output_overwrote_it() -> None:
    x = np.random.default_rng(8).normal(0, 2, 900).astype(np.float32)
    wrong = actgrad.mish(x)
    wrong[450:] = actgrad.mish(wrong[450:])
    (found,) = judge(actgrad.mish, {}, [x], [wrong]).diagnoses
    assert (found.mistake, found.explained) == ("read-after-write", found.looked_at)


def test_mistakes_that_change_the_sums_of_rows_are_named() -> None:
    """A wrong input also changes the statistics of its row."""
    g, x = (RNG.standard_normal((24, 16)).astype(np.float32) for _ in range(2))
    weight = np.array([0.25], np.float32)
    wrongs = actgrad.prelu_backward(np.ones_like(g), x, weight)
    (found,) = judge(actgrad.prelu_backward, {}, [g, x, weight], [*wrongs]).diagnoses
    assert (found.mistake, found.explained) == ("grad_output-ignored", found.looked_at)
    short = x.astype(bfloat16).astype(np.float32)
    (found,) = judge(actgrad.log_softmax, {}, [x], [actgrad.log_softmax(short)]).diagnoses
    assert found.mistake == "inputs-rounded"


def test_places_are_named_where_another_output_has_the_same_shape() -> None:
    """swiglu_quant returns a scale for each row, which has the memory of another tensor."""
    x = RNG.standard_normal((30, 86)).astype(np.float32)
    out, scale = actgrad.swiglu_quant(x)
    out[:, 32:] = 0
    (found,) = judge(actgrad.swiglu_quant, {}, [x], [out, scale]).diagnoses
    assert found.mistake == "last-block"


def test_nan_is_no_sign_of_another_layout() -> None:
    """NaN agrees with any other NaN. Either half of a packed tensor may have the infinity."""
    x = RNG.choice(np.array([-np.inf, np.inf, np.nan, 1, -2, 0.5], np.float32), (20, 40))
    g = np.ones((20, 20), np.float32)
    right = actgrad.glu_backward(g, x)
    wrong = np.where((x == -np.inf) & np.isfinite(right), np.float32(np.nan), right)
    assert np.isnan(wrong).sum() > np.isnan(right).sum()
    (found,) = judge(actgrad.glu_backward, {}, [g, x], [wrong]).diagnoses
    assert found.mistake == "nan-at-infinity"


def test_right_elements_contradict_exchanged_dimensions() -> None:
    """Zeros at the end of each row are zeros elsewhere too, and are no result of an input that was overwritten."""
    g, x = (RNG.standard_normal((9, 3, 43)).astype(np.float32) for _ in range(2))
    for operator, attributes in (
        (actgrad.hardsigmoid_backward, {"alpha": -1.2, "beta": 1.7}),
        (actgrad.threshold_backward, {"threshold": 0.0}),
    ):
        wrong = operator(g, x, **attributes)
        wrong[..., 32:] = 0
        (found,) = judge(operator, attributes, [g, x], [wrong]).diagnoses
        assert found.mistake == "last-block"


def test_a_group_boundary_comes_before_rows_that_were_not_written() -> None:
    x = RNG.uniform(1, 2, (30, 16)).astype(np.float32)
    index = np.array([9, 6], np.int64)
    wrong = actgrad.swiglu_group(x, None, index - np.array([0, 1]))
    (found,) = judge(actgrad.swiglu_group, {}, [x, None, index], [wrong]).diagnoses
    assert found.mistake == "group-boundary"


@pytest.mark.parametrize("rows", [20, 600])
def test_a_wrong_attribute_explains_the_returned_scale_too(rows: int) -> None:
    """The scale has 32 bits and its own bounds. Rows of large calls are computed again too."""
    rng = np.random.default_rng(5)
    x = rng.normal(0, 3, (rows, 256)).astype(bfloat16)
    attributes = {"dst_type": 36, "quant_mode": 0, "round_scale": False, "clamp_limit": 0.6}
    wrong = actgrad.swiglu_group_quant(x, **{**attributes, "clamp_limit": 0.36})
    verdict = judge(actgrad.swiglu_group_quant, attributes, [x], [*wrong])
    assert [d.mistake for d in verdict.diagnoses] == ["clamp_limit-squared"]


def test_a_single_scale_shows_no_factor() -> None:
    """Any number is another number times a factor."""
    out, scale = actgrad.dynamic_quant(X[:1])
    assert judge(actgrad.dynamic_quant, {}, [X[:1]], [out, scale * np.float32(1.37)]).diagnoses == ()
