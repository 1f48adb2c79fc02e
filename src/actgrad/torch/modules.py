"""The activations as modules, with the signatures and attributes of torch.nn.

A module is made from its operator's definition at its first use. The stub next to this file is for type checkers and
editors.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch

from . import functions, public_names

__all__ = public_names.module_names()

_USED = (functions,)  # the code of the modules uses `functions`


def __getattr__(name: str) -> Any:
    return public_names.make_module(globals(), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _changed(module: torch.nn.Module, *always: str, **defaults: object) -> str:
    """The `extra_repr` of a module: the attributes `always`, and attributes that differ from their defaults."""
    names = [*always, *(name for name, default in defaults.items() if getattr(module, name) != default)]
    return ", ".join(f"{name}={getattr(module, name)!r}" for name in names)


def _renamed(old: str, new: str, value: Any) -> Any:
    """The value of a parameter that a caller passes by its former name. It warns as PyTorch does."""
    text = f"keyword argument `{old}` is deprecated and rename to `{new}`"
    warnings.warn(text, FutureWarning, stacklevel=3)
    return value
