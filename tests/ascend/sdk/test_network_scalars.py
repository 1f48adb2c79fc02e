"""Numbers of scalars: CANN's checks convert them to float, int32 or int64 before they compare them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch

import actgrad
from actgrad import aclnn
from actgrad.base.dtypes import BY_NAME
from tests.ascend.sdk.test_network import call, tensor_of
from tests.support.network_calls import S, T, right_call, status

inf, nan = float("inf"), float("nan")
TINY = -1e-50  # -0.0 in float32

BOUNDS = [
    S(0, "int32"), S(2, "int8"), S(3, "uint8"), S(2**53 + 1, "int64"), S(2**63 - 1, "int64"), S(-(2**63), "int64"),
    S(0.0, "float64"), S(TINY, "float64"), S(-0.75, "float32"), S(2.875, "float16"), S(2.0**63, "float32"),
    S(2.0**53, "float64"), S(inf, "float32"), S(-inf, "float64"), S(1.0, "bfloat16"),
]  # fmt: skip


def crosses(low: S, high: S) -> bool:
    """Whether a comparison in CANN's types says that low > high."""
    if low.dtype.startswith(("int", "uint")):
        nearest = min(max(high.value, -(2**63)), 2**63 - 1)  # C++ leaves it open, AArch64 computes the nearest
        return int(low.value) > int(nearest)
    return float(np.float64(low.value)) > float(np.float64(high.value))


@pytest.mark.parametrize("function", ["aclnnHardtanh", "aclnnInplaceHardtanh"])
def test_bounds_of_hardtanh(function: str) -> None:
    x = torch.tensor([-2.0, 0.3, 2.0])
    for low, high in itertools.product(BOUNDS, BOUNDS):
        result = x.clone() if "Inplace" in function else torch.zeros(3)
        scalars = [aclnn.aclCreateScalar(each.value, BY_NAME[each.dtype].acl) for each in (low, high)]
        arguments = (tensor_of(x), *scalars, tensor_of(result))
        arguments = (tensor_of(result), *scalars) if "Inplace" in function else arguments
        answer = getattr(aclnn, f"{function}GetWorkspaceSize")(*arguments)
        assert answer[0] == (161002 if crosses(low, high) else 0), (low, high)
        if answer[0] == 0:
            assert getattr(aclnn, function)(None, answer[1], answer[2], None) == 0
            a, b = (np.float32(np.float64(each.value)) for each in (low, high))
            expected = np.minimum(np.maximum(x.numpy(), a), b)
            np.testing.assert_array_equal(result.numpy(), expected)


