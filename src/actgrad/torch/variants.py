"""In-place and `out` variants, as PyTorch's own operators have them: `elu_`, `elu.out`, `elu_backward.grad_input`."""

from __future__ import annotations

from typing import Any

import torch
from torch._C._autograd import CreationMeta, _get_creation_meta

from ..base.errors import InvalidArgument
from . import graphs, kernels, saving
from .autograd import Below, Node, is_forward, node_of
from .derivations import derive_in_place
from .kernels import Interface

_C = torch._C
TAGS = (torch.Tag.pt2_compliant_tag,)


def register_clone(library: Any) -> Any:
    """The copy of an input that is about to be overwritten, as an operator of its own.

    torch.compile takes aten's clone out of its graphs, and would keep the graph's input, which is overwritten later.
    """
    library.define("_clone(Tensor self) -> Tensor", tags=TAGS)
    torch.library.register_fake("actgrad::_clone", torch.clone, lib=library)
    library.impl("_clone", torch.clone, "CompositeExplicitAutograd")
    return torch.ops.actgrad._clone.default


def register_out(library: Any, interface: Interface) -> None:
    """The variant whose results go to tensors that the caller gives; the overload is named after the first of them."""
    operator = interface.operator
    names = interface.outputs
    name = f"{operator.name}.{names[0]}"
    given = ", ".join(f"Tensor({chr(97 + k)}!) {output}" for k, output in enumerate(names))
    returned = [f"Tensor({chr(97 + k)}!)" for k in range(len(names))]
    results = returned[0] if len(names) == 1 else f"({', '.join(returned)})"
    library.define(f"{name}({interface.text}, *, {given}) -> {results}", tags=TAGS)

    def compute(*row: Any, **outputs: Any) -> Any:
        out = tuple(outputs[output] for output in names)
        plain = tuple(tensor.detach() for tensor in out)
        interface.kernel(*row, out=plain if len(plain) > 1 else plain[0])
        return out if len(out) > 1 else out[0]

    def shapes(*row: Any, **outputs: Any) -> Any:
        out = tuple(outputs[output] for output in names)
        kernels.shapes(interface, *row, out=out)
        return out if len(out) > 1 else out[0]

    def functional(*row: Any, **outputs: Any) -> Any:
        out = tuple(outputs[output] for output in names)
        results = interface.overload(*row)
        for target, result in zip(out, results if len(out) > 1 else (results,), strict=True):
            target.copy_(result)
        return out if len(out) > 1 else out[0]

    overload = getattr(getattr(torch.ops.actgrad, operator.name), names[0])

    def autograd(keys: Any, *row: Any, **outputs: Any) -> Any:
        if is_forward() or (_C.is_grad_enabled() and _C._any_requires_grad(*row, *outputs.values())):
            raise InvalidArgument(
                f"{operator.name}: a tensor requires grad, and results in {names[0]}= would be cut off from the graph; "
                f"leave {names[0]}= out, or call inside torch.no_grad()"
            )
        with _C._AutoDispatchBelowAutograd():
            return overload.redispatch(keys & _C._after_autograd_keyset, *row, **outputs)

    _implement(library, name, compute, shapes, functional, autograd)


def register_in_place(library: Any, interface: Interface) -> None:
    """The variant that overwrites its tensor, for an operator with one tensor and a result like it.

    On a graph it keeps its result where that suffices for the gradient, so that no second tensor stays in memory.
    """
    operator = interface.operator
    schema = operator.schema
    if not operator.definition.may_be_in_place:
        return
    name = f"{operator.name}_"
    first = schema.tensor_names[0]
    text = interface.text.replace(f"Tensor {first}", f"Tensor(a!) {first}", 1)
    library.define(f"{name}({text}) -> Tensor(a!)", tags=TAGS)
    overload = getattr(torch.ops.actgrad, name).default

    def compute(x: Any, *row: Any) -> Any:
        interface.kernel(x, *row, out=x.detach())
        return x

    def shapes(x: Any, *row: Any) -> Any:
        kernels.shapes(interface, x, *row, out=(x,))
        return x

    def functional(x: Any, *row: Any) -> Any:
        return x.copy_(interface.overload(x, *row))

    node = node_of(f"{interface.title}InPlace", InPlaceNode)

    def autograd(keys: Any, *row: Any) -> Any:
        if is_forward() or _C._are_functorch_transforms_active():
            x, *rest = row
            return x.copy_(interface.overload(x.clone(), *rest))  # two operators that every transform knows
        keys = keys & _C._after_autograd_keyset
        if not (_C.is_grad_enabled() and _C._any_requires_grad(*row)):
            with _C._AutoDispatchBelowAutograd():
                return overload.redispatch(keys, *row)
        x = row[0]
        if x.is_leaf or (x._is_view() and (x._base.is_leaf or _get_creation_meta(x) != CreationMeta.DEFAULT)):
            x.copy_(x)  # PyTorch's own error, before anything is written
        return node.apply(Below(interface, overload, keys, saving.AUTO, True, False, False), *row)

    def batched(info: Any, in_dims: tuple[Any, ...], *row: Any) -> Any:
        return overload(*row), in_dims[0]

    _implement(library, name, compute, shapes, functional, autograd)
    torch.library.register_vmap(f"actgrad::{name}", batched, lib=library)


class InPlaceNode(Node):
    """What a call in place leaves in the graph."""

    @staticmethod
    def forward(ctx: Any, below: Below, *given: Any) -> Any:
        interface = below.interface
        (x,) = interface.tensors_of(given)
        ctx.set_materialize_grads(False)
        ctx.mark_dirty(x)
        ctx.derivation = derive_in_place(interface, interface.values_of(given))
        kept = x if ctx.derivation.keeps_result else torch.ops.actgrad._clone(x)
        result = below(*given)
        ctx.save_for_backward(kept)
        return result


def _implement(library: Any, name: str, compute: Any, shapes: Any, functional: Any, autograd: Any) -> None:
    torch.library.register_fake(f"actgrad::{name}", shapes, lib=library)
    library.impl(name, compute, "CompositeExplicitAutograd")
    library.impl(name, functional, "Functionalize")
    graphs.register_variant(library, name, functional)
    library.impl(name, autograd, "Autograd", with_keyset=True)
