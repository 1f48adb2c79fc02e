"""Calls that break CANN's rules: the error's class, status and words, and that nothing was written."""

from __future__ import annotations

import pytest

import actgrad
from actgrad.ascend.rules.rule import When
from tests.support.bad_calls import (
    ALL,
    BAD,
    LEFT_OUT,
    OF_LAWS,
    STAGES,
    UNSUPPORTED,
    Bad,
    assert_earlier_stage_wins,
    assert_refused,
    broken_rules,
    pairs_of_stages,
)
from tests.support.calls import OPERATORS


@pytest.mark.parametrize("bad", OF_LAWS, ids=str)
def test_bad_call(bad: Bad) -> None:
    assert_refused(bad)


def test_every_rule_is_broken_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """An own rule that a law repeats may be broken without a product."""
    broken = broken_rules(BAD, monkeypatch)
    names = {bad.operator for bad in BAD}
    left_out = [
        (operator.name, check.rule)
        for operator in OPERATORS
        for check in operator.law.rules
        if operator.name in names
        and (operator.name, check.rule) not in broken
        and not (check.error is UNSUPPORTED and len(operator.products) == len(ALL))
        and check.when is not When.TYPED  # the table of the C interface has these
    ]
    assert [rule for rule in left_out if not any(p in rule[1] for p in LEFT_OUT)] == []


@pytest.mark.parametrize(
    ("operator", "first", "second"),
    [pair for pair in pairs_of_stages(STAGES) if "product" in pair[1:] and len(pair[0].products) < len(ALL)],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_stage_of_the_product(operator: actgrad.Operator, first: str, second: str) -> None:
    assert_earlier_stage_wins(operator, first, second)
