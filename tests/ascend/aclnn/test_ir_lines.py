"""The lines of graph operators: their names, the names of the schema, and the mistakes in them."""

from __future__ import annotations

import importlib
import re
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import ir
from actgrad.ascend import Law
from actgrad.ascend.rules.graph_lines import parse_graph
from actgrad.ascend.rules.law import LAWS
from actgrad.base.definition import Definition
from tests.support.author_mistakes import operator, product, scaled

X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)
G = np.linspace(1, 2, 24, dtype=np.float32).reshape(4, 6)


ANY = "any_one(Tensor a, Tensor? b, Scalar beta=1, int n=0) -> Tensor out"
TWO = "any_two(Tensor a, Tensor c, Scalar beta=1, int n=0) -> (Tensor out, Tensor rest)"
LINES = [
    (ANY, "F(x) -> y", {"x": "a"}, {}, {}),  # the only required tensor
    (ANY, "F(a, beta=2) -> y", {"a": "a"}, {"beta": "beta"}, {"beta": 2.0}),
    (ANY, "F(b=a, scale=beta:-1.5) -> y", {"b": "a"}, {"scale": "beta"}, {"scale": -1.5}),
    (ANY, "F(b, x=a) -> y", {"b": "b", "x": "a"}, {}, {}),
    (TWO, "F(c, a) -> (y, z)", {"c": "c", "a": "a"}, {}, {}),
    (TWO, "F(a=c, c=a, n=beta:1, beta=n:2) -> (y, z)", {"a": "c", "c": "a"}, {"n": "beta", "beta": "n"},
     {"n": 1.0, "beta": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "tensors", "renamed", "attributes"), LINES)
def test_names_pair_with_the_schemas(
    text: str, line: str, tensors: dict[str, str], renamed: dict[str, str], attributes: dict[str, Any]
) -> None:
    signature = parse_graph(line, Definition(text, summary="", formula=np.abs))
    assert signature.inputs == tuple(tensors)
    assert (signature.tensors, signature.renamed, signature.attributes) == (tensors, renamed, attributes)
    assert [type(value) for value in signature.attributes.values()] == [type(value) for value in attributes.values()]


BAD_LINES = [
    (TWO, "F(x, y) -> (p, q)", "'x' names no tensor of any_two; its tensors are a, c; write 'x=TENSOR'"),
    (TWO, "F(x=a, y=d) -> (p, q)", "'y=d' names no tensor of any_two; its tensors are a, c; write 'y=TENSOR'"),
    (TWO, "F(x=a) -> (p, q)", "c is missing; each required tensor must be an input; write 'GRAPH_NAME=c'"),
    (
        TWO,
        "F(a, c, gamma=1.0) -> (p, q)",
        "'gamma=1.0' names no attribute of any_two; its attributes are beta, n; write 'gamma=ATTRIBUTE:1.0'",
    ),
    (
        TWO,
        "F(a, c, g=delta:1.0) -> (p, q)",
        "'g=delta:1.0' names no attribute of any_two; its attributes are beta, n; write 'g=ATTRIBUTE:1.0'",
    ),
    (TWO, "F(a, c, beta=n) -> (p, q)", "'beta=n' names no tensor"),
    (TWO, "F(a, b=a, c) -> (p, q)", "'b=a' repeats a name"),
    (TWO, "F(a, a=c) -> (p, q)", "'a=c' repeats a name"),
    (TWO, "F(a, c, g=n:1, n=2) -> (p, q)", "'n=2' repeats a name"),
    (TWO, "F(a, c, n=n:1.5) -> (p, q)", "'n=n:1.5': the default is '1.5'; it must be an integer"),
    (TWO, "F(a, c, n=True) -> (p, q)", "'n=True': the default is 'True'; it must be an integer"),
    (TWO, "F(a, c, n=) -> (p, q)", "'n=': the default is ''; it must be an integer"),
    (TWO, "F(a, c=) -> (p, q)", "'c=' names no attribute"),
    (TWO, "F(a c) -> (p, q)", "'a c' is not an argument; it must be 'name=tensor' or 'name=attribute:default'"),
    (TWO, "F(a, c) -> y", "1 output after '->'; any_two has 2 outputs: out, rest"),
    (ANY, "F(b) -> y", "a is missing; each required tensor must be an input; write 'GRAPH_NAME=a'"),
    (ANY, "f(a) -> y", "graph operator is "),
    (
        TWO,
        "F(a, c, d.e=_) -> (p, q)",
        "'d.e=_' is not an argument; it must be 'name=tensor' or 'name=attribute:default'",
    ),
    (TWO, "F(a, c, a=_?) -> (p, q)", "'a=_?' repeats a name"),
    (TWO, "F(a, c, c=_:True) -> (p, q)", "'c=_:True' repeats a name"),
]


@pytest.mark.parametrize(("text", "line", "says"), BAD_LINES)
def test_bad_lines(text: str, line: str, says: str) -> None:
    with pytest.raises(actgrad.InvalidOperator, match=re.escape(says)) as caught:
        parse_graph(line, Definition(text, summary="", formula=np.abs))
    assert str(caught.value).startswith(f"operator {text[:7]}: ")


@pytest.mark.usefixtures("registry_as_before")
def test_a_wrong_line_is_refused_where_it_is_written() -> None:
    known = dict(LAWS)
    two = operator("NAME(Tensor a, Tensor b) -> Tensor out", product)
    with pytest.raises(actgrad.InvalidOperator, match="'y' names no tensor of author_"):
        Law(two, graph=("Wrong(a, y) -> z",))
    scalar = operator("NAME(Tensor a, Scalar beta) -> Tensor out", scaled)
    with pytest.raises(
        actgrad.InvalidOperator,
        match=r"Wrong: beta, which has no default, is left out; .*; write 'GRAPH_NAME=beta:DEFAULT'",
    ):
        Law(scalar, graph=("Wrong(x) -> z",))
    assert known == LAWS


@pytest.mark.needs("torch")
def test_inputs_go_to_the_tensors_that_they_name() -> None:
    """Also where the graph has them in another order."""
    line = "Mixed(features=self, gradients=grad_output, slope=negative_slope:0.5) -> backprops"
    mixed = ir.GraphOperator(actgrad.leaky_relu_backward, parse_graph(line, actgrad.leaky_relu_backward.definition))
    wanted = actgrad.leaky_relu_backward(G, X, negative_slope=0.25)
    assert np.array_equal(mixed(X, G, slope=0.25), wanted)
    assert np.array_equal(mixed(gradients=G, features=X, slope=0.25), wanted)
    torch = pytest.importorskip("torch")
    importlib.import_module("actgrad.torch")
    assert np.array_equal(mixed(torch.from_numpy(X), torch.from_numpy(G), slope=0.25).numpy(), wanted)
    with pytest.raises(actgrad.InvalidDtype, match="gradients is int8, features is int32, which promote to int32; "):
        mixed.infer_dtype("int32", "int8")
    line = "Mixed(x=self, gelu, dy=grad_output, axis=dim:0) -> dx"
    packed = ir.GraphOperator(actgrad.geglu_backward, parse_graph(line, actgrad.geglu_backward.definition))
    assert packed.infer_shape((4, 6), (2, -1), (-1, 6)) == ((4, 6),)
    assert packed.infer_shape((4, 6), (4, -1), (-1, 3), axis=1) == ((4, 6),)
    assert np.array_equal(packed(X, X[:2], X[:2]), actgrad.geglu_backward(X[:2], X, X[:2], dim=0))
    with pytest.raises(
        actgrad.InvalidArgument,
        match=re.escape("dy has shape (1, 6), but x has shape (4, 6); it must be (2, 6), which"),
    ):
        packed.infer_shape((4, 6), (2, 6), (1, 6))
