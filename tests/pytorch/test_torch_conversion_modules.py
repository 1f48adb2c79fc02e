"""convert and each of torch.nn's activations that actgrad.torch has."""

from __future__ import annotations

from typing import Any

import pytest

from actgrad.torch import convert
from actgrad.torch.public_names import stated

torch = pytest.importorskip("torch")
nn = torch.nn


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
    assert repr(module).removeprefix("Actgrad") == was
    torch.testing.assert_close(module(x.clone()), before)


def default_of(kind: Any) -> Any:
    return kind(*{nn.Threshold: (0.3, -2.0), nn.Softmax: (-1,), nn.LogSoftmax: (-1,)}.get(kind, ()))


def with_gradient(module: Any, x: Any) -> tuple[Any, Any]:
    x = x.clone().requires_grad_()
    y = module(x * 1.0)
    return y, torch.autograd.grad(y.square().sum(), x)


KINDS = [getattr(nn, names.module) for names in stated() if hasattr(nn, names.module or "-")]


@pytest.mark.parametrize("kind", KINDS)
def test_each_module_that_saves_its_input(kind: Any) -> None:
    module = default_of(kind)
    x = torch.randn(4, 10, dtype=torch.float64)
    wanted = with_gradient(module, x)
    (row,) = convert(module, save="input").swapped
    assert row.becomes == f"Actgrad{kind.__name__}"
    torch.testing.assert_close(with_gradient(module, x), wanted)
    torch.testing.assert_close(module(input=x), wanted[0])


def test_an_implicit_dimension_stays() -> None:
    (row,) = convert(nn.Softmax()).rows
    assert row.reason == "its dim is None, which PyTorch chooses by the rank"


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
