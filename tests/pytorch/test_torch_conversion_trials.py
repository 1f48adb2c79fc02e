"""convert and activations of other libraries, which trials tell."""

from __future__ import annotations

import pickle
from functools import partial
from types import MethodType
from typing import Any

import pytest

from actgrad.torch import convert, revert
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
