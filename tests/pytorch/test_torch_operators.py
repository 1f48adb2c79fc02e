"""The operators as PyTorch's own: their schemas, shapes, kernels, variants, and what they refuse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import actgrad
import actgrad.torch
from actgrad import samples
from actgrad.torch.kernels import interface_of
from tests.support.calls import OPERATORS, ids, run_script
from tests.support.torch_calls import (
    FORWARD,
    attribute_cases,
    call,
    cases,
    channels_last,
    chunked,
    compiled,
    contiguous,
    ignore_deprecation,
    permuted,
    tensors,
)

pytestmark = pytest.mark.share(6)

torch = pytest.importorskip("torch")
ops = torch.ops.actgrad

LAYOUTS = {
    "contiguous": lambda operator, **options: tensors(operator, (3, 4), contiguous, **options),
    "permuted": lambda operator, **options: tensors(operator, (2, 3, 4), permuted, **options),
    "chunked": lambda operator, **options: tensors(operator, (3, 4), chunked, **options),
    "channels last": lambda operator, **options: tensors(operator, (2, 3), channels_last, **options),
    "empty": lambda operator, **options: tensors(operator, (0, 4), **options),
    "zero-dim": lambda operator, **options: tensors(operator, () if not operator.access.is_packed else (1,), **options),
}


@ignore_deprecation
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
@pytest.mark.share(16)
def test_opcheck(operator: actgrad.Operator, layout: str) -> None:
    interface = interface_of(operator)
    for attributes in attribute_cases(operator)[: 2 if layout == "contiguous" else 1]:
        given = LAYOUTS[layout](operator, requires_grad=True)
        results = torch.library.opcheck(interface.overload, tuple(interface.row(given, attributes)))
        assert set(results.values()) == {"SUCCESS"}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_fake_results_are_laid_out_like_the_kernels(operator: actgrad.Operator, layout: str) -> None:
    given = LAYOUTS[layout](operator, optional=True)
    real = samples.as_tuple(call(operator, operator.defaults)(*given))
    with torch._subclasses.fake_tensor.FakeTensorMode() as mode:
        faked = samples.as_tuple(call(operator, operator.defaults)(*map(mode.from_tensor, given)))
    for one, other in zip(real, faked, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        assert [s for n, s in zip(one.shape, one.stride(), strict=True) if n > 1] == [
            s for n, s in zip(other.shape, other.stride(), strict=True) if n > 1
        ]


@pytest.mark.parametrize(("operator", "attributes"), cases())
def test_computes_what_the_function_computes(operator: actgrad.Operator, attributes: dict[str, Any]) -> None:
    for dtype in (torch.float32, torch.bfloat16):
        given = tensors(operator, (3, 5), dtype=dtype)
        got = samples.as_tuple(call(operator, attributes)(*given))
        wanted = samples.as_tuple(operator(*given, backend="reference", **attributes))
        for one, other in zip(got, wanted, strict=True):
            torch.testing.assert_close(one, other)


def test_schemas_are_those_of_pytorchs_own_operators() -> None:
    """What both have: names, types, order and defaults of the arguments; `approximate` is a number here."""
    for name in ("elu", "leaky_relu", "elu_backward", "leaky_relu_backward", "elu_", "leaky_relu_"):
        ours, theirs = (getattr(getattr(space, name), "default")._schema for space in (ops, torch.ops.aten))  # noqa: B009
        arguments = [(a.name, str(a.type), a.default_value) for a in ours.arguments if not a.kwarg_only]
        assert arguments == [(a.name, str(a.type), a.default_value) for a in theirs.arguments]
    for name in ("elu_backward", "leaky_relu_backward", "gelu_backward"):
        assert set(getattr(torch.ops.aten, name).overloads()) <= set(getattr(ops, name).overloads())


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_out_variant(operator: actgrad.Operator) -> None:
    given = tensors(operator, (3, 4))
    wanted = samples.as_tuple(call(operator, operator.defaults)(*given))
    names = interface_of(operator).outputs
    for make in (torch.empty_like, lambda y: torch.empty(y.shape[::-1]).T):
        out = dict(zip(names, map(make, wanted), strict=True))
        overload = getattr(getattr(ops, operator.name), names[0])
        row = interface_of(operator).row(given, operator.defaults)
        versions = [tensor._version for tensor in out.values()]
        got = samples.as_tuple(overload(*row, **out))
        assert all(a is b for a, b in zip(got, out.values(), strict=True))
        assert [tensor._version for tensor in out.values()] == [version + 1 for version in versions]
        torch.testing.assert_close(got, wanted)
        if wanted[0].stride() == next(iter(out.values())).stride():  # PyTorch compiles no other layout
            function = compiled(lambda *a, f=overload, o=out: f(*a, **o))
            torch.testing.assert_close(samples.as_tuple(function(*row)), wanted)
        with pytest.raises(actgrad.InvalidArgument, match=rf"^{operator.name}: .*autograd could not record the call"):
            overload(*[t.clone().requires_grad_() if torch.is_tensor(t) else t for t in row], **out)
        with pytest.raises(actgrad.InvalidArgument, match=rf"^{operator.name}: \w+ has shape \(7, 4\)"):
            overload(*row, **{**out, names[0]: torch.empty(7, 4)})


IN_PLACE = [operator for operator in FORWARD if not operator.roles.multiplies]


@contextmanager
def without_vmap_of_pytorch() -> Iterator[None]:
    """An operator without a rule of its own raises, where PyTorch would call it once for each part of the batch."""
    torch._C._functorch._set_vmap_fallback_enabled(False)
    try:
        yield
    finally:
        torch._C._functorch._set_vmap_fallback_enabled(True)


@ignore_deprecation
@pytest.mark.parametrize(("operator", "attributes"), cases(IN_PLACE))
def test_in_place_variant(operator: actgrad.Operator, attributes: dict[str, Any]) -> None:
    """Gradients too, of views, and through the transforms and the compiler."""
    interface = interface_of(operator)
    in_place, values = getattr(ops, f"{operator.name}_"), interface.template(attributes)[interface.span]
    plain, weight = call(operator, attributes), torch.randn(4, 5)

    def whole(x: Any) -> Any:
        return in_place(x, *values)

    def part(x: Any) -> Any:
        in_place(x[1:3], *values)
        return x

    for function, wanted in ((whole, plain), (part, lambda x: torch.cat([x[:1], plain(x[1:3]), x[3:]]))):

        def loss(w: Any, f: Any = function) -> Any:
            return f(w * 1.5).square().sum()

        def standard(w: Any, f: Any = wanted) -> Any:
            return f(w * 1.5).square().sum()

        slope = gradient(standard, weight)
        torch.testing.assert_close(gradient(loss, weight), slope)
        torch.testing.assert_close(torch.func.grad(loss)(weight), slope)
        torch.testing.assert_close(gradient(compiled(loss), weight), slope)
        torch.testing.assert_close(torch.func.functionalize(loss)(weight), standard(weight))
    x = weight.clone()
    assert whole(x) is x
    assert x._version == 1
    torch.testing.assert_close(x, plain(weight))
    with without_vmap_of_pytorch():
        torch.testing.assert_close(torch.vmap(lambda x: whole(x + 0), in_dims=1)(weight), plain(weight.T))
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        whole(weight.clone().requires_grad_())
    leaf = weight.clone().requires_grad_()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        part(leaf)
    assert torch.equal(leaf, weight)


def gradient(function: Any, x: Any) -> Any:
    x = x.detach().clone().requires_grad_()
    function(x).backward()
    return x.grad


def _jagged(**options: Any) -> Any:
    return torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)], layout=torch.jagged, **options)


REFUSED = [
    (lambda: torch.eye(3).to_sparse(), r"sparse.*to_dense"),
    (lambda: torch.eye(3).to_sparse_csr(), r"sparse.*to_dense"),
    (lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8), r"quantised.*dequantize"),
    (lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), r"nested.*to_padded_tensor"),
    (lambda: torch.ones(3, 4).to_mkldnn(), r"mkldnn.*to_dense"),
    (lambda: torch.ones(3, dtype=torch.complex64), r"self is complex64; it must be .*; convert self"),
    (lambda: torch.ones(3, dtype=torch.complex64, requires_grad=True), r"self is complex64"),
    (lambda: torch.ones(3, dtype=torch.int64), r"self is int64; it must be "),
    (lambda: torch.ones(3).to(torch.float8_e4m3fn), r"self is float8_e4m3fn"),
]


@pytest.mark.filterwarnings("ignore:Sparse CSR:UserWarning", "ignore:The PyTorch API of nested:UserWarning")
@pytest.mark.filterwarnings("ignore:.*quantiz.*", "ignore:.*Quantiz.*", "ignore:.*ao.quantization.*")
@pytest.mark.parametrize(("make", "message"), REFUSED, ids=lambda v: v if isinstance(v, str) else "")
def test_refused_tensors(make: Any, message: str) -> None:
    actgrad.elu(torch.ones(3))  # the next one may try the short way
    for function in (ops.elu, actgrad.torch.elu, actgrad.elu):
        with pytest.raises(actgrad.ActgradError, match=rf"^elu: .*{message.replace('self', '(self|input)')}"):
            function(make())


def test_no_silent_copy_between_devices() -> None:
    with pytest.raises(
        actgrad.ActgradError, match=r"^elu_backward: self_or_result is on meta, but grad_output is on cpu"
    ):
        ops.elu_backward(torch.ones(3), 1, 1, 1, False, torch.ones(3, device="meta"))


def test_errors_inside_compile_name_operator_and_argument() -> None:
    def wrong(g: Any, x: Any) -> Any:
        return ops.elu_backward(g, 1, 1, 1, False, x)

    with pytest.raises(
        Exception, match=r"elu_backward: self_or_result has shape \(4,\); it must be \(3,\), the shape of grad_output"
    ):
        compiled(wrong)(torch.ones(3), torch.ones(4))


def test_subclasses_and_lazy_negations() -> None:
    class Named(torch.Tensor):  # type: ignore[misc,name-defined]
        pass

    x = torch.randn(5)
    assert type(ops.elu(x.as_subclass(Named))) is Named
    negated = torch.complex(x, -x).conj().imag
    assert negated.is_neg()
    torch.testing.assert_close(ops.elu(negated), torch.nn.functional.elu(x))


def test_integers_of_selu() -> None:
    x = torch.tensor([-100, -1, 0, 1, 100], dtype=torch.int8)
    assert ops.selu(x).tolist() == actgrad.selu(x.numpy()).tolist()


def test_attributes_that_are_no_floats() -> None:
    x = torch.tensor([-2.0, 3.0])
    for alpha in (2, True, 2.5):
        assert ops.elu(x, alpha)[0].item() == pytest.approx(float(alpha) * np.expm1(-2))
    with pytest.raises(actgrad.InvalidDtype, match="elu: alpha is complex"):
        ops.elu(x, 1j)


def test_autocast_computes_in_what_it_is_given() -> None:
    with torch.autocast("cpu", torch.bfloat16):
        h = torch.randn(2, 3) @ torch.randn(3, 4)
        assert ops.elu(h).dtype is ops.geglu(h)[0].dtype is torch.bfloat16
        assert ops.elu(torch.ones(3)).dtype is torch.float32


def test_a_new_operator_appears_without_another_line() -> None:
    script = """
