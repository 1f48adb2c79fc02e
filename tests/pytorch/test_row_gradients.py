"""Derivatives of operators whose elements see their rows, in PyTorch: any order, every dimension, transforms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import actgrad.torch as at  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")


def numbers(*shape: int, positive: bool = False) -> Any:
    generator = torch.Generator().manual_seed(sum(shape))
    x = torch.randn(shape, dtype=torch.float64, generator=generator)
    return (x.abs() if positive else x).requires_grad_()


ACTGRAD = torch.ops.actgrad
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "softmax": (partial(at.softmax, dim=-1), (numbers(3, 4),)),
    "softmax of columns": (partial(at.softmax, dim=0), (numbers(3, 4),)),
    "softmax of a number": (partial(at.softmax, dim=-1), (numbers(),)),
    "log_softmax": (partial(at.log_softmax, dim=-1), (numbers(2, 3, 2),)),
    "log_softmax of the middle": (partial(at.log_softmax, dim=-2), (numbers(2, 3, 2),)),
    "cross entropy": (ACTGRAD.softmax_cross_entropy_with_logits, (numbers(3, 4), numbers(3, 4, positive=True))),
    "confusion": (ACTGRAD.confusion_softmax_grad, (numbers(3, 4), numbers(3, 4))),
    "extended": (ACTGRAD.softmax_grad_ext, (numbers(3, 4), numbers(3, 4), numbers(1))),
    "prelu": (at.prelu, (numbers(2, 3, 4), numbers(3))),
    "prelu of one weight": (at.prelu, (numbers(2, 3, 4), numbers(1))),
    "prelu of a number": (at.prelu, (numbers(), numbers(1))),
    "prelu_backward": (ACTGRAD.prelu_backward, (numbers(2, 3, 2), numbers(2, 3, 2), numbers(3))),
}


@pytest.mark.share(4)
@pytest.mark.parametrize("name", CASES)
def test_derivatives_of_both_modes_and_orders(name: str) -> None:
    function, given = CASES[name]
    assert torch.autograd.gradcheck(function, given, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, given)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("kind", ["classes", "probabilities", "weights"])  # weights do not sum to 1
def test_cross_entropy_is_pytorchs(kind: str, dtype: Any) -> None:
    target = torch.tensor([0, 6, 3, 3, 1])
    labels = torch.nn.functional.one_hot(target, 7).double()
    if kind != "classes":
        labels = torch.softmax(numbers(5, 7).detach() * 2, -1) * (1.0 if kind == "probabilities" else 3.0)
    wanted_target = target if kind == "classes" else labels
    features, factors = (numbers(5, 7).detach() * 8).to(dtype).requires_grad_(), numbers(5).detach()
    wide = features.detach().double().requires_grad_()
    loss, backprop = at.softmax_cross_entropy_with_logits(features, labels.to(dtype))
    wanted = torch.nn.functional.cross_entropy(wide, wanted_target, reduction="none")
    (gradient,) = torch.autograd.grad(loss, features, factors.to(dtype), create_graph=True)
    (wanted_gradient,) = torch.autograd.grad(wanted, wide, factors, create_graph=True)
    (second,) = torch.autograd.grad(gradient.cos().sum(), features)
    (wanted_second,) = torch.autograd.grad(wanted_gradient.cos().sum(), wide)
    bounds = {torch.float64: 1e-13, torch.float32: 1e-5, torch.bfloat16: 0.04}[dtype]
    pairs = (
        (loss, wanted),
        (backprop, torch.softmax(wide, -1) - labels),
        (gradient, wanted_gradient),
        (second, wanted_second),
    )
    for got, expected in pairs:
        assert got.dtype == dtype
        torch.testing.assert_close(got.double(), expected, atol=bounds, rtol=bounds)


def test_cross_entropy_in_a_graph_and_without_the_closed_form() -> None:
    features, labels = numbers(4, 5), numbers(4, 5, positive=True)

    def both(features: Any, labels: Any) -> Any:
        loss, backprop = at.softmax_cross_entropy_with_logits(features, labels)
        return loss.sum() + (backprop * features.detach()).sum()  # the gradient of backprop has no closed form

    def plain(features: Any, labels: Any) -> Any:
        loss = -(labels * features.log_softmax(-1)).sum()
        return loss + ((features.softmax(-1) - labels) * features.detach()).sum()

    wanted = torch.autograd.grad(plain(features, labels), (features, labels))
    for function in (both, torch.compile(both, backend="aot_eager", fullgraph=True)):
        got = torch.autograd.grad(function(features, labels), (features, labels))
        torch.testing.assert_close(got, wanted)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_are_pytorchs(name: str, dtype: Any) -> None:
    ours, theirs = getattr(at, name), getattr(torch, name)
    for dim in (0, 1, -1):
        x = numbers(5, 17, 3).detach().to(dtype).requires_grad_()
        g = numbers(5, 17, 3).detach().to(dtype)
        (got,), (wanted,) = (torch.autograd.grad(f(x, dim), x, g) for f in (ours, theirs))
        assert got.dtype == dtype
        bounds = {} if dtype == torch.float32 else {"atol": 0.01, "rtol": 0.02}
        torch.testing.assert_close(got, wanted, **bounds)


@pytest.mark.parametrize("shape", [(3, 0), (0, 3)])
def test_rows_without_elements(shape: tuple[int, ...]) -> None:
    """PyTorch's amax refuses them, in words that do not name the operator."""
    x = torch.zeros(shape)
    result, tangent = torch.func.jvp(partial(at.softmax, dim=-1), (x,), (x,))
    assert result.shape == tangent.shape == shape


