"""Graph mode: names, inputs and defaults of CANN's graph operators, and what is inferred of shapes and dtypes."""

from __future__ import annotations

import importlib
import re
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import ir
from actgrad.samples import as_tuple
from tests.support.calls import BFLOAT16, run_script

#: From the operators' public registrations: inputs, attributes with their defaults, outputs.
GRAPH = {
    "Elu": ("x", {"alpha": 1.0, "scale": 1.0, "input_scale": 1.0}, "y"),
    "EluGradV2": ("grads activations", {"alpha": 1.0, "scale": 1.0, "input_scale": 1.0, "is_result": False}, "y"),
    "Selu": ("x", {}, "y"),
    "SeluGrad": ("gradients outputs", {}, "y"),
    "LeakyRelu": ("x", {"negative_slope": 0.0}, "y"),
    "LeakyReluGrad": ("gradients features", {"negative_slope": 0.0}, "backprops"),
    "GeGluV2": ("x", {"dim": -1, "approximate": 1, "activate_left": False}, "y gelu"),
    "GeGluGradV2": ("dy x gelu", {"dim": -1, "approximate": 1, "activate_left": False}, "dx"),
}
X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)
G = np.linspace(1, 2, 24, dtype=np.float32).reshape(4, 6)
HALF = G[:, :3]


def test_interfaces() -> None:
    found = {
        name: (" ".join(s.inputs), s.attributes, " ".join(s.outputs))
        for name in ir.names()
        for s in [getattr(ir, name).signature]
    }
    assert {name: found[name] for name in GRAPH} == GRAPH
    for name, (_, attributes, _) in GRAPH.items():
        signature = getattr(ir, name).signature
        assert [type(v) for v in signature.attributes.values()] == [type(v) for v in attributes.values()]
        assert name in dir(ir)
        assert repr(getattr(ir, name)).startswith(f"<graph operator {name}(")


CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any], Any]] = [
    ("Elu", (X,), {}, lambda: actgrad.elu(X)),
    ("Elu", (X,), {"alpha": 0.5, "scale": 2.0, "input_scale": 0.25},
     lambda: actgrad.elu(X, alpha=0.5, scale=2.0, input_scale=0.25)),
    ("EluGradV2", (G, X), {}, lambda: actgrad.elu_backward(G, X)),
    ("EluGradV2", (G, X), {"alpha": 0.5, "is_result": True},
     lambda: actgrad.elu_backward(G, X, alpha=0.5, is_result=True)),
    ("Selu", (X,), {}, lambda: actgrad.selu(X)),
    ("SeluGrad", (G, X), {}, lambda: actgrad.selu_backward(G, X)),
    ("LeakyRelu", (X,), {}, lambda: actgrad.leaky_relu(X, negative_slope=0.0)),
    ("LeakyRelu", (X,), {"negative_slope": 0.3}, lambda: actgrad.leaky_relu(X, negative_slope=0.3)),
    ("LeakyReluGrad", (G, X), {}, lambda: actgrad.leaky_relu_backward(G, X, negative_slope=0.0)),
    ("LeakyReluGrad", (G, X[:1]), {}, lambda: actgrad.leaky_relu_backward(G, X[:1], negative_slope=0.0)),
    ("GeGluV2", (X,), {}, lambda: actgrad.geglu(X, approximate="tanh")),
    ("GeGluV2", (X,), {"dim": 0, "approximate": 0, "activate_left": True},
     lambda: actgrad.geglu(X, dim=0, approximate="none", activate_left=True)),
    ("GeGluGradV2", (HALF, X, HALF), {}, lambda: actgrad.geglu_backward(HALF, X, HALF, approximate="tanh")),
    ("GeGluGradV2", (X[:2], X, X[:2]), {"dim": 0, "approximate": 0, "activate_left": True},
     lambda: actgrad.geglu_backward(X[:2], X, X[:2], dim=0, approximate="none", activate_left=True)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "tensors", "attributes", "wanted"), CALLS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_computes_at_once_and_infers_what_it_returns(
    name: str, tensors: tuple[Any, ...], attributes: dict[str, Any], wanted: Any
) -> None:
    operator = getattr(ir, name)
    results = as_tuple(operator(*tensors, **attributes))
    for got, expected in zip(results, as_tuple(wanted()), strict=True):
        assert np.array_equal(got, expected)
    by_name = dict(zip(operator.signature.inputs, tensors, strict=True))
    for got, again in zip(results, as_tuple(operator(**by_name, **attributes)), strict=True):
        assert np.array_equal(got, again)
    shapes = [tensor.shape for tensor in tensors]
    assert operator.infer_shape(*shapes, **attributes) == tuple(result.shape for result in results)
    assert operator.infer_dtype(*[tensor.dtype for tensor in tensors]) == tuple(result.dtype for result in results)
    # Whatever is not known of the inputs, what is inferred agrees with what comes out.
    rng = np.random.default_rng(0)
    for _ in range(50):
        hidden = [tuple(-1 if rng.random() < 0.4 else n for n in shape) for shape in shapes]
        for inferred, result in zip(operator.infer_shape(*hidden, **attributes), results, strict=True):
            assert len(inferred) == result.ndim
            assert all(n in (-1, m) for n, m in zip(inferred, result.shape, strict=True))
        hidden[rng.integers(len(hidden))] = (-2,)
        for inferred, result in zip(operator.infer_shape(*hidden, **attributes), results, strict=True):
            assert inferred == (-2,) or all(n in (-1, m) for n, m in zip(inferred, result.shape, strict=True))


SHAPES: list[tuple[str, tuple[Any, ...], dict[str, Any], Any]] = [
    ("Elu", ((),), {}, ((),)),
    ("Elu", ((-2,),), {}, ((-2,),)),
    ("EluGradV2", ((-1, 3), (2, -1)), {}, ((2, 3),)),
    ("EluGradV2", ((-2,), (2, -1)), {}, ((2, -1),)),
    ("SeluGrad", ((-1, -1), (-1, 0)), {}, ((-1, 0),)),
    ("LeakyReluGrad", ((3, 1, -1), (-1, 5, 4)), {}, ((3, 5, 4),)),
    ("LeakyReluGrad", ((-1,), (1,)), {}, ((-1,),)),
    ("LeakyReluGrad", ((-1,), (-1,)), {}, ((-1,),)),
    ("LeakyReluGrad", ((5,), ()), {}, ((5,),)),
    ("LeakyReluGrad", ((-2,), (5,)), {}, ((-2,),)),
    ("LeakyReluGrad", ((0,), (1,)), {}, ((0,),)),
    ("GeGluV2", ((4, -1),), {}, ((4, -1), (4, -1))),
    ("GeGluV2", ((4, -1),), {"dim": 0}, ((2, -1), (2, -1))),
    ("GeGluV2", ((-2,),), {}, ((-2,), (-2,))),
    ("GeGluGradV2", ((4, -1), (4, 64), (-1, 32)), {}, ((4, 64),)),
    ("GeGluGradV2", ((-2,), (4, 64), (-2,)), {}, ((4, 64),)),
    ("GeGluGradV2", ((4, 32), (-2,), (4, 32)), {}, ((-2,),)),
    ("GeGluGradV2", ((4, 32), (-1, -1), (4, 32)), {}, ((-1, -1),)),
    ("EluGradV2", ((-1, 3), (1, -1)), {}, ((1, 3),)),  # tensors that must be alike: the size is 1
    ("LeakyReluGrad", ((-1, 3), (1, -1)), {}, ((-1, 3),)),  # the size is that of the gradients
    ("LeakyReluGrad", ((1, -1), (-1, 3)), {}, ((-1, 3),)),
    ("SoftplusGrad", ((1, 3), (-1,)), {}, ((1, 3),)),
    ("SoftplusGrad", ((-2,), (3,)), {}, ((-2,),)),
    ("ThresholdV2", ((4, 5), (), (-2,)), {}, ((-2,),)),
    ("PRelu", ((-1, -1, 4), (5,)), {}, ((-1, -1, 4),)),
    ("PRelu", ((4, 1), (-1,)), {}, ((4, 1),)),
    ("PRelu", ((4, 5), (-2,)), {}, ((4, 5),)),
    ("SwigluGroup", ((4, -1), (-2,), (-2,)), {}, ((4, -1),)),
    ("SwigluGroup", ((2, -1, 6), (2, 5, 1), (-1,)), {}, ((2, -1, 3),)),
]


@pytest.mark.parametrize(("name", "shapes", "attributes", "wanted"), SHAPES)
def test_unknown_shapes(name: str, shapes: tuple[Any, ...], attributes: dict[str, Any], wanted: Any) -> None:
    assert getattr(ir, name).infer_shape(*shapes, **attributes) == wanted


BAD_SHAPES = [
    (
        "EluGradV2",
        ((2, 3), (2, 4)),
        {},
        "activations has shape (2, 4); it must be (2, 3), the shape of grads; reshape activations",
    ),
    (
        "EluGradV2",
        ((2, 3), (2, 3, 1)),
        {},
        "activations has shape (2, 3, 1); it must be (2, 3), the shape of grads; reshape activations",
    ),
    (
        "EluGradV2",
        ((-1, 3), (2, 4)),
        {},
        "activations has shape (2, 4); it must be (2, 3), the shape of grads; reshape activations",
    ),
    (
        "EluGradV2",
        ((-1,), (2, 4)),
        {},
        "activations has shape (2, 4); it must be (-1,), the shape of grads; reshape activations",
    ),
    (
        "SeluGrad",
        ((2, 1), (2, 3)),
        {},
        "outputs has shape (2, 3); it must be (2, 1), the shape of gradients; reshape outputs",
    ),
    ("LeakyReluGrad", ((2, 3), (4, 3)), {}, "they must broadcast"),
    (
        "LeakyReluGrad",
        ((2, -1), (4, 3)),
        {},
        "features has shape (4, 3), but gradients has shape (2, -1); they must broadcast; reshape one of them",
    ),
    ("LeakyReluGrad", ((0,), (2,)), {}, "they must broadcast"),
    (
        "SoftmaxGradExt",
        ((-1, 3), (2, 3), (4, 3)),
        {},
        "grad has shape (-1, 3), x1 has shape (2, 3), x2 has shape (4, 3); they cannot be broadcast together",
    ),
    ("SoftplusGrad", ((2, -1), (4, 3)), {}, "gradients has shape (2, -1), features has shape (4, 3); they cannot be"),
    ("GeGluV2", ((),), {}, "x has shape (); it must have a dimension to halve; reshape x"),
    ("GeGluV2", ((4, 6),), {"dim": 2}, "dim is 2, but x has shape (4, 6); it must lie in [-2, 1]; change dim"),
    ("GeGluV2", ((4, -1),), {"dim": 2}, "dim is 2, but x has shape (4, -1); it must lie in [-2, 1]; change dim"),
    ("GeGluV2", ((4, 7),), {}, "x has odd size 7 in dimension -1"),
    ("GeGluV2", ((-1, 7),), {}, "x has odd size 7 in dimension -1"),
    (
        "GeGluGradV2",
        ((4, 4), (4, 6), (4, 3)),
        {},
        "dy has shape (4, 4), but x has shape (4, 6); it must be (4, 3), which is x halved along dimension 1; reshape",
    ),
    (
        "GeGluGradV2",
        ((4, 3), (4, 6), (3,)),
        {},
        "gelu has shape (3,), but x has shape (4, 6); it must be (4, 3), which is x halved along dimension 1",
    ),
    (
        "GeGluGradV2",
        ((-1, 3), (4, 6), (5, 3)),
        {},
        "gelu has shape (5, 3), but x has shape (4, 6); it must be (4, 3), which is x halved along dimension 1",
    ),
    (
        "GeGluGradV2",
        ((4, -1), (4, 6), (4, 2)),
        {},
        "gelu has shape (4, 2), but x has shape (4, 6); it must be (4, 3), which is x halved along dimension 1",
    ),
    (
        "SwiGluGrad",
        ((4, 4), (-1, 6)),
        {},
        "y_grad has shape (4, 4), but x has shape (4, 6); it must be (4, 3), which is x halved along dimension 1",
    ),
    (
        "GeGluGradV2",
        ((4, 3), (-1, 6), (5, 3)),
        {},
        "gelu has shape (5, 3), but x has shape (4, 6); it must be (4, 3), which is x halved along dimension 1",
    ),
    (
        "GeGluGradV2",
        ((4, 3), (-2,), (5, 3)),
        {},
        "gelu has shape (5, 3), but x has shape (4, 6); it must be (4, 3), which is x halved along dimension 1",
    ),
    ("SoftmaxV2", ((-1, 3),), {"axes": [2]}, "axes is 2, but x has shape (-1, 3); it must lie in [-2, 1]; change axes"),
    ("PRelu", ((-1, 5), (3,)), {}, "weight has shape (3,); it must be (5,) or (1,)"),
    (
        "PReluGrad",
        ((4, 5), (3, 5), (-2,)),
        {},
        "grads has shape (4, 5); it must broadcast to (3, 5), the shape of features; reshape grads",
    ),
    ("Elu", ((-3, 2),), {}, "the shape of x is (-3, 2); sizes must be -1 to 2**63 - 1; pass -1 for an unknown size"),
    ("Elu", ((-2, 2),), {}, "the shape of x is (-2, 2); sizes must be -1 to 2**63 - 1; pass -1 for an unknown size"),
]


@pytest.mark.parametrize(("name", "shapes", "attributes", "says"), BAD_SHAPES)
def test_bad_shapes(name: str, shapes: tuple[Any, ...], attributes: dict[str, Any], says: str) -> None:
    with pytest.raises(actgrad.InvalidArgument, match=re.escape(says)) as caught:
        getattr(ir, name).infer_shape(*shapes, **attributes)
    assert str(caught.value).startswith(f"{name}: ")


def test_dtypes() -> None:
    assert ir.EluGradV2.infer_dtype("BF16", "bfloat16") == ("BF16",)
    assert ir.GeGluV2.infer_dtype(np.float16) == (np.float16, np.float16)
    assert ir.Selu.infer_dtype(np.dtype(BFLOAT16)) == (np.dtype(BFLOAT16),)
    assert ir.SeluGrad.infer_dtype("int8", "INT8") == ("int8",)
    torch = pytest.importorskip("torch")
    assert ir.Elu.infer_dtype(torch.bfloat16) == (torch.bfloat16,)
    for operator, dtypes, says in [
        (ir.EluGradV2, ("float32", "float16"), "EluGradV2: activations is float16, but grads is float32"),
        (ir.Elu, ("int32",), "Elu: x is int32; it must be "),
        (ir.Elu, ("quaternion",), "Elu: x is 'quaternion'; it must be "),
    ]:
        with pytest.raises(actgrad.InvalidDtype, match=re.escape(says)):
            operator.infer_dtype(*dtypes)
    with (
        actgrad.product("Ascend310P"),
        pytest.raises(actgrad.InvalidDtype, match=r"x is bfloat16; it must be .* on Ascend310P"),
    ):
        ir.GeGluV2.infer_dtype("bfloat16")


def test_wrong_calls() -> None:
    for call, says in [
        (lambda: ir.EluGradV2(G), "EluGradV2: activations is missing; the inputs are grads, activations; "),
        (lambda: ir.GeGluGradV2(HALF, X, None), "GeGluGradV2: gelu is missing"),
        (lambda: ir.Elu(X, X), "Elu: got 2 inputs; it takes 1 input: x; "),
        (lambda: ir.Elu(X, x=X), "Elu: x is given twice"),
        (lambda: ir.LeakyReluGrad(G, X, self_is_result=True), "LeakyReluGrad: self_is_result is unknown"),
        (lambda: ir.Elu.infer_shape(3), "Elu: the shape of x is 3; it must be a sequence"),
    ]:
        with pytest.raises(actgrad.InvalidCall, match=re.escape(says)):
            call()
    with pytest.raises(AttributeError, match=r"no attribute 'Reloo'; it must be a graph operator; did you mean"):
        _ = ir.Reloo


@pytest.mark.needs("torch")
def test_one_node_of_a_traced_graph() -> None:
    torch = pytest.importorskip("torch")
    importlib.import_module("actgrad.torch")
    from torch.fx.experimental.proxy_tensor import make_fx

    from tests.support.torch_calls import exact_in_graphs  # imports PyTorch

    for name, tensors, attributes, _ in CALLS:
        operator, given = getattr(ir, name), [torch.from_numpy(tensor.copy()) for tensor in tensors]

        class Model(torch.nn.Module):
            def forward(self, *tensors: Any) -> Any:
                return operator(*tensors, **attributes)  # noqa: B023  traced before the next round

        traced = make_fx(Model())(*given)
        exported = torch.export.export(Model(), tuple(given)).graph
        for graph in (traced.graph, exported):
            called = [node for node in graph.nodes if node.op == "call_function" and "getitem" not in node.name]
            assert [str(node.target) for node in called] == [f"actgrad.{operator.operator.name}.default"]
        torch._dynamo.reset()  # else it counts one model compiled many times
        whole = torch.compile(Model(), fullgraph=True, backend="aot_eager")
        with exact_in_graphs():
            compiled = whole(*given)
        for result in (traced(*given), compiled, operator(*given, **attributes)):
            for got, wanted in zip(as_tuple(result), as_tuple(operator(*tensors, **attributes)), strict=True):
                assert np.array_equal(got.numpy(), wanted)


@pytest.mark.needs("torch")
def test_a_traced_operator_is_differentiable() -> None:
    torch = pytest.importorskip("torch")
    x = torch.linspace(-2, 2, 9, requires_grad=True)
    ir.LeakyRelu(x, negative_slope=0.25).sum().backward()
    assert torch.equal(x.grad, torch.where(x > 0, 1.0, 0.25))


@pytest.mark.needs("torch")
def test_first_call_may_be_traced() -> None:
    pytest.importorskip("torch")
    nodes = run_script(
        dedent("""
        import torch
        from torch.fx.experimental.proxy_tensor import make_fx
        from actgrad import ir
        graph = make_fx(lambda x: ir.Elu(x))(torch.zeros(3)).graph
        print([str(node.target) for node in graph.nodes])
    """)
    )
    assert nodes.strip() == "['x_1', 'actgrad.elu.default', 'output']"
