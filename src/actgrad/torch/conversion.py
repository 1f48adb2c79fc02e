"""Conversion of the activations in an existing model, in place, and back.

`convert` replaces a module's class by a subclass with another `forward`. The object stays, with its parameters,
buffers, hooks and names; so do references to it, and `isinstance`.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import torch

from ..base.errors import InvalidArgument, InvalidCall, quote
from . import functions, modules, public_names, saving
from .models import patching, trials

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

    `looked_at` counts the model's modules. `calls` counts the calls of `torch.nn.functional` in a forward pass, which
    `convert` does not change; it is empty where `convert` was given no inputs.
    """

    rows: tuple[ConvertedModule, ...]
    looked_at: int = 0
    calls: Mapping[str, int] = field(default_factory=dict)

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
        lines = []
        if self.rows:
            rows = ((r.name, r.was, r.becomes or "-", r.reason) for r in self.rows)
            table = [("module", "from", "to", "why not"), *rows]
            widths = [max(map(len, column)) for column in zip(*table, strict=True)]
            lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]
            lines.insert(1, "  ".join("-" * width for width in widths))
        lines.append(f"{self.looked_at} modules looked at, {len(self.swapped)} swapped, {len(self.left)} left")
        if self.calls:
            counts = ", ".join(f"{name} {count}" for name, count in self.calls.items())
            lines.append(f"functional calls in a forward pass: {counts}; actgrad.torch.patched() takes them")
        return "\n".join(lines)

    __repr__ = __str__


def convert(model: torch.nn.Module, *, save: str = saving.AUTO, inputs: Any = None) -> Report:
    """Convert a model's activation modules to actgrad, in place.

    It converts torch.nn's activations that actgrad.torch has. It converts modules of other libraries that compute one
    of these, and blocks that are gated by GELU or SiLU, as those of Llama, T5, ModernBERT and diffusers. Trials on a
    few numbers tell the latter. Scripted modules and subclasses of torch.nn's with a `forward` of their own stay.
    Calls of `torch.nn.functional` stay too; `patched` takes them.

    Args:
        model: The model.
        save: The tensor that is saved for the gradient, "auto" or "input". "auto" may save a result. It saves the input
            where the next module of a Sequential overwrites the result. Where a model does so elsewhere
            (`y = elu(x); y += residual`), the backward pass raises an error; pass "input" then.
        inputs: The model's inputs, a tensor, a tuple or a dict; the report then counts functional calls.

    Returns:
        The report: the modules that were converted, those left alone and the reasons. Printed, it is a table.

    Raises:
        InvalidArgument: `save` is neither "auto" nor "input".

    Example:
        >>> print(actgrad.torch.convert(model))
    """
    require_module(model, "convert")
    if save not in (saving.AUTO, saving.INPUT):
        expected = f"it must be {saving.AUTO!r} or {saving.INPUT!r}"
        raise InvalidArgument(f"convert: save is {quote(save)}; {expected}; pass one of these")
    overwritten = _overwritten(model)
    report = _each(model, lambda module: _converted(saving.INPUT if module in overwritten else save, module))
    return report if inputs is None else Report(report.rows, report.looked_at, _calls(model, inputs))


def revert(model: torch.nn.Module) -> Report:
    """Undo `convert`: the modules, still the same objects, get their own classes back.

    Args:
        model: The model, or a copy or pickle of it.

    Returns:
        The report: the modules that were reverted, and those that cannot be.

    Example:
        >>> actgrad.torch.revert(model)
    """
    require_module(model, "revert")
    return _each(model, _reverted)


def require_module(model: Any, function: str) -> None:
    """Raise where `model` is no module."""
    if not isinstance(model, torch.nn.Module):
        raise InvalidCall(
            f"actgrad.torch.{function}: model is {quote(model)}; it must be a torch.nn.Module; pass the module itself"
        )


