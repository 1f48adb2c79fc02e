"""Which arguments the results of a formula depend on."""

import pytest

import actgrad
from actgrad.backends.formula.tracing import dependencies
from actgrad.base.computation import backward, forward
from actgrad.base.xp import exp, maximum, where


def unused_last(x, y, total):
    """x * y, with a comparison"""
    return where((x > 0.0) & (x < 1.0), exp(-x) * y, 2.0)


def used_by_condition(x, y, total):
    """y where total > 0"""
    return where(total > 0.0, y, 1.0)


def constant(x, y, total):
    """1"""
    return 1.0


@pytest.mark.parametrize(
    ("element", "formula", "expected"),
    [
        (forward, unused_last, {0, 1}),
        (forward, used_by_condition, {1, 2}),
        (forward, constant, set()),
        (backward, constant, {0}),
    ],
)
def test_dependencies(element, formula, expected):
    assert dependencies(element, formula, 4 if element is backward else 3) == expected


def test_formulas_of_rows():
    """PReLU's gradient by its input needs no sum; softmax needs each statistic."""
    prelu, softmax = actgrad.operators["prelu_backward"], actgrad.operators["softmax"]
    assert dependencies(forward, prelu.formula, 4) == {0, 1, 2}
    assert 3 in dependencies(forward, softmax.formula, 4)


def largest_of(a, b):
    """max(a, b)"""
    return maximum(a, b)


def test_functions_of_formulas():
    assert dependencies(forward, largest_of, 2) == {0, 1}
