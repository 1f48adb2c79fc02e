"""The processor's floating-point environment: in a kernel the default one, not its caller's.

Each thread has its own environment. Each thread's part of a call saves it, sets the default one and restores it.
"""

from __future__ import annotations

import llvmlite.ir as ir

from .ir_builder import IRFunction, external
from .ir_types import I32, I64, PTR, VOID
from .target import Target

_MXCSR_DEFAULT = 0x1F80  # x86: all exceptions masked, round to nearest, no flushing of subnormal numbers
_FPCR_DEFAULT = 0  # AArch64: the same


class Environment:
    """The environment at the beginning of a function, and the default one until `restore`."""

    def __init__(self, function: IRFunction, target: Target):
        self.function = function
        self.is_x86 = target.triple.startswith("x86_64")
        self.saved: ir.Value
        if self.is_x86:
            self.saved, default = function.stack_words(1, "saved"), function.stack_words(1, "default_environment")
            function.store(I32(_MXCSR_DEFAULT), default)
            self._mxcsr("stmxcsr", self.saved)
            self._mxcsr("ldmxcsr", default)
        else:
            self.saved = function.call(external(function.module, "llvm.aarch64.get.fpcr", I64), [])
            self._set_fpcr(I64(_FPCR_DEFAULT))

    def restore(self) -> None:
        """Set the saved environment, with its exception flags."""
        if self.is_x86:
            self._mxcsr("ldmxcsr", self.saved)
        else:
            self._set_fpcr(self.saved)

    def _mxcsr(self, instruction: str, word: ir.Value) -> None:
        self.function.call(external(self.function.module, f"llvm.x86.sse.{instruction}", VOID, PTR), [word])

    def _set_fpcr(self, value: ir.Value) -> None:
        self.function.call(external(self.function.module, "llvm.aarch64.set.fpcr", VOID, I64), [value])
