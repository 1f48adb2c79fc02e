"""vmap of every operator is a loop over the batch: every rank, 0 too, every in_dims, nested, refused calls as well."""

from __future__ import annotations

import random
from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad import samples
from tests.support.calls import EVERY, ids
from tests.support.row_operators import OPERATORS as ROWS
from tests.support.torch_calls import assert_same, attribute_cases, call, drawn, ignore_deprecation, outcome

torch = pytest.importorskip("torch")
ops = torch.ops.actgrad
pytestmark = [ignore_deprecation, pytest.mark.share(20)]

SHAPES = [(), (1,), (3,), (1, 1), (2, 1), (1, 3), (2, 4), (2, 2, 3), (0,)]
LOSSES = {
    "results": lambda f: f,
    "gradients": lambda f: torch.func.grad(lambda *t: _total(f(*t)), argnums=0),
    "second": lambda f: torch.func.grad(lambda *t: torch.func.grad(lambda *u: _total(f(*u)))(*t).square().sum()),
    "tangents": lambda f: lambda *t: torch.func.jvp(f, t, tuple(x.cos() for x in t))[1],
}


def _total(results: Any) -> Any:
    return sum((y * y).sum() for y in samples.as_tuple(results))


def looped(function: Any, dims: list[tuple[Any, ...]], *tensors: Any) -> tuple[Any, ...]:
    """What nested vmaps stand for; `dims` are their in_dims, the outermost first."""
    if not dims:
        return samples.as_tuple(function(*tensors))
    first, *rest = dims
    size = next(t.shape[d] for t, d in zip(tensors, first, strict=True) if d is not None)
    calls = [
        looped(function, rest, *[t if d is None else t.select(d, k) for t, d in zip(tensors, first, strict=True)])
        for k in range(size)
    ]
    return tuple(torch.stack(parts) for parts in zip(*calls, strict=True))


def mapped(function: Any, dims: list[tuple[Any, ...]]) -> Any:
    for in_dims in reversed(dims):
        function = torch.vmap(function, in_dims=in_dims)
    return function


def batched(draw: random.Random, tensor: Any, sizes: tuple[int, int]) -> tuple[Any, list[int | None]]:
    """The tensor with other values in a batch of no, one or both levels, and its place in each."""
    places: list[int | None] = [None, None]
    for level in draw.choice([(), (1,), (0,), (1, 0)]) if tensor is not None else ():
        places[level] = draw.randrange(tensor.dim() + 1)
        copies = [tensor + k if tensor.is_floating_point() else tensor for k in range(sizes[level])]
        tensor = torch.stack(copies, places[level])
    return tensor, places


