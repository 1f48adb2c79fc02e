"""The protocol of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..base.computation import Computation


class BackendKernel(Protocol):
    """A computation in a form that a backend runs, on any memory."""

    @property
    def run(self) -> Callable[..., object]:
        """A function that computes. Its arguments are the addresses of the outputs and then of the inputs."""

    @property
    def machine_code(self) -> tuple[int, int] | None:
        """The addresses of a C function `run(block, addresses)` and of this computation's block, or None.

        Both live as long as the kernel, and the function needs no interpreter. It returns 0 if memory is missing.
        """

    @property
    def with_scalars(self) -> Callable[[Computation], BackendKernel | None] | None:
        """A function that makes the kernel of a computation with other scalars.

        It may be None, and so may its result.
        """

    @property
    def with_size(self) -> Callable[[int], BackendKernel | None] | None:
        """A function that makes the kernel for another number of elements, if all operands are contiguous.

        It may be None, and so may its result.
        """

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
