"""Pooling over two and three dimensions, and its gradients, against PyTorch in float64."""

from __future__ import annotations

from typing import Any

import pytest

import actgrad
from tests.ascend.sdk.test_network import call, tensor_of

torch = pytest.importorskip("torch")
F = torch.nn.functional

NCHW, NCDHW = 0, 30
TOLERANCES = {"float32": 1e-5, "float16": 2**-10, "bfloat16": 2**-7}
INT32, INT64 = torch.int32, torch.int64


def numbers(shape: tuple[int, ...], seed: int, dtype: str = "float64") -> Any:
    """Random numbers, behind strides that are not contiguous."""
    made = torch.randn((*shape[:-2], shape[-1], shape[-2]), generator=torch.Generator().manual_seed(seed))
    return made.transpose(-1, -2).to(getattr(torch, dtype))


def with_special_numbers(x: Any) -> Any:
    x = x.clone(memory_format=torch.contiguous_format)
    flat = x.view(-1)
    flat[5], flat[11], flat[23], flat[24] = torch.nan, torch.inf, -torch.inf, torch.nan
    return x


def close(actual: Any, expected: Any) -> None:
    tolerance = TOLERANCES[str(actual.dtype).removeprefix("torch.")]
    torch.testing.assert_close(actual, expected.to(actual.dtype), rtol=tolerance, atol=tolerance, equal_nan=True)


def gradient_of(value: Any, x: Any, dtype: str) -> tuple[Any, Any]:
    """A gradient of `dtype`, and the gradient with respect to x that PyTorch computes from it in float64."""
    gradient = numbers(tuple(value.shape), 7, dtype)
    (wanted,) = torch.autograd.grad(value, x, gradient.double())
    return gradient, wanted


#: Shape, kernel, stride, padding, whether shapes are rounded up.
WINDOWS: list[tuple[tuple[int, ...], Any, Any, Any, bool]] = [
    ((2, 3, 6, 7, 8), (2, 3, 2), (2, 1, 3), (1, 1, 0), False),
    ((2, 3, 6, 7, 8), (3,), (2,), (1,), True),
    ((3, 5, 4, 6), (2, 2, 3), (), (0, 1, 1), True),
    ((3, 5, 4, 6), (5, 4, 6), (1,), (0,), False),
]


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("windows", WINDOWS)
@pytest.mark.parametrize(("counts_padding", "divisor"), [(True, 0), (False, 0), (True, 5)])
def test_means_in_space(windows: Any, dtype: str, counts_padding: bool, divisor: int) -> None:
    shape, kernel, stride, padding, rounds_up = windows
    x = numbers(shape, 1, dtype)
    doubles = x.double().requires_grad_()
    value = F.avg_pool3d(doubles, kernel, stride or None, padding, rounds_up, counts_padding, divisor or None)
    settings = (kernel, stride, padding, rounds_up, counts_padding, divisor)
    out = torch.full(value.shape, torch.nan, dtype=x.dtype)
    call("AvgPool3d", x, *settings, out)
    close(out, value)
    gradient, wanted = gradient_of(value, doubles, dtype)
    out = torch.full_like(x, torch.nan)
    if len(kernel) == len(padding):
        call("AvgPool3dBackward", gradient, x, *settings, out)
        close(out, wanted)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("windows", WINDOWS)
def test_extremes_in_space(windows: Any, dtype: str) -> None:
    shape, kernel, stride, padding, rounds_up = windows
    x = numbers(shape, 2, dtype)
    for a in (x, with_special_numbers(x), torch.full_like(x, -torch.inf), torch.zeros_like(x)):
        value, index = F.max_pool3d(a, kernel, stride or None, padding, 1, rounds_up, True)
        out = torch.full(value.shape, torch.nan, dtype=x.dtype)
        indices = torch.full(value.shape, -1, dtype=INT32)
        call("MaxPool3dWithArgmax", a, kernel, stride, padding, (1,), rounds_up, out, indices)
        assert torch.equal(indices, index.int())
        torch.testing.assert_close(out, value, rtol=0, atol=0, equal_nan=True)
    doubles = x.double().requires_grad_()
    value = F.max_pool3d(doubles, kernel, stride or None, padding, 1, rounds_up)
    gradient, wanted = gradient_of(value, doubles, dtype)
    _, index = F.max_pool3d(x, kernel, stride or None, padding, 1, rounds_up, True)
    out = torch.full_like(x, torch.nan)
    call("MaxPool3dWithArgmaxBackward", gradient, x, index.int(), kernel, stride, padding, (1,), rounds_up, out)
    close(out, wanted)


