"""Outputs in floats of 8 bits: every kind of number against ml_dtypes, which does not saturate by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from ml_dtypes import bfloat16

import actgrad
import actgrad.torch
from actgrad.base.definition import Dtypes, Torch
from actgrad.base.rows import Rows, largest
from actgrad.calls.operator import REGISTRY
from actgrad.judge.judging import judge

FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
BACKENDS = ("cpu", "reference")


def scaled(x, scale):
    """x * scale"""
    return x * scale


def value(x, scale):
    """x"""
    return x


def element(x, top, scale):
    """x * scale"""
    return x * scale


@pytest.fixture(scope="module")
def operators() -> Iterator[dict[str, actgrad.Operator]]:
    """An operator of elements and an operator of rows, registered for a while."""
    of_elements = actgrad.Operator(
        "float8_of_tests(Tensor x, Scalar scale=1) -> Tensor out",
        summary="x * scale; out is float8_e4m3fn or float8_e5m2",
        formula=scaled,
        dtypes=Dtypes(outputs={"out": " ".join(FLOAT8)}),
        torch=Torch("float8_of_tests(scale)"),
    )
    of_rows = actgrad.Operator(
        "float8_rows_of_tests(Tensor x, int dim=-1, Scalar scale=1) -> (Tensor out, Tensor top)",
        summary="out = x * scale and top = max(x) along dim; out is float8_e4m3fn or float8_e5m2",
        formula=element,
        layout=Rows(passes=({"top": largest(value)},)),
        dtypes=Dtypes(outputs={"out": " ".join(FLOAT8)}),
    )
    yield {"elements": of_elements, "rows": of_rows}
    for operator in (of_elements, of_rows):
        REGISTRY.pop(operator.name, None)


def expected(x: Any, dtype: str) -> np.ndarray:
    """x by ml_dtypes, clipped first. NaN stays NaN."""
    kind = np.dtype(getattr(ml_dtypes, dtype))
    end = float(ml_dtypes.finfo(kind).max)
    return np.clip(x.astype(np.float64), -end, end).astype(np.float32).astype(kind)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays have the same bytes, except for NaN."""
    nan = np.isnan(a.astype(np.float32))
    bits = a.view(np.uint8) == b.view(np.uint8)
    return bool((nan == np.isnan(b.astype(np.float32))).all() and bits[~nan].all())


def interesting(dtype: str) -> np.ndarray:
    """All numbers of a dtype, the ties between them, both neighbours of each tie, and numbers beyond."""
    kind = np.dtype(getattr(ml_dtypes, dtype))
    numbers = np.arange(256, dtype=np.uint8).view(kind).astype(np.float32)
    numbers = np.unique(numbers[np.isfinite(numbers)])
    ties = (numbers[1:] + numbers[:-1]) / 2
    end = numbers[-1]
    beyond = [end * 1.0625, end * 1.125, np.nextafter(end, np.float32(np.inf)), 3e38, np.inf, 1e-45, 2e-38, 1e-12]
    rest = np.array([*beyond, *(-each for each in beyond), np.nan, -np.nan, 0.0, -0.0], np.float32)
    below, above = (np.nextafter(ties, np.float32(end)) for end in (-np.inf, np.inf))
    return np.concatenate([numbers, ties, below, above, rest]).astype(np.float32)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", FLOAT8)
@pytest.mark.parametrize("kind", ["elements", "rows"])
def test_all_numbers_and_ties(operators: dict[str, actgrad.Operator], kind: str, dtype: str, backend: str) -> None:
    x = interesting(dtype)
    for source in (np.float32, np.float64) if kind == "elements" else (np.float32,):
        out = np.full(x.shape, 0x55, np.uint8).view(getattr(ml_dtypes, dtype))
        outputs = out if kind == "elements" else (out, np.empty((), np.float32))
        operators[kind](x.astype(source), out=outputs, backend=backend)
        assert same(out, expected(x, dtype))


@pytest.mark.parametrize("dtype", FLOAT8)
def test_doubles_are_rounded_once(operators: dict[str, actgrad.Operator], dtype: str) -> None:
    """A double next to a tie is rounded to the nearest number, not by way of float32."""
    numbers = np.unique(np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, dtype)).astype(np.float64))
    numbers = numbers[np.isfinite(numbers)]
    ties = (numbers[1:] + numbers[:-1]) / 2
    for x, wanted in ((np.nextafter(ties, np.inf), numbers[1:]), (np.nextafter(ties, -np.inf), numbers[:-1])):
        for backend in BACKENDS:
            out = np.empty(x.shape, getattr(ml_dtypes, dtype))
            assert (operators["elements"](x, out=out, backend=backend).astype(np.float64) == wanted).all()


@pytest.mark.parametrize("source", [np.float16, bfloat16])
@pytest.mark.parametrize("dtype", FLOAT8)
def test_every_half(operators: dict[str, actgrad.Operator], source: Any, dtype: str) -> None:
    """Also in a large array, for which other kernels may read tables."""
    x = np.tile(np.arange(1 << 16, dtype=np.uint16).view(source), 3)
    out = np.empty(x.shape, getattr(ml_dtypes, dtype))
    with np.errstate(invalid="ignore"):
        assert same(operators["elements"](x, out=out), expected(x, dtype))


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", FLOAT8)
def test_layouts_and_large_arrays(operators: dict[str, actgrad.Operator], dtype: str) -> None:
    x = (100 * np.random.default_rng(0).standard_normal((300, 4099))).astype(np.float32)
    kind = np.dtype(getattr(ml_dtypes, dtype))
    for view in (x, np.asfortranarray(x), x[:, ::3], x[::-1]):
        for out in (np.empty(view.shape, kind), np.empty((view.shape[0], 2 * view.shape[1]), kind)[:, ::2]):
            assert same(operators["elements"](view, scale=0.5, out=out), expected(view * np.float32(0.5), dtype))
            operators["rows"](view, out=(out, np.empty(view.shape[:1], np.float32)))
            assert same(np.ascontiguousarray(out), expected(view, dtype))


