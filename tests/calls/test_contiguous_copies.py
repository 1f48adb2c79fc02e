"""Tensors of any strides where several dimensions count as one: the bits of the same call on contiguous tensors."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ml_dtypes import bfloat16

import actgrad
from actgrad import aclnn
from tests.support.aclnn.live_calls import OK
from tests.support.calls import Memory, same_bits, untouched
from tests.support.memory_layouts import NAMED, laid_out, memories

RNG = np.random.default_rng(7)
SHAPE = (4, 6, 2, 5)


def some(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return (2 * RNG.standard_normal(shape)).astype(dtype)


def halved(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return tuple(n // 2 if d == dim % len(shape) else n for d, n in enumerate(shape))


def layouts(values: np.ndarray) -> Iterator[np.ndarray]:
    """The same values along many strides: each order of the dimensions, gaps, backwards, one number for all."""
    for order in itertools.permutations(range(values.ndim)):
        yield np.ascontiguousarray(values.transpose(order)).transpose(np.argsort(order))
    for layout in NAMED:
        yield layout(values)


def rooms(shape: tuple[int, ...], dtype: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Outputs along many strides, and the memory around each."""
    rank = len(shape)
    for order in (tuple(reversed(range(rank))), (*range(1, rank), 0)):
        for steps in ((1,) * rank, (*(1,) * (rank - 1), -2)):
            yield Memory(order, steps, 2).room(shape, np.dtype(dtype))


# Both directions of clipped SwiGLU


@pytest.mark.parametrize("dim", [0, 1, -2])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64, bfloat16])
def test_halves_of_several_dimensions(dim: int, dtype: Any) -> None:
    x, g = some(*SHAPE, dtype=dtype), some(*halved(SHAPE, dim), dtype=dtype)
    wanted, by_x = actgrad.clipped_swiglu(x, dim=dim), actgrad.clipped_swiglu_backward(g, x, dim=dim)
    for layout in layouts(x):
        assert same_bits(np.array(actgrad.clipped_swiglu(layout, dim=dim)), wanted)
        assert same_bits(np.array(actgrad.clipped_swiglu_backward(g, layout, dim=dim)), by_x)
    for layout in layouts(g):
        assert same_bits(np.array(actgrad.clipped_swiglu_backward(layout, x, dim=dim)), by_x)


@pytest.mark.parametrize("dim", [0, 1, -2])
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_outputs_along_strides(dim: int, backend: str) -> None:
    x, g = some(*SHAPE), some(*halved(SHAPE, dim))
    scattered = np.asfortranarray(x)
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (actgrad.clipped_swiglu, (x,)), (actgrad.clipped_swiglu, (scattered,)),
        (actgrad.clipped_swiglu_backward, (g, x)), (actgrad.clipped_swiglu_backward, (g, scattered)),
    ]  # fmt: skip
    for operator, tensors in calls:
        wanted = operator(*map(np.ascontiguousarray, tensors), dim=dim, backend=backend)
        for out, memory in rooms(wanted.shape, np.float32):
            assert operator(*tensors, dim=dim, out=out, backend=backend) is out
            assert same_bits(np.array(out), wanted)
            assert untouched(out, memory)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_layout(data: st.DataObject) -> None:
    rank = data.draw(st.integers(2, 5))
    shape = tuple(data.draw(st.lists(st.integers(0, 4), min_size=rank, max_size=rank)))
    dim = data.draw(st.integers(0, rank - 1))
    shape = tuple(2 * n if d == dim else n for d, n in enumerate(shape))
    rng = np.random.default_rng(1)
    x, g = (rng.standard_normal(s).astype(np.float32) for s in (shape, halved(shape, dim)))
    counts = data.draw(st.sampled_from([None, 0, 1, 3]))
    counted = [None] if counts is None else [np.array([counts, 0], np.int64)]
    for operator, tensors in ((actgrad.clipped_swiglu, (x,)), (actgrad.clipped_swiglu_backward, (g, x))):
        scattered = [data.draw(laid_out(tensor)) for tensor in tensors]
        wanted = np.full(g.shape if operator is actgrad.clipped_swiglu else shape, 9, np.float32)
        operator(*[tensor.copy("C") for tensor in scattered], *counted, dim=dim, out=wanted)
        out, memory = data.draw(memories(rank)).room(wanted.shape, wanted.dtype)
        out[...] = 9
        operator(*scattered, *counted, dim=dim, out=out)
        assert same_bits(np.array(out), wanted)
        assert untouched(out, memory)


