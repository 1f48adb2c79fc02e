"""Mistakes in the law of a user's operator: each is an InvalidOperator that says what to write, and states nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import actgrad
from actgrad.ascend import C, Law, Parameter
from actgrad.ascend.rules.law import LAWS, law_of
from actgrad.base.errors import InvalidOperator
from actgrad.checks.dtype_rules import supported
from tests.support.author_mistakes import one, operator, product, with_scalar

pytestmark = pytest.mark.usefixtures("registry_as_before")


def of_one(**fields: Any) -> Callable[[], Law]:
    return lambda: Law(one(), **fields)


def twice(**fields: Any) -> Callable[[], Law]:
    def state() -> Law:
        Law(one(), **fields)
        return Law(one(), **fields)

    return state


MISTAKES: dict[str, tuple[Callable[[], Law], str]] = {
    # names
    "a graph name that is taken": (
        twice(graph=("LawGraph(x=self) -> y",)), "ir is 'LawGraph', the ir name of author_"
    ),
    "a graph name of the package": (
        of_one(graph=("Elu(x=self) -> y",)), "ir is 'Elu', the ir name of elu; choose another"
    ),
    "a graph name stated twice": (
        of_one(graph=("F(x=self) -> y", "F(x) -> y")), "it states ir 'F' twice; leave out one"
    ),
    "a graph line that is none": (of_one(graph=("F",)), "graph operator is 'F'; it must have the form of"),
    "a graph line outside a tuple": (of_one(graph="F(x) -> y"), r"graph is 'F\(x\) -> y'; it must be a tuple of texts"),
    "a file that is not there": (
        of_one(differences_file="none.md"),
        r"differences_file is 'none.md'; .*Path\(__file__\).with_name\('my_law.md'\)",
    ),
    "a C name that is taken": (twice(functions=(C("LawC"),)), "aclnn is 'LawC', the C name of author_"),
    "a C name stated twice": (of_one(functions=(C("F"), C("F"))), "it states aclnn 'F' twice; leave out one"),
    "a C name that is taken in place": (
        of_one(functions=(C("InplaceElu"),)), "aclnn is 'InplaceElu', the C name of elu; choose another"
    ),
    "a C name in lower case": (
        of_one(functions=(C("smoothRelu"),)), "aclnn is 'smoothRelu'; write it in camel case: 'SmoothRelu'"
    ),
    "a C name in snake case": (of_one(functions=(C("smooth_relu"),)), "write it in camel case: 'SmoothRelu'"),
    "a C name with its prefix": (
        of_one(functions=(C("aclnnFoo"),)), "aclnn is 'aclnnFoo'; leave out aclnn and write 'Foo'"
    ),
    "a C name with its ending": (of_one(functions=(C("FooGetWorkspaceSize"),)), "leave out GetWorkspaceSize"),
    "a C name that is a number": (of_one(functions=(C(3),)), "aclnn is 3; write it in camel case"),  # type: ignore[arg-type]
    "a C function outside a tuple": (of_one(functions=C("Foo")), r"functions is C\(.*; it must be a tuple of C func"),
    "a C function as a text": (of_one(functions=("Foo",)), r"functions has 'Foo'; .* such as \(C\('SmoothRelu'\),\)"),
    # parameters
    "C parameters too few": (
        lambda: Law(with_scalar(), functions=(C("Foo", ("self", "out")),)),
        r"aclnn Foo has 2 parameters for arguments \(self, out\), but the operator has 3 arguments and outputs "
        r"\(self, alpha, out\); name each",
    ),
    "C parameters too few beside an ignored one": (
        lambda: Law(with_scalar(), functions=(C("Foo", ("self", Parameter("n", "int", is_ignored=True), "out")),)),
        "aclnn Foo has 2 parameters for arguments",
    ),
    "an attribute fixed in C that is none": (
        of_one(functions=(C("Foo", fixed={"alpha": 1}),)), "aclnn Foo names 'alpha'; it must be an attribute"
    ),
    # lists
    "an unknown product": (of_one(products="Ascend910Z"), "products has 'Ascend910Z'; it must be Ascend950"),
    "products in a tuple": (of_one(products=("Ascend910B",)), r"products is \('Ascend910B',\); it must be a text"),
    "no products": (of_one(products=""), "products is empty, so that every call is refused; leave it out"),
    "a C function on no product": (
        of_one(functions=(C("Foo", products="Ascend1"),)), "products 'Ascend1'; it must be Ascend950"
    ),
    "dtypes in a list": (of_one(dtypes=["float32"]), r"dtypes is \['float32'\]; it must be a text of names"),
    "no dtypes": (of_one(dtypes=""), "dtypes is empty, so that every call is refused"),
    "a dtype of PyTorch": (of_one(dtypes="torch.float32"), "'torch.float32'; it must be float32, float16"),
    "dtypes with commas": (of_one(dtypes="float32, float16"), "dtypes has 'float32,'; it must be .*did you mean floa"),
    "an order of null pointers": (of_one(null_order="slef out"), "null_order names 'slef', which is not an argument"),
    "an order of null pointers in C": (
        of_one(functions=(C("Foo", null_order="x"),)), "null_order of aclnn Foo names 'x'"
    ),
    # rules
    "checks without the comma": (of_one(checks=supported("self")), r"checks\[0\] is Check.*; .* tuple of rules"),
    "checks of texts": (of_one(checks=(("self",),)), r"checks\[0\] is \('self',\); checks must be a tuple of rules"),
    "rules without words": (of_one(requires=lambda a, product: True), "requires is .*; it must be a mapping"),
    "a rule that is a text": (of_one(requires={"alpha": "alpha > 0"}), "requires is .*; it must be a mapping"),
    # the operator
    "a name instead of an operator": (lambda: Law("elu"), r"operator is 'elu'; it must be an actgrad.Operator"),
    "the law of an operator of the package": (
        lambda: Law(actgrad.elu, products="Ascend950"),
        "operator elu: it has a law already; .*; write all fields into one Law",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(name: str) -> None:
    state, message = MISTAKES[name]
    with pytest.raises(InvalidOperator, match=message) as error:
        state()
    assert "\n" not in str(error.value)


def test_a_mistake_states_no_law() -> None:
    smooth = operator("NAME(Tensor self, Tensor weight) -> Tensor out", product)
    before = dict(LAWS)
    with pytest.raises(InvalidOperator):
        Law(smooth, functions=(C("aclnnFoo"),))
    assert before == LAWS
    Law(smooth, functions=(C("LawFoo"),))
    assert law_of(smooth.definition).functions[0].name == "LawFoo"


def test_names_are_free_again_when_their_operator_is_gone() -> None:
    names: dict[str, Any] = {"functions": (C("LawFree"),), "graph": ("LawFree(x=self) -> y",)}
    gone = one()
    Law(gone, **names)
    del actgrad.operators[gone.name]
    Law(one(), **names)
    with pytest.raises(InvalidOperator, match="aclnn is 'LawFree', the C name of author_"):
        Law(one(), **names)
