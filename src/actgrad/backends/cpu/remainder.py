"""The end of a row, which is shorter than a step: whole vectors, then a last, incomplete vector."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import llvmlite.ir as ir

from .body import LoopBody
from .emitter import Emitter
from .ir_types import I1, I32, I64, VOID
from .operands import Operands, RowPointer, bits_of


def remainder_of(operands: Operands, body: LoopBody, count: ir.Value) -> MaskedRemainder | OverlappingRemainder:
    """The remainder for these operands: masked if the target can mask all of them."""
    masked_bytes = operands.emitter.target.masked_bytes
    dtypes = (row.dtype for row in operands.rows)
    if all(dtype.kind != "complex" and dtype.itemsize in masked_bytes for dtype in dtypes):
        return MaskedRemainder(operands, body, count)
    return OverlappingRemainder(operands, body, count)


class _Remainder:
    """The elements of a row after the last whole step of the main loop."""

    def __init__(self, operands: Operands, body: LoopBody, count: ir.Value):
        self.operands = operands
        self.emitter: Emitter = operands.emitter
        self.function = operands.emitter.builder
        self.body = body
        self.count = count

    def prepare(self, step: int) -> None:
        """Save nothing before the main loop."""

    def _computed(self, load: Callable[[RowPointer], ir.Value]) -> list[tuple[RowPointer, ir.Value]]:
        """Each output with a vector in the output's storage dtype; `load` loads the inputs."""
        vector = (self.operands.inputs_by(load), I64(0))
        if self.body.has_lookups:
            self.body.record([vector])
        (results,) = self.body.compute([vector])
        return list(zip(self.operands.outputs, self.operands.narrowed(results), strict=True))


class MaskedRemainder(_Remainder):
    """Masks the last vector's loads and stores."""

    def emit(self, start: ir.Value) -> None:
        """Compute the elements from `start` on."""
        function, operands, emitter, lanes = self.function, self.operands, self.emitter, self.emitter.lanes
        with function.steps(start, self.count, lanes) as i:
            left = function.minimum(function.sub(self.count, i), I64(lanes))
            numbers = emitter.broadcast(function.trunc(left, I32))
            ascending = ir.Constant(emitter.vector_type(I32), list(range(lanes)))
            mask = function.icmp_signed("<", ascending, numbers)
            results = self._computed(partial(self._load, i, mask))
            stores = [(value, operands.pointer_to(row, i)) for row, value in results]
            is_whole = function.icmp_signed("==", left, I64(lanes))
            with function.if_else(is_whole) as (complete, part):  # a masked store may take as long as the formula
                with complete:
                    for value, pointer in stores:
                        function.store(value, pointer, align=1)
                with part:
                    for value, pointer in stores:
                        name = f"llvm.masked.store.{_suffix(value.type)}.p0"
                        emitter.call(name, VOID, value, pointer, I32(1), mask)

    def _load(self, index: ir.Value, mask: ir.Value, row: RowPointer) -> ir.Value:
        type_, pointer = self.operands.type_of(row), self.operands.pointer_to(row, index)
        name = f"llvm.masked.load.{_suffix(type_)}.p0"
        return self.emitter.call(name, type_, pointer, I32(1), mask, ir.Constant(type_, None))


class OverlappingRemainder(_Remainder):
    """Computes the row's last vector whole, so it computes some elements twice.

    Copies a row that is shorter than a vector.
    """

    def __init__(self, operands: Operands, body: LoopBody, count: ir.Value):
        super().__init__(operands, body, count)
        widest = max(operands.type_of(row).count for row in operands.rows)
        self.saved = {row.pointer: self.function.stack_words(widest, "saved") for row in operands.inputs}
        self.result = self.function.stack_words(widest, "result")

    def prepare(self, step: int) -> None:
        """Save the last input vectors before the main loop if it leaves a remainder: outputs may overwrite them."""
        function, operands = self.function, self.operands
        rest = function.and_(self.count, I64(step - 1))
        with function.if_then(function.icmp_signed("!=", rest, I64(0))), self._if_long() as (long, short):
            with long:
                for row in operands.varying_inputs:
                    function.store(operands.load(self._last, row), self.saved[row.pointer])
            with short:
                for row in operands.varying_inputs:
                    function.store(ir.Constant(operands.type_of(row), None), self.saved[row.pointer])
                    self._copy(self.saved[row.pointer], row.pointer, row)

    def emit(self, start: ir.Value) -> None:
        """Compute the elements from `start` on."""
        function, operands, lanes = self.function, self.operands, self.emitter.lanes
        with function.steps(start, self.count, lanes) as i:
            is_whole = function.icmp_signed("<=", function.add(i, I64(lanes)), self.count)
            stores = self._computed(partial(self._load, i, is_whole))
            with self._if_long() as (long, short):
                with long:
                    for row, value in stores:
                        pointer = operands.pointer_to(row, function.minimum(i, self._last))
                        function.store(value, pointer, align=1)
                with short:
                    for row, value in stores:
                        function.store(value, self.result)
                        self._copy(row.pointer, self.result, row)

    def _load(self, index: ir.Value, is_whole: ir.Value, row: RowPointer) -> ir.Value:
        pointer = self.function.select(is_whole, self.operands.pointer_to(row, index), self.saved[row.pointer])
        return self.function.load(pointer, typ=self.operands.type_of(row), align=1)

    @property
    def _last(self) -> ir.Value:
        """The first element of the row's last vector; below 0 if the row is shorter than a vector."""
        return self.function.sub(self.count, I64(self.emitter.lanes))

    def _if_long(self) -> Any:
        """Two branches: for rows that fill a vector, and for shorter rows."""
        return self.function.if_else(self.function.icmp_signed(">=", self._last, I64(0)))

    def _copy(self, target: ir.Value, source: ir.Value, row: RowPointer) -> None:
        """Copy a row, with the operand's size."""
        size = self.function.mul(self.count, I64(row.dtype.itemsize))
        self.emitter.call("llvm.memcpy.p0.p0.i64", VOID, target, source, size, I1(0))


def _suffix(type_: ir.VectorType) -> str:
    kind = "i" if isinstance(type_.element, ir.IntType) else "f"
    return f"v{type_.count}{kind}{bits_of(type_.element)}"
