"""Automatic gradients of formulas in which two tensors compete, where the tensors are equal: as PyTorch's own."""

from __future__ import annotations

import math
from typing import Any

import pytest

from actgrad.base.xp import maximum, minimum
from actgrad.calls.operator import Operator

torch = pytest.importorskip("torch")


def larger_of_products(x, y, beta):  # type: ignore[no-untyped-def]  # a formula
    """max(x, y) * min(x * y, beta * x)"""
    return maximum(x, y) * minimum(x * y, beta * x)


@pytest.fixture
def operator(registry_as_before: None) -> Operator:
    return Operator(
        "larger_of_products(Tensor self, Tensor other, Scalar beta) -> Tensor out",
        summary="max(x, y) * min(x * y, beta * x)",
        formula=larger_of_products,
    )


def test_equal_tensors_share_the_gradient(operator: Operator) -> None:
    import actgrad.torch  # noqa: F401  # for torch.ops

    numbers = [-math.inf, -2.0, -1.3, -0.0, 0.0, 1.3, 2.0, math.nan]
    pairs: list[Any] = [torch.tensor(numbers, dtype=torch.float64)[:, None].expand(8, 8).clone().requires_grad_()]
    pairs.append(pairs[0].detach().t().clone().requires_grad_())
    ours = torch.ops.actgrad.larger_of_products(*pairs, 1.3)
    x, y = pairs
    theirs = torch.maximum(x, y) * torch.minimum(x * y, 1.3 * x)
    torch.testing.assert_close(ours, theirs, equal_nan=True)
    found = [torch.autograd.grad(result.sum(), pairs) for result in (ours, theirs)]
    for mine, expected in zip(*found, strict=True):
        finite = torch.isfinite(x) & torch.isfinite(y)  # an infinite factor times a slope of 0 is NaN
        torch.testing.assert_close(mine[finite], expected[finite])
        assert (mine[finite] != 0).any()
