"""The operators' kernels for the dispatch key Autograd.

They do the same as the kernels of PyTorch's own operators: they record a node for the innermost level of
differentiation. Then they redispatch the call to the next level of torch.func, a transform, a tracer, or the kernel. So
the functions of this package may call `torch.ops.actgrad`, and a compiled or exported graph contains only operators.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import torch
from torch._C._autograd import CreationMeta, _get_creation_meta
from torch._functorch.autograd_function import enable_single_level_autograd_function
from torch.autograd import forward_ad
from torch.autograd.function import _SingleLevelFunction

from ..calls.operator import Operator
from .derivatives import derivations, products, saving
from .derivatives.derivations import CACHE, Derivation, derive
from .kernels import Interface, interface_of

_C = torch._C


class Redispatch(NamedTuple):
    """The call below a level of differentiation, with the grad modes that were on above this level.

    PyTorch switches both grad modes off in a node's `forward`. Lower levels need them. Functionalisation needs them
    too, because torch.compile does not differentiate a write under no_grad.
    """

    interface: Interface
    overload: Any
    keys: Any
    args: tuple[Any, ...]  # all arguments
    plain: Callable[..., Any] | None  # the call without the dispatcher. None if there are levels of torch.func below
    reverse: bool  # whether reverse-mode differentiation is on above this level
    forward: bool  # whether forward-mode differentiation is on above this level

    def __call__(self, *tensors: Any, **outputs: Any) -> Any:
        results = None if self.plain is None else self.plain(*tensors)
        if results is not None and results is not NotImplemented:
            return results
        args = self.interface.with_tensors(self.args, tensors)
        with (
            _C._AutoDispatchBelowAutograd(),
            torch.set_grad_enabled(self.reverse),
            forward_ad._set_fwd_grad_enabled(self.forward),
        ):
            return self.overload.redispatch(self.keys, *args, **outputs)


def is_forward() -> bool:
    """Whether forward-mode differentiation is on."""
    if not _C._is_fwd_grad_enabled():
        return False
    if forward_ad._current_level >= 0:
        return True
    # A compiled graph enters the levels of torch.func without the module `forward_ad`.
    transforms = _C._functorch.get_interpreter_stack() if _C._are_functorch_transforms_active() else ()
    return any(transform.key() == _C._functorch.TransformType.Jvp for transform in transforms or ())


@cache
def node_of(interface: Interface, kind: Any) -> Any:
    """The subclass of the node class `kind` for an operator. Graphs show its name.

    PyTorch's backward calls `apply` of the node, which looks `backward` up. Without the look-up, a node is faster.
    """
    node = type(f"{interface.title}{kind.SUFFIX}", (kind,), {"interface": interface})
    node._backward_cls.apply = kind.backward  # type: ignore[attr-defined]
    return node


def kernel(interface: Interface) -> Callable[..., Any]:
    """The operator's kernel for the dispatch key Autograd."""

    def autograd(keys: Any, *args: Any, save: str = saving.AUTO) -> Any:
        reverse, forward = _C.is_grad_enabled(), is_forward()
        is_nested = _C._are_functorch_transforms_active()
        if save != saving.AUTO:
            saving.require(interface.operator, interface.attributes_of(interface.values_of(args)), save)
        is_watched = forward or (reverse and _C._any_requires_grad(*args))
        if not is_watched and not is_nested and (results := interface.direct(args)) is not None:
            return results
        keys, overload = keys & _C._after_autograd_keyset, interface.overload
        if not is_watched:
            with _C._AutoDispatchBelowAutograd():
                return overload.redispatch(keys, *args)
        node = node_of(interface, DispatchedNode)  # made here, because most operators are never differentiated
        tensors = interface.tensors_of(args)
        derivation = derive(interface, interface.values_of(args), tensors[0].dtype, save)
        plain = None if is_nested else derivation.plain
        below = Redispatch(interface, overload, keys, args, plain, reverse, forward)
        if not is_nested:
            return node.apply(derivation, below, *tensors)
        with enable_single_level_autograd_function():
            return node.apply(derivation, below, *tensors)

    return autograd


