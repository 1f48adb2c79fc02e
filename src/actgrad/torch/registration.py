"""The registry's operators as `torch.ops.actgrad`: everything follows from an operator's schema and formulas."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch.nested._internal.nested_tensor import NestedTensor

from .. import arrays
from ..base.errors import InvalidCall
from ..calls.operator import REGISTRY, Operator
from . import autograd, batching, graphs, kernels, saving, sharding, variants
from .kernels import Interface, interface_of

#: Open as long as the process lives: an operator is gone with its library.
LIBRARY = torch.library.Library("actgrad", "FRAGMENT")

_CLONE = variants.register_clone(LIBRARY)

#: One kernel for all devices and kinds of memory: the operator itself says which it cannot take, and the way out.
KERNEL_KEYS = ("CompositeExplicitAutograd", "NestedTensorCPU", "NestedTensorCUDA")

#: What has been registered, by name.
REGISTERED: dict[str, Interface] = {}


def register(operator: Operator) -> Interface:
    """Make an operator one of `torch.ops.actgrad`, if it is not; those in `ops/` are, by importing this package.

    Its backward operators must be in the registry by then. What else is to be known of it (another device's kernel) can
    be registered on the `overload` of what is returned.
    """
    known = REGISTERED.get(operator.name)
    if known is not None:
        return known
    interface = REGISTERED[operator.name] = interface_of(operator)
    name = operator.name
    options = f", *, str save='{saving.AUTO}'" if operator.gradient_of is None else ""
    LIBRARY.define(f"{name}({interface.text}{options}) -> {interface.results}", tags=variants.TAGS)
    torch.library.register_fake(f"actgrad::{name}", partial(kernels.shapes, interface), lib=LIBRARY)
    for key in KERNEL_KEYS:
        LIBRARY.impl(name, interface.kernel, key)
    LIBRARY.impl(name, autograd.kernel(interface), "Autograd", with_keyset=True)
    torch.library.register_vmap(f"actgrad::{name}", batching.rule(interface), lib=LIBRARY)
    torch.library.register_torch_dispatch(f"actgrad::{name}", NestedTensor, partial(_refuse, interface), lib=LIBRARY)
    graphs.register(LIBRARY, interface)
    variants.register_out(LIBRARY, interface)
    variants.register_in_place(LIBRARY, interface)
    sharding.register(interface, interface.overload)
    if hasattr(torch.ops.actgrad, f"{name}_"):
        for overload in (getattr(torch.ops.actgrad, f"{name}_").default, _CLONE):
            sharding.register(interface, overload)
    saving.prepare(operator)
    return interface


def _refuse(interface: Interface, mode: Any, function: Any, types: Any, args: Any, kwargs: Any = None) -> None:
    """What becomes of a call on jagged tensors, whose class would only say that it does not know the operator."""
    for name, tensor in zip(interface.operator.schema.tensor_names, interface.tensors_of(args), strict=True):
        if isinstance(tensor, NestedTensor):
            arrays.torch_meta(torch, tensor, interface.operator.name, name)


def call(operator: Operator, tensors: Sequence[Any], attributes: dict[str, Any], out: tuple[Any, ...] = ()) -> Any:
    """An operator's call on tensors that are more than memory, in the schema's order; what `actgrad`'s functions do."""
    interface = register(operator)
    row = interface.row(tensors, attributes)
    if not out:
        return interface.overload(*row)
    names = interface.outputs
    for name, tensor in zip(names, out, strict=True):
        if tensor is None:
            raise InvalidCall(f"{operator.name}: {name} is None; where PyTorch intercepts a call, give every output")
    overload = getattr(getattr(torch.ops.actgrad, operator.name), names[0])
    return overload(*row, **dict(zip(names, out, strict=True)))


def register_all() -> None:
    """Register every operator of the registry."""
    for operator in list(REGISTRY.values()):
        register(operator)
