"""Calls like one that passed take the fast path to their kernel; all others take the slow path."""

from __future__ import annotations

import copy
import ctypes
import functools
import inspect
import json
import pickle
import sys
import textwrap
import threading
from typing import Any

import numpy as np
import pytest
from calls import BFLOAT16, run_script, same_bits

import actgrad
from actgrad import arrays
from actgrad.arrays import hugepages
from actgrad.backends.cpu import engine
from actgrad.calls import arguments, call_cache, extension
from actgrad.calls import operator as operator_module
from actgrad.calls.call_cache import CACHED

RNG = np.random.default_rng(0)
G, X = (RNG.standard_normal(37).astype(np.float32) for _ in range(2))
ATTRIBUTES = {"alpha": 1.3, "scale": 1.2, "input_scale": 0.9, "is_result": False}


class Counter:
    """How many calls took the slow path."""

    def __init__(self) -> None:
        self.calls = 0


@pytest.fixture
def slow_paths(monkeypatch: pytest.MonkeyPatch) -> Counter:
    counter, arrange = Counter(), arguments.arrange

    def counted(*given: Any) -> Any:
        counter.calls += 1
        return arrange(*given)

    monkeypatch.setattr(arguments, "arrange", counted)
    for operator in actgrad.operators.values():
        operator._forget()
    return counter


def expected(**attributes: Any) -> Any:
    return actgrad.elu_backward(G, X, backend="reference", **attributes)


def arrays_of(library: str, *arrays: np.ndarray) -> list[Any]:
    return [pytest.importorskip("torch").from_numpy(a.copy()) for a in arrays] if library == "torch" else list(arrays)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("attributes", [{}, ATTRIBUTES, {"is_result": True, "alpha": 0.5}], ids=["none", "all", "two"])
def test_the_second_call_takes_the_fast_path_and_is_the_same(
    library: str, attributes: dict[str, Any], slow_paths: Counter
) -> None:
    g, x = arrays_of(library, G, X)
    out = arrays_of(library, np.full_like(X, np.nan))[0]
    first = actgrad.elu_backward(g, x, **attributes)
    for _ in range(3):
        assert same_bits(np.asarray(actgrad.elu_backward(g, x, **attributes)), np.asarray(first))
        out[:] = float("nan")
        assert actgrad.elu_backward(g, x, out=out, **attributes) is out
        assert same_bits(np.asarray(out), np.asarray(first))
    assert slow_paths.calls == 1


def test_where_out_stands_among_the_attributes(slow_paths: Counter) -> None:
    wanted = actgrad.elu_backward(G, X, **ATTRIBUTES)
    names = list(ATTRIBUTES)
    for place in range(len(names) + 1):
        out = np.full_like(X, np.nan)
        given = {name: ATTRIBUTES[name] for name in names[:place]} | {"out": out}
        given |= {name: ATTRIBUTES[name] for name in names[place:]}
        assert actgrad.elu_backward(G, X, **given) is out
        assert same_bits(out, wanted)
    assert same_bits(actgrad.elu_backward(G, X, **{"out": None} | ATTRIBUTES), wanted)
    assert slow_paths.calls == 1


def test_names_need_not_be_the_same_objects(slow_paths: Counter) -> None:
    """Those of a configuration file are not interned."""
    wanted = actgrad.elu_backward(G, X, **ATTRIBUTES)
    loaded = json.loads(json.dumps(ATTRIBUTES))
    assert same_bits(actgrad.elu_backward(G, X, **loaded), wanted)
    assert slow_paths.calls == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"alpha": 1.3}, {"alpha": 1.25}),
        ({"alpha": 1}, {"alpha": 1.0}),
        ({"alpha": 2.0}, {"scale": 2.0}),
        ({"alpha": 2.0, "scale": 3.0}, {"scale": 2.0, "alpha": 3.0}),
        ({"alpha": 2.0}, {"alpha": 2.0, "scale": 3.0}),
        ({"alpha": 2.0, "scale": 3.0}, {"alpha": 2.0}),
        ({"is_result": True}, {"is_result": False}),
        ({"alpha": 0.0}, {"alpha": -0.0}),
        ({"alpha": float("nan")}, {"alpha": float("inf")}),
    ],
    ids=str,
)
def test_other_attributes_are_another_call(before: Any, after: Any, slow_paths: Counter) -> None:
    for attributes in (before, after, before, after):
        got, wanted = actgrad.elu_backward(G, X, **attributes), expected(**attributes)
        np.testing.assert_allclose(got, wanted, rtol=1e-5)
        is_number = ~np.isnan(wanted)  # a zero has a sign, which equality does not tell
        np.testing.assert_array_equal(np.signbit(got)[is_number], np.signbit(wanted)[is_number])


