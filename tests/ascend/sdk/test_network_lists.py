"""More functions of the C SDK around the activations, against PyTorch: indices, losses, padding, optimisers, lists."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.ascend.aclnn.objects import AclTensor
from actgrad.ascend.network.work import Work
from actgrad.ascend.sdk import declared_functions
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import InvalidArgument
from tests.ascend.sdk.test_network import call, object_of, sample

torch = pytest.importorskip("torch")
aten = torch.ops.aten
F = torch.nn.functional

FLOATS = ("float32", "float16", "bfloat16")
I64 = torch.int64


def chances(dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    return torch.from_numpy(np.random.default_rng(seed).random(shape)).to(getattr(torch, dtype))


def compare(name: str, arguments: tuple[Any, ...], wanted: Any, **tolerance: Any) -> None:
    """Call a function whose results come last."""
    results = wanted if isinstance(wanted, (tuple, list)) else (wanted,)
    out = [torch.full_like(each, 7) for each in results]
    call(name, *arguments, *out)
    for actual, expected in zip(out, results, strict=True):
        torch.testing.assert_close(actual, expected, equal_nan=True, **tolerance)


#: By function: PyTorch's own, and what both take after the tensor.
OF_ONE: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "Log1p": (torch.log1p, ()), "Expm1": (torch.expm1, ()), "Rsubs": (torch.rsub, (2.5, 0.5)),
    "AminmaxAll": (torch.aminmax, ()), "Slice": (aten.slice, (1, -3, 99, 2)),
    "ReflectionPad1d": (aten.reflection_pad1d, ((2, 1),)),
    "ConstantPadNd": (aten.constant_pad_nd, ((1, -2, 0, 3), 1.5)),
    "MedianDim": (torch.median, (1, True)), "NanMedianDim": (torch.nanmedian, (0, False)),
    "Kthvalue": (torch.kthvalue, (2, 1, False)), "Median": (torch.median, ()), "NanMedian": (torch.nanmedian, ()),
}  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", OF_ONE)
def test_functions_of_one_tensor(name: str, dtype: str) -> None:
    rule, more = OF_ONE[name]
    x = sample(dtype, (5, 3), 1).t() + torch.arange(15).reshape(3, 5) / 64  # strided, no two equal
    compare(name, (x, *more), rule(x, *more))
    if "edian" in name:  # NaN is the median, or is left out
        x[1, 2] = torch.nan
        values = rule(x, *more)
        compare(name, (x, *more), values if isinstance(values, torch.Tensor) else tuple(values))


@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "int64"])
def test_reversed_differences(dtype: str) -> None:
    x, y = sample(dtype, (2, 3), 1), sample(dtype, (3,), 2)
    compare("Rsub", (x, y, 2), torch.rsub(x, y, alpha=2))
    compare("Rsubs", (x, 1, 1), 1 - x)


@pytest.mark.parametrize("keep", [False, True])
def test_reductions(keep: bool) -> None:
    x = sample("float32", (3, 4, 5), 3)
    for dims in ((1,), (0, -1), ()):
        compare("VarMean", (x, dims, 1, keep), torch.var_mean(x, dims or None, correction=1, keepdim=keep))
        axes = dims or (0, 1, 2)
        compare("Aminmax", (x, dims, keep), (torch.amin(x, axes, keep), torch.amax(x, axes, keep)))
    compare("VarMean", (x, None, 0, False), torch.var_mean(x, correction=0))
    compare("AminmaxDim", (x, -1, keep), tuple(torch.aminmax(x, dim=-1, keepdim=keep)))
    for dtype in ("float32", "int64"):
        number = BY_NAME[dtype].acl
        compare("ProdDim", (x, 1, keep, number), torch.prod(x.to(getattr(torch, dtype)), 1, keep))
    compare("Prod", (x / 3, 0), torch.prod(x / 3))
    compare("Prod", (torch.zeros(0, 3), 0), torch.tensor(1.0))
    low = high = torch.tensor(5.0)
    call("AminmaxAll", torch.zeros(0, 3), low, high)  # nothing is written
    assert low == high == 5


@pytest.mark.parametrize("pad", [(2, 1), (-1, 2), (0, -2)])
def test_padding(pad: tuple[int, int]) -> None:
    x = sample("float32", (2, 3, 5, 4), 4)
    compare("ReflectionPad2d", (x, (*pad, *pad)), F.pad(x, (*pad, *pad), mode="reflect"))
    compare("ConstantPadNd", (x, (*pad, 0, 0, *pad), -7), F.pad(x, (*pad, 0, 0, *pad), value=-7))
    compare("ConstantPadNd", (x > 3, pad, True), F.pad(x > 3, pad, value=True))


def test_slices() -> None:
    x = sample("int32", (6, 5), 5)
    compare("SliceV2", (x, (1, -4), (-1, 9), (0, -1), (2, 1)), x[1:-1:2, -4:9])
    compare("Slice", (x, -1, 2, 2, 1), x[:, 2:2])


def test_repetition() -> None:
    x, times = sample("float32", (2, 3), 6), torch.tensor([2, 0, 3])
    compare("RepeatInterleave", (x, torch.tensor([2]), 12), x.repeat_interleave(2))
    compare("RepeatInterleaveInt", (x, 3, 18), x.repeat_interleave(3))
    compare("RepeatInterleaveIntWithDim", (x, 2, -2, 4), x.repeat_interleave(2, 0))
    compare("RepeatInterleaveWithDim", (x, times.int(), 1, 5), x.repeat_interleave(times, 1))
    compare("RepeatInterleaveTensor", (times, 5), torch.repeat_interleave(times))
    with pytest.raises(ValueError, match="outputSize is 6, but repeats adds up to 5; it must be this sum"):
        call("RepeatInterleaveTensor", times, 6, torch.zeros(6, dtype=I64))


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", [*FLOATS, "int64", "bool"])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_changes_by_indices(dtype: str, dim: int) -> None:
    x, rows = sample(dtype, (4, 4), 7).t(), torch.tensor([3, 0, 3])
    source = sample(dtype, (4, 4), 8).index_select(dim, torch.tensor([0, 1, 2]))
    if dtype != "bool":
        wanted = x.double().index_add(dim, rows, source.double(), alpha=2).to(x.dtype)  # halves are rounded once
        compare("IndexAdd", (x, dim, rows, source, 2), wanted)
        compare("IndexAddV2", (x, dim, rows.int(), source, 2, 0), wanted)
    rows = rows[:2]
    source = source.index_select(dim, torch.tensor([0, 1]))
    before = x.clone()
    compare("IndexCopy", (x, dim, rows, source), x.index_copy(dim, rows, source))
    assert torch.equal(x, before)
    compare("IndexFill", (x, dim, rows, 1), x.index_fill(dim, rows, 1))
    compare("IndexFillTensor", (x, dim, (3, -4), 1), x.index_fill(dim, rows, 1))
    for name, more in (("InplaceIndexCopy", source), ("InplaceIndexFill", 1)):
        changed = x.clone()
        call(name, changed, dim, rows, more)
        assert torch.equal(
            changed, x.index_copy(dim, rows, source) if name.endswith("Copy") else x.index_fill(dim, rows, 1)
        )
    call("InplaceIndexFillTensor", x, dim, (0,), 1)
    assert torch.equal(x, before.index_fill(dim, torch.tensor([0]), 1))


def test_wrong_indices_are_refused() -> None:
    x = torch.zeros(4, 3)
    with pytest.raises(
        InvalidArgument, match=r"index is \(3,\), but self has shape \(4, 3\); each must lie in \[-3, 2\]"
    ):
        call("InplaceIndexFillTensor", x, 1, (3,), 1)
    with pytest.raises(InvalidArgument, match=r"source has shape \(2, 2\), .*; it must be \(2, 3\); reshape source"):
        call("IndexAdd", x, 0, torch.tensor([0, 1]), torch.zeros(2, 2), 1, x)


def test_elements_by_position() -> None:
    x, mask = sample("float32", (3, 4), 9), torch.tensor([[True], [False], [True]])
    points = torch.tensor([[0, 3], [2, 1]])
    compare("Take", (x, points), x.take(points))
    compare("GatherNd", (x, points, False), x[[0, 2], [3, 1]])
    compare("GatherNd", (x, points[:, :1], True), x[[0, 2]])
    wanted = x.index_put((torch.tensor([0, 2]), torch.tensor([3, 1])), torch.tensor([5.0, 6.0]))
    compare("ScatterNd", (x, points, torch.tensor([5.0, 6.0])), wanted)
    changed = x.clone()
    call("ScatterNdUpdate", changed, points, torch.tensor([5.0, 6.0]))
    assert torch.equal(changed, wanted)
    call("InplaceMaskedScatter", changed, mask, torch.arange(12.0))
    assert torch.equal(changed, wanted.masked_scatter(mask, torch.arange(12.0)))
    for accumulates in (False, True):
        changed = x.clone()
        call("InplacePut", changed, points, torch.ones(2, 2), accumulates)
        assert torch.equal(changed, x.clone().put_(points, torch.ones(2, 2), accumulates))
    compare("Inverse", (x[:, :3].contiguous(),), torch.linalg.inv(x[:, :3]))
    compare("Ger", (x[0], x[:, 0]), torch.outer(x[0], x[:, 0]))
    compare("Sum", ([x, x[0], x[:, :1]],), x + x[0] + x[:, :1])


def found(name: str, *arguments: Any) -> tuple[Any, ...]:
    """The results of a function whose results have sizes that it finds: their first elements, in their shapes."""
    function = declared_functions.computed()[f"aclnn{name}"]
    kinds = [parameter.type for parameter in function.arguments]
    values = [object_of(kind, value) for kind, value in zip(kinds, arguments, strict=True)]
    words = list(Work(f"aclnn{name}", function.rule, function.arguments, values).run(0))
    tensors = [given for given, value in zip(arguments, values, strict=True) if isinstance(value, AclTensor)]
    results = {}
    while words:
        number, rank, *words = words
        shape, words = words[:rank], words[rank:]
        results[number] = tensors[number].flatten()[: int(np.prod(shape))].reshape(shape)
    return tuple(results[number] for number in sorted(results))


def test_unique_unsigned_elements() -> None:
    """Numbers whose sign bit is set come last, and a result may have any shape that has room."""
    for dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64):
        high = torch.iinfo(dtype).max
        x = torch.tensor([high, 3, high // 2 + 1, 3], dtype=dtype)
        out, inverse, counts = torch.zeros(2, 2, dtype=dtype), torch.zeros(4, dtype=I64), torch.zeros(2, 2, dtype=I64)
        values, numbers, many = found("Unique2", x, True, True, True, out, inverse, counts)
        assert values.tolist() == [3, high // 2 + 1, high]
        assert (numbers.tolist(), many.tolist()) == ([2, 0, 1, 0], [2, 1, 1])
        values, _ = found("Unique", x, True, True, out, inverse)
        assert values.tolist() == [3, high // 2 + 1, high]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int32", "bool"])
def test_unique_elements(dtype: str) -> None:
    x = sample(dtype, (4, 6), 10)
    out, inverse, counts = torch.zeros(24, dtype=x.dtype), torch.zeros(4, 6, dtype=I64), torch.zeros(24, dtype=I64)
    values, numbers, many = torch.unique(x.double(), return_inverse=True, return_counts=True)
    for got, wanted in zip(
        found("Unique2", x, True, True, True, out, inverse, counts), (values, numbers, many), strict=True
    ):
        assert torch.equal(got.double(), wanted.double())
    got, _ = found("Unique", x, True, True, out, inverse)
    assert torch.equal(got.double(), values)
    assert torch.equal(inverse, numbers)
    (got,) = found("Unique", x, True, False, out, torch.zeros(0, dtype=I64))
    assert torch.equal(got.double(), values)
    runs = torch.unique_consecutive(x.double(), return_inverse=True, return_counts=True)
    for got, wanted in zip(found("UniqueConsecutive", x, True, True, 1000, out, inverse, counts), runs, strict=True):
        assert torch.equal(got.double(), wanted.double())


@pytest.mark.parametrize("dim", [0, 1])
def test_unique_parts(dim: int) -> None:
    x = torch.tensor([[1.0, 2, 2, 1], [1.0, 2, 2, 1], [0.0, 3, 3, 0]])
    n = x.shape[dim]
    out, inverse, counts = torch.zeros(3, 4), torch.zeros(n, dtype=I64), torch.zeros(n, dtype=I64)
    for name, rule in (("UniqueDim", torch.unique), ("UniqueConsecutive", torch.unique_consecutive)):
        flags = (True, True, dim)
        wanted = rule(x, return_inverse=True, return_counts=True, dim=dim)
        for got, each in zip(found(name, x, *flags, out, inverse, counts), wanted, strict=True):
            assert torch.equal(got, each)
        for shape in ((12,), (2, 6), (20,)):  # hardware gives the outputs new shapes
            for got, each in zip(found(name, x, *flags, torch.zeros(shape), inverse, counts), wanted, strict=True):
                assert torch.equal(got, each)
        with pytest.raises(ValueError, match="it must have as many or more"):
            found(name, x, *flags, torch.zeros(1), inverse, counts)


def test_drawn_positions() -> None:
    """Weights of 0 are never drawn; without replacement each position occurs once."""
    weights = torch.tensor([[0.0, 1, 3], [1.0, 0, 1]])
    out = torch.zeros(2, 4000, dtype=I64)
    call("Multinomial", weights, 4000, True, 7, 0, out)
    share = torch.nn.functional.one_hot(out, 3).double().mean(1)
    torch.testing.assert_close(share, (weights / weights.sum(1, keepdim=True)).double(), rtol=0, atol=0.03)
    again = torch.zeros_like(out)
    call("MultinomialTensor", weights, 4000, True, torch.tensor([7]), torch.tensor([0]), 0, again)
    assert torch.equal(out, again)
    firsts = []
    for seed in range(400):
        two = torch.zeros(2, 2, dtype=I64)
        call("Multinomial", weights.half(), 2, False, seed, 0, two)
        assert two[0].sort().values.tolist() == [1, 2]
        assert two[1].sort().values.tolist() == [0, 2]
        firsts.append(two[0, 0].item() == 2)
    assert 0.65 < np.mean(firsts) < 0.85


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("amsgrad", [False, True])
def test_adam_w(dtype: str, amsgrad: bool) -> None:
    x, gradient = chances(dtype, (3, 4), 1), chances(dtype, (3, 4), 2) - 0.5
    parameter = torch.nn.Parameter(x.float().clone())
    optimizer = torch.optim.AdamW([parameter], lr=0.1, betas=(0.9, 0.99), weight_decay=0.02, eps=1e-6, amsgrad=amsgrad)
    m, v, largest = (torch.zeros(3, 4, dtype=x.dtype) for _ in range(3))
    parameter.grad = gradient.float()
    optimizer.step()
    step, rest = torch.tensor([0]), (0.1, 0.9, 0.99, 0.02, 1e-6, amsgrad, False)
    call("ApplyAdamWV2", x, m, v, largest if amsgrad else None, gradient, step, *rest)
    torch.testing.assert_close(x, parameter.detach().to(x.dtype))
    assert bool(largest.any()) == amsgrad
    if dtype != "float32":
        return
    for number in (1, 2):  # steps before this one
        optimizer.step()
        step = torch.tensor([float(number)])
        call("ApplyAdamWV2", x, m, v, largest if amsgrad else None, gradient, step, *rest)
    torch.testing.assert_close(x, parameter.detach())
    state = optimizer.state[parameter]
    torch.testing.assert_close(m, state["exp_avg"])
    torch.testing.assert_close(v, state["exp_avg_sq"])


def test_gradients_are_unscaled() -> None:
    xs = [torch.tensor([2.0, -4.0]).half(), torch.tensor([[8.0]]).half()]
    found_inf, factor = torch.zeros(1), torch.tensor([0.25])
    call("ForeachNonFiniteCheckAndUnscale", xs, found_inf, factor)
    assert [x.flatten().tolist() for x in xs] == [[0.5, -1.0], [2.0]]
    assert found_inf.item() == 0
    xs[0][1] = torch.inf
    call("ForeachNonFiniteCheckAndUnscale", xs, found_inf, factor)
    assert found_inf.item() == 1


@pytest.mark.parametrize(("reduction", "dtype"), list(itertools.product((0, 1, 2), FLOATS)))
def test_losses(reduction: int, dtype: str) -> None:
    """And their gradients, by PyTorch's in float64."""
    x, y, weight = (chances(dtype, (3, 4), k) * 0.8 + 0.1 for k in range(3))
    word = ("none", "mean", "sum")[reduction]
    close = {} if dtype == "float32" else {"rtol": 2**-6, "atol": 2**-6}

    def judged(
        loss: Callable[..., Any], name: str, tensors: tuple[Any, ...], before: Any, backward: dict[str, int]
    ) -> None:
        doubles = [each.double().requires_grad_() for each in tensors]
        value = loss(*doubles)
        compare(name, (*tensors, *before), value.detach().to(x.dtype), **close)
        gradient = torch.full_like(value, 1.5).detach()
        for function, place in backward.items():
            (wanted,) = torch.autograd.grad(value, doubles[place], gradient, retain_graph=True)
            compare(function, (gradient.to(x.dtype), *tensors, *before), wanted.to(x.dtype), **close)

    for beta in (0.0, 0.3):
        judged(
            lambda a, b, beta=beta: F.smooth_l1_loss(a, b, reduction=word, beta=beta),
            "SmoothL1Loss", (x, y), (reduction, beta), {"SmoothL1LossBackward": 0},
        )  # fmt: skip
    for is_log in (False, True):
        judged(
            lambda a, b, is_log=is_log: aten.kl_div(a, b, reduction, log_target=is_log),
            "KlDiv", (x, y), (reduction, is_log), {"KlDivBackward": 0, "KlDivTargetBackward": 1},
        )  # fmt: skip
    judged(
        lambda a, b, w: F.binary_cross_entropy(a, b, w.detach(), reduction=word),
        "BinaryCrossEntropy", (x, y, weight), (reduction,), {"BinaryCrossEntropyBackward": 0},
    )  # fmt: skip
    compare(
        "BinaryCrossEntropy",
        (x, y, None, reduction),
        F.binary_cross_entropy(x.double(), y.double(), reduction=word).to(x.dtype),
        **close,
    )
    logits, target = (x * 8 - 4).double(), y.double().requires_grad_()
    for positive in (None, weight):
        more = None if positive is None else positive.double()
        value = F.binary_cross_entropy_with_logits(logits, target, weight.double(), reduction=word, pos_weight=more)
        (wanted,) = torch.autograd.grad(value.sum(), target)
        arguments = (torch.ones(value.shape, dtype=x.dtype), logits.to(x.dtype), y, weight, positive, reduction)
        compare("BinaryCrossEntropyWithLogitsTargetBackward", arguments, wanted.to(x.dtype), **close)


