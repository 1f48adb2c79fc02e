"""Puts functions of actgrad on single modules, as methods of the instance, and takes them off.

The class of a module stays the same, because libraries such as Captum and torch.ao look classes up. A copy of a module
gets the methods too. A pickle does not: a module that is loaded has its own methods.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch

from ...base.errors import ActgradError
from .. import graphs

#: Errors that actgrad's call may raise although PyTorch's call would not. Then PyTorch computes the call.
REFUSALS = (ActgradError, TypeError, RuntimeError)
#: For each module, the number of calls that PyTorch computed because actgrad refused them.
fallbacks: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


class Swap(NamedTuple):
    """What computes a swapped method."""

    name: str  # the name of the method
    becomes: str  # the call, for the report
    save: str  # the value of `save`


Methods = dict[tuple[torch.nn.Module, str], MethodType]


def put(module: torch.nn.Module, swap: Swap, function: Callable[..., Any]) -> None:
    """Let `function` compute a method of this module. It must use closed-over names only, and no globals.

    Pickles name the method, so the function gets its name. torch.jit.script compiles the class's own method: it reads
    the text of `__wrapped__`, and looks names up among the function's globals.
    """
    original = inspect.unwrap(own(module, swap.name))
    method = FunctionType(function.__code__, original.__globals__, swap.name, None, function.__closure__)
    method.__wrapped__ = original  # type: ignore[attr-defined]
    method.actgrad_swap = swap  # type: ignore[attr-defined]
    vars(module)[swap.name] = MethodType(method, module)


def swap_of(value: Any) -> Swap | None:
    """How `put` made a value, or None if it did not."""
    swap: Swap | None = getattr(getattr(value, "__func__", None), "actgrad_swap", None)
    return swap


def methods(model: torch.nn.Module) -> Methods:
    """The methods that `put` put on the modules of a model."""
    return {
        (module, name): value
        for module in model.modules()
        for name, value in vars(module).items()
        if swap_of(value) is not None
    }


def remove(swapped: Methods) -> None:
    """Take methods off. A wrapper that keeps our method under another name gets the class's own method instead."""
    for (module, name), method in swapped.items():
        swap = swap_of(method)
        if swap is None or swap.name == name:
            vars(module).pop(name, None)
        else:
            vars(module)[name] = MethodType(own(module, swap.name), module)


def restore(swapped: Methods) -> None:
    """Put methods back that `remove` took off."""
    for (module, name), method in swapped.items():
        vars(module)[name] = method


def is_replaced(module: torch.nn.Module, name: str) -> bool:
    """Whether somebody else put a method of this name on the module.

    A module that was loaded from a pickle of a converted one may hold a method of its own class.
    """
    value = vars(module).get(name)
    return value is not None and swap_of(value) is None and getattr(value, "__func__", 0) is not own(module, name)


def own(module: torch.nn.Module, name: str) -> Any:
    """The function that the class of a module has for a method."""
    return getattr(type(module), name, None)


def has_hooks(module: torch.nn.Module) -> bool:
    """Whether hooks run around a module's forward."""
    state = vars(module)
    return bool(
        state.get("_forward_hooks")
        or state.get("_forward_pre_hooks")
        or state.get("_backward_hooks")
        or state.get("_backward_pre_hooks")
    )


def stays_original() -> bool:
    """Whether the class's own method must compute a call: a trace, or a graph that inductor may fuse."""
    if torch.compiler.is_compiling():
        return not graphs.are_exact()
    return torch._C._get_tracing_state() is not None


def fall_back(module: torch.nn.Module) -> None:
    """Count a call that PyTorch computes."""
    if not torch.compiler.is_compiling():
        fallbacks[module] = fallbacks.get(module, 0) + 1


def version_of(x: Any) -> int:
    """The number of writes into a tensor, or 0 if PyTorch does not count them."""
    if torch.compiler.is_compiling() or not isinstance(x, torch.Tensor) or x.is_inference():
        return 0
    return x._version
