"""The operators' derivatives of any order, against differences, PyTorch's own operators and the transforms' laws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import actgrad
import actgrad.torch
from actgrad import samples
from actgrad.torch.derivatives import saving
from tests.support.calls import OPERATORS, ids
from tests.support.torch_calls import FORWARD, call, cases, compiled, ignore_deprecation, tensors

torch = pytest.importorskip("torch")
functional = torch.nn.functional
ops = torch.ops.actgrad

pytestmark = [ignore_deprecation, pytest.mark.share(12)]

checks = torch.autograd.gradcheck, torch.autograd.gradgradcheck


@pytest.mark.parametrize(("operator", "attributes"), cases())
def test_against_differences(operator: actgrad.Operator, attributes: dict[str, Any]) -> None:
    """First and second derivatives, reverse, forward and forward over reverse."""
    given = tensors(operator, (2, 2), dtype=torch.float64, requires_grad=True, optional=True)
    function = call(operator, attributes)
    assert torch.autograd.gradcheck(function, given, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(function, given, check_fwd_over_rev=True)


def ways() -> list[Any]:
    return [pytest.param(o, save, id=f"{o.name} {save}") for o in FORWARD for save in ("auto", *saving.ways(o))]


@pytest.mark.parametrize(("operator", "save"), ways())
def test_whatever_is_saved_gives_the_same_gradients(operator: actgrad.Operator, save: str) -> None:
    given = tensors(operator, (2, 3), dtype=torch.float64, requires_grad=True)
    function = call(operator, operator.defaults, save=save)
    assert torch.autograd.gradcheck(function, given, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, given, check_fwd_over_rev=True)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_curvature_of_gelu_at_exactly_zero(approximate: str) -> None:
    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    pair = torch.tensor([1.0, 0.0], dtype=torch.float64, requires_grad=True)
    for function, given, place in (
        (lambda x: actgrad.torch.gelu(x, approximate=approximate), x, 0),
        (lambda x: actgrad.torch.geglu(x, approximate=approximate), pair, 1),
        (lambda x: actgrad.torch.geglu_two(x[:1], x[1:], approximate), pair, 1),
    ):
        assert all(check(function, given) for check in checks)
        (first,) = torch.autograd.grad(function(given).sum(), given, create_graph=True)
        (second,) = torch.autograd.grad(first[place], given)
        assert second[place].item() == pytest.approx(2 / math.sqrt(2 * math.pi), rel=1e-15)  # 0.797884560802865


STANDARDS = {
    "elu": lambda x: functional.elu(x, 1.0),
    "selu": functional.selu,
    "leaky_relu": functional.leaky_relu,
    "gelu": functional.gelu,
    "geglu": lambda x: functional.gelu(x.chunk(2, -1)[1]) * x.chunk(2, -1)[0],
}


def first_output(name: str) -> Any:
    def function(*tensors: Any) -> Any:
        return samples.as_tuple(getattr(ops, name)(*tensors))[0]

    return function


TRANSFORMS = {
    "grad": lambda f: torch.func.grad(lambda x: f(x).sum()),
    "grad of grad": lambda f: torch.func.grad(lambda x: torch.func.grad(lambda x: f(x).sum())(x).square().sum()),
    "third": lambda f: torch.func.grad(
        lambda x: torch.func.grad(lambda x: torch.func.grad(lambda x: f(x).sum())(x).sum())(x).square().sum()
    ),
    "jvp": lambda f: lambda x: torch.func.jvp(f, (x,), (x.cos(),))[1],
    "hessian": lambda f: torch.func.hessian(lambda x: f(x).square().sum()),
    "jacfwd of jacfwd": lambda f: torch.func.jacfwd(torch.func.jacfwd(lambda x: f(x).square().sum())),
    "jacrev of jacfwd": lambda f: torch.func.jacrev(torch.func.jacfwd(lambda x: f(x).square().sum())),
    "jacrev of jacrev": lambda f: torch.func.jacrev(torch.func.jacrev(lambda x: f(x).square().sum())),
    "vmap": lambda f: torch.vmap(f, in_dims=1, out_dims=1),
    "vmap of grad": lambda f: torch.vmap(torch.func.grad(lambda x: f(x).sum()), in_dims=1),
    "grad of vmap": lambda f: torch.func.grad(lambda x: torch.vmap(f)(x).sum()),
    "functionalize": torch.func.functionalize,
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", STANDARDS)
def test_transforms(name: str, transform: str) -> None:
    x = torch.linspace(-3, 4, 16, dtype=torch.float64).reshape(4, 4)
    assert not (x == 0).any()
    ours, standard = (TRANSFORMS[transform](function)(x) for function in (first_output(name), STANDARDS[name]))
    torch.testing.assert_close(ours, standard, rtol=1e-9, atol=1e-12)
    again = TRANSFORMS[transform](first_output(name))(x.clone().requires_grad_())  # beside a graph of one's own
    torch.testing.assert_close(again.detach(), standard, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_vmap_over_any_of_the_tensors(operator: actgrad.Operator) -> None:
    """Batched in other dimensions, or not at all, against a loop."""
    function = call(operator, operator.defaults)
    given = tensors(operator, (3, 4), optional=True)
    for batched in range(len(given)):
        parts = list(given)
        parts[batched] = torch.stack([given[batched], 2 * given[batched]], 1)
        in_dims = tuple(1 if k == batched else None for k in range(len(given)))
        got = samples.as_tuple(torch.vmap(function, in_dims=in_dims)(*parts))
        loops = zip(
            *(samples.as_tuple(function(*given[:batched], x, *given[batched + 1 :])) for x in parts[batched].unbind(1)),
            strict=True,
        )
        torch.testing.assert_close(got, tuple(torch.stack(loop) for loop in loops))


def test_vmap_of_a_tensor_along_a_dimension() -> None:
    """A batch of PReLU's weights, and one weight for the batch."""
    x, weights = torch.randn(2, 5, 3, 4), torch.randn(2, 3)
    for in_dim, weight in ((0, weights), (None, weights[0])):
        got = torch.vmap(ops.prelu, in_dims=(0, in_dim))(x, weight)
        each = weight if in_dim == 0 else [weight, weight]
        torch.testing.assert_close(got, torch.stack([ops.prelu(a, b) for a, b in zip(x, each, strict=True)]))


