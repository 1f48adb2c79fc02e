"""The operators' kernels for the Autograd key.

They do the same as those of PyTorch's own operators: they record one node for the innermost level of differentiation,
and redispatch the call to the next level of torch.func, a transform, a tracer, or the kernel. So `torch.ops.actgrad`
and the functions of this package are one, and a compiled or exported graph holds the operators alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch._functorch.autograd_function import enable_single_level_autograd_function
from torch.autograd import forward_ad
from torch.autograd.function import _SingleLevelFunction

from . import kernels, saving
from .derivatives.derivations import derive
from .kernels import Interface

_C = torch._C


class Redispatch(NamedTuple):
    """The call below a level of differentiation, under the modes above it.

    A node's `forward` runs with both modes off, but lower levels need them. So does functionalisation: torch.compile
    does not differentiate a write under no_grad.
    """

    interface: Interface
    overload: Any
    keys: Any
    save: str
    reverse: bool  # whether reverse mode is on above; likewise `forward`
    forward: bool
    is_nested: bool  # whether there are levels of torch.func below

    def __call__(self, *given: Any) -> Any:
        with (
            _C._AutoDispatchBelowAutograd(),
            torch.set_grad_enabled(self.reverse),
            forward_ad._set_fwd_grad_enabled(self.forward),
        ):
            return self.overload.redispatch(self.keys, *given)


def is_forward() -> bool:
    """Whether forward-mode differentiation is on."""
    return bool(forward_ad._current_level >= 0 and _C._is_fwd_grad_enabled())


def node_of(name: str, kind: type) -> Any:
    """A class of nodes with a name of its own, which graphs show."""
    return type(name, (kind,), {})


def kernel(interface: Interface) -> Callable[..., Any]:
    """The operator's kernel for the Autograd key."""
    node: Any = None

    def autograd(keys: Any, *given: Any, save: str = saving.AUTO) -> Any:
        nonlocal node
        reverse, forward = _C.is_grad_enabled(), is_forward()
        is_nested = _C._are_functorch_transforms_active()
        is_watched = forward or (reverse and _C._any_requires_grad(*given))
        if not is_watched and not is_nested and kernels.may_compute(interface, given):
            return interface.kernel(*given)
        keys, overload = keys & _C._after_autograd_keyset, interface.overload
        if not is_watched:
            with _C._AutoDispatchBelowAutograd():
                return overload.redispatch(keys, *given)
        if node is None:  # made late: most operators are never differentiated
            node = node_of(interface.title, Node)
        if not is_nested:
            return node.apply(Redispatch(interface, overload, keys, save, reverse, forward, False), *given)
        with enable_single_level_autograd_function():
            return node.apply(Redispatch(interface, overload, keys, save, reverse, forward, True), *given)

    return autograd


def _saved(ctx: Any) -> Any:
    """The saved tensors. Where somebody overwrote the result, PyTorch's error with the way out."""
    try:
        return ctx.saved_tensors
    except RuntimeError as fault:
        derivation = ctx.derivation
        is_avoidable = derivation.keeps_result and saving.INPUT in saving.ways(derivation.interface.operator)
        if not is_avoidable or "inplace operation" not in str(fault):
            raise
        way_out = "save='input', of the function, the module or actgrad.torch.convert, keeps the input instead"
        raise RuntimeError(f"{fault} The result was saved for the gradient: {way_out}") from None


class Node(_SingleLevelFunction):
    """The node of a call in the graph."""

    AHEAD = 1  # arguments of `forward` before the operator's

    @staticmethod
    def forward(ctx: Any, below: Redispatch, *given: Any) -> Any:
        interface = below.interface
        tensors = interface.tensors_of(given)
        may_compute = not below.is_nested and kernels.may_compute(interface, given)
        outputs = interface.kernel(*given) if may_compute else below(*given)
        every = outputs if isinstance(outputs, tuple) else (outputs,)
        ctx.set_materialize_grads(False)
        ctx.derivation = derivation = derive(interface, interface.values_of(given), tensors[0].dtype, below.save)
        if below.forward:
            ctx.dtype, ctx.is_nested = every[0].dtype, below.is_nested
            ctx.save_for_forward(*tensors)
        if derivation.keeps_result:
            tensors = [every[0]]
        elif derivation.keeps_more:
            tensors += every[1:]
        ctx.save_for_backward(*tensors)
        return outputs

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        derivation, saved = ctx.derivation, _saved(ctx)
        wanted = ctx.needs_input_grad
        results: list[Any] = [None] * len(wanted)
        places = [place + ctx._forward_cls.AHEAD for place in derivation.interface.tensors]
        numbers = [number for number, place in enumerate(places) if wanted[place]]
        for number, gradient in zip(numbers, derivation.gradients(numbers, saved, gradients), strict=True):
            results[places[number]] = gradient
        return tuple(results)

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        derivation, tensors = ctx.derivation, ctx.saved_tensors
        directions = derivation.interface.tensors_of(tangents)
        if not ctx.is_nested:
            return derivation.tangents(tensors, directions, ctx.dtype)
        with forward_ad._set_fwd_grad_enabled(True):  # lower levels may need it
            primals = [x if x is None else forward_ad.unpack_dual(x).primal for x in tensors]
            return derivation.tangents(primals, directions, ctx.dtype)
