"""The loop over rows: first each row's statistics, then its elements, which use the statistics; see `row_loop`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial, reduce
from math import inf

import llvmlite.ir as ir

from ...base.computation import LENGTH, ONCE, ONCE_PER_ROW, TOTAL
from . import casting
from .emitter import Vector
from .ir_builder import IRFunction
from .ir_types import DOUBLE, FLOAT, I32, I64, VOID
from .operands import bits_of
from .row_loop import (
    AHEAD,
    CONTIGUOUS,
    PARTIAL_SUMS,
    TERM_BYTES,
    Pointers,
    ReductionSpec,
    RowLoop,
    Visitor,
    column_count,
    larger,
    load_vector,
    store_vector,
)
from .target import LINE, Target

STEP_ACROSS = 2  # vectors of rows per step; with 4, softmax of 16 rows took 2.4 times as long on AMD Zen 3


def emit(module: ir.Module, spec: ReductionSpec, target: Target) -> None:
    """Add `row` to `module`."""
    (AcrossRows if spec.across else AlongRows)(module, spec, target).emit()


class AlongRows(RowLoop):
    """Lanes are consecutive elements of a row."""

    @property
    def lane_strides(self) -> list[ir.Value]:
        return [strides[-1] for strides in self.strides]

    def emit(self) -> None:
        """The loop over the rows."""
        f, rows = self.function, self.statistics
        self.step = max(self.unroll, PARTIAL_SUMS // self.lanes, 1)
        accumulators = [[self._accumulators(combine) for combine in combinations] for combinations in rows.passes]
        self.cache = TermCache(self) if rows.replaces_inputs else None
        with f.steps(I64(0), self.count) as row:
            pointers = [f.at(p, f.mul(row, step)) for p, step in zip(self.pointers, self.steps, strict=True)]
            statistics: list[Vector] = []
            for number, (combinations, places_on_stack) in enumerate(zip(rows.passes, accumulators, strict=True)):
                if combinations == (LENGTH,):
                    statistics.append(self.length())
                elif combinations == (ONCE,):
                    statistics.append(_once(self, len(statistics), statistics))
                else:
                    has_elements = number == self.elements_pass
                    statistics += self._pass(combinations, places_on_stack, pointers, statistics, has_elements)
            if self.of_elements and self.elements_pass is None:
                self._elements_of_row(pointers, statistics)
            for k in self.of_rows:  # last, because the elements may need an input that shares memory with this output
                raw = casting.narrow(self.emitter, statistics[rows.output_statistics[k]], self.kernel.dtypes[k])
                f.store(f.extract_element(raw, I32(0)), pointers[k], align=1)
        if self.spec.streams:
            f.call_by_name(self.emitter.target.fence, VOID)
        f.end()

    def _elements_of_row(self, pointers: Pointers, statistics: list[Vector]) -> None:
        """A row's elements, with streaming stores if the outputs' rows begin at a cache line."""
        if not self.spec.streams:
            self._elements(pointers, statistics)
            return
        f = self.function
        addresses = [f.ptrtoint(pointers[k], I64) for k in self.of_elements]
        begins = f.icmp_signed("==", f.and_(reduce(f.or_, addresses), I64(LINE - 1)), I64(0))
        with f.if_else(begins) as (at_a_line, elsewhere):
            with at_a_line:
                self.is_streaming = True
                self._elements(pointers, statistics)
                self.is_streaming = False
            with elsewhere:
                self._elements(pointers, statistics)

    def _accumulators(self, combine: str) -> list[ir.Value]:
        """Stack memory: for partial sums in lanes, or for the largest value of each vector of a step."""
        words = self.lanes if combine == TOTAL or self.emitter.is_double else -(-self.lanes // 2)
        count = max(1, PARTIAL_SUMS // self.lanes) if combine == TOTAL else self.step
        return [self.function.stack_words(words, "accumulator") for _ in range(count)]

    def _pass(
        self,
        combinations: Sequence[str],
        accumulators: Sequence[Sequence[ir.Value]],
        pointers: Pointers,
        earlier: list[Vector],
        has_elements: bool,
    ) -> list[Vector]:
        """The statistics of a pass over a row, each in every lane. With `has_elements`, it stores the elements."""
        f, first_term = self.function, len(earlier)
        for combine, partials in zip(combinations, accumulators, strict=True):
            for accumulator in partials:
                f.store(self.start_of(combine), accumulator)
        is_last = first_term == self.statistics.formula_term[1]

        def visit(vectors: list[list[Vector]], indices: list[ir.Value], mask: ir.Value | None, first: int) -> None:
            arguments = [[*vector, *earlier] for vector in vectors]
            for body, combine, partials in zip(self.terms[first_term:], combinations, accumulators, strict=False):
                values = [value for (value,) in self.computed(body, arguments)]
                for number, value in enumerate(values, first):
                    self._accumulate(combine, partials[number % len(partials)], value, mask)
            if self.cache and is_last:
                self.cache.store(line, values, indices, mask)
            if has_elements:
                self.store_elements(line, [self.with_zeros(vector) for vector in arguments], indices, mask)

        with self.lines(pointers) as line:
            self.over_lanes(line, self.sizes[-1], self.step, visit)
        return list(map(self._combined, combinations, accumulators))

    def start_of(self, combine: str) -> ir.Value:
        """A vector that holds the statistic of zero terms."""
        return self.emitter.splat(0.0, DOUBLE) if combine == TOTAL else self.emitter.splat(-inf, self.emitter.element)

    def _accumulate(self, combine: str, accumulator: ir.Value, value: Vector, mask: ir.Value | None) -> None:
        f, start = self.function, self.start_of(combine)
        term = self.widened(value.value) if combine == TOTAL else value.value
        if mask is not None:
            term = f.select(mask, term, start)
        current = f.load(accumulator, typ=start.type)
        f.store(f.fadd(current, term) if combine == TOTAL else larger(self.function, current, term), accumulator)

    def _combined(self, combine: str, accumulators: Sequence[ir.Value]) -> Vector:
        """A statistic in every lane."""
        f, emitter, type_ = self.function, self.emitter, self.start_of(combine).type
        values = [f.load(accumulator, typ=type_) for accumulator in accumulators]
        number = f.extract_element(self._tree(values, combine), I32(0))
        if combine == TOTAL:
            return Vector(emitter, emitter.broadcast(number if emitter.is_double else f.fptrunc(number, FLOAT)))
        return Vector(emitter, emitter.broadcast(number)) + 0.0  # `max(-0.0, 0.0)` may be either zero

    def _elements(self, pointers: Pointers, statistics: list[Vector]) -> None:
        """Compute and store a row's elements, from cached terms if there are any."""
        cache, size, step = self.cache, self.sizes[-1], self.step

        def from_terms(vectors: list[list[Vector]], indices: list[ir.Value], mask: ir.Value | None, _: int) -> None:
            self.store_elements(line, [[*vector, *statistics] for vector in vectors], indices, mask)

        def from_inputs(vectors: list[list[Vector]], indices: list[ir.Value], mask: ir.Value | None, _: int) -> None:
            if cache:
                term, visible = self.statistics.formula_term
                vectors = self.computed(self.terms[term], [[*vector, *statistics[:visible]] for vector in vectors])
            from_terms(vectors, indices, mask, _)

        with self.lines(pointers) as line, ExitStack() as branches:
            if cache:
                fits, is_longer = branches.enter_context(self.function.if_else(cache.fits()))
                with fits:
                    self.over_lanes(line, size, step, from_terms, partial(cache.load, line))
                branches.enter_context(is_longer)
            self.over_lanes(line, size, step, from_inputs)

    def _tree(self, values: list[ir.Value], combine: str) -> ir.Value:
        """The values of all lanes combined in the first lane: combine the upper with the lower half, and repeat."""
        f = self.function
        join = f.fadd if combine == TOTAL else partial(larger, f)
        while len(values) > 1:
            half = len(values) // 2
            values = [join(a, b) for a, b in zip(values[:half], values[half:], strict=True)]
        (value,) = values
        while value.type.count > 1:
            half = value.type.count // 2
            value = join(f.shuffle(value, value, range(half)), f.shuffle(value, value, range(half, 2 * half)))
        return value


