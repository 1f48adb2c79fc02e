"""linear_cross_entropy: values, gradients and memory, against PyTorch's linear layer and cross entropy."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import actgrad
import actgrad.torch

torch = pytest.importorskip("torch")
from tests.support.torch_calls import compiled, ignore_deprecation  # noqa: E402  there is no such module without it

functional = torch.nn.functional
pytestmark = ignore_deprecation
loss_of = actgrad.torch.linear_cross_entropy
module = sys.modules[loss_of.__module__]
CLASSES, FEATURES = 7, 5


def aten(hidden: Any, weight: Any, target: Any, bias: Any = None, **options: Any) -> Any:
    logits = functional.linear(hidden, weight, bias)
    cap, ce_weight = options.pop("softcap", None), options.pop("ce_weight", None)
    if cap is not None:
        logits = cap * torch.tanh(logits / cap)
    found = functional.cross_entropy(logits.reshape(-1, CLASSES), target.reshape(-1), ce_weight, **options)
    return found.view(target.shape) if options.get("reduction") == "none" else found


def tensors(shape: tuple[int, ...] = (11,), dtype: Any = torch.float64) -> tuple[Any, Any, Any, Any]:
    generator = torch.Generator().manual_seed(len(shape))
    hidden, weight, bias = (
        torch.randn(each, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()
        for each in ((*shape, FEATURES), (CLASSES, FEATURES), (CLASSES,))
    )
    target = torch.randint(0, CLASSES, shape, generator=generator)
    return hidden, weight, target, bias


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several chunks of four rows, and a shorter last one."""
    monkeypatch.setattr(module, "CHUNK", 4 * CLASSES)
    monkeypatch.setattr(module, "MINIMUM", 4)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"label_smoothing": 0.1},
    {"ignore_index": 2},
    {"ignore_index": 2, "label_smoothing": 0.3, "ce_weight": True},
    {"ce_weight": True},
    {"softcap": 1.5},
    {"softcap": 1.5, "label_smoothing": 0.2, "ce_weight": True, "ignore_index": -100},
    {"label_smoothing": 1.0},
]


def filled(options: dict[str, Any], dtype: Any = torch.float64) -> dict[str, Any]:
    weights = torch.linspace(0.2, 1.7, CLASSES).to(dtype)
    return {**options, "ce_weight": weights} if "ce_weight" in options else options


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_agrees_with_aten(options: dict[str, Any], reduction: str) -> None:
    hidden, weight, target, bias = tensors()
    if "ignore_index" in options:
        target[3:6] = options["ignore_index"]
    found, wanted = (
        function(hidden, weight, target, bias, reduction=reduction, **filled(options)) for function in (loss_of, aten)
    )
    torch.testing.assert_close(found, wanted)
    factors = torch.linspace(-1, 2, found.numel(), dtype=found.dtype).view(found.shape)
    inputs = hidden, weight, bias
    torch.testing.assert_close(
        *(torch.autograd.grad(each, inputs, factors, retain_graph=True) for each in (found, wanted))
    )


@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 3), (2, 2, 3)], ids=str)
def test_shapes(shape: tuple[int, ...]) -> None:
    hidden, weight, target, _ = tensors(shape)
    for reduction in ("none", "sum"):
        found, wanted = (function(hidden, weight, target, reduction=reduction) for function in (loss_of, aten))
        torch.testing.assert_close(found, wanted)
        rows = [torch.autograd.grad(each.sum(), (hidden, weight)) for each in (found, wanted)]
        torch.testing.assert_close(*rows)


def test_derivatives_against_differences() -> None:
    hidden, weight, target, bias = tensors((2,))
    weight, bias = weight[:3].detach().requires_grad_(), bias[:3].detach().requires_grad_()
    target[:] = torch.tensor([2, -100])
    for reduction in ("mean", "none"):
        options = {"reduction": reduction, "label_smoothing": 0.1, "softcap": 2.0}

        def function(hidden: Any, weight: Any, bias: Any, options: Any = options) -> Any:
            return loss_of(hidden, weight, target, bias, **options)

        assert torch.autograd.gradcheck(function, (hidden, weight, bias), check_batched_grad=True)
        assert torch.autograd.gradgradcheck(function, (hidden, weight, bias))


