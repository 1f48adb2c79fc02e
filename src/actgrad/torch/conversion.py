"""Conversion of the activation modules of a model, in place, and back.

`convert` replaces the class of a module by a subclass with another `forward`. The object stays the same, with its
parameters, buffers, hooks and names. References to the module and `isinstance` tests stay valid.
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

    It converts torch.nn's activations if actgrad.torch has them. It converts modules of other libraries that compute
    the same, and blocks with a GELU or SiLU gate, for example of Llama, T5, ModernBERT and diffusers. It recognises
    them by trial calls on a few numbers. It does not convert scripted modules, and subclasses of torch.nn's classes
    with another `forward`. It does not convert other calls of `torch.nn.functional`, for which `patched`
    exists.

    Args:
        model: The model.
        save: The tensor that is saved for backward, "auto" or "input". "auto" may save the result instead of the input.
            If the next module of a Sequential overwrites the result, "auto" saves the input. If a model overwrites a
            result elsewhere (`y = elu(x); y += residual`), the backward pass raises an error. Then pass "input", also
            for a model that is converted already.
        inputs: The model's inputs, a tensor, a tuple or a dict. With inputs, the report also counts functional calls.

    Returns:
        The report: the modules that were converted, and the others with the reasons. `print` shows it as a table.

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
    """Undo `convert`: each module gets its original class back.

    Args:
        model: The model, or a copy or pickle of it.

    Returns:
        The report: the modules that were reverted, and the modules that cannot be reverted.

    Example:
        >>> actgrad.torch.revert(model)
    """
    require_module(model, "revert")
    return _each(model, _reverted)


def require_module(model: Any, function: str) -> None:
    """Raise an error unless `model` is a module."""
    if not isinstance(model, torch.nn.Module):
        raise InvalidCall(
            f"actgrad.torch.{function}: model is {quote(model)}; it must be a torch.nn.Module; pass the module itself"
        )


def _each(model: torch.nn.Module, change: Callable[[torch.nn.Module], tuple[Any, str]]) -> Report:
    """Give each module the class that `change` returns. For None, the module keeps its class. Returns the report.

    The report has a row for each module for which `change` returns a class or a reason.
    """
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
    """Functions of actgrad.torch that may replace a module. Their names occur in its forward or in its class name."""
    forward = inspect.unwrap(inspect.getattr_static(kind, "forward"))
    words = {*getattr(getattr(forward, "__code__", None), "co_names", ()), kind.__name__.lower()}
    return [name for name in (*functions.__all__, *conventions.__all__) if name in words]


def _overwritten(model: torch.nn.Module) -> set[torch.nn.Module]:
    """The modules in Sequentials whose result the next module overwrites."""
    chains = [list(_chain(module)) for module in model.modules() if isinstance(module, nn.Sequential)]
    return {first for chain in chains for first, then in pairwise(chain) if getattr(then, "inplace", False)}


def _chain(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    """The modules of nested Sequentials, in the order in which they are called."""
    if isinstance(module, nn.Sequential):
        for child in module:
            yield from _chain(child)
    else:
        yield module


def _observed(report: Report, model: torch.nn.Module, inputs: Any) -> Report:
    """The report, with the functional calls and the unused modules of a forward pass."""
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
    """A subclass of a converted class that adds a module to `called` when one of its converted methods is called."""

    def marking_method(function: Any) -> Any:
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            called.add(self)
            return function(self, *args, **kwargs)

        return method

    methods = {name: marking_method(vars(kind)[name]) for name in kind.actgrad_methods}
    return type(kind.__name__, (kind,), {**methods, "original": kind.original, "__module__": kind.__module__})


# The classes


class _Marker:
    """The base of converted classes."""

    original: Any
    actgrad_option: str

    def __init_subclass__(cls, **options: Any) -> None:
        """Keep a converted class out of the `__init_subclass__` of its original class, which may be a registry."""
        if "original" not in vars(cls):
            super().__init_subclass__(**options)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """The module as its original class and its state. A later sub-class, such as FSDP's, is pickled as usual."""
        original = self.original
        is_usual = original.__reduce_ex__ is object.__reduce_ex__ and original.__reduce__ is object.__reduce__
        if "original" not in vars(type(self)) or not is_usual:
            return original.__reduce_ex__(self, protocol)
        read: Any = getattr(original, "__getstate__", None)
        state = self.__dict__.copy() if read is getattr(object, "__getstate__", None) else read(self)
        return _rebuilt, (original, None, self.actgrad_option), state


