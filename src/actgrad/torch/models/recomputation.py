"""The backward pass computes the product of a gate again, because it needs the factors for the gradient anyway.

A linear layer after the gate saves the product for the gradient of its weight. `recompute_products` replaces this
saved tensor by a function that runs the gate's kernel again. Its inputs are the factors, which the gate's node saves.
The result has the same bits.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from ...checks import law
from ..autograd import Node

#: PyTorch's matrix products: the position of the first factor among their inputs, and the attribute that saves it.
_MATRIX_PRODUCTS = {"MmBackward0": (0, "self"), "BmmBackward0": (0, "self"), "AddmmBackward0": (1, "mat1")}
_VIEWS = ("ViewBackward0", "UnsafeViewBackward0", "ReshapeAliasBackward0", "UnsqueezeBackward0")
_MOST_NODES = 64
_BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def recompute_products(results: Any) -> Any:
    """The results of a gated module. Matrix products in their graph no longer save a gate's product."""
    y = results[0] if isinstance(results, tuple) and results else results
    if not torch.compiler.is_compiling() and isinstance(y, torch.Tensor) and y.grad_fn is not None:
        is_watched = torch._C._autograd._top_saved_tensors_default_hooks(True) is not None  # such as a checkpoint
        is_traced = torch._C._are_functorch_transforms_active() or torch._C._len_torch_dispatch_stack() > 0
        if not (is_watched or is_traced):
            _search(y.grad_fn)
    return results


def _search(first: Any) -> None:
    """Find the matrix products near this node of the autograd graph, and let them compute gates again."""
    nodes, history = [first], set[Any]()
    while nodes and len(history) < _MOST_NODES:
        node = nodes.pop()
        if node is None or node in history or _operator(node) is not None:
            continue
        history.add(node)
        if node.name() in _MATRIX_PRODUCTS:
            _recompute(node, *_MATRIX_PRODUCTS[node.name()])
        nodes += [parent for parent, _ in node.next_functions]


def _recompute(node: Any, position: int, attribute: str) -> None:
    """Let a matrix product compute its first factor again, if that factor is a gate's product."""
    gate: Any = node.next_functions[position][0]
    while gate is not None and gate.name() in _VIEWS:
        gate = gate.next_functions[0][0]
    operator = _operator(gate)
    is_gate = operator is not None and operator.definition.roles.multiplies and operator.gradient_of is None
    if not is_gate or node.metadata.get(__name__):
        return
    node.metadata[__name__] = True
    saved = getattr(node, f"_raw_saved_{attribute}")
    factor = getattr(node, f"_saved_{attribute}")
    if _is_plain(factor) and factor._version == 0 and factor.is_contiguous():
        saved.register_hooks(
            lambda tensor: (tensor.shape, _fingerprint(tensor)), partial(_product, gate, law.in_force.get())
        )


def _is_plain(factor: Any) -> bool:
    """Whether a factor is a tensor with its own memory. A fake tensor and a DTensor have no bits to sum."""
    return factor is not None and type(factor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__


def _fingerprint(tensor: torch.Tensor) -> tuple[torch.Tensor, int] | None:
    """A few elements and the sum of the bits of all elements. Comparing whole tensors would make a GPU wait."""
    row = tensor.detach().reshape(-1)
    if not row.is_cpu:
        return None
    is_in_words = (row.element_size() * len(row)) % 8 == 0 and (row.element_size() * row.storage_offset()) % 8 == 0
    bits = row.view(torch.int64 if is_in_words else _BITS[row.element_size()])
    return row[:: len(row) // 8 + 1].clone(), int(bits.sum())


def _differs(product: torch.Tensor, fingerprint: tuple[torch.Tensor, int]) -> bool:
    """Whether the fingerprint of a product differs from this one. NaNs with different bits count as equal."""
    sample, total = fingerprint
    again = _fingerprint(product)
    assert again is not None, "both are on the CPU"
    is_like = torch.allclose(again[0], sample, 0, 0, equal_nan=True)
    return not is_like or (again[1] != total and not bool(product.isnan().any()))


def _operator(node: Any) -> Any:
    """The operator of a node, if the node is actgrad's."""
    kind: Any = getattr(type(node), "_forward_cls", object)
    return kind.interface.operator if issubclass(kind, Node) else None


def _product(gate: Any, rules: Any, saved: tuple[torch.Size, tuple[torch.Tensor, int] | None]) -> torch.Tensor:
    """The gate's product, from the factors that it saved. PyTorch raises if a factor was overwritten.

    The call follows the rules of the forward pass, which allowed it.
    """
    shape, fingerprint = saved
    interface = gate.derivation.interface
    tensors = gate.saved_tensors[: len(interface.tensors)]
    with torch.no_grad(), law.putting_in_force(rules):
        results = interface.overload(*interface.row(tensors, gate.derivation.attributes))
    product: torch.Tensor = results[0] if isinstance(results, tuple) else results
    if fingerprint is not None and _differs(product, fingerprint):
        raise RuntimeError(
            f"{interface.operator.name}: the product or a factor was overwritten through .data or NumPy, where PyTorch "
            "does not count the change; the backward pass computes the product again and needs the factors; write to "
            "the tensor itself, or call actgrad.torch.revert on the gated module"
        )
    return product.view(shape)
