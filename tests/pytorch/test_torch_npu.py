"""The stand-in for torch_npu: its names, its defaults, and that it takes nobody's place."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import samples
from actgrad.judge import golden
from tests.support.calls import run_script
from tests.support.torch_calls import compiled, ignore_deprecation

torch = pytest.importorskip("torch")

from actgrad import torch_npu  # noqa: E402  there is no such module without PyTorch

pytestmark = pytest.mark.share(8)

ops = torch.ops.npu

#: As torch_npu's documentation and its graph converters have them.
SCHEMAS = [
    "npu::npu_geglu(Tensor self, int dim=-1, int approximate=1, bool activate_left=False) -> (Tensor, Tensor)",
    "npu::npu_geglu_grad(Tensor grad_output, Tensor self, Tensor gelu, int dim=-1, int approximate=1, "
    "bool activate_left=False) -> Tensor",
    'npu::npu_gelu(Tensor self, *, str approximate="none") -> Tensor',
    'npu::npu_gelu_backward(Tensor grad_output, Tensor self, *, str approximate="none") -> Tensor',
    'npu::npu_gelu_mul(Tensor input, *, str approximate="none") -> Tensor',
    "npu::npu_swiglu(Tensor self, int dim=-1) -> Tensor",
    "npu::npu_swiglu_backward(Tensor grad_output, Tensor self, int dim=-1) -> Tensor",
    "npu::npu_clipped_swiglu(Tensor x, *, Tensor? group_index=None, int dim=-1, float alpha=1.702, float limit=7., "
    "float bias=1., bool interleaved=True) -> Tensor",
    "npu::npu_silu(Tensor self) -> Tensor",
    "npu::npu_mish(Tensor self) -> Tensor",
    "npu::npu_mish_backward(Tensor grad, Tensor input) -> Tensor",
    "npu::npu_fast_gelu(Tensor self) -> Tensor",
    "npu::fast_gelu(Tensor self) -> Tensor",
    "npu::npu_fast_gelu_backward(Tensor grad, Tensor self) -> Tensor",
    "npu::npu_silu_backward(Tensor grad_output, Tensor x0, Tensor x1) -> Tensor",
]
NAMES = [schema.partition("::")[2].partition("(")[0] for schema in SCHEMAS]

#: For each of them arguments, and what they mean in the registry: operator, attributes, which of its outputs.
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any], Any, dict[str, Any]]] = [
    ("npu_geglu", (), {}, actgrad.geglu, {"approximate": "tanh"}),
    ("npu_geglu", (-1, 0), {}, actgrad.geglu, {"approximate": "none"}),
    ("npu_geglu", (0,), {"activate_left": True}, actgrad.geglu, {"dim": 0, "approximate": 1, "activate_left": True}),
    ("npu_geglu_grad", (), {}, actgrad.geglu_backward, {"approximate": "tanh"}),
    ("npu_geglu_grad", (-1, 0, True), {}, actgrad.geglu_backward, {"approximate": 0, "activate_left": True}),
    ("npu_gelu", (), {}, actgrad.gelu, {}),
    ("npu_gelu", (), {"approximate": "tanh"}, actgrad.gelu, {"approximate": "tanh"}),
    ("npu_gelu_backward", (), {}, actgrad.gelu_backward, {}),
    ("npu_gelu_backward", (), {"approximate": "tanh"}, actgrad.gelu_backward, {"approximate": "tanh"}),
    ("npu_swiglu", (), {}, actgrad.swiglu, {}),
    ("npu_swiglu", (0,), {}, actgrad.swiglu, {"dim": 0}),
    ("npu_swiglu_backward", (), {}, actgrad.swiglu_backward, {}),
    ("npu_clipped_swiglu", (), {}, actgrad.clipped_swiglu, {}),
    (
        "npu_clipped_swiglu",
        (),
        {"dim": 0, "alpha": 1.0, "bias": 0.0, "interleaved": False},
        actgrad.clipped_swiglu,
        {"dim": 0, "alpha": 1.0, "bias": 0.0, "interleaved": False},
    ),
    ("npu_silu", (), {}, actgrad.silu, {}),
    ("npu_mish", (), {}, actgrad.mish, {}),
    ("npu_mish_backward", (), {}, actgrad.mish_backward, {}),
    ("npu_fast_gelu", (), {}, actgrad.fast_gelu, {}),
    ("fast_gelu", (), {}, actgrad.fast_gelu, {}),
    ("npu_fast_gelu_backward", (), {}, actgrad.fast_gelu_backward, {}),
    ("npu_gelu_mul", (), {}, actgrad.geglu, {"activate_left": True}),
    ("npu_gelu_mul", (), {"approximate": "tanh"}, actgrad.geglu, {"activate_left": True, "approximate": "tanh"}),
]
FIRST = {call[0]: call for call in CALLS}
calls = pytest.mark.parametrize(("name", "given", "named", "operator", "attributes"), CALLS)


def tensors(operator: Any, attributes: dict[str, Any], dtype: Any = torch.float32) -> list[Any]:
    """Tensors for a call; its gelu is that of the forward pass."""
    torch.manual_seed(0)
    x = torch.randn(4, 6, dtype=dtype)
    if operator.gradient_of is None:
        return [x]
    if operator in (actgrad.gelu_backward, actgrad.mish_backward, actgrad.fast_gelu_backward):
        return [torch.randn(4, 6, dtype=dtype), x]
    if operator is actgrad.swiglu_backward:
        return [torch.randn(4, 3, dtype=dtype), x]
    _, gelu = actgrad.geglu(x, **attributes)
    return [torch.randn(4, 3, dtype=dtype), x, gelu]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_schemas(schema: str) -> None:
    name = schema.partition("::")[2].partition("(")[0]
    assert str(getattr(ops, name).default._schema) == schema
    wanted = [(a.name, a.default_value) for a in getattr(ops, name).default._schema.arguments]
    got = [
        (p.name, None if p.default is p.empty else p.default)
        for p in inspect.signature(getattr(torch_npu, name)).parameters.values()
    ]
    assert got == wanted


@calls
def test_computes_what_the_registry_computes(
    name: str, given: tuple[Any, ...], named: dict[str, Any], operator: Any, attributes: dict[str, Any]
) -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        inputs = tensors(operator, attributes, dtype)
        wanted = samples.as_tuple(operator(*inputs, **attributes))
        if name == "npu_gelu_mul":
            wanted = wanted[:1]
        for function in (getattr(torch_npu, name), getattr(ops, name), getattr(ops, name).default):
            got = samples.as_tuple(function(*inputs, *given, **named))
            assert all(torch.equal(a, b) for a, b in zip(got, wanted, strict=True))
        faked = samples.as_tuple(getattr(ops, name)(*[t.to("meta") for t in inputs], *given, **named))
        assert [(f.shape, f.stride(), f.dtype) for f in faked] == [(w.shape, w.stride(), w.dtype) for w in wanted]


@ignore_deprecation
@pytest.mark.parametrize(
    ("name", "given", "named", "operator", "attributes"), [pytest.param(*c, id=c[0]) for c in FIRST.values()]
)
def test_is_differentiated_transformed_and_compiled(
    name: str, given: tuple[Any, ...], named: dict[str, Any], operator: Any, attributes: dict[str, Any]
) -> None:
    def function(*inputs: Any) -> Any:
        return getattr(torch_npu, name)(*inputs, *given, **named)

    inputs = tensors(operator, attributes, torch.float64)
    leaves = [tensor.clone().requires_grad_() for tensor in inputs]
    overload = getattr(ops, name).default
    assert set(torch.library.opcheck(overload, (*leaves, *given), named).values()) == {"SUCCESS"}
    assert torch.autograd.gradcheck(function, leaves, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, leaves)
    wanted = samples.as_tuple(function(*inputs))
    rows = [torch.stack([tensor, tensor + 1], 1) for tensor in inputs]
    if attributes.get("dim") != 0:
        batched = samples.as_tuple(torch.vmap(function, in_dims=1)(*rows))
        assert all(torch.equal(b[0], w) for b, w in zip(batched, wanted, strict=True))
    results = samples.as_tuple(compiled(function)(*leaves))
    torch.testing.assert_close(results, wanted)
    slopes = [torch.autograd.grad(r[0].square().sum(), leaves) for r in (results, samples.as_tuple(function(*leaves)))]
    torch.testing.assert_close(*slopes)


def test_errors_name_operator_and_argument() -> None:
    with pytest.raises(actgrad.InvalidArgument, match=r"^geglu: self has odd size 5 in dimension -1"):
        torch_npu.npu_geglu(torch.ones(3, 5))
    with pytest.raises(actgrad.InvalidArgument, match=r"^geglu: approximate is 2; it must be "):
        torch_npu.npu_geglu(torch.ones(3, 4), approximate=2)
    with pytest.raises(
        actgrad.InvalidArgument, match=r"^geglu: dim is 2, but self has shape .*; it must lie in \[-2, 1\]"
    ):
        torch_npu.npu_geglu(torch.ones(3, 4), 2)
    with pytest.raises(actgrad.InvalidArgument, match=r"^geglu_backward: gelu has shape \(2, 2\)"):
        torch_npu.npu_geglu_grad(torch.ones(3, 2), torch.ones(3, 4), torch.ones(2, 2))
    with pytest.raises(actgrad.InvalidArgument, match=r"^gelu: approximate is 'erf'"):
        torch_npu.npu_gelu(torch.ones(3), approximate="erf")


#: What the documentation of torch_npu.npu_geglu shows, with other numbers; and a training step.
PROGRAM = """
import numpy as np
import torch
import torch_npu