def test_mean_divergence_of_batches() -> None:
    x, y = chances("float32", (3, 4), 1), chances("float32", (3, 4), 2)
    compare("KlDiv", (x, y, 3, False), F.kl_div(x, y, reduction="batchmean"))
    y[0, 0] = 0  # NaN by CANN's document; PyTorch's is finite
    out = torch.zeros(())
    call("KlDiv", x, y, 2, False, out)
    assert out.isnan()


LISTS = ("acos", "asin", "atan", "cos", "cosh", "erf", "erfc", "expm1", "log10", "log1p", "log2", "sigmoid", "sin",
         "sinh", "tan", "tanh")  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", LISTS)
def test_lists_of_one_function(name: str, dtype: str) -> None:
    xs = [chances(dtype, shape, k) for k, shape in enumerate(((2, 3), (), (4,)))]
    out = [torch.zeros_like(x) for x in xs]
    call(f"Foreach{name.capitalize()}", xs, out)
    for got, x in zip(out, xs, strict=True):
        torch.testing.assert_close(got, getattr(torch, name)(x.double()).to(x.dtype))


def test_lists_with_scalars_in_tensors() -> None:
    """The functions before V2 take their scalar as a tensor of one element; those in place write their first list."""
    xs, ys = ([chances("float32", shape, k + n) + 1 for k, shape in enumerate(((2, 3), (), (4,)))] for n in (0, 5))
    out, two = [torch.zeros_like(x) for x in xs], torch.tensor([2.0])
    for name, rule in (
        ("Add", torch.add),
        ("Sub", torch.sub),
        ("Mul", torch.mul),
        ("Div", torch.div),
        ("Pow", torch.pow),
    ):
        call(f"Foreach{name}Scalar", xs, two, out)
        torch.testing.assert_close(out, [rule(x, 2) for x in xs])
    call("ForeachMaximumScalar", xs, two, out)
    assert all(map(torch.equal, out, torch._foreach_clamp_min(xs, 2)))
    call("ForeachMinimumScalar", xs, two, out)
    assert all(map(torch.equal, out, torch._foreach_clamp_max(xs, 2)))
    call("ForeachAddcmulScalar", xs, ys, ys, two, out)
    torch.testing.assert_close(out, torch._foreach_addcmul(xs, ys, ys, 2))
    call("ForeachAddcdivScalar", xs, ys, xs, two, out)
    torch.testing.assert_close(out, torch._foreach_addcdiv(xs, ys, xs, 2))
    call("ForeachAddList", xs, ys, two, out)
    torch.testing.assert_close(out, torch._foreach_add(xs, ys, alpha=2))
    call("ForeachSubList", xs, ys, two, out)
    torch.testing.assert_close(out, torch._foreach_sub(xs, ys, alpha=2))
    call("ForeachPowScalarAndTensor", 2.0, xs, out)
    torch.testing.assert_close(out, [2**x for x in xs])
    for shape in ((), (1,), (1, 1)):  # one element, of any rank
        norms = [torch.full(shape, torch.nan) for _ in xs]
        for order in (1.0, 2.0):
            call("ForeachNorm", xs, order, norms)
            torch.testing.assert_close([norm.squeeze() for norm in norms], list(torch._foreach_norm(xs, order)))


