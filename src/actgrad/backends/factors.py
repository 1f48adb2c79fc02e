"""The attributes by which a formula multiplies or divides.

If such a number is very large or very small, the results may be ordinary numbers although a step on the way to them
overflows or vanishes: in `alpha * expm1(x / alpha)`, for example, x / alpha vanishes. The reference backend computes
such a call, because its arithmetic has a wider range than the tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from ..base import xp


@cache
def find(formula: Callable[..., Any], count: int) -> frozenset[int]:
    """The indices, among the last `count` arguments of a formula, of factors and divisors.

    The set is empty for a formula without exp and its relatives, because a product rounds once.
    """
    if not xp.functions_of(formula) - _EXACT.keys():
        return frozenset()
    found: set[int] = set()
    others = formula.__code__.co_argcount - count
    arguments = [*(_Value(found) for _ in range(others)), *(_Value(found, {k}) for k in range(count))]
    functions = {name: _EXACT.get(name, lambda *given: _multiplied(found, given)) for name in xp.NAMES}
    xp.bind(formula, functions)(*arguments)
    return frozenset(found)


class _Value:
    """A number in a formula. `places` are the attributes of which it is the product."""

    def __init__(self, found: set[int], places: Iterable[int] = ()):
        self.found, self.places = found, frozenset(places)

    def _times(self, other: Any) -> _Value:
        return _multiplied(self.found, (self, other))

    def _plain(self, other: Any = None) -> _Value:
        """A sum or a comparison is no product of attributes."""
        return _Value(self.found)

    def __neg__(self) -> _Value:
        return self

    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _times
    __add__ = __radd__ = __sub__ = __rsub__ = _plain
    __lt__ = __le__ = __gt__ = __ge__ = _plain
    __and__ = __or__ = __invert__ = _plain
    __eq__ = __ne__ = _plain  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


def _multiplied(found: set[int], given: Sequence[Any]) -> _Value:
    places = frozenset().union(*(value.places for value in given if isinstance(value, _Value)))
    found |= places
    return _Value(found, places if all(not isinstance(v, _Value) or v.places for v in given) else ())


def _choice(*given: Any) -> Any:
    """The value of where, minimum and their like: a limit is not a factor."""
    return next((_Value(value.found) for value in given if isinstance(value, _Value)), 0.0)


#: The functions that round at most once, whatever the sizes of their arguments are.
_EXACT: dict[str, Callable[..., Any]] = dict.fromkeys(("where", "abs", "minimum", "maximum", "conjugate"), _choice)
