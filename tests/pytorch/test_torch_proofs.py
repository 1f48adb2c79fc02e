"""convert swaps only what its proof explains, and a swapped module follows every later change of the model."""

from __future__ import annotations

import copy
import functools
import math
import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import actgrad.torch
from actgrad.torch import convert, revert
from tests.support.torch_calls import compiled

pytestmark = pytest.mark.share(3)

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional

BETA = 1.0
LOG: list[Any] = []
act = functional.silu


class StraightThrough(torch.autograd.Function):  # type: ignore[misc,name-defined]
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.relu()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g


def of_default(x: Any, beta: float = 1.0) -> Any:
    return x * torch.sigmoid(beta * x)


class Base(nn.Module):  # type: ignore[misc,name-defined]
    beta = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.t, self.enabled, self.function = 1.0, True, functional.silu
        self.log: list[Any] = []
        self.last: Any = None
        self._scale = 1.0
        self.part = functools.partial(of_default, beta=1.0)

    @property
    def scale(self) -> float:
        return self._scale


def module(forward: Callable[..., Any]) -> type:
    """A class with a forward, which has the test module's globals."""
    return type(forward.__name__, (Base,), {"forward": forward, "__module__": __name__})


def straight_through(self: Any, x: Any) -> Any:
    return StraightThrough.apply(x)


def detached(self: Any, x: Any) -> Any:
    return functional.relu(x.detach())


def half_detached(self: Any, x: Any) -> Any:
    return x * torch.sigmoid(x).detach()


def of_data(self: Any, x: Any) -> Any:
    return functional.silu(x.data)


def clamped(self: Any, x: Any) -> Any:
    return x.clamp(min=0)


def clamped_twice(self: Any, x: Any) -> Any:
    return torch.clamp(x, 0, 6)


def largest(self: Any, x: Any) -> Any:
    return torch.maximum(x, torch.zeros_like(x))


def without_gradient(self: Any, x: Any) -> Any:
    with torch.no_grad():
        return functional.silu(x)


@torch.no_grad()
def decorated(self: Any, x: Any) -> Any:
    return functional.silu(x)


def writes(self: Any, x: Any) -> Any:
    self.last = functional.silu(x)
    return self.last


def logs(self: Any, x: Any) -> Any:
    y = functional.silu(x)
    self.log.append(y)
    return y


def logs_globally(self: Any, x: Any) -> Any:
    LOG.append(1)
    return functional.silu(x)


def by_rank(self: Any, x: Any) -> Any:
    return functional.gelu(x) if x.dim() < 4 else functional.relu(x)


def by_shape(self: Any, x: Any) -> Any:
    return functional.gelu(x) if len(x.shape) < 4 else functional.relu(x)


def by_values(self: Any, x: Any) -> Any:
    return functional.gelu(x) if x.sum() < 1e9 else functional.relu(x)


def by_dtype(self: Any, x: Any) -> Any:
    return functional.gelu(x) if x.dtype == torch.float64 else functional.relu(x)


def by_mode(self: Any, x: Any) -> Any:
    return functional.gelu(x) if torch.is_grad_enabled() else functional.relu(x)


def tried(self: Any, x: Any) -> Any:
    try:
        return functional.silu(x)
    except RuntimeError:
        return x


def random(self: Any, x: Any) -> Any:
    return functional.silu(x) + 0.0 * torch.rand_like(x)


def dropped(self: Any, x: Any) -> Any:
    return functional.dropout(functional.silu(x), 0.5, self.training)


def wider(self: Any, x: Any) -> Any:
    return functional.silu(x.float())


def overwrites(self: Any, x: Any) -> Any:
    return x.mul_(torch.sigmoid(x))


def assigns_in_place(self: Any, x: Any) -> Any:
    x *= torch.sigmoid(x)
    return x


def overwrites_by_flag(self: Any, x: Any) -> Any:
    return functional.relu(x, self.enabled)


def indexed(self: Any, x: Any) -> Any:
    y = x * 1.0
    y[x < 0] = 0
    return y


DECLINED = [
    straight_through, detached, half_detached, of_data, clamped, clamped_twice, largest, without_gradient, decorated,
    writes, logs, logs_globally, by_rank, by_shape, by_values, by_dtype, by_mode, tried, random, dropped, wider,
    overwrites, assigns_in_place, overwrites_by_flag, indexed,
]  # fmt: skip