def test_vmap_of_tensors_of_several_ranks() -> None:
    """A tensor without the batch, or of lower rank, is broadcast behind the batch, not with it."""
    g, x = torch.randn(3, 2, 3), torch.randn(3, 3)
    function = call(actgrad.leaky_relu_backward, {"negative_slope": 0.1})
    for first, second in ((g, x), (x, g)):
        got = torch.vmap(function)(first, second)
        torch.testing.assert_close(got, torch.stack([function(a, b) for a, b in zip(first, second, strict=True)]))
    torch.testing.assert_close(
        torch.vmap(function, in_dims=(None, 0))(g[0], x), torch.stack([function(g[0], b) for b in x])
    )


def test_vmap_counts_dimensions_within_the_batch() -> None:
    x = torch.randn(2, 4, 6)
    for dim in (0, 1, -1, -2):
        got = torch.vmap(lambda x, d=dim: actgrad.torch.geglu(x, d))(x)
        torch.testing.assert_close(got, torch.stack([actgrad.torch.geglu(part, dim) for part in x]))
    with pytest.raises(actgrad.InvalidArgument, match="geglu: dim is 2"):
        torch.vmap(lambda x: actgrad.torch.geglu(x, 2))(x)


def test_broadcasting_gradients_have_their_tensors_shapes_and_dtypes() -> None:
    g = torch.randn(3, 1, dtype=torch.float64, requires_grad=True)
    x = torch.randn(4, requires_grad=True)
    result = ops.leaky_relu_backward(g, x, 0.3, False)
    assert (result.shape, result.dtype) == ((3, 4), torch.float64)
    result.sum().backward()
    slopes = torch.where(x > 0, 1.0, 0.3).double()
    torch.testing.assert_close(g.grad, slopes.sum().expand(3, 1))
    assert x.grad is None or not x.grad.any()


