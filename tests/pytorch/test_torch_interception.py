"""Modes, transforms, tracers and tensor classes of PyTorch see `torch.ops.actgrad` in calls of the plain functions.

Every call is one whose like took the short way before, which must not be taken meanwhile.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad import samples
from actgrad.arrays import interception
from actgrad.calls import arguments
from tests.support.calls import OPERATORS, ids, run_script
from tests.support.torch_calls import attribute_cases, ignore_deprecation, tensors

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

pytestmark = [
    pytest.mark.share(6),
    ignore_deprecation,
    pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning"),
]

SHAPE = (3, 4)
FORMS = ("fresh", "out")
both_forms = pytest.mark.parametrize("form", FORMS)
every_operator = pytest.mark.parametrize("operator", OPERATORS, ids=ids)


class Call:
    """An operator's call as a function of its tensors alone, into fresh results or into given ones."""

    def __init__(self, operator: actgrad.Operator, form: str):
        self.operator, self.form = operator, form
        self.attributes = attribute_cases(operator)[-1]
        results = samples.as_tuple(operator(*self.tensors(0), **self.attributes))
        self.shapes = [tuple(result.shape) for result in results]

    def __call__(self, *given: Any) -> Any:
        if self.form == "fresh":
            return self.operator(*given, **self.attributes)
        out = tuple(given[0].new_zeros(shape) for shape in self.shapes)
        return self.operator(*given, out=out if len(out) > 1 else out[0], **self.attributes)

    def tensors(self, seed: int) -> list[Any]:
        torch.manual_seed(seed)
        return [tensor for tensor in tensors(self.operator, SHAPE, optional=True) if tensor is not None]

    def known(self) -> list[Any]:
        """Tensors of a call that has a short way now."""
        given = self.tensors(1)
        for _ in range(3):
            self(*given)
        return given


def exported(function: Any, given: list[Any]) -> Any:
    class Network(torch.nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, *given: Any) -> Any:
            return function(*given)

    return torch.export.export(Network(), tuple(given), strict=False).module()


def by_fx(function: Any, given: list[Any]) -> Any:
    names = ", ".join(f"x{k}" for k in range(len(given)))
    scope = {"function": function}
    exec(f"def plain({names}): return function({names})", scope)
    return torch.fx.symbolic_trace(scope["plain"])


#: Each makes a function from a function; both must compute the same from other numbers.
TRACERS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "make_fx": lambda f, given: make_fx(f)(*given),
    "make_fx, fake": lambda f, given: make_fx(f, tracing_mode="fake")(*given),
    "make_fx, symbolic": lambda f, given: make_fx(f, tracing_mode="symbolic")(*given),
    "make_fx, before dispatch": lambda f, given: make_fx(f, pre_dispatch=True)(*given),
    "torch.jit.trace": lambda f, given: torch.jit.trace(lambda *row: f(*row), tuple(given)),
    "torch.fx": by_fx,
    "torch.export": exported,
    "functionalize": lambda f, given: torch.func.functionalize(f),
    "make_fx of functionalize": lambda f, given: make_fx(torch.func.functionalize(f))(*given),
}


@pytest.mark.parametrize("tracer", TRACERS)
@both_forms
@every_operator
def test_traced_functions_compute(operator: actgrad.Operator, form: str, tracer: str) -> None:
    call = Call(operator, form)
    traced = TRACERS[tracer](call, call.known())
    for seed in (2, 3):
        given = call.tensors(seed)
        torch.testing.assert_close(
            samples.as_tuple(traced(*given)), samples.as_tuple(call(*given)), rtol=0, atol=0, equal_nan=True
        )
    assert "graph" not in dir(traced) or operator.name in str(traced.graph)


class Doubling(TorchDispatchMode):  # type: ignore[misc]
    """Computes on doubled inputs: results tell whether it was there."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return function(*doubled(function, args), **(kwargs or {}))


class DoublingFunctions(TorchFunctionMode):  # type: ignore[misc]
    """The same, above the dispatcher."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return function(*doubled(function, args), **(kwargs or {}))


class DoublingTensor(torch.Tensor):  # type: ignore[misc,name-defined]
    """The same as a class with a `__torch_function__`."""

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return super().__torch_function__(function, types, doubled(function, args), kwargs or {})


class Wrapper(torch.Tensor):  # type: ignore[misc,name-defined]
    """The same as a class with a `__torch_dispatch__`, which holds a tensor."""

    @staticmethod
    def __new__(cls, held: Any) -> Any:
        wrapper = torch.Tensor._make_wrapper_subclass(cls, held.shape, strides=held.stride(), dtype=held.dtype)
        wrapper.held = held
        return wrapper

    @classmethod
    def __torch_dispatch__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        unwrapped = [arg.held if isinstance(arg, cls) else arg for arg in args]
        named = {name: arg.held if isinstance(arg, cls) else arg for name, arg in (kwargs or {}).items()}
        return function(*doubled(function, unwrapped), **named)


