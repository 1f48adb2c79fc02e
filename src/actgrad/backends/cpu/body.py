"""The body of an inner loop: the formulas of a specification, computed for vectors that were loaded."""

from __future__ import annotations

from functools import partial, reduce

import llvmlite.ir as ir

from ...base import xp
from . import piecewise
from .emitter import Emitter, Mask, Uniform, Vector
from .formula_table import FormulaTable
from .ir_builder import IRFunction
from .ir_types import DOUBLE, I64, PTR
from .kernel_spec import KernelSpec
from .lookup_buffer import LookupBuffer
from .vector_primitives import VectorPrimitives

#: Functions that use piecewise polynomials, on targets that have the tables.
PIECEWISE = frozenset(
    {"normal_cdf", "normal_cdf_times", "normal_pdf", "normal_pdf_times", "sigmoid_cubic", "sigmoid_cubic_times"}
)
MANY = 8  # operands. A vector of more operands has enough independent operations
#: The inputs of a vector, and the number of its first element in a block of the lookup buffer.
Inputs = tuple[list[Vector], ir.Value]


class LoopBody:
    """Computes vectors of results. Decides which tables a formula uses: no tables if `buffer_words` is None."""

    def __init__(self, emitter: Emitter, spec: KernelSpec, scalars: ir.Value, buffer_words: int | None):
        self.emitter = emitter
        self.function: IRFunction = emitter.builder
        self.spec = spec
        self.length = 0  # instructions of the formulas for a vector, before LLVM optimises them
        function, tuning = self.function, emitter.target.tuning
        self.scalars = [
            Uniform(emitter, ir.Constant(DOUBLE, 1.0) if spec.scalars_are_one else function.word(scalars, k, DOUBLE))
            for k in range(spec.scalars)
        ]
        table = function.word(scalars, spec.scalars, PTR) if spec.has_table else None
        size = (buffer_words or 0) * LookupBuffer.BLOCK // 2
        self.buffer = LookupBuffer(function, function.stack_words(size, "lookups") if buffer_words else None)
        kind = "" if spec.has_table or emitter.is_double or buffer_words is None else tuning.piecewise
        self.uses_buffer = spec.has_table or kind == "memory"
        has_pieces = bool(kind) and any(xp.functions_of(formula) & PIECEWISE for formula in spec.formulas)
        self.unroll = (tuning.unroll_pieces if has_pieces else None) or tuning.unroll
        if len(spec.dtypes) > MANY:
            self.unroll = max(1, 4 // emitter.lanes)  # a streaming store writes at least a word of bytes
        is_short = tuning.short and not emitter.is_double and all(dtype.itemsize == 2 for dtype in spec.outputs)
        self.primitives = VectorPrimitives(emitter, piecewise.choose(kind, self.buffer), is_short)
        if table is None:
            self.formulas = [xp.bind(formula, self.primitives.functions) for formula in spec.formulas]
        else:
            looked_up = FormulaTable(emitter, table, len(spec.formulas), self.buffer)
            self.formulas = [looked_up.formula(k) for k in range(len(spec.formulas))]

    @property
    def has_lookups(self) -> bool:
        """Whether the formulas have lookups."""
        return self.buffer.array is not None

    def compute(self, vectors: list[Inputs]) -> list[list[Vector]]:
        """The results of each vector. Call `record` first for vectors with lookups.

        The first computation leaves rare cases out. If any lane has such a case, a second computation repeats all
        vectors.
        """
        function, emitter = self.function, self.emitter
        begin = function.instruction_count
        with self.primitives.without_rare_cases() as conditions:
            results = function.interleave(self._traced, vectors, pinned=not self.has_lookups)
        self.length = (function.instruction_count - begin) // len(vectors)
        if not conditions:
            return results
        before, again, after = function.block, *map(function.append_basic_block, ("again", "after"))
        function.cbranch(emitter.any_lane(reduce(Mask.__or__, conditions)), again, after).set_weights([1, 1000])
        function.position_at_end(again)
        corrected = function.interleave(self._traced, vectors)
        again = function.block
        function.branch(after)
        function.position_at_end(after)
        return [
            [self._either(before, a, again, b) for a, b in zip(*both, strict=True)]
            for both in zip(results, corrected, strict=True)
        ]

    def record(self, vectors: list[Inputs]) -> None:
        """Record the lookups of these vectors.

        LLVM removes all other instructions of this trace, because nothing uses them.
        """
        with self.primitives.without_rare_cases():
            self.function.interleave(partial(self._traced, is_recording=True), vectors)

    def count_lookups(self, inputs: list[Vector]) -> int:
        """The number of words per element that `record` writes, for a function that the caller discards."""
        if not self.uses_buffer:
            return 0
        self.buffer.array = ir.Constant(PTR, None)
        self.record([(inputs, I64(0))])
        return self.buffer.words

    def _traced(self, vector: Inputs, is_recording: bool = False) -> list[Vector]:
        inputs, element = vector
        self.buffer.begin(element, is_recording)
        with xp.formula_errors(self.spec.formulas):
            results = self.spec.element(*self.formulas, *inputs, *self.scalars)
        return [self.emitter.vector(result) for result in results]

    def _either(self, before: ir.Block, a: Vector, again: ir.Block, b: Vector) -> Vector:
        value = self.function.phi(a.value.type)
        value.add_incoming(a.value, before)
        value.add_incoming(b.value, again)
        return Vector(self.emitter, value)
