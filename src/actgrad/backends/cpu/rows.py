"""The innermost code: a formula applied to a row, a run of elements that lie one behind the other in every operand.

    void row(char** operands, int64 n, double* scalars)      operands: outputs, then inputs

Two functions per kernel: `row`, and `row_streaming`, whose stores bypass the caches (for outputs larger than these). It
wants every output aligned to 64 bytes, and the driver to fence its stores in the end. An operand may also be a single
element, spread over the row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import llvmlite.ir as ir

from ... import xp
from ...dtypes import Dtype
from . import storage
from .flow import Function
from .irtypes import DOUBLE, I16, I32, I64, PTR
from .notes import Notes
from .pieces import FromMemory
from .target import Target
from .vectors import Emitter, Mask, Uniform, Vector

UNROLL = 2  # vectors per step: their chains of operations overlap
STREAM_ALIGNMENT = 64


@dataclass(frozen=True)
class Row:
    """What a row function computes; two computations with equal rows share their machine code."""

    element: Callable[..., Any]
    formulas: tuple[Callable[..., Any], ...]
    scalars: int
    compute: str
    outputs: tuple[Dtype, ...]
    inputs: tuple[Dtype, ...]
    spread: tuple[bool, ...]  # per input: a single element for the whole row
    has_table: bool = False  # of the formulas' values, see lookup.py; its address follows the scalars
    scalars_are_one: bool = False  # each is 1.0, a constant that products do without; those in the block are not read


def emit(module: ir.Module, row: Row, target: Target) -> None:
    """Add `row` and `row_streaming` to `module`."""
    words = notes(row, target)
    plain = _RowFunction(module, "row", row, target, words)
    plain.body()
    _RowFunction(module, "row_streaming", row, target, words).streaming_body(plain.function.function_value)


def notes(row: Row, target: Target) -> int:
    """How many words of each element are noted before it is computed, see notes.py; found by trying."""
    return _RowFunction(ir.Module(), "trial", row, target, notes=0).words_noted()


class _RowFunction:
    def __init__(self, module: ir.Module, name: str, row: Row, target: Target, notes: int):
        self.row = row
        self.function = function = Function(module, name, (PTR, I64, PTR), public=True)
        self.emitter = emitter = Emitter(function, target, row.compute)
        self.lanes = emitter.lanes
        operands, self.count, scalars = function.arguments
        self.targets = [function.word(operands, k, PTR) for k in range(len(row.outputs))]
        self.sources = [function.word(operands, len(row.outputs) + k, PTR) for k in range(len(row.inputs))]
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
        self.constants = {
            k: self._spread(self.sources[k], dtype)
            for k, dtype in enumerate(row.inputs) if row.spread[k]
        }  # fmt: skip
        self.notes: Notes | None = emitter.pieces if isinstance(emitter.pieces, FromMemory) else None
        if row.has_table:
            self.notes = Notes(emitter) if target.lookups == "noted" else None
        self.note_array = function.words(notes * Notes.BLOCK // 2, "notes") if notes else None
        varying = [d for d, is_one in zip(row.inputs, row.spread, strict=True) if not is_one]
        all_bfloat16 = {d.name for d in (*row.outputs, *varying)} == {"bfloat16"}
        self.in_pairs = target.pairs and all_bfloat16 and not emitter.is_double
        # Where not every last, incomplete vector can be masked: room for the inputs' last vectors, and for a result's.
        self.kept: dict[ir.Value, ir.Value] = {}
        self.room: ir.Value | None = None
        if not all(self._masked(d) for d in (*row.outputs, *row.inputs)):
            widest = max(storage.memory_type(d, self.lanes).count for d in (*row.outputs, *row.inputs))
            self.kept = {source: function.words(widest, "kept") for source in self.sources}
            self.room = function.words(widest, "room")

    def body(self) -> None:
        if self.room is not None:
            self._keep_last()
        bulk = self._bulk(self._store_all)
        if self.room is None:
            self._masked_remainder(bulk)
        else:
            self._remainder(bulk)
        self.function.ret_void()

    def streaming_body(self, plain: ir.Function) -> None:
        """Whole steps with streaming stores; what is left over by the plain function."""
        function = self.function
        operands = function.words(len(self.targets) + len(self.sources), "rest")
        bulk = self._bulk(self._stream_all)
        both = [*zip(self.row.outputs, self.targets, strict=True), *zip(self.row.inputs, self.sources, strict=True)]
        for k, (dtype, pointer) in enumerate(both):
            spread = k >= len(self.targets) and self.row.spread[k - len(self.targets)]
            rest = pointer if spread else function.at(pointer, function.mul(bulk, I64(dtype.itemsize)))
            function.store(rest, function.word_at(operands, k))
        function.call(plain, [operands, function.sub(self.count, bulk), function.arguments[2]])
        function.ret_void()

    def _bulk(self, use: Callable[[ir.Value, list[list[ir.Value]]], None]) -> ir.Value:
        """All whole steps: what of each is to be stored is handed to `use`. How many elements that are."""
        function, step = self.function, self.lanes * UNROLL
        bulk = function.and_(self.count, I64(-step))
        if self.note_array is None:
            with function.steps(I64(0), bulk, step) as i:
                use(i, self._compute_step(i, I64(0)))
            return bulk
        with function.steps(I64(0), bulk, Notes.BLOCK) as first:
            last = function.least(function.add(first, I64(Notes.BLOCK)), bulk)
            with function.steps(first, last, step) as i:
                for k, inputs in enumerate(self._step_inputs(i)):
                    self._note(inputs, self._element(i, k, first))
            with function.steps(first, last, step) as i:
                use(i, self._compute_step(i, first))
        return bulk

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
        places = [function.at(notes, 4 * self.lanes * k) for k in range(columns)]
        parts = [function.load(place, typ=vector, align=4 * self.lanes) for place in places]
        return emitter.unzipped(*parts) if columns == 2 else (Vector(emitter, parts[0]),)

    def _numbers(self, x: Vector) -> list[ir.Value]:
        """The half-precision number in each lane, as an integer."""
        function = self.function
        if x.value in self.places:
            first, distance = self.places[x.value]
            halves = [function.load(function.at(first, distance * k), typ=I16, align=1) for k in range(self.lanes)]
        else:
            halves = [function.extract_element(self.raw[x.value], I32(k)) for k in range(self.lanes)]
        return [function.zext(half, I64) for half in halves]

    def _widened(self, raw: ir.Value, dtype: Dtype) -> Vector:
        vector = storage.widen(self.emitter, raw, dtype)
        self.raw[vector.value] = raw
        return vector

    def words_noted(self) -> int:
        """How many words of an element are noted; what is emitted here comes to nothing."""
        if self.notes is None:
            return 0
        self.note_array = ir.Constant(PTR, None)
        self._note(self._inputs_at(I64(0)), I64(0))
        return self.notes.words

    def _note(self, inputs: list[Vector], element: ir.Value) -> None:
        """Note what `_compute` needs of the vector that begins at this element; what else is emitted is not used."""
        assert self.notes is not None
        self.notes.note_in(self.note_array, element)
        with self.emitter.seldom_left_out():
            self._results(inputs)

    def _element(self, index: ir.Value, k: int, first: ir.Value) -> ir.Value:
        """The number of the first element of a step's k-th vector, in a block that begins at `first`."""
        return self.function.add(self.function.sub(index, first), I64(k * self.lanes))

    def _compute(self, inputs: list[Vector], element: ir.Value) -> list[Vector]:
        """The results, by what was noted of the vector that begins at this element, if anything was.

        Seldom cases are left out at first; where a lane has such a case, all is computed once more.
        """
        if self.notes is not None:
            self.notes.pick_from(self.note_array, element)
        function, emitter = self.function, self.emitter
        with emitter.seldom_left_out() as conditions:
            results = self._results(inputs)
        if not conditions:
            return results
        before, again, after = function.block, *map(function.append_basic_block, ("again", "after"))
        function.cbranch(emitter.any_lane(reduce(Mask.__or__, conditions)), again, after).set_weights([1, 1000])
        function.position_at_end(again)
        corrected = self._results(inputs)
        again = function.block
        function.branch(after)
        function.position_at_end(after)
        return [self._either(before, a, again, b) for a, b in zip(results, corrected, strict=True)]

    def _either(self, before: ir.Block, a: Vector, again: ir.Block, b: Vector) -> Vector:
        value = self.function.phi(a.value.type)
        value.add_incoming(a.value, before)
        value.add_incoming(b.value, again)
        return Vector(self.emitter, value)

    def _results(self, inputs: list[Vector]) -> list[Vector]:
        self.found.clear()  # what was found in one block is not there in another
        if self.notes is not None:
            self.notes.begin()
        results = self.row.element(*self.formulas, *inputs, *self.scalars)
        return [self.emitter.vector(result) for result in results]

    def _compute_step(self, index: ir.Value, first: ir.Value) -> list[list[ir.Value]]:
        """Of each output, what is to be stored one behind the other. All loads come first. Notes begin at `first`."""
        computed = (  # one by one: each is narrowed before the next, but in pairs
            self._compute(inputs, self._element(index, k, first)) for k, inputs in enumerate(self._step_inputs(index))
        )
        if self.in_pairs:
            return [[storage.narrow_pair(self.emitter, *pair)] for pair in zip(*computed, strict=True)]
        return [list(parts) for parts in zip(*map(self._narrowed, computed), strict=True)]

    def _step_inputs(self, index: ir.Value) -> list[list[Vector]]:
        """The inputs of each of UNROLL vectors: one after the other, or the even elements and then the odd ones."""
        if not self.in_pairs:
            return [self._inputs_at(self.function.add(index, I64(k * self.lanes))) for k in range(UNROLL)]
        pairs = [
            2 * (self.constants[k],) if k in self.constants else self._pair(self._place(source, dtype, index))
            for k, (source, dtype) in enumerate(zip(self.sources, self.row.inputs, strict=True))
        ]
        return [list(inputs) for inputs in zip(*pairs, strict=True)]

    def _inputs_at(self, index: ir.Value) -> list[Vector]:
        inputs = self._inputs(partial(self._load, index))
        for k, (source, dtype) in enumerate(zip(self.sources, self.row.inputs, strict=True)):
            if k not in self.constants:
                self.places[inputs[k].value] = (self._place(source, dtype, index), dtype.itemsize)
        return inputs

    def _pair(self, place: ir.Value) -> tuple[Vector, Vector]:
        """The even and the odd elements of two vectors of bfloat16."""
        words = self.function.load(place, typ=self.emitter.vector_type(I32), align=1)
        even, odd = storage.widen_pair(self.emitter, words)
        self.places[even.value], self.places[odd.value] = (place, 4), (self.function.at(place, 2), 4)
        return even, odd

    def _inputs(self, load: Callable[[ir.Value, Dtype], ir.Value]) -> list[Vector]:
        pairs = enumerate(zip(self.sources, self.row.inputs, strict=True))
        return [
            self.constants[k] if k in self.constants else self._widened(load(source, dtype), dtype)
            for k, (source, dtype) in pairs
        ]

    def _narrowed(self, results: list[Vector]) -> list[ir.Value]:
        return [storage.narrow(self.emitter, r, d) for r, d in zip(results, self.row.outputs, strict=True)]

    def _place(self, pointer: ir.Value, dtype: Dtype, index: ir.Value) -> ir.Value:
        return self.function.at(pointer, self.function.mul(index, I64(dtype.itemsize)))

    def _load(self, index: ir.Value, source: ir.Value, dtype: Dtype) -> ir.Value:
        return self.function.load(
            self._place(source, dtype, index), typ=storage.memory_type(dtype, self.lanes), align=1
        )

    def _store_all(self, index: ir.Value, stored: list[list[ir.Value]]) -> None:
        for k, parts in enumerate(zip(*stored, strict=True)):
            place = self.function.add(index, I64(k * self.lanes))
            for target, dtype, part in zip(self.targets, self.row.outputs, parts, strict=True):
                self.function.store(part, self._place(target, dtype, place), align=1)

    def _stream_all(self, index: ir.Value, stored: list[list[ir.Value]]) -> None:
        for target, dtype, parts in zip(self.targets, self.row.outputs, stored, strict=True):
            joined = parts[0] if len(parts) == 1 else self._joined(parts)
            size = self.lanes * UNROLL * dtype.itemsize
            store = self.function.store(joined, self._place(target, dtype, index), align=min(size, STREAM_ALIGNMENT))
            store.set_metadata("nontemporal", self.function.module.add_metadata([I32(1)]))

    def _joined(self, parts: list[ir.Value]) -> ir.Value:
        """Vectors one behind the other as one vector of words: LLVM streams no narrower elements."""
        first, second = parts
        order = ir.Constant(ir.VectorType(I32, 2 * first.type.count), list(range(2 * first.type.count)))
        joined = self.function.shuffle_vector(first, second, order)
        bits = joined.type.count * _bits(joined.type.element)
        return self.function.bitcast(joined, ir.VectorType(I32, bits // 32))

    def _spread(self, source: ir.Value, dtype: Dtype) -> Vector:
        element = storage.memory_type(dtype, 1).element
        raw = self.emitter.broadcast(self.function.load(source, typ=element, align=1))
        return self._widened(raw, dtype)

    # The last, incomplete vectors: masked, or else computed with as many elements before them as fill a vector. A row
    # that is shorter is computed in a copy.

    def _masked(self, dtype: Dtype) -> bool:
        return dtype.kind != "complex" and dtype.itemsize in self.emitter.target.masked_bytes

    def _masked_remainder(self, start: ir.Value) -> None:
        function, lanes = self.function, self.lanes
        with function.steps(start, self.count, lanes) as i:
            left = function.least(function.sub(self.count, i), I64(lanes))
            numbers = self.emitter.broadcast(function.trunc(left, I32))
            ascending = ir.Constant(self.emitter.vector_type(I32), list(range(lanes)))
            mask = function.icmp_signed("<", ascending, numbers)
            results = self._results_alone(partial(self._load_masked, i, mask))
            for target, dtype, value in zip(self.targets, self.row.outputs, results, strict=True):
                name = f"llvm.masked.store.{_suffix(value.type)}.p0"
                self.emitter.call(name, ir.VoidType(), value, self._place(target, dtype, i), I32(1), mask)

    def _load_masked(self, index: ir.Value, mask: ir.Value, source: ir.Value, dtype: Dtype) -> ir.Value:
        type_ = storage.memory_type(dtype, self.lanes)
        name, place = f"llvm.masked.load.{_suffix(type_)}.p0", self._place(source, dtype, index)
        return self.emitter.call(name, type_, place, I32(1), mask, ir.Constant(type_, None))

    def _keep_last(self) -> None:
        """Copy the inputs' last vectors, if not all vectors are whole: results may be written over what they are of."""
        function, operands = self.function, zip(self.sources, self.row.inputs, strict=True)
        varying = [operand for k, operand in enumerate(operands) if k not in self.constants]
        rest = function.and_(self.count, I64(self.lanes * UNROLL - 1))
        with function.if_then(function.icmp_signed("!=", rest, I64(0))), self._if_long() as (long, short):
            with long:
                for source, dtype in varying:
                    function.store(self._load(self._last, source, dtype), self.kept[source])
            with short:
                for source, dtype in varying:
                    function.store(ir.Constant(storage.memory_type(dtype, self.lanes), None), self.kept[source])
                    self._copy(self.kept[source], source, self.count, dtype)

    def _remainder(self, start: ir.Value) -> None:
        function, lanes = self.function, self.lanes
        with function.steps(start, self.count, lanes) as i:
            is_whole = function.icmp_signed("<=", function.add(i, I64(lanes)), self.count)
            results = self._results_alone(partial(self._load_kept, i, is_whole))
            stored = list(zip(self.targets, self.row.outputs, results, strict=True))
            with self._if_long() as (long, short):
                with long:
                    for target, dtype, value in stored:
                        function.store(value, self._place(target, dtype, function.least(i, self._last)), align=1)
                with short:
                    for target, dtype, value in stored:
                        function.store(value, self.room)
                        self._copy(target, self.room, self.count, dtype)

    def _load_kept(self, index: ir.Value, is_whole: ir.Value, source: ir.Value, dtype: Dtype) -> ir.Value:
        place = self.function.select(is_whole, self._place(source, dtype, index), self.kept[source])
        return self.function.load(place, typ=storage.memory_type(dtype, self.lanes), align=1)

    def _results_alone(self, load: Callable[[ir.Value, Dtype], ir.Value]) -> list[ir.Value]:
        """Of one vector, as they go to memory."""
        inputs = self._inputs(load)
        if self.note_array is not None:
            self._note(inputs, I64(0))
        return self._narrowed(self._compute(inputs, I64(0)))

    @property
    def _last(self) -> ir.Value:
        """Where the row's last vector begins; below 0 if the row is shorter."""
        return self.function.sub(self.count, I64(self.lanes))

    def _if_long(self) -> Any:
        """Two branches: for rows that fill a vector, and for others."""
        return self.function.if_else(self.function.icmp_signed(">=", self._last, I64(0)))

    def _copy(self, target: ir.Value, source: ir.Value, count: ir.Value, dtype: Dtype) -> None:
        size = self.function.mul(count, I64(dtype.itemsize))
        self.emitter.call("llvm.memcpy.p0.p0.i64", ir.VoidType(), target, source, size, ir.IntType(1)(0))


def _bits(type_: ir.Type) -> int:
    return {"half": 16, "float": 32, "double": 64}.get(str(type_)) or int(type_.width)


def _suffix(type_: ir.VectorType) -> str:
    kind = "i" if isinstance(type_.element, ir.IntType) else "f"
    return f"v{type_.count}{kind}{_bits(type_.element)}"
