"""The activations among `torch_npu`'s names, on CPU tensors, where there is no NPU and no torch_npu.

After `import actgrad.torch_npu` there are `npu_swiglu`, `npu_geglu`, `npu_gelu`, `npu_gelu_mul`, `npu_silu`,
`npu_mish`, `npu_fast_gelu` (also `fast_gelu`) and their gradients here and as `torch.ops.npu.*`, with the signatures
and defaults of torch_npu's documentation. Only `install()` makes `import torch_npu` find them, so that code written for
it runs unmodified; `uninstall()` undoes that.

What torch_npu has beyond them is not there, and the stand-in says so. No device is pretended: tensors stay on the CPU,
`torch.npu.is_available()` is false.

Deprecated since 0.3: the original torch_npu runs on the C SDK, see docs/torch_npu.md.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, TypeVar

import torch

from .base.errors import InvalidCall, did_you_mean
from .ops.gelu import gelu_backward
from .torch import call, functions
from .torch.variants import TAGS

warnings.warn(
    "actgrad.torch_npu is deprecated; the original torch_npu runs on the C SDK; see docs/torch_npu.md",
    DeprecationWarning,
    stacklevel=2,
)

_NAME = "torch_npu"
_STAND_IN = "actgrad's stand-in for torch_npu"


def _real() -> str | None:
    """The origin of the real torch_npu, or None without one."""
    loaded = sys.modules.get(_NAME)
    if loaded is not None:
        return None if loaded is _installed.get(_NAME) else f"imported from {getattr(loaded, '__file__', '?')}"
    spec = importlib.util.find_spec(_NAME)
    return None if spec is None else f"installed in {spec.origin}"


#: The modules that `install` added, by name.
_installed: dict[str, Any] = {}

if (_origin := _real()) is not None:
    raise ImportError(
        f"torch_npu is {_origin}; actgrad.torch_npu must not hide it; import torch_npu instead of actgrad.torch_npu"
    )


# torch.ops.npu

_LIBRARY = torch.library.Library("npu", "FRAGMENT")
_ops = torch.ops.actgrad
_functions: dict[str, Any] = {}
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _operator(function: _Function) -> _Function:
    """Make the function one of `torch.ops.npu`, with a schema from its signature; returns the call of that.

    Graphs from `torch.export` hold it. To all else that traces, transforms or differentiates, it is its body.
    """
    name, signature = function.__name__, inspect.signature(function)
    schema = torch.library.infer_schema(function, mutates_args=(), op_name=name)
    _LIBRARY.define(schema.replace("SymInt", "int"), tags=TAGS)
    _LIBRARY.impl(name, function, "CompositeImplicitAutograd")
    overload = getattr(torch.ops.npu, name).default

    @functools.wraps(function)
    def dispatched(*args: Any, **kwargs: Any) -> Any:
        try:
            return overload(*args, **kwargs)
        except RuntimeError:
            signature.bind(*args, **kwargs)  # Python's own error for arguments that it does not take
            raise

    _functions[name] = dispatched
    return dispatched  # type: ignore[return-value]


@_operator
def npu_geglu(
    self: torch.Tensor, dim: int = -1, approximate: int = 1, activate_left: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """(y, gelu): one half of `self` along `dim` times GELU of the other, and that GELU.

    The upper half is activated, or with `activate_left` the lower; `approximate` is 1 for tanh, 0 for none. Unlike
    torch_npu's, both results are differentiable.
    """
    return _ops.geglu.default(self, dim, approximate, activate_left)


@_operator
def npu_geglu_grad(
    grad_output: torch.Tensor,
    self: torch.Tensor,
    gelu: torch.Tensor,
    dim: int = -1,
    approximate: int = 1,
    activate_left: bool = False,
) -> torch.Tensor:
    """The gradient of npu_geglu's input, given its second result."""
    return _ops.geglu_backward.default(grad_output, self, gelu, dim, approximate, activate_left)