#: Shape and sizes: bins that divide the shape, that share elements, more bins than elements, a whole plane.
BINS = [
    ((2, 3, 6, 8), (2, 4)), ((2, 3, 7, 5), (3, 2)), ((3, 4, 5), (6, 5)), ((2, 3, 4, 5), (1, 1)),
    ((2, 3, 4, 6, 8), (2, 3, 4)), ((2, 3, 5, 7, 4), (3, 2, 5)), ((3, 4, 5, 6), (1, 1, 1)), ((1, 1, 2, 2, 2), (3, 3, 3)),
]  # fmt: skip


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(("shape", "sizes"), BINS)
def test_adaptive_means(shape: tuple[int, ...], sizes: tuple[int, ...], dtype: str) -> None:
    rank, form = len(sizes), NCHW if len(sizes) == 2 else NCDHW
    x = numbers(shape, 3, dtype)
    doubles = x.double().requires_grad_()
    rule = F.adaptive_avg_pool2d if rank == 2 else F.adaptive_avg_pool3d
    value = rule(doubles, sizes)
    out = torch.full(value.shape, torch.nan, dtype=x.dtype)
    call(f"AdaptiveAvgPool{rank}d", tensor_of(x, form), sizes, tensor_of(out, form))
    close(out, value)
    gradient, wanted = gradient_of(value, doubles, dtype)
    out = torch.full_like(x, torch.nan)
    call(f"AdaptiveAvgPool{rank}dBackward", *(tensor_of(each, form) for each in (gradient, x, out)))
    close(out, wanted)


def test_a_bin_is_not_changed_by_other_bins() -> None:
    x = torch.arange(16.0).reshape(1, 4, 4)
    x[0, 0, 0], x[0, 3, 3] = torch.nan, torch.inf
    out = torch.zeros(1, 2, 2)
    call("AdaptiveAvgPool2d", tensor_of(x, NCHW), (2, 2), tensor_of(out, NCHW))
    torch.testing.assert_close(out, F.adaptive_avg_pool2d(x, (2, 2)), equal_nan=True)


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(("shape", "sizes"), BINS)
def test_adaptive_extremes(shape: tuple[int, ...], sizes: tuple[int, ...], dtype: str) -> None:
    rank, form = len(sizes), NCHW if len(sizes) == 2 else NCDHW
    rule = F.adaptive_max_pool2d if rank == 2 else F.adaptive_max_pool3d
    x = numbers(shape, 4, dtype)
    extremes = (x, torch.full_like(x, -torch.inf), torch.zeros_like(x))
    for a in (*extremes, with_special_numbers(x)) if x.numel() > 24 else extremes:
        value, index = rule(a, sizes, return_indices=True)
        out = torch.full(value.shape, torch.nan, dtype=x.dtype)
        indices = torch.full(value.shape, -1, dtype=INT64 if rank == 2 else INT32)
        call(f"AdaptiveMaxPool{rank}d", tensor_of(a, form), sizes, tensor_of(out, form), tensor_of(indices, form))
        assert torch.equal(indices, index.to(indices.dtype))
        torch.testing.assert_close(out, value, rtol=0, atol=0, equal_nan=True)
    doubles = x.double().requires_grad_()
    gradient, wanted = gradient_of(rule(doubles, sizes), doubles, dtype)
    _, index = rule(x, sizes, return_indices=True)
    out = torch.full_like(x, torch.nan)
    tensors = (gradient, x, index.to(INT64 if rank == 2 else INT32), out)
    call(f"AdaptiveMaxPool{rank}dBackward", *(tensor_of(each, form) for each in tensors))
    close(out, wanted)


def test_empty_batches() -> None:
    x, out = torch.zeros(0, 2, 4, 4, 4), torch.zeros(0, 2, 2, 2, 2)
    indices, settings = torch.zeros(0, 2, 2, 2, 2, dtype=INT32), ((2,), (2,), (0,))
    call("AvgPool3d", x, *settings, False, True, 0, out)
    call("MaxPool3dWithArgmax", x, *settings, (1,), False, out, indices)
    call("MaxPool3dWithArgmaxBackward", out, x, indices, *settings, (1,), False, x)
    call("AdaptiveAvgPool3d", x, (2, 2, 2), out)
    call("AdaptiveMaxPool3dBackward", out, x, indices, x)
    with actgrad.product("Ascend950"):
        call("AdaptiveAvgPool3dBackward", out, x, x)


def test_indices_beyond_the_plane_are_refused() -> None:
    x, gradient = torch.zeros(1, 4, 4, 4), torch.ones(1, 2, 2, 2)
    with pytest.raises(ValueError, match=r"an index is 64; each must lie in \[0, 63\]"):
        call("AdaptiveMaxPool3dBackward", gradient, x, torch.full((1, 2, 2, 2), 64, dtype=INT32), x.clone())
