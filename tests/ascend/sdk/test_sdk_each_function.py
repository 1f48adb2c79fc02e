"""Functions around the activations that no other test calls: through C, against PyTorch in float64."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from actgrad.ascend.sdk import declared_functions
from tests.ascend.sdk.test_network import call as call_in_python
from tests.support.sdk_programs import Sdk, needs_compiler

torch = pytest.importorskip("torch")
F = torch.nn.functional

from tests.support.sdk_calls import SdkCall, made_in_c  # noqa: E402

pytestmark = needs_compiler

F32, F16, BF16, I32, I64 = torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int64
FLOATS = (F32, F16, BF16)
#: Relative and absolute distances from float64's result, rounded once: NumPy's functions of float32 err by a few ULP.
TOLERANCES = {F32: (2e-6, 1e-37), F16: (2**-10, 2**-24), BF16: (2**-7, 1e-37), torch.float64: (1e-12, 0.0)}
SPECIAL = (0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1e-39, 1.0, -1.0, 0.5, -0.5, 2.0, 30.0)

Rule = Callable[..., Any]


def floats(dtype: Any, seed: int, shape: tuple[int, ...] = (4, 6), special: bool = True) -> Any:
    """Numbers around 0, with ±0, ±inf, NaN, a subnormal and the ends of domains; strided."""
    values = np.random.default_rng(seed).normal(size=shape) * 2
    if special:
        values.reshape(-1)[: len(SPECIAL)] = np.roll(SPECIAL, seed)
    backwards = tuple(range(len(shape)))[::-1]
    return torch.from_numpy(values.T.copy()).to(dtype).permute(backwards)


def integers(dtype: Any, seed: int, low: int = -9, high: int = 9, shape: tuple[int, ...] = (4, 6)) -> Any:
    return torch.from_numpy(np.random.default_rng(seed).integers(low, high, shape)).to(dtype)


def rounded(rule: Rule, dtype: Any, *values: Any) -> Any:
    """`rule` in float64 for floating point numbers, rounded to a dtype."""
    wide = [each.double() if isinstance(each, torch.Tensor) and each.is_floating_point() else each for each in values]
    return rule(*wide).to(dtype)


#: Functions of one tensor, each also in place as Inplace...
UNARY: dict[str, Rule] = {
    "Tan": torch.tan, "Sinh": torch.sinh, "Cosh": torch.cosh, "Asin": torch.asin, "Acos": torch.acos,
    "Atan": torch.atan, "Asinh": torch.asinh, "Acosh": torch.acosh, "Atanh": torch.atanh, "Exp2": torch.exp2,
    "Log2": torch.log2, "Log10": torch.log10, "Erfc": torch.erfc, "Erf": torch.erf, "Log": torch.log,
    "Sqrt": torch.sqrt, "Rsqrt": torch.rsqrt, "Reciprocal": torch.reciprocal, "Ceil": torch.ceil,
}  # fmt: skip


def of_one() -> Iterator[SdkCall]:
    for (name, rule), (k, dtype) in itertools.product(UNARY.items(), enumerate(FLOATS)):
        x = floats(dtype, k)
        wanted = rounded(rule, dtype, x)
        yield SdkCall(name, (x,), (wanted,))
        yield SdkCall(f"Inplace{name}", (x.clone(),), (wanted,))
    for name in sorted(UNARY.keys() - {"Ceil", "Erf", "Sqrt"}):
        x = integers(I64, 3, -3, 4)
        yield SdkCall(name, (x,), (rounded(UNARY[name], F32, x.double()),))
    x = floats(F32, 4)
    yield SdkCall("Signbit", (x,), (torch.signbit(x),))
    yield SdkCall("InplaceLogicalNot", (x.clone(),), ((x == 0).float(),))
    yield SdkCall("InplaceTril", (x.clone(), -1), (torch.tril(x, -1),))
    x = floats(F32, 4, special=False)
    yield SdkCall("InplaceRound", (x.clone(),), (torch.round(x),))
    yield SdkCall("Trace", (x,), (torch.trace(x.double()).float(),))


#: Functions of two tensors or a tensor and a number: PyTorch's, tensors' dtypes, and the names of both forms.
BINARY: list[tuple[Rule, tuple[Any, ...], tuple[str, ...], tuple[str, ...]]] = [
    (torch.atan2, FLOATS, ("Atan2", "InplaceAtan2"), ()),
    (torch.logaddexp, FLOATS, ("LogAddExp",), ()),
    (torch.logaddexp2, FLOATS, ("LogAddExp2",), ()),
    (torch.fmod, (*FLOATS, I32), ("FmodTensor", "InplaceFmodTensor"), ("FmodScalar", "InplaceFmodScalar")),
    (torch.xlogy, FLOATS, ("XLogYTensor",), ("XLogYScalarOther",)),
    (torch.bitwise_xor, (I32, torch.bool), ("BitwiseXorTensor", "InplaceBitwiseXorTensor"), ()),
    (torch.bitwise_xor, (I32,), (), ("BitwiseXorScalar", "InplaceBitwiseXorScalar")),
    (
        torch.bitwise_and, (I32,), ("BitwiseAndTensor", "InplaceBitwiseAndTensor"),
        ("BitwiseAndScalar", "InplaceBitwiseAndScalar"),
    ),
    (
        torch.bitwise_or, (I32,), ("BitwiseOrTensor", "InplaceBitwiseOrTensor"),
        ("BitwiseOrScalar", "InplaceBitwiseOrScalar"),
    ),
    (
        torch.floor_divide, (*FLOATS, I32), ("FloorDivide", "InplaceFloorDivide"),
        ("FloorDivides", "InplaceFloorDivides"),
    ),
    (
        torch.remainder, (*FLOATS, I32), ("RemainderTensorTensor", "InplaceRemainderTensorTensor"),
        ("RemainderTensorScalar", "InplaceRemainderTensorScalar"),
    ),
    (torch.maximum, FLOATS, ("ClampMinTensor", "InplaceClampMinTensor"), ()),
    (torch.minimum, FLOATS, ("ClampMaxTensor",), ()),
    (torch.clamp_max, FLOATS, (), ("ClampMax",)),
    (torch.pow, FLOATS, (), ("InplacePowTensorScalar",)),
]  # fmt: skip

COMPARISONS = {
    "Eq": torch.eq, "Ne": torch.ne, "Gt": torch.gt, "Ge": torch.ge, "Lt": torch.lt, "Le": torch.le,
}  # fmt: skip


def of_two() -> Iterator[SdkCall]:
    for rule, dtypes, of_tensors, of_numbers in BINARY:
        for dtype in dtypes:
            if dtype.is_floating_point:
                x, y = floats(dtype, 1), floats(dtype, 6)
                if rule in (torch.floor_divide, torch.remainder, torch.fmod):  # beyond: conventions differ
                    y = torch.where((y == 0) | ~torch.isfinite(y), 1.75, y.float()).to(dtype)
                    x = torch.where(torch.isfinite(x), x.float(), -2.5).to(dtype)
            else:
                x, y = integers(dtype, 1), integers(dtype, 2, 1, 5)
            number: float = 2 if dtype in (I32, torch.bool) else 1.5
            for other, names in ((y, of_tensors), (number, of_numbers)):
                for name in names:
                    wanted = rounded(rule, dtype, x, other)
                    yield SdkCall(name, (x.clone() if name.startswith("Inplace") else x, other), (wanted,))
    for (name, rule), dtype in itertools.product(COMPARISONS.items(), (F32, BF16, I32)):
        x = floats(dtype, 1) if dtype.is_floating_point else integers(dtype, 1)
        y = torch.where(torch.arange(6) % 2 == 0, x, x.flip(0))
        yield SdkCall(f"Inplace{name}Tensor", (x.clone(), y), (rule(x, y).to(dtype),))
        yield SdkCall(f"Inplace{name}Scalar", (x.clone(), 1), (rule(x, 1).to(dtype),))
    x, y = floats(F32, 1), floats(F32, 2)
    zeros = torch.where(torch.arange(6) % 2 == 0, 0.0, y)
    yield SdkCall("LogicalXor", (x, zeros), (torch.logical_xor(x, zeros),))
    yield SdkCall("InplaceLogicalAnd", (x.clone(), zeros), (torch.logical_and(x, zeros).float(),))
    yield SdkCall("InplaceLogicalOr", (x.clone(), zeros), (torch.logical_or(x, zeros).float(),))
    yield SdkCall("XLogYScalarSelf", (1.5, y), (rounded(torch.xlogy, F32, torch.tensor(1.5), y),))
    yield SdkCall("XLogYScalarSelf", (0.0, y), (rounded(torch.xlogy, F32, torch.tensor(0.0), y),))
    n, shift = integers(I32, 5, -99, 99), integers(I32, 6, 0, 9)
    yield SdkCall("LeftShift", (n, shift), (n << shift,))
    yield SdkCall("LeftShifts", (n, 3), (n << 3,))
    yield SdkCall("RightShift", (n, shift), (n >> shift,))
    yield SdkCall("IsClose", (x, x * (1 + 1e-5), 1e-4, 1e-9, True), (torch.isclose(x, x, equal_nan=True),))
    yield SdkCall("IsClose", (x, x * 1.01 + 1, 1e-4, 1e-9, False), (torch.isclose(x, x * 1.01 + 1, 1e-4, 1e-9),))
    yield SdkCall("Subs", (n, 3, 2), (n - 6,))
    yield SdkCall("Subs", (x, 3.0, 0.5), (x - 1.5,))
    for mode, word in ((0, None), (1, "trunc"), (2, "floor")):
        a, b = floats(F32, 7, special=False), floats(F32, 8, special=False)
        yield SdkCall("DivMod", (a, b, mode), (torch.div(a, b, rounding_mode=word),))
        yield SdkCall("DivMods", (a, 0.75, mode), (torch.div(a, 0.75, rounding_mode=word),))
        yield SdkCall("InplaceDivMod", (a.clone(), b, mode), (torch.div(a, b, rounding_mode=word),))
        yield SdkCall("InplaceDivMods", (a.clone(), 0.75, mode), (torch.div(a, 0.75, rounding_mode=word),))
        if mode:
            yield SdkCall("DivMods", (n, 7, mode), (torch.div(n, 7, rounding_mode=word),))


def of_three() -> Iterator[SdkCall]:
    for dtype in FLOATS:
        a, b, c = (floats(dtype, k, special=False) for k in (1, 2, 3))
        weight = (c.double().abs() / 8).to(dtype)
        yield SdkCall("InplaceAddcmul", (a.clone(), b, c, 0.5), (rounded(torch.addcmul, dtype, a, b, c / 2),))
        yield SdkCall("InplaceAddcdiv", (a.clone(), b, c, 0.5), (rounded(torch.addcdiv, dtype, a, b, c * 2),))
        for name in ("Lerp", "InplaceLerp"):
            yield SdkCall(name, (a.clone(), b, weight), (rounded(torch.lerp, dtype, a, b, weight),))
        yield SdkCall("InplaceLerps", (a.clone(), b, 0.75), (rounded(torch.lerp, dtype, a, b, 0.75),))
        mask = b > 0
        value = torch.tensor(2.5, dtype=dtype)
        yield SdkCall("InplaceMaskedFillTensor", (a.clone(), mask, value), (a.masked_fill(mask, value),))
        yield SdkCall("Dot", (a[0], b[0]), (rounded(torch.dot, dtype, a[0], b[0]),))
        dim = torch.softmax(torch.where(mask, -10000.0, a.double() * 0.5), -1)
        yield SdkCall(
            "ScaledMaskedSoftmax", (a[None, None], mask[None, None], 0.5, False), (dim.to(dtype)[None, None],)
        )


def along() -> Iterator[SdkCall]:
    for dtype in (F32, F16, BF16):
        x = floats(dtype, 2)
        values = torch.cummax(x.double(), 1)
        yield SdkCall("Cummax", (x, 1), (values.values.to(dtype), values.indices))
        values = torch.cummin(x.double(), 0)
        yield SdkCall("Cummin", (x, -2), (values.values.to(dtype), values.indices))
        y = floats(dtype, 3, special=False)
        number = {F32: 0, F16: 1, BF16: 27}[dtype]
        yield SdkCall("Cumprod", (y, 1, number), (rounded(lambda a: torch.cumprod(a, 1), dtype, y),))
        yield SdkCall("InplaceCumprod", (y.clone(), 0), (rounded(lambda a: torch.cumprod(a, 0), dtype, y),))
        for keep in (False, True):
            yield SdkCall("ArgMin", (y, 1, keep), (torch.argmin(y, 1, keep),))
        holes = torch.where(x > 1, torch.nan, y)
        sums = torch.nansum(holes.double(), 1)
        yield SdkCall("ReduceNansum", (holes, (1,), False, number), (sums.to(dtype),))
        pair = torch.std_mean(y.double(), (0,), correction=1, keepdim=True)
        yield SdkCall("StdMeanCorrection", (y, (0,), 1, True), tuple(each.to(dtype) for each in pair))
    n = integers(I32, 3, 0, 9, (40,))
    weights = floats(F32, 3, (40,), special=False)
    yield SdkCall("Bincount", (n, None, 12), (torch.bincount(n, minlength=12),))
    yield SdkCall("Bincount", (n, weights, 12), (torch.bincount(n, weights.double(), minlength=12).float(),))
    more = torch.bincount(n, weights.double(), minlength=15)  # for a larger out
    yield SdkCall("Bincount", (n, weights, 12), (more.float(),))
    yield SdkCall("Complex", (weights, n.float()), (torch.complex(weights, n.float()),))
    a = floats(F32, 4, (2, 6, 5), special=False).contiguous()
    doubles, scale, shift = (each.double().requires_grad_() for each in (a, weights[:6], weights[6:12]))
    gradient = floats(F32, 5, (2, 6, 5), special=False).contiguous()
    value = F.group_norm(doubles, 3, scale, shift, 1e-3)
    wanted = torch.autograd.grad(value, (doubles, scale, shift), gradient.double())
    groups = a.double().reshape(2, 3, -1)
    mean, rstd = groups.mean(-1), 1 / (groups.var(-1, correction=0) + 1e-3).sqrt()
    arguments = (gradient, a, mean.float(), rstd.float(), weights[:6], 2, 6, 5, 3, (True,) * 3)
    yield SdkCall("GroupNormBackward", arguments, tuple(each.float() for each in wanted))
    n = integers(I32, 3)
    yield SdkCall("Cummax", (n, 0), tuple(torch.cummax(n, 0)))
    for decimals in (2, 0, -1):
        x = floats(F32, 5, special=False) * 10
        yield SdkCall("RoundDecimals", (x, decimals), (torch.round(x, decimals=decimals),))
        yield SdkCall("InplaceRoundDecimals", (x.clone(), decimals), (torch.round(x, decimals=decimals),))


def losses() -> Iterator[SdkCall]:
    x, target = floats(F32, 1, special=False), (floats(F32, 2, special=False) > 0).float()
    for reduction, word in enumerate(("none", "mean", "sum")):
        for name, loss in (
            ("L1LossBackward", F.l1_loss),
            ("BinaryCrossEntropyWithLogitsBackward", F.binary_cross_entropy_with_logits),
        ):
            a = x.double().requires_grad_()
            value = loss(a, target.double(), reduction=word)
            gradient = torch.full_like(value, 1.5).detach()
            (wanted,) = torch.autograd.grad(value, a, gradient)
            more = (None, None) if name.startswith("Binary") else ()
            yield SdkCall(name, (gradient.float(), x, target, *more, reduction), (wanted.float(),))
        a = floats(F32, 3, (2, 4, 3, 5), special=False).contiguous()
        classes, weight = integers(I64, 4, 0, 4, (2, 3, 5)), torch.tensor([0.5, 1, 2, 0.25])
        classes[0, 0, 0] = 9
        doubles = a.double().requires_grad_()
        value = F.nll_loss(doubles, classes, weight.double(), ignore_index=9, reduction=word)
        total = weight[classes[classes != 9]].sum()
        yield SdkCall("NLLLoss2d", (a, classes, weight, reduction, 9), (value.detach().float(), total))
        gradient = torch.full_like(value, 1.5).detach()
        (wanted,) = torch.autograd.grad(value, doubles, gradient)
        arguments = (gradient.float(), a, classes, weight, reduction, 9, total)
        yield SdkCall("NLLLoss2dBackward", arguments, (wanted.float(),))
    for bad, steps in ((0.0, 2), (0.0, 5), (1.0, 5)):
        scale, count = torch.tensor([8.0]), torch.tensor([steps], dtype=I32)
        wanted, after = scale.clone(), count.clone()
        torch._amp_update_scale_(wanted, after, torch.tensor([bad]), 2.0, 0.5, 6)
        yield SdkCall("AmpUpdateScale", (scale, count, torch.tensor([bad]), 2.0, 0.5, 6), (wanted, after))


#: Functions of lists: each tensor of a list by PyTorch's function.
FOREACH: dict[str, Rule] = {
    "Neg": torch.neg, "Sign": torch.sign, "Exp": torch.exp, "Log": torch.log, "Reciprocal": torch.reciprocal,
    "Acos": torch.acos, "Asin": torch.asin, "Atan": torch.atan, "Cos": torch.cos, "Cosh": torch.cosh,
    "Erf": torch.erf, "Erfc": torch.erfc, "Expm1": torch.expm1, "Log10": torch.log10, "Log1p": torch.log1p,
    "Log2": torch.log2, "Sigmoid": torch.sigmoid, "Sin": torch.sin, "Sinh": torch.sinh, "Tan": torch.tan,
    "Tanh": torch.tanh,
}  # fmt: skip
ARITHMETIC: dict[str, Rule] = {
    "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Div": torch.div, "Pow": torch.pow,
    "Maximum": torch.clamp_min, "Minimum": torch.clamp_max,
}  # fmt: skip


def lists() -> Iterator[SdkCall]:
    for dtype in FLOATS:
        xs = [floats(dtype, k, shape, special=False).contiguous() for k, shape in enumerate([(2, 3), (5,), (1, 4)])]
        ys = [each.abs() + 0.5 for each in xs[::-1]]
        ys = [y.flatten()[: x.numel()].repeat(6)[: x.numel()].reshape(x.shape) for x, y in zip(xs, ys, strict=True)]
        for name, rule in FOREACH.items():
            yield SdkCall(f"Foreach{name}", (xs,), ([rounded(rule, dtype, x) for x in xs],))
        for name in ("Div", "Maximum", "Minimum", "Pow"):
            rule = {"Maximum": torch.maximum, "Minimum": torch.minimum}.get(name, ARITHMETIC[name])
            yield SdkCall(
                f"Foreach{name}List", (ys, xs), ([rounded(rule, dtype, y, x) for x, y in zip(xs, ys, strict=True)],)
            )
        pairs = list(zip(xs, ys, (0.5, 2.0, 3.0), strict=True))
        for name, rule in ARITHMETIC.items():
            yield SdkCall(
                f"Foreach{name}ScalarList", (ys, [0.5, 2.0, 3.0]), ([rounded(rule, dtype, y, n) for _, y, n in pairs],)
            )
            wanted = [rounded(rule, dtype, y, 1.5) for y in ys]
            if name != "Mul":
                yield SdkCall(f"Foreach{name}ScalarV2", (ys, 1.5), (wanted,))
            if name not in ("Maximum", "Minimum"):
                number = torch.tensor([1.5], dtype=F32 if dtype is BF16 else dtype)
                yield SdkCall(f"Foreach{name}Scalar", (ys, number), (wanted,))
        weights = [y / 8 for y in ys]
        mixed = [rounded(torch.lerp, dtype, *each) for each in zip(xs, ys, weights, strict=True)]
        yield SdkCall("ForeachLerpList", (xs, ys, weights), (mixed,))


CALLS = {
    f"{call.name} {k}": call
    for k, call in enumerate(itertools.chain(of_one(), of_two(), of_three(), along(), losses(), lists()))
}


@pytest.fixture(scope="module")
def answers(sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    made = made_in_c(sdk, list(CALLS.values()), tmp_path_factory.mktemp("each"))
    return dict(zip(CALLS, made, strict=True))


@pytest.mark.share(4)
@pytest.mark.parametrize("name", sorted({call.name for call in CALLS.values()}))
def test_function(name: str, answers: dict[str, dict[str, Any]]) -> None:
    for key, call in CALLS.items():
        if call.name != name:
            continue
        answer = answers[key]
        assert (answer["status"], answer["second"]) == (0, 0), answer["text"]
        flat = [each for part in call.wanted for each in (part if isinstance(part, list) else [part])]
        for actual, wanted in zip(answer["results"], flat, strict=True):
            rtol, atol = TOLERANCES.get(wanted.dtype, (0.0, 0.0))
            atol = 1e-6 if name in ("LogAddExp", "LogAddExp2", "GroupNormBackward") else atol  # terms cancel near 0
            torch.testing.assert_close(actual, wanted, rtol=rtol, atol=atol, equal_nan=True)


def test_random_numbers() -> None:
    x = torch.zeros(200, 200)
    call_in_python("InplaceNormal", x, 1.5, 2.0, 7, 0)
    assert abs(x.mean() - 1.5) < 0.05
    assert abs(x.std() - 2) < 0.05
    again = torch.zeros(200, 200)
    call_in_python("InplaceNormal", again, 1.5, 2.0, 7, 0)
    assert torch.equal(x, again)
    call_in_python("InplaceNormalTensor", again, 1.5, 2.0, torch.tensor([7]), torch.tensor([-5]), 5)
    assert torch.equal(x, again)
    for name, of_tensors in (("InplaceUniform", "InplaceUniformTensor"), ("InplaceRandom", "InplaceRandomTensor")):
        by_numbers, by_tensors = torch.full((2, 9, 9), 9.0)
        call_in_python(name, by_numbers, 2, 5, 7, 6)
        call_in_python(of_tensors, by_tensors, 2, 5, torch.tensor([7]), torch.tensor([4]), 2)
        assert torch.equal(by_numbers, by_tensors)
        assert 2 <= by_numbers.min() < by_numbers.max() < 5
    call_in_python("InplaceBernoulli", x, 0.25, 7, 0)
    assert set(x.unique().tolist()) == {0, 1}
    assert abs(x.mean() - 0.25) < 0.02


def test_every_function_is_called() -> None:
    """By a test: its name is in a file of this folder, or among the calls above."""
    folders = (Path(__file__).parent, Path(__file__).parents[2] / "support")
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".c")]
    words = set(re.findall(r"\w+", "".join(path.read_text(encoding="utf-8") for path in files)))
    called = words | {word.removeprefix("aclnn") for word in words} | {call.name for call in CALLS.values()}
    assert not {name.removeprefix("aclnn") for name in declared_functions.computed()} - called
