"""The others: what one would call instead. Found by what is installed; each says why where it has nothing to offer.

oneDNN is exposed by PyTorch for one of our activations only: GELU and its gradient in the erf form, in float32 and
bfloat16, on tensors in its own layout (`to_mkldnn`). PyTorch's own GELU calls it in these cases anyway; there is no
such way to ELU, SELU, LeakyReLU and GELU's tanh form, and the operators of `torch.ops.mkldnn` are fusions with matrix
products and convolutions.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..backends import cores, get_num_threads
from . import aten_peers, compositions, expressions, liger
from .buffers import Tensors
from .cases import Case
from .peer import Bind, NotApplicable, Peer, Unavailable, load, on_all, on_inputs, to_torch, torch
from .timing import Call

# Eager PyTorch, and torch.compile of the same


def _expression(library: Any, case: Case) -> Callable[..., Any]:
    if case.operator.name in aten_peers.TABLE:
        raise NotApplicable
    if compositions.exists(case):
        raise NotApplicable  # it is timed as it writes into given memory
    return expressions.expression(case, expressions.of_torch(library), lambda parts: library.cat(parts, -1))


def _composed(case: Case) -> None:
    if not compositions.exists(case):
        raise NotApplicable  # where there is an expression, it allocates


def _eager_out(library: Any, case: Case, layout: str) -> Bind:
    _composed(case)
    return on_all(library, compositions.eager(library, case))


def _eager_new(library: Any, case: Case, layout: str) -> Bind:
    return on_inputs(library, _expression(library, case))


def _compile_out(library: Any, case: Case, layout: str) -> Bind:
    _composed(case)
    return on_all(library, compositions.compiled(library, case))


def _compile_new(library: Any, case: Case, layout: str) -> Bind:
    return on_inputs(library, compositions.through_compiler(library, _expression(library, case)))


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
    jax = load("jax", "JAX")
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
_INDUCTOR = "torch.compile of PyTorch's own operator, writing straight into the output"
_LIGER = "Liger-Kernel's GEGLU, tanh form; its backward overwrites what it is given"
_EVERYWHERE = ("cpu", "cuda")
_KINDS = (
    Peer(
        "aten",
        "PyTorch's own operator",
        torch,
        {"out": partial(aten_peers.call, "out"), "new": partial(aten_peers.call, "new")},
        on=_EVERYWHERE,
    ),
    Peer("eager", _EAGER, torch, {"out": _eager_out, "new": _eager_new}, on=_EVERYWHERE),
    Peer("compile", _COMPILE, torch, {"out": _compile_out, "new": _compile_new}, on=_EVERYWHERE),
    Peer("inductor", _INDUCTOR, torch, {"out": aten_peers.compiled}, on=("cuda",)),
    Peer(
        "liger",
        _LIGER,
        lambda: load("liger_kernel.ops.geglu", "Liger-Kernel"),
        {"out": liger.backward, "new": liger.forward},
        on=("cuda",),
        results=liger.results,
    ),
    Peer(
        "flaggems",
        "PyTorch's own operator as FlagGems replaces it",
        lambda: load("flag_gems", "FlagGems"),
        {"new": aten_peers.flag_gems},
        on=("cuda",),
        within=aten_peers.using_gems,
    ),
    Peer("onednn", "oneDNN through PyTorch's mkldnn tensors", torch, {"new": _onednn}),
    Peer("numpy", "the formula in NumPy (and SciPy), on one thread", lambda: np, {"new": _numpy}),
    Peer("jax", "the formula in JAX, by jax.jit", _load_jax, {"new": _jax}),
)
PEERS = {peer.name: peer for peer in _KINDS}