def _each(model: torch.nn.Module, change: Callable[[torch.nn.Module], tuple[Any, str]]) -> Report:
    """Give each module the class that `change` returns; None leaves it. A class or a reason makes a row."""
    names: dict[torch.nn.Module, list[str]] = {}
    for name, module in model.named_modules(remove_duplicate=False):
        names.setdefault(module, []).append(name or "(the model itself)")
    rows = []
    for module, paths in names.items():
        was = type(module)
        kind, reason = change(module)
        if kind is not None:
            module.__class__ = kind
        if kind is not None or reason:
            rows.append(
                ConvertedModule(", ".join(paths), was.__name__, kind.__name__ if kind is not None else "", reason)
            )
    return Report(tuple(rows), len(names))


def _overwritten(model: torch.nn.Module) -> set[torch.nn.Module]:
    """The modules of Sequentials whose result the next module overwrites."""
    chains = [list(_chain(module)) for module in model.modules() if isinstance(module, nn.Sequential)]
    return {first for chain in chains for first, then in pairwise(chain) if getattr(then, "inplace", False)}


def _chain(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    """The modules of nested Sequentials in the order of their calls."""
    if isinstance(module, nn.Sequential):
        for child in module:
            yield from _chain(child)
    else:
        yield module


def _calls(model: torch.nn.Module, inputs: Any) -> Counter[str]:
    """The functional calls of activations in one forward pass."""
    with torch.no_grad(), patching.watched() as calls:
        patching.call(model, inputs)
    return calls


# The classes


class _Marker:
    """The base of converted classes."""

    original: type


@cache
def _class(original: Any, forward: Callable[..., Any], option: str) -> type:
    """A subclass with another forward. `option` is its `save`, or a block's structure.

    Its name begins with ours, as the names that torch.nn.utils.parametrize makes begin with "Parametrized".
    """
    members = {
        "forward": forward,
        "original": original,
        "actgrad_option": option,
        "__module__": original.__module__,
        "__doc__": original.__doc__,
        "__prepare_scriptable__": _original,
        "__reduce_ex__": lambda self, _: (_rebuilt, (original, forward, option), self.__dict__.copy()),
    }
    return type(f"Actgrad{original.__name__}", (original, _Marker), members)


def _original(module: Any) -> Any:
    """A reverted copy with the same members, which torch.jit.script takes in place of a converted module."""
    kind = type(module).original
    copy = kind.__new__(kind)
    copy.__dict__.update(module.__dict__)
    return copy


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
    if isinstance(module, _Marker) or kind.__module__ == modules.__name__:
        return None, ""
    simple = next((base for base in kind.__mro__ if base in _plain()), None)
    if simple is None and (isinstance(module, torch.jit.ScriptModule) or kind.__module__.startswith("torch.")):
        is_activation = kind.__module__ == nn.ELU.__module__ and not module._modules
        return None, "actgrad.torch has no such module" if is_activation else ""
    if isinstance(module, torch.jit.ScriptModule):
        return None, "it is scripted"
    if "forward" in vars(module):
        return None, "its forward was replaced on the instance" if simple else ""
    if simple is not None:
        if kind.forward is simple.forward:
            return _class(kind, _forward(_plain()[simple]), save), ""
        name, _ = trials.activation(module)
        reason = "" if name else f"a sub-class of {simple.__name__} with a forward of its own"
    elif module._modules:
        block, reason = trials.block(module)
        return None if block is None or reason else _class(kind, _block_forward, block), reason
    else:
        name, reason = trials.activation(module)
    return _class(kind, _fixed_forward(name), save) if name else None, reason


# Their forwards


@cache
def _plain() -> dict[type, str]:
    """torch.nn's classes of the activations here, each with the name of its function."""
    pairs = [(getattr(nn, names.module, None), names.function) for names in public_names.all_names() if names.module]
    return {kind: function for kind, function in pairs if kind is not None}


def _may_save_input(function: str) -> bool:
    """Whether a function of actgrad.torch has the choice between its input and its result."""
    return saving.ways(public_names.names_of(function).operator).keys() >= {saving.INPUT, saving.RESULT}


@cache
def _forward(function: str) -> Callable[..., Any]:
    """The forward of torch.nn's module of a function, which reads its own attributes."""
    kind: Any = next(kind for kind, name in _plain().items() if name == function)
    attributes = {*inspect.signature(kind).parameters, *public_names.names_of(function).module_tensors}
    names = [name for name in inspect.signature(getattr(functions, function)).parameters if name in attributes]
    return _made(f"_{function}", function, [f"{name}=self.{name}" for name in names])


@cache
def _fixed_forward(trial: str) -> Callable[..., Any]:
    """The forward of a module without parameters that computes a function of `trials.activations`."""
    function, options = trials.activations()[trial]
    return _made(f"_as_{trial}", function, [f"{name}={value!r}" for name, value in options])


def _made(name: str, function: str, options: list[str]) -> Callable[..., Any]:
    """A forward whose call costs no more than that of a written one. Scripts and traces hold the original."""
    if _may_save_input(function):
        options = [*options, "save=self.actgrad_option"]
    text = f"""
def {name}(self, input=None, **kwargs):
    if is_tracing() is not None:
        return self.original.forward(self, *(() if input is None else (input,)), **kwargs)
    (x,) = kwargs.values() if input is None else (input,)
    return {function}({", ".join(["x", *options])})
"""
    scope: dict[str, Any] = {function: getattr(functions, function), "is_tracing": torch._C._get_tracing_state}
    exec(compile(text, f"<actgrad.torch {name}>", "exec"), scope)
    scope[name].__module__ = __name__
    return scope[name]


def __getattr__(name: str) -> Any:
    """The forwards by their names, which pickles have."""
    if name.startswith("_as_") and name.removeprefix("_as_") in trials.activations():
        return _fixed_forward(name.removeprefix("_as_"))
    if not name.startswith("__") and name.removeprefix("_") in _plain().values():
        return _forward(name.removeprefix("_"))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _block_forward(self: Any, *args: Any, **kwargs: Any) -> Any:
    """The forward of a gated block. Other arguments than one tensor reach the original, as scripts and traces do."""
    if len(args) + len(kwargs) != 1 or torch.jit.is_tracing():
        return self.original.forward(self, *args, **kwargs)
    (x,) = (*args, *kwargs.values())
    form: trials.BlockStructure = self.actgrad_option
    y = _activated(self, form, x)
    for name in form.before:
        y = getattr(self, name)(y)
    if form.down:
        last = getattr(self, form.down)
        if form.casts and isinstance(last.weight, torch.Tensor) and last.weight.dtype != torch.int8:
            y = y.to(last.weight.dtype)
        y = last(y)
    for name in form.after:
        y = getattr(self, name)(y)
    return y


def _activated(module: Any, form: trials.BlockStructure, x: torch.Tensor) -> torch.Tensor:
    """The activation of a block, or its gate."""
    function, options = form.activation.function, dict(form.activation.options)
    gate = getattr(module, form.gate)(x)
    if not form.has_gate:
        return getattr(functions, function)(gate, **options)
    if function != "silu" and not form.up:
        return functions.geglu(gate, activate_left=form.is_lower, **options)
    if form.up:
        up = getattr(module, form.up)(x)
    else:
        lower, upper = gate.chunk(2, -1)
        up, gate = (upper, lower) if form.is_lower else (lower, upper)
    return functions.swiglu_two(up, gate) if function == "silu" else functions.geglu_two(up, gate, **options)


# Pickles of version 0.1


def _packed_forward(self: Any, hidden_states: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    if args or kwargs:  # deprecated: the original warns
        return self.original.forward(self, hidden_states, *args, **kwargs)
    return functions.geglu(self.proj(hidden_states), approximate=self.actgrad_option)


def _two_forward(self: Any, x: torch.Tensor) -> torch.Tensor:
    return self.down_proj(functions.geglu_two(self.up_proj(x), self.gate_proj(x), self.actgrad_option))