@pytest.mark.parametrize("forward", DECLINED, ids=lambda forward: forward.__name__)
@pytest.mark.parametrize("training", [True, False])
def test_declined(forward: Any, training: bool) -> None:
    """Nothing of these runs: lists, attributes and random numbers stay what they are."""
    original = module(forward)().train(training)
    state, log = torch.random.get_rng_state(), list(LOG)
    report = convert(nn.Sequential(original))
    assert not report.swapped
    assert report.left[0].reason
    assert (type(original).__name__, original.last, original.log, LOG) == (forward.__name__, None, [], log)
    assert torch.equal(torch.random.get_rng_state(), state)


# What a swapped module follows


def of_attribute(self: Any, x: Any) -> Any:
    return x * torch.sigmoid(self.t * x)


def of_class(self: Any, x: Any) -> Any:
    return x * torch.sigmoid(self.beta * x)


def of_property(self: Any, x: Any) -> Any:
    return x * torch.sigmoid(self.scale * x)


def of_global(self: Any, x: Any) -> Any:
    return x * torch.sigmoid(BETA * x)


def of_global_function(self: Any, x: Any) -> Any:
    return act(x)


def of_switch(self: Any, x: Any) -> Any:
    return functional.silu(x) if self.enabled else x


def of_statement(self: Any, x: Any) -> Any:
    if not self.enabled:
        return x
    y = torch.sigmoid(x)
    return x * y


def of_training(self: Any, x: Any) -> Any:
    return functional.silu(x) if self.training else functional.relu(x)


def of_function(self: Any, x: Any) -> Any:
    return self.function(x)


def of_partial(self: Any, x: Any) -> Any:
    return self.part(x)


def of_own_default(self: Any, x: Any, beta: float = 1.0) -> Any:
    return x * torch.sigmoid(beta * x)


def of_another_default(self: Any, x: Any) -> Any:
    return of_default(x)


def of_library(self: Any, x: Any) -> Any:
    return functional.silu(x)


def enclosed(beta: float) -> tuple[Any, Any]:
    def forward(self: Any, x: Any) -> Any:
        return x * torch.sigmoid(beta * x)

    def change(value: float) -> None:
        nonlocal beta
        beta = value

    return forward, change


def set_default(m: Any, patch: Any) -> None:
    patch.setattr(of_default, "__defaults__", (5.0,))


CHANGES: list[tuple[Any, Callable[[Any, Any], Any]]] = [
    (of_attribute, lambda m, patch: setattr(m, "t", 5.0)),
    (of_attribute, lambda m, patch: setattr(m, "t", torch.tensor(5.0))),
    (of_attribute, lambda m, patch: setattr(m, "t", nn.Parameter(torch.tensor(5.0)))),
    (of_attribute, lambda m, patch: m.__dict__.update(t=-0.0)),
    (of_class, lambda m, patch: setattr(m, "beta", 5.0)),
    (of_class, lambda m, patch: patch.setattr(Base, "beta", 5.0)),
    (of_property, lambda m, patch: setattr(m, "_scale", 5.0)),
    (of_property, lambda m, patch: patch.setattr(Base, "scale", property(lambda self: 5.0))),
    (of_global, lambda m, patch: patch.setattr(sys.modules[__name__], "BETA", 5.0)),
    (of_global_function, lambda m, patch: patch.setattr(sys.modules[__name__], "act", functional.relu)),
    (of_switch, lambda m, patch: setattr(m, "enabled", False)),
    (of_switch, lambda m, patch: setattr(m, "enabled", 0)),
    (of_statement, lambda m, patch: setattr(m, "enabled", False)),
    (of_training, lambda m, patch: m.eval()),
    (of_function, lambda m, patch: setattr(m, "function", functional.relu)),
    (of_partial, lambda m, patch: m.part.keywords.update(beta=5.0)),
    (of_partial, lambda m, patch: setattr(m, "part", functools.partial(of_default, beta=5.0))),
    (of_another_default, set_default),
    (of_library, lambda m, patch: patch.setattr(functional, "silu", functional.relu)),
    (of_library, lambda m, patch: patch.setattr(sys.modules[__name__], "functional", actgrad.torch)),
    (of_library, lambda m, patch: setattr(m, "forward", lambda x: x * 3.0)),
    (of_library, lambda m, patch: m.register_forward_hook(lambda m, args, y: y * 3.0)),
    (of_library, lambda m, patch: m.register_forward_pre_hook(lambda m, args: (args[0] * 3.0,))),
    (of_library, lambda m, patch: m.register_full_backward_hook(lambda m, gx, gy: (gx[0] * 3.0,))),
    (of_library, lambda m, patch: patch.setattr(m._class, "forward", lambda self, x: x * 3.0)),
]


