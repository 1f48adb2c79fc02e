"""Parts of tensors, scattered reductions, unpooling, norms of networks and lists in place, against PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import actgrad
from actgrad.base.errors import InvalidArgument
from tests.ascend.sdk.test_network import call, tensor_of
from tests.ascend.sdk.test_network_elements import FLOATS, compare, exact, floats, in_place, results
from tests.support.network_calls import I32, S, T, right_call, status

torch = pytest.importorskip("torch")
F = torch.nn.functional

F32 = torch.float32


def test_parts() -> None:
    x = floats("float32", (5, 4), 1)
    for name, sizes, wanted in (("SplitTensor", 2, x.split(2)), ("SplitWithSize", (1, 0, 4), x.split((1, 0, 4)))):
        out = [torch.full(part.shape, 7.0) for part in wanted]
        call(name, x, sizes, 0, out)
        for part, expected in zip(out, wanted, strict=True):
            torch.testing.assert_close(part, expected)


def test_one_part_and_more_tensors_than_parts() -> None:
    x = floats("float32", (2, 3), 1)
    out = [torch.zeros(2, 3), torch.full((2, 3), 7.0)]
    call("SplitTensor", x, 9, 1, out)
    torch.testing.assert_close(out[0], x)
    assert (out[1] == 7).all()
    half = [torch.zeros(2, 1, dtype=torch.float16), torch.zeros(2, 2, dtype=torch.float16)]
    call("SplitWithSize", x, (1, 2), -1, half)
    torch.testing.assert_close(torch.cat(half, 1), x.half())


def test_wrong_parts() -> None:
    x = floats("float32", (5, 4), 1)
    with pytest.raises(InvalidArgument, match="out has 1 tensor; it must have 3, one for each part; add tensors"):
        call("SplitTensor", x, 2, 0, [torch.zeros(2, 4)])
    with pytest.raises(InvalidArgument, match="they must add up to 5, the size of dimension 0"):
        call("SplitWithSize", x, (2, 2), 0, [torch.zeros(2, 4)] * 2)
    with pytest.raises(InvalidArgument, match=r"out has shape \(1, 4\); it must be \(2, 4\)"):
        call("SplitWithSize", x, (2, 3), 0, [torch.zeros(1, 4), torch.zeros(3, 4)])


REDUCTIONS = {1: "sum", 2: "prod", 3: "amax", 4: "amin", 5: "mean"}


@pytest.mark.share(3)
@pytest.mark.parametrize("counts_self", [True, False])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scattered_reductions(reduction: int, counts_self: bool) -> None:
    x, source = floats("float32", (3, 4), 1), floats("float32", (5, 4), 2)
    index = torch.tensor([[0, 1, 2, 0], [0, 0, 2, 2], [2, 1, 2, 0], [0, 1, 2, 0], [0, 0, 0, 0]])
    for dtype in (F32, torch.int32):
        a, b = (x * 5).to(dtype), (source * 5).to(dtype)
        wanted = a.scatter_reduce(0, index, b, REDUCTIONS[reduction], include_self=counts_self)
        with actgrad.product("Ascend950"):
            compare("ScatterReduce", (a, 0, index, b, reduction, counts_self), wanted, rtol=1e-5, atol=1e-5)
            in_place("InplaceScatterReduce", a, (0, index, b, reduction, counts_self), wanted)


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("reduction", [0, 1, 2, 9])
def test_soft_margin(reduction: int, dtype: str) -> None:
    x, target = floats(dtype, (4, 6), 1), torch.sign(floats(dtype, (6,), 2))
    word = ("none", "mean", "sum")[min(reduction, 2)]
    doubles = x.double().requires_grad_()
    wanted = F.soft_margin_loss(doubles, target.double().expand(4, 6), reduction=word)
    compare("SoftMarginLoss", (x, target, reduction), wanted.detach().to(x.dtype))
    gradient = floats(dtype, tuple(wanted.shape), 3)
    (backward,) = torch.autograd.grad(wanted, doubles, gradient.double())
    compare("SoftMarginLossBackward", (gradient, x, target, reduction), backward.to(x.dtype))


@pytest.mark.parametrize("epsilon", [-1.0, 0.0, 0.1])
def test_logit(epsilon: float) -> None:
    x = torch.tensor([[-0.5, 0.0, 0.05, 0.3], [0.5, 0.95, 1.0, 1.5]])
    doubles = x.double().requires_grad_()
    wanted = torch.logit(doubles, None if epsilon < 0 else epsilon)
    compare("Logit", (x, epsilon), wanted.detach().float(), rtol=1e-6, atol=1e-7)
    gradient = floats("float32", (2, 4), 1)
    (backward,) = torch.autograd.grad(wanted, doubles, gradient.double())
    compare("LogitGrad", (x, gradient, epsilon), backward.float())


@pytest.mark.parametrize(
    ("a", "b", "out"),
    [((2, 3), (3, 4), (8,)), ((2, 3), (3, 4), (2, 2, 2)), ((3,), (3,), (1, 1)), ((2, 2, 3), (3,), (4,))],
)
def test_product_in_another_shape(a: tuple[int, ...], b: tuple[int, ...], out: tuple[int, ...]) -> None:
    """Hardware reshapes the product of aclnnMatmul."""
    x, y, got = floats("float32", a, 1), floats("float32", b, 2), torch.zeros(out)
    call("Matmul", x, y, got, 1)
    torch.testing.assert_close(got, (x.double() @ y.double()).float().reshape(out))


def test_unpooling() -> None:
    x = floats("float32", (2, 3, 4, 6), 1)
    pooled, indices = F.max_pool2d(x, 2, return_indices=True)
    doubles = pooled.double().requires_grad_()
    wanted = F.max_unpool2d(doubles, indices, 2)
    exact("MaxUnpool2d", (pooled, indices, (4, 6)), wanted.detach().float())
    gradient = floats("float32", (2, 3, 4, 6), 2)
    (backward,) = torch.autograd.grad(wanted, doubles, gradient.double())
    exact("MaxUnpool2dBackward", (gradient, pooled, indices, (4, 6)), backward.float())
    index = torch.tensor([[[2, 0, 1, 1]]])  # more positions than the output has
    exact("MaxUnpool2dBackward", (gradient[:1, 0, :3, :1], gradient[:1, 0, :1, :4], index, (3, 1)),
          gradient[:1, 0, :3, 0][:, [2, 0, 1, 1]][None])  # fmt: skip
    with pytest.raises(ValueError, match="aclnnMaxUnpool2d: an index is 99"):
        exact("MaxUnpool2d", (pooled[:1, 0], torch.full((1, 2, 3), 99), (4, 6)), torch.zeros(1, 4, 6))


def test_unpooling_in_space() -> None:
    x = floats("float32", (2, 3, 4, 4, 6), 1)
    pooled, indices = F.max_pool3d(x, 2, return_indices=True)
    rest = ((4, 4, 6), (2, 2, 2), (0, 0, 0))
    exact("MaxUnpool3d", (pooled, indices, *rest), F.max_unpool3d(pooled, indices, 2))
    picked = x.reshape(2, 3, -1).gather(2, indices.reshape(2, 3, -1)).reshape(pooled.shape)
    exact("MaxUnpool3dBackward", (x, pooled, indices, *rest), picked)
    out = torch.zeros(2, 3, 4, 6, 4).transpose(-1, -2)
    with pytest.raises(InvalidArgument, match=r"outRef has strides .* in bytes; it must be contiguous; copy outRef"):
        call("MaxUnpool3d", pooled, indices, *rest, out)


@pytest.mark.parametrize("order", [0.0, 1.0, 2.0, float("inf")])
def test_renorm(order: float) -> None:
    x = floats("float32", (3, 4, 5), 1)
    for dim in (0, 1, -1):
        norms = torch.linalg.vector_norm(x.double(), order, [k for k in range(3) if k != dim % 3], True)
        largest = float(norms.median())
        wanted = torch.where(norms > largest, x.double() * (largest / (norms + 1e-7)), x.double()).float()
        compare("Renorm", (x, order, dim, largest), wanted, rtol=1e-6, atol=1e-7)
        in_place("InplaceRenorm", x, (order, dim, largest), wanted)


@pytest.mark.parametrize("dtype", FLOATS)
def test_norms_of_networks(dtype: str) -> None:
    x, y = floats(dtype, (3, 4, 6), 1), floats(dtype, (3, 4, 6), 2)
    gamma, beta = floats(dtype, (6,), 3), floats(dtype, (6,), 4)
    statistic = (torch.Size((3, 4, 1)), F32)
    out, rstd = results("GemmaRmsNorm", (x, gamma, 1e-5), (x.shape, x.dtype), statistic)
    a, b, weight = x.double(), y.double(), gamma.double()
    expected = (a.square().mean(-1, True) + 1e-5).rsqrt()
    torch.testing.assert_close(rstd, expected.float())
    torch.testing.assert_close(out, (a * expected * (1 + weight)).to(x.dtype))

    mean, rstd, out = results("DeepNorm", (x, y, beta, gamma, 0.3, 1e-5), statistic, statistic, (x.shape, x.dtype))
    total = a * 0.3 + b
    torch.testing.assert_close(mean, total.mean(-1, True).float())
    torch.testing.assert_close(rstd, (total.var(-1, False, keepdim=True) + 1e-5).rsqrt().float())
    torch.testing.assert_close(out, F.layer_norm(total, (6,), weight, beta.double(), 1e-5).to(x.dtype))

    first, second, rstd = x.clone(), y.clone(), torch.zeros(3, 4, 1)
    call("InplaceAddRmsNorm", first, second, gamma, 1e-5, rstd)
    expected = ((a + b).square().mean(-1, True) + 1e-5).rsqrt()
    torch.testing.assert_close(rstd, expected.float())
    torch.testing.assert_close(first, ((a + b) * expected * weight).to(x.dtype))
    torch.testing.assert_close(second, (a + b).to(x.dtype))


@pytest.mark.parametrize("writes_sum", [True, False])
def test_add_layer_norm(writes_sum: bool) -> None:
    x, y = floats("float16", (3, 4, 6), 1), floats("float32", (3, 4, 6), 2)
    gamma, beta, bias = (floats("float32", (6,), seed) for seed in (3, 4, 5))
    shapes = ((x.shape, F32), ((3, 4, 1), F32), ((3, 4, 1), F32), (x.shape, F32))
    for given in (None, bias):
        out, mean, rstd, total = results("AddLayerNorm", (x, y, gamma, beta, given, 1e-5, writes_sum), *shapes)
        expected = x.double() + y.double() + (0 if given is None else given.double())
        torch.testing.assert_close(out, F.layer_norm(expected, (6,), gamma.double(), beta.double(), 1e-5).float())
        torch.testing.assert_close(mean, expected.mean(-1, True).float())
        torch.testing.assert_close(rstd, (expected.var(-1, False, keepdim=True) + 1e-5).rsqrt().float())
        torch.testing.assert_close(total, expected.float() if writes_sum else torch.full_like(total, 7))


def test_lists() -> None:
    a, b, c = ([floats("float32", (2, 3), k + n) for k in range(2)] for n in (1, 3, 5))
    scalars, out = [2.0, -3.0], [torch.zeros(2, 3) for _ in a]
    for name, rule in (("ForeachAddcdivList", torch.addcdiv), ("ForeachAddcmulList", torch.addcmul)):
        call(name, a, b, c, scalars, out)
        for got, x, y, z, value in zip(out, a, b, c, scalars, strict=True):
            torch.testing.assert_close(got, rule(x, y, z, value=value))
        for shape in ((2, 1), (1, 1, 2)):  # hardware compares only the number of scalars
            again = [torch.zeros(2, 3) for _ in a]
            call(name, a, b, c, torch.tensor(scalars).reshape(shape), again)
            assert all(map(torch.equal, out, again))
    factor = torch.tensor([2.0])
    for name, rest, rule in (
        ("ForeachMulScalarInplace", (factor,), lambda x, y: x * 2),
        ("ForeachSubScalarInplace", (factor,), lambda x, y: x - 2),
        ("ForeachSubListInplace", (b, factor), lambda x, y: x - 2 * y),
    ):
        changed = [x.clone() for x in a]
        with actgrad.product("Ascend950"):
            call(name, changed, *rest)
        for got, x, y in zip(changed, a, b, strict=True):
            torch.testing.assert_close(got, rule(x, y))


def test_ranges_remainders_and_running_sums() -> None:
    exact("Range", (1.0, 2.0, 0.25), torch.tensor([1.0, 1.25, 1.5, 1.75, 2.0]))
    exact("Range", (5, 0, -2), torch.tensor([5, 3, 1]))
    exact("Real", (torch.tensor([1 + 2j, -3j]),), torch.tensor([1.0, 0.0]))
    x = torch.tensor([2.0, -3.0, 0.7])
    compare("RemainderScalarTensor", (2.5, x), torch.remainder(2.5, x))
    exact("RemainderScalarTensor", (2.5, torch.tensor([2, -3])), torch.tensor([0, -1]))  # 2.5 becomes 2 first
    n = torch.arange(1, 7).reshape(2, 3)
    for exclusive, reverse, wanted in (
        (False, False, [[1, 3, 6], [4, 9, 15]]), (True, False, [[0, 1, 3], [0, 4, 9]]),
        (False, True, [[6, 5, 3], [15, 11, 6]]), (True, True, [[5, 3, 0], [11, 6, 0]]),
    ):  # fmt: skip
        exact("CumsumV2", (n, 1, exclusive, reverse), torch.tensor(wanted))
    exact("CumsumV2", (torch.tensor(3.0), 0, True, False), torch.tensor(0.0))


def test_products_are_skipped_if_alpha_is_0() -> None:
    x, bad = floats("float32", (2, 3), 1), torch.full((2, 2), torch.nan)
    out = torch.zeros(2, 3)
    call("Addmm", x, bad, torch.ones(2, 3), 2.0, 0.0, out, 0)
    torch.testing.assert_close(out, 2 * x)


@pytest.mark.parametrize("beta", [0.5, 0.0])
@pytest.mark.parametrize("alpha", [2.0, 0.0])
def test_sums_with_products(beta: float, alpha: float) -> None:
    """A part whose factor is 0 may hold NaN."""
    x, a, b = floats("float32", (2, 3), 1), floats("float32", (5, 2, 4), 2), floats("float32", (5, 4, 3), 3)
    y, v = floats("float32", (2,), 4), floats("float32", (4,), 5)
    wanted = torch.addbmm(x, a, b, beta=beta, alpha=alpha)
    vector = torch.addmv(y, a[0], v, beta=beta, alpha=alpha)
    if not beta:
        x, y = torch.full_like(x, torch.nan), torch.full_like(y, torch.nan)
    if not alpha:
        a = torch.full_like(a, torch.nan)
    out, result = torch.zeros(2, 3), torch.zeros(2)
    call("Addbmm", x, a, b, beta, alpha, out, 0)
    torch.testing.assert_close(out, wanted)
    in_place("InplaceAddbmm", x, (a, b, beta, alpha, 0), wanted)
    call("Addmv", y, a[0], v, alpha, beta, result, 0)
    torch.testing.assert_close(result, vector)


@pytest.mark.parametrize("dtype", FLOATS)
def test_group_norm_with_silu(dtype: str) -> None:
    x, gamma, beta = floats(dtype, (2, 6, 4, 5), 1), floats(dtype, (6,), 2), floats(dtype, (6,), 3)
    shapes = ((x.shape, x.dtype), ((2, 3), x.dtype), ((2, 3), x.dtype))
    for scale, shift in ((gamma, beta), (None, None)):
        weights = [each if each is None else each.double() for each in (scale, shift)]
        normal = F.group_norm(x.double(), 3, *weights, 1e-5)
        for name, rest, wanted in (
            ("GroupNormSilu", (), F.silu(normal)), ("GroupNormSiluV2", (True,), F.silu(normal)),
            ("GroupNormSiluV2", (False,), normal),
        ):  # fmt: skip
            out, mean, rstd = results(name, (x, scale, shift, 3, 1e-5, *rest), *shapes)
            torch.testing.assert_close(out, wanted.to(x.dtype))
            parts = x.double().reshape(2, 3, -1)
            torch.testing.assert_close(mean, parts.mean(-1).to(x.dtype))
            torch.testing.assert_close(rstd, (parts.var(-1, False) + 1e-5).rsqrt().to(x.dtype))
    empty = torch.zeros(2, 6, 0)
    _, mean, rstd = results("GroupNormSilu", (empty, None, None, 3, 1e-5), ((2, 6, 0), F32), *[((2, 3), F32)] * 2)
    assert (mean == 0).all()
    assert torch.isnan(rstd).all()


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("activates", "slope"), [(True, 1.0), (True, -2.5), (True, 0.0), (False, 3.0)])
def test_group_norm_with_swish(activates: bool, slope: float, dtype: str) -> None:
    x, scale, shift = floats(dtype, (2, 6, 4, 5), 1), floats(dtype, (6,), 2), floats(dtype, (6,), 3)
    normal = F.group_norm(x.double(), 3, scale.double(), shift.double(), 1e-3)
    wanted = normal * torch.sigmoid(slope * normal) if activates else normal
    statistic = ((2, 3), x.dtype)
    arguments = (x, scale, shift, 3, None, 1e-3, activates, slope)
    out, mean, rstd = results("GroupNormSwish", arguments, (x.shape, x.dtype), statistic, statistic)
    torch.testing.assert_close(out, wanted.to(x.dtype))
    parts = x.double().reshape(2, 3, -1)
    torch.testing.assert_close(mean, parts.mean(-1).to(x.dtype))
    torch.testing.assert_close(rstd, (parts.var(-1, False) + 1e-3).rsqrt().to(x.dtype))


@pytest.mark.parametrize("mode", [0, 1])
def test_layer_norm_in_a_mode(mode: int) -> None:
    x, scale, shift = floats("float32", (3, 4, 5), 1), floats("float32", (4, 5), 2), floats("float32", (4, 5), 3)
    wanted = F.layer_norm(x.double(), (4, 5), scale.double(), shift.double(), 1e-3).float()
    out, mean, rstd = (torch.full(shape, torch.nan) for shape in (x.shape, (3, 1, 1), (3, 1, 1)))
    call("LayerNormWithImplMode", x, (4, 5), scale, shift, 1e-3, out, mean, rstd, mode)
    torch.testing.assert_close(out, wanted)
    torch.testing.assert_close(mean.flatten(), x.mean((1, 2)))
    torch.testing.assert_close(rstd.flatten(), (x.var((1, 2), False) + 1e-3).rsqrt())


def test_products_with_weights_of_blocks() -> None:
    a, b = floats("float16", (3, 5), 1), floats("float16", (4, 5), 2).T
    out = torch.full((3, 4), torch.nan, dtype=torch.float16)
    call("MatmulWeightNz", a, b, out, 1)
    torch.testing.assert_close(out, (a.double() @ b.double()).half(), rtol=2**-10, atol=2**-10)
    with pytest.raises(InvalidArgument, match="mat2 has format FRACTAL_NZ; it must be ND"):
        call("MatmulWeightNz", a, tensor_of(b, 29), out, 1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_losses_over_the_batch_and_softmax_with_a_mask(dtype: str) -> None:
    x, target = floats(dtype, (4, 6), 1), floats(dtype, (6,), 2)
    squares = (x.double() - target.double()).square()
    for reduction, wanted in enumerate((squares, squares.mean(0), squares.sum(0))):
        compare("MseLossOut", (x, target, reduction), wanted.to(x.dtype))
    untouched = torch.full((3,), torch.nan)
    call("MseLossOut", torch.zeros(0, 3), torch.zeros(0, 3), 1, untouched)
    assert torch.isnan(untouched).all()
    with pytest.raises(InvalidArgument, match=r"out has shape \(2,\); it must be \(3,\)"):
        call("MseLossOut", torch.zeros(0, 3), torch.zeros(0, 3), 1, torch.zeros(2))

    logits = floats(dtype, (2, 3, 4, 5), 3).double().requires_grad_()
    gradient, mask = floats(dtype, (2, 3, 4, 5), 4), floats("float32", (2, 1, 4, 5), 5) > 0.8
    y = torch.softmax((logits * 0.5).masked_fill(mask, -1e4), -1)
    (wanted,) = torch.autograd.grad(y, logits, gradient.double())
    rtol = {"float32": 1e-5, "float16": 2**-8, "bfloat16": 2**-5}[dtype]
    arguments = (gradient, y.detach().to(x.dtype), mask, 0.5, False)
    compare("ScaledMaskedSoftmaxBackward", arguments, wanted.to(x.dtype), rtol=rtol, atol=rtol / 4)


def test_powers_of_a_base() -> None:
    compare("LogSpace", (-1.0, 2.0, 4, 10.0), torch.logspace(-1, 2, 4))
    exact("LogSpace", (3, 0, 4, 2.0), torch.tensor([8.0, 4.0, 2.0, 1.0]))


#: Wrong calls: a function, what differs from a right call, and the status.
WRONG: list[tuple[str, dict[str, Any], int]] = [
    ("SplitTensor", {"splitSections": 0}, 161002),
    ("SplitTensor", {"dim": 2}, 161002),
    ("SplitTensor", {"self": T((), "float32")}, 161002),
    ("SplitTensor", {"out": None}, 161001),
    ("SplitWithSize", {"splitSize": (3,)}, 161002),
    ("SplitWithSize", {"splitSize": (1, 1)}, 161002),
    ("Range", {"start": None}, 561103),
    ("Range", {"step": S(-1.0)}, 161002),
    ("Real", {"out": T(dtype="float64")}, 161002),
    ("ScatterReduce", {"reduce": 6}, 161002),
    ("ScatterReduce", {"reduce": 3}, 161002),
    ("ScatterReduce", {"includeSelf": False}, 161002),
    ("InplaceScatterReduce", {"src": T(dtype="float16")}, 161002),
    ("RemainderScalarTensor", {"other": T((3,))}, 161002),
    ("RemainderScalarTensor", {"self": None}, 561103),
    ("CumsumV2", {"out": T(dtype="float16")}, 161002),
    ("Logit", {"out": T(dtype="float16")}, 161002),
    ("LogitGrad", {"dy": T(dtype="float16")}, 161002),
    ("SoftMarginLoss", {"out": T((1,))}, 161002),
    ("SoftMarginLossBackward", {"target": T((2, 2))}, 161002),
    ("MaxUnpool2d", {"outputSize": (4,)}, 161002),
    ("MaxUnpool2d", {"outputSize": (1, 3), "out": T((1, 1, 3))}, 161002),
    ("MaxUnpool2dBackward", {"gradOutput": T((1, 3, 4))}, 161002),
    ("Renorm", {"p": S(-1.0)}, 161002),
    ("InplaceRenorm", {"dim": 2}, 161002),
    ("MseLossOut", {"out": T(())}, 161002),
    ("LogSpace", {"steps": -1}, 161002),
    ("LogSpace", {"start": None}, 561103),
    ("ScaledMaskedSoftmaxBackward", {"mask": T((1, 1, 1, 4), "bool")}, 161002),
    ("ScaledMaskedSoftmaxBackward", {"fixTriuMask": True}, 161002),
    ("Addmv", {"self": T((3,))}, 161002),
    ("Addmv", {"out": T((2,), I32)}, 161002),
    ("Addbmm", {"out": T(dtype="float16")}, 161002),
    ("InplaceAddbmm", {"batch1": T((1, 2, 3))}, 161002),
    ("GroupNormSilu", {"group": 3, "meanOut": T((2, 3)), "rstdOut": T((2, 3))}, 161002),
    ("GroupNormSilu", {"meanOut": T((2, 2), "float16")}, 161002),
    ("GroupNormSiluV2", {"gamma": T((3,))}, 161002),
    ("Sinh", {"out": T(dtype=I32)}, 161002),
    ("InplaceSinh", {"selfRef": T(dtype=I32)}, 161002),
    ("GemmaRmsNorm", {"gamma": T((2,), "float16")}, 161002),
    ("AddLayerNorm", {"x1": T(dtype=I32)}, 161002),
    ("DeepNorm", {"gx": T(dtype="float16")}, 161002),
    ("InplaceAddRmsNorm", {"rstdOut": T((2, 1), "float16")}, 161002),
    ("InplaceAddRmsNorm", {"rstdOut": T((2,))}, 561002),
    ("InplaceAddRmsNorm", {"epsilon": -1e-5}, 561002),
    ("ScaledMaskedSoftmaxBackward", {"y": T((1, 2, 3, 4), format=0)}, 161002),
    ("ScaledMaskedSoftmaxBackward", {"y": T((1, 2, 3, 4), "float16")}, 161002),
    ("GroupNormSwish", {"numGroups": 3}, 561002),
    ("LayerNormWithImplMode", {"implMode": 2}, 161002),
    ("MatmulWeightNz", {"self": T((2, 2))}, 161002),
    ("Matmul", {"out": T((4,))}, 0),
    ("Matmul", {"out": T((3,))}, 561103),
    ("Matmul", {"self": T((2, 2), format=29)}, 161002),
    ("Matmul", {"out": T((2, 2), format=29)}, 161002),
    ("BatchMatMul", {"self": T((1, 2, 2), format=29)}, 161002),
    ("Addmm", {"self": T((2, 3), format=29)}, 161002),
    ("Addmv", {"mat": T((2, 3), format=29)}, 161002),
    *[(name, {"cubeMathType": mode}, 161002) for name in ("Addmm", "Addmv", "Mm", "Addbmm") for mode in (-2, 5, 7)],
    ("Addmm", {"cubeMathType": -1}, 0),
    ("NLLLoss", {"self": T((3,)), "target": T((1,), "int64"), "out": T(()), "reduction": 0}, 161002),
    ("NLLLoss", {"self": T((3,)), "target": T((), "int64"), "out": T(()), "reduction": 0}, 0),
    ("MaxUnpool2dBackward", {"gradOutput": T((1, 3, 1)), "outputSize": (3, 1)}, 0),
    ("MaxUnpool2dBackward", {"gradOutput": T((1, 3, 1)), "outputSize": (1, 3)}, 161002),
    ("ForeachAddcdivList", {"scalars": T((2, 1))}, 0),
    ("ForeachAddcmulList", {"scalars": T((1, 2, 1))}, 0),
    ("ForeachAddcmulList", {"scalars": T((1,) * 9)}, 561002),
    ("ForeachAddcmulList", {"scalars": T((3,))}, 561002),
    ("ForeachAddcdivList", {"scalars": T((2,), "float16")}, 161002),
    ("Cat", {"tensors": (T(dtype="complex64"), T(dtype="float64")), "out": T((4, 3), "complex64")}, 161002),
    ("Cat", {"tensors": (T(dtype="float8_e5m2"),) * 2, "out": T((4, 3), "float8_e5m2")}, 161002),
]


#: Calls that Ascend950 takes, or refuses, and their statuses here. FLOAT8 and COMPLEX32 have no arithmetic here.
ON_950 = [
    ("Cat", {"tensors": (T(dtype="float8_e5m2"),) * 2, "out": T((4, 3), "float8_e5m2")}, 561103),
    ("Cat", {"tensors": (T(dtype="complex64"), T(dtype="float64")), "out": T((4, 3), "complex64")}, 161002),
    ("Abs", {"self": T(dtype="complex32"), "out": T(dtype="float16")}, 561103),
    ("Abs", {"self": T(dtype="float8_e4m3fn"), "out": T(dtype="float8_e4m3fn")}, 161002),
    *[(name, {"cubeMathType": -1}, 161002) for name in ("Mm", "Mv", "Matmul", "BatchMatMul", "Addmm", "Baddbmm")],
    *[(name, {"cubeMathType": 4}, 0) for name in ("Mm", "Mv", "Matmul", "BatchMatMul", "Addmm", "Baddbmm")],
]


@pytest.mark.share(4)
@pytest.mark.parametrize(("name", "change", "expected"), ON_950)
def test_calls_on_950(name: str, change: dict[str, Any], expected: int) -> None:
    with actgrad.product("Ascend950"):
        assert status(name, right_call(name) | change) == expected


def test_cube_math_type_of_halves_on_310p() -> None:
    """Products without a float32 matrix unit look at the matrices, not at the other tensors."""
    half = dict.fromkeys(("mat1", "mat2"), T((2, 2), "float16"))
    call = right_call("Addmm") | half | {"self": T((2, 2)), "out": T((2, 2))}
    with actgrad.product("Ascend310P"):
        for mode, expected in ((0, 0), (1, 0), (2, 0), (3, 0), (4, 161002), (7, 161002)):
            assert status("Addmm", call | {"cubeMathType": mode}) == expected
        for mode, expected in ((0, 161002), (1, 0), (2, 0), (3, 161002), (-1, 161002), (4, 161002)):
            assert status("Addmm", call | {"mat1": T((2, 2)), "cubeMathType": mode}) == expected


@pytest.mark.share(9)
@pytest.mark.parametrize(("name", "change", "expected"), WRONG)
def test_wrong_calls(name: str, change: dict[str, Any], expected: int) -> None:
    assert status(name, right_call(name)) == 0
    assert status(name, right_call(name) | change) == expected
