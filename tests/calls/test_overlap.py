"""An output may be exactly an input or lie apart from it; what half overlaps is refused before anything is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import actgrad
from actgrad.base import dtypes
from actgrad.base.loop import TensorMeta
from actgrad.calls import aliasing
from tests.support.calls import same_bits

BUFFER = np.linspace(-3, 3, 64, dtype=np.float32)


def elu(x: np.ndarray) -> np.ndarray:
    return actgrad.elu(np.array(x, order="C"))


def strided(buffer: np.ndarray, start: int, shape: Any, strides: Any) -> np.ndarray:
    """A view in elements, like aclCreateTensor's."""
    return as_strided(buffer[start:], shape, [s * buffer.itemsize for s in strides])


# Each: how the input and the output look at one buffer.
ALLOWED = {
    "the same array": (lambda b: b, lambda b: b),
    "the same view": (lambda b: b[3:40:2], lambda b: b[3:40:2]),
    "the same, backwards": (lambda b: b[::-1], lambda b: b[::-1]),
    "the same, transposed": (lambda b: b.reshape(8, 8).T, lambda b: b.reshape(8, 8).T),
    "strides of single elements do not count": (lambda b: b[None, :], lambda b: strided(b, 0, (1, 64), (7, 1))),
    "neighbours": (lambda b: b[:32], lambda b: b[32:]),
    "even and odd": (lambda b: b[::2], lambda b: b[1::2]),
    "even forwards and odd backwards": (lambda b: b[::2], lambda b: b[::-2]),
    "left and right columns": (lambda b: b.reshape(8, 8)[:, :4], lambda b: b.reshape(8, 8)[:, 4:]),
    "columns between columns": (lambda b: b.reshape(8, 8)[:, ::2], lambda b: b.reshape(8, 8)[:, 1::2]),
    "rows between rows": (lambda b: b.reshape(8, 8)[::2], lambda b: b.reshape(8, 8)[1::2]),
    "rows between rows, turned": (lambda b: b.reshape(8, 8)[::2, :4].T, lambda b: b.reshape(8, 8)[1::2, 4:]),
    "the gap in a period": (lambda b: strided(b, 0, (6, 2), (6, 1)), lambda b: strided(b, 3, (6, 2), (6, 1))),
    "no elements": (lambda b: b[:0], lambda b: b[:0]),
    "no elements inside": (lambda b: b.reshape(8, 8)[2:2], lambda b: b.reshape(8, 8)[1:1]),
    "one element": (lambda b: b[5, ...], lambda b: b[5, ...]),
}  # fmt: skip

