"""Gated blocks as users and models write them: packed, without projections, fused experts, functions as attributes."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import actgrad.torch  # noqa: F401
from actgrad.torch import convert, revert

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional


def module(forward: Any) -> Any:
    return type(forward.__name__, (nn.Module,), {"forward": forward, "__module__": __name__})()


def swiglu(self: Any, x: Any) -> Any:
    x, g = x.chunk(2, -1)
    return F.silu(g) * x


def swiglu_second(self: Any, x: Any) -> Any:
    x, gate = x.chunk(2, dim=-1)
    return x * F.silu(gate)


def reglu(self: Any, x: Any) -> Any:
    x, g = x.chunk(2, dim=-1)
    return x * F.relu(g)


def reglu_first(self: Any, x: Any) -> Any:
    gate, x = x.chunk(2, dim=-1)
    return torch.relu(gate) * x


def geglu_torch_chunk(self: Any, x: Any) -> Any:
    a, b = torch.chunk(x, 2, dim=-1)
    return F.gelu(a) * b


def geglu_split(self: Any, x: Any) -> Any:
    a, b = x.split(x.shape[-1] // 2, dim=-1)
    return F.gelu(a, approximate="tanh") * b


def swiglu_slices(self: Any, x: Any) -> Any:
    d = x.shape[-1] // 2
    return F.silu(x[..., :d]) * x[..., d:]


def geglu_tuple(self: Any, x: Any) -> Any:
    both = x.chunk(2, dim=-1)
    return both[0] * F.gelu(both[1])


PACKED = [swiglu, swiglu_second, reglu, reglu_first, geglu_torch_chunk, geglu_split, swiglu_slices, geglu_tuple]


class QwenExperts(nn.Module):  # type: ignore[misc,name-defined]
    """A loop over the experts, whose projections are packed."""

    def __init__(self) -> None:
        super().__init__()
        self.act_fn, self.num_experts = nn.SiLU(), 3
        self.gate_up_proj = nn.Parameter(torch.randn(3, 12, 8))
        self.down_proj = nn.Parameter(torch.randn(3, 8, 6))

    def forward(self, hidden_states: Any) -> Any:
        final = torch.zeros_like(hidden_states)
        for index in range(self.num_experts):
            rows = torch.arange(index, len(hidden_states), self.num_experts)
            gate, up = F.linear(hidden_states[rows], self.gate_up_proj[index]).chunk(2, dim=-1)
            current = self.act_fn(gate) * up
            final = final.index_add(0, rows, F.linear(current, self.down_proj[index]))
        return final


class BatchedExperts(nn.Module):  # type: ignore[misc,name-defined]
    """A batched matrix product, as in Llama 4."""

    def __init__(self) -> None:
        super().__init__()
        self.act_fn = nn.SiLU()
        self.gate_up_proj = nn.Parameter(torch.randn(2, 8, 12))
        self.down_proj = nn.Parameter(torch.randn(2, 6, 8))

    def forward(self, x: Any) -> Any:
        gate, up = torch.bmm(x.expand(2, *x.shape), self.gate_up_proj).chunk(2, dim=-1)
        return torch.bmm((up * self.act_fn(gate)), self.down_proj)


class SeparateExperts(nn.Module):  # type: ignore[misc,name-defined]
    """Both factors are matrix products, in three ways to write them."""

    def __init__(self) -> None:
        super().__init__()
        self.w1, self.w3 = nn.Parameter(torch.randn(2, 6, 8)), nn.Parameter(torch.randn(2, 6, 8))

    def forward(self, x: Any) -> Any:
        a = F.silu(F.linear(x, self.w1[0])) * F.linear(x, self.w3[0])
        b = F.silu(x @ self.w1[1].T) * (x @ self.w3[1].T)
        return a + b + torch.matmul(x, self.w3[1].T) * F.gelu(torch.matmul(x, self.w1[0].T))


CASES = [*map(module, PACKED), QwenExperts(), BatchedExperts(), SeparateExperts()]


def run(model: Any, x: Any) -> tuple[Any, list[Any]]:
    x = x.clone().requires_grad_()
    y = model(x)
    gradient = torch.linspace(0.5, 1.5, y.numel(), dtype=y.dtype).reshape(y.shape)
    return y, list(torch.autograd.grad(y, [x, *model.parameters()], gradient))


def nodes(result: Any) -> list[str]:
    found, todo = set(), [result.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.add(node)
            todo += [parent for parent, _ in node.next_functions]
    return sorted(node.name() for node in found if "Actgrad" in node.name())


@pytest.mark.parametrize("model", CASES, ids=lambda model: type(model).__name__)
def test_gates_become_one_call(model: Any) -> None:
    torch.manual_seed(0)
    model, x = model.double(), torch.randn(6, 8, dtype=torch.float64)
    wanted = run(model, x)
    assert any(row.name == "(the model itself)" for row in convert(model).swapped)
    got = run(model, x)
    torch.testing.assert_close(got, wanted, rtol=1e-12, atol=1e-12)
    assert nodes(got[0])
    kinds = {"ActgradSwigluTwoBackward", "ActgradGegluTwoBackward", "ActgradGegluPackedBackward", "ActgradReluBackward"}
    assert set(nodes(got[0])) <= kinds
    revert(model)
    assert torch.equal(run(model, x)[0], wanted[0])


def regated(self: Any, x: Any) -> Any:
    x, g = x.chunk(2, -1)
    self.last = F.silu(g) * x
    return self.last


def scaled(self: Any, x: Any) -> Any:
    return F.silu(x) * 2.0


@pytest.mark.parametrize("forward", [regated, scaled])
def test_other_products_stay(forward: Any) -> None:
    model, x = module(forward), torch.randn(6, 8)
    wanted = run(model, x)
    assert not convert(model).swapped
    assert torch.equal(run(model, x)[0], wanted[0])


def test_a_factor_of_another_shape_is_pytorchs() -> None:
    def broadcast(self: Any, x: Any, w: Any) -> Any:
        return F.silu(x) * (w @ w)

    model, x, w = module(broadcast), torch.randn(6, 8), torch.randn(1, 1)
    wanted = model(x, w)
    convert(model)
    assert torch.equal(model(x, w), wanted)


@pytest.mark.parametrize(
    "activation", ["relu", "gelu", F.gelu, F.silu, F.relu], ids=lambda f: getattr(f, "__name__", f)
)
@pytest.mark.parametrize("kind", [nn.TransformerEncoderLayer, nn.TransformerDecoderLayer])
def test_transformer_layers(kind: Any, activation: Any) -> None:
    torch.manual_seed(0)
    layer = kind(8, 2, 12, 0.0, activation=activation, batch_first=True).double()
    x = torch.randn(2, 3, 8, dtype=torch.float64)
    model = layer if kind is nn.TransformerEncoderLayer else _WithMemory(layer)
    wanted = run(model, x)
    assert [row.was for row in convert(model).swapped] == [kind.__name__]
    got = run(model, x)
    torch.testing.assert_close(got, wanted)
    assert len(nodes(got[0])) == 1
    layer.activation = torch.tanh  # a later change has its effect
    changed = run(model, x)[0]
    revert(model)
    torch.testing.assert_close(run(model, x)[0], changed)
    assert type(layer) is kind


class _WithMemory(nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self, layer: Any):
        super().__init__()
        self.layer = layer

    def forward(self, x: Any) -> Any:
        return self.layer(x, x)


def rms(self: Any, x: Any) -> Any:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def layer_norm(self: Any, x: Any) -> Any:
    return F.layer_norm(x, x.shape[-1:])


def unit(self: Any, x: Any) -> Any:
    return F.normalize(x, dim=-1)


def by_norm(self: Any, x: Any) -> Any:
    return x / (x.norm(dim=-1, keepdim=True) + 1e-6)


def by_range(self: Any, x: Any) -> Any:
    return (x - x.amin(-1, keepdim=True)) / (x.amax(-1, keepdim=True) - x.amin(-1, keepdim=True))


@pytest.mark.parametrize("forward", [rms, layer_norm, unit, by_norm, by_range])
def test_normalisations_are_no_activations(forward: Any) -> None:
    assert len(convert(module(forward))) == 0


def clipped(self: Any, x: Any) -> Any:
    return F.gelu(x).clamp(-10, 10)


def test_what_is_left_says_what_could_take_it() -> None:
    model = nn.Sequential(module(clipped), nn.Softmin(1))
    report = convert(model)
    assert [row.candidates for row in report.left] == ["gelu", "softmin"]
    assert "candidates" in str(report)


class PartialGELU(nn.Module):  # type: ignore[misc,name-defined]
    """An activation that calls a partial function, as GELUTanh of transformers does."""

    def __init__(self) -> None:
        super().__init__()
        self.act = partial(F.gelu, approximate="tanh")

    def forward(self, x: Any) -> Any:
        return self.act(x)


class PartialGate(nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.g, self.u, self.act = nn.Linear(4, 6), nn.Linear(4, 6), PartialGELU()

    def forward(self, x: Any) -> Any:
        return self.act(self.g(x)) * self.u(x)


@pytest.mark.parametrize("change", ["another", "keyword", "same"])
def test_a_compiled_gate_knows_a_partial_function_until_it_changes(change: str) -> None:
    graphs = []

    def keep(graph: Any, _: Any) -> Any:
        graphs.append([str(node.target) for node in graph.graph.nodes])
        return graph

    ours, theirs = PartialGate(), PartialGate()
    theirs.load_state_dict(ours.state_dict())
    convert(ours)
    x = torch.randn(3, 4)
    torch._dynamo.reset()
    compiled = torch.compile(ours, backend=keep, fullgraph=True)
    torch.testing.assert_close(compiled(x), theirs(x))
    assert "actgrad.geglu_two.default" in graphs[-1]
    for gate in (ours, theirs):
        if change == "another":
            gate.act.act = partial(F.gelu, approximate="none")
        elif change == "keyword":
            gate.act.act.keywords["approximate"] = "none"
    torch.testing.assert_close(compiled(x), theirs(x), rtol=1e-6, atol=1e-6)
    assert ("actgrad.geglu_two.default" in graphs[-1]) == (change == "same")


class Overwriting(nn.Module):  # type: ignore[misc,name-defined]
    """It overwrites the gate's input after the activation and before the product."""

    def __init__(self, act: Any = None) -> None:
        super().__init__()
        self.g, self.u, self.act = nn.Linear(4, 6), nn.Linear(4, 6), act or nn.SiLU()

    def forward(self, x: Any) -> Any:
        gate, up = self.g(x), self.u(x)
        active = self.act(gate)
        doubled = gate.mul_(2)
        return active * up + doubled


