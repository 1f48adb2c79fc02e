"""Strides of new results are PyTorch's for every pair of memory formats, in each way to call an operator."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad import samples
from actgrad.aten import ATEN, SAME
from tests.support.calls import ids
from tests.support.torch_calls import call, ignore_deprecation

torch = pytest.importorskip("torch")
functional = torch.nn.functional
pytestmark = [pytest.mark.share(3), ignore_deprecation]

#: Operators with a function of aten that is one kernel.
ONE_KERNEL = [
    actgrad.operators[name]
    for name in [
        *SAME.split(),
        *["elu_backward", "selu_backward", "sigmoid_backward", "relu_backward", "celu_backward", "relu6_backward"],
        *["hardswish_backward", "softmax_backward", "log_softmax_backward"],
    ]
]
SHAPE = (2, 4, 3, 6)
MODE = torch._subclasses.FakeTensorMode()
FORMATS: dict[str, Callable[[tuple[int, ...]], Any]] = {
    "contiguous": torch.randn,
    "channels_last": lambda shape: torch.randn(shape).to(memory_format=torch.channels_last),
    "transposed": lambda shape: torch.randn(shape[::-1]).permute(3, 2, 1, 0),
    "last two exchanged": lambda shape: torch.randn(*shape[:2], shape[3], shape[2]).mT,
    "not dense": lambda shape: torch.randn(*shape[:3], 2 * shape[3])[..., ::2],
    "not dense channels_last": lambda shape: FORMATS["channels_last"]((2 * shape[0], *shape[1:]))[::2],
    "expanded": lambda shape: torch.randn(shape[0], 1, *shape[2:]).expand(shape),
    "expanded channels_last": lambda shape: FORMATS["channels_last"]((shape[0], shape[1], 1, shape[3])).expand(shape),
    "one number": lambda shape: torch.randn(()).expand(shape),
}


def strides(result: Any) -> list[list[int]]:
    """The strides of dimensions of more than one element."""
    return [
        [stride for n, stride in zip(each.shape, each.stride(), strict=True) if n != 1]
        for each in samples.as_tuple(result)
    ]


def shapes_of(operator: actgrad.Operator, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The shapes of tensors for a call that computes `shape` elements."""
    if operator.name == "prelu":
        return [shape, shape[1:2]]
    whole = (*shape[:-1], 2 * shape[-1])
    return [
        whole if operator.access.part_count(each.name) > 1 else shape
        for each in operator.schema.tensors
        if not each.is_optional
    ]


def assert_strides(operator: actgrad.Operator, given: list[Any]) -> None:
    """By the dispatcher, by a direct call, on meta tensors and on fake tensors, against PyTorch's."""
    function = call(operator, operator.defaults)
    wanted = strides(ATEN[operator.name](torch.ops.aten, operator.defaults, *given))
    assert strides(function(*given)) == wanted
    assert strides(operator(*given)) == wanted
    meta = [torch.empty_strided(each.shape, each.stride(), device="meta") for each in given]
    assert strides(function(*meta)) == wanted
    with MODE:
        assert strides(function(*[MODE.from_tensor(each) for each in given])) == wanted


@pytest.mark.share(12)
@pytest.mark.parametrize("operator", ONE_KERNEL, ids=ids)
def test_of_every_pair_of_formats(operator: actgrad.Operator) -> None:
    shapes = shapes_of(operator, SHAPE)
    for makers in itertools.product(FORMATS.values(), repeat=sum(len(shape) == len(SHAPE) for shape in shapes)):
        made = iter(makers)
        given = [next(made)(shape) if len(shape) == len(SHAPE) else torch.rand(shape) for shape in shapes]
        assert_strides(operator, given)


def drawn(shape: tuple[int, ...], generator: random.Random) -> Any:
    """A tensor whose dimensions are in any order, and perhaps expanded or apart."""
    order = generator.sample(range(len(shape)), len(shape))
    expanded = {d for d in range(len(shape)) if generator.random() < 0.15}
    step = generator.choice([1, 1, 1, 2])
    sizes = [1 if d in expanded else shape[d] for d in order]
    sizes[-1] *= step
    tensor = torch.randn(sizes)[..., ::step]
    return tensor.permute([order.index(d) for d in range(len(shape))]).expand(shape)


@pytest.mark.share(8)
@pytest.mark.parametrize("operator", [o for o in ONE_KERNEL if o.name != "prelu"], ids=ids)
def test_of_drawn_layouts(operator: actgrad.Operator) -> None:
    generator = random.Random(operator.name)
    for _ in range(30):
        shape = tuple(generator.choice([2, 3, 4, 5]) for _ in range(generator.choice([1, 2, 3, 4, 5])))
        assert_strides(operator, [drawn(each, generator) for each in shapes_of(operator, shape)])


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "relu": lambda space, x: space.relu(x),
    "threshold": lambda space, x: space.threshold(x, 0.1, 0.2),
    "prelu": lambda space, x: space.prelu(x, torch.full((4,), 0.3)),
    "prelu, one weight": lambda space, x: space.prelu(x, torch.tensor(0.3).reshape(1)),
    "glu": lambda space, x: space.glu(x, -1),
    "glu, dim 1": lambda space, x: space.glu(x, 1),
    "gelu": lambda space, x: space.gelu(x),
    "silu": lambda space, x: space.silu(x),
    "mish": lambda space, x: space.mish(x),
    "hardtanh": lambda space, x: space.hardtanh(x),
    "hardswish": lambda space, x: space.hardswish(x),
    "softplus": lambda space, x: space.softplus(x),
    "tanh": lambda space, x: (torch if space is functional else space).tanh(x),
    "softmax": lambda space, x: space.softmax(x, 1),
}


#: Functions that save the result, with PyTorch's order of dimensions unless the input is expanded.
SAVING_RESULTS = {
    "elu": lambda space, x: space.elu(x, 1.3),
    "selu": lambda space, x: space.selu(x),
    "leaky_relu": lambda space, x: space.leaky_relu(x, 0.2),
}


@pytest.mark.share(6)
@pytest.mark.parametrize("name", [*FUNCTIONS, *SAVING_RESULTS])
def test_of_gradients(name: str) -> None:
    """Of the functions, which call kernels without the dispatcher."""
    function = {**FUNCTIONS, **SAVING_RESULTS}[name]
    for made in itertools.product(FORMATS.values(), repeat=2):
        x, found = made[0](SHAPE), []
        if name in SAVING_RESULTS and 0 in x.stride():
            continue
        for space in (functional, actgrad.torch):
            leaf = x.detach().requires_grad_()
            result = function(space, leaf)
            torch.manual_seed(0)
            (gradient,) = torch.autograd.grad(result, leaf, made[1](tuple(result.shape)))
            found.append(strides((result, gradient)))
        assert found[0] == found[1]
