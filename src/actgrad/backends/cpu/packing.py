"""Packing: code that copies tiles between memory of any strides and small contiguous buffers."""

from __future__ import annotations

from collections.abc import Sequence

import llvmlite.ir as ir

from .ir_builder import IRFunction
from .ir_types import I1, I32, I64, PTR, VOID
from .target import LINE

ITEMSIZES = (1, 2, 4, 8, 16)
PREFETCH_AHEAD = 2  # blocks; at the end of a tile, prefetch the first blocks of the next tile. Measured on AMD Zen 4
_COPY = (PTR, I64, I64, PTR, I64, I64, I64, I64)  # the arguments of the copies below


def emit_buffer(module: ir.Module, size: int) -> ir.Function:
    """buffer(key): this thread's buffer of `size` bytes, allocated at its first use; NULL if memory is missing.

    The buffer is on the heap, because a thread's stack may be too small. When the thread ends, the pthread key's
    destructor frees the buffer.
    """
    f = IRFunction(module, "buffer", (I32,), PTR)
    (key,) = f.arguments
    buffer = f.call_by_name("pthread_getspecific", PTR, key)
    with f.if_then(f.icmp_signed("!=", f.ptrtoint(buffer, I64), I64(0))):
        f.leave(buffer)
    buffer = f.call_by_name("aligned_alloc", PTR, I64(LINE), I64(size))
    failed = f.call_by_name("pthread_setspecific", I32, key, buffer)
    with f.if_then(f.icmp_signed("!=", failed, I32(0))):
        f.call_by_name("free", VOID, buffer)
        f.leave(PTR(None))
    return f.end(buffer)


def emit_copy(module: ir.Module, vector_bytes: int) -> ir.Function:
    """copy(buffer, memory, row stride, column stride, rows, columns, itemsize, out), strides in bytes.

    The buffer holds the tile row by row. The function copies memory into the buffer, or with `out` the buffer to
    memory.
    """
    f = IRFunction(module, "copy", (PTR, PTR, I64, I64, I64, I64, I64, I64))
    buffer, memory, row_stride, column_stride, rows, columns, itemsize, out = f.arguments
    pitch = f.mul(columns, itemsize)
    leaving = f.icmp_signed("!=", out, I64(0))

    def magnitude(x: ir.Value) -> ir.Value:
        return f.select(f.icmp_signed("<", x, I64(0)), f.sub(I64(0), x), x)

    def either(condition: ir.Value, a: Sequence[ir.Value], b: Sequence[ir.Value]) -> list[ir.Value]:
        return [f.select(condition, x, y) for x, y in zip(a, b, strict=True)]

    # The inner loop goes along the dimension with the smaller stride in memory, if that dimension has several elements.
    is_closer = f.icmp_signed("<", magnitude(row_stride), magnitude(column_stride))
    turned = f.and_(is_closer, f.icmp_signed(">", rows, I64(1)))
    # Each list has an address, and the steps from row to row and from column to column.
    in_buffer = [buffer, *either(turned, (itemsize, pitch), (pitch, itemsize))]
    in_memory = [memory, *either(turned, (column_stride, row_stride), (row_stride, column_stride))]
    counts = either(turned, (columns, rows), (rows, columns))
    steps = [*either(leaving, in_memory, in_buffer), *either(leaving, in_buffer, in_memory), *counts]
    # If columns are contiguous in memory, transpose the tile: target[i][j] = source[j][i].
    lines, packed = (memory, column_stride), (buffer, pitch)
    sides = [*either(leaving, lines, packed), *either(leaving, packed, lines)]
    transposed = [*sides, *either(leaving, (columns, rows), (rows, columns)), leaving]
    done = f.append_basic_block("done")
    choice = f.switch(itemsize, done)
    for size in ITEMSIZES:
        block = f.append_basic_block(f"size{size}")
        choice.add_case(I64(size), block)
        f.position_at_end(block)
        step_by_step = _copy_stepwise(module, size)
        is_pairwise = f.and_(f.icmp_signed("==", column_stride, I64(2 * size)), f.not_(f.or_(turned, leaving)))
        with f.if_else(f.icmp_signed("==", row_stride, I64(size))) as (contiguous, otherwise):
            with contiguous:
                f.call(_transpose(module, size, vector_bytes, step_by_step), transposed)
            with otherwise, f.if_else(is_pairwise) as (pairwise, any_step):
                with pairwise:
                    f.call(_copy_pairwise(module, size, vector_bytes), steps)
                with any_step:
                    f.call(step_by_step, steps)
        f.branch(done)
    f.position_at_end(done)
    return f.end()


