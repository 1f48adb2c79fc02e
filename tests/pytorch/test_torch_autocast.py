"""torch.autocast: results have the dtypes of PyTorch's own operators, for every operator that PyTorch has."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad.aten import AUTOCAST, SAME
from tests.support.torch_calls import compiled, drawn, ignore_deprecation

torch = pytest.importorskip("torch")
pytestmark = ignore_deprecation
FLOATS = (torch.float32, torch.bfloat16, torch.float16, torch.float64)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_the_table_has_what_pytorch_converts(device: str) -> None:
    key = f"Autocast{device.upper()}"
    listed = torch._C._dispatch_get_registrations_for_dispatch_key(key)
    names = {name.removeprefix("aten::").partition(".")[0] for name in listed}
    assert {name for name, devices in AUTOCAST.items() if device in devices} == names & set(actgrad.operators)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("name", [name for name in SAME.split() if not name.endswith("_backward")])
def test_dtypes_are_pytorchs(name: str, device: str) -> None:
    """Of every dtype, in both of autocast's; fake tensors stand for a GPU."""
    operator = actgrad.operators[name]
    with torch._subclasses.fake_tensor.FakeTensorMode():
        for dtype in FLOATS:
            given = [torch.empty(t.shape, dtype=dtype, device=device) for t in drawn(operator, (2, 4))]
            for own in (torch.bfloat16, torch.float16):
                before = torch.get_autocast_dtype(device)
                torch.set_autocast_enabled(device, True)
                torch.set_autocast_dtype(device, own)
                try:
                    got = getattr(torch.ops.actgrad, name)(*given)
                    wanted = actgrad.aten.ATEN[name](torch.ops.aten, dict(operator.defaults), *given)
                finally:
                    torch.set_autocast_enabled(device, False)
                    torch.set_autocast_dtype(device, before)
                assert got.dtype == wanted.dtype, (dtype, own)


@pytest.mark.parametrize("own", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", [name for name in dir(actgrad.torch) if name[0].isupper() and hasattr(torch.nn, name)])
def test_modules_give_what_pytorchs_give(name: str, own: Any) -> None:
    """Result and gradients, on the graph and without, of tensors of every dtype."""
    ours, theirs = getattr(actgrad.torch, name), getattr(torch.nn, name)
    arguments = (-1,) if "dim" in ours.__init__.__code__.co_varnames else (0.1, 3) if name == "Threshold" else ()
    modules = ours(*arguments), theirs(*arguments)
    for dtype in FLOATS[:3]:
        x, results = torch.randn(3, 4).to(dtype), []
        for module in modules:
            leaf = x.clone().requires_grad_()
            with torch.autocast("cpu", own), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y = module(leaf)
                with torch.no_grad():
                    assert module(x).dtype == y.dtype
            y.float().sum().backward()
            results.append([y.dtype, leaf.grad.dtype, *[p.grad.dtype for p in module.parameters()]])
        assert results[0] == results[1], dtype


def test_prelu_of_any_number_of_weights() -> None:
    x = torch.randn(3, 4)
    for count in (1, 4):
        ours, theirs = actgrad.torch.PReLU(count), torch.nn.PReLU(count)
        with torch.autocast("cpu", torch.bfloat16):
            wanted = theirs(x)
            assert wanted.dtype == torch.bfloat16
            batched = torch.vmap(lambda row, m=ours: actgrad.torch.prelu(row, m.weight))(x[None])
            for got in (ours(x), compiled(ours)(x), batched[0], torch.ops.actgrad.prelu(x, ours.weight)):
                torch.testing.assert_close(got, wanted, rtol=0, atol=0)
            with torch.autocast("cpu", enabled=False):
                assert ours(x).dtype == torch.float32


def test_plain_functions_compute_in_the_dtype_that_arrives() -> None:
    x, weight = torch.randn(3, 4), torch.rand(1)
    with torch.autocast("cpu", torch.bfloat16):
        assert actgrad.prelu(x, weight).dtype == torch.float32
        assert actgrad.prelu(x.requires_grad_(), weight).dtype == torch.float32
