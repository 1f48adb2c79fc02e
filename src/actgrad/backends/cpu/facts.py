"""Facts about the values of a formula, which shorten the code that is emitted for the formula.

A fact holds in every lane. This module has all rules that derive the facts of a value from the facts of other values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import llvmlite.ir as ir


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a vector, or of a mask."""

    never_positive: bool = False  # every lane is negative, zero or NaN
    never_negative: bool = False
    from_0_to_1: bool = False  # every lane is from 0 to 1, or NaN
    exponent: ir.Value | None = None  # for an integral n: integers whose last bits are the exponent field of 2**n
    raw: ir.Value | None = None  # for a loaded vector: its form in memory
    lanes: tuple[ir.Value, int] | None = None  # for a loaded vector: address of lane 0, bytes from lane to lane
    true_if_positive: ir.Value | None = None  # for a mask: a vector that is positive only if the mask is true


NO_FACTS = Facts()


def of(value: Any) -> Facts:
    """The facts of a vector, a mask or a number; an attribute has no facts."""
    if isinstance(value, int | float):
        return Facts(never_positive=value <= 0)
    facts: Facts = getattr(value, "facts", NO_FACTS)
    return facts


def of_selection(condition: Any, x: Any, y: Any, y_vector: ir.Value) -> Facts:
    """The facts of where(condition, x, y), where `y_vector` is the vector of y."""
    y_is_known = y_vector is of(condition).true_if_positive or of(y).never_positive
    return Facts(never_positive=of(x).never_positive and y_is_known)


def of_negation(x: Any) -> Facts:
    """The facts of -x."""
    return Facts(never_positive=of(x).never_negative, never_negative=of(x).never_positive)


def of_minimum(x: Any, y: Any) -> Facts:
    """The facts of minimum(x, y)."""
    return Facts(never_positive=of(x).never_positive or of(y).never_positive)


def of_maximum(x: Any, y: Any) -> Facts:
    """The facts of maximum(x, y)."""
    return Facts(never_positive=of(x).never_positive and of(y).never_positive)


def of_product(x: Any, factor: Any) -> Facts:
    """The facts of x * factor."""
    return Facts(never_positive=of(x).never_positive and isinstance(factor, float) and factor > 0.0)


def of_comparison(order: str, x: ir.Value, bound: Any) -> Facts:
    """The facts of a mask x > bound, or of another `order`.

    `bound` must be a number. A vector is not enough, even if it is never positive: a NaN makes the comparison false.
    """
    is_known = order in (">", ">=") and isinstance(bound, int | float) and bound <= 0
    return Facts(true_if_positive=x if is_known else None)
