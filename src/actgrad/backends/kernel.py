"""The kernel, a backend's form of a computation, and the entries of calls that go straight to one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from ..arrays import View


class Way(NamedTuple):
    """What calls are like that passed all checks, and may go straight to their kernels."""

    kind: type  # of the first tensor
    names: tuple[str, ...]  # of the attributes given, in the caller's order
    values: tuple[Any, ...]  # of the same, of plain types
    entries: tuple[bytes, ...]  # metadata of arrays, each with its kernel, in the backend's form; latest first
    empty_like: Callable[[Any], Any] | None  # allocates the one result; None where that takes more thought
    note_written: Callable[[Any], None] | None  # to be told of a tuple of results that were given
    alike: int  # which of the tensors the result is like
    results: int


class Shortcut(NamedTuple):
    """A short way to a kernel.

    `door(long_way, ways, selected)` makes a function that is called as an operator is: a call that is like one of the
    `Way`s in the first item of the list `ways`, down to an entry, runs its kernel; any other one, and all while the
    context variable `selected` is not None, go to `long_way`.
    """

    door: Callable[..., Callable[..., Any]]
    entry: bytes


class Kernel(Protocol):
    """A computation that a backend can run."""

    @property
    def run(self) -> Callable[..., object]:
        """Computes, given the outputs' and then the inputs' addresses."""

    @property
    def machine_code(self) -> tuple[int, int] | None:
        """Where a C function `run(block, addresses)` and the block of this computation lie; None where there is none.

        Neither needs the interpreter; they are there as long as the kernel is.
        """

    def shortcut(self, outputs: Sequence[View], inputs: Sequence[View | None]) -> Shortcut | None:
        """A short way for calls like this one, which was checked; None where there is none."""

    def __str__(self) -> str: ...