@pytest.mark.parametrize("operator", [o for o in EVERY if not o.ragged.groups], ids=ids)
def test_is_a_loop(operator: actgrad.Operator) -> None:
    """Also where the tensors have several ranks, and where the loop's first call raises: the same error."""
    draw, generator = random.Random(operator.name), torch.Generator().manual_seed(len(operator.name))
    results = 0
    for number in range(24):
        attributes = dict(draw.choice(attribute_cases(operator)))
        attributes.update({"dim": draw.choice([-1, -1, 0, 1])} if "dim" in attributes else {})
        try:
            tensors = drawn(
                operator, SHAPES[number % len(SHAPES)], torch.float32, generator, attributes, number % 3 > 0
            )
        except (ZeroDivisionError, IndexError):  # no such dimension
            tensors = [torch.randn(SHAPES[number % len(SHAPES)], generator=generator) for _ in operator.schema.tensors]
        if number % 2 and len(tensors) > 1:  # another shape, which an operator may broadcast or refuse
            tensors[draw.randrange(len(tensors))] = torch.randn(draw.choice(SHAPES), generator=generator)
        pairs = [batched(draw, tensor, (2, 3)) for tensor in tensors]
        levels = [tuple(places[level] for _, places in pairs) for level in (0, 1)]
        dims = [level for level in levels if any(dim is not None for dim in level)]
        if not dims:
            continue
        function, given = call(operator, attributes), [tensor for tensor, _ in pairs]
        wanted = outcome(lambda *t, f=function, d=dims: looped(f, d, *t), *given)
        assert_same(
            outcome(mapped(function, dims), *given),
            wanted,
            (attributes, [t.shape for t in given if t is not None], dims),
        )
        results += not isinstance(wanted[0], type)
    assert results > 2


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("operator", ROWS, ids=ids)
def test_a_number_is_a_row_of_its_own(operator: actgrad.Operator, loss: str) -> None:
    """Every choice of batched tensors, in one and in two nested maps; the derivatives too."""
    function = LOSSES[loss](call(operator, operator.defaults))
    generator = torch.Generator().manual_seed(1)
    dtype = torch.float64 if "float64" in operator.input_dtypes else torch.float32
    count = len(operator.schema.tensors)
    for chosen in range(1, 2**count):
        first = tuple(0 if chosen >> k & 1 else None for k in range(count))
        inner = tuple(0 if k == 0 or chosen >> k & 1 else None for k in range(count))
        for dims in ([first], [first, inner]):
            shapes = [tuple(3 - level for level, d in enumerate(dims) if d[k] is not None) for k in range(count)]
            given = [torch.randn(shape, dtype=dtype, generator=generator) for shape in shapes]
            wanted = looped(function, dims, *given)
            torch.testing.assert_close(samples.as_tuple(mapped(function, dims)(*given)), wanted)


def test_numbers_by_pytorch_and_by_hand() -> None:
    g, x = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 1.0, 1.0])
    assert torch.vmap(ops.confusion_softmax_grad)(g, x).tolist() == [0, 0, 0]  # g - g * x, each for itself
    assert torch.vmap(ops.confusion_softmax_grad)(g, x + 1).tolist() == [-1, -2, -3]
    for name in ("softmax", "log_softmax"):
        for dim in (0, -1):
            got = torch.vmap(lambda t, n=name, d=dim: getattr(actgrad.torch, n)(t, d))(g)
            assert torch.equal(got, torch.vmap(lambda t, n=name, d=dim: getattr(torch, n)(t, d))(g))
        with pytest.raises(
            actgrad.InvalidArgument, match=rf"{name}: dim is 1, but input has shape \(\); it must lie in \[-1, 0\]"
        ):
            torch.vmap(lambda t, n=name: getattr(actgrad.torch, n)(t, 1))(g)


def test_an_example_is_judged_by_its_own_shapes() -> None:
    """A batch of (3,) beside (1, 3) looked like two of (1, 3)."""
    grad, x = torch.randn(2, 3), torch.randn(2, 1, 3)
    with pytest.raises(actgrad.InvalidArgument, match=r"self has shape \(1, 3\); it must be \(3,\), the shape of"):
        torch.vmap(lambda a, b: ops.gelu_backward(a, b))(grad, x)
    assert torch.vmap(lambda a, b: ops.rrelu_with_noise(a, b))(grad, x).shape == (2, 3)


@pytest.mark.needs("ascend")
def test_limits_of_a_product_are_those_of_an_example() -> None:
    """A product takes 8 dimensions, and cross entropy 2: the batch is none of them."""
    x = torch.randn(2, *(1,) * 7, 3)
    rows = torch.rand(2, 3, 4)
    with actgrad.product("Ascend910B"):
        assert torch.equal(torch.vmap(ops.elu)(x), torch.stack([ops.elu(part) for part in x]))
        with pytest.raises(actgrad.InvalidArgument, match="elu: self has 9 dimensions"):
            torch.vmap(ops.elu)(x[None])
        loss, _ = torch.vmap(ops.softmax_cross_entropy_with_logits)(rows, rows)
        assert loss.shape == (2, 3)
        with pytest.raises(actgrad.InvalidArgument, match="features has 1 dimension; it must have 2; reshape"):
            torch.vmap(ops.softmax_cross_entropy_with_logits)(rows[0], rows[0])
