"""Second and higher derivatives by kernels, against mpmath, PyTorch's own operators and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import pytest

import actgrad.torch
from actgrad.torch.derivatives import closed_forms, products

torch = pytest.importorskip("torch")
from tests.support.torch_calls import ignore_deprecation  # noqa: E402  there is no such module without PyTorch

functional = torch.nn.functional

pytestmark = [ignore_deprecation, pytest.mark.share(3)]

ours = actgrad.torch
#: Our function and PyTorch's, by name.
PAIRS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "gelu": (ours.gelu, functional.gelu),
    "gelu tanh": (
        lambda x: ours.gelu(x, approximate="tanh"),
        lambda x: functional.gelu(x, approximate="tanh"),
    ),
    "silu": (ours.silu, functional.silu),
    "mish": (ours.mish, functional.mish),
    "tanh": (ours.tanh, torch.tanh),
    "sigmoid": (ours.sigmoid, torch.sigmoid),
    "softplus": (lambda x: ours.softplus(x, 1.5, 4.0), lambda x: functional.softplus(x, 1.5, 4.0)),
    "elu": (lambda x: ours.elu(x, 1.3), lambda x: functional.elu(x, 1.3)),
    "elu from input": (lambda x: ours.elu(x, 1.3, save="input"), lambda x: functional.elu(x, 1.3)),
    "scaled elu": (
        lambda x: ours.elu(x, 1.3, scale=0.7, input_scale=1.6, save="input"),
        lambda x: torch.ops.aten.elu(x, 1.3, 0.7, 1.6),
    ),
    "selu": (ours.selu, functional.selu),
    "selu from input": (lambda x: ours.selu(x, save="input"), functional.selu),
    "leaky_relu": (lambda x: ours.leaky_relu(x, 0.2), lambda x: functional.leaky_relu(x, 0.2)),
}
POINTS = [-7.5, -2.1, -1.0, -0.3, -1e-3, 1e-3, 0.4, 1.0, 2.2, 3.7, 8.0]  # PyTorch's GELU has NaN farther out


def derivatives(function: Callable[..., Any], x: Any, count: int) -> list[Any]:
    """The value and `count` derivatives, of which each is weighted, so that no factor is one."""
    found, y = [], function(x)
    for order in range(count + 1):
        found.append(y)
        if order < count:
            weights = torch.linspace(0.5, 1.5, x.numel(), dtype=x.dtype).view_as(x)
            is_recorded = y.requires_grad  # a gradient of zeros may have no graph
            y = torch.autograd.grad((y * weights).sum(), x, create_graph=True)[0] if is_recorded else y
    return found


@pytest.mark.parametrize("name", PAIRS)
def test_four_derivatives_against_pytorch(name: str) -> None:
    """The fourth comes from the product's formula on dual numbers."""
    x = torch.tensor(POINTS, dtype=torch.float64, requires_grad=True)
    found, wanted = (derivatives(function, x, 4) for function in PAIRS[name])
    torch.testing.assert_close(found, wanted, rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("name", PAIRS)
def test_gradients_of_gradients_against_differences(name: str) -> None:
    x = torch.tensor([-1.3, -0.2, 0.7], dtype=torch.float64, requires_grad=True)
    function = PAIRS[name][0]

    def first(x: Any) -> Any:
        return torch.autograd.grad(function(x).sin().sum(), x, create_graph=True)[0]

    assert torch.autograd.gradgradcheck(first, x)  # the third derivative
    assert torch.autograd.gradgradcheck(function, x, check_fwd_over_rev=True, check_batched_grad=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", PAIRS)
def test_the_first_gradient_keeps_its_bits(name: str, dtype: Any) -> None:
    x = torch.randn(1000).to(dtype).requires_grad_()
    gradients = [torch.autograd.grad(PAIRS[name][0](x).sum(), x, create_graph=is_kept)[0] for is_kept in (False, True)]
    assert torch.equal(*gradients)


@pytest.mark.parametrize("name", ["gelu", "gelu tanh", "silu", "mish", "softplus", "elu from input"])
def test_half_precision_is_rounded_once(name: str) -> None:
    x = torch.linspace(-5, 5, 400).to(torch.bfloat16).requires_grad_()
    exact = x.detach().double().requires_grad_()
    found, wanted = (
        torch.autograd.grad(torch.autograd.grad(function(each).sum(), each, create_graph=True)[0].sum(), each)[0]
        for function, each in ((PAIRS[name][0], x), (PAIRS[name][1], exact))
    )
    torch.testing.assert_close(found.double(), wanted, rtol=2**-7, atol=2**-8)


#: Activations for mpmath, by the formula of their derivative.
EXACT = {
    "silu_derivative": lambda x: x / (1 + mpmath.exp(-x)),
    "gelu_erf_derivative": lambda x: x * mpmath.ncdf(x),
    "gelu_tanh_derivative": lambda x: (
        x / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)))
    ),
    "mish_derivative": lambda x: x * mpmath.tanh(mpmath.log(1 + mpmath.exp(x))),
}


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("name", EXACT)
def test_closed_forms_against_mpmath(name: str, order: int) -> None:
    """In float32 by a kernel: 1e-6 of the largest derivative at moderate x, and of the derivative itself far out."""
    (derivative,) = [each for each in closed_forms.DERIVATIVES if each.__name__ == name]
    operator = products.GradientProduct(derivative, 1, ()).by_x()
    if order == 3:
        operator = products.further(operator).by_x()
    x = torch.tensor([-30.0, -12.0, *POINTS, 12.0, 30.0])
    ones = [torch.ones_like(x)] * order
    found = operator(*ones, x).tolist()
    with mpmath.workdps(60):
        wanted = [float(mpmath.diff(EXACT[name], each, order)) for each in x.tolist()]
    scale = [max(abs(each), 1e-6 if abs(x) > 5 else 0.3) for each, x in zip(wanted, x.tolist(), strict=True)]
    assert [abs(f - w) / s for f, w, s in zip(found, wanted, scale, strict=True)] == pytest.approx([0] * 15, abs=3e-5)


