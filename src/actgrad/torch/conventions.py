"""Functions that call the functions of this package: PyTorch's in-place functions, and GeGLU as in other projects.

Projects differ in the active half of a packed tensor, in the form of GELU, and in one packed tensor or two tensors. All
of these functions call `geglu` or `geglu_two`. docs/torch.md has a table of them.
"""

from __future__ import annotations

from typing import Any

import torch

from ..ops.selu import ALPHA, SCALE
from . import function_arguments, functions
from .derivatives.saving import AUTO

__all__ = [
    "celu_",
    "elu_",
    "geglu_ascend",
    "geglu_diffusers",
    "geglu_gemma",
    "geglu_megatron",
    "geglu_modernbert",
    "geglu_onnx",
    "geglu_t5",
    "geglu_vllm",
    "hardtanh_",
    "leaky_relu_",
    "relu_",
    "rrelu",
    "selu_",
    "softmin",
    "tanhshrink",
    "threshold_",
]


def geglu_diffusers(hidden_states: torch.Tensor) -> torch.Tensor:
    """lower * gelu(upper) of the last dimension: diffusers.models.activations.GEGLU after its `proj`."""
    return functions.geglu(hidden_states)


def geglu_gemma(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """gelu_tanh(gate) * up: GemmaMLP, Gemma2MLP, Gemma3MLP of Hugging Face's transformers ("gelu_pytorch_tanh")."""
    return functions.geglu_two(up, gate, "tanh")


def geglu_t5(hidden_gelu: torch.Tensor, hidden_linear: torch.Tensor) -> torch.Tensor:
    """gelu_tanh(hidden_gelu) * hidden_linear: T5DenseGatedActDense of Hugging Face's transformers ("gelu_new")."""
    return functions.geglu_two(hidden_linear, hidden_gelu, "tanh")


def geglu_modernbert(packed: torch.Tensor) -> torch.Tensor:
    """gelu(lower) * upper of the last dimension: ModernBertMLP of Hugging Face's transformers after its `Wi`."""
    return functions.geglu(packed, activate_left=True)


def geglu_megatron(y: torch.Tensor) -> torch.Tensor:
    """gelu_tanh(lower) * upper of the last dimension: megatron.core.fusions.fused_bias_geglu.geglu."""
    return functions.geglu(y, approximate="tanh", activate_left=True)


def geglu_vllm(x: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """gelu(lower) * upper of the last dimension: GeluAndMul of vLLM, and of SGLang, whose default is "tanh"."""
    return functions.geglu(x, approximate=approximate, activate_left=True)


def geglu_onnx(a: torch.Tensor, b: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """gelu(a) * b: ONNX's operator GeGLU. Both tensors have the same shape."""
    return functions.geglu_two(b, a, approximate)


def geglu_ascend(self: torch.Tensor, dim: int = -1, approximate: int = 1, activate_left: bool = False) -> Any:
    """(lower * gelu(upper), gelu(upper)): torch_npu.npu_geglu with its defaults. See also actgrad.torch_npu."""
    return torch.ops.actgrad.geglu.default(self, dim, approximate, activate_left)


# Functions of PyTorch


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


def selu(input: torch.Tensor, inplace: bool = False, *, save: Any = AUTO) -> torch.Tensor:
    """SELU with PyTorch's gradient at 0, scale * alpha. By the contract of the operator `selu`, it is scale."""
    return functions.elu(input, ALPHA, inplace, scale=SCALE, save=save)


def tanhshrink(input: torch.Tensor) -> torch.Tensor:
    """input - tanh(input)"""
    function_arguments.require_tensor("tanhshrink", "input", input)
    return input - functions.tanh(input)


def softmin(
    input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """exp(-input) / sum(exp(-input)) along dim."""
    if dim is None:
        dim = function_arguments.implicit_dim("softmin", input, _stacklevel)
    return functions.softmax(-input, dim, dtype=dtype)


def rrelu(
    input: torch.Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> torch.Tensor:
    """input if input > 0, else input * (lower + upper) / 2.

    With `training=True`, PyTorch computes the call, because the slopes are then random numbers of PyTorch's generator.
    """
    if training:
        return torch.nn.functional.rrelu(input, lower, upper, True, inplace)
    return functions.leaky_relu(input, (lower + upper) / 2, inplace)