@_operator
def npu_gelu(self: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """GELU of each element; `approximate` is "none" or "tanh"."""
    return functions.gelu(self, approximate=approximate)


@_operator
def npu_gelu_backward(grad_output: torch.Tensor, self: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """The gradient of npu_gelu's input."""
    return call(gelu_backward, (grad_output, self), {"approximate": approximate})


@_operator
def npu_gelu_mul(input: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """GELU of the lower half of the last dimension times the upper half, without torch_npu's limits of size."""
    return functions.geglu(input, approximate=approximate, activate_left=True)


@_operator
def npu_swiglu(self: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """SiLU of the lower half of `self` along `dim`, times the upper half."""
    return functions.swiglu(self, dim)


@_operator
def npu_swiglu_backward(grad_output: torch.Tensor, self: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """The gradient of npu_swiglu's input."""
    return _ops.swiglu_backward.default(grad_output, self, dim)


@_operator
def npu_clipped_swiglu(
    x: torch.Tensor,
    *,
    group_index: torch.Tensor | None = None,
    dim: int = -1,
    alpha: float = 1.702,
    limit: float = 7.0,
    bias: float = 1.0,
    interleaved: bool = True,
) -> torch.Tensor:
    """Clipped SwiGLU, see actgrad.torch.clipped_swiglu; rows behind those that `group_index` counts are 0."""
    return functions.clipped_swiglu(x, group_index, dim, alpha, limit, bias, interleaved)


@_operator
def npu_silu(self: torch.Tensor) -> torch.Tensor:
    """SiLU of each element."""
    return functions.silu(self)


def npu_silu_(self: torch.Tensor) -> torch.Tensor:
    """SiLU of each element, in place."""
    return torch.ops.npu.npu_silu_.default(self)


_LIBRARY.define("npu_silu_(Tensor(a!) self) -> Tensor(a!)", tags=TAGS)
_LIBRARY.impl("npu_silu_", lambda self: functions.silu(self, inplace=True), "CompositeImplicitAutograd")
torch.library.register_vmap(
    "npu::npu_silu_", lambda info, in_dims, x: (torch.ops.npu.npu_silu_.default(x), in_dims[0]), lib=_LIBRARY
)
_functions["npu_silu_"] = npu_silu_


@_operator
def npu_silu_backward(grad_output: torch.Tensor, x0: torch.Tensor, x1: torch.Tensor) -> torch.Tensor:
    """The gradient of npu_silu's input `x0`; the result `x1` is not read."""
    return _ops.silu_backward.default(grad_output, x0)


@_operator
def npu_mish(self: torch.Tensor) -> torch.Tensor:
    """Mish of each element."""
    return functions.mish(self)


@_operator
def npu_mish_backward(grad: torch.Tensor, input: torch.Tensor) -> torch.Tensor:
    """The gradient of npu_mish's input."""
    return _ops.mish_backward.default(grad, input)


@_operator
def npu_fast_gelu(self: torch.Tensor) -> torch.Tensor:
    """x * sigmoid(1.702 * x) of each element x."""
    return functions.fast_gelu(self)


@_operator
def fast_gelu(self: torch.Tensor) -> torch.Tensor:
    """The same as npu_fast_gelu."""
    return functions.fast_gelu(self)


@_operator
def npu_fast_gelu_backward(grad: torch.Tensor, self: torch.Tensor) -> torch.Tensor:
    """The gradient of npu_fast_gelu's input."""
    return _ops.fast_gelu_backward.default(grad, self)


__all__ = sorted(["install", "uninstall", *_functions])

# import torch_npu


def install() -> None:
    """Let `import torch_npu` find this module, and give tensors and modules `.npu()`, which returns them unchanged.

    `torch.npu` has `is_available` (false), `device_count` (0) and `synchronize` (nothing to wait for). Raises
    InvalidCall where a real torch_npu is installed or imported, or another package has registered the device. A second
    call does nothing.
    """
    if _installed:
        return
    origin = _real()
    if origin is None and hasattr(torch, "npu"):
        origin = "in torch.npu already"
    if origin is not None:
        raise InvalidCall(
            f"install: the real torch_npu is {origin}; {_STAND_IN} must not hide it; import torch_npu itself"
        )
    nothing = {"is_available": lambda: False, "device_count": lambda: 0, "synchronize": lambda device=None: None}
    device = _module("torch.npu", "There is no NPU.", **nothing)
    _installed[_NAME] = sys.modules[_NAME] = _module(_NAME, __doc__, **dict(sorted(_functions.items())), npu=device)
    for name in ("torch_npu.contrib", "torch_npu.contrib.transfer_to_npu"):
        parent, _, child = name.rpartition(".")
        _installed[name] = sys.modules[name] = _module(name, "Nothing is moved: tensors stay on the CPU.")
        setattr(sys.modules[parent], child, _installed[name])
        sys.modules[parent].__path__ = []  # a package
    _installed["torch.npu"] = sys.modules["torch.npu"] = torch.npu = device
    torch.Tensor.npu = torch.nn.Module.npu = _stay


def uninstall() -> None:
    """Undo `install`. Without it, this does nothing. Imported names stay in modules that imported them."""
    if not _installed:
        return
    for name, module in _installed.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    _installed.clear()
    del torch.npu, torch.Tensor.npu, torch.nn.Module.npu


def _stay(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
    """`.npu()` without an NPU: the object itself."""
    return self


def _module(name: str, documentation: str | None, **members: Any) -> ModuleType:
    """A module of these members; its error for other names says that it is a stand-in."""
    module = ModuleType(name, documentation)
    module.__spec__ = ModuleSpec(name, None, origin="actgrad.torch_npu")  # importlib.util.find_spec requires one
    vars(module).update(members, __getattr__=partial(_missing, name, tuple(members)))
    return module


def _missing(module: str, members: tuple[str, ...], name: str) -> Any:
    cure = did_you_mean(name, members, "use one of these or the real torch_npu")
    raise AttributeError(f"module {module!r} has no {name!r}; {_STAND_IN} has {', '.join(members)}; {cure}")
