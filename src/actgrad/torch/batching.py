"""The rule of vmap: a batch of calls is a call on tensors with an additional first dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._functorch.autograd_function import custom_function_call_vmap_helper
from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter

from ..base.errors import ActgradError, InvalidArgument
from ..calls.prepare import result_metas
from ..checks import law
from .kernels import Interface, checked_call


def kernel(interface: Interface) -> Callable[..., Any]:
    """The operator's kernel for the dispatch key of vmap.

    torch.library.register_vmap would first look up the operator, which takes longer than the rest of a registration.
    """
    batched = rule(interface)

    def kernel(keys: Any, *args: Any, **options: Any) -> Any:
        level = retrieve_current_functorch_interpreter()
        return custom_function_call_vmap_helper(level, batched, interface.overload, *args, **options)

    return kernel


def rule(interface: Interface) -> Callable[..., Any]:
    """A function that computes the operator for a batch, with the parameters that torch.library.register_vmap needs."""
    operator = interface.operator
    dim = operator.access.dimension_attribute
    dim_index = interface.span.start + interface.names.index(dim) if dim else None

    def element_by_element(info: Any, in_dims: tuple[Any, ...], *args: Any, **options: Any) -> Any:
        """One call for each element of the batch, for tensors that cannot have an additional dimension."""
        calls = []
        for number in range(max(info.batch_size, 1)):  # an empty batch needs one call, for the shapes of the results
            pairs = zip(args, in_dims, strict=True)
            row = [value if dim is None else _element(value, dim, number) for value, dim in pairs]
            calls.append(interface.overload(*row, **options))
        if isinstance(calls[0], tuple):
            results = [torch.stack(parts)[: info.batch_size] for parts in zip(*calls, strict=True)]
            return tuple(results), (0,) * len(results)
        return torch.stack(calls)[: info.batch_size], 0

    if (
        operator.ragged.counter
        or operator.ragged.groups
        or not all(map(operator.access.brings_elements, operator.schema.tensor_names))
    ):
        return element_by_element

    def batched(info: Any, in_dims: tuple[Any, ...], *args: Any, **options: Any) -> Any:
        row = list(interface.with_defaults(args))
        ranks = {
            row[index].dim() - (in_dims[index] is not None) for index in interface.tensors if row[index] is not None
        }
        is_empty = isinstance(info.batch_size, int) and info.batch_size == 0
        are_alike = len(ranks) == 1 and 0 not in ranks and not is_empty and not law.is_any_in_force()
        # If ranks differ, the batch may pass checks that an element fails, and results may have another rank.
        shapes = None if are_alike else _example_shapes(interface, args, in_dims)
        rank = max(*ranks, operator.access.least_rank)
        for index in interface.tensors:
            if row[index] is not None:
                row[index] = _in_front(row[index], in_dims[index], info.batch_size, rank)
        try:
            if dim_index is not None:
                row[dim_index] = _shift_dim(operator.name, row[dim_index], rank)
            results = interface.overload(*row, **options)
        except ActgradError:
            _example_shapes(interface, args, in_dims)  # if the call of an element is wrong, raise its error
            return element_by_element(
                info, in_dims, *args, **options
            )  # only the batch is refused, for example because of its rank
        every = results if isinstance(results, tuple) else (results,)
        if shapes is not None:
            every = tuple(y.reshape(info.batch_size, *shape) for y, shape in zip(every, shapes, strict=True))
        return (every, (0,) * len(every)) if isinstance(results, tuple) else (every[0], 0)

    return batched


def _example_shapes(interface: Interface, args: tuple[Any, ...], in_dims: tuple[Any, ...]) -> list[Any]:
    """The shapes of the results for an element of the batch. Raises the operator's errors for this element."""
    pairs = zip(args, in_dims, strict=True)
    example = tuple(value if dim is None else _element(value, dim, 0) for value, dim in pairs)
    return [meta.shape for meta in result_metas(checked_call(interface, example))]


def _element(tensor: torch.Tensor, batch_dim: int, number: int) -> torch.Tensor:
    """An element of the batch, or zeros if the batch is empty."""
    if tensor.shape[batch_dim] == 0:
        return tensor.new_zeros([n for dim, n in enumerate(tensor.shape) if dim != batch_dim])
    return tensor.select(batch_dim, number)


def _in_front(tensor: torch.Tensor, batch_dim: int | None, size: int, rank: int) -> torch.Tensor:
    """A view with the batch as the first dimension, and `rank` other dimensions."""
    tensor = tensor.expand(size, *tensor.shape) if batch_dim is None else tensor.movedim(batch_dim, 0)
    missing = rank + 1 - tensor.dim()
    return tensor.reshape(size, *(1,) * missing, *tensor.shape[1:]) if missing else tensor


def _shift_dim(operator: str, dim: int, rank: int) -> int:
    """The number of a dimension after the batch becomes the first dimension. Raises an error if the number is wrong."""
    if not -rank <= dim < rank:
        raise InvalidArgument(f"{operator}: dim is {dim}; it must lie in [{-rank}, {rank - 1}]; change dim")
    return dim + 1 if dim >= 0 else dim
