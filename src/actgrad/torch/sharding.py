"""DTensor: the placements of tensors on a mesh with which each device computes only on its own shard.

The placements follow from the access. A result depends on the inputs' elements at the same index, so most dimensions
may be sharded. A dimension that is halved must not be sharded, and the dimensions of a row with statistics must not:
DTensor gathers them first. A tensor that is broadcast is replicated. If the operator is linear in a tensor, for example
in the gradient of a backward operator, this tensor may be a partial sum.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .deferred import late_imports
from .kernels import Interface


def register(interface: Interface, overload: Any) -> None:
    """Register the rules of an overload only when a program imports DTensor, because that import takes a second."""

    def now() -> None:
        from torch.distributed.tensor.experimental import register_sharding

        is_in_place = overload._schema.name.endswith("_")
        register_sharding(overload)(lambda *args, **options: placements(interface, args, is_in_place))

    late_imports.after_import("torch.distributed.tensor", now)


def is_sharded(x: Any) -> bool:
    """Whether x is a DTensor."""
    module = sys.modules.get("torch.distributed.tensor")
    return module is not None and isinstance(x, module.DTensor)


def placements(interface: Interface, args: tuple[Any, ...], is_in_place: bool = False) -> list[tuple[Any, Any]]:
    """The possible placements on a dimension of a mesh. Each is a pair: placements of outputs, and of arguments.

    `args` are the arguments of the call. The dispatcher leaves out trailing arguments that equal their defaults.
    """
    from torch.distributed.tensor import Partial, Replicate, Shard

    operator = interface.operator
    names = operator.schema.tensor_names
    attributes = interface.attributes_of(interface.values_of(args))
    shapes = [None if args[index] is None else tuple(args[index].shape) for index in interface.tensors]
    rank = max(len(shape) for shape in shapes if shape is not None)
    shapes = [
        None if shape is None else operator.access.aligned(name, shape, rank, attributes)
        for name, shape in zip(names, shapes, strict=True)
    ]
    present = [shape for shape in shapes if shape is not None]
    outputs = len(operator.schema.outputs)
    by_name = {name: shape for name, shape in zip(names, shapes, strict=True) if shape is not None}

    def row(choose: Callable[[int, tuple[int, ...]], Any], output: Any) -> tuple[Any, Any]:
        inputs: list[Any] = [None] * len(args)
        for number, (index, shape) in enumerate(zip(interface.tensors, shapes, strict=True)):
            if shape is not None:
                inputs[index] = choose(number, shape)
        return [output] * outputs, inputs

    rows = [row(lambda number, shape: Replicate(), Replicate())]
    if any(map(operator.access.is_statistic, operator.schema.outputs)):
        return rows  # the dimensions of a statistic differ from the dimensions of the elements
    if operator.ragged.counter and args[interface.tensors[-1]] is not None:
        return rows  # the tensor counts rows of the whole tensor, not of a shard
    for dim in operator.access.shardable_dimensions(rank, attributes, by_name):
        size = max(shape[dim - rank] for shape in present if len(shape) >= rank - dim)

        def sharded(number: int, shape: tuple[int, ...], dim: int = dim, size: int = size) -> Any:
            axis = dim - rank + len(shape)
            return (
                Shard(axis) if axis >= 0 and shape[axis] == size else Replicate()
            )  # replicated if the tensor is broadcast along `dim`

        rows.append(row(sharded, Shard(dim)))
    is_linear = operator.definition.is_linear(operator.schema.tensor_names[0])
    if is_linear and not is_in_place:
        rows.append(row(lambda number, shape: Partial() if number == 0 else Replicate(), Partial()))
    return rows
