"""Large tensors: several threads, streaming stores, more elements than 32 bits count."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import samples
from actgrad.backends.cpu import engine, schedule
from actgrad.base.dtypes import BY_NAME
from tests.support.calls import (
    OPERATORS,
    Memory,
    ids,
    input_shapes,
    inputs,
    off_defaults,
    same_bits,
    supported,
    untouched,
)

LARGE = 1 << 22


def large_inputs(operator: actgrad.Operator, shape: tuple[int, ...], dtype: Any = np.float32) -> dict[str, np.ndarray]:
    """Cheaper than random numbers: a sawtooth of a length that no vector or tile divides."""
    tooth = np.linspace(-4, 4, 10007).astype(dtype)
    tensors = {}
    for number, (name, whole) in enumerate(input_shapes(operator, shape).items()):
        size = int(np.prod(whole))
        tensors[name] = np.resize(np.roll(tooth, number), size).reshape(whole)
    return tensors


def large_expected(operator: actgrad.Operator, tensors: dict[str, np.ndarray], rows: int) -> list[np.ndarray]:
    """The result computed some rows at a time, which is neither threaded nor streamed."""
    count = next(iter(tensors.values())).shape[0]
    parts = [
        samples.as_tuple(operator(*(t[k : k + rows] for t in tensors.values()), **off_defaults(operator)))
        for k in range(0, count, rows)
    ]
    return [np.concatenate(p) for p in zip(*parts, strict=True)]


@pytest.mark.share(4)
@pytest.mark.parametrize("offset", [0, 4, 2])
@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_large(operator: actgrad.Operator, offset: int) -> None:
    """Large enough for streaming stores; the output begins at a cache line, beside one, or at no element of one."""
    shape = (64, LARGE // 64 + 24) if operator.access.is_packed else (LARGE + 1537,)
    tensors = large_inputs(operator, shape)
    expected = large_expected(operator, tensors, 1 if operator.access.is_packed else 10007)
    rooms = []
    for wanted in expected:
        memory = np.full(wanted.nbytes + 256, 0xA5, np.uint8)
        start = -memory.__array_interface__["data"][0] % 64 + 64 + offset
        rooms.append((np.ndarray(wanted.shape, wanted.dtype, memory, start), memory))
    out = tuple(view for view, _ in rooms)
    plan = operator.plan(*tensors.values(), out=out if len(out) > 1 else out[0], **off_defaults(operator))
    plan.run()
    for (view, memory), wanted in zip(rooms, expected, strict=True):
        assert np.array_equal(view.view(np.uint32), wanted.view(np.uint32))
        assert untouched_ends(view, memory)


def untouched_ends(view: np.ndarray, memory: np.ndarray) -> bool:
    start = view.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    return bool((memory[:start] == 0xA5).all() and (memory[start + view.nbytes :] == 0xA5).all())


@pytest.mark.share(6)
@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_streaming_stores(operator: actgrad.Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits as ordinary stores, wherever the outputs begin; asked for on small arrays too."""
    monkeypatch.setattr(schedule, "_last_cache_bytes", lambda: 0)
    rng = np.random.default_rng(16)
    shapes = [(1,), (31,), (32,), (33,), (1000,), (4099,), (5, 67), (3, 1030)]
    for dtype, shape in itertools.product(supported(operator), shapes):
        rank, itemsize = len(shape), BY_NAME[dtype].itemsize
        tensors = inputs(rng, operator, shape, dtype)
        expected = samples.as_tuple(operator(*tensors.values(), **off_defaults(operator)))
        for offset in {0, itemsize, 64 - itemsize, 1}:
            # Rows of two dimensions stand apart, so that each begins elsewhere.
            memories = [Memory(tuple(range(rank)), (1,) * rank, offset + k) for k in range(len(expected))]
            widths = [(*e.shape[:-1], e.shape[-1] + 3 * (rank == 2)) for e in expected]
            rooms = [m.room(w, e.dtype) for m, w, e in zip(memories, widths, expected, strict=True)]
            rooms = [(view[..., : e.shape[-1]], around) for (view, around), e in zip(rooms, expected, strict=True)]
            out = tuple(view for view, _ in rooms)
            out = out if len(out) > 1 else out[0]
            plan = operator.plan(*tensors.values(), out=out, backend="reference", **off_defaults(operator))
            kernel = engine.prepare(plan.computation)
            assert ("streaming" in str(kernel)) == bool(kernel.target.fence)
            kernel.run(*plan.addresses)
            for (view, memory), wanted in zip(rooms, expected, strict=True):
                assert same_bits(view, wanted), (dtype, shape, offset)
                assert untouched(view, memory), (dtype, shape, offset)


@pytest.mark.slow
def test_more_than_two_to_the_31_elements() -> None:
    """Needs 9 GB. Every index, size and address is a 64-bit number: the end of the array is right."""
    size = 2**31 + 12345
    meminfo = Path("/proc/meminfo").read_text()
    available = int(re.search(r"MemAvailable: +(\d+) kB", meminfo)[1])
    if available << 10 < 5 * size:
        pytest.skip("not enough memory")
    x, out = np.zeros(size, np.int8), np.full(size, 77, np.int8)
    values = np.arange(-128, 128, dtype=np.int8)
    x[:256] = x[-256:] = x[2**31 - 128 : 2**31 + 128] = values
    expected = actgrad.selu(values)
    actgrad.selu(x, out=out)
    for part in (slice(0, 256), slice(-256, None), slice(2**31 - 128, 2**31 + 128)):
        assert np.array_equal(out[part], expected)
    assert not out[256 : 2**31 - 128].any()
    # Strided, from the other end, and halves of a gated tensor that begin beyond 2**32 bytes.
    out[:] = 77
    actgrad.selu(x[::-1], out=out)
    assert np.array_equal(out[:256], expected[::-1])
    assert np.array_equal(out[2**31 : 2**31 + 100], actgrad.selu(x[::-1][2**31 : 2**31 + 100]))
    actgrad.selu(x[: 2**31].reshape(2**16, 2**15).T, out=out[: 2**31].reshape(2**15, 2**16))
    assert np.array_equal(out[: 2**16 : 2**14], actgrad.selu(x[: 2**31 : 2**29]))
    assert np.array_equal(out[2**31 - 2**16 : 2**31], actgrad.selu(x[2**15 - 1 : 2**31 : 2**15]))
