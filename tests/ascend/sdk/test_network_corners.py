"""Corners of indices, reductions and fills that CANN's documents and sources define, by numbers written by hand.

Unsigned integers with the highest bit, indices from the end, tensors without elements, and numbers out of range.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import actgrad
from actgrad import aclnn
from actgrad.ascend.network.work import Work
from actgrad.ascend.sdk import declared_functions
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import InvalidArgument
from tests.ascend.sdk.test_network import call, tensor_of

torch = pytest.importorskip("torch")

I64 = torch.int64
INF, NAN = float("inf"), float("nan")


def result(name: str, *arguments: Any, like: Any) -> Any:
    out = torch.full_like(like, 7)
    call(name, *arguments, out)
    return out


def same(actual: Any, wanted: Any) -> None:
    torch.testing.assert_close(actual, wanted, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_order_of_unsigned_integers(dtype: str) -> None:
    """A number with the highest bit is larger than one without."""
    kind = getattr(torch, dtype)
    high = torch.iinfo(kind).max
    x = torch.tensor([3, high, 5, high // 2 + 1], dtype=kind)
    values, places = torch.zeros(2, dtype=kind), torch.zeros(2, dtype=I64)
    with actgrad.product("Ascend950"):
        call("Topk", x, 2, 0, True, True, values, places)
        assert (values.tolist(), places.tolist()) == ([high, high // 2 + 1], [1, 3])
        call("Topk", x, 2, 0, False, True, values, places)
        assert (values.tolist(), places.tolist()) == ([3, 5], [0, 2])
        assert result("Argsort", x, 0, False, like=torch.zeros(4, dtype=I64)).tolist() == [0, 2, 3, 1]
        value, place = torch.zeros((), dtype=kind), torch.zeros((), dtype=I64)
        call("Kthvalue", x, 3, 0, False, value, place)
        assert (value.item(), place.item()) == (high // 2 + 1, 3)
        if dtype == "uint16":
            assert result("ArgMax", x, 0, False, like=place).item() == 1
        padded = result("ConstantPadNd", x, (1, 0), -1, like=torch.zeros(5, dtype=torch.uint8).to(kind))
        assert padded.tolist() == [high, *x.tolist()]


def test_points_from_the_end() -> None:
    """Only with negativeIndexSupport, which counts each coordinate from the end of its dimension."""
    x = torch.arange(24.0).reshape(2, 3, 4)
    points = torch.tensor([[-1, 0], [1, -3], [-2, -1]])
    same(result("GatherNd", x, points, True, like=torch.zeros(3, 4)), torch.stack([x[1, 0], x[1, 0], x[0, 2]]))
    for wrong, is_allowed in ((points, False), (points - 1, True), (points + 2, True)):
        with pytest.raises(ValueError, match="each must lie in"):
            call("GatherNd", x, wrong, is_allowed, torch.zeros(3, 4))
    untouched = torch.full((1, 4), 7.0)
    call("GatherNd", torch.zeros(0, 4), torch.tensor([[0]]), False, untouched)  # hardware writes nothing
    assert (untouched == 7).all()


def test_medians_of_no_elements() -> None:
    for dtype, wanted in (
        (torch.float32, NAN), (torch.bfloat16, NAN), (torch.int32, -(2**31)), (torch.int64, -(2**63)),
        (torch.int8, 0), (torch.uint8, 0),
    ):  # fmt: skip
        empty = torch.zeros(0, 3, dtype=dtype)
        one = torch.ones((), dtype=dtype)
        same(result("Median", empty, like=one), torch.tensor(wanted, dtype=dtype))
        same(result("NanMedian", empty, like=one), torch.tensor(NAN if dtype.is_floating_point else 0, dtype=dtype))
    values, places = torch.full((3,), 7.0), torch.full((3,), 7)
    call("MedianDim", torch.zeros(0, 3), 0, False, values, places)  # hardware writes nothing
    assert (values == 7).all()
    assert (places == 7).all()
    with pytest.raises(InvalidArgument, match="the call needs"):
        call("NanMedianDim", torch.zeros(0, 3), 0, False, values, places)


def test_spread_of_too_few_elements() -> None:
    """Infinite, also for equal elements and for NaN, but NaN for one element."""
    few = torch.tensor([[2.0, 2.0], [1.0, 5.0], [NAN, 3.0]])
    infinite, one = torch.full((3,), INF), torch.full((2,), NAN)
    same(result("VarCorrection", few, (1,), 2, False, like=infinite), infinite)
    same(result("Std", few, (1,), 3, False, like=infinite), infinite)
    same(result("Std", few[1:2], (0,), 1, False, like=one), one)
    same(result("VarCorrection", few[1:2], (0,), 9, False, like=one), one)
    spread, mean = torch.zeros(3), torch.zeros(3)
    for name, correction in (("VarMean", 2), ("StdMeanCorrection", 3)):
        call(name, few, (1,), correction, False, spread, mean)
        same(spread, infinite)
        same(mean, torch.tensor([2.0, 3.0, NAN]))
    same(result("Var", torch.zeros(0, 2), (0,), True, False, like=one), one)


@pytest.mark.parametrize("order", [0.0, 1.0, 2.0, -1.0, INF, -INF])
def test_norms_of_no_elements(order: float) -> None:
    for shape, dims, wanted in (((0, 3), (0,), torch.zeros(3)), ((2, 0), (), torch.tensor(0.0))):
        same(result("Norm", torch.zeros(shape), order, dims, False, like=wanted), wanted)
        same(result("LinalgVectorNorm", torch.zeros(shape), order, dims, False, 0, like=wanted), wanted)


#: A dtype, a number, and the element that C++ makes of it.
FILLS = [
    ("int8", 300, 44), ("int8", -200, 56), ("uint8", -1, 255), ("uint8", 300.0, 44), ("uint8", -2.5, 254),
    ("int32", 2.9, 2), ("int32", -2.9, -2), ("int32", INF, 2**31 - 1), ("int32", -1e20, -(2**31)), ("int32", NAN, 0),
    ("int64", 2**53 + 1, 2**53 + 1), ("int64", 1e30, 2**63 - 1), ("float16", 1e6, INF), ("bfloat16", 0.25, 0.25),
    ("bool", 0.5, True), ("bool", 0, False),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "number", "wanted"), FILLS)
def test_numbers_that_fill(dtype: str, number: Any, wanted: Any) -> None:
    kind = getattr(torch, dtype)
    x = torch.ones(2, dtype=kind)
    assert result("ConstantPadNd", x, (0, 1), number, like=torch.ones(3, dtype=kind)).tolist() == [1, 1, wanted]
    for name, rest in (
        ("InplaceScatterValue", (0, torch.tensor([1]), number, 0)), ("InplaceFillScalar", (number,)),
        ("InplaceIndexFill", (0, torch.tensor([-1]), number)), ("InplaceIndexFillTensor", (0, (1,), number)),
        ("InplaceMaskedFillScalar", (torch.tensor([False, True]), number)),
    ):  # fmt: skip
        if name == "InplaceMaskedFillScalar" and dtype == "uint8":  # refused
            continue
        filled = x.clone()
        with actgrad.product("Ascend950"):
            call(name, filled, *rest)
        assert filled[1].item() == wanted, name


@pytest.mark.parametrize("source", ["float32", "float64", "float16", "bfloat16"])
def test_floats_as_integers(source: str) -> None:
    """NaN is 0, numbers out of range are the nearest integer, and what int32 holds wraps in 8 and 16 bits."""
    x = torch.tensor([NAN, INF, -INF, -1.5, 300.75, 3.0, -129.0]).to(getattr(torch, source))
    for dtype, high, low in (
        ("int32", 2**31 - 1, -(2**31)), ("int64", 2**63 - 1, -(2**63)), ("int16", -1, 0), ("uint8", 255, 0),
        ("int8", -1, 0),
    ):  # fmt: skip
        exact = torch.tensor([-1, 300, 3, -129]).to(getattr(torch, dtype))
        wanted = torch.cat([torch.tensor([0, high, low]).to(exact.dtype), exact])
        same(result("Cast", x, BY_NAME[dtype].acl, like=wanted), wanted)
        copy = torch.full((2, 7), 5).to(exact.dtype).t()[:, 0]
        call("InplaceCopy", copy, x)
        same(copy, wanted)
    large = torch.tensor([1.5 * 2**63, 2.0**64, -2.0, NAN], dtype=torch.float64)
    out = torch.zeros(4, dtype=torch.uint64)
    call("Cast", large, BY_NAME["uint64"].acl, out)
    assert out.tolist() == [3 * 2**62, 2**64 - 1, 2**64 - 2, 0]
    mean = torch.full((3,), 7)
    call("Mean", torch.zeros(0, 3, dtype=I64), (0,), False, BY_NAME["int64"].acl, mean)  # NaN
    assert mean.tolist() == [0, 0, 0]


def test_factor_of_an_index_addition() -> None:
    """`alpha` has the dtype of self, if that has integers."""
    for dtype, alpha, wanted in (
        ("int8", 300, 45), ("int32", 2.9, 3), ("int32", INF, -(2**31)), ("bool", 0.5, True), ("float32", 0.5, 1.5),
    ):  # fmt: skip
        x = torch.ones(1, dtype=getattr(torch, dtype))
        assert result("IndexAdd", x, 0, torch.tensor([0]), x, alpha, like=x).item() == wanted


def test_numbers_have_the_precision_of_the_tensor() -> None:
    """A number is not rounded to float32, nor to the default dtype of the program."""
    x = torch.tensor([0.3, 1.7, 2.9], dtype=torch.float64)
    wanted = {
        "PowTensorScalar": [value**2.1 for value in x.tolist()],
        "PowScalarTensor": [2.1**value for value in x.tolist()],
        "XLogYScalarOther": [value * math.log(2.1) for value in x.tolist()],
        "XLogYScalarSelf": [2.1 * math.log(value) for value in x.tolist()],
    }  # fmt: skip
    for default in (torch.float32, torch.float16):
        torch.set_default_dtype(default)
        try:
            for name, values in wanted.items():
                arguments = (2.1, x) if name in ("PowScalarTensor", "XLogYScalarSelf") else (x, 2.1)
                actual = result(name, *arguments, like=x)
                torch.testing.assert_close(actual, torch.tensor(values, dtype=x.dtype), rtol=1e-15, atol=0)
        finally:
            torch.set_default_dtype(torch.float32)


COMPARISONS = ("EqScalar", "NeScalar", "LtScalar", "LeScalar", "GtScalar", "GeScalar")

#: A product, a dtype, an element, a number, its dtype, and what each comparison gives: from aclnn_*_scalar.cpp.
COMPARED: list[tuple[str, str, Any, Any, str, str]] = [
    # A number that float16 rounds to the element. Other products than Ascend950 compare > and >= in float64.
    ("Ascend950", "float16", 0.1, 0.1, "float64", "= <= >="),
    ("Ascend910B", "float16", 0.1, 0.1, "float64", "= <="),
    ("Ascend950", "bfloat16", 0.3, 0.3, "float64", "= <= >="),
    ("Ascend910B", "bfloat16", 0.3, 0.3, "float64", "= <= > >="),
    ("Ascend910B", "bfloat16", 0.3, 0.3, "float32", "= <= > >="),
    ("Ascend910B", "float32", 0.1, 0.1, "float64", "= <= >="),  # float32 nearly represents it
    ("Ascend910B", "float32", 16777216, 16777217, "float64", "= <="),
    ("Ascend950", "float32", 16777216, 16777217, "float64", "= <= >="),
    # Integers and a number of float64: LtScalar and LeScalar compare in float32, the others in float64.
    ("Ascend910B", "int32", 16777217, 16777216.0, "float64", "<= > >="),
    ("Ascend950", "int32", 16777217, 16777216.0, "float64", "= <= >="),
    # A larger integer wraps in the tensor's dtype: always on Ascend950, otherwise only for equality.
    ("Ascend910B", "int32", 1, 2**32 + 1, "int64", "= < <="),
    ("Ascend950", "int32", 1, 2**32 + 1, "int64", "= <= >="),
    ("Ascend910B", "uint8", 255, -1, "int64", "= > >="),
    ("Ascend950", "uint8", 255, -1, "int64", "= <= >="),
    ("Ascend910B", "bool", True, 2, "int64", "< <="),
]


@pytest.mark.parametrize(("product", "dtype", "element", "number", "of_number", "holds"), COMPARED)
def test_comparisons_with_numbers(
    product: str, dtype: str, element: Any, number: Any, of_number: str, holds: str
) -> None:
    x = torch.tensor([element], dtype=getattr(torch, dtype))
    wanted = {
        name: sign in holds.split() for name, sign in zip(COMPARISONS, ("=", "", "<", "<=", ">", ">="), strict=True)
    }
    wanted["NeScalar"] = not wanted["EqScalar"]
    with actgrad.product(product):
        scalar = aclnn.aclCreateScalar(number, BY_NAME[of_number].acl)
        actual = {}
        for name in COMPARISONS:
            function = declared_functions.computed()[f"aclnn{name}"]
            out = torch.zeros(1, dtype=torch.bool)
            Work(f"aclnn{name}", function.rule, function.arguments, [tensor_of(x), scalar, tensor_of(out)]).run(0)
            actual[name] = out.item()
    assert actual == wanted


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_remainders_by_numbers(dtype: str) -> None:
    """The number is rounded to the tensor's dtype, in aclnn_remainder.cpp as in PyTorch. The remainder shows it."""
    x = torch.tensor([0.3, 1.0, -0.7]).to(getattr(torch, dtype))
    by = torch.tensor(0.1).to(x.dtype).double().item()
    same(result("RemainderTensorScalar", x, 0.1, like=x), torch.remainder(x.double(), by).to(x.dtype))


