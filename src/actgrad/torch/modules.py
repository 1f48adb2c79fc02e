"""The activations as modules, with the signatures and the attributes of torch.nn's."""

from __future__ import annotations

import torch

from . import functions
from .saving import AUTO


class ELU(torch.nn.Module):
    """The exponential linear unit; see functions.elu."""

    def __init__(
        self,
        alpha: float = 1.0,
        inplace: bool = False,
        *,
        scale: float = 1.0,
        input_scale: float = 1.0,
        save: str = AUTO,
    ):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace
        self.scale = scale
        self.input_scale = input_scale
        self.save = save

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return functions.elu(
            input, self.alpha, self.inplace, scale=self.scale, input_scale=self.input_scale, save=self.save
        )

    def extra_repr(self) -> str:
        return _changed(self, "alpha", scale=1.0, input_scale=1.0, inplace=False, save=AUTO)


class SELU(torch.nn.Module):
    """The scaled exponential linear unit; see functions.selu."""

    def __init__(self, inplace: bool = False, *, save: str = AUTO):
        super().__init__()
        self.inplace = inplace
        self.save = save

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return functions.selu(input, self.inplace, save=self.save)

    def extra_repr(self) -> str:
        return _changed(self, inplace=False, save=AUTO)


class LeakyReLU(torch.nn.Module):
    """Leaky ReLU; see functions.leaky_relu."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False, *, save: str = AUTO):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace
        self.save = save

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return functions.leaky_relu(input, self.negative_slope, self.inplace, save=self.save)

    def extra_repr(self) -> str:
        return _changed(self, "negative_slope", inplace=False, save=AUTO)


class GELU(torch.nn.Module):
    """The Gaussian error linear unit; see functions.gelu."""

    def __init__(self, approximate: str = "none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return functions.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return _changed(self, "approximate")


class GEGLU(torch.nn.Module):
    """The GELU-gated linear unit on a packed tensor, whose size along `dim` it halves; see functions.geglu."""

    def __init__(self, dim: int = -1, approximate: str = "none", activate_left: bool = False, *, save: str = AUTO):
        super().__init__()
        self.dim = dim
        self.approximate = approximate
        self.activate_left = activate_left
        self.save = save

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return functions.geglu(input, self.dim, self.approximate, self.activate_left, save=self.save)

    def extra_repr(self) -> str:
        return _changed(self, "dim", "approximate", activate_left=False, save=AUTO)


def _changed(module: torch.nn.Module, *always: str, **defaults: object) -> str:
    """What a module's line in a printed model says: some attributes always, others where they are off their default."""
    names = [*always, *(name for name, default in defaults.items() if getattr(module, name) != default)]
    return ", ".join(f"{name}={getattr(module, name)!r}" for name in names)
