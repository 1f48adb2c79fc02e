"""The differentiable functions, with signatures of torch.nn.functional's; made at their first use from definitions.

The stub beside this file shows them to type checkers and editors.
"""

from __future__ import annotations

from typing import Any

import torch

from ..calls.operator import REGISTRY
from . import autograd, public_names
from .saving import AUTO

__all__ = public_names.function_names()

# For the functions' code
_actgrad = torch.ops.actgrad
_is_autocast = torch._C._is_any_autocast_enabled
_is_compiling = torch.compiler.is_compiling
_implicit_dim = public_names.implicit_dim
_number = public_names.number
_operators = REGISTRY
_record = autograd.record
_record_in_place = autograd.record_in_place
_require_types = public_names.require_types


def __getattr__(name: str) -> Any:
    return public_names.make_function(globals(), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _saving(save: str) -> dict[str, str]:
    return {} if save == AUTO else {"save": save}
