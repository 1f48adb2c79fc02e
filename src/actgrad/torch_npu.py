"""The activations among `torch_npu`'s names, on CPU tensors, where there is no NPU and no torch_npu.

After `import actgrad.torch_npu` there are `npu_swiglu`, `npu_geglu`, `npu_gelu`, `npu_gelu_mul`, `npu_silu`,
`npu_mish`, `npu_fast_gelu` (also `fast_gelu`) and their gradients here and as `torch.ops.npu.*`, with the signatures
and defaults of torch_npu's documentation. Only `install()` makes `import torch_npu` find them, so that code written for
it runs unmodified; `uninstall()` undoes that.

What torch_npu has beyond them is not there, and the stand-in says so. No device is pretended: tensors stay on the CPU,
`torch.npu.is_available()` is false.
"""

from __future__ import annotations

import importlib.util
import sys
from functools import partial
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import torch

from .base.errors import InvalidCall
from .calls.operator import Operator
from .ops.fast_gelu import fast_gelu as _fast_gelu
from .ops.fast_gelu import fast_gelu_backward
from .ops.geglu import geglu, geglu_backward
from .ops.gelu import gelu, gelu_backward
from .ops.mish import mish, mish_backward
from .ops.silu import silu, silu_backward
from .ops.swiglu import swiglu, swiglu_backward
from .torch import autograd, batching, functions, kernels
from .torch.kernels import Interface
from .torch.variants import TAGS

__all__ = [
    "fast_gelu",
    "install",
    "npu_clipped_swiglu",
    "npu_fast_gelu",
    "npu_fast_gelu_backward",
    "npu_geglu",
    "npu_geglu_grad",
    "npu_gelu",
    "npu_gelu_backward",
    "npu_gelu_mul",
    "npu_mish",
    "npu_mish_backward",
    "npu_silu",
    "npu_silu_",
    "npu_silu_backward",
    "npu_swiglu",
    "npu_swiglu_backward",
    "uninstall",
]

_NAME = "torch_npu"
_STAND_IN = "actgrad's stand-in for torch_npu"


def _real() -> str | None:
    """The place of the real torch_npu; None without one."""
    loaded = sys.modules.get(_NAME)
    if loaded is not None:
        return None if loaded is _installed.get(_NAME) else f"imported from {getattr(loaded, '__file__', '?')}"
    spec = importlib.util.find_spec(_NAME)
    return None if spec is None else f"installed in {spec.origin}"


#: The modules that `install` added, by name.
_installed: dict[str, Any] = {}

if (_place := _real()) is not None:
    raise ImportError(f"actgrad.torch_npu stands in for a missing torch_npu, but that is {_place}; import torch_npu")


# torch.ops.npu


