"""Outputs with dtypes of their own, as an author would write them: SiLU to INT8, and ReLU with a mask.

The gradient of ReLU reads the mask in place of the input.
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
from actgrad.base.definition import Dtypes, Roles, Torch
from actgrad.base.errors import InvalidOperator
from actgrad.base.xp import sigmoid, where
from actgrad.calls.operator import REGISTRY
from actgrad.judge.judging import judge
from actgrad.torch.derivatives import saving
from tests.support.calls import status

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")  # PyTorch's own
DTYPES = [np.float32, np.float64, np.float16, bfloat16]


def silu_int8_formula(x, scale):
    """x * sigmoid(x) / scale"""
    return x * sigmoid(x) / scale


def masked_relu_formula(x):
    """max(x, 0), and 1 if x > 0, else 0"""
    return where(x > 0, x, 0.0), where(x > 0, 1.0, 0.0)


def masked_relu_gradient(grad, mask):
    """grad if mask > 0, else 0"""
    return where(mask > 0, grad, 0.0)


def scaled_formula(x, y):
    """x * y, 1 if x > 0, else 0, and x + y"""
    return x * y, where(x > 0, 1.0, 0.0), x + y


def scaled_gradient(grad, y, mask):
    """The gradients of x * y if x > 0, else 0, by a formula that reads the mask (so the gradient of y is wrong)"""
    return where(mask > 0, grad * y, 0.0), 0.0 * grad


@pytest.fixture(scope="module")
def operators() -> Iterator[dict[str, actgrad.Operator]]:
    """Both operators, registered for a while."""
    silu_int8 = actgrad.Operator(
        "silu_int8_of_tests(Tensor x, Scalar scale=0.05) -> Tensor out",
        summary="round(silu(x) / scale); out is int8",
        formula=silu_int8_formula,
        dtypes=Dtypes(outputs={"out": "int8"}),
        torch=Torch("silu_int8_of_tests(scale)"),
    )
    masked_relu = actgrad.Operator(
        "masked_relu_of_tests(Tensor x) -> (Tensor out, Tensor mask)",
        summary="out = max(x, 0) and mask = 1 if x > 0, else 0; mask is uint8",
        formula=masked_relu_formula,
        dtypes=Dtypes(outputs={"mask": "uint8"}),
        torch=Torch("masked_relu_of_tests"),
    )
    masked_relu_backward = actgrad.Operator(
        "masked_relu_of_tests_backward(Tensor grad_output, Tensor mask) -> Tensor grad_input",
        summary="grad_output if mask > 0, else 0",
        formula=masked_relu_gradient,
        gradient_of=masked_relu,
        roles=Roles(takes_gradient=True),
    )
    scaled = actgrad.Operator(
        "scaled_of_tests(Tensor x, Tensor y) -> (Tensor out, Tensor mask, Tensor total)",
        summary="out = x * y and mask = 1 if x > 0, else 0 and total = x + y",
        formula=scaled_formula,
        dtypes=Dtypes(outputs={"mask": "uint8"}),
    )
    scaled_backward = actgrad.Operator(
        "scaled_of_tests_backward(Tensor grad_output, Tensor y, Tensor mask) -> (Tensor grad_x, Tensor grad_y)",
        summary="grad_x = grad_output * y if mask > 0, else 0 and grad_y = 0",
        formula=scaled_gradient,
        gradient_of=scaled,
        roles=Roles(takes_gradient=True),
    )
    made = [silu_int8, masked_relu, masked_relu_backward, scaled, scaled_backward]
    yield {"silu": silu_int8, "relu": masked_relu, "backward": masked_relu_backward, "scaled": scaled}
    for operator in made:
        REGISTRY.pop(operator.name, None)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_values(operators: dict[str, actgrad.Operator], dtype: Any, backend: str) -> None:
    x = np.array([*np.linspace(-20, 20, 1001), np.inf, -np.inf, np.nan, -0.0]).astype(dtype)
    wide = x.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        exact = np.nan_to_num(wide / (1 + np.exp(-wide)) / 0.05)
    out = operators["silu"](x, backend=backend)
    assert out.dtype == np.int8
    assert (np.abs(out - np.clip(exact, -128, 127)) <= 0.5001).all()
    out, mask = operators["relu"](x, backend=backend)
    assert (out.dtype, mask.dtype) == (x.dtype, np.uint8)
    assert (mask == (wide > 0)).all()
    assert (out.astype(np.float64) == np.where(wide > 0, wide, 0)).all()
    assert judge(operators["relu"], {}, [x], (out, mask)).holds


def test_outputs_of_the_caller(operators: dict[str, actgrad.Operator]) -> None:
    x = np.linspace(-2, 2, 12, dtype=np.float16).reshape(3, 4)
    out, mask = np.empty((3, 4), np.float32), np.full((3, 8), 7, np.uint8)
    operators["relu"](x, out=(out, mask[:, ::2]))
    assert (mask[:, ::2] == (x > 0)).all()
    assert (mask[:, 1::2] == 7).all()
    for wrong in (np.int8, np.float32, np.bool_):
        with pytest.raises(actgrad.ActgradError, match=r"mask is .*; it must be uint8"):
            operators["relu"](x, out=(out, np.empty((3, 4), wrong)))
    with pytest.raises(actgrad.ActgradError, match="out is float32; it must be int8"):
        operators["silu"](x, out=out)


def test_pytorch(operators: dict[str, actgrad.Operator]) -> None:
    relu, silu = actgrad.torch.masked_relu_of_tests, actgrad.torch.silu_int8_of_tests
    x = torch.linspace(-2, 2, 9, requires_grad=True)
    out, mask = relu(x)
    assert (out.requires_grad, mask.requires_grad, mask.dtype) == (True, False, torch.uint8)
    (gradient,) = torch.autograd.grad(out.sum(), x)
    assert (gradient == (x > 0)).all()
    plain = x.detach()
    compiled = torch.compile(lambda t: (*relu(t), silu(t)), backend="aot_eager")(plain)
    for got, wanted in zip(compiled, (*relu(plain), silu(plain)), strict=True):
        assert torch.equal(got, wanted)
    with pytest.raises(actgrad.ActgradError, match="a tensor requires grad, but out is int8"):
        silu(x)
    with torch.no_grad():
        assert torch.equal(silu(x), silu(plain))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_gradient_reads_the_mask(operators: dict[str, actgrad.Operator], dtype: Any) -> None:
    backward = operators["backward"]
    grad = np.array([np.inf, -np.inf, np.nan, 1.5, -0.0, 3], dtype)
    mask = np.array([0, 1, 0, 1, 1, 255], np.uint8)
    expected = np.where(mask > 0, grad.astype(np.float64), 0)
    for backend in ("cpu", "reference"):
        out = np.full(6, np.nan, dtype)
        backward(grad, mask, out=out, backend=backend)
        assert np.array_equal(out.astype(np.float64), expected)
    strided = np.repeat(mask, 3)[::3]
    assert np.array_equal(backward(grad[::-1], strided[::-1]).astype(np.float64), expected[::-1])
    for wrong in (mask.astype(np.int8), mask.astype(dtype), mask > 0):
        with pytest.raises(actgrad.ActgradError, match=r"mask is .*; it must be uint8; pass mask in such a dtype"):
            backward(grad, wrong)
    with pytest.raises(actgrad.ActgradError, match=r"mask has shape \(5,\); it must be \(6,\)"):
        backward(grad, mask[1:])
    assert status("check", backward.name) == 0
    assert "Output mask of masked_relu_of_tests" in " ".join(str(backward.__doc__).split())


def test_pytorch_saves_the_mask(operators: dict[str, actgrad.Operator]) -> None:
    relu = actgrad.torch.masked_relu_of_tests
    assert [*saving.ways(operators["relu"])] == ["mask"]
    for compute in (
        lambda x: relu(x)[0],
        lambda x: operators["relu"](x)[0],
        lambda x: torch.ops.actgrad.masked_relu_of_tests(x, save="mask")[0],
    ):
        x = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
        out = compute(x)
        assert [saved.dtype for saved in out.grad_fn.saved_tensors] == [torch.uint8]
        assert torch.autograd.gradcheck(compute, x, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(compute, x)
    (gradient,) = torch.autograd.grad(out, x, torch.full_like(x, torch.inf))
    assert torch.equal(gradient, torch.where(x > 0, torch.inf, 0.0))
    compiled = torch.compile(lambda t: relu(t)[0], backend="aot_eager")(x)
    assert torch.equal(torch.autograd.grad(compiled.sum(), x)[0], (x > 0).double())
    with pytest.raises(actgrad.ActgradError, match="save is 'input'; it must be 'auto' or 'mask'"):
        torch.ops.actgrad.masked_relu_of_tests(x, save="input")


def test_further_outputs_of_floats_need_the_inputs(operators: dict[str, actgrad.Operator]) -> None:
    (way,) = saving.ways(operators["scaled"]).values()
    assert (way.saves, way.sources) == ((0, 1, 3), (0, 2, 3))
    x, y = (torch.tensor([-1.0, 2.0], requires_grad=True) for _ in range(2))
    out, _, total = operators["scaled"](x, y)
    gradients = torch.autograd.grad((out + 3 * total).sum(), (x, y))
    assert torch.equal(gradients[0], torch.tensor([3.0, 5.0]))
    assert torch.equal(gradients[1], torch.tensor([3.0, 3.0]))


@pytest.mark.parametrize(
    ("dtypes", "message"),
    [
        ({"mask": "uint8"}, "dtypes.outputs names 'mask'; it must be out"),
        ({"out": "int9"}, "dtypes.outputs has 'int9' for out"),
        ({"out": ""}, "dtypes.outputs has '' for out"),
        ("int8", "dtypes.outputs is 'int8'; it must be a mapping"),
    ],
)
def test_wrong_dtypes(dtypes: Any, message: str) -> None:
    try:
        with pytest.raises(InvalidOperator, match=message):
            actgrad.Operator(
                "wrong_of_tests(Tensor x, Scalar scale=1) -> Tensor out",
                summary="x", formula=silu_int8_formula, dtypes=Dtypes(outputs=dtypes),
            )(np.ones(3))  # fmt: skip
    finally:
        REGISTRY.pop("wrong_of_tests", None)
