"""Surroundings that a call may find itself in: a changed floating-point environment, or a thread with little stack."""

from __future__ import annotations

import contextvars
import ctypes
import platform
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

SMALL_STACK = 64 << 10  # bytes
_C = ctypes.CDLL(None)
_IS_X86 = platform.machine() in ("x86_64", "AMD64")
# <fenv.h>'s numbers
_ROUNDINGS = {"up": (0x800, 1 << 22), "down": (0x400, 2 << 22), "zero": (0xC00, 3 << 22)}  # x86's, AArch64's
ROUNDINGS = {name: numbers[0 if _IS_X86 else 1] for name, numbers in _ROUNDINGS.items()}
_FLUSHING = (28, 0x8040) if _IS_X86 else (0, 1 << 24)  # where in fenv_t, and the bits: FTZ and DAZ, or FPCR's FZ


@contextmanager
def environment(name: str) -> Iterator[None]:
    """A context in which this thread rounds "up", "down" or to "zero", or is "flushing" subnormal numbers to zero."""
    before = ctypes.create_string_buffer(64)
    _C.fegetenv(before)
    if name == "flushing":
        offset, bits = _FLUSHING
        changed = ctypes.create_string_buffer(before.raw)
        ctypes.c_uint32.from_buffer(changed, offset).value |= bits
        _C.fesetenv(changed)
    else:
        _C.fesetround(ROUNDINGS[name])
    try:
        yield
    finally:
        _C.fesetenv(before)


def rounding() -> int:
    """This thread's rounding, <fenv.h>'s number."""
    return int(_C.fegetround())


def flags() -> int:
    """The exceptions that this thread has met, <fenv.h>'s bits."""
    return int(_C.fetestexcept(0x3D if _IS_X86 else 0x1F))


def clear_flags() -> None:
    _C.feclearexcept(0x3D if _IS_X86 else 0x1F)


def in_environment(name: str) -> Callable[[Callable[[], T]], T]:
    """What calls a function in that environment."""

    def call(work: Callable[[], T]) -> T:
        with environment(name):
            return work()

    return call


def on_small_stack(work: Callable[[], T]) -> T:
    """The result of `work`, or its exception, on a thread with 64 KiB of stack."""
    results: list[T] = []
    errors: list[BaseException] = []

    context = contextvars.copy_context()  # the product and the rules that were chosen

    def target() -> None:
        try:
            results.append(context.run(work))
        except BaseException as error:
            errors.append(error)

    before = threading.stack_size(SMALL_STACK)
    try:
        thread = threading.Thread(target=target)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join(60)
    assert not thread.is_alive()
    if errors:
        raise errors[0]
    return results[0]


def as_it_is(work: Callable[[], T]) -> T:
    return work()


SURROUNDINGS: dict[str, Callable[[Callable[[], Any]], Any]] = {
    "as it is": as_it_is,
    "flushing": in_environment("flushing"),
    "rounding up": in_environment("up"),
    "small stack": on_small_stack,
}
