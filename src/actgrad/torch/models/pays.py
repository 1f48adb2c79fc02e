"""Which swaps pay: those that save memory for backward, or whose kernel is faster at the size of the call.

`python scripts/swap_sizes.py` measures the sizes. They were measured on one thread of an AMD EPYC with PyTorch 2.13.
The choice depends only on this table, so that every process of a distributed program chooses the same.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

#: Elements of a call, if `convert` has no inputs.
USUAL = 100_000
#: A swap pays for memory from so many bytes. Smaller calls cost more time than their memory is worth.
LEAST_BYTES = 1 << 16


class FasterFrom(NamedTuple):
    """The number of elements from which forward and backward are faster than PyTorch's, by the width of the dtype."""

    wide: float  # float32 and float64
    half: float  # float16 and bfloat16


_NEVER = float("inf")
FASTER_FROM = {
    "celu": FasterFrom(10_000, 10_000),
    "elu": FasterFrom(30_000, 10_000),
    "fast_gelu": FasterFrom(1_000, 1_000),  # PyTorch has no kernel, but several operators
    "gelu": FasterFrom(1_000, 30_000),
    "gelu_tanh": FasterFrom(10_000, 10_000),
    "glu": FasterFrom(_NEVER, 50_000),
    "log_softmax": FasterFrom(1_000_000, 100_000),
    "logsigmoid": FasterFrom(30_000, 30_000),
    "mish": FasterFrom(5_000, 5_000),
    "prelu": FasterFrom(30_000, 30_000),
    "selu": FasterFrom(30_000, 10_000),
    "sigmoid": FasterFrom(200_000, 50_000),
    "silu": FasterFrom(50_000, 30_000),
    "softmax": FasterFrom(1_000_000, 100_000),
    "softplus": FasterFrom(10_000, 30_000),
    "softsign": FasterFrom(1_000, 1_000),
    "tanh": FasterFrom(10_000, 30_000),
}


def is_faster(function: str, elements: float, dtype: torch.dtype) -> bool:
    """Whether a kernel is faster than PyTorch's at this size."""
    sizes = FASTER_FROM.get(function, FasterFrom(_NEVER, _NEVER))
    return elements >= (sizes.half if dtype in (torch.float16, torch.bfloat16) else sizes.wide)


def reason_to_leave(function: str, elements: float, dtype: torch.dtype, saved_bytes: float) -> str:
    """Why a swap does not pay, or ""."""
    if saved_bytes >= LEAST_BYTES or is_faster(function, elements, dtype):
        return ""
    if function in FASTER_FROM or saved_bytes > 0:
        return f"no gain at {elements:,.0f} elements of {str(dtype).removeprefix('torch.')}"
    return "no gain"
