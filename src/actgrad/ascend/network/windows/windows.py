"""Windows over the last dimensions of (batch, channels, ...), for convolution and pooling, and checks of settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....base.errors import quantity
from ..entry import Shape


@dataclass(frozen=True)
class Windows:
    """`counts` windows over the last dimensions. The first begins `before` elements before the array."""

    kernel: Shape
    stride: Shape
    dilation: Shape
    before: Shape
    counts: Shape


def spread(values: Sequence[int], rank: int) -> Shape:
    """A number for each dimension. A single number is repeated."""
    return tuple(values) * (rank if len(values) == 1 else 1)


def margins(padding: Sequence[int], rank: int, transposed: bool = False) -> tuple[Shape, Shape]:
    """The elements before and after each dimension, from one number for both, or from (top, bottom, left, right)."""
    takes_pairs = rank == 2 or (rank == 1 and not transposed)
    if len(padding) not in (rank, 2 * rank if takes_pairs else rank):
        lengths = f"{rank} or {2 * rank} numbers" if takes_pairs else quantity(rank, "number")
        raise ValueError(f"padding is {tuple(padding)}; it must have {lengths}; change padding")
    is_paired = len(padding) == 2 * rank
    return tuple(padding[:: 2 if is_paired else 1]), tuple(padding[1::2] if is_paired else padding)


def matched(**lists: tuple[Sequence[int], int]) -> None:
    for name, (values, rank) in lists.items():
        if len(values) != rank:
            fault = f"{name} has {quantity(len(values), 'number')}, but the windows have {rank} dimensions"
            raise ValueError(f"{fault}; it must have a number for each; change {name}")


def compare(shape: Shape, expected: Shape, name: str = "gradOutput") -> None:
    """Raise unless a gradient, or indices, have the shape of the output."""
    if shape != expected:
        raise ValueError(f"{name} has shape {shape}; it must be {expected}, the output's; reshape {name}")