@pytest.mark.parametrize("name", ["elu", "selu", "leaky_relu", "gelu"])
def test_pytorchs_own_samples(name: str) -> None:
    pytest.importorskip("expecttest", reason="torch.testing._internal needs it")
    from torch.testing._internal.common_methods_invocations import op_db

    info = next(info for info in op_db if info.name == f"nn.functional.{name}")
    function = getattr(actgrad.torch, name)
    samples = list(info.sample_inputs("cpu", torch.float64, requires_grad=True))
    assert len(samples) >= 3
    for sample in samples:
        values = [f(sample.input, *sample.args, **sample.kwargs) for f in (function, info.op)]
        torch.testing.assert_close(values[0], values[1])
        grad_output = torch.randn_like(values[0])
        ours, theirs = (torch.autograd.grad(value, sample.input, grad_output)[0] for value in values)
        torch.testing.assert_close(ours, theirs)


def test_gradient_at_the_kinks() -> None:
    """SELU's follows the contract: zero belongs to the positive branch, except on one product."""
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        x = torch.tensor([0.0, -0.0], dtype=dtype, requires_grad=True)
        slopes = {}
        for name in ("elu", "selu", "leaky_relu"):
            (slope,) = torch.autograd.grad(getattr(actgrad.torch, name)(x).sum(), x)
            slopes[name] = slope[0].item()
            assert slope[1].item() == slopes[name]
        assert slopes["elu"] == 1
        assert slopes["leaky_relu"] == pytest.approx(0.01, rel=1e-2)
        assert slopes["selu"] == pytest.approx(1.0507, rel=1e-2)
        with actgrad.product("Ascend950"):
            if dtype != torch.float64:  # which the product lacks
                (slope,) = torch.autograd.grad(actgrad.torch.selu(x).sum(), x)
                assert slope[0].item() == pytest.approx(1.7581, rel=1e-2)


@pytest.mark.parametrize("operator", [o for o in FORWARD if not o.roles.multiplies], ids=ids)
@pytest.mark.parametrize("order", [1, 2])
def test_special_values(operator: actgrad.Operator, order: int) -> None:
    """NaN stays NaN; elsewhere, infinities included, no derivative is NaN."""
    values = samples.special_values(np.float64)
    x = torch.from_numpy(values).requires_grad_()
    result = call(operator, operator.defaults)(x)
    for _ in range(order):
        (result,) = torch.autograd.grad(result.sum(), x, create_graph=True)
    is_nan = np.isnan(result.detach().numpy())
    wanted = np.isnan(values) if operator.name != "leaky_relu" else np.zeros_like(is_nan)
    if order == 2 and operator.name in ("elu", "selu"):
        wanted = is_nan if is_nan[~np.isnan(values)].sum() == 0 else wanted
    np.testing.assert_array_equal(is_nan, wanted)


def bytes_saved(function: Any, x: Any) -> int:
    """The bytes that a forward pass keeps for the backward pass, each storage once, its parameters apart."""
    parameters = getattr(function, "parameters", list)()
    known = {parameter.untyped_storage().data_ptr() for parameter in parameters}
    storages: dict[int, Any] = {}

    def pack(tensor: Any) -> Any:
        storages[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = function(x)
    del result
    return sum(tensor.untyped_storage().nbytes() for address, tensor in storages.items() if address not in known)


class MLP(torch.nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self, activation: Any, dtype: Any):
        super().__init__()
        self.up = torch.nn.ModuleList(torch.nn.Linear(64, 64, dtype=dtype) for _ in range(12))
        self.activation = activation

    def forward(self, x: Any) -> Any:
        for up in self.up:
            x = self.activation(up(x))
        return x


@pytest.mark.parametrize(
    ("name", "dtype", "share"),
    [
        *((name, torch.float32, 0.55) for name in ("elu", "selu")),
        *((name, torch.bfloat16, 1.0) for name in ("elu", "selu")),  # exactness goes first there
        *(("leaky_relu", dtype, 0.55) for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16)),
    ],
)
def test_saved_memory(name: str, dtype: Any, share: float) -> None:
    x = torch.randn(32, 64, dtype=dtype)
    ours, theirs = (
        bytes_saved(MLP(getattr(space, name), dtype), x) - x.nbytes for space in (actgrad.torch, functional)
    )
    assert theirs == 23 * x.nbytes  # 12 inputs of activations, and 11 results for the layers that follow
    assert 0.45 * theirs < ours <= share * theirs


