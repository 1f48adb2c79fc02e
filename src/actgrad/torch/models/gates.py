"""Gated blocks: the feed-forward blocks of Llama, T5, Phi-3 and others, computed by `gated_linear`.

A `Gate` names the parts of a block. The method that replaces the block's `forward` asks at each call whether the parts
are what they were: linear layers of torch.nn, an activation that is known, no hooks. If not, the class's own `forward`
computes the call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from ...base.errors import InvalidArgument, quote
from .. import functions
from ..gated_linear import ACTIVATIONS, gated_linear
from . import swapping

nn = torch.nn
_module_globals = torch.nn.modules.module
_FUNCTIONS = {nn.functional.silu: "silu", nn.functional.gelu: "gelu", nn.functional.relu: "relu"}
_FUNCTIONS |= {torch.sigmoid: "sigmoid", torch.relu: "relu", torch.tanh: "tanh"}
_PLAIN = {nn.SiLU: "silu", nn.ReLU: "relu", nn.Sigmoid: "sigmoid", nn.Tanh: "tanh"}
#: Methods that are computed another way. If a class has another one later, its own method computes the call.
_LINEAR = nn.Linear.forward
_FORWARDS = {kind: kind.forward for kind in (*_PLAIN, nn.GELU)}


@dataclass(frozen=True)
class Gate:
    """The parts of a gated block, by the names that the block has for them. The block takes one tensor.

    The block computes `down(act(gate(x)) * up(x))`. With `packed`, one linear layer computes both factors, and its
    result is halved along the last dimension. Without `down`, the block returns the product.

    Args:
        down: The linear layer after the product, or "".
        gate: The linear layer whose result is activated.
        up: The linear layer of the other factor.
        packed: The linear layer of both factors, instead of `gate` and `up`.
        act: The activation: a module or a function that the block holds.
        activation: The name of the activation, such as "silu", if the block's code has it and no attribute.
        is_first: Whether the first half of `packed` is activated.
        between: Modules that run on the product, in this order, such as a dropout.
        after: Modules that run on the result of `down`, in this order.
    """

    down: str = ""
    gate: str = ""
    up: str = ""
    packed: str = ""
    act: str = ""
    activation: str = ""
    is_first: bool = True
    between: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = {name: getattr(self, name) for name in ("down", "gate", "up", "packed", "act", "activation")}
        for name, value in names.items():
            if not isinstance(value, str):
                expected = "it must be the name of an attribute of the block"
                raise InvalidArgument(f"Gate: {name} is {quote(value)}; {expected}; pass a str")
        if (bool(self.gate), bool(self.up), bool(self.packed)) not in ((True, True, False), (False, False, True)):
            fault = f"gate is {self.gate!r}, up is {self.up!r}, packed is {self.packed!r}"
            raise InvalidArgument(f"Gate: {fault}; it must have gate and up, or packed; name the block's linear layers")
        if bool(self.act) == bool(self.activation):
            fault = f"act is {self.act!r} and activation is {self.activation!r}"
            raise InvalidArgument(f"Gate: {fault}; one of them must be empty; pass act, the attribute of the block")
        if self.activation and self.activation not in ACTIVATIONS:
            expected = f"it must be one of {', '.join(map(repr, ACTIVATIONS))}"
            raise InvalidArgument(f"Gate: activation is {self.activation!r}; {expected}; pass one of these")

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the linear layers."""
        return tuple(name for name in (self.gate, self.up, self.packed, self.down) if name)


Names = Callable[[Any], str]  # the name of the activation that a module computes at this moment, or ""
Parts = Gate | Callable[[Any], Gate | None]  # of a block: always the same, or what its attributes say at this moment


def parts_of(block: torch.nn.Module, parts: Parts) -> Gate | None:
    """The parts of a block at this moment, or None if it computes something else."""
    return parts if isinstance(parts, Gate) else parts(block)


def activation_name(act: Any, others: Names) -> str:
    """The name of the activation that a part of a block computes at this moment, or "" if it is unknown."""
    kind = type(act)
    if kind is partial and act.func is nn.functional.gelu and not act.args:
        return {"none": "gelu", "tanh": "gelu_tanh"}.get(act.keywords.get("approximate", ""), "")
    if not isinstance(act, torch.nn.Module):
        return _FUNCTIONS.get(act, "") if callable(act) else ""
    if swapping.has_hooks(act) or swapping.is_replaced(act, "forward") or getattr(act, "inplace", False):
        return ""
    if kind.forward is not _FORWARDS.get(kind, kind.forward):  # somebody replaced the method of the class
        return ""
    if kind is nn.GELU:
        return {"none": "gelu", "tanh": "gelu_tanh"}.get(act.approximate, "")
    return _PLAIN.get(kind) or others(act)


