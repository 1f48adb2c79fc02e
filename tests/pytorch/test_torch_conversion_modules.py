"""convert and each of torch.nn's activations that actgrad.torch has."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import pytest

import actgrad.torch
from actgrad.torch import convert as convert_what_pays
from actgrad.torch.public_names import all_names

torch = pytest.importorskip("torch")
nn = torch.nn
convert = partial(convert_what_pays, only="all")


@pytest.mark.parametrize("module", [
    nn.ReLU(True), nn.SiLU(), nn.Sigmoid(), nn.Tanh(), nn.Hardtanh(-0.3, 0.7), nn.Hardswish(), nn.Hardsigmoid(),
    nn.Threshold(0.3, -2.0), nn.ReLU6(),
])  # fmt: skip
def test_each_of_torchs_modules(module: Any) -> None:
    x = torch.randn(4, 9, dtype=torch.float64)
    before = module(x.clone())
    was = repr(module)
    (row,) = convert(module).rows
    assert row.becomes, row
    assert repr(module) == was
    torch.testing.assert_close(module(x.clone()), before)


def default_of(kind: Any) -> Any:
    return kind(*{nn.Threshold: (0.3, -2.0), nn.Softmax: (-1,), nn.LogSoftmax: (-1,)}.get(kind, ()))


def with_gradient(module: Any, x: Any) -> tuple[Any, Any]:
    x = x.clone().requires_grad_()
    y = module(x * 1.0)
    return y, torch.autograd.grad(y.square().sum(), x)


KINDS = [getattr(nn, names.module) for names in all_names() if hasattr(nn, names.module or "-")]


@pytest.mark.parametrize("kind", KINDS)
def test_each_module_that_saves_its_input(kind: Any) -> None:
    module = default_of(kind).double()
    x = torch.randn(4, 10, dtype=torch.float64)
    wanted = with_gradient(module, x)
    (row,) = convert(module, save="input").swapped
    assert row.becomes
    torch.testing.assert_close(with_gradient(module, x), wanted)
    torch.testing.assert_close(module(input=x), wanted[0])


@pytest.mark.filterwarnings("ignore:Implicit dimension choice")
@pytest.mark.parametrize("name", ["Softmax", "LogSoftmax"])
def test_an_implicit_dimension(name: str) -> None:
    """None is PyTorch's choice by the rank, in functions, modules, converted ones, graphs and exported programs."""
    kind, ours = getattr(nn, name), getattr(actgrad.torch, name)()
    function = getattr(actgrad.torch, "softmax" if name == "Softmax" else "log_softmax")
    assert repr(ours) == repr(kind())
    for shape in [(), (3,), (2, 3), (2, 3, 4), (2, 3, 4, 5)]:
        x = torch.randn(shape)
        wanted, module = kind()(x), nn.Sequential(kind())
        (row,) = convert(module).rows
        assert row.becomes == function.__name__
        calls = [function, ours, module]
        if len(shape) > 2:
            torch._dynamo.reset()
            calls += [torch.compile(ours, fullgraph=True, backend="aot_eager")]
            calls += [torch.export.export(model, (x,)).module() for model in (ours, module)]
        for call in calls:
            torch.testing.assert_close(call(x), wanted)
    with pytest.warns(UserWarning, match=f"^Implicit dimension choice for {function.__name__} ") as caught:
        function(torch.randn(2, 3))
    assert caught[0].filename == __file__


@pytest.mark.parametrize("is_patched", [False, True])
def test_the_gradient_of_selu_at_zero_is_pytorchs(is_patched: bool) -> None:
    module, x = nn.SELU(), torch.tensor([0.0, -0.0, -1.5, 2.0], requires_grad=True)
    (expected,) = torch.autograd.grad(module(x).sum(), x)
    if is_patched:
        with actgrad.torch.patched():
            y = nn.functional.selu(x)
    else:
        assert actgrad.torch.convert(module, only="all").swapped
        y = module(x)
    assert type(y.grad_fn).__module__ == "torch.autograd.function"
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x)[0], expected)


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # PyTorch's, on compiling
@pytest.mark.parametrize("count", [1, 5])
def test_prelu(count: int) -> None:
    x = torch.randn(4, 5, 2, dtype=torch.float64)
    theirs = nn.PReLU(count, init=0.1, dtype=torch.float64)
    ours = actgrad.torch.PReLU(count, init=0.1, device="cpu", dtype=torch.float64)
    assert repr(ours) == repr(theirs)
    ours.load_state_dict(theirs.state_dict())
    wanted = with_gradient(theirs, x)
    copies = [ours, copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))]
    convert(theirs)
    assert list(theirs.state_dict()) == ["weight"]
    for module in (*copies, theirs, torch.compile(ours, fullgraph=True, backend="aot_eager")):
        torch.testing.assert_close(with_gradient(module, x), wanted)
        torch.testing.assert_close(*(torch.autograd.grad(m(x).sum(), m.weight) for m in (module, theirs)))


def test_modules_of_actgrad_are_no_candidates() -> None:
    modules = (actgrad.torch.PReLU(), actgrad.torch.SiLU(), actgrad.torch.ELU(1.3), actgrad.torch.Hardshrink())
    assert not convert(nn.Sequential(*modules)).rows


@pytest.mark.parametrize("name", ["Hardshrink", "Softshrink"])
def test_printed_modules_read_as_torchs(name: str) -> None:
    assert repr(getattr(actgrad.torch, name)(0.3)) == repr(getattr(nn, name)(0.3)) == f"{name}(0.3)"


def test_modules_that_take_the_input_save_it() -> None:
    """The others save the result, as PyTorch's do."""
    raised = set()
    for kind in KINDS:
        for convert_it in (False, True):
            module = default_of(kind)
            if convert_it:
                convert(module, save="input")
            y = module(torch.randn(8, requires_grad=True) * 1.0)
            y += 1.0
            try:
                y.sum().backward()
            except RuntimeError:
                raised.add((kind, convert_it))
    assert raised == {
        (kind, converted)
        for kind in (nn.Sigmoid, nn.Tanh, nn.ReLU, nn.Softmax, nn.LogSoftmax)
        for converted in (False, True)
    }


class Positive(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, weight: Any) -> Any:
        return weight.abs() + 1


def test_a_parametrisation_that_comes_later() -> None:
    model = nn.PReLU()
    convert(model)
    nn.utils.parametrize.register_parametrization(model, "weight", Positive())
    x = torch.linspace(-3, 3, 8)
    torch.testing.assert_close(model(x), nn.functional.prelu(x, torch.tensor([1.25])))
    torch.testing.assert_close(copy.deepcopy(model)(x), model(x))


@pytest.mark.parametrize("kind", [nn.Softmax, nn.LogSoftmax])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax_of_a_transposed_tensor_is_contiguous(kind: Any, dim: int) -> None:
    """As in PyTorch, so that a model may call `view` on it."""
    x = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(0))
    for turned in (x.transpose(1, 3), x.to(memory_format=torch.channels_last), x[:, ::2], x.permute(3, 0, 2, 1)):
        model = nn.Sequential(kind(dim))
        expected = model(turned)
        convert(model)
        result = model(turned)
        assert result.stride() == expected.stride()
        assert torch.allclose(result.view(-1), expected.view(-1), atol=1e-6)
