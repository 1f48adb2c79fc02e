"""Conversion of the activations in an existing model, in place, and back.

`convert` replaces a module's class by a subclass with another `forward`. The object stays, with its parameters,
buffers, hooks and names; so do references to it, and `isinstance`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import torch

from ..base.errors import InvalidArgument
from . import functions, public_names, saving

nn = torch.nn


class ConvertedModule(NamedTuple):
    """A row of the report: one module."""

    name: str  # in the model; several for a shared module
    was: str  # its class
    becomes: str  # its new class; "" without one
    reason: str  # for leaving it alone


@dataclass(frozen=True)
class Report:
    """The outcome of a conversion; printed, it is a table. `rows`, `swapped` and `left` are the data.

    Only modules are converted: calls such as `torch.nn.functional.gelu` in a `forward` are not in the report.
    """

    rows: tuple[ConvertedModule, ...]

    @property
    def swapped(self) -> tuple[ConvertedModule, ...]:
        """The modules with a new class."""
        return tuple(row for row in self.rows if row.becomes)

    @property
    def left(self) -> tuple[ConvertedModule, ...]:
        """The activation modules that were left alone."""
        return tuple(row for row in self.rows if not row.becomes)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ConvertedModule]:
        return iter(self.rows)

    def __str__(self) -> str:
        if not self.rows:
            return "no activation modules to swap (functional calls are not looked at)"
        table = [("module", "from", "to", "why not"), *((r.name, r.was, r.becomes or "-", r.reason) for r in self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]
        return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])

    __repr__ = __str__


def convert(model: torch.nn.Module, *, save: str = saving.AUTO) -> Report:
    """Convert a model's activation modules to actgrad, in place; the report lists those converted and those left.

    It converts torch.nn's activations that actgrad.torch has, and modules of other libraries that compute one of them:
    activations without parameters, packed gates (diffusers' GEGLU), and blocks of gate_proj, up_proj and down_proj
    (Llama, Gemma, Qwen, ...), gated by GELU or SiLU. Trials on a few numbers tell the latter. Scripted modules and
    subclasses of torch.nn's with a `forward` of their own are left alone. Calls of `torch.nn.functional` stay.

    `save` is that of the functions. "auto" may save a result in place of the input. Where a model writes into an
    activation's result (`y = elu(x); y += residual`), the backward pass raises PyTorch's error; pass "input" then.
    Sigmoid and Tanh always save the result, as PyTorch's own do.
    """
    if save not in (saving.AUTO, saving.INPUT):
        raise InvalidArgument(f"convert: save is {save!r}; it must be {saving.AUTO!r} or {saving.INPUT!r}")
    return _each(model, partial(_converted, save))


def revert(model: torch.nn.Module) -> Report:
    """Undo `convert`: the modules, still the same objects, get their own classes back."""
    return _each(model, _reverted)


def _each(model: torch.nn.Module, change: Callable[[torch.nn.Module], tuple[Any, str]]) -> Report:
    """Give each module the class that `change` returns; None leaves it. A class or a reason makes a row."""
    names: dict[torch.nn.Module, list[str]] = {}
    for name, module in model.named_modules(remove_duplicate=False):
        names.setdefault(module, []).append(name or "(the model itself)")
    rows = []
    for module, known in names.items():
        was = type(module)
        kind, reason = change(module)
        if kind is not None:
            module.__class__ = kind
        if kind is not None or reason:
            rows.append(
                ConvertedModule(", ".join(known), was.__name__, kind.__name__ if kind is not None else "", reason)
            )
    return Report(tuple(rows))


# The classes


class _Marker:
    """The base of converted classes."""

    original: type


@cache
def _class(original: Any, forward: Callable[..., Any], option: str) -> type:
    """A subclass with another forward. `option` is its `save`, or GELU's form.

    Its name begins with ours, as the names that torch.nn.utils.parametrize makes begin with "Parametrized".
    """
    members = {
        "forward": forward,
        "original": original,
        "actgrad_option": option,
        "__module__": original.__module__,
        "__doc__": original.__doc__,
        "__reduce_ex__": lambda self, _: (_rebuilt, (original, forward, option), self.__dict__.copy()),
    }
    return type(f"Actgrad{original.__name__}", (original, _Marker), members)


def _rebuilt(original: Any, forward: Callable[..., Any], option: str) -> Any:
    """A converted module without its state, for pickles and copies."""
    kind: Any = _class(original, forward, option)
    return kind.__new__(kind)


def _reverted(module: torch.nn.Module) -> tuple[type | None, str]:
    if not isinstance(module, _Marker):
        return None, ""
    if "original" not in vars(type(module)):
        return None, f"{type(module).__name__} was made from the converted class; undo that first"
    return type(module).original, ""


def _converted(save: str, module: torch.nn.Module) -> tuple[type | None, str]:
    kind: Any = type(module)
    if isinstance(module, _Marker):
        return None, ""
    simple = next((base for base in kind.__mro__ if base in _plain()), None)
    children = set(dict(module.named_children()))
    is_packed, is_block = kind.__name__ == "GEGLU", children >= {"gate_proj", "up_proj", "down_proj"}
    if simple is None and not is_packed and not is_block:
        return _known_by_trial(module, save)
    if isinstance(module, torch.jit.ScriptModule):
        return None, "it is scripted"
    if "forward" in vars(module):
        return None, "its forward was replaced on the instance"
    if simple is not None:
        if kind.forward is not simple.forward:
            return None, f"a sub-class of {simple.__name__} with a forward of its own"
        return _class(kind, _forward(_plain()[simple]), save), ""
    if is_packed:
        if children != {"proj"}:
            return None, "it is no projection named proj and a gelu"
        return _if_it_is(module, _packed_forward, ("proj",), lambda x, gate: _lower(x) * gate(_upper(x)), _GELUS)
    if _has_hooks(getattr(module, "act_fn", None)):
        return None, "its act_fn has hooks, which would no longer be called"
    projections = ("gate_proj", "up_proj", "down_proj")
    return _if_it_is(module, _two_forward, projections, lambda x, gate: gate(x) * (3.0 * x), _GATES)


# Their forwards


@cache
def _plain() -> dict[type, str]:
    """torch.nn's classes of the activations here, each with the name of its function."""
    pairs = [(getattr(nn, names.module, None), names.function) for names in public_names.stated() if names.module]
    return {kind: function for kind, function in pairs if kind is not None}


def _may_save_input(function: str) -> bool:
    """Whether a function of actgrad.torch can save its input, where its gradient may also be given the result."""
    operator = next(names.operator for names in public_names.stated() if names.function == function)
    has_choice = "save" in inspect.signature(getattr(functions, function)).parameters
    return has_choice and saving.INPUT in saving.ways(operator)


@cache
def _forward(function: str) -> Callable[..., Any]:
    """The forward of torch.nn's module of a function, which reads its own attributes."""
    call = getattr(functions, function)
    kind = next(kind for kind, name in _plain().items() if name == function)
    own = set(inspect.signature(kind).parameters)
    names = [name for name in inspect.signature(call).parameters if name in own]
    saves = _may_save_input(function)

    def forward(self: Any, input: torch.Tensor) -> torch.Tensor:
        given = {name: getattr(self, name) for name in names}
        return call(input, **given, save=self.actgrad_option) if saves else call(input, **given)

    forward.__name__ = forward.__qualname__ = f"_{function}"
    forward.__module__ = __name__
    return forward


@cache
def _fixed_forward(trial: str) -> Callable[..., Any]:
    """The forward of a module without parameters that computes a function of _TRIALS; its input has any name."""
    call, saves = _function(trial, functions), _may_save_input(_TRIALS[trial][0])

    def forward(self: Any, *inputs: torch.Tensor, **named: torch.Tensor) -> torch.Tensor:
        (x,) = (*inputs, *named.values())
        return call(x, save=self.actgrad_option) if saves else call(x)

    forward.__name__ = forward.__qualname__ = f"_as_{trial}"
    forward.__module__ = __name__
    return forward


def __getattr__(name: str) -> Any:
    """The forwards by their names, which pickles have."""
    if name.startswith("_as_") and name.removeprefix("_as_") in _TRIALS:
        return _fixed_forward(name.removeprefix("_as_"))
    if not name.startswith("__") and name.removeprefix("_") in _plain().values():
        return _forward(name.removeprefix("_"))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _packed_forward(self: Any, hidden_states: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    if args or kwargs:  # deprecated: the original warns
        return self.original.forward(self, hidden_states, *args, **kwargs)
    return functions.geglu(self.proj(hidden_states), approximate=self.actgrad_option)


def _two_forward(self: Any, x: torch.Tensor) -> torch.Tensor:
    up, gate = self.up_proj(x), self.gate_proj(x)
    if self.actgrad_option == "silu":
        return self.down_proj(functions.swiglu_two(up, gate))
    return self.down_proj(functions.geglu_two(up, gate, self.actgrad_option))


# Trials


def _if_it_is(
    module: torch.nn.Module,
    forward: Callable[..., Any],
    projections: tuple[str, ...],
    formula: Callable[[Any, Callable[..., Any]], Any],
    gates: dict[str, Callable[..., Any]],
) -> tuple[type | None, str]:
    """The converted class, if the module without its weights computes the formula with one of these gates.

    The trial is necessary: libraries differ in the half that is the gate, and in the form of GELU.
    """
    kind: Any = type(module)
    trial = kind.__new__(kind)
    trial.__dict__.update(module.__dict__)
    stubs = {name: nn.Identity() if name != "up_proj" else _Threefold() for name in projections}
    trial.__dict__["_modules"] = {**module._modules, **stubs}
    # A call of `forward` runs no hooks.
    x = torch.linspace(-3, 3, 32, dtype=torch.float64, device="cpu")
    try:
        with torch.no_grad():
            got = kind.forward(trial, x)
    except Exception as fault:
        return None, f"its forward cannot be tried: {type(fault).__name__}"
    for option, gate in gates.items():
        if _is_close(got, formula(x, gate)):
            return _class(kind, forward, option), ""
    return None, f"it computes something else than a gate of {', '.join(gates)}"


def _is_close(got: Any, wanted: torch.Tensor) -> bool:
    return torch.is_tensor(got) and got.shape == wanted.shape and torch.allclose(got.double(), wanted, 1e-9, 1e-9)


def _known_by_trial(module: torch.nn.Module, save: str) -> tuple[type | None, str]:
    """The converted class of an activation of another library; nothing for a module that computes something else.

    Such a module has neither children nor parameters, and computes the same in training and evaluation.
    """
    kind: Any = type(module)
    is_plain = not (module._modules or module._parameters or module._buffers)
    if not is_plain or kind.__module__.startswith("torch.") or "forward" in vars(module):
        return None, ""
    x = torch.linspace(-6, 6, 61, dtype=torch.float64, device="cpu")
    try:
        with torch.no_grad():
            results = [kind.forward(_in_mode(module, training), x.clone()) for training in (False, True)]
    except Exception:  # no activation: it takes other arguments
        return None, ""
    for name in _TRIALS:
        wanted = _function(name, nn.functional)(x)
        if all(_is_close(result, wanted) for result in results):
            return _class(kind, _fixed_forward(name), save), ""
    return None, ""


def _in_mode(module: torch.nn.Module, training: bool) -> torch.nn.Module:
    kind: Any = type(module)
    trial: torch.nn.Module = kind.__new__(kind)
    trial.__dict__.update(module.__dict__, training=training)
    return trial


#: The functions that trials look for: of torch.nn.functional, and under the same name of actgrad.torch.
_TRIALS: dict[str, tuple[str, dict[str, str]]] = {
    "gelu": ("gelu", {}),
    "gelu_tanh": ("gelu", {"approximate": "tanh"}),
    "silu": ("silu", {}),
    "relu": ("relu", {}),
    "sigmoid": ("sigmoid", {}),
    "tanh": ("tanh", {}),
}


def _function(trial: str, library: Any) -> Callable[..., Any]:
    name, options = _TRIALS[trial]
    return partial(getattr(library, name), **options)


_GELUS = {"none": _function("gelu", nn.functional), "tanh": _function("gelu_tanh", nn.functional)}
_GATES = {**_GELUS, "silu": _function("silu", nn.functional)}


class _Threefold(torch.nn.Module):
    """A projection that differs from the identity beside it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 3.0 * x


def _lower(x: torch.Tensor) -> torch.Tensor:
    return x.chunk(2, -1)[0]


def _upper(x: torch.Tensor) -> torch.Tensor:
    return x.chunk(2, -1)[1]


def _has_hooks(module: Any) -> bool:
    """Whether hooks run around a module's forward."""
    names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return any(getattr(module, name, None) for name in names)
