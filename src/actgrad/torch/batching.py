"""vmap: an operator over a batch is the operator on tensors with one more dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._functorch.autograd_function import custom_function_call_vmap_helper
from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter

from ..base.errors import InvalidArgument
from .kernels import Interface


def kernel(interface: Interface) -> Callable[..., Any]:
    """The operator's kernel for the key of vmap.

    torch.library.register_vmap would look the operator up first, which takes longer than all else of a registration.
    """
    batched = rule(interface)

    def kernel(keys: Any, *given: Any, **options: Any) -> Any:
        level = retrieve_current_functorch_interpreter()
        return custom_function_call_vmap_helper(level, batched, interface.overload, *given, **options)

    return kernel


def rule(interface: Interface) -> Callable[..., Any]:
    """The operator over a batch, which becomes the first dimension, in the form of torch.library.register_vmap."""
    operator = interface.operator
    dim_place = interface.span.start + interface.names.index(operator.access.dim) if operator.access.dim else None

    def apart(info: Any, in_dims: tuple[Any, ...], *given: Any, **options: Any) -> Any:
        """One call for each element of the batch: a tensor along a dimension has no place for another one."""
        calls = []
        for number in range(max(info.batch_size, 1)):  # of an empty batch the results' shapes count
            pairs = zip(given, in_dims, strict=True)
            row = [value if dim is None else _element(value, dim, number) for value, dim in pairs]
            calls.append(interface.overload(*row, **options))
        if isinstance(calls[0], tuple):
            whole = [torch.stack(parts)[: info.batch_size] for parts in zip(*calls, strict=True)]
            return tuple(whole), (0,) * len(whole)
        return torch.stack(calls)[: info.batch_size], 0

    if operator.access.tensor or operator.counted is not None:
        return apart

    def batched(info: Any, in_dims: tuple[Any, ...], *given: Any, **options: Any) -> Any:
        row = list(interface.filled(given))
        ranks = [
            row[place].dim() - (in_dims[place] is not None) for place in interface.tensors if row[place] is not None
        ]
        for place in interface.tensors:
            if row[place] is not None:
                row[place] = _in_front(row[place], in_dims[place], info.batch_size, max(ranks))
        if dim_place is not None:
            row[dim_place] = _beside_batch(operator.name, row[dim_place], max(ranks))
        results = interface.overload(*row, **options)
        return results, (0,) * len(results) if isinstance(results, tuple) else 0

    return batched


def _element(tensor: torch.Tensor, batch_dim: int, number: int) -> torch.Tensor:
    """An element of the batch; zeros for one of an empty batch."""
    if tensor.shape[batch_dim] == 0:
        return tensor.new_zeros([n for dim, n in enumerate(tensor.shape) if dim != batch_dim])
    return tensor.select(batch_dim, number)


def _in_front(tensor: torch.Tensor, batch_dim: int | None, size: int, rank: int) -> torch.Tensor:
    """A view with the batch as the first dimension and `rank` others."""
    tensor = tensor.expand(size, *tensor.shape) if batch_dim is None else tensor.movedim(batch_dim, 0)
    missing = rank + 1 - tensor.dim()
    return tensor.reshape(size, *(1,) * missing, *tensor.shape[1:]) if missing else tensor


def _beside_batch(operator: str, dim: int, rank: int) -> int:
    """The number of a dimension of `rank`, counted with the batch in front; a wrong one must not become right."""
    if not -rank <= dim < rank:
        raise InvalidArgument(f"{operator}: dim is {dim}; it must lie in [{-rank}, {rank - 1}]; change dim")
    return dim + 1 if dim >= 0 else dim
