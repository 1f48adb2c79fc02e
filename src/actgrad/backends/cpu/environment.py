"""The processor's floating-point environment: in a kernel the default one, whatever its caller has set.

Each thread has its own environment. Each thread's part of a call saves it, sets the default one and restores it.
"""

from __future__ import annotations

import llvmlite.ir as ir

from .flow import Function, external
from .irtypes import I32, I64, PTR, VOID
from .target import Target

_MXCSR_DEFAULT = 0x1F80  # x86: all exceptions masked, round to nearest, no flushing of subnormal numbers
_FPCR_DEFAULT = 0  # AArch64: the same


class Environment:
    """The environment that a function of machine code found when it began."""

    def __init__(self, function: Function, target: Target):
        self.function = function
        self.is_x86 = target.triple.startswith("x86_64")
        self.found: ir.Value
        if self.is_x86:
            self.found, default = function.words(1, "found"), function.words(1, "default_environment")
            function.store(I32(_MXCSR_DEFAULT), default)
            self._mxcsr("stmxcsr", self.found)
            self._mxcsr("ldmxcsr", default)
        else:
            self.found = function.call(external(function.module, "llvm.aarch64.get.fpcr", I64), [])
            self._set_fpcr(I64(_FPCR_DEFAULT))

    def restore(self) -> None:
        """Set the environment that was found, with its exception flags."""
        if self.is_x86:
            self._mxcsr("ldmxcsr", self.found)
        else:
            self._set_fpcr(self.found)

    def _mxcsr(self, instruction: str, word: ir.Value) -> None:
        self.function.call(external(self.function.module, f"llvm.x86.sse.{instruction}", VOID, PTR), [word])

    def _set_fpcr(self, value: ir.Value) -> None:
        self.function.call(external(self.function.module, "llvm.aarch64.set.fpcr", VOID, I64), [value])
