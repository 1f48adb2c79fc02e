"""Half-precision results that are looked up: the same bits as those computed, in every layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import actgrad
from actgrad import samples
from actgrad.backends.cpu import engine, half_tables, schedule
from actgrad.backends.cpu.target import host
from actgrad.base.dtypes import BY_NAME

pytestmark = pytest.mark.share(12)

NUMBERS = np.arange(1 << 16, dtype=np.uint16)
HALVES = (np.float16, ml_dtypes.bfloat16)
CALLS = (
    (actgrad.elu, {"alpha": 1.3, "scale": 0.7, "input_scale": 1.1}),
    (actgrad.selu, {}),
    (actgrad.gelu, {"approximate": "none"}),
    (actgrad.gelu, {"approximate": "tanh"}),
)


KEPT: list[object] = []  # tables of earlier tests: calls that are remembered point to them


def use_tuning(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Compile for this machine with a changed tuning; results of both dtypes are looked up unless `changes` say no."""
    tuning = replace(host().tuning, **{"computed_float16": (), "computed_bfloat16": (), **changes})
    monkeypatch.setattr(engine, "host", lambda: replace(host(), tuning=tuning))


@pytest.fixture(autouse=True)
def no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table is there yet, nor a plan with one."""
    use_tuning(monkeypatch)
    monkeypatch.setattr(engine, "_tables", {})
    KEPT.append(engine._tables)
    for operator in actgrad.operators.values():
        operator.forget()


def many(dtype: Any, count: int = half_tables.FILL_THRESHOLD) -> np.ndarray[Any, Any]:
    """All numbers, again and again, scattered."""
    bits = np.resize(NUMBERS, count)
    return np.random.default_rng(0).permutation(bits).view(dtype)


def is_looked_up(operator: Any, *arrays: Any, **settings: Any) -> bool:
    return "looked up" in str(operator.plan(*arrays, **settings))


def computed(operator: Any, x: np.ndarray[Any, Any], **attributes: Any) -> np.ndarray[Any, Any]:
    """The bits of the results, from calls too small for a table."""
    results = operator(NUMBERS.view(x.dtype), **attributes)
    assert not is_looked_up(operator, NUMBERS.view(x.dtype), **attributes)
    return results.view(np.uint16)[x.view(np.uint16)]


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(("operator", "attributes"), CALLS)
def test_same_bits_as_computed(operator: Any, attributes: dict[str, Any], dtype: Any) -> None:
    x = many(dtype, half_tables.FILL_THRESHOLD + 3)
    out = np.full(x.shape, np.nan, dtype)
    assert is_looked_up(operator, x, out=out, **attributes)
    operator(x, out=out, **attributes)
    np.testing.assert_array_equal(out.view(np.uint16), computed(operator, x, **attributes))


@pytest.mark.parametrize("offset", [0, 1, 2, 31])
def test_streaming_stores(monkeypatch: pytest.MonkeyPatch, offset: int) -> None:
    """From any alignment that elements may have, and nothing beside the output is written."""
    monkeypatch.setattr(schedule, "_last_cache_bytes", lambda: 1)
    x = many(np.float16, half_tables.FILL_THRESHOLD + 5)
    room = np.full(x.size + 64, np.nan, np.float16)
    out = room[offset : offset + x.size]
    plan = actgrad.gelu.plan(x, out=out)
    assert "streaming stores, looked up" in str(plan)
    plan.run()
    np.testing.assert_array_equal(out.view(np.uint16), computed(actgrad.gelu, x))
    assert np.isnan(np.delete(room, np.s_[offset : offset + x.size])).all()


def layouts(dtype: Any) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    square = many(dtype, 520 * 510).reshape(520, 510)
    yield "transposed", square.T
    yield "reversed", square[::-1, ::-1]
    yield "every second", many(dtype, 2 * half_tables.FILL_THRESHOLD)[1::2]
    yield "slices of rows", many(dtype, 600 * 700).reshape(600, 700)[:, 100:600]
    yield "one row for all", np.broadcast_to(many(dtype, 1 << 10), (1 << 9, 1 << 10))
    odd = np.zeros(2 * half_tables.FILL_THRESHOLD + 1, np.uint8)[1:].view(dtype)
    odd.view(np.uint16)[...] = many(dtype).view(np.uint16)
    yield "odd addresses", odd


@pytest.mark.parametrize("x", [pytest.param(x, id=name) for name, x in layouts(np.float16)])
def test_any_layout(x: np.ndarray[Any, Any]) -> None:
    assert is_looked_up(actgrad.gelu, x)
    result = actgrad.gelu(x)
    np.testing.assert_array_equal(result.view(np.uint16), computed(actgrad.gelu, np.array(x)))


def test_one_number_for_a_row() -> None:
    x = np.broadcast_to(many(np.float16, 600)[:, None], (600, 1 << 10))
    np.testing.assert_array_equal(actgrad.gelu(x).view(np.uint16), computed(actgrad.gelu, np.array(x)))


def test_in_place() -> None:
    x = many(ml_dtypes.bfloat16)
    expected = computed(actgrad.selu, x)
    actgrad.selu(x, out=x)
    np.testing.assert_array_equal(x.view(np.uint16), expected)


def test_attributes_have_tables_of_their_own() -> None:
    """Also those that compare equal, as 0.0 and -0.0 do."""
    x = many(np.float16)
    for alpha in (0.0, -0.0, 1.0, 1.5, float("nan")):
        result = actgrad.elu.plan(x, alpha=alpha).run()
        np.testing.assert_array_equal(result.view(np.uint16), computed(actgrad.elu, x, alpha=alpha))
    assert len(engine._tables) == 5


def test_tables_are_shared_and_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(half_tables, "MOST_TABLES", 2)
    x = many(np.float16)
    for shape in ((-1,), (512, -1), (4, 4, -1)):
        actgrad.gelu.plan(x.reshape(shape))
    assert len(engine._tables) == 1
    for alpha in (1.0, 1.5, 2.0):
        result = actgrad.elu.plan(x, alpha=alpha).run()
        np.testing.assert_array_equal(result.view(np.uint16), computed(actgrad.elu, x, alpha=alpha))
    assert len(engine._tables) == 2


@pytest.mark.parametrize(
    ("operator", "dtype"),
    [(actgrad.leaky_relu, np.float16), (actgrad.gelu, np.float32), (actgrad.selu, np.int8)],
    ids=["simple arithmetic", "too many numbers", "integers"],
)
def test_others_are_computed(operator: Any, dtype: Any) -> None:
    assert not is_looked_up(operator, np.zeros(half_tables.FILL_THRESHOLD, dtype))


@pytest.mark.parametrize(
    ("operator", "dtype", "expected"),
    [
        (actgrad.silu, np.float16, False),
        (actgrad.softplus, np.float16, True),  # another function too
        (actgrad.silu, ml_dtypes.bfloat16, True),
        (actgrad.tanh, np.float16, True),
        (actgrad.tanh, ml_dtypes.bfloat16, False),
    ],
)
def test_functions_that_are_computed_in_a_dtype(
    monkeypatch: pytest.MonkeyPatch, operator: Any, dtype: Any, expected: bool
) -> None:
    computed_functions = {"computed_float16": ("sigmoid_times", "exp"), "computed_bfloat16": ("tanh",)}
    use_tuning(monkeypatch, **computed_functions, uses_formula_tables=False)
    x = many(dtype)
    assert is_looked_up(operator, x) == expected
    np.testing.assert_array_equal(operator(x).view(np.uint16), computed(operator, x))


# Values of a formula that other operands are multiplied with


@pytest.fixture
def formula_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of formulas are looked up, as on processors without AVX-512: any processor can use the buffer."""
    use_tuning(monkeypatch, uses_formula_tables=True, short=False)


