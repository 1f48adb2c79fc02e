"""A bias and GELU along the last dimension and others, as an author would write them, with one backward operator.

PyTorch computes the expected values in float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from ml_dtypes import bfloat16

import actgrad
import actgrad.torch
from actgrad.base.access import Along
from actgrad.base.definition import Roles
from actgrad.base.rows import RowsAlong, total
from actgrad.calls.operator import REGISTRY
from actgrad.ops.gelu import gelu_erf, gelu_erf_derivative
from tests.support.calls import Memory, same_bits, status

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")  # PyTorch's own
TOLERANCES = {np.float64: 1e-13, np.float32: 2e-6, np.float16: 2e-3, bfloat16: 1.6e-2}
POSITIONS = (-1, -2, 0, 1)


def bias_gelu_formula(x, bias):
    """gelu(x + bias)"""
    return gelu_erf(x + bias)


def bias_gelu_term(grad, x, bias):
    """grad * gelu'(x + bias)"""
    return grad * gelu_erf_derivative(x + bias)


def bias_gelu_gradient(grad, x, bias, grad_bias):
    """grad * gelu'(x + bias)"""
    return bias_gelu_term(grad, x, bias)


@pytest.fixture(scope="module")
def operators() -> Iterator[dict[int, tuple[actgrad.Operator, actgrad.Operator]]]:
    """Forward and backward operators of each position."""
    made = {}
    for number, position in enumerate(POSITIONS):
        forward = actgrad.Operator(
            f"bias_gelu_{number}(Tensor x, Tensor bias) -> Tensor out",
            summary="gelu(x + bias)",
            formula=bias_gelu_formula,
            layout=Along("bias", position),
        )
        backward = actgrad.Operator(
            f"bias_gelu_{number}_backward(Tensor grad_output, Tensor x, Tensor bias)"
            " -> (Tensor grad_x, Tensor grad_bias)",
            summary="grad_x = grad_output * gelu'(x + bias) and grad_bias = sum(grad_x)",
            formula=bias_gelu_gradient,
            gradient_of=forward,
            roles=Roles(takes_gradient=True),
            layout=RowsAlong(passes=({"grad_bias": total(bias_gelu_term)},), tensor="bias", position=position),
        )
        made[position] = forward, backward
    yield made
    for pair in made.values():
        for operator in pair:
            REGISTRY.pop(operator.name, None)


