"""Attributes of operators on integers: a number that the integers do not hold is refused, at every entry point."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import aclnn
from actgrad.base.dtypes import BY_NAME
from tests.support.aclnn.live_calls import INVALID, OK, failed
from tests.support.calls import EVERY

nan, inf = math.nan, math.inf
UNHELD = (1e20, -1e20, nan, inf, -inf, 2.0**63, 2.0**64, -(2.0**63) - 2048, 1e300)
INTEGERS = ("int8", "uint8", "int16", "int32", "int64")


def takes(operator: Any, dtype: str) -> bool:
    return dtype in operator.input_dtypes


CASES = [
    (operator, name, dtype)
    for operator, dtype in itertools.product(EVERY, INTEGERS)
    for name in operator.schema.scalars
    if takes(operator, dtype) and not operator.definition.integers.dtype and not operator.dtypes.outputs
]
#: Those whose attributes are converted to integers. The others read them as floats.
CONVERTED = [case for case in CASES if case[0].name in ("threshold", "add_relu")]


def tensors(operator: Any, dtype: str) -> list[np.ndarray]:
    return [np.array([1, 5, 0, 7], dtype) for _ in operator.schema.tensors]


def ways(operator: Any, dtype: str, **attributes: Any) -> dict[str, Callable[[], Any]]:
    given = tensors(operator, dtype)
    found: dict[str, Callable[[], Any]] = {
        "call": lambda: operator(*given, **attributes),
        "out": lambda: operator(*given, out=np.empty_like(given[0]), **attributes),
        "plan": lambda: operator.plan(*given, **attributes),
        "reference": lambda: operator(*given, backend="reference", **attributes),
    }
    try:
        import torch

        import actgrad.torch  # noqa: F401  registers the operators
        from actgrad.torch.kernels import interface_of
    except ImportError:
        return found
    interface, on_torch = interface_of(operator), [torch.from_numpy(x) for x in given]
    row = interface.row(on_torch, attributes)
    meta = interface.row([x.to("meta") for x in on_torch], attributes)
    overload = getattr(torch.ops.actgrad, operator.name)
    found["torch"] = lambda: overload(*row)
    found["torch, no data"] = lambda: overload(*meta)
    return found


@pytest.mark.parametrize(("operator", "name", "dtype"), CONVERTED, ids=lambda value: getattr(value, "name", value))
def test_a_number_that_integers_do_not_hold(operator: Any, name: str, dtype: str) -> None:
    limits = np.iinfo(dtype)
    beyond = [] if dtype == "int64" else [int(limits.max) + 1, int(limits.min) - 1]
    for value in (*UNHELD, *beyond):
        for way, call in ways(operator, dtype, **{name: value}).items():
            says = rf"^{operator.name}: {name} is .*, but the result is {dtype}; it must lie in \[{limits.min}, "
            with pytest.raises(actgrad.InvalidArgument, match=says) as caught:
                call()
            assert caught.value.status == 161002, way
    for value in (int(limits.max), int(limits.min)):
        for call in ways(operator, dtype, **{name: value}).values():
            call()


@pytest.mark.parametrize(("operator", "name", "dtype"), CASES, ids=lambda value: getattr(value, "name", value))
def test_no_integer_is_nan(operator: Any, name: str, dtype: str) -> None:
    if operator.name == "threshold_backward":  # it compares with a float, and writes no number of it
        assert operator(*tensors(operator, dtype), **{name: nan}).tolist() == [1, 5, 0, 7]
        return
    attributes = {"min_val": 0} if operator.name == "hardtanh" else {}  # unsigned integers do not have its default
    for way, call in ways(operator, dtype, **attributes | {name: nan}).items():
        with pytest.raises(actgrad.InvalidArgument, match=rf"^{operator.name}: {name} is nan, but"):
            call()
        assert way


@pytest.mark.parametrize("dtype", INTEGERS)
def test_threshold_is_that_of_exact_numbers(dtype: str) -> None:
    """All the numbers that are held: the results are those of Python's own arithmetic."""
    limits, rng = np.iinfo(dtype), np.random.default_rng(0)
    low, high = int(limits.min), int(limits.max)
    x = np.array([low, low + 1, 0, 1, high - 1, high], dtype)
    numbers = [low, high, 0, 1, *map(int, rng.integers(low, high, 20, np.dtype(dtype)))]
    for threshold, value in itertools.product(numbers, repeat=2):
        wanted = [number if number > threshold else value for number in x.tolist()]
        assert actgrad.threshold(x, threshold=threshold, value=value).tolist() == wanted


