"""The others: what one would call instead. Found by what is installed; each says why where it has nothing to offer.

oneDNN is exposed by PyTorch for one of our activations only: GELU and its gradient in the erf form, in float32 and
bfloat16, on tensors in its own layout (`to_mkldnn`). PyTorch's own GELU calls it in these cases anyway; there is no
such way to ELU, SELU, LeakyReLU and GELU's tanh form, and the operators of `torch.ops.mkldnn` are fusions with matrix
products and convolutions.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from .. import testing
from ..backends import cores, get_num_threads
from ..ops.selu import ALPHA, SCALE
from . import compositions, expressions
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


@cache
def _import(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Unavailable(f"{package} is not installed ({error})") from error


def torch() -> Any:
    """PyTorch, or Unavailable."""
    return _import("torch", "PyTorch")


def to_torch(library: Any, array: Array | None) -> Any:
    """The array's memory as a tensor; None for an optional one left out."""
    return None if array is None else testing.to_torch(library, array)


def to_numpy(result: Any) -> tuple[Array, ...]:
    """What a peer returned, as arrays."""
    if isinstance(result, (tuple, list)):
        return tuple(array for item in result for array in to_numpy(item))
    if type(result).__module__.partition(".")[0] != "torch":
        return (np.asarray(result),)
    if result.is_mkldnn:
        result = result.to_dense()
    return (testing.from_torch(torch(), result),)


def reason(fault: Exception) -> str:
    """Another library's error in one line; where its first one only announces, with the second."""
    first, *others = [line.strip() for line in str(fault).splitlines() if line.strip()] or ["no reason given"]
    return f"{type(fault).__name__}: {first}" + (f" {others[0]}" if first.endswith(":") and others else "")


# torch.ops.aten

#: Operator -> aten's name, its name for the output, and its arguments from attributes and tensors.
_ATEN: dict[str, tuple[str, str, Callable[..., tuple[Any, ...]]]] = {
    "elu": ("elu", "out", lambda a, x: (x, a["alpha"], a["scale"], a["input_scale"])),
    "elu_backward": (
        "elu_backward",
        "grad_input",
        lambda a, g, x: (g, a["alpha"], a["scale"], a["input_scale"], a["is_result"], x),
    ),
    "selu": ("elu", "out", lambda a, x: (x, ALPHA, SCALE, 1.0)),
    "selu_backward": ("elu_backward", "grad_input", lambda a, g, y: (g, ALPHA, SCALE, 1.0, True, y)),
    "leaky_relu": ("leaky_relu", "out", lambda a, x: (x, a["negative_slope"])),
    "leaky_relu_backward": (
        "leaky_relu_backward",
        "grad_input",
        lambda a, g, x: (g, x, a["negative_slope"], a["self_is_result"]),
    ),
    "gelu": ("gelu", "out", lambda a, x: (x,)),
    "gelu_backward": ("gelu_backward", "grad_input", lambda a, g, x: (g, x)),
}


def _aten(form: str, library: Any, case: Case, layout: str) -> Bind:
    if case.operator.name not in _ATEN:
        raise NotApplicable
    name, output, arguments = _ATEN[case.operator.name]
    attributes = case.all_attributes
    by_name = {"approximate": attributes["approximate"]} if "approximate" in attributes else {}
    function = getattr(getattr(library.ops.aten, name), output if form == "out" else "default")

    def bind(tensors: Tensors) -> Call:
        given = arguments(attributes, *[to_torch(library, t) for t in tensors.inputs if t is not None])
        results = {output: to_torch(library, tensors.outputs[0])} if form == "out" else {}
        return partial(function, *given, **by_name, **results)

    return bind


# Eager PyTorch, and torch.compile of the same


def _on_all(library: Any, function: Callable[..., Any]) -> Bind:
    """Calls of a function of the inputs and outputs."""
    return lambda tensors: partial(function, *[to_torch(library, t) for t in (*tensors.inputs, *tensors.outputs)])


def _on_inputs(library: Any, function: Callable[..., Any]) -> Bind:
    """Calls of a function of the inputs."""
    return lambda tensors: partial(function, *[to_torch(library, t) for t in tensors.inputs if t is not None])