def test_new_outputs_and_pytorch(operators: dict[str, actgrad.Operator]) -> None:
    x = interesting("float8_e4m3fn")
    assert operators["elements"](x).dtype == ml_dtypes.float8_e4m3fn
    tensor = torch.from_numpy(x)
    out = torch.empty(x.shape, dtype=torch.float8_e5m2)
    torch.ops.actgrad.float8_of_tests(tensor)
    result = actgrad.torch.float8_of_tests(tensor)
    assert result.dtype == torch.float8_e4m3fn
    wanted = expected(x, "float8_e4m3fn")
    assert same(result.view(torch.uint8).numpy().view(ml_dtypes.float8_e4m3fn), wanted)
    operators["elements"](tensor, out=out)
    assert same(out.view(torch.uint8).numpy().view(ml_dtypes.float8_e5m2), expected(x, "float8_e5m2"))
    compiled = torch.compile(lambda t: actgrad.torch.float8_of_tests(t), backend="aot_eager")(tensor)
    assert same(compiled.view(torch.uint8).numpy().view(ml_dtypes.float8_e4m3fn), wanted)
    with pytest.raises(actgrad.ActgradError, match=r"out is \w+ or \w+, which has no gradient"):
        actgrad.torch.float8_of_tests(tensor.requires_grad_())


def test_other_operators_neither_read_nor_write_them() -> None:
    x, narrow = np.ones(3, np.float32), np.ones(3, ml_dtypes.float8_e4m3fn)
    with pytest.raises(actgrad.ActgradError, match="self is float8_e4m3fn; it must be"):
        actgrad.silu(narrow)
    with pytest.raises(actgrad.ActgradError, match="out is float8_e4m3fn"):
        actgrad.silu(x, out=narrow)
    with pytest.raises(actgrad.ActgradError, match="float8_e5m2"):
        actgrad.torch.silu(torch.ones(3).to(torch.float8_e5m2))


@pytest.mark.parametrize("dtype", FLOAT8)
def test_check_knows_a_wrong_byte(operators: dict[str, actgrad.Operator], dtype: str) -> None:
    x = interesting(dtype)
    out = np.empty(x.shape, getattr(ml_dtypes, dtype))
    operators["elements"](x, scale=1.3, out=out)
    assert judge(operators["elements"], {"scale": 1.3}, [x], (out,)).holds
    wrong = out.copy()
    wrong.view(np.uint8)[40] += 1
    assert not judge(operators["elements"], {"scale": 1.3}, [x], (wrong,)).holds


@pytest.mark.parametrize("dtype", FLOAT8)
def test_triton_interpreted(
    operators: dict[str, actgrad.Operator], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("triton", minversion="3.9")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    x = interesting(dtype)
    for source in (np.float32, np.float64):
        out = torch.zeros(x.shape, dtype=getattr(torch, dtype))
        operators["elements"](torch.from_numpy(x.astype(source)), out=out, backend="triton")
        assert same(out.view(torch.uint8).numpy().view(getattr(ml_dtypes, dtype)), expected(x, dtype))


def test_scales_have_the_exponent(monkeypatch: pytest.MonkeyPatch) -> None:
    """float8_e8m0fnu: the largest power of two up to a number, without its sign. Infinity and NaN are its NaN."""
    operator = actgrad.Operator(
        "float8_scales_of_tests(Tensor x, Scalar scale=1) -> Tensor out",
        summary="x * scale; out is float8_e8m0fnu",
        formula=scaled,
        dtypes=Dtypes(outputs={"out": "float8_e8m0fnu"}),
    )
    powers = 2.0 ** np.arange(-127, 128)
    rest = np.array(
        [3.0, -5.0, 1.0 - 2.0**-24, 2.0 - 2.0**-23, 0.0, -0.0, 1e-45, 2.0**-127 * 1.5, np.inf, -np.inf, np.nan]
    )
    x = np.concatenate([powers, rest])
    wanted = [*range(255), 128, 129, 126, 127, 0, 0, 0, 0, 255, 255, 255]
    try:
        for source in (np.float32, np.float64):
            for backend in BACKENDS:
                out = operator(x.astype(source), backend=backend)
                assert out.dtype == ml_dtypes.float8_e8m0fnu
                assert out.view(np.uint8).tolist() == wanted
        below = np.nextafter(2.0, 1.0)  # a double that rounds to 2 in float32
        assert [operator(np.full(9, below), backend=each).view(np.uint8)[0] for each in BACKENDS] == [127, 127]
        pytest.importorskip("triton", minversion="3.9")
        monkeypatch.setenv("TRITON_INTERPRET", "1")
        result = operator(torch.from_numpy(x.astype(np.float32)), backend="triton")
        assert result.view(torch.uint8).tolist() == wanted
    finally:
        REGISTRY.pop(operator.name, None)
