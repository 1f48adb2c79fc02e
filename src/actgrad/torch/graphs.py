"""torch.compile: graphs contain formulas and kernels that inductor can fuse, instead of an opaque operator.

On CUDA that is the Triton kernel and its launch. On the CPU it is the formula of an elementwise operator of one tensor,
of a gate, or of their gradients. Inductor fuses the formula with the operations around it, and may compute it again for
the backward pass. A gate of matrix products keeps its operator, and the backward pass computes its product again,
because the gradient needs its factors anyway. Which gradient is computed, and from which saved tensor, was decided
above.

`torch.library.triton_op` makes operators of one kernel; ours have kernels for several devices, and rules of their own.
So a rule of functionalisation, below autograd and above the graph, replaces the operator by its kernel. The operator
stays wherever the kernel's results might differ from those of an eager call.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch._subclasses import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode
from torch.fx.experimental import proxy_tensor
from torch.utils.checkpoint import CheckpointPolicy

from .. import backends
from ..base import products
from ..base.errors import BackendUnavailable
from ..calls import arguments, prepare
from . import kernels
from .deferred import graph_keys, late_imports
from .derivatives.partials import results
from .kernels import Interface

DEVICE = "cuda"
_aten = torch.ops.aten
_MATRIX_PRODUCTS = (_aten.mm.default, _aten.addmm.default, _aten.bmm.default, _aten.baddbmm.default)
_is_exact = False
_IMPLICIT = torch._C.DispatchKey.CompositeImplicitAutograd


def register(library: Any, interface: Interface) -> None:
    """Let graphs hold the operator's kernel where possible."""

    def rule(mode: Any, overload: Any, types: Any, args: Any, options: Any = None) -> Any:
        if _may_hold_kernels(mode, types, args) and _is_known(interface, args):
            with mode:
                launched = _launched(interface, args)
            if launched is not None:
                return launched
        if _may_hold_formulas(interface.operator, mode, types, args) and _is_known(interface, args):
            if interface.operator.gradient_of is None and _multiplies_matrix_products(interface, args):
                keep = partial(mode.__torch_dispatch__, overload, types, args, options)
                return _again_in_backward(keep, has_results=True)
            with mode:
                return _again_in_backward(partial(_formula, interface, args))
        if _IMPLICIT in overload.py_kernels:  # while torch.export runs decompositions, by the caller's table
            with mode:
                decomposed = overload.decompose(*args, **(options or {}))
            if decomposed is not NotImplemented:
                return decomposed
        return mode.__torch_dispatch__(overload, types, args, options)

    _register(library, interface.operator.name, rule)


def register_variant(library: Any, interface: Interface, name: str, functional: Callable[..., Any]) -> None:
    """The rule of a variant that writes into given tensors; `functional` is the operator and a copy."""

    def rule(mode: Any, overload: Any, types: Any, args: Any, options: Any = None) -> Any:
        is_decomposed = _IMPLICIT in interface.overload.py_kernels
        row = (*args, *(options or {}).values())
        is_inlined = _may_hold_kernels(mode, types, row) or _may_hold_formulas(interface.operator, mode, types, row)
        if not (is_decomposed or is_inlined):
            return mode.__torch_dispatch__(overload, types, args, options)
        with mode:
            return functional(*args, **(options or {}))

    _register(library, name, rule)


def register_clone(library: Any) -> None:
    """Let graphs on the CPU hold aten's copy of a tensor before it is overwritten: inductor may make it again.

    A graph's input is copied by our operator: inductor removes aten's, and saves the input, which is then overwritten.
    """

    def rule(mode: Any, overload: Any, types: Any, args: Any, options: Any = None) -> Any:
        if _is_exact or not _is_plain(mode, types, args, "cpu") or _is_graph_input(args[0]):
            return mode.__torch_dispatch__(overload, types, args, options)
        with mode:
            return torch.clone(*args)

    _register(library, "_clone", rule)


def _is_graph_input(tensor: torch.Tensor) -> bool:
    """Whether a tensor is an input of the graph that is traced, a view or a copy of one; True before the trace."""
    node = _node(tensor)
    return node is None or node.op == "placeholder"


def _node(tensor: Any) -> Any:
    """The node of the graph that is traced whose result a tensor is, also a view or a copy of it; None before."""
    tracing = proxy_tensor.get_proxy_mode()
    if tracing is None or not isinstance(tensor, FunctionalTensor):
        return None
    proxied = proxy_tensor.get_proxy_slot(tensor.from_functional(), tracing.tracer, None)
    if proxied is None:
        return None
    node = proxied.proxy.node
    while getattr(node.target, "is_view", False) or node.target is _aten.clone.default:
        node = node.args[0]
    return node


def overwrite(target: torch.Tensor, result: torch.Tensor) -> None:
    """Write a result into a tensor. In a graph, the result takes the tensor's place: a copy could not be made again."""
    if (
        isinstance(target, FunctionalTensor)
        and isinstance(result, FunctionalTensor)
        and (target.dtype, target.stride()) == (result.dtype, result.stride())
    ):
        target.replace_(result.from_functional())
        target.commit_update()
        target.sync()
    else:
        target.copy_(result)


def exact_in_graphs(is_exact: bool = True) -> None:
    """Choose whether compiled graphs on the CPU keep actgrad's own kernels, whose results have the bits of eager calls.

    By default they hold the formulas of elementwise operators instead, which inductor fuses; their last bits are
    inductor's. After a change, PyTorch compiles every function again at its next call.

    Example:
        >>> actgrad.torch.exact_in_graphs()
        >>> model = torch.compile(model)
    """
    global _is_exact
    was_exact, _is_exact = _is_exact, arguments.flag("exact_in_graphs", "is_exact", is_exact)
    if _is_exact != was_exact and "torch._dynamo" in sys.modules:
        torch.compiler.reset()  # a second model of the same class would take the graphs of the first