REFUSED = {
    "shifted by one": (lambda b: b[:-1], lambda b: b[1:]),
    "shifted back": (lambda b: b[1:], lambda b: b[:-1]),
    "reversed": (lambda b: b, lambda b: b[::-1]),
    "transposed": (lambda b: b.reshape(8, 8), lambda b: b.reshape(8, 8).T),
    "one element shared": (lambda b: b[:33], lambda b: b[31:]),
    "other strides": (lambda b: b[:16], lambda b: b[:64:4]),
    "spread over the output": (lambda b: np.broadcast_to(b[:1], (64,)), lambda b: b),
    "a shorter period": (lambda b: strided(b, 0, (6, 2), (6, 1)), lambda b: strided(b, 1, (6, 2), (6, 1))),
    "half an element": (
        lambda b: np.ndarray((8,), np.float32, b, 2),
        lambda b: np.ndarray((8,), np.float32, b, 0),
    ),
    "bytes interleaved": (
        lambda b: np.ndarray((8,), np.float32, b, 2, (8,)),
        lambda b: np.ndarray((8,), np.float32, b, 0, (8,)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "target"), ALLOWED.values(), ids=ALLOWED)
def test_allowed(source: Any, target: Any) -> None:
    buffer = BUFFER.copy()
    x, out = source(buffer), target(buffer)
    expected = elu(x)
    actgrad.elu(x, out=out)
    assert same_bits(np.ascontiguousarray(out).reshape(expected.shape), expected)


@pytest.mark.parametrize(("source", "target"), REFUSED.values(), ids=REFUSED)
def test_refused(source: Any, target: Any) -> None:
    for backend in ("cpu", "reference"):
        buffer = BUFFER.copy()
        x, out = source(buffer), target(buffer)
        for call in (actgrad.elu, actgrad.elu.plan):
            with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out overlaps self; ") as caught:
                call(x, out=out, backend=backend)
            assert caught.value.status == 161002
        assert same_bits(buffer, BUFFER)


def test_checked_on_every_call() -> None:
    """Calls that are alike but for their addresses are prepared once; where they lie is looked at each time."""
    buffer = BUFFER.copy()
    for offset in (32, 40, 32):
        actgrad.elu(buffer[:24], out=buffer[offset : offset + 24])
    for offset in (1, 23, 5):
        with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out overlaps self; "):
            actgrad.elu(buffer[:24], out=buffer[offset : offset + 24])
    actgrad.elu(buffer[:24], out=buffer[:24])


def test_every_input_is_looked_at() -> None:
    buffer = BUFFER.copy()
    g, x = buffer[:16], buffer[32:48]
    for name, out in (("grad_output", buffer[8:24]), ("self_or_result", buffer[24:40])):
        with pytest.raises(actgrad.InvalidArgument, match=rf"^elu_backward: grad_input overlaps {name}; "):
            actgrad.elu_backward(g, x, out=out)
    for out in (buffer[16:32], g, x):
        expected = actgrad.elu_backward(g.copy(), x.copy())
        assert same_bits(actgrad.elu_backward(g, x, out=out).copy(), expected)
        buffer[:] = BUFFER


def test_other_dtypes_on_the_same_bytes() -> None:
    buffer = BUFFER.copy()
    halves = buffer.view(np.float16)
    expected = actgrad.leaky_relu(buffer[:8], out=np.empty(8, np.float64))
    with pytest.raises(actgrad.InvalidArgument, match=r"out overlaps self"):
        actgrad.leaky_relu(buffer[:8], out=buffer.view(np.float64)[:8])
    with pytest.raises(actgrad.InvalidArgument, match=r"out overlaps self"):
        actgrad.leaky_relu(halves[:16], out=buffer[:16])
    assert same_bits(buffer, BUFFER)
    assert same_bits(actgrad.leaky_relu(buffer[:8], out=buffer.view(np.float64)[8:16]), expected)
    # Of one size but another type: each element is read before it is written.
    whole = np.arange(-32, 32, dtype=np.int32)
    expected = actgrad.selu(whole, out=np.empty(64, np.float32))
    assert same_bits(actgrad.selu(whole, out=whole.view(np.float32)), expected)


# An output and itself

SELF_OVERLAPPING = {
    "stride 0": lambda b: strided(b, 0, (4, 3), (0, 1)),
    "stride 0 inside": lambda b: strided(b, 0, (4, 3), (3, 0)),
    "sliding window": lambda b: strided(b, 0, (8, 3), (1, 1)),
    "overlapping rows": lambda b: strided(b, 0, (4, 6), (5, 1)),
    "interlocked, 2*3 = 3*2": lambda b: strided(b, 0, (4, 3), (2, 3)),
    "interlocked, 6 = 2*3": lambda b: strided(b, 0, (4, 2), (2, 6)),
    "three dimensions": lambda b: strided(b, 0, (2, 2, 2), (1, 3, 4)),
    "within an element": lambda b: np.ndarray((4,), np.float32, b, 0, (3,)),
    "backwards over itself": lambda b: strided(b, 20, (4, 6), (-5, 1)),
}

APART = {
    "interlocked, no 2*i = 3*j": lambda b: strided(b, 0, (3, 2), (2, 3)),
    "rows inside the gaps of rows": lambda b: strided(b, 0, (2, 3), (1, 2)),
    "interlocked, 3 < 2*4": lambda b: strided(b, 0, (5, 2), (4, 2)),
    "three dimensions": lambda b: strided(b, 0, (2, 2, 2), (1, 2, 4)),
    "strides of 0 over one element": lambda b: strided(b, 0, (1, 5, 1), (0, 1, 0)),
    "no elements": lambda b: strided(b, 0, (0, 5), (0, 0)),
    "backwards": lambda b: strided(b, 20, (4, 5), (-5, 1)),
}


@pytest.mark.parametrize("view", SELF_OVERLAPPING.values(), ids=SELF_OVERLAPPING)
def test_output_over_itself(view: Any) -> None:
    buffer = BUFFER.copy()
    out = view(buffer)
    x = np.ones(out.shape, np.float32)
    for backend in ("cpu", "reference"):
        with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out overlaps itself .*; pass a copy") as caught:
            actgrad.elu(x, out=out, backend=backend)
        assert caught.value.status == 161002
    assert same_bits(buffer, BUFFER)
    # As an input it is as good as any.
    assert same_bits(actgrad.elu(out), elu(out))


@pytest.mark.parametrize("view", APART.values(), ids=APART)
def test_output_that_looks_like_overlapping(view: Any) -> None:
    out = view(BUFFER.copy())
    x = np.linspace(-2, 2, out.size, dtype=np.float32).reshape(out.shape)
    actgrad.elu(x, out=out)
    assert same_bits(np.array(out), elu(x))


def test_in_place_over_itself() -> None:
    """The same view, but elements would be computed twice."""
    buffer = BUFFER.copy()
    spread = strided(buffer, 0, (4, 3), (0, 1))
    with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out overlaps itself"):
        actgrad.elu(spread, out=spread)
    assert same_bits(buffer, BUFFER)


def test_two_outputs() -> None:
    self = np.linspace(-2, 2, 40, dtype=np.float32).reshape(4, 10)
    expected = actgrad.geglu(self)
    buffer = BUFFER.copy()
    shared = buffer[:20].reshape(4, 5)
    for gelu in (shared, buffer[10:30].reshape(4, 5), shared[::-1]):
        with pytest.raises(actgrad.InvalidArgument, match=r"^geglu: out_gelu overlaps out; "):
            actgrad.geglu(self, out=(shared, gelu))
    assert same_bits(buffer, BUFFER)
    apart = buffer[:40].reshape(4, 10)
    actgrad.geglu(self, out=(apart[:, ::2], apart[:, 1::2]))
    for got, wanted in zip((apart[:, ::2], apart[:, 1::2]), expected, strict=True):
        assert same_bits(got.copy(), wanted)


def test_two_outputs_and_the_input() -> None:
    buffer = np.linspace(-2, 2, 60, dtype=np.float32)
    self, before = buffer[:40].reshape(4, 10), buffer.copy()
    free = buffer[40:].reshape(4, 5)
    for out in ((self[:, :5], free), (free, self[:, 5:])):
        with pytest.raises(actgrad.InvalidArgument, match=r"^geglu: (out|out_gelu) overlaps self; "):
            actgrad.geglu(self, out=out)
    with pytest.raises(actgrad.InvalidArgument, match=r"^geglu: out_gelu overlaps self; "):
        actgrad.geglu(self, out=(None, self[:, 5:]))
    assert same_bits(buffer, before)


def test_geglu_gradient_over_its_parts() -> None:
    """In place over self is exact; over grad_output or the given gelu, which are half as large, it never is."""
    rng = np.random.default_rng(0)
    buffer = rng.standard_normal(160).astype(np.float32)
    grad, self, gelu = buffer[:20].reshape(4, 5), buffer[40:80].reshape(4, 10), buffer[120:140].reshape(4, 5)
    before = buffer.copy()
    for start, name in ((0, "grad_output"), (60, "self"), (110, "gelu"), (30, "self")):
        out = buffer[start : start + 40].reshape(4, 10)
        with pytest.raises(actgrad.InvalidArgument, match=rf"^geglu_backward: grad_input overlaps {name}; "):
            actgrad.geglu_backward(grad, self, gelu, out=out)
    assert same_bits(buffer, before)
    expected = actgrad.geglu_backward(grad, self, gelu)
    assert same_bits(actgrad.geglu_backward(grad, self, gelu, out=self).copy(), expected)


def test_torch_views() -> None:
    torch = pytest.importorskip("torch")
    x = torch.linspace(-3, 3, 64)
    with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out overlaps self; "):
        actgrad.elu(x[:-1], out=x[1:])
    with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out overlaps itself"):
        actgrad.elu(torch.ones(4, 3), out=torch.zeros(3).expand(4, 3))
    even = actgrad.elu(x[::2].clone())
    actgrad.elu(x[::2], out=x[1::2])
    assert torch.equal(x[1::2], even)
    bfloat = x.bfloat16()
    with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out overlaps self; "):
        actgrad.elu(bfloat[:-1], out=bfloat[1:])


def test_large_views_are_decided_quickly() -> None:
    """Shapes as they occur, millions of elements: by their strides, not element by element."""
    buffer = np.zeros(1 << 24, np.float32).reshape(16, 64, 128, 128)
    even, odd = buffer[:, ::2], buffer[:, 1::2]
    plan = actgrad.elu.plan(even.transpose(0, 2, 3, 1), out=odd.transpose(0, 2, 3, 1))
    assert plan.computation.loop.size == 1 << 23
    with pytest.raises(actgrad.InvalidArgument, match=r"out overlaps self"):
        actgrad.elu(buffer[:, :, :-1], out=buffer[:, :, 1:])


# Against brute force


@st.composite
def small_views(draw: st.DrawFn) -> tuple[int, tuple[int, ...], tuple[int, ...], str]:
    """Start, shape, strides in bytes, dtype: inside a buffer of 4096 bytes."""
    rank = draw(st.integers(0, 4))
    shape = tuple(draw(st.lists(st.integers(0, 5), min_size=rank, max_size=rank)))
    strides = tuple(draw(st.lists(st.integers(-24, 24), min_size=rank, max_size=rank)))
    return (
        draw(st.integers(1000, 1100)),
        shape,
        strides,
        draw(st.sampled_from(["int8", "float16", "float32", "float64"])),
    )


def element_bytes(start: int, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> list[set[int]]:
    """For each element the bytes that it lies on."""
    return [
        set(range(first, first + itemsize))
        for index in np.ndindex(*shape)
        for first in [start + sum(i * s for i, s in zip(index, strides, strict=True))]
    ]


@settings(max_examples=300, deadline=None)
@given(small_views())
def test_self_overlap_by_brute_force(view: tuple[int, tuple[int, ...], tuple[int, ...], str]) -> None:
    start, shape, strides, dtype = view
    elements = element_bytes(start, shape, strides, np.dtype(dtype).itemsize)
    overlaps = sum(map(len, elements)) != len(set().union(*elements))
    assert aliasing.overlaps_itself(TensorMeta(dtypes.BY_NAME[dtype], shape, strides)) == overlaps


@settings(max_examples=300, deadline=None)
@given(small_views(), small_views(), st.booleans(), st.lists(st.integers(-40, 40), max_size=3))
def test_overlap_by_brute_force(a: Any, b: Any, one_shape: bool, shifts: list[int]) -> None:
    """Of whole calls: the output is refused exactly where a byte is shared and the views differ.

    Calls that differ in the output's address alone follow each other, because such calls are checked another way.
    """
    if one_shape:  # more often the same elements in another order, or shifted
        b = (b[0], a[1], tuple(reversed(a[2])) if sum(a[2]) % 2 else a[2], b[3])
    assume(len(a[1]) == len(b[1]))
    shape, strides = a[1], b[2]
    dtype = dtypes.BY_NAME["float32"]
    itself = aliasing.overlaps_itself(TensorMeta(dtype, shape, strides))
    for start in (b[0], *(b[0] + shift for shift in shifts), b[0]):
        memory = np.zeros(4096, np.uint8)
        x, out = (
            np.ndarray(shape, np.float32, memory, a[0], a[2]),
            np.ndarray(shape, np.float32, memory, start, strides),
        )
        sets = [element_bytes(a[0], shape, a[2], 4), element_bytes(start, shape, strides, 4)]
        assert itself == (sum(map(len, sets[1])) != len(set().union(*sets[1])))
        shared = bool(set().union(*sets[0]) & set().union(*sets[1]))
        if itself or (shared and sets[0] != sets[1]):
            with pytest.raises(actgrad.InvalidArgument, match=r"^elu: out overlaps (itself|self)"):
                actgrad.elu(x, out=out)
            assert not memory.any()
        else:
            assert actgrad.elu(x, out=out) is out