def record(operator: Operator, values: tuple[Any, ...], save: str, *tensors: Any) -> Any:
    """Compute a call and record it in the autograd graph, without the dispatcher. `values` are all attributes."""
    node = _recorded_node(operator)
    derivation = CACHE.get((node.interface, values, tensors[0].dtype, save))
    if derivation is None or 0.0 in values:  # the key of 0.0 equals the key of -0.0
        derivation = derive(node.interface, values, tensors[0].dtype, save)
    return node.apply(derivation, derivation.plain, *tensors)


def _computed(operator: Operator, values: tuple[Any, ...], *tensors: Any) -> Any:
    """Compute a call of a product, and record it if a tensor requires grad."""
    node = _recorded_node(operator)
    derivation = CACHE.get((node.interface, values, tensors[0].dtype, saving.AUTO))
    if derivation is None or 0.0 in values:
        derivation = derive(node.interface, values, tensors[0].dtype, saving.AUTO)
    result = derivation.plain(*tensors)
    if result is None or result is NotImplemented:
        return node.apply(derivation, derivation.plain, *tensors)
    return result


def _product_gradients(derivation: Derivation, numbers: list[int], saved: tuple[Any, ...], gradients: Any) -> Any:
    """The gradients of some tensors of a call, by kernels if the call is a product (see derivatives/products.py)."""
    tensors = (*gradients, *saved)
    if derivation.product is None or not (products.are_alike(tensors) and products.is_ordinary(tensors)):
        return derivation.gradients(numbers, saved, gradients)
    product, (*factors, x), (gradient,) = derivation.product, saved, gradients
    operator, names = derivation.interface.operator, derivation.interface.names
    results: list[Any] = []
    for number in numbers:
        if number < product.order:
            row = [*factors[:number], gradient, *factors[number + 1 :], x]
            results.append(_computed(operator, _values(derivation, names), *row))
        elif product.is_constant():
            results.append(torch.zeros_like(x))
        elif by_x := product.by_x():
            row = [*factors, gradient, x]
            results.append(_computed(by_x, _values(derivation, product.scalars), *row))
        else:
            results += derivation.gradients([number], saved, gradients)
    return results


def _values(derivation: Derivation, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple([derivation.attributes[name] for name in names])


def record_in_place(operator: Operator, values: tuple[Any, ...], x: Any) -> Any:
    """Compute a call in place and record it, without the dispatcher. None if the dispatcher must see the call."""
    if refuses_overwriting(x):
        return None
    interface = interface_of(operator)
    derivation = derive(interface, values, None, saving.AUTO)
    copy = None if derivation.keeps_result else x.clone()
    return node_of(interface, InPlaceNode).apply(derivation, derivation.overwrite, x, copy)


def refuses_overwriting(x: Any) -> bool:
    """Whether PyTorch refuses to overwrite this tensor, which requires grad, because it is a leaf or a view of one."""
    return x.is_leaf or (x._is_view() and (x._base.is_leaf or _get_creation_meta(x) != CreationMeta.DEFAULT))


@cache
def _recorded_node(operator: Operator) -> Any:
    is_unary = len(operator.schema.tensors) == len(operator.schema.outputs) == 1 and bool(saving.ways(operator))
    is_product = products.further(operator) is not None or (
        operator.gradient_of is not None
        and operator.gradient_of.is_unary_elementwise
        and len(operator.schema.tensors) == 2
    )
    return node_of(interface_of(operator), UnaryNode if is_unary else ProductNode if is_product else Node)


def _saved(ctx: Any) -> Any:
    """The saved tensors. If the program overwrote the result, the error says what to do."""
    try:
        return ctx.saved_tensors
    except RuntimeError as fault:
        derivation = ctx.derivation
        is_avoidable = derivation.keeps_result and saving.INPUT in saving.ways(derivation.interface.operator)
        if not is_avoidable or "inplace operation" not in str(fault):
            raise
        cause = str(fault).partition(". Hint")[0]
        name = derivation.interface.operator.name
        raise RuntimeError(
            f"{name}: the result was overwritten ({cause}); it was saved for backward and must keep its values; "
            "pass save='input' to the function, the module or actgrad.torch.convert"
        ) from None


class Node(_SingleLevelFunction):
    """The node of a call. `apply` takes the call's derivation, the function that computes the call, and the tensors."""

    SUFFIX = ""
    _compiled_autograd_key = torch.autograd.Function._compiled_autograd_key

    @staticmethod
    def forward(ctx: Any, derivation: Derivation, compute: Callable[..., Any], *tensors: Any) -> Any:
        outputs = compute(*tensors)
        if outputs is None or outputs is NotImplemented:
            outputs = derivation.compute(*tensors)
        every = outputs if isinstance(outputs, tuple) else (outputs,)
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*[y for y in every if not (y.is_floating_point() or y.is_complex())])
        ctx.derivation = derivation
        candidates = (*tensors, *every)
        ctx.save_for_backward(*[candidates[k] for k in derivation.saves])
        return outputs

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        needs, derivation, saved = ctx.needs_input_grad[2:], ctx.derivation, _saved(ctx)
        numbers = [number for number, is_needed in enumerate(needs) if is_needed]
        results = iter(_product_gradients(derivation, numbers, saved, gradients))
        return None, None, *(next(results) if is_needed else None for is_needed in needs)


