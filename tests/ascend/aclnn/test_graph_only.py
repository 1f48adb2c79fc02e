"""Operators that graphs alone have, against the formulas of CANN's kernels and against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import actgrad
from actgrad import ir

X = np.array([-6.0, -2.6, -2.5, -1.3, -1e-3, -0.0, 0.0, 0.25, 1.0, 2.5, 2.6, 7.0, np.inf, -np.inf, np.nan], np.float32)


def close(got: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(got, wanted.astype(got.dtype), rtol=3e-6, atol=3e-7)


@pytest.mark.parametrize("alphas", [(1.0, 1.0, 1.0), (2.0, 0.5, 3.0), (-1.5, 4.0, 0.25)])
def test_celu(alphas: tuple[float, float, float]) -> None:
    a1, a2, a3 = alphas
    x = X.astype(np.float64)
    with np.errstate(all="ignore"):
        wanted = np.where(x >= 0, a3 * x, a1 * (np.exp(x / a2) - 1))
    close(ir.Celu(X, alpha1=a1, alpha2=a2, alpha3=a3), wanted)


def test_fast_gelu_v2() -> None:
    x = X[np.isfinite(X)].astype(np.float64)
    sign = np.clip((x + 1e-12) / np.abs(x + 1e-12), -1, 1)
    wanted = x * (sign * (-0.1444 * (np.minimum(0.7071 * np.abs(x), 1.769) - 1.769) ** 2 + 0.5) + 0.5)
    close(ir.FastGeluV2(X[np.isfinite(X)]), wanted)
    at_the_ends = ir.FastGeluV2(np.array([np.inf, -np.inf, np.nan], np.float32))
    np.testing.assert_array_equal(at_the_ends, [np.inf, -0.0, np.nan])


@pytest.mark.parametrize("scale", [1.0, 0.5, -0.5])
def test_relu6_d(scale: float) -> None:
    close(ir.Relu6D(X, scale=scale), np.minimum(np.maximum(X, 0), 6 * scale))
    whole = np.array([-3, 0, 2, 5, 9], np.int32)
    assert ir.Relu6D(whole, scale=scale).tolist() == np.minimum(np.maximum(whole, 0), int(6 * scale)).tolist()


@pytest.mark.parametrize("threshold", [0.0, 1.0, -1.3])
def test_threshold(threshold: float) -> None:
    level = np.float32(threshold)
    np.testing.assert_array_equal(ir.Threshold(X, threshold=threshold), (level < X).astype(np.float32))


@pytest.mark.parametrize(("slope", "scale"), [(0.2, 1.414213562373), (0.5, 3.0)])
def test_fused_bias_leaky_relu(slope: float, scale: float) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(3)
    x, bias, g = (rng.standard_normal((5, 7)).astype(np.float32) for _ in range(3))
    ours = ir.FusedBiasLeakyRelu(x, bias, negative_slope=slope, scale=scale)
    z = torch.tensor(x.astype(np.float64) + bias, requires_grad=True)
    y = torch.nn.functional.leaky_relu(z, slope) * scale
    close(ours, y.detach().numpy())
    (wanted,) = torch.autograd.grad(y, z, torch.tensor(g.astype(np.float64)))
    close(ir.FusedBiasLeakyReluGrad(g, ours, negative_slope=slope, scale=scale), wanted.numpy())
    largest = np.full(4, np.finfo(np.float32).max, np.float32)
    assert np.isfinite(ir.FusedBiasLeakyRelu(largest, largest, scale=0.25)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.int64])
@pytest.mark.parametrize("shape", [(), (1,)])
def test_threshold_v2(dtype: type, shape: tuple[int, ...]) -> None:
    x = np.arange(-4, 5).astype(dtype)
    threshold, value = np.full(shape, 2, dtype), np.full(shape, -3, dtype)
    assert ir.ThresholdV2(x, threshold, value).tolist() == np.where(x > 2, x, -3).tolist()
    assert ir.ThresholdV2(x, threshold).tolist() == np.where(x > 2, x, 0).tolist()
    assert ir.ThresholdV2.infer_shape((9,), shape) == ((9,),)
    largest = np.array([2**62 + 1], np.int64)
    assert ir.ThresholdV2(largest, np.array([2**62], np.int64)).tolist() == [2**62 + 1]


def test_attributes_that_no_kernel_reads_have_one_value() -> None:
    missing, invalid = actgrad.KernelMissing, actgrad.InvalidArgument
    for call, error, says in [
        (lambda: ir.SoftmaxV2(X, half_to_float=True), missing, "SoftmaxV2: half_to_float is True; actgrad computes"),
        (lambda: ir.SoftmaxV2.infer_dtype("float16", half_to_float=X), invalid, "SoftmaxV2: half_to_float is array"),
        (lambda: ir.SoftmaxGradExt(X, X, X, keep_dims=False), missing, "SoftmaxGradExt: keep_dims is False; actgrad"),
        (
            lambda: ir.SoftmaxV2(X, axes=[0, 1]),
            invalid,
            r"SoftmaxV2: axes is \[0, 1\]; it must be one dimension; pass -1 or \[-1\]",
        ),
        (lambda: ir.LogSoftmaxGrad(X, X, axis=[]), invalid, r"LogSoftmaxGrad: axis is \[\]; it must be one dimension"),
    ]:
        with pytest.raises(error, match=f"^{says}"):
            call()
    assert np.array_equal(ir.SoftmaxV2(X[:4], axes=[0], half_to_float=False), actgrad.softmax(X[:4], dim=0))
    assert ir.SoftmaxV2.infer_shape((2, 3), axes=[-2]) == ((2, 3),)


def test_sigmoid_grad_conjugates_where_it_is_told_to() -> None:
    y, dy = np.array([0.25 + 1j], np.complex64), np.ones(1, np.complex64)
    assert ir.SigmoidGrad(y, dy).tolist() == [1.1875 + 0.5j]
    assert ir.SigmoidGrad(y, dy, complex_conj=True).tolist() == [1.1875 - 0.5j]
    assert actgrad.sigmoid_backward(dy, y).tolist() == [1.1875 - 0.5j]


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_hard_sigmoid_without_a_slope_is_its_offset(backend: str) -> None:
    assert ir.HardSigmoid(X[:-1], alpha=0.0).tolist() == [0.5] * (len(X) - 1)
    for dtype in (np.float16, np.float64):
        ours = actgrad.hardsigmoid(X.astype(dtype), alpha=0.0, beta=0.25, backend=backend)
        np.testing.assert_array_equal(ours, np.where(np.isnan(X), np.nan, 0.25).astype(dtype))


@pytest.mark.needs("torch")
@pytest.mark.parametrize("name", ["SoftplusGrad", "EluGrad", "FusedBiasLeakyReluGrad", "Relu6Grad"])
def test_gradients_that_broadcast(name: str) -> None:
    operator, rng = getattr(ir, name), np.random.default_rng(2)
    for shapes in [((2, 3), (3,)), ((2, 3), ()), ((3,), (2, 1)), ((), (2, 3)), ((0, 3), (1,))]:
        tensors = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
        together = [np.ascontiguousarray(tensor) for tensor in np.broadcast_arrays(*tensors)]
        got = operator(*tensors)
        np.testing.assert_array_equal(got, operator(*together), strict=True)
        assert operator.infer_shape(*shapes) == (got.shape,)
        np.testing.assert_array_equal(operator.plan(*tensors).run(), got)
    assert operator.infer_shape((-1, 3), (-1,)) == ((-1, 3),)
    for bad in [(np.ones((2, 3), np.float32), np.ones(4, np.float32)), (np.ones(3, np.float32), [1.0])]:
        with pytest.raises(actgrad.InvalidArgument):
            operator(*bad)
    torch = pytest.importorskip("torch")
    from tests.support.torch_calls import exact_in_graphs  # imports PyTorch

    gradients, features = torch.randn(2, 3), torch.randn(3)
    wanted = operator(gradients.numpy(), features.numpy())
    compiled = torch.compile(lambda g, x: operator(g, x), fullgraph=True, backend="aot_eager")
    with exact_in_graphs():
        for call in (operator, compiled):
            np.testing.assert_array_equal(call(gradients, features).numpy(), wanted)


def test_functions_beside_those_that_broadcast_do_not() -> None:
    for call in (actgrad.softplus_backward, lambda g, x: actgrad.elu_backward(g, x, is_result=True), ir.SoftplusV2Grad):
        with pytest.raises(actgrad.InvalidArgument):
            call(np.ones((2, 3), np.float32), np.ones(3, np.float32))


@pytest.mark.parametrize("shape", [(4, 5), (2, 5, 3), (6,), ()])
@pytest.mark.parametrize("count", [1, 5])
def test_prelu_grad_reduce_is_the_second_half_of_prelu_grad(shape: tuple[int, ...], count: int) -> None:
    if count > 1 and len(shape) < 2:
        pytest.skip("such tensors have one channel")
    rng = np.random.default_rng(4)
    grads, features = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
    weights = rng.standard_normal(count).astype(np.float32)
    updates = np.where(features > 0, np.float32(0), features * grads)
    got = ir.PReluGradReduce(grads, features, weights, updates)
    close(got, ir.PReluGrad(grads, features, weights)[1])
    assert ir.PReluGradReduce.infer_shape(shape, shape, (count,), shape) == (got.shape,)
