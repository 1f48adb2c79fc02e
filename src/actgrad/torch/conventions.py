"""GeGLU in the conventions of other projects: functions named after the project.

Conventions differ in the active half of a packed tensor, in the form of GELU, and in one packed or two tensors. All
call `geglu` or `geglu_two`; docs/torch.md has the table.
"""

from __future__ import annotations

from typing import Any

import torch

from . import functions

__all__ = [
    "geglu_ascend",
    "geglu_diffusers",
    "geglu_gemma",
    "geglu_megatron",
    "geglu_modernbert",
    "geglu_onnx",
    "geglu_t5",
    "geglu_vllm",
]


def geglu_diffusers(hidden_states: torch.Tensor) -> torch.Tensor:
    """lower * gelu(upper), the halves of the last dimension: diffusers.models.activations.GEGLU, behind its `proj`."""
    return functions.geglu(hidden_states)


def geglu_gemma(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """gelu_tanh(gate) * up: GemmaMLP, Gemma2MLP, Gemma3MLP of Hugging Face's transformers ("gelu_pytorch_tanh")."""
    return functions.geglu_two(up, gate, "tanh")


def geglu_t5(hidden_gelu: torch.Tensor, hidden_linear: torch.Tensor) -> torch.Tensor:
    """gelu_tanh(wi_0(x)) * wi_1(x), given both: T5DenseGatedActDense of T5 1.1, of transformers ("gelu_new")."""
    return functions.geglu_two(hidden_linear, hidden_gelu, "tanh")


def geglu_modernbert(packed: torch.Tensor) -> torch.Tensor:
    """gelu(lower) * upper of the last dimension: ModernBertMLP of transformers, behind its `Wi`."""
    return functions.geglu(packed, activate_left=True)


def geglu_megatron(y: torch.Tensor) -> torch.Tensor:
    """gelu_tanh(lower) * upper of the last dimension: megatron.core.fusions.fused_bias_geglu.geglu."""
    return functions.geglu(y, approximate="tanh", activate_left=True)


def geglu_vllm(x: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """gelu(lower) * upper of the last dimension: GeluAndMul of vLLM, and of SGLang, whose default is "tanh"."""
    return functions.geglu(x, approximate=approximate, activate_left=True)


def geglu_onnx(a: torch.Tensor, b: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """gelu(a) * b of tensors of one shape: ONNX's operator GeGLU."""
    return functions.geglu_two(b, a, approximate)


def geglu_ascend(self: torch.Tensor, dim: int = -1, approximate: int = 1, activate_left: bool = False) -> Any:
    """(lower * gelu(upper), gelu(upper)) by tanh: torch_npu.npu_geglu, with its defaults; see actgrad.torch_npu."""
    return torch.ops.actgrad.geglu.default(self, dim, approximate, activate_left)