def doubled(function: Any, args: Any) -> list[Any]:
    is_ours = str(function).startswith("actgrad.")
    return [2 * arg if is_ours and isinstance(arg, torch.Tensor) else arg for arg in args]


INTERCEPTORS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "TorchDispatchMode": (Doubling, lambda x: x),
    "TorchFunctionMode": (DoublingFunctions, lambda x: x),
    "__torch_function__": (contextlib.nullcontext, lambda x: x.as_subclass(DoublingTensor)),
    "__torch_dispatch__": (contextlib.nullcontext, Wrapper),
}


@pytest.mark.parametrize("interceptor", INTERCEPTORS)
@both_forms
@every_operator
def test_interceptors_change_results(operator: actgrad.Operator, form: str, interceptor: str) -> None:
    call = Call(operator, form)
    given = call.known()
    mode, wrap = INTERCEPTORS[interceptor]
    wanted = samples.as_tuple(call(*[2 * tensor for tensor in given]))
    with mode():
        got = samples.as_tuple(call(*map(wrap, given)))
    held = [tensor.held if isinstance(tensor, Wrapper) else tensor.as_subclass(torch.Tensor) for tensor in got]
    torch.testing.assert_close(tuple(held), wanted, rtol=0, atol=0)
    plain = samples.as_tuple(call(*given))
    assert any(not torch.equal(a, b) for a, b in zip(plain, wanted, strict=True))


@both_forms
@every_operator
def test_fake_tensors(operator: actgrad.Operator, form: str) -> None:
    call = Call(operator, form)
    given = call.known()
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        for inputs in ([mode.from_tensor(tensor) for tensor in given], given):
            results = samples.as_tuple(call(*inputs))
            assert all(type(result) is FakeTensor for result in results)
            assert [tuple(result.shape) for result in results] == call.shapes


@every_operator
def test_transforms(operator: actgrad.Operator) -> None:
    """Also of tensors that a function refers to, and that no level wraps."""
    call = Call(operator, "fresh")
    given = call.known()
    first = torch.stack([given[0], 2 * given[0]])
    rows = [samples.as_tuple(call(x, *given[1:])) for x in first]
    batched = samples.as_tuple(torch.vmap(lambda x: call(x, *given[1:]))(first))
    torch.testing.assert_close(batched, tuple(map(torch.stack, zip(*rows, strict=True))))
    repeated = samples.as_tuple(torch.vmap(lambda x: call(*given))(first))
    torch.testing.assert_close(repeated, tuple(torch.stack([result, result]) for result in rows[0]))

    def total(*given: Any) -> Any:
        return samples.as_tuple(call(*given))[0].square().sum()

    for number in range(len(given)):
        leaves = [tensor.clone().requires_grad_() for tensor in given]
        slope = torch.autograd.grad(total(*leaves), leaves[number], allow_unused=True)[0]
        if slope is not None:
            torch.testing.assert_close(torch.func.grad(total, number)(*given), slope)
    tangents = tuple(torch.ones_like(tensor) for tensor in given)
    slopes = torch.func.grad(total, tuple(range(len(given))))(*given)
    _, forward = torch.func.jvp(total, tuple(given), tangents)
    torch.testing.assert_close(forward, torch.stack([slope.sum() for slope in slopes]).sum())


@pytest.mark.parametrize("transform", ["vmap", "grad", "jvp"])
def test_out_inside_transforms_is_refused_or_right(transform: str) -> None:
    """PyTorch has no rules for it."""
    x = Call(actgrad.elu, "out").known()[0]
    calls = {
        "vmap": lambda: torch.vmap(lambda x: actgrad.elu(x, out=torch.empty(4)))(x),
        "grad": lambda: torch.func.grad(lambda x: actgrad.elu(x, out=torch.empty(SHAPE)).sum())(x),
        "jvp": lambda: torch.func.jvp(lambda x: actgrad.elu(x, out=torch.empty(SHAPE)), (x,), (x,)),
    }
    with pytest.raises((RuntimeError, actgrad.InvalidArgument), match=r"out= or view ops|with out= it must not"):
        calls[transform]()


ACTIVE: dict[str, Callable[[Any, Any], Any]] = {
    "a TorchDispatchMode": lambda f, x: inside(Doubling(), f),
    "DoublingFunctions": lambda f, x: inside(DoublingFunctions(), f),
    "a transform of torch.func": lambda f, x: torch.vmap(lambda _: f())(x),
    "a transform of torch.func ": lambda f, x: torch.func.grad(lambda _: f().sum())(x),
    "torch.jit.trace": lambda f, x: torch.jit.trace(lambda _: f(), x),
    "Mode": lambda f, x: make_fx(lambda _: f(), pre_dispatch=True)(x),
}


def inside(mode: Any, function: Any) -> Any:
    with mode:
        return function()


