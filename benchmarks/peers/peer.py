"""A peer: a library, or a way of using one, that can be called in place of actgrad."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from ..buffers import Array, Tensors
from ..cases import Case
from ..timing import Call

Bind = Callable[[Tensors], Call]


class Unavailable(Exception):
    """A peer cannot be timed here though a reader might expect it; the text says why."""


class NotApplicable(Unavailable):
    """A peer has no counterpart of this operator, or of this form of call."""


@dataclass(frozen=True)
class Peer:
    """A library or a way of using one."""

    name: str
    says: str
    load: Callable[[], Any]  # the library, or Unavailable
    #: "out" (writes into given outputs) or "new" (allocates) -> (library, case) -> calls.
    forms: dict[str, Callable[[Any, Case], Bind]]
    on: tuple[str, ...] = ("cpu",)  # kinds of devices
    #: The context of its calls, of (library, case).
    within: Callable[[Any, Case], AbstractContextManager[object]] = lambda library, case: nullcontext()
    #: (case, tensors, returned) -> the outputs; None: the outputs are where the form says.
    results: Callable[[Case, Tensors, Any], Any] | None = None


class Bound(NamedTuple):
    """A form of a peer, or of ours, for a case."""

    bind: Bind
    within: Callable[[], AbstractContextManager[object]] = nullcontext  # the context of its calls


@cache
def load(module: str, package: str) -> Any:
    """A module of a package, or Unavailable."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Unavailable(f"{package} is not installed ({error})") from error
    except Exception as error:  # some look for a GPU when they are imported
        raise Unavailable(f"{package} cannot be imported: {reason(error)}") from error


def torch() -> Any:
    """PyTorch, or Unavailable."""
    return load("torch", "PyTorch")


def to_torch(library: Any, array: Any) -> Any:
    """A NumPy array's memory as a tensor; tensors and None stay."""
    if not isinstance(array, np.ndarray):
        return array
    if array.dtype == ml_dtypes.bfloat16:
        return library.from_numpy(array.view(np.int16)).view(library.bfloat16)
    return library.from_numpy(array)


def from_torch(library: Any, tensor: Any) -> Array:
    """A tensor's memory as a NumPy array."""
    if tensor.dtype == library.bfloat16:
        return np.asarray(tensor.view(library.int16).numpy()).view(ml_dtypes.bfloat16)
    return np.asarray(tensor.numpy())


def on_inputs(library: Any, function: Callable[..., Any]) -> Bind:
    """Calls of a function of the inputs."""
    return lambda tensors: partial(function, *[to_torch(library, t) for t in tensors.inputs if t is not None])


def to_numpy(result: Any) -> tuple[Array, ...]:
    """The result of a peer on the CPU, as arrays."""
    if isinstance(result, (tuple, list)):
        return tuple(array for item in result for array in to_numpy(item))
    if type(result).__module__.partition(".")[0] != "torch":
        return (np.asarray(result),)
    return (from_torch(torch(), result),)


def reason(fault: Exception) -> str:
    """Another library's error in one line; a first line that ends in a colon with the second."""
    first, *others = [line.strip() for line in str(fault).splitlines() if line.strip()] or ["no reason given"]
    return f"{type(fault).__name__}: {first}" + (f" {others[0]}" if first.endswith(":") and others else "")