def test_saved_memory_of_geglu() -> None:
    """2N in place of 3N: the packed input of N elements each half, and not GELU's values."""
    x = torch.randn(32, 64, requires_grad=True)
    unit = x.nbytes // 2

    def packed(x: Any) -> Any:
        return x * 1.0  # somebody's result, which nobody else keeps

    assert bytes_saved(lambda x: actgrad.torch.geglu(packed(x)), x) == 2 * unit
    assert bytes_saved(lambda x: actgrad.torch.geglu(packed(x), save="gelu"), x) == 3 * unit
    assert bytes_saved(lambda x: STANDARDS["geglu"](packed(x)), x) == 3 * unit


def test_forced_ways() -> None:
    x = torch.randn(8, requires_grad=True)
    for attributes in ({"alpha": -1.0}, {"scale": -1.0}, {"scale": 0.0}, {"input_scale": -1.0}, {"alpha": math.nan}):
        (name,) = attributes
        with pytest.raises(actgrad.InvalidArgument, match=rf"^elu: .*{name} is .*; save='result' needs {name} >"):
            actgrad.torch.elu(x, save="result", **attributes)
        actgrad.torch.elu(x, **attributes)  # "auto" keeps the input
    with pytest.raises(actgrad.InvalidArgument, match=r"leaky_relu: .*; save='result' needs negative_slope >= 0"):
        actgrad.torch.leaky_relu(x, -0.1, save="result")
    with pytest.raises(actgrad.InvalidArgument, match=r"elu: save is 'both'; it must be 'auto', .*'input'"):
        actgrad.torch.elu(x, save="both")


@pytest.mark.parametrize("name", ["elu", "selu"])
def test_what_saving_the_result_costs_in_half_precision(name: str) -> None:
    """The figures of docs/torch.md: exp(-6) = 0.00248 and exp(-7) = 0.00091 are lost in a rounded y + 1."""
    x = torch.tensor([-6.0, -7.0], dtype=torch.bfloat16, requires_grad=True)
    slopes = {}
    for save in ("input", "result", "auto"):
        (slopes[save],) = torch.autograd.grad(getattr(actgrad.torch, name)(x, save=save).sum(), x)
    assert torch.equal(slopes["auto"], slopes["input"])
    assert not torch.equal(slopes["auto"], slopes["result"])
    if name == "elu":
        assert slopes["result"].tolist() == [0.00390625, 0.0]
        torch.testing.assert_close(slopes["input"].double(), x.detach().double().exp(), rtol=2**-8, atol=0)


@pytest.mark.parametrize("name", STANDARDS)
def test_a_graph_used_twice_and_saved_tensors_left_alone(name: str) -> None:
    x = torch.randn(4, 4, requires_grad=True)
    y = first_output(name)(x * 1.0)
    before = y.detach().clone()
    first, second = (torch.autograd.grad(y.sum(), x, retain_graph=True)[0] for _ in range(2))
    assert torch.equal(first, second)
    assert torch.equal(before, y)
    again = torch.utils.checkpoint.checkpoint(lambda x: first_output(name)(x * 1.0), x, use_reentrant=False)
    assert torch.equal(torch.autograd.grad(again.sum(), x)[0], first)