class DispatchedNode(Node):
    """The node of a call that came through the dispatcher. It also supports forward mode."""

    @staticmethod
    def forward(ctx: Any, derivation: Derivation, below: Any, *tensors: Any) -> Any:
        outputs = Node.forward(ctx, derivation, below, *tensors)
        if below.forward:
            ctx.dtype, ctx.is_nested = (
                (outputs[0] if isinstance(outputs, tuple) else outputs).dtype,
                below.plain is None,
            )
            ctx.save_for_forward(*tensors)
        return outputs

    @staticmethod
    def jvp(ctx: Any, _: Any, __: Any, *directions: Any) -> Any:
        derivation, tensors = ctx.derivation, ctx.saved_tensors
        if not ctx.is_nested:
            return derivation.tangents(tensors, directions, ctx.dtype)
        with forward_ad._set_fwd_grad_enabled(True):  # lower levels may need forward mode
            primals = [x if x is None else forward_ad.unpack_dual(x, level=0).primal for x in tensors]
            return derivation.tangents(primals, directions, ctx.dtype)


class UnaryNode(Node):
    """The node of `record` for one tensor and one result. It has little Python code, to be fast on small tensors."""

    @staticmethod
    def forward(ctx: Any, derivation: Derivation, compute: Callable[..., Any], *tensors: Any) -> Any:
        (x,) = tensors
        ctx.derivation = derivation
        y = compute(x)
        if y is None or y is NotImplemented:
            y = derivation.compute(x)
        ctx.save_for_backward(y if derivation.keeps_result else x)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        # Call `__call__` explicitly, because compiled autograd of PyTorch 2.10 cannot call a named tuple.
        return None, None, ctx.derivation.by_kernel.__call__(*gradients, *_saved(ctx))


class ProductNode(Node):
    """The node of `record` for a gradient of a function of one tensor, and for the products of its derivatives."""

    @staticmethod
    def forward(ctx: Any, derivation: Derivation, compute: Callable[..., Any], *tensors: Any) -> Any:
        ctx.derivation = derivation
        is_constant = len(tensors) == 2 and derivation.product is not None and derivation.product.is_constant()
        # Then no gradient needs the values of the first tensor.
        ctx.save_for_backward(*(tensors[-1:] * 2 if is_constant and products.are_alike(tensors) else tensors))
        result = compute(*tensors)
        return derivation.compute(*tensors) if result is None or result is NotImplemented else result


class InPlaceNode(Node):
    """The node of a call in place. Its second tensor is the copy of the input to save, or None to save the result."""

    SUFFIX = "InPlace"

    @staticmethod
    def forward(ctx: Any, derivation: Derivation, overwrite: Callable[..., Any], *tensors: Any) -> Any:
        x, copy = tensors
        ctx.derivation = derivation
        ctx.mark_dirty(x)
        result = overwrite(x)
        ctx.save_for_backward(x if copy is None else copy)
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        derivation, saved = ctx.derivation, _saved(ctx)
        if derivation.by_kernel is None:
            return None, None, *derivation.gradients([0], saved, gradients), None
        return None, None, derivation.by_kernel.__call__(*gradients, *saved), None


derivations.record = record
