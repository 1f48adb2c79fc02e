"""How a processor computes the polynomial of the piece that a number lies in: `piecewise` of primitives.py.

Processors differ in how the lanes of a vector get the coefficients of their pieces, and so in what tables suit them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import llvmlite.ir as ir

from ..formula import coefficients, cubics
from .ir_builder import Function
from .ir_types import FLOAT, I8, I32, I64
from .lookup_buffer import Notes

if TYPE_CHECKING:
    from .emitter import Emitter, Vector

ROW_SHIFT = 4  # a row of a table has 2**4 bytes

Tables = Sequence[Any]
Result = tuple["Vector", "Vector | None"]


class FromRegisters:
    """32 pieces: each coefficient of theirs lies in two registers, from which one instruction picks a vector."""

    def __init__(self, emitter: Emitter):
        self.emitter = emitter
        self.tables = coefficients.FLOAT32_PIECES

    def piecewise(self, x: Any, end: float, scale: float, pieces: Tables) -> tuple[Vector, Vector]:
        emitter = self.emitter
        number, u = _piece_of(emitter, emitter.minimum(emitter.abs(x), end), scale)

        def picked(numbers: Sequence[float]) -> Vector:
            """The number of each lane's piece: of `number` only the last five bits are looked at."""
            low, high = (ir.Constant(emitter.vector_type(FLOAT), list(half)) for half in (numbers[:16], numbers[16:]))
            return emitter.from_bits(emitter.call("llvm.x86.avx512.vpermi2var.ps.512", low.type, low, number, high))

        slope, second, *others = (picked(numbers) for numbers in zip(*pieces, strict=True))
        value = emitter.fma(slope, u, second)
        for coefficient in others:
            slope, value = emitter.fma(slope, u, value), emitter.fma(value, u, coefficient)
        return value, slope


class FromMemory(Notes):
    """Many pieces, as cubics: a row of four coefficients is loaded for each lane, and the rows are transposed.

    Where a row lies must be known before it can be loaded: that is what is noted.
    """

    def __init__(self, emitter: Emitter):
        super().__init__(emitter)
        self.tables = cubics.tables()
        self._known: list[tuple[ir.Value, Tables, Result]] = []

    def begin(self) -> None:
        super().begin()
        self._known.clear()

    def piecewise(self, x: Any, end: float, scale: float, pieces: Tables) -> Result:
        source = _without_sign(self.emitter.vector(x).value)
        for known, tables, result in self._known:
            if known is source and tables is pieces:
                return result
        result = self._result(x, end, scale, pieces)
        self._known.append((source, pieces, result))
        return result

    def _result(self, x: Any, end: float, scale: float, pieces: Tables) -> Result:
        emitter, builder = self.emitter, self.emitter.builder
        notes = self.room(words=1)
        if self.is_noting:
            a = emitter.abs(x)
            a = emitter.where(a < end, a, end)  # of a NaN the last row is noted
            number, u = _piece_of(emitter, a, scale)
            builder.store(builder.shl(number, emitter.splat(ROW_SHIFT, I32)), notes, align=4 * emitter.lanes)
            return u, u
        _, u = _piece_of(emitter, emitter.minimum(emitter.abs(x), end), scale)
        words = [builder.load(builder.at(notes, 4 * lane), typ=I32, align=4) for lane in range(emitter.lanes)]
        offsets = [builder.zext(word, I64) for word in words]
        above_number = emitter.pattern(emitter.magic) << ROW_SHIFT & 0xFFFF_FFFF
        tables = [builder.at(_constant(builder.module, rows), -above_number) for rows in pieces]
        value, *slope = (emitter.polynomial(u, _columns(emitter, table, offsets)) for table in tables)
        return value, slope[0] if slope else None


#: By `picks` of a target.
PICKS: dict[str, type[FromRegisters] | type[FromMemory]] = {"registers": FromRegisters, "memory": FromMemory}


def _piece_of(emitter: Emitter, a: Vector, scale: float) -> tuple[ir.Value, Vector]:
    """The number of the piece that a lies in, plus the emitter's magic number, as a word; and where in that piece."""
    biased = emitter.fma(a, scale, emitter.magic)
    return emitter.bits(biased), emitter.fma(a, scale, emitter.magic - biased)


def _without_sign(value: ir.Value) -> ir.Value:
    """What `value` is or is the negative of."""
    return value.operands[0] if isinstance(value, ir.Instruction) and value.opname == "fneg" else value


def _constant(module: ir.Module, table: Any) -> ir.Value:
    """The address of the table's rows, which become part of the module."""
    name = f"pieces_{id(table)}"
    if name not in module.globals:
        content = bytearray(table.tobytes())
        constant = ir.GlobalVariable(module, ir.ArrayType(I8, len(content)), name)
        constant.initializer = ir.Constant(constant.type.pointee, content)
        constant.global_constant, constant.linkage, constant.align = True, "private", 64
    return module.globals[name]


def _columns(emitter: Emitter, table: ir.Value, offsets: Sequence[ir.Value]) -> tuple[Vector, ...]:
    """The four columns of eight rows; what is done in a register is done in both of its halves."""
    builder = emitter.builder
    rows = [builder.load(builder.at(table, offset), typ=ir.VectorType(FLOAT, 4), align=16) for offset in offsets]
    a, b, c, d = (_shuffled(builder, rows[k], rows[k + 4], range(8)) for k in range(4))
    columns = []
    for low in (0, 2):
        pairs = [half + n + x for half in (0, 4) for n in (low, low + 1) for x in (0, 8)]
        ab, cd = _shuffled(builder, a, b, pairs), _shuffled(builder, c, d, pairs)
        for k in (0, 2):
            order = [half + k + x + n for half in (0, 4) for x in (0, 8) for n in (0, 1)]
            columns.append(emitter.from_bits(_shuffled(builder, ab, cd, order)))
    return tuple(columns)


def _shuffled(builder: Function, x: ir.Value, y: ir.Value, order: Sequence[int]) -> ir.Value:
    return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(I32, len(order)), list(order)))
