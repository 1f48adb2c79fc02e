"""Converted models leave PyTorch: ONNX, scripts, traces, core aten, and tensors that aten alone computes on."""

from __future__ import annotations

import warnings
from math import prod
from pathlib import Path
from typing import Any

import pytest

import actgrad
import actgrad.torch
from actgrad import aten, samples
from tests.support.calls import EVERY, OPERATORS, ids
from tests.support.torch_calls import FORWARD, attribute_cases, call, tensors

torch = pytest.importorskip("torch")

from actgrad.torch.decomposition import decomposed  # noqa: E402  there are no such modules without PyTorch
from actgrad.torch.kernels import interface_of  # noqa: E402

nn, functional = torch.nn, torch.nn.functional

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")]


class GatedBlock(nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(4, 6), nn.Linear(4, 6), nn.Linear(6, 4)
        self.act = nn.SiLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(self.act(self.gate(x)) * self.up(x))


@pytest.fixture
def model() -> Any:
    torch.manual_seed(0)
    activations = (nn.GELU("tanh"), nn.ELU(1.3), nn.SELU(), nn.LeakyReLU(0.2), nn.Hardswish(), nn.Mish())
    model = nn.Sequential(nn.Linear(4, 4), *activations, GatedBlock()).eval()
    gates = {GatedBlock: actgrad.torch.Gate("down", "gate", "up", act="act")}
    assert len(actgrad.torch.convert(model, only="all", gates=gates).swapped) == len(activations) + 2
    return model


@pytest.mark.parametrize("exporter", ["new", "old"])
def test_onnx(model: Any, exporter: str, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime", reason="pip install '.[onnx]'")
    onnx = pytest.importorskip("onnx", reason="pip install '.[onnx]'")
    pytest.importorskip("onnxscript", reason="pip install '.[onnx]'")
    path, x = str(tmp_path / "model.onnx"), torch.randn(5, 4)
    torch.onnx.export(model, (x,), path, dynamo=exporter == "new")
    nodes = {node.op_type for node in onnx.load(path).graph.node}
    assert nodes >= {"Gelu" if exporter == "new" else "Gemm", "Elu", "Selu", "LeakyRelu"}
    session = runtime.InferenceSession(path)
    (got,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
    torch.testing.assert_close(torch.from_numpy(got), model(x))


def test_scripts_and_traces_hold_the_original(model: Any, tmp_path: Path) -> None:
    x = torch.randn(5, 4)
    for leave in (torch.jit.script, lambda model: torch.jit.trace(model, (x,))):
        left = leave(model)
        assert "actgrad::" not in str(left.inlined_graph)
        torch.testing.assert_close(left(x), model(x))
        left.save(str(tmp_path / "model.pt"))
        torch.testing.assert_close(torch.jit.load(str(tmp_path / "model.pt"))(x), model(x))


@pytest.mark.share(6)
@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_exported_operators_are_decomposed(operator: actgrad.Operator) -> None:
    attributes = attribute_cases(operator)[-1]
    function = call(operator, attributes)

    class Module(nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, *given: Any) -> Any:
            return function(*given)

    given = tuple(tensor for tensor in tensors(operator, (3, 4)) if tensor is not None)
    program = torch.export.export(Module(), given).run_decompositions()
    assert not [node for node in program.graph.nodes if str(node.target).startswith("actgrad")]
    results = [samples.as_tuple(f(*given)) for f in (program.module(), function)]
    torch.testing.assert_close(*map(list, results), equal_nan=True)


def part_of(operator: actgrad.Operator, name: str, tensor: Any, attributes: dict[str, Any]) -> Any:
    """As many elements of a tensor as the operator takes beside others of shape (3, 4)."""
    if tensor is None or operator.access.brings_elements(name):
        return tensor
    shape = operator.access.whole_shape(name, (3, 4), attributes)
    return tensor.flatten()[: prod(shape)].reshape(shape)


@pytest.mark.parametrize("operator", EVERY, ids=ids)
def test_the_decomposition_of_every_operator(operator: actgrad.Operator) -> None:
    """Aten's operators, or the formula in these, compute what the operator does; results have its dtypes."""
    for attributes in attribute_cases(operator):
        pairs = zip(operator.schema.tensor_names, tensors(operator, (3, 4)), strict=True)
        given = [part_of(operator, name, tensor, attributes) for name, tensor in pairs]
        row = interface_of(operator).row(given, attributes)
        if operator.access.has_blocks:
            with pytest.raises(actgrad.InvalidArgument, match=r"has statistics of blocks; .*; keep the operator"):
                decomposed(interface_of(operator), *row)
            continue
        got, wanted = decomposed(interface_of(operator), *row), call(operator, attributes)(*given)
        torch.testing.assert_close(list(samples.as_tuple(got)), list(samples.as_tuple(wanted)), equal_nan=True)


KINDS = {
    "quantised": lambda x: torch.quantize_per_tensor(x, 0.05, 128, torch.quint8),
    "mkldnn": lambda x: x.to_mkldnn(),
    "nested": lambda x: torch.nested.nested_tensor([x[:2], x]),
    "jagged": lambda x: torch.nested.nested_tensor([x[:2], x], layout=torch.jagged),
}
KNOWN = [o for o in FORWARD if o.name in aten.ATEN and len(o.schema.tensors) == 1 and hasattr(functional, o.name)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operator", KNOWN, ids=ids)
def test_other_kinds_of_tensors_reach_atens_operator(operator: actgrad.Operator, kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = KINDS[kind](torch.linspace(-3, 3, 12).reshape(3, 4))
    ours, theirs = getattr(torch.ops.actgrad, operator.name), getattr(functional, operator.name)
    try:
        wanted = theirs(x)
    except RuntimeError:
        with pytest.raises(actgrad.ActgradError, match=rf"^{operator.name}: .*actgrad\.torch\.revert\(model\)"):
            ours(x)
        return
    got = ours(x)
    assert type(got) is type(wanted)
    assert (got.layout, got.dtype) == (wanted.layout, wanted.dtype)
    for one, other in zip(plain(got), plain(wanted), strict=True):
        torch.testing.assert_close(one, other)


def test_a_quantised_tensor_for_an_operator_that_aten_lacks() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = KINDS["quantised"](torch.linspace(-3, 3, 12))
    with pytest.raises(actgrad.InvalidCall, match=r"^softsign: input is .*quantised tensor; it must be dense"):
        actgrad.torch.softsign(x)


def plain(tensor: Any) -> list[Any]:
    if tensor.is_nested:
        return list(tensor.unbind())
    return [tensor.dequantize() if tensor.is_quantized else tensor.to_dense()]


@pytest.mark.parametrize("kind", ["mkldnn", "jagged"])
@pytest.mark.parametrize("name", ["gelu", "relu"])
def test_gradients_of_other_kinds(name: str, kind: str) -> None:
    slopes = []
    for library in (torch.ops.actgrad, functional):
        x = torch.linspace(-3, 3, 12).reshape(3, 4).requires_grad_()
        given = x.to_mkldnn() if kind == "mkldnn" else torch.nested.as_nested_tensor([x[:2], x], layout=torch.jagged)
        y = getattr(library, name)(given)
        (y.to_dense() if kind == "mkldnn" else y.values()).square().sum().backward()
        slopes.append(x.grad)
    torch.testing.assert_close(*slopes)
