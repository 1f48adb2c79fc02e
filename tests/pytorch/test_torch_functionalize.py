"""functionalize and torch.compile of out= and in-place forms: the errors and the bits of the call on memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad import samples
from actgrad.torch.kernels import interface_of
from tests.support.calls import EVERY, ids
from tests.support.torch_calls import assert_same, call, compiled, drawn, ignore_deprecation, outcome

torch = pytest.importorskip("torch")
ops = torch.ops.actgrad
pytestmark = [ignore_deprecation, pytest.mark.share(18)]

#: Outputs in place of one like the result `y`; eager calls refuse most of them.
OUTPUTS: dict[str, Callable[[Any], Any]] = {
    "alike": lambda y: torch.zeros(y.shape, dtype=y.dtype),
    "of more dimensions": lambda y: torch.zeros(2, *y.shape, dtype=y.dtype),
    "of size 1": lambda y: torch.zeros(*y.shape[:-1], 1, dtype=y.dtype),
    "in a row": lambda y: torch.zeros(y.numel(), dtype=y.dtype),
    "on one element": lambda y: torch.zeros(1, dtype=y.dtype).expand(y.shape),
    "int32": lambda y: torch.zeros(y.shape, dtype=torch.int32),
    "float32": lambda y: torch.zeros(y.shape, dtype=torch.float32),
    "float64": lambda y: torch.zeros(y.shape, dtype=torch.float64),
}


def out_call(operator: actgrad.Operator, make: Callable[[], list[Any]]) -> Callable[..., Any]:
    """The call with fresh outputs of `make`, as a function of the tensors that are there."""
    interface = interface_of(operator)
    overload = getattr(getattr(ops, operator.name), interface.outputs[0])

    def function(*tensors: Any) -> Any:
        every = [*tensors, *[None] * (len(operator.schema.tensors) - len(tensors))]
        return overload(*interface.row(every, operator.defaults), **dict(zip(interface.outputs, make(), strict=True)))

    return function


def calls(operator: actgrad.Operator, dtype: Any) -> list[tuple[str, Any, list[Any]]]:
    """Names, functions and tensors of calls with every kind of output in each place."""
    generator = torch.Generator().manual_seed(3)
    every = drawn(operator, (2, 4), dtype, generator, optional=False)
    results, given = samples.as_tuple(call(operator, operator.defaults)(*every)), [t for t in every if t is not None]
    found = []
    for place in range(len(results)):
        for name, change in OUTPUTS.items():

            def make(place: int = place, change: Any = change) -> list[Any]:
                return [(change if k == place else OUTPUTS["alike"])(y) for k, y in enumerate(results)]

            found.append((f"{place} {name}", out_call(operator, make), given))
    return found


@pytest.mark.parametrize("operator", EVERY, ids=ids)
def test_functionalize_of_every_output(operator: actgrad.Operator) -> None:
    """In bfloat16, whose results a copy into a wider output would round twice."""
    for name, function, given in calls(operator, torch.bfloat16):
        if name.endswith("float64") and "float64" not in operator.input_dtypes:  # so results are rounded, then copied
            continue
        assert_same(outcome(torch.func.functionalize(function), *given), outcome(function, *given), name)


@pytest.mark.parametrize("name", ["elu", "prelu_backward", "geglu", "selu"])
def test_compiled_outputs(name: str) -> None:
    """torch.compile takes the outputs of a result, or none: then eager calls refuse them too."""
    operator = actgrad.operators[name]
    for what, function, given in calls(operator, torch.bfloat16):
        if not what.endswith(("of size 1", "int32", "float32", "on one element")):
            continue
        wanted = outcome(function, *given)
        if isinstance(wanted[0], type):
            with pytest.raises(Exception, match=wanted[1].split(":")[0]):
                compiled(function)(*given)
        else:
            assert_same(samples.as_tuple(compiled(function)(*given)), wanted, what)


@pytest.mark.parametrize("start", [0, 1, 3])
@pytest.mark.parametrize("name", ["geglu_two_backward", "swiglu_two_backward"])
def test_two_outputs_on_the_same_memory(name: str, start: int) -> None:
    def make() -> list[Any]:
        memory = torch.zeros(8)
        return [memory[:4], memory[start : start + 4]]

    function, given = out_call(actgrad.operators[name], make), [torch.randn(4) for _ in range(3)]
    wanted = outcome(function, *given)
    assert wanted[0] is actgrad.InvalidArgument
    assert outcome(torch.func.functionalize(function), *given) == wanted


def test_an_output_over_an_input() -> None:
    """Exactly an input, or apart: the rule of calls on memory."""

    def shifted(x: Any) -> Any:
        return ops.elu.out(x[:2], out=x[1:])

    def exact(x: Any) -> Any:
        return ops.elu.out(x, out=x) + 0

    x = torch.tensor([-1.5, 2.5, -0.5])
    for function in (shifted, exact):
        wanted = outcome(function, x.clone())
        assert_same(outcome(torch.func.functionalize(function), x.clone()), wanted)
    assert wanted[0].tolist() == torch.nn.functional.elu(x).tolist()


IN_PLACE = [operator for operator in EVERY if operator.definition.may_be_in_place]


@pytest.mark.parametrize("operator", IN_PLACE, ids=ids)
def test_functionalize_in_place(operator: actgrad.Operator) -> None:
    """Of floats and of integers, which some operators refuse to overwrite."""
    in_place = getattr(ops, f"{operator.name}_")
    for dtype in (torch.float32, torch.int32):
        x = torch.tensor([-3.0, -1.0, 0.0, 1.0, 2.0]).to(dtype)

        def function(x: Any, in_place: Any = in_place) -> Any:
            return in_place(x + 0) + 0

        assert_same(outcome(torch.func.functionalize(function), x), outcome(function, x), dtype)
