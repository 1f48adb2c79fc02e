"""The schema language."""

from __future__ import annotations

import pytest

import actgrad
from actgrad.base import schema
from tests.support.calls import OPERATORS, ids


def test_schema() -> None:
    parsed = schema.parse(
        "f(Tensor x, Scalar alpha=1.5, Tensor? y, bool flag=True, int dim=-1, bool plain) -> Tensor out"
    )
    assert parsed.name == "f"
    assert [(a.type, a.name, a.default) for a in parsed.arguments] == [
        ("Tensor", "x", None), ("Scalar", "alpha", 1.5), ("Tensor?", "y", None),
        ("bool", "flag", True), ("int", "dim", -1), ("bool", "plain", None),
    ]  # fmt: skip
    assert [a.name for a in parsed.tensors] == ["x", "y"]
    assert [a.is_optional for a in parsed.tensors] == [False, True]
    assert [a.name for a in parsed.attributes] == ["alpha", "flag", "dim", "plain"]
    assert parsed.outputs == ("out",)
    assert isinstance(parsed.arguments[1].default, float)
    assert schema.parse("g(Tensor x) -> (Tensor a, Tensor b)").outputs == ("a", "b")
    assert str(parsed).startswith("f(Tensor x, ")


@pytest.mark.parametrize(
    "text",
    [
        "", "f", "f()", "f() -> Tensor out", "f(Tensor x)", "f(Tensor x) -> out", "f(Tensor x) -> Tensor",
        "F(Tensor x) -> Tensor out", "f(tensor x) -> Tensor out", "f(Tensor x,Tensor y) -> Tensor out",
        "f(Tensor x) -> ()", "f(Tensor x) -> Tensor out ", "f(float x) -> Tensor out", "f(Tensor 1x) -> Tensor out",
        "f(Tensor x, Scalar) -> Tensor out", "1f(Tensor x) -> Tensor out", "f(Tensor x; Tensor y) -> Tensor out",
    ],
)  # fmt: skip
def test_bad_schema(text: str) -> None:
    with pytest.raises(ValueError, match=r"schema|is not an argument"):
        schema.parse(text)


BAD_DEFAULTS = {
    "bool b=yes": r"^operator f: the default is 'yes'; it must be True or False; ",
    "int n=x": r"^operator f: the default is 'x'; it must be an integer; ",
    "int n=1.5": r"^operator f: the default is '1\.5'; it must be an integer; ",
    "Scalar s=one": r"^operator f: the default is 'one'; it must be a number; ",
}


@pytest.mark.parametrize("text", BAD_DEFAULTS)
def test_bad_default(text: str) -> None:
    with pytest.raises(ValueError, match=BAD_DEFAULTS[text]):
        schema.parse(f"f(Tensor x, {text}) -> Tensor out")


@pytest.mark.parametrize("operator", OPERATORS, ids=ids)
def test_schemas_of_the_operators(operator: actgrad.Operator) -> None:
    again = schema.parse(operator.schema.text)
    assert (again.name, again.arguments, again.outputs) == (
        operator.name,
        operator.schema.arguments,
        operator.schema.outputs,
    )
    torch = pytest.importorskip("torch")
    parsed = torch._C.parse_schema(operator.schema.text)
    assert [a.name for a in parsed.arguments] == [a.name for a in operator.schema.arguments]