def in_torch(grad: np.ndarray, x: np.ndarray, bias: np.ndarray, position: int) -> tuple[np.ndarray, ...]:
    """The result and both gradients in float64."""
    x64, bias64, grad64 = (torch.from_numpy(a.astype(np.float64)) for a in (x, bias, grad))
    x64.requires_grad_()
    bias64.requires_grad_()
    after = x.ndim - 1 - position if position >= 0 else -1 - position
    out = torch.nn.functional.gelu(x64 + bias64.reshape(-1, *(1,) * after))
    return tuple(t.detach().numpy() for t in (out, *torch.autograd.grad(out, (x64, bias64), grad64)))


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(
    ("position", "shape"),
    [
        (-1, (7,)), (-1, (5, 7)), (-1, (2, 3, 4, 9)), (-1, (300, 33)), (-1, (0, 3)),
        (-2, (6, 5)), (-2, (2, 6, 5)), (0, (7,)), (0, (4, 3)), (1, (2, 5, 3)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_one", [False, True])
@pytest.mark.share(16)
def test_values(operators: Any, position: int, shape: tuple[int, ...], dtype: Any, is_one: bool) -> None:
    forward, backward = operators[position]
    rng = np.random.default_rng(0)
    grad, x = (rng.normal(size=shape).astype(dtype) for _ in range(2))
    bias = rng.normal(size=1 if is_one else shape[position]).astype(dtype)
    expected = in_torch(grad, x, bias, position)
    limit = TOLERANCES[dtype] * max(1, np.sqrt(x.size / bias.size))
    for backend in ("cpu", "reference"):
        grad_x, grad_bias = np.full(shape, np.nan, dtype), np.full(bias.shape, np.nan, dtype)
        backward(grad, x, bias, out=(grad_x, grad_bias), backend=backend)
        for got, wanted in zip((forward(x, bias, backend=backend), grad_x, grad_bias), expected, strict=True):
            np.testing.assert_allclose(got.astype(np.float64), wanted, rtol=limit, atol=limit)


@pytest.mark.parametrize(
    ("position", "memory"),
    [(-1, Memory((2, 0, 1), (1, 1, 1))), (-1, Memory((0, 1, 2), (2, -1, 1), 4)), (-2, Memory((1, 2, 0), (1, 1, -2)))],
)
def test_layouts_and_threads(operators: Any, position: int, memory: Memory) -> None:
    rng = np.random.default_rng(1)
    grad, x = (rng.normal(size=(41, 16, 24)).astype(np.float32) for _ in range(2))
    bias = rng.normal(size=x.shape[position]).astype(np.float32)
    expected = in_torch(grad, x, bias, position)[1:]
    before, results = actgrad.get_num_threads(), []
    for threads in (1, 2, 3):
        actgrad.set_num_threads(threads)
        results.append(operators[position][1](memory.holding(grad), memory.holding(x), np.repeat(bias, 2)[::2]))
    actgrad.set_num_threads(before)
    for each in results:
        for got, first, wanted in zip(each, results[0], expected, strict=True):
            assert same_bits(got, first)
            np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-5)


def test_special_numbers(operators: Any) -> None:
    x = np.array([[np.inf, 0.0, np.nan, -np.inf], [1.0, -0.0, 1.0, 1.0]], np.float32)
    grad_x, grad_bias = operators[-1][1](np.ones_like(x), x, np.zeros(4, np.float32))
    assert np.array_equal(grad_x[0], np.array([1, 0.5, np.nan, 0], np.float32), equal_nan=True)
    assert np.array_equal(np.isnan(grad_bias), [False, False, True, False])
    assert grad_bias[1] == 1.0


@pytest.mark.share(6)
def test_pytorch(operators: Any) -> None:
    for position, shape in ((-1, (5, 4)), (-1, (4,)), (-2, (2, 4, 3))):
        forward = operators[position][0]
        x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
        bias = torch.randn(4, dtype=torch.float64, requires_grad=True)
        assert forward(x, bias).grad_fn is not None
        assert torch.autograd.gradcheck(forward, (x, bias), check_forward_ad=True)
        assert torch.autograd.gradgradcheck(forward, (x, bias))
    batch = torch.randn(3, 5, 4)
    call = getattr(torch.ops.actgrad, operators[-1][0].name)
    assert torch.equal(torch.func.vmap(call, (0, None))(batch, torch.ones(4)), call(batch, torch.ones(4)))


@pytest.mark.share(6)
@pytest.mark.needs("judge")
def test_checks(operators: Any) -> None:
    for pair in (operators[-1], operators[-2]):
        for operator in pair:
            assert status("check", operator.name, "--dtype", "float32") == 0
    forward, backward = operators[-1]
    x = np.ones((3, 4), np.float32)
    with pytest.raises(
        actgrad.InvalidArgument, match=r"bias has shape \(3,\); it must be \(4,\) or \(1,\); reshape bias"
    ):
        forward(x, x[:, 0])
    with pytest.raises(actgrad.InvalidArgument, match=r"bias has shape \(3,\); it must be \(4,\) or \(1,\)"):
        backward(x, x, x[:, 0])
    with pytest.raises(actgrad.InvalidArgument, match=r"bias has shape \(4,\); it must be \(1,\)"):
        operators[-2][0](x[0], x[0])
    assert any("as many as x has along the last dimension" in check.rule for check in forward.checks)
