"""The parts that loops over rows share: loads, stores, and the addresses of a row's elements.

    void row(char** operands, int64 n, void* scalars)      n rows; see `inner_loop`

After the scalars come the sizes of a row's dimensions, and then each operand's strides: along these dimensions, and
from one row to the next. Lanes are consecutive elements of a row, or, with `across`, consecutive rows.

Totals are summed in double. The element at index i of a row's last dimension goes to partial sum i modulo PARTIAL_SUMS,
and the partial sums are added as a tree. So a row's results have the same bits for every layout and number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import reduce

import llvmlite.ir as ir

from ...base.computation import ONCE_PER_ROW, RowStatistics, forward
from ...base.dtypes import Dtype
from ...base.loop import Operand
from ..formula import tracing
from . import casting
from .body import LoopBody
from .emitter import Emitter, Vector
from .ir_builder import IRFunction
from .ir_types import DOUBLE, I32, I64, PTR, VOID
from .kernel_spec import KernelSpec
from .operands import bits_of
from .target import Target
from .tuning import Tuning

PARTIAL_SUMS = 16
TERM_BYTES = 32 << 10  # bytes on the stack for the terms of a row, because a thread's stack may have only 64 KiB
COLUMNS = 64  # rows that are computed together, across lanes; they stay in the first-level cache
SUM_BYTES = 32 << 10  # most bytes on the stack for the partial sums of such rows
AHEAD = 8  # elements from the computed one to the prefetched one; measured on AMD Zen 4
CONTIGUOUS, BROADCAST, STRIDED = "contiguous", "broadcast", "strided"

Pointers = list[ir.Value]
#: A visit of vectors: their inputs, the indices of their first lanes, the last vector's mask, the first vector's
#: number.
Visitor = Callable[[list[list[Vector]], list[ir.Value], "ir.Value | None", int], None]


@dataclass(frozen=True)
class ReductionSpec:
    """Everything that determines the code of a loop over rows, except the target."""

    kernel: KernelSpec
    statistics: RowStatistics
    across: bool  # lanes are rows
    lanes: tuple[str, ...]  # per operand: CONTIGUOUS, BROADCAST or STRIDED from lane to lane
    is_large: bool = False  # whether the operands are larger than the caches
    streams: bool = False  # results bypass the caches if all rows of the outputs begin at a cache line


def lanes_of(operand: Operand, stride: int) -> str:
    """How the lanes of an operand are arranged in memory, for `stride` bytes from lane to lane."""
    return {operand.dtype.itemsize: CONTIGUOUS, 0: BROADCAST}.get(stride, STRIDED)


def pass_of_elements(kernel: KernelSpec, rows: RowStatistics) -> int | None:
    """The pass that also computes the elements: the last visit of a row, if no element needs its statistics.

    None if the elements need a separate visit.
    """
    if rows.replaces_inputs:
        return None
    last = max(k for k, combinations in enumerate(rows.passes) if combinations not in ONCE_PER_ROW)
    earlier, count = (sum(map(len, passes)) for passes in (rows.passes[:last], rows.passes))
    inputs = len(kernel.inputs)
    needed = tracing.dependencies(kernel.element, kernel.formulas[0], inputs + count + kernel.scalars)
    return None if needed.intersection(range(inputs + earlier, inputs + count)) else last


def column_count(spec: ReductionSpec, tuning: Tuning) -> int:
    """The number of rows that are computed together, across lanes."""
    columns = tuning.row_columns if spec.is_large else COLUMNS
    most = max(map(len, spec.statistics.passes))
    while 8 * columns * PARTIAL_SUMS * most > SUM_BYTES:
        columns //= 2
    return columns


class RowLoop:
    """The parts that lanes along rows and lanes across rows share."""

    def __init__(self, module: ir.Module, spec: ReductionSpec, target: Target):
        self.function = f = IRFunction(module, "row", (PTR, I64, PTR), public=True)
        self.spec, self.kernel, self.statistics = spec, spec.kernel, spec.statistics
        self.emitter = emitter = Emitter(f, target, self.kernel.compute)
        self.lanes, self.unroll = emitter.lanes, target.tuning.row_unroll
        self.is_streaming = False  # true while streaming stores are emitted
        pointers, self.count, scalars = f.arguments
        self.pointers = [f.word(pointers, k, PTR) for k in range(len(self.kernel.dtypes))]
        words = iter(range(self.kernel.scalars, 1 << 10))
        self.sizes = [f.word(scalars, next(words)) for _ in range(self.statistics.dims)]
        strides = [[f.word(scalars, next(words)) for _ in range(self.statistics.dims + 1)] for _ in self.pointers]
        self.strides, self.steps = [s[:-1] for s in strides], [s[-1] for s in strides]
        formula, *terms = self.kernel.formulas

        def body(element: Callable[..., object], formula: Callable[..., object]) -> LoopBody:
            return LoopBody(emitter, replace(self.kernel, element=element, formulas=(formula,)), scalars, None)

        self.terms = [body(forward, term) for term in terms]
        self.element = body(self.kernel.element, formula)
        outputs = range(len(self.kernel.outputs))
        self.inputs = range(len(outputs), len(self.pointers))
        self.of_elements = [k for k in outputs if self.statistics.output_statistics[k] < 0]
        self.of_rows = [k for k in outputs if self.statistics.output_statistics[k] >= 0]
        self.elements_pass = pass_of_elements(self.kernel, self.statistics) if self.of_elements else None

    def with_zeros(self, arguments: list[Vector]) -> list[Vector]:
        """The arguments of a term, and zeros for later statistics, for elements that do not need these."""
        return [*arguments, *[self.emitter.vector(0.0)] * (len(self.inputs) + len(self.terms) - len(arguments))]

    @property
    def lane_strides(self) -> list[ir.Value]:
        """Bytes from lane to lane, per operand."""
        raise NotImplementedError

    @contextmanager
    def lines(self, pointers: Pointers) -> Iterator[Pointers]:
        """A loop over all dimensions of a row but the last; yields each operand's pointers."""
        f = self.function
        with ExitStack() as loops:
            for d, size in enumerate(self.sizes[:-1]):
                i = loops.enter_context(f.steps(I64(0), size))
                pointers = [f.at(pointer, f.mul(i, s[d])) for pointer, s in zip(pointers, self.strides, strict=True)]
            yield pointers

    def over_lanes(
        self,
        pointers: Pointers,
        size: ir.Value,
        step: int,
        visit: Visitor,
        load: Callable[[ir.Value, ir.Value | None], list[Vector]] | None = None,
    ) -> None:
        """Visit `size` elements from lane to lane, `step` vectors at a time, then one vector at a time, with a mask.

        The visit gets the inputs' vectors, or the vectors that `load(index, mask)` returns.
        """
        f, lanes = self.function, self.lanes
        full = f.and_(size, I64(-lanes * step))
        with f.steps(I64(0), full, lanes * step) as i:
            indices = [f.add(i, I64(lanes * v)) for v in range(step)]
            visit([load(i, None) if load else self._loaded(pointers, i) for i in indices], indices, None, 0)
        for v in range(step):
            index = f.add(full, I64(lanes * v))
            with f.if_then(f.icmp_signed("<", index, size)):
                left = f.trunc(f.minimum(f.sub(size, index), I64(lanes)), I32)
                ascending = ir.Constant(self.emitter.vector_type(I32), list(range(lanes)))
                mask = f.icmp_signed("<", ascending, self.emitter.broadcast(left))
                visit([load(index, mask) if load else self._loaded(pointers, index, mask, left)], [index], mask, v)

    def _loaded(
        self, pointers: Pointers, index: ir.Value, mask: ir.Value | None = None, left: ir.Value | None = None
    ) -> list[Vector]:
        """A widened vector of each input."""
        return [self._load(k, pointers[k], index, mask, left) for k in self.inputs]

    def _lane_pointer(self, k: int, pointer: ir.Value, index: ir.Value, lane: int, left: ir.Value | None) -> ir.Value:
        """The address of a lane's element. Lanes outside the mask have the address of the last lane."""
        f, number = self.function, I64(lane)
        if left is not None:
            number = f.minimum(number, f.sub(f.zext(left, I64), I64(1)))
        return f.at(pointer, f.mul(f.add(index, number), self.lane_strides[k]))

    def _load(self, k: int, pointer: ir.Value, index: ir.Value, mask: ir.Value | None, left: ir.Value | None) -> Vector:
        f, emitter, dtype = self.function, self.emitter, self.kernel.dtypes[k]
        type_, kind = casting.memory_type(dtype, self.lanes), self.spec.lanes[k]
        if kind == BROADCAST:
            raw = emitter.broadcast(f.load(pointer, typ=type_.element, align=1))
        elif kind == STRIDED:
            raw = ir.Constant(type_, ir.Undefined)
            for lane in range(self.lanes):
                element = f.load(self._lane_pointer(k, pointer, index, lane, left), typ=type_.element, align=1)
                raw = f.insert_element(raw, element, I32(lane))
        else:
            raw = load_vector(emitter, type_, _element_at(f, dtype, pointer, index), mask)
        return Vector(emitter, casting.widen(emitter, raw, dtype))

    def store(self, k: int, pointer: ir.Value, index: ir.Value, value: Vector, mask: ir.Value | None) -> None:
        """Store a vector of an output, narrowed."""
        f, emitter, dtype = self.function, self.emitter, self.kernel.dtypes[k]
        raw = casting.narrow(emitter, value, dtype)
        if self.spec.lanes[k] == CONTIGUOUS:
            here = _element_at(f, dtype, pointer, index)
            if self.is_streaming and mask is None:
                f.stream(raw, here, align=raw.type.count * bits_of(raw.type.element) // 8)
            else:
                store_vector(emitter, raw, here, mask)
            return
        for lane in range(self.lanes):
            with ExitStack() as branch:
                if mask is not None:
                    branch.enter_context(f.if_then(f.extract_element(mask, I32(lane))))
                f.store(f.extract_element(raw, I32(lane)), self._lane_pointer(k, pointer, index, lane, None), align=1)

    def computed(self, body: LoopBody, vectors: list[list[Vector]]) -> list[list[Vector]]:
        """A body's results for each vector. A vector is a list of arguments."""
        inputs = [(vector, I64(0)) for vector in vectors]
        if self.emitter.target.tuning.row_interleave:
            return body.compute(inputs)
        return [body.compute([vector])[0] for vector in inputs]

    def store_elements(
        self,
        pointers: Pointers,
        vectors: list[list[Vector]],
        indices: list[ir.Value],
        mask: ir.Value | None,
    ) -> None:
        """Compute and store the elements of `vectors`, which are lists of inputs and statistics."""
        results = self.computed(self.element, vectors)
        for index, values in zip(indices, results, strict=True):
            for k, value in zip(self.of_elements, values, strict=True):
                self.store(k, pointers[k], index, value, mask)

    def length(self) -> Vector:
        """The number of a row's elements, in every lane."""
        f = self.function
        return self.narrowed(self.emitter.broadcast(f.sitofp(reduce(f.mul, self.sizes), DOUBLE)))

    def widened(self, value: ir.Value) -> ir.Value:
        """A vector of terms in double."""
        return value if self.emitter.is_double else self.function.fpext(value, self.emitter.vector_type(DOUBLE))

    def narrowed(self, value: ir.Value) -> Vector:
        """A vector of totals in the compute dtype."""
        is_wide = self.emitter.is_double
        type_ = self.emitter.vector_type(self.emitter.element)
        return Vector(self.emitter, value if is_wide else self.function.fptrunc(value, type_))


def _element_at(f: IRFunction, dtype: Dtype, pointer: ir.Value, index: ir.Value) -> ir.Value:
    return f.at(pointer, f.mul(index, I64(dtype.itemsize)))


def load_vector(emitter: Emitter, type_: ir.VectorType, pointer: ir.Value, mask: ir.Value | None) -> ir.Value:
    """A vector in memory. Lanes are 0 if their mask is false."""
    if mask is None:
        return emitter.builder.load(pointer, typ=type_, align=1)
    return emitter.call(_masked("load", type_), type_, pointer, I32(1), mask, ir.Constant(type_, None))


def store_vector(emitter: Emitter, value: ir.Value, pointer: ir.Value, mask: ir.Value | None) -> None:
    """Store the lanes of a vector whose mask is true."""
    if mask is None:
        emitter.builder.store(value, pointer, align=1)
    else:
        emitter.call(_masked("store", value.type), VOID, value, pointer, I32(1), mask)


def larger(f: IRFunction, a: ir.Value, b: ir.Value) -> ir.Value:
    """The larger of a and b; a if either is NaN."""
    return f.select(f.fcmp_ordered(">", b, a), b, a)


def _masked(action: str, type_: ir.VectorType) -> str:
    """The name of LLVM's masked load or store."""
    kind = "i" if isinstance(type_.element, ir.IntType) else "f"
    return f"llvm.masked.{action}.v{type_.count}{kind}{bits_of(type_.element)}.p0"
