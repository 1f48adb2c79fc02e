"""What `convert` may do with a module: the method that it would swap, and our function for it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import torch

from ...base.errors import InvalidArgument, did_you_mean, quote
from .. import conventions, functions, modules, public_names
from ..derivatives import saving
from . import gates, known, swapping, trials
from .gates import Gate
from .swapping import REFUSALS, Swap

nn = torch.nn


class KnownActivation(NamedTuple):
    """A function of actgrad.torch with options."""

    function: str
    options: tuple[tuple[str, Any], ...] = ()


@cache
def activations() -> dict[str, KnownActivation]:
    """The elementwise functions of actgrad.torch, by names that `convert` takes."""
    table: dict[str, KnownActivation] = {}
    for names in public_names.all_names():
        operator = names.operator
        if names.module and operator.is_unary_elementwise and None not in operator.defaults.values():
            table[names.function] = KnownActivation(names.function)
            for choice in operator.choices[1:]:
                table[f"{names.function}_{choice}"] = KnownActivation(names.function, ((str(operator.switch), choice),))
    return table


@cache
def plain() -> dict[type, str]:
    """A mapping from the classes of torch.nn to the functions of actgrad.torch that compute the same."""
    pairs = [(getattr(nn, names.module, None), names.function) for names in public_names.all_names() if names.module]
    return {kind: function for kind, function in pairs if kind is not None}


class Composed(NamedTuple):
    """A class of torch.nn that functions of actgrad.torch compute, without an operator of its own."""

    name: str
    compute: Callable[[Any, Any], Any]  # of the module and its tensor
    kernel: str  # a name of `pays.FASTER_FROM`


def _rrelu(module: Any, x: Any) -> Any:
    """RReLU. In training mode, PyTorch draws the slopes itself. Otherwise its new results are contiguous."""
    y = conventions.rrelu(x, module.lower, module.upper, module.training, module.inplace)
    return y if module.inplace or module.training else y.contiguous()


COMPOSED: Mapping[type, Composed] = {
    nn.RReLU: Composed("rrelu", _rrelu, "leaky_relu"),
    nn.Softmin: Composed("softmin", lambda m, x: conventions.softmin(x, m.dim, _stacklevel=5), "softmax"),
    nn.Tanhshrink: Composed("tanhshrink", lambda m, x: conventions.tanhshrink(x), "tanh"),
    nn.Softmax2d: Composed("softmax", lambda m, x: functions.softmax(x, -3), "softmax"),
}


class Proposal(NamedTuple):
    """A swap that is not confirmed yet."""

    swap: Swap
    compute: Callable[[Any, Any], Any]  # our function of the module and its tensor
    function: Callable[..., Any]  # the method, with its guard
    kernel: str  # a name of `pays.FASTER_FROM`
    act: Any  # the activation module of a gated block, or None
    inputs: Callable[[], list[torch.Tensor]]  # for the trial


class Declared(NamedTuple):
    """What the caller of `convert` declares about classes."""

    activations: Mapping[type, str]
    gates: Mapping[type, Gate]

    def name_of(self, act: Any) -> str:
        """The name of the activation that a part of a block computes, or ""."""
        kind: Any = type(act)
        declared = self.activations.get(kind)
        if declared is not None:
            return declared
        row = known.row_of(kind)
        is_true = row is not None and row.activation and not known.fault_of(kind, row) and row.holds(act)
        return row.activation if is_true and row is not None else ""


def require(declared: Declared) -> None:
    """Raise an error unless classes and names are right."""
    for argument, table in zip(("activations", "gates"), declared, strict=True):
        if not isinstance(table, Mapping):
            expected = "it must be a dict from classes of modules"
            raise InvalidArgument(f"convert: {argument} is {quote(table)}; {expected}; pass {{MyClass: ...}}")
        for kind in table:
            if not (isinstance(kind, type) and issubclass(kind, torch.nn.Module)):
                expected = "it must be a class of modules"
                raise InvalidArgument(f"convert: {argument} has the key {quote(kind)}; {expected}; pass the class")
    for name in declared.activations.values():
        if not isinstance(name, str) or name not in activations():
            cure = did_you_mean(name, activations(), "pass one of these")
            expected = f"it must be one of {', '.join(activations())}"
            raise InvalidArgument(f"convert: activations has the name {quote(name)}; {expected}; {cure}")
    for gate in declared.gates.values():
        if not isinstance(gate, Gate):
            expected = "it must be an actgrad.torch.Gate"
            raise InvalidArgument(f"convert: gates has {quote(gate)}; {expected}; pass Gate(gate=..., up=..., ...)")


def propose(module: torch.nn.Module, declared: Declared, save: str) -> Proposal | str:
    """The swap for a module, or the reason why there is none. The reason is "" if the module is no activation."""
    kind: Any = type(module)
    if kind.__module__ == modules.__name__:
        return ""
    if isinstance(module, torch.jit.ScriptModule):
        is_activation = getattr(module, "original_name", "") in {each.__name__ for each in (*plain(), *COMPOSED)}
        return "it is scripted" if is_activation else ""
    row = known.row_of(kind)
    method = "forward" if row is None else row.method
    found: Proposal | str
    if kind in declared.gates:
        found = _gate(module, declared.gates[kind], declared, save)
    elif kind in declared.activations:
        found = _fixed(kind, declared.activations[kind], save)
    elif kind in plain():
        found = _torchs(kind, plain()[kind], save)
    elif kind in COMPOSED:
        found = _composed(kind, COMPOSED[kind], save)
    elif row is not None:
        found = known.fault_of(kind, row) or _of_row(module, row, declared, save)
    else:
        return _reason(kind, declared)
    if not isinstance(found, str) and swapping.is_replaced(module, method):
        return f"its {method} was replaced on the instance"
    return found


_OTHER_FUNCTION = "its attributes choose another function than the one that convert knows"
_SHARDED = "fully_shard gave it a class of its own; convert the model before fully_shard"


def _reason(kind: Any, declared: Declared) -> str:
    """Why a module that is not known is left, or "" if it is no activation."""
    bases = kind.__mro__[1:]
    if trials.is_sharded_class(kind) and any(
        each in declared.gates or each in declared.activations or known.row_of(each) for each in bases
    ):
        return _SHARDED
    base = next((each for each in bases if each in plain() or each in COMPOSED), None)
    if base is None:
        return ""
    if trials.is_sharded_class(kind):
        return _SHARDED
    return f"it is a subclass of {base.__name__}; declare it: convert(model, activations={{{kind.__name__}: ...}})"


def _of_row(module: torch.nn.Module, row: known.Foreign, declared: Declared, save: str) -> Proposal | str:
    kind: Any = type(module)
    if not row.holds(module):
        return _OTHER_FUNCTION
    if row.gate is not None:
        return _gate(module, row.gate, declared, save)
    if row.activation:
        return _fixed(kind, row.activation, save, row.holds)
    assert row.compute is not None, "a row has a gate, an activation or a function"
    swap = Swap(row.method, "a function of actgrad", save)
    function = _guarded(kind, row.method, row.compute, row.holds)
    is_gelu = row.method == functions.gelu.__name__

    def inputs() -> list[torch.Tensor]:
        return [each.flatten(0, 1) for each in trials.points_for(torch.nn.Module())]

    return Proposal(swap, row.compute, function, "gelu" if is_gelu else "", None, inputs)


def _gate(module: torch.nn.Module, parts: gates.Parts, declared: Declared, save: str) -> Proposal | str:
    others, gate = declared.name_of, gates.parts_of(module, parts)
    if gate is None:
        return _OTHER_FUNCTION
    if reason := gates.fault(module, gate, others):
        return reason
    if reason := gates.ties(module, gate):
        return reason
    first: Any = getattr(module, gate.layers[0])

    def inputs() -> list[torch.Tensor]:
        weight = first.weight
        return [torch.randn(2, 3, weight.shape[1], generator=torch.Generator().manual_seed(0)).to(weight)]

    def compute(self: Any, x: Any) -> Any:
        return gates.compute(self, gates.parts_of(self, parts) or gate, others, x)

    swap = Swap("forward", "gated_linear" if gate.down else "a gate", save)
    return Proposal(
        swap, compute, gates.forward_of(type(module), parts, others), "", getattr(module, gate.act, None), inputs
    )


def _torchs(kind: Any, function: str, save: str) -> Proposal:
    """The swap for an exact class of torch.nn, which reads the module's attributes at each call."""
    attributes = {*inspect.signature(kind).parameters, *public_names.names_of(function).module_tensors}
    call: Any = conventions.selu if kind is nn.SELU else getattr(functions, function)
    names = [name for name in inspect.signature(call).parameters if name in attributes]
    saves = {"save": save} if may_save_input(function) else {}
    is_contiguous = function == "logsigmoid"  # as PyTorch's result

    def compute(self: Any, x: Any) -> Any:
        options = {name: getattr(self, name) for name in names}
        return call(x.contiguous() if is_contiguous else x, **options, **saves)

    if not names and not is_contiguous:

        def compute(self: Any, x: Any) -> Any:
            return call(x, **saves)

    kernel = {"gelu": "gelu_tanh"}.get(function, function)  # the slower of the forms at small sizes
    return Proposal(Swap("forward", function, save), compute, _guarded(kind, "forward", compute), kernel, None, list)


