"""The registry's operators as `torch.ops.actgrad`, derived from their definitions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch.nested._internal.nested_tensor import NestedTensor
from torch.utils._python_dispatch import _disable_current_modes

from ..aten import AUTOCAST
from ..base.errors import InvalidCall, quote
from ..base.forks import forkable_lock
from ..calls.operator import REGISTRY, Operator
from . import autograd, batching, decomposition, graphs, kernels, sharding, variants
from .derivatives import saving
from .kernels import Interface, interface_of

#: It lives as long as the process: PyTorch removes operators with their library.
LIBRARY = torch.library.Library("actgrad", "FRAGMENT")

_CLONE = variants.register_clone(LIBRARY)

#: One kernel for all devices: the operator's own error names those that it cannot take. Graphs keep an operator whole
#: where its device has a kernel. On meta tensors the kernel calls `overload`, whose fake rule knows the shapes.
KERNEL_KEYS = ("CompositeExplicitAutograd", "CPU", "CUDA")

#: The second one is that of mkldnn tensors, which would have no gradient of ours beside a decomposition.
AUTOGRAD_KEYS = ("Autograd", "AutogradOther")

#: Registered operators, by name.
REGISTERED: dict[str, Interface] = {}

#: Operators without rules yet: rules take most of the time, and few programs need those of all operators.
_incomplete: dict[str, Interface] = {}
_undefined: set[str] = set()  # operators in `register`
_lock = forkable_lock()


class _Namespace(type(torch.ops.actgrad)):  # type: ignore[misc]
    """`torch.ops.actgrad`, which registers an operator and its rules when a name is first looked up."""

    __module__ = type(torch.ops.actgrad).__module__  # PyTorch names the operators' objects after it

    def __getattr__(self, name: str) -> Any:
        operator = REGISTRY.get(name) or REGISTRY.get(name.removesuffix("_"))
        if operator is not None:
            with _lock:
                interface = register(operator)
                if interface.operator.name in _undefined:  # `define` looks for earlier overloads
                    raise AttributeError(name)
                _complete(interface)
                if name in vars(self):  # the rules made PyTorch's object, which must stay the only one
                    return vars(self)[name]
        return super().__getattr__(name)


torch.ops.actgrad.__class__ = _Namespace


def register(operator: Operator) -> Interface:
    """Make an operator one of `torch.ops.actgrad`, if it is not one yet.

    Importing this package registers the operators of the registry. Later ones are registered when their names are first
    looked up in `torch.ops.actgrad`. Kernels for other devices can be registered on the result's `overload`.
    """
    if not isinstance(operator, Operator):
        expected = "it must be an operator; pass for example actgrad.elu"
        raise InvalidCall(f"actgrad.torch.register: operator is {quote(operator)}; {expected}")
    interface = REGISTERED.get(operator.name)
    if interface is not None:
        return interface
    name = operator.name
    interface = REGISTERED[name] = interface_of(operator)
    _undefined.add(name)
    options = f", *, str save='{saving.AUTO}'" if operator.gradient_of is None else ""
    LIBRARY.define(f"{name}({interface.text}{options}) -> {interface.results}", tags=variants.TAGS)
    for key in KERNEL_KEYS:
        LIBRARY.impl(name, interface.kernel, key)
    for key in AUTOGRAD_KEYS:
        LIBRARY.impl(name, autograd.kernel(interface), key, with_keyset=True)
    _register_autocast(interface)
    LIBRARY.impl(name, batching.kernel(interface), "FuncTorchBatched", with_keyset=True)
    for variant in variants.list_variants(interface):
        variant.register(LIBRARY)
    _undefined.remove(name)
    _incomplete[name] = interface
    return interface


def _complete(interface: Interface) -> None:
    """Register the rules of fake tensors, DTensor, torch.compile and nested tensors; once."""
    name = interface.operator.name
    if _incomplete.pop(name, None) is None:
        return
    with _disable_current_modes():  # a traced call may be the first
        torch.library.register_fake(f"actgrad::{name}", partial(kernels.shapes, interface), lib=LIBRARY)
        torch.library.register_torch_dispatch(
            f"actgrad::{name}", NestedTensor, partial(_jagged, interface), lib=LIBRARY
        )
        decomposition.register(LIBRARY, interface)
        graphs.register(LIBRARY, interface)
        for variant in variants.list_variants(interface):
            variant.complete(LIBRARY)
        saving.prepare(interface.operator)
        sharding.register(interface, interface.overload)
        if interface.operator.definition.may_be_in_place:
            for overload in (getattr(torch.ops.actgrad, f"{name}_").default, _CLONE):
                sharding.register(interface, overload)


def _jagged(interface: Interface, mode: Any, function: Any, types: Any, args: Any, kwargs: Any = None) -> Any:
    """The results of a call on jagged tensors, whose class knows aten's operators."""
    return decomposition.of_other_kinds(interface, *args)


def call(operator: Operator, tensors: Sequence[Any], attributes: dict[str, Any], out: tuple[Any, ...] = ()) -> Any:
    """An operator's call through PyTorch's dispatcher, with tensors in the schema's order; autocast leaves it alone."""
    interface = register(operator)
    row = interface.row(tensors, attributes)
    if not out:
        with torch._C._DisableAutocast():
            return interface.overload(*row)
    names = interface.outputs
    for name, tensor in zip(names, out, strict=True):
        if tensor is None:
            raise InvalidCall(
                f"{operator.name}: {name} is None; PyTorch traces this call and needs every output; pass it"
            )
    overload = getattr(getattr(torch.ops.actgrad, operator.name), names[0])
    return overload(*row, **dict(zip(names, out, strict=True)))


_AUTOCAST_KEYS = {"cpu": torch._C.DispatchKey.AutocastCPU, "cuda": torch._C.DispatchKey.AutocastCUDA}


def _register_autocast(interface: Interface) -> None:
    """Register the dtypes to which torch.autocast converts the tensors of PyTorch's operator of the same name.

    All other operators compute in the dtype that arrives, as PyTorch's do.
    """
    for device, dtype in AUTOCAST.get(interface.operator.name, {}).items():
        rule = partial(_converted, interface, device, dtype)
        LIBRARY.impl(interface.operator.name, rule, _AUTOCAST_KEYS[device].name)


def _converted(interface: Interface, device: str, dtype: str, *arguments: Any, **options: Any) -> Any:
    """The call on converted tensors. float64 and tensors on other devices stay."""
    target = getattr(torch, dtype) if dtype else torch.get_autocast_dtype(device)

    def convert(value: Any) -> Any:
        is_converted = isinstance(value, torch.Tensor) and value.device.type == device
        is_converted = is_converted and value.is_floating_point() and value.dtype != torch.float64
        return value.to(target) if is_converted else value

    with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(_AUTOCAST_KEYS[device])):
        return interface.overload(*map(convert, arguments), **options)


def register_all() -> None:
    """Register every operator of the registry."""
    for operator in list(REGISTRY.values()):
        register(operator)
