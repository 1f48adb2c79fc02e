"""In-place activations: values, gradients and errors are those of torch.nn.functional, compiled or not."""

from __future__ import annotations

import contextlib
import copy
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from inspect import signature
from itertools import product
from typing import Any, NamedTuple

import pytest

import actgrad
import actgrad.torch
from actgrad.aten import ATEN
from actgrad.torch.kernels import interface_of
from tests.support.torch_calls import attribute_cases, ignore_deprecation

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional

pytestmark = [
    pytest.mark.share(4),
    ignore_deprecation,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning"),
]

IN_PLACE = [o for o in actgrad.operators.values() if o.definition.may_be_in_place and o.definition.torch is not None]


class Activation(NamedTuple):
    """An operator with attributes that differ from the defaults."""

    name: str
    operator: actgrad.Operator
    attributes: dict[str, Any]

    def ours(self, t: Any) -> Any:
        """The function of this package, or the operator where the function lacks `inplace` or an attribute."""
        function = getattr(actgrad.torch, self.operator.name)
        if {"inplace", *self.attributes} <= {*signature(function).parameters}:
            return function(t, **self.attributes, inplace=True)
        row = interface_of(self.operator).row((t,), self.attributes)
        return getattr(torch.ops.actgrad, f"{self.operator.name}_").default(*row)

    def theirs(self, t: Any) -> Any:
        """PyTorch's function, or our formula where PyTorch has none, on a copy. PyTorch refuses some in place."""
        counterpart = ATEN.get(self.operator.name)
        if counterpart is None:
            return t.copy_(self.operator(t.clone(), **self.attributes))
        return t.copy_(counterpart(torch.ops.aten, self.attributes, t.clone()))


#: Negative slopes make the input necessary for the gradient. Otherwise elu and leaky_relu save their results.
ACTIVATIONS = [
    *[Activation(operator.name, operator, attribute_cases(operator)[-1]) for operator in IN_PLACE],
    Activation("elu, negative", actgrad.operators["elu"], {"alpha": -1.3, "scale": 0.9, "input_scale": 1.2}),
    Activation("leaky_relu, positive", actgrad.operators["leaky_relu"], {"negative_slope": 0.1}),
]
ONE_BY_ONE = [each for each in ACTIVATIONS if each.name in ("elu, negative", "selu", "silu", "leaky_relu, positive")]


def graphs_of_inductor(graph: Any, inputs: Any) -> Any:
    """The graphs that inductor would compile, without its compilation, which takes most of the time."""
    from torch._inductor.compile_fx import compile_fx

    return compile_fx(graph, inputs, inner_compile=lambda graph, inputs, **options: graph)


BACKENDS = {"aot_eager": "aot_eager", "graphs": graphs_of_inductor, "inductor": "inductor"}

Place = Callable[[Callable[[Any], Any], Any], Any]


def ignored(act: Any, y: Any) -> Any:
    act(y)
    return y.sin()


def with_others(act: Any, y: Any) -> Any:
    before = y * 0.5
    result = act(y)
    return result * y + y + before


def part(act: Any, y: Any) -> Any:
    result = act(y[1:, ::2])
    return (result * result).sum() + y.sin()


def several_parts(act: Any, y: Any) -> Any:
    last = y[3:]
    act(y[1:])
    return y[2:].sin().sum() + last.exp() + y


def without_a_graph(act: Any, y: Any) -> Any:
    with torch.no_grad():
        act(y)
    return y.sin()


def detached(act: Any, y: Any) -> Any:
    act(y.detach())
    return y.sin()


PLACES: dict[str, Place] = {
    "whole": lambda act, y: act(y),
    "whole, result ignored": ignored,
    "whole, used again": with_others,
    "view": lambda act, y: act(y.view(-1)),
    "view, used again": lambda act, y: act(y.view(-1)).sin().view_as(y) + y * y,
    "transposed": lambda act, y: act(y.t()).cumsum(0),
    "part, used again": part,
    "part, other parts used": several_parts,
    "without a graph": without_a_graph,
    "detached": detached,
}
SOURCES = ("input", "intermediate", "after a graph break", "before a graph break")
#: The cells that each run of the tests compiles for all operators.
FAST = [
    ("whole, used again", "input"),
    ("part, used again", "input"),
    ("whole, used again", "intermediate"),
    ("part, used again", "intermediate"),
    ("part, used again", "after a graph break"),
    ("without a graph", "input"),
]