class TermCache:
    """The terms of the last statistic, cached for the elements: in the output, or on the stack if a row fits."""

    def __init__(self, loop: AlongRows):
        self.loop, self.function = loop, loop.function
        (self.output,) = loop.of_elements
        is_like = bits_of(loop.emitter.element) == 8 * loop.kernel.dtypes[self.output].itemsize
        self.in_output = is_like and loop.spec.lanes[self.output] == CONTIGUOUS and not loop.spec.streams
        self.most = 8 * TERM_BYTES // bits_of(loop.emitter.element)
        self.array = None if self.in_output else self.function.stack_words(TERM_BYTES // 8, "terms")

    def fits(self) -> ir.Value:
        """Whether a row's terms are cached."""
        f = self.function
        rest = [f.icmp_signed("==", size, I64(1)) for size in self.loop.sizes[:-1]]
        last = f.icmp_signed("<=", self.loop.sizes[-1], I64((1 << 62) if self.in_output else self.most))
        return reduce(f.and_, rest, last)

    def _place(self, line: Pointers, index: ir.Value) -> ir.Value:
        base = line[self.output] if self.in_output else self.array
        return self.function.gep(base, [index], source_etype=self.loop.emitter.element)

    def store(self, line: Pointers, values: list[Vector], indices: list[ir.Value], mask: ir.Value | None) -> None:
        """Cache vectors of terms."""
        with self.function.if_then(self.fits()):
            for value, index in zip(values, indices, strict=True):
                store_vector(self.loop.emitter, value.value, self._place(line, index), mask)

    def load(self, line: Pointers, index: ir.Value, mask: ir.Value | None) -> list[Vector]:
        """A vector of cached terms."""
        type_ = self.loop.emitter.vector_type(self.loop.emitter.element)
        return [Vector(self.loop.emitter, load_vector(self.loop.emitter, type_, self._place(line, index), mask))]


class AcrossRows(RowLoop):
    """Lanes are consecutive rows; `columns` rows are computed at a time."""

    @property
    def lane_strides(self) -> list[ir.Value]:
        return self.steps

    def emit(self) -> None:
        """The loop over the rows."""
        f = self.function
        self.columns = column_count(self.spec, self.emitter.target.tuning)
        self.statistic_words = [f.stack_words(self.columns, "statistic") for _ in self.terms]  # one number of each row
        most = max(self.statistics.passes, key=len)
        self.sums = [f.stack_words(self.columns * PARTIAL_SUMS, "sums") for _ in most]  # per total of a pass
        self.step = max(1, min(STEP_ACROSS, self.columns // self.lanes))
        with f.steps(I64(0), self.count, self.columns) as first:
            columns = f.minimum(f.sub(self.count, first), I64(self.columns))
            pointers = [f.at(p, f.mul(first, step)) for p, step in zip(self.pointers, self.steps, strict=True)]
            number = 0
            for index, combinations in enumerate(self.statistics.passes):
                numbers = range(number, number + len(combinations))
                if combinations in ONCE_PER_ROW:
                    self._compute_unvisited(number, combinations, columns)
                    number = numbers.stop
                    continue
                pass_ = list(zip(numbers, self.sums, combinations, strict=False))
                for statistic in pass_:
                    self._begin(*statistic, columns)
                stored = self.of_elements if index == self.elements_pass else []
                self._visit_elements(pointers, columns, partial(self._accumulation, number, pass_, stored), stored)
                for statistic in pass_:
                    self._end(*statistic, columns)
                number = numbers.stop
            if self.of_elements and self.elements_pass is None:
                self._visit_elements(pointers, columns, self._elements, self.of_elements)
            for k in self.of_rows:  # last, because the elements may need an input that shares memory with this output
                self._store_statistic(k, pointers[k], columns)
        f.end()

    def _visit_elements(
        self, pointers: Pointers, columns: ir.Value, visit: Callable[..., Visitor], stored: Sequence[int] = ()
    ) -> None:
        """Visit the rows' elements: the first element of every row, then the second element of every row, and so on.

        `stored` are the outputs that the visit stores.
        """
        f = self.function
        with self.lines(pointers) as line, f.steps(I64(0), self.sizes[-1]) as i:
            here = [f.at(pointer, f.mul(i, s[-1])) for pointer, s in zip(line, self.strides, strict=True)]
            if self.spec.is_large:
                _prefetch(self, here, stored)
            self.over_lanes(here, columns, self.step, visit(here, i))

    def _elements(self, here: Pointers, _: ir.Value) -> Visitor:
        """A visit that computes and stores elements."""

        def visit(vectors: list[list[Vector]], indices: list[ir.Value], mask: ir.Value | None, _: int) -> None:
            statistics = [self._statistics(index, len(self.terms)) for index in indices]
            if self.statistics.replaces_inputs:
                term, earlier = self.statistics.formula_term
                arguments = [[*v, *s[:earlier]] for v, s in zip(vectors, statistics, strict=True)]
                vectors = self.computed(self.terms[term], arguments)
            self.store_elements(here, [[*v, *s] for v, s in zip(vectors, statistics, strict=True)], indices, mask)

        return visit

    def _accumulation(
        self, earlier: int, pass_: list[tuple[int, ir.Value, str]], stored: Sequence[int], here: Pointers, i: ir.Value
    ) -> Visitor:
        """A visit that adds term i of each row to the statistics of a pass, and stores the outputs in `stored`."""
        f = self.function
        partial_sum = f.mul(f.and_(i, I64(PARTIAL_SUMS - 1)), I64(self.columns))

        def visit(vectors: list[list[Vector]], indices: list[ir.Value], mask: ir.Value | None, _: int) -> None:
            arguments = [[*v, *self._statistics(index, earlier)] for v, index in zip(vectors, indices, strict=True)]
            for number, sums, combine in pass_:
                for (value,), index in zip(self.computed(self.terms[number], arguments), indices, strict=True):
                    if combine == TOTAL:
                        _add(self.function, f.word_at(sums, f.add(partial_sum, index)), self.widened(value.value))
                    else:
                        pointer = self._statistic_at(number, index)
                        current = f.load(pointer, typ=value.value.type)
                        f.store(larger(self.function, current, value.value), pointer)
            if stored:
                self.store_elements(here, [self.with_zeros(vector) for vector in arguments], indices, mask)

        return visit

    def _statistic_at(self, number: int, index: ir.Value) -> ir.Value:
        return self.function.gep(self.statistic_words[number], [index], source_etype=self.emitter.element)

    def _statistics(self, index: ir.Value, count: int) -> list[Vector]:
        """The first `count` statistics of a vector of rows."""
        type_ = self.emitter.vector_type(self.emitter.element)
        pointers = [self._statistic_at(number, index) for number in range(count)]
        return [Vector(self.emitter, self.function.load(pointer, typ=type_)) for pointer in pointers]

    def _partial_sums(self) -> ir.Value:
        """The number of partial sums in use; a short row uses fewer."""
        return self.function.minimum(self.sizes[-1], I64(PARTIAL_SUMS))

    def _compute_unvisited(self, number: int, combinations: tuple[str, ...], columns: ir.Value) -> None:
        """A statistic that is the row's length, or a function of the earlier statistics."""
        with self.function.steps(I64(0), columns, self.lanes) as index:
            if combinations == (LENGTH,):
                statistic = self.length()
            else:
                statistic = _once(self, number, self._statistics(index, number))
            self.function.store(statistic.value, self._statistic_at(number, index))

    def _begin(self, number: int, sums: ir.Value, combine: str, columns: ir.Value) -> None:
        """Set a statistic and its partial sums to their start values."""
        f, emitter = self.function, self.emitter
        with f.steps(I64(0), columns, self.lanes) as index:
            if combine == TOTAL:
                f.store(emitter.splat(0.0, DOUBLE), f.word_at(sums, index))
                with f.steps(I64(1), self._partial_sums()) as row:
                    pointer = f.word_at(sums, f.add(f.mul(row, I64(self.columns)), index))
                    f.store(emitter.splat(0.0, DOUBLE), pointer)
            else:
                f.store(emitter.splat(-inf, emitter.element), self._statistic_at(number, index))

    def _end(self, number: int, sums: ir.Value, combine: str, columns: ir.Value) -> None:
        """Add the partial sums as a tree."""
        f, type_ = self.function, self.emitter.vector_type(DOUBLE)
        half = PARTIAL_SUMS // 2
        while half and combine == TOTAL:
            used = f.minimum(self._partial_sums(), I64(2 * half))
            with f.steps(I64(half), used) as row, f.steps(I64(0), columns, self.lanes) as index:
                source = f.add(f.mul(row, I64(self.columns)), index)
                value = f.load(f.word_at(sums, source), typ=type_)
                _add(self.function, f.word_at(sums, f.sub(source, I64(half * self.columns))), value)
            half //= 2
        with f.steps(I64(0), columns, self.lanes) as index:
            pointer = self._statistic_at(number, index)
            if combine == TOTAL:
                statistic = self.narrowed(f.load(f.word_at(sums, index), typ=type_))
            else:
                current = f.load(pointer, typ=self.emitter.vector_type(self.emitter.element))
                statistic = Vector(self.emitter, current) + 0.0  # `max(-0.0, 0.0)` may be either zero
            f.store(statistic.value, pointer)

    def _store_statistic(self, k: int, pointer: ir.Value, columns: ir.Value) -> None:
        """Store the statistic of each row that is an output."""
        f, emitter = self.function, self.emitter
        dtype, statistic = self.kernel.dtypes[k], self.statistics.output_statistics[k]
        with f.steps(I64(0), columns) as index:
            number = f.load(self._statistic_at(statistic, index), typ=emitter.element)
            raw = casting.narrow(emitter, Vector(emitter, emitter.broadcast(number)), dtype)
            f.store(f.extract_element(raw, I32(0)), f.at(pointer, f.mul(index, self.steps[k])), align=1)


def _once(loop: RowLoop, number: int, statistics: list[Vector]) -> Vector:
    """A statistic that is a function of earlier statistics, in every lane, rounded to the dtype of its output."""
    ((value,),) = loop.computed(loop.terms[number], [statistics])
    dtype = loop.statistics.written_dtype(number, loop.kernel.outputs, loop.kernel.compute)
    if dtype is None or dtype.name == loop.kernel.compute:
        return value
    raw = casting.narrow(loop.emitter, value, dtype)
    return Vector(loop.emitter, casting.widen(loop.emitter, raw, dtype))


def _prefetch(loop: AcrossRows, here: Pointers, stored: Sequence[int]) -> None:
    """Prefetch later elements of the rows, because the processor cannot predict addresses so far apart."""
    f = loop.function
    for k in [*loop.inputs, *stored]:
        if loop.spec.lanes[k] == CONTIGUOUS:
            there = f.at(here[k], f.mul(I64(AHEAD), loop.strides[k][-1]))
            for line in range(0, loop.columns * loop.kernel.dtypes[k].itemsize, LINE):
                f.prefetch(f.at(there, line), writes=k in stored)


def _add(f: IRFunction, pointer: ir.Value, value: ir.Value) -> None:
    """Add a value to the number in memory."""
    f.store(f.fadd(f.load(pointer, typ=value.type), value), pointer)