data_x = np.random.uniform(-2, 2, [24, 18, 256]).astype(np.float16)
x_npu = torch.from_numpy(data_x).npu()
y_npu, y_gelu_npu = torch_npu.npu_geglu(x_npu, dim=-1, approximate=1)
np.save(FOLDER + "/x.npy", data_x)
np.save(FOLDER + "/y.npy", y_npu.cpu().numpy())
np.save(FOLDER + "/gelu.npy", y_gelu_npu.cpu().numpy())

x = torch.from_numpy(data_x.astype(np.float32)).npu().requires_grad_()
y, gelu = torch.ops.npu.npu_geglu(x, -1, 1, True)
grad = torch.ones_like(y)
y.backward(grad)
dx = torch_npu.npu_geglu_grad(grad, x.detach(), gelu.detach(), dim=-1, approximate=1, activate_left=True)
assert torch.allclose(x.grad, dx, rtol=1e-5, atol=1e-6)
np.save(FOLDER + "/dx.npy", dx.cpu().numpy())

class Net(torch.nn.Module):
    def forward(self, x):
        return torch_npu.npu_geglu(x)[0] + torch_npu.npu_gelu(x[..., :128], approximate="tanh")

net = Net().npu()
assert net(x_npu).shape == (24, 18, 128)
torch.npu.synchronize()
"""


def test_code_in_the_documentations_style_runs_unmodified(tmp_path: Any) -> None:
    run_script(f"import actgrad.torch_npu\nactgrad.torch_npu.install()\nFOLDER = {str(tmp_path)!r}\n{PROGRAM}")
    x = np.load(tmp_path / "x.npy")
    attributes = {**actgrad.geglu.defaults, "approximate": "tanh"}
    for name, expected in zip(("y", "gelu"), golden.expected(actgrad.geglu, (x,), attributes), strict=True):
        assert not expected.faults(np.load(tmp_path / f"{name}.npy"), 1).any()
    attributes["activate_left"] = True
    x = x.astype(np.float32)
    _, gelu = actgrad.geglu(x, **attributes)
    (expected,) = golden.expected(actgrad.geglu_backward, (np.ones_like(gelu), x, gelu), attributes)
    assert not expected.faults(np.load(tmp_path / "dx.npy"), 12, 16).any()


def test_install_and_uninstall() -> None:
    run_script("""
