"""Lookups of formulas' values in a table for all half-precision numbers; see half_tables.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.ir as ir

from .emitter import Emitter, Vector
from .ir_types import I16, I32, I64
from .lookup_buffer import LookupBuffer


class FormulaTable:
    """A table of one or two columns for formulas.

    It holds floats, or pairs of the values of a function and its derivative.

    The lookup buffer gets the values lane by lane, before the loop computes with the values.
    """

    def __init__(self, emitter: Emitter, table: ir.Value, columns: int, buffer: LookupBuffer):
        self.emitter = emitter
        self.table = table
        self.columns = columns
        self.buffer = buffer

    def formula(self, column: int) -> Callable[..., Vector]:
        """A function of a loaded vector x and attributes, which replaces a formula."""

        def looked_up(x: Vector, *attributes: Any) -> Vector:
            results = self.buffer.results
            if x.value not in results:
                results[x.value] = self._values(x)
            value: Vector = results[x.value][column]
            return value

        return looked_up

    def _values(self, x: Vector) -> tuple[Vector, ...]:
        function, emitter, columns = self.emitter.builder, self.emitter, self.columns
        words, size, type_ = self.buffer.next_words(columns), 4 * columns, I64 if columns == 2 else I32
        if self.buffer.is_recording:
            for lane, number in enumerate(self._numbers(x)):
                value = function.load(function.at(self.table, function.mul(number, I64(size))), typ=type_, align=size)
                function.store(value, function.at(words, size * lane), align=size)
            return columns * (x,)
        vector = emitter.vector_type(emitter.element)
        pointers = [function.at(words, 4 * emitter.lanes * k) for k in range(columns)]
        parts = [function.load(pointer, typ=vector, align=4 * emitter.lanes) for pointer in pointers]
        return self._unzipped(*parts) if columns == 2 else (Vector(emitter, parts[0]),)

    def _numbers(self, x: Vector) -> list[ir.Value]:
        """The half-precision number in each lane, as an integer."""
        function, lanes = self.emitter.builder, range(self.emitter.lanes)
        if x.facts.lanes:
            first, distance = x.facts.lanes
            halves = [function.load(function.at(first, distance * k), typ=I16, align=1) for k in lanes]
        else:
            halves = [function.extract_element(x.facts.raw, I32(k)) for k in lanes]
        return [function.zext(half, I64) for half in halves]

    def _unzipped(self, a: ir.Value, b: ir.Value) -> tuple[Vector, Vector]:
        """Two vectors of pairs, one after the other: the first numbers of all pairs, and the second numbers."""
        emitter = self.emitter
        firsts, seconds = (emitter.builder.shuffle(a, b, range(k, 2 * emitter.lanes, 2)) for k in (0, 1))
        return Vector(emitter, firsts), Vector(emitter, seconds)