def run(m: Any, x: Any) -> tuple[Any, Any]:
    x = x.clone().requires_grad_()
    y = m(x)
    return y, torch.autograd.grad(y.square().sum(), x)[0]


def is_ours(m: Any, x: Any) -> bool:
    return "Actgrad" in type(m(x.clone().requires_grad_()).grad_fn).__name__


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # PyTorch's, on compiling
@pytest.mark.parametrize(("forward", "change"), CHANGES, ids=[f.__name__ for f, _ in CHANGES])
@pytest.mark.parametrize("way", ["itself", "deepcopy", "pickle", "compiled"])
def test_a_swapped_module_follows_changes(forward: Any, change: Any, way: str, monkeypatch: Any) -> None:
    kind = module(forward)
    monkeypatch.setattr(sys.modules[__name__], kind.__name__, kind)  # for pickle
    kind._class = kind
    theirs, x = kind(), torch.randn(3, 4)
    ours = kind()
    assert convert(ours).swapped
    ours = {"deepcopy": copy.deepcopy, "pickle": lambda m: pickle.loads(pickle.dumps(m))}.get(way, lambda m: m)(ours)
    assert is_ours(ours, x)
    calls = [(theirs, ours)]
    if way == "compiled":
        calls.append((theirs, compiled(ours)))
        torch.testing.assert_close(run(calls[1][1], x), run(theirs, x))
    for m in (theirs, ours):
        change(m, monkeypatch)
    if any(getattr(ours, name) for name in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")):
        torch._dynamo.reset()  # the compiler does not watch hooks
    for one, other in calls:
        torch.testing.assert_close(run(other, x), run(one, x))


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_closure(is_compiled: bool) -> None:
    forward, change = enclosed(1.0)
    ours, x = module(forward)(), torch.randn(3, 4)
    assert convert(ours).swapped
    assert is_ours(ours, x)
    call = compiled(ours) if is_compiled else ours
    for beta in (1.0, 5.0):
        change(beta)
        torch.testing.assert_close(call(x), x * torch.sigmoid(beta * x))


def test_other_arguments_reach_the_forward() -> None:
    ours, x = module(of_own_default)(), torch.randn(3, 4)
    assert convert(ours).swapped
    assert is_ours(ours, x)
    for call in (lambda: ours(x, 5.0), lambda: ours(x, beta=5.0), lambda: ours(beta=5.0, x=x)):
        torch.testing.assert_close(call(), x * torch.sigmoid(5.0 * x))
    with pytest.raises(TypeError):
        ours(bogus=x)


class NewGELU(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any) -> Any:
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, lambda: torch.autocast("cpu", torch.bfloat16)])
def test_modes(mode: Any) -> None:
    theirs, ours = NewGELU(), NewGELU()
    assert convert(ours).swapped
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.randn(3, 4, dtype=dtype, requires_grad=True)
        with mode():
            one, other = theirs(x), ours(x)
        assert (one.dtype, one.requires_grad) == (other.dtype, other.requires_grad)
        if not torch.equal(one, other):  # in 16 bits the module rounds after each step, actgrad rounds once
            exact = torch.nn.functional.gelu(x.detach().double(), approximate="tanh").to(dtype)
            torch.testing.assert_close(other.detach(), exact)


@pytest.mark.parametrize(
    "x",
    [torch.arange(-3, 4), torch.tensor([True, False]), torch.randn(3, dtype=torch.complex64), torch.eye(3).to_sparse()],
    ids=["int64", "bool", "complex", "sparse"],
)
@pytest.mark.parametrize("kind", [nn.ReLU, nn.Sigmoid, nn.Tanh, NewGELU])
def test_what_actgrad_refuses_is_pytorchs(x: Any, kind: Any) -> None:
    theirs, ours = nn.Sequential(kind()), nn.Sequential(kind())
    report = convert(ours)
    assert report.swapped
    assert not report.fallbacks
    try:
        expected = theirs(x)
    except (RuntimeError, NotImplementedError) as fault:
        with pytest.raises(type(fault)):
            ours(x)
        return
    for call in (ours, compiled(ours)) if x.layout == torch.strided else (ours,):
        torch.testing.assert_close(call(x), expected)


def test_calls_that_were_refused_are_counted() -> None:
    model = nn.Sequential(nn.LeakyReLU(torch.tensor(0.2)), nn.ReLU())
    report = convert(model)
    model(torch.randn(3))
    assert report.fallbacks == {"0": 1}
    assert "calls that actgrad refused and PyTorch computed: 0 1" in str(report)


