"""torch.compile, torch.export and AOTInductor: one graph, in which actgrad's operators stay whole."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad import samples
from actgrad.aten import ATEN
from actgrad.torch.kernels import interface_of
from tests.support.calls import EVERY, OPERATORS, ids, run_script
from tests.support.torch_calls import attribute_cases, call, compiled, exact_in_graphs, ignore_deprecation, tensors

torch = pytest.importorskip("torch")

pytestmark = [ignore_deprecation, pytest.mark.share(12)]


class Network(torch.nn.Module):  # type: ignore[misc,name-defined]
    """Every activation once."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(6, 16),
            actgrad.torch.ELU(1.3, scale=0.7),
            actgrad.torch.GEGLU(approximate="tanh"),
            torch.nn.Linear(8, 8),
            actgrad.torch.SELU(inplace=True),
            actgrad.torch.LeakyReLU(0.2, save="input"),
            actgrad.torch.GELU(),
        )

    def forward(self, x: Any) -> Any:
        return self.layers(x)


def slopes(function: Any, network: Network, x: Any) -> list[Any]:
    network.zero_grad()
    function(x).square().sum().backward()
    return [parameter.grad.clone() for parameter in network.parameters()]


@pytest.mark.parametrize("dynamic", [False, True])
def test_compile_trains_the_same(dynamic: bool) -> None:
    network = Network()
    function = compiled(network, dynamic=dynamic)
    for batch in (3, 5, 1):
        x = torch.randn(batch, 6)
        torch.testing.assert_close(slopes(function, network, x), slopes(network, network, x))


@pytest.mark.share(6)
@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor compiles C++")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")  # PyTorch's own
def test_inductor_trains_the_same() -> None:
    network = Network()
    x = torch.randn(3, 6)
    function = compiled(network, backend="inductor")
    torch.testing.assert_close(slopes(function, network, x), slopes(network, network, x))


@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor compiles C++")
@pytest.mark.slow
def test_operators_that_exist_before_inductor_keep_their_kernels_in_exact_graphs() -> None:
    """Inductor copies PyTorch's table of decompositions when it is imported."""
    printed = run_script("""
import sys, warnings, torch, actgrad.torch
warnings.simplefilter("ignore")  # PyTorch's own
F = actgrad.torch
torch.ops.actgrad.gelu, torch.ops.actgrad.softmax, torch.ops.actgrad.swiglu_two
assert "torch._inductor.decomposition" not in sys.modules
F.exact_in_graphs()

def network(x):
    return F.gelu(2 * x) + F.softmax(x * x, -1) + F.swiglu_two(x, 3 * x)

x = 3 * torch.linspace(-1, 1, 999)
print(torch.equal(torch.compile(network)(x), network(x)))
""")
    assert printed == "True\n"


def test_a_second_compilation_sees_that_graphs_must_be_exact() -> None:
    x = torch.linspace(-4, 4, 999)
    function: Any = lambda x: actgrad.torch.gelu(2 * x)  # noqa: E731
    torch.compile(function, backend="aot_eager")(x)
    with exact_in_graphs():
        torch.testing.assert_close(torch.compile(function, backend="aot_eager")(x), function(x), rtol=0, atol=0)


