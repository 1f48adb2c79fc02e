"""Numbers of a call, and comparisons of them, as objects that a row of the table states.

`arg("self").rank == 2` compares the number of dimensions of `self` with 2, and `between(0, arg("reduction"), 2)` a
parameter with two bounds. A comparison holds if a call lacks one of its arguments.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from ....base.loop import TensorMeta
from ....checks.check import Call
from ...rules.rule import scalar_dtypes
from ...rules.scalars import to_float
from .row import CATEGORIES


class Relation(NamedTuple):
    """A statement on numbers of a call."""

    text: str
    terms: tuple[Term, ...]
    compare: Callable[..., bool]

    def holds(self, call: Call) -> bool:
        """Whether the call keeps it."""
        values = [term.read(call) for term in self.terms]
        return any(value is None for value in values) or self.compare(*values)


class Term:
    """A number of a call. `read` returns None if the call has no such number."""

    def __init__(self, text: str, names: tuple[str, ...], read: Callable[[Call], Any]):
        self.text, self.names, self.read = text, names, read

    __hash__ = None  # type: ignore[assignment] # == makes a comparison

    def __add__(self, other: Any) -> Term:
        """The sum of two numbers."""
        other = _term(other)

        def read(call: Call) -> Any:
            values = self.read(call), other.read(call)
            return None if None in values else values[0] + values[1]

        return Term(f"{self.text} + {other.text}", self.names + other.names, read)

    def _compared(self, sign: str, compare: Callable[[Any, Any], bool], other: Any) -> Relation:
        other = _term(other)
        return Relation(f"{self.text} {sign} {other.text}", (self, other), compare)

    def __eq__(self, other: Any) -> Relation:  # type: ignore[override]
        return self._compared("==", operator.eq, other)

    def __ne__(self, other: Any) -> Relation:  # type: ignore[override]
        return self._compared("!=", operator.ne, other)

    def __lt__(self, other: Any) -> Relation:
        return self._compared("<", operator.lt, other)

    def __le__(self, other: Any) -> Relation:
        return self._compared("<=", operator.le, other)

    def __gt__(self, other: Any) -> Relation:
        return self._compared(">", operator.gt, other)

    def __ge__(self, other: Any) -> Relation:
        return self._compared(">=", operator.ge, other)

    def is_multiple_of(self, other: Any) -> Relation:
        """A multiple of another number. The comparison holds if that is 0, because other checks refuse 0."""
        return self._compared("is a multiple of", lambda a, b: b == 0 or a % b == 0, other)


class arg(Term):
    """An argument by its name: the number that it is, and as attributes the numbers that it has."""

    def __init__(self, name: str):
        super().__init__(name, (name,), lambda call: call.attributes.get(name))
        self.name = name

    def _count(self, text: str, of_tensor: Callable[[TensorMeta], int | None]) -> Term:
        """A number of a tensor, or the length of a list or an array."""

        def read(call: Call) -> Any:
            value = call.tensors.get(self.name, call.attributes.get(self.name))
            return of_tensor(value) if isinstance(value, TensorMeta) else None if value is None else len(value)

        return Term(text, (self.name,), read)

    def __getitem__(self, position: int | str) -> Term:
        """The size of a tensor in a dimension, or an entry of an array. `position` may be the name of a parameter."""

        def read(call: Call) -> Any:
            value = call.tensors.get(self.name, call.attributes.get(self.name))
            if value is None:
                return None
            index = call.attributes[position] if isinstance(position, str) else position
            sizes: Any = value
            if isinstance(value, TensorMeta):
                sizes = value.shape or ((1,) if isinstance(position, str) else ())
            return sizes[index] if -len(sizes) <= index < len(sizes) else None

        return Term(f"{self.name}[{position}]", (self.name,), read)

    @property
    def rank(self) -> Term:
        """The number of dimensions."""
        return self._count(f"the rank of {self.name}", lambda meta: len(meta.shape))

    @property
    def count(self) -> Term:
        """The number of elements."""
        return self._count(f"the number of elements of {self.name}", lambda meta: meta.size)

    @property
    def length(self) -> Term:
        """The length of a list or an array."""
        return self._count(f"the length of {self.name}", lambda meta: None)

    @property
    def mask_bytes(self) -> Term:
        """The bytes of a tensor's dropout mask: 16 for each 128 elements."""
        return self._count(f"the bytes of {self.name}'s mask", lambda meta: (meta.size + 127) // 128 * 16)

    @property
    def rows(self) -> Term:
        """The number of rows."""
        return self._count(
            f"the number of rows of {self.name}",
            lambda meta: meta.size // meta.shape[-1] if meta.shape and meta.shape[-1] else None,
        )

    @property
    def category(self) -> Term:
        """The rank of the dtype in promotion: 0 for BOOL, 1 for integers, 2 for floats, 3 for complex numbers."""

        def read(call: Call) -> Any:
            if self.name in scalar_dtypes(call):
                return CATEGORIES[scalar_dtypes(call)[self.name].kind]
            value = call.tensors.get(self.name)
            return None if value is None else CATEGORIES[value.dtype.kind]

        return Term(f"the category of {self.name}'s dtype", (self.name,), read)

    @property
    def in_float32(self) -> Term:
        """The number, converted to float32."""

        def read(call: Call) -> Any:
            value = call.attributes.get(self.name)
            return None if value is None else to_float(value)

        return Term(f"{self.name} in float32", (self.name,), read)


def _term(value: Any) -> Term:
    return value if isinstance(value, Term) else Term(str(value), (), lambda call: value)


def between(low: Any, number: Term, high: Any) -> Relation:
    """low <= number <= high"""
    terms = _term(low), number, _term(high)
    return Relation(" <= ".join(term.text for term in terms), terms, lambda a, b, c: a <= b <= c)


def all_equal(*numbers: Any) -> Relation:
    """The numbers are equal."""
    terms = tuple(map(_term, numbers))
    return Relation(" == ".join(term.text for term in terms), terms, lambda *values: len({*values}) == 1)
