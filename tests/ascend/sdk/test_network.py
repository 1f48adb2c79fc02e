"""Copies, fills, arithmetic and sums of the C SDK: against PyTorch, by dtypes, layouts and promotion."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from actgrad import aclnn
from actgrad.ascend.network.rules import RULES as OURS
from actgrad.ascend.network.work import Work
from actgrad.ascend.sdk import declared_functions
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import InvalidArgument, InvalidDtype, NullArgument
from tests.support.sdk_programs import MODES, Sdk, needs_compiler

torch = pytest.importorskip("torch")

DTYPES = ("float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "int32", "int64", "bool")


def tensor_of(given: Any, form: int = 2) -> Any:
    """An aclTensor on a torch.Tensor's memory, with its layout. The format is ND, if nothing else is said."""
    if isinstance(given, aclnn.AclTensor):
        return given
    storage = torch.tensor([], dtype=given.dtype).set_(given.untyped_storage())
    number = BY_NAME[str(given.dtype).removeprefix("torch.")].acl
    return aclnn.aclCreateTensor(
        tuple(given.shape), number, given.stride(), given.storage_offset(), form, (storage.numel(),), storage
    )


def call(name: str, *given: Any) -> None:
    """Both phases of a call; torch.Tensors are tensors, numbers are scalars, lists are lists of these."""
    function = declared_functions.computed()[f"aclnn{name}"]
    kinds = [parameter.type for parameter in function.arguments]
    values = [object_of(kind, value) for kind, value in zip(kinds, given, strict=True)]
    Work(f"aclnn{name}", function.rule, function.arguments, values).run(0)


def object_of(kind: str, value: Any) -> Any:
    if value is None or kind not in ("Tensor", "Scalar", "tensors", "scalars"):
        return value
    if kind in ("tensors", "scalars") and not isinstance(value, torch.Tensor):  # a tensor may hold the scalars
        return tuple(tensor_of(each) if kind == "tensors" else scalar_of(each) for each in value)
    return scalar_of(value) if kind == "Scalar" else tensor_of(value)


def scalar_of(value: Any) -> Any:
    dtype = {bool: "bool", int: "int64", float: "float64"}[type(value)]
    return aclnn.aclCreateScalar(value, BY_NAME[dtype].acl)


#: Dtypes of the tests that CANN's operators do not take.
REFUSED = {
    "Neg": "int16 uint8", "Exp": "int8 uint8 int16 int32", "Square": "float64 int8 uint8 int16",
    "Sign": "int8 uint8 int16", "Matmul": "float64 int32", "Ceil": "int32", "Trunc": "float64 int32",
    "Roll": "float64",
}  # fmt: skip


def is_refused(name: str, *given: Any) -> bool:
    """Whether a function refuses the first tensor's dtype, as it must."""
    dtype = str(given[0].dtype).removeprefix("torch.")
    if dtype not in REFUSED.get(name, "").split():
        return False
    with pytest.raises(InvalidDtype, match=f"aclnn{name}: .* is {dtype}; it must be "):
        call(name, *given)
    return True


