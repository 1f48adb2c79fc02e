"""patched() takes the calls that programs make, in all of PyTorch's forms; the results are compared with aten's."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import actgrad.torch
from actgrad.torch import convert, patched

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional
native = torch._C._nn

HALF = torch.full((), 0.5)
SLOPES = torch.tensor([0.2, 0.3, 0.4, 0.5])

#: The function of ours that takes it, and the call.
CALLS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "F.softmax(x, -1)": ("softmax", lambda x: F.softmax(x, -1)),
    "F.softmax(x, 1, 3, float64)": ("softmax", lambda x: F.softmax(x, 1, 3, torch.float64)),
    "F.softmax(x, dim=0, _stacklevel=5)": ("softmax", lambda x: F.softmax(x, dim=0, _stacklevel=5)),
    "F.log_softmax(x, 0, dtype=float64)": ("log_softmax", lambda x: F.log_softmax(x, 0, dtype=torch.float64)),
    "F.log_softmax(input=x, dim=1)": ("log_softmax", lambda x: F.log_softmax(input=x, dim=1)),
    "F.softmin(x, 1)": ("softmin", lambda x: F.softmin(x, 1)),
    "torch.softmax(x, 1, float64)": ("softmax", lambda x: torch.softmax(x, 1, torch.float64)),
    "torch.log_softmax(x, dim=-2)": ("log_softmax", lambda x: torch.log_softmax(x, dim=-2)),
    "torch.special.softmax": ("softmax", lambda x: torch.special.softmax(x, 1, dtype=torch.float64)),
    "torch.special.log_softmax": ("log_softmax", lambda x: torch.special.log_softmax(x, 0)),
    "torch.special.expit": ("sigmoid", torch.special.expit),
    "torch.special.erfinv": ("erfinv", lambda x: torch.special.erfinv(x / 9)),
    "torch.erfinv": ("erfinv", lambda x: torch.erfinv(x / 9)),
    "x.erfinv_": ("erfinv", lambda x: (x / 9).erfinv_()),
    "x.softmax(dim, dtype)": ("softmax", lambda x: x.softmax(-1, torch.float64)),
    "x.log_softmax(dim=)": ("log_softmax", lambda x: x.log_softmax(dim=1, dtype=torch.float64)),
    "x.sigmoid_": ("sigmoid", lambda x: (x * 1).sigmoid_()),
    "torch.sigmoid_": ("sigmoid", lambda x: torch.sigmoid_(x * 1)),
    "x.tanh_": ("tanh", lambda x: (x * 1).tanh_()),
    "x.relu_": ("relu", lambda x: (x * 1).relu_()),
    "x.hardshrink": ("hardshrink", lambda x: x.hardshrink(0.3)),
    "x.prelu": ("prelu", lambda x: x.prelu(SLOPES)),
    "torch.relu_": ("relu", lambda x: torch.relu_(x * 1)),
    "torch.celu_": ("celu", lambda x: torch.celu_(x * 1, 1.3)),
    "torch.threshold": ("threshold", lambda x: torch.threshold(x, 0.1, 0.2)),
    "F.relu(inplace=True)": ("relu", lambda x: F.relu(x * 1, inplace=True)),
    "F.elu_": ("elu", lambda x: F.elu_(x * 1, 1.3)),
    "F.selu_": ("selu", lambda x: F.selu_(x * 1)),
    "F.celu_": ("celu", lambda x: F.celu_(x * 1, alpha=0.7)),
    "F.leaky_relu_": ("leaky_relu", lambda x: F.leaky_relu_(x * 1, 0.3)),
    "F.threshold_": ("threshold", lambda x: F.threshold_(x * 1, 0.1, 0.2)),
    "F.hardtanh_": ("hardtanh", lambda x: F.hardtanh_(x * 1, -0.3, 0.2)),
    "F.hardtanh(min_val=)": ("hardtanh", lambda x: F.hardtanh(x, min_val=-0.3, max_val=0.2)),
    "native elu_ with scales": ("elu", lambda x: native.elu_(x * 1, 1.3, 0.7, 1.1)),
    "native gelu_": ("gelu", lambda x: native.gelu_(x * 1, approximate="tanh")),
    "F.gelu tanh": ("gelu", lambda x: F.gelu(x, approximate="tanh")),
    "F.softplus": ("softplus", lambda x: F.softplus(x, 2, 3)),
    "F.softshrink": ("softshrink", lambda x: F.softshrink(x, 0.3)),
    "F.logsigmoid": ("logsigmoid", F.logsigmoid),
    "F.tanhshrink": ("tanhshrink", F.tanhshrink),
    "F.silu": ("silu", F.silu),
    "F.glu": ("glu", lambda x: F.glu(x, 1)),
}


@pytest.mark.parametrize("name", CALLS)
def test_each_call_is_taken_and_agrees_with_aten(name: str) -> None:
    ours, function = CALLS[name]
    torch.manual_seed(0)
    x = (2 * torch.randn(3, 4)).requires_grad_()
    wanted = function(x)
    with patched() as mode:
        y = function(x)
    assert (dict(mode.calls), dict(mode.refusals)) == ({ours: 1}, {})
    torch.testing.assert_close(y, wanted)
    gradient = torch.linspace(0.5, 1.5, y.numel(), dtype=y.dtype).reshape(y.shape)
    torch.testing.assert_close(*(torch.autograd.grad(result, x, gradient)[0] for result in (y, wanted)))


OUT: dict[str, Callable[[Any, Any], Any]] = {
    "sigmoid": lambda x, out: torch.sigmoid(x, out=out),
    "tanh": lambda x, out: torch.tanh(x, out=out),
    "expit": lambda x, out: torch.special.expit(x, out=out),
    "erfinv": lambda x, out: torch.erfinv(x, out=out),
    "softmax": lambda x, out: torch.softmax(x, 1, out=out),
    "log_softmax": lambda x, out: torch.log_softmax(x, 0, out=out),
    "gelu": lambda x, out: F.gelu(x, approximate="tanh", out=out),
    "softplus": lambda x, out: F.softplus(x, 2, out=out),
    "hardshrink": lambda x, out: torch.hardshrink(x, 0.3, out=out),
    "heaviside": lambda x, out: torch.heaviside(x, HALF, out=out),
}


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.parametrize("name", OUT)
def test_out_is_taken_where_it_is_like_the_result(name: str) -> None:
    x = torch.rand(3, 4) - 0.5
    wanted = OUT[name](x, torch.empty(3, 4))
    for out, is_ours in (
        (torch.empty(3, 4), True),
        (torch.empty(4, 3).T, True),
        (torch.empty(12), False),
        (torch.empty(0), False),
    ):
        with patched() as mode:
            y = OUT[name](x, out)
        assert y is out
        assert (sum(mode.calls.values()), sum(mode.refusals.values())) == ((1, 0) if is_ours else (0, 1))
        torch.testing.assert_close(y, wanted)
    with patched() as mode, contextlib.suppress(RuntimeError):  # aten's, which most of these calls raise
        OUT[name](x.clone().requires_grad_(), torch.empty(3, 4))
    assert not mode.calls


REFUSED: dict[str, Callable[[], Any]] = {
    "integers": lambda: F.relu6(torch.tensor([-1, 2, 7], dtype=torch.int16)),
    "out of another dtype": lambda: torch.sigmoid(torch.ones(3), out=torch.empty(3, dtype=torch.float64)),
    "broadcast values": lambda: torch.heaviside(torch.zeros(3, 1), SLOPES, out=torch.empty(3, 4)),
    "complex numbers": lambda: F.silu(torch.ones(2) * 1j),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_calls_are_pytorchs(name: str) -> None:
    wanted = REFUSED[name]()
    with patched() as mode:
        y = REFUSED[name]()
    assert (sum(mode.calls.values()), sum(mode.refusals.values())) == (0, 1)
    assert y.dtype == wanted.dtype
    torch.testing.assert_close(y, wanted, rtol=0, atol=0)


@pytest.mark.parametrize(
    "wrong",
    [lambda x: torch.softmax(x), lambda x: torch.threshold(x, 1.0), lambda x: x.sigmoid(1), lambda x: F.elu_(x)],
    ids=["without dim", "without value", "too many", "a leaf in place"],
)
def test_errors_are_pytorchs(wrong: Callable[[Any], Any]) -> None:
    errors = []
    for context in (patched(), warnings.catch_warnings()):
        with context, pytest.raises((TypeError, RuntimeError)) as error:
            wrong(torch.ones(3, requires_grad=True))
        errors.append((error.type, str(error.value)))
    assert errors[0] == errors[1]


class Attention(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any) -> Any:
        scores = F.softmax(x @ x.transpose(-1, -2), dim=-1, dtype=torch.float32).to(x.dtype)
        return torch.special.expit(F.silu(scores @ x)).relu_() + F.log_softmax(x, -1)


def test_compiled_without_a_warning() -> None:
    torch._dynamo.reset()
    model, x = Attention(), torch.randn(2, 3, 4, requires_grad=True)
    wanted = model(x)
    seen: list[str] = []

    def backend(graph: Any, inputs: Any) -> Any:
        seen.append(str(graph.graph))
        return graph

    with warnings.catch_warnings(), patched():
        warnings.simplefilter("error")
        y = torch.compile(model, backend=backend, fullgraph=True)(x)
    torch.testing.assert_close(y, wanted)
    assert all(f"actgrad.{name}" in seen[0] for name in ("softmax", "silu", "sigmoid", "relu", "log_softmax"))


def test_a_converted_model_inside_the_context() -> None:
    class Model(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.act = nn.GELU()

        def forward(self, x: Any) -> Any:
            return F.softmax(self.act(x), -1)

    model, x = Model(), torch.randn(3, 4)
    wanted = model(x)
    assert convert(model).swapped
    with torch.profiler.profile() as profile, patched():
        torch.testing.assert_close(model(x), wanted)
    names = {event.name for event in profile.events()}
    assert "actgrad::softmax" in names or not any(name.startswith("aten::softmax") for name in names)


def test_calls_of_functions_with_pytorchs_names() -> None:
    x = 2 * torch.randn(3, 4)
    for name in ("relu_", "elu_", "selu_", "celu_", "leaky_relu_", "hardtanh_"):
        y = x.clone()
        assert getattr(actgrad.torch, name)(y) is y
        torch.testing.assert_close(y, getattr(F, name)(x.clone()))
    y = x.clone()
    assert actgrad.torch.threshold_(y, 0.1, 0.2) is y
    torch.testing.assert_close(y, F.threshold_(x.clone(), 0.1, 0.2))
    torch.testing.assert_close(actgrad.torch.tanhshrink(x), F.tanhshrink(x))
    torch.testing.assert_close(actgrad.torch.softmin(x, 0, 3, torch.float64), F.softmin(x, 0, 3, torch.float64))
    torch.testing.assert_close(actgrad.torch.softmax(x, 1, 3, torch.float64), F.softmax(x, 1, 3, torch.float64))
    torch.testing.assert_close(actgrad.torch.rrelu(x, 0.1, 0.4), F.rrelu(x, 0.1, 0.4))
    results = []
    for function in (actgrad.torch.rrelu, F.rrelu):
        torch.manual_seed(0)
        results.append(function(x, training=True))
    assert torch.equal(*results)


def test_parameters_by_their_former_names() -> None:
    with pytest.warns(FutureWarning, match="`min_value` is deprecated"):
        module = actgrad.torch.Hardtanh(min_value=-2.0)
    assert (module.min_val, module.max_val) == (-2.0, 1.0)
    with pytest.warns(FutureWarning, match="`max_value` is deprecated"):
        assert repr(actgrad.torch.Hardtanh(max_value=2.0)) == "Hardtanh(min_val=-1.0, max_val=2.0)"


@pytest.mark.parametrize("name", ["GELU", "GEGLU", "GELUMul"])
def test_unknown_choices_fail_at_construction(name: str) -> None:
    with pytest.raises(actgrad.InvalidArgument, match="approximate is 'bad'"):
        getattr(actgrad.torch, name)(approximate="bad")


AT_NAN = {
    **dict.fromkeys(("celu", "elu", "selu", "silu", "gelu", "hardswish"), torch.nan),
    **dict.fromkeys(("hardshrink", "hardtanh", "softshrink", "relu"), 3.0),
    **dict.fromkeys(("relu6", "hardsigmoid"), 0.0),
}


@pytest.mark.parametrize("size", [1, 5, 64, 1000])
@pytest.mark.parametrize("name", AT_NAN)
def test_gradients_at_nan_do_not_depend_on_the_size(name: str, size: int) -> None:
    """As docs/formulas.md states them."""
    x = torch.full((size,), torch.nan, requires_grad=True)
    y = getattr(actgrad.torch, name)(x)
    (gradient,) = torch.autograd.grad(y, x, torch.full((size,), 3.0))
    assert y.isnan().all()
    assert torch.equal(gradient.nan_to_num(7.0), torch.full((size,), AT_NAN[name]).nan_to_num(7.0))


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool])
@pytest.mark.parametrize("name", ["sigmoid", "tanh"])
def test_floating_point_results_are_not_written_into_integers(dtype: Any, name: str) -> None:
    x = torch.tensor([0, 1, 1, 0], dtype=dtype)
    before = x.clone()
    with patched():
        with pytest.raises(RuntimeError, match="can't be cast"):
            getattr(x, f"{name}_")()
        with pytest.raises(RuntimeError, match="can't be cast"):
            getattr(torch, name)(before, out=x)
    with pytest.raises(actgrad.InvalidDtype, match=f"out is {dtype}".replace("torch.", "")):
        getattr(actgrad.torch, name)(x, inplace=True)
    assert torch.equal(x, before)
