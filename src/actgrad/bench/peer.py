"""What a peer is: a library, or a way of using one, that can be called in place of ours."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..conformance import oracle
from .buffers import Array, Tensors
from .cases import Case
from .timing import Call

Bind = Callable[[Tensors], Call]


class Unavailable(Exception):
    """A peer cannot be timed here though one might expect it; the text says why."""


class NotApplicable(Unavailable):
    """A peer is no peer of this operator, or of this form of call."""


@dataclass(frozen=True)
class Peer:
    """A library or a way of using one."""

    name: str
    says: str
    load: Callable[[], Any]  # the library, or Unavailable
    #: "out" (writes into the outputs that it is given) or "new" (allocates) -> (library, case, layout) -> calls.
    forms: dict[str, Callable[[Any, Case, str], Bind]]
    on: tuple[str, ...] = ("cpu",)  # kinds of devices
    #: What its calls are made within, of (library, case).
    within: Callable[[Any, Case], AbstractContextManager[object]] = lambda library, case: nullcontext()
    #: The outputs, of (case, tensors, what a call returned); None: they are where the form says.
    results: Callable[[Case, Tensors, Any], Any] | None = None


class Bound(NamedTuple):
    """A form of a peer, or of ours, for a case."""

    bind: Bind
    within: Callable[[], AbstractContextManager[object]] = nullcontext  # what its calls are made within


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
    """A NumPy array's memory as a tensor; tensors are what they are, and so is None for an optional one left out."""
    return oracle.to_torch(library, array) if isinstance(array, np.ndarray) else array


def on_all(library: Any, function: Callable[..., Any]) -> Bind:
    """Calls of a function of the inputs and outputs."""
    return lambda tensors: partial(function, *[to_torch(library, t) for t in (*tensors.inputs, *tensors.outputs)])


def on_inputs(library: Any, function: Callable[..., Any]) -> Bind:
    """Calls of a function of the inputs."""
    return lambda tensors: partial(function, *[to_torch(library, t) for t in tensors.inputs if t is not None])


def to_numpy(result: Any) -> tuple[Array, ...]:
    """What a peer returned on the CPU, as arrays."""
    if isinstance(result, (tuple, list)):
        return tuple(array for item in result for array in to_numpy(item))
    if type(result).__module__.partition(".")[0] != "torch":
        return (np.asarray(result),)
    if result.is_mkldnn:
        result = result.to_dense()
    return (oracle.from_torch(torch(), result),)


def reason(fault: Exception) -> str:
    """Another library's error in one line; where its first one only announces, with the second."""
    first, *others = [line.strip() for line in str(fault).splitlines() if line.strip()] or ["no reason given"]
    return f"{type(fault).__name__}: {first}" + (f" {others[0]}" if first.endswith(":") and others else "")
