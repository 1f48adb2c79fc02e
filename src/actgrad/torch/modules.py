"""The activations as modules, with signatures and attributes of torch.nn's; made at their first use from definitions.

The stub beside this file shows them to type checkers and editors.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch

from . import functions, public_names

__all__ = public_names.module_names()

_USED = (functions,)  # the code of the modules uses it


def __getattr__(name: str) -> Any:
    return public_names.make_module(globals(), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _changed(module: torch.nn.Module, *always: str, **defaults: object) -> str:
    """A module's line in a printed model: some attributes always, others where they are off their default."""
    names = [*always, *(name for name, default in defaults.items() if getattr(module, name) != default)]
    return ", ".join(f"{name}={getattr(module, name)!r}" for name in names)


def _renamed(old: str, new: str, value: Any) -> Any:
    """The value of a parameter by its former name, with PyTorch's warning."""
    text = f"keyword argument `{old}` is deprecated and rename to `{new}`"
    warnings.warn(text, FutureWarning, stacklevel=3)
    return value
