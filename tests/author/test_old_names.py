"""Keywords of version 0.3 for operators of users: they work, and a DeprecationWarning shows what to write."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad import aclnn, ir
from actgrad.base.access import Along, Halves
from actgrad.base.rows import Rows, largest, total
from actgrad.checks.dtype_rules import equal, supported
from actgrad.checks.shape_rules import along
from tests.support.author_mistakes import (
    identity,
    of_three,
    one,
    operator,
    product,
    scaled,
    two,
    two_values,
    with_scalar,
)

pytestmark = pytest.mark.usefixtures("registry_as_before")

X = np.float32([[-1.5, 0.0, 2.5, 4.0], [4.0, -0.0, 8.0, -3.0]])


def negated(x):
    """-x"""
    return -x


def zeroed(x, ratio):
    """x * ratio"""
    return x * ratio


OLD: dict[str, tuple[str, Any, dict[str, Any], str, str, Any]] = {
    # what: (schema, formula, fields, the definition's field, its text in the warning, its value)
    "multiplies": (
        "NAME(Tensor gate, Tensor x) -> Tensor out", identity, {"multiplies": "gate"},
        "roles.multiplies", "multiplies is roles=Roles(multiplies=...) now", "gate",
    ),
    "linear_in": (
        "NAME(Tensor x, Tensor y) -> Tensor out", product, {"linear_in": "x"},
        "roles.linear_in", "linear_in is roles=Roles(linear_in=...) now", "x",
    ),
    "unseen": (
        "NAME(Tensor x, Tensor other) -> Tensor out", identity, {"unseen": "other"},
        "roles.only_checked", "unseen is roles=Roles(only_checked=...) now", "other",
    ),
    "integer_formula": (
        "NAME(Tensor x) -> Tensor out", identity, {"integer_formula": negated, "dtypes": "float32 int32"},
        "integers.formula", "integer_formula is integers=Integers(formula=...) now", negated,
    ),
    "integer_result": (
        "NAME(Tensor x) -> Tensor out", identity, {"integer_result": "float32", "dtypes": "float32 int32"},
        "integers.dtype", "integer_result is integers=Integers(dtype=...) now", "float32",
    ),
    "integers_as_floats": (
        "NAME(Tensor x) -> Tensor out", identity,
        {"integer_formula": identity, "integers_as_floats": True, "dtypes": "float32 int8"},
        "integers.in_floats", "integers_as_floats is integers=Integers(in_floats=...) now", True,
    ),
    "output_dtypes": (
        "NAME(Tensor x) -> (Tensor out, Tensor mask)", two_values, {"output_dtypes": {"mask": "uint8"}},
        "dtypes.outputs", "output_dtypes is dtypes=Dtypes(outputs=...) now", {"mask": "uint8"},
    ),
    "row_counter": (
        "NAME(Tensor x, Tensor? counts, int dim=-1) -> Tensor out", product,
        {"row_counter": "counts", "clears_rest": True, "reads": Halves(("x",))},
        "ragged.rest", "clears_rest is ragged=Ragged(..., rest='cleared') now; row_counter is ragged=", "cleared",
    ),
    "absent": (
        "NAME(Tensor x, Tensor? ratio) -> Tensor out", zeroed, {"absent": {"ratio": 3.0}},
        "defaults_of_tensors", "absent is defaults_of_tensors now", {"ratio": 3.0},
    ),
    "switch": (
        "NAME(Tensor x, bool flag=False) -> Tensor out", {False: identity, True: negated}, {"switch": "flag"},
        "switch", "switch is formula=Switch(by, {...}) now", "flag",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OLD)
def test_an_old_keyword_is_accepted(name: str) -> None:
    text, formula, fields, path, says, value = OLD[name]
    with pytest.warns(DeprecationWarning, match=rf"^operator author_\d+: .*{re.escape(says)}.*docs/new-operator\.md$"):
        made = operator(text, formula, **fields)
    found: Any = made.definition
    for part in path.split("."):
        found = getattr(found, part)
    assert found == value
    tensors = [X for argument in made.schema.tensors if not argument.is_optional]
    made(*tensors)


def test_a_gradient_with_old_keywords() -> None:
    forward = one()
    with pytest.warns(
        DeprecationWarning, match=r"takes_gradient is roles=.*reads_result is result=Result\(tensor=...\)"
    ):
        backward = operator(
            "NAME(Tensor grad_output, Tensor output) -> Tensor grad_self", product, gradient_of=forward,
            takes_gradient=True, reads_result="output",
        )  # fmt: skip
    assert (backward.definition.result.tensor, backward.definition.roles.takes_gradient) == ("output", True)
    assert backward(X, X).tolist() == (X * X).tolist()


def test_reads_is_accepted_without_a_warning() -> None:
    reads = Along("weight", -1)
    assert two(reads=reads).definition.layout is reads
    rows = Rows(passes=({"top": largest(identity)}, {"sum": total(product)}))
    made = operator("NAME(Tensor self, int dim=-1) -> Tensor out", of_three, reads=rows)
    assert made.definition.access is rows


def test_rules_and_switches_of_attributes_and_a_product() -> None:
    with pytest.warns(DeprecationWarning, match="lambda attributes, product is lambda attributes now"):
        made = with_scalar(requires={"alpha > 0": lambda a, product: a["alpha"] > 0})
    with pytest.raises(actgrad.InvalidArgument, match="the operator needs alpha > 0"):
        made(X, alpha=-1)
    limit = {"alpha < 9": lambda a, product: product is None or a["alpha"] < 9}
    with pytest.warns(DeprecationWarning, match="lambda attributes, product is"):
        made = with_scalar(requires=limit)
    made(X, alpha=10)
    with actgrad.product("Ascend910B"), pytest.raises(actgrad.InvalidArgument, match="the operator needs alpha < 9"):
        made(X, alpha=10)
    formulas = {False: identity, True: negated}
    with pytest.warns(DeprecationWarning, match="a switch gets no product now, and Law"):
        made = operator("NAME(Tensor x, bool flag=False) -> Tensor out", formulas, switch=lambda a, product: a["flag"])
    assert made(X, flag=True).tobytes() == (-X).tobytes()


def test_fields_of_a_law_state_one() -> None:
    """The warning has the Law(...) to write. It says what the fields said: names, limits, rules in order."""
    fields: dict[str, Any] = {
        "aclnn": "OldNames",
        "ir": "OldNames(x=self, factor=alpha:2.0) -> y",
        "products": "Ascend950 Ascend910B",
        "dtypes": "float32 int8",
        "null_order": ("out", "self", "alpha"),
        "checks": (supported("self"), equal("out", to="self")),
    }
    with pytest.warns(DeprecationWarning, match="belong to a law now") as caught:
        made = with_scalar(**fields)
    assert [str(warning.message) for warning in caught] == [
        f"operator {made.name}: products, checks, aclnn, ir, null_order, dtypes belong to a law now; write "
        f"Law({made.name}, products='Ascend950 Ascend910B', checks=(...), functions=(C('OldNames'),), "
        "graph=('OldNames(x=self, factor=alpha:2.0) -> y',), null_order='out self alpha', dtypes='float32 int8') "
        "with Law of actgrad.ascend"
    ]
    law = made.law
    assert (law.product_names, law.dtype_names) == (("Ascend950", "Ascend910B"), ("float32", "int8"))
    assert [rule.about[0] for rule in law.rules[:3]] == ["out", "self", "alpha"]
    assert callable(aclnn.aclnnOldNamesGetWorkspaceSize)
    assert ir.OldNames(X).tolist() == (X * 2).tolist()
    made(X)
    with actgrad.product("Ascend310P"), pytest.raises(actgrad.UnsupportedOnProduct):
        made(X)
    with actgrad.product("Ascend950"), pytest.raises(actgrad.InvalidDtype, match="it must be float32 or int8 on"):
        made(X.astype(np.float16))


def test_the_warnings_name_the_line_of_the_author() -> None:
    text = "old_of_tests(Tensor x, Tensor y) -> Tensor out"
    with pytest.warns(DeprecationWarning, match="of_tests: ") as caught:
        actgrad.Operator(text, summary="", formula=product, linear_in="x", aclnn="OldOfTests")
    assert [warning.filename for warning in caught] == [__file__] * 2


def test_a_text_of_dtypes_needs_no_warning() -> None:
    made = one(dtypes="float32 int32")
    assert made.law.dtype_names == ("float32", "int32")
    assert made(X.astype(np.int32)).dtype == np.int32
    with pytest.raises(actgrad.InvalidDtype, match="self is int8; it must be "):
        made(X.astype(np.int8))
    with actgrad.product("Ascend910B"), pytest.raises(actgrad.InvalidDtype, match="it must be float32 or int32 on"):
        made(X.astype(np.float16))


def test_old_checks_are_the_rules_without_a_product_too() -> None:
    rules = (supported("self"), equal("weight", to="self"), along("weight", to="self"))
    with pytest.warns(
        DeprecationWarning, match=r"checks belong to a law now; write Law\(author_\d+, checks=\(\.\.\.\)"
    ):
        made = two(reads=Along("weight", 1), checks=rules)
    made(X, X[0])
    with pytest.raises(actgrad.InvalidDtype, match="weight is float64, but self is float32"):
        made(X, X[0].astype(np.float64))
    with actgrad.product("Ascend910B"), pytest.raises(actgrad.InvalidArgument, match="weight has shape"):
        made(X, X[0, :2])


def test_a_wrong_old_law_leaves_no_operator_behind() -> None:
    before = dict(actgrad.operators)
    for fields in ({"aclnn": "aclnnFoo"}, {"ir": "Foo"}, {"products": "Ascend1"}):
        with pytest.raises(actgrad.InvalidOperator, match=r"^operator author_\d+: "):
            with_scalar(scaled, **fields)
    assert before == actgrad.operators


def test_an_old_and_a_new_name_of_one_field() -> None:
    with pytest.raises(actgrad.InvalidOperator, match=r"roles is given, and also multiplies; .*; put all into roles"):
        two(identity, multiplies="self", roles=actgrad.elu.definition.roles)
