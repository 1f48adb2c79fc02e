"""Statuses and values of the C functions whose outputs have fewer dimensions than their inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import aclnn, product
from tests.support.aclnn.live_calls import INVALID, NULL, OK, tensor


def first_phase(function: str, *tensors: Any) -> int:
    status, *_ = getattr(aclnn, f"{function}GetWorkspaceSize")(*tensors)
    return int(status)


def computed(function: str, *arrays: Any) -> int:
    tensors = [tensor(array)[0] for array in arrays]
    status, size, executor = getattr(aclnn, f"{function}GetWorkspaceSize")(*tensors)
    assert (status, size) == (OK, 0)
    return int(getattr(aclnn, function)(None, size, executor, None))


ENTROPY, PRELU = "aclnnSoftmaxCrossEntropyWithLogits", "aclnnPreluBackward"
F32, F16 = np.float32, np.float16
ACL = {F32: aclnn.ACL_FLOAT, F16: aclnn.ACL_FLOAT16, np.float64: aclnn.ACL_DOUBLE}


def test_cross_entropy_is_computed() -> None:
    rng = np.random.default_rng(0)
    x, labels = rng.standard_normal((5, 9)).astype(F32), rng.random((5, 9)).astype(F32)
    loss, backprop = np.full(5, np.nan, F32), np.full((5, 9), np.nan, F32)
    assert computed(ENTROPY, x, labels, loss, backprop) == OK
    powers = np.exp(x.astype(np.float64))
    share = powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(loss, -(labels * np.log(share)).sum(1), rtol=1e-6)
    np.testing.assert_allclose(backprop, share - labels, atol=1e-6)


def rows(dtype: Any = F32, *shape: int) -> Any:
    return tensor(np.ones(shape or (5, 9), dtype), ACL[dtype])[0]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((rows(), rows(), rows(F32, 5), rows()), OK),
        ((None, rows(), rows(F32, 5), rows()), NULL),
        ((rows(), None, rows(F32, 5), rows()), NULL),
        ((rows(), rows(), None, rows()), NULL),
        ((rows(), rows(), rows(F32, 5), None), NULL),
        ((rows(), rows(), rows(F16, 5), rows()), INVALID),
        ((rows(), rows(), rows(F32, 5), rows(F16)), INVALID),
        ((rows(np.float64), rows(), rows(F32, 5), rows()), INVALID),
        ((rows(F32, 5), rows(F32, 5), rows(F32, 5), rows(F32, 5)), INVALID),
        ((rows(F32, 0, 9), rows(F32, 0, 9), rows(F32, 0), rows(F32, 0, 9)), OK),
        ((rows(), rows(), rows(F32, 5, 1), rows(F32, 45)), OK),  # as large, in a row
        ((rows(), rows(), rows(F32, 1), rows()), INVALID),
        ((rows(), rows(), rows(F32, 7), rows()), INVALID),
        ((rows(), rows(), rows(F32, 0), rows()), INVALID),
    ],
)
def test_statuses_of_cross_entropy(given: tuple[Any, ...], wanted: int) -> None:
    assert first_phase(ENTROPY, *given) == wanted


def test_the_loss_stays_within_its_view() -> None:
    features, memory = np.ones((6, 3), F32), np.full(16, 9, F32)
    with pytest.raises(
        actgrad.InvalidArgument, match=r"loss has shape \(2,\); it must be \(6,\), the shape of the result"
    ):
        actgrad.softmax_cross_entropy_with_logits(features, features, out=(memory[4:6], np.empty((6, 3), F32)))
    assert (memory == 9).all()


@pytest.mark.parametrize("function", ["aclnnSoftmaxBackward", "aclnnLogSoftmaxBackward"])
def test_a_softmax_gradient_of_one_empty_tensor_does_nothing(function: str) -> None:
    """On Ascend950 the shapes are compared first."""
    for shapes in (((0,), (2,)), ((2,), (0,))):
        out = np.full(2, 7, F32)
        tensors = *(tensor(np.ones(shape, F32))[0] for shape in shapes), 0, tensor(out)[0]
        assert first_phase(function, *tensors) == OK
        with product("Ascend950"):
            assert first_phase(function, *tensors) == INVALID
        assert (out == 7).all()


@pytest.mark.parametrize("function", ["aclnnSoftmaxBackward", "aclnnLogSoftmaxBackward"])
def test_a_softmax_gradient_as_complex_numbers(function: str) -> None:
    rng = np.random.default_rng(2)
    g, y = (rng.standard_normal((2, 5)).astype(F32) for _ in range(2))
    real, wide = np.empty((2, 5), F32), np.full((2, 5), np.nan, np.complex64)
    assert computed_along(function, g, y, real) == computed_along(function, g, y, wide) == OK
    np.testing.assert_allclose(wide, real, rtol=1e-6)
    for dtype in (np.int32, np.uint8, np.bool_):
        assert first_phase(function, g, y, 1, real.astype(dtype)) == INVALID


def computed_along(function: str, g: Any, y: Any, out: Any) -> int:
    status, size, executor = getattr(aclnn, f"{function}GetWorkspaceSize")(g, y, 1, out)
    assert (status, size) == (OK, 0)
    return int(getattr(aclnn, function)(None, size, executor, None))


def test_the_weights_gradient_of_a_row_of_weights() -> None:
    """It has one dimension where there are several weights, also along strides."""
    rng = np.random.default_rng(3)
    g, x = (rng.standard_normal((2, 4)).astype(F32) for _ in range(2))
    weight, memory = np.array([[0.1, 0.2, 0.3, 0.4]], F32), np.full(8, 9, F32)
    status, _, executor = aclnn.aclnnPreluBackwardGetWorkspaceSize(g, x, weight, np.empty_like(x), memory[::2])
    assert (status, aclnn.aclnnPreluBackward(None, 0, executor, None)) == (OK, OK)
    np.testing.assert_allclose(memory[::2], np.where(x > 0, 0, x * g).sum(0), rtol=1e-5)
    assert (memory[1::2] == 9).all()
    assert first_phase(PRELU, *[tensor(a)[0] for a in (g, x, weight, x.copy(), np.empty((1, 4), F32))]) == INVALID


def test_the_gradients_of_prelu_are_computed() -> None:
    rng = np.random.default_rng(1)
    g, x = (rng.standard_normal((4, 3, 5)).astype(F32) for _ in range(2))
    for weight in (np.array([0.25, -0.5, 2], F32), np.array([0.25], F32)):
        by_x, by_weight = np.full_like(x, np.nan), np.full_like(weight, np.nan)
        assert computed(PRELU, g, x, weight, by_x, by_weight) == OK
        np.testing.assert_allclose(by_x, np.where(x > 0, g, g * weight[:, None]), rtol=1e-6)
        each = np.where(x > 0, 0, x * g)
        np.testing.assert_allclose(by_weight, each.sum((0, 2)) if len(weight) > 1 else [each.sum()], rtol=1e-5)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((rows(), rows(), rows(F32, 9), rows(), rows(F32, 9)), OK),
        ((rows(), rows(), rows(F32, 1), rows(), rows(F32, 1)), OK),
        ((rows(F32, 1, 9), rows(), rows(F32, 9), rows(), rows(F32, 9)), OK),
        ((rows(), rows(), None, rows(), rows(F32, 9)), NULL),
        ((rows(), rows(), rows(F32, 9), rows(), None), NULL),
        ((rows(F16), rows(), rows(F32, 9), rows(), rows(F32, 9)), INVALID),
        ((rows(), rows(), rows(F16, 9), rows(), rows(F32, 9)), INVALID),
        ((rows(), rows(), rows(F32, 9), rows(), rows(F16, 9)), INVALID),
        ((rows(), rows(), rows(F32, 5), rows(), rows(F32, 5)), INVALID),
        ((rows(), rows(), rows(F32, 9), rows(), rows(F32, 1)), INVALID),
        ((rows(), rows(), rows(F32, 9), rows(F32, 9, 5), rows(F32, 9)), INVALID),
        ((rows(F32, 2, 9), rows(), rows(F32, 9), rows(), rows(F32, 9)), INVALID),
    ],
)
def test_statuses_of_prelus_gradient(given: tuple[Any, ...], wanted: int) -> None:
    assert first_phase(PRELU, *given) == wanted


def test_the_source_has_the_gradient_of_prelu_on_every_product() -> None:
    given = (rows(), rows(), rows(F32, 9), rows(), rows(F32, 9))
    with product("Ascend310P"):
        assert first_phase(PRELU, *given) == OK
