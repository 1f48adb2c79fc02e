"""Conversion of the activations in an existing model, in place, and back.

`convert` replaces a module's class by a subclass with another `forward`. The object stays, with its parameters,
buffers, hooks and names; so do references to it, and `isinstance`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any
from weakref import ref

import torch

from ..base.errors import InvalidArgument, InvalidCall, quote
from . import conventions, functions, modules, public_names
from .derivatives import saving
from .models import gate_products, gates, patching, trials
from .models.outcome import ConvertedModule, Report

nn = torch.nn


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
    return report if inputs is None else _observed(report, model, inputs)


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
    """Raise if `model` is no module."""
    if not isinstance(model, torch.nn.Module):
        raise InvalidCall(
            f"actgrad.torch.{function}: model is {quote(model)}; it must be a torch.nn.Module; pass the module itself"
        )


def _each(model: torch.nn.Module, change: Callable[[torch.nn.Module], tuple[Any, str]]) -> Report:
    """Give each module the class that `change` returns; None leaves it. A class or a reason makes a row."""
    names: dict[torch.nn.Module, list[str]] = {}
    for name, module in model.named_modules(remove_duplicate=False):
        names.setdefault(module, []).append(name or "(the model itself)")
    rows, changed = [], {}
    for module, paths in names.items():
        was = type(module)
        kind, reason = change(module)
        if kind is not None:
            module.__class__ = kind
            changed[", ".join(paths)] = ref(module)
        if kind is not None or reason:
            becomes = "" if kind is None else kind.__name__
            candidates = ", ".join(_candidates(was)) if reason else ""
            rows.append(ConvertedModule(", ".join(paths), was.__name__, becomes, reason, candidates))
    return Report(tuple(rows), len(names), modules=changed)


def _candidates(kind: Any) -> list[str]:
    """What of actgrad.torch could take the work of a module that stays: functions that its forward or its name has."""
    forward = inspect.unwrap(inspect.getattr_static(kind, "forward"))
    words = {*getattr(getattr(forward, "__code__", None), "co_names", ()), kind.__name__.lower()}
    return [name for name in (*functions.__all__, *conventions.__all__) if name in words]


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


def _observed(report: Report, model: torch.nn.Module, inputs: Any) -> Report:
    """The report with what one forward pass calls."""
    unused = {name: module for name, each in report.modules.items() if (module := each()) is not None}
    called: set[torch.nn.Module] = set()
    classes = {module: type(module) for module in unused.values()}
    mode = patching.patched()
    try:
        for module, kind in classes.items():
            module.__class__ = _counting_class(kind, called)
        with torch.no_grad(), mode:
            patching.call(model, inputs)
    finally:
        for module, kind in classes.items():
            module.__class__ = kind
    names = tuple(name for name, module in unused.items() if module not in called)
    return replace(report, calls=mode.calls, refused_calls=mode.refusals, unused=names)


def _counting_class(kind: Any, called: set[torch.nn.Module]) -> type:
    """A converted class whose changed methods tell of their calls."""

    def telling(function: Any) -> Any:
        def tell(self: Any, *args: Any, **kwargs: Any) -> Any:
            called.add(self)
            return function(self, *args, **kwargs)

        return tell

    methods = {name: telling(vars(kind)[name]) for name in kind.actgrad_methods}
    return type(kind.__name__, (kind,), {**methods, "__module__": kind.__module__})


# The classes


class _Marker:
    """The base of converted classes."""

    original: type


def _class(original: Any, methods: Mapping[str, Callable[..., Any]], option: str, proof: Any = None) -> type:
    """A subclass with other methods. `option` is its `save`.

    Its name begins with ours, as the names that torch.nn.utils.parametrize makes begin with "Parametrized".
    """
    members = {
        **methods,
        "original": original,
        "actgrad_methods": tuple(methods),
        "actgrad_option": option,
        "actgrad_proof": proof,
        "__module__": original.__module__,
        "__doc__": original.__doc__,
        "__prepare_scriptable__": _original,
        "__reduce_ex__": lambda self, _: (_rebuilt, (original, None, option), self.__dict__.copy()),
    }
    return type(f"Actgrad{original.__name__}", (original, _Marker), members)


@cache
def _plain_class(kind: type, function: str, option: str) -> type:
    return _class(kind, {"forward": _forward(function)}, option)


@cache
def _proven_class(kind: type, proof: trials.Proof, option: str) -> type:
    """The class of a module whose forward has a proof."""
    return _class(kind, {"forward": _fixed_forward(kind, proof)}, option, proof)


_gated_classes: dict[Any, type] = {}


def _original(module: Any) -> Any:
    """A reverted copy with the same members. torch.jit.script gets it instead of a converted module."""
    kind = type(module).original
    copy = kind.__new__(kind)
    copy.__dict__.update(module.__dict__)
    return copy


def _rebuilt(original: Any, _: Any, option: Any) -> Any:
    """A module without its state, for pickles and copies; with its state it is converted again."""
    kind: Any = _pending_class(original, option if option in (saving.AUTO, saving.INPUT) else saving.AUTO)
    return kind.__new__(kind)


@cache
def _pending_class(original: Any, option: str) -> type:
    def set_state(self: Any, state: dict[str, Any]) -> None:
        self.__class__ = original
        self.__setstate__(state)
        kind, _ = _converted(option, self)
        self.__class__ = kind or original

    return type(original.__name__, (original,), {"__setstate__": set_state, "__module__": original.__module__})


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
        if not isinstance(module, torch.jit.ScriptModule) and gates.function_attributes(module):
            return _gated(kind, module, save)
        is_activation = kind.__module__ == nn.ELU.__module__ and not module._modules
        return None, "actgrad.torch has no such module" if is_activation else ""
    if isinstance(module, torch.jit.ScriptModule):
        return None, "it is scripted"
    if "forward" in vars(module):
        return None, "its forward was replaced on the instance" if simple else ""
    if simple is not None and kind.forward is simple.forward:
        return _plain_class(kind, _plain()[simple], save), ""
    proof, reason = trials.activation(module)
    if proof is not None:
        return _proven_class(kind, proof, save), ""
    if simple is not None:
        return None, f"a sub-class of {simple.__name__} with a forward of its own"
    gated, other_reason = _gated(kind, module, save)
    return gated, "" if gated else other_reason or reason


def _gated(kind: Any, module: torch.nn.Module, save: str) -> tuple[type | None, str]:
    """The class of a gated module."""
    rewritten, reason = gates.rewrite(module)
    if rewritten is None:
        return None, reason
    key = (kind, save, *rewritten.key)
    if key not in _gated_classes:
        _gated_classes[key] = _class(kind, rewritten.methods, save)
    return _gated_classes[key], ""


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
    return _made(f"_{function}", function, "input", [f"{name}=self.{name}" for name in names])


def _fixed_forward(kind: Any, proof: trials.Proof) -> Callable[..., Any]:
    """The forward of a module with a proof, which holds for floating-point numbers and one argument."""
    function, options = trials.activations()[proof.name]
    name = list(inspect.signature(kind.forward, follow_wrapped=False).parameters)[1]
    test = "args or kwargs or not (is_as_read(self) and is_tensor(x) and x.is_floating_point())".replace("x", name)
    row = [f"{option}={value!r}" for option, value in options]
    return _made(f"_as_{proof.name}", function, name, row, test, proof.test)


def _made(
    name: str, function: str, x: str, options: list[str], test: str = "args or kwargs", is_as_read: Any = None
) -> Callable[..., Any]:
    """A forward whose call costs no more than that of a written one. Scripts and traces hold the original.

    A call that actgrad refuses is the original's too, and is counted.
    """
    if _may_save_input(function):
        options = [*options, "save=self.actgrad_option"]
    text = f"""
def {name}(self, {x}, *args, **kwargs):
    if is_tracing() is not None or {test}:
        return self.original.forward(self, {x}, *args, **kwargs)
    try:
        return {function}({", ".join([x, *options])})
    except refusals:
        fall_back(self)
    return self.original.forward(self, {x})
"""
    scope: dict[str, Any] = {
        function: getattr(functions, function),
        "is_tracing": torch._C._get_tracing_state,
        "is_tensor": torch.is_tensor,
        "is_as_read": is_as_read,
        "refusals": gate_products.REFUSALS,
        "fall_back": gate_products.fall_back,
    }
    exec(compile(text, f"<actgrad.torch {name}>", "exec"), scope)
    scope[name].__module__ = __name__
    return scope[name]


def __getattr__(name: str) -> Any:
    """Pickles of versions 0.1 and 0.2 name forwards, which are made again."""
    if name.startswith("_as_") or name in ("_packed_forward", "_two_forward", "_block_forward"):
        return _rebuilt
    if not name.startswith("__") and name.removeprefix("_") in _plain().values():
        return _rebuilt
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