@pytest.mark.share(4)
@pytest.mark.parametrize(
    ("product", "order", "computed"),
    [
        ("Ascend910B", 1.9, 1),
        ("Ascend910B", 1, 1),
        ("Ascend910B", 0.0, 2),
        ("Ascend910B", 3.0, 2),
        ("Ascend910B", float("inf"), 2),
        ("Ascend910B", float("-inf"), 2),
        ("Ascend950", float("inf"), float("inf")),
        ("Ascend950", float("-inf"), 2),
        ("Ascend950", 1.5, 1),
        ("Ascend950", 0.5, 2),
    ],
)
def test_orders_of_norms_of_lists(product: str, order: float, computed: float) -> None:
    """The kernels know few orders."""
    xs = [torch.tensor([[1.0, -2.0], [0.5, 4.0]]), torch.tensor(-3.0), torch.zeros(0, 2)]
    norms = [torch.tensor(torch.nan) for _ in xs]
    with actgrad.product(product):
        call("ForeachNorm", xs, order, norms)
    wanted = [torch.linalg.vector_norm(x.double(), computed).float() if x.numel() else torch.tensor(0.0) for x in xs]
    torch.testing.assert_close(norms, wanted)


def test_lists_in_place() -> None:
    xs, ys = ([chances("float32", shape, k + n) + 1 for k, shape in enumerate(((2, 3), (), (4,)))] for n in (0, 5))
    with actgrad.product("Ascend950"):  # the only product that has these
        changed = _changed_in_place(xs, ys)
    torch.testing.assert_close(changed[0], [torch.log((x + 2 * y) * y / x) for x, y in zip(xs, ys, strict=True)])
    torch.testing.assert_close(changed[1], [torch.acos(x - 1) for x in xs])


