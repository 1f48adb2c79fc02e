"""The differentiable functions, with signatures of torch.nn.functional's; made at their first use from definitions.

The stub beside this file shows them to type checkers and editors.
"""

from __future__ import annotations

from typing import Any

import torch

from ..base.errors import InvalidArgument, did_you_mean, either, quote
from ..calls.operator import REGISTRY
from . import autograd, public_names
from .saving import AUTO

__all__ = public_names.function_names()

# For the functions' code
_actgrad = torch.ops.actgrad
_is_autocast = torch._C._is_any_autocast_enabled
_is_compiling = torch.compiler.is_compiling
_operators = REGISTRY
_record = autograd.record
_record_in_place = autograd.record_in_place


def __getattr__(name: str) -> Any:
    return public_names.make_function(globals(), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _saving(save: str) -> dict[str, str]:
    return {} if save == AUTO else {"save": save}


def _implicit_dim(function: str, rank: int, level: int) -> int:
    """The dimension that PyTorch chooses by the rank, with its warning; a compiled graph has none."""
    if _is_compiling():
        return 0 if rank in (0, 1, 3) else 1
    return torch.nn.functional._get_softmax_dim(function, rank, stacklevel=level + 1)


def _number(function: str, choice: str | int, choices: tuple[str, ...]) -> int:
    """The number of a choice, which PyTorch's schema has in place of its name."""
    if isinstance(choice, int):
        return choice
    if choice not in choices:
        names = either(map(repr, choices))
        cure = did_you_mean(choice, choices, "pass one of these")
        raise InvalidArgument(f"{function}: approximate is {quote(choice)}; it must be {names}; {cure}")
    return choices.index(choice)