@pytest.mark.usefixtures("formula_tables")
@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", HALVES)
def test_derivative_and_gate(dtype: Any, approximate: str) -> None:
    """The same bits as in calls that are too small for a table, one for every column."""
    x, other = many(dtype), np.random.default_rng(1).permutation(many(dtype))
    packed = np.stack([other, x], axis=1)
    assert is_looked_up(actgrad.gelu_backward, other, x, approximate=approximate)
    assert is_looked_up(actgrad.geglu_packed, packed, approximate=approximate)
    gradient = actgrad.gelu_backward(other, x, approximate=approximate)
    out, activated = actgrad.geglu(packed, approximate=approximate)
    alone = actgrad.geglu_packed(packed, approximate=approximate)
    for part in np.split(np.arange(x.size), 8):
        few = actgrad.gelu_backward(other[part], x[part], approximate=approximate)
        assert not is_looked_up(actgrad.gelu_backward, other[part], x[part], approximate=approximate)
        np.testing.assert_array_equal(gradient[part].view(np.uint16), few.view(np.uint16))
        few_out, few_activated = actgrad.geglu(packed[part], approximate=approximate)
        np.testing.assert_array_equal(out[part].view(np.uint16), few_out.view(np.uint16))
        np.testing.assert_array_equal(alone[part].view(np.uint16), few_out.view(np.uint16))
        np.testing.assert_array_equal(activated[part].view(np.uint16), few_activated.view(np.uint16))


@pytest.mark.usefixtures("formula_tables")
@pytest.mark.parametrize("size", [half_tables.FILL_THRESHOLD + k for k in (0, 1, 15, 16, 31)])
def test_derivative_of_the_last_few(size: int) -> None:
    x, room = many(np.float16, size), np.full(size + 32, np.nan, np.float16)
    g = np.full(size, 1, np.float16)
    actgrad.gelu_backward(g, x, out=room[16:-16])
    assert np.isnan(room[:16]).all()
    assert np.isnan(room[-16:]).all()
    of_each = actgrad.gelu_backward(np.ones(1 << 16, np.float16), NUMBERS.view(np.float16))
    np.testing.assert_array_equal(room[16:-16].view(np.uint16), of_each.view(np.uint16)[x.view(np.uint16)])