@pytest.mark.parametrize("name", PAIRS)
def test_far_out_and_nan(name: str) -> None:
    """Infinite and huge numbers give the limit, and NaN gives NaN where the derivative depends on x."""
    x = torch.tensor([-1e30, -1e4, 1e4, 1e30], requires_grad=True)
    found = derivatives(PAIRS[name][0], x, 3)[2:]
    assert all(torch.equal(each, torch.zeros(4)) for each in found)


def test_a_second_derivative_is_one_node() -> None:
    x = torch.randn(8, requires_grad=True)
    (first,) = torch.autograd.grad(ours.silu(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    names = [first.grad_fn.name(), second.grad_fn.name()]
    assert names == ["ActgradSiluBackwardBackward", "ActgradSiluDerivative2Backward"]


@pytest.mark.parametrize("name", ["silu", "leaky_relu", "tanh"])
def test_broadcast_gradients_and_mixed_dtypes(name: str) -> None:
    """The gradient of a backward operator whose tensors differ: PyTorch's rules of promotion."""
    operator, aten = {
        "silu": (torch.ops.actgrad.silu_backward, torch.ops.aten.silu_backward),
        "tanh": (torch.ops.actgrad.tanh_backward, torch.ops.aten.tanh_backward),
        "leaky_relu": (
            lambda g, x: torch.ops.actgrad.leaky_relu_backward(g, x, 0.1, False),
            lambda g, x: torch.ops.aten.leaky_relu_backward(g, x, 0.1, False),
        ),
    }[name]
    g = torch.randn(3, 1, requires_grad=True)
    x = torch.randn(4, dtype=torch.float64, requires_grad=True)
    result = operator(g, x)
    gradients = torch.autograd.grad(result.sum(), (g, x), create_graph=True, allow_unused=True)
    assert [each.shape for each in gradients] == [g.shape, x.shape]
    assert [each.dtype for each in gradients] == [g.dtype, x.dtype]
    torch.testing.assert_close(result, aten(g, x).to(result.dtype), rtol=1e-6, atol=1e-6)


def test_memory_of_a_second_derivative() -> None:
    """A node of a second derivative saves the input and both factors, and no intermediate tensors."""
    saved: list[Any] = []
    x = torch.randn(1000, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda each: saved.append(each) or each, lambda each: each):
        (first,) = torch.autograd.grad(ours.gelu(x).square().sum(), x, create_graph=True)
        count = len(saved)
        torch.autograd.grad(first.sum(), x, create_graph=True)
    assert len({each.data_ptr() for each in saved[count:]}) <= 8


@pytest.mark.parametrize("slope", [0.2, -0.2, 0.0, -0.0, float("inf")])
def test_the_gradient_of_leaky_relu_has_pytorchs_node_and_our_bits(slope: float) -> None:
    x = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(torch.bfloat16).requires_grad_()
    weights = x.detach().flip(0)
    found = [
        torch.autograd.grad(ours.leaky_relu(x, slope), x, weights, create_graph=is_kept)[0] for is_kept in (False, True)
    ]
    assert found[1].grad_fn.name() == "LeakyReluBackwardBackward0"
    plain, recorded = (each.detach() for each in found)
    assert ((plain.view(torch.int16) == recorded.view(torch.int16)) | (plain.isnan() & recorded.isnan())).all()