@pytest.mark.needs("ascend")
@pytest.mark.parametrize("has_triton", [True, False])
def test_the_keys_of_graphs_in_caches_on_disk(has_triton: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's own keys contain the names of our operators, but not the version of actgrad and its settings."""
    from torch._inductor import codecache

    monkeypatch.setattr("torch.utils._triton.has_triton_package", lambda: has_triton)

    def key(function: Any) -> str:
        graph = torch.fx.symbolic_trace(lambda x: function(x))
        return codecache.compiled_fx_graph_hash(graph, [], {}, [])[0]

    for ours in (torch.ops.actgrad.elu.default, torch.ops.actgrad.elu_, torch.ops.actgrad._clone.default):
        keys = [key(ours)]
        with exact_in_graphs():
            keys.append(key(ours))
        for product in ("Ascend310P", "Ascend910B"):
            with actgrad.product(product):
                keys.append(key(ours))
        with actgrad.rules("document"):
            keys.append(key(ours))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("actgrad.torch.deferred.graph_keys.__version__", "0.0")
            keys.append(key(ours))
        assert len(set(keys)) == 6
        assert key(ours) == keys[0]
    aten = key(torch.ops.aten.elu.default)
    with exact_in_graphs():
        assert key(torch.ops.aten.elu.default) == aten


@pytest.mark.slow
def test_graphs_with_operators_of_other_packages_are_not_cached() -> None:
    printed = run_script("""
import warnings, torch, actgrad.torch
warnings.simplefilter("ignore")  # PyTorch's own
from torch._inductor import codecache
from tests.support import smooth_relu_operator

graph = torch.fx.symbolic_trace(lambda x: torch.ops.actgrad.smooth_relu(x))
try:
    codecache.compiled_fx_graph_hash(graph, [], {}, [])
except codecache.BypassFxGraphCache as refusal:
    print(refusal)
""")
    assert "its formula may change" in printed


@pytest.mark.share(3)
@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor compiles C++")
@pytest.mark.parametrize("name", ["add_relu", "leaky_relu"])
def test_a_cached_graph_computes_with_the_present_number(name: str, tmp_path: Path) -> None:
    """add_relu stays in the graph, with the number as a constant. From the third number on, PyTorch asks its cache."""
    run_script(
        f"""
import warnings, torch, actgrad, actgrad.torch
from actgrad.torch.kernels import interface_of
from tests.support.torch_calls import drawn
warnings.simplefilter("ignore")  # PyTorch's own
operator = actgrad.operators["{name}"]
interface, number = interface_of(operator), operator.schema.scalars[-1]
overload = interface.overload
given = drawn(operator, (3, 4), torch.float32, torch.Generator().manual_seed(1), optional=False)

def function(value, *tensors):
    row = interface.row(tensors, operator.defaults | {{number: value}})
    return overload(*row)

def results(call, value):
    leaves = [t if t is None or not t.is_floating_point() else t.detach().requires_grad_() for t in given]
    found = call(value, *leaves)
    found = found if isinstance(found, tuple) else (found,)
    inputs = [t for t in leaves if t is not None and t.requires_grad]
    loss = sum((y * y).sum() for y in found if y.requires_grad)
    slopes = torch.autograd.grad(loss, inputs) if isinstance(loss, torch.Tensor) else ()
    return [y.detach() for y in found] + list(slopes)

compiled = torch.compile(function)
for value in (0.3, 1.7, 0.123, 2.5):
    torch.testing.assert_close(results(compiled, value), results(function, value))
""",
        TORCHINDUCTOR_CACHE_DIR=str(tmp_path),
    )


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_every_operator_compiles_with_dynamic_shapes(operator: actgrad.Operator) -> None:
    attributes = attribute_cases(operator)[-1]
    function = call(operator, attributes)
    shaped = compiled(lambda *tensors: function(*tensors), dynamic=True)
    for shape in ((3, 4), (5, 6)):
        given = tensors(operator, shape, requires_grad=True)
        inputs = [tensor for tensor in given if tensor is not None]
        results = [samples.as_tuple(f(*given)) for f in (shaped, function)]
        torch.testing.assert_close(*results)
        assert [r.stride() for r in results[0]] == [r.stride() for r in results[1]]
        ours, theirs = (torch.autograd.grad(sum(map(torch.sum, result)), inputs) for result in results)
        torch.testing.assert_close(ours, theirs)


def test_attributes_that_change_between_calls() -> None:
    function = compiled(lambda x, alpha: actgrad.torch.elu(x, alpha))
    x = torch.randn(7, requires_grad=True)
    for alpha in (1.0, 1.3, 1.7, -2.0, 0.0):
        ours, theirs = (f(x, alpha) for f in (function, actgrad.torch.elu))
        torch.testing.assert_close(ours, theirs)
        torch.testing.assert_close(*(torch.autograd.grad(y.sum(), x)[0] for y in (ours, theirs)))


def compilations(function: Any, given: list[Any], numbers: tuple[float, ...]) -> tuple[int, list[Any]]:
    """How often torch.compile compiles a function for these numbers, and the results with their gradients."""
    counter = pytest.importorskip("torch._dynamo.testing").CompileCounterWithBackend("aot_eager")
    shaped = compiled(function, backend=counter)
    inputs = [tensor for tensor in given if tensor is not None and tensor.requires_grad]
    found = []
    for number in numbers:
        results = samples.as_tuple(shaped(*given, number=number))
        found.append((*results, *(torch.autograd.grad(sum(map(torch.sum, results)), inputs) if inputs else ())))
    return counter.frame_count, found


NUMBERS = [
    (operator, a.name)
    for operator in EVERY
    for a in operator.schema.attributes
    if a.type == "Scalar" and operator.name in ATEN
]


@pytest.mark.share(12)
@pytest.mark.parametrize(("operator", "name"), NUMBERS, ids=lambda each: getattr(each, "name", each))
def test_a_new_number_compiles_no_more_often_than_in_pytorch(operator: actgrad.Operator, name: str) -> None:
    """The first number is compiled as a constant."""
    numbers = tuple(operator.defaults[name] + step for step in (0.3, 0.4, 0.55, 0.7))
    given = tensors(operator, (3, 4), requires_grad=operator.gradient_of is None)

    interface, attributes, counterpart = interface_of(operator), dict(operator.defaults), ATEN[operator.name]
    overload, names = interface.overload, operator.schema.tensor_names
    others = dict(zip(interface.names, interface.row((), attributes)[interface.span], strict=True))
    del others[name]

    def ours(*tensors: Any, number: float) -> Any:
        return overload(**dict(zip(names, tensors, strict=True)), **others, **{name: number})

    def theirs(*tensors: Any, number: float) -> Any:
        return counterpart(torch.ops.aten, {**attributes, name: number}, *tensors)

    found, wanted = compilations(ours, given, numbers), compilations(theirs, given, numbers)
    torch.testing.assert_close(found[1], wanted[1], rtol=1e-4, atol=1e-5)
    assert found[0] <= wanted[0]


def test_sizes_that_only_the_data_tells() -> None:
    x = torch.randn(6, 8)
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        function = compiled(lambda x: actgrad.torch.geglu(x[x[:, 0] > 0]))
        torch.testing.assert_close(function(x), actgrad.torch.geglu(x[x[:, 0] > 0]))


def targets(program: Any) -> set[str]:
    return {str(node.target) for node in program.graph.nodes if str(node.target).startswith("actgrad")}


def exported() -> tuple[Any, Network]:
    network = Network().eval()
    batch = torch.export.Dim("batch")
    return torch.export.export(network, (torch.randn(4, 6),), dynamic_shapes=({0: batch},)), network


@pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")  # PyTorch's own
def test_exported_graphs_keep_the_operators_until_they_are_decomposed() -> None:
    program, network = exported()
    names = {f"actgrad.{name}.default" for name in ("elu", "geglu_packed", "selu", "leaky_relu", "gelu")}
    assert targets(program.run_decompositions({})) == names
    x = torch.randn(9, 6)
    core = program.run_decompositions()
    assert not targets(core)
    torch.testing.assert_close(core.module()(x), network(x))
    table = torch.export.default_decompositions()
    table.pop(torch.ops.actgrad.elu.default)
    assert targets(program.run_decompositions(table)) == {"actgrad.elu.default"}
    torch.testing.assert_close(program.module()(x), network(x))


def test_traced_gradients_keep_the_operators() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    def loss(x: Any) -> Any:
        return actgrad.torch.geglu(actgrad.torch.elu(x, 1.3)).sum()

    x = torch.randn(3, 4)
    traced = make_fx(torch.vmap(torch.func.grad(loss)))(x)
    names = {f"actgrad.{name}.default" for name in ("elu", "geglu_packed", "elu_backward", "geglu_backward")}
    assert targets(traced) == names
    torch.testing.assert_close(traced(2 * x), torch.vmap(torch.func.grad(loss))(2 * x))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="AOTInductor compiles C++")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
def test_ahead_of_time(tmp_path: Path) -> None:
    program, network = exported()
    package = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "network.pt2"))
    x = torch.randn(9, 6)
    torch.testing.assert_close(torch._inductor.aoti_load_package(package)(x), network(x))
