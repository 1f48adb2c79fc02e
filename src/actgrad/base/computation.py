"""A computation: all that a backend is told of a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .loop import Loop


@dataclass(frozen=True)
class Computation:
    """What a kernel computes and where, without the data: all that a backend is told."""

    element: Callable[..., Any]  # of layouts.py: (formulas..., inputs..., attributes...) -> outputs
    formulas: tuple[Callable[..., Any], ...]
    scalars: tuple[float, ...]
    compute: str  # dtype of the arithmetic
    loop: Loop
    device: str = "cpu"  # whose memory it is, as "cuda:0"