def sample(dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    made = torch.from_numpy(np.random.default_rng(seed).integers(-3, 9, shape)) + (0.3 if "float" in dtype else 0)
    return made.abs().to(getattr(torch, dtype)) if dtype == "uint8" else made.to(getattr(torch, dtype))


def test_every_rule_is_of_a_function_with_results() -> None:
    assert {function.rule for function in declared_functions.computed().values()} == set(OURS.values())
    for function in declared_functions.computed().values():
        assert any(parameter.is_output for parameter in function.arguments)


RULES: dict[str, Callable[[Any, Any], Any]] = {"Mul": torch.mul, "Div": torch.div}


@pytest.mark.share(9)
@pytest.mark.parametrize(("a", "b"), list(itertools.product(DTYPES, repeat=2)))
def test_promotion_of_tensors(a: str, b: str) -> None:
    """As PyTorch's, for each two dtypes; shapes broadcast."""
    x, y = sample(a, (3, 4), 1), sample(b, (4,), 2)
    for name, rule in RULES.items():
        wanted = rule(x, y)
        out = torch.zeros_like(wanted)
        call(name, x, y, out)
        np.testing.assert_array_equal(out.double().numpy(), wanted.double().numpy(), f"{name} {a} {b}")
    if "bool" not in (a, b):
        for name, rule in (("Add", torch.add), ("Sub", torch.sub)):
            wanted = rule(x, y, alpha=2)
            out = torch.zeros_like(wanted)
            call(name, x, y, 2, out)
            largest = np.abs(wanted.double().numpy()).max()
            tolerance = 0.0 if wanted.dtype in (torch.float64, torch.int64) else largest * 2**-7
            np.testing.assert_allclose(out.double().numpy(), wanted.double().numpy(), rtol=0, atol=tolerance)


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [2, 1.5])
def test_promotion_with_numbers(dtype: str, number: float) -> None:
    x = sample(dtype, (5,), 3)
    for name, wanted in (("Muls", x * number), ("Divs", x / number)):
        out = torch.zeros_like(wanted)
        call(name, x, number, out)
        np.testing.assert_array_equal(out.double().numpy(), wanted.double().numpy())
    wanted = x + number
    out = torch.zeros_like(wanted)
    call("Adds", x, number, 1, out)
    np.testing.assert_array_equal(out.double().numpy(), wanted.double().numpy())


@pytest.mark.parametrize(("a", "b"), list(itertools.product(DTYPES, repeat=2)))
def test_copies_and_casts(a: str, b: str) -> None:
    """Between all dtypes, from and to strided memory, with broadcast; nothing else is written."""
    source = sample(a, (6, 4), 4).t()[:, ::2]
    memory = torch.full((4, 9), 7).to(getattr(torch, b))
    to = memory[:, 1:7:2]
    wanted = memory.clone()
    wanted[:, 1:7:2] = source
    call("InplaceCopy", to, source)
    assert torch.equal(memory, wanted)
    out = torch.zeros(source.shape, dtype=getattr(torch, b))
    call("Cast", source, BY_NAME[b].acl, out)
    assert torch.equal(out, source.to(out.dtype))
    call("InplaceCopy", out, sample(a, (1,), 5))
    assert torch.equal(out, sample(a, (1,), 5).to(out.dtype).expand(out.shape))


@pytest.mark.parametrize("dtype", DTYPES)
def test_fills_and_in_place(dtype: str) -> None:
    x = sample(dtype, (2, 3), 6).t()
    call("InplaceFillScalar", x, 1)
    assert torch.equal(x, torch.ones_like(x))
    call("InplaceZero", x)
    assert torch.equal(x, torch.zeros_like(x))
    call("InplaceOne", x)
    assert torch.equal(x, torch.ones_like(x))
    if dtype != "bool":
        call("InplaceAdds", x, 3, 2)
        call("InplaceMul", x, x)
        call("InplaceSub", x, torch.ones_like(x), 1)
        assert torch.equal(x, torch.full_like(x, 48))
        negative = torch.empty_like(x)
        if is_refused("Neg", x, negative):
            return
        call("Neg", x, negative)
        assert torch.equal(negative, -x)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("dims", [(), (0,), (-1,), (0, 2)])
@pytest.mark.parametrize("keep", [False, True])
def test_sums(dtype: str, dims: tuple[int, ...], keep: bool) -> None:
    x = sample(dtype, (3, 4, 5), 7)
    axes = dims or (0, 1, 2)
    for name, rule in (("ReduceSum", torch.sum), ("Mean", torch.mean)):
        wanted = rule(x, axes, keep)
        out = torch.zeros_like(wanted)
        call(name, x, dims, keep, BY_NAME[dtype].acl, out)
        torch.testing.assert_close(out, wanted)