# Gates


class Gate(nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.act, self.scale, self.enabled = nn.SiLU(), 1.0, True
        self.g, self.u, self.d = nn.Linear(4, 6), nn.Linear(4, 6), nn.Linear(6, 4)

    def forward(self, x: Any) -> Any:
        y = self.act(self.g(x)) * self.u(x)
        return self.d(y) * self.scale if self.enabled else x * 2


class Split(nn.Module):  # type: ignore[misc,name-defined]
    """Without projections, the most common one."""

    def forward(self, x: Any) -> Any:
        x, gate = x.chunk(2, dim=-1)
        return functional.silu(gate) * x


class SplitGELU(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any) -> Any:
        gate, x = x.chunk(2, -1)
        return x * functional.gelu(gate, approximate="tanh")


class Indexed(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any) -> Any:
        n = x.shape[-1] // 2
        a, b = x[..., :n], x[..., n:]
        return functional.gelu(a) * b


class Postponed(Gate):
    """As T5's."""

    def forward(self, x: Any) -> Any:
        gate = self.act(self.g(x))
        up = self.u(x)
        y = gate * up
        return self.d(y)


class Experts(nn.Module):  # type: ignore[misc,name-defined]
    """As those of Mixtral: parameters, a loop, and a decorator."""

    def __init__(self) -> None:
        super().__init__()
        self.act_fn = nn.SiLU()
        self.up = nn.Parameter(torch.randn(2, 6, 4))
        self.down = nn.Parameter(torch.randn(2, 4, 3))

    def forward(self, x: Any) -> Any:
        result = torch.zeros_like(x)
        for up, down in zip(self.up, self.down, strict=True):
            gate, other = functional.linear(x, up).chunk(2, dim=-1)
            y = self.act_fn(gate) * other
            result = result + functional.linear(y, down)
        return result


def passed_on(function: Any) -> Any:
    @functools.wraps(function)
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    return forward


class Decorated(Experts):
    forward = passed_on(Experts.forward)


GATED = [Gate, Split, SplitGELU, Indexed, Postponed, Experts, Decorated]


def nodes(y: Any) -> set[str]:
    names, todo = set(), [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None:
            names.add(node.name())
            todo += [parent for parent, _ in node.next_functions]
    return names


def both(kind: Any, save: str = "auto") -> tuple[Any, Any]:
    torch.manual_seed(0)
    theirs = kind()
    ours = copy.deepcopy(theirs)
    report = convert(ours, save=save)
    assert any(row.name == "(the model itself)" for row in report.swapped)
    return theirs, ours


def same(theirs: Any, ours: Any, x: Any) -> None:
    one, other = (run(m, x) for m in (theirs, ours))
    torch.testing.assert_close(other, one)


@pytest.mark.parametrize("kind", GATED)
def test_gates(kind: Any) -> None:
    theirs, ours = both(kind)
    x = torch.randn(3, 4)
    for m in (ours, copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        same(theirs, m, x)
        assert any(
            name.startswith(("ActgradSwigluTwo", "ActgradGeglu")) for name in nodes(m(x.clone().requires_grad_()))
        )
    torch._dynamo.reset()
    same(theirs, torch.compile(ours, backend="aot_eager"), x)
    same(theirs, ours, torch.randn(2, 3, 4))
    if not any(True for _ in ours.parameters()):
        with pytest.raises((RuntimeError, IndexError)):
            ours(torch.tensor(1.0))
        torch.testing.assert_close(ours(x.double()), theirs(x.double()))
    assert torch.equal(theirs.state_dict().keys() == ours.state_dict().keys() and x, x)
    revert(ours)
    assert type(ours) is kind


def hook(m: Any, name: str) -> None:
    getattr(m, name).register_forward_hook(lambda m, args, y: y * 3.0)


GATE_CHANGES: list[Callable[[Any], Any]] = [
    lambda m: setattr(m, "act", nn.ReLU()),
    lambda m: setattr(m, "act", nn.Tanh()),
    lambda m: setattr(m, "act", nn.GELU("tanh")),
    lambda m: setattr(m, "act", nn.SiLU(inplace=True)),
    lambda m: setattr(m, "scale", 2.0),
    lambda m: setattr(m, "enabled", False),
    lambda m: hook(m, "act"),
    lambda m: hook(m, "g"),
    lambda m: hook(m, "d"),
    lambda m: m.act.register_forward_pre_hook(lambda m, args: (args[0] * 3.0,)),
    lambda m: m.act.register_full_backward_hook(lambda m, gx, gy: (gx[0] * 3.0,)),
    lambda m: setattr(m.act, "forward", lambda x: x * 3.0),
    lambda m: setattr(m, "u", nn.Sequential(nn.Linear(4, 6), nn.ReLU(inplace=True))),
    lambda m: m.g.half() and m.g.float() and None,
    lambda m: setattr(m, "u", nn.Linear(4, 1)),
    lambda m: (
        m.u.double(),
        setattr(m, "g", nn.Linear(4, 6)),
        m.d.double(),
        m.u.register_forward_pre_hook(lambda m, a: a[0].double()),
    ),
]


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # PyTorch's, on compiling
@pytest.mark.parametrize("change", GATE_CHANGES, ids=range(len(GATE_CHANGES)))
@pytest.mark.parametrize("kind", [Gate, Postponed])
@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_gate_follows_changes(kind: Any, change: Any, is_compiled: bool) -> None:
    theirs, ours = both(kind)
    x = torch.randn(3, 4)
    for m in (theirs, ours):
        torch.manual_seed(1)
        change(m)
    torch._dynamo.reset()
    same(theirs, torch.compile(ours, backend="aot_eager") if is_compiled else ours, x)


@pytest.fixture
def global_hook() -> Iterator[list[str]]:
    calls: list[str] = []
    handle = nn.modules.module.register_module_forward_hook(lambda m, args, y: calls.append(type(m).__name__))
    yield calls
    handle.remove()


def test_global_hooks_see_every_module(global_hook: list[str]) -> None:
    theirs, ours = both(Gate)
    x = torch.randn(3, 4)
    global_hook.clear()
    theirs(x)
    expected = list(global_hook)
    global_hook.clear()
    ours(x)
    assert [name.removeprefix("Actgrad") for name in global_hook] == expected
    assert "SiLU" in expected


def test_an_attribute_that_an_activation_reads() -> None:
    """The activation of a gate is proven too."""

    class Outer(Gate):
        def __init__(self) -> None:
            super().__init__()
            self.act = module(of_attribute)()

    theirs, ours = both(Outer)
    for t in (1.0, 5.0):
        theirs.act.t = ours.act.t = t
        same(theirs, ours, torch.randn(3, 4))


def test_a_gate_that_writes_to_itself_stays() -> None:
    class Writes(Gate):
        def forward(self, x: Any) -> Any:
            self.last = self.act(self.g(x)) * self.u(x)
            return self.d(self.last)

    report = convert(Writes())
    assert report.left[0].reason == "it writes to self"


def test_a_patched_class(monkeypatch: Any) -> None:
    _, ours = both(Gate)
    monkeypatch.setattr(Gate, "forward", lambda self, x: x * 3.0)
    x = torch.randn(3, 4)
    assert torch.equal(ours(x), x * 3.0)


def test_an_overwritten_gate_raises() -> None:
    """The two would be computed from different numbers."""

    class Doubled(nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, x: Any) -> Any:
            return x.mul_(2)

    class Overwrites(Gate):
        def __init__(self) -> None:
            super().__init__()
            self.g, self.u = nn.Identity(), Doubled()

        def forward(self, x: Any) -> Any:
            return self.act(self.g(x)) * self.u(x)

    _, ours = both(Overwrites)
    x = torch.randn(3, 4)
    with pytest.raises(RuntimeError, match="overwritten before its product"):
        ours(x.clone())


def test_random_numbers_are_drawn_in_the_same_order() -> None:
    class Dropped(Gate):
        def __init__(self) -> None:
            super().__init__()
            self.drop = nn.Dropout(0.5)

        def forward(self, x: Any) -> Any:
            h = self.drop(self.g(x))
            return self.d(self.drop(self.act(h) * self.u(x)))

    theirs, ours = both(Dropped)
    x = torch.randn(3, 4)
    results = []
    for m in (theirs, ours):
        torch.manual_seed(1)
        results.append(m(x))
    torch.testing.assert_close(*results)


def test_data_parallel_replicas() -> None:
    theirs, ours = both(Gate)
    x = torch.randn(3, 4)
    torch.testing.assert_close(ours._replicate_for_data_parallel()(x), theirs(x))


def test_traces() -> None:
    theirs, ours = both(Gate)
    x = torch.randn(3, 4)
    torch.testing.assert_close(torch.fx.symbolic_trace(ours)(x), theirs(x))
    for kind in (Split, SplitGELU):
        theirs, ours = both(kind)
        torch.testing.assert_close(torch.fx.symbolic_trace(ours)(x), theirs(x))