def _copy_stepwise(module: ir.Module, itemsize: int) -> ir.Function:
    """copy(target, outer step, inner step, source, outer step, inner step, outer count, inner count)"""
    f = IRFunction(module, f"copy{itemsize}", _COPY)
    target, target_outer, target_inner, source, source_outer, source_inner, outer, inner = f.arguments
    element = ir.IntType(8 * itemsize)
    with f.steps(I64(0), outer) as i:
        to, from_ = f.at(target, f.mul(i, target_outer)), f.at(source, f.mul(i, source_outer))
        with f.steps(I64(0), inner) as j:
            value = f.load(f.at(from_, f.mul(j, source_inner)), typ=element, align=1)
            f.store(value, f.at(to, f.mul(j, target_inner)), align=1)
    return f.end()


def _copy_pairwise(module: ir.Module, itemsize: int, vector_bytes: int) -> ir.Function:
    """Like `_copy_stepwise` for every second element, into lines without gaps: keeps the first of each pair."""
    f = IRFunction(module, f"copy_pairwise{itemsize}", _COPY)
    target, target_outer, _, source, source_outer, _, outer, inner = f.arguments
    element, side, pair = ir.IntType(8 * itemsize), vector_bytes // itemsize, 2 * itemsize
    full = f.and_(f.sub(inner, I64(1)), I64(-side))  # the last element's neighbour may be outside all memory
    with f.steps(I64(0), outer) as i:
        to, from_ = f.at(target, f.mul(i, target_outer)), f.at(source, f.mul(i, source_outer))
        with f.steps(I64(0), full, side) as j:
            begin = f.at(from_, f.mul(j, I64(pair)))
            halves = [f.at(begin, k * vector_bytes) for k in (0, 1)]
            pairs = [f.load(half, typ=ir.VectorType(element, side), align=1) for half in halves]
            f.store(f.shuffle(pairs[0], pairs[1], range(0, 2 * side, 2)), f.at(to, f.mul(j, I64(itemsize))), align=1)
        with f.steps(full, inner) as j:
            value = f.load(f.at(from_, f.mul(j, I64(pair))), typ=element, align=1)
            f.store(value, f.at(to, f.mul(j, I64(itemsize))), align=1)
    return f.end()


def _transpose(module: ir.Module, itemsize: int, vector_bytes: int, step_by_step: ir.Function) -> ir.Function:
    """transpose(target, pitch, source, pitch, rows, columns, leaving): target[i][j] = source[j][i], i < rows, ...

    Registers transpose square blocks; a loop copies the edges step by step. It copies from memory to the buffer, or
    with `leaving` back. Memory is prefetched PREFETCH_AHEAD blocks ahead, because no processor predicts such strides.
    """
    f = IRFunction(module, f"transpose{itemsize}", (PTR, I64, PTR, I64, I64, I64, I1))
    target, target_pitch, source, source_pitch, rows, columns, leaving = f.arguments
    side = min(16, vector_bytes // itemsize)
    element = ir.VectorType(ir.IntType(8 * itemsize), side)
    whole_rows, whole_columns = f.and_(rows, I64(-side)), f.and_(columns, I64(-side))
    size = I64(itemsize)

    def element_at(base: ir.Value, pitch: ir.Value, i: ir.Value, j: ir.Value) -> ir.Value:
        return f.at(base, f.add(f.mul(i, pitch), f.mul(j, size)))

    with f.steps(I64(0), whole_columns, side) as j, f.steps(I64(0), whole_rows, side) as i:
        memory, pitch = f.select(leaving, target, source), f.select(leaving, target_pitch, source_pitch)
        line, column = f.select(leaving, i, j), f.select(leaving, j, i)
        for k in range(side):
            ahead = element_at(memory, pitch, f.add(line, I64(PREFETCH_AHEAD * side + k)), column)
            f.prefetch(ahead)
        lines = [
            f.load(element_at(source, source_pitch, f.add(j, I64(k)), i), typ=element, align=1) for k in range(side)
        ]
        for k, line in enumerate(_transposed(f, lines)):
            f.store(line, element_at(target, target_pitch, f.add(i, I64(k)), j), align=1)

    def edge(first_row: ir.Value, first_column: ir.Value, row_count: ir.Value, column_count: ir.Value) -> None:
        f.call(step_by_step, [
            element_at(target, target_pitch, first_row, first_column), size, target_pitch,
            element_at(source, source_pitch, first_column, first_row), source_pitch, size,
            column_count, row_count,
        ])  # fmt: skip

    edge(whole_rows, I64(0), f.sub(rows, whole_rows), columns)
    edge(I64(0), whole_columns, whole_rows, f.sub(columns, whole_columns))
    return f.end()


def _transposed(f: IRFunction, lines: list[ir.Value]) -> list[ir.Value]:
    """Transpose a square of numbers. Each round halves the blocks, and pairs of lines exchange halves of blocks."""
    side = len(lines)
    width = side // 2
    while width:
        low = [k if not k & width else side + k - width for k in range(side)]
        high = [k + width if not k & width else side + k for k in range(side)]
        for k in range(side):
            if not k & width:
                a, b = lines[k], lines[k + width]
                lines[k], lines[k + width] = f.shuffle(a, b, low), f.shuffle(a, b, high)
        width //= 2
    return lines
