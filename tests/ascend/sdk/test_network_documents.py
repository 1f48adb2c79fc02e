"""What CANN's documents say about functions around the activations, where PyTorch or an obvious reading says otherwise.

Also sums in which one number is much larger than the others: a plain loop in float32 loses the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from actgrad.base.errors import InvalidArgument
from tests.ascend.sdk.test_network import call, sample, tensor_of
from tests.ascend.sdk.test_sdk_inference import infer

torch = pytest.importorskip("torch")

LARGE, COUNT = 2.0**24, 4096  # float32 has no 2**24 + 1


def results(name: str, arguments: tuple[Any, ...], *shapes: tuple[int, ...]) -> list[Any]:
    """The results of a call that are its last arguments."""
    out = [torch.full(shape, torch.nan) for shape in shapes]
    call(name, *arguments, *out)
    return out


def one_large(*shape: int) -> Any:
    a = torch.ones(shape)
    a.view(-1)[0] = LARGE
    return a


def by_index(name: str, *more: Any) -> Callable[[], Any]:
    """The sum of `COUNT` ones and 2**24 at one index."""
    index, ones = torch.zeros(COUNT, dtype=torch.int64), torch.ones(COUNT)

    def total() -> Any:
        start, out = torch.tensor([LARGE]), torch.zeros(1)
        if name in ("ScatterAdd", "IndexAdd"):
            call(name, start, 0, index, ones, *more, out)
            return out
        call(name, start, [index] if name == "IndexPutImpl" else index, ones, True, *more)
        return start

    return total


def of_embedding() -> Any:
    return results(
        "EmbeddingDenseBackward", (one_large(COUNT + 1, 1), torch.zeros(COUNT + 1).long(), 2, -1, False), (2, 1)
    )[0]


NCHW = 0
PLANE = 64 * 65 - 1  # ones next to the large number in a plane


def of_convolution() -> Any:
    image, weight = torch.zeros(1, 1, 512, 512), torch.zeros(1, 1, 1, 1)
    total, *out = torch.zeros(1), torch.zeros_like(image), torch.zeros_like(weight)
    images = [tensor_of(each, NCHW) for each in (one_large(1, 1, 512, 512), image, weight)]
    settings = ((1,), (1, 1), (0, 0), (1, 1), False, (0, 0), 1, (True, True, True), 0)
    call("ConvolutionBackward", *images, *settings, *(tensor_of(each, NCHW) for each in out), total)
    return total


def of_norm() -> Any:
    roots = torch.ones(COUNT + 1, 2)
    roots[0] = LARGE**0.5
    return results("LinalgVectorNorm", (roots, 2.0, (0,), False, 0), (2,))[0]


def of_pooling() -> Any:
    mean = torch.zeros(1, 1, 1, 1)
    image, out = tensor_of(one_large(1, 1, 64, 65), NCHW), tensor_of(mean, NCHW)
    call("AvgPool2d", image, (64, 65), (1, 1), (0, 0), False, True, 0, 0, out)
    return mean * (PLANE + 1)


#: By sum: its terms, and what it must be near.
SUMS: dict[str, tuple[Callable[[], Any], float]] = {
    "ScatterAdd": (by_index("ScatterAdd"), LARGE + COUNT),
    "IndexAdd": (by_index("IndexAdd", 1), LARGE + COUNT),
    "IndexPutImpl": (by_index("IndexPutImpl", False), LARGE + COUNT),
    "InplacePut": (by_index("InplacePut"), LARGE + COUNT),
    "EmbeddingDenseBackward": (of_embedding, LARGE + COUNT),
    "ConvolutionBackward": (of_convolution, LARGE + 512 * 512 - 1),
    "Norm": (lambda: results("Norm", (one_large(COUNT + 1, 1), 1.0, (0,), False), (1,))[0], LARGE + COUNT),
    "LinalgVectorNorm": (of_norm, (LARGE + COUNT) ** 0.5),
    "AvgPool2d": (of_pooling, LARGE + PLANE),
    "AdaptiveAvgPool2d": (
        lambda: results("AdaptiveAvgPool2d", (one_large(1, 1, 64, 65), (1, 1)), (1, 1, 1, 1))[0],
        (LARGE + PLANE) / (PLANE + 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SUMS)
def test_sums_with_one_large_number(name: str) -> None:
    compute, wanted = SUMS[name]
    np.testing.assert_allclose(compute().flatten()[0].item(), wanted, rtol=2e-5)


def test_rounding_half_away_from_0() -> None:
    """Ties, their neighbours, and numbers to which 0.5 cannot be added."""
    x = torch.tensor([0.49999997, -0.49999997, 0.5, -0.5, 2.5, -2.5, 1.4, 8388609.0, -8388607.5, torch.inf, torch.nan])
    wanted = [0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 1.0, 8388609.0, -8388608.0, torch.inf, torch.nan]
    out = torch.zeros_like(x)
    call("ForeachRoundOffNumberV2", [x], 4, [out])
    torch.testing.assert_close(out, torch.tensor(wanted), rtol=0, atol=0, equal_nan=True)


def test_means_of_losses_after_broadcasting() -> None:
    """A gradient's mean is over the elements after broadcasting, where CANN broadcasts first, and sums go back."""
    one = torch.ones(())
    row, matrix = torch.tensor([1.0, -2.0, 3.0]), torch.zeros(2, 3)
    signs = torch.tensor([1.0, -1.0, 1.0])
    (by_self,) = results("L1LossBackward", (one, row, matrix, 1), (2, 3))
    torch.testing.assert_close(by_self, (signs / 6).expand(2, 3))
    (by_self,) = results("SmoothL1LossBackward", (one, row, matrix, 1, 0.5), (2, 3))
    torch.testing.assert_close(by_self, (signs / 3).expand(2, 3))  # CANN counts the elements of self
    target = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]])
    for reduction, share in ((1, 6), (2, 1), (3, 2)):
        (by_self,) = results("KlDivBackward", (one, row, target, reduction, False), (3,))
        torch.testing.assert_close(by_self, -target.sum(0) / share)
        (by_target,) = results("KlDivTargetBackward", (one, target, target[:1], reduction, False), (1, 3))
        slopes = (target[:1].log() - target + 1).sum(0, True)
        torch.testing.assert_close(by_target, slopes / share)
    (loss,) = results("KlDiv", (row, target, 3, False), ())
    torch.testing.assert_close(loss, (target * (target.log() - row)).sum() / 2)