def fault_of_linear(layer: Any) -> str:
    """Why a layer is no plain linear layer, or ""."""
    if type(layer) is not nn.Linear:
        return f"is a {type(layer).__name__} and not a torch.nn.Linear"
    if nn.Linear.forward is not _LINEAR:
        return "computes another forward, because torch.nn.Linear.forward was replaced"
    if swapping.has_hooks(layer):
        return "has hooks"
    if "forward" in vars(layer):
        return "has a forward of its own"
    state = vars(layer)["_parameters"]
    weight, bias = state.get("weight"), state.get("bias")
    if type(weight) not in (nn.Parameter, torch.Tensor) or not weight.is_floating_point():
        return "has a weight that is quantised, or a tensor of another class"
    if bias is not None and type(bias) is not type(weight):
        return "has a bias of another class than its weight"
    return ""


def fault(block: torch.nn.Module, gate: Gate, others: Names) -> str:
    """Why the parts of a block cannot be computed by `gated_linear` at this moment, or ""."""
    if (
        _module_globals._global_forward_hooks
        or _module_globals._global_forward_pre_hooks
        or _module_globals._global_backward_hooks
        or _module_globals._global_backward_pre_hooks
    ):
        return "torch.nn has hooks for all modules"
    modules = vars(block)["_modules"]
    for name in gate.layers:
        layer = modules.get(name)
        reason = f"has no module {name}" if layer is None else fault_of_linear(layer)
        if reason:
            return reason if layer is None else f"its {name} {reason}"
    if len({modules[name].weight.dtype for name in gate.layers}) > 1:
        return "its linear layers differ in dtype"
    if gate.act:
        act = modules.get(gate.act, vars(block).get(gate.act))
        if act is None:
            return f"it has no {gate.act}"
        if not activation_name(act, others):
            return f"its {gate.act} is no activation of gated_linear, or has hooks"
    return next((f"has no module {name}" for name in (*gate.between, *gate.after) if name not in modules), "")


def ties(block: torch.nn.Module, gate: Gate) -> str:
    """Why the weights of a block cannot be computed by `gated_linear`, or ""."""
    weights = [id(vars(block)["_modules"][name].weight) for name in gate.layers]
    return "its linear layers share a weight" if len({*weights}) < len(weights) else ""


def is_idle(module: Any) -> bool:
    """Whether a module returns its input at this moment, and nobody watches."""
    kind = type(module)
    if swapping.has_hooks(module) or "forward" in vars(module):
        return False
    return kind is nn.Identity or (kind is nn.Dropout and (not module.training or module.p == 0))


def compute(block: torch.nn.Module, gate: Gate, others: Names, x: Any) -> Any:
    """The result of a block without faults."""
    modules = vars(block)["_modules"]
    name = gate.activation or activation_name(modules.get(gate.act, vars(block).get(gate.act)), others)
    if gate.packed:
        packed = modules[gate.packed](x)
        first, second = packed.chunk(2, -1)
        active, other = (first, second) if gate.is_first else (second, first)
    else:
        packed, active = None, modules[gate.gate](x)
        other = modules[gate.up](x)
    between = [modules[each] for each in gate.between]
    down = modules[gate.down] if gate.down else None
    if down is not None and all(map(is_idle, between)):
        y = gated_linear(active, other, down.weight, down.bias, name)
    else:
        y = _product(name, packed, active, other, gate.is_first)
        for module in between:
            y = module(y)
        if down is not None:
            y = down(y)
    for each in gate.after:
        y = modules[each](y)
    return y


def _product(name: str, packed: Any, active: Any, other: Any, is_first: bool) -> Any:
    """activation(active) * other, which saves only its input if it is packed."""
    if packed is not None and name == "silu" and is_first:
        return functions.swiglu(packed)
    if packed is not None and name in ("gelu", "gelu_tanh"):
        return functions.geglu(packed, approximate="tanh" if name == "gelu_tanh" else "none", activate_left=is_first)
    return ACTIVATIONS[name].product(active, other)


def forward_of(kind: Any, parts: Parts, others: Names) -> Callable[..., Any]:
    """The `forward` for blocks of this class."""
    original, tensor, stays, why_not, run = kind.forward, torch.Tensor, swapping.stays_original, fault, compute
    ask = parts_of

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        gate = ask(self, parts)
        if (
            gate is None
            or len(args) != 1
            or kwargs
            or type(self).forward is not original
            or not isinstance(args[0], tensor)
            or stays()
            or why_not(self, gate, others)
        ):
            return type(self).forward(self, *args, **kwargs)
        return run(self, gate, others, args[0])

    return forward