def _changed_in_place(xs: list[Any], ys: list[Any]) -> tuple[list[Any], list[Any]]:
    logs, angles = [x.clone() for x in xs], [x - 1 for x in xs]
    call("ForeachAddListInplace", logs, ys, torch.tensor([2.0]))
    call("ForeachMulListInplace", logs, ys)
    call("ForeachDivListInplace", logs, xs)
    call("ForeachLogInplace", logs)
    call("ForeachACosInplace", angles)
    return logs, angles


def test_roundings() -> None:
    x = torch.tensor([-2.5, -1.5, -0.75, -0.5, 0.5, 0.75, 1.5, 2.5])
    wanted = {
        1: [-2, -2, -1, 0, 0, 1, 2, 2], 2: [-3, -2, -1, -1, 0, 0, 1, 2], 3: [-2, -1, 0, 0, 1, 1, 2, 3],
        4: [-3, -2, -1, -1, 1, 1, 2, 3], 5: [-2, -1, 0, 0, 0, 0, 1, 2], 6: [-3, -1, -1, -1, 1, 1, 1, 3],
    }  # fmt: skip
    for mode, values in wanted.items():
        for name, number in (
            ("ForeachRoundOffNumber", torch.tensor([mode], dtype=torch.int8)),
            ("ForeachRoundOffNumberV2", mode),
        ):
            out = [torch.zeros_like(x)]
            call(name, [x], number, out)
            assert out[0].tolist() == values, (name, mode)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_in_place(dtype: str) -> None:
    x = chances(dtype, (3, 4), 3)
    for name, rule in (("InplaceLog1p", torch.log1p), ("InplaceExpm1", torch.expm1), ("InplaceFloor", torch.floor)):
        if (name, dtype) != ("InplaceExpm1", "float64"):  # refused
            changed = x.clone()
            call(name, changed)
            torch.testing.assert_close(changed, rule(x))


