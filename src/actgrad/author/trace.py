"""Numbers without values. A formula is called on them to find its mistakes before a backend compiles it.

They allow only the operations that the numbers of every backend allow. NumPy also allows powers, indices and products
with a comparison, and would not find these mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from ..base import xp
from ..base.errors import InvalidOperator, quote

ALLOWED = "a formula may use + - * /, comparisons, & and | between them, and the functions of actgrad.xp"


class TracedNumber:
    """A number in a formula, without a value."""

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ()

    def combine(self, other: Any) -> TracedNumber:
        """The result of an operation with another number."""
        _number(other)
        return self

    def compare(self, other: Any) -> TracedCondition:
        """The result of a comparison with another number."""
        _number(other)
        return TracedCondition()

    def __neg__(self) -> TracedNumber:
        return self

    def __bool__(self) -> bool:
        raise InvalidOperator("it cannot branch on a value; use where(condition, x, y)")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = combine
    __gt__ = __ge__ = __lt__ = __le__ = __eq__ = __ne__ = compare  # type: ignore[assignment]


class TracedCondition:
    """The result of a comparison, without a value."""

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ()

    def join(self, other: Any) -> TracedCondition:
        """The result of `and` or `or` with another condition."""
        return _condition(other)

    def __bool__(self) -> bool:
        raise InvalidOperator("it cannot branch on a value; use where(condition, x, y), & for `and`, | for `or`")

    __and__ = __rand__ = __or__ = __ror__ = join

    def __invert__(self) -> TracedCondition:
        return self


def _number(value: Any) -> TracedNumber:
    """A TracedNumber, if `value` is a number that a formula may use. Otherwise an error."""
    if isinstance(value, TracedCondition):
        raise InvalidOperator("it computes with a comparison; write where(condition, 1.0, 0.0)")
    if not isinstance(value, (TracedNumber, int, float)):
        raise InvalidOperator(f"it computes with {quote(value)}, which is not a number; {ALLOWED}")
    return TracedNumber()


def _condition(value: Any) -> TracedCondition:
    if not isinstance(value, (TracedCondition, bool)):
        raise InvalidOperator("it takes a number for a comparison; write x > 0, not x")
    return TracedCondition()


def _where(condition: Any, x: Any, y: Any) -> TracedNumber:
    _condition(condition)
    _number(x)
    return _number(y)


def _call(name: str, *arguments: Any) -> TracedNumber:
    """A call of the function `name` of `xp`."""
    expected = xp.arity(name)
    if len(arguments) != expected:
        raise InvalidOperator(f"it calls {name} with {len(arguments)} arguments; {name} takes {expected}")
    for argument in arguments:
        _number(argument)
    constants = arguments[1:3] if name in xp.WITH_CONSTANTS else ()
    if not all(isinstance(constant, (int, float)) for constant in constants):
        raise InvalidOperator(f"it calls {name} with numbers that vary; the second and the third must be constants")
    return TracedNumber()


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    name: _where if name == "where" else partial(_call, name) for name in xp.NAMES
}


@cache
def result(formula: Callable[..., Any], count: int) -> Any:
    """The value that a formula with `count` arguments returns: a TracedNumber, TracedCondition or constant, or a tuple.

    Raises InvalidOperator for operations that a formula must not use. The message does not name the formula.
    """
    bound = xp.bind(formula, FUNCTIONS)
    try:
        result = bound(*[TracedNumber()] * count)
    except InvalidOperator:
        raise
    except Exception as error:  # a formula may raise any exception
        reason = str(error).replace("TracedNumber", "number").replace("TracedCondition", "comparison")
        raise InvalidOperator(f"it cannot be computed: {type(error).__name__}: {reason}; {ALLOWED}") from error
    return result


def fault_of_result(
    formula: Callable[..., Any], count: int, names: Sequence[str], is_several: bool = False
) -> str | None:
    """The mistake in the result of a formula, or None.

    A formula must return one number. With `is_several`, it must return a tuple with a number for each of `names`.
    """
    where_ = f"formula {formula.__name__}"
    try:
        returned = result(formula, count)
    except InvalidOperator as error:
        text = str(error)
        return text if text.startswith("formula ") else f"{where_} ({formula.__module__}): {text}"
    must = f"it must return {'a tuple of ' if is_several else ''}{len(names)} ({', '.join(names) or 'none'})"
    values = returned if isinstance(returned, tuple) else (returned,)
    if isinstance(returned, tuple) is not is_several or len(values) != len(names):
        number = f"{len(values)} values" if isinstance(returned, tuple) else "1 value"
        return f"{where_} returns {'nothing' if returned is None else number}; {must}"
    for value in values:
        if isinstance(value, TracedCondition):
            return f"{where_} returns a comparison; write where(condition, 1.0, 0.0)"
        if not isinstance(value, (TracedNumber, int, float)):
            return f"{where_} returns {'nothing' if value is None else quote(value)}; {must}"
    return None
