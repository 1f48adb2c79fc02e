"""All peers by their names."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import numpy as np

import actgrad

from .. import subject
from ..buffers import Tensors
from ..cases import Case
from ..timing import Call
from . import aten, composition, liger
from .peer import Bind, NotApplicable, Peer, Unavailable, load, on_inputs, torch


def _formula(library: Any, case: Case) -> Any:
    if case.operator.name in aten.TABLE or case.operator.name.startswith("geglu"):
        raise NotApplicable  # PyTorch's operator, or the composition that writes into given memory, is the peer
    return composition.expression(case, composition.of_torch(library), lambda parts: library.cat(parts, -1))


def _eager(library: Any, case: Case) -> Bind:
    return on_inputs(library, _formula(library, case))


def _compiled(library: Any, case: Case) -> Bind:
    return on_inputs(library, composition.through_compiler(library, _formula(library, case)))


def _numpy(library: Any, case: Case) -> Bind:
    try:
        function = composition.expression(case, composition.of_numpy(), lambda parts: np.concatenate(parts, -1))
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


def _jax(library: Any, case: Case) -> Bind:
    cores, threads = subject.cores(), actgrad.get_num_threads()
    if threads != cores:
        raise Unavailable(f"it always computes on all {cores} cores, not on {threads}")
    numpy = library.numpy
    functions = composition.of_jax(library)
    function = library.jit(composition.expression(case, functions, lambda parts: numpy.concatenate(parts, -1)))

    def bind(tensors: Tensors) -> Call:
        given = [t for t in tensors.inputs if t is not None]
        if not all(t.flags.c_contiguous for t in given):
            raise Unavailable("only contiguous arrays")
        arrays = [numpy.array(t) for t in given]
        return lambda: library.block_until_ready(function(*arrays))

    return bind


_EVERYWHERE = ("cpu", "cuda")
_KINDS = (
    Peer(
        "aten", "PyTorch's own operator", torch,
        {"out": partial(aten.call, "out"), "new": partial(aten.call, "new")}, on=_EVERYWHERE,
    ),
    Peer(
        "eager", "PyTorch code for GeGLU and for operators that PyTorch lacks", torch,
        {"out": composition.eager, "new": _eager}, on=_EVERYWHERE,
    ),
    Peer(
        "compile", "torch.compile of the same, for the tensors' very shape", torch,
        {"out": composition.compiled, "new": _compiled}, on=_EVERYWHERE,
    ),
    Peer(
        "inductor", "torch.compile of PyTorch's own operator, writing straight into the output", torch,
        {"out": aten.compiled}, on=("cuda",),
    ),
    Peer(
        "liger", "Liger-Kernel's GEGLU, tanh form; its backward overwrites its inputs",
        lambda: load("liger_kernel.ops.geglu", "Liger-Kernel"), {"out": liger.backward, "new": liger.forward},
        on=("cuda",), results=liger.results,
    ),
    Peer(
        "flaggems", "PyTorch's own operator as FlagGems replaces it", lambda: load("flag_gems", "FlagGems"),
        {"new": aten.flag_gems}, on=("cuda",), within=aten.using_gems,
    ),
    Peer("numpy", "the formula in NumPy (and SciPy), on one thread", lambda: np, {"new": _numpy}),
    Peer("jax", "the formula in JAX, by jax.jit", _load_jax, {"new": _jax}),
)  # fmt: skip
PEERS = {peer.name: peer for peer in _KINDS}
