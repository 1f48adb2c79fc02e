"""How a processor computes the polynomial of the piece that a number lies in: `piecewise` of primitives.py, in float32.

Processors differ in how the lanes of a vector get the coefficients of their pieces, and so in the tables that suit them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import llvmlite.ir as ir

from .. import coefficients, cubics

if TYPE_CHECKING:
    from .vectors import Emitter, Vector

I8, I32, I64, FLOAT = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.FloatType()
QUAD = ir.VectorType(FLOAT, 4)

Table = Sequence[Sequence[float]]


class FromRegisters:
    """32 pieces: each coefficient of theirs lies in two registers, from which one instruction picks a vector."""

    def __init__(self, emitter: Emitter):
        self.emitter = emitter
        self.tables = coefficients.FLOAT32_PIECES

    def begin(self) -> None:
        """Nothing is kept that a formula, traced from its beginning, must not meet again."""

    def piecewise(self, x: Any, end: float, scale: float, pieces: Table) -> tuple[Vector, Vector]:
        emitter = self.emitter
        number, u = _number_and_place(emitter, x, end, scale)

        def picked(numbers: Sequence[float]) -> Vector:
            """The number of each lane's piece: of `number` only the last five bits are looked at."""
            low, high = (ir.Constant(emitter.vector_type(FLOAT), list(half)) for half in (numbers[:16], numbers[16:]))
            return emitter.from_bits(emitter.call("llvm.x86.avx512.vpermi2var.ps.512", low.type, low, number, high))

        slope, second, *others = (picked(numbers) for numbers in zip(*pieces, strict=True))
        value = emitter.fma(slope, u, second)
        for coefficient in others:
            slope, value = emitter.fma(slope, u, value), emitter.fma(value, u, coefficient)
        return value, slope


class FromMemory:
    """Many pieces, each a row of four coefficients: a row is loaded for each lane, and the rows are transposed.

    Where a row lies must be known before it can be loaded. That is noted for a block of vectors before the first of them
    is computed: a formula is traced twice, `noting` and then `picking`. Otherwise a processor, which has room for what
    two or three vectors need, would wait for each of them.
    """

    BLOCK = 256  # elements

    def __init__(self, emitter: Emitter):
        self.emitter = emitter
        self.tables = cubics.tables()
        self._is_noting = False
        self._place: ir.Value | None = None
        self._known: list[tuple[ir.Value, Table, tuple[Vector, Vector]]] = []

    @contextmanager
    def noting(self, place: ir.Value) -> Iterator[None]:
        """Within it, for one vector, `piecewise` notes rows from `place` on; its results mean nothing."""
        self._is_noting, self._place = True, place
        yield

    @contextmanager
    def picking(self, place: ir.Value) -> Iterator[None]:
        """Within it, for one vector, `piecewise` uses what was noted from `place` on."""
        self._is_noting, self._place = False, place
        yield

    def begin(self) -> None:
        """A formula is traced from its beginning: its notes are counted anew."""
        self._known.clear()

    @property
    def notes(self) -> int:
        """How many words were noted, or used, of each element since the beginning."""
        return len(self._known)

    def piecewise(self, x: Any, end: float, scale: float, pieces: Table) -> tuple[Vector, Vector]:
        source = _without_sign(self.emitter.vector(x).value)
        for known, table, result in self._known:
            if known is source and table is pieces:
                return result
        result = self._result(x, end, scale, pieces)
        self._known.append((source, pieces, result))
        return result

    def _result(self, x: Any, end: float, scale: float, pieces: Table) -> tuple[Vector, Vector]:
        emitter, builder = self.emitter, self.emitter.builder
        number, u = _number_and_place(emitter, x, end, scale)
        notes = builder.gep(self._place, [I64(4 * self.BLOCK * self.notes)], source_etype=I8)
        if self._is_noting:
            builder.store(_offsets(emitter, number, pieces), notes, align=4 * emitter.lanes)
            return u, u
        table = _constant(builder.module, pieces)
        rows = []
        for lane in range(emitter.lanes):
            offset = builder.load(builder.gep(notes, [I64(4 * lane)], source_etype=I8), typ=I32, align=4)
            rows.append(builder.gep(table, [builder.zext(offset, I64)], source_etype=I8))
        value, *slope = (
            emitter.polynomial(u, tuple(map(emitter.from_bits, _columns(builder, rows, first))))
            for first in range(0, len(pieces[0]), 4)
        )
        return value, *(slope or [None])


#: By `picks` of a target.
PICKS = {"registers": FromRegisters, "memory": FromMemory}


def _number_and_place(emitter: Emitter, x: Any, end: float, scale: float) -> tuple[ir.Value, Vector]:
    """The piece, whose number is in the last bits of a word, and where in it |x|, but at most `end`, lies."""
    a = emitter.minimum(emitter.abs(x), end)
    biased = emitter.fma(a, scale, emitter.magic)
    return emitter.bits(biased), emitter.fma(a, scale, emitter.magic - biased)


def _without_sign(value: ir.Value) -> ir.Value:
    """What `value` is or is the negative of."""
    return value.operands[0] if isinstance(value, ir.Instruction) and value.opname == "fneg" else value


def _row_bytes(pieces: Table) -> int:
    return 4 * len(pieces[0])


def _rows(pieces: Table) -> int:
    """Of the table in memory: a power of two, so that no bits of a NaN lead out of it."""
    return 1 << (len(pieces) - 1).bit_length()


def _offsets(emitter: Emitter, number: ir.Value, pieces: Table) -> ir.Value:
    """Bytes from a table's beginning to the rows of these numbers."""
    size = _row_bytes(pieces)
    shifted = emitter.builder.shl(number, emitter.splat(size.bit_length() - 1, I32))
    return emitter.builder.and_(shifted, emitter.splat((_rows(pieces) - 1) * size, I32))


def _constant(module: ir.Module, pieces: Table) -> ir.Value:
    """The table's address."""
    name = f"pieces_{id(pieces)}"
    if name not in module.globals:
        filled = [*pieces, *[(0.0,) * len(pieces[0])] * (_rows(pieces) - len(pieces))]
        content = ir.Constant.literal_array([ir.Constant.literal_array([FLOAT(n) for n in row]) for row in filled])
        table = ir.GlobalVariable(module, content.type, name)
        table.initializer, table.global_constant, table.linkage, table.align = content, True, "private", 64
    return module.globals[name]


def _columns(builder: ir.IRBuilder, rows: Sequence[ir.Value], first: int) -> list[ir.Value]:
    """Four columns, from `first` on, of eight rows; what is done in a register is done in both of its halves."""
    quads = [builder.load(builder.gep(row, [I64(4 * first)], source_etype=I8), typ=QUAD, align=16) for row in rows]
    a, b, c, d = (_shuffled(builder, quads[k], quads[k + 4], range(8)) for k in range(4))
    columns = []
    for low in (0, 2):
        pairs = [h + n + x for h in (0, 4) for n in (low, low + 1) for x in (0, 8)]
        ab, cd = _shuffled(builder, a, b, pairs), _shuffled(builder, c, d, pairs)
        for k in (0, 2):
            columns.append(_shuffled(builder, ab, cd, [h + x + k + n for h in (0, 4) for x in (0, 8) for n in (0, 1)]))
    return columns


def _shuffled(builder: ir.IRBuilder, x: ir.Value, y: ir.Value, order: Sequence[int]) -> ir.Value:
    return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(I32, len(order)), list(order)))