def test_batches_and_compiled_functions() -> None:
    x = numbers(4, 5, 6).detach()
    for dim in (0, 1, -1, -2):
        for place in (0, 1, 2):
            got = torch.vmap(partial(at.softmax, dim=dim), in_dims=place)(x)
            wanted = torch.stack([torch.softmax(one, dim) for one in x.unbind(place)])
            torch.testing.assert_close(got, wanted)
    with pytest.raises(ValueError, match="dim is 2"):
        torch.vmap(partial(at.softmax, dim=2))(x)
    weights = numbers(4, 3).detach()
    got = torch.vmap(lambda a, w: torch.func.grad(lambda v: at.prelu(a, v).sum())(w))(x[:, :, :3], weights)
    wanted = torch.vmap(lambda a, w: torch.where(a > 0, 0, a).sum(0))(x[:, :, :3], weights)
    torch.testing.assert_close(got, wanted)


def test_a_training_step_is_compiled_whole() -> None:
    x = numbers(6, 7).detach().float()
    model = torch.nn.Sequential(torch.nn.Linear(7, 5), torch.nn.PReLU(5), torch.nn.Linear(5, 3))

    def loss(v: Any) -> Any:
        return -at.log_softmax(model[2](at.prelu(model[0](v), model[1].weight)), -1).mean()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    compiled(x).backward()
    got = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    (-torch.log_softmax(model(x), -1).mean()).backward()
    for one, other in zip(got, model.parameters(), strict=True):
        torch.testing.assert_close(one, other.grad)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_the_dtype_that_the_input_is_converted_to(name: str) -> None:
    ours, theirs = getattr(at, name), getattr(torch.nn.functional, name)
    for x in (torch.randn(3, 4, dtype=torch.bfloat16, requires_grad=True), torch.arange(6).reshape(2, 3)):
        for dtype in (torch.float32, torch.float64):
            got, wanted = ours(x, -1, dtype=dtype), theirs(x, -1, dtype=dtype)
            torch.testing.assert_close(got, wanted)
            if x.requires_grad:
                torch.testing.assert_close(*(torch.autograd.grad(y.square().sum(), x) for y in (got, wanted)))
    compiled = torch.compile(partial(ours, dim=0, dtype=torch.float32), fullgraph=True, backend="eager")
    x = torch.randn(3, 4, dtype=torch.float16)
    torch.testing.assert_close(compiled(x), theirs(x, 0, dtype=torch.float32))


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_batched_gradients_of_the_forward_mode(name: str) -> None:
    x = torch.rand(3, 4, dtype=torch.float64, requires_grad=True)
    call = partial(getattr(at, name), dim=-1)
    assert torch.autograd.gradcheck(call, (x,), check_forward_ad=True, check_batched_forward_grad=True)