def compiled(function: Any, backend: str, **options: Any) -> Any:
    if backend == "eager":
        return function
    torch.compiler.reset()
    return torch.compile(function, backend=BACKENDS[backend], **options)


def outcomes(acts: list[Any], place: str, source: str, backend: str = "eager", **options: Any) -> list[Any]:
    """For each activation: the result, the tensor that may have been written to, and the leaf's gradient."""
    leaves = [(torch.linspace(-4, 4, 24) + 0.013).reshape(4, 6).requires_grad_() for _ in acts]
    inputs = [leaf * 1 for leaf in leaves]

    def function(inputs: list[Any]) -> list[Any]:
        ys = inputs if source == "input" else [z * 0.75 for z in inputs]
        if source.startswith("after"):
            torch._dynamo.graph_break()
        results = [PLACES[place](act, y) for act, y in zip(acts, ys, strict=True)]
        if source.startswith("before"):
            torch._dynamo.graph_break()
        return results if source == "input" else [r * r + z.sum() for r, z in zip(results, inputs, strict=True)]

    results = compiled(function, backend, **options)(inputs)
    sum((r * torch.arange(1.0, r.numel() + 1).view_as(r)).sum() for r in results).backward()
    pairs = zip(results, inputs, leaves, strict=True)
    return [(result.detach(), written.detach(), leaf.grad) for result, written, leaf in pairs]


def assert_same_outcomes(
    activations: list[Activation], place: str, source: str, backend: str = "eager", **options: Any
) -> None:
    """Ours have the outcomes of PyTorch's functions, or in a graph the error that PyTorch's own relu_ raises there."""
    try:
        found = outcomes([each.ours for each in activations], place, source, backend, **options)
    except RuntimeError as error:
        if backend == "eager" or "modified by an inplace operation" not in str(error):
            raise
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            outcomes([functional.relu_], place, source, backend, **options)
        return
    wanted = outcomes([each.theirs for each in activations], place, source)
    for activation, one, other in zip(activations, found, wanted, strict=True):
        explain = partial("{}: {}".format, activation.name)
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4, equal_nan=True, msg=explain)


def cells(backends: Sequence[str]) -> list[Any]:
    fast: dict[str, list[Any]] = {"graphs": FAST, "inductor": []}
    fast["aot_eager"] = [(place, source) for place, source in FAST if source != "intermediate"]
    return [
        pytest.param(
            backend,
            place,
            source,
            marks=[] if (place, source) in fast[backend] else pytest.mark.slow,
            id=f"{backend}-{source}-{place}",
        )
        for backend in backends
        for place in PLACES
        for source in SOURCES
    ]


@pytest.mark.parametrize(("place", "source"), list(product(PLACES, SOURCES)))
def test_is_that_of_pytorch(place: str, source: str) -> None:
    assert_same_outcomes(ACTIVATIONS, place, source)


@pytest.mark.share(16)
@pytest.mark.parametrize(("backend", "place", "source"), cells(["aot_eager", "graphs"]))
def test_in_graphs_is_that_of_pytorch(backend: str, place: str, source: str) -> None:
    assert_same_outcomes(ACTIVATIONS, place, source, backend)


@pytest.mark.share(6)
@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor compiles C++")
@pytest.mark.parametrize("cell", range(len(FAST)), ids=map("-".join, FAST))
def test_compiled_by_inductor(cell: int) -> None:
    """Every operator in one of the cells."""
    assert_same_outcomes(ACTIVATIONS[cell :: len(FAST)], *FAST[cell], "inductor")


@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor compiles C++")
@pytest.mark.parametrize(("backend", "place", "source"), cells(["inductor"]))
def test_everything_compiled_by_inductor(backend: str, place: str, source: str) -> None:
    assert_same_outcomes(ACTIVATIONS, place, source, backend)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_half_precision(backend: str) -> None:
    for each in ONE_BY_ONE:
        found, wanted = (
            outcomes([lambda y, act=act: act(y.bfloat16())], "whole", "intermediate", backend)
            for act in (each.ours, each.theirs)
        )
        torch.testing.assert_close(found, wanted, rtol=2e-2, atol=2e-2)


