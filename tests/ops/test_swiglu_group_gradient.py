"""The gradient of swiglu_group against NumPy in double: masks, weights, counted rows, statuses of C, PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from ml_dtypes import bfloat16

import actgrad
import actgrad.torch
from actgrad import aclnn, ir

RNG = np.random.default_rng(51)
INF, NAN = np.inf, np.nan
LIMITS = [-1.0, 0.75, 30.0]
#: Units of the last place of each dtype: a product of a sigmoid, a derivative, and three factors in float32.
RELATIVE = {np.float32: 2e-6, np.float16: 2.0**-11, bfloat16: 2.0**-8}


def some(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return (2 * RNG.standard_normal(shape)).astype(dtype)


def expected(g: Any, x: Any, weight: Any, limit: float) -> tuple[np.ndarray, np.ndarray]:
    """grad_x, and the sizes of its terms, in double."""
    g, (a, b) = g.astype(np.float64), np.split(x.astype(np.float64), 2, -1)
    g = g if weight is None else g * weight.astype(np.float64).reshape(*x.shape[:-1], 1)
    c = limit if limit > 0 else INF
    low, middle = np.minimum(a, c), np.clip(b, -c, c)
    s = 1 / (1 + np.exp(-low))
    by_a, by_b = g * middle * s * (1 + low * (1 - s)), g * low * s
    size = np.abs(g * middle) * s * (1 + np.abs(low) * (1 - s))
    if limit > 0:
        by_a, by_b = np.where(a < c, by_a, 0), np.where((-c < b) & (b < c), by_b, 0)
    return np.concatenate([by_a, by_b], -1), np.concatenate([size, np.abs(by_b)], -1)


@pytest.mark.share(12)
@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("dtype", RELATIVE)
@pytest.mark.parametrize("shape", [(10,), (3, 2), (2, 3, 66), (5, 4098)])
@pytest.mark.parametrize("limit", LIMITS)
def test_values(dtype: Any, shape: tuple[int, ...], limit: float, backend: str) -> None:
    x, g = some(*shape, dtype=dtype), some(*shape[:-1], shape[-1] // 2, dtype=dtype)
    origin, weight = some(*g.shape, dtype=dtype), some(*shape[:-1])
    x[..., 0] = limit  # a kink
    for w in (None, weight, weight[..., None]):
        exact, size = expected(g, x, w, limit)
        results = [actgrad.swiglu_group_backward(g, x, w, clamp_limit=limit, backend=backend)]
        if w is not None:
            both = actgrad.swiglu_group_weight_backward(g, x, w, origin, clamp_limit=limit, backend=backend)
            results.append(both[0])
            assert both[1].dtype == np.float32
            assert both[1].shape == w.shape
            terms = g.astype(np.float64) * origin.astype(np.float64)
            error = np.abs(both[1].reshape(shape[:-1]) - terms.sum(-1))
            assert (error <= 2.0**-20 * np.abs(terms).sum(-1)).all()
        for result in results:
            assert result.dtype == dtype
            assert (np.abs(result - exact) <= RELATIVE[dtype] * (np.abs(exact) + size) + 1e-7).all()
            assert limit < 0 or (result[..., 0] == 0).all()


def test_masks_and_special_values() -> None:
    """Equal to the limit is 0. A mask also selects 0 where another factor is infinite. NaN is not below a limit."""
    a = np.array([1, np.nextafter(np.float32(1), np.float32(0)), INF, -INF, NAN, 0.5, 0.5, 0.5, 0.5, -0.0], np.float32)
    b = np.array([2, 2, 2, 2, 2, 1, -1, INF, NAN, 0.5], np.float32)
    x, g = np.concatenate([a, b])[None], np.full((1, 10), INF, np.float32)
    for weight in (None, np.full(1, 2, np.float32)):
        by_a, by_b = np.split(actgrad.swiglu_group_backward(g, x, weight, clamp_limit=1)[0], 2)
        assert by_a[[0, 2, 4]].tolist() == [0, 0, 0]
        assert by_a[1] == INF
        assert by_b[[0, 1, 5, 6, 7, 8]].tolist() == [0] * 6
        finite = np.full((1, 10), 0.5, np.float32)
        by_a, by_b = np.split(actgrad.swiglu_group_backward(finite, x, weight)[0], 2)  # no limit
        factor = 1 if weight is None else 2
        assert by_a[2] == factor
        assert by_a[3] == 0
        assert by_b[[2, 3]].tolist() == [INF, 0]
        assert np.isnan(by_a[[4, 8]]).all()
        assert by_a[7] == INF


@pytest.mark.parametrize("counts", [[1, 2], [0], [-3], [100], [2, 0, 3], []])
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_rows_that_are_not_counted_are_zero(counts: list[int], backend: str) -> None:
    x, g, w, origin = some(2, 3, 10), some(2, 3, 5), some(2, 3), some(2, 3, 5)
    index, count = np.array(counts, np.int64), min(max(sum(counts), 0), 6)
    out, grad_weight = np.full_like(x, NAN), np.full((2, 3), NAN, np.float32)
    actgrad.swiglu_group_weight_backward(g, x, w, origin, index, out=(out, grad_weight), backend=backend)
    every = actgrad.swiglu_group_weight_backward(g, x, w, origin, backend=backend)
    alone = actgrad.swiglu_group_backward(g, x, w, None, index, backend=backend)
    for result, whole in ((out, every[0]), (grad_weight, every[1]), (alone, every[0])):
        rows, expected_rows = result.reshape(6, -1), whole.reshape(6, -1)
        assert (rows[:count] == expected_rows[:count]).all()
        assert (rows[count:] == 0).all()


@pytest.mark.parametrize("shape", [(0,), (3, 0), (2, 3, 0)])
@pytest.mark.parametrize("counts", [[2], [0], None])
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_sums_of_empty_rows_are_zero(shape: tuple[int, ...], counts: list[int] | None, backend: str) -> None:
    x, w = np.zeros(shape, np.float32), np.ones((*shape[:-1], 1), np.float32)
    grad_weight = np.full_like(w, NAN)
    index = None if counts is None else np.array(counts)
    actgrad.swiglu_group_weight_backward(x, x, w, x, index, out=(x.copy(), grad_weight), backend=backend)
    assert (grad_weight == 0).all()


def test_layouts_do_not_matter() -> None:
    x, g, w, origin = some(6, 5, 66), some(6, 5, 33), some(6, 5), some(6, 5, 33)
    plain = actgrad.swiglu_group_weight_backward(g, x, w, origin, np.array([17]))

    def other(array: np.ndarray) -> np.ndarray:
        return np.repeat(np.asfortranarray(array), 2, 0)[::2]

    again = actgrad.swiglu_group_weight_backward(other(g), other(x), other(w), other(origin), np.array([17]))
    for a, b in zip(plain, again, strict=True):
        assert a.tobytes() == np.ascontiguousarray(b).tobytes()


X, G, W = some(2, 3, 8, dtype=np.float16), some(2, 3, 4, dtype=np.float16), some(2, 3)
NO_WEIGHT = np.zeros(0, np.float32)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 0),
        ({"index": None}, 0),
        ({"grad_weight": None}, 0),
        ({"weight": None, "origin": None, "grad_weight": None}, 0),
        ({"weight": None, "grad_weight": None}, 0),
        ({"weight": None, "origin": None, "grad_weight": NO_WEIGHT}, 0),  # as torch_npu calls it
        ({"weight": W.reshape(6), "grad_weight": np.zeros(6, np.float32)}, 0),
        ({"weight": W.reshape(6, 1, 1, 1), "grad_weight": np.zeros((6, 1, 1, 1), np.float32)}, 0),
        ({"g": None}, 161001),
        ({"x": None}, 161001),
        ({"out": None}, 161001),
        ({"g": G.astype(np.float32)}, 161002),
        ({"origin": G.astype(np.float32)}, 161002),
        ({"out": X.astype(np.float32)}, 161002),
        ({"weight": W.astype(np.float16)}, 161002),
        ({"grad_weight": W.astype(np.float16)}, 161002),
        ({"index": np.array([6], np.int32)}, 161002),
        ({"limit": 0.0}, 561002),
        ({"limit": -0.5}, 561002),
        ({"limit": NAN}, 561002),
        ({"limit": 0.25}, 0),
        ({"g": G[0]}, 561002),
        ({"g": X}, 561002),
        ({"weight": W[0]}, 561002),
        ({"origin": X}, 561002),
        ({"origin": None}, 561002),
        ({"origin": None, "grad_weight": None}, 561002),
        ({"origin": None, "grad_weight": W.astype(np.float16)}, 161002),  # the dtype comes before the null pointer
        ({"origin": None, "grad_weight": W.astype(np.float16), "x": None}, 161001),
        ({"weight": None, "grad_weight": W.astype(np.float16)}, 161002),
        ({"weight": None, "origin": None, "grad_weight": NO_WEIGHT.astype(np.float16)}, 161002),
        ({"index": np.array([[6]])}, 561002),
        ({"out": X[0]}, 561002),
        ({"grad_weight": W.reshape(6)}, 561002),
        ({"weight": None}, 561103),  # CANN does not write gradWeightOutOptional
    ],
)
def test_statuses(change: dict[str, Any], status: int) -> None:
    usual = {"g": G, "x": X, "weight": W, "origin": G, "index": np.array([4]), "limit": -1.0}
    arguments = {**usual, "out": np.full_like(X, NAN), "grad_weight": np.full_like(W, NAN), **change}
    out, grad_weight = arguments["out"], arguments["grad_weight"]
    with actgrad.product("Ascend950"):
        for _ in range(2):  # the second call may be cached
            found, size, executor = aclnn.aclnnSwigluGroupQuantGradGetWorkspaceSize(*arguments.values())
            assert found == status, aclnn.aclGetRecentErrMsg()
            if not status:
                assert aclnn.aclnnSwigluGroupQuantGrad(None, size, executor, None) == 0
    if not status:
        g, x, weight, origin, index, limit = list(arguments.values())[:6]
        shaped = weight if weight is None else weight.reshape(2, 3)
        wanted = actgrad.swiglu_group_backward(g, x, shaped, None, index, clamp_limit=limit)
        assert (out == wanted).all()
        if weight is not None and grad_weight is not None:
            _, wanted = actgrad.swiglu_group_weight_backward(g, x, shaped, origin, index, clamp_limit=limit)
            assert (grad_weight.reshape(2, 3) == wanted).all()


def test_products_and_empty_tensors() -> None:
    arguments = (G, X, None, None, None, -1.0, np.empty_like(X), None)
    for product in ("Ascend910B", "Ascend910_93", "Ascend310P"):
        with actgrad.product(product):
            assert aclnn.aclnnSwigluGroupQuantGradGetWorkspaceSize(*arguments)[0] == 561003
    empty = (G[:0], X[:0], None, None, None, 0.0, np.empty_like(X[:0]), None)
    with actgrad.product("Ascend950"):
        assert aclnn.aclnnSwigluGroupQuantGradGetWorkspaceSize(*empty)[0] == 0
        with actgrad.rules("document"):
            assert aclnn.aclnnSwigluGroupQuantGradGetWorkspaceSize(*empty)[0] == 161002


def test_graph_operator() -> None:
    assert ir.SwigluGroupQuantGrad.infer_dtype("BF16", "BF16", "FLOAT", "BF16") == ("BF16", "FLOAT")
    assert ir.SwigluGroupQuantGrad.infer_shape((-1, 4), (-1, 8), (-1,), (-1, 4)) == ((-1, 8), (-1,))
    results = ir.SwigluGroupQuantGrad(G, X, W, G, clamp_limit=0.5)
    for found, wanted in zip(results, actgrad.swiglu_group_weight_backward(G, X, W, G, clamp_limit=0.5), strict=True):
        assert (found == wanted).all()


@pytest.mark.share(6)
@pytest.mark.parametrize("limit", LIMITS)
def test_pytorch_computes_with_it(limit: float) -> None:
    """In PyTorch the gradient of x is this operator's. The gradient of weight follows from the formula."""
    x, w = torch.from_numpy(some(4, 3, 8)).requires_grad_(), torch.from_numpy(some(4, 3)).requires_grad_()
    g, index = torch.from_numpy(some(4, 3, 4)), torch.tensor([3, 4])
    y = actgrad.torch.swiglu_group(x, w, index, limit)
    for retained in (True, False):
        grad_x, grad_w = torch.autograd.grad(y, (x, w), g, retain_graph=retained)
        assert (
            grad_x == actgrad.swiglu_group_backward(g, x.detach(), w.detach(), None, index, clamp_limit=limit)
        ).all()
        origin = actgrad.swiglu_group(x.detach(), clamp_limit=limit)
        _, wanted = actgrad.swiglu_group_weight_backward(g, x.detach(), w.detach(), origin, index, clamp_limit=limit)
        torch.testing.assert_close(grad_w, wanted)
    (grad_w,) = torch.autograd.grad(actgrad.torch.swiglu_group(x.detach(), w, index, limit), w, g)
    torch.testing.assert_close(grad_w, wanted)
    double = [t.detach().double().requires_grad_() for t in (x, w)]

    def call(x: Any, w: Any) -> Any:
        return actgrad.torch.swiglu_group(x, w, index, limit)

    assert torch.autograd.gradcheck(call, double)
    assert torch.autograd.gradgradcheck(call, double)


