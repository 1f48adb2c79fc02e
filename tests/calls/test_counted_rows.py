"""Calls that compute as many rows as a tensor counts, and halves that alternate over several dimensions."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import actgrad
from actgrad import aclnn, conformance, ir
from actgrad.calls.counted_kernel import boxes

RNG = np.random.default_rng(5)


def some(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return RNG.standard_normal(shape).astype(dtype)


def clipped(x: np.ndarray, dim: int = -1, interleaved: bool = True) -> np.ndarray:
    """Clipped SwiGLU of the defaults of CANN's graph operator, in double."""
    at = dim % x.ndim
    rows = x.astype(np.float64).reshape(*x.shape[:at], -1)
    a, b = (rows[..., ::2], rows[..., 1::2]) if interleaved else np.split(rows, 2, -1)
    a, b = np.minimum(a, 7), np.clip(b, -7, 7)
    half = (*x.shape[:at], x.shape[at] // 2, *x.shape[at + 1 :])
    return (a / (1 + np.exp(-1.702 * a)) * (b + 1)).reshape(half)


@pytest.mark.parametrize("sizes", [(), (1,), (7,), (3, 4), (1, 5), (5, 1), (2, 3, 4), (2, 0, 3)])
def test_boxes_hold_each_place_once(sizes: tuple[int, ...]) -> None:
    size = int(np.prod(sizes))
    for first, last in itertools.product(range(size + 1), repeat=2):
        seen = np.zeros(sizes, int)
        found = list(boxes(sizes, first, last))
        for box in found:
            seen[tuple(slice(start, start + count) for start, count in box)] += 1
        assert seen.ravel().tolist() == [int(first <= k < last) for k in range(size)]
        assert len(found) <= max(2 * len(sizes) - 1, 1)


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "every other"])
@pytest.mark.parametrize("count", [-3, 0, 1, 4, 5, 11, 12, 400])
def test_further_rows_stay_as_they_are(layout: str, count: int) -> None:
    x = some(3, 4, 8)
    if layout == "transposed":
        x = np.ascontiguousarray(x.transpose(1, 0, 2)).transpose(1, 0, 2)
    elif layout == "every other":
        x = np.repeat(x, 2, 1)[:, ::2]
    out = np.full((3, 8, 4), 9, np.float32)[:, ::2]
    counts = np.array([count - 2, 2, 0], np.int64)
    assert actgrad.clipped_swiglu(x, counts, out=out) is out
    rows, wanted = out.reshape(12, 4), clipped(x).reshape(12, 4)
    computed = min(max(count, 0), 12)
    np.testing.assert_allclose(rows[:computed], wanted[:computed], rtol=1e-5, atol=1e-6)
    assert (rows[computed:] == 9).all()
    fresh = actgrad.clipped_swiglu(x, counts).reshape(12, 4)
    assert fresh[:computed].tolist() == rows[:computed].tolist()
    assert not fresh[computed:].any()


def test_rows_are_counted_when_the_plan_runs() -> None:
    x, counts, out = some(6, 4), np.array([2, 0], np.int64), np.zeros((6, 2), np.float32)
    plan = actgrad.clipped_swiglu.plan(x, counts, out=out)
    whole = clipped(x)
    for numbers in ([2, 0], [1, 3], [0, 0], [6, 1], [2, 0]):
        counts[:], out[:] = numbers, 9
        plan.run()
        n = min(sum(numbers), 6)
        np.testing.assert_allclose(out[:n], whole[:n], rtol=1e-5, atol=1e-6)
        assert (out[n:] == 9).all()


def test_a_repeatable_executor_counts_anew() -> None:
    x, counts, out = some(6, 4), np.array([2], np.int64), np.zeros((6, 2), np.float32)
    given = (x, counts, -1, 1.702, 7.0, 1.0, True, out)
    code, size, executor = aclnn.aclnnClippedSwigluGetWorkspaceSize(*given)
    assert (code, size) == (0, 0)
    assert aclnn.aclSetAclOpExecutorRepeatable(executor) == 0
    for count in (2, 5):
        counts[:], out[:] = count, 9
        assert aclnn.aclnnClippedSwiglu(None, 0, executor, None) == 0
        assert (out != 9).any(axis=1).tolist() == [k < count for k in range(6)]
    assert aclnn.aclDestroyAclOpExecutor(executor) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16, np.float64])
def test_the_gradient_is_0_behind_the_counted_rows(dtype: Any) -> None:
    g, x = some(2, 3, 4, dtype=dtype), some(2, 3, 8, dtype=dtype)
    whole = actgrad.clipped_swiglu_backward(g, x)
    out = np.full(x.shape, 9, dtype)
    actgrad.clipped_swiglu_backward(g, x, np.array([1, 3]), out=out)
    rows = out.astype(np.float64).reshape(6, 8)
    assert rows[:4].tolist() == whole.astype(np.float64).reshape(6, 8)[:4].tolist()
    assert not rows[4:].any()
    actgrad.clipped_swiglu_backward(g, x, np.array([1, 3]), out=x)  # in place
    assert x.astype(np.float64).tolist() == out.astype(np.float64).tolist()


