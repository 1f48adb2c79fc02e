"""Mistakes of a new author in accesses, rules, formulas and roles: each is an InvalidOperator that says the cure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.author.linter import validate
from actgrad.base.access import Along, Halves
from actgrad.base.definition import Result, Roles, Switch
from actgrad.base.errors import InvalidOperator
from actgrad.base.rows import Rows, RowsAlong, largest, total
from actgrad.checks.dtype_rules import supported
from actgrad.checks.shape_rules import along, broadcastable, same_shape
from tests.support.author_mistakes import (
    any_number,
    both,
    by_name,
    chosen_by_a_number,
    comparison,
    constant,
    gradient,
    identity,
    indexed,
    misplaced,
    nothing,
    of_a_method,
    of_a_text,
    of_three,
    of_too_many,
    of_varying_constants,
    one,
    one_in_a_tuple,
    operator,
    product,
    requires,
    rows,
    scaled,
    squared,
    swapped,
    times_a_comparison,
    two,
    two_values,
    weighted_difference,
    with_mask,
    with_scalar,
)

pytestmark = pytest.mark.usefixtures("registry_as_before")

MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    # reads
    "Along of a name with a slip": (
        lambda: two(layout=Along("weigth", 1)),
        "layout=Along names 'weigth', which is no tensor; it must be one of weight",
    ),
    "Along of no tensor": (lambda: two(layout=Along("", 1)), "layout=Along names '', which is no tensor"),
    "Along without a second tensor": (
        lambda: one(layout=Along("weight", 1)), "it must be one of none; add Tensor weight to the schema"
    ),
    "Along of the first tensor": (lambda: two(layout=Along("self", 1)), "'self', which is optional or the first"),
    "Along of an optional tensor": (
        lambda: operator("NAME(Tensor self, Tensor? weight) -> Tensor out", product, layout=Along("weight", 1)),
        "'weight', which is optional or the first",
    ),
    "Along a name": (lambda: two(layout=Along("weight", "channel")), "has position 'channel'; it must be an integer"),
    "Along the last dimension with another rule": (
        lambda: two(layout=Along("weight", -1), preconditions=(supported("self"), along("weight", to="self"))),
        r"its checks refuse weight along dimension -1: .*; list along\('weight', to='self', position=-1\) in precond",
    ),
    "RowsAlong without a tensor": (
        lambda: two(of_three, layout=RowsAlong(passes=({"s": total(product)},))), "layout=RowsAlong names ''"
    ),
    "Along without its rule": (
        lambda: two(layout=Along("weight", 1), preconditions=(supported("self"), same_shape("weight", to="self"))),
        r"its checks refuse weight along dimension 1: .*; list along\('weight', to='self'\) in preconditions",
    ),
    "Along with a rule for another dimension": (
        lambda: two(layout=Along("weight", 2), preconditions=(supported("self"), along("weight", to="self"))),
        r"list along\('weight', to='self', position=2\) in preconditions",
    ),
    "Along without checks on its shape": (
        lambda: two(layout=Along("weight", 1), preconditions=(supported("self", "weight"),)),
        r"its checks let weight of shape .* pass with self .*; list along\('weight', to='self'\)",
    ),
    "a class instead of an access": (lambda: one(layout=Along), "layout is .*; it must be an access, such as Along"),
    "an access in words": (lambda: one(layout="rows"), "layout is 'rows'; it must be an access"),
    "Halves of a text": (
        lambda: operator("NAME(Tensor self, int dim=-1) -> Tensor out", product, layout=Halves("self")),
        r"layout=Halves packs 'self'; it must be a tuple of tensors, such as Halves\(\('x',\)\)",
    ),
    "Halves by no attribute": (
        lambda: operator("NAME(Tensor x, int dim=-1) -> Tensor out", product, layout=Halves(("x",), active="left")),
        "layout=Halves has active 'left'; it must be 'lower', 'upper' or a bool attribute",
    ),
    "Halves interleaved by a number": (
        lambda: operator(
            "NAME(Tensor x, int dim=-1) -> Tensor out", product, layout=Halves(("x",), interleaved="even")
        ),
        "has interleaved 'even'",
    ),
    "Halves along a Scalar": (
        lambda: operator("NAME(Tensor x, Scalar dim=-1) -> Tensor out", of_three, layout=Halves(("x",))),
        "counts dimensions by 'dim', which is a Scalar; write int dim=-1",
    ),
    "Halves of a tensor that is none": (
        lambda: operator("NAME(Tensor x, int dim=-1) -> Tensor out", product, layout=Halves(("x",), tensor="w")),
        "layout=Halves names 'w'; it must be",
    ),
    "passes without the comma": (lambda: rows({"s": total(identity)}), "has passes .*; they must be a tuple of mapp"),
    "Rows without passes": (lambda: rows(()), "layout=Rows has no passes; write passes="),
    "a statistic without total": (lambda: rows(({"s": identity},)), r"has 's': .*; write largest\(term\), total"),
    "two statistics of one name": (
        lambda: rows(({"s": largest(identity)}, {"s": total(product)})), "has two statistics 's'"
    ),
    "a statistic named as a tensor": (
        lambda: rows(({"self": total(identity)},)), "a statistic 'self', the name of an argument"
    ),
    "a term that returns two values": (
        lambda: rows(({"s": total(two_values)},)), r"the term of 's': formula two_values returns 2 values; .* 1 \(s\)"
    ),
    "a term that is no function": (lambda: rows(({"s": total(np.exp)},)), "the term of 's': .*a plain function"),
    "an element that returns too many": (
        lambda: rows(({"s": total(identity)},), lambda x, s: (x, s)), "returns 2 values; it must return 1"
    ),
    "a dim that is no attribute": (
        lambda: one(product, layout=Rows(passes=({"s": total(identity)},))), "counts dimensions by 'dim'; it must be"
    ),
    "a broadcast without its rule": (
        lambda: two(broadcasts=True, preconditions=(supported("self"), same_shape("weight", to="self"))),
        r"broadcasts=True, but its checks refuse .*; list broadcastable\('weight', to='self'\)",
    ),
    "shapes that no check compares": (
        lambda: two(preconditions=(supported("self", "weight"),)),
        r"its checks let weight of shape .* pass with self .*; list same_shape\('weight', to='self'\)",
    ),
    # rules
    "a rule of an attribute that is none": (
        requires(lambda a: a["alhpa"] > 0),
        "requires 'alpha > 0' reads the attribute 'alhpa', which the operator does not have; it has alpha",
    ),
    "a rule of three arguments": (
        requires(lambda a, b, c: a["alpha"] > 0), "requires 'alpha > 0' takes 3 arguments; write lambda attributes:"
    ),
    "a rule of the number itself": (
        requires(lambda alpha: alpha > 0), r"raises TypeError \(.*\) for alpha=1.0"
    ),
    "a rule that divides by 0": (
        requires(lambda a: 1 / a["alpha"] > 0), "raises ZeroDivisionError .*alpha=0.0"
    ),
    "a rule that asks for a product": (requires(lambda a: a.product.name != ""), "raises AttributeError"),
    "a rule that returns a number": (
        requires(lambda a: a["alpha"]), r"returns 1.0 .*; it must return False or"
    ),
    "a rule that returns nothing": (requires(lambda a: None), "returns None for alpha=1.0; it must return"),
    "rules without words": (lambda: with_scalar(requires=lambda a: True), "requires is .*; it must be a mapp"),
    "a rule that is a text": (
        lambda: with_scalar(requires={"alpha": "alpha > 0"}), "requires is .*; it must be a mapp"
    ),
    "a rule that the defaults break": (
        requires(lambda a: a["alpha"] > 1), r"its defaults \(alpha=1.0\) break 'alpha > 0'"
    ),
    # formulas
    "a formula that returns two values": (
        lambda: one(two_values), r"formula two_values returns 2 values; it must return 1 \(out\)"
    ),
    "a formula that returns a tuple of one": (
        lambda: one(one_in_a_tuple), r"returns 1 values?; it must return 1 \(out\)"
    ),
    "a formula that returns nothing": (lambda: one(nothing), "formula nothing returns nothing; it must return 1"),
    "a formula that returns a comparison": (lambda: one(comparison), "returns a comparison; write where"),
    "a product with a comparison": (lambda: one(times_a_comparison), "it computes with a comparison; write where"),
    "a power": (
        lambda: one(squared), r"formula squared .*: it cannot be computed: TypeError.*\*\*.*; a formula may use \+"
    ),
    "an index": (lambda: one(indexed), "formula indexed .*: it cannot be computed: TypeError.*not subscriptable"),
    "a method": (lambda: one(of_a_method), "'exp' is neither|cannot be computed"),
    "a text": (lambda: one(of_a_text), "it computes with '1', which is not a number"),
    "a choice by a number": (lambda: one(chosen_by_a_number), "it takes a number for a comparison; write x > 0, not x"),
    "a branch": (lambda: one(both), r"it cannot branch on a value; use where\(condition, x, y\), & for `and`"),
    "too many arguments of exp": (lambda: one(of_too_many), "it calls exp with 2 arguments; exp takes 1"),
    "constants that vary": (
        lambda: operator("NAME(Tensor x, Scalar a=1, Scalar b=1) -> Tensor out", of_varying_constants),
        "the second and the third must be constants",
    ),
    "any number of arguments": (lambda: one(any_number), "formula any_number has .args, ..kwargs or keyword-only"),
    "arguments by name": (lambda: with_scalar(by_name), "formula by_name has .args, ..kwargs or keyword-only"),
    "scalars in another order": (
        lambda: operator("NAME(Tensor x, Scalar alpha=1, Scalar beta=2) -> Tensor out", swapped),
        "formula swapped takes x, beta, alpha; the arguments come as x, alpha, beta; reorder its parameters",
    ),
    "tensors in another order": (
        lambda: operator("NAME(Tensor self, Tensor weight) -> Tensor out", weighted_difference),
        "formula weighted_difference takes weight, self; the arguments come as self, weight; reorder its parameters",
    ),
    "a tensor at the place of another, whose name is not used": (
        lambda: operator("NAME(Tensor x, Tensor y, Scalar z=1) -> Tensor out", misplaced),
        "formula misplaced takes y, other, z; the arguments come as x, y, z; reorder its parameters",
    ),
    "a term with tensors in another order": (
        lambda: operator(
            "NAME(Tensor self, Tensor weight, int dim=-1) -> Tensor out", of_three,
            layout=Rows(({"s": total(weighted_difference)},)),
        ),
        "the term of 's' takes weight, self; the arguments come as self, weight; reorder its parameters",
    ),
    "a paper that is a number": (lambda: one(paper=3), "paper is 3; it must be a text"),
    "a function of NumPy": (lambda: one(np.exp), "must be a plain function of a module"),
    "a constant": (lambda: one(1.0), "formula is 1.0; it must be a function"),
    "formulas without a switch": (
        lambda: one({False: identity, True: identity}), r"write formula=Switch\('name', \{\.\.\.\}\) with the name"
    ),
    "a switch without formulas": (lambda: one(Switch("alpha", {})), "formula is {}; it must be a function, or a"),
    "a switch that chooses by a list": (
        lambda: one(Switch(["alpha"], {False: identity, True: identity})),
        r"formula.by is \['alpha'\]; it must be the name of an attribute, or a function",
    ),
    "a switch that is a number": (
        lambda: with_scalar(Switch("alpha", {"a": scaled, "b": scaled})), "switch is .*Scalar alpha=1|alpha=1.0"
    ),
    "a switch that lacks a case": (
        lambda: operator("NAME(Tensor x, bool flag=False) -> Tensor out", Switch("flag", {True: identity})),
        "the formula's keys must be False and True, not True",
    ),
    "a default that is no choice": (
        lambda: operator("NAME(Tensor x, int a=2) -> Tensor out", Switch("a", {"b": identity, "c": identity})),
        "write int a=0, with 0 for 'b', 1 for 'c'",
    ),
    "a switch that returns no key": (
        lambda: one(Switch(lambda a: 2, {False: identity, True: identity})), "switch returns 2 for no attribut"
    ),
    "a switch of two arguments": (
        lambda: one(Switch(lambda a, b: True, {False: identity, True: identity})),
        "switch takes 2 arguments; write lambda attributes:",
    ),
    # roles
    "a factor behind": (
        lambda: two(identity, roles=Roles(multiplies="weight")), "first the factor and then the formula's; it has"
    ),
    "a factor that is alone": (
        lambda: one(roles=Roles(multiplies="self")), "an operator with multiplies has two tensors, first"
    ),
    "a gradient without grad_output": (
        lambda: gradient("NAME(Tensor self) -> Tensor grad_input"), "its first tensor, self, is a tensor of author_"
    ),
    "an attribute that the forward operator lacks": (
        lambda: gradient("NAME(Tensor grad_output, Tensor self, Scalar beta) -> Tensor grad_input", scaled,
            with_scalar),
        r"its attribute beta has no default, and author_\d+ has no attribute of that name; it has alpha; give it",
    ),
    "an attribute of another type": (
        lambda: gradient("NAME(Tensor grad_output, Tensor self, int alpha=1) -> Tensor grad_input", of=with_scalar),
        "its attribute alpha is an int, but that of author_",
    ),
    "a result in place of two tensors": (
        lambda: gradient(
            "NAME(Tensor grad_output, Tensor output) -> (Tensor grad_self, Tensor grad_weight)", two_values, two,
            result=Result("output"),
        ),
        "has several tensors, which its result cannot replace; read these instead: self, weight",
    ),
    "another output in place of the result": (
        lambda: gradient("NAME(Tensor grad_output, Tensor mask) -> Tensor grad_input", product, with_mask,
            result=Result("mask")),
        r"result is 'mask', another output of author_\d+; it must be the first output, out; leave out",
    ),
    "another name of an output": (
        lambda: gradient("NAME(Tensor grad_output, Tensor marks) -> Tensor grad_input", product, with_mask),
        r"marks has no role; it must be a tensor of author_\d+ \(self\) or have a role; state result=Result\('marks'\)",
    ),
    "a derivative of two tensors that returns one": (
        lambda: gradient(
            "NAME(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor grad_self, Tensor grad_weight)", product,
            two
        ),
        r"formula product returns 1 value; it must return a tuple of 2 \(grad_self, grad_weight\)",
    ),
    "three gradients of elements": (
        lambda: gradient(
            "NAME(Tensor grad_output, Tensor x, Tensor y, Tensor z) -> (Tensor grad_x, Tensor grad_y, Tensor grad_z)",
            of_three, lambda: operator("NAME(Tensor x, Tensor y, Tensor z) -> Tensor out", of_three),
        ),
        "it has 3 gradients of elements, and at most 2 are supported; leave the operator out",
    ),
    "takes_gradient of no gradient": (
        lambda: one(roles=Roles(takes_gradient=True)), "takes_gradient is set, but gradient_of"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(name: str) -> None:
    make, message = MISTAKES[name]
    with pytest.raises(InvalidOperator, match=message) as error:
        validate(make().definition)
    assert re.match(r"operator '?(author_\w+|product|elu)", str(error.value))
    assert "\n" not in str(error.value)


@pytest.mark.needs("torch")
def test_a_row_without_its_dimension_is_refused_when_it_is_defined() -> None:
    """`import actgrad.torch` looked this attribute up, and raised a ValueError for all operators."""
    with pytest.raises(InvalidOperator, match=r"counts dimensions by 'dim'; .*; add int dim=-1 to the schema, or name"):
        one(product, layout=Rows(passes=({"s": total(identity)},)))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_first_call_raises_the_same(backend: str) -> None:
    """NumPy alone would compute a power, and a product with a comparison."""
    for formula in (squared, times_a_comparison, comparison):
        with pytest.raises(InvalidOperator, match=r"^operator author_\d+: formula "):
            one(formula)(np.ones(3, np.float32), backend=backend)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_formula_may_be_a_constant(backend: str) -> None:
    assert one(constant)(np.zeros(3, np.float32), backend=backend).tolist() == [1.0, 1.0, 1.0]


def test_what_needs_no_checks_has_the_right_ones() -> None:
    """Without checks, an operator with Along or broadcasts=True has the rule that it needs."""
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(two(layout=Along("weight", 1))(x, x[0]), x * x[0])
    np.testing.assert_array_equal(two(layout=Along("weight", 0))(x, x[:, 0]), x * x[:, :1])
    np.testing.assert_array_equal(two(layout=Along("weight", -1))(x, x[0]), x * x[0])
    np.testing.assert_array_equal(two(layout=Along("weight", -2))(x, x[:, 0]), x * x[:, :1])
    np.testing.assert_array_equal(two(broadcasts=True)(x[:, :1], x[:1]), x[:, :1] * x[:1])
    with pytest.raises(actgrad.InvalidArgument, match="they must broadcast"):
        two(broadcasts=True)(x, x.T)
    with pytest.raises(actgrad.InvalidArgument, match=r"weight has shape \(3,\); it must be \(4,\) or \(1,\)"):
        two(layout=Along("weight", 1))(x, x[:, 0])
    preconditions = (supported("self", "weight"), broadcastable("weight", to="self"))
    validate(two(broadcasts=True, preconditions=preconditions).definition)
