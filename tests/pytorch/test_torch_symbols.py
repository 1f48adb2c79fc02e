"""torch.compile with attributes and shapes that change between calls, which graphs then hold as symbols."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad import samples
from actgrad.torch.kernels import interface_of
from tests.support.calls import EVERY, ids
from tests.support.torch_calls import attribute_cases, call, drawn, has_gradient, ignore_deprecation

torch = pytest.importorskip("torch")
import sympy  # noqa: E402  it comes with PyTorch
from torch._subclasses import FakeTensorMode  # noqa: E402
from torch.fx.experimental.symbolic_shapes import ShapeEnv  # noqa: E402
from torch.utils._sympy.functions import IntTrueDiv  # noqa: E402

pytestmark = [ignore_deprecation, pytest.mark.share(20)]

#: No two are alike in float32 and in float64.
NUMBERS = (0.1234567891234567, 0.2718281828459045, 0.3333333333333333, 0.7071067811865476)
COMPILED = pytest.param("inductor", marks=[
    pytest.mark.slow, pytest.mark.skipif(shutil.which("g++") is None, reason="inductor compiles C++"),
])  # fmt: skip
#: Operators whose derivatives by the formula read an attribute, compiled in every run; the others are slow.
OFTEN = ("add_relu", "elu", "elu_backward", "situ_glu_backward", "swiglu_group", "clipped_swiglu_backward")


def with_scalars() -> list[Any]:
    operators = [operator for operator in EVERY if operator.schema.scalars]
    marks = {operator.name: [] if operator.name in OFTEN else [pytest.mark.slow] for operator in operators}
    return [pytest.param(operator, id=operator.name, marks=marks[operator.name]) for operator in operators]


def float_type(operator: actgrad.Operator) -> Any:
    names = operator.input_dtypes
    return torch.float64 if "float64" in names else torch.float32


def results(function: Any, *given: Any) -> list[Any]:
    """The results and the gradients of all tensors of floats."""
    leaves = [t if t is None or not t.is_floating_point() else t.detach().requires_grad_() for t in given]
    outputs = samples.as_tuple(function(*leaves))
    inputs = [t for t in leaves if t is not None and t.requires_grad]
    loss = sum((y * y).sum() for y in outputs if y.requires_grad)
    slopes = torch.autograd.grad(loss, inputs, allow_unused=True) if isinstance(loss, torch.Tensor) else ()
    return [*(y.detach() for y in outputs), *(slope for slope in slopes if slope is not None)]


def second(function: Any) -> Any:
    """The gradient by all tensors as a function, whose own gradient is the second derivative."""

    def gradient(*tensors: Any) -> Any:
        places = tuple(k for k, t in enumerate(tensors) if t is not None and t.is_floating_point())
        return torch.func.grad(lambda *t: sum((y * y).sum() for y in samples.as_tuple(function(*t))), places)(*tensors)

    return gradient


def arranged(template: list[Any], tensors: Any, places: Any, values: Any, value_places: Any) -> list[Any]:
    """All arguments of a call; a traced function can read it."""
    row = list(template)
    for place, given in (*zip(places, tensors, strict=True), *zip(value_places, values, strict=True)):
        row[place] = given
    return row


@pytest.mark.parametrize("backend", ["aot_eager", COMPILED])
@pytest.mark.parametrize("operator", with_scalars())
def test_scalars_keep_their_digits(operator: actgrad.Operator, backend: str) -> None:
    """In float64, forward, backward and second derivatives are those of the eager call to the last digits.

    With inductor, second derivatives are those of some operators only, because their compilation takes long.
    """
    names, dtype = operator.schema.scalars, float_type(operator)
    given = drawn(operator, (3, 4), dtype, torch.Generator().manual_seed(1), optional=False)
    bound = 0 if not has_gradient(operator) else 1e-13 if dtype == torch.float64 else 1e-5
    interface = interface_of(operator)
    overload, template, tensor_places = interface.overload, interface.template(operator.defaults), interface.tensors
    scalar_places = tuple(interface.span.start + interface.names.index(name) for name in names)
    derivatives = [lambda f: f]
    if has_gradient(operator) and (backend != "inductor" or operator.name in OFTEN):
        derivatives.append(second)
    for derivative in derivatives:

        def function(values: tuple[float, ...], *tensors: Any, derivative: Any = derivative) -> Any:
            return derivative(lambda *t: overload(*arranged(template, t, tensor_places, values, scalar_places)))(
                *tensors
            )

        torch.compiler.reset()
        compiled = torch.compile(function, backend=backend)
        for number in range(4):
            values = tuple(NUMBERS[(number + k) % 4] for k in range(len(names)))
            if operator.name == "hardtanh":  # needs min_val <= max_val
                values = tuple(sorted(values))
            with torch.set_grad_enabled(has_gradient(operator)):
                wanted = results(lambda *t, v=values, f=function: f(v, *t), *given)
                got = results(lambda *t, v=values, f=compiled: f(v, *t), *given)
            torch.testing.assert_close(got, wanted, rtol=bound, atol=bound, equal_nan=True)


@pytest.mark.parametrize(
    "operator", [o for o in EVERY if o.name in ("glu", "sigmoid_backward", "clipped_swiglu")], ids=ids
)
def test_other_attributes_change_too(operator: actgrad.Operator) -> None:
    """Dimensions, flags and modes choose the loop: a graph holds for one value of them."""
    interface = interface_of(operator)
    given = drawn(operator, (4, 4), torch.float32, torch.Generator().manual_seed(1), optional=False)

    overload, template, tensor_places = interface.overload, interface.template(operator.defaults), interface.tensors
    value_places = tuple(range(len(template)))[interface.span]

    def function(values: list[Any], *tensors: Any) -> Any:
        return overload(*arranged(template, tensors, tensor_places, values, value_places))

    torch.compiler.reset()
    compiled = torch.compile(function, backend="aot_eager")
    options = {"int": {"dim": (-1, 0, 1, -2)}.get, "bool": lambda name: (True, False, True)}
    for place, argument in enumerate(operator.schema.attributes):
        kind = argument.type
        for value in (options[kind](argument.name) or (0, 1, 0)) if kind in options else (2, 3, 5):
            values = list(interface.template(operator.defaults)[interface.span])
            values[place] = value
            wanted = results(lambda *t, v=values: function(v, *t), *given)
            torch.testing.assert_close(results(lambda *t, v=values: compiled(v, *t), *given), wanted)


@pytest.mark.share(1)
def test_lowered_scalars() -> None:
    """Inductor passes a float such as n / 4 as an integer symbol without a value, and PyTorch cannot compare it."""
    sizes = ShapeEnv()
    mode = FakeTensorMode(shape_env=sizes)
    n = mode.from_tensor(torch.zeros(7), static_shapes=False).shape[0]
    quarter = IntTrueDiv(n.node.expr, sympy.Integer(4))
    for operator in (each for each in EVERY if each.schema.scalars):
        interface = interface_of(operator)
        given = drawn(operator, (3, 4), torch.float32, torch.Generator().manual_seed(1), optional=False)
        tensors = [None if t is None else mode.from_tensor(t) for t in given]
        for name in operator.schema.scalars:
            row = interface.row(tensors, attribute_cases(operator)[-1])
            row[interface.span.start + interface.names.index(name)] = sizes.create_symintnode(quarter, hint=None)
            with mode:
                results = interface.overload(*row)
            assert isinstance(samples.as_tuple(results)[0], torch.Tensor), (operator.name, name)


@pytest.mark.share(6)
@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor compiles C++")
def test_scalar_of_a_size_under_inductor() -> None:
    torch.compiler.reset()
    actgrad.torch.exact_in_graphs()
    try:
        function = lambda x: torch.ops.actgrad.elu(x, x.shape[0] / 4)  # noqa: E731
        compiled = torch.compile(function, dynamic=True, fullgraph=True)
        for n in (3, 5):
            x = torch.randn(n, 4)
            torch.testing.assert_close(results(compiled, x), results(function, x), rtol=0, atol=0)
    finally:
        actgrad.torch.exact_in_graphs(False)


@pytest.mark.share(1)
@pytest.mark.parametrize("name", ["elu", "leaky_relu"])
def test_scalars_that_the_trace_does_not_know(name: str) -> None:
    """The result of `item` may be negative, so the forward pass saves the input."""
    function = getattr(actgrad.torch, name)
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        torch.compiler.reset()
        compiled = torch.compile(lambda x, s: function(x, s.item()), backend="aot_eager", fullgraph=True)
        for value in (0.5, -1.25):
            x, s = torch.randn(3, 4), torch.tensor(value)
            wanted = results(lambda x, v=value: function(x, v), x)
            torch.testing.assert_close(results(lambda x, s=s: compiled(x, s), x), wanted)


@pytest.mark.parametrize("backend", ["aot_eager", COMPILED])
@pytest.mark.parametrize("count", [1, 5])
def test_prelu_of_changing_shapes(count: int, backend: str) -> None:
    """With the default options: the second shape makes the sizes symbols, which cannot be hashed."""
    torch.compiler.reset()
    module = actgrad.torch.PReLU(count)
    compiled = torch.compile(module, backend=backend)
    for shape in ((3, 5), (3, 7), (4, 9), (2,)) if count == 1 else ((3, 5), (4, 5), (2, 5, 3), (6, 5, 2)):
        x = torch.randn(shape)
        wanted = results(lambda t: torch.nn.functional.prelu(t, module.weight), x)
        torch.testing.assert_close(results(compiled, x), wanted)
    if count > 1:
        with pytest.raises(Exception, match=r"weight has shape \(5,\); it must be \((7|s\d+),\) or \(1,\)"):
            compiled(torch.randn(3, 7))


@pytest.mark.share(40)
@pytest.mark.parametrize("how", ["mark_dynamic", "automatic"])
@pytest.mark.parametrize(
    "operator",
    [
        pytest.param(
            o,
            id=o.name,
            marks=[]
            if o.ragged.counter or (not o.access.is_uniform and not o.access.is_packed)
            else [pytest.mark.slow],
        )
        for o in EVERY
    ],
)
def test_every_operator_with_changing_shapes(operator: actgrad.Operator, how: str) -> None:
    torch.compiler.reset()
    function = call(operator, operator.defaults)
    compiled = torch.compile(lambda *t: function(*t), backend="aot_eager", fullgraph=True)
    for shape in ((3, 6), (5, 8), (2, 4)):  # the shapes of a quantised operator's optional tensors depend on each other
        given = drawn(operator, shape, torch.float32, torch.Generator().manual_seed(1), optional=has_gradient(operator))
        for tensor in given if how == "mark_dynamic" else ():
            for dim in range(tensor.dim()) if tensor is not None and tensor.is_floating_point() else ():
                if tensor.shape[dim] > 1:
                    torch._dynamo.mark_dynamic(tensor, dim)
        with torch.set_grad_enabled(has_gradient(operator)):
            torch.testing.assert_close(results(compiled, *given), results(function, *given), equal_nan=True)