#: Functions that reduce along dimensions, what they take behind the tensor, and PyTorch's own.
REDUCTIONS: dict[str, tuple[Callable[[Any], tuple[Any, ...]], Callable[..., Any]]] = {
    "Amax": (lambda d: ((d,), False), torch.amax), "Amin": (lambda d: ((d,), False), torch.amin),
    "Mean": (lambda d: ((d,), False, 0), torch.mean), "ReduceSum": (lambda d: ((d,), False, 0), torch.sum),
    "LogSumExp": (lambda d: ((d,), False), torch.logsumexp), "All": (lambda d: ((d,), False), torch.all),
    "Any": (lambda d: ((d,), False), torch.any), "VarCorrection": (lambda d: ((d,), 0, False), torch.var),
    "Std": (lambda d: ((d,), 0, False), torch.std), "Norm": (lambda d: (2.0, (d,), False), torch.norm),
    "MaxDim": (lambda d: (d, False), torch.max), "MinDim": (lambda d: (d, False), torch.min),
    "ArgMax": (lambda d: (d, False), torch.argmax), "Sort": (lambda d: (False, d, True), torch.sort),
    "Argsort": (lambda d: (d, True), torch.argsort), "Flip": (lambda d: ((d,),), torch.flip),
    "Topk": (lambda d: (1, d, True, True), lambda x, d: torch.topk(x, 1, d)),
}  # fmt: skip


