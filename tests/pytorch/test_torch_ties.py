"""Automatic gradients: of tensors that compete, where they are equal; and of functions of attributes."""

from __future__ import annotations

import math
from typing import Any

import pytest

from actgrad.base.xp import erfc, exp, maximum, minimum, sqrt, tanh
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


def softness(x, beta):  # type: ignore[no-untyped-def]  # a formula
    """tanh(x * sqrt(beta)) * exp(beta) + erfc(beta) * x * x"""
    return tanh(x * sqrt(beta)) * exp(beta) + erfc(beta) * x * x


def test_functions_of_an_attribute_alone(registry_as_before: None) -> None:
    """They are numbers, and PyTorch's functions take tensors only."""
    import actgrad.torch  # noqa: F401  # for torch.ops

    Operator("softness(Tensor self, Scalar beta) -> Tensor out", summary="tanh(x * sqrt(beta)) ...", formula=softness)
    for dtype in (torch.float64, torch.float32):
        x = torch.linspace(-3, 3, 41, dtype=dtype).requires_grad_()
        roots, powers = (torch.tensor(f(1.7), dtype=dtype) for f in (math.sqrt, math.exp))
        theirs = torch.tanh(x * roots) * powers + math.erfc(1.7) * x * x
        ours = torch.ops.actgrad.softness(x, 1.7)
        torch.testing.assert_close(ours, theirs)
        for _ in range(2):
            (ours,) = torch.autograd.grad(ours.sum(), x, create_graph=True)
            (theirs,) = torch.autograd.grad(theirs.sum(), x, create_graph=True)
            torch.testing.assert_close(ours, theirs)
