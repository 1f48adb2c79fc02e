"""The words of operators' formulas: functions that they call, constants that they name, their callees' included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType
from typing import Any

from ..base import xp
from ..calls.operator import Operator


@cache
def constants(formula: Callable[..., Any]) -> Mapping[str, float]:
    """The numbers that a formula knows by name."""
    found: dict[str, float] = {}
    for callee in _callees(formula):
        found |= constants(callee)
    scope = formula.__globals__
    return found | {n: scope[n] for n in _names(formula) if isinstance(scope.get(n), (int, float))}


def of_operator(operator: Operator) -> frozenset[str]:
    """The functions that any formula of an operator calls, those of its forward pass included."""
    found: frozenset[str] = frozenset()
    for one in filter(None, (operator, operator.gradient_of)):
        formulas = one.formula.values() if isinstance(one.formula, Mapping) else [one.formula]
        found = found.union(*map(xp.functions_of, formulas))
    return found


def _names(formula: Callable[..., Any]) -> tuple[str, ...]:
    return formula.__code__.co_names


def _callees(formula: Callable[..., Any]) -> list[Callable[..., Any]]:
    scope = formula.__globals__
    named = (scope.get(name) for name in _names(formula) if name not in xp.FUNCTIONS)
    return [f for f in named if isinstance(f, FunctionType)]
