"""Bad calls: the error's class, status and words, and that nothing was written. Without a product."""

from __future__ import annotations

import numpy as np
import pytest

import actgrad
from tests.support.bad_calls import (
    LEFT_OUT,
    OWN,
    STAGES,
    A,
    Bad,
    assert_earlier_stage_wins,
    assert_refused,
    broken_rules,
    pairs_of_stages,
)
from tests.support.calls import OPERATORS


@pytest.mark.parametrize("bad", OWN, ids=str)
def test_bad_call(bad: Bad) -> None:
    assert_refused(bad)


def test_every_own_rule_is_broken_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = broken_rules(OWN, monkeypatch)
    names = {bad.operator for bad in OWN}
    rules = [(each.name, check.rule) for each in OPERATORS if each.name in names for check in each.checks]
    assert len(rules) > 80
    assert [rule for rule in rules if rule not in broken and not any(p in rule[1] for p in LEFT_OUT)] == []


# The order: null, dtype, shape, value. tests/ascend/test_bad_calls.py has the stage of the product.


@pytest.mark.parametrize(
    ("operator", "first", "second"),
    pairs_of_stages([stage for stage in STAGES if stage != "product"]),
    ids=lambda value: getattr(value, "name", value),
)
def test_the_earlier_stage_wins(operator: actgrad.Operator, first: str, second: str) -> None:
    assert_earlier_stage_wins(operator, first, second)


def test_null_wins_over_everything_that_an_array_may_be() -> None:
    for other in ("nonsense", 5, np.ma.masked_invalid(A), A.astype(">f4"), A.astype(object)):
        for tensors in ((None, other), (other, None)):
            with pytest.raises(actgrad.NullArgument):
                actgrad.elu_backward(*tensors)


def test_first_null_in_the_order_of_the_schema() -> None:
    with pytest.raises(actgrad.NullArgument, match=r"^elu_backward: grad_output is None"):
        actgrad.elu_backward(None, None, alpha=None)
    with pytest.raises(actgrad.NullArgument, match=r"^elu_backward: alpha is None"):
        actgrad.elu_backward(A, None, alpha=None, scale=None)
    with pytest.raises(actgrad.NullArgument, match=r"^elu_backward: is_result is None"):
        actgrad.elu_backward(A, None, is_result=None)


# The tree of errors


def test_error_tree() -> None:
    for error, bases, status in [
        (actgrad.ActgradError, (Exception,), 561000),
        (actgrad.NullArgument, (actgrad.ActgradError, TypeError), 161001),
        (actgrad.InvalidArgument, (actgrad.ActgradError, ValueError), 161002),
        (actgrad.InvalidDtype, (actgrad.InvalidArgument, TypeError), 161002),
        (actgrad.InvalidCall, (actgrad.InvalidArgument, TypeError), 161002),
        (actgrad.UnsupportedOnProduct, (actgrad.ActgradError,), 561103),
        (actgrad.BackendUnavailable, (actgrad.ActgradError, ImportError), 561003),
    ]:
        assert error.status == status
        assert all(issubclass(error, base) for base in bases)
