"""The CPU backend against PyTorch's own operators, where they mean the same, with attributes off their defaults."""

import numpy as np
import pytest

import actgrad
from actgrad import aten, samples

torch = pytest.importorskip("torch")

OPERATORS = [operator for operator in actgrad.operators.values() if operator.name in aten.ATEN]

#: PyTorch's own errors. The absolute ones are those of its GELU, which has no digits left in the negative tail.
TOLERANCES = {"float32": {"rtol": 3e-6, "atol": 1e-5}, "float64": {"rtol": 1e-13, "atol": 1e-13}}
#: PyTorch's 1/6 is a float32; with a negative alpha exp grows, and magnifies the rounding of its argument.
LARGER = {"hardsigmoid_backward float64": 1e-7, "celu float32": 1e-5, "celu_backward float32": 1e-5}


def cases():
    for operator in OPERATORS:
        for attributes in samples.attribute_cases(operator):
            words = [operator.name, *(f"{name}={value}" for name, value in attributes.items())]
            yield pytest.param(operator, attributes, id="-".join(words))


def sample(dtype):
    """Values on both sides of the kink; not 0 itself, where SELU's derivative is a matter of convention."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-20, 20, 3000), rng.uniform(-1, 1, 3000), rng.standard_normal(3001) * 100])
    return x[x != 0].astype(dtype)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(("operator", "attributes"), list(cases()))
def test_agrees_with_aten(operator, attributes, dtype):
    inputs = samples.tensors(operator, attributes, sample(dtype), np.random.default_rng(1))
    theirs = aten.results(torch, operator, inputs, attributes)
    ours = samples.as_tuple(operator(*inputs, **attributes))
    for got, standard in zip(ours, theirs, strict=True):
        rtol = LARGER.get(f"{operator.name} {dtype}", TOLERANCES[dtype]["rtol"])
        np.testing.assert_allclose(got, standard, rtol, TOLERANCES[dtype]["atol"])


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("attributes", samples.attribute_cases(actgrad.geglu_backward), ids=str)
def test_geglu_backward_agrees_with_autograd_of_chunk_and_gelu(attributes, dtype):
    rng = np.random.default_rng(2)
    packed, grad_output = (rng.standard_normal(shape).astype(dtype) for shape in ((5, 14, 3), (5, 7, 3)))
    x = torch.from_numpy(packed).requires_grad_()
    left, right = x.chunk(2, dim=1)
    active, other = (left, right) if attributes["activate_left"] else (right, left)
    y = torch.nn.functional.gelu(active, approximate=attributes["approximate"]) * other
    y.backward(torch.from_numpy(grad_output))
    got = actgrad.geglu_backward(grad_output, packed, **{**attributes, "dim": 1})
    np.testing.assert_allclose(got, x.grad.numpy(), **TOLERANCES[dtype])


@pytest.mark.parametrize("operator", OPERATORS, ids=[operator.name for operator in OPERATORS])
def test_bfloat16_and_float16_reach_pytorch_unchanged(operator):
    """The conversion that the comparison and the table of errors rest on."""
    for dtype in ("float16", "bfloat16"):
        values = np.abs(samples.stratified(dtype, 500, np.random.default_rng(3)))
        results = aten.results(torch, operator, samples.tensors(operator, operator.defaults, values), operator.defaults)
        assert all(result.dtype == values.dtype for result in results)
        if operator is actgrad.leaky_relu:
            np.testing.assert_array_equal(results[0].view(np.uint16), values.view(np.uint16))