def test_a_changed_result_is_noticed() -> None:
    x = torch.randn(4, requires_grad=True)
    y = actgrad.torch.elu(x)
    y.detach().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_both_results_of_geglu_are_differentiable() -> None:
    x = torch.randn(3, 6, dtype=torch.float64, requires_grad=True)
    for attributes in ({}, {"activate_left": True, "approximate": "tanh"}):
        gelu = call(actgrad.geglu, {**actgrad.geglu.defaults, **attributes})
        assert all(check(lambda x, f=gelu: f(x)[1], x) for check in checks)
        assert all(check(lambda x, f=gelu: f(x)[0] * f(x)[1], x) for check in checks)


def test_undefined_and_partial_gradients() -> None:
    g, x = (torch.randn(4, dtype=torch.float64, requires_grad=True) for _ in range(2))
    for wanted in (g, x):
        result = ops.elu_backward(g, 1.3, 0.7, 0.5, False, x)
        (one,) = torch.autograd.grad(result.sum(), wanted)
        both = torch.autograd.grad(ops.elu_backward(g, 1.3, 0.7, 0.5, False, x).sum(), (g, x))
        assert torch.equal(one, both[0 if wanted is g else 1])
    frozen = ops.elu_backward(g, 1.3, 0.7, 0.5, False, x.detach())
    torch.testing.assert_close(
        torch.autograd.grad(frozen.sum(), g)[0], ops.elu_backward(torch.ones_like(x), 1.3, 0.7, 0.5, False, x)
    )


def test_compiled_double_use_of_one_input() -> None:
    x = torch.randn(6, requires_grad=True)

    def function(x: Any) -> Any:
        return actgrad.torch.elu(x, 1.3) * actgrad.torch.selu(x) + actgrad.torch.leaky_relu(x, 0.2, save="input")

    (wanted,) = torch.autograd.grad(function(x).sum(), x)
    (got,) = torch.autograd.grad(compiled(function)(x).sum(), x)
    torch.testing.assert_close(got, wanted)


HIGHER = {
    "jvp": lambda f: lambda x: torch.func.jvp(f, (x,), (x + 1,)),
    "hessian": lambda f: torch.func.hessian(lambda x: f(x).square().sum()),
}


@pytest.mark.parametrize("transform", HIGHER)
@pytest.mark.parametrize("name", ["elu", "gelu"])
def test_compiled_transforms(name: str, transform: str) -> None:
    x = torch.linspace(-2, 2, 5, dtype=torch.float64)
    ours, theirs = getattr(actgrad.torch, name), getattr(torch.nn.functional, name)
    got = compiled(HIGHER[transform](ours))(x)
    torch.testing.assert_close(got, HIGHER[transform](theirs)(x))


@pytest.mark.filterwarnings("ignore::UserWarning:torch")
@pytest.mark.parametrize("name", ["elu", "gelu"])
def test_linearize_and_compiled_autograd(name: str) -> None:
    found = []
    for library in (actgrad.torch, torch.nn.functional):
        function, x = getattr(library, name), torch.linspace(-2, 2, 5, dtype=torch.float64)
        value, tangent = torch.func.linearize(function, x)
        torch.compiler.reset()
        weight = x.clone().requires_grad_()
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
            function(weight).square().sum().backward()
        found.append([value, tangent(x), weight.grad])
    torch.testing.assert_close(*found)


@pytest.mark.parametrize("function", [actgrad.torch.tanh, actgrad.torch.sigmoid])
def test_derivatives_of_complex_numbers_that_are_not_computed(function: Any) -> None:
    """The first one in reverse mode is; the formula's derivatives are those of real numbers."""
    z = torch.tensor([0.3 + 0.4j, -1.2 + 0.1j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(function, z)
    with pytest.raises(actgrad.InvalidDtype, match=r"is complex; .* need real tensors; call PyTorch's own function"):
        torch.func.jvp(function, (z.detach(),), (torch.ones_like(z),))
    (slope,) = torch.autograd.grad(function(z).abs().sum(), z, create_graph=True)
    with pytest.raises(actgrad.InvalidDtype, match="is complex; "):
        slope.abs().sum().backward()
