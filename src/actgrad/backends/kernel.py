"""A kernel: a computation as a backend runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..base.computation import Computation


class Kernel(Protocol):
    """A computation as a backend runs it, on any memory."""

    @property
    def run(self) -> Callable[..., object]:
        """Computes, given the outputs' and then the inputs' addresses."""

    @property
    def machine_code(self) -> tuple[int, int] | None:
        """The addresses of a C function `run(block, addresses)` and of this computation's block, or None without one.

        Both live as long as the kernel and need no interpreter. The function returns 0 where memory is missing.
        """

    @property
    def with_scalars(self) -> Callable[[Computation], Kernel | None] | None:
        """Makes the kernel of a computation that differs only in its scalars. It, or its result, may be None."""

    @property
    def with_size(self) -> Callable[[int], Kernel | None] | None:
        """Makes the kernel for another number of elements, all operands contiguous; it or its answer is None if not."""

    def __str__(self) -> str: ...


class EmptyKernel:
    """A computation on no elements."""

    machine_code = None
    with_scalars = None
    with_size = None

    def __str__(self) -> str:
        return "nothing to compute"

    def run(self, *addresses: int) -> None:
        """Do nothing."""
