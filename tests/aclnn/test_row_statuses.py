"""Statuses and values of the C functions whose outputs have fewer dimensions than their inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

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
    ],
)
def test_statuses_of_cross_entropy(given: tuple[Any, ...], wanted: int) -> None:
    assert first_phase(ENTROPY, *given) == wanted


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
