"""Calls like one that passed take the fast path to their kernel; all others take the slow path."""

from __future__ import annotations

import copy
import functools
import inspect
import json
import pickle
import textwrap
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.calls import operator as operator_module
from actgrad.calls.call_cache import CAPACITY
from tests.support.calls import BFLOAT16, Counter, run_script, same_bits

RNG = np.random.default_rng(0)
G, X = (RNG.standard_normal(37).astype(np.float32) for _ in range(2))
ATTRIBUTES = {"alpha": 1.3, "scale": 1.2, "input_scale": 0.9, "is_result": False}


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


@pytest.mark.needs("ascend")
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
    monkeypatch.setattr(operator_module, "CAPACITY", 40)
    for _ in range(2):
        for k in range(46):
            np.testing.assert_allclose(
                actgrad.leaky_relu(X, negative_slope=1 / (k + 2)), np.where(X > 0, X, X / (k + 2)), rtol=1e-6
            )
        for n in range(1, 20):
            assert same_bits(actgrad.leaky_relu(X[:n]), np.where(X[:n] > 0, X[:n], X[:n] * np.float32(0.01)))
            assert actgrad.leaky_relu._cached <= 40
    assert CAPACITY == 1024


def test_a_full_cache_evicts_the_oldest_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actgrad.leaky_relu.prepared, "capacity", 5)
    actgrad.leaky_relu.forget()
    for k in range(5):
        actgrad.leaky_relu(X, negative_slope=1 / (k + 2))
    first, second, *_ = actgrad.leaky_relu.prepared
    actgrad.leaky_relu(X, negative_slope=1 / 9)
    assert len(actgrad.leaky_relu.prepared) == 5
    assert first not in actgrad.leaky_relu.prepared
    assert second in actgrad.leaky_relu.prepared
    actgrad.leaky_relu.forget()
    assert actgrad.leaky_relu._cached == len(actgrad.leaky_relu.prepared) == 0


@pytest.mark.needs("torch")
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


@pytest.mark.slow
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
