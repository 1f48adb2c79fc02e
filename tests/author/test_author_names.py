"""Mistakes of a new author in names, schema lines and fields: each is an InvalidOperator that says the cure."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable
from typing import Any

import pytest

import actgrad
from actgrad.author import lint_definition
from actgrad.author.linter import validate
from actgrad.base.definition import Dtypes, Integers, Ragged, Torch
from actgrad.base.errors import InvalidOperator
from actgrad.calls.operator import REGISTRY
from actgrad.checks.dtype_rules import supported
from tests.support.author_mistakes import (
    identity,
    of_three,
    one,
    operator,
    product,
    scaled,
    schema,
    twice,
)

pytestmark = pytest.mark.usefixtures("registry_as_before")

MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    # names
    "a PyTorch name that is taken": (twice(torch=Torch("f")), "torch is 'f', the torch name of author_"),
    "a function of the package": (lambda: one(torch=Torch("elu")), "torch is 'elu', the torch name of elu; choose"),
    "a module of the package": (lambda: one(torch=Torch("f", module="ELU")), "'ELU', the torch name of elu; choose"),
    "a function and a module of one name": (lambda: one(torch=Torch("F", module="F")), "it states torch 'F' twice"),
    "a name of actgrad.torch": (lambda: one(torch=Torch("convert")), "actgrad.torch.convert exists already"),
    "a word of Python in PyTorch": (lambda: one(torch=Torch("lambda")), "'lambda', which is a keyword of Python"),
    "PyTorch's name as a text": (lambda: one(torch="f"), r"torch is 'f'; write Torch\('name'\)"),
    "PyTorch's parameters that are none": (lambda: one(torch=Torch("f(beta)")), r"torch names 'f\(beta\)'"),
    "a name that is taken": (
        lambda: operator("elu(Tensor self) -> Tensor out"), "operator elu: is registered already;"
    ),
    "a name of the package's": (schema("product(Tensor self) -> Tensor out"), "actgrad.product exists already"),
    "a name that ends in an underscore": (schema("NAME_(Tensor x) -> Tensor out"), "write 'author_"),
    "a word of Python as an attribute": (
        schema("NAME(Tensor self, Scalar lambda=1) -> Tensor out", scaled), "'lambda' is a keyword of Python; write"
    ),
    "letters outside ASCII": (schema("NAME(Tensor x, Scalar aé=1) -> Tensor out", scaled), "letters outside ASCII"),
    # schema
    "a default before a non-default": (
        schema("NAME(Tensor x, Scalar a=1, Scalar b) -> Tensor out", of_three),
        "b has no default, but a before it has one; write a last, or give b a default",
    ),
    "a default before a tensor": (
        schema("NAME(Tensor x, Scalar a=1, Tensor y) -> Tensor out", of_three), "y has no default, but a before it has"
    ),
    "tensors between attributes": (
        schema("NAME(Tensor x, Scalar a, Tensor y, Scalar b) -> Tensor out"),
        "has tensors between attributes; write a, b",
    ),
    "no tensor": (schema("NAME(Scalar alpha=1) -> Tensor out"), "its schema has no tensor; write 'Tensor self' first"),
    "an optional first tensor": (schema("NAME(Tensor? x) -> Tensor out"), "its first tensor, x, is optional; write"),
    "an output named as an input": (
        schema("NAME(Tensor self) -> Tensor self"), "the output self has the name of an arg"
    ),
    "two outputs of one name": (schema("NAME(Tensor x) -> (Tensor y, Tensor y)"), r"an output is named twice \(y, y\)"),
    "an argument named out": (
        schema("NAME(Tensor x, Scalar out=1) -> Tensor y", scaled), "out is a keyword of every c"
    ),
    "an argument named backend": (schema("NAME(Tensor x, int backend=1) -> Tensor y"), "backend is a keyword of every"),
    "a default of infinity": (
        schema("NAME(Tensor x, Scalar a=inf) -> Tensor out", scaled), "default of a is inf, which"
    ),
    "a default of 65 bits": (schema(f"NAME(Tensor x, int a={1 << 64}) -> Tensor out"), "must be an integer of 64 bits"),
    "a default of words": (schema("NAME(Tensor x, Scalar a=one) -> Tensor out", scaled), "the default is 'one'"),
    "a type of Python": (
        schema("NAME(Tensor x, float a=1) -> Tensor out", scaled), "'float a=1' is not an argument; the types"
    ),
    "no schema": (lambda: operator("NAME(Tensor self)"), "schema is "),
    "several outputs of elements": (
        schema("NAME(Tensor x) -> (Tensor a, Tensor b)", identity),
        r"returns 1 value; it must return a tuple of 2 \(a, b\)",
    ),
    # fields
    "a field that is none": (lambda: one(gradient="x"), "gradient is not a field; the fields are "),
    "a field with a slip": (lambda: one(sumary="x"), "sumary is not a field; the fields are summary"),
    "no summary": (
        lambda: actgrad.Operator("author_x(Tensor x) -> Tensor y", formula=identity), "summary is missing; "
    ),
    "no formula": (lambda: actgrad.Operator("author_x(Tensor x) -> Tensor y", summary=""), "formula is missing; "),
    "a gradient of a name": (lambda: one(gradient_of="elu"), "gradient_of is 'elu'; it must be an operator"),
    "a gradient of a formula": (lambda: one(gradient_of=identity), "gradient_of is .*; it must be an operator"),
    "dtypes in a list": (lambda: one(dtypes=["int8"]), r"dtypes is \['int8'\]; it must be Dtypes"),
    "a list of dtypes": (lambda: one(dtypes=Dtypes(["int8"])), r"besides_floats is \['int8'\]; it must be a text"),
    "a dtype of PyTorch": (lambda: one(dtypes=Dtypes("torch.int8")), "'torch.int8'; it must be"),
    "a flag as a text": (lambda: one(broadcasts="yes"), "broadcasts is 'yes'; it must be True or False"),
    "checks without the comma": (
        lambda: one(preconditions=supported("self")), "preconditions is .*; it must be a tuple of rules"
    ),
    "checks of texts": (lambda: one(preconditions=(("self",),)), r"preconditions\[0\] has 'self', not a rule; write"),
    "integers in an unknown dtype": (
        lambda: one(integers=Integers(dtype="int7")), "integers.dtype is 'int7'; it must be"
    ),
    "integers in floats without a formula": (
        lambda: one(integers=Integers(in_floats=True)), "state integers.formula, or leave it out"
    ),
    "an integer formula of too many": (
        lambda: one(integers=Integers(product)), "integers.formula product takes 2 arguments; it must take 1"
    ),
    "a counted tensor without rows": (
        lambda: operator("NAME(Tensor x, Tensor? n) -> Tensor out", ragged=Ragged("n")), "counts rows along a dimens"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(name: str) -> None:
    make, message = MISTAKES[name]
    with pytest.raises(InvalidOperator, match=message) as error:
        validate(make().definition)
    assert re.match(r"(operator|not a schema:) '?(author_\w+|product|elu)", str(error.value))
    assert "\n" not in str(error.value)


def test_a_mistake_leaves_no_operator_behind() -> None:
    before = dict(REGISTRY)
    for name, (make, _) in MISTAKES.items():
        if name.startswith("a name"):
            with pytest.raises(InvalidOperator):
                make()
    assert before == REGISTRY


def test_a_name_is_free_again_when_its_operator_is_gone() -> None:
    fields = {"torch": Torch("author_free", module="AuthorFree")}
    del REGISTRY[one(**fields).name]
    assert one(**fields).name in REGISTRY


def test_names_that_are_taken_are_those_of_the_package() -> None:
    """Names of actgrad and actgrad.torch that a new operator must not have; a new public name belongs in the list."""
    names = {name for name in actgrad.__all__ if name.islower()} | {
        m.name for m in pkgutil.iter_modules(actgrad.__path__)
    }
    assert {name for name in names if name[0] != "_"} - REGISTRY.keys() <= {*lint_definition.PACKAGE_NAMES.split()}
    torch = pytest.importorskip("actgrad.torch")
    stated = {name for _, name in map_names()}
    names = {*torch.__all__} | {m.name for m in pkgutil.iter_modules(torch.__path__)}
    assert names - stated <= {*lint_definition.TORCH_NAMES.split()}


def map_names() -> list[tuple[str, str]]:
    """The names in PyTorch that operators state."""
    every = [pair for o in REGISTRY.values() for pair in lint_definition.public_names(o.definition)]
    return [pair for pair in every if pair[0] == "torch"]
