"""A call that passes phase one here computes. Some numbers in tensors can be judged in phase two only."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
import torch

import actgrad
from actgrad.ascend.network.work import Work
from actgrad.ascend.sdk import declared_functions
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import InvalidArgument
from tests.ascend.sdk.test_network import call
from tests.support.network_calls import ROWS, S, T, right_call, status, value_of
from tests.support.wrong_calls import variations

#: Calls that phase two refuses because of the numbers in tensors, which are 0.
BY_NUMBERS = {
    "InplaceScatter": "selfRef: shape",
    "InplaceScatterValue": "selfRef: shape",
    "Inverse": "",
    "Index": ".*dtype bool",
    "IndexPutImpl": ".*dtype bool|a mask",
    "RepeatInterleave": "",
    "RepeatInterleaveWithDim": "",
    "RepeatInterleaveTensor": "",
    **dict.fromkeys(("Unique", "Unique2", "UniqueConsecutive"), "(self|valueOut|countsOut|inverseOut): shape"),
    "UniqueDim": r"rows of 0|self: shape \(2, 10|valueOut: shape|countsOut: shape",  # how much is unique
}


def refusal(name: str, call: dict[str, Any]) -> str:
    """The text of phase two's refusal, "" where it computes or where phase one refuses."""
    function = declared_functions.computed()[f"aclnn{name}"]
    if status(name, call):
        return ""
    arguments = [value_of(call[parameter.name]) for parameter in function.arguments]
    try:
        Work(f"aclnn{name}", function.rule, function.arguments, arguments).run(0)
    except (InvalidArgument, ValueError) as error:
        return str(error)
    return ""


@pytest.mark.share(16)
@pytest.mark.parametrize("name", ROWS)
def test_what_passes_computes(name: str) -> None:
    with actgrad.product("Ascend910B"):
        refusals = {what: text for what, call in variations(name) if (text := refusal(name, call))}
    assert not [what for what in refusals if not re.match(BY_NUMBERS.get(name, "(?!)"), what)]
    assert all(text.count("; ") >= 2 for text in refusals.values())  # what was given; what is expected; what to do


@pytest.mark.parametrize("correction", [0, 1, 6, 7])
@pytest.mark.parametrize("dims", [(), (0,), (-1,), (0, 1)])
def test_variance(dims: tuple[int, ...], correction: int) -> None:
    """Too few elements give Inf, also where all are equal, without a warning."""
    a = torch.tensor([[1.0, 2, 4], [3, 3, 3]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # PyTorch's own
        expected = torch.var(a.double(), dims or None, correction=correction, keepdim=True).float()
    if a.numel() // expected.numel() <= correction:
        expected.fill_(torch.inf)
    for name, wanted in (("VarCorrection", expected), ("Std", expected.sqrt())):
        out = torch.zeros_like(wanted)
        call(name, a, dims, correction, True, out)
        torch.testing.assert_close(out, wanted, rtol=1e-6, atol=0, equal_nan=True)


def test_mean_of_nothing() -> None:
    out = torch.zeros(2)
    call("Mean", torch.zeros(2, 0), (-1,), False, BY_NAME["float32"].acl, out)
    assert out.isnan().all()


def test_negative_powers_of_integers() -> None:
    a = torch.tensor([-3, -2, -1, 0, 1, 2, 3])[:, None]
    b = torch.tensor([-3, -2, -1, 0, 1, 2, 3])
    is_defined = (a != 0) | (b >= 0)
    result = torch.zeros(7, 7, dtype=torch.int64)
    call("PowTensorTensor", a, b, result)
    assert torch.equal(result[is_defined], torch.pow(a, b)[is_defined])
    assert not result[~is_defined].any()  # as CANN's kernel for INT64


@pytest.mark.parametrize("alpha", [False, True])
def test_difference_of_booleans(alpha: bool) -> None:
    a, b = torch.tensor([False, False, True, True]), torch.tensor([False, True, False, True])
    out = torch.zeros(4, dtype=torch.bool)
    call("Sub", a, b, alpha, out)
    assert torch.equal(out, (a.int() - alpha * b.int()) != 0)


def test_duplicate_dimensions() -> None:
    out = torch.zeros(2, dtype=torch.bool)
    call("Any", torch.tensor([[True, False], [False, False]]), (1, -1), False, out)
    assert out.tolist() == [True, False]


@pytest.mark.parametrize("value", [0.0, 3.0, [0.0, 2.0], [[0.0, 2.0], [3.0, 0.0]]])
def test_nonzero(value: Any) -> None:
    """A number has no coordinates."""
    a = torch.tensor(value)
    expected = a.nonzero()
    out = torch.full((a.numel(), a.ndim), -1)
    call("Nonzero", a, out)
    assert torch.equal(out.reshape(-1)[: expected.numel()].reshape(expected.shape), expected)


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_ends_of_betas(beta: float) -> None:
    """A step computes, with Inf or NaN where beta is 1."""
    a, *moments = torch.ones(3, 2)
    settings = (0.1, beta, beta, 0.0, 1e-8, False, False)
    call("ApplyAdamWV2", a, *moments, None, torch.ones(2), torch.ones(1), *settings)
    assert torch.isfinite(a).all() == (beta == 0)


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