@pytest.mark.parametrize("dim", [0, -1])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_number_has_dimension_0(name: str, dim: int) -> None:
    more, function = REDUCTIONS[name]
    x = torch.tensor(-2.5)
    keywords = {"correction": 0} if name in ("Std", "VarCorrection") else {}
    x_of_norm = (2.0, dim) if name == "Norm" else ((dim,) if name == "Flip" else dim,)
    compare(name, (x, *more(dim)), function(x, *x_of_norm, **keywords))


def test_no_elements() -> None:
    empty = torch.zeros(0, 3)
    compare("LogSumExp", (empty, (0,), False), torch.full((3,), -torch.inf))
    for name, more, shapes in (
        ("Max", (), [()]), ("Min", (), [()]), ("ArgMax", (0, False), [(3,)]), ("MaxDim", (0, False), [(3,), (3,)]),
        ("MinDim", (0, False), [(3,), (3,)]),
    ):  # fmt: skip
        out = [
            torch.full(shape, 7, dtype=I64 if k or name == "ArgMax" else torch.float32)
            for k, shape in enumerate(shapes)
        ]
        call(name, empty, *more, *out)
        assert all((each == 7).all() for each in out)  # hardware writes nothing
    x = torch.ones(2, 3)
    call("IndexPutImpl", x, [torch.tensor([0])], torch.zeros(0, 3), False, False)
    call("InplaceScatterValue", x, -9, torch.zeros(2, 0, dtype=I64), 5.0, 0)
    call("InplaceBernoulliTensor", x, torch.zeros(2, 0), 0, 0)
    assert torch.equal(x, torch.ones(2, 3))


