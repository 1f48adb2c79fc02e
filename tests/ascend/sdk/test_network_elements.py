"""Padding and its gradients, and further functions of elements, dimensions and order, against PyTorch in float64."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from actgrad.base.errors import InvalidArgument
from tests.ascend.sdk.test_network import call, sample
from tests.support.network_calls import I32, I64, S, T, right_call, status

torch = pytest.importorskip("torch")
F = torch.nn.functional

FLOATS = ("float32", "float16", "bfloat16")
SPECIAL = (0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1e-39, -1.0, 0.5, -0.5, 2.5, -2.5, 1e30)


def floats(dtype: str, shape: tuple[int, ...], seed: int, special: bool = False) -> Any:
    """Normal numbers, strided. With `special`, also ±0, ±inf, NaN, a subnormal and halves."""
    values = np.random.default_rng(seed).normal(size=shape)
    if special:
        values.reshape(-1)[: len(SPECIAL)] = SPECIAL
    backwards = tuple(range(len(shape)))[::-1]
    return torch.from_numpy(values.T.copy()).to(getattr(torch, dtype)).permute(backwards)


def results(name: str, arguments: tuple[Any, ...], *shapes_and_dtypes: tuple[Any, Any]) -> list[Any]:
    """The results of a function whose results come last. They are filled before the call."""
    out = [torch.full(shape, 7, dtype=dtype) for shape, dtype in shapes_and_dtypes]
    call(name, *arguments, *out)
    return out


def compare(name: str, arguments: tuple[Any, ...], wanted: Any, **tolerance: Any) -> None:
    """Compare a function's result with a tensor, which gives the result's shape and dtype."""
    (out,) = results(name, arguments, (wanted.shape, wanted.dtype))
    torch.testing.assert_close(out, wanted, equal_nan=True, **tolerance)


def exact(name: str, arguments: tuple[Any, ...], wanted: Any) -> None:
    compare(name, arguments, wanted, rtol=0, atol=0)


def in_place(name: str, x: Any, arguments: tuple[Any, ...], wanted: Any) -> None:
    changed = x.clone()
    call(name, changed, *arguments)
    torch.testing.assert_close(changed, wanted, equal_nan=True)


PADS = {1: [(2, 1), (0, 3)], 2: [(2, 1, 0, 2), (0, 0, 1, 1)], 3: [(2, 1, 0, 2, 1, 1)]}
#: The functions, the dimensions that they pad, PyTorch's mode, and the gradients.
PADDING = [
    ("ReflectionPad1d", 1, "reflect", "ReflectionPad1dBackward"),
    ("ReflectionPad2d", 2, "reflect", "ReflectionPad2dBackward"),
    ("ReflectionPad3d", 3, "reflect", "ReflectionPad3dBackward"),
    ("ReplicationPad1d", 1, "replicate", "ReplicationPad1dBackward"),
    ("ReplicationPad2d", 2, "replicate", "ReplicationPad2dBackward"),
    ("ReplicationPad3d", 3, "replicate", "ReplicationPad3dBackward"),
    ("CircularPad2d", 2, "circular", "CircularPad2dBackward"),
    ("CircularPad3d", 3, "circular", "CircularPad3dBackward"),
]


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("name", "n", "mode", "gradient_name"), PADDING)
def test_padding(name: str, n: int, mode: str, gradient_name: str, dtype: str) -> None:
    for shape, pad in itertools.product([(2, 3, 4, 5)[-n - 1 :], (2, 2, 3, 4, 5)[-n - 2 :]], PADS[n]):
        x = floats(dtype, shape, n)
        batch = x if len(shape) == n + 2 else x[None]
        doubles = batch.double().requires_grad_()
        wanted = F.pad(doubles, pad, mode=mode)
        forward = (wanted if batch is x else wanted[0]).detach().to(x.dtype)
        exact(name, (x, pad), forward)
        gradient = floats(dtype, tuple(forward.shape), 5)
        (backward,) = torch.autograd.grad(wanted, doubles, gradient.double().reshape(wanted.shape))
        rtol = {"float32": 1e-6, "float16": 2**-10, "bfloat16": 2**-7}[dtype]
        compare(gradient_name, (gradient, x, pad), backward.reshape(shape).to(x.dtype), rtol=rtol, atol=1e-6)


def test_negative_padding_crops() -> None:
    x = floats("float32", (2, 3, 6), 1)
    exact("ReplicationPad1d", (x, (-1, 2)), F.pad(x, (-1, 2), mode="replicate"))
    gradient = floats("float32", (2, 3, 7), 2)
    doubles = x.double().requires_grad_()
    (wanted,) = torch.autograd.grad(F.pad(doubles, (-1, 2), mode="replicate"), doubles, gradient.double())
    compare("ReplicationPad1dBackward", (gradient, x, (-1, 2)), wanted.float())
    with pytest.raises(InvalidArgument, match="no number may exceed the size of its dimension"):
        call("CircularPad2d", x, (7, 0, 0, 0), torch.zeros(2, 3, 13))


def test_padding_of_integers_and_complex_numbers() -> None:
    for dtype in ("int64", "int8"):
        x = sample(dtype, (2, 3, 4), 3)
        wanted = F.pad(x.double()[None], (1, 1, 2, 0), mode="replicate")[0].to(x.dtype)
        exact("ReplicationPad2d", (x, (1, 1, 2, 0)), wanted)
    x = torch.complex(floats("float32", (1, 3, 4), 1), floats("float32", (1, 3, 4), 2))
    exact("ReplicationPad1d", (x, (1, 0)), torch.cat([x[..., :1], x], -1))


#: Functions of one tensor of elements: PyTorch's, the dtype of the result, if it is not the tensor's, and in place.
OF_ONE: dict[str, tuple[Callable[..., Any], Any, str]] = {
    "Frac": (torch.frac, None, "InplaceFrac"), "Sinc": (torch.sinc, None, "InplaceSinc"),
    "IsInf": (torch.isinf, torch.bool, ""), "IsNegInf": (torch.isneginf, torch.bool, ""),
    "IsPosInf": (torch.isposinf, torch.bool, ""),
}  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", OF_ONE)
def test_functions_of_elements(name: str, dtype: str) -> None:
    rule, to, in_place_name = OF_ONE[name]
    x = floats(dtype, (4, 6), 2, special=True)
    wanted = rule(x.double()).to(to or x.dtype)
    compare(name, (x,), wanted, rtol=2e-6 if dtype == "float32" else None, atol=0 if dtype == "float32" else None)
    if in_place_name:
        in_place(in_place_name, x, (), wanted)


def test_elements_in_place() -> None:
    x, y = floats("float32", (4, 6), 2, special=True), floats("float32", (4, 6), 3).abs()
    in_place("InplaceNeg", x, (), -x)
    in_place("InplaceTrunc", x, (), torch.trunc(x))
    in_place("InplaceXLogYTensor", x, (y,), torch.xlogy(x.double(), y.double()).float())
    in_place("InplaceXLogYScalarOther", x, (2.5,), torch.xlogy(x.double(), 2.5).float())
    n = sample("int64", (3, 4), 1)
    exact("Frac", (n,), torch.zeros_like(n))
    exact("IsPosInf", (n,), torch.zeros(3, 4, dtype=torch.bool))
    compare("Sinc", (n,), torch.sinc(n.double()).float(), rtol=0, atol=1e-7)
    a, b = sample("int32", (3, 4), 5), sample("int64", (4,), 6)
    exact("Gcd", (a, b), torch.gcd(a.long(), b))
    assert status("Gcd", {"self": T(dtype="bool"), "other": T(dtype="bool"), "out": T(dtype=I32)}) == 161002


@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "bool"])
def test_sums_with_products_of_vectors(dtype: str) -> None:
    c, a, b = sample(dtype, (1, 4), 1), sample(dtype, (3,), 2), sample(dtype, (4,), 3)
    integer = dtype in ("int32", "bool")
    for beta, alpha in ((None, None), (2, 3) if integer else (0.5, 2.0), (0, 1), (1, None)):
        if dtype == "bool":
            beta, alpha = (None if each is None else bool(each) for each in (beta, alpha))
        keywords = {k: v for k, v in (("beta", beta), ("alpha", alpha)) if v is not None}
        wide = [each if integer else each.double() for each in (c, a, b)]
        wanted = torch.addr(wide[0].expand(3, 4), *wide[1:], **keywords).to(c.dtype)
        compare("Addr", (c, a, b, beta, alpha), wanted)
        in_place("InplaceAddr", c.expand(3, 4), (a, b, beta, alpha), wanted)
    if not integer:
        compare("Addr", (torch.full((3, 4), torch.nan, dtype=c.dtype), a, b, 0.0, None), torch.outer(a, b))


@pytest.mark.parametrize("dtype", [*FLOATS, "int64"])
def test_extremes_of_lists(dtype: str) -> None:
    parts = [sample(dtype, shape, k) for k, shape in enumerate([(3, 4), (4,), (3, 1)])]
    x, y, z = parts
    exact("MaxN", (parts,), torch.maximum(torch.maximum(x, y), z))
    exact("MinN", (parts,), torch.minimum(torch.minimum(x, y), z))
    exact("MaxN", ([x],), x)
    if dtype == "int64":
        large = torch.tensor([2**53 + 1])
        exact("MaxN", ([large, large - 1],), large)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
def test_reductions(keep: bool, dtype: str) -> None:
    x = floats(dtype, (3, 4, 5), 3)
    for dims in ((1,), (0, -1), ()):
        axes = dims or (0, 1, 2)
        exact("MaxV2", (x, dims, keep, False), torch.amax(x, axes, keep))
        compare("MeanV2", (x, dims, keep, False), x.double().mean(axes, keep).to(x.dtype))
        variance = x.double().var(axes, correction=1, keepdim=keep)
        compare("Var", (x, dims, True, keep), variance.to(x.dtype))
        compare("Var", (x, dims or None, False, keep), x.double().var(axes, correction=0, keepdim=keep).to(x.dtype))
        if dtype != "bfloat16":
            positive = x.abs() + 0.1
            wanted = positive.double().sum(axes, keep).log().to(x.dtype)
            compare(
                "ReduceLogSum",
                (positive, dims, keep, False),
                wanted,
                rtol=1e-3 if dtype == "float16" else 2e-6,
                atol=1e-6,
            )
    for name in ("MaxV2", "MeanV2", *["ReduceLogSum"] * (dtype != "bfloat16")):
        exact(name, (x, (), keep, True), x)
    x = floats(dtype, (2, 3, 4, 5), 4)
    compare("GlobalAveragePool", (x,), x.double().mean((2, 3), True).to(x.dtype))
    if dtype != "bfloat16":
        exact("GlobalMaxPool", (x,), torch.amax(x, (2, 3), True))


def test_reductions_of_nothing() -> None:
    empty = torch.zeros(0, 3)
    exact("MeanV2", (empty, (0,), False, False), torch.full((3,), torch.nan))
    exact("ReduceLogSum", (empty, (0,), False, False), torch.zeros(3))
    exact("Var", (empty, (), True, False), torch.tensor(torch.nan))
    exact("Histc", (empty, 4, 0.0, 1.0), torch.zeros(4))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_histograms(dtype: str) -> None:
    x = floats(dtype, (7, 9), 3)
    x[0, 0] = 1.0
    for bins, low, high in ((5, -1.0, 1.0), (4, 0.0, 0.0), (1, -0.5, 0.25)):
        exact("Histc", (x, bins, low, high), torch.histc(x.float(), bins, low, high).to(x.dtype))
    x[1, 1] = torch.nan
    exact("Histc", (x, 8, -1.0, 1.0), torch.histc(x.float().nan_to_num(9), 8, -1, 1).to(x.dtype))
    same = torch.full((3,), 2.0)
    exact("Histc", (same, 4, 0.0, 0.0), torch.histc(same, 4, 0, 0))
    n = sample("int32", (40,), 3)
    exact("Histc", (n, 6, 0, 6), torch.histc(n.double(), 6, 0, 6).int())
    assert status("Histc", right_call("Histc") | {"max": S(float("inf"))}) == 161002
    assert status("Histc", right_call("Histc") | {"bins": 0, "out": T((0,))}) == 161002


@pytest.mark.parametrize("right", [False, True])
def test_searches(right: bool) -> None:
    row, values = torch.tensor([1.0, 2, 2, 5, torch.inf]), torch.tensor([[0.0, 2, 3], [5, torch.inf, torch.nan]])
    exact("SearchSorted", (row, values, False, right, None), torch.searchsorted(row, values, right=right))
    shuffled, order = row.flip(0), torch.tensor([4, 3, 2, 1, 0])
    wanted = torch.searchsorted(shuffled, values, right=right, sorter=order, out_int32=True)
    exact("SearchSorted", (shuffled, values, True, right, order), wanted)
    rows = torch.tensor([[1, 3, 5], [2, 4, 6]])
    exact(
        "SearchSorted",
        (rows, values.nan_to_num(9, 9).long(), False, right, None),
        torch.searchsorted(rows, values.nan_to_num(9, 9).long(), right=right),
    )
    flipped, orders = rows.flip(1), torch.tensor([[2, 1, 0]] * 2)
    exact("SearchSorted", (flipped, rows, False, right, orders), torch.searchsorted(rows, rows, right=right))
    exact("SearchSorted", (torch.zeros(0), values, False, right, None), torch.zeros(2, 3, dtype=torch.int64))
    with pytest.raises(InvalidArgument, match="all sizes but the last must be equal; reshape self"):
        call("SearchSorted", rows, torch.zeros(3, 2), False, right, None, torch.zeros(3, 2, dtype=torch.int64))


@pytest.mark.parametrize("dtype", [*FLOATS, "int64", "bool"])
def test_orders_of_elements(dtype: str) -> None:
    x = sample(dtype, (2, 6, 3, 2), 3)
    exact("ChannelShuffle", (x, 3), F.channel_shuffle(x.double(), 3).to(x.dtype))
    for axis in (0, 2, -1):
        k = axis % 4
        exact("Flatten", (x, axis), x.reshape(int(np.prod(x.shape[:k])), -1))
    exact("Flatten", (x[0, 0, 0, 0], 0), x[0, 0, 0, :1][None])
    exact("Expand", (x[:, :1], (5, 2, 4, 3, 2)), x[:, :1].expand(5, 2, 4, 3, 2))
    for k in (0, 2, -1):
        exact("DiagFlat", (x[0, :2, :, 0], k), torch.diagflat(x[0, :2, :, 0], k))
    value = True if dtype == "bool" else 2
    for shape, wraps in (((5, 3), True), ((7, 2), False), ((3, 4), True)):
        y = sample(dtype, shape, 4)
        in_place("InplaceFillDiagonal", y, (value, wraps), y.clone().fill_diagonal_(value, wraps))
    cube = sample(dtype, (3, 3, 3), 4)
    in_place("InplaceFillDiagonal", cube, (value, False), cube.clone().fill_diagonal_(value))
    number = torch.tensor([2.5])
    in_place("InplaceFillTensor", x, (number,), torch.full_like(x, 2.5 if dtype in FLOATS else 2))
    in_place(
        "InplaceFillTensor", x[0, 0, 0, 0], (number,), torch.full_like(x[0, 0, 0, 0], 2.5 if dtype in FLOATS else 2)
    )
    with pytest.raises(InvalidArgument, match=r"size is \(3,\), but self has shape \(2, 2\)"):
        call("Expand", x[0, :2, 0], (3,), torch.zeros(3, dtype=x.dtype))


#: Wrong calls: a function, what differs from a right call, and the status.
WRONG: list[tuple[str, dict[str, Any], int]] = [
    ("ReplicationPad2d", {"padding": (1, 0)}, 161002),
    ("ReplicationPad2d", {"self": T((0, 3, 3)), "out": T((0, 4, 4))}, 161002),
    ("ReplicationPad1d", {"self": T(), "out": T((2, 4), "float16")}, 161002),
    ("ReflectionPad3d", {"padding": (3, 0, 0, 1, 0, 0), "out": T((1, 3, 4, 6))}, 161002),
    ("CircularPad2d", {"self": T((1, 3, 3), "float64"), "out": T((1, 4, 4), "float64")}, 161002),
    ("ReflectionPad2dBackward", {"gradInput": T((1, 3, 4))}, 161002),
    ("CircularPad2dBackward", {"self": None}, 161001),
    ("CircularPad3dBackward", {"self": None}, 561103),
    ("Frac", {"input": T(dtype="float64"), "out": T(dtype="float64")}, 161002),
    ("IsInf", {"x": T(dtype=I32)}, 161002),
    ("IsNegInf", {"out": T()}, 161002),
    ("Sinc", {"self": None}, 561103),
    ("Addr", {"vec1": T((2, 1))}, 161002),
    ("Addr", {"betaOptional": S(True, "bool")}, 161002),
    ("InplaceAddr", {"selfRef": T((1, 3))}, 161002),
    ("MaxN", {"tensors": (T(), T(dtype=I32))}, 161002),
    ("MaxN", {"tensors": ()}, 161002),
    ("MaxV2", {"dims": (0, -2)}, 161002),
    ("MaxV2", {"self": T((0, 3))}, 161002),
    ("MeanV2", {"dim": None}, 561103),
    ("MeanV2", {"out": T((3,), "float16")}, 161002),
    ("ReduceLogSum", {"axes": (2,)}, 161002),
    ("GlobalAveragePool", {"self": T((2, 3, 4)), "out": T((2, 3, 1))}, 161002),
    ("Histc", {"min": S(2.0), "max": S(1.0)}, 161002),
    ("Expand", {"size": (2, -1)}, 161002),
    ("ChannelShuffle", {"groups": 2}, 161002),
    ("ChannelShuffle", {"groups": 0}, 161002),
    ("DiagFlat", {"self": None}, 561103),
    ("Flatten", {"axis": 2}, 161002),
    ("InplaceFillDiagonal", {"selfRef": T((2, 2, 3))}, 161002),
    ("InplaceFillDiagonal", {"selfRef": T((3, 2), I32), "fillValue": S(2**40, I64)}, 161002),
    ("InplaceFillTensor", {"value": T((2,))}, 161002),
]


@pytest.mark.share(4)
@pytest.mark.parametrize(("name", "change", "expected"), WRONG)
def test_wrong_calls(name: str, change: dict[str, Any], expected: int) -> None:
    assert status(name, right_call(name)) == 0
    assert status(name, right_call(name) | change) == expected


def test_bfloat16_gradients_of_wide_padding() -> None:
    """CANN's kernel of 16 bits takes at most 7 elements, unless the rows stay as they are."""
    for pad, expected in (((8, 0, 0, 0), 0), ((8, 0, 1, 0), 161002), ((7, 0, 1, 0), 0), ((0, 0, -1, 0), 161002)):
        shape = (1, 9 + pad[2] + pad[3], 9 + pad[0] + pad[1])
        wide = {name: T((1, 9, 9), "bfloat16") for name in ("self", "gradInput")} | {"gradOutput": T(shape, "bfloat16")}
        assert status("ReflectionPad2dBackward", wide | {"padding": pad}) == expected
        narrow = {k: v._replace(dtype="float32") for k, v in wide.items()}
        assert status("ReflectionPad2dBackward", narrow | {"padding": pad}) == 0
