"""The differentiable functions, with the signatures of torch.nn.functional.

A function is made from its operator's definition at its first use. The stub next to this file is for type checkers and
editors.
"""

from __future__ import annotations

from typing import Any

import torch

from ..base.errors import ActgradError
from ..calls import arguments
from ..calls.operator import REGISTRY
from . import autograd, function_arguments, public_names
from .derivatives.saving import AUTO

__all__ = public_names.function_names()

# Names that the code of the functions uses
_actgrad = torch.ops.actgrad
_is_autocast = torch._C._is_any_autocast_enabled
_is_compiling = torch.compiler.is_compiling
_ActgradError = ActgradError
_AUTO = AUTO
_converted = function_arguments.converted
_dispatch = function_arguments.dispatch
_explain = function_arguments.explain
_flag = arguments.flag
_implicit_dim = function_arguments.implicit_dim
_number = function_arguments.number
_operators = REGISTRY
_record = autograd.record
_record_in_place = autograd.record_in_place
_require_bounds = function_arguments.require_bounds
_require_way = function_arguments.require_way


def __getattr__(name: str) -> Any:
    return public_names.make_function(globals(), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _saving(save: str) -> dict[str, str]:
    return {} if save == AUTO else {"save": save}
