"""GeGLU's conventions under their names, against the code that they are named after; and geglu_two."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import actgrad
import actgrad.torch

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional


def diffusers(x: Any) -> Any:
    hidden_states, gate = x.chunk(2, dim=-1)
    return hidden_states * functional.gelu(gate)


def gemma(gate: Any, up: Any) -> Any:
    return functional.gelu(gate, approximate="tanh") * up


def t5(hidden_gelu: Any, hidden_linear: Any) -> Any:
    x = hidden_gelu  # NewGELUActivation
    act = 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))
    return act * hidden_linear


def modernbert(x: Any) -> Any:
    input, gate = x.chunk(2, dim=-1)
    return functional.gelu(input) * gate


def megatron(y: Any) -> Any:
    y_1, y_2 = torch.chunk(y, 2, -1)
    return (y_1 * 0.5 * (1.0 + torch.tanh(math.sqrt(2 / math.pi) * y_1 * (1 + 0.044715 * y_1 * y_1)))) * y_2


def vllm(x: Any, approximate: str = "none") -> Any:
    d = x.shape[-1] // 2
    return functional.gelu(x[..., :d], approximate=approximate) * x[..., d:]


def onnx(a: Any, b: Any, approximate: str = "none") -> Any:
    return functional.gelu(a, approximate=approximate) * b


def ascend(x: Any, dim: int = -1, approximate: int = 1, activate_left: bool = False) -> Any:
    left, right = x.chunk(2, dim)
    active, other = (left, right) if activate_left else (right, left)
    activated = functional.gelu(active, approximate="tanh" if approximate else "none")
    return other * activated, activated


CASES = [
    (diffusers, 1, ()),
    (gemma, 2, ()),
    (t5, 2, ()),
    (modernbert, 1, ()),
    (megatron, 1, ()),
    (vllm, 1, ()),
    (vllm, 1, ("tanh",)),
    (onnx, 2, ()),
    (onnx, 2, ("tanh",)),
    (ascend, 1, ()),
    (ascend, 1, (0, 0, True)),
]


@pytest.mark.parametrize(("standard", "count", "options"), CASES, ids=lambda v: getattr(v, "__name__", str(v)))
def test_conventions(standard: Any, count: int, options: tuple[Any, ...]) -> None:
    given = [torch.randn(4, 6, dtype=torch.float64, requires_grad=True) for _ in range(count)]
    results = []
    for function in (getattr(actgrad.torch, f"geglu_{standard.__name__}"), standard):
        y = function(*given, *options)
        results.append((y, torch.autograd.grad((y[0] if isinstance(y, tuple) else y).square().sum(), given)))
    torch.testing.assert_close(*results, rtol=1e-12, atol=1e-14)


def test_every_convention_is_tried_and_in_the_document() -> None:
    names = {name for name in actgrad.torch.__all__ if name.startswith("geglu_")} - {"geglu_two"}
    assert {f"geglu_{standard.__name__}" for standard, _, _ in CASES} == names
    document = (_root() / "docs" / "torch-reference.md").read_text(encoding="utf-8")
    assert all(f"| `{name}(" in document for name in names)


def _root() -> Any:
    from pathlib import Path

    return Path(__file__).parents[2]


@pytest.mark.parametrize("family", ["diffusers", "gemma", "t5", "modernbert"])
def test_conventions_of_the_libraries_themselves(family: str) -> None:
    """Their classes without their weights: projections are the identity, or pick what the adapter is given."""
    name = "diffusers.models.activations" if family == "diffusers" else f"transformers.models.{family}"
    library = pytest.importorskip(name, exc_type=ImportError)
    x, y = torch.randn(5, 6), torch.randn(5, 6)
    if family == "diffusers":
        module = library.GEGLU(6, 3)
        module.proj, given, adapter = nn.Identity(), (x,), actgrad.torch.geglu_diffusers
    elif family == "gemma":
        module = library.modeling_gemma.GemmaMLP(library.GemmaConfig(hidden_size=6, intermediate_size=6))
        module.gate_proj, module.up_proj, module.down_proj = nn.Identity(), Constant(y), nn.Identity()
        given, adapter = (x, y), actgrad.torch.geglu_gemma
    elif family == "t5":
        config = library.T5Config(d_model=6, d_ff=6, feed_forward_proj="gated-gelu", dropout_rate=0)
        module = library.modeling_t5.T5DenseGatedActDense(config)
        module.wi_0, module.wi_1 = nn.Identity(), Constant(y)
        module.wo.weight = nn.Parameter(torch.eye(6))
        given, adapter = (x, y), actgrad.torch.geglu_t5
    else:
        config = library.ModernBertConfig(hidden_size=6, intermediate_size=3, mlp_dropout=0)
        module = library.modeling_modernbert.ModernBertMLP(config)
        module.Wi, module.Wo, given, adapter = nn.Identity(), nn.Identity(), (x,), actgrad.torch.geglu_modernbert
    torch.testing.assert_close(adapter(*given), module(x))


class Constant(nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self, value: Any):
        super().__init__()
        self.value = value

    def forward(self, _: Any) -> Any:
        return self.value


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_two_tensors_are_the_packed_ones_halves(approximate: str) -> None:
    """Bit for bit, forward and backward, in NumPy's arrays and in PyTorch's."""
    rng = np.random.default_rng(0)
    for dtype in (np.float16, np.float32, np.float64):
        g, x, gate = (3 * rng.standard_normal((3, 7, 33))).astype(dtype)
        packed = np.concatenate([x, gate], -1)
        y, _ = actgrad.geglu(packed, approximate=approximate)
        assert np.array_equal(actgrad.geglu_two(x, gate, approximate=approximate), y)
        wanted = actgrad.geglu_backward(g, packed, approximate=approximate)
        got = actgrad.geglu_two_backward(g, x, gate, approximate=approximate)
        assert np.array_equal(np.concatenate(got, -1), wanted)
        a, b = (torch.from_numpy(array).requires_grad_() for array in (x, gate))
        result = actgrad.torch.geglu_two(a, b, approximate)
        slopes = torch.autograd.grad(result, (a, b), torch.from_numpy(g))
        assert all(np.array_equal(slope.numpy(), array) for slope, array in zip(slopes, got, strict=True))


def test_two_tensors_keep_nothing_else() -> None:
    x, gate = (torch.randn(8, requires_grad=True) for _ in range(2))
    kept: list[Any] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t.data_ptr()) or t, lambda t: t):
        y = actgrad.torch.geglu_two(x, gate)
    assert sorted(kept) == sorted([x.data_ptr(), gate.data_ptr()])
    (only,) = torch.autograd.grad(y.sum(), gate, retain_graph=True)
    both = torch.autograd.grad(y.sum(), (x, gate))
    assert torch.equal(only, both[1])
    with pytest.raises(
        actgrad.InvalidArgument, match=r"^geglu_two: gate has shape \(1,\); it must be \(8,\), the shape of x"
    ):
        actgrad.torch.geglu_two(x, gate[:1])
