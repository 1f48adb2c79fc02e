"""torch.compile: a graph contains formulas and kernels that inductor can fuse, instead of an opaque operator.

On CUDA, a graph contains the Triton kernel and its launch. On the CPU, it contains the formula, if the operator is an
elementwise function of one tensor, a gate, or a gradient of these. Inductor fuses the formula with other operations,
and may compute it again for backward. If the inputs of a gate are results of matrix products, the graph keeps the
operator. The backward pass then computes the gate again, because the gradient needs its factors anyway. The autograd
kernel has already chosen the gradient and the saved tensors.

`torch.library.triton_op` makes an operator with one kernel. actgrad's operators have kernels for several devices, and
other rules. So a rule of functionalisation, below autograd and above the graph, replaces the operator by its kernel.
The graph keeps the operator if the kernel's results might differ from the results of an eager call.
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
from ..base.errors import BackendUnavailable
from ..calls import arguments, prepare
from ..checks import law
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
    """Register the rule that puts the kernel or the formula of an operator into graphs, if possible."""

    def rule(mode: Any, overload: Any, types: Any, args: Any, options: Any = None) -> Any:
        are_sizes_known = _are_sizes_known(interface, args)
        has_symbols = any(isinstance(value, kernels.SYMBOLS) for value in interface.values_of(args))
        may_hold_kernels = _may_hold_kernels(mode, types, args)
        if may_hold_kernels and are_sizes_known and not has_symbols:
            with mode:
                launched = _launched(interface, args)
            if launched is not None:
                return launched
        # A kernel is better than a formula: PyTorch makes numbers of symbols that stay in the graph, and traces again.
        is_for_kernel = may_hold_kernels and has_symbols
        if _may_hold_formulas(interface.operator, mode, types, args) and are_sizes_known and not is_for_kernel:
            if interface.operator.gradient_of is None and _multiplies_matrix_products(interface, args):
                keep = partial(mode.__torch_dispatch__, overload, types, args, options)
                return _again_in_backward(keep, has_results=True)
            with mode:
                return _again_in_backward(partial(_formula, interface, args))
        if _IMPLICIT in overload.py_kernels:  # torch.export runs decompositions with the caller's table
            with mode:
                decomposed = overload.decompose(*args, **(options or {}))
            if decomposed is not NotImplemented:
                return decomposed
        return mode.__torch_dispatch__(overload, types, args, options)

    _register(library, interface.operator.name, rule)


def register_variant(library: Any, interface: Interface, name: str, functional: Callable[..., Any]) -> None:
    """Register the rule of a variant that writes into tensors. `functional` calls the operator and copies results."""

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
    """Register the rule for the copy of a tensor before it is overwritten. CPU graphs contain aten's clone.

    Inductor may compute aten's clone again. An input of the graph is copied by the operator `_clone` instead, because
    inductor removes aten's clone of an input, and saves the input, which is then overwritten.
    """

    def rule(mode: Any, overload: Any, types: Any, args: Any, options: Any = None) -> Any:
        if _is_exact or not _is_plain(mode, types, args, "cpu") or _is_graph_input(args[0]):
            return mode.__torch_dispatch__(overload, types, args, options)
        with mode:
            return torch.clone(*args)

    _register(library, "_clone", rule)


def _is_graph_input(tensor: torch.Tensor) -> bool:
    """Whether a tensor is an input of the traced graph, or a view or copy of an input. True before the trace."""
    node = _node(tensor)
    return node is None or node.op == "placeholder"


def _node(tensor: Any) -> Any:
    """The node of the traced graph that computes a tensor, without views and copies. None before the trace."""
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
    """Write a result into a tensor. In a graph, the result replaces the tensor, because backward can recompute it.

    Backward must not recompute the new values of a graph's input, because the graph overwrites the old ones.
    """
    node = _node(target)
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
    if node is not None and node.op == "placeholder":
        _node(target).meta["recompute"] = CheckpointPolicy.MUST_SAVE


def exact_in_graphs(is_exact: bool = True) -> None:
    """Choose whether compiled graphs on the CPU use actgrad's kernels. Results then have the same bits as eager calls.

    By default, graphs contain the formulas of elementwise operators, and inductor fuses them. Results may then differ
    in the last bits. After a change, PyTorch compiles every function again at its next call.

    Example:
        >>> actgrad.torch.exact_in_graphs()
        >>> model = torch.compile(model)
    """
    global _is_exact
    was_exact, _is_exact = _is_exact, arguments.flag("exact_in_graphs", "is_exact", is_exact)
    if _is_exact != was_exact and "torch._dynamo" in sys.modules:
        torch.compiler.reset()  # because another model of the same class would otherwise use old graphs


def are_exact() -> bool:
    """Whether compiled graphs use actgrad's kernels."""
    return _is_exact