@pytest.mark.share(8)
@pytest.mark.parametrize("number", range(len(ONE_BY_ONE)), ids=[each.name for each in ONE_BY_ONE])
@pytest.mark.parametrize(("place", "source"), FAST[::4])
def test_of_any_size(place: str, source: str, number: int) -> None:
    assert_same_outcomes(ONE_BY_ONE[number : number + 1], place, source, "aot_eager", dynamic=True)


REFUSED: dict[str, Callable[[Any, Any], Any]] = {
    "a needed result": lambda act, z: act(z.exp()),
    "a needed factor": lambda act, z: (lambda y: (y * y, act(y))[0])(z * 2),
    "one of several views": lambda act, z: act((z * 2).unbind(0)[0]),
}


@pytest.mark.parametrize("place", REFUSED)
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "graphs"])
def test_refuses_as_pytorch(place: str, backend: str) -> None:
    for each in ACTIVATIONS if backend == "eager" else ONE_BY_ONE:
        for act, where in ((each.theirs, "eager"), (each.ours, backend)):
            x = torch.linspace(-2, 2, 24).reshape(4, 6).requires_grad_()
            function: Any = lambda x, act=act: REFUSED[place](act, x * 1).sum()  # noqa: E731
            with pytest.raises(Exception, match=r"modified by an inplace operation|is a view and is being modified"):
                compiled(function, where)(x).backward()


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


@pytest.mark.parametrize("backend", ["eager", "aot_eager", pytest.param("inductor", marks=pytest.mark.slow)])
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


#: PyTorch's functions with `inplace`, and their attributes.
FUNCTIONS = {
    **dict.fromkeys(("selu", "silu", "mish", "hardswish", "hardsigmoid", "relu", "relu6", "hardtanh"), ()),
    **dict.fromkeys(("elu", "celu"), (1.3,)),
    "leaky_relu": (0.1,),
    "threshold": (0.1, 0.5),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("impossible", IMPOSSIBLE)
def test_errors_are_those_of_pytorch(impossible: str, name: str) -> None:
    """The same class and words, and nothing was written."""
    errors = []
    for space in (functional, actgrad.torch):
        activation = partial(getattr(space, name), inplace=True)
        tensor = IMPOSSIBLE[impossible](torch.linspace(-2, 2, 24).reshape(4, 6).requires_grad_())
        before = tensor.detach().clone()
        with pytest.raises(RuntimeError) as caught:
            activation(tensor, *FUNCTIONS[name])
        assert torch.equal(tensor.detach(), before)
        errors.append((caught.type, str(caught.value)))
        with torch.no_grad():
            activation(tensor, *FUNCTIONS[name])
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
            actgrad.torch.convert(module, only="all")
        else:
            stack.enter_context(actgrad.torch.patched())
        stack.enter_context(torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor))
        with pytest.raises(RuntimeError, match="out of memory"):
            module(x)


@pytest.mark.parametrize("operator", IN_PLACE, ids=lambda o: o.name)
def test_inference_tensors_are_not_overwritten_outside_inference_mode(operator: actgrad.Operator) -> None:
    """As PyTorch: also under no_grad, by operators, functions and out=, at the first call and at cached calls."""
    match = "Inplace update to inference tensor outside InferenceMode is not allowed"
    with torch.inference_mode():
        t, other = torch.linspace(-2, 2, 4), torch.zeros(4)
    kept, normal = t.clone(), t.clone()
    with pytest.raises(RuntimeError, match=match):
        torch.relu_(other)
    row = interface_of(operator).row((t,), dict(operator.defaults))
    calls: list[Callable[[], Any]] = [
        lambda: getattr(torch.ops.actgrad, f"{operator.name}_").default(*row),
        lambda: operator(normal, out=t),
        lambda: operator(t[:2], out=t[:2]),
        lambda: operator.plan(t, out=t),
    ]
    function = getattr(actgrad.torch, operator.name, None)
    if "inplace" in (() if function is None else signature(function).parameters):
        calls.append(lambda: function(t, inplace=True))
    for call in calls:
        operator(normal, out=normal.clone())  # such a call is cached from now on
        for mode in (torch.enable_grad, torch.no_grad):
            with mode(), pytest.raises(RuntimeError, match=match):
                call()
    assert torch.equal(t, kept)
    operator(t.detach(), out=t.detach())  # PyTorch counts the writes into this view, and allows them
    torch.testing.assert_close(t, operator(kept), equal_nan=True)
    with torch.inference_mode():
        for call in calls:
            call()
