"""Operators whose elements see their rows, tensors for calls of them, and one that somebody might add."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import actgrad
from actgrad.base.definition import Result, Roles
from actgrad.base.rows import Rows, largest, total
from actgrad.base.xp import exp_difference
from actgrad.calls.operator import REGISTRY

OPERATORS = [o for o in actgrad.operators.values() if o.access.sees_rows and not o.dtypes.outputs]
#: Operators that round their results to integers, with a scale for each row.
QUANTISING = [o for o in actgrad.operators.values() if o.access.sees_rows and o.dtypes_of(o.schema.outputs[0])]
#: ULP of an element of a row; products and sums that cancel are measured in units of the larger term.
ULPS = {"float32": 4.0, "float64": 8.0, "float16": 0.51, "bfloat16": 0.51}


def tensors(operator: Any, shape: tuple[int, ...], dtype: Any, rng: np.random.Generator, scale: float = 3) -> list[Any]:
    """Tensors of a call on rows of this shape; results are those of a forward pass."""
    found = []
    for argument in operator.schema.tensors:
        whole = operator.access.whole_shape(argument.name, shape, {"dim": -1})
        found.append((scale * rng.standard_normal(whole)).astype(dtype))
    if operator.definition.result.tensor:
        place = operator.schema.tensor_names.index(operator.definition.result.tensor)
        found[place] = operator.gradient_of(found[place].astype(np.float64)).astype(dtype)
    return found


def minus(x):
    """-x"""
    return -x


def power_below(x, largest):
    """exp(-x - largest)"""
    return exp_difference(-x, largest)


def softmin_formula(power, largest, total):
    """exp(-x - largest) / sum(exp(-x - largest))"""
    return power / total


def share(grad, y):
    """grad * y"""
    return grad * y


def softmin_gradient(grad, y, total):
    """y * (sum(grad * y) - grad)"""
    return y * (total - grad)


@contextmanager
def softmin() -> Iterator[Any]:
    """Softmax of -x with its gradient, registered for a while."""
    try:
        forward = actgrad.Operator(
            "softmin_of_tests(Tensor self, int dim=-1) -> Tensor out",
            summary="Softmax of -x.",
            formula=softmin_formula,
            layout=Rows(passes=({"largest": largest(minus)}, {"total": total(power_below)}), replaces_inputs=True),
        )
        actgrad.Operator(
            "softmin_of_tests_backward(Tensor grad_output, Tensor output, int dim=-1) -> Tensor grad_input",
            summary="The gradient of the input.",
            formula=softmin_gradient,
            gradient_of=forward,
            roles=Roles(takes_gradient=True),
            result=Result("output"),
            layout=Rows(passes=({"total": total(share)},)),
        )
        yield forward
    finally:
        for name in ("softmin_of_tests", "softmin_of_tests_backward"):
            REGISTRY.pop(name, None)
