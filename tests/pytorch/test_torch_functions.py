"""The functions and modules, and how `actgrad`'s own functions hand tensors over to them."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import numpy as np
import pytest

import actgrad
import actgrad.torch
from actgrad import samples
from actgrad.calls import extension
from tests.support.calls import OPERATORS, ids
from tests.support.torch_calls import ignore_deprecation, tensors

torch = pytest.importorskip("torch")
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402  only where PyTorch is

functional = torch.nn.functional

NAMES = {"elu": "ELU", "selu": "SELU", "leaky_relu": "LeakyReLU", "gelu": "GELU"}


@pytest.mark.parametrize("name", NAMES)
def test_signatures_begin_with_pytorchs(name: str) -> None:
    for ours, theirs in (
        (getattr(actgrad.torch, name), getattr(functional, name)),
        (getattr(actgrad.torch, NAMES[name]), getattr(torch.nn, NAMES[name])),
    ):
        if ours is actgrad.torch.gelu:
            continue  # PyTorch's is a built-in function, which shows no signature
        wanted = inspect.signature(theirs).parameters.values()
        got = list(inspect.signature(ours).parameters.values())
        assert [(p.name, p.default) for p in got[: len(wanted)]] == [(p.name, p.default) for p in wanted]
        assert all(p.kind is p.KEYWORD_ONLY for p in got[len(wanted) :])


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (actgrad.torch.ELU(), torch.nn.ELU()),
        (actgrad.torch.ELU(1.3, True), torch.nn.ELU(1.3, True)),
        (actgrad.torch.SELU(), torch.nn.SELU()),
        (actgrad.torch.SELU(inplace=True), torch.nn.SELU(inplace=True)),
        (actgrad.torch.LeakyReLU(), torch.nn.LeakyReLU()),
        (actgrad.torch.LeakyReLU(0.3, inplace=True), torch.nn.LeakyReLU(0.3, inplace=True)),
        (actgrad.torch.GELU(), torch.nn.GELU()),
        (actgrad.torch.GELU("tanh"), torch.nn.GELU("tanh")),
    ],
    ids=str,
)
def test_modules_do_what_pytorchs_do(ours: Any, theirs: Any) -> None:
    x = torch.randn(4, 5, requires_grad=True)
    for module in (ours, copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        results = [m(x * 1.0) for m in (module, theirs)]
        torch.testing.assert_close(*results)
        torch.testing.assert_close(*(torch.autograd.grad(y.sum(), x)[0] for y in results))
    assert not list(ours.parameters())
    assert not ours.state_dict()


def test_modules_print_what_is_off_its_default() -> None:
    assert repr(actgrad.torch.ELU(1.3, scale=0.7, save="input")) == "ELU(alpha=1.3, scale=0.7, save='input')"
    assert repr(actgrad.torch.GEGLU(1, "tanh", True)) == "GEGLU(dim=1, approximate='tanh', activate_left=True)"


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("activate_left", [False, True])
@pytest.mark.parametrize("dim", [-1, 0])
def test_every_convention_of_geglu(dim: int, activate_left: bool, approximate: str) -> None:
    x = torch.randn(4, 6, requires_grad=True)
    lower, upper = x.chunk(2, dim)
    active, other = (lower, upper) if activate_left else (upper, lower)
    wanted = functional.gelu(active, approximate=approximate) * other
    module = actgrad.torch.GEGLU(dim, approximate, activate_left)
    for got in (
        module(x),
        actgrad.torch.geglu(x, dim, approximate, activate_left),
        actgrad.torch.geglu(x, dim, approximate, activate_left, save="gelu"),
        actgrad.torch.geglu_two(other, active, approximate),
    ):
        torch.testing.assert_close(got, wanted)
        torch.testing.assert_close(
            *(torch.autograd.grad(y.square().sum(), x, retain_graph=True) for y in (got, wanted))
        )


def test_attributes_beyond_pytorchs() -> None:
    x = torch.randn(9)
    wanted = torch.ops.aten.elu(x, 1.3, 0.7, 0.5)
    torch.testing.assert_close(actgrad.torch.elu(x, 1.3, scale=0.7, input_scale=0.5), wanted)
    torch.testing.assert_close(actgrad.torch.ELU(1.3, scale=0.7, input_scale=0.5)(x), wanted)


def test_unknown_approximation() -> None:
    for function in (actgrad.torch.gelu, actgrad.torch.geglu):
        with pytest.raises(actgrad.InvalidArgument, match=r"approximate is 'erf'; it must be 'none'.* or 'tanh'"):
            function(torch.ones(4), approximate="erf")


@ignore_deprecation
@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_the_plain_functions_hand_over(operator: actgrad.Operator) -> None:
    """What requires grad stays on the graph, by position or by name; what a transform looks through is transformed."""
    given = tensors(operator, (3, 4), requires_grad=True)
    results = samples.as_tuple(operator(*given))
    assert all(result.requires_grad for result in results)
    by_name = operator(**dict(zip(operator.schema.tensor_names, given, strict=True)))
    torch.testing.assert_close(samples.as_tuple(by_name), results)
    with torch.no_grad():
        plain = samples.as_tuple(operator(*given))
        assert not any(result.requires_grad for result in plain)
        torch.testing.assert_close(plain, tuple(result.detach() for result in results))
    batched = [None if tensor is None else tensor.detach()[None] for tensor in given]
    if None not in batched:
        for got, one in zip(samples.as_tuple(torch.vmap(operator)(*batched)), plain, strict=True):
            torch.testing.assert_close(got[0], one)
    mode = torch._subclasses.fake_tensor.FakeTensorMode()
    faked = samples.as_tuple(operator(*[None if t is None else mode.from_tensor(t.detach()) for t in given]))
    assert [result.shape for result in faked] == [result.shape for result in plain]


@ignore_deprecation
def test_the_plain_functions_are_differentiated_with_their_attributes() -> None:
    x = torch.randn(4, 6)
    for function, wanted in (
        (lambda x: actgrad.elu(x, alpha=1.3, scale=2), lambda x: torch.ops.aten.elu(x, 1.3, 2)),
        (lambda x: actgrad.gelu(x, approximate="tanh"), lambda x: functional.gelu(x, approximate="tanh")),
        (lambda x: actgrad.geglu(x, dim=0)[0], lambda x: functional.gelu(x[2:]) * x[:2]),
    ):
        for transform in (torch.func.grad, torch.func.hessian):
            ours, theirs = (transform(lambda x, f=f: f(x).square().sum())(x) for f in (function, wanted))
            torch.testing.assert_close(ours, theirs)


def test_errors_of_the_plain_functions_stay_their_own() -> None:
    x = torch.randn(4, requires_grad=True)
    with pytest.raises(actgrad.NullArgument, match="elu_backward: self_or_result is None"):
        actgrad.elu_backward(x)
    with pytest.raises(actgrad.InvalidCall, match="elu: beta is unknown"):
        actgrad.elu(x, beta=1)
    with pytest.raises(
        actgrad.InvalidArgument, match=r"self_or_result has shape \(3,\); it must be \(4,\), the shape of grad_output"
    ):
        actgrad.elu_backward(x, torch.ones(3))
    with pytest.raises(actgrad.InvalidArgument, match=r"requires grad.*another library"):
        actgrad.elu_backward(x, np.ones(4, np.float32))


def test_public_names() -> None:
    assert sorted(actgrad.torch.__all__) == sorted(set(actgrad.torch.__all__))
    assert all(hasattr(actgrad.torch, name) for name in actgrad.torch.__all__)


def test_calls_that_need_no_dispatcher() -> None:
    """They go to the kernel by the shortest way; all others to PyTorch's dispatcher."""
    declined = (NotImplemented,) if extension.native is not None else (None,)
    operator, x = actgrad.elu, torch.linspace(-2, 2, 5)
    weight = torch.nn.Parameter(x.clone())
    assert torch.equal(operator.direct(x, alpha=1.3), actgrad.elu(x, alpha=1.3))
    with torch.no_grad():
        for _ in range(2):
            assert torch.equal(operator.direct(weight, alpha=1.3), actgrad.elu(x, alpha=1.3))
            assert operator._cached
    assert operator.direct(weight, alpha=1.3) in declined
    assert operator.direct(x.to("meta")) is None
    assert operator.direct(x.numpy()) is None
    with FakeTensorMode(), torch.device("cpu"):
        assert operator.direct(x) is None
    assert torch.func.vmap(lambda row: torch.tensor(operator.direct(row) is None))(x).all()
    with pytest.raises(actgrad.ActgradError, match="elu: "):
        actgrad.torch.elu(torch.ones(3, dtype=torch.int64))


def test_gradients_of_both_zeros() -> None:
    """Derivations are kept by attributes, and 0.0 equals -0.0."""
    for slope in (0.0, -0.0, 0.0):
        x = torch.tensor([-1.0], requires_grad=True)
        actgrad.torch.leaky_relu(x, slope, save="input").backward()
        assert torch.equal(torch.signbit(x.grad), torch.signbit(torch.tensor([slope])))
