"""In-place activations: values, gradients and errors are those of torch.nn.functional, compiled or not."""

from __future__ import annotations

import contextlib
import copy
import shutil
from collections.abc import Callable
from typing import Any

import pytest

import actgrad.torch
from tests.support.torch_calls import ignore_deprecation

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional

pytestmark = [
    pytest.mark.share(3),
    ignore_deprecation,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning"),
]

#: Functions with their attributes; a negative slope makes the input necessary for the gradient.
FUNCTIONS = {
    "elu": ("elu", 1.3),
    "selu": ("selu",),
    "leaky_relu": ("leaky_relu", 0.1),
    "elu negative": ("elu", -1.3),
    "leaky_relu negative": ("leaky_relu", -0.2),
}
BACKENDS = ("eager", "aot_eager", "inductor")


def activation(space: Any, name: str) -> Callable[[Any], Any]:
    """The in-place function of one of the two libraries."""
    function, *attributes = FUNCTIONS[name]
    apply = getattr(space, function)
    if space is functional and name.endswith("negative"):  # PyTorch refuses it in place
        return lambda t: t.copy_(apply(t.clone(), *attributes))
    return lambda t: apply(t, *attributes, inplace=True)


def after_a_break(act: Any, z: Any) -> Any:
    y = z * 2
    torch._dynamo.graph_break()
    act(y)
    return y + z


def before_a_break(act: Any, z: Any) -> Any:
    y = z * 2
    act(y)
    torch._dynamo.graph_break()
    return y * y


def without_a_graph(act: Any, z: Any) -> Any:
    y = z * 2
    with torch.no_grad():
        act(y)
    return y * z


def part(act: Any, y: Any) -> Any:
    act(y[1:])
    return y * 1.5


def ignored(act: Any, y: Any) -> Any:
    act(y)
    return y.sin()


def with_others(act: Any, y: Any) -> Any:
    before = y * 0.5
    result = act(y)
    return result * y + y + before


def detached(act: Any, y: Any) -> Any:
    act(y.detach())
    return y * 2


PLACES: dict[str, Callable[[Any, Any], Any]] = {
    "input": lambda act, z: act(z),
    "input, result ignored": ignored,
    "input, used again": lambda act, z: with_others(act, z),
    "view of the input": lambda act, z: act(z.view(-1)),
    "part of the input": part,
    "transposed input": lambda act, z: act(z.t()).cumsum(0),
    "intermediate": lambda act, z: act(z * 2),
    "intermediate, used again": lambda act, z: with_others(act, z * 2),
    "view of an intermediate": lambda act, z: act((z * 2).view(-1)),
    "part of an intermediate": lambda act, z: part(act, z * 2),
    "detached": lambda act, z: detached(act, z * 2),
    "after a graph break": after_a_break,
    "before a graph break": before_a_break,
    "without a graph": without_a_graph,
    "half precision": lambda act, z: act(z.bfloat16()),
    "a needed result": lambda act, z: act(z.exp()),
    "a needed factor": lambda act, z: (lambda y: (y * y, act(y))[0])(z * 2),
    "one of several views": lambda act, z: act((z * 2).unbind(0)[0]),
}
#: Cases that inductor compiles in every run of the tests.
FAST = [
    ("elu negative", "view of the input"),
    *[("leaky_relu", place) for place in PLACES if place.startswith(("input", "view", "intermediate", "after"))],
]
REFUSED = ("a needed result", "a needed factor", "one of several views")


def outcome(act: Any, place: str, backend: str, **options: Any) -> list[Any]:
    """The result, the tensor that may have been written to, and the leaf's gradient."""
    leaf = torch.linspace(-2, 2, 24).reshape(4, 6).requires_grad_()
    z = leaf * 1

    def function(z: Any) -> Any:
        return PLACES[place](act, z)

    if backend != "eager":
        torch.compiler.reset()
        function = torch.compile(function, backend=backend, **options)
    result = function(z)
    (result * torch.arange(1.0, result.numel() + 1).view_as(result)).sum().backward()
    return [result.detach(), z.detach(), leaf.grad]


def combinations() -> list[Any]:
    found = []
    for backend in BACKENDS:
        for name in FUNCTIONS:
            for place in PLACES:
                marks = [pytest.mark.slow] if backend == "inductor" and (name, place) not in FAST else []
                if backend == "inductor":
                    marks.append(pytest.mark.skipif(shutil.which("g++") is None, reason="inductor compiles C++"))
                found.append(pytest.param(name, place, backend, marks=marks, id=f"{backend}-{name}-{place}"))
    return found


@pytest.mark.parametrize(("name", "place", "backend"), combinations())
@pytest.mark.share(3)
def test_is_that_of_pytorch(name: str, place: str, backend: str) -> None:
    act = activation(actgrad.torch, name)
    if place in REFUSED:
        for each, where in ((activation(functional, name), "eager"), (act, backend)):
            with pytest.raises(Exception, match=r"modified by an inplace operation|is a view and is being modified"):
                outcome(each, place, where)
        return
    torch.testing.assert_close(outcome(act, place, backend), outcome(activation(functional, name), place, "eager"))


@pytest.mark.parametrize("place", ["input", "view of the input", "intermediate", "after a graph break"])
def test_of_any_size(place: str) -> None:
    for name in FUNCTIONS:
        wanted = outcome(activation(functional, name), place, "eager")
        torch.testing.assert_close(outcome(activation(actgrad.torch, name), place, "aot_eager", dynamic=True), wanted)


