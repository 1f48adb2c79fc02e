"""RMSNorm as two operators of an author, so that kernels compute both gradients: PyTorch's in float64 are expected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest
import torch

import actgrad
import actgrad.torch
from actgrad.base.access import Along
from actgrad.base.definition import Roles
from actgrad.base.rows import Rows, RowsAlong, length, once, total
from actgrad.calls.operator import REGISTRY
from actgrad.judge.judging import judge
from actgrad.torch.derivatives import derivations
from tests.support.unit_rms_formulas import (
    inverse_root,
    inverse_root_of_sums,
    normalised,
    product,
    square,
    square_of_x,
)

TOLERANCES = {torch.float64: 1e-12, torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


def share(squares, products, count, scale, eps):
    """mean(grad * x) / (mean(x * x) + eps)"""
    return scale * (scale * (products / count))


def normalised_gradient(grad, x, squares, products, count, scale, mean, eps):
    """(grad - x * mean(grad * x) / (mean(x * x) + eps)) / sqrt(mean(x * x) + eps)"""
    return (grad - x * mean) * scale


def weighted(x, weight):
    """x * weight"""
    return x * weight


def weight_term(grad, x, weight):
    """grad * x"""
    return grad * x


def weighted_gradient(grad, x, weight, grad_weight):
    """grad * weight"""
    return grad * weight


def made() -> list[actgrad.Operator]:
    """Both operators and their backward operators, registered."""
    forward = actgrad.Operator(
        "unit_rms(Tensor x, int dim=-1, Scalar eps=1e-6) -> Tensor out",
        summary="x / sqrt(mean(x * x) + eps), with the mean along dim",
        formula=normalised,
        layout=Rows(passes=({"squares": total(square)}, {"count": length()}, {"scale": once(inverse_root)})),
        requires={"eps > 0": lambda a: a["eps"] > 0},
    )
    backward = actgrad.Operator(
        "unit_rms_backward(Tensor grad_output, Tensor x, int dim=-1, Scalar eps=1e-6) -> Tensor grad_x",
        summary="(grad_output - x * mean(grad_output * x) * s * s) * s, where s = 1 / sqrt(mean(x * x) + eps)",
        formula=normalised_gradient,
        gradient_of=forward,
        roles=Roles(takes_gradient=True),
        layout=Rows(
            passes=(
                {"squares": total(square_of_x), "products": total(product)},
                {"count": length()},
                {"scale": once(inverse_root_of_sums)},
                {"mean": once(share)},
            )
        ),
        requires={"eps > 0": lambda a: a["eps"] > 0},
    )
    scaled = actgrad.Operator(
        "times_weight(Tensor x, Tensor weight) -> Tensor out",
        summary="x * weight",
        formula=weighted,
        layout=Along("weight", -1),
    )
    scaled_backward = actgrad.Operator(
        "times_weight_backward(Tensor grad_output, Tensor x, Tensor weight) -> (Tensor grad_x, Tensor grad_weight)",
        summary="grad_x = grad_output * weight and grad_weight = sum(grad_output * x) over all rows",
        formula=weighted_gradient,
        gradient_of=scaled,
        roles=Roles(takes_gradient=True),
        layout=RowsAlong(passes=({"grad_weight": total(weight_term)},), tensor="weight", position=-1),
    )
    return [forward, backward, scaled, scaled_backward]


@pytest.fixture(scope="module")
def operators() -> Iterator[list[actgrad.Operator]]:
    every = made()
    yield every
    for operator in every:
        REGISTRY.pop(operator.name, None)


def rms_norm(x: Any, weight: Any, eps: float = 1e-6) -> Any:
    """The norm of an author's module."""
    return torch.ops.actgrad.times_weight(torch.ops.actgrad.unit_rms(x, eps=eps), weight)


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("shape", [(7,), (1, 4), (3, 64), (2, 3, 17), (5, 1000)])
@pytest.mark.parametrize("eps", [1e-6, 0.5])
def test_both_gradients(
    operators: list[actgrad.Operator], dtype: torch.dtype, shape: tuple[int, ...], eps: float
) -> None:
    generator = torch.Generator().manual_seed(5)
    x, weight, grad = (
        torch.randn(size, generator=generator, dtype=torch.float64).to(dtype) for size in (shape, shape[-1:], shape)
    )
    exact = [t.double().requires_grad_() for t in (x, weight)]
    wanted = exact[0] * (exact[0].square().mean(-1, keepdim=True) + eps).rsqrt() * exact[1]
    gradients = torch.autograd.grad(wanted, exact, grad.double())
    given = [t.clone().requires_grad_() for t in (x, weight)]
    with mock.patch.object(derivations, "vector_jacobian", side_effect=AssertionError("by the formula")):
        out = rms_norm(*given, eps)
        found = torch.autograd.grad(out, given, grad)
    for one, other in zip((out, *found), (wanted, *gradients), strict=True):
        assert one.dtype == dtype
        size = other.detach().abs().max()
        torch.testing.assert_close(one.double(), other, rtol=TOLERANCES[dtype], atol=float(TOLERANCES[dtype] * size))


def test_second_derivatives_and_check(operators: list[actgrad.Operator]) -> None:
    x, weight = (torch.randn(size, dtype=torch.float64, requires_grad=True) for size in ((3, 5), (5,)))
    assert torch.autograd.gradgradcheck(rms_norm, (x, weight))
    # The rows are of usual numbers, because the sum of squares of large numbers is infinite.
    numbers = np.random.default_rng(4).standard_normal((2, 5, 64)).astype(np.float32)
    for operator, inputs in ((operators[0], numbers[:1]), (operators[1], numbers)):
        assert judge(operator, {}, [*inputs], (operator(*inputs),)).holds
