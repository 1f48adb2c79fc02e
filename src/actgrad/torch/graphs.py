"""torch.compile on CUDA tensors: graphs hold the Triton kernel and its launch in place of an opaque operator.

`torch.library.triton_op` makes operators of one kernel; ours have kernels for several devices, and rules of their own.
So a rule of functionalisation, below autograd and above the graph, replaces the operator by its kernel. The operator
stays wherever the kernel's results might differ from those of an eager call.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch._subclasses import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode

from .. import __version__, backends
from ..base import products
from ..base.errors import BackendUnavailable
from ..calls import prepare
from . import kernels
from .kernels import Interface

DEVICE = "cuda"
_IMPLICIT = torch._C.DispatchKey.CompositeImplicitAutograd
#: The kernels of each operator in PyTorch's cache of compiled graphs; None in versions that know no such operators.
_KERNELS = getattr(getattr(torch._library, "triton", None), "triton_ops_to_kernels", None)


def register(library: Any, interface: Interface) -> None:
    """Let graphs hold the operator's kernel where possible."""

    def rule(mode: Any, overload: Any, types: Any, args: Any, options: Any = None) -> Any:
        if _may_hold_kernels(mode, types, args) and _is_known(interface, args):
            with mode:
                results = _launched(interface, args)
            if results is not None:
                return results
        if _IMPLICIT in overload.py_kernels:  # while torch.export runs decompositions, by the caller's table
            with mode:
                results = overload.decompose(*args, **(options or {}))
            if results is not NotImplemented:
                return results
        return mode.__torch_dispatch__(overload, types, args, options)

    _register(library, interface.operator.name, rule)


def register_variant(library: Any, interface: Interface, name: str, functional: Callable[..., Any]) -> None:
    """The rule of a variant that writes into given tensors; `functional` is the operator and a copy."""

    def rule(mode: Any, overload: Any, types: Any, args: Any, options: Any = None) -> Any:
        is_decomposed = _IMPLICIT in interface.overload.py_kernels
        if not (is_decomposed or _may_hold_kernels(mode, types, (*args, *(options or {}).values()))):
            return mode.__torch_dispatch__(overload, types, args, options)
        with mode:
            return functional(*args, **(options or {}))

    _register(library, name, rule)


def _register(library: Any, name: str, rule: Callable[..., Any]) -> None:
    torch.library.register_torch_dispatch(f"actgrad::{name}", FunctionalTensorMode, rule, lib=library)
    if _KERNELS is not None:
        _KERNELS[f"actgrad::{name}"] = [_Source()]


def _may_hold_kernels(mode: Any, types: Any, args: Sequence[Any]) -> bool:
    """Whether a graph is compiled for an NVIDIA GPU, from tensors without rules of their own.

    An exported graph keeps operators, since other machines load it. So does a graph compiled under a product: a kernel
    in a graph does not check the product's rules.
    """
    from torch._functorch import config  # loaded by compilers alone

    tensors = [each for each in args if isinstance(each, torch.Tensor)]
    return (
        _KERNELS is not None
        and getattr(config, "decompose_custom_triton_ops", False)
        and not (mode.export or mode.pre_dispatch)
        and torch.version.hip is None
        and all(tensor.device.type == DEVICE for tensor in tensors)
        and all(issubclass(kind, FakeTensor) or kind in (torch.Tensor, FunctionalTensor) for kind in types)
        and not backends.triton_is_interpreted()
        and not products.any_chosen()
    )


def _is_known(interface: Interface, args: tuple[Any, ...]) -> bool:
    """Whether the attributes are numbers, and the sizes have values or hints."""
    if any(isinstance(value, kernels.SYMBOLS) for value in interface.values_of(args)):
        return False
    tensors = [tensor for tensor in interface.tensors_of(args) if tensor is not None]
    symbols = [n for tensor in tensors for n in (*tensor.shape, *tensor.stride()) if isinstance(n, torch.SymInt)]
    if not symbols:
        return True
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols  # loaded where symbols exist

    return not free_unbacked_symbols(symbols)


def _launched(interface: Interface, args: tuple[Any, ...]) -> Any:
    """The results of a call by its kernel's launch; None without Triton."""
    try:
        backend = backends.load("triton")
    except BackendUnavailable:
        return None
    tensors = [tensor for tensor in interface.tensors_of(args) if tensor is not None]
    if interface.operator.row_counter and interface.tensors_of(args)[-1] is not None:
        return None  # the rows are counted when the graph runs
    call = kernels.checked(interface, args)
    results, metas = kernels.empty_results(call, tensors[0]), prepare.result_metas(call)
    if prepare.copied_tensors(call, metas):
        return None  # the operator copies them
    what = prepare.computation(call, metas, str(tensors[0].device))
    if what.loop.size:
        launch = backend.launch(what)
        torch.library.wrap_triton(launch.kernel)[(launch.programs,)](*results, *tensors, *launch.numbers)
    return results if len(results) > 1 else results[0]


class _Source:
    """The key of an operator's kernels in PyTorch's cache of compiled graphs: a digest of this package.

    The cache takes it for a Triton function, and reads its source and the names in `fn`.
    """

    __name__ = "actgrad"

    @staticmethod
    def fn() -> None:
        """Refers to nothing."""

    @property
    def src(self) -> str:
        """A text that changes whenever a kernel may change."""
        return f"actgrad {__version__}, {_digest()}, {products.any_chosen()}"


@cache
def _digest() -> str:
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
