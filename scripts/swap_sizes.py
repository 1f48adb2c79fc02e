"""Forward and backward of the functions of `models/pays.py`, as ratios of actgrad's time to PyTorch's, by elements.

The two take turns on one thread, and the ratio is that of the medians of processor time.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

import actgrad.torch
from actgrad.torch.models.pays import FASTER_FROM
from actgrad.torch.models.proposals import activations

SIZES = (1_000, 10_000, 100_000, 1_000_000)
ROUNDS = 11
functional = torch.nn.functional


def main() -> None:
    """Print a line for each function and dtype."""
    torch.set_num_threads(1)
    for dtype in (torch.float32, torch.bfloat16):
        for name in FASTER_FROM:
            theirs, ours = functions(name, dtype)
            ratios = [ratio(theirs, ours, size, dtype) for size in SIZES]
            print(str(dtype).removeprefix("torch."), name, *(f"{each:.2f}" for each in ratios), flush=True)


def functions(name: str, dtype: torch.dtype) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """PyTorch's function and actgrad's, of a flat tensor."""
    if name == "fast_gelu":
        return lambda x: x * torch.sigmoid(1.702 * x), actgrad.torch.fast_gelu
    if name == "prelu":
        weight = torch.full((1,), 0.25, dtype=dtype)
        return lambda x: functional.prelu(x, weight), lambda x: actgrad.torch.prelu(x, weight)
    if name in ("softmax", "log_softmax", "glu"):
        both = getattr(functional, name), getattr(actgrad.torch, name)
        return tuple((lambda x, f=f: f(x.view(-1, 100), -1)) for f in both)  # type: ignore[return-value]
    function, options = activations()[name]
    both = getattr(functional, function), getattr(actgrad.torch, function)
    return tuple((lambda x, f=f: f(x, **dict(options))) for f in both)  # type: ignore[return-value]


def ratio(theirs: Callable[..., Any], ours: Callable[..., Any], size: int, dtype: torch.dtype) -> float:
    """The time of ours, divided by the time of theirs."""
    x = torch.randn(size, dtype=dtype).requires_grad_()
    times: tuple[list[float], list[float]] = ([], [])
    calls = max(1, 30_000 // size)
    for _ in range(ROUNDS):
        for function, durations in zip((theirs, ours), times, strict=True):
            start = time.process_time()
            for _ in range(calls):
                y = function(x)
                torch.autograd.grad(y, x, torch.ones_like(y))
            durations.append(time.process_time() - start)
    first, second = (statistics.median(each[2:]) for each in times)
    return second / first


if __name__ == "__main__":
    main()