import importlib.util
import sys
import torch
import actgrad.torch

assert "actgrad.torch_npu" not in sys.modules and not hasattr(torch.ops.npu, "npu_geglu")
import actgrad.torch_npu as stand_in

assert hasattr(torch.ops.npu, "npu_geglu") and "torch_npu" not in sys.modules

def is_there():
    return importlib.util.find_spec("torch_npu") is not None

assert not is_there() and not hasattr(torch, "npu") and not hasattr(torch.Tensor, "npu")
stand_in.install()
stand_in.install()
import torch_npu
from torch_npu import npu_geglu
assert is_there() and torch_npu.npu is torch.npu
assert not torch.npu.is_available() and torch.npu.device_count() == 0
x = torch.ones(2)
assert x.npu() is x and x.npu(0, non_blocking=True).device.type == "cpu"
for module, name in ((torch_npu, "npu_moe"), (torch.npu, "set_device")):
    assert not hasattr(module, name)
    try:
        getattr(module, name)
    except AttributeError as error:
        assert "actgrad's stand-in for torch_npu" in str(error) and name in str(error)
try:
    import torch_npu.profiler
except ModuleNotFoundError as error:
    assert "torch_npu" in str(error)
else:
    raise AssertionError
stand_in.uninstall()
stand_in.uninstall()
assert not is_there() and not hasattr(torch, "npu") and not hasattr(torch.Tensor, "npu")
assert not hasattr(torch.nn.Module, "npu") and "torch.npu" not in sys.modules
stand_in.install()
assert is_there()
stand_in.uninstall()
""")


def test_never_over_a_real_one(tmp_path: Any) -> None:
    (tmp_path / "torch_npu.py").write_text("VERSION = 'real'\n")
    script = f"""
