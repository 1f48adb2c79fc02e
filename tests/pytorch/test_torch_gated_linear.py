"""gated_linear: values, gradients of all orders and what it saves, against PyTorch's own composition."""

from __future__ import annotations

from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad.torch.gated_linear import ACTIVATIONS
from tests.support.torch_calls import compiled, ignore_deprecation

torch = pytest.importorskip("torch")
functional = torch.nn.functional
gated_linear = actgrad.torch.gated_linear

ATEN = {
    "silu": functional.silu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "relu": functional.relu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
}
NAMES = [*ATEN]


def aten(gate: Any, up: Any, weight: Any, bias: Any = None, activation: str = "silu") -> Any:
    return functional.linear(ATEN[activation](gate) * up, weight, bias)


def tensors(dtype: Any = torch.float64, shape: tuple[int, ...] = (2, 5), has_bias: bool = True) -> list[Any]:
    generator = torch.Generator().manual_seed(0)
    shapes: list[tuple[int, ...]] = [(*shape, 6), (*shape, 6), (3, 6), *([(3,)] * has_bias)]
    return [torch.randn(each, dtype=dtype, generator=generator).requires_grad_() for each in shapes]


def first_and_second(function: Any, row: list[Any], activation: str) -> tuple[Any, ...]:
    y = function(*row, activation=activation)
    first = torch.autograd.grad(y.square().sum(), row, create_graph=True)
    second = torch.autograd.grad(sum(each.square().sum() for each in first), row)
    return y, first, second


def test_each_activation_has_an_oracle() -> None:
    assert [*ACTIVATIONS] == NAMES


