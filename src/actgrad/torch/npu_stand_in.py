"""The activations of `torch_npu` on CPU tensors, for machines without an NPU and without torch_npu.

After `import actgrad.torch_npu`, this module and `torch.ops.npu` have `npu_swiglu`, `npu_geglu`, `npu_gelu`,
`npu_gelu_mul`, `npu_silu`, `npu_mish`, `npu_fast_gelu` (also `fast_gelu`) and their gradients, with the signatures and
defaults of torch_npu's documentation. After `install()`, `import torch_npu` finds these functions, so that code for
torch_npu runs unmodified. `uninstall()` undoes this.

This module lacks the other functions of torch_npu, and raises an error for them. Tensors stay on the CPU, and
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

from ..base.errors import InvalidCall, did_you_mean
from ..ops.gelu import gelu_backward
from . import call, functions
from .variants import TAGS

warnings.warn(
    "actgrad.torch_npu is deprecated; the original torch_npu runs on the C SDK; see docs/torch_npu.md",
    DeprecationWarning,
    stacklevel=2,
)

_NAME = "torch_npu"
_STAND_IN = "actgrad's stand-in for torch_npu"


def _real() -> str | None:
    """The origin of the real torch_npu, or None if there is none."""
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
    """Add a function to `torch.ops.npu`, with a schema from its signature. Returns a function that calls the operator.

    Graphs of `torch.export` contain the operator. Other tracers and transforms, and autograd, see the code of the
    function.
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
            signature.bind(*args, **kwargs)  # it raises Python's error for wrong arguments
            raise

    _functions[name] = dispatched
    return dispatched  # type: ignore[return-value]


@_operator
def npu_geglu(
    self: torch.Tensor, dim: int = -1, approximate: int = 1, activate_left: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """(lower * gelu(upper), gelu(upper)), for the halves of `self` along `dim`.

    `activate_left` swaps the roles of lower and upper. `approximate` is 1 for "tanh" and 0 for "none". Both results are
    differentiable, which they are not in torch_npu.
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
    """The gradient of npu_geglu's input. `gelu` is the second result of npu_geglu."""
    return _ops.geglu_backward.default(grad_output, self, gelu, dim, approximate, activate_left)


@_operator
def npu_gelu(self: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """gelu(x). `approximate` is "none" or "tanh"."""
    return functions.gelu(self, approximate=approximate)


@_operator
def npu_gelu_backward(grad_output: torch.Tensor, self: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """The gradient of npu_gelu's input."""
    return call(gelu_backward, (grad_output, self), {"approximate": approximate})


@_operator
def npu_gelu_mul(input: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """gelu(lower) * upper, for the halves of the last dimension. It does not have torch_npu's limits of size."""
    return functions.geglu(input, approximate=approximate, activate_left=True)


@_operator
def npu_swiglu(self: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """silu(lower) * upper, for the halves of `self` along `dim`."""
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
    """Clipped SwiGLU, see actgrad.torch.clipped_swiglu. The rows that `group_index` does not count are 0."""
    return functions.clipped_swiglu(x, group_index, dim, alpha, limit, bias, interleaved)


@_operator
def npu_silu(self: torch.Tensor) -> torch.Tensor:
    """x * sigmoid(x)"""
    return functions.silu(self)


def npu_silu_(self: torch.Tensor) -> torch.Tensor:
    """x * sigmoid(x), in place."""
    return torch.ops.npu.npu_silu_.default(self)


_LIBRARY.define("npu_silu_(Tensor(a!) self) -> Tensor(a!)", tags=TAGS)
_LIBRARY.impl("npu_silu_", lambda self: functions.silu(self, inplace=True), "CompositeImplicitAutograd")
torch.library.register_vmap(
    "npu::npu_silu_", lambda info, in_dims, x: (torch.ops.npu.npu_silu_.default(x), in_dims[0]), lib=_LIBRARY
)
_functions["npu_silu_"] = npu_silu_


@_operator
def npu_silu_backward(grad_output: torch.Tensor, x0: torch.Tensor, x1: torch.Tensor) -> torch.Tensor:
    """The gradient of npu_silu's input `x0`. The result `x1` is not read."""
    return _ops.silu_backward.default(grad_output, x0)


@_operator
def npu_mish(self: torch.Tensor) -> torch.Tensor:
    """x * tanh(log(1 + exp(x)))"""
    return functions.mish(self)


@_operator
def npu_mish_backward(grad: torch.Tensor, input: torch.Tensor) -> torch.Tensor:
    """The gradient of npu_mish's input."""
    return _ops.mish_backward.default(grad, input)


@_operator
def npu_fast_gelu(self: torch.Tensor) -> torch.Tensor:
    """x * sigmoid(1.702 * x)"""
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
    """Make `import torch_npu` find this module, and add a method `.npu()` to tensors and modules that returns `self`.

    `torch.npu` has `is_available` (false), `device_count` (0) and `synchronize` (which does nothing). Raises
    InvalidCall if the real torch_npu is installed or imported, or if another package has registered the device. A
    second call does nothing.
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
    """Undo `install`, if it was called. Modules keep the names that they have imported."""
    if not _installed:
        return
    for name, module in _installed.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    _installed.clear()
    del torch.npu, torch.Tensor.npu, torch.nn.Module.npu


def _stay(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
    """The method `.npu()`, which returns the object itself."""
    return self


def _module(name: str, documentation: str | None, **members: Any) -> ModuleType:
    """A module with these members. Its error for another name says that the module is a stand-in."""
    module = ModuleType(name, documentation)
    module.__spec__ = ModuleSpec(name, None, origin=__name__)  # importlib.util.find_spec requires one
    vars(module).update(members, __getattr__=partial(_missing, name, tuple(members)))
    return module


def _missing(module: str, members: tuple[str, ...], name: str) -> Any:
    cure = did_you_mean(name, members, "use one of these or the real torch_npu")
    raise AttributeError(f"module {module!r} has no {name!r}; {_STAND_IN} has {', '.join(members)}; {cure}")