def test_a_flag_that_is_a_number_is_refused_after_one_that_is_true(slow_paths: Counter) -> None:
    for _ in range(2):
        actgrad.elu_backward(G, X, is_result=True)
    with pytest.raises(actgrad.ActgradError, match=r"^elu_backward: is_result"):
        actgrad.elu_backward(G, X, is_result=1.0)  # which equals True
    assert slow_paths.calls == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: actgrad.elu_backward(G), "self_or_result is None"),
        (lambda: actgrad.elu_backward(G, X, X), "elu_backward"),
        (lambda: actgrad.elu_backward(), "elu_backward"),
        (lambda: actgrad.elu_backward(G, X, beta=1.0), "beta"),
        (lambda: actgrad.elu_backward(G, X[:-1]), "shape"),
        (lambda: actgrad.elu_backward(G, X, out=X[:-1]), "shape"),
        (lambda: actgrad.elu_backward(G, X, out=(np.empty_like(X), np.empty_like(X))), "grad_input is a tuple"),
        (lambda: actgrad.elu_backward(G, X, out="here"), "grad_input is a str"),
        (lambda: actgrad.elu_backward(G, X.astype(np.int64)), "int64"),
        (lambda: actgrad.elu_backward(*[X] * 9), "elu_backward"),
    ],
)  # fmt: skip
def test_errors_are_those_of_the_long_way(call: Any, message: str, slow_paths: Counter) -> None:
    actgrad.elu_backward(G, X)
    for _ in range(2):
        with pytest.raises(actgrad.ActgradError, match=message):
            call()


def test_products_and_rules_are_asked_again(slow_paths: Counter) -> None:
    g, x = G.astype(BFLOAT16), X.astype(BFLOAT16)
    for _ in range(2):
        actgrad.elu_backward(g, x)
    with actgrad.product("Ascend310P"), pytest.raises(actgrad.ActgradError, match="bfloat16"):
        actgrad.elu_backward(g, x)
    actgrad.elu_backward(g, x)
    assert slow_paths.calls == 2


def test_two_results(slow_paths: Counter) -> None:
    x = RNG.standard_normal((5, 8)).astype(np.float32)
    wanted = actgrad.geglu(x)
    for kind in (tuple, list):
        out = kind(np.full((5, 4), np.nan, np.float32) for _ in range(2))
        for _ in range(2):
            got = actgrad.geglu(x, out=out)
            assert all(same_bits(a, b) for a, b in zip(got, wanted, strict=True))
            assert got[0] is out[0]


def test_more_calls_than_are_cached(slow_paths: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_module, "CACHED", 40)
    for _ in range(2):
        for k in range(46):
            np.testing.assert_allclose(
                actgrad.leaky_relu(X, negative_slope=1 / (k + 2)), np.where(X > 0, X, X / (k + 2)), rtol=1e-6
            )
        for n in range(1, 20):
            assert same_bits(actgrad.leaky_relu(X[:n]), np.where(X[:n] > 0, X[:n], X[:n] * np.float32(0.01)))
            assert actgrad.leaky_relu._cached <= 40
    assert CACHED == 1024


