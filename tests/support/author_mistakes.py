"""Operators as a new author might write them, with one mistake each: formulas that do not work, and short makers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import actgrad
from actgrad.base.definition import Dtypes
from actgrad.base.rows import Rows
from actgrad.base.xp import exp, sigmoid_cubic, where

_numbers = itertools.count()


def identity(x):
    return x


def scaled(x, alpha):
    return x * alpha


def product(x, y):
    return x * y


def of_three(x, y, z):
    return x * y + z


def two_values(x):
    return x, x


def one_in_a_tuple(x):
    return (x,)


def nothing(x):
    x + 1.0


def comparison(x):
    return x > 0


def times_a_comparison(x):
    return x * (x > 0)


def squared(x):
    return x**2


def indexed(x):
    return x[0]


def chosen_by_a_number(x):
    return where(x, x, 0.0)


def both(x):
    return x if x > 0 and x < 1 else 0.0


def of_a_text(x):
    return x + "1"


def of_a_method(x):
    return x.exp()


def of_too_many(x):
    return exp(x, 1.0)


def of_varying_constants(x, c1, c3):
    return sigmoid_cubic(x, c1, c3)


def any_number(*x):
    return x[0]


def by_name(x, *, alpha):
    return x * alpha


def swapped(x, beta, alpha):
    return x * alpha + beta


def weighted_difference(weight, self):
    return weight * (self - weight)


def misplaced(y, other, z):
    return y * z + other


def constant(x):
    return 1.0


def operator(text: str, formula: Any = identity, **fields: Any) -> actgrad.Operator:
    return actgrad.Operator(text.replace("NAME", f"author_{next(_numbers)}"), summary="", formula=formula, **fields)


def one(formula: Any = identity, **fields: Any) -> actgrad.Operator:
    return operator("NAME(Tensor self) -> Tensor out", formula, **fields)


def with_scalar(formula: Any = scaled, **fields: Any) -> actgrad.Operator:
    return operator("NAME(Tensor self, Scalar alpha=1) -> Tensor out", formula, **fields)


def with_mask() -> actgrad.Operator:
    dtypes = Dtypes(outputs={"mask": "uint8"})
    return operator("NAME(Tensor self) -> (Tensor out, Tensor mask)", two_values, dtypes=dtypes)


def two(formula: Any = product, **fields: Any) -> actgrad.Operator:
    return operator("NAME(Tensor self, Tensor weight) -> Tensor out", formula, **fields)


def rows(passes: Any, formula: Any = product, **fields: Any) -> actgrad.Operator:
    return operator("NAME(Tensor self, int dim=-1) -> Tensor out", formula, layout=Rows(passes=passes), **fields)


def gradient(text: str, formula: Any = identity, of: Any = one, **fields: Any) -> actgrad.Operator:
    return operator(text, formula, gradient_of=of(), **fields)


def requires(rule: Any) -> Callable[[], Any]:
    return lambda: with_scalar(requires={"alpha > 0": rule})


def twice(**fields: Any) -> Callable[[], Any]:
    def make() -> Any:
        one(**fields)
        return one(**fields)

    return make


def schema(text: str, formula: Any = identity) -> Callable[[], Any]:
    return lambda: operator(text, formula)
