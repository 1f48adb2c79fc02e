"""The loop over rows: each row's statistics, and then its elements, which see them.

    void row(char** operands, int64 n, void* scalars)      n rows; see `inner_loop`

The scalars are followed by the sizes of a row's dimensions, and then by each operand's strides: along these dimensions,
and from one row to the next. Lanes are consecutive elements of a row, or, with `across`, consecutive rows.

A total is summed in double. The element at place i of a row's last dimension goes to partial sum i modulo PARTIAL_SUMS,
and these are added as a tree. So a row's results have the same bits for every layout, processor and number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial, reduce
from math import inf

import llvmlite.ir as ir

from ...base import access
from ...base.computation import TOTAL, RowStatistics
from ...base.dtypes import Dtype
from ...base.loop import Operand
from . import casting
from .body import LoopBody
from .emitter import Emitter, Vector
from .ir_builder import IRFunction
from .ir_types import DOUBLE, FLOAT, I32, I64, PTR, VOID
from .kernel_spec import KernelSpec
from .operands import bits_of
from .target import Target

PARTIAL_SUMS = 16
KEPT = 8192  # terms of a row that are kept on the stack
COLUMNS = 64  # rows that are computed together, across lanes
CONTIGUOUS, BROADCAST, STRIDED = "contiguous", "broadcast", "strided"

Pointers = list[ir.Value]
#: A visit of vectors: their inputs, the indices of their first lanes, the mask of the last one, the first one's number.
Visitor = Callable[[list[list[Vector]], list[ir.Value], "ir.Value | None", int], None]


@dataclass(frozen=True)
class ReductionSpec:
    """All that the code of a loop over rows depends on, besides the target."""

    kernel: KernelSpec
    statistics: RowStatistics
    across: bool  # lanes are rows
    lanes: tuple[str, ...]  # per operand: CONTIGUOUS, BROADCAST or STRIDED from lane to lane


def lanes_of(operand: Operand, stride: int) -> str:
    """How the lanes of an operand lie in memory, with so many bytes from lane to lane."""
    return {operand.dtype.itemsize: CONTIGUOUS, 0: BROADCAST}.get(stride, STRIDED)


def emit(module: ir.Module, spec: ReductionSpec, target: Target) -> None:
    """Add `row` to `module`."""
    (AcrossRows if spec.across else AlongRows)(module, spec, target).emit()


class _RowLoop:
    """The parts that both directions of the lanes share."""

    def __init__(self, module: ir.Module, spec: ReductionSpec, target: Target):
        self.function = f = IRFunction(module, "row", (PTR, I64, PTR), public=True)
        self.spec, self.kernel, self.statistics = spec, spec.kernel, spec.statistics
        self.emitter = emitter = Emitter(f, target, self.kernel.compute)
        self.lanes, self.unroll = emitter.lanes, target.tuning.unroll
        pointers, self.count, scalars = f.arguments
        self.pointers = [f.word(pointers, k, PTR) for k in range(len(self.kernel.dtypes))]
        words = iter(range(self.kernel.scalars, 1 << 10))
        self.sizes = [f.word(scalars, next(words)) for _ in range(self.statistics.dims)]
        strides = [[f.word(scalars, next(words)) for _ in range(self.statistics.dims + 1)] for _ in self.pointers]
        self.strides, self.steps = [s[:-1] for s in strides], [s[-1] for s in strides]
        formula, *terms = self.kernel.formulas

        def body(element: Callable[..., object], formula: Callable[..., object]) -> LoopBody:
            return LoopBody(emitter, replace(self.kernel, element=element, formulas=(formula,)), scalars, None)

        self.terms = [body(access.forward, term) for term in terms]
        self.element = body(self.kernel.element, formula)
        outputs = range(len(self.kernel.outputs))
        self.inputs = range(len(outputs), len(self.pointers))
        self.of_elements = [k for k in outputs if self.statistics.held_by[k] < 0]
        self.of_rows = [k for k in outputs if self.statistics.held_by[k] >= 0]

    @property
    def lane_strides(self) -> list[ir.Value]:
        """Bytes from lane to lane, per operand."""
        raise NotImplementedError

    @contextmanager
    def lines(self, places: Pointers) -> Iterator[Pointers]:
        """A loop over a row's dimensions but the last; yields each operand's place."""
        f = self.function
        with ExitStack() as loops:
            for d, size in enumerate(self.sizes[:-1]):
                i = loops.enter_context(f.steps(I64(0), size))
                places = [f.at(place, f.mul(i, s[d])) for place, s in zip(places, self.strides, strict=True)]
            yield places

    def over_lanes(
        self,
        places: Pointers,
        size: ir.Value,
        step: int,
        visit: Visitor,
        load: Callable[[ir.Value, ir.Value | None], list[Vector]] | None = None,
    ) -> None:
        """Visit `size` elements from lane to lane, `step` vectors at a time, then one by one and masked.

        The inputs' vectors are visited, or those that `load(index, mask)` returns.
        """
        f, lanes = self.function, self.lanes
        whole = f.and_(size, I64(-lanes * step))
        with f.steps(I64(0), whole, lanes * step) as i:
            indices = [f.add(i, I64(lanes * v)) for v in range(step)]
            visit([load(i, None) if load else self._loaded(places, i) for i in indices], indices, None, 0)
        for v in range(step):
            index = f.add(whole, I64(lanes * v))
            with f.if_then(f.icmp_signed("<", index, size)):
                left = f.trunc(f.minimum(f.sub(size, index), I64(lanes)), I32)
                ascending = ir.Constant(self.emitter.vector_type(I32), list(range(lanes)))
                mask = f.icmp_signed("<", ascending, self.emitter.broadcast(left))
                visit([load(index, mask) if load else self._loaded(places, index, mask, left)], [index], mask, v)

    def _loaded(
        self, places: Pointers, index: ir.Value, mask: ir.Value | None = None, left: ir.Value | None = None
    ) -> list[Vector]:
        """A widened vector of each input."""
        return [self._load(k, places[k], index, mask, left) for k in self.inputs]

    def _lane_place(self, k: int, place: ir.Value, index: ir.Value, lane: int, left: ir.Value | None) -> ir.Value:
        """The address of a lane's element; of the last lane's for those that the mask leaves out."""
        f, number = self.function, I64(lane)
        if left is not None:
            number = f.minimum(number, f.sub(f.zext(left, I64), I64(1)))
        return f.at(place, f.mul(f.add(index, number), self.lane_strides[k]))

    def _load(self, k: int, place: ir.Value, index: ir.Value, mask: ir.Value | None, left: ir.Value | None) -> Vector:
        f, emitter, dtype = self.function, self.emitter, self.kernel.dtypes[k]
        type_, kind = casting.memory_type(dtype, self.lanes), self.spec.lanes[k]
        if kind == BROADCAST:
            raw = emitter.broadcast(f.load(place, typ=type_.element, align=1))
        elif kind == STRIDED:
            raw = ir.Constant(type_, ir.Undefined)
            for lane in range(self.lanes):
                element = f.load(self._lane_place(k, place, index, lane, left), typ=type_.element, align=1)
                raw = f.insert_element(raw, element, I32(lane))
        else:
            raw = self.load_raw(type_, self._contiguous(dtype, place, index), mask)
        return Vector(emitter, casting.widen(emitter, raw, dtype))

    def load_raw(self, type_: ir.VectorType, place: ir.Value, mask: ir.Value | None) -> ir.Value:
        """A vector in memory; zeros where the mask is false."""
        if mask is None:
            return self.function.load(place, typ=type_, align=1)
        return self.emitter.call(_masked("load", type_), type_, place, I32(1), mask, ir.Constant(type_, None))

    def store_raw(self, value: ir.Value, place: ir.Value, mask: ir.Value | None) -> None:
        """Store a vector where the mask is true."""
        if mask is None:
            self.function.store(value, place, align=1)
        else:
            self.emitter.call(_masked("store", value.type), VOID, value, place, I32(1), mask)

    def _contiguous(self, dtype: Dtype, place: ir.Value, index: ir.Value) -> ir.Value:
        return self.function.at(place, self.function.mul(index, I64(dtype.itemsize)))

    def store(self, k: int, place: ir.Value, index: ir.Value, value: Vector, mask: ir.Value | None) -> None:
        """Store a vector of an output, narrowed."""
        f, emitter, dtype = self.function, self.emitter, self.kernel.dtypes[k]
        raw = casting.narrow(emitter, value, dtype)
        if self.spec.lanes[k] == CONTIGUOUS:
            self.store_raw(raw, self._contiguous(dtype, place, index), mask)
            return
        for lane in range(self.lanes):
            with ExitStack() as branch:
                if mask is not None:
                    branch.enter_context(f.if_then(f.extract_element(mask, I32(lane))))
                f.store(f.extract_element(raw, I32(lane)), self._lane_place(k, place, index, lane, None), align=1)

    def computed(self, body: LoopBody, vectors: list[list[Vector]]) -> list[list[Vector]]:
        """A body's results for each vector, which is a list of its arguments."""
        inputs = [(vector, I64(0)) for vector in vectors]
        if self.emitter.target.tuning.interleave:
            return body.compute(inputs)
        return [body.compute([one])[0] for one in inputs]

    def store_elements(
        self,
        places: Pointers,
        vectors: list[list[Vector]],
        indices: list[ir.Value],
        mask: ir.Value | None,
    ) -> None:
        """Compute and store the elements of vectors, which are their inputs and statistics."""
        results = self.computed(self.element, vectors)
        for index, values in zip(indices, results, strict=True):
            for k, value in zip(self.of_elements, values, strict=True):
                self.store(k, places[k], index, value, mask)

    def widened(self, value: ir.Value) -> ir.Value:
        """A vector of terms in double."""
        return value if self.emitter.is_double else self.function.fpext(value, self.emitter.vector_type(DOUBLE))

    def narrowed(self, value: ir.Value) -> Vector:
        """A vector of totals in the compute dtype."""
        is_wide = self.emitter.is_double
        type_ = self.emitter.vector_type(self.emitter.element)
        return Vector(self.emitter, value if is_wide else self.function.fptrunc(value, type_))

    def larger(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """The larger one of a and b, neither for a NaN in b."""
        return self.function.select(self.function.fcmp_ordered(">", b, a), b, a)


class AlongRows(_RowLoop):
    """Lanes are consecutive elements of a row."""

    @property
    def lane_strides(self) -> list[ir.Value]:
        return [strides[-1] for strides in self.strides]

    def emit(self) -> None:
        """The loop over the rows."""
        f, rows = self.function, self.statistics
        self.step = max(self.unroll, PARTIAL_SUMS // self.lanes, 1)
        accumulators = [[self._accumulators(combine) for combine in one] for one in rows.passes]
        self.kept = KeptTerms(self) if rows.kept else None
        with f.steps(I64(0), self.count) as row:
            places = [f.at(p, f.mul(row, step)) for p, step in zip(self.pointers, self.steps, strict=True)]
            statistics: list[Vector] = []
            for combinations, places_on_stack in zip(rows.passes, accumulators, strict=True):
                statistics += self._pass(combinations, places_on_stack, places, statistics)
            for k in self.of_rows:
                raw = casting.narrow(self.emitter, statistics[rows.held_by[k]], self.kernel.dtypes[k])
                f.store(f.extract_element(raw, I32(0)), places[k], align=1)
            if self.of_elements:
                self._elements(places, statistics)
        f.end()

    def _accumulators(self, combine: str) -> list[ir.Value]:
        """Places on the stack: of partial sums in lanes, or of the largest of each vector of a step."""
        words = self.lanes if combine == TOTAL or self.emitter.is_double else -(-self.lanes // 2)
        count = max(1, PARTIAL_SUMS // self.lanes) if combine == TOTAL else self.step
        return [self.function.stack_words(words, "accumulator") for _ in range(count)]

    def _pass(
        self,
        combinations: Sequence[str],
        accumulators: Sequence[Sequence[ir.Value]],
        places: Pointers,
        earlier: list[Vector],
    ) -> list[Vector]:
        """The statistics of a pass over a row, each in every lane."""
        f, first_term = self.function, len(earlier)
        for combine, held in zip(combinations, accumulators, strict=True):
            for accumulator in held:
                f.store(self.start_of(combine), accumulator)
        is_last = first_term + len(combinations) == len(self.terms)

        def visit(vectors: list[list[Vector]], indices: list[ir.Value], mask: ir.Value | None, first: int) -> None:
            seen = [[*vector, *earlier] for vector in vectors]
            for body, combine, held in zip(self.terms[first_term:], combinations, accumulators, strict=False):
                values = [value for (value,) in self.computed(body, seen)]
                for number, value in enumerate(values, first):
                    self._accumulate(combine, held[number % len(held)], value, mask)
            if self.kept and is_last:
                self.kept.store(line, values, indices, mask)

        with self.lines(places) as line:
            self.over_lanes(line, self.sizes[-1], self.step, visit)
        return list(map(self._combined, combinations, accumulators))

    def start_of(self, combine: str) -> ir.Value:
        """A vector of the statistic of no terms."""
        return self.emitter.splat(0.0, DOUBLE) if combine == TOTAL else self.emitter.splat(-inf, self.emitter.element)

    def _accumulate(self, combine: str, accumulator: ir.Value, value: Vector, mask: ir.Value | None) -> None:
        f, start = self.function, self.start_of(combine)
        term = self.widened(value.value) if combine == TOTAL else value.value
        if mask is not None:
            term = f.select(mask, term, start)
        held = f.load(accumulator, typ=start.type)
        f.store(f.fadd(held, term) if combine == TOTAL else self.larger(held, term), accumulator)

    def _combined(self, combine: str, accumulators: Sequence[ir.Value]) -> Vector:
        """A statistic in every lane."""
        f, emitter, type_ = self.function, self.emitter, self.start_of(combine).type
        values = [f.load(accumulator, typ=type_) for accumulator in accumulators]
        number = f.extract_element(self._tree(values, combine), I32(0))
        if combine == TOTAL:
            return Vector(emitter, emitter.broadcast(number if emitter.is_double else f.fptrunc(number, FLOAT)))
        return Vector(emitter, emitter.broadcast(number)) + 0.0  # of the two zeros either may be the largest

    def _elements(self, places: Pointers, statistics: list[Vector]) -> None:
        """Compute and store a row's elements, from kept terms where there are any."""
        kept, size, step = self.kept, self.sizes[-1], self.step

        def from_terms(vectors: list[list[Vector]], indices: list[ir.Value], mask: ir.Value | None, _: int) -> None:
            self.store_elements(line, [[*vector, *statistics] for vector in vectors], indices, mask)

        def from_inputs(vectors: list[list[Vector]], indices: list[ir.Value], mask: ir.Value | None, _: int) -> None:
            if kept:
                earlier = statistics[: -len(self.statistics.passes[-1])]
                vectors = self.computed(self.terms[-1], [[*vector, *earlier] for vector in vectors])
            from_terms(vectors, indices, mask, _)

        with self.lines(places) as line, ExitStack() as branches:
            if kept:
                fits, is_longer = branches.enter_context(self.function.if_else(kept.fits()))
                with fits:
                    self.over_lanes(line, size, step, from_terms, partial(kept.load, line))
                branches.enter_context(is_longer)
            self.over_lanes(line, size, step, from_inputs)

    def _tree(self, values: list[ir.Value], combine: str) -> ir.Value:
        """The values of all lanes combined, in the first one: the upper half to the lower half, again and again."""
        f = self.function
        join = f.fadd if combine == TOTAL else self.larger
        while len(values) > 1:
            half = len(values) // 2
            values = [join(a, b) for a, b in zip(values[:half], values[half:], strict=True)]
        (value,) = values
        while value.type.count > 1:
            half = value.type.count // 2
            value = join(f.shuffle(value, value, range(half)), f.shuffle(value, value, range(half, 2 * half)))
        return value


class KeptTerms:
    """The terms of the last statistic, kept for the elements: in the output, or on the stack if a row fits there."""

    def __init__(self, loop: AlongRows):
        self.loop, self.function = loop, loop.function
        (self.output,) = loop.of_elements
        is_like = bits_of(loop.emitter.element) == 8 * loop.kernel.dtypes[self.output].itemsize
        self.in_output = is_like and loop.spec.lanes[self.output] == CONTIGUOUS
        words = KEPT * bits_of(loop.emitter.element) // 64
        self.array = None if self.in_output else self.function.stack_words(words, "kept")

    def fits(self) -> ir.Value:
        """Whether a row's terms are kept."""
        rest = [f.icmp_signed("==", size, I64(1)) for f in [self.function] for size in self.loop.sizes[:-1]]
        whole = self.function.icmp_signed("<=", self.loop.sizes[-1], I64((1 << 62) if self.in_output else KEPT))
        return reduce(self.function.and_, rest, whole)

    def _place(self, line: Pointers, index: ir.Value) -> ir.Value:
        base = line[self.output] if self.in_output else self.array
        return self.function.gep(base, [index], source_etype=self.loop.emitter.element)

    def store(self, line: Pointers, values: list[Vector], indices: list[ir.Value], mask: ir.Value | None) -> None:
        """Keep vectors of terms."""
        with self.function.if_then(self.fits()):
            for value, index in zip(values, indices, strict=True):
                self.loop.store_raw(value.value, self._place(line, index), mask)

    def load(self, line: Pointers, index: ir.Value, mask: ir.Value | None) -> list[Vector]:
        """A vector of kept terms."""
        type_ = self.loop.emitter.vector_type(self.loop.emitter.element)
        return [Vector(self.loop.emitter, self.loop.load_raw(type_, self._place(line, index), mask))]


class AcrossRows(_RowLoop):
    """Lanes are consecutive rows; COLUMNS of them are computed at a time."""

    @property
    def lane_strides(self) -> list[ir.Value]:
        return self.steps

    def emit(self) -> None:
        """The loop over the rows."""
        f = self.function
        self.found = [f.stack_words(COLUMNS, "statistic") for _ in self.terms]  # of each row, in the compute dtype
        most = max(map(len, self.statistics.passes))
        self.sums = [f.stack_words(COLUMNS * PARTIAL_SUMS, "sums") for _ in range(most)]  # of each total of a pass
        self.step = max(1, min(self.unroll, COLUMNS // self.lanes))
        with f.steps(I64(0), self.count, COLUMNS) as first:
            columns = f.minimum(f.sub(self.count, first), I64(COLUMNS))
            places = [f.at(p, f.mul(first, step)) for p, step in zip(self.pointers, self.steps, strict=True)]
            number = 0
            for combinations in self.statistics.passes:
                numbers = range(number, number + len(combinations))
                pass_ = list(zip(numbers, self.sums, combinations, strict=False))
                for one in pass_:
                    self._begin(*one, columns)
                self._visit_elements(places, columns, partial(self._accumulation, number, pass_))
                for one in pass_:
                    self._end(*one, columns)
                number = numbers.stop
            for k in self.of_rows:
                self._store_statistic(k, places[k], columns)
            if self.of_elements:
                self._visit_elements(places, columns, self._elements)
        f.end()

    def _visit_elements(self, places: Pointers, columns: ir.Value, visit: Callable[..., Visitor]) -> None:
        """Visit the rows' elements, all rows' first ones, then all rows' second ones, and so on."""
        f = self.function
        with self.lines(places) as line, f.steps(I64(0), self.sizes[-1]) as i:
            here = [f.at(place, f.mul(i, s[-1])) for place, s in zip(line, self.strides, strict=True)]
            self.over_lanes(here, columns, self.step, visit(here, i))

    def _elements(self, here: Pointers, _: ir.Value) -> Visitor:
        """A visit that computes and stores elements."""

        def visit(vectors: list[list[Vector]], indices: list[ir.Value], mask: ir.Value | None, _: int) -> None:
            found = [self._statistics(index, len(self.terms)) for index in indices]
            if self.statistics.kept:
                earlier = len(self.terms) - len(self.statistics.passes[-1])
                seen = [[*v, *s[:earlier]] for v, s in zip(vectors, found, strict=True)]
                vectors = self.computed(self.terms[-1], seen)
            self.store_elements(here, [[*v, *s] for v, s in zip(vectors, found, strict=True)], indices, mask)

        return visit

    def _accumulation(
        self, earlier: int, pass_: list[tuple[int, ir.Value, str]], here: Pointers, i: ir.Value
    ) -> Visitor:
        """A visit that adds the i-th terms of the rows to the statistics of a pass."""
        f = self.function
        partial_sum = f.mul(f.and_(i, I64(PARTIAL_SUMS - 1)), I64(COLUMNS))

        def visit(vectors: list[list[Vector]], indices: list[ir.Value], mask: ir.Value | None, _: int) -> None:
            seen = [[*v, *self._statistics(index, earlier)] for v, index in zip(vectors, indices, strict=True)]
            for number, sums, combine in pass_:
                for (value,), index in zip(self.computed(self.terms[number], seen), indices, strict=True):
                    if combine == TOTAL:
                        self._add(f.word_at(sums, f.add(partial_sum, index)), self.widened(value.value))
                    else:
                        place = self._found_at(number, index)
                        held = f.load(place, typ=value.value.type)
                        f.store(self.larger(held, value.value), place)

        return visit

    def _add(self, place: ir.Value, value: ir.Value) -> None:
        self.function.store(self.function.fadd(self.function.load(place, typ=value.type), value), place)

    def _found_at(self, number: int, index: ir.Value) -> ir.Value:
        return self.function.gep(self.found[number], [index], source_etype=self.emitter.element)

    def _statistics(self, index: ir.Value, count: int) -> list[Vector]:
        """The first `count` statistics of a vector of rows."""
        type_ = self.emitter.vector_type(self.emitter.element)
        places = [self._found_at(number, index) for number in range(count)]
        return [Vector(self.emitter, self.function.load(place, typ=type_)) for place in places]

    def _partial_sums(self) -> ir.Value:
        """The number of partial sums in use: of a short row fewer than all."""
        return self.function.minimum(self.sizes[-1], I64(PARTIAL_SUMS))

    def _begin(self, number: int, sums: ir.Value, combine: str, columns: ir.Value) -> None:
        """Clear a statistic, of which `sums` are the partial sums."""
        f, emitter = self.function, self.emitter
        with f.steps(I64(0), columns, self.lanes) as index:
            if combine == TOTAL:
                f.store(emitter.splat(0.0, DOUBLE), f.word_at(sums, index))
                with f.steps(I64(1), self._partial_sums()) as row:
                    place = f.word_at(sums, f.add(f.mul(row, I64(COLUMNS)), index))
                    f.store(emitter.splat(0.0, DOUBLE), place)
            else:
                f.store(emitter.splat(-inf, emitter.element), self._found_at(number, index))

    def _end(self, number: int, sums: ir.Value, combine: str, columns: ir.Value) -> None:
        """Add the partial sums as a tree."""
        f, type_ = self.function, self.emitter.vector_type(DOUBLE)
        half = PARTIAL_SUMS // 2
        while half and combine == TOTAL:
            used = f.minimum(self._partial_sums(), I64(2 * half))
            with f.steps(I64(half), used) as row, f.steps(I64(0), columns, self.lanes) as index:
                source = f.add(f.mul(row, I64(COLUMNS)), index)
                value = f.load(f.word_at(sums, source), typ=type_)
                self._add(f.word_at(sums, f.sub(source, I64(half * COLUMNS))), value)
            half //= 2
        with f.steps(I64(0), columns, self.lanes) as index:
            place = self._found_at(number, index)
            if combine == TOTAL:
                found = self.narrowed(f.load(f.word_at(sums, index), typ=type_))
            else:
                held = f.load(place, typ=self.emitter.vector_type(self.emitter.element))
                found = Vector(self.emitter, held) + 0.0  # of the two zeros either may be the largest
            f.store(found.value, place)

    def _store_statistic(self, k: int, place: ir.Value, columns: ir.Value) -> None:
        """An output's statistic of each row."""
        f, emitter = self.function, self.emitter
        dtype, held = self.kernel.dtypes[k], self.statistics.held_by[k]
        with f.steps(I64(0), columns) as index:
            number = f.load(self._found_at(held, index), typ=emitter.element)
            raw = casting.narrow(emitter, Vector(emitter, emitter.broadcast(number)), dtype)
            f.store(f.extract_element(raw, I32(0)), f.at(place, f.mul(index, self.steps[k])), align=1)


def _masked(what: str, type_: ir.VectorType) -> str:
    """The name of LLVM's masked load or store."""
    kind = "i" if isinstance(type_.element, ir.IntType) else "f"
    return f"llvm.masked.{what}.v{type_.count}{kind}{bits_of(type_.element)}.p0"
