"""What torch.compile sees of a call on CUDA tensors: the Triton kernel and its launch, not an opaque operator.

PyTorch has `torch.library.triton_op` for operators that are made by it; ours have kernels for several devices, and
rules of their own. So what counts of it is done here: where a call meets functionalisation, which is below autograd and
above the graph, the kernel takes the operator's place. Where results might not be those of a call that nobody compiles,
the operator stays, which every graph may hold.
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

DEVICE = "cuda"  # whose memory the kernels compute on
#: What PyTorch's cache of compiled graphs knows operators' kernels by; None before PyTorch knows that there are any.
_KERNELS = getattr(getattr(torch._library, "triton", None), "triton_ops_to_kernels", None)


def register(library: Any, interface: Interface) -> None:
    """Have graphs hold the operator's kernel where they can."""

    def rule(mode: Any, overload: Any, types: Any, given: Any, options: Any = None) -> Any:
        if _may_hold_kernels(mode, types, given) and _is_known(interface, given):
            with mode:
                results = _launched(interface, given)
            if results is not None:
                return results
        return mode.__torch_dispatch__(overload, types, given, options)

    _register(library, interface.operator.name, rule)


def register_variant(library: Any, name: str, functional: Callable[..., Any]) -> None:
    """The same for a variant that writes to tensors it is given; `functional` is the operator and copies."""

    def rule(mode: Any, overload: Any, types: Any, given: Any, options: Any = None) -> Any:
        if not _may_hold_kernels(mode, types, (*given, *(options or {}).values())):
            return mode.__torch_dispatch__(overload, types, given, options)
        with mode:
            return functional(*given, **(options or {}))

    _register(library, name, rule)


def _register(library: Any, name: str, rule: Callable[..., Any]) -> None:
    torch.library.register_torch_dispatch(f"actgrad::{name}", FunctionalTensorMode, rule, lib=library)
    if _KERNELS is not None:
        _KERNELS[f"actgrad::{name}"] = [_Source()]


def _may_hold_kernels(mode: Any, types: Any, given: Sequence[Any]) -> bool:
    """Whether a graph is for compiling, for a GPU of NVIDIA's, and of tensors without rules of their own.

    An exported graph keeps operators: it is for other machines too. So does one that is compiled under a product, whose
    rules hold where a call is made; a kernel in a graph knows none.
    """
    from torch._functorch import config  # is loaded by whom it concerns

    tensors = [each for each in given if isinstance(each, torch.Tensor)]
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


def _is_known(interface: Interface, given: tuple[Any, ...]) -> bool:
    """Whether the attributes are numbers, and the sizes such that one may ask about them."""
    if any(isinstance(value, kernels.SYMBOLS) for value in interface.values_of(given)):
        return False
    tensors = [tensor for tensor in interface.tensors_of(given) if tensor is not None]
    symbols = [n for tensor in tensors for n in (*tensor.shape, *tensor.stride()) if isinstance(n, torch.SymInt)]
    if not symbols:
        return True
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols  # is loaded where there are symbols

    return not free_unbacked_symbols(symbols)


def _launched(interface: Interface, given: tuple[Any, ...]) -> Any:
    """The results of a call, of its kernel's launch; None where Triton is not there."""
    try:
        backend = backends.load("triton")
    except BackendUnavailable:
        return None
    tensors = [tensor for tensor in interface.tensors_of(given) if tensor is not None]
    call = kernels.checked(interface, given)
    results = kernels.empty_results(call, tensors[0])
    what = prepare.computation(call, prepare.result_metas(call), str(tensors[0].device))
    if what.loop.size:
        launch = backend.launch(what)
        torch.library.wrap_triton(launch.kernel)[(launch.programs,)](*results, *tensors, *launch.numbers)
    return results if len(results) > 1 else results[0]


class _Source:
    """What PyTorch's cache of compiled graphs knows an operator's kernels by: all that their text comes from.

    It takes it for a function of Triton's, of which it reads the text and the names that it refers to.
    """

    __name__ = "actgrad"

    @staticmethod
    def fn() -> None:
        """Refers to nothing."""

    @property
    def src(self) -> str:
        """A text that is another one whenever the kernels may be."""
        return f"actgrad {__version__}, {_digest()}, {products.any_chosen()}"


@cache
def _digest() -> str:
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
