"""Machine code for each processor: run where this machine can, read as text where it cannot."""

from __future__ import annotations

import ctypes
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import samples
from actgrad.backends.cpu import engine, inner_loop, jit, target
from actgrad.backends.cpu.kernel_spec import KernelSpec
from actgrad.base.computation import forward
from actgrad.base.dtypes import BY_NAME
from actgrad.judge import golden
from tests.support import sample_values
from tests.support.calls import BFLOAT16, OPERATORS, by_kernel_of, ids, run_script, same_bits, supported

pytestmark = pytest.mark.share(16)

llvm = target.llvm
NEEDED = {
    "avx512": ("avx512f", "avx512bw", "avx512dq", "avx512vl", "fma", "f16c"),
    "avx2": ("avx2", "fma", "f16c"),
    "x86-64": (),
}


def runs_here(name: str) -> bool:
    if not llvm.get_default_triple().startswith("x86_64"):
        return name == "aarch64"
    features = llvm.get_host_cpu_features()
    return name in NEEDED and all(features.get(feature) for feature in NEEDED[name])


RUNNABLE = [
    pytest.param(name, marks=pytest.mark.skipif(not runs_here(name), reason="this machine has no such processor"))
    for name in target.NAMES
    if (name == "aarch64") == (not llvm.get_default_triple().startswith("x86_64"))
]


def same(x):
    """x"""
    return x


def identity_spec(source: str, result: str) -> KernelSpec:
    """An inner loop that only converts."""
    dtypes = BY_NAME[source], BY_NAME[result]
    compute = "float64" if "float64" in [d.compute for d in dtypes] else "float32"
    return KernelSpec(forward, (same,), 0, compute, (dtypes[1],), (dtypes[0],), (False,))


def converted(values: np.ndarray, result: str, name: str) -> np.ndarray:
    """`values` converted by a target's machine code: most in its main loop, the last ones in its remainder."""
    out = np.empty(values.shape, BY_NAME[result].numpy)
    code = jit.inner_loop_code(identity_spec(values.dtype.name, result), target.find(name))
    row = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)(code.plain)
    operands = (ctypes.c_void_p * 2)(out.ctypes.data, values.ctypes.data)
    row(ctypes.addressof(operands), values.size, None)
    return out


