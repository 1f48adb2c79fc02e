"""Outputs with dtypes of their own, as an author would write them: SiLU to INT8, and ReLU with a mask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from ml_dtypes import bfloat16

import actgrad
import actgrad.torch
from actgrad.base.definition import Torch
from actgrad.base.errors import InvalidOperator
from actgrad.base.xp import sigmoid, where
from actgrad.calls.operator import REGISTRY
from actgrad.conformance.judging import judge

DTYPES = [np.float32, np.float64, np.float16, bfloat16]


def silu_int8_formula(x, scale):
    """x * sigmoid(x) / scale"""
    return x * sigmoid(x) / scale


def masked_relu_formula(x):
    """max(x, 0), and 1 if x > 0, else 0"""
    return where(x > 0, x, 0.0), where(x > 0, 1.0, 0.0)


@pytest.fixture(scope="module")
def operators() -> Iterator[dict[str, actgrad.Operator]]:
    """Both operators, registered for a while."""
    silu_int8 = actgrad.Operator(
        "silu_int8_of_tests(Tensor x, Scalar scale=0.05) -> Tensor out",
        summary="round(silu(x) / scale); out is int8",
        formula=silu_int8_formula,
        output_dtypes={"out": "int8"},
        torch=Torch("silu_int8_of_tests(scale)"),
    )
    masked_relu = actgrad.Operator(
        "masked_relu_of_tests(Tensor x) -> (Tensor out, Tensor mask)",
        summary="out = max(x, 0) and mask = 1 if x > 0, else 0; mask is uint8",
        formula=masked_relu_formula,
        output_dtypes={"mask": "uint8"},
        torch=Torch("masked_relu_of_tests"),
    )
    yield {"silu": silu_int8, "relu": masked_relu}
    for operator in (silu_int8, masked_relu):
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


@pytest.mark.parametrize(
    ("dtypes", "message"),
    [
        ({"mask": "uint8"}, "output_dtypes names 'mask'; it must be out"),
        ({"out": "int9"}, "output_dtypes has 'int9' for out"),
        ({"out": ""}, "output_dtypes has '' for out"),
        ("int8", "output_dtypes is 'int8'; it must be a mapping"),
    ],
)
def test_wrong_dtypes(dtypes: Any, message: str) -> None:
    try:
        with pytest.raises(InvalidOperator, match=message):
            actgrad.Operator(
                "wrong_of_tests(Tensor x, Scalar scale=1) -> Tensor out",
                summary="x", formula=silu_int8_formula, output_dtypes=dtypes,
            )(np.ones(3))  # fmt: skip
    finally:
        REGISTRY.pop("wrong_of_tests", None)
