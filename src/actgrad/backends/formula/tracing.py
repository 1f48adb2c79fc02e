"""Tracing a formula: running it with values that record its operations. Backends that emit code share this module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base import xp
from ...base.errors import InvalidOperator
from . import accurate, coefficients, primitives

_NO_BRANCH = "a formula cannot branch on a value; use where(condition, x, y)"


def functions(implementation: Any, is_double: bool) -> dict[str, Callable[..., Any]]:
    """The functions of `xp` by name: the accurate functions, bound to a backend's primitives.

    Args:
        implementation: an object with a method for each primitive, and `tables`, the constants of its `piecewise`. A
            backend without tables has {} there, and None for `piecewise` and `where_rare`.
        is_double: whether the compute dtype is float64, else float32.
    """
    named = {name: getattr(implementation, name) for name in primitives.NAMES}
    named |= coefficients.FLOAT64 if is_double else coefficients.FLOAT32
    named |= implementation.tables
    return {name: named.get(name) or xp.bind(getattr(accurate, name), named) for name in xp.NAMES}


class Number:
    """A number of a traced formula. A backend's subclass emits code in `_binary` and `_compare`."""

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
    """The truth value of a comparison in a traced formula, unknown until the code runs."""

    __slots__ = ()

    def __bool__(self) -> bool:
        raise InvalidOperator(_NO_BRANCH)
