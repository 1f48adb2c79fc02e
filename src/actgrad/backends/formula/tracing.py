"""What backends share that trace a formula: the operators of its numbers, and what its names stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base import xp
from ...base.errors import InvalidOperator
from . import accurate, coefficients, primitives

_NO_BRANCH = "a formula cannot branch on a value; use where(condition, x, y)"


def functions(implementation: Any, is_double: bool) -> dict[str, Callable[..., Any]]:
    """What the names of xp.py stand for, by way of the accurate functions; the primitives are the methods given.

    A backend has the constants of its `piecewise` in `tables`. One without has none there, and None for it and for
    `where_rare`, which is used beside it only.
    """
    named = {name: getattr(implementation, name) for name in primitives.NAMES}
    named |= coefficients.FLOAT64 if is_double else coefficients.FLOAT32
    named |= implementation.tables
    return {name: named.get(name) or xp.bind(getattr(accurate, name), named) for name in xp.NAMES}


class Number:
    """A number of a formula that is being traced. A backend's own says in `_binary` and `_compare` what is emitted."""

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ()

    def _binary(self, sign: str, x: Any, y: Any) -> Any:
        raise NotImplementedError

    def _compare(self, sign: str, other: Any) -> Any:
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return self._binary("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return self._binary("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return self._binary("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._binary("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return self._binary("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._binary("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._binary("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._binary("/", other, self)

    def __gt__(self, other: Any) -> Any:
        return self._compare(">", other)

    def __ge__(self, other: Any) -> Any:
        return self._compare(">=", other)

    def __lt__(self, other: Any) -> Any:
        return self._compare("<", other)

    def __le__(self, other: Any) -> Any:
        return self._compare("<=", other)

    def __eq__(self, other: Any) -> Any:
        return self._compare("==", other)

    def __ne__(self, other: Any) -> Any:
        return self._compare("!=", other)

    def __bool__(self) -> bool:
        raise InvalidOperator(_NO_BRANCH)


class Condition:
    """The truth of a comparison in a formula that is being traced, which is not known then."""

    __slots__ = ()

    def __bool__(self) -> bool:
        raise InvalidOperator(_NO_BRANCH)
