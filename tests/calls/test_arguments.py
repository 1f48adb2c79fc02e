"""Calls that are no calls, and attributes in the kinds that a caller has them in."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import actgrad
from tests.support.bad_calls import HALF, PACKED, A, f4
from tests.support.calls import BFLOAT16

# Calls that are no calls

WRONG_CALLS: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: actgrad.elu(A, A),
        r"elu: got 2 arguments by position; it takes 1 tensor by position: self; pass alpha, ",
    ),
    (lambda: actgrad.elu(A, 1.0), "elu: got 2 arguments by position; it takes 1 tensor"),
    (lambda: actgrad.selu(A, A), "selu: got 2 arguments by position; it takes 1 tensor .*; leave the others out"),
    (lambda: actgrad.elu_backward(A, A, 1.0), "elu_backward: got 3 arguments by position; it takes 2 tensors"),
    (lambda: actgrad.elu(A, beta=1), "elu: beta is unknown; the arguments are self, alpha, scale, input_scale; "),
    (lambda: actgrad.selu(A, alpha=1), "selu: alpha is unknown; the arguments are self; leave alpha out"),
    (lambda: actgrad.elu_backward(A, A, grad_output=A), "elu_backward: grad_output is given twice"),
    (lambda: actgrad.elu(A, alpha="1"), "elu: alpha is a str; it must be a number"),
    (lambda: actgrad.elu(A, alpha=[1.0]), "elu: alpha is a list; it must be a number"),
    (lambda: actgrad.elu(A, alpha=A), "elu: alpha is an ndarray; it must be a number"),
    (lambda: actgrad.elu(A, alpha=f4()), "elu: alpha is an ndarray; it must be a number"),
    (lambda: actgrad.elu_backward(A, A, is_result=2), "elu_backward: is_result is 2; it must be True or False"),
    (lambda: actgrad.elu_backward(A, A, is_result="yes"), "elu_backward: is_result is 'yes'; it must be True or False"),
    (lambda: actgrad.elu_backward(A, A, is_result=1.0), "elu_backward: is_result is 1.0; it must be True or False"),
    (lambda: actgrad.geglu(PACKED, dim=1.0), "geglu: dim is 1.0; it must be an integer"),
    (lambda: actgrad.geglu(PACKED, dim=True), "geglu: dim is True; it must be an integer"),
    (lambda: actgrad.geglu(PACKED, dim="last"), "geglu: dim is 'last'; it must be an integer"),
    (lambda: actgrad.geglu(PACKED, dim=PACKED), "geglu: dim is an ndarray; it must be an integer"),
    (
        lambda: actgrad.geglu(PACKED, approximate=1.0),
        "geglu: approximate is 1.0; it must be an integer, 'none' or 'tanh'; ",
    ),
    (lambda: actgrad.geglu(PACKED, out=HALF), r"geglu: out is an ndarray; it must be a tuple of 2: out, out_gelu; "),
    (
        lambda: actgrad.geglu(PACKED, out=(HALF,)),
        r"geglu: out is a tuple of [13]; it must be a tuple of 2: out, out_gelu; ",
    ),
    (
        lambda: actgrad.geglu(PACKED, out=(HALF, HALF, HALF)),
        r"geglu: out is a tuple of [13]; it must be a tuple of 2: out, out_gelu; ",
    ),
    (lambda: actgrad.elu(A, out=(f4(3, 4),)), "elu: out is a tuple; it must be a NumPy array"),
    (lambda: actgrad.elu(A, out=0.0), "elu: out is a float; it must be a NumPy array"),
    (lambda: actgrad.elu(A, backend="gpu"), "elu: backend is 'gpu'; it must be 'cpu', 'reference' or 'triton'"),
    (lambda: actgrad.elu(A, backend=3), "elu: backend is 3; it must be 'cpu', 'reference' or 'triton'"),
    (lambda: actgrad.elu(A, backend=["cpu"]), "elu: backend is "),
    (lambda: actgrad.elu(A, backend=""), "elu: backend is ''; it must be "),
]


@pytest.mark.parametrize(("call", "message"), WRONG_CALLS, ids=[m[:50] for _, m in WRONG_CALLS])
def test_wrong_calls(call: Callable[[], Any], message: str) -> None:
    for _ in range(2):  # what follows must not pass for a call like these
        actgrad.elu(A)
        actgrad.elu(A, out=f4(3, 4))
        actgrad.geglu(PACKED, out=(f4(3, 4), f4(3, 4)))
    with pytest.raises(actgrad.InvalidCall, match=rf"^{message}") as caught:
        call()
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ValueError)
    assert caught.value.status == 161002


def test_backend_for_another_device() -> None:
    with pytest.raises(
        actgrad.BackendUnavailable,
        match=r"^elu: backend is 'triton', but the tensors are on cpu; this backend computes on cuda or rocm",
    ):
        actgrad.elu(A, backend="triton")


def test_tensors_by_name() -> None:
    """As the signature says."""
    x = np.linspace(-2, 2, 5, dtype=np.float32)
    assert np.array_equal(actgrad.elu(self=x), actgrad.elu(x))
    assert np.array_equal(actgrad.elu.plan(self=x).run(), actgrad.elu(x))
    assert np.array_equal(actgrad.elu_backward(x, self_or_result=x), actgrad.elu_backward(x, x))
    assert np.array_equal(actgrad.elu_backward(self_or_result=x, grad_output=2 * x), actgrad.elu_backward(2 * x, x))
    packed = np.linspace(-2, 2, 10, dtype=np.float32)
    assert np.array_equal(actgrad.geglu_backward(x, packed, gelu=None), actgrad.geglu_backward(x, packed))
    assert np.array_equal(actgrad.geglu_backward(x, gelu=x, self=packed), actgrad.geglu_backward(x, packed, x))


# Attributes in the kinds that a caller has them in

NUMBERS = [2, 2.0, np.float16(2), np.float32(2), np.float64(2), np.int8(2), np.uint64(2), BFLOAT16.type(2), Fraction(2)]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda v: type(v).__name__)
def test_kinds_of_numbers(number: Any) -> None:
    x = np.linspace(-2, 2, 9, dtype=np.float32)
    assert np.array_equal(actgrad.elu(x, alpha=number), actgrad.elu(x, alpha=2.0))


@pytest.mark.parametrize("true", [True, np.True_, 1, np.int32(1)])
def test_kinds_of_truth(true: Any) -> None:
    assert np.array_equal(actgrad.elu(A, alpha=true), actgrad.elu(A, alpha=1.0))
    expected = actgrad.elu_backward(A, -A, is_result=True)
    assert np.array_equal(actgrad.elu_backward(A, -A, is_result=true), expected)


@pytest.mark.parametrize("one", [1, np.int64(1), np.uint8(1), np.asarray(1)])
def test_kinds_of_integers(one: Any) -> None:
    x = np.linspace(-2, 2, 24, dtype=np.float32).reshape(2, 3, 4)
    for got, wanted in zip(actgrad.geglu(x, dim=one * 2), actgrad.geglu(x, dim=2), strict=True):
        assert np.array_equal(got, wanted)
    assert np.array_equal(actgrad.gelu(x, approximate=one), actgrad.gelu(x, approximate="tanh"))


def test_extreme_attributes() -> None:
    """Numbers of any size are numbers: too large for the compute dtype is infinity there."""
    x = np.float32([-1, 0, 1])
    for huge in (10**400, 1e300, np.inf):
        assert np.array_equal(actgrad.elu(x, alpha=huge), np.float32([-np.inf, np.nan, 1]), equal_nan=True)
    assert np.array_equal(actgrad.elu(x, alpha=-(10**400)), np.float32([np.inf, np.nan, 1]), equal_nan=True)
    assert np.isnan(actgrad.elu(x, alpha=np.nan)[0])
    for passing in (-0.0, np.nan, 0, False):
        actgrad.elu_backward(x, x, alpha=passing, is_result=True)
        actgrad.leaky_relu_backward(x, x, negative_slope=passing, self_is_result=True)
    for negative in (-1e-300, -5e-324):
        with pytest.raises(actgrad.InvalidArgument):
            actgrad.leaky_relu_backward(x, x, negative_slope=negative, self_is_result=True)


def test_flags_that_need_no_sign_do_not_look_at_it() -> None:
    x = np.float32([-1, 0, 1])
    assert np.isfinite(actgrad.elu_backward(x, x, alpha=-2, is_result=False)).all()
    assert np.isfinite(actgrad.elu_backward(x, x, scale=-2, input_scale=-1, is_result=True)).all()
    assert np.isfinite(actgrad.leaky_relu_backward(x, x, negative_slope=-2)).all()


def test_signatures_of_an_operator_and_of_the_class() -> None:
    assert str(inspect.signature(actgrad.leaky_relu)) == "(self, *, negative_slope=0.01, out=None, backend=None)"
    assert next(iter(inspect.signature(actgrad.Operator).parameters)) == "text"