class InPlaceChild(Overwriting):
    def __init__(self) -> None:
        super().__init__()
        self.clip = nn.Hardtanh(inplace=True)

    def forward(self, x: Any) -> Any:
        gate = self.g(x)
        return self.act(gate) * self.clip(gate)


class Plain(Overwriting):
    def forward(self, x: Any) -> Any:
        return self.act(self.g(x)) * self.u(x)


@pytest.mark.parametrize("kind", [Overwriting, InPlaceChild])
@pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("is_compiled", [False, True])
def test_the_activation_comes_before_a_write_into_its_input(kind: Any, context: Any, is_compiled: bool) -> None:
    model, x = kind().double(), torch.linspace(-3, 3, 20).double().view(5, 4)
    with context():
        expected = model(x)
        convert(model)
        torch._dynamo.reset()
        result = torch.compile(model, backend="aot_eager")(x) if is_compiled else model(x)
    torch.testing.assert_close(result, expected)


class GradOutside(Overwriting):
    def forward(self, x: Any) -> Any:
        gate, up = self.g(x), self.u(x)
        with torch.no_grad():
            active = self.act(gate)
            with torch.enable_grad():
                y = active * up
        return y


def test_the_activation_stays_in_its_context_of_no_grad() -> None:
    model, x = GradOutside(), torch.linspace(-3, 3, 20).view(5, 4)
    convert(model)
    model(x).sum().backward()
    assert model.g.weight.grad is None
    assert model.u.weight.grad is not None


class CalledTwice(nn.SiLU):  # type: ignore[misc,name-defined]
    def __call__(self, x: Any) -> Any:
        return super().__call__(super().__call__(x))


class CallPlusOne(nn.SiLU):  # type: ignore[misc,name-defined]
    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        return super()._call_impl(*args, **kwargs) + 1


@pytest.mark.parametrize("kind", [CalledTwice, CallPlusOne])
def test_a_gate_calls_an_activation_that_overrides_its_call(kind: Any) -> None:
    model, x = Plain(kind()).double(), torch.linspace(-3, 3, 20).double().view(5, 4)
    expected = model(x)
    convert(model)
    torch.testing.assert_close(model(x), expected)
