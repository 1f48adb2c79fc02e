"""torch.autocast: operators whose tensors PyTorch converts to another dtype before its own operator of that name runs.

All other operators compute in the dtype that arrives, as PyTorch's do.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from ..aten import AUTOCAST
from .kernels import Interface

_KEYS = {"cpu": torch._C.DispatchKey.AutocastCPU, "cuda": torch._C.DispatchKey.AutocastCUDA}


def register(library: Any, interface: Interface) -> None:
    """Register the conversions of an operator, if PyTorch has some for it."""
    for device, dtype in AUTOCAST.get(interface.operator.name, {}).items():
        library.impl(interface.operator.name, partial(_convert, interface, device, dtype), _KEYS[device].name)


def _convert(interface: Interface, device: str, dtype: str, *given: Any, **options: Any) -> Any:
    """The call on converted tensors. float64 and tensors on other devices stay."""
    target = getattr(torch, dtype) if dtype else torch.get_autocast_dtype(device)

    def converted(value: Any) -> Any:
        is_converted = isinstance(value, torch.Tensor) and value.device.type == device
        is_converted = is_converted and value.is_floating_point() and value.dtype != torch.float64
        return value.to(target) if is_converted else value

    with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(_KEYS[device])):
        return interface.overload(*map(converted, given), **options)
