"""Two ways to evaluate `primitives.piecewise`, the polynomial of the piece that a number is in.

Processors differ in how the lanes of a vector get the coefficients of their pieces, so each way has its own tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import llvmlite.ir as ir

from ..formula import coefficients, cubics
from ..formula.tracing import pattern
from .emitter import Emitter, Vector
from .ir_types import FLOAT, I8, I32, I64
from .lookup_buffer import LookupBuffer

ROW_SHIFT = 4  # a row of a table has 2**4 bytes

Tables = Sequence[Any]
ValueAndSlope = tuple[Vector, Vector | None]


class Piecewise(NamedTuple):
    """A way to evaluate piecewise polynomials, and the tables for it."""

    tables: Mapping[str, Any]  # constants that replace constants of `accurate`
    evaluate: Callable[..., ValueAndSlope]  # (emitter, x, end, scale, tables), like `primitives.piecewise`


def choose(tuning: str, buffer: LookupBuffer) -> Piecewise | None:
    """How to evaluate piecewise polynomials on this target. None if the target uses no tables of coefficients."""
    if tuning == "registers":
        return Piecewise(coefficients.FLOAT32_PIECES, _from_registers)
    return Piecewise(cubics.tables(), partial(_from_memory, buffer)) if tuning == "memory" else None


def _from_registers(emitter: Emitter, x: Any, end: float, scale: float, tables: Tables) -> ValueAndSlope:
    """Evaluate 32 pieces. Two registers hold one coefficient of all pieces, and one instruction picks it per lane."""
    number, u = _piece_of(emitter, emitter.minimum(emitter.abs(x), end), scale)

    def picked(numbers: Sequence[float]) -> Vector:
        """The coefficient of each lane's piece; the instruction uses the last five bits of `number`."""
        low, high = (ir.Constant(emitter.vector_type(FLOAT), list(half)) for half in (numbers[:16], numbers[16:]))
        return emitter.from_bits(emitter.call("llvm.x86.avx512.vpermi2var.ps.512", low.type, low, number, high))

    slope, second, *higher = (picked(numbers) for numbers in zip(*tables, strict=True))
    value = _fma(emitter, slope, u, second)
    for coefficient in higher:
        slope, value = _fma(emitter, slope, u, value), _fma(emitter, value, u, coefficient)
    return value, slope


def _from_memory(
    buffer: LookupBuffer, emitter: Emitter, x: Any, end: float, scale: float, tables: Tables
) -> ValueAndSlope:
    """Evaluate thousands of pieces, as cubics.

    Each lane loads a row of four coefficients, and the code transposes them.

    The lookup buffer holds the offset of each lane's row.
    """
    key = (_without_sign(emitter.vector(x).value), id(tables))
    if key not in buffer.results:
        buffer.results[key] = (_record if buffer.is_recording else _replay)(buffer, emitter, x, end, scale, tables)
    result: ValueAndSlope = buffer.results[key]
    return result


def _record(buffer: LookupBuffer, emitter: Emitter, x: Any, end: float, scale: float, tables: Tables) -> ValueAndSlope:
    builder, words = emitter.builder, buffer.next_words(1)
    a = emitter.abs(x)
    a = emitter.where(a < end, a, end)  # a NaN takes the last row
    number, u = _piece_of(emitter, a, scale)
    builder.store(builder.shl(number, emitter.splat(ROW_SHIFT, I32)), words, align=4 * emitter.lanes)
    return u, u


def _replay(buffer: LookupBuffer, emitter: Emitter, x: Any, end: float, scale: float, tables: Tables) -> ValueAndSlope:
    builder, words = emitter.builder, buffer.next_words(1)
    _, u = _piece_of(emitter, emitter.minimum(emitter.abs(x), end), scale)
    rows = [builder.load(builder.at(words, 4 * lane), typ=I32, align=4) for lane in range(emitter.lanes)]
    offsets = [builder.zext(row, I64) for row in rows]
    above_number = pattern(emitter.magic, is_double=False) << ROW_SHIFT & 0xFFFF_FFFF
    pointers = [builder.at(_constant(builder.module, rows), -above_number) for rows in tables]
    value, *slope = (_cubic(emitter, u, _columns(emitter, pointer, offsets)) for pointer in pointers)
    return value, slope[0] if slope else None


def _fma(emitter: Emitter, a: Any, b: Any, c: Any) -> Vector:
    return emitter.map("fma", a, b, c)


def _cubic(emitter: Emitter, u: Vector, coefficients: Sequence[Vector]) -> Vector:
    value, *higher = coefficients
    for coefficient in higher:
        value = _fma(emitter, value, u, coefficient)
    return value


def _piece_of(emitter: Emitter, a: Vector, scale: float) -> tuple[ir.Value, Vector]:
    """(the number of a's piece plus the emitter's magic number, as an integer; a's position in that piece)."""
    biased = _fma(emitter, a, scale, emitter.magic)
    return emitter.bits(biased), _fma(emitter, a, scale, emitter.magic - biased)


def _without_sign(value: ir.Value) -> ir.Value:
    """The operand if `value` is a negation, otherwise `value`."""
    return value.operands[0] if isinstance(value, ir.Instruction) and value.opname == "fneg" else value


def _constant(module: ir.Module, table: Any) -> ir.Value:
    """The address of the table's rows, which are a constant of the module."""
    name = f"pieces_{id(table)}"
    if name not in module.globals:
        content = bytearray(table.tobytes())
        constant = ir.GlobalVariable(module, ir.ArrayType(I8, len(content)), name)
        constant.initializer = ir.Constant(constant.type.pointee, content)
        constant.global_constant, constant.linkage, constant.align = True, "private", 64
    return module.globals[name]


def _columns(emitter: Emitter, table: ir.Value, offsets: Sequence[ir.Value]) -> tuple[Vector, ...]:
    """The four columns of eight rows. Each shuffle does the same in both halves of a register."""
    builder = emitter.builder
    rows = [builder.load(builder.at(table, offset), typ=ir.VectorType(FLOAT, 4), align=16) for offset in offsets]
    a, b, c, d = (builder.shuffle(rows[k], rows[k + 4], range(8)) for k in range(4))
    columns = []
    for low in (0, 2):
        pairs = [half + n + x for half in (0, 4) for n in (low, low + 1) for x in (0, 8)]
        ab, cd = builder.shuffle(a, b, pairs), builder.shuffle(c, d, pairs)
        for k in (0, 2):
            order = [half + k + x + n for half in (0, 4) for x in (0, 8) for n in (0, 1)]
            columns.append(emitter.from_bits(builder.shuffle(ab, cd, order)))
    return tuple(columns)
