"""Operators whose elements see their rows: values, layouts, threads, and an operator that is added in a few lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import actgrad
from actgrad import backends, samples
from actgrad.judge import golden
from tests.support.row_operators import OPERATORS, ULPS, softmin, tensors
from tests.support.surroundings import on_small_stack

pytestmark = pytest.mark.share(12)

DTYPES = {"float32": np.float32, "float64": np.float64, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


def attributes(operator: Any, dim: int) -> dict[str, int]:
    """The dimension of rows, for an operator that is told it."""
    return {operator.access.dimension_attribute: dim} if operator.access.dimension_attribute else {}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)
def test_rows_of_every_length(operator: Any, dtype: str) -> None:
    rng = np.random.default_rng(1)
    for size in (1, 2, 15, 16, 17, 33, 64, 1000, 8191, 8193):
        for scale in (1, 30):
            given = tensors(operator, (3, size), DTYPES[dtype], rng, scale)
            wanted = golden.expected(operator, tuple(given), dict(operator.defaults))
            outputs = tuple(np.full(e.values.shape, np.nan, DTYPES[dtype]) for e in wanted)
            operator(*given, out=outputs if len(outputs) > 1 else outputs[0])
            for got, exact in zip(outputs, wanted, strict=True):
                assert not exact.faults(got, ULPS[dtype], 4).any(), (size, scale)


@pytest.mark.parametrize("size", [100_000, 1_000_000])
def test_long_rows_are_as_exact(size: int) -> None:
    rng = np.random.default_rng(2)
    x = (4 * rng.standard_normal((1, size))).astype(np.float32)
    for operator in (actgrad.softmax, actgrad.log_softmax):
        (wanted,) = golden.expected(operator, (x,), {})
        assert np.nanmax(wanted.errors(operator(x))) <= 4


def test_a_rounded_difference_would_lose_digits() -> None:
    """Elements far apart, whose difference float32 rounds; and a largest one that alone has nearly all of the sum."""
    rng = np.random.default_rng(3)
    x = (rng.uniform(-1, 1, (64, 33)) * 90 + rng.uniform(-4e3, 4e3, (64, 1))).astype(np.float32)
    (wanted,) = golden.expected(actgrad.softmax, (x,), {})
    assert np.nanmax(wanted.errors(actgrad.softmax(x))) <= 4
    x = np.stack([np.zeros(100), np.linspace(-80, -1, 100)], axis=1).astype(np.float32)
    (wanted,) = golden.expected(actgrad.log_softmax, (x,), {})
    assert (wanted.values[:, 0] > -1e-8).any()
    assert np.nanmax(wanted.errors(actgrad.log_softmax(x))) <= 4


def layouts(array: np.ndarray[Any, Any]) -> Iterator[np.ndarray[Any, Any]]:
    """The same numbers in other layouts: each dimension contiguous in turn, strided, backwards, unaligned, expanded."""
    for dim in range(array.ndim):
        yield np.moveaxis(np.ascontiguousarray(np.moveaxis(array, dim, -1)), -1, dim)
    wide = np.zeros((*array.shape[:-1], 3 * array.shape[-1]), array.dtype)
    wide[..., ::3] = array
    yield wide[..., ::3]
    turned = (slice(None, None, -1),) * array.ndim
    yield np.ascontiguousarray(array[turned])[turned]
    memory = np.zeros(array.nbytes + 64, np.uint8)[array.itemsize :][: array.nbytes].view(array.dtype)
    memory[:] = array.ravel()
    yield memory.reshape(array.shape)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)
def test_every_layout_has_the_same_bits(operator: Any, dtype: str) -> None:
    rng = np.random.default_rng(4)
    for shape in ((5, 70, 19), (2, 3, 130), (70, 18)):
        if operator.name == "softmax_cross_entropy_with_logits" and len(shape) > 2:
            continue
        for dim in range(len(shape)) if operator.access.dimension_attribute else (-1,):
            given = tensors(operator, shape, DTYPES[dtype], rng)
            own = attributes(operator, dim)
            first = samples.as_tuple(operator(*given, **own))
            places = [list(layouts(array)) for array in given]
            for k in range(max(map(len, places))):
                placed = [some[k % len(some)] for some in places]
                outputs = tuple(list(layouts(np.full_like(array, 77)))[(k // 2) % array.ndim] for array in first)
                operator(*placed, out=outputs if len(outputs) > 1 else outputs[0], **own)
                for got, wanted in zip(outputs, first, strict=True):
                    assert np.ascontiguousarray(got).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)
def test_any_number_of_threads_has_the_same_bits(operator: Any) -> None:
    rng = np.random.default_rng(5)
    given = tensors(operator, (300, 515), np.float32, rng)
    results = []
    try:
        for threads in (1, 2, 3, 7):
            backends.set_num_threads(threads)
            results.append([array.tobytes() for array in samples.as_tuple(operator(*given))])
    finally:
        backends.set_num_threads(0)
    assert all(result == results[0] for result in results)


def test_a_result_may_overwrite_its_input() -> None:
    rng = np.random.default_rng(6)
    for shape, dim in (((40, 9000), 1), ((40, 33), 0), ((3, 7), 1)):
        x = rng.standard_normal(shape).astype(np.float32)
        for operator in (actgrad.softmax, actgrad.log_softmax):
            wanted, place = operator(x, dim=dim), x.copy()
            operator(place, dim=dim, out=place)
            np.testing.assert_array_equal(place, wanted)


SPECIAL = [0.0, -0.0, 1.5, -2.0, 88.0, -1e30, 3e38, -3e38, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_infinities_and_nan_are_pytorchs(name: str, backend: str) -> None:
    torch = pytest.importorskip("torch")
    rows = np.stack([a.ravel() for a in np.meshgrid(SPECIAL, SPECIAL, SPECIAL)], axis=1).astype(np.float32)
    wanted = getattr(torch, name)(torch.tensor(rows).double(), -1).numpy()
    for x, axis in ((rows, 1), (np.ascontiguousarray(rows.T), 0)):
        with np.errstate(all="ignore"):
            got = getattr(actgrad, name)(x, dim=axis, backend=backend)
        got = got if axis else got.T
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(got, wanted.astype(np.float32), rtol=1e-6, atol=1e-37)


def test_empty_rows_and_no_rows() -> None:
    assert actgrad.softmax(np.zeros((3, 0), np.float32)).shape == (3, 0)
    loss, backprop = actgrad.softmax_cross_entropy_with_logits(*[np.zeros((3, 0), np.float32)] * 2)
    np.testing.assert_array_equal(loss, np.zeros(3))
    assert backprop.shape == (3, 0)
    assert actgrad.softmax(np.zeros((0, 3), np.float32), dim=0).shape == (0, 3)
    assert actgrad.softmax(np.float32(7)) == 1
    slopes = actgrad.prelu_backward(*[np.zeros((0, 3, 2), np.float32)] * 2, np.ones(3, np.float32))[1]
    np.testing.assert_array_equal(slopes, np.zeros(3))


def test_dimensions_that_there_are_not() -> None:
    with pytest.raises(
        actgrad.InvalidArgument, match=r"softmax: dim is 2, but self has shape .*; it must lie in \[-2, 1\]"
    ):
        actgrad.softmax(np.zeros((2, 2), np.float32), dim=2)
    with pytest.raises(
        actgrad.InvalidArgument, match=r"log_softmax: dim is -2, but self has shape .*; it must lie in \[-1, 0\]"
    ):
        actgrad.log_softmax(np.float32(1), dim=-2)


@pytest.mark.needs("torch")
@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_a_further_operator_works_everywhere() -> None:
    """tests/cpu/test_rows_elsewhere.py has Triton."""
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(7).standard_normal((6, 40)).astype(np.float32)
    with softmin() as operator:
        for dim in (0, 1):
            wanted = torch.nn.functional.softmin(torch.tensor(x).double(), dim).numpy()
            for backend in ("cpu", "reference"):
                np.testing.assert_allclose(operator(x, dim=dim, backend=backend), wanted, rtol=1e-6)
        import actgrad.torch  # noqa: F401

        function = torch.ops.actgrad.softmin_of_tests
        t = torch.tensor(x[:3, :5], dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(function, t, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(function, t)
        assert torch.equal(torch.vmap(function)(t), function(t))


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.name)
def test_rows_need_little_stack(operator: Any) -> None:
    rng = np.random.default_rng(8)
    for dtype in (np.float32, np.float16, np.float64):
        for shape in ((300, 40), (3, 5000), (1, 20_000)):
            for dim in (0, 1) if operator.access.dimension_attribute else (-1,):
                given = tensors(operator, shape, dtype, rng)
                wanted = samples.as_tuple(operator(*given, **attributes(operator, dim)))
                own = None if "loss" in operator.schema.outputs else np.float32  # computed in float64, kept in float32
                outputs = tuple(np.empty_like(array, own) for array in wanted)
                out = outputs if len(outputs) > 1 else outputs[0]
                on_small_stack(partial(operator, *given, out=out, **attributes(operator, dim)))
