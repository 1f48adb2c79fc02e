#!/usr/bin/env python3
"""Times of matrix products by NumPy and by PyTorch on the same memory.

The C SDK computes float32 with NumPy, and bfloat16 with PyTorch, in float32 and rounded once.

    OMP_NUM_THREADS=1 python scripts/product_times.py

Contenders take turns. The times are the smallest of the turns, because other programs only make a time longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import torch

ROUNDS = 60
#: Shapes of a layer, its gradient's weight, attention, a convolution and its groups, and one row.
SHAPES = (
    ((16, 32), (32, 96)), ((512, 128), (128, 512)), ((128, 512), (512, 512)), ((512, 512), (512, 512)),
    ((4, 8, 128, 64), (4, 8, 64, 128)), ((32, 4, 16, 8), (32, 4, 8, 16)), ((1, 25088, 27), (1, 27, 32)),
    ((32, 3136, 9), (32, 9, 1)), ((1, 512), (512, 512)),
)  # fmt: skip


def by_torch(a: Any, b: Any) -> Any:
    return torch.matmul(torch.from_numpy(a), torch.from_numpy(b)).numpy()


def halves_by_numpy(a: Any, b: Any) -> Any:
    return np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)


def halves_by_torch(a: Any, b: Any) -> Any:
    x, y = (torch.from_numpy(each.view(np.uint16)).view(torch.bfloat16) for each in (a, b))
    return torch.matmul(x.float(), y.float()).to(x.dtype)


def smallest(a: Any, b: Any, *contenders: Callable[[Any, Any], Any]) -> list[float]:
    times = [[] for _ in contenders]  # type: list[list[float]]
    for _ in range(ROUNDS):
        for rule, part in zip(contenders, times, strict=True):
            start = time.perf_counter()
            rule(a, b)
            part.append(time.perf_counter() - start)
    return [min(part) for part in times]


def main() -> None:
    random = np.random.default_rng(0)
    print(f"{torch.get_num_threads()} threads of PyTorch")
    rules = {"float32": (np.matmul, by_torch), "bfloat16": (halves_by_numpy, halves_by_torch)}
    for name, contenders in rules.items():
        dtype = np.dtype(np.float32 if name == "float32" else ml_dtypes.bfloat16)
        for shapes in SHAPES:
            a, b = (random.standard_normal(shape).astype(dtype) for shape in shapes)
            ours, theirs = smallest(a, b, *contenders)
            times = f"NumPy {1e6 * ours:.0f} µs, PyTorch {1e6 * theirs:.0f} µs, ratio {theirs / ours:.2f}"
            print(f"{name} {shapes[0]} {shapes[1]}: {times}", flush=True)


if __name__ == "__main__":
    main()