def _keep_operators() -> None:
    """Remove actgrad's operators from inductor's table of decompositions.

    When a program imports inductor, inductor fills this table from torch.export, which decomposes actgrad's operators
    into aten's. Then inductor would decompose an operator that `rule` keeps.
    """
    table = sys.modules[_DECOMPOSITIONS].decompositions
    for overload in [each for each in table if getattr(each, "namespace", "") == "actgrad"]:
        del table[overload]


_DECOMPOSITIONS = "torch._inductor.decomposition"
late_imports.after_import(_DECOMPOSITIONS, _keep_operators)
graph_keys.complete(lambda: f"{law.current()}, {_is_exact}")


def _register(library: Any, name: str, rule: Callable[..., Any]) -> None:
    torch.library.register_torch_dispatch(f"actgrad::{name}", FunctionalTensorMode, rule, lib=library)


def _may_hold_kernels(mode: Any, types: Any, args: Sequence[Any]) -> bool:
    """Whether a graph is compiled for an NVIDIA GPU, from tensors without further rules.

    An exported graph keeps operators, because other machines load it. If a product is in force, a graph keeps operators
    too, because a kernel in a graph does not check the product's rules.
    """
    from torch._functorch import config  # imported here because PyTorch loads this module only to compile

    return (
        getattr(config, "decompose_custom_triton_ops", False)
        and torch.version.hip is None
        and _is_plain(mode, types, args, DEVICE)
        and not backends.triton_is_interpreted()
    )


def _is_plain(mode: Any, types: Any, args: Sequence[Any], device: str) -> bool:
    """Whether a graph is compiled to run in this process, from plain tensors on this type of device."""
    return (
        not (mode.export or mode.pre_dispatch or torch.compiler.is_exporting())
        and all(each.device.type == device for each in args if isinstance(each, torch.Tensor))
        and all(issubclass(kind, FakeTensor) or kind in (torch.Tensor, FunctionalTensor) for kind in types)
        and not law.is_any_in_force()
        and graph_keys.are_complete()
    )


def _may_hold_formulas(operator: Any, mode: Any, types: Any, args: Sequence[Any]) -> bool:
    """Whether a graph is for the CPU, and its operator is elementwise with one tensor, a gate, or their gradient."""
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
    """Whether an operator multiplies an activation by another tensor or by the other half of a tensor."""
    return bool(operator.definition.roles.multiplies) and not operator.access.sees_rows


def _multiplies_matrix_products(interface: Interface, args: tuple[Any, ...]) -> bool:
    """Whether an operator is a gate whose tensors are all results of matrix products, or views of such results.

    Then the graph keeps the operator, because inductor has nothing to fuse it with. With the formula, inductor would
    compute it again for backward in one kernel with both gradients, and need the memory of both at the same time.
    """
    nodes = [_node(tensor) for tensor in interface.tensors_of(args)]
    return _is_gate(interface.operator) and all(node is not None and node.target in _MATRIX_PRODUCTS for node in nodes)


def _again_in_backward(compute: Callable[[], Any], has_results: bool = False) -> Any:
    """The results of `compute`, whose operations are marked to be computed again for backward.

    Otherwise the partitioner of torch.compile would save some intermediate results of a formula. With `has_results`,
    the results themselves are computed again too.
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
    """The results of a call, computed by its formula with PyTorch's operators."""
    kernels.checked_call(interface, args)
    attributes = interface.attributes_of(interface.values_of(args))
    outputs = results(interface.operator, interface.tensors_of(args), attributes)
    return outputs if len(outputs) > 1 else outputs[0]


def _are_sizes_known(interface: Interface, args: tuple[Any, ...]) -> bool:
    """Whether all sizes have values or hints."""
    tensors = [tensor for tensor in interface.tensors_of(args) if tensor is not None]
    symbols = [n for tensor in tensors for n in (*tensor.shape, *tensor.stride()) if isinstance(n, torch.SymInt)]
    if not symbols:
        return True
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols  # imported only if there are symbols

    return not free_unbacked_symbols(symbols)


def _launched(interface: Interface, args: tuple[Any, ...]) -> Any:
    """The results of a call, computed by a launch of its Triton kernel. None if that is not possible."""
    try:
        backend = backends.load("triton")
    except BackendUnavailable:
        return None
    tensors = [tensor for tensor in interface.tensors_of(args) if tensor is not None]
    if (interface.operator.ragged.counter or interface.operator.ragged.groups) and interface.tensors_of(args)[
        -1
    ] is not None:
        return None  # the number of rows is known only when the graph runs
    call = kernels.checked_call(interface, args)
    outputs, metas = kernels.empty_results(call, tensors[0]), prepare.result_metas(call)
    if prepare.copied_tensors(call, metas):
        return None  # the operator makes contiguous copies of tensors first
    computation = prepare.make_computation(call, metas, str(tensors[0].device))
    if computation.loop.size:
        launch = backend.launch(computation)
        torch.library.wrap_triton(launch.kernel)[(launch.programs,)](*outputs, *tensors, *launch.numbers)
    return outputs if len(outputs) > 1 else outputs[0]