@pytest.mark.parametrize(
    ("number", "reduce"), [(0, None), (1, "sum"), (2, "prod"), (3, "amax"), (4, "amin"), (7, None), (-1, None)]
)
def test_reductions_of_scatter(number: int, reduce: str | None) -> None:
    x, index, source = torch.tensor([[2.0, -3, 4]]), torch.tensor([[0, 1, 1]]), torch.tensor([[-5.0, 6, 6]])
    wanted = x.scatter_reduce(1, index, source, reduce) if reduce else x.scatter(1, index, source)
    compare("Scatter", (x, 1, index, source, number), wanted)
    with pytest.raises(ValueError, match="reduce is 5, the mean"):
        call("Scatter", x, 1, index, source, 5, x.clone())


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_is_the_largest(dtype: str) -> None:
    x = torch.tensor([[1.0, torch.nan, 3, 2], [5, 4, torch.inf, -torch.inf], [torch.nan, 0, torch.nan, -1]])
    x = x.to(getattr(torch, dtype))
    for is_descending in (False, True):
        compare("Sort", (x, True, 1, is_descending), tuple(torch.sort(x, dim=1, descending=is_descending, stable=True)))
        compare("Topk", (x[:2], 3, 1, is_descending, True), tuple(torch.topk(x[:2], 3, 1, is_descending)))
    compare("Kthvalue", (x[:2], 2, 1, False), tuple(torch.kthvalue(x[:2], 2, 1)))
    compare("NanMedianDim", (x[:2], 1, False), tuple(torch.nanmedian(x[:2], 1)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_sums_of_repeated_indices_are_rounded_once(dtype: str) -> None:
    count = 4096
    source, index = torch.full((1, count), 0.1).to(getattr(torch, dtype)), torch.zeros(1, count, dtype=I64)
    wanted = source.double().sum(1, keepdim=True).to(source.dtype)
    compare("ScatterAdd", (torch.zeros_like(wanted), 1, index, source), wanted, rtol=1e-3, atol=0)
    x = torch.zeros_like(wanted)
    call("IndexPutImpl", x, [index[0]], source.t(), True, False)
    torch.testing.assert_close(x, wanted, rtol=1e-3, atol=0)


def test_quotients_by_mode() -> None:
    a, b = torch.tensor([7, -7, 7, -7]), torch.tensor([2, 2, -2, -2])
    for dtype in (torch.float32, torch.int32, torch.int64, torch.bfloat16):
        for mode, rounding in enumerate((None, "trunc", "floor")):
            x, y = a.to(dtype), b.to(dtype)
            compare("DivMod", (x, y, mode), torch.div(x, y, rounding_mode=rounding))
    big = torch.tensor([2**62 + 1, -(2**62) - 1])
    compare("DivMod", (big, torch.tensor([1, 1]), 1), big)
    for mode in (-1, 3):
        with pytest.raises(InvalidArgument, match=r"it must be 0, 1 \(towards 0\)"):
            call("DivMod", a, b, mode, torch.zeros(4, dtype=I64))


def test_integers_and_bools() -> None:
    big = torch.tensor([2**63 - 1, -(2**53) - 1])
    compare("Round", (big,), big)
    flags = torch.tensor([True, False])
    compare("Sign", (flags,), flags)


def test_negative_indices_of_gather_v2() -> None:
    """Its kernel counts them from the end."""
    x, index = torch.arange(6.0).reshape(2, 3), torch.tensor([1, -1, -3, 0])
    out = torch.zeros(2, 4)
    call("GatherV2", x, 1, index, out)
    assert torch.equal(out, x[:, index])
    for wrong in (-4, 3):
        with pytest.raises(ValueError, match="must lie in"):
            call("GatherV2", x, 1, torch.tensor([wrong]), torch.zeros(2, 1))
    number = torch.zeros(())
    call("GatherV2", torch.tensor(5.0), 0, torch.tensor(-1), number)
    assert number == 5


def test_negative_indices_are_refused() -> None:
    """Where PyTorch refuses them too. NumPy would count them from the end."""
    x, index = torch.arange(6.0).reshape(2, 3), torch.tensor([1, -1])
    weights, point = torch.ones(3), torch.zeros(())
    for name, arguments in (
        ("Embedding", (x, index, torch.zeros(2, 3))), ("IndexSelect", (x, 0, index, torch.zeros(2, 3))),
        ("Gather", (x, 0, index[None], torch.zeros(1, 2))),
        ("Scatter", (x, 0, index[None], torch.zeros(1, 2), 0, torch.zeros(2, 3))),
        ("ScatterAdd", (x, 0, index[None], torch.zeros(1, 2), torch.zeros(2, 3))),
        ("IndexAdd", (x, 0, index, x, 1, torch.zeros(2, 3))), ("InplaceIndexCopy", (x, 0, index, x)),
        ("NLLLoss", (x, index, weights, 1, -100, point, point)),
        ("NLLLossBackward", (point, x, index, weights, 1, -100, point, torch.zeros(2, 3))),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="an index is -1; each must lie in"):
            call(name, *arguments)
