"""Functions that ggml's CANN backend calls for Llama: through C against plain loops, and against PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from actgrad.base.errors import InvalidArgument
from tests.ascend.sdk.test_network import call, sample
from tests.support.sdk_programs import MODES, Sdk, needs_compiler

torch = pytest.importorskip("torch")
F = torch.nn.functional


@needs_compiler
@pytest.mark.parametrize("mode", MODES)
def test_through_c(sdk: Sdk, mode: str) -> None:
    assert sdk.run("inference", mode=mode) == "ok\n"


@needs_compiler
@pytest.mark.parametrize("mode", MODES)
def test_weights_in_another_format(sdk: Sdk, mode: str) -> None:
    assert sdk.run("weights", mode=mode) == "ok\n"


@needs_compiler
@pytest.mark.parametrize("product", ["Ascend910", "Ascend310B"])
def test_products_without_sizes_of_weights(sdk: Sdk, product: str) -> None:
    assert sdk.run("weights", "refused", ACTGRAD_PRODUCT=product) == "ok\n"


@pytest.mark.share(4)
#: A diagonal of ones needs float32.
@pytest.mark.parametrize(
    ("dtype", "has_ones"), [("float32", False), ("float32", True), ("float64", False), ("complex64", False)]
)
@pytest.mark.parametrize("transposes", [False, True])
@pytest.mark.parametrize("is_upper", [False, True])
def test_triangular_solve(dtype: str, is_upper: bool, transposes: bool, has_ones: bool) -> None:
    """Batches broadcast, the other triangle does not count, and a 0 on the diagonal gives no error."""
    a, b = sample(dtype, (3, 1, 5, 5), 1), sample(dtype, (2, 5, 4), 2)
    a = a + 4 * torch.eye(5)
    part = torch.triu if is_upper else torch.tril
    triangle, a = part(a), torch.where(part(torch.ones(5, 5)) == 0, float("nan"), a)
    x, copy = torch.empty(3, 2, 5, 4, dtype=a.dtype), torch.empty(3, 2, 5, 5, dtype=a.dtype)
    call("TriangularSolve", b, a, is_upper, transposes, has_ones, x, copy)
    wide = (triangle.mT if transposes else triangle).to(torch.complex128 if a.is_complex() else torch.float64)
    wanted = torch.linalg.solve_triangular(wide, b.to(wide.dtype), upper=is_upper != transposes, unitriangular=has_ones)
    torch.testing.assert_close(x, wanted.to(a.dtype), rtol=2e-5, atol=1e-6)
    torch.testing.assert_close(copy, a.expand(3, 2, 5, 5), rtol=0, atol=0, equal_nan=True)
    call("TriangularSolve", b, torch.zeros_like(a), is_upper, transposes, False, x, None)
    assert not torch.isfinite(x).any()


def rotated(x: Any, mode: int) -> Any:
    """Pairs as complex numbers times i."""
    if mode == 2:
        return torch.cat([rotated(half, 0) for half in x.chunk(2, -1)], -1)
    pairs = torch.stack(x.chunk(2, -1), -1) if mode == 0 else x.unflatten(-1, (-1, 2))
    turned = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * 1j)
    return turned.flatten(-2) if mode == 1 else turned.transpose(-1, -2).flatten(-2)


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_rotary_positions(mode: int) -> None:
    x, cos, sin = (sample("float32", shape, 7) for shape in ((2, 3, 4, 8), (2, 3, 1, 8), (2, 3, 1, 8)))
    straight = x.unflatten(-1, (-1, 2)).transpose(-1, -2).flatten(-2) if mode == 3 else x
    out = torch.empty_like(x)
    call("RotaryPositionEmbedding", x, cos, sin, mode, out)
    torch.testing.assert_close(out, straight * cos + rotated(x, mode) * sin)


#: The arguments between attenMask and numHeads, and those after numKeyValueHeads.
NOTHING = (None,) * 17


def infer(q: Any, k: Any, v: Any, shift: Any = None, mask: Any = None, **options: Any) -> tuple[Any, Any]:
    layout, heads, groups = options.get("layout", "BNSD"), options["heads"], options.get("groups", options["heads"])
    out, total = torch.empty_like(q), torch.empty(*options["rows"], 1)
    call(
        "FusedInferAttentionScoreV2", q, (k,), (v,), shift, mask, options.get("queries"), options.get("keys"), *NOTHING,
        heads, options.get("scale", 0.3), options.get("before", 99), 99, layout, groups, options.get("mode", 0), 0,
        options.get("pages", 0), 0, True, 0, 0, out, total,
    )  # fmt: skip
    return out, total


@pytest.mark.parametrize("layout", ["BNSD", "BSND", "BSH"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_attention(layout: str, dtype: str) -> None:
    """Grouped heads, numbers added to scores, keys that do not count, causal masks; the logarithm of the sums."""
    q, k, v = (sample(dtype, shape, seed) for seed, shape in enumerate([(2, 4, 3, 8), (2, 2, 5, 8), (2, 2, 5, 8)]))
    shift = sample(dtype, (2, 4, 3, 5), 4)
    keys = [each.repeat_interleave(2, 1).double() for each in (k, v)]

    def laid(x: Any) -> Any:
        x = x if layout == "BNSD" else x.transpose(1, 2).contiguous()
        return x.flatten(2) if layout == "BSH" else x

    arguments = {"layout": layout, "heads": 4, "groups": 2, "rows": (2, 4, 3)}
    behind = torch.arange(5) >= torch.tensor([4, 2])[:, None, None, None]
    lower = ~torch.ones(3, 5).tril().bool()
    right = ~torch.ones(3, 5).tril(2).bool()
    last = torch.stack([~torch.ones(3, 5).tril(keys - 3).bool() for keys in (4, 3)])[:, None]  # CANN counts valid keys
    square = torch.ones(2048, 2048, dtype=torch.bool)
    for mask, options in [
        (torch.zeros(1).bool(), {}),
        (behind, {"keys": (4, 2)}),
        (lower, {"mode": 2, "mask": square}),
        (right, {"mode": 3, "mask": square}),
        (last, {"mode": 3, "mask": square, "keys": (4, 3)}),
        (lower | behind, {"mode": 2, "mask": square, "keys": (4, 2)}),
        (right, {"mask": right[None, None]}),
    ]:
        scores = 0.3 * q.double() @ keys[0].transpose(-1, -2) + shift.double()
        scores = scores.masked_fill(mask, -torch.inf)
        out, total = infer(laid(q), laid(k), laid(v), shift, **arguments, **options)
        torch.testing.assert_close(out, laid((scores.softmax(-1) @ keys[1]).to(q.dtype)))
        torch.testing.assert_close(total, scores.logsumexp(-1, keepdim=True).float(), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pages": 16}, "a scale, an offset, a table, a padding size, a prefix or a mode is given"),
        ({"layout": "TND"}, "inputLayout is TND, sparseMode is 0; inputLayout must be BNSD, BSND or BSH"),
        ({"mode": 4}, "sparseMode is 4; "),
        ({"queries": (2,)}, r"actualSeqLengths is \(2,\); each must be 3"),
        ({"before": 1, "mask": torch.zeros(1, 1, 3, 5).bool()}, "preTokens is 1, nextTokens is 99; both must be at"),
        ({"rows": (1, 2, 4)}, r"softmaxLse has shape \(1, 2, 4, 1\); it must be \(1, 2, 3, 1\)"),
    ],
)
def test_attention_that_is_not_computed(options: dict[str, Any], message: str) -> None:
    q, k = sample("float16", (1, 2, 3, 8), 1), sample("float16", (1, 2, 5, 8), 2)
    with pytest.raises(InvalidArgument, match=message):
        infer(q, k, k, **{"heads": 2, "rows": (1, 2, 3)} | options)


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("scales", [(1,), (5,), (1, 5), (3, 5)])
def test_products_with_quantised_weights(scales: tuple[int, ...], dtype: str) -> None:
    x, scale = sample(dtype, (2, 80), 1), sample(dtype, scales, 2)
    weight = sample("int8", (5, 80), 3).t()  # strided, as ggml's
    offset = sample(dtype, scales, 4)
    bias = sample("float16" if dtype == "float16" else "float32", (5,), 5)
    rows = [each.repeat_interleave(32, 0)[:80] if scales == (3, 5) else each for each in (scale, offset)]
    wanted = x.double() @ ((weight.double() + rows[1].double()) * rows[0].double())
    out = torch.empty(2, 5, dtype=x.dtype)
    group = 32 if scales == (3, 5) else 0
    for more, expected in (((offset, None, None, bias), wanted + bias.double()), ((None,) * 4, None)):
        call("WeightQuantBatchMatmulV2", x, weight, scale, *more, group, out)
        if expected is None:
            expected = x.double() @ (weight.double() * rows[0].double())
        torch.testing.assert_close(out, expected.to(x.dtype), rtol=1e-2, atol=1e-2)