def test_a_second_backward_pass_computes_the_gradients_again() -> None:
    hidden, weight, target, bias = tensors()
    loss = loss_of(hidden, weight, target, bias)
    first = torch.autograd.grad(loss, (hidden, weight, bias), torch.tensor(3.0, dtype=torch.float64), retain_graph=True)
    kept = [each.clone() for each in first]
    for each in first:
        each.zero_()  # as an optimizer or a clip of gradients does in place
    again = torch.autograd.grad(loss, (hidden, weight, bias), torch.tensor(3.0, dtype=torch.float64))
    torch.testing.assert_close(list(again), kept)


def test_all_rows_ignored_and_wrong_rows_that_are_ignored() -> None:
    """A row that is ignored has no gradient, even if it has NaN or infinity."""
    hidden, weight, target, bias = tensors()
    target[:] = -100
    found, wanted = (function(hidden, weight, target, bias) for function in (loss_of, aten))
    assert found.isnan()
    assert wanted.isnan()
    assert all(not each.any() for each in torch.autograd.grad(found, (hidden, weight, bias)))
    hidden, weight, target, bias = tensors()
    with torch.no_grad():
        hidden[2] = float("inf")
    target[2] = -100
    loss = loss_of(hidden, weight, target, bias, reduction="sum")
    (of_hidden,) = torch.autograd.grad(loss, hidden)
    assert loss.isfinite()
    assert of_hidden[[0, 1, 3]].isfinite().all()
    assert not of_hidden[2].any()


def test_only_the_wanted_gradients() -> None:
    hidden, weight, target, bias = tensors()
    for wanted in ((hidden,), (weight,), (bias,), (hidden, bias)):
        row = [each if any(each is one for one in wanted) else each.detach() for each in (hidden, weight, bias)]
        found, right = (torch.autograd.grad(f(*row[:2], target, row[2]), wanted) for f in (loss_of, aten))
        torch.testing.assert_close(found, right)
    with torch.no_grad():
        assert not loss_of(hidden, weight, target, bias).requires_grad


@pytest.mark.parametrize("is_autocast", [False, True])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_dtypes(dtype: Any, is_autocast: bool) -> None:
    hidden, weight, target, bias = tensors((64,), dtype)
    exact = [each.detach().double().requires_grad_() for each in (hidden, weight, bias)]
    with torch.autocast("cpu", torch.bfloat16, enabled=is_autocast):
        losses = [function(hidden, weight, target, bias) for function in (loss_of, aten)]
    assert losses[0].dtype == losses[1].dtype
    errors = []
    right = torch.autograd.grad(aten(*exact[:2], target, exact[2]), exact)
    for loss in losses:
        found = torch.autograd.grad(loss, (hidden, weight, bias))
        assert [each.dtype for each in found] == [dtype] * 3
        errors.append(
            max(float((f.double() - r).abs().max() / r.abs().max()) for f, r in zip(found, right, strict=True))
        )
    assert errors[0] <= max(2 * errors[1], 1e-6)


def test_transforms_modes_and_compile() -> None:
    hidden, weight, target, bias = tensors()

    def total(function: Any) -> Any:
        return lambda hidden: function(hidden, weight, target, bias, label_smoothing=0.1)

    torch.testing.assert_close(*(torch.func.grad(total(f))(hidden) for f in (loss_of, aten)))
    torch.testing.assert_close(*(torch.func.jvp(total(f), (hidden,), (hidden,)) for f in (loss_of, aten)))
    run = compiled(total(loss_of))
    torch.testing.assert_close(*(torch.autograd.grad(each, hidden) for each in (run(hidden), total(aten)(hidden))))


