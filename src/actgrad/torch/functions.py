"""The differentiable functions: signatures of torch.nn.functional's, and what the operators offer beyond."""

from __future__ import annotations

import torch

from ..base.errors import InvalidArgument
from ..ops.gelu import gelu as _gelu_operator
from .saving import AUTO

_actgrad = torch.ops.actgrad
_CHOICES = tuple(_gelu_operator.choices)


def elu(
    input: torch.Tensor,
    alpha: float = 1.0,
    inplace: bool = False,
    *,
    scale: float = 1.0,
    input_scale: float = 1.0,
    save: str = AUTO,
) -> torch.Tensor:
    """The exponential linear unit of each element: scale * (x if x > 0 else alpha * (exp(input_scale * x) - 1)).

    `save` says what is kept for the gradient: "result" in place of the "input" (half the memory where the next layer
    keeps it anyway), or "auto": the result in float32 and float64 where it tells the sign of the input.
    """
    if inplace:
        return _actgrad.elu_.default(input, alpha, scale, input_scale)
    return _actgrad.elu.default(input, alpha, scale, input_scale, **_saving(save))


def selu(input: torch.Tensor, inplace: bool = False, *, save: str = AUTO) -> torch.Tensor:
    """The scaled exponential linear unit of each element; `save` as for elu."""
    if inplace:
        return _actgrad.selu_.default(input)
    return _actgrad.selu.default(input, **_saving(save))


def leaky_relu(
    input: torch.Tensor, negative_slope: float = 0.01, inplace: bool = False, *, save: str = AUTO
) -> torch.Tensor:
    """Each element, where it is not positive times negative_slope.

    Where that is not negative, the result is kept for the gradient in any dtype: only its sign is asked for.
    """
    if inplace:
        return _actgrad.leaky_relu_.default(input, negative_slope)
    return _actgrad.leaky_relu.default(input, negative_slope, **_saving(save))


def gelu(input: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """The Gaussian error linear unit of each element; `approximate` is "none" or "tanh"."""
    return _actgrad.gelu.default(input, _number(approximate))


def geglu(
    input: torch.Tensor,
    dim: int = -1,
    approximate: str = "none",
    activate_left: bool = False,
    *,
    save: str = AUTO,
) -> torch.Tensor:
    """One half of `input` along `dim` times GELU of the other: of the upper half, or with `activate_left` of the lower.

    Kept for the gradient is the input alone; with save="gelu" GELU's values too, which then need not be computed anew.
    """
    given = (input, dim, _number(approximate), activate_left)
    if save == "gelu":
        return _actgrad.geglu.default(*given, save=save)[0]
    return _actgrad.geglu_packed.default(*given, **_saving(save))


def geglu_two(x: torch.Tensor, gate: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """GeGLU of two separate tensors of one shape: x * gelu(gate). Kept for the gradient are the two, nothing else."""
    return _actgrad.geglu_two.default(x, gate, _number(approximate))


def _saving(save: str) -> dict[str, str]:
    return {} if save == AUTO else {"save": save}


def _number(approximate: str | int) -> int:
    """The number of an approximation, which PyTorch's schema has in place of its name."""
    if isinstance(approximate, int):
        return approximate
    if approximate not in _CHOICES:
        names = ", ".join(map(repr, _CHOICES))
        raise InvalidArgument(f"gelu: approximate is {approximate!r}; it must be one of {names}")
    return _CHOICES.index(approximate)
