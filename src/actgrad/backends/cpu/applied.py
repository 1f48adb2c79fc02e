"""A row's formulas, applied to vectors: with what is looked up for them, what is noted, and what seldom is needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING

import llvmlite.ir as ir

from ... import xp
from .flow import Function
from .irtypes import DOUBLE, I16, I32, I64, PTR
from .notes import Notes
from .pieces import FromMemory
from .vectors import Emitter, Mask, Uniform, Vector

if TYPE_CHECKING:
    from .rows import Row

#: The inputs of a vector, and the number of its first element in a block of notes.
Inputs = tuple[list[Vector], ir.Value]


class Applied:
    """The formulas of a row in one function."""

    def __init__(self, function: Function, emitter: Emitter, row: Row, scalars: ir.Value, notes: int):
        self.function = function
        self.emitter = emitter
        self.row = row
        self.scalars = [
            Uniform(emitter, ir.Constant(DOUBLE, 1.0) if row.scalars_are_one else function.word(scalars, k, DOUBLE))
            for k in range(row.scalars)
        ]
        self.raw: dict[ir.Value, ir.Value] = {}  # how a vector that was loaded lay in memory
        self.places: dict[ir.Value, tuple[ir.Value, int]] = {}  # where, and bytes from one lane to the next
        self.found: dict[ir.Value, tuple[Vector, ...]] = {}  # what was looked up for it
        if row.has_table:
            table = function.word(scalars, row.scalars, PTR)
            self.formulas = [self._looked_up(table, k) for k in range(len(row.formulas))]
        else:
            self.formulas = [xp.bind(f, emitter.functions) for f in row.formulas]
        self.length = 0  # instructions of the formulas for a vector, as LLVM is given them
        self.note_array = function.words(notes * Notes.BLOCK // 2, "notes") if notes else None
        self.notes: Notes | None = emitter.pieces if isinstance(emitter.pieces, FromMemory) else None
        if row.has_table:
            self.notes = Notes(emitter) if emitter.target.lookups == "noted" else None

    def compute(self, vectors: list[Inputs]) -> list[list[Vector]]:
        """The results of each vector, by what was noted of it, if anything was.

        Seldom cases are left out at first; where a lane has such a case, all is computed once more.
        """
        function, emitter = self.function, self.emitter
        begin = function.instruction_count
        with emitter.seldom_left_out() as conditions:
            results = function.in_turn(self._results, vectors, tied=self.note_array is None)
        self.length = (function.instruction_count - begin) // len(vectors)
        if not conditions:
            return results
        before, again, after = function.block, *map(function.append_basic_block, ("again", "after"))
        function.cbranch(emitter.any_lane(reduce(Mask.__or__, conditions)), again, after).set_weights([1, 1000])
        function.position_at_end(again)
        corrected = function.in_turn(self._results, vectors)
        again = function.block
        function.branch(after)
        function.position_at_end(after)
        return [
            [self._either(before, a, again, b) for a, b in zip(*both, strict=True)]
            for both in zip(results, corrected, strict=True)
        ]

    def note(self, vectors: list[Inputs]) -> None:
        """Note what `compute` needs of these vectors; what else is emitted is not used."""
        with self.emitter.seldom_left_out():
            self.function.in_turn(self._noted, vectors)

    def words_noted(self, inputs: list[Vector]) -> int:
        """How many words of an element are noted; what is emitted here comes to nothing."""
        if self.notes is None:
            return 0
        self.note_array = ir.Constant(PTR, None)
        self.note([(inputs, I64(0))])
        return self.notes.words

    def _results(self, vector: Inputs) -> list[Vector]:
        inputs, element = vector
        if self.notes is not None:
            self.notes.pick_from(self.note_array, element)
        return self._traced(inputs)

    def _noted(self, vector: Inputs) -> None:
        inputs, element = vector
        assert self.notes is not None
        self.notes.note_in(self.note_array, element)
        self._traced(inputs)

    def _traced(self, inputs: list[Vector]) -> list[Vector]:
        self.found.clear()  # what was found in one block is not there in another
        if self.notes is not None:
            self.notes.begin()
        with xp.calling(self.row.formulas):
            results = self.row.element(*self.formulas, *inputs, *self.scalars)
        return [self.emitter.vector(result) for result in results]

    def _either(self, before: ir.Block, a: Vector, again: ir.Block, b: Vector) -> Vector:
        value = self.function.phi(a.value.type)
        value.add_incoming(a.value, before)
        value.add_incoming(b.value, again)
        return Vector(self.emitter, value)

    def _looked_up(self, table: ir.Value, number: int) -> Callable[..., Vector]:
        """What stands for a formula of an input and attributes: its values in a table, of pairs for two formulas."""

        def formula(x: Vector, *attributes: Uniform) -> Vector:
            if x.value not in self.found:
                self.found[x.value] = self._values(table, x)
            return self.found[x.value][number]

        return formula

    def _values(self, table: ir.Value, x: Vector) -> tuple[Vector, ...]:
        """Each formula's values: where the processor cannot gather them, one by one, and noted."""
        function, emitter, columns = self.function, self.emitter, len(self.row.formulas)
        if self.notes is None:
            index = function.zext(self.raw[x.value], emitter.vector_type(I32))
            return emitter.gather_pairs(table, index) if columns == 2 else (emitter.gather(table, index),)
        notes, size, type_ = self.notes.room(columns), 4 * columns, I64 if columns == 2 else I32
        if self.notes.is_noting:
            for lane, number in enumerate(self._numbers(x)):
                value = function.load(function.at(table, function.mul(number, I64(size))), typ=type_, align=size)
                function.store(value, function.at(notes, size * lane), align=size)
            return columns * (x,)
        vector = emitter.vector_type(emitter.element)
        places = [function.at(notes, 4 * self.emitter.lanes * k) for k in range(columns)]
        parts = [function.load(place, typ=vector, align=4 * self.emitter.lanes) for place in places]
        return emitter.unzipped(*parts) if columns == 2 else (Vector(emitter, parts[0]),)

    def _numbers(self, x: Vector) -> list[ir.Value]:
        """The half-precision number in each lane, as an integer."""
        function = self.function
        if x.value in self.places:
            first, distance = self.places[x.value]
            halves = [
                function.load(function.at(first, distance * k), typ=I16, align=1) for k in range(self.emitter.lanes)
            ]
        else:
            halves = [function.extract_element(self.raw[x.value], I32(k)) for k in range(self.emitter.lanes)]
        return [function.zext(half, I64) for half in halves]
