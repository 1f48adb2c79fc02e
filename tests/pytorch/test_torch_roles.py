"""Gradients follow the roles that a definition states: names and places of tensors and outputs are free."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad.base.definition import Result, Roles
from actgrad.base.xp import exp, where
from actgrad.torch.derivatives import saving
from tests.support.torch_calls import ignore_deprecation

torch = pytest.importorskip("torch")
pytestmark = ignore_deprecation


def squash(x, beta):
    return x * exp(-beta * x * x)


def squash_derivative(x, beta):
    return (1.0 - 2.0 * beta * x * x) * exp(-beta * x * x)


def leak(x, beta):
    return where(x > 0, 2.0 * x, beta * x)


def leak_derivative(y, beta):
    return where(y > 0, 2.0, beta)


def five_times_at_one(x):
    return where(x == 1.0, 5.0 * x, x)


def five_times_elsewhere(x):
    return where(x != 1.0, 5.0 * x, x)


@pytest.fixture
def operator() -> Iterator[Any]:
    """Makes operators, which leave the registry afterwards."""
    before = dict(actgrad.operators)
    yield lambda text, **fields: actgrad.Operator(text, summary="An operator of a test.", **fields)
    actgrad.operators.clear()
    actgrad.operators.update(before)


@pytest.mark.parametrize("name", ["output", "result", "y", "is_result"])
def test_the_result_has_any_name(operator: Any, name: str) -> None:
    """An operator that CANN names `output` was given its input, and its gradient was wrong without a word."""
    prefix = f"leak_{name}"
    forward = operator(f"{prefix}(Tensor self, Scalar beta=0.5) -> Tensor out", formula=leak)
    operator(
        f"{prefix}_backward(Tensor grad_output, Tensor {name}, Scalar beta=0.5) -> Tensor grad_input",
        formula=leak_derivative,
        gradient_of=forward,
        result=Result(name),
    )
    assert list(saving.ways(forward)) == ["result"]
    x = torch.randn(5, dtype=torch.float64, requires_grad=True)
    y = forward(x, beta=0.5)
    assert y.grad_fn.saved_tensors[0] is y or torch.equal(y.grad_fn.saved_tensors[0], y)
    assert torch.autograd.gradcheck(lambda x: forward(x, beta=0.5), x)


@pytest.mark.parametrize("flag", ["is_result", "from_output", "reads_y"])
@pytest.mark.parametrize("tensor", ["result", "self", "value"])
def test_the_flag_has_any_name(operator: Any, flag: str, tensor: str) -> None:
    prefix = f"flagged_{flag}_{tensor}"
    forward = operator(f"{prefix}(Tensor self, Scalar beta=0.5) -> Tensor out", formula=leak)
    operator(
        f"{prefix}_backward(Tensor grad_output, Tensor {tensor}, bool {flag}, Scalar beta=0.5) -> Tensor grad_input",
        formula=leak_derivative,
        gradient_of=forward,
        result=Result(tensor, flag=flag),
    )
    known = saving.ways(forward)
    assert {name: way.flags for name, way in known.items()} == {"input": {flag: False}, "result": {flag: True}}
    x = torch.randn(5, dtype=torch.float64, requires_grad=True)
    for save in known:
        overload = actgrad.torch.register(forward).overload
        assert torch.autograd.gradcheck(lambda x, o=overload, s=save: o(x, 0.5, save=s), x)


def test_a_tensor_called_result_may_be_the_input(operator: Any) -> None:
    forward = operator("squash_result(Tensor result, Scalar beta=0.5) -> Tensor out", formula=squash)
    operator(
        "squash_result_backward(Tensor grad_output, Tensor result, Scalar beta=0.5) -> Tensor grad_input",
        formula=squash_derivative,
        gradient_of=forward,
    )
    assert list(saving.ways(forward)) == ["input"]
    x = torch.randn(5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(forward, x, check_forward_ad=True)


def test_outputs_pair_with_tensors_by_name(operator: Any) -> None:
    forward = operator(
        "scaled(Tensor other, Tensor active, Scalar beta=0.5) -> Tensor out",
        formula=squash,
        roles=Roles(multiplies="other", linear_in="other"),
    )
    backward = operator(
        "scaled_backward(Tensor grad_output, Tensor other, Tensor active, Scalar beta=0.5)"
        " -> (Tensor grad_other, Tensor grad_active)",
        formula=squash_derivative,
        gradient_of=forward,
    )
    assert backward.definition.gradients == {"grad_other": "other", "grad_active": "active"}
    (way,) = saving.ways(forward).values()
    assert way.sources == (0, 1, 2)
    given = torch.randn(2, 5, dtype=torch.float64, requires_grad=True).unbind()
    assert torch.autograd.gradcheck(forward, given, check_forward_ad=True)


@pytest.mark.parametrize(
    "outputs",
    [
        "Tensor grad_other",
        "Tensor grad_input",
        "(Tensor grad_other, Tensor grad_input)",
        "(Tensor grad_active, Tensor grad_other)",
        "(Tensor grad_other, Tensor grad_active, Tensor grad_beta)",
    ],
)
def test_every_tensor_has_its_own_gradient(operator: Any, outputs: str) -> None:
    """One gradient for two tensors went to both. Kernels write gradients in the order of the tensors."""
    forward = operator(
        "paired(Tensor other, Tensor active, Scalar beta=0.5) -> Tensor out",
        formula=squash,
        roles=Roles(multiplies="other"),
    )
    with pytest.raises(
        actgrad.InvalidOperator,
        match=r"^operator paired_backward: it returns grad_\w+.*; it must return a gradient for each of "
        r"other, active; return grad_other, grad_active$",
    ):
        operator(
            f"paired_backward(Tensor grad_output, Tensor other, Tensor active, Scalar beta=0.5) -> {outputs}",
            formula=squash_derivative,
            gradient_of=forward,
        )
    assert "paired_backward" not in actgrad.operators


def test_unknown_tensors_of_a_gradient_are_refused(operator: Any) -> None:
    forward = operator(
        "mispaired(Tensor other, Tensor active, Scalar beta=0.5) -> Tensor out",
        formula=squash,
        roles=Roles(multiplies="other"),
    )
    operator(
        "mispaired_backward(Tensor grad_output, Tensor other, Tensor gate, Scalar beta=0.5)"
        " -> (Tensor grad_other, Tensor grad_active)",
        formula=squash_derivative,
        gradient_of=forward,
    )
    with pytest.raises(
        actgrad.InvalidOperator, match="operator mispaired_backward: gate has no role; it must be a tensor of mispaired"
    ):
        saving.ways(forward)


@pytest.mark.parametrize(("formula", "slopes"), [(five_times_at_one, [5, 1]), (five_times_elsewhere, [1, 5])])
def test_a_gradient_by_equality(operator: Any, formula: Any, slopes: list[float]) -> None:
    """Dual numbers compared by identity, and the gradient was wrong without a word."""
    operator(f"{formula.__name__}(Tensor x) -> Tensor out", formula=formula)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    getattr(torch.ops.actgrad, formula.__name__)(x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == slopes