@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("shape", [(), (4,), (2, 0), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("activation", NAMES)
def test_agrees_with_aten(activation: str, shape: tuple[int, ...], has_bias: bool) -> None:
    row = tensors(shape=shape, has_bias=has_bias)
    torch.testing.assert_close(first_and_second(gated_linear, row, activation), first_and_second(aten, row, activation))
    with torch.no_grad():
        torch.testing.assert_close(gated_linear(*row, activation=activation), aten(*row, activation=activation))


@pytest.mark.share(3)
@pytest.mark.parametrize("activation", NAMES)
def test_gradients_agree_with_differences(activation: str) -> None:
    row = tensors()

    def function(*tensors: Any) -> Any:
        return gated_linear(*tensors, activation=activation)

    assert torch.autograd.gradcheck(function, row)
    assert torch.autograd.gradgradcheck(function, row)


@pytest.mark.parametrize("needed", range(1, 16))
@pytest.mark.parametrize("activation", ["silu", "relu", "sigmoid"])
def test_gradients_of_some_tensors(activation: str, needed: int) -> None:
    row = [each.requires_grad_(bool(needed >> place & 1)) for place, each in enumerate(t.detach() for t in tensors())]
    wanted_from = [each for each in row if each.requires_grad]
    results = [
        torch.autograd.grad(f(*row, activation=activation).square().sum(), wanted_from) for f in (gated_linear, aten)
    ]
    torch.testing.assert_close(*results)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
@pytest.mark.parametrize("has_bias", [False, True])
def test_the_result_may_be_overwritten(shape: tuple[int, ...], has_bias: bool) -> None:
    """As the result of a linear layer, which may be a view: `y += x` after the feed-forward block."""
    row = tensors(torch.float64, shape)
    row = row if has_bias else row[:3]
    results = []
    for function in (gated_linear, aten):
        y = function(*row, activation="silu")
        y += 0.5
        y.mul_(2)
        results.append([y, *torch.autograd.grad(y.sum(), row)])
    torch.testing.assert_close(*results)


@pytest.mark.parametrize("activation", NAMES)
def test_the_first_gradient_has_the_same_bits_with_create_graph(activation: str) -> None:
    row = tensors(torch.float32, (64,))
    results = [
        torch.autograd.grad(gated_linear(*row, activation=activation).sum(), row, create_graph=is_created)
        for is_created in (False, True)
    ]
    assert all(torch.equal(*pair) for pair in zip(*results, strict=True))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_other_dtypes(dtype: Any) -> None:
    row = tensors(dtype, (8,))
    exact = [each.detach().double().requires_grad_() for each in row]
    found, wanted = [
        [f(*each), *torch.autograd.grad(f(*each).sum(), each)] for f, each in ((gated_linear, row), (aten, exact))
    ]
    assert {each.dtype for each in found} == {dtype}
    tolerance = 8 * torch.finfo(dtype).eps  # sums of up to 8 rounded products
    torch.testing.assert_close([each.double() for each in found], wanted, rtol=tolerance, atol=tolerance)


def saved(function: Any, row: list[Any], activation: str) -> list[Any]:
    """The tensors that a call saves for backward."""
    found: list[Any] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda each: (found.append(each), each)[1], lambda each: each):
        function(*row, activation=activation)
    return found


@pytest.mark.parametrize("activation", NAMES)
def test_saves_its_three_inputs(activation: str) -> None:
    row = tensors()
    found = saved(gated_linear, row, activation)
    assert {each.data_ptr() for each in found} == {each.data_ptr() for each in row[:3]}
    assert len(saved(aten, row, activation)) > 3


@pytest.mark.parametrize("is_backward_inside", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("activation", ["silu", "gelu_tanh", "relu"])
def test_autocast(activation: str, dtype: Any, is_backward_inside: bool) -> None:
    results = []
    for function in (gated_linear, aten):
        row = [each.detach().to(dtype if n < 2 else torch.float32).requires_grad_() for n, each in enumerate(tensors())]
        if dtype == torch.float64:
            row = tensors()
        with torch.autocast("cpu", torch.bfloat16):
            y = function(*row, activation=activation)
            if is_backward_inside:
                y.sum().backward()
        if not is_backward_inside:
            y.sum().backward()
        results.append([y, *(each.grad for each in row)])
    found, wanted = results
    assert [each.dtype for each in found] == [each.dtype for each in wanted]
    tolerance = 1e-9 if dtype == torch.float64 else 0.04  # bfloat16 rounds a factor, a product and a sum
    torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)


def test_autocast_without_gradients() -> None:
    row = [each.detach().float() for each in tensors()]
    with torch.autocast("cpu", torch.bfloat16):
        found, wanted = gated_linear(*row), aten(*row)
    assert found.dtype == wanted.dtype == torch.bfloat16
    torch.testing.assert_close(found, wanted, rtol=0.02, atol=0.02)


@ignore_deprecation
@pytest.mark.parametrize("activation", ["silu", "gelu", "relu"])
def test_transforms(activation: str) -> None:
    row = [each.detach() for each in tensors()]
    directions = tuple(torch.randn_like(each) for each in row)

    def loss(function: Any) -> Any:
        return lambda *tensors: function(*tensors, activation=activation).square().sum()

    everywhere = tuple(range(4))
    for transform in (
        lambda f: torch.func.grad(f, everywhere)(*row),
        lambda f: torch.func.jvp(f, tuple(row), directions),
        lambda f: torch.func.vmap(torch.func.grad(f, everywhere), (0, 0, None, None))(*row),
        lambda f: torch.func.hessian(f, 0)(*row),
        lambda f: torch.func.jvp(torch.func.grad(f, everywhere), tuple(row), directions),
    ):
        torch.testing.assert_close(transform(loss(gated_linear)), transform(loss(aten)))


@pytest.mark.share(4)
@pytest.mark.filterwarnings("ignore:.torch.jit.script_method:DeprecationWarning")  # PyTorch's, when inductor is loaded
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("activation", ["silu", "relu"])
def test_compiles_to_one_graph(activation: str, backend: str) -> None:
    row = tensors()
    run = compiled(lambda *each: gated_linear(*each, activation=activation), backend)
    results = [torch.autograd.grad(y.square().sum(), row) for y in (run(*row), aten(*row, activation=activation))]
    torch.testing.assert_close(*results)


@pytest.mark.parametrize("is_reentrant", [False, True])
def test_under_a_checkpoint(is_reentrant: bool) -> None:
    row = tensors()
    results = [
        torch.autograd.grad(y.square().sum(), row) if not is_reentrant else _backward(y, row)
        for y in (
            torch.utils.checkpoint.checkpoint(gated_linear, *row, use_reentrant=is_reentrant),
            aten(*row),
        )
    ]
    torch.testing.assert_close(*results)


def _backward(y: Any, row: list[Any]) -> list[Any]:
    for each in row:
        each.grad = None
    y.square().sum().backward()
    return [each.grad for each in row]


def test_halves_of_one_tensor() -> None:
    packed, _, weight, _ = tensors(shape=(2, 5))
    packed = torch.cat([packed, packed.roll(1, 0)], -1).detach().requires_grad_()
    results = []
    for function in (gated_linear, aten):
        gate, up = packed.chunk(2, -1)
        results.append(torch.autograd.grad(function(gate, up, weight).square().sum(), [packed, weight]))
    torch.testing.assert_close(*results)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_saved_tensor_that_is_overwritten(place: int) -> None:
    row = [each * 1.0 for each in tensors()]
    y = gated_linear(*row)
    with torch.no_grad():
        row[place].mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_modes_see_the_products() -> None:
    row = tensors()
    with torch.utils.flop_counter.FlopCounterMode(display=False) as counter:
        gated_linear(*row).sum().backward()
    assert counter.get_total_flops() == 3 * 2 * 10 * 6 * 3  # three products of 10 x 6 x 3


G, W = torch.ones(2, 6), torch.ones(3, 6)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ((G, G, W, None, "sillu"), actgrad.InvalidArgument, "activation is 'sillu'; it must be 'silu', .* or 'tanh'; "),
        ((G, G, W, None, 3), actgrad.InvalidArgument, "activation is 3; it must be 'silu'"),
        ((G, G[:1], W), actgrad.InvalidArgument, r"gate has the shape \[2, 6\] and up has \[1, 6\]; both must"),
        ((G, G.double(), W), actgrad.InvalidCall, "gate is torch.float32 and up is torch.float64; both must"),
        ((G, G, W.t()), actgrad.InvalidArgument, r"weight has the shape \[6, 3\] and gate has \[2, 6\]; weight"),
        ((G, [1.0], W), actgrad.InvalidCall, "up is a list; it must be a torch.Tensor"),
        ((G, G, W, 1.0), actgrad.InvalidCall, "bias is .*; it must be a torch.Tensor"),
    ],
)  # fmt: skip
def test_errors(arguments: Any, kind: Any, message: str) -> None:
    with pytest.raises(kind, match=f"^gated_linear: {message}"):
        gated_linear(*arguments)
