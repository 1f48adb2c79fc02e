"""Arguments that the functions choose as PyTorch does: a dimension by the rank, a number for a choice's name."""

from __future__ import annotations

import torch

from ..base.errors import InvalidArgument, did_you_mean, either, quote


def implicit_dim(function: str, rank: int, level: int) -> int:
    """The dimension that PyTorch chooses by the rank, with its warning; a compiled graph has none."""
    if torch.compiler.is_compiling():
        return 0 if rank in (0, 1, 3) else 1
    return torch.nn.functional._get_softmax_dim(function, rank, stacklevel=level + 1)


def number(function: str, choice: str | int, choices: tuple[str, ...]) -> int:
    """The number of a choice, which PyTorch's schema has in place of its name."""
    if isinstance(choice, int):
        return choice
    if choice not in choices:
        names = either(map(repr, choices))
        cure = did_you_mean(choice, choices, "pass one of these")
        raise InvalidArgument(f"{function}: approximate is {quote(choice)}; it must be {names}; {cure}")
    return choices.index(choice)
