"""The in-place and `out=` variants of operators, with PyTorch's names: `elu_`, `elu.out`, `elu_backward.grad_input`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from .. import arrays
from ..base.errors import InvalidArgument
from ..base.forks import cached_property
from . import graphs, kernels, sharding
from .autograd import InPlaceNode, Redispatch, is_forward, node_of, refuses_overwriting
from .derivatives import saving
from .derivatives.derivations import derive
from .derivatives.partials import rounded
from .kernels import Interface

_C = torch._C
TAGS = (torch.Tag.pt2_compliant_tag,)


def register_clone(library: Any) -> Any:
    """Register the operator `_clone`, which copies a tensor before it is overwritten.

    torch.compile removes aten's clone from graphs. It would save the graph's input, which a later node overwrites.
    """
    library.define("_clone(Tensor self) -> Tensor", tags=TAGS)
    torch.library.register_fake("actgrad::_clone", torch.clone, lib=library)
    torch.library.register_autograd(
        "actgrad::_clone", lambda ctx, gradient: gradient, setup_context=_keep_missing_gradients, lib=library
    )
    library.impl("_clone", torch.clone, "CompositeExplicitAutograd")
    graphs.register_clone(library)
    return torch.ops.actgrad._clone.default


def _keep_missing_gradients(ctx: Any, inputs: Any, output: Any) -> None:
    """Keep None for a missing gradient. PyTorch would make zeros, a plain tensor even next to DTensors."""
    ctx.set_materialize_grads(False)


class Variant:
    """A variant of an operator that writes into tensors of the caller."""

    name: str  # the name with the overload, for example "elu.out"
    schema: str
    autograd: Callable[..., Any]

    def __init__(self, interface: Interface):
        self.interface = interface

    def register(self, library: Any) -> None:
        """Define the variant and register its kernels."""
        library.define(self.schema, tags=TAGS)
        library.impl(self.name, self.compute, "CompositeExplicitAutograd")
        library.impl(self.name, self.functional, "Functionalize")
        library.impl(self.name, self.autograd, "Autograd", with_keyset=True)

    def complete(self, library: Any) -> None:
        """Register the rules for tensors without data and for graphs."""
        torch.library.register_fake(f"actgrad::{self.name}", self.shapes, lib=library)
        graphs.register_variant(library, self.interface, self.name, self.functional)

    @cached_property
    def overload(self) -> Any:
        """PyTorch's operator."""
        packet, _, overload = self.name.partition(".")
        return getattr(getattr(torch.ops.actgrad, packet), overload or "default")

    def written(self, row: tuple[Any, ...], outputs: dict[str, Any]) -> tuple[Any, ...]:
        """The tensors that a call overwrites."""
        return row[:1]

    def compute(self, *row: Any, **outputs: Any) -> Any:
        """The call on tensors with memory."""
        out = self.written(row, outputs)
        for tensor in out:
            arrays.refuse_locked(self.interface.operator.name, tensor)
        self.interface.kernel(*row, out=_one_or_all(tuple(tensor.detach() for tensor in out)))
        return _one_or_all(out)

    def shapes(self, *row: Any, **outputs: Any) -> Any:
        """The call on tensors without data."""
        out = self.written(row, outputs)
        kernels.shapes(self.interface, *row, out=out)
        return _one_or_all(out)

    def functional(self, *row: Any, **outputs: Any) -> Any:
        """The call for functionalisation: the operator, and a copy of its results. It has the checks of `compute`."""
        out = self.written(row, outputs)
        results = self.interface.overload(*kernels.arguments_for_out(self.interface, row, out))
        for target, result in zip(out, results if len(out) > 1 else (results,), strict=True):
            same = rounded(result, target.dtype)
            if same.shape != target.shape:  # some checks allow another shape with as many elements
                same = same.reshape(target.shape)
            graphs.overwrite(target, same)
        return _one_or_all(out)


def _one_or_all(tensors: tuple[Any, ...]) -> Any:
    return tensors if len(tensors) > 1 else tensors[0]