def test_integers_are_not_computed_as_floats() -> None:
    big = torch.tensor([2**62 + 1, -(2**62) - 1, -7])
    same(result("DivMods", big, 1, 1, like=big), big)
    same(result("DivMods", big, 2, 2, like=big), torch.div(big, 2, rounding_mode="floor"))
    same(result("DivMods", big, 2, 1, like=big), torch.div(big, 2, rounding_mode="trunc"))
    same(result("DivMods", torch.tensor([7, -7]), 2, 0, like=torch.zeros(2)), torch.tensor([3.5, -3.5]))
    same(result("DivMods", torch.tensor([0.7]), 0.1, 1, like=torch.zeros(1)), torch.tensor([7.0]))  # in float32
    x = torch.tensor([3], dtype=torch.int32)
    same(result("Adds", x, 2**33 + 1, 1, like=x), x + 1)  # the number wraps
    out = [torch.zeros(1, dtype=torch.int32)]
    call("ForeachMulScalarV2", [x], 2**33 + 2, out)
    same(out[0], x * 2)


def test_matrix_without_inverse() -> None:
    with pytest.raises(ValueError, match="a matrix of self has no inverse; its determinant must not be 0"):
        call("Inverse", torch.ones(2, 2), torch.zeros(2, 2))
    half = torch.tensor([[2.0, 0], [0, 4]]).half()
    same(result("Inverse", half, like=half), torch.tensor([[0.5, 0], [0, 0.25]]).half())
