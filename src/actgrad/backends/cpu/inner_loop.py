"""The inner loop: the formulas of a specification, on a row of elements that are consecutive in every operand.

    void row(char** operands, int64 n, double* scalars)      operands: outputs, then inputs

A kernel for large outputs has another function, `row_streaming`, whose stores bypass the caches. `row_streaming`
requires outputs that are aligned to 64 bytes; the driver adds a fence after its stores. An input may also be a single
element that is broadcast over the row.
"""

from __future__ import annotations

from collections.abc import Callable

import llvmlite.ir as ir

from .body import Inputs, LoopBody
from .emitter import Emitter, Vector
from .ir_builder import IRFunction
from .ir_types import I64, PTR
from .kernel_spec import KernelSpec
from .lookup_buffer import LookupBuffer
from .operands import Operands
from .remainder import remainder_of
from .target import LINE, Target

#: Instructions of a formula that prefetches. Shorter formulas wait for memory anyway; measured on AMD Zen 3.
PREFETCH_LENGTH = 16


def emit(module: ir.Module, spec: KernelSpec, target: Target) -> None:
    """Add the function `row` to `module`, and `row_streaming`, which uses streaming stores, if `spec` asks for it."""
    words = buffer_words(spec, target)
    plain = InnerLoop(module, "row", spec, target, words).emit_plain()
    if spec.streams:
        InnerLoop(module, "row_streaming", spec, target, words).emit_streaming(plain)


def buffer_words(spec: KernelSpec, target: Target) -> int:
    """The number of words per element in the lookup buffer, counted in a trial."""
    trial = InnerLoop(ir.Module(), "trial", spec, target, buffer_words=0)
    return trial.body.count_lookups(trial.operands.inputs_at(I64(0)))


class InnerLoop:
    """One function under construction."""

    def __init__(self, module: ir.Module, name: str, spec: KernelSpec, target: Target, buffer_words: int):
        self.function = IRFunction(module, name, (PTR, I64, PTR), public=True)
        self.tuning = target.tuning
        pointers, self.count, scalars = self.function.arguments
        emitter = Emitter(self.function, target, spec.compute)
        self.operands = Operands(emitter, spec, pointers)
        self.body = LoopBody(emitter, spec, scalars, buffer_words)
        self.lanes, self.step = emitter.lanes, emitter.lanes * self.body.unroll
        self.operands.load_broadcast()
        self.remainder = remainder_of(self.operands, self.body, self.count)

    def emit_plain(self) -> ir.Function:
        self.remainder.prepare(self.step)
        self.remainder.emit(self._main_loop(self.operands.store))
        return self.function.end()

    def emit_streaming(self, plain: ir.Function) -> None:
        """Compute whole steps with streaming stores; `plain` computes the rest."""
        function, operands = self.function, self.operands
        rest_pointers = function.stack_words(len(operands.rows), "rest")
        done = self._main_loop(operands.stream, self.tuning.prefetch_bytes)
        for k, row in enumerate(operands.rows):
            rest = row.pointer if row.is_broadcast else operands.pointer_to(row, done)
            function.store(rest, function.word_at(rest_pointers, k))
        function.call(plain, [rest_pointers, function.sub(self.count, done), function.arguments[2]])
        function.end()

    def _main_loop(self, store: Callable[[ir.Value, list[list[ir.Value]]], None], prefetch_bytes: int = 0) -> ir.Value:
        """Compute and `store` all whole steps. Returns the number of elements in these steps.

        Long formulas prefetch their inputs `prefetch_bytes` ahead. Formulas with lookups do not prefetch, because
        recording the lookups has just read the inputs.
        """
        function = self.function
        end = function.and_(self.count, I64(-self.step))
        if not self.body.has_lookups:
            with function.steps(I64(0), end, self.step) as i:
                store(i, self._computed_step(i, I64(0)))
                if prefetch_bytes and self.body.length >= PREFETCH_LENGTH:
                    self._prefetch(i, end, prefetch_bytes)
            return end
        with function.steps(I64(0), end, LookupBuffer.BLOCK) as first:
            last = function.minimum(function.add(first, I64(LookupBuffer.BLOCK)), end)
            with function.steps(first, last, self.step) as i:
                for group in self._groups(i, first):
                    self.body.record(group)
            with function.steps(first, last, self.step) as i:
                store(i, self._computed_step(i, first))
        return end

    def _prefetch(self, index: ir.Value, end: ir.Value, distance: int) -> None:
        """Prefetch the inputs of a later step. A processor that is busy with a long formula does not look as far ahead.

        Near the end, every step prefetches the address after the last step, which may be outside all memory.
        """
        function = self.function
        for row in self.operands.varying_inputs:
            element = function.minimum(function.add(index, I64(distance // row.dtype.itemsize)), end)
            for line in range(0, self.step * row.dtype.itemsize, LINE):
                function.prefetch(function.at(self.operands.pointer_to(row, element), line))

    def _computed_step(self, index: ir.Value, first: ir.Value) -> list[list[ir.Value]]:
        """The vectors of a step. Each has all outputs, in their storage dtypes. `first` begins the block of lookups."""
        return [vector for group in self._groups(index, first) for vector in self._narrowed(group)]

    def _groups(self, index: ir.Value, first: ir.Value) -> list[list[Inputs]]:
        """The vectors of a step, in groups to compute together. All loads precede the computation."""
        function = self.function
        vectors = [
            (inputs, function.add(function.sub(index, first), I64(k * self.lanes)))
            for k, inputs in enumerate(self._step_inputs(index))
        ]
        return [vectors] if self.tuning.interleave else [[vector] for vector in vectors]

    def _narrowed(self, group: list[Inputs]) -> list[list[ir.Value]]:
        """The results of a group of vectors, in the outputs' storage dtypes."""
        function, operands = self.function, self.operands
        results = self.body.compute(group)
        if operands.in_pairs:
            return function.interleave(operands.narrowed_pair, [*zip(results[::2], results[1::2], strict=True)])
        return function.interleave(operands.narrowed, results)

    def _step_inputs(self, index: ir.Value) -> list[list[Vector]]:
        """The inputs of each vector: consecutive elements, or the even and then the odd elements of two vectors."""
        indices = [self.function.add(index, I64(k * self.lanes)) for k in range(self.body.unroll)]
        if not self.operands.in_pairs:
            return [self.operands.inputs_at(index) for index in indices]
        return [vector for index in indices[::2] for vector in self.operands.pairs_at(index)]