class OutVariant(Variant):
    """The variant that writes into the tensors of `out=`. Its overload has the name of the first output."""

    def __init__(self, interface: Interface):
        super().__init__(interface)
        names = interface.outputs
        self.name = f"{interface.operator.name}.{names[0]}"
        letters = [chr(97 + k) for k in range(len(names))]
        outputs = ", ".join(f"Tensor({letter}!) {output}" for letter, output in zip(letters, names, strict=True))
        returned = ", ".join(f"Tensor({letter}!)" for letter in letters)
        self.schema = f"{self.name}({interface.text}, *, {outputs}) -> "
        self.schema += returned if len(names) == 1 else f"({returned})"

    def written(self, row: tuple[Any, ...], outputs: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(outputs[name] for name in self.interface.outputs)

    def autograd(self, keys: Any, *row: Any, **outputs: Any) -> Any:
        if is_forward() or (_C.is_grad_enabled() and _C._any_requires_grad(*row, *outputs.values())):
            first = self.interface.outputs[0]
            raise InvalidArgument(
                f"{self.interface.operator.name}: a tensor requires grad; with {first}= it must not, because "
                "autograd could "
                f"not record the call; leave {first}= out or call inside torch.no_grad()"
            )
        with _C._AutoDispatchBelowAutograd():
            return self.overload.redispatch(keys & _C._after_autograd_keyset, *row, **outputs)


class InPlaceVariant(Variant):
    """The variant that overwrites its tensor, for an operator with one tensor and a result of the same shape.

    In the autograd graph, it saves its result instead of the input if possible, so that no copy is needed.
    """

    def __init__(self, interface: Interface):
        super().__init__(interface)
        self.name = f"{interface.operator.name}_"
        first = interface.operator.schema.tensor_names[0]
        text = interface.text.replace(f"Tensor {first}", f"Tensor(a!) {first}", 1)
        self.schema = f"{self.name}({text}) -> Tensor(a!)"

    def complete(self, library: Any) -> None:
        super().complete(library)
        name = f"actgrad::{self.name}"
        torch.library.register_vmap(name, lambda info, dims, *row: (self.overload(*row), dims[0]), lib=library)

    def compute(self, *row: Any, **outputs: Any) -> Any:  # the same with fewer calls, to be fast on small tensors
        if row[0].is_inference():
            arrays.refuse_locked(self.interface.operator.name, row[0])
        self.interface.kernel(*row, out=row[0].detach())
        return row[0]

    def autograd(self, keys: Any, *row: Any) -> Any:
        if is_forward() or _C._are_functorch_transforms_active():
            x, *rest = row
            return x.copy_(self.interface.overload(x.clone(), *rest))  # all transforms support clone and copy_
        keys, overload = keys & _C._after_autograd_keyset, self.overload
        if not (_C.is_grad_enabled() and _C._any_requires_grad(*row)):
            with _C._AutoDispatchBelowAutograd():
                return overload.redispatch(keys, *row)
        x = row[0]
        if refuses_overwriting(x):
            x.copy_(x)  # PyTorch raises its error before anything is written
        interface, node = self.interface, node_of(self.interface, InPlaceNode)
        derivation = derive(interface, interface.values_of(row), None, saving.AUTO)
        if derivation.keeps_result:
            return node.apply(derivation, Redispatch(interface, overload, keys, row, None, True, False), x, None)
        # The result is computed from the copy. Otherwise, torch.compile could save x and copy it in backward, after the
        # write.
        copy = torch.ops.actgrad._clone(x)  # recorded in the graph, for second derivatives
        if sharding.is_sharded(x):  # DTensor has rules for results, and none for `out`
            result_of = Redispatch(interface, interface.overload, keys, row, None, True, False)
            return node.apply(derivation, lambda x: x.copy_(result_of(copy)), x, copy)
        out = interface.outputs[0]
        from_copy = Redispatch(interface, list_variants(interface)[0].overload, keys, row, None, True, False)
        return node.apply(derivation, lambda x: from_copy(copy, **{out: x}), x, copy)


@cache
def list_variants(interface: Interface) -> tuple[Variant, ...]:
    """The variants of an operator."""
    in_place = (InPlaceVariant(interface),) if interface.operator.definition.may_be_in_place else ()
    return (OutVariant(interface), *in_place)