@pytest.mark.parametrize("active", ACTIVE)
@every_operator
def test_memory_is_refused(operator: actgrad.Operator, active: str) -> None:
    """Plans made before or inside, and backends chosen by name, would compute unseen."""
    call = Call(operator, "fresh")
    given = call.known()
    plan = operator.plan(*given, **call.attributes)
    plan.run()
    for function, words in (
        (plan.run, r"plan.run\(\) is called"),
        (lambda: operator.plan(*given), "the call reads the memory of .*"),
        (lambda: operator(*given, backend="cpu"), "the call reads the memory of .*"),
        (lambda: operator(*given, backend="reference"), "the call reads the memory of .*"),
    ):
        with pytest.raises(
            actgrad.InvalidCall, match=f"^{operator.name}: {words} inside .*{active.strip()}.*call the operator itself"
        ):
            ACTIVE[active](function, given[0])
    plan.run()


@pytest.mark.needs("ascend")
def test_aclnn_refuses_memory_too() -> None:
    from actgrad import aclnn

    x, y = torch.linspace(-2, 2, 6), torch.zeros(6)
    status, _, executor = aclnn.aclnnEluGetWorkspaceSize(x, 1.0, 1.0, 1.0, y)
    assert status == 0
    with Doubling():
        assert aclnn.aclnnElu(None, 0, executor, None) != 0
        assert "inside a TorchDispatchMode" in aclnn.aclGetRecentErrMsg()
        assert aclnn.aclnnEluGetWorkspaceSize(x, 1.0, 1.0, 1.0, y)[0] != 0
    assert not y.any()


def test_given_outputs_are_all_or_none() -> None:
    x = torch.ones(3, 8)
    with Doubling(), pytest.raises(actgrad.InvalidCall, match=r"geglu: out_gelu is None; .* needs every output"):
        actgrad.geglu(x, out=(torch.empty(3, 4), None))


@pytest.mark.skipif(
    not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"), reason="tensors have no short way with this PyTorch"
)
def test_the_short_way_is_taken_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside an interceptor it is taken for NumPy arrays alone."""
    call = Call(actgrad.elu, "out")
    given = call.known()
    array = given[0].numpy().copy()
    for _ in range(2):
        actgrad.elu(array)
    seen: list[int] = []
    arrange = arguments.arrange
    monkeypatch.setattr(arguments, "arrange", lambda *row: seen.append(0) or arrange(*row))  # type: ignore[func-returns-value]
    for mode in (Doubling, DoublingFunctions):
        call(*given)
        assert not seen
        with mode():
            actgrad.elu(array)
            assert not seen
            call(*given)
        assert seen
        seen.clear()
        call(*given)
        assert not seen


def test_a_default_device_intercepts_nothing() -> None:
    """torch.set_default_device is a mode, but for what makes tensors."""
    x = torch.linspace(-2, 2, 6)
    plan = actgrad.elu.plan(x)
    with torch.device("cpu"):
        assert not interception.interceptor()
        torch.testing.assert_close(plan.run(), actgrad.elu(x, backend="reference"))
        torch.testing.assert_close(actgrad.elu(x), torch.nn.functional.elu(x))


def test_handlers_compute() -> None:
    """Inside an interceptor's own handling of a call it is not active: there its calls are on memory again."""
    seen = []

    class Calling(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append((str(function), interception.interceptor()))
            return actgrad.elu(args[0], backend="cpu")

    x = torch.linspace(-2, 2, 6)
    with Calling():
        result = actgrad.gelu(x)
    assert seen == [("actgrad.gelu.default", "")]
    torch.testing.assert_close(result, actgrad.elu(x))
    with Doubling(), torch.utils._mode_utils.no_dispatch():
        torch.testing.assert_close(actgrad.elu(x), torch.nn.functional.elu(x))


@pytest.mark.parametrize("tracer", ["make_fx", "torch.jit.trace", "torch.fx", "torch.export"])
@pytest.mark.share(4)
def test_first_calls_may_be_traced(tracer: str) -> None:
    """The first call's imports and registrations are no part of the graph."""
    run_script(f"""
import warnings; warnings.simplefilter("ignore")
import torch, actgrad
def function(x):
    return actgrad.elu_backward(x, x, alpha=1.3)
x = torch.linspace(-2, 2, 8)
if {tracer!r} == "make_fx":
    from torch.fx.experimental.proxy_tensor import make_fx
    traced = make_fx(function)(x)
elif {tracer!r} == "torch.jit.trace":
    traced = torch.jit.trace(function, x)
elif {tracer!r} == "torch.fx":
    traced = torch.fx.symbolic_trace(function)
else:
    class Network(torch.nn.Module):
        def forward(self, x):
            return function(x)
    traced = torch.export.export(Network(), (x,), strict=False).module()
text = str(traced.graph)
assert text.count("elu_backward(") == 1 or text.count("elu_backward.default](") == 1, text
assert "aten" not in text, text
torch.testing.assert_close(traced(3 * x), function(3 * x))
""")
