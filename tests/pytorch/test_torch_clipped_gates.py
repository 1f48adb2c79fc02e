"""The clipped gate of gpt_oss's experts: `convert` takes what computes `clipped_swiglu`, and nothing near it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from actgrad.torch import convert, revert

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional
OURS = "ActgradClippedSwigluBackward"


class Experts(nn.Module):  # type: ignore[misc,name-defined]
    """The experts write their gate as a method, between two matrix products."""

    def __init__(self, alpha: float = 1.702, limit: float = 7.0):
        super().__init__()
        self.alpha, self.limit = alpha, limit
        self.up = nn.Parameter(torch.randn(4, 12))
        self.down = nn.Parameter(torch.randn(6, 4))

    def _apply_gate(self, gate_up: Any) -> Any:
        gate, up = gate_up[..., ::2], gate_up[..., 1::2]
        gate = gate.clamp(min=None, max=self.limit)
        up = up.clamp(min=-self.limit, max=self.limit)
        glu = gate * torch.sigmoid(gate * self.alpha)
        return (up + 1) * glu

    def forward(self, x: Any) -> Any:
        return self._apply_gate(x @ self.up) @ self.down


class OtherOrder(Experts):
    def _apply_gate(self, gate_up: Any) -> Any:
        up = gate_up[..., 1::2].clamp(-self.limit, self.limit)
        gate = torch.clamp(gate_up[..., ::2], max=self.limit)
        return torch.sigmoid(self.alpha * gate) * gate * (1 + up)


class OnlyGate(Experts):
    def _apply_gate(self, gate_up: Any) -> Any:
        gate, up = gate_up[..., ::2].clamp(max=self.limit), gate_up[..., 1::2]
        return (up + 1) * (gate * torch.sigmoid(gate * self.alpha))


class OnlyUp(Experts):
    def _apply_gate(self, gate_up: Any) -> Any:
        gate, up = gate_up[..., ::2], gate_up[..., 1::2].clamp(-self.limit, self.limit)
        return (up + 1) * (gate * torch.sigmoid(gate * self.alpha))


class OneSided(Experts):
    def _apply_gate(self, gate_up: Any) -> Any:
        gate, up = gate_up[..., ::2].clamp(max=self.limit), gate_up[..., 1::2].clamp(max=self.limit)
        return (up + 1) * (gate * torch.sigmoid(gate * self.alpha))


class OtherLimit(Experts):
    def _apply_gate(self, gate_up: Any) -> Any:
        gate = gate_up[..., ::2].clamp(max=self.limit)
        up = gate_up[..., 1::2].clamp(-self.limit, self.limit + 1)
        return (up + 1) * (gate * torch.sigmoid(gate * self.alpha))


class OtherGradient(Experts):
    """The gradient is also 0 at the limit."""

    def _apply_gate(self, gate_up: Any) -> Any:
        gate, up = gate_up[..., ::2], gate_up[..., 1::2].clamp(-self.limit, self.limit)
        gate = torch.where(gate >= self.limit, self.limit, gate)
        return (up + 1) * (gate * torch.sigmoid(gate * self.alpha))


class OtherBias(Experts):
    def _apply_gate(self, gate_up: Any) -> Any:
        gate, up = gate_up[..., ::2].clamp(max=self.limit), gate_up[..., 1::2].clamp(-self.limit, self.limit)
        return (up + 2) * (gate * torch.sigmoid(gate * self.alpha))


class Detached(Experts):
    def _apply_gate(self, gate_up: Any) -> Any:
        gate, up = gate_up[..., ::2].clamp(max=self.limit), gate_up[..., 1::2].clamp(-self.limit, self.limit)
        return (up + 1) * (gate.detach() * torch.sigmoid(gate * self.alpha))


class Swapped(Experts):
    def _apply_gate(self, gate_up: Any) -> Any:
        up, gate = gate_up[..., ::2].clamp(-self.limit, self.limit), gate_up[..., 1::2].clamp(max=self.limit)
        return (up + 1) * (gate * torch.sigmoid(gate * self.alpha))


class Sliced(Experts):
    """The slices differ for long rows only."""

    def _apply_gate(self, gate_up: Any) -> Any:
        gate, up = gate_up[..., :200:2].clamp(max=self.limit), gate_up[..., 1:200:2].clamp(-self.limit, self.limit)
        return (up + 1) * (gate * torch.sigmoid(gate * self.alpha))


class Written(Experts):
    def _apply_gate(self, gate_up: Any) -> Any:
        self.last = gate_up
        gate, up = gate_up[..., ::2].clamp(max=self.limit), gate_up[..., 1::2].clamp(-self.limit, self.limit)
        return (up + 1) * (gate * torch.sigmoid(gate * self.alpha))


def converted(kind: Any, *constants: float) -> tuple[Any, Any]:
    torch.manual_seed(0)
    theirs = kind(*constants)
    ours = copy.deepcopy(theirs)
    convert(ours)
    return ours, theirs


def is_ours(model: Any, x: Any = None) -> bool:
    x = torch.randn(3, 12) if x is None else x
    return type(model._apply_gate(x.requires_grad_()).grad_fn).__name__ == OURS


def points(limit: float, dtype: Any) -> Any:
    """Pairs of ordinary numbers, zeros, both sides of the limits, and NaN; infinite `up`."""
    row = [0.0, -0.0, 0.3, -1.0, -3.0, 20.0, limit, -limit, limit * 1.01, limit * 0.99, -limit * 1.01, torch.nan]
    ups = torch.tensor([*row, torch.inf, -torch.inf], dtype=dtype)
    return torch.cartesian_prod(torch.tensor([*row, torch.inf], dtype=dtype), ups)


@pytest.mark.parametrize("constants", [(1.702, 7.0), (1.0, 0.5), (-0.7, 2)])
@pytest.mark.parametrize("kind", [Experts, OtherOrder])
def test_values_and_gradients(kind: Any, constants: tuple[float, float]) -> None:
    ours, theirs = converted(kind, *constants)
    for x in (
        torch.randn(3, 12) * 5,
        torch.randn(2, 1, 3, 12),
        torch.zeros(0, 12),
        points(constants[1], torch.float32),
    ):
        assert is_ours(ours, x.clone())
        rows = []
        for model, dtype in ((ours, x.dtype), (theirs, torch.float64)):
            leaf = x.to(dtype).requires_grad_()
            y = model._apply_gate(leaf)
            rows.append([y.double(), torch.autograd.grad(y.nansum(), leaf)[0].double()])
        torch.testing.assert_close(*rows, rtol=4e-6, atol=4e-6, equal_nan=True)
    torch.testing.assert_close(ours(torch.ones(5, 4)), theirs(torch.ones(5, 4)))
    revert(ours)
    assert not is_ours(ours)
    assert type(ours) is kind


@pytest.mark.parametrize(
    "kind",
    [OnlyGate, OnlyUp, OneSided, OtherLimit, OtherGradient, OtherBias, Detached, Swapped, Sliced, Written],
)
def test_what_computes_something_else_stays(kind: Any) -> None:
    ours, theirs = converted(kind)
    assert not is_ours(ours)
    x = torch.randn(4, 400) * 9
    assert torch.equal(ours._apply_gate(x), theirs._apply_gate(x))


@pytest.mark.parametrize("limit", [0.0, -1.0, torch.nan])
def test_a_limit_that_is_not_positive_stays(limit: float) -> None:
    ours, _ = converted(Experts, 1.702, limit)
    assert not is_ours(ours)


@pytest.mark.parametrize("name", ["alpha", "limit"])
def test_a_changed_attribute_has_the_effect_of_the_original(name: str) -> None:
    ours, theirs = converted(Experts)
    assert is_ours(ours)
    for model in (ours, theirs):
        setattr(model, name, 0.25)
    x = torch.randn(3, 12) * 5
    assert not is_ours(ours, x.clone())
    assert torch.equal(ours._apply_gate(x), theirs._apply_gate(x))


def test_two_modules_with_other_constants() -> None:
    models = [converted(Experts, *constants) for constants in ((1.702, 7.0), (0.5, 1.0), (1.702, 7.0))]
    x = torch.randn(3, 12) * 5
    for ours, theirs in models:
        assert is_ours(ours)
        torch.testing.assert_close(ours._apply_gate(x), theirs._apply_gate(x))


def test_a_replaced_method_is_called(monkeypatch: Any) -> None:
    ours, _ = converted(Experts)
    monkeypatch.setattr(Experts, "_apply_gate", lambda self, x: x[..., ::2] * 3)
    x = torch.randn(3, 12)
    assert torch.equal(ours._apply_gate(x), x[..., ::2] * 3)
    ours._apply_gate = lambda x: x[..., ::2] * 5
    assert torch.equal(ours._apply_gate(x), x[..., ::2] * 5)


def test_calls_that_actgrad_does_not_take_are_those_of_the_original() -> None:
    ours, theirs = converted(Experts)
    x = torch.randn(3, 12)
    assert torch.equal(ours._apply_gate(gate_up=x), theirs._apply_gate(x))
    integers = torch.arange(12)
    assert torch.equal(ours._apply_gate(integers), theirs._apply_gate(integers))
    with pytest.raises(RuntimeError, match="size of tensor"):
        ours._apply_gate(torch.randn(3, 5))


def test_compiled_it_is_the_code_of_the_module() -> None:
    ours, theirs = converted(Experts)
    results = []
    for model in (ours, theirs):
        run = torch.compile(model, backend="eager", fullgraph=True)
        results.append(run(torch.ones(5, 4)))
    assert torch.equal(*results)