class _ByKeyword:
    """An overload that takes attributes by keyword, called by position."""

    def __init__(self, overload: Any, names: tuple[str, ...]):
        self._overload, self._names = overload, names

    def _split(self, row: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        positional = len(row) - len(self._names)
        return row[:positional], dict(zip(self._names, row[positional:], strict=True))

    def __call__(self, *row: Any) -> Any:
        given, named = self._split(row)
        return self._overload(*given, **named)

    def redispatch(self, keys: Any, *row: Any) -> Any:
        given, named = self._split(row)
        return self._overload.redispatch(keys, *given, **named)


class _NpuInterface(Interface):
    """An operator under torch_npu's name, with its defaults; the tensors and their order are the same."""

    def __init__(self, name: str, operator: Operator, defaults: dict[str, Any], by_keyword: bool):
        super().__init__(operator)
        self.name = name
        self.by_keyword = self.names if by_keyword else ()
        arguments = operator.schema.arguments
        self.defaults = tuple(
            defaults.get(a.name, default) for a, default in zip(arguments, self.defaults, strict=True)
        )

    @property
    def title(self) -> str:
        return "".join(word.capitalize() for word in self.name.split("_"))

    @property
    def overload(self) -> Any:
        overload = getattr(torch.ops.npu, self.name).default
        return _ByKeyword(overload, self.by_keyword) if self.by_keyword else overload

    def template(self, attributes: dict[str, Any]) -> list[Any]:
        row = super().template(attributes)
        if self.by_keyword:  # torch_npu takes a string
            row[self.span] = [self.operator.choices[number] for number in row[self.span]]
        return row


_LIBRARY = torch.library.Library("npu", "FRAGMENT")


def _define(schema: str, operator: Operator, *, by_keyword: bool = False, **defaults: Any) -> None:
    """Make an operator of the registry one of `torch.ops.npu`, with its kernels, derivatives and vmap rule."""
    interface = _NpuInterface(schema.partition("(")[0], operator, defaults, by_keyword)
    name = interface.name
    _LIBRARY.define(schema, tags=TAGS)
    derive = autograd.kernel(interface)

    def row(given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments: the defaults of torch_npu differ from the operator's."""
        return interface.filled((*given, *named.values()))

    def on_graph(keys: Any, *given: Any, **named: Any) -> Any:
        return derive(keys, *row(given, named))

    torch.library.register_fake(f"npu::{name}", lambda *g, **n: kernels.shapes(interface, *row(g, n)), lib=_LIBRARY)
    _LIBRARY.impl(name, lambda *g, **n: interface.kernel(*row(g, n)), "CompositeExplicitAutograd")
    _LIBRARY.impl(name, on_graph, "Autograd", with_keyset=True)
    batched = batching.rule(interface)
    torch.library.register_vmap(
        f"npu::{name}",
        lambda info, in_dims, *g, **n: batched(info, (*in_dims, *[None] * len(n)), *row(g, n)),
        lib=_LIBRARY,
    )


_define(
    "npu_geglu(Tensor self, int dim=-1, int approximate=1, bool activate_left=False) -> (Tensor, Tensor)",
    geglu,
    approximate=1,
)
_define(
    "npu_geglu_grad(Tensor grad_output, Tensor self, Tensor gelu, int dim=-1, int approximate=1, "
    "bool activate_left=False) -> Tensor",
    geglu_backward,
    approximate=1,
)
_define("npu_gelu(Tensor self, *, str approximate='none') -> Tensor", gelu, by_keyword=True, approximate="none")
_define(
    "npu_gelu_backward(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor",
    gelu_backward,
    by_keyword=True,
    approximate="none",
)
_define("npu_swiglu(Tensor self, int dim=-1) -> Tensor", swiglu)
_define("npu_swiglu_backward(Tensor grad_output, Tensor self, int dim=-1) -> Tensor", swiglu_backward)
_define("npu_silu(Tensor self) -> Tensor", silu)
_define("npu_mish(Tensor self) -> Tensor", mish)
_define("npu_mish_backward(Tensor grad, Tensor input) -> Tensor", mish_backward)
_define("npu_fast_gelu(Tensor self) -> Tensor", _fast_gelu)
_define("fast_gelu(Tensor self) -> Tensor", _fast_gelu)
_define("npu_fast_gelu_backward(Tensor grad, Tensor self) -> Tensor", fast_gelu_backward)
_LIBRARY.define("npu_silu_(Tensor(a!) self) -> Tensor(a!)", tags=TAGS)
_LIBRARY.impl("npu_silu_", lambda self: functions.silu(self, inplace=True), "CompositeImplicitAutograd")
_LIBRARY.define("npu_silu_backward(Tensor grad_output, Tensor x0, Tensor x1) -> Tensor", tags=TAGS)
_LIBRARY.impl(
    "npu_silu_backward",
    lambda grad_output, x0, x1: getattr(torch.ops.actgrad, silu_backward.name)(grad_output, x0),
    "CompositeImplicitAutograd",
)
_LIBRARY.define("npu_gelu_mul(Tensor input, *, str approximate='none') -> Tensor", tags=TAGS)
_LIBRARY.impl(
    "npu_gelu_mul",
    lambda input, *, approximate="none": functions.geglu(input, approximate=approximate, activate_left=True),
    "CompositeImplicitAutograd",
)
_LIBRARY.define(
    "npu_clipped_swiglu(Tensor x, *, Tensor? group_index=None, int dim=-1, float alpha=1.702, float limit=7.0, "
    "float bias=1.0, bool interleaved=True) -> Tensor",
    tags=TAGS,
)
_LIBRARY.impl(
    "npu_clipped_swiglu",
    lambda x, *, group_index=None, dim=-1, alpha=1.702, limit=7.0, bias=1.0, interleaved=True: functions.clipped_swiglu(
        x, group_index, dim, alpha, limit, bias, interleaved
    ),
    "CompositeImplicitAutograd",
)
torch.library.register_vmap(
    "npu::npu_silu_",
    lambda info, in_dims, x: (torch.ops.npu.npu_silu_.default(x), in_dims[0]),
    lib=_LIBRARY,
)
torch.library.register_vmap(
    "npu::npu_gelu_mul",
    lambda info, in_dims, x, **named: (torch.ops.npu.npu_gelu_mul.default(x.movedim(in_dims[0], 0), **named), 0),
    lib=_LIBRARY,
)


# The functions


def npu_geglu(self: torch.Tensor, dim: int = -1, approximate: int = 1, activate_left: bool = False) -> Any:
    """(y, gelu): one half of `self` along `dim` times GELU of the other, and that GELU.

    The upper half is activated, or with `activate_left` the lower; `approximate` is 1 for tanh, 0 for none. Unlike
    torch_npu's, both results are differentiable.
    """
    return torch.ops.npu.npu_geglu.default(self, dim, approximate, activate_left)


def npu_geglu_grad(
    grad_output: torch.Tensor,
    self: torch.Tensor,
    gelu: torch.Tensor,
    dim: int = -1,
    approximate: int = 1,
    activate_left: bool = False,
) -> torch.Tensor:
    """The gradient of npu_geglu's input, given its second result."""
    return torch.ops.npu.npu_geglu_grad.default(grad_output, self, gelu, dim, approximate, activate_left)


def npu_gelu(self: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """GELU of each element; `approximate` is "none" or "tanh"."""
    return torch.ops.npu.npu_gelu.default(self, approximate=approximate)


def npu_gelu_backward(grad_output: torch.Tensor, self: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """The gradient of npu_gelu's input."""
    return torch.ops.npu.npu_gelu_backward.default(grad_output, self, approximate=approximate)


def npu_gelu_mul(input: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """GELU of the lower half of the last dimension times the upper half, without torch_npu's limits of size."""
    return torch.ops.npu.npu_gelu_mul.default(input, approximate=approximate)


def npu_swiglu(self: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """SiLU of the lower half of `self` along `dim`, times the upper half."""
    return torch.ops.npu.npu_swiglu.default(self, dim)


def npu_swiglu_backward(grad_output: torch.Tensor, self: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """The gradient of npu_swiglu's input."""
    return torch.ops.npu.npu_swiglu_backward.default(grad_output, self, dim)


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
    return torch.ops.npu.npu_clipped_swiglu.default(
        x, group_index=group_index, dim=dim, alpha=alpha, limit=limit, bias=bias, interleaved=interleaved
    )


def npu_silu(self: torch.Tensor) -> torch.Tensor:
    """SiLU of each element."""
    return torch.ops.npu.npu_silu.default(self)


def npu_silu_(self: torch.Tensor) -> torch.Tensor:
    """npu_silu in place."""
    return torch.ops.npu.npu_silu_.default(self)


def npu_silu_backward(grad_output: torch.Tensor, x0: torch.Tensor, x1: torch.Tensor) -> torch.Tensor:
    """The gradient of npu_silu's input `x0`; the result `x1` is not read."""
    return torch.ops.npu.npu_silu_backward.default(grad_output, x0, x1)


def npu_mish(self: torch.Tensor) -> torch.Tensor:
    """Mish of each element."""
    return torch.ops.npu.npu_mish.default(self)


def npu_mish_backward(grad: torch.Tensor, input: torch.Tensor) -> torch.Tensor:
    """The gradient of npu_mish's input."""
    return torch.ops.npu.npu_mish_backward.default(grad, input)


def npu_fast_gelu(self: torch.Tensor) -> torch.Tensor:
    """x * sigmoid(1.702 * x) of each element x."""
    return torch.ops.npu.npu_fast_gelu.default(self)


def fast_gelu(self: torch.Tensor) -> torch.Tensor:
    """The same as npu_fast_gelu."""
    return torch.ops.npu.fast_gelu.default(self)


def npu_fast_gelu_backward(grad: torch.Tensor, self: torch.Tensor) -> torch.Tensor:
    """The gradient of npu_fast_gelu's input."""
    return torch.ops.npu.npu_fast_gelu_backward.default(grad, self)


# import torch_npu


def install() -> None:
    """Let `import torch_npu` find this module, and give tensors and modules `.npu()`, which returns them unchanged.

    `torch.npu` has `is_available` (false), `device_count` (0) and `synchronize` (nothing to wait for). Raises
    InvalidCall where a real torch_npu is installed or imported, or another package has registered the device. A second
    call does nothing.
    """
    if _installed:
        return
    place = _real()
    if place is None and hasattr(torch, "npu"):
        place = "in torch.npu already"
    if place is not None:
        raise InvalidCall(f"install: the real torch_npu is {place}; {_STAND_IN} is for where there is none")
    nothing = {"is_available": lambda: False, "device_count": lambda: 0, "synchronize": lambda device=None: None}
    device = _module("torch.npu", "There is no NPU.", **nothing)
    public = {name: globals()[name] for name in __all__ if name not in ("install", "uninstall")}
    _installed[_NAME] = sys.modules[_NAME] = _module(_NAME, __doc__, **public, npu=device)
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


def _missing(module: str, known: tuple[str, ...], name: str) -> Any:
    raise AttributeError(f"module {module!r} is {_STAND_IN}, which has no {name!r}; it has {', '.join(known)}")
