"""Functional calls: `patched` gives calls such as `torch.nn.functional.gelu` to actgrad, and `watched` counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from ...base.errors import ActgradError
from .. import functions, public_names


def patched() -> Any:
    """A context in which PyTorch's functional activations are actgrad's, in any code that runs inside.

    These are the functions of `torch.nn.functional` that `actgrad.torch` has, and their forms in `torch` and as
    methods of tensors. A call that actgrad refuses, as one on integers, stays PyTorch's.

    Returns:
        A context manager.

    Example:
        >>> with actgrad.torch.patched():
        ...     loss = model(x).sum()
    """
    return _Mode(True, Counter())


@contextmanager
def watched() -> Iterator[Counter[str]]:
    """A context that counts the functional calls inside."""
    calls: Counter[str] = Counter()
    with _Mode(False, calls):
        yield calls


def call(model: torch.nn.Module, inputs: Any) -> Any:
    """The model's results for inputs: a tensor, a tuple of arguments, or a dict of arguments by name."""
    if isinstance(inputs, Mapping):
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, (tuple, list)) else model(inputs)


@cache
def _counterparts() -> dict[Any, Callable[..., Any]]:
    """Our function of each of PyTorch's."""
    counterparts = {}
    for names in public_names.all_names():
        if hasattr(torch.nn.functional, names.function):
            function = getattr(functions, names.function)
            for namespace in (torch.nn.functional, torch, torch.Tensor):
                original = getattr(namespace, names.function, None)
                if original is not None:
                    counterparts[original] = function
    return counterparts


class _Mode(TorchFunctionMode):
    def __init__(self, replaces: bool, calls: Counter[str]):
        super().__init__()
        self.replaces, self.calls = replaces, calls

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        counterpart = _counterparts().get(function)
        if counterpart is None:
            return function(*args, **(kwargs or {}))
        self.calls[counterpart.__name__] += 1
        if self.replaces:
            try:
                return counterpart(*args, **(kwargs or {}))
            except (ActgradError, TypeError):  # PyTorch may know more dtypes, or other arguments
                pass
        return function(*args, **(kwargs or {}))
