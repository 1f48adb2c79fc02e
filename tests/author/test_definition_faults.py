"""Faults of a definition: each is an error that names it and says what to write, never a wrong result."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.author import linter
from actgrad.author.linter import validate
from actgrad.base.access import Halves
from actgrad.base.definition import Dtypes, Result, Roles, Switch
from actgrad.base.errors import InvalidOperator
from actgrad.base.rows import Rows, largest, once, total
from actgrad.checks import Check
from actgrad.checks.dtype_rules import supported

_numbers = itertools.count()


def identity(x):
    return x


def scaled(x, alpha):
    return x * alpha


def one(x):
    return x * 0.0 + 1.0


def of_two(x, y):
    return x * y


pytestmark = pytest.mark.usefixtures("registry_as_before")


def operator(text: str, formula: Any = identity, **fields: Any) -> actgrad.Operator:
    return actgrad.Operator(text.replace("NAME", f"faulty_{next(_numbers)}"), summary="", formula=formula, **fields)


def forward(**fields: Any) -> actgrad.Operator:
    return operator("NAME(Tensor self) -> Tensor out", **fields)


def pair() -> actgrad.Operator:
    return operator("NAME(Tensor self, Tensor weight) -> Tensor out", of_two)


def of_rows(*passes: Any, outputs: str = "Tensor out", **fields: Any) -> actgrad.Operator:
    reads = Rows(passes=passes, **fields)
    return operator(f"NAME(Tensor self, int dim=-1) -> {outputs}", of_two, layout=reads)


FAULTS = {
    "dtypes with commas": (
        lambda: forward(dtypes=Dtypes("int8, int32")),
        "dtypes.besides_floats has 'int8,'; it must be .*; write names with spaces",
    ),
    "a result that is called output": (
        lambda: operator("NAME(Tensor grad_output, Tensor output) -> Tensor grad_input", one, gradient_of=forward()),
        "output has no role; it must be a tensor of .*; state result=Result.'output'.",
    ),
    "one gradient of two tensors": (
        lambda: operator(
            "NAME(Tensor grad_output, Tensor self, Tensor weight) -> Tensor grad_self", of_two, gradient_of=pair()
        ),
        "it returns grad_self; it must return a gradient for each of self, weight; return grad_self, grad_weight",
    ),
    "a gradient of neither tensor": (
        lambda: operator(
            "NAME(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor grad_input, Tensor grad_weight)", of_two,
            gradient_of=pair(),
        ),
        "it returns grad_input, grad_weight; it must return a gradient for each of self, weight; return grad_self",
    ),
    "a formula of too few arguments": (
        lambda: operator("NAME(Tensor self, Scalar alpha=1) -> Tensor out"),
        "takes 1 argument; it must take 2: .*alpha",
    ),
    "a formula of too many": (lambda: forward(formula=scaled), "takes 2 arguments; it must take 1: .*no scalars"),
    "a check of no argument": (
        lambda: forward(preconditions=(supported("input"),)), "is about 'input'; it must be one of out, self; ",
    ),
    "a check of one's own": (
        lambda: forward(preconditions=((Check("rule", lambda call: None, about=("slef",)),),)),
        "'rule' is about 'slef'",
    ),
    "a switch that is no attribute": (
        lambda: forward(formula=Switch("approximate", {"a": identity, "b": identity})), "switch is 'approximate'",
    ),
    "an unknown packed tensor": (
        lambda: operator("NAME(Tensor self, int dim=-1) -> Tensor out", of_two, layout=Halves(("x",))),
        "layout names 'x'",
    ),
    "halves without a dimension": (
        lambda: operator("NAME(Tensor x) -> Tensor out", of_two, layout=Halves(("x",))), "counts dimensions by 'dim'",
    ),
    "an unknown factor": (lambda: forward(roles=Roles(multiplies="gate")), "multiplies is 'gate'; it must be self; "),
    "a result without a gradient": (
        lambda: forward(result=Result("self")), "result is set, but gradient_of is not; .*; state gradient_of",
    ),
    "a flag that is a number": (
        lambda: operator(
            "NAME(Tensor grad_output, Tensor self, int flag=0) -> Tensor grad_self", one, gradient_of=forward(),
            result=Result("self", flag="flag"),
        ),
        "result.flag is 'flag'; it must be a bool attribute",
    ),
    "a further tensor of a gradient": (
        lambda: operator(
            "NAME(Tensor grad_output, Tensor self, Tensor? value) -> Tensor grad_self", one, gradient_of=forward(),
        ),
        "value has no role; it must be a tensor of",
    ),
    "a term of too many arguments": (
        lambda: of_rows({"m": largest(of_two)}), "the term of 'm' takes 2 arguments; it must take 1: self",
    ),
    "a term that leaves out an earlier statistic": (
        lambda: of_rows({"m": largest(identity)}, {"s": total(identity)}),
        "the term of 's' takes 1 argument; it must take 2: self, m",
    ),
    "a statistic of statistics that takes the element": (
        lambda: of_rows({"m": largest(identity)}, {"q": once(of_two)}),
        "the term of 'q' takes 2 arguments; it must take 1: m",
    ),
    "a statistic of statistics beside others": (
        lambda: of_rows({"m": largest(identity)}, {"q": once(identity), "s": total(of_two)}),
        r"once\(\) shares a pass with others \(q, s\); it must be the only statistic of its pass; give it a separate ",
    ),
    "rows that no pass visits": (
        lambda: of_rows({"q": once(lambda: 1.0)}), "a pass must read elements; write largest",
    ),
    "kept terms of two outputs": (
        lambda: of_rows({"m": largest(identity)}, outputs="(Tensor out, Tensor other)", replaces_inputs=True),
        "replaces_inputs is set; then exactly one output must be of elements",
    ),
}  # fmt: skip


def call(faulty: actgrad.Operator) -> None:
    required = [a for a in faulty.schema.tensors if not a.is_optional]
    faulty(*[np.ones(4, np.float32)] * len(required))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_an_error_at_the_first_call(name: str) -> None:
    make, message = FAULTS[name]
    make = functools.cache(make)
    with pytest.raises(InvalidOperator, match=message) as error:
        validate(make().definition)
    assert str(error.value).startswith("operator faulty_")
    with pytest.raises(InvalidOperator, match=message):
        call(make())


@pytest.mark.parametrize("name", actgrad.operators)
def test_the_operators_have_no_fault(name: str) -> None:
    """The linter does not read the operators that the package ships when a user imports or calls them."""
    definition = actgrad.operators[name].definition
    linter.define(definition, [other.definition for key, other in actgrad.operators.items() if key != name])
    assert list(linter.faults(definition)) == []