UNARY = {"Exp": torch.exp, "Log": torch.log, "Sqrt": torch.sqrt, "Rsqrt": torch.rsqrt, "Square": torch.square,
         "Reciprocal": torch.reciprocal, "Sign": torch.sign, "Abs": torch.abs}  # fmt: skip


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bool"])
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_tensor(name: str, dtype: str) -> None:
    x = sample(dtype, (3, 5), 8).t()
    wanted = UNARY[name](x)
    out = torch.zeros_like(wanted)
    if is_refused(name, x, out):
        return
    call(name, x, out)
    torch.testing.assert_close(out, wanted, equal_nan=True)


@pytest.mark.share(9)
@pytest.mark.parametrize(("a", "b"), list(itertools.product(DTYPES[:-1], repeat=2)))
def test_comparisons(a: str, b: str) -> None:
    x, y = sample(a, (3, 4), 9), sample(b, (4,), 10)
    same = torch.zeros(3, 4)
    call("EqTensor", x, y, same)
    assert torch.equal(same, (x == y).float())
    for name, rule in (("Maximum", torch.maximum), ("Minimum", torch.minimum)):
        wanted = rule(x, y)
        out = torch.zeros_like(wanted)
        call(name, x, y, out)
        assert torch.equal(out, wanted)
    for name, wanted in (("GtScalar", x > 2), ("LtScalar", x < 2), ("EqScalar", x == 2)):
        truth = torch.zeros(3, 4, dtype=torch.bool)
        call(name, x, 2, truth)
        assert torch.equal(truth, wanted)


def test_what_is_refused() -> None:
    x, y = torch.zeros(2, 3), torch.zeros(2, 4)
    with pytest.raises(
        InvalidArgument, match=r"aclnnMul: self has shape \(2, 3\), other has shape \(2, 4\); they must broadcast"
    ):
        call("Mul", x, y, x)
    with pytest.raises(InvalidArgument, match=r"aclnnAdds: out has shape \(2, 4\); it must be \(2, 3\), the shape"):
        call("Adds", x, 1, 1, y)
    with pytest.raises(InvalidArgument, match=r"aclnnReduceSum: dims is \(2,\), but self has 2 dimensions; "):
        call("ReduceSum", x, (2,), False, 0, torch.zeros(2))
    zero = declared_functions.computed()["aclnnInplaceZero"]
    with pytest.raises(NullArgument, match="aclnnInplaceZero: selfRef is a null pointer"):
        Work("aclnnInplaceZero", zero.rule, zero.arguments, [None])
    gone = tensor_of(x)
    aclnn.aclDestroyTensor(gone)
    with pytest.raises(InvalidArgument, match="aclnnInplaceZero: selfRef was destroyed"):
        Work("aclnnInplaceZero", zero.rule, zero.arguments, [gone])
    for a, b in (((2, 3), (2, 3)), ((2, 3), (2,))):
        with pytest.raises(InvalidArgument, match=r"aclnnMatmul: the matrices have shapes .*; columns of the"):
            call("Matmul", torch.zeros(a), torch.zeros(b), x, 0)
    with pytest.raises(InvalidArgument, match=r"aclnnCat: dim is 2, but tensors has 2 dimensions; "):
        call("Cat", [x, y], 2, x)
    with pytest.raises(
        InvalidArgument, match=r"aclnnCat: the tensors have shapes \(2, 3\), \(2, 4\); all sizes but that"
    ):
        call("Cat", [x, y], 0, x)
    with pytest.raises(InvalidArgument, match="aclnnForeachMulList: x1 has 2, x2 has 1, out has 2; "):
        call("ForeachMulList", [x, x], [x], [x, x])


