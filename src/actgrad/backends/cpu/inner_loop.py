"""The innermost code: a formula applied to a row, a run of elements that lie one behind the other in every operand.

    void row(char** operands, int64 n, double* scalars)      operands: outputs, then inputs

Two functions per kernel: `row`, and `row_streaming`, whose stores bypass the caches (for outputs larger than these). It
wants every output aligned to 64 bytes, and the driver to fence its stores in the end. An operand may also be a single
element, spread over the row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import llvmlite.ir as ir

from ...base.dtypes import Dtype
from . import casting
from .body import Applied, Inputs
from .emitter import Emitter, Vector
from .ir_builder import Function
from .ir_types import I32, I64, PTR
from .lookup_buffer import Notes
from .target import LINE, Target

LONG = 16  # instructions of a formula: what is shorter waits for memory anyway


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
    trial = _RowFunction(ir.Module(), "trial", row, target, notes=0)
    return trial.applied.words_noted(trial.inputs_at(I64(0)))


class _RowFunction:
    def __init__(self, module: ir.Module, name: str, row: Row, target: Target, notes: int):
        self.row = row
        self.function = function = Function(module, name, (PTR, I64, PTR), public=True)
        self.emitter = emitter = Emitter(function, target, row.compute)
        self.lanes, self.unroll = emitter.lanes, target.unroll
        operands, self.count, scalars = function.arguments
        self.targets = [function.word(operands, k, PTR) for k in range(len(row.outputs))]
        self.sources = [function.word(operands, len(row.outputs) + k, PTR) for k in range(len(row.inputs))]
        self.applied = Applied(function, emitter, row, scalars, notes)
        self.constants = {
            k: self._spread(self.sources[k], dtype)
            for k, dtype in enumerate(row.inputs) if row.spread[k]
        }  # fmt: skip
        varying = [d for d, is_one in zip(row.inputs, row.spread, strict=True) if not is_one]
        all_bfloat16 = {d.name for d in (*row.outputs, *varying)} == {"bfloat16"}
        self.in_pairs = target.pairs and all_bfloat16 and not emitter.is_double
        # Where not every last, incomplete vector can be masked: room for the inputs' last vectors, and for a result's.
        self.kept: dict[ir.Value, ir.Value] = {}
        self.room: ir.Value | None = None
        if not all(self._masked(d) for d in (*row.outputs, *row.inputs)):
            widest = max(casting.memory_type(d, self.lanes).count for d in (*row.outputs, *row.inputs))
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
        bulk = self._bulk(self._stream_all, fetched=self.emitter.target.fetched)
        both = [*zip(self.row.outputs, self.targets, strict=True), *zip(self.row.inputs, self.sources, strict=True)]
        for k, (dtype, pointer) in enumerate(both):
            spread = k >= len(self.targets) and self.row.spread[k - len(self.targets)]
            rest = pointer if spread else function.at(pointer, function.mul(bulk, I64(dtype.itemsize)))
            function.store(rest, function.word_at(operands, k))
        function.call(plain, [operands, function.sub(self.count, bulk), function.arguments[2]])
        function.ret_void()

    def _bulk(self, use: Callable[[ir.Value, list[list[ir.Value]]], None], fetched: int = 0) -> ir.Value:
        """All whole steps: what of each is to be stored is handed to `use`. How many elements that are.

        The inputs of long formulas are asked for so many bytes before they are needed, if any; where something is
        noted they have just been read.
        """
        function, step = self.function, self.lanes * self.unroll
        bulk = function.and_(self.count, I64(-step))
        if self.applied.note_array is None:
            with function.steps(I64(0), bulk, step) as i:
                use(i, self._compute_step(i, I64(0)))
                if fetched and self.applied.length >= LONG:
                    self._fetch(i, bulk, fetched)
            return bulk
        with function.steps(I64(0), bulk, Notes.BLOCK) as first:
            last = function.least(function.add(first, I64(Notes.BLOCK)), bulk)
            with function.steps(first, last, step) as i:
                for together in self._step(i, first):
                    self.applied.note(together)
            with function.steps(first, last, step) as i:
                use(i, self._compute_step(i, first))
        return bulk

    def _fetch(self, index: ir.Value, end: ir.Value, further_on: int) -> None:
        """Ask for a later step's inputs: a processor that has much to compute meanwhile does not look as far ahead.

        Near the end it is again and again the step behind the last one, which need not be anybody's memory.
        """
        function, step = self.function, self.lanes * self.unroll
        for k, (source, dtype) in enumerate(zip(self.sources, self.row.inputs, strict=True)):
            if k not in self.constants:
                element = function.least(function.add(index, I64(further_on // dtype.itemsize)), end)
                for line in range(0, step * dtype.itemsize, LINE):
                    function.fetch(function.at(self._place(source, dtype, element), line))

    def _widened(self, raw: ir.Value, dtype: Dtype) -> Vector:
        vector = casting.widen(self.emitter, raw, dtype)
        self.applied.raw[vector.value] = raw
        return vector

    def _compute_step(self, index: ir.Value, first: ir.Value) -> list[list[ir.Value]]:
        """Of each output, what is to be stored one behind the other. Notes begin at `first`."""
        stored = [part for together in self._step(index, first) for part in self._stored(together)]
        return [list(parts) for parts in zip(*stored, strict=True)]

    def _step(self, index: ir.Value, first: ir.Value) -> list[list[Inputs]]:
        """A step's vectors, in groups to be computed together. All loads come first."""
        function = self.function
        vectors = [
            (inputs, function.add(function.sub(index, first), I64(k * self.lanes)))
            for k, inputs in enumerate(self._step_inputs(index))
        ]
        return [vectors] if self.emitter.target.in_turn else [[vector] for vector in vectors]

    def _stored(self, together: list[Inputs]) -> list[list[ir.Value]]:
        """The results of a group of vectors, as they go to memory."""
        results = self.applied.compute(together)
        if self.in_pairs:
            return self.function.in_turn(self._narrowed_pair, [*zip(results[::2], results[1::2], strict=True)])
        return self.function.in_turn(self._narrowed, results)

    def _step_inputs(self, index: ir.Value) -> list[list[Vector]]:
        """The inputs of each vector: one after the other, or of each two the even elements and then the odd ones."""
        places = [self.function.add(index, I64(k * self.lanes)) for k in range(self.unroll)]
        if not self.in_pairs:
            return [self.inputs_at(place) for place in places]
        return [vector for place in places[::2] for vector in self._pairs_at(place)]

    def _pairs_at(self, index: ir.Value) -> list[list[Vector]]:
        pairs = [
            2 * (self.constants[k],) if k in self.constants else self._pair(self._place(source, dtype, index))
            for k, (source, dtype) in enumerate(zip(self.sources, self.row.inputs, strict=True))
        ]
        return [list(inputs) for inputs in zip(*pairs, strict=True)]

    def inputs_at(self, index: ir.Value) -> list[Vector]:
        inputs = self._inputs(partial(self._load, index))
        for k, (source, dtype) in enumerate(zip(self.sources, self.row.inputs, strict=True)):
            if k not in self.constants:
                self.applied.places[inputs[k].value] = (self._place(source, dtype, index), dtype.itemsize)
        return inputs

    def _pair(self, place: ir.Value) -> tuple[Vector, Vector]:
        """The even and the odd elements of two vectors of bfloat16."""
        words = self.function.load(place, typ=self.emitter.vector_type(I32), align=1)
        even, odd = casting.widen_pair(self.emitter, words)
        self.applied.places[even.value] = (place, 4)
        self.applied.places[odd.value] = (self.function.at(place, 2), 4)
        return even, odd

    def _inputs(self, load: Callable[[ir.Value, Dtype], ir.Value]) -> list[Vector]:
        pairs = enumerate(zip(self.sources, self.row.inputs, strict=True))
        return [
            self.constants[k] if k in self.constants else self._widened(load(source, dtype), dtype)
            for k, (source, dtype) in pairs
        ]

    def _narrowed(self, results: list[Vector]) -> list[ir.Value]:
        return [casting.narrow(self.emitter, r, d) for r, d in zip(results, self.row.outputs, strict=True)]

    def _narrowed_pair(self, pair: tuple[list[Vector], list[Vector]]) -> list[ir.Value]:
        return [casting.narrow_pair(self.emitter, even, odd) for even, odd in zip(*pair, strict=True)]

    def _place(self, pointer: ir.Value, dtype: Dtype, index: ir.Value) -> ir.Value:
        return self.function.at(pointer, self.function.mul(index, I64(dtype.itemsize)))

    def _load(self, index: ir.Value, source: ir.Value, dtype: Dtype) -> ir.Value:
        return self.function.load(
            self._place(source, dtype, index), typ=casting.memory_type(dtype, self.lanes), align=1
        )

    def _store_all(self, index: ir.Value, stored: list[list[ir.Value]]) -> None:
        for k, parts in enumerate(zip(*stored, strict=True)):
            place = self.function.add(index, I64(k * self.lanes * (2 if self.in_pairs else 1)))
            for target, dtype, part in zip(self.targets, self.row.outputs, parts, strict=True):
                self.function.store(part, self._place(target, dtype, place), align=1)

    def _stream_all(self, index: ir.Value, stored: list[list[ir.Value]]) -> None:
        for target, dtype, parts in zip(self.targets, self.row.outputs, stored, strict=True):
            joined = parts[0] if len(parts) == 1 else self._joined(parts)
            size = self.lanes * self.unroll * dtype.itemsize
            store = self.function.store(joined, self._place(target, dtype, index), align=min(size, LINE))
            store.set_metadata("nontemporal", self.function.module.add_metadata([I32(1)]))

    def _joined(self, parts: list[ir.Value]) -> ir.Value:
        """Vectors one behind the other as one vector of words: LLVM streams no narrower elements."""
        while len(parts) > 1:
            parts = [self._both(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        bits = parts[0].type.count * _bits(parts[0].type.element)
        return self.function.bitcast(parts[0], ir.VectorType(I32, bits // 32))

    def _both(self, a: ir.Value, b: ir.Value) -> ir.Value:
        order = ir.Constant(ir.VectorType(I32, 2 * a.type.count), list(range(2 * a.type.count)))
        return self.function.shuffle_vector(a, b, order)

    def _spread(self, source: ir.Value, dtype: Dtype) -> Vector:
        element = casting.memory_type(dtype, 1).element
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
            stored = [
                (value, self._place(target, dtype, i))
                for target, dtype, value in zip(self.targets, self.row.outputs, results, strict=True)
            ]
            is_whole = function.icmp_signed("==", left, I64(lanes))
            with function.if_else(is_whole) as (whole, part):  # a masked store may take as long as the formula
                with whole:
                    for value, place in stored:
                        function.store(value, place, align=1)
                with part:
                    for value, place in stored:
                        name = f"llvm.masked.store.{_suffix(value.type)}.p0"
                        self.emitter.call(name, ir.VoidType(), value, place, I32(1), mask)

    def _load_masked(self, index: ir.Value, mask: ir.Value, source: ir.Value, dtype: Dtype) -> ir.Value:
        type_ = casting.memory_type(dtype, self.lanes)
        name, place = f"llvm.masked.load.{_suffix(type_)}.p0", self._place(source, dtype, index)
        return self.emitter.call(name, type_, place, I32(1), mask, ir.Constant(type_, None))

    def _keep_last(self) -> None:
        """Copy the inputs' last vectors, if not all vectors are whole: results may be written over what they are of."""
        function, operands = self.function, zip(self.sources, self.row.inputs, strict=True)
        varying = [operand for k, operand in enumerate(operands) if k not in self.constants]
        rest = function.and_(self.count, I64(self.lanes * self.unroll - 1))
        with function.if_then(function.icmp_signed("!=", rest, I64(0))), self._if_long() as (long, short):
            with long:
                for source, dtype in varying:
                    function.store(self._load(self._last, source, dtype), self.kept[source])
            with short:
                for source, dtype in varying:
                    function.store(ir.Constant(casting.memory_type(dtype, self.lanes), None), self.kept[source])
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
        return self.function.load(place, typ=casting.memory_type(dtype, self.lanes), align=1)

    def _results_alone(self, load: Callable[[ir.Value, Dtype], ir.Value]) -> list[ir.Value]:
        """Of one vector, as they go to memory."""
        vector = (self._inputs(load), I64(0))
        if self.applied.note_array is not None:
            self.applied.note([vector])
        (results,) = self.applied.compute([vector])
        return self._narrowed(results)

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