class Residual(torch.nn.Module):  # type: ignore[misc,name-defined]
    """An activation whose input an earlier bucket of parameters computes."""

    def __init__(self, act: Any):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.second, self.last = (torch.nn.Linear(8, 8) for _ in range(3))
        self.act = act

    def forward(self, x: Any) -> Any:
        y, z = self.first(x), self.second(x)
        return self.last(self.act(y) + z)


MODULES = [
    (actgrad.torch.ELU(1.3, inplace=True), torch.nn.ELU(1.3)),
    (actgrad.torch.SELU(inplace=True), torch.nn.SELU()),
    (actgrad.torch.LeakyReLU(0.1, inplace=True), torch.nn.LeakyReLU(0.1)),
    (actgrad.torch.LeakyReLU(-0.2, inplace=True), torch.nn.LeakyReLU(-0.2)),
]


@pytest.mark.parametrize("backend", [*BACKENDS[:2], pytest.param("inductor", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("ours", "theirs"), MODULES, ids=str)
def test_split_by_ddp(ours: Any, theirs: Any, backend: str) -> None:
    """The DDPOptimizer compiles each bucket of parameters alone: what one computes is the next one's input."""
    distributed = pytest.importorskip("torch._dynamo.backends.distributed")
    registry = pytest.importorskip("torch._dynamo.backends.registry")
    torch.compiler.reset()
    models = Residual(ours), Residual(theirs)
    split = distributed.DDPOptimizer(256, registry.lookup_backend(backend), 256)
    x, slopes = torch.linspace(-3, 3, 40).reshape(5, 8), []
    for model, function in zip(models, (torch.compile(models[0], backend=split.compile_fn), models[1]), strict=True):
        function(x).square().sum().backward()
        slopes.append([parameter.grad for parameter in model.parameters()])
    assert len(split.buckets) == 3
    torch.testing.assert_close(*slopes)


def view_without_a_graph(x: Any) -> Any:
    y = x * 1
    with torch.no_grad():
        return y[0]


IMPOSSIBLE: dict[str, Callable[[Any], Any]] = {
    "leaf": lambda x: x,
    "view of a leaf": lambda x: x.view(-1),
    "part of a leaf": lambda x: x[1:],
    "one of several views of a leaf": lambda x: x.unbind(0)[0],
    "one of several views": lambda x: (x * 1).chunk(2)[0],
    "view made without a graph": view_without_a_graph,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("impossible", IMPOSSIBLE)
def test_errors_are_those_of_pytorch(impossible: str, name: str) -> None:
    """The same class and words, and nothing was written."""
    errors = []
    for space in (functional, actgrad.torch):
        tensor = IMPOSSIBLE[impossible](torch.linspace(-2, 2, 24).reshape(4, 6).requires_grad_())
        before = tensor.detach().clone()
        with pytest.raises(RuntimeError) as caught:
            activation(space, name)(tensor)
        assert torch.equal(tensor.detach(), before)
        errors.append((caught.type, str(caught.value)))
        with torch.no_grad():
            activation(space, name)(tensor)
        assert not torch.equal(tensor.detach(), before)
    assert errors[0] == errors[1]


@pytest.mark.parametrize("impossible", ["leaf", "view of a leaf"])
def test_errors_inside_compile(impossible: str) -> None:
    torch.compiler.reset()
    function = torch.compile(
        lambda x: actgrad.torch.elu(IMPOSSIBLE[impossible](x), inplace=True), backend="aot_eager", fullgraph=True
    )
    with pytest.raises(Exception, match="leaf Variable that requires grad"):
        function(torch.ones(4, 6, requires_grad=True))


IN_PLACE = [o for o in actgrad.operators.values() if o.definition.may_be_in_place and o.definition.torch is not None]


@pytest.mark.parametrize("operator", IN_PLACE, ids=lambda o: o.name)
def test_second_derivatives_in_place(operator: actgrad.Operator) -> None:
    """Against those of the call that is not in place; also where a copy of the input is saved."""
    x = torch.linspace(-2.9, 2.8, 24, dtype=torch.float64).requires_grad_()
    ops = torch.ops.actgrad
    found = []
    for y in (getattr(ops, operator.name)(x * 1.0), getattr(ops, f"{operator.name}_")(x * 1.0)):
        (first,) = torch.autograd.grad(y.square().sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.square().sum(), x) if first.requires_grad else (torch.zeros_like(x),)
        found.append((first.detach(), second))
    torch.testing.assert_close(found[1], found[0], equal_nan=True)


def test_the_copy_that_is_saved_has_a_derivative_of_its_own() -> None:
    """PyTorch's way around a missing one is no promise."""
    x = torch.randn(3, requires_grad=True)
    torch.library.opcheck(torch.ops.actgrad._clone.default, (x,), test_utils="test_autograd_registration")


@pytest.mark.parametrize("way", ["convert", "patched"])
@pytest.mark.parametrize("module", [nn.ELU(inplace=True), nn.LeakyReLU(inplace=True), nn.SiLU(inplace=True)])
def test_a_call_in_place_that_fails_after_its_write_is_not_repeated(module: Any, way: str) -> None:
    """Without an error, the activation would be computed twice. A hook for saved tensors fails once."""
    failures = [RuntimeError("out of memory")]

    def pack(tensor: Any) -> Any:
        if failures:
            raise failures.pop()
        return tensor

    module = copy.deepcopy(module)
    x = torch.linspace(-3, 3, 9).requires_grad_() * 1.0
    with contextlib.ExitStack() as stack:
        if way == "convert":
            actgrad.torch.convert(module)
        else:
            stack.enter_context(actgrad.torch.patched())
        stack.enter_context(torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor))
        with pytest.raises(RuntimeError, match="out of memory"):
            module(x)