#: Functions, what differs from a right call, and the statuses of float and double scalars.
CONVERTED: list[tuple[str, dict[str, Any], int]] = [
    ("Renorm", {"p": S(TINY, "float64")}, 0),
    ("Renorm", {"maxNorm": S(TINY, "float64")}, 0),
    ("Renorm", {"maxNorm": S(-1e-40, "float32")}, 161002),
    ("InplaceRenorm", {"p": S(TINY, "float64")}, 0),
    ("InplaceRenorm", {"p": S(-1, "int32")}, 161002),
    ("Histc", {"min": S(0.0), "max": S(TINY, "float64")}, 0),
    ("Histc", {"min": S(1.0 + 2**-40, "float64"), "max": S(1.0)}, 0),
    ("Histc", {"min": S(1.0 + 2**-20, "float64"), "max": S(1.0)}, 161002),
    ("Histc", {"max": S(1e39, "float64")}, 161002),
    ("Histc", {"min": S(nan)}, 161002),
    ("Histc", {"min": S(inf), "max": S(inf)}, 0),
    ("Histc", {"min": S(-inf), "max": S(inf)}, 161002),
    ("Histc", {"self": T(dtype="int32"), "out": T((4,), "int32"), "min": S(2.9), "max": S(2, "int64")}, 0),
    ("Histc", {"self": T(dtype="int32"), "out": T((4,), "int32"), "min": S(3.0), "max": S(2.9)}, 161002),
    ("Histc", {"self": T(dtype="int8"), "out": T((4,), "int8"), "min": S(2**32, "int64"), "max": S(1)}, 0),
    ("Arange", {"start": S(inf)}, 161002),
    ("Arange", {"step": S(nan)}, 161002),
    ("Arange", {"start": S(inf), "out": T((4,), "int64")}, 161002),
    ("Arange", {"start": S(nan), "out": T((4,), "int32")}, 161002),
    ("Arange", {"start": S(0.0), "end": S(1e-200, "float64"), "step": S(-1e-200, "float64"), "out": T((0,))}, 161002),
    ("Arange", {"start": S(0.5), "end": S(5.0), "step": S(1.5), "out": T((3,))}, 0),
    ("Arange", {"start": S(0.5), "end": S(5.0), "step": S(1.5), "out": T((5,), "int64")}, 0),
    ("Arange", {"start": S(0.5), "end": S(5.0), "step": S(1.5), "out": T((4,), "int64")}, 161002),
    ("Arange", {"start": S(0.0), "end": S(5.0), "step": S(0.5), "out": T((10,), "int32")}, 161002),
    ("Range", {"start": S(inf)}, 161002),
    ("Range", {"start": S(0.5), "end": S(5.0), "step": S(1.5), "out": T((4,))}, 0),
    ("Range", {"start": S(0.5), "end": S(5.0), "step": S(1.5), "out": T((6,), "int64")}, 0),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "int8"), "fillValue": S(127.9)}, 161002),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "int8"), "fillValue": S(-128, "int64")}, 0),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "int8"), "fillValue": S(128, "int64")}, 161002),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "int16"), "fillValue": S(nan)}, 161002),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "uint8"), "fillValue": S(-255, "int32")}, 0),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "uint8"), "fillValue": S(-256, "int32")}, 161002),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "uint8"), "fillValue": S(-1.0)}, 161002),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "float16"), "fillValue": S(65505.0)}, 161002),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "float16"), "fillValue": S(inf)}, 0),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "float32"), "fillValue": S(1e39, "float64")}, 161002),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "bfloat16"), "fillValue": S(1e39, "float64")}, 0),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2), "bool"), "fillValue": S(7.0)}, 0),
]


@pytest.mark.share(4)
@pytest.mark.parametrize(("name", "change", "expected"), CONVERTED)
def test_statuses(name: str, change: dict[str, Any], expected: int) -> None:
    assert status(name, right_call(name) | change) == expected


@pytest.mark.parametrize("name", ["ForeachMaximumScalarV2", "ForeachMinimumScalarV2"])
def test_scalars_of_lists(name: str) -> None:
    for dtype, scalar, expected in (
        ("float16", S(65504.0, "float64"), 0), ("float16", S(-65505.0, "float64"), 161002),
        ("float16", S(inf, "float64"), 161002), ("float16", S(nan, "float64"), 0),
        ("float32", S(nan, "float64"), 0), ("float32", S(1e39, "float64"), 161002),
        ("bfloat16", S(-3.4e38, "float64"), 161002), ("bfloat16", S(nan), 0), ("int32", S(-(2**31), "int64"), 0),
        ("int32", S(-(2**31) - 1, "int64"), 161002), ("float32", S(inf), 0),
    ):  # fmt: skip
        lists = {each: (T(dtype=dtype),) for each in ("x", "out")}
        with_scalar = right_call(name) | lists | {"scalar": scalar}
        assert status(name, with_scalar) == expected, (dtype, scalar)


