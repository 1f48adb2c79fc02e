"""`actgrad check` compares a gradient operator with a difference quotient of its forward operator."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

import actgrad
from actgrad.ascend import products
from actgrad.base.access import Along
from actgrad.base.definition import Roles, Switch
from actgrad.base.rows import Rows, RowsAlong, length, once, total
from actgrad.base.xp import exp, where
from actgrad.checks.shape_rules import along, rank, same_shape
from actgrad.judge.gradient_check import disagreements
from tests.support.calls import status
from tests.support.unit_rms_formulas import (
    inverse_root,
    inverse_root_of_sums,
    normalised,
    product,
    square,
    square_of_x,
)

GRADIENTS = [operator for operator in actgrad.operators.values() if operator.gradient_of is not None]
Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("operator", GRADIENTS, ids=lambda o: o.name)
@pytest.mark.share(7)
def test_our_gradients_are_those_of_their_forward_operators(operator: actgrad.Operator) -> None:
    """By every product and by the documents too, whose conventions at kinks are others."""
    for chip in (None, *products.BY_NAME):
        for rules in products.RULES:
            with ExitStack() as chosen:
                if chip:
                    chosen.enter_context(actgrad.product(chip))
                chosen.enter_context(actgrad.rules(rules))
                assert disagreements(operator) == []


# Mistakes planted in our own formulas


def numbers_returned(operator: actgrad.Operator) -> int:
    """How many derivatives the formula returns."""
    definition = operator.definition
    if definition.access.sees_rows or operator.gradient_of.roles.multiplies:
        return 1
    return definition.access.formula_count(*definition.schema.outputs)


def with_formula(operator: actgrad.Operator, text: Callable[[list[str]], str]) -> actgrad.Operator:
    """The operator with formulas of this text, in which `given` is the formula as it was."""

    def changed(formula: Any) -> Any:
        names = list(formula.__code__.co_varnames[: formula.__code__.co_argcount])
        scope = {"given": formula}
        exec(f"def changed({', '.join(names)}):\n    {text(names)}\n", scope)
        return scope["changed"]

    formula = operator.formula
    is_switch = isinstance(formula, Switch)
    new = Switch(formula.by, {k: changed(one) for k, one in formula.items()}) if is_switch else changed(formula)
    other = actgrad.Operator.__new__(actgrad.Operator)  # the registry keeps the operator as it was
    other.gradient_of, other.part_of = operator.gradient_of, operator.part_of
    other.definition = operator.definition.changed(formula=new)
    other._set_up()
    return other


def call_of(names: list[str]) -> str:
    return f"given({', '.join(names)})"


PLANTED: dict[str, tuple[str, str]] = {
    "sign": ("return -{}", "a, b = {}; return -a, b"),
    "factor": ("return 1.01 * {}", "a, b = {}; return a, 1.01 * b"),
    "term": ("return 0.001 + {}", "a, b = {}; return a, b + 0.001"),
    "zero": ("return 0.0 * {}", "a, b = {}; return 0.0 * a, b"),
}


@pytest.mark.share(4)
@pytest.mark.parametrize("mistake", PLANTED)
@pytest.mark.parametrize("operator", GRADIENTS, ids=lambda o: o.name)
def test_a_planted_mistake_is_found(operator: actgrad.Operator, mistake: str) -> None:
    text = PLANTED[mistake][numbers_returned(operator) - 1]
    found = disagreements(with_formula(operator, lambda names: text.format(call_of(names))))
    assert found
    assert found[0].cause == "the sign is turned" or mistake != "sign"
    assert str(found[0]).startswith(f"{operator.name}(")
    assert f"difference quotient of {operator.gradient_of.name} is" in str(found[0])


@pytest.mark.parametrize("operator", [o for o in GRADIENTS if numbers_returned(o) == 2], ids=lambda o: o.name)
def test_exchanged_gradients_are_found(operator: actgrad.Operator) -> None:
    found = disagreements(with_formula(operator, lambda names: f"a, b = {call_of(names)}; return b, a"))
    assert len(found) == 2
    assert any("it is the gradient of" in one.cause for one in found)


def scalars() -> list[Any]:
    pairs = [(o, a.name) for o in GRADIENTS for a in o.schema.attributes if a.type == "Scalar"]
    return [pytest.param(o, name, id=f"{o.name}-{name}") for o, name in pairs]


@pytest.mark.parametrize(("operator", "name"), scalars())
def test_an_attribute_that_is_ignored_is_found(operator: actgrad.Operator, name: str) -> None:
    place = list(operator.schema.scalars).index(name) - len(operator.schema.scalars)

    def text(names: list[str]) -> str:
        names[place] = repr(float(operator.defaults[name]))
        return f"return {call_of(names)}"

    (found, *_) = disagreements(with_formula(operator, text))
    assert found.cause == f"they differ where {name} is not the default, and agree at the defaults"


# Operators that an author adds


def cube(x, a):
    """a * x**3"""
    return a * x * x * x


def cube_derivative(x, a):
    """3 * a * x**2"""
    return 3.0 * a * x * x


def cube_derivative_turned(x, a):
    """-3 * a * x**2"""
    return -3.0 * a * x * x


def cube_derivative_halved(x, a):
    """1.5 * a * x**2"""
    return 1.5 * a * x * x


def cube_derivative_without(x, a):
    """3 * x**2"""
    return 3.0 * x * x


def product_of_powers(x, y):
    """x * exp(y / 8)"""
    return x * exp(0.125 * y)


def product_derivatives(x, y):
    """exp(y / 8), x * exp(y / 8) / 8"""
    return exp(0.125 * y), 0.125 * x * exp(0.125 * y)


def product_derivatives_exchanged(x, y):
    """x * exp(y / 8) / 8, exp(y / 8)"""
    return 0.125 * x * exp(0.125 * y), exp(0.125 * y)


CUBE = "(Tensor self, Scalar a=1) -> Tensor out"
CUBE_GRADIENT = "(Tensor grad_output, Tensor self, Scalar a) -> Tensor grad_input"
PRODUCT_GRADIENT = "(Tensor grad_output, Tensor x, Tensor y) -> (Tensor grad_x, Tensor grad_y)"


def cubes(derivative: Any) -> actgrad.Operator:
    forward = actgrad.Operator(f"t_cube{CUBE}", summary="", formula=cube)
    return actgrad.Operator(f"t_cube_backward{CUBE_GRADIENT}", summary="", formula=derivative, gradient_of=forward)


def products_of_two(derivatives: Any) -> actgrad.Operator:
    forward = actgrad.Operator("t_product(Tensor x, Tensor y) -> Tensor out", summary="", formula=product_of_powers)
    text = f"t_product_backward{PRODUCT_GRADIENT}"
    return actgrad.Operator(text, summary="", formula=derivatives, gradient_of=forward)


WRONG = {
    "sign": (lambda: cubes(cube_derivative_turned), "the sign is turned"),
    "factor": (lambda: cubes(cube_derivative_halved), "it has the factor 0.5"),
    "attribute": (lambda: cubes(cube_derivative_without), "they differ where a is not the default"),
    "exchanged": (lambda: products_of_two(product_derivatives_exchanged), "it is the gradient of "),
}


@pytest.mark.usefixtures("registry_as_before")
@pytest.mark.parametrize("mistake", WRONG)
def test_check_rejects_a_wrong_derivative_and_names_it(mistake: str, capsys: Capture) -> None:
    make, cause = WRONG[mistake]
    name = make().name
    assert status("check", name, "--dtype", "float32", "--standard", "mixed,ulp") == 1
    out = " ".join(capsys.readouterr().out.split())
    assert f"REJECTED: the gradient of {name} is not that of the forward formula" in out
    assert cause in out
    assert f"correct the formula of {name} or of" in out
    assert status("check", name, "--dtype", "float32", "--standard", "mixed", "--json", "-") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "REJECTED"
    assert document["gradients"][0]["operator"] == name
    assert cause in document["gradients"][0]["says"]


@pytest.mark.usefixtures("registry_as_before")
def test_check_accepts_right_ones(capsys: Capture) -> None:
    assert status("check", cubes(cube_derivative).name, "--dtype", "float32", "--standard", "mixed,nonfinite") == 0
    assert "ACCEPTED" in capsys.readouterr().out
    assert disagreements(products_of_two(product_derivatives)) == []


# Rows


def normalised_gradient(grad, x, squares, products, count, scale, eps):
    """scale * (grad - x * scale**2 * mean(grad * x))"""
    return scale * (grad - x * (scale * scale * products / count))


def normalised_gradient_turned(grad, x, squares, products, count, scale, eps):
    """scale * (grad + x * scale**2 * mean(grad * x))"""
    return scale * (grad + x * (scale * scale * products / count))


def normalised_gradient_of_sum(grad, x, squares, products, count, scale, eps):
    """scale * (grad - x * scale**2 * sum(grad * x))"""
    return scale * (grad - x * (scale * scale * products))


def norm_gradient(formula: Any) -> actgrad.Operator:
    forward = actgrad.Operator(
        "t_norm(Tensor self, int dim=-1, Scalar eps=0.01) -> Tensor out", summary="", formula=normalised,
        layout=Rows(passes=({"squares": total(square)}, {"count": length()}, {"scale": once(inverse_root)})),
        requires={"eps > 0": lambda a: a["eps"] > 0},
    )  # fmt: skip
    passes = (
        {"squares": total(square_of_x), "products": total(product)},
        {"count": length()},
        {"scale": once(inverse_root_of_sums)},
    )
    return actgrad.Operator(
        "t_norm_backward(Tensor grad_output, Tensor self, int dim=-1, Scalar eps=0.01) -> Tensor grad_input",
        summary="", formula=formula, gradient_of=forward, roles=Roles(takes_gradient=True), layout=Rows(passes=passes),
        requires={"eps > 0": lambda a: a["eps"] > 0},
    )  # fmt: skip


@pytest.mark.usefixtures("registry_as_before")
@pytest.mark.parametrize("formula", [normalised_gradient_turned, normalised_gradient_of_sum])
def test_a_wrong_gradient_of_rows_is_found(formula: Any) -> None:
    (found,) = disagreements(norm_gradient(formula))
    assert (found.operator, found.output) == ("t_norm_backward", "grad_input")


@pytest.mark.usefixtures("registry_as_before")
def test_a_right_gradient_of_rows_is_accepted() -> None:
    assert disagreements(norm_gradient(normalised_gradient)) == []


def shifted_kink(x, bias):
    """x + bias where x > 0, else 0"""
    return where(x > 0, x + bias, 0.0)


def to_x(grad, x, bias, grad_bias):
    """grad where x > 0, else 0"""
    return where(x > 0, grad, 0.0)


def to_bias(grad, x, bias):
    """grad where x > 0, else 0"""
    return where(x > 0, grad, 0.0)


def to_bias_turned(grad, x, bias):
    """-grad where x > 0, else 0"""
    return where(x > 0, -grad, 0.0)


@pytest.mark.usefixtures("registry_as_before")
@pytest.mark.parametrize("position", [0, 1, 2, -1, -2, -3])
def test_a_gradient_along_a_dimension(position: int) -> None:
    for number, term in enumerate((to_bias, to_bias_turned)):
        forward = actgrad.Operator(
            f"t_shift{number}(Tensor self, Tensor bias) -> Tensor out", summary="", formula=shifted_kink,
            layout=Along("bias", position),
        )  # fmt: skip
        backward = actgrad.Operator(
            f"t_shift{number}_backward(Tensor grad_output, Tensor self, Tensor bias)"
            " -> (Tensor grad_self, Tensor grad_bias)",
            summary="", formula=to_x, gradient_of=forward, roles=Roles(takes_gradient=True),
            layout=RowsAlong(passes=({"grad_bias": total(term)},), tensor="bias", position=position),
            preconditions=(
                rank("grad_output", "self"), same_shape("grad_output", to="self"),
                along("bias", to="self", position=position), same_shape("grad_bias", to="bias"),
            ),
        )  # fmt: skip
        found = disagreements(backward)
        assert [one.output for one in found] == ["grad_bias"] * number
        assert all(one.cause == "the sign is turned" for one in found)


def test_points_are_on_both_sides_of_kinks_and_at_none() -> None:
    from actgrad.judge import gradient_check

    points = gradient_check.sample_points({"alpha": 1.3, "threshold": 20.0})
    assert len({*points}) == len(points)
    assert not {0.0, 0.5, 1.0, 3.0, 6.0, 1.3, 20.0} & {*np.abs(points)}
