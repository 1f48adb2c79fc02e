"""A call that passes phase one here computes. Some numbers in tensors can be judged in phase two only."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
import torch

import actgrad
from actgrad.ascend.sdk import clients
from actgrad.ascend.sdk.glue.entry import mean
from actgrad.ascend.sdk.glue.rules import RULES
from actgrad.ascend.sdk.glue.work import Work
from actgrad.base.errors import InvalidArgument
from tests.support.glue_calls import ROWS, S, T, right_call, status, value_of
from tests.support.wrong_calls import variations

#: Calls that phase two refuses because of the numbers in tensors, which are 0.
BY_NUMBERS = {
    "InplaceScatter": "selfRef: shape",
    "InplaceScatterValue": "selfRef: shape",
    "Index": ".*dtype bool",
    "IndexPutImpl": ".*dtype bool|a mask",
    "Bincount": "minlength",
    "RepeatInterleave": "",
    "RepeatInterleaveWithDim": "",
    "RepeatInterleaveTensor": "",
    "UniqueDim": r"self: shape \(2, 10|valueOut: shape|countsOut: shape",  # how much is unique
}


def refusal(name: str, call: dict[str, Any]) -> str:
    """The text of phase two's refusal, "" where it computes or where phase one refuses."""
    function = clients.glue()[f"aclnn{name}"]
    if status(name, call):
        return ""
    arguments = [value_of(call[parameter.name]) for parameter in function.arguments]
    try:
        Work(f"aclnn{name}", function.rule, function.arguments, arguments).run(0)
    except (InvalidArgument, ValueError) as error:
        return str(error)
    return ""


@pytest.mark.share(8)
@pytest.mark.parametrize("name", ROWS)
def test_what_passes_computes(name: str) -> None:
    with actgrad.product("Ascend910B"):
        refusals = {what: text for what, call in variations(name) if (text := refusal(name, call))}
    assert not [what for what in refusals if not re.match(BY_NUMBERS.get(name, "(?!)"), what)]
    assert all(text.count("; ") >= 2 for text in refusals.values())  # what was given; what is expected; what to do


@pytest.mark.parametrize("correction", [0, 1, 6, 7])
@pytest.mark.parametrize("dims", [(), (0,), (-1,), (0, 1)])
def test_variance(dims: tuple[int, ...], correction: int) -> None:
    """Too few elements give Inf, or NaN where all are equal, without NumPy's warning."""
    a = torch.tensor([[1.0, 2, 4], [3, 3, 3]])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", UserWarning)  # PyTorch's own
        expected = torch.var(a, dims or None, correction=correction, keepdim=True)
        result = RULES["var"].compute(a.numpy(), dims, correction, True)
        np.testing.assert_allclose(result, expected, rtol=1e-6)
        np.testing.assert_allclose(RULES["std"].compute(a.numpy(), dims, correction, True), expected.sqrt(), rtol=1e-6)


def test_mean_of_nothing() -> None:
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(mean(np.zeros((2, 0), np.float32), -1), torch.zeros(2, 0).mean(-1))


def test_negative_powers_of_integers() -> None:
    a = torch.tensor([-3, -2, -1, 0, 1, 2, 3])[:, None]
    b = torch.tensor([-3, -2, -1, 0, 1, 2, 3])
    is_defined = (a != 0) | (b >= 0)
    result = RULES["pow"].compute(a.numpy(), b.numpy())
    np.testing.assert_array_equal(result[is_defined], torch.pow(a, b)[is_defined])
    assert not result[~is_defined].any()  # as CANN's kernel for INT64


@pytest.mark.parametrize("alpha", [False, True])
def test_difference_of_booleans(alpha: bool) -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    np.testing.assert_array_equal(RULES["sub"].compute(a, b, np.asarray(alpha)), (a - alpha * b.astype(int)) != 0)


def test_duplicate_dimensions() -> None:
    a = np.array([[True, False], [False, False]])
    np.testing.assert_array_equal(RULES["any"].compute(a, (1, -1), False), [True, False])


@pytest.mark.parametrize("value", [0.0, 3.0, [0.0, 2.0], [[0.0, 2.0], [3.0, 0.0]]])
def test_nonzero(value: Any) -> None:
    """A number has no coordinates."""
    np.testing.assert_array_equal(RULES["nonzero"].compute(np.asarray(value)), torch.tensor(value).nonzero())


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_ends_of_betas(beta: float) -> None:
    """A step computes, with Inf or NaN where beta is 1."""
    a = np.ones(2, np.float32)
    with np.errstate(all="ignore"):
        result, *_ = RULES["adam_w"].compute(a, a, a, None, a, a[:1], 0.1, beta, beta, 0.0, 1e-8, False, False)
    np.testing.assert_array_equal(np.isfinite(result), beta == 0)


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn"])
@pytest.mark.parametrize("kind", [S, T])
def test_floats_of_8_bits_compute_or_are_refused(kind: type, dtype: str) -> None:
    """One argument at a time. An internal error would be a KeyError here, and 561000 in C."""
    for name in ROWS:
        call = right_call(name)
        for argument, value in call.items():
            if isinstance(value, kind):
                text = refusal(name, {**call, argument: value._replace(dtype=dtype)})
                assert not text or text.count("; ") >= 2, (name, argument, text)