HALVES = ("float32", "float16", "bfloat16")
PRODUCTS = (
    ((3, 4), (4, 5)), ((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((2, 1, 3, 4), (6, 4, 5)), ((0, 4), (4, 5)),
    ((3, 0), (0, 5)),
)  # fmt: skip


@pytest.mark.share(6)
@pytest.mark.parametrize("dtype", [*HALVES, "float64", "int32"])
@pytest.mark.parametrize("shapes", PRODUCTS)
def test_products_of_matrices(dtype: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    """Strided matrices, vectors, batches; halves are summed in float32 and rounded once."""
    x, y = (sample(dtype, shape[::-1], k).permute(*range(len(shape))[::-1]) for k, shape in enumerate(shapes))
    wanted = torch.matmul(x.double(), y.double()).to(x.dtype)
    out = torch.full_like(wanted, 7)
    if is_refused("Matmul", x, y, out, 0):
        return
    call("Matmul", x, y, out, 0)
    torch.testing.assert_close(out, wanted)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("beta", [0, 0.5])
def test_addmm(dtype: str, beta: float) -> None:
    """With beta 0 the addend may be NaN."""
    x, y, c = sample(dtype, (3, 4), 1), sample(dtype, (4, 5), 2), sample(dtype, (5,), 3)
    if not beta:
        c.fill_(torch.nan)
    wanted = torch.addmm(c.double(), x.double(), y.double(), beta=beta, alpha=2).to(x.dtype)
    out = torch.zeros_like(wanted)
    call("Addmm", c, x, y, beta, 2, out, 0)
    torch.testing.assert_close(out, wanted)
    call("InplaceAddmm", out, x, y, 1, 1, 0)
    torch.testing.assert_close(out.double(), wanted.double() + x.double() @ y.double(), rtol=2**-7, atol=0)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("beta", [0, 0.5])
def test_baddbmm(dtype: str, beta: float) -> None:
    """With beta 0 the addend may be NaN, also in place."""
    x, y, c = sample(dtype, (2, 3, 4), 1), sample(dtype, (2, 4, 5), 2), sample(dtype, (2, 3, 5), 3)
    if not beta:
        c.fill_(torch.nan)
    wanted = torch.baddbmm(c.double(), x.double(), y.double(), beta=beta, alpha=2).to(x.dtype)
    out = torch.full_like(wanted, torch.nan)
    call("Baddbmm", c, x, y, beta, 2, out, 0)
    torch.testing.assert_close(out, wanted)
    call("InplaceBaddbmm", c, x, y, beta, 2, 0)
    torch.testing.assert_close(c, wanted)


def test_halves_are_summed_in_float32() -> None:
    """A sum in half precision would stay at 4096, whose neighbour is 4100."""
    ones = torch.ones(1, 4097, dtype=torch.float16)
    out = torch.zeros(1, 1, dtype=torch.float16)
    call("Mm", ones * 2, ones.t(), out, 0)
    assert out.item() == 8192  # 8194, rounded once
    out = torch.zeros(1, 1)
    call("Mm", ones * 2, ones.t(), out, 0)
    assert out.item() == 8194


@pytest.mark.parametrize(("a", "b"), list(itertools.product(DTYPES, repeat=2)))
def test_joined_tensors(a: str, b: str) -> None:
    x, y = sample(a, (3, 2), 11), sample(b, (5, 3), 12).t()[:, ::2]
    for dim in (1, -1):
        wanted = torch.cat([x, y, torch.zeros(0, dtype=x.dtype)], dim)
        out = torch.zeros_like(wanted)
        call("Cat", [x, y, torch.zeros(0, dtype=x.dtype)], dim, out)
        assert torch.equal(out, wanted)


def test_clamps() -> None:
    x = torch.tensor([-3.0, -1, 0, 2, 9, torch.nan, torch.inf, -torch.inf])
    for low, high in ((-2, 3), (None, 3), (-2, None)):
        out = torch.zeros_like(x)
        call("Clamp", x, low, high, out)
        torch.testing.assert_close(out, x.clamp(low, high), rtol=0, atol=0, equal_nan=True)
    low, high = torch.full((8,), -2.5), torch.full((1,), 2.5)
    out = torch.zeros_like(x)
    call("ClampTensor", x, low, high, out)
    torch.testing.assert_close(out, x.clamp(low, high), rtol=0, atol=0, equal_nan=True)
    call("InplaceClampMaxTensor", x, high)
    assert x[:5].tolist() == [-3, -1, 0, 2, 2.5]


@pytest.mark.parametrize("dtype", DTYPES)
def test_nan_to_num(dtype: str) -> None:
    """In place too. Numbers of types without NaN stay, also those that a float does not have."""
    x = torch.tensor([0.5, -2.0, torch.nan, torch.inf, -torch.inf, 0.0]).to(getattr(torch, dtype))
    if dtype == "int64":
        x[0] = 2**53 + 1
    for values in ((0.0, 3.0, -3.0), (1.5, torch.inf, torch.nan)):
        out, wanted = torch.empty_like(x), torch.nan_to_num(x, *values)
        call("NanToNum", x, *values, out)
        torch.testing.assert_close(out, wanted, rtol=0, atol=0, equal_nan=True)
        call("InplaceNanToNum", changed := x.clone(), *values)
        torch.testing.assert_close(changed, wanted, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", HALVES)
def test_choices(dtype: str) -> None:
    x, y = sample(dtype, (3, 4), 13), sample(dtype, (4,), 14)
    for mask in (x > 2, (x > 2).to(torch.uint8)):
        out = torch.zeros_like(x)
        call("SWhere", mask, x, y, out)
        assert torch.equal(out, torch.where(mask != 0, x, y))
    call("InplaceMaskedFillScalar", x, y > 1, -7)
    assert torch.equal(x, sample(dtype, (3, 4), 13).masked_fill(y > 1, -7))


OF_THREE: dict[str, tuple[Callable[..., Any], float]] = {
    "Addcmul": (torch.addcmul, 1.5), "Addcdiv": (torch.addcdiv, 1.5), "Lerps": (torch.lerp, 0.75),
}  # fmt: skip


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", OF_THREE)
def test_steps_of_optimisers(name: str, dtype: str) -> None:
    rule, number = OF_THREE[name]
    tensors = [sample(dtype, (2, 5), 15 + k) for k in range(2 if name == "Lerps" else 3)]
    given = {"value": number} if name != "Lerps" else {"weight": number}
    wanted = rule(*(each.double() for each in tensors), **given).to(tensors[0].dtype)
    out = torch.zeros_like(wanted)
    call(name, *tensors, number, out)
    torch.testing.assert_close(out, wanted)
    call(f"Inplace{name}", *tensors, number)
    torch.testing.assert_close(tensors[0], wanted)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_mean_squared_error(reduction: str) -> None:
    number = ("none", "mean", "sum").index(reduction)
    x, y = sample("float32", (3, 4), 18).requires_grad_(), sample("float32", (4,), 19).expand(3, 4)
    wanted = torch.nn.functional.mse_loss(x, y, reduction=reduction)
    out = torch.zeros_like(wanted)
    call("MseLoss", x.detach(), y, number, out)
    torch.testing.assert_close(out, wanted.detach())
    (gradient,) = torch.autograd.grad(wanted.sum(), x)
    out = torch.zeros_like(gradient)
    call("MseLossBackward", torch.ones_like(wanted).detach(), x.detach(), y, number, out)
    torch.testing.assert_close(out, gradient)


def test_lists_of_tensors() -> None:
    """Each tensor for itself, with one number for all or one for each, in place too."""
    xs, ys = ([sample("float32", shape, k + n) for k, shape in enumerate(((2, 3), (), (4,)))] for n in (20, 30))
    out = [torch.zeros_like(x) for x in xs]
    call("ForeachAddListV2", xs, ys, 0.5, out)
    for got, wanted in zip(out, torch._foreach_add(xs, ys, alpha=0.5), strict=True):
        torch.testing.assert_close(got, wanted)
    call("ForeachMulScalarV2", xs, 3.0, out)
    assert all(map(torch.equal, out, torch._foreach_mul(xs, 3)))
    call("ForeachAddcdivScalarList", xs, ys, ys, [1.0, 2.0, 3.0], xs)
    for k, x in enumerate(xs):
        torch.testing.assert_close(x, sample("float32", tuple(x.shape), 20 + k) + k + 1)
    call("ForeachZeroInplace", xs)
    assert not any(x.any() for x in xs)


#: By function: PyTorch's own, and what both are given after the tensor.
OTHERS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "GtTensor": (torch.gt, (torch.ones(4),)), "GeTensor": (torch.ge, (torch.ones(4),)),
    "LtTensor": (torch.lt, (torch.ones(4),)), "LeTensor": (torch.le, (torch.ones(4),)),
    "NeTensor": (torch.ne, (torch.ones(4),)), "LogicalAnd": (torch.logical_and, (torch.ones(4),)),
    "LogicalOr": (torch.logical_or, (torch.zeros(4),)), "LogicalNot": (torch.logical_not, ()),
    "GeScalar": (torch.ge, (1,)), "LeScalar": (torch.le, (1,)), "NeScalar": (torch.ne, (1,)),
    "IsFinite": (torch.isfinite, ()), "Floor": (torch.floor, ()), "Ceil": (torch.ceil, ()), "Trunc": (torch.trunc, ()),
    "Round": (torch.round, ()), "Max": (torch.max, ()), "Min": (torch.min, ()), "Amax": (torch.amax, ((1,), False)),
    "Amin": (torch.amin, ((0,), True)), "ArgMax": (torch.argmax, (1, True)), "Repeat": (torch.tile, ((2, 1, 3),)),
    "Permute": (torch.permute, ((1, 0),)), "Roll": (torch.roll, ((1, 2), (0, 1))), "Tril": (torch.tril, (-1,)),
    "Triu": (torch.triu, (1,)), "Sin": (torch.sin, ()), "Cos": (torch.cos, ()),
    "IndexSelect": (torch.index_select, (1, torch.tensor([3, 0, 3]))),
    "PowTensorScalar": (torch.pow, (2,)), "PowTensorTensor": (torch.pow, (torch.full((4,), 3.0),)),
}  # fmt: skip


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int32"])
@pytest.mark.parametrize("name", OTHERS)
def test_other_functions(name: str, dtype: str) -> None:
    """A second tensor has the dtype of the first, but indices."""
    rule, given = OTHERS[name]
    x = sample(dtype, (3, 4), 40)
    is_float = [isinstance(each, torch.Tensor) and each.dtype == torch.float32 for each in given]
    given = tuple(each.to(x.dtype) if flag else each for each, flag in zip(given, is_float, strict=True))
    wanted = rule(x, *given)
    out = torch.zeros_like(wanted)
    if is_refused(name, x, *given, out):
        return
    call(name, x, *given, out)
    torch.testing.assert_close(out, wanted)


def test_made_and_looked_up() -> None:
    out = torch.zeros(4, dtype=torch.int64)
    call("Arange", 1, 12, 3, out)
    assert out.tolist() == [1, 4, 7, 10]
    table, indices = sample("float32", (5, 3), 41), torch.tensor([[4, 0], [2, 4]], dtype=torch.int32)
    rows = torch.zeros(2, 2, 3)
    call("Embedding", table, indices, rows)
    assert torch.equal(rows, table[indices.long()])
    for dim in (0, 1, -1):
        wanted = torch.stack([rows, -rows], dim)
        out = torch.zeros_like(wanted)
        call("Stack", [rows, -rows], dim, out)
        assert torch.equal(out, wanted)
    for name, rule in (("All", torch.all), ("Any", torch.any)):
        truth = torch.zeros(5, dtype=torch.bool)
        call(name, table > 3, (1,), False, truth)
        assert torch.equal(truth, rule(table > 3, 1))
    sums = torch.zeros(5, 3)
    call("Cumsum", table, -1, 0, sums)
    torch.testing.assert_close(sums, table.cumsum(-1))


@pytest.mark.share(4)
@needs_compiler
@pytest.mark.parametrize("mode", MODES)
def test_from_c(sdk: Sdk, mode: str) -> None:
    """On device memory, which a strict host may not touch, and in a process of its own."""
    assert sdk.run("arithmetic", mode=mode) == "ok\n"
