"""Planted mistakes in layouts and in the forms of functions, over several operators and dtypes.

Wrong outputs come from the NumPy formulas of another program, rounded once. Each is rejected and named, with one name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad.conformance import Verdict, judge
from tests.support import delivery_vendor as exact

DTYPES = [np.float16, bfloat16, np.float32]
Array = Any


def draw(dtype: Any, *shape: int, deviation: float = 2.0, seed: int = 0) -> tuple[Array, Array]:
    """Numbers of a dtype, and the same in float64."""
    x = np.random.default_rng(seed).normal(0, deviation, shape).astype(dtype)
    return x, x.astype(np.float64)


def call(name: str, dtype: Any) -> tuple[dict[str, Any], list[Array], Array]:
    """Attributes, inputs and the exact result of a call with 24 rows."""
    count = 2 if name.endswith("_backward") else 1
    width = 74 if name == "swiglu" else 37
    pairs = [draw(dtype, 24, width, seed=k) for k in range(count)]
    keys = ("grad_output", "self") if count == 2 else ("x",)
    operator = actgrad.operators[name]
    attributes = dict(operator.defaults)
    if "input_scale" in attributes and attributes.get("is_result") is None:
        attributes["is_result"] = False
    with np.errstate(all="ignore"):
        (result,) = exact.OPERATORS[name](dict(zip(keys, [pair[1] for pair in pairs], strict=True)), attributes)
    return {}, [pair[0] for pair in pairs], result


def flat(change: Callable[[Array, Array], None]) -> Callable[[Array], Array]:
    def changed(right: Array) -> Array:
        wrong = right.ravel().copy()
        change(wrong, np.arange(wrong.size))
        return wrong.reshape(right.shape)

    return changed


def tail(wrong: Array, p: Array) -> None:
    wrong[p % 64 >= 37] = 0


def tail_of_48(wrong: Array, p: Array) -> None:
    wrong[p % 48 >= 43] = np.random.default_rng(1).normal(9, 1, np.count_nonzero(p % 48 >= 43))


def remainder(wrong: Array, p: Array) -> None:
    wrong[864:] += np.random.default_rng(1).normal(9, 1, 24)  # 864 is 18 * 48


def last_row(wrong: Array, p: Array) -> None:
    wrong[851:] += np.random.default_rng(1).normal(9, 1, 37)


def every_fourth(wrong: Array, p: Array) -> None:
    wrong[p // 64 % 4 == 1] *= -1.5


def half_stale(wrong: Array, p: Array) -> None:
    half = wrong.size // 2
    wrong[half:] = wrong[: wrong.size - half].copy()


def one_tile_shifted(wrong: Array, p: Array) -> None:
    wrong[128:192] = wrong[127:191].copy()


def last_block(right: Array) -> Array:
    wrong = right.copy()
    wrong[:, 32:] = 7
    return wrong


LAYOUTS: dict[str, tuple[Callable[[Array], Array], str, str]] = {
    "rolled by one": (lambda r: np.roll(r, 1), "shifted", "shifted by 1 element"),
    "rolled back by three": (lambda r: np.roll(r, -3), "shifted", "3 later"),
    "rows rolled": (lambda r: np.roll(r, 2, axis=0), "rows-shifted", "the row 2 earlier"),
    "tail of a tile": (flat(tail), "tile-tail", "wrong at positions p where p mod 64 >= 37"),
    "tail of a tile of 48": (flat(tail_of_48), "tile-tail", "wrong at positions p where p mod 48 >= 43"),
    "remainder": (flat(remainder), "stretch", "wrong in the last elements: positions 864 to the end in C order"),
    "last row": (flat(last_row), "stretch", "wrong in the last row: positions 851 to the end in C order"),
    "every fourth tile": (flat(every_fourth), "tiles", "every 4th tile of 64, from tile 1"),
    "last block of each row": (last_block, "last-block", "the last block of each row: columns 32 to 36"),
    "stale half": (flat(half_stale), "stale", "results of 444 elements earlier"),
    "off by one in a tile": (flat(one_tile_shifted), "shifted", "one tile of 64: positions 128 to 191"),
}
OPERATORS = ["swiglu", "gelu_backward", "softmax", "silu", "leaky_relu", "mish_backward"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("mistake", LAYOUTS)
@pytest.mark.share(10)
def test_layouts(mistake: str, name: str, dtype: Any) -> None:
    change, word, says = LAYOUTS[mistake]
    attributes, inputs, right = call(name, dtype)
    verdict = judge(actgrad.operators[name], attributes, inputs, [change(right).astype(dtype)])
    assert_named(verdict, word, says)
    assert judge(actgrad.operators[name], attributes, inputs, [right.astype(dtype)]).holds


def assert_named(verdict: Verdict, word: str, says: str = "") -> None:
    assert not verdict.holds
    assert [d.mistake for d in verdict.diagnoses] == [word], verdict.diagnoses
    assert says in verdict.diagnoses[0].says


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "gate"), [("swiglu", exact.silu), ("glu", None)])
def test_interleaved_for_split(name: str, gate: Any, dtype: Any) -> None:
    x, wide = draw(dtype, 24, 74)
    even, odd = wide[:, ::2], wide[:, 1::2]
    wrong = exact.silu(even) * odd if gate else even * exact.sigmoid(odd)
    assert_named(judge(actgrad.operators[name], {}, [x], [wrong.astype(dtype)]), "interleaved-halves", "interleaved")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_another_dimension_and_padding(name: str, dtype: Any) -> None:
    x, wide = draw(dtype, 40, 24)
    function = getattr(exact, name)
    assert_named(judge(actgrad.operators[name], {}, [x], [function(wide, 0).astype(dtype)]), "wrong-dim", "dimension 0")
    padded = function(np.pad(wide, [(0, 0), (0, 8)]), -1)[:, :24]
    verdict = judge(actgrad.operators[name], {}, [x], [padded.astype(dtype)])
    assert_named(verdict, "padding-counted", "8 zeros behind each row")


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_and_columns_exchanged(dtype: Any) -> None:
    for name in ("gelu", "silu", "leaky_relu"):
        x, wide = draw(dtype, 31, 31)
        (right,) = exact.OPERATORS[name]({"x": wide}, actgrad.operators[name].defaults)
        assert_named(judge(actgrad.operators[name], {}, [x], [right.T.astype(dtype)]), "dimensions-exchanged")


@pytest.mark.parametrize("dtype", DTYPES)
def test_wrong_broadcast(dtype: Any) -> None:
    x, wide = draw(dtype, 31, 31)
    weight = np.random.default_rng(1).uniform(0.1, 0.9, 31).astype(dtype)
    factor = weight.astype(np.float64)
    wrong = np.where(wide > 0, wide, wide * factor[:, None])
    assert_named(judge(actgrad.prelu, {}, [x, weight], [wrong.astype(dtype)]), "wrong-broadcast")
    wrong = np.where(factor[:, None] > 0.5, wide, 0.01 * wide)
    verdict = judge(actgrad.leaky_relu_backward, {}, [x, weight - dtype(0.5)], [wrong.astype(dtype)])
    assert_named(verdict, "wrong-broadcast")


@pytest.mark.parametrize("dtype", DTYPES)
def test_forms_of_functions(dtype: Any) -> None:
    x, wide = draw(dtype, 40, 24, deviation=4)
    approximation = wide * exact.sigmoid(1.702 * wide)
    assert_named(judge(actgrad.gelu, {}, [x], [approximation.astype(dtype)]), "sigmoid-1.702", "1.702")
    straight = np.clip(wide / 6 + 0.5, 0, 1)
    assert_named(judge(actgrad.silu, {}, [x], [(wide * straight).astype(dtype)]), "saturating-sigmoid", "straight")
    assert_named(judge(actgrad.sigmoid, {}, [x], [straight.astype(dtype)]), "saturating-sigmoid", "straight")
    clamped = wide * exact.sigmoid(np.clip(wide, -4, 4))
    assert_named(judge(actgrad.silu, {}, [x], [clamped.astype(dtype)]), "saturating-sigmoid", "[-4, 4]")


@pytest.mark.parametrize("dtype", DTYPES)
def test_exp_that_overflows(dtype: Any) -> None:
    x, wide = draw(dtype, 40, 24, deviation=90)
    single = wide.astype(np.float32)
    with np.errstate(all="ignore"):
        powers = np.exp(single)
        silu = (single * powers / (1 + powers)).astype(dtype)
        softmax = (powers / powers.sum(-1, keepdims=True)).astype(dtype)
    assert_named(judge(actgrad.silu, {}, [x], [silu]), "exp-overflow", "exp overflows: NaN or infinity for x >= ")
    assert_named(judge(actgrad.softmax, {}, [x], [softmax]), "no-maximum")


@pytest.mark.parametrize("dtype", DTYPES)
def test_accumulation_in_half_precision(dtype: Any) -> None:
    x, wide = draw(dtype, 4, 5000, deviation=1)
    powers = np.exp(wide - wide.max(-1, keepdims=True))
    total = np.zeros(4, np.float16)
    for k in range(5000):
        total = total + powers[:, k].astype(np.float16)
    wrong = (powers / total.astype(float)[:, None]).astype(dtype)
    verdict = judge(actgrad.softmax, {}, [x], [wrong], strict=True)
    assert_named(verdict, "half-accumulation", "float16")


def test_double_rounding() -> None:
    x, _wide = draw(np.float32, 40, 240)
    half = x.astype(bfloat16)
    twice = exact.silu(half.astype(np.float64)).astype(np.float16).astype(bfloat16)
    assert_named(judge(actgrad.silu, {}, [half], [twice], strict=True), "double-rounding")
    half = x.astype(np.float16)
    twice = exact.silu(half.astype(np.float64)).astype(np.float32).astype(bfloat16).astype(np.float16)
    assert [d.mistake for d in judge(actgrad.silu, {}, [half], [twice], strict=True).diagnoses] == ["double-rounding"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_sign_of_zero(dtype: Any) -> None:
    x = np.array([-np.inf, 1.0, 2.0], dtype)
    for name in ("silu", "gelu", "mish"):
        out = np.abs(actgrad.operators[name](x))
        assert_named(judge(actgrad.operators[name], {}, [x], [out]), "zero-sign")


@pytest.mark.parametrize("dtype", DTYPES)
def test_tanh_for_erf_has_no_second_name(dtype: Any) -> None:
    x, wide = draw(dtype, 40, 24)
    verdict = judge(actgrad.gelu, {}, [x], [exact.gelu(wide, "tanh").astype(dtype)], strict=True)
    assert_named(verdict, "approximate-tanh")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["gelu", "softmax", "swiglu"])
def test_noise_has_no_name(name: str, dtype: Any) -> None:
    attributes, inputs, right = (
        call(name, dtype) if name != "gelu" else ({}, [draw(dtype, 24, 37)[0]], np.zeros((24, 37)))
    )
    noise = np.random.default_rng(5).normal(0, 1, right.shape)
    verdict = judge(actgrad.operators[name], attributes, inputs, [noise.astype(dtype)])
    assert not verdict.holds
    assert not verdict.diagnoses


STALE: dict[str, tuple[Callable[[Array, Array], None], str]] = {
    "the last tile": (lambda wrong, p: wrong.__setitem__(slice(1472, None), wrong[1408:1436].copy()), "stale"),
    "a block written twice": (lambda wrong, p: wrong.__setitem__(slice(512, 768), wrong[256:512].copy()), "stale"),
    "every third tile": (
        lambda wrong, p: wrong.__setitem__(p // 64 % 3 == 1, np.roll(wrong, 64)[p // 64 % 3 == 1]),
        "stale",
    ),
    "the element before": (lambda wrong, p: wrong.__setitem__(slice(None), np.roll(wrong, 1)), "shifted"),
    "a block of zeros": (lambda wrong, p: wrong.__setitem__(slice(512, 768), 0), "unwritten"),
}


@pytest.mark.parametrize("kind", STALE)
def test_stale_tiles_of_few_numbers_are_named(kind: str) -> None:
    change, name = STALE[kind]
    x = np.random.default_rng(7).standard_normal(1500).astype(np.float32)
    wrong = flat(change)(actgrad.unit_step(x))
    assert [d.mistake for d in judge(actgrad.unit_step, {}, [x], [wrong]).diagnoses] == [name]


def test_chance_agreement_of_few_numbers_has_no_name() -> None:
    """Each wrong 0 or 1 is the value of half of all other elements, and of half of all other formulas."""
    rng = np.random.default_rng(8)
    x = rng.standard_normal(1500).astype(np.float32)
    right = actgrad.unit_step(x)
    for where in (rng.random(1500) < 0.05, rng.random(1500) < 0.5, np.ones(1500, bool), x > 1.2, np.abs(x) < 0.3):
        verdict = judge(actgrad.unit_step, {}, [x], [np.where(where, 1 - right, right)])
        assert not verdict.holds
        assert verdict.diagnoses == ()


def worse(values: Array, dtype: Any) -> Array:
    """The numbers in 16 bits, up to 2 ULP too large, as a kernel with short intermediate results has them."""
    out = values.astype(dtype)
    out.view(np.uint16)[...] += np.random.default_rng(3).integers(0, 3, out.shape).astype(np.uint16)
    return out


@pytest.mark.parametrize("dtype", DTYPES[:2])
def test_a_mistake_of_a_kernel_that_rounds_worse_is_named(dtype: Any) -> None:
    """The standard tolerates the rounding, so each failing element shows the mistake, and is a few ULP beside it."""
    x, wide = draw(dtype, 24, 74)
    wrong = worse(exact.silu(wide[:, ::2]) * wide[:, 1::2], dtype)
    assert [d.mistake for d in judge(actgrad.swiglu, {"dim": -1}, [x], [wrong]).diagnoses] == ["interleaved-halves"]
    (grad, wide_grad), (x, wide) = draw(dtype, 900, seed=1), draw(dtype, 900, seed=2)
    wrong = worse(wide_grad * np.where(wide > 0, 1, np.exp(wide)), dtype)
    verdict = judge(actgrad.elu_backward, {"alpha": 1.7, "is_result": False}, [grad, x], [wrong])
    assert [d.mistake for d in verdict.diagnoses] == ["missing-alpha"]
    rng = np.random.default_rng(9)
    noise = exact.silu(wide) * rng.choice([0.7, 0.8, 1.2, 1.3], wide.shape)
    assert judge(actgrad.silu, {}, [x], [worse(noise, dtype)]).diagnoses == ()
