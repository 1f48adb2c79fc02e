"""Modules as other libraries have them, for conversion."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional


class GEGLU(nn.Module):  # type: ignore[misc,name-defined]
    """As in diffusers.models.activations."""

    def __init__(self, dim_in: int, dim_out: int, bias: bool = True):
        super().__init__()
        self.proj = nn.Linear(dim_in, dim_out * 2, bias=bias)

    def gelu(self, gate: Any) -> Any:
        return functional.gelu(gate)

    def forward(self, hidden_states: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) > 0 or kwargs.get("scale") is not None:
            raise DeprecationWarning("scale")
        hidden_states, gate = self.proj(hidden_states).chunk(2, dim=-1)
        return hidden_states * self.gelu(gate)


class GEGLUOfTheOtherHalf(GEGLU):
    def forward(self, hidden_states: Any) -> Any:
        gate, hidden_states = self.proj(hidden_states).chunk(2, dim=-1)
        return hidden_states * self.gelu(gate)


GEGLUOfTheOtherHalf.__name__ = "GEGLU"


class OtherActivation(nn.Module):  # type: ignore[misc,name-defined]
    """As other libraries have them: a function in a module."""

    def __init__(self, function: Any):
        super().__init__()
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(x)


class Noisy(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any) -> Any:
        return functional.silu(x) + self.training * torch.rand_like(x)


class T5Block(nn.Module):  # type: ignore[misc,name-defined]
    """As in transformers.models.t5.modeling_t5: the last projection may stay in float32."""

    def __init__(self) -> None:
        super().__init__()
        self.wi_0, self.wi_1 = nn.Linear(4, 6, bias=False), nn.Linear(4, 6, bias=False)
        self.wo, self.dropout, self.act = nn.Linear(6, 4, bias=False), nn.Dropout(0.5), GELUTanh()

    def forward(self, x: Any) -> Any:
        x = self.dropout(self.act(self.wi_0(x)) * self.wi_1(x))
        return self.wo(x.to(self.wo.weight.dtype))


class ModernBertBlock(nn.Module):  # type: ignore[misc,name-defined]
    """As in transformers.models.modernbert.modeling_modernbert."""

    def __init__(self, act: Any) -> None:
        super().__init__()
        self.Wi, self.Wo, self.act, self.drop = nn.Linear(4, 12), nn.Linear(6, 4), act, nn.Dropout(0.5)

    def forward(self, x: Any) -> Any:
        active, gate = self.Wi(x).chunk(2, dim=-1)
        return self.Wo(self.drop(self.act(active) * gate))


class Projected(nn.Module):  # type: ignore[misc,name-defined]
    """As GELU of diffusers, with a dropout behind."""

    def __init__(self) -> None:
        super().__init__()
        self.proj, self.drop = nn.Linear(4, 6), nn.Dropout(0.5)

    def forward(self, x: Any) -> Any:
        return self.drop(functional.gelu(self.proj(x), approximate="tanh"))


class FunctionalDropout(GEGLU):
    def forward(self, x: Any) -> Any:
        return functional.dropout(super().forward(x), 0.5, self.training)


class GELUTanh(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, input: Any) -> Any:
        return functional.gelu(input, approximate="tanh")


class GemmaMLP(nn.Module):  # type: ignore[misc,name-defined]
    """As in transformers.models.gemma.modeling_gemma."""

    def __init__(self, act_fn: Any = None):
        super().__init__()
        self.gate_proj = nn.Linear(4, 6, bias=False)
        self.up_proj = nn.Linear(4, 6, bias=False)
        self.down_proj = nn.Linear(6, 4, bias=False)
        self.act_fn = act_fn or GELUTanh()

    def forward(self, x: Any) -> Any:
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class GemmaSparseMLP(GemmaMLP):
    def forward(self, x: Any) -> Any:
        return self.down_proj(self.act_fn(self.gate_proj(x) - 0.5) * self.up_proj(x))
