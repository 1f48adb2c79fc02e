"""Registration of actgrad's operators as `torch.ops.actgrad`."""

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

#: It must live as long as the process, because PyTorch removes operators together with their library.
LIBRARY = torch.library.Library("actgrad", "FRAGMENT")

_CLONE = variants.register_clone(LIBRARY)

#: The dispatch keys of the kernel. The first one is for all devices, and the operator raises an error for a wrong
#: device. The keys CPU and CUDA make graphs keep the operator. On meta tensors, the kernel calls `overload`, and its
#: fake rule computes the shapes.
KERNEL_KEYS = ("CompositeExplicitAutograd", "CPU", "CUDA")

#: The dispatch keys of the autograd kernel. AutogradOther is for mkldnn tensors. Without it, they would have no
#: gradient.
AUTOGRAD_KEYS = ("Autograd", "AutogradOther")

#: Name -> the interface of a registered operator.
REGISTERED: dict[str, Interface] = {}

#: Operators whose rules are not registered yet. Rules take most of the time, and few programs need all operators.
_incomplete: dict[str, Interface] = {}
_undefined: set[str] = set()  # operators for which `register` is running
_lock = forkable_lock()


class _Namespace(type(torch.ops.actgrad)):  # type: ignore[misc]
    """`torch.ops.actgrad`, which registers an operator and its rules when a name is first looked up."""

    __module__ = type(torch.ops.actgrad).__module__  # it becomes part of the names of PyTorch's operator objects

    def __getattr__(self, name: str) -> Any:
        operator = REGISTRY.get(name) or REGISTRY.get(name.removesuffix("_"))
        if operator is not None:
            with _lock:
                interface = register(operator)
                if interface.operator.name in _undefined:  # `define` looks for overloads that exist already
                    raise AttributeError(name)
                _complete(interface)
                if name in vars(self):  # registering the rules has made PyTorch's object, and there must be only one
                    return vars(self)[name]
        return super().__getattr__(name)


torch.ops.actgrad.__class__ = _Namespace


def register(operator: Operator) -> Interface:
    """Add an operator to `torch.ops.actgrad`, unless it is there already.

    The import of this package registers the operators of the registry. An operator that is defined later is registered
    when a program first looks up its name in `torch.ops.actgrad`. To add a kernel for another device, use `overload` of
    the result.
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
    """Register the rules of fake tensors, DTensor, torch.compile and nested tensors, unless this is done already."""
    name = interface.operator.name
    if _incomplete.pop(name, None) is None:
        return
    with _disable_current_modes():  # because the first call may be traced
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
    """The results of a call on jagged tensors, computed by aten's operators."""
    return decomposition.of_other_kinds(interface, *args)


def call(operator: Operator, tensors: Sequence[Any], attributes: dict[str, Any], out: tuple[Any, ...] = ()) -> Any:
    """Call an operator through PyTorch's dispatcher, without autocast. Tensors are in the order of the schema."""
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
    """Register a rule for torch.autocast, if PyTorch's operator of the same name has one.

    Other operators compute in the dtype of their inputs, as PyTorch's operators do.
    """
    for device, dtype in AUTOCAST.get(interface.operator.name, {}).items():
        rule = partial(_converted, interface, device, dtype)
        LIBRARY.impl(interface.operator.name, rule, _AUTOCAST_KEYS[device].name)


def _converted(interface: Interface, device: str, dtype: str, *arguments: Any, **options: Any) -> Any:
    """The call on tensors that autocast converts. It does not convert float64 and tensors on other devices."""
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
