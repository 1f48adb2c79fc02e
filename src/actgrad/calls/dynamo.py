"""Functions that torch.compile must not trace: it inlines every Python function, and fails in code that makes code.

A call of such a function breaks the graph. Within graphs use `torch.ops.actgrad`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

is_torch_told = False
_functions: list[Any] = []


def left_alone(function: F) -> F:
    """The function itself, marked so that PyTorch's compiler neither inlines nor compiles it."""
    function._torchdynamo_disable = True  # type: ignore[attr-defined]  # the mark of torch.compiler.disable
    _functions.append(function)
    tell_torch()
    return function


def tell_torch() -> None:
    """Let PyTorch, if imported, run these functions and their callees uncompiled."""
    global is_torch_told
    if not hasattr(sys.modules.get("torch"), "__version__"):
        return  # not imported, or not completely
    is_torch_told = True
    try:
        dynamo = importlib.import_module("torch._C._dynamo.eval_frame")
        skip = dynamo._FrameAction.SKIP
        strategy = dynamo._FrameExecStrategy(skip, skip)
        for function in _functions:
            dynamo.set_code_exec_strategy(function.__code__, strategy)
    except (ImportError, AttributeError):
        return  # another version of PyTorch: its compiler may trace them and warn. Results are the same