# Rows that a tensor counts, plans and memory of inputs


@pytest.mark.parametrize("count", [0, 1, 3, 4, 100])
def test_counted_rows_of_strided_tensors(count: int) -> None:
    """Rows behind those that are counted stay as they are, to the bit; a gradient is 0 there."""
    x, g = some(2, 2, 4, 3), some(2, 2, 2, 3)
    counts = np.array([count, 0], np.int64)
    signalling = np.frombuffer(np.full(2 * 2 * 2 * 3, 0x7FA00001, np.uint32), np.float32).reshape(2, 2, 2, 3)
    out = np.asfortranarray(signalling.copy())
    actgrad.clipped_swiglu(np.asfortranarray(x), counts, dim=2, out=out)
    wanted = signalling.copy()
    actgrad.clipped_swiglu(x, counts, dim=2, out=wanted)
    assert np.array(out, order="C").tobytes() == wanted.tobytes()
    by_x = np.asfortranarray(np.full(x.shape, 9, np.float32))
    actgrad.clipped_swiglu_backward(np.asfortranarray(g), np.asfortranarray(x), counts, dim=2, out=by_x)
    assert same_bits(np.array(by_x), actgrad.clipped_swiglu_backward(g, x, counts, dim=2))


def test_a_plan_reads_its_tensors_whenever_it_runs() -> None:
    x, out = np.asfortranarray(some(4, 6, 5)), np.asfortranarray(np.zeros((4, 3, 5), np.float32))
    counts = np.array([4], np.int64)
    plan = actgrad.clipped_swiglu.plan(x, counts, dim=1, out=out)
    assert "contiguous copies" in str(plan)
    for number in (4, 1, 0, 3):
        x[...], out[...], counts[0] = some(4, 6, 5), 9, number
        plan.run()
        wanted = np.full(out.shape, 9, np.float32)
        actgrad.clipped_swiglu(x.copy("C"), counts, dim=1, out=wanted)
        assert same_bits(np.array(out), wanted)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_a_gradient_over_its_input(order: tuple[int, ...]) -> None:
    x, g = some(4, 6, 5), some(4, 3, 5)
    wanted = actgrad.clipped_swiglu_backward(g, x, dim=1)
    scattered = np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
    actgrad.clipped_swiglu_backward(g, scattered, dim=1, out=scattered)
    assert same_bits(np.array(scattered), wanted)
    memory = some(400)
    x, out = (np.ndarray((4, 6, 5), np.float32, memory, start, (4, 16, 96)) for start in (0, 4))
    with pytest.raises(actgrad.InvalidArgument, match="grad_x overlaps x; it must be exactly x, or share no memory"):
        actgrad.clipped_swiglu_backward(g, x, dim=1, out=out)


def test_many_calls_with_other_scalars_and_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    x = some(8, 64, 33)
    scattered, limits = np.asfortranarray(x), [0.5 + k / 7 for k in range(16)]
    wanted = [actgrad.clipped_swiglu(x, dim=1, limit=limit) for limit in limits]
    plan = actgrad.clipped_swiglu.plan(scattered, dim=1, limit=limits[0], out=np.empty((8, 32, 33), np.float32))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda limit: actgrad.clipped_swiglu(scattered, dim=1, limit=limit), limits))
        runs = [pool.submit(plan.run) for _ in range(8)]
        assert all(same_bits(np.array(run.result()), wanted[0]) for run in runs)
    assert all(same_bits(np.array(got), right) for got, right in zip(found, wanted, strict=True))


# Weights of several dimensions


