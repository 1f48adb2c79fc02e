"""Decomposition into aten's operators, for exported graphs and for tensors that actgrad's kernels cannot read."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch._decomp import meta_table

from .. import arrays
from ..aten import ATEN
from .derivatives.partials import results
from .kernels import Interface, shapes

#: The dispatch keys of tensors that only PyTorch's kernels can read.
KINDS = ("QuantizedCPU", "QuantizedCUDA", "MkldnnCPU", "NestedTensorCPU", "NestedTensorCUDA")


def register(library: Any, interface: Interface) -> None:
    """Register the decomposition for torch.export, and the kernels for tensors of KINDS."""
    library.impl(interface.operator.name, partial(decomposed, interface), "CompositeImplicitAutograd")
    meta_table[interface.overload] = partial(shapes, interface)  # otherwise fake tensors would use the decomposition
    for kind in KINDS:
        library.impl(interface.operator.name, partial(of_other_kinds, interface), kind)


def decomposed(interface: Interface, *args: Any, **options: Any) -> Any:
    """The results of a call by the same operator of aten, or by the formula if aten has no such operator."""
    operator = interface.operator
    tensors, attributes = interface.tensors_of(args), interface.attributes_of(interface.values_of(args))
    counterpart = ATEN.get(operator.name)
    if counterpart is not None:
        return counterpart(torch.ops.aten, attributes, *[tensor for tensor in tensors if tensor is not None])
    outputs = results(operator, tensors, attributes)
    return outputs if len(outputs) > 1 else outputs[0]


def of_other_kinds(interface: Interface, *args: Any, **options: Any) -> Any:
    """The results of a call on quantised, mkldnn or nested tensors. Raises actgrad's error if PyTorch has no kernel."""
    try:
        return decomposed(interface, *args)
    except (RuntimeError, KeyError):  # KeyError: the formula does not know quantised dtypes
        names = interface.operator.schema.tensor_names
        for name, tensor in zip(names, interface.tensors_of(args), strict=True):
            if tensor is not None:
                arrays.torch_meta(torch, tensor, interface.operator.name, name)  # it raises actgrad's error
        raise