def test_targets_of_0_of_the_divergence() -> None:
    """CANN's gradient by the target divides the target by itself."""
    target = torch.tensor([0.0, 0.5])
    (by_target,) = results("KlDivTargetBackward", (torch.ones(2), torch.zeros(2), target, 0, False), (2,))
    torch.testing.assert_close(by_target, torch.tensor([torch.nan, float(1 + np.log(0.5))]), equal_nan=True)


def trained(mode: int, mask: Any, shift: Any, q: Any, k: Any, v: Any) -> tuple[Any, ...]:
    shape = (*q.shape[:3], 8)
    settings = (None, 0.25, 1.0, 99, 99, q.shape[1], "BNSD", 0, mode)
    largest, total, out = (torch.empty(each) for each in (shape, shape, q.shape))
    call("FlashAttentionScore", q, k, v, shift, None, None, mask, *settings, largest, total, None, out)
    return largest, total, out


def test_training_attention() -> None:
    """pse is added before the products are scaled. Without a mask, sparseMode has no effect."""
    q, k, v = (sample("float32", shape, n) for n, shape in enumerate([(2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4)]))
    shift = sample("float32", (1, 2, 3, 5), 7)
    full = torch.zeros(3, 5, dtype=torch.bool)
    upper = torch.ones(3, 5).triu(3).bool()
    for mode, mask, hidden in ((0, None, full), (2, None, full), (3, None, full), (3, upper, upper)):
        scores = (0.25 * (q @ k.mT + shift)).masked_fill(hidden, -torch.inf)
        largest, _, out = trained(mode, mask, shift, q, k, v)
        torch.testing.assert_close(out, scores.softmax(-1) @ v)
        torch.testing.assert_close(largest[..., 0], scores.amax(-1))


def test_inference_with_one_query() -> None:
    """sparseMode, preTokens and the lengths of queries have no effect. A mask (batch, keys) is for all heads."""
    q, k = sample("float16", (2, 2, 1, 8), 1), sample("float16", (2, 2, 5, 8), 2)
    hidden = torch.tensor([[0, 1, 0, 0, 0], [0, 0, 0, 1, 1]], dtype=torch.bool)
    scores = 0.3 * (q.double() @ k.double().mT)
    for mask in (None, hidden, hidden[:, None], hidden[:, None, None]):
        blocked = scores if mask is None else scores.masked_fill(hidden[:, None, None], -torch.inf)
        wanted = (blocked.softmax(-1) @ k.double()).half()
        for mode in (0, 2, 3):
            options = {"mode": mode, "before": 0, "queries": (7,)}
            out, _ = infer(q, k, k, None, mask, heads=2, rows=(2, 2, 1), **options)
            torch.testing.assert_close(out, wanted)


def test_masks_without_heads() -> None:
    """A mask (batch, queries, keys) is not one of heads, even if there are as many heads as batches."""
    q, k = sample("float16", (2, 2, 3, 8), 1), sample("float16", (2, 2, 5, 8), 2)
    mask = torch.arange(30).reshape(2, 3, 5) % 4 == 1
    scores = (0.3 * (q.double() @ k.double().mT)).masked_fill(mask[:, None], -torch.inf)
    out, _ = infer(q, k, k, None, mask, heads=2, rows=(2, 2, 3))
    torch.testing.assert_close(out, (scores.softmax(-1) @ k.double()).half())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keys": (5, 6)}, r"actualSeqLengthsKv is \(5, 6\); it must have 1 or 3 numbers from 0 to 5"),
        ({"keys": (5, 5)}, r"actualSeqLengthsKv is \(5, 5\); it must have 1 or 3 numbers"),
        ({"keys": (-1,)}, r"actualSeqLengthsKv is \(-1,\); it must have 1 or 3 numbers"),
        ({"mode": 2}, "sparseMode is 2 and attenMask is null; it must be a tensor"),
    ],
)
def test_inference_that_is_refused(options: dict[str, Any], message: str) -> None:
    q, k = sample("float16", (3, 2, 3, 8), 1), sample("float16", (3, 2, 5, 8), 2)
    with pytest.raises(InvalidArgument, match=message):
        infer(q, k, k, heads=2, rows=(3, 2, 3), **options)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_quotients_are_rounded_before_they_are_rounded_down(dtype: Any) -> None:
    """CANN's formula is floor(self / other). NumPy and PyTorch give 9 for 1 / 0.1, and NaN for inf / 1."""
    a, b = (
        torch.tensor([1.0, -1.0, torch.inf, 7.0, -7.0, 1.0]).to(dtype),
        torch.tensor([0.1, 0.1, 1, 2, 2, 0]).to(dtype),
    )
    wanted = torch.floor(a.float() / b.float()).to(dtype)
    out = torch.empty_like(a)
    call("FloorDivide", a, b, out)
    assert torch.equal(out, wanted)
    call("DivMod", a, b, 2, out)
    assert torch.equal(out, wanted)
    call("InplaceFloorDivides", a, 0.1)
    assert a[0] == 10
