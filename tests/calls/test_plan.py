"""Plans, and what calls that are alike share."""

from __future__ import annotations

import re

import numpy as np
import pytest

import actgrad
from actgrad import samples
from tests.support.calls import OPERATORS, ids, inputs, off_defaults, same_bits

X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)


# Plans


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_a_plan_says_what_it_does(operator: actgrad.Operator) -> None:
    tensors = inputs(np.random.default_rng(0), operator, (3, 5), "float16").values()
    for backend in ("cpu", "reference"):
        plan = operator.plan(*tensors, backend=backend, **off_defaults(operator))
        text = str(plan)
        assert text.startswith(f"{operator.name}(")
        for name, value in off_defaults(operator).items():
            assert f"{name}={value!r}" in text
        assert re.search(r"\b(15|3 x 5)\b", text)
        assert "float16" in text
        assert "computed in float32" in text
        assert f"backend  {backend}: " in text


def test_a_plan_names_every_dtype() -> None:
    g, x, out = X.astype(np.float16), X, X.astype(np.complex128)
    assert "float16, float32 -> complex128, computed in float64" in str(actgrad.leaky_relu_backward.plan(g, x, out=out))


def test_a_plan_of_nothing() -> None:
    assert "nothing to compute" in str(actgrad.elu.plan(X[:0]))
    assert actgrad.elu.plan(X[:0]).run().shape == (0, 6)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_planning_computes_nothing(operator: actgrad.Operator) -> None:
    tensors = inputs(np.random.default_rng(1), operator, (3, 5))
    expected = samples.as_tuple(operator(*tensors.values()))
    out = tuple(np.full_like(e, 7) for e in expected)
    plan = operator.plan(*tensors.values(), out=out if len(out) > 1 else out[0])
    assert all((o == 7).all() for o in out)
    assert plan.workspace_size == 0
    for o, got, wanted in zip(out, samples.as_tuple(plan.run()), expected, strict=True):
        assert got is o
        assert same_bits(got, wanted)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_run_again(operator: actgrad.Operator) -> None:
    """With the same inputs the same; with changed inputs what a fresh call gives."""
    rng = np.random.default_rng(2)
    tensors = inputs(rng, operator, (7, 40))
    plan = operator.plan(*tensors.values(), **off_defaults(operator))
    for _ in range(2):
        results = samples.as_tuple(plan.run())
        first = [r.copy() for r in results]
        for got, wanted in zip(samples.as_tuple(plan.run()), first, strict=True):
            assert same_bits(got, wanted)
        for tensor in tensors.values():
            tensor[...] = rng.standard_normal(tensor.shape)
        fresh = samples.as_tuple(operator(*tensors.values(), **off_defaults(operator)))
        for got, wanted in zip(samples.as_tuple(plan.run()), fresh, strict=True):
            assert same_bits(got, wanted)


def test_plans_alike_share_nothing_but_code() -> None:
    a, b = X.copy(), -X
    one, other = actgrad.elu.plan(a), actgrad.elu.plan(b)
    first = one.run().copy()
    assert same_bits(other.run(), actgrad.elu(b))
    assert same_bits(one.result, first)
    assert same_bits(one.run(), actgrad.elu(a))


def test_a_call_whose_fast_path_is_closed_is_cached_once() -> None:
    """Else it would drive out those that can take it."""
    torch = pytest.importorskip("torch")
    parameter, buffer = torch.nn.Parameter(torch.ones(37)), np.ones(80, np.float32)
    calls = (
        lambda: actgrad.gelu(parameter),
        lambda: actgrad.gelu(
            buffer[::2], out=buffer[1::2]
        ),  # interleaved views: apart, which only their addresses tell
    )
    with torch.no_grad():
        for call in calls:
            actgrad.gelu.forget()
            call()
            cached = actgrad.gelu._cached
            assert cached in (1, 2)  # without the extension a call that allocates has two entries
            for _ in range(20):
                call()
            assert actgrad.gelu._cached == cached


def test_results_of_calls_are_not_reused() -> None:
    first = actgrad.elu(X)
    kept = first.copy()
    second = actgrad.elu(-X)
    assert first is not second
    assert same_bits(first, kept)


def test_plans_are_compared_without_looking_at_their_arrays() -> None:
    plan, other = actgrad.elu.plan(X), actgrad.elu.plan(X)
    assert plan != other
    assert len({plan, other}) == 2


# The cache


def test_cache_tells_zeros_apart() -> None:
    x = np.float32([-1, 1])
    for alpha, sign in ((0.0, True), (-0.0, False), (0.0, True), (-0.0, False)):
        # scale * alpha * expm1(-1): the sign of zero is that of -alpha.
        assert np.signbit(actgrad.elu(x, alpha=alpha)[0]) == sign