def test_weights_of_several_dimensions() -> None:
    x, g, weight = some(3, 12, 5), some(3, 12, 5), some(2, 3, 2)
    wanted, by_all = actgrad.prelu(x, weight), actgrad.prelu_backward(g, x, weight)
    for layout in layouts(weight):
        assert same_bits(actgrad.prelu(x, layout), wanted)
        assert all(map(same_bits, map(np.array, actgrad.prelu_backward(g, x, layout)), by_all))
    for out, memory in rooms(weight.shape, np.float32):
        actgrad.prelu_backward(g, x, weight, out=(np.empty_like(x), out))
        assert same_bits(np.array(out), by_all[1])
        assert untouched(out, memory)
    scattered = np.asfortranarray(weight)
    actgrad.prelu_backward(g, x, scattered, out=(g, scattered))
    assert same_bits(g, by_all[0])
    assert same_bits(np.array(scattered), by_all[1])


# The C interface


def second(function: str, *given: Any) -> int:
    with actgrad.product("Ascend950"):
        status, size, executor = getattr(aclnn, f"{function}GetWorkspaceSize")(*given)
        assert (status, size) == (OK, 0), aclnn.aclGetRecentErrMsg()
        return int(getattr(aclnn, function)(None, size, executor, None))


@pytest.mark.parametrize("counts", [None, np.array([1, 1], np.int64)])
def test_the_c_functions(counts: Any) -> None:
    x, g, weight = some(4, 6, 5), some(4, 3, 5), some(3, 4)
    rest = counts, 1, 1.702, 7.0, 1.0, True
    calls: list[tuple[str, list[np.ndarray], Callable[..., tuple[Any, ...]], tuple[int, ...]]] = [
        ("aclnnClippedSwiglu", [x], lambda x, out: (x, *rest, out), g.shape),
        ("aclnnClippedSwigluV2", [x], lambda x, out: (x, *rest, 1, out), g.shape),
        ("aclnnClippedSwigluGrad", [g, x], lambda g, x, out: (g, x, *rest, out), x.shape),
        ("aclnnSwigluGroup", [some(3, 4, 6), weight], lambda x, w, out: (x, w, counts, -1.0, out), (3, 4, 3)),
        ("aclnnSwigluGroup", [some(3, 4, 6), some(2, 6)], lambda x, w, out: (x, w, counts, -1.0, out), (3, 4, 3)),
    ]
    for function, tensors, arguments, shape in calls:
        wanted = np.full(shape, 9, np.float32)
        assert second(function, *arguments(*tensors, wanted)) == OK
        for out, memory in rooms(shape, np.float32):
            out[...] = 9
            for scattered in zip(*map(layouts, tensors), strict=False):
                assert second(function, *arguments(*scattered, out)) == OK
                assert same_bits(np.array(out), wanted), function
            assert untouched(out, memory)


# PyTorch


def test_pytorch() -> None:
    torch = pytest.importorskip("torch")
    functions = pytest.importorskip("actgrad.torch")
    x = torch.from_numpy(some(4, 6, 5))
    scattered = x.transpose(0, 2).contiguous().transpose(0, 2)
    counts = torch.tensor([2, 1])
    for groups in (None, counts):
        plain, strided = x.clone().requires_grad_(), scattered.clone().requires_grad_()
        assert strided.stride() != plain.stride()
        wanted = functions.clipped_swiglu(plain, groups, dim=1)
        got = functions.clipped_swiglu(strided, groups, dim=1)
        assert torch.equal(got, wanted)
        gradient = torch.from_numpy(some(5, 3, 4)).permute(2, 1, 0)
        wanted.backward(gradient.contiguous())
        got.backward(gradient)
        assert torch.equal(strided.grad, plain.grad)
    out = torch.full((5, 3, 4), 9.0).permute(2, 1, 0)
    torch.ops.actgrad.clipped_swiglu.out(scattered, None, 1, out=out)
    assert torch.equal(out, actgrad.clipped_swiglu(x, dim=1))
    batched = torch.vmap(partial(functions.clipped_swiglu, dim=0))
    assert torch.equal(batched(scattered), batched(x))
    meta = torch.ops.actgrad.clipped_swiglu(scattered.to("meta"), None, 1)
    assert meta.shape == (4, 3, 5)