@pytest.mark.parametrize("name", ["PowTensorScalar", "InplacePowTensorScalar"])
def test_exponents_on_ascend950(name: str) -> None:
    for dtype, scalar, expected in (
        ("int8", S(127, "int64"), 0), ("int8", S(128, "int64"), 161002), ("int8", S(-1, "int8"), 161002),
        ("uint8", S(255, "int16"), 0), ("uint8", S(256, "int16"), 161002), ("int32", S(2**31, "int64"), 161002),
        ("float16", S(65504.0), 0), ("float16", S(1e5, "float64"), 161002), ("float16", S(inf), 0),
        ("bfloat16", S(1e5), 0), ("float32", S(1e39, "float64"), 161002), ("float64", S(1e300, "float64"), 0),
        ("bool", S(-1, "int32"), 161002), ("float32", S(-0.5), 0), ("float16", S(nan), 0),
    ):  # fmt: skip
        tensors = {"self": T(dtype=dtype), "out": T(dtype="int64" if dtype == "bool" else dtype)}
        if name.startswith("Inplace"):
            tensors.pop("out")
        if dtype == "bool" and name.startswith("Inplace"):
            continue  # the result does not convert to BOOL
        empty = {key: value._replace(shape=(0, 3)) for key, value in tensors.items()}
        with actgrad.product("Ascend950"):
            assert status(name, right_call(name) | tensors | {"exponent": scalar}) == expected, (dtype, scalar)
            assert status(name, right_call(name) | empty | {"exponent": scalar}) == 0, (dtype, scalar)
        with actgrad.product("Ascend910B"):
            assert status(name, right_call(name) | tensors | {"exponent": scalar}) == 0, (dtype, scalar)


def test_sequences_of_integers_convert_their_bounds() -> None:
    for dtype in (torch.int32, torch.int64):
        for count in (3, 5):  # PyTorch counts to 3 for int32, and to 5 for int64
            out = torch.full((count,), 9, dtype=dtype)
            call("Arange", 0.5, 5.0, 1.5, out)
            assert torch.equal(out, torch.arange(count, dtype=dtype))
    out = torch.zeros(3, dtype=torch.float64)
    call("Arange", 0.5, 5.0, 1.5, out)
    assert torch.equal(out, torch.arange(0.5, 5, 1.5, dtype=torch.float64))
    large = torch.zeros(2, dtype=torch.int64)
    call("Range", 2**62 + 1, 2**62 + 2, 1, large)
    assert large.tolist() == [2**62 + 1, 2**62 + 2]


def test_a_narrow_histogram_divides_the_range_of_the_elements() -> None:
    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    for high, expected in ((5e-7, torch.histc(x, 3)), (inf, torch.histc(x, 3)), (2e-6, torch.zeros(3))):
        out = torch.zeros(3)
        call("Histc", x, 3, inf if high == inf else 0.0, high, out)
        assert torch.equal(out, expected), high


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8])
def test_quotients_of_the_lowest_integers(dtype: torch.dtype) -> None:
    limits = torch.iinfo(dtype)
    numbers = [limits.min, limits.min + 1, max(limits.min, -3), 1, 2, 7, limits.max - 1, limits.max]
    a = torch.tensor(numbers, dtype=dtype).repeat_interleave(8)
    b = torch.tensor(numbers, dtype=dtype).repeat(8)
    is_defined = (b != 0) & ~((a == limits.min) & (b == -1 if limits.min else b == 0))
    a, b = a[is_defined], b[is_defined]
    for mode, rounding in ((1, "trunc"), (2, "floor")):
        out = torch.zeros_like(a)
        call("DivMod", a, b, mode, out)
        assert torch.equal(out, torch.div(a, b, rounding_mode=rounding)), (dtype, mode)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64])
def test_signs(dtype: torch.dtype) -> None:
    """CANN's kernel selects 1 and -1 by comparisons, so that NaN gives 0, as in PyTorch."""
    numbers = [nan, inf, -inf, 0.0, -0.0, 1e-3, -1e-3] if dtype.is_floating_point else [-(2**63), -1, 0, 5]
    x = torch.tensor(numbers, dtype=dtype)
    out = torch.full_like(x, 7)
    call("Sign", x, out)
    assert torch.equal(out, torch.sign(x))