def agree(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where two arrays agree: in their bits, or in being NaN, of which kernels know only one."""
    bits = np.dtype(f"u{got.dtype.itemsize}")
    with np.errstate(invalid="ignore"):  # ml_dtypes warns of signalling NaNs
        nan = np.isnan(got) & np.isnan(wanted)
    return nan | (got.view(bits) == wanted.view(bits))


HALVES = {"float16": np.dtype(np.float16), "bfloat16": BFLOAT16}


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", RUNNABLE)
def test_every_half_is_widened_exactly(name: str, dtype: str) -> None:
    halves = sample_values.every_value(HALVES[dtype])
    for wide in ("float32", "float64"):
        with np.errstate(invalid="ignore"):
            wanted = halves.astype(wide)
        assert agree(converted(halves, wide, name), wanted).all()
        assert agree(converted(wanted, dtype, name), halves).all()


def around_halves(dtype: str, wide: Any) -> np.ndarray:
    """All halves, the midpoints between neighbours, and the next wider numbers on both sides of each."""
    with np.errstate(invalid="ignore"):
        halves = sample_values.every_value(HALVES[dtype]).astype(np.float64)
    finite = np.sort(halves[np.isfinite(halves)])
    largest = finite[-1]
    beyond = largest + (largest - finite[-2]) / 2  # the first number that rounds to infinity
    with np.errstate(all="ignore"):
        points = np.concatenate([halves, (finite[1:] + finite[:-1]) / 2, [beyond, -beyond]]).astype(wide)
        return np.concatenate([points, np.nextafter(points, wide(np.inf)), np.nextafter(points, wide(-np.inf))])


def rounded_once(values: np.ndarray, dtype: str) -> np.ndarray:
    """`values` rounded to nearest even. ml_dtypes takes float64 through float32, so that is made to lose nothing."""
    with np.errstate(all="ignore"):
        if values.dtype == np.float64 and dtype == "bfloat16":
            single = values.astype(np.float32)
            single = np.where(np.abs(np.float64(single)) > np.abs(values), np.nextafter(single, np.float32(0)), single)
            lost = (np.float64(single) != values) & ~np.isnan(values)
            values = (single.view(np.uint32) | lost).astype(np.uint32).view(np.float32)
        return values.astype(HALVES[dtype])


@pytest.mark.parametrize("wide", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", RUNNABLE)
def test_narrowing_to_half(name: str, dtype: str, wide: Any) -> None:
    rng = np.random.default_rng(0)
    random = np.frombuffer(rng.bytes(200_000 * np.dtype(wide).itemsize), wide)
    values = np.concatenate([around_halves(dtype, wide), random, (1e3 * rng.standard_normal(100_000)).astype(wide)])
    got, wanted = converted(values, dtype, name), rounded_once(values, dtype)
    wrong = ~agree(got, wanted)
    assert not wrong.any(), (values[wrong][:5], got[wrong][:5], wanted[wrong][:5])


@pytest.mark.parametrize("name", RUNNABLE)
def test_narrowing_between_wide_types(name: str) -> None:
    rng = np.random.default_rng(1)
    doubles = np.concatenate([np.frombuffer(rng.bytes(800_000), np.float64), around_halves("float16", np.float64)])
    with np.errstate(all="ignore"):
        singles = doubles.astype(np.float32)
    assert agree(converted(doubles, "float32", name), singles).all()
    assert agree(converted(singles, "float64", name), singles.astype(np.float64)).all()
    for source, result in (("float32", "complex64"), ("float64", "complex128")):
        values = singles if source == "float32" else doubles
        got = converted(values, result, name)
        assert agree(np.ascontiguousarray(got.real), values).all()
        assert not got.imag.any()


@pytest.mark.parametrize("source", ["float32", "float64", "float16"])
@pytest.mark.parametrize("result", ["int8", "int32"])
@pytest.mark.parametrize("name", RUNNABLE)
def test_narrowing_to_integers(name: str, result: str, source: str) -> None:
    """To nearest even, saturated; NaN becomes 0."""
    limits = np.iinfo(result)
    edges = [m + d for m in (limits.min, limits.max, 0) for d in np.arange(-3, 3.25, 0.25)]
    special = [np.nan, -np.nan, np.inf, -np.inf, 1e30, -1e30, 2.0**31, -(2.0**31), 2.0**63, 0.5, 1.5, 2.5, -0.5, -1.5]
    rng = np.random.default_rng(2)
    with np.errstate(all="ignore"):
        values = np.concatenate([edges, special, rng.uniform(-300, 300, 1000), rng.uniform(-3e9, 3e9, 1000)]).astype(
            source
        )
        wide = np.nan_to_num(values.astype(np.float64), nan=0, posinf=1e300, neginf=-1e300)
    wanted = np.clip(np.rint(wide), limits.min, limits.max).astype(result)
    assert np.array_equal(converted(values, result, name), wanted)
    integers = (
        np.concatenate([np.arange(-128, 128), [limits.min, limits.max]]).clip(limits.min, limits.max).astype(result)
    )
    for wide_name in ("float32", "float64"):
        assert np.array_equal(
            converted(integers, wide_name, name),
            integers.astype(wide_name if result == "int8" else np.float64).astype(wide_name),
        )


# Operators

#: Largest errors in ULP, see docs/accuracy.md.
BOUNDS = {"float16": 1, "bfloat16": 1, "float32": 12, "float64": 16}


def on_target(
    monkeypatch: pytest.MonkeyPatch, name: str, operator: actgrad.Operator, *tensors: Any, **attributes: Any
) -> Any:
    """The call's results, computed by the target's machine code."""
    monkeypatch.setattr(engine, "host", lambda: target.find(name))
    kernel, results = by_kernel_of(engine, operator, *tensors, **attributes)
    assert str(kernel).startswith(f"{name}, ")
    return results


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
@pytest.mark.parametrize("name", RUNNABLE)
@pytest.mark.share(12)
def test_operators(name: str, operator: actgrad.Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    for dtype in supported(operator):
        numpy = BY_NAME[dtype].numpy
        if dtype in ("int8", "int32"):
            x = rng.integers(-128, 128, 3000).astype(numpy)
        else:
            x = sample_values.samples(numpy, 3000, rng)
            x = x[~(np.abs(np.float64(x)) > 9)]  # the far tails are where test_accuracy.py looks
        for attributes in samples.attribute_cases(operator)[-2:]:
            tensors = samples.tensors(operator, attributes, x)
            got = on_target(monkeypatch, name, operator, *tensors, **attributes)
            if dtype in ("int8", "int32"):
                wanted = samples.as_tuple(operator(*tensors, backend="reference", **attributes))
                # A tie that float32 misses by its last bit is rounded to the other neighbour.
                assert all(np.abs(np.int64(g) - np.int64(w)).max() <= 1 for g, w in zip(got, wanted, strict=True))
                assert all((g == w).mean() > 0.99 for g, w in zip(got, wanted, strict=True))
                continue
            terms = 16 if "gelu" in operator.name or operator.access.is_packed else 8
            for actual, expected in zip(got, golden.expected(operator, tensors, attributes), strict=True):
                faults = np.flatnonzero(expected.faults(actual, BOUNDS[dtype], terms))
                assert not faults.size, (dtype, attributes, x[faults[:5] % len(x)], actual[faults[:5]])


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
@pytest.mark.parametrize("name", RUNNABLE)
@pytest.mark.share(6)
def test_layouts_on_every_target(name: str, operator: actgrad.Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contiguous, packed and broadcast rows, whole vectors and remainders: the same bits on one target."""
    rng = np.random.default_rng(4)
    attributes = samples.attribute_cases(operator)[-1]
    for dtype in ("float32", "float16", "float64"):
        x = sample_values.samples(dtype, 1500, rng)[: 30 * 49].reshape(30, 49)
        tensors = samples.tensors(operator, attributes, x.ravel(), rng)
        shape = (30, 98) if operator.access.is_packed else (30, 49)
        tensors = [t.reshape(30, -1) if t.size != x.size else t.reshape(30, 49) for t in tensors]
        plain = on_target(monkeypatch, name, operator, *tensors, **attributes)
        assert plain[0].shape in (shape, (30, 49))
        for change in (np.asfortranarray, lambda a: np.repeat(a, 2, 0)[::2], lambda a: a[::-1].copy()[::-1]):
            got = on_target(monkeypatch, name, operator, *map(change, tensors), **attributes)
            assert all(same_bits(g, w) for g, w in zip(got, plain, strict=True))


@pytest.mark.parametrize("name", RUNNABLE)
def test_target_by_environment(name: str) -> None:
    script = """
import sys, numpy as np, actgrad
x = np.linspace(-3, 3, 1001, dtype=np.float32)
print(actgrad.elu.plan(x))
assert np.allclose(actgrad.elu(x), actgrad.elu(x, backend="reference"), rtol=1e-6, atol=0)
half = x.astype(np.float16)
assert np.allclose(actgrad.gelu(half), actgrad.gelu(half, backend="reference"), rtol=1e-3, atol=1e-6)
"""
    assert f"cpu: {name}, " in run_script(script, ACTGRAD_CPU=name)


def test_target_of_another_family_is_refused() -> None:
    """Named by the environment, its code would be run here: an error, not the end of the process."""
    other = "aarch64" if llvm.get_default_triple().startswith("x86_64") else "avx2"
    script = """
import numpy as np, actgrad
try:
    actgrad.elu(np.ones(3, np.float32))
except actgrad.ActgradError as error:
    print(error.status)
"""
    assert run_script(script, ACTGRAD_CPU=other).strip() in ("161002", "561003")


def test_unknown_target() -> None:
    with pytest.raises(
        actgrad.InvalidArgument, match=r"target processor is 'sse9'; it must be avx512, avx2, x86-64 or aarch64"
    ):
        target.find("sse9")


# Machine code as text

ROWS = [
    (operator, dtype)
    for operator in OPERATORS
    for dtype in supported(operator)
    if operator.name in ("elu", "elu_backward", "selu", "gelu_backward", "geglu_backward")
]


def spec_of(operator: actgrad.Operator, dtype: str, **attributes: Any) -> KernelSpec:
    tensors = samples.tensors(operator, {**operator.defaults, **attributes}, np.ones(64, BY_NAME[dtype].numpy))
    computation = operator.plan(*tensors, backend="reference", **attributes).computation
    loop = computation.loop
    return KernelSpec(
        computation.element, computation.formulas, len(computation.scalars), computation.compute,
        tuple(o.dtype for o in loop.outputs), tuple(o.dtype for o in loop.inputs), (False,) * len(loop.inputs),
        streams=True,
    )  # fmt: skip


CALL = {
    "aarch64": r"^\s+bl?\s+([A-Za-z]\w*)",
    "x86": r"\$([A-Za-z]\w*)@GOT(?:OFF|PLT)?,|\b(?:callq|jmp)\s+([A-Za-z]\w*)",
}


def called(text: str, name: str) -> set[str]:
    """The names of the functions that machine code refers to."""
    found = re.findall(CALL["aarch64" if name == "aarch64" else "x86"], text, re.MULTILINE)
    return {part for match in found for part in (match if isinstance(match, tuple) else (match,)) if part}


@pytest.mark.parametrize(("operator", "dtype"), ROWS, ids=lambda v: getattr(v, "name", v))
@pytest.mark.parametrize("name", target.NAMES)
def test_no_library_calls(name: str, operator: actgrad.Operator, dtype: str) -> None:
    """Conversions, exp and rounding are instructions. Only the tail's bytes are copied by the library, and where there
    is no fused multiply-add in hardware the C library's is called."""
    text = jit.assembly(spec_of(operator, dtype), target.find(name))
    allowed = {"memcpy", "memset", "row"} | ({"fma", "fmaf"} if name == "x86-64" else set())
    assert called(text, name) <= allowed


@pytest.mark.parametrize(
    ("name", "dtype", "expected"),
    [("aarch64", "float16", "memcpy"), ("avx2", "float16", "memcpy"), ("x86-64", "float32", "fmaf")],
)
def test_library_calls_are_seen(name: str, dtype: str, expected: str) -> None:
    """The pattern above finds calls where there are some."""
    assert expected in called(jit.assembly(spec_of(actgrad.gelu_backward, dtype), target.find(name)), name)


REGISTERS = {
    "avx512": (r"%zmm\d", None),
    "avx2": (r"%ymm\d", r"%zmm\d|%k[0-7]\b"),
    "x86-64": (r"%xmm\d", r"%[yz]mm\d|\tv[a-z]+p[sd]\t"),
    "aarch64": (r"\bv\d+\.4s", r"%xmm"),
}


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", target.NAMES)
def test_registers(name: str, dtype: str) -> None:
    """The widest vectors that the target has, and no instruction that it has not."""
    text = jit.assembly(spec_of(actgrad.elu_backward, dtype), target.find(name))
    has, has_not = REGISTERS[name]
    assert re.search(has, text)
    assert has_not is None or not re.search(has_not, text)


STORES = {
    "avx512": r"\tvmovnt(ps|pd|dq)\t%(zmm|ymm)\d+, \S*\(",
    "avx2": r"\tvmovnt(ps|pd|dq)\t%(ymm|xmm)\d+, \S*\(",
    "x86-64": r"\tmovnt(ps|pd|dq)\t%xmm\d+, \S*\(",
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("name", STORES)
def test_streaming_stores(name: str, dtype: str) -> None:
    """For every dtype, in the streaming function only; the driver fences them."""
    text = jit.assembly(spec_of(actgrad.elu_backward, dtype), target.find(name))
    plain, streaming = text[: text.index("row_streaming:")], text[text.index("row_streaming:") :]
    assert re.search(STORES[name], streaming)
    assert "movnt" not in plain
    assert "call void @llvm.x86.sse.sfence" in str(engine._driver_module(target.find(name))).replace('"', "")


@pytest.mark.parametrize("name", target.NAMES)
def test_bfloat16_is_read_in_pairs(name: str) -> None:
    """Where that is worth it, and where all is bfloat16 and computed in float32: no result would tell."""
    made_for = target.find(name)
    words = f"load <{made_for.vector_bytes // 4} x i32>"

    def is_in_pairs(spec: KernelSpec) -> bool:
        return words in str(jit.inner_loop_module(spec, made_for))

    spec = identity_spec("bfloat16", "bfloat16")
    assert is_in_pairs(spec) == made_for.tuning.bfloat16_pairs
    assert is_in_pairs(spec_of(actgrad.geglu_backward, "bfloat16")) == made_for.tuning.bfloat16_pairs
    assert not is_in_pairs(replace(spec, compute="float64"))
    assert not is_in_pairs(identity_spec("bfloat16", "float16"))
    assert not is_in_pairs(spec_of(actgrad.elu_backward, "float16"))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_a_row_of_a_table_is_recorded_once_for_a_number_and_its_negative(approximate: str) -> None:
    """And for value and slope: more records would only take longer."""
    spec = spec_of(actgrad.gelu_backward, "float32", approximate=approximate)
    assert [inner_loop.buffer_words(spec, target.find(name)) for name in ("avx512", "avx2", "x86-64")] == [0, 1, 0]