def _class(original: Any, methods: Mapping[str, Callable[..., Any]], option: str, proof: Any = None) -> type:
    """A subclass of `original` with other methods. `option` is the value of `save`.

    Its name begins with "Actgrad". The classes of torch.nn.utils.parametrize begin with "Parametrized" in the same way.
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
    }
    return type(f"Actgrad{original.__name__}", (_Marker, original), members)


@cache
def _plain_class(kind: type, function: str, option: str) -> type:
    return _class(kind, {"forward": _forward(function)}, option)


@cache
def _proven_class(kind: type, proof: trials.Proof, option: str) -> type:
    """The class of a module whose forward computes an activation, as `proof` shows."""
    return _class(kind, {"forward": _fixed_forward(kind, proof)}, option, proof)


_gated_classes: dict[Any, type] = {}


def _original(module: Any) -> Any:
    """A copy of a converted module with its original class, for torch.jit.script."""
    kind = type(module).original
    copy = kind.__new__(kind)
    copy.__dict__.update(module.__dict__)
    return copy


def _rebuilt(original: Any, _: Any, option: Any) -> Any:
    """A module without its state, for pickles and copies. When it gets its state, it is converted again."""
    kind: Any = _pending_class(original, option if option in (saving.AUTO, saving.INPUT) else saving.AUTO)
    return kind.__new__(kind)


@cache
def _pending_class(original: Any, option: str) -> type:
    def set_state(self: Any, state: Any) -> None:
        self.__class__ = original
        self.__setstate__(state)
        kind, _ = _converted(option, self)
        self.__class__ = kind or original

    members = {"original": original, "__setstate__": set_state, "__module__": original.__module__}
    return type(original.__name__, (_Marker, original), members)


def _reverted(module: torch.nn.Module) -> tuple[type | None, str]:
    if not isinstance(module, _Marker):
        return None, ""
    if "original" not in vars(type(module)):
        return None, f"{type(module).__name__} was made from the converted class; undo that change first"
    return type(module).original, ""


def _converted(save: str, module: torch.nn.Module) -> tuple[type | None, str]:
    """The class of a converted module, or None with a reason.

    The trials need versions of tensors, which inference mode lacks. They compute with NaN, which anomaly mode refuses.
    """
    with torch.inference_mode(False), torch.autograd.set_detect_anomaly(False):
        return _class_of(save, module)


def _class_of(save: str, module: torch.nn.Module) -> tuple[type | None, str]:
    kind: Any = type(module)
    if save == saving.INPUT and "original" in vars(kind) and kind.actgrad_option == saving.AUTO:
        module.__class__ = kind.original
        try:
            again, _ = _converted(save, module)
        finally:
            module.__class__ = kind
        return again, ""
    if isinstance(module, _Marker) or kind.__module__ == modules.__name__:
        return None, ""
    simple = next((base for base in kind.__mro__ if base in _plain()), None)
    if simple is None and (isinstance(module, torch.jit.ScriptModule) or kind.__module__.startswith("torch.")):
        if not isinstance(module, torch.jit.ScriptModule) and gates.function_attributes(module):
            return _gated(kind, module, save)
        is_activation = kind.__module__ == nn.ELU.__module__ and not module._modules
        return None, _missing_module(kind.__name__) if is_activation else ""
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
        return None, f"it is a subclass of {simple.__name__} with another forward"
    gated, other_reason = _gated(kind, module, save)
    return gated, "" if gated else other_reason or reason


def _missing_module(name: str) -> str:
    if (function := name.lower()) in conventions.__all__:
        return f"actgrad.torch has the function {function}, but no module {name}"
    return f"actgrad.torch has no module {name}"


def _gated(kind: Any, module: torch.nn.Module, save: str) -> tuple[type | None, str]:
    """The class of a module with a gate, or None with a reason."""
    rewritten, reason = gates.rewrite(module)
    if rewritten is None:
        return None, reason
    key = (kind, save, *rewritten.key)
    if key not in _gated_classes:
        _gated_classes[key] = _class(kind, rewritten.methods, save)
    return _gated_classes[key], ""


# The methods `forward`


@cache
def _plain() -> dict[type, str]:
    """A mapping from the classes of torch.nn to the functions of actgrad.torch that compute the same."""
    pairs = [(getattr(nn, names.module, None), names.function) for names in public_names.all_names() if names.module]
    return {kind: function for kind, function in pairs if kind is not None}


def _may_save_input(function: str) -> bool:
    """Whether a function of actgrad.torch can save its input or its result for backward."""
    return saving.ways(public_names.names_of(function).operator).keys() >= {saving.INPUT, saving.RESULT}


@cache
def _forward(function: str) -> Callable[..., Any]:
    """The `forward` for a module of torch.nn that calls `function` with the module's attributes."""
    kind: Any = next(kind for kind, name in _plain().items() if name == function)
    attributes = {*inspect.signature(kind).parameters, *public_names.names_of(function).module_tensors}
    names = [name for name in inspect.signature(getattr(functions, function)).parameters if name in attributes]
    return _compiled_forward(f"_{function}", function, "input", [f"{name}=self.{name}" for name in names])