def test_cache_knows_nan() -> None:
    x = np.float32([-1, 1])
    before = len(actgrad.elu.prepared)
    for _ in range(5):
        assert np.isnan(actgrad.elu(x, alpha=float("nan"), scale=3.25)[0])
    assert len(actgrad.elu.prepared) == before + 1
    assert actgrad.elu(x, alpha=2.0, scale=3.25)[0] == pytest.approx(-2 * 3.25 * 0.63212056)


def test_cache_tells_types_apart() -> None:
    """1, 1.0 and True are equal and mean the same as numbers, not as other things."""
    x = np.float32([-1, 1])
    for one in (1, 1.0, True, np.float32(1)):
        assert actgrad.elu(x, alpha=one)[0] == pytest.approx(-0.63212056)
    actgrad.elu_backward(x, x, is_result=True)
    actgrad.elu_backward(x, x, is_result=1)
    with pytest.raises(actgrad.InvalidDtype):
        actgrad.elu(x, alpha=1 + 0j)
    assert actgrad.elu(x, alpha=1)[0] == pytest.approx(-0.63212056)
    assert actgrad.gelu(x, approximate=0)[0] == actgrad.gelu(x, approximate="none")[0]
    with pytest.raises(actgrad.InvalidArgument):
        actgrad.gelu(x, approximate=False)
    assert actgrad.gelu(x, approximate=0)[0] == actgrad.gelu(x, approximate="none")[0]


@pytest.mark.needs("ascend")
def test_cache_tells_products_and_rules_apart() -> None:
    zero = np.zeros(3, np.float32)
    one = np.ones(3, np.float32)
    for _ in range(2):
        positive = actgrad.selu_backward(one, zero)[0]
        with actgrad.product("Ascend950"):
            assert actgrad.selu_backward(one, zero)[0] == pytest.approx(1.7580993)
        with actgrad.product("Ascend310B"), pytest.raises(actgrad.UnsupportedOnProduct):
            actgrad.selu_backward(one, zero)
        with actgrad.rules("document"), pytest.raises(actgrad.InvalidArgument):
            actgrad.selu_backward(one[0], zero[0])
        assert actgrad.selu_backward(one[0], zero[0]) == positive == pytest.approx(1.050701)


def test_cache_tells_memory_apart() -> None:
    """Shape, strides and dtype of every tensor, outputs included."""
    for x in (X, X.T, X[::-1], X[:, ::2], X.astype(np.float16), X.ravel(), X[None]):
        for dtype in (np.float32, np.float64):
            out = np.full(x.shape, np.nan, dtype)
            assert np.allclose(actgrad.elu(x, out=out), np.where(x > 0, x, np.expm1(np.minimum(x, 0))), atol=2e-3)
            assert np.isfinite(out).all()


def test_cache_tells_backends_and_optional_tensors_apart() -> None:
    grad, packed = X[:, :3].copy(), X
    assert "reference" in str(actgrad.elu.plan(X, backend="reference"))
    assert "cpu" in str(actgrad.elu.plan(X))
    marked = np.full((4, 3), 5, np.float32)
    for _ in range(2):
        recomputed = actgrad.geglu_backward(grad, packed)
        given = actgrad.geglu_backward(grad, packed, marked)
        assert np.array_equal(given[:, :3], 5 * grad)
        assert not np.array_equal(recomputed, given)


def test_cache_is_bounded() -> None:
    from actgrad.calls.call_cache import CAPACITY

    x = np.ones(3, np.float32)
    for k in range(CAPACITY + 50):
        assert actgrad.leaky_relu(-x, negative_slope=k + 1.5)[0] == -(k + 1.5)
    assert len(actgrad.leaky_relu.prepared) <= CAPACITY
    assert actgrad.leaky_relu(-x, negative_slope=1.5)[0] == -1.5


def test_arguments_that_are_equal_but_not_the_same_take_the_slow_path() -> None:
    """1.0 equals True and -0.0 equals 0, but one is no flag and the other has a sign."""
    g, x, out = np.ones(8, np.float32), np.full(8, -1, np.float32), np.empty(8, np.float32)
    for _ in range(3):
        actgrad.elu_backward(g, x, is_result=True, out=out)
    with pytest.raises(actgrad.InvalidCall, match=r"is_result is 1\.0; it must be True or False"):
        actgrad.elu_backward(g, x, is_result=1.0, out=out)
    for _ in range(3):
        actgrad.elu_backward(g, x, alpha=0, out=out)
    assert not np.signbit(out).any()
    actgrad.elu_backward(g, x, alpha=-0.0, out=out)
    assert np.signbit(out).all()


def test_a_plan_on_memory_without_an_object_computes_once() -> None:
    """The SDK's plans have views without a source; in place, a second computation would change the result."""
    x = np.linspace(-3, 3, 64, dtype=np.float32)
    expected = actgrad.selu(x)
    checked = actgrad.selu.plan(x, out=x)
    (view,) = checked.outputs
    bare = view._replace(source=None, owner=None)
    plan = actgrad.selu.plan_prepared(checked.prepared, {}, [bare], [bare])
    assert plan.run() is None
    assert x.tobytes() == expected.tobytes()
