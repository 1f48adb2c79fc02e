"""A plan: a checked call, ready to run. aclnn names it executor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from . import interception
from .arrays import View
from .errors import InvalidCall
from .loop import Loop, Meta


@dataclass(frozen=True)
class Computation:
    """What a kernel computes and where, without the data: all that a backend is told."""

    element: Callable[..., Any]  # of layouts.py: (formulas..., inputs..., attributes...) -> outputs
    formulas: tuple[Callable[..., Any], ...]
    scalars: tuple[float, ...]
    compute: str  # dtype of the arithmetic
    loop: Loop
    device: str = "cpu"  # whose memory it is, as "cuda:0"


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
    """What a backend makes of a computation."""

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


class Prepared(NamedTuple):
    """A checked call without its data."""

    computation: Computation
    backend: str
    kernel: Kernel
    results: tuple[Meta, ...]  # of the outputs, those to be allocated included
    extents: tuple[tuple[int, int], ...]  # of outputs, then inputs: first byte and end, from the address


@dataclass(eq=False, slots=True)  # not frozen: that would double what it costs to make one
class Plan:
    """A checked call, ready to run: `run()` only computes. It keeps its arrays alive; print it to see what it does."""

    operator: str
    attributes: dict[str, Any]
    prepared: Prepared
    outputs: Sequence[View] = field(repr=False)
    inputs: Sequence[View | None] = field(repr=False)
    addresses: tuple[int, ...] = field(repr=False)
    result: Any = field(repr=False)
    note_written: Callable[[], object] | None = field(repr=False)

    def __copy__(self) -> Plan:
        return self

    def __reduce_ex__(self, _: Any) -> Any:
        raise InvalidCall(
            f"{self.operator}: a plan cannot be pickled or copied deeply, for it is bound to the memory of its arrays; "
            f"call {self.operator}.plan with the arrays that the copy is for"
        )

    @property
    def workspace_size(self) -> int:
        """Bytes of scratch memory that a caller must provide: the kernels do without."""
        return 0

    @property
    def computation(self) -> Computation:
        return self.prepared.computation

    @property
    def backend(self) -> str:
        return self.prepared.backend

    @property
    def kernel(self) -> Kernel:
        return self.prepared.kernel

    def run(self) -> Any:
        """Compute into the outputs and return them; may be called again after the inputs changed."""
        if self.note_written is not None and interception.may_be_active():  # PyTorch's tensors
            interception.refuse(f"{self.operator}: plan.run() is called", "call the operator itself")
        self.prepared.kernel.run(*self.addresses)
        if self.note_written is not None:
            self.note_written()
        return self.result

    def __str__(self) -> str:
        attributes = ", ".join(f"{name}={value!r}" for name, value in self.attributes.items())
        return (
            f"{self.operator}({attributes})\n"
            f"  loop     {self.computation.loop}, computed in {self.computation.compute}\n"
            f"  backend  {self.backend}: {self.kernel}"
        )
