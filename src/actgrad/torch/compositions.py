"""Functions of torch.nn.functional that are calls of another function: in place, or by a formula of one line."""

from __future__ import annotations

import torch

from . import functions
from .choices import implicit_dim

__all__ = [
    "celu_",
    "elu_",
    "hardtanh_",
    "leaky_relu_",
    "relu_",
    "rrelu",
    "selu_",
    "softmin",
    "tanhshrink",
    "threshold_",
]


def relu_(input: torch.Tensor) -> torch.Tensor:
    """`relu` in place: max(input, 0) overwrites the input."""
    return functions.relu(input, inplace=True)


def elu_(input: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    """`elu` in place: alpha * (exp(input) - 1) overwrites the elements that are not positive."""
    return functions.elu(input, alpha, inplace=True)


def selu_(input: torch.Tensor) -> torch.Tensor:
    """`selu` in place: the result overwrites the input."""
    return functions.selu(input, inplace=True)


def celu_(input: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    """`celu` in place: alpha * (exp(input / alpha) - 1) overwrites the elements that are not positive."""
    return functions.celu(input, alpha, inplace=True)


def leaky_relu_(input: torch.Tensor, negative_slope: float = 0.01) -> torch.Tensor:
    """`leaky_relu` in place: negative_slope * input overwrites the elements that are not positive."""
    return functions.leaky_relu(input, negative_slope, inplace=True)


def threshold_(input: torch.Tensor, threshold: float, value: float) -> torch.Tensor:
    """`threshold` in place: value overwrites the elements that are not above the threshold."""
    return functions.threshold(input, threshold, value, inplace=True)


def hardtanh_(input: torch.Tensor, min_val: float = -1.0, max_val: float = 1.0) -> torch.Tensor:
    """`hardtanh` in place: min(max(input, min_val), max_val) overwrites the input."""
    return functions.hardtanh(input, min_val, max_val, inplace=True)


def tanhshrink(input: torch.Tensor) -> torch.Tensor:
    """input - tanh(input)"""
    return input - functions.tanh(input)


def softmin(
    input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """exp(-input) / sum(exp(-input)) along dim."""
    if dim is None:
        dim = implicit_dim("softmin", input.dim(), _stacklevel)
    return functions.softmax(-input, dim, dtype=dtype)


def rrelu(
    input: torch.Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> torch.Tensor:
    """input if input > 0, else input * (lower + upper) / 2.

    With `training=True` PyTorch computes the call, because the slopes are random numbers of its generator then.
    """
    if training:
        return torch.nn.functional.rrelu(input, lower, upper, True, inplace)
    return functions.leaky_relu(input, (lower + upper) / 2, inplace)
