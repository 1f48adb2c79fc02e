"""Frames that torch.compile leaves alone: it looks into all that run, and would lose its way in code that makes code.

A call of such a function ends a graph and begins another; what belongs in a graph is `torch.ops.actgrad`.
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
    """The function itself, which PyTorch's compiler neither inlines nor, once it was told, compiles."""
    function._torchdynamo_disable = True  # type: ignore[attr-defined]  # what torch.compiler.disable writes
    _functions.append(function)
    tell_torch()
    return function


def tell_torch() -> None:
    """Have PyTorch, where it is imported, run these functions and all that they call as they are."""
    global is_torch_told
    if not hasattr(sys.modules.get("torch"), "__version__"):
        return  # it is not there, or in the midst of being imported
    is_torch_told = True
    try:
        dynamo = importlib.import_module("torch._C._dynamo.eval_frame")
        skip = dynamo._FrameAction.SKIP
        strategy = dynamo._FrameExecStrategy(skip, skip)
        for function in _functions:
            dynamo.set_code_exec_strategy(function.__code__, strategy)
    except (ImportError, AttributeError):
        return  # another version of PyTorch, whose compiler will look and may complain; results are not at stake