def _fixed_forward(kind: Any, proof: trials.Proof) -> Callable[..., Any]:
    """The `forward` of a module with a proof. The proof is valid for one argument with floating-point numbers."""
    function, options = trials.activations()[proof.name]
    name = list(inspect.signature(kind.forward, follow_wrapped=False).parameters)[1]
    test = "args or kwargs or not (is_as_read(self) and is_tensor(x) and x.is_floating_point())".replace("x", name)
    row = [f"{option}={value!r}" for option, value in options]
    return _compiled_forward(f"_as_{proof.name}", function, name, row, test, proof.test)


def _compiled_forward(
    name: str, function: str, x: str, options: list[str], test: str = "args or kwargs", is_as_read: Any = None
) -> Callable[..., Any]:
    """A `forward` that calls a function of actgrad.torch. It is compiled from text, to be as fast as written code.

    While PyTorch traces a call, or if `test` is true, it calls the original `forward`. It also calls the original if
    actgrad refuses the call, and counts this. If a call in place fails after it wrote its result, the error is raised,
    because the original would compute the activation of the result.
    """
    before, after = "pass", "fall_back(self)"
    if "inplace=self.inplace" in options:
        before = f"version = self.inplace and version_of({x})"
        after = f"if self.inplace and version_of({x}) != version:\n            raise\n        fall_back(self)"
    if _may_save_input(function):
        options = [*options, "save=self.actgrad_option"]
    text = f"""
def {name}(self, {x}, *args, **kwargs):
    if is_tracing() is not None or {test}:
        return self.original.forward(self, {x}, *args, **kwargs)
    {before}
    try:
        return {function}({", ".join([x, *options])})
    except refusals:
        {after}
    return self.original.forward(self, {x})
"""
    scope: dict[str, Any] = {
        function: getattr(functions, function),
        "is_tracing": torch._C._get_tracing_state,
        "is_tensor": torch.is_tensor,
        "is_as_read": is_as_read,
        "refusals": gate_products.REFUSALS,
        "fall_back": gate_products.fall_back,
        "version_of": gate_products.version_of,
    }
    exec(compile(text, f"<actgrad.torch {name}>", "exec"), scope)
    scope[name].__module__ = __name__
    return scope[name]


def __getattr__(name: str) -> Any:
    """A function for old pickles: pickles of versions 0.1 and 0.2 have names of functions of this module."""
    if name.startswith("_as_") or name in ("_packed_forward", "_two_forward", "_block_forward"):
        return _rebuilt
    if not name.startswith("__") and name.removeprefix("_") in _plain().values():
        return _rebuilt
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
