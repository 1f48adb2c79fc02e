"""`gated_linear`: the product of a gate and the linear layer after it, as one node of the autograd graph.

The linear layer saves no product for the gradient of its weight, because the backward pass computes the product again
from `gate` and `up`. It needs both for the gate's gradient anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import cache
from typing import Any, NamedTuple

import torch
from torch.autograd.function import _SingleLevelFunction

from ..base.errors import InvalidArgument, InvalidCall, did_you_mean, either, kind_of, quote
from ..calls.operator import REGISTRY
from . import autograd, functions
from .derivatives import products, saving
from .derivatives.derivations import Derivation, derive
from .kernels import interface_of

_C = torch._C
_linear = torch.nn.functional.linear


class GateActivation(NamedTuple):
    """An activation of `gated_linear`: the gate operator that computes act(gate) * up, or the activation alone."""

    operator: str  # with the tensors (up, gate), or with one tensor
    values: tuple[Any, ...]  # its attributes
    is_gate: bool
    product: Callable[[Any, Any], Any]  # act(gate) * up by public functions: every mode and transform sees the calls


#: The activations of `gated_linear`.
ACTIVATIONS = {
    "silu": GateActivation("swiglu_two", (), True, lambda gate, up: functions.swiglu_two(up, gate)),
    "gelu": GateActivation("geglu_two", (0,), True, lambda gate, up: functions.geglu_two(up, gate)),
    "gelu_tanh": GateActivation("geglu_two", (1,), True, lambda gate, up: functions.geglu_two(up, gate, "tanh")),
    "relu": GateActivation("relu", (), False, lambda gate, up: functions.relu(gate) * up),
    "sigmoid": GateActivation("sigmoid", (), False, lambda gate, up: functions.sigmoid(gate) * up),
    "tanh": GateActivation("tanh", (), False, lambda gate, up: functions.tanh(gate) * up),
}


def gated_linear(
    gate: torch.Tensor,
    up: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    activation: str = "silu",
) -> torch.Tensor:
    """linear(activation(gate) * up, weight, bias): the gate of a feed-forward block and its projection down.

    It saves `gate`, `up` and `weight` for backward, and neither activation(gate) nor the product. The backward pass
    computes the product again. Under torch.func, forward mode, torch.compile, a mode or with tensor subclasses, it
    computes the product and the linear layer by separate calls, which save the product.

    Args:
        gate: The tensor that is activated.
        up: The other factor, with the shape and dtype of `gate`.
        weight: The weight of the linear layer: (features of the result, features of `gate`).
        bias: The bias of the linear layer, or None.
        activation: "silu", "gelu", "gelu_tanh", "relu", "sigmoid" or "tanh".

    Returns:
        The result of the linear layer.

    Raises:
        InvalidArgument: The activation is unknown, or the shapes do not fit each other.
        InvalidCall: `gate`, `up`, `weight` or `bias` is no tensor, or `gate` and `up` differ in dtype.

    Example:
        >>> y = actgrad.torch.gated_linear(gate_proj(x), up_proj(x), down_proj.weight)
    """
    kind = ACTIVATIONS.get(activation) if isinstance(activation, str) else None
    if kind is None:
        cure = did_you_mean(activation, ACTIVATIONS, "pass one of these")
        expected = f"it must be {either(map(repr, ACTIVATIONS))}"
        raise InvalidArgument(f"gated_linear: activation is {quote(activation)}; {expected}; {cure}")
    _require(gate, up, weight, bias)
    tensors = (gate, up, weight) if bias is None else (gate, up, weight, bias)
    if torch.compiler.is_compiling() or not products.is_ordinary(tensors):
        return _linear(kind.product(gate, up), weight, bias)
    device = gate.device.type
    is_autocast = torch.is_autocast_enabled(device)
    if is_autocast and gate.dtype != torch.float64:
        dtype = torch.get_autocast_dtype(device)
        weight, bias = weight.to(dtype), None if bias is None else bias.to(dtype)
    if not (torch.is_grad_enabled() and _C._any_requires_grad(gate, up, weight, bias)):
        with torch.autocast(device, enabled=False) if is_autocast else nullcontext():
            return _linear(kind.product(gate, up).to(weight.dtype if is_autocast else gate.dtype), weight, bias)
    derivation = _derivation(activation, gate.dtype)
    return GatedLinearNode.apply(derivation, kind.is_gate, is_autocast, gate, up, weight, bias)


def _require(gate: Any, up: Any, weight: Any, bias: Any) -> None:
    """Raise an error unless the arguments are tensors that fit each other."""
    for name, value in (("gate", gate), ("up", up), ("weight", weight), ("bias", bias)):
        if not (isinstance(value, torch.Tensor) or (name == "bias" and value is None)):
            raise InvalidCall(f"gated_linear: {name} is {kind_of(value)}; it must be a torch.Tensor; pass a tensor")
    if gate.dtype != up.dtype:
        fault = f"gate is {gate.dtype} and up is {up.dtype}"
        raise InvalidCall(f"gated_linear: {fault}; both must have one dtype; convert one of them")
    if gate.shape != up.shape:
        fault = f"gate has the shape {[*gate.shape]} and up has {[*up.shape]}"
        raise InvalidArgument(f"gated_linear: {fault}; both must have one shape; expand one of them")
    if weight.dim() != 2 or gate.dim() < 1 or gate.shape[-1] != weight.shape[1]:
        fault = f"weight has the shape {[*weight.shape]} and gate has {[*gate.shape]}"
        expected = "weight must be (features of the result, last dimension of gate)"
        raise InvalidArgument(f"gated_linear: {fault}; {expected}; transpose the weight, or pass another one")


@cache
def _derivation(activation: str, dtype: torch.dtype) -> Derivation:
    operator, values, *_ = ACTIVATIONS[activation]
    return derive(interface_of(REGISTRY[operator]), values, dtype, saving.AUTO)


class GatedLinearNode(_SingleLevelFunction):
    """The node of `gated_linear`. `apply` takes the derivation of the gate or of the activation, and the tensors."""

    _compiled_autograd_key = torch.autograd.Function._compiled_autograd_key

    @staticmethod
    def forward(ctx: Any, derivation: Derivation, is_gate: bool, is_autocast: bool, *tensors: Any) -> Any:
        gate, up, weight, bias = tensors
        ctx.derivation, ctx.is_gate, ctx.device = derivation, is_gate, gate.device.type
        ctx.save_for_backward(gate, up, weight)
        product = derivation.compute(up, gate) if is_gate else derivation.compute(gate).mul_(up)
        if not is_autocast:
            return _without_base(_linear(product, weight, bias))
        with torch.autocast(ctx.device, enabled=False):
            return _without_base(_linear(product.to(weight.dtype), weight, bias))

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        with torch.autocast(ctx.device, enabled=False):
            return None, None, None, *_gradients(ctx, gradients[0])


def _without_base(y: torch.Tensor) -> torch.Tensor:
    """`y`, but not as a view, because PyTorch refuses writes into a view that a node returns (`y += x`)."""
    return torch.ops.aten._unsafe_view.default(y, y.shape) if y._is_view() else y


def _gradients(ctx: Any, gradient: torch.Tensor) -> list[torch.Tensor | None]:
    """The gradients of gate, up, weight and bias. Under grad mode, each step records itself for second derivatives."""
    gate, up, weight = ctx.saved_tensors
    derivation, needs = ctx.derivation, ctx.needs_input_grad[3:]
    results: list[torch.Tensor | None] = [None] * 4
    rows = gradient.reshape(-1, weight.shape[0])
    is_recorded = torch.is_grad_enabled()
    if needs[2]:  # first, so that the product is free before the gate's gradients are made
        product = _product(derivation, ctx.is_gate, gate, up, is_recorded)
        results[2] = rows.t() @ product.to(weight.dtype).reshape(-1, weight.shape[1])
        del product
    if needs[3]:
        results[3] = rows.sum(0)
    if not (needs[0] or needs[1]):
        return results
    gradient = (rows @ weight).view(gate.shape).to(gate.dtype)
    if ctx.is_gate:
        numbers = [number for number, is_needed in ((0, needs[1]), (1, needs[0])) if is_needed]
        found = dict(zip(numbers, derivation.gradients(numbers, (up, gate), (gradient,)), strict=True))
        results[0], results[1] = found.get(1), found.get(0)
        return results
    if needs[1]:
        results[1] = gradient * _activated(derivation, gate, is_recorded)
    if needs[0]:
        saved = (_activated(derivation, gate, is_recorded) if derivation.keeps_result else gate,)
        (results[0],) = derivation.gradients([0], saved, (gradient * up,))
    return results


def _product(derivation: Derivation, is_gate: bool, gate: Any, up: Any, is_recorded: bool) -> torch.Tensor:
    """The product. If `is_recorded`, PyTorch records its computation."""
    if not is_gate:
        return _activated(derivation, gate, is_recorded) * up
    product: torch.Tensor = _computed(derivation, is_recorded, up, gate)
    return product


def _activated(derivation: Derivation, gate: Any, is_recorded: bool) -> torch.Tensor:
    result: torch.Tensor = _computed(derivation, is_recorded, gate)
    return result


def _computed(derivation: Derivation, is_recorded: bool, *tensors: Any) -> Any:
    if not is_recorded:
        return derivation.compute(*tensors)
    values = tuple(derivation.attributes[name] for name in derivation.interface.names)
    return autograd.record(derivation.interface.operator, values, saving.AUTO, *tensors)