import sys
import torch
import actgrad
INSTALLED = {str(tmp_path)!r}

def refused(call, kind, words):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError("not refused")

sys.path.insert(0, INSTALLED)
refused(lambda: __import__("actgrad.torch_npu"), ImportError, "torch_npu is installed in " + INSTALLED)
import torch_npu
refused(lambda: __import__("actgrad.torch_npu"), ImportError, "torch_npu is imported from " + INSTALLED)
assert not hasattr(torch.ops.npu, "npu_geglu")
del sys.modules["torch_npu"]
sys.path.remove(INSTALLED)
import actgrad.torch_npu as stand_in
sys.path.insert(0, INSTALLED)
refused(stand_in.install, actgrad.InvalidCall, "the real torch_npu is installed in " + INSTALLED)
import torch_npu
refused(stand_in.install, actgrad.InvalidCall, "the real torch_npu is imported from " + INSTALLED)
assert torch_npu.VERSION == "real" and not hasattr(torch.Tensor, "npu")
del sys.modules["torch_npu"]
sys.path.remove(INSTALLED)
torch.npu = object()
refused(stand_in.install, actgrad.InvalidCall, "in torch.npu already")
"""
    run_script(script)


def test_silu_in_place() -> None:
    leaf, other = (torch.linspace(-3, 3, 12).reshape(3, 4).requires_grad_() for _ in range(2))
    x = leaf * 1
    assert torch_npu.npu_silu_(x) is x
    torch.testing.assert_close(x, torch.nn.functional.silu(other))
    x.sum().backward()
    torch.nn.functional.silu(other).sum().backward()
    torch.testing.assert_close(leaf.grad, other.grad)
    with pytest.raises(RuntimeError, match="leaf"):
        torch_npu.npu_silu_(leaf)
    whole = leaf.detach().clone()
    torch.testing.assert_close(torch.vmap(lambda row: ops.npu_silu_(row), in_dims=1, out_dims=1)(whole), x.detach())
    torch.testing.assert_close(whole, x.detach())
    compiled = torch.compile(lambda x: ops.npu_silu_(x * 2) + 1, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(other), torch.nn.functional.silu(other * 2) + 1)
    assert str(ops.npu_silu_.default._schema) == "npu::npu_silu_(Tensor(a!) self) -> Tensor(a!)"


def test_the_gradient_of_silu_and_the_import_of_transfer_to_npu() -> None:
    g, x = torch.randn(2, 3, 4)
    torch.testing.assert_close(torch_npu.npu_silu_backward(g, x, x), torch.ops.aten.silu_backward(g, x))
    run_script(
        "import actgrad.torch_npu as stand_in; stand_in.install()\n"
        "import torch, torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
        "x = torch.randn(3, 4).npu().requires_grad_()\n"
        "torch_npu.npu_swiglu(x).sum().backward()\nassert x.grad.shape == (3, 4)\n"
    )
