"""convert and activations of other libraries, which trials tell."""

from __future__ import annotations

import pickle
from functools import partial
from types import MethodType
from typing import Any

import pytest

from actgrad.torch import convert, revert
from actgrad.torch.models import trials
from tests.support.foreign_modules import Noisy, OtherActivation

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional


@pytest.mark.parametrize("name", ["gelu", "silu", "relu", "sigmoid", "tanh"])
def test_activations_of_other_libraries_are_known_by_a_trial(name: str) -> None:
    module = OtherActivation(getattr(functional, name))
    x = torch.randn(5, 7, requires_grad=True)
    (row,) = convert(module).swapped
    assert row.becomes == "ActgradOtherActivation"
    torch.testing.assert_close(module(x), getattr(functional, name)(x))
    torch.testing.assert_close(pickle.loads(pickle.dumps(module))(x), module(x))
    assert "Actgrad" in type(module(x).grad_fn).__name__
    revert(module)
    assert type(module) is OtherActivation


def test_a_module_that_differs_in_training_stays() -> None:
    assert not convert(nn.Sequential(Noisy().eval(), OtherActivation(torch.sin), nn.Identity())).swapped


def with_another(kind: str) -> nn.Module:
    """An activation that has more than its function."""
    module = OtherActivation(functional.silu)
    if kind == "child":
        module.inner = nn.Identity()
    elif kind == "parameter":
        module.scale = nn.Parameter(torch.ones(1))
    elif kind == "buffer":
        module.register_buffer("scale", torch.ones(1))
    else:
        module.forward = MethodType(lambda self, x: x, module)
    return module


@pytest.mark.parametrize("kind", ["child", "parameter", "buffer", "forward"])
def test_a_module_with_more_than_its_function_stays(kind: str) -> None:
    """Its result may depend on them."""
    module = with_another(kind)
    assert not convert(module).swapped
    assert type(module) is OtherActivation


def test_modules_that_pytorch_makes_stay() -> None:
    module = torch.fx.symbolic_trace(OtherActivation(functional.silu))
    assert not convert(module).rows


@pytest.mark.parametrize("function", [functional.silu, functional.relu])
def test_a_module_that_writes_into_its_input_stays(function: Any) -> None:
    """A model may read the input after it."""
    assert not convert(OtherActivation(partial(function, inplace=True))).swapped


class OfX(nn.Module):
    """The input has another name than torch.nn's."""

    def forward(self, hidden_states: Any) -> Any:
        return functional.gelu(hidden_states, approximate="tanh")


def test_the_input_by_any_name() -> None:
    module, named = OtherActivation(functional.silu), OfX()
    x = torch.randn(5, 7)
    assert len(convert(nn.Sequential(module, named)).swapped) == 2
    torch.testing.assert_close(module(x=x), functional.silu(x))
    torch.testing.assert_close(named(hidden_states=x), functional.gelu(x, approximate="tanh"))


@pytest.mark.parametrize("name", ["gelu", "silu", "relu", "sigmoid", "tanh"])
def test_saving_the_input(name: str) -> None:
    module = OtherActivation(getattr(functional, name))
    x = torch.randn(5, 7, dtype=torch.float64, requires_grad=True)
    assert convert(module, save="input").swapped
    y, wanted = module(x), getattr(functional, name)(x)
    torch.testing.assert_close(y, wanted)
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x), torch.autograd.grad(wanted.sum(), x))


class Calling(nn.SiLU):  # type: ignore[misc,name-defined]
    def __call__(self, x: Any) -> Any:
        return super().__call__(x) * 2.0


class Stored(nn.LeakyReLU):  # type: ignore[misc,name-defined]
    """Its slope is a property."""

    stored: float

    @property
    def negative_slope(self) -> float:
        return self.stored

    @negative_slope.setter
    def negative_slope(self, value: float) -> None:
        self.stored = value


class Configured(nn.Module):  # type: ignore[misc,name-defined]
    """Its factor is a buffer, and its switch is in a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("beta", torch.tensor(1.0))
        self.switches = {"on": True}

    def forward(self, x: Any) -> Any:
        return x * torch.sigmoid(self.beta * x) if self.switches["on"] else x


VARIATIONS: list[tuple[Any, Any]] = [
    (Calling, lambda m: m.register_forward_hook(lambda m, args, y: y * 3.0)),
    (Stored, lambda m: setattr(m, "stored", 0.7)),
    (Configured, lambda m: m.beta.fill_(5.0)),
    (Configured, lambda m: m.switches.update(on=False)),
    (partial(nn.LeakyReLU, 0.2), lambda m: setattr(m, "negative_slope", 0.7)),
    (nn.ReLU, lambda m: setattr(m, "forward", lambda x: x * 3.0)),
]


@pytest.mark.parametrize(("kind", "change"), VARIATIONS)
def test_later_changes_have_their_effect(kind: Any, change: Any) -> None:
    ours, theirs, x = kind(), kind(), torch.linspace(-3, 3, 12)
    convert(ours)
    for m in (ours, theirs):
        before = m(x)
        change(m)
        assert not torch.equal(m(x), before)
    results = []
    for m in (ours, theirs):
        leaf = x.clone().requires_grad_()
        y = m(leaf)
        results.append((y, *torch.autograd.grad(y.square().sum(), leaf)))
    torch.testing.assert_close(*results)


class FarBranch(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any) -> Any:
        return torch.where(x > 1000.0, 0.5 * x, functional.silu(x))


class FarNegativeBranch(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any) -> Any:
        return torch.where(x < -1000.0, 0.0 * x - 1.0, functional.gelu(x))


@pytest.mark.parametrize("kind", [FarBranch, FarNegativeBranch])
def test_a_branch_at_large_numbers_is_seen(kind: Any) -> None:
    model, x = kind(), torch.tensor([-2000.0, -1.0, 1.0, 2000.0])
    before = model(x)
    assert not convert(model).swapped
    assert torch.equal(model(x), before)


class OverflowingSilu(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any) -> Any:
        return x / (1 + torch.exp(-x))


def test_a_formula_that_overflows_at_large_numbers_is_known() -> None:
    model = OverflowingSilu()
    assert convert(model).swapped
    torch.testing.assert_close(model(torch.tensor([-1.0, 2.0])), functional.silu(torch.tensor([-1.0, 2.0])))


class GeluOfTanh(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any) -> Any:
        return 0.5 * x * (1.0 + torch.tanh(0.7978845608028654 * (x + 0.044715 * torch.pow(x, 3.0))))


@pytest.mark.filterwarnings("ignore:Anomaly Detection:UserWarning")
@pytest.mark.parametrize("context", [torch.inference_mode, torch.autograd.detect_anomaly])
def test_convert_works_inside_inference_mode_and_anomaly_mode(context: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(trials, "_proofs", {})
    trials.ordinary_points.cache_clear()
    trials._reference.cache_clear()
    model, x = GeluOfTanh(), torch.linspace(-3, 3, 9)
    with context():
        assert convert(model).swapped
    y = model(x.requires_grad_())
    torch.testing.assert_close(y, functional.gelu(x, approximate="tanh"))
    y.sum().backward()