import math
import torch
from tests.support import smooth_relu_operator
import actgrad, actgrad.torch
ops = torch.ops.actgrad
assert set(actgrad.operators) <= set(dir(ops)) | {name for name in actgrad.operators if hasattr(ops, name)}
x = torch.tensor([-1.5, 0.0, 2.0], dtype=torch.float64, requires_grad=True)
y = ops.smooth_relu(x, 1.3)
torch.testing.assert_close(y, torch.nn.functional.softplus(x, 1.3))
assert torch.autograd.gradcheck(lambda x: ops.smooth_relu(x, 1.3), x, check_forward_ad=True)
assert torch.autograd.gradgradcheck(lambda x: ops.smooth_relu(x, 1.3), x)
(first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
assert "SmoothReluBackward" in str(y.grad_fn) and "SmoothReluBackwardBackward" in str(first.grad_fn)
(second,) = torch.autograd.grad(first.sum(), x)
assert abs(second[1].item() - 1.3 / 4) < 1e-15  # at the kink of `abs` in its formula
torch.testing.assert_close(torch.vmap(torch.func.grad(lambda x: ops.smooth_relu(x, 1.3).sum()))(x), first)
torch.compile(ops.smooth_relu, fullgraph=True, backend="aot_eager")(x, 1.3).sum().backward()
torch.testing.assert_close(x.grad, first.detach())
torch.testing.assert_close(ops.smooth_relu_(x.detach().clone(), 1.3), y.detach())
actgrad.smooth_relu = actgrad.operators["smooth_relu"]
assert actgrad.smooth_relu(x, beta=1.3).requires_grad
print("done")
"""
    assert "done" in run_script(
        "import warnings; warnings.filterwarnings('ignore', '.torch.jit')\n" + script, timeout=300
    )


def test_an_operator_that_comes_later_is_registered_when_it_is_met() -> None:
    """By its name in torch.ops, by a differentiable call, by hand; its gradient with it."""
    run_script("""
import torch
import actgrad.torch
from actgrad.torch.registration import REGISTERED
from tests.support import smooth_relu_operator
assert "smooth_relu" not in REGISTERED
x = torch.ones(3, requires_grad=True)
(slope,) = torch.autograd.grad(smooth_relu_operator.smooth_relu(x).sum(), x, create_graph=True)
assert slope.requires_grad and "smooth_relu" in REGISTERED
assert torch.ops.actgrad.smooth_relu_backward and "smooth_relu_backward" in REGISTERED
assert actgrad.torch.register(smooth_relu_operator.smooth_relu).overload is torch.ops.actgrad.smooth_relu.default
""")
    run_script("""
import torch
import actgrad.torch
from tests.support import smooth_relu_operator
assert not hasattr(torch.ops.actgrad, "smooth") and not hasattr(torch.ops.actgrad, "smooth_relu__")
x = torch.ones(3)
assert torch.equal(torch.ops.actgrad.smooth_relu_(x.clone()), torch.ops.actgrad.smooth_relu(x))
assert torch.ops.actgrad.smooth_relu.overloads() == ["default", "out"]
""")


FIRST_MET = """
import io, sys, warnings
warnings.simplefilter("ignore")
import torch
import actgrad.torch
from actgrad.torch import registration
from torch._library.simple_registry import singleton

ops, functional = torch.ops.actgrad, torch.nn.functional
names = set(actgrad.operators)
assert set(registration.REGISTERED) == set(registration._incomplete) == names
assert not [name for name in dir(ops) if name in names], "an object of PyTorch's for each"
kernels = {key: [n for n in names if torch._C._dispatch_has_kernel_for_dispatch_key(f"actgrad::{n}", key)]
           for key in ("CPU", "CompositeExplicitAutograd", "Autograd", "FuncTorchBatched")}
assert all(set(each) == names for each in kernels.values())
x = torch.linspace(-2, 2, 8).reshape(2, 4)

# The first meeting of each operator is another kind of use.
torch.testing.assert_close(torch.vmap(lambda x: ops.elu(x))(x), functional.elu(x))
assert set(registration._incomplete) == names - {"elu"}
torch.testing.assert_close(torch.vmap(lambda x: ops.selu_(x + 0))(x), functional.selu(x))
with torch._subclasses.fake_tensor.FakeTensorMode() as mode:
    assert ops.gelu.out(mode.from_tensor(x), out=torch.empty(2, 4)).shape == (2, 4)
for name in ("elu", "elu_", "selu_", "selu", "gelu"):
    operator = name.removesuffix("_")
    rules = singleton.find(f"actgrad::{name}").torch_dispatch_rules._data
    assert getattr(ops, name) is getattr(ops, name) and rules
    assert getattr(ops, operator).default is registration.REGISTERED[operator].overload, "two objects for one operator"
compiled = torch.compile(lambda x: ops.leaky_relu_.default(x + 0), fullgraph=True, backend="aot_eager")
torch.testing.assert_close(compiled(x), functional.leaky_relu(x))
slope = torch.func.vmap(torch.func.grad(lambda x: ops.geglu_packed(x).sum()))(x)
assert slope.shape == x.shape
jagged = torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)], layout=torch.jagged)
assert torch.equal(ops.gelu(jagged).values(), functional.gelu(jagged).values())
traced = torch.fx.experimental.proxy_tensor.make_fx(lambda x: ops.geglu_two(x, x))(x)
assert [str(n.target) for n in traced.graph.nodes if n.op == "call_function"] == ["actgrad.geglu_two.default"]
"""


@pytest.mark.slow
def test_rules_are_registered_when_an_operator_is_first_met() -> None:
    """Not by the import, whose time would grow with every operator."""
    run_script(FIRST_MET, timeout=300)


@pytest.mark.parametrize("call", ["elu(x, 1.3)", "elu_(x + 0, 1.3)", "elu(x, 1.3, out=torch.zeros([3]))"])
@pytest.mark.slow
def test_saved_programs_need_no_meeting(call: str, tmp_path: Path) -> None:
    """TorchScript finds operators without Python's torch.ops."""
    path = tmp_path / "program.pt"
    start = "import warnings; warnings.simplefilter('ignore')\nimport torch, actgrad.torch\nx = -torch.ones(3)\n"
    run_script(
        f"{start}module = torch.jit.ScriptModule()\n"
        f"module.define('def forward(self, x: Tensor):\\n    return torch.ops.actgrad.{call}\\n')\n"
        f"module.save({str(path)!r})\n"
    )
    differentiate = "assert module(x.requires_grad_() * 1.0).requires_grad\n"
    meta = "assert module(x.to('meta')).shape == (3,)\n"
    run_script(
        f"{start}module = torch.jit.load({str(path)!r})\n"
        "from actgrad.torch import registration\n"
        "assert 'elu' in registration._incomplete\n"
        "torch.testing.assert_close(module(x), torch.nn.functional.elu(x, 1.3))\n"
        f"{meta if call == 'elu(x, 1.3)' else ''}"
        f"{'' if 'out=' in call else differentiate}"
    )


def test_import_loads_it_only_when_asked() -> None:
    run_script("""
import sys
import actgrad
assert not [name for name in sys.modules if name.startswith(("actgrad.torch", "torch"))]
import torch
actgrad.elu(torch.ones(3))
assert "actgrad.torch" not in sys.modules
actgrad.elu(torch.ones(3, requires_grad=True))
assert "actgrad.torch" in sys.modules
""")
