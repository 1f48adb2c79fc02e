"""The processor's floating-point environment. A kernel runs in the default one, even if the caller has set another one.

Each thread has a separate environment. Its part of a call saves the environment, sets the default and restores it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .ir_builder import IRFunction
from .ir_types import I32, I64, VOID
from .target import Target

_MXCSR_DEFAULT = 0x1F80  # x86: all exceptions masked, round to nearest, no flushing of subnormal numbers
_FPCR_DEFAULT = 0  # AArch64: the same


@contextmanager
def default_environment(f: IRFunction, target: Target) -> Iterator[None]:
    """A context for code that runs in the default environment. Its end restores the saved environment and flags."""
    if target.triple.startswith("x86_64"):
        saved, default = f.stack_words(1, "saved"), f.stack_words(1, "default_environment")
        f.store(I32(_MXCSR_DEFAULT), default)
        f.call_by_name("llvm.x86.sse.stmxcsr", VOID, saved)
        f.call_by_name("llvm.x86.sse.ldmxcsr", VOID, default)
        yield
        f.call_by_name("llvm.x86.sse.ldmxcsr", VOID, saved)
    else:
        saved = f.call_by_name("llvm.aarch64.get.fpcr", I64)
        f.call_by_name("llvm.aarch64.set.fpcr", VOID, I64(_FPCR_DEFAULT))
        yield
        f.call_by_name("llvm.aarch64.set.fpcr", VOID, saved)
