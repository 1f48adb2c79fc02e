"""Access: halves of a packed tensor, interleaved halves, a tensor along a dimension; on both backends of the CPU."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.base.access import Along, Elementwise, Halves, join, split
from actgrad.base.xp import abs, exp, where
from actgrad.calls.operator import REGISTRY
from actgrad.checks.dtype_rules import equal, supported
from actgrad.checks.shape_rules import along


def logistic(x):
    e = exp(-abs(x))
    return where(x > 0, 1.0 / (1.0 + e), e / (1.0 + e))


def swiglu_formula(active, other):
    """active * sigmoid(active) * other"""
    return active * logistic(active) * other


def swiglu_derivatives(active, other):
    """By the active half, and by the other one."""
    s = logistic(active)
    return s * (1.0 + active * (1.0 - s)) * other, active * s


def prelu_formula(x, weight):
    """x where x > 0, else weight * x"""
    return where(x > 0, x, weight * x)


@pytest.fixture(scope="module", autouse=True)
def operators() -> Iterator[None]:
    before = dict(REGISTRY)
    reads = Halves(("x",), active="is_lower", interleaved="interleaved")
    flags = "int dim=-1, bool is_lower=False, bool interleaved=False"
    actgrad.Operator(
        f"access_swiglu(Tensor x, {flags}) -> Tensor out", summary="SwiGLU.", formula=swiglu_formula, layout=reads
    )
    actgrad.Operator(
        f"access_swiglu_backward(Tensor grad_output, Tensor x, {flags}) -> Tensor grad_x", summary="Its gradient.",
        formula=swiglu_derivatives, gradient_of=REGISTRY["access_swiglu"],
    )  # fmt: skip
    actgrad.Operator(
        "access_axis(Tensor x, int axis=-1) -> Tensor out", summary="SwiGLU along an axis.", formula=swiglu_formula,
        layout=Halves(("x",), active="lower", dim="axis"),
    )  # fmt: skip
    actgrad.Operator(
        "access_prelu(Tensor self, Tensor weight) -> Tensor out", summary="PReLU.", formula=prelu_formula,
        layout=Along("weight", 1),
        preconditions=(supported("self"), equal("weight", to="self"), along("weight", to="self")),
    )  # fmt: skip
    yield
    for name in REGISTRY.keys() - before.keys():
        del REGISTRY[name]


def halves(x: np.ndarray, dim: int, is_lower: bool, interleaved: bool) -> tuple[Any, Any]:
    """The active half and the other."""
    moved = np.moveaxis(x, dim, -1)
    parts = (moved[..., ::2], moved[..., 1::2]) if interleaved else np.split(moved, 2, -1)
    active, other = parts if is_lower else parts[::-1]
    return np.moveaxis(active, -1, dim), np.moveaxis(other, -1, dim)


CASES = list(itertools.product((0, 1, -1), (False, True), (False, True)))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize(("dim", "is_lower", "interleaved"), CASES)
def test_halves(dim: int, is_lower: bool, interleaved: bool, backend: str) -> None:
    rng = np.random.default_rng(1)
    for x in (rng.standard_normal((6, 8, 34)), np.asfortranarray(rng.standard_normal((6, 8, 34)))[::-1]):
        flags = {"dim": dim, "is_lower": is_lower, "interleaved": interleaved}
        active, other = halves(x, dim, is_lower, interleaved)
        sigmoid = 1 / (1 + np.exp(-active))
        out = REGISTRY["access_swiglu"](x, backend=backend, **flags)
        np.testing.assert_allclose(out, active * sigmoid * other, rtol=1e-12)
        g = rng.standard_normal(active.shape)
        grad = REGISTRY["access_swiglu_backward"](g, x, backend=backend, **flags)
        by_active, by_other = halves(grad, dim, is_lower, interleaved)
        np.testing.assert_allclose(by_active, g * other * sigmoid * (1 + active * (1 - sigmoid)), rtol=1e-11)
        np.testing.assert_allclose(by_other, g * active * sigmoid, rtol=1e-11)


def test_an_attribute_of_another_name_numbers_the_dimension() -> None:
    x = np.arange(24.0).reshape(4, 6)
    operator, plain = REGISTRY["access_axis"], REGISTRY["access_swiglu"]
    for dim in (0, 1, -1, -2):
        np.testing.assert_array_equal(operator(x, axis=dim), plain(x, dim=dim, is_lower=True))
    with pytest.raises(
        actgrad.InvalidArgument, match=r"^access_axis: axis is 2, but x has shape \(.*\); it must lie in \[-2, 1\]"
    ):
        operator(x, axis=2)
    with pytest.raises(actgrad.InvalidArgument, match=r"^access_axis: x has odd size 3 in dimension 0"):
        operator(x[:3], axis=0)


@pytest.mark.parametrize(("dim", "is_lower", "interleaved"), CASES)
def test_parts_are_split_and_joined(dim: int, is_lower: bool, interleaved: bool) -> None:
    access = Halves(("x",), active="lower" if is_lower else "upper", interleaved=interleaved)
    x = np.arange(6 * 8 * 4).reshape(6, 8, 4)
    parts = split(access, "x", x, {"dim": dim})
    for part, expected in zip(parts, halves(x, dim, is_lower, interleaved), strict=True):
        assert np.array_equal(part, expected)
        assert np.shares_memory(part, x)
    assert np.array_equal(join(access, "x", parts, {"dim": dim}, np.concatenate), x)
    (whole,) = split(access, "y", x, {"dim": dim})
    assert whole is x


@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (3, 4, 5), (2, 4, 3, 5)])
def test_along_a_dimension(shape: tuple[int, ...]) -> None:
    access, weight = Along("weight", 1), np.arange(4.0) if len(shape) > 1 else np.ones(1)
    (view,) = split(access, "weight", weight, {}, len(shape))
    expected = weight.reshape(-1, *(1,) * (len(shape) - 2)) if len(shape) > 1 else weight.reshape(shape and (1,))
    assert view.shape == expected.shape
    assert np.shares_memory(view, weight)
    assert Elementwise().aligned("weight", (4,), 3) == (4,)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_slope_for_each_channel(backend: str) -> None:
    rng = np.random.default_rng(2)
    for shape in ((5,), (3, 40), (3, 4, 50), (2, 33, 3, 5)):
        x, channels = rng.standard_normal(shape).astype(np.float32), shape[1] if len(shape) > 1 else 1
        for weight in (rng.standard_normal(channels).astype(np.float32), np.float32([0.25])):
            slope = weight.reshape(-1, *(1,) * (len(shape) - 2)) if weight.size > 1 else weight
            expected = np.where(x > 0, x, slope * x)
            for view in (x, np.asfortranarray(x), np.repeat(x, 2, 0)[::2]):
                assert np.array_equal(REGISTRY["access_prelu"](view, weight, backend=backend), expected)


def test_a_slope_of_the_wrong_size() -> None:
    x = np.ones((2, 3, 4), np.float32)
    for weight in (np.ones(4, np.float32), np.ones((2, 2), np.float32), np.ones(0, np.float32)):
        with pytest.raises(actgrad.InvalidArgument, match=r"weight has shape .*; it must be \(3,\) or \(1,\)"):
            REGISTRY["access_prelu"](x, weight)


def test_slopes_of_any_shape() -> None:
    x = np.random.default_rng(3).standard_normal((2, 6, 5)).astype(np.float32)
    slopes = np.linspace(-1, 2, 6, dtype=np.float32)
    wanted = REGISTRY["access_prelu"](x, slopes)
    wide = np.zeros((6, 2), np.float32)
    wide[:, 0] = slopes
    for weight in (slopes.reshape(2, 3), slopes.reshape(6, 1, 1), slopes.reshape(1, 6, 1), wide[:, :1]):
        np.testing.assert_array_equal(REGISTRY["access_prelu"](x, weight), wanted)
    for one in (np.float32(0.5), np.full((1, 1), 0.5, np.float32)):
        np.testing.assert_array_equal(REGISTRY["access_prelu"](x, one), np.where(x > 0, x, 0.5 * x))
    turned = np.asfortranarray(slopes.reshape(2, 3))
    np.testing.assert_array_equal(REGISTRY["access_prelu"](x, turned), wanted)


def test_a_row_has_a_number_of_every_tensor_for_each_element() -> None:
    assert Elementwise().row(6) == Halves(("x",)).row(6) == (6,)
    for position, shape in ((0, (6,)), (1, (1, 6)), (2, (1, 1, 6)), (-1, (6,)), (-2, (6, 1))):
        access = Along("weight", position)
        assert access.row(6) == shape
        assert access.whole_shape("weight", shape, {}) == (6,)