@pytest.mark.usefixtures("formula_tables")
@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", HALVES)
def test_function_and_derivative(dtype: Any, approximate: str) -> None:
    """Of GeGLU's gradients, packed and of two tensors; also the last few, which fill no vector."""
    size = half_tables.FILL_THRESHOLD + 13
    x, other, g = (np.random.default_rng(k).permutation(many(dtype, size)) for k in range(3))
    packed, settings = np.stack([other, x], axis=1), {"approximate": approximate}
    assert is_looked_up(actgrad.geglu_backward, g[:, None], packed, **settings)
    gradient = actgrad.geglu_backward(g[:, None], packed, **settings)
    of_other, of_gate = actgrad.geglu_two_backward(g, other, x, **settings)
    for part in np.array_split(np.arange(size), 9):
        assert not is_looked_up(actgrad.geglu_backward, g[part, None], packed[part], **settings)
        few = actgrad.geglu_backward(g[part, None], packed[part], **settings)
        np.testing.assert_array_equal(gradient[part].view(np.uint16), few.view(np.uint16))
        np.testing.assert_array_equal(of_other[part].view(np.uint16), few[:, 0].view(np.uint16))
        np.testing.assert_array_equal(of_gate[part].view(np.uint16), few[:, 1].view(np.uint16))


def test_short_formulas_are_computed() -> None:
    assert not is_looked_up(actgrad.elu_backward, many(np.float16), many(np.float16))


@pytest.mark.usefixtures("formula_tables")
@pytest.mark.parametrize(
    ("of_gradient", "of_input", "of_result"),
    [(*HALVES, np.float32), (*HALVES[::-1], np.float32), (np.float16, np.float16, np.float64)],
)
def test_other_dtypes_than_one_half_are_computed(of_gradient: Any, of_input: Any, of_result: Any) -> None:
    """A table has the numbers of one dtype, and results in float32."""
    g, x = np.ones(half_tables.FILL_THRESHOLD, of_gradient), many(of_input)
    out, few = (np.empty(x.shape, of_result) for _ in range(2))
    assert not is_looked_up(actgrad.silu_backward, g, x, out=out)
    actgrad.silu_backward(g, x, out=out)
    for part in np.split(np.arange(x.size), 8):
        few[part] = actgrad.silu_backward(g[part], x[part], out=few[part])
    np.testing.assert_array_equal(out, few)


@pytest.mark.usefixtures("formula_tables")
@pytest.mark.parametrize("dtype", HALVES)
def test_derivatives_in_any_layout(dtype: Any) -> None:
    """Also where one number, or one gradient, is that of a whole row."""
    shape, g = (601, 333), np.random.default_rng(2).permutation(many(dtype, 601 * 333)).reshape(601, 333)
    of_each = actgrad.gelu_backward(np.ones(1 << 16, dtype), NUMBERS.view(dtype))
    x = many(dtype, g.size).reshape(shape)
    wide = many(dtype, 2 * g.size).reshape(601, 666)
    for numbers in (
        x,
        x.reshape(333, 601).T,
        wide[:, ::2],
        wide[:, 333:],
        np.broadcast_to(x[:, :1], shape),
        x[::-1, ::-1],
    ):
        assert is_looked_up(actgrad.gelu_backward, np.broadcast_to(dtype(1), shape), numbers)
        result = actgrad.gelu_backward(np.broadcast_to(dtype(1), shape), numbers)
        np.testing.assert_array_equal(
            result.view(np.uint16), of_each.view(np.uint16)[np.array(numbers).view(np.uint16)]
        )
        few = np.concatenate([actgrad.gelu_backward(g[k : k + 90], numbers[k : k + 90]) for k in range(0, 601, 90)])
        np.testing.assert_array_equal(actgrad.gelu_backward(g, numbers).view(np.uint16), few.view(np.uint16))


def test_targets_where_that_is_not_worth_it_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    use_tuning(monkeypatch, uses_formula_tables=False)
    g, x = many(np.float16), many(np.float16)
    assert not is_looked_up(actgrad.gelu_backward, g, x)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(
    "operator", [o for o in actgrad.operators.values() if not o.access.sees_rows], ids=lambda o: o.name
)
def test_large_calls_of_every_operator_are_those_of_small_ones(operator: actgrad.Operator, dtype: str) -> None:
    """Large calls in half precision may look results up, also of formulas with several elements."""
    x = np.random.default_rng(3).standard_normal(half_tables.FILL_THRESHOLD).astype(BY_NAME[dtype].numpy)
    large, few = (samples.tensors(operator, operator.defaults, part) for part in (x, x[:96]))
    for got, wanted in zip(*(samples.as_tuple(operator(*given)) for given in (large, few)), strict=True):
        is_interleaved = getattr(operator.access, "interleaved", False) or operator.access.has_bits
        step = got.size // x.size if is_interleaved else 1
        halves = got.reshape(-1, x.size * step)[:, : 96 * step]
        np.testing.assert_array_equal(halves.view(np.int16), wanted.reshape(halves.shape).view(np.int16))