@pytest.mark.parametrize("dim", [0, 1, -2, 2, -1])
@pytest.mark.parametrize("interleaved", [False, True])
def test_elements_alternate_over_all_dimensions_from_dim_on(dim: int, interleaved: bool) -> None:
    x = some(4, 6, 10)
    wanted = clipped(x, dim, interleaved)
    got = actgrad.clipped_swiglu(x, dim=dim, interleaved=interleaved)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ir.ClippedSwiglu(x, dim=dim, interleaved=interleaved), wanted, rtol=1e-5, atol=1e-6)
    assert ir.ClippedSwiglu.infer_shape(x.shape, (3,), dim=dim) == (wanted.shape,)
    reference = actgrad.clipped_swiglu(x, dim=dim, interleaved=interleaved, backend="reference")
    np.testing.assert_allclose(reference, wanted, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("limit", [-1.0, 0.75])
@pytest.mark.parametrize("last", [(), (1,)])
def test_swiglu_of_groups(dtype: Any, limit: float, last: tuple[int, ...]) -> None:
    x, weight = some(3, 2, 8, dtype=dtype), some(3, 2, *last)
    a, b = np.split(x.astype(np.float64), 2, -1)
    if limit > 0:
        a, b = np.minimum(a, limit), np.clip(b, -limit, limit)
    wanted = a / (1 + np.exp(-a)) * b
    close = {"rtol": 2 * float(np.finfo(np.float16).eps if dtype is np.float16 else 2.0**-7), "atol": 1e-6}
    got = actgrad.swiglu_group(x, clamp_limit=limit).astype(np.float64)
    np.testing.assert_allclose(got, wanted, **close)
    got = actgrad.swiglu_group(x, weight, np.array([1, 2]), clamp_limit=limit).astype(np.float64).reshape(6, 4)
    wanted = (wanted * weight.reshape(3, 2, 1)).reshape(6, 4)
    np.testing.assert_allclose(got[:3], wanted[:3], **close)
    assert not got[3:].any()


def test_wrong_counts_and_weights() -> None:
    x = some(3, 4)
    for call, says in [
        (lambda: actgrad.clipped_swiglu(x, np.array([1], np.int32)), "group_index is int32; it must be int64"),
        (lambda: actgrad.clipped_swiglu(x, np.array(1)), "group_index has 0 dimensions"),
        (
            lambda: actgrad.swiglu_group(x, some(4)),
            r"weight has shape \(4,\); it must be \(3,\), one element for each row of x",
        ),
        (lambda: actgrad.swiglu_group(x, some(3).astype(np.float16)), "weight is float16; it must be float32"),
        (lambda: actgrad.swiglu_group(x, clamp_limit=-2.0), "clamp_limit"),
        (lambda: actgrad.fatrelu_mul(x, some(2)), "threshold has shape"),
    ]:
        with pytest.raises(actgrad.ActgradError, match=says):
            call()


@pytest.mark.parametrize(
    ("counts", "computed"), [([2**62, 2**62, 5], 4), ([2**63 - 1, -(2**63) + 1, 3], 3), ([-(2**63), -1], 0)]
)
def test_counts_whose_sum_has_more_than_64_bits(counts: list[int], computed: int) -> None:
    out = np.full((4, 3), 9, np.float32)
    actgrad.swiglu_group(some(4, 6), None, np.array(counts), out=out)
    assert [bool((row != 9).all()) for row in out] == [k < computed for k in range(4)]


def test_an_empty_batch_has_a_shape() -> None:
    torch = pytest.importorskip("torch")
    functions = pytest.importorskip("actgrad.torch")
    empty = torch.vmap(functions.clipped_swiglu, in_dims=1)(torch.zeros(3, 0, 4))
    assert empty.shape == (0, 3, 2)
    weights = torch.vmap(functions.prelu)(torch.zeros(0, 2, 3), torch.zeros(0, 3))
    assert weights.shape == (0, 2, 3)


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.share(6)
def test_pytorch_differentiates_the_counted_rows() -> None:
    torch = pytest.importorskip("torch")
    functions = pytest.importorskip("actgrad.torch")
    counts = torch.tensor([1, 3])
    for dim, interleaved, mode in [(-1, True, "input"), (1, True, "swish"), (0, False, "input")]:
        x = torch.randn(4, 4, 6, dtype=torch.float64, requires_grad=True)

        def call(x: Any, dim: int = dim, interleaved: bool = interleaved, mode: str = mode) -> Any:
            return functions.clipped_swiglu(x, counts, dim, 1.3, 0.7, 0.5, interleaved, mode)

        assert torch.autograd.gradcheck(call, (x,), check_forward_ad=True)
        assert torch.autograd.gradgradcheck(call, (x,))
    x = torch.randn(2, 3, 6, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, w: functions.swiglu_group(x, w, counts, 0.7), (x, weight))
    batch = torch.randn(3, 5, 4)
    together = torch.vmap(lambda x, n: functions.clipped_swiglu(x, n))(batch, torch.tensor([[1], [0], [4]]))
    assert [int(each.any(1).sum()) for each in together] == [1, 0, 4]


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning", "ignore:.*LeafSpec:FutureWarning")
def test_a_decomposed_graph_computes_the_counted_rows_alone() -> None:
    torch = pytest.importorskip("torch")
    functions = pytest.importorskip("actgrad.torch")

    class Model(torch.nn.Module):
        def forward(self, x: Any, counts: Any) -> Any:
            return functions.clipped_swiglu(x, counts)

    x, counts = torch.randn(5, 8), torch.tensor([1, 2])
    program = torch.export.export(Model(), (x, counts)).run_decompositions()
    assert not any("actgrad" in str(node.target) for node in program.graph.nodes)
    y = program.module()(x, counts)
    torch.testing.assert_close(y, functions.clipped_swiglu(x, counts))
    assert not y[3:].any()


def test_a_wrong_element_that_alternates_is_named_by_its_index() -> None:
    g, x = some(2, 2, 3), some(2, 4, 3)
    wrong = actgrad.clipped_swiglu_backward(g, x, dim=1)
    wrong[1, 2, 1] += 1
    verdict = conformance.judge(actgrad.clipped_swiglu_backward, {"dim": 1}, [g, x], [wrong])
    assert [failure.index for output in verdict.outputs for failure in output.first] == [(1, 2, 1)]
