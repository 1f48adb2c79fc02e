"""The law in force: what judges a call instead of the operator's own checks. A wing puts one in force."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from ..base.definition import Definition


class LawInForce(Protocol):
    """What a call asks of the law that judges it. A law is hashable, because the keys of cached calls contain it."""

    @property
    def description(self) -> dict[str, str]:
        """The product and the set of rules, for reports."""

    @property
    def place(self) -> str:
        """Where the law applies, for messages, such as " on Ascend310P". It may be empty."""

    def dtypes(self, definition: Definition) -> tuple[str, ...]:
        """The dtypes that the inputs of an operator may have."""

    def checks(self, definition: Definition) -> tuple[Any, ...]:
        """The checks of a call, in order. They replace the operator's own checks."""

    def allows(self, definition: Definition, attributes: dict[str, Any]) -> bool:
        """Whether attributes keep the rules that the law has besides the operator's `requires`."""

    def formula(self, definition: Definition) -> Any:
        """The formula that replaces the operator's formula, or None."""

    def returns_early(self, call: Any) -> bool:
        """Whether the call returns before it computes, although its shapes may not match."""

    @property
    def rounds_scalars(self) -> bool:
        """Whether every scalar is rounded to float32, even where the arithmetic is in float64."""


#: What the wing that knows laws offers: a module with the functions of ascend/slots.py. None without the wing.
slots: Any = None
#: The law of this context. The fast path runs only while it is None.
in_force: ContextVar[LawInForce | None] = ContextVar("actgrad_law", default=None)
#: Returns the law that the environment of the process chooses. None if it chooses none.
of_environment: Callable[[], LawInForce | None] | None = None


def current() -> LawInForce | None:
    """The law of this context, otherwise the law that the environment chooses, or None."""
    law = in_force.get()
    return of_environment() if law is None and of_environment is not None else law


def is_any_in_force() -> bool:
    """Whether this context or the environment chooses a law."""
    return in_force.get() is not None or of_environment is not None


@contextmanager
def putting_in_force(law: LawInForce | None) -> Iterator[None]:
    """A context in which this law judges calls. None means the law that the environment chooses."""
    token = in_force.set(law)
    try:
        yield
    finally:
        in_force.reset(token)