@pytest.mark.parametrize("dtype", INTEGERS)
def test_hardtanh_is_that_of_exact_numbers(dtype: str) -> None:
    limits, rng = np.iinfo(dtype), np.random.default_rng(0)
    low, high = int(limits.min), int(limits.max)
    x = np.array([low, low + 1, 0, 1, high - 1, high], dtype)
    numbers = [low, high, 0, 1, *map(int, rng.integers(low, high, 20, np.dtype(dtype)))]
    for least, most in itertools.product(numbers, repeat=2):
        if least > most:
            with pytest.raises(actgrad.InvalidArgument, match="min_val <= max_val"):
                actgrad.hardtanh(x, min_val=least, max_val=most)
            continue
        wanted = [min(max(number, least), most) for number in x.tolist()]
        for call in ways(actgrad.hardtanh, dtype, min_val=least, max_val=most).values() if least == 0 else ():
            call()
        assert actgrad.hardtanh(x, min_val=least, max_val=most).tolist() == wanted
    for least, most in ((-1e20, 1), (0, 1e20), (low - 1, high), (low, high + 1)):
        if abs(least) < 2**63 and abs(most) < 2**63:
            with pytest.raises(actgrad.InvalidArgument, match="it must lie in "):
                actgrad.hardtanh(x, min_val=least, max_val=most)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_what_pytorch_refuses(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([1, 5, 0, 7]).to(getattr(torch, dtype))
    for threshold, value in itertools.product((0, 2, 3.0, 1e20, nan, inf, -1e20, 300, 2.0**31, -129.0), repeat=2):
        try:
            wanted = torch.nn.functional.threshold(x, threshold, value)
        except RuntimeError:
            with pytest.raises(actgrad.InvalidArgument):
                actgrad.threshold(x, threshold=threshold, value=value)
            continue
        assert torch.equal(actgrad.threshold(x, threshold=threshold, value=value), wanted)


def test_the_factor_of_integers_is_one() -> None:
    """As in PyTorch and CANN: a fraction would be dropped."""
    x = np.array([1, 5], np.int32)
    for alpha in (1.5, -0.25):
        for call in ways(actgrad.add_relu, "int32", alpha=alpha).values():
            with pytest.raises(actgrad.InvalidDtype, match=r"^add_relu: alpha is .*; alpha must be an integer; "):
                call()
    assert actgrad.add_relu(x, x, alpha=-2.0).tolist() == [0, 0]
    assert actgrad.add_relu(x, x, alpha=3).tolist() == [4, 20]
    assert actgrad.add_relu(x.astype(np.float32), x, alpha=1.5).tolist() == [2.5, 12.5]


@pytest.mark.parametrize("scale", [-1e20, -inf, -4e8])
def test_a_ceiling_below_all_integers(scale: float) -> None:
    x = np.array([1, 5], np.int32)
    with pytest.raises(actgrad.InvalidArgument, match=r"^relu6_d: scale is .*, but 6 \* scale must be at least "):
        actgrad.relu6_d(x, scale=scale)
    assert actgrad.relu6_d(x, scale=-1).tolist() == [-6, -6]
    assert actgrad.relu6_d(x, scale=1e20).tolist() == actgrad.relu6_d(x, scale=inf).tolist() == [1, 5]
    assert (actgrad.relu6_d(x.astype(np.float32), scale=scale) < -2e9).all()


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", ["threshold", "value"])
def test_typed_scalars(dtype: str, name: str) -> None:
    """A float that integers do not hold is refused. CANN converts integers as C does, modulo a power of two."""
    x, place = np.array([1, 5, 0, 7], dtype), ("threshold", "value").index(name)

    def threshold(number: int, value: float) -> tuple[int, np.ndarray]:
        given = [aclnn.aclCreateScalar(2, aclnn.ACL_INT64), aclnn.aclCreateScalar(3, aclnn.ACL_INT64)]
        given[place] = aclnn.aclCreateScalar(value, number)
        out = np.zeros_like(x)
        with actgrad.product("Ascend950"):
            status, _, executor = aclnn.aclnnThresholdGetWorkspaceSize(x, *given, out)
        return status or aclnn.aclnnThreshold(None, 0, executor, None), out

    for number, value in itertools.product(
        (aclnn.ACL_FLOAT, aclnn.ACL_DOUBLE, aclnn.ACL_BF16), (1e20, -1e20, nan, inf)
    ):
        status, out = threshold(number, value)
        failed(status, INVALID, f"{name} is .*, but the result is {BY_NAME[dtype].acl_name}; it must lie in")
        assert not out.any()
    for value in (2**40 + 6, -(2**33) - 1, 300):
        wrapped = np.array(value).astype(dtype)  # of integers, as C
        numbers = {"threshold": 2, "value": 3} | {name: int(wrapped)}
        status, out = threshold(aclnn.ACL_INT64, value)
        assert status == OK
        assert out.tolist() == [k if k > numbers["threshold"] else numbers["value"] for k in x.tolist()]
