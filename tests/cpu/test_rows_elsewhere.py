"""Operators over rows on each processor's machine code, in Triton's interpreter, and compiled for GPUs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from actgrad import samples
from actgrad.backends.cpu import engine, schedule, target
from actgrad.base.dtypes import BY_NAME
from actgrad.judge import golden
from actgrad.judge.judging import judge
from tests.cpu.test_targets import RUNNABLE
from tests.support.calls import by_kernel_of
from tests.support.row_operators import OPERATORS, QUANTISING, ULPS, softmin, tensors

pytestmark = pytest.mark.share(8)

SHAPES = ((3, 1), (4, 70), (70, 5), (2, 1000))
over_operators = pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)


def check(operator: Any, dtype: str, results: tuple[Any, ...], given: tuple[Any, ...], own: dict[str, int]) -> None:
    for got, exact in zip(results, golden.expected(operator, given, own), strict=True):
        assert not exact.faults(got, ULPS[dtype] + 1, 8).any(), (dtype, exact.values.shape, own)


@over_operators
@pytest.mark.parametrize("name", RUNNABLE)
@pytest.mark.share(24)
def test_machine_code_of_each_processor(name: str, operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "host", lambda: target.find(name))
    rng = np.random.default_rng(1)
    for dtype in ("float32", "bfloat16", "float64"):
        for shape in SHAPES:
            for own in ({"dim": 0}, {"dim": 1}) if operator.access.dimension_attribute else ({},):
                given = tuple(tensors(operator, shape, BY_NAME[dtype].numpy, rng))
                kernel, results = by_kernel_of(engine, operator, *given, **own)
                assert str(kernel).startswith(f"{name}, ")
                check(operator, dtype, results, given, own)


@pytest.mark.parametrize("operator", QUANTISING, ids=lambda o: o.name)
@pytest.mark.parametrize("name", RUNNABLE)
def test_quantisation_on_each_processor(name: str, operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "host", lambda: target.find(name))
    rng = np.random.default_rng(1)
    for dtype in ("float32", "bfloat16"):
        for shape in ((3, 2), (4, 70), (70, 6), (2, 1000)):
            if operator.name == "swiglu_group_quant":  # a row is whole blocks of 128 results
                shape = (shape[0], 256 * -(-shape[1] // 256))
            x = (3 * rng.standard_normal(shape)).astype(BY_NAME[dtype].numpy)
            kernel, results = by_kernel_of(engine, operator, x)
            assert str(kernel).startswith(f"{name}, ")
            assert judge(operator, {}, [x, *[None] * (len(operator.schema.tensors) - 1)], results).holds


@over_operators
@pytest.mark.share(12)
def test_operands_that_leave_the_caches(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wider tiles, prefetches and streaming stores: the same bits."""
    rng = np.random.default_rng(4)
    for dtype in ("float32", "bfloat16"):
        for shape in ((5, 300), (300, 5), (40, 129)):
            for own in ({"dim": 0}, {"dim": 1}) if operator.access.dimension_attribute else ({},):
                given = tuple(tensors(operator, shape, BY_NAME[dtype].numpy, rng))
                _, small = by_kernel_of(engine, operator, *given, **own)
                with monkeypatch.context() as caches:
                    caches.setattr(schedule, "_last_cache_bytes", lambda: 2)
                    kernel, large = by_kernel_of(engine, operator, *given, **own)
                assert kernel.plan.is_large
                check(operator, dtype, large, given, own)
                for a, b in zip(small, large, strict=True):
                    assert a.tobytes() == b.tobytes(), (dtype, shape, own)


@over_operators
@pytest.mark.slow
def test_in_tritons_interpreter(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton", minversion="3.9")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    rng = np.random.default_rng(2)
    for dtype in ("float32", "float16", "bfloat16", "float64"):
        for shape in ((3, 1), (2, 70), (9, 4)):
            for own in ({"dim": 0}, {"dim": 1}) if operator.access.dimension_attribute else ({},):
                given = tuple(tensors(operator, shape, BY_NAME[dtype].numpy, rng))
                check(operator, dtype, samples.as_tuple(operator(*given, backend="triton", **own)), given, own)


def test_a_further_operator_in_tritons_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton", minversion="3.9")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    x = np.random.default_rng(3).standard_normal((5, 40)).astype(np.float32)
    with softmin() as operator:
        for dim in (0, 1):
            powers = np.exp(-x.astype(np.float64))
            wanted = powers / powers.sum(dim, keepdims=True)
            np.testing.assert_allclose(operator(x, dim=dim, backend="triton"), wanted, rtol=1e-6)


@over_operators
@pytest.mark.parametrize("gpu", ["sm_90", "gfx942"])
def test_compiles_for_gpus(gpu: str, operator: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton")
    from tests.triton_backend import test_triton_ptx as compilation

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    given = tensors(operator, (64, 1000), np.float16, np.random.default_rng(4))
    what = operator.plan(*given, backend="reference").computation
    result = compilation.compiled(what, gpu)
    assert result.asm[compilation.BINARIES[compilation.TARGETS[gpu].backend]]