def test_decomposed_with_both_results() -> None:
    """PyTorch differentiates the operator with two results by its formulas."""
    tensors = [torch.from_numpy(t).double() for t in (some(3, 4), some(3, 8), some(3), some(3, 4))]
    plain = [t.requires_grad_() for t in (t.float() for t in tensors)]
    grad_x, grad_weight = torch.ops.actgrad.swiglu_group_weight_backward(*plain, None, clamp_limit=0.9)
    direction, of_weight = torch.randn(3, 8), torch.randn(3)
    found = torch.autograd.grad((grad_x * direction).sum() + (grad_weight * of_weight).sum(), plain)
    doubles = [t.detach().clone().requires_grad_() for t in tensors]
    g, x, w, origin = doubles
    a, b = x.chunk(2, -1)
    low, middle = a.clamp(max=0.9), b.clamp(-0.9, 0.9)
    s = low.sigmoid()
    by_a = torch.where(a < 0.9, g * w[:, None] * middle * s * (1 + low * (1 - s)), 0)
    by_b = torch.where(b.abs() < 0.9, g * w[:, None] * low * s, 0)
    total = (torch.cat([by_a, by_b], -1) * direction).sum() + ((g * origin).sum(-1) * of_weight).sum()
    for one, other in zip(found, torch.autograd.grad(total, doubles), strict=True):
        torch.testing.assert_close(one.double(), other, rtol=1e-4, atol=1e-5)
