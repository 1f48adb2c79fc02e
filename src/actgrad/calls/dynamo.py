"""Functions that torch.compile must not trace. It traces every Python function, and fails in code that makes code.

A call of such a function breaks the graph. In graphs, use `torch.ops.actgrad`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

is_torch_configured = False  # whether PyTorch's compiler skips these functions
_functions: list[Any] = []


def skip_tracing(function: F) -> F:
    """The same function, which PyTorch's compiler then neither inlines nor compiles."""
    function._torchdynamo_disable = True  # type: ignore[attr-defined]  # torch.compiler.disable sets the same attribute
    _functions.append(function)
    configure_torch()
    return function


def configure_torch() -> None:
    """Make PyTorch's compiler skip these functions and the functions that they call, if PyTorch is imported."""
    global is_torch_configured
    if not hasattr(sys.modules.get("torch"), "__version__"):
        return  # PyTorch is not imported, or its import has not ended
    is_torch_configured = True
    try:
        dynamo = importlib.import_module("torch._C._dynamo.eval_frame")
        skip = dynamo._FrameAction.SKIP
        strategy = dynamo._FrameExecStrategy(skip, skip)
        for function in _functions:
            dynamo.set_code_exec_strategy(function.__code__, strategy)
    except (ImportError, AttributeError):
        return  # this version of PyTorch has other names. Its compiler may warn, but results are the same
