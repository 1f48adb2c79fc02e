"""Run by torchrun: every operator on a mesh of all processes, placed as its rules say, against the plain call."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor, init_device_mesh
from torch.distributed.tensor.debug import CommDebugMode

import actgrad
import actgrad.torch
from actgrad import samples
from actgrad.torch.kernels import interface_of
from actgrad.torch.sharding import placements
from tests.support.calls import OPERATORS
from tests.support.torch_calls import FORWARD, attribute_cases, call, drawn, has_gradient, tensors

SHAPE = (4, 6, 10)


def placed(tensor: Any, placement: Any, mesh: Any) -> Any:
    """A tensor on the mesh; a partial one is split into as many terms, which are exact."""
    if not isinstance(placement, Partial):
        return distribute_tensor(tensor, mesh, [placement])
    term = tensor if dist.get_rank() == 0 else torch.zeros_like(tensor)
    return DTensor.from_local(term, mesh, [placement])


def check(operator: Any, attributes: dict[str, Any], given: list[Any], mesh: Any) -> None:
    """Each of the rules: computed in place, without a message, and the same bits."""
    interface, function = interface_of(operator), call(operator, attributes)
    wanted = samples.as_tuple(function(*given))
    for outputs, row in placements(interface, tuple(interface.row(given, attributes))):
        places = [row[place] for place in interface.tensors]
        inputs = [t if t is None else placed(t, p, mesh) for t, p in zip(given, places, strict=True)]
        with CommDebugMode() as messages:
            results = samples.as_tuple(function(*inputs))
        assert messages.get_total_counts() == 0, (operator.name, row)
        assert [result.placements for result in results] == [(output,) for output in outputs], (operator.name, row)
        for result, plain in zip(results, wanted, strict=True):
            assert torch.equal(result.full_tensor(), plain), (operator.name, row)


def check_gradients(operator: Any, mesh: Any) -> None:
    """Through autograd, sharded by rows."""
    plain = tensors(operator, SHAPE, requires_grad=True)
    sharded = [distribute_tensor(t.detach(), mesh, [Shard(0)]).requires_grad_() for t in plain]
    slopes = []
    for given in (plain, sharded):
        y = samples.as_tuple(call(operator, operator.defaults)(*given))[0]
        slopes.append(torch.autograd.grad(y, given, y.detach()))
    for ours, theirs in zip(slopes[1], slopes[0], strict=True):
        assert ours.placements == (Shard(0),)
        assert torch.equal(ours.full_tensor(), theirs)


def slopes(function: Any, given: list[Any], writes: bool) -> list[Any]:
    """First and second derivatives by all tensors of floats; `writes` copies the tensors that a call overwrites."""
    leaves = [t for t in given if t is not None and t.is_floating_point()]
    y = samples.as_tuple(function(*[t * 1.0 if writes else t for t in given]))
    first = torch.autograd.grad(y, leaves, [each.detach() for each in y], create_graph=True)
    loss = [each for each in first if each.requires_grad]
    second = torch.autograd.grad(loss, leaves, [each.detach() for each in loss], allow_unused=True) if loss else ()
    return [*first, *second]


def check_derivatives(operator: Any, function: Any, given: list[Any], mesh: Any, writes: bool = False) -> None:
    """Derivatives on the mesh, sharded and replicated, are those of plain tensors, and are on the mesh themselves."""
    wanted = slopes(
        function, [t if t is None else t.clone().requires_grad_(t.is_floating_point()) for t in given], writes
    )
    for placement in (Shard(0), Replicate()):
        tensors = []
        for t in given:
            own = placement if t is not None and t.is_floating_point() else Replicate()
            each = None if t is None else distribute_tensor(t.clone(), mesh, [own])
            tensors.append(each if each is None else each.requires_grad_(t.is_floating_point()))
        for one, other in zip(slopes(function, tensors, writes), wanted, strict=True):
            assert (one is None) == (other is None), operator.name
            if one is not None:
                assert isinstance(one, DTensor), operator.name
                torch.testing.assert_close(one.full_tensor(), other, equal_nan=True)  # erfinv beyond 1


def check_writing_and_counting(mesh: Any) -> None:
    """Every operator in place, and every one that counts rows and has a gradient."""
    for operator in actgrad.operators.values():
        if operator.definition.may_be_in_place:
            in_place = getattr(torch.ops.actgrad, f"{operator.name}_")
            values = interface_of(operator).template(operator.defaults)[1:]
            x = drawn(operator, (4, 6))[0]
            check_derivatives(operator, lambda t, f=in_place, v=values: f(t, *v), [x], mesh, writes=True)
        if operator.ragged.counter and has_gradient(operator):
            check_derivatives(operator, call(operator, operator.defaults), drawn(operator, (4, 6)), mesh)


def main() -> None:
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    torch.manual_seed(0)
    for operator in OPERATORS:
        for attributes in attribute_cases(operator)[:2]:
            for dim in (-1, -3) if "dim" in attributes else (None,):
                own = attributes if dim is None else {**attributes, "dim": dim}
                for optional in {False, any(tensor.is_optional for tensor in operator.schema.tensors)}:
                    given = tensors(operator, SHAPE, optional=optional)
                    if dim == -3:
                        given = [None if t is None else t.transpose(0, 2) for t in given]
                    check(operator, own, given, mesh)
        if operator.broadcasts:
            check(operator, operator.defaults, [torch.randn(SHAPE), torch.randn(6, 1)], mesh)
            check(operator, operator.defaults, [torch.randn(1, 6, 10), torch.randn(4, 1, 1)], mesh)
    for operator in FORWARD:
        check_gradients(operator, mesh)
    check_writing_and_counting(mesh)
    x = torch.randn(SHAPE)
    for placement in (Shard(1), Replicate()):
        y = distribute_tensor(x.clone(), mesh, [placement])
        assert torch.ops.actgrad.elu_(y) is y
        assert y.placements == (placement,)
        assert torch.equal(y.full_tensor(), actgrad.torch.elu(x))
    packed = distribute_tensor(x, mesh, [Shard(2)])  # along which it is halved: it has to be gathered first
    assert torch.equal(actgrad.torch.geglu(packed).full_tensor(), actgrad.torch.geglu(x))
    with torch.inference_mode():
        assert actgrad.torch.gelu(distribute_tensor(x, mesh, [Shard(0)])).placements == (Shard(0),)
    if dist.get_rank() == 0:
        print(f"{len(OPERATORS)} operators on {dist.get_world_size()} processes")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