def _expression(library: Any, case: Case) -> Callable[..., Any]:
    if case.operator.name in _ATEN:
        raise NotApplicable
    if compositions.exists(case):
        raise NotApplicable  # it is timed as it writes into given memory
    return expressions.expression(case, expressions.of_torch(library), lambda parts: library.cat(parts, -1))


def _composed(case: Case) -> None:
    if not compositions.exists(case):
        raise NotApplicable  # where there is an expression, it allocates


def _eager_out(library: Any, case: Case, layout: str) -> Bind:
    _composed(case)
    return _on_all(library, compositions.eager(library, case))


def _eager_new(library: Any, case: Case, layout: str) -> Bind:
    return _on_inputs(library, _expression(library, case))


def _compile_out(library: Any, case: Case, layout: str) -> Bind:
    _composed(case)
    return _on_all(library, compositions.compiled(library, case))


def _compile_new(library: Any, case: Case, layout: str) -> Bind:
    return _on_inputs(library, compositions.through_compiler(library, _expression(library, case)))


# oneDNN, NumPy, JAX


def _onednn(library: Any, case: Case, layout: str) -> Bind:
    name = case.operator.name
    if name not in ("gelu", "gelu_backward") or case.all_attributes["approximate"] != "none":
        raise NotApplicable
    if layout != "contiguous":
        raise Unavailable("only contiguous tensors: its own have a layout of their own")
    function = getattr(library.ops.aten, name).default

    def bind(tensors: Tensors) -> Call:
        given = [to_torch(library, t) for t in tensors.inputs]
        if given[0].dtype not in (library.float32, library.bfloat16):
            raise NotApplicable  # it takes no other dtypes
        return partial(function, *[t.to_mkldnn() for t in given])

    return bind


def _numpy(library: Any, case: Case, layout: str) -> Bind:
    try:
        function = expressions.expression(case, expressions.of_numpy(), lambda parts: np.concatenate(parts, -1))
    except KeyError as error:
        raise Unavailable(f"NumPy has no {error.args[0]}, and SciPy is not installed") from error

    def bind(tensors: Tensors) -> Call:
        given = [t for t in tensors.inputs if t is not None]
        dtype = given[0].dtype

        def call() -> Any:
            with np.errstate(all="ignore"):
                result = function(*given)
                if isinstance(result, tuple):
                    return tuple(r.astype(dtype, copy=False) for r in result)
                return (result.round() if dtype.kind in "iu" else result).astype(dtype, copy=False)

        return call

    return bind


def _load_jax() -> Any:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax = _import("jax", "JAX")
    jax.config.update("jax_enable_x64", True)  # without it float64 becomes float32
    return jax


def _jax(library: Any, case: Case, layout: str) -> Bind:
    if get_num_threads() != cores():
        raise Unavailable(f"it always computes on all {cores()} cores, not on {get_num_threads()}")
    if layout != "contiguous":
        raise Unavailable("only contiguous arrays")
    numpy = library.numpy
    function = library.jit(
        expressions.expression(case, expressions.of_jax(library), lambda parts: numpy.concatenate(parts, -1))
    )

    def bind(tensors: Tensors) -> Call:
        given = [numpy.array(t) for t in tensors.inputs if t is not None]
        return lambda: library.block_until_ready(function(*given))

    return bind


_EAGER = "what PyTorch code runs where aten has no single operator"
_COMPILE = "torch.compile of the same, for the tensors' very shape"
_KINDS = (
    Peer("aten", "PyTorch's own operator", torch, {"out": partial(_aten, "out"), "new": partial(_aten, "new")}),
    Peer("eager", _EAGER, torch, {"out": _eager_out, "new": _eager_new}),
    Peer("compile", _COMPILE, torch, {"out": _compile_out, "new": _compile_new}),
    Peer("onednn", "oneDNN through PyTorch's mkldnn tensors", torch, {"new": _onednn}),
    Peer("numpy", "the formula in NumPy (and SciPy), on one thread", lambda: np, {"new": _numpy}),
    Peer("jax", "the formula in JAX, by jax.jit", _load_jax, {"new": _jax}),
)
PEERS = {peer.name: peer for peer in _KINDS}