def test_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tensor of all logits: a step needs less than half of what PyTorch's composition needs."""
    from actgrad.torch.models.comparison import _peak

    rows, classes, features = 256, 2048, 32
    monkeypatch.setattr(module, "CHUNK", 16 * classes)
    hidden, weight = torch.randn(rows, features, requires_grad=True), torch.randn(classes, features, requires_grad=True)
    target = torch.randint(0, classes, (rows,))

    def step(function: Any, reduction: str) -> Any:
        return lambda: torch.autograd.grad(
            function(hidden, weight, target, reduction=reduction).sum(), (hidden, weight)
        )

    def composed(hidden: Any, weight: Any, target: Any, reduction: str) -> Any:
        return functional.cross_entropy(functional.linear(hidden, weight), target, reduction=reduction)

    for reduction in ("mean", "none"):
        assert _peak(step(loss_of, reduction)) < 0.25 * _peak(step(composed, reduction))


WRONG = [
    ({"reduction": "avg"}, "reduction is 'avg'; it must be 'mean', 'sum' or 'none'"),
    ({"label_smoothing": 1.5}, "label_smoothing is 1.5; it must be from 0 to 1"),
    ({"softcap": 0}, "softcap is 0; it must be a positive number"),
    ({"ignore_index": None}, "ignore_index is None; it must be an int"),
    ({"target": torch.zeros(11, CLASSES)}, "target is torch.float32; it must be torch.int64"),
    ({"target": torch.zeros(10, dtype=torch.int64)}, "target has the shape"),
    ({"target": torch.full((11,), 7)}, "target has 7; a target must be from 0 to 6"),
    ({"target": torch.full((11,), -1)}, "target has -1; a target must be from 0 to 6"),
    ({"bias": torch.zeros(3)}, "bias has the shape [3]"),
    ({"ce_weight": 2.0}, "ce_weight is a float; it must be a torch.Tensor"),
    ({"weight": torch.zeros(FEATURES, CLASSES)}, "weight must be (classes, last dimension of hidden)"),
    ({"hidden": torch.zeros(11, FEATURES)}, "they must have one dtype"),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[message for _, message in WRONG])
def test_errors(change: dict[str, Any], message: str) -> None:
    hidden, weight, target, bias = tensors()
    arguments = {"hidden": hidden, "weight": weight, "target": target, "bias": bias, **change}
    with pytest.raises(actgrad.ActgradError) as caught:
        loss_of(**arguments)
    assert message in str(caught.value)
    assert len(str(caught.value).split(";")) >= 3


def test_the_mean_is_divided_in_the_dtype_of_the_sums() -> None:
    """1 / 299 is no number of float32, and a sum of 400 weights is none of bfloat16."""
    hidden, weight, target, bias = tensors((300,))
    target[0] = -100
    found, wanted = (
        torch.autograd.grad(function(hidden, weight, target, bias), (hidden, weight, bias))
        for function in (loss_of, aten)
    )
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-15)
    half = [each.detach().bfloat16() for each in (hidden, weight, bias)]
    ce_weight = torch.linspace(0.9, 1.9, CLASSES).bfloat16()
    loss = loss_of(half[0], half[1], target, half[2], ce_weight=ce_weight)
    wide = [each.double() for each in half]
    exact = aten(wide[0], wide[1], target, wide[2], ce_weight=ce_weight.double())
    torch.testing.assert_close(loss.double(), exact, rtol=2**-8, atol=0)


@pytest.mark.parametrize("name", ["hidden", "weight", "target", "ce_weight"])
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_overwritten_arguments_raise_as_pytorch(name: str, reduction: str) -> None:
    for function in (loss_of, aten):
        for is_second in (False, True):
            hidden, weight, target, _ = tensors()
            given = {"hidden": hidden, "weight": weight, "target": target, "ce_weight": torch.rand(CLASSES).double()}
            loss = function(**given, reduction=reduction).sum()
            if is_second:
                torch.autograd.grad(loss, (hidden, weight), retain_graph=True)
            with torch.no_grad():
                given[name].mul_(0)
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                torch.autograd.grad(loss, (hidden, weight))
