"""SwiGLU with quantisation to INT8 against a composition of PyTorch's operators: `python -m benchmarks.quantised`."""

from __future__ import annotations

import torch

import actgrad.torch

from .torch_routes import compare


def eager(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The composition of PyTorch's operators, with the scale that `swiglu_quant` has."""
    lower, upper = x.chunk(2, -1)
    v = torch.nn.functional.silu(upper) * lower
    scale = 127.0 / v.abs().amax(-1, keepdim=True).float()
    return (v * scale).round().clamp(-128, 127).to(torch.int8), scale.squeeze(-1)


if __name__ == "__main__":
    torch.set_num_threads(1)
    actgrad.set_num_threads(1)
    x = torch.randn(4096, 2 * 4096).bfloat16()
    contenders = {"PyTorch": lambda: eager(x), "swiglu_quant": lambda: actgrad.torch.swiglu_quant(x)}
    compare("SwiGLU and INT8, [4096, 2 x 4096] in bfloat16, 1 thread", contenders, rounds=7, calls=1)