def _keep_operators() -> None:
    """Take our operators out of inductor's table of decompositions.

    When inductor is imported, it fills this table from torch.export, which decomposes our operators into aten's.
    Inductor would then decompose an operator that `rule` keeps.
    """
    table = sys.modules[_DECOMPOSITIONS].decompositions
    for overload in [each for each in table if getattr(each, "namespace", "") == "actgrad"]:
        del table[overload]


_DECOMPOSITIONS = "torch._inductor.decomposition"
late_imports.after_import(_DECOMPOSITIONS, _keep_operators)
graph_keys.complete(lambda: f"{products.any_chosen()}, {_is_exact}")


def _register(library: Any, name: str, rule: Callable[..., Any]) -> None:
    torch.library.register_torch_dispatch(f"actgrad::{name}", FunctionalTensorMode, rule, lib=library)


def _may_hold_kernels(mode: Any, types: Any, args: Sequence[Any]) -> bool:
    """Whether a graph is compiled for an NVIDIA GPU, from tensors without rules of their own.

    An exported graph keeps operators, since other machines load it. So does a graph compiled under a product: a kernel
    in a graph does not check the product's rules.
    """
    from torch._functorch import config  # only compilers load this module

    return (
        getattr(config, "decompose_custom_triton_ops", False)
        and torch.version.hip is None
        and _is_plain(mode, types, args, DEVICE)
        and not backends.triton_is_interpreted()
    )


def _is_plain(mode: Any, types: Any, args: Sequence[Any], device: str) -> bool:
    """Whether a graph is compiled to be run here, from tensors of a device and without rules of their own."""
    return (
        not (mode.export or mode.pre_dispatch or torch.compiler.is_exporting())
        and all(each.device.type == device for each in args if isinstance(each, torch.Tensor))
        and all(issubclass(kind, FakeTensor) or kind in (torch.Tensor, FunctionalTensor) for kind in types)
        and not products.any_chosen()
        and graph_keys.are_complete()
    )


def _may_hold_formulas(operator: Any, mode: Any, types: Any, args: Sequence[Any]) -> bool:
    """Whether a graph is compiled for the CPU, and the operator has one tensor, is a gate, or a gradient of these."""
    tensors = [each for each in args if isinstance(each, torch.Tensor)]
    forward = operator.gradient_of or operator
    is_packed = _is_gate(forward) and len(forward.schema.tensors) == 1
    return (
        not _is_exact
        and (forward.is_unary_elementwise or _is_gate(forward))
        and _is_plain(mode, types, args, "cpu")
        and all(each.is_floating_point() and each.dtype == tensors[0].dtype for each in tensors)
        and (is_packed or all(each.shape == tensors[0].shape for each in tensors))
    )


def _is_gate(operator: Any) -> bool:
    """Whether an operator is an activation times another factor, of elements or of halves of one tensor."""
    return bool(operator.definition.multiplies) and not operator.access.sees_rows


def _multiplies_matrix_products(interface: Interface, args: tuple[Any, ...]) -> bool:
    """Whether an operator is a gate, and all its tensors are results of matrix products, or views of them.

    Then its operator stays, because inductor has nothing to fuse it with. Inductor would fuse the formula, computed
    again for the backward pass, with both gradients, whose memory would add up.
    """
    nodes = [_node(tensor) for tensor in interface.tensors_of(args)]
    return _is_gate(interface.operator) and all(node is not None and node.target in _MATRIX_PRODUCTS for node in nodes)


def _again_in_backward(compute: Callable[[], Any], has_results: bool = False) -> Any:
    """The results. For the backward pass, the partitioner computes the numbers inside of a formula again.

    It would save some of them otherwise, because a formula is a long chain. With `has_results` it computes also the
    results again.
    """
    tracing = proxy_tensor.get_proxy_mode()
    if tracing is None:
        return compute()
    graph = tracing.tracer.graph
    last = next(iter(reversed(graph.nodes)), None)
    results = compute()
    outputs = [] if has_results else [_node(each) for each in (results if isinstance(results, tuple) else (results,))]
    for node in itertools.takewhile(lambda node: node is not last, reversed(graph.nodes)):
        if node not in outputs:
            node.meta.setdefault("recompute", CheckpointPolicy.PREFER_RECOMPUTE)
    return results


def _formula(interface: Interface, args: tuple[Any, ...]) -> Any:
    """The results of a call by its formula, in the tensors' own operators."""
    kernels.checked(interface, args)
    attributes = interface.attributes_of(interface.values_of(args))
    outputs = results(interface.operator, interface.tensors_of(args), attributes)
    return outputs if len(outputs) > 1 else outputs[0]


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
    """The results of a call by its kernel's launch, or None without Triton."""
    try:
        backend = backends.load("triton")
    except BackendUnavailable:
        return None
    tensors = [tensor for tensor in interface.tensors_of(args) if tensor is not None]
    if (interface.operator.row_counter or interface.operator.row_groups) and interface.tensors_of(args)[-1] is not None:
        return None  # the rows are counted when the graph runs
    call = kernels.checked(interface, args)
    outputs, metas = kernels.empty_results(call, tensors[0]), prepare.result_metas(call)
    if prepare.copied_tensors(call, metas):
        return None  # the operator copies these tensors
    computation = prepare.make_computation(call, metas, str(tensors[0].device))
    if computation.loop.size:
        launch = backend.launch(computation)
        torch.library.wrap_triton(launch.kernel)[(launch.programs,)](*outputs, *tensors, *launch.numbers)
    return outputs if len(outputs) > 1 else outputs[0]