def _composed(kind: Any, row: Composed, save: str) -> Proposal:
    """The swap for a class of COMPOSED. Softmax2d's own method refuses tensors of other ranks."""
    compute = row.compute
    if kind is nn.Softmax2d:

        def compute(self: Any, x: Any) -> Any:
            return row.compute(self, x) if x.dim() in (3, 4) else kind.forward(self, x)

    return Proposal(
        Swap("forward", row.name, save), compute, _guarded(kind, "forward", compute), row.kernel, None, list
    )


def _fixed(kind: Any, name: str, save: str, holds: Callable[[Any], bool] | None = None) -> Proposal:
    """The swap for a class that computes one function."""
    function, options = activations()[name]
    call, saves = getattr(functions, function), {"save": save} if may_save_input(function) else {}
    fixed = {**dict(options), **saves}

    def compute(self: Any, x: Any) -> Any:
        return call(x, **fixed)

    return Proposal(Swap("forward", name, save), compute, _guarded(kind, "forward", compute, holds), name, None, list)


def may_save_input(function: str) -> bool:
    """Whether a function of actgrad.torch can save its input or its result for backward."""
    return saving.ways(public_names.names_of(function).operator).keys() >= {saving.INPUT, saving.RESULT}


def _guarded(kind: Any, method: str, compute: Callable[[Any, Any], Any], holds: Any = None) -> Callable[..., Any]:
    """The method that calls `compute`, or the class's own method if the call or the module is not what `compute` needs.

    If actgrad refuses the call, the class's own method computes it, and the call is counted. If a call in place fails
    after it wrote its result, the error is raised, because the original would compute the activation of the result.
    """
    original, tensor, stays, errors = getattr(kind, method), torch.Tensor, swapping.stays_original, REFUSALS
    version_of, count = swapping.version_of, swapping.fall_back

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        own = getattr(type(self), method)
        if (
            len(args) != 1
            or kwargs
            or own is not original
            or not isinstance(args[0], tensor)
            or stays()
            or (holds is not None and not holds(self))
        ):
            return own(self, *args, **kwargs)
        version = version_of(args[0])
        try:
            return compute(self, args[0])
        except errors:
            if version_of(args[0]) != version:
                raise
            count(self)
        return own(self, *args)

    return forward