def test_a_full_cache_forgets_both_forms_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prepared calls and those of the fast path go together: there is one rule."""
    monkeypatch.setattr(call_cache, "CACHED", 5)
    actgrad.leaky_relu.forget()
    for k in range(5):
        actgrad.leaky_relu(X, negative_slope=1 / (k + 2))
    assert len(actgrad.leaky_relu.prepared) == 5
    actgrad.leaky_relu(X, negative_slope=1 / 9)
    assert len(actgrad.leaky_relu.prepared) == 1
    actgrad.leaky_relu.forget()
    assert actgrad.leaky_relu._cached == len(actgrad.leaky_relu.prepared) == 0


def test_nothing_is_kept_or_lost() -> None:
    """References: of arguments, results and ways, on the short way and where it is left half-way."""
    out, name = np.empty_like(X), "alpha"
    value = float("1.3125")

    def calls() -> None:
        for _ in range(50):
            actgrad.elu_backward(G, X, out=out, **{name: value})
            actgrad.elu_backward(G, X, **{name: value})
            actgrad.geglu_backward(X[:3], np.empty(6, np.float32), None)
            with pytest.raises(actgrad.ActgradError):
                actgrad.elu_backward(G, X, out=(out, out), **{name: value})

    calls()
    watched = [out, value, G, X, None, np.empty_like, actgrad.elu_backward.prepared]
    before = [sys.getrefcount(thing) for thing in watched]
    calls()
    after = [sys.getrefcount(thing) for thing in watched]
    for thing, a, b in zip(watched, before, after, strict=True):
        assert abs(a - b) < 25, type(thing)  # None has many users beside us


def test_no_reference_to_written_tensors_is_kept_or_lost() -> None:
    torch = pytest.importorskip("torch")
    x, out, packed = torch.randn(5), torch.empty(5), torch.randn(3, 8)
    both = (torch.empty(3, 4), torch.empty(3, 4))

    def calls() -> None:
        for _ in range(50):
            actgrad.elu(x, out=out)
            actgrad.geglu(packed, out=both)

    calls()
    watched = [x, out, packed, both, *both]
    before = [sys.getrefcount(thing) for thing in watched]
    calls()
    assert [sys.getrefcount(thing) for thing in watched] == before


def test_threads_that_forget_each_others_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_module, "CACHED", 40)
    faults: list[str] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for slope in rng.integers(2, 120, 3000).tolist():
            got = actgrad.leaky_relu(X, negative_slope=1 / slope)
            if not np.allclose(got, np.where(X > 0, X, X / slope)):
                faults.append(f"slope 1/{slope}")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_pytorch_imported_after_calls_on_numpy() -> None:
    pytest.importorskip("torch")
    run_script(
        textwrap.dedent("""
        import numpy as np, actgrad
        from actgrad.backends.cpu import threads
        x = np.ones(5, np.float32)
        for _ in range(3):
            actgrad.elu(x)
        assert threads._runtime != "PyTorch"
        import torch
        for _ in range(3):
            actgrad.elu(x)
        assert threads._runtime == "PyTorch", threads._runtime
        """)
    )


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_a_tensor_that_is_differentiated_forwards() -> None:
    torch = pytest.importorskip("torch")
    x = torch.linspace(-2, 2, 9)
    for _ in range(2):
        actgrad.elu(x)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
        tangent = torch.autograd.forward_ad.unpack_dual(actgrad.elu(dual)).tangent
    torch.testing.assert_close(tangent, torch.where(x > 0, 1.0, x.exp()))


def test_what_is_written_to_is_counted() -> None:
    torch = pytest.importorskip("torch")
    x, out = torch.randn(5), torch.empty(5)
    for calls in range(1, 4):
        actgrad.elu(x, out=out)
        assert out._version == calls


class Holder:
    activation = actgrad.elu


def test_an_operator_is_one_object_wherever_it_is() -> None:
    """Copies, pickles, classes and partials hold the operator itself."""
    elu = actgrad.elu
    assert Holder().activation is elu
    assert same_bits(Holder().activation(X), elu(X))
    assert copy.copy(elu) is copy.deepcopy(elu) is pickle.loads(pickle.dumps(elu)) is elu
    assert list(inspect.signature(elu).parameters) == ["self", "alpha", "scale", "input_scale", "out", "backend"]
    assert same_bits(functools.partial(elu, alpha=1.5)(X), elu(X, alpha=1.5))
    assert repr(elu).startswith("<actgrad operator elu(")


def test_inside_torch_compile_a_call_ends_the_graph() -> None:
    torch = pytest.importorskip("torch")
    run_script(
        textwrap.dedent("""
        import actgrad, torch, warnings
        warnings.simplefilter("ignore")
        def f(x):
            return actgrad.elu(x * 2, alpha=1.3) + 1
        compiled = torch.compile(f, backend="eager")
        x = torch.linspace(-2, 2, 9)
        for given in (x, x.clone().requires_grad_(), x):
            for _ in range(2):
                torch.testing.assert_close(compiled(given), torch.nn.functional.elu(given * 2, 1.3) + 1)
        """)
    )
    assert torch


def test_a_call_at_the_very_end_of_a_process() -> None:
    """When the interpreter has put its modules away."""
    run_script(
        textwrap.dedent("""
        import numpy as np, actgrad
        class Layer:
            def __init__(self):
                self.act, self.x = actgrad.elu, np.ones(4, np.float32)
            def __del__(self):
                self.act(self.x, out=self.x)
        layer = Layer()
        for _ in range(3):
            layer.act(layer.x, out=layer.x)
        class Keep:
            pass
        keep = Keep()
        keep.layer, keep.itself = layer, keep
        np.kept = layer
        del layer
        """)
    )


def test_large_results_stay_in_huge_pages_after_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    actgrad.gelu.forget()
    for size in (hugepages.LARGE // 4, 10, hugepages.LARGE // 4):
        actgrad.gelu(torch.zeros(size))
    large = torch.zeros(hugepages.LARGE // 4)
    asked: list[int] = []
    monkeypatch.setattr(hugepages, "ask_for_huge_pages", lambda address, size: asked.append(size))
    actgrad.gelu(large)
    actgrad.gelu(torch.zeros(10))
    assert asked == [hugepages.LARGE]


def test_an_interrupt_while_arrays_are_looked_at_is_not_lost() -> None:
    torch = pytest.importorskip("torch")
    from torch.overrides import TorchFunctionMode

    class Interrupting(TorchFunctionMode):
        """Interrupts once: what is lost then does not come again."""

        calls = 0

        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.calls += 1
            if self.calls == 1:
                raise KeyboardInterrupt
            return function(*args, **(kwargs or {}))

    x, out = torch.ones(3), torch.empty(3)
    for _ in range(2):
        actgrad.elu(x, out=out)
    with Interrupting(), pytest.raises(KeyboardInterrupt):
        actgrad.elu(x, out=out)


@pytest.mark.parametrize("error", [MemoryError, RuntimeError, ValueError])
def test_an_allocation_that_fails_takes_the_slow_path(
    error: type[Exception], slow_paths: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")

    def failing(_: Any) -> Any:
        raise error

    x = torch.linspace(-2, 2, 11)
    monkeypatch.setattr(arrays, "empty_like", lambda result: failing)
    wanted = actgrad.elu(x)
    assert torch.equal(actgrad.elu(x), wanted)
    assert slow_paths.calls == 2


def test_an_interrupt_while_a_result_is_allocated_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")

    def interrupted(_: Any) -> Any:
        raise KeyboardInterrupt

    x = torch.linspace(-2, 2, 12)
    actgrad.elu.forget()
    monkeypatch.setattr(arrays, "empty_like", lambda result: interrupted)
    actgrad.elu(x)
    with pytest.raises(KeyboardInterrupt):
        actgrad.elu(x)
    actgrad.elu.forget()


@pytest.mark.skipif(extension.native is None, reason="without the extension the kernel itself raises")
def test_missing_memory_is_an_error_and_nothing_is_computed_twice(
    slow_paths: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An output in place may be half written when a kernel runs out of memory."""
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(lambda block, addresses: 0)
    address = ctypes.cast(function, ctypes.c_void_p).value
    x = X.copy()
    with monkeypatch.context() as patch:
        patch.setattr(engine.CpuKernel, "machine_code", property(lambda kernel: (address, address)))
        actgrad.elu(x, out=x)
        plan = actgrad.elu.plan(x)
    before = x.copy()
    for call in (plan.run, lambda: actgrad.elu(x, out=x), lambda: actgrad.elu(x, out=x)):
        with pytest.raises(MemoryError):
            call()
    assert same_bits(x, before)
    assert slow_paths.calls == 2  # of the first call and of the plan
    actgrad.elu.forget()


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_two_results_are_allocated_on_the_fast_path(library: str, slow_paths: Counter) -> None:
    (x,) = arrays_of(library, RNG.standard_normal((5, 8)).astype(np.float32))
    for given in (x, x.T):
        wanted = actgrad.geglu(given, dim=0 if given is not x else -1)
        slow_paths.calls = 0
        got = actgrad.geglu(given, dim=0 if given is not x else -1)
        assert slow_paths.calls == 0
        assert type(got) is tuple
        for a, b in zip(got, wanted, strict=True):
            assert a is not b
            assert same_bits(np.asarray(a), np.asarray(b))
            strides = (a.stride(), b.stride()) if library == "torch" else (a.strides, b.strides)
            assert strides[0] == strides[1]


@pytest.mark.parametrize("value", [0.0, -0.0, float("nan"), 5e-324, 1 << 70, "text"])
def test_attributes_by_their_bits(value: Any, slow_paths: Counter) -> None:
    """Zeros, NaN and subnormal numbers are found again, each as itself."""
    if isinstance(value, str):
        for _ in range(2):
            actgrad.gelu(X, approximate="tanh")
        loaded = json.loads('"tanh"')
        assert same_bits(actgrad.gelu(X, approximate=loaded), actgrad.gelu(X, approximate="tanh"))
        assert slow_paths.calls == 1
        return
    wanted = actgrad.elu(X, alpha=value, backend="reference")
    slow_paths.calls = 0
    for _ in range(3):
        got = actgrad.elu(X, alpha=value)
        is_number = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(got)[is_number], np.signbit(wanted)[is_number])
        np.testing.assert_allclose(got, wanted, rtol=1e-6)
    assert slow_paths.calls == (1 if isinstance(value, float) else slow_paths.calls)
