"""The interceptors of PyTorch: modes, transforms of torch.func, tracers, and tensor classes with their own rules.

Interceptors see PyTorch's operators, but not a kernel that reads memory. So a call goes to `torch.ops.actgrad` while an
interceptor is active. Then plans and explicit backends are refused. The extension of calls/ asks PyTorch's own
functions whether an interceptor may be active.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from ..base.errors import BackendUnavailable, InvalidCall

#: Computes an operator's call through PyTorch's dispatcher: handler(operator, tensors, attributes, outputs). The import
#: of the package `actgrad.torch` sets it.
handler: Callable[..., Any] | None = None

#: Imports the package that sets `handler`. The package `actgrad` sets it.
import_handler: Callable[[], object] | None = None

#: Dispatch keys that a thread includes while an interceptor is active, and the interceptor's name in messages.
KEYS = {
    "Python": "a TorchDispatchMode",
    "FuncTorchDynamicLayerFrontMode": "a transform of torch.func",
    "Tracer": "torch.jit.trace",
    "PreDispatch": "torch.export",
}


def load_handler() -> Callable[..., Any]:
    """The handler. The first use imports its package."""
    if handler is None and import_handler is not None:
        import_handler()
    if handler is None:
        raise BackendUnavailable("this call needs PyTorch's dispatcher; import actgrad.torch first")
    return handler


def may_be_active() -> bool:
    """Whether an interceptor may be active in this thread. If False, none is active.

    The extension replaces this function.
    """
    return True


def interceptor() -> str:
    """The name of the interceptor that is active in this thread, or ""."""
    torch = _torch()
    if torch is None or not may_be_active():
        return ""
    if torch._C._is_torch_function_mode_enabled():
        from torch.utils._device import DeviceContext

        for mode in torch.overrides._get_current_function_mode_stack():
            if not isinstance(mode, DeviceContext):  # torch.set_default_device changes none of our operators
                return f"{type(mode).__name__} (a TorchFunctionMode)"
    is_included = torch._C._dispatch_tls_is_dispatch_key_included
    is_excluded = torch._C._dispatch_tls_is_dispatch_key_excluded
    for key, name in dispatch_keys(torch):
        if is_included(key) and not is_excluded(key):  # excluded while the interceptor handles a call
            return name
    return ""


def refuse(subject: str, way_out: str) -> None:
    """Raise if an interceptor is active, because it would miss computations on memory."""
    active = interceptor()
    if active:
        raise InvalidCall(f"{subject} inside {active}; PyTorch must see each call there; {way_out}")


def must_see(objects: tuple[Any, ...]) -> bool:
    """Whether PyTorch intercepts a call on these objects. All must be tensors or similar. None means left out."""
    torch = _torch()
    tensors = [obj for obj in objects if obj is not None]
    if torch is None or not tensors or not all(isinstance(x, torch.Tensor) or has_rule(torch, x) for x in tensors):
        return False
    return bool(interceptor()) or any(map(partial(_stands_for_others, torch), tensors))


def is_differentiated(objects: tuple[Any, ...]) -> bool:
    """Whether one of these objects is a tensor on the graph, or has a tangent."""
    torch = _torch()
    if torch is None or not all(obj is None or isinstance(obj, torch.Tensor) for obj in objects):
        return False
    return any(requires_grad(torch, obj) for obj in objects if obj is not None)


def requires_grad(torch: Any, tensor: Any) -> bool:
    """Whether a call on the tensor is recorded for differentiation, in reverse or forward mode."""
    if tensor.requires_grad and torch.is_grad_enabled():
        return True
    forward_mode = torch.autograd.forward_ad
    if forward_mode._current_level < 0 or torch._C._dispatch_tls_is_dispatch_key_excluded("AutogradFunctionality"):
        return False  # a kernel of the dispatcher runs below autograd, and unpacks no tangents
    return forward_mode.unpack_dual(tensor).tangent is not None


def has_rule(torch: Any, obj: Any) -> bool:
    """Whether the class of an object has a `__torch_function__` that applies."""
    kind = type(obj)
    rule = None if kind is torch.Tensor else getattr(kind, "__torch_function__", None)
    if rule is None or rule is torch._C._disabled_torch_function_impl:
        return False
    return bool(torch._C._is_torch_function_enabled())


def _stands_for_others(torch: Any, obj: Any) -> bool:
    """Whether an object is not plain memory: a fake, batched or functional tensor, or a tensor with its own rules."""
    if not isinstance(obj, torch.Tensor):
        return True
    if obj.is_nested:
        return False  # actgrad refuses such a tensor later, with its own message
    return bool(
        has_rule(torch, obj)
        or type(obj).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__
        or torch._C._functorch.is_functorch_wrapped_tensor(obj)
        or torch._is_functional_tensor(obj)
    )


def _torch() -> Any:
    """PyTorch, or None before its import is complete."""
    torch: Any = sys.modules.get("torch")
    is_whole = hasattr(torch, "__version__") and not getattr(torch.__spec__, "_initializing", False)
    return torch if is_whole else None


@cache
def dispatch_keys(torch: Any) -> tuple[tuple[Any, str], ...]:
    """PyTorch's objects for KEYS, with their names in messages."""
    return tuple((torch._C._parse_dispatch_key(key), name) for key, name in KEYS.items())
