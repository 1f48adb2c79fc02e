"""Staging: code that copies tiles between memory, whatever its strides, and small contiguous buffers."""

from __future__ import annotations

import llvmlite.ir as ir

from .flow import Function, external
from .vectors import I32, I64, PTR, VOID

ITEMSIZES = (1, 2, 4, 8, 16)
FETCH_AHEAD = 2  # blocks; beyond the tile's end that is the beginning of the next one
_FETCH = (I32(0), I32(2), I32(1))  # for reading, into the second-level cache, data


def emit_copy(module: ir.Module, vector_bytes: int) -> ir.Function:
    """copy(stage, memory, row stride, column stride, rows, columns, itemsize, out), strides in bytes.

    The stage holds the tile row by row. `out` says which way: from the stage to memory, or the other.
    """
    f = Function(module, "copy", (PTR, PTR, I64, I64, I64, I64, I64, I64))
    stage, memory, row_stride, column_stride, rows, columns, itemsize, out = f.arguments
    pitch = f.mul(columns, itemsize)
    leaving = f.icmp_signed("!=", out, I64(0))
    target, source = f.select(leaving, memory, stage), f.select(leaving, stage, memory)

    def magnitude(x: ir.Value) -> ir.Value:
        return f.select(f.icmp_signed("<", x, I64(0)), f.sub(I64(0), x), x)

    # Step by step, the inner loop takes the dimension with the smaller steps in memory, if there are any.
    is_closer = f.icmp_signed("<", magnitude(row_stride), magnitude(column_stride))
    turned = f.and_(is_closer, f.icmp_signed(">", rows, I64(1)))
    outer_stage, inner_stage = f.select(turned, itemsize, pitch), f.select(turned, pitch, itemsize)
    outer, inner = f.select(turned, column_stride, row_stride), f.select(turned, row_stride, column_stride)
    outer_count, inner_count = f.select(turned, columns, rows), f.select(turned, rows, columns)
    steps = [
        target, f.select(leaving, outer, outer_stage), f.select(leaving, inner, inner_stage),
        source, f.select(leaving, outer_stage, outer), f.select(leaving, inner_stage, inner),
        outer_count, inner_count,
    ]  # fmt: skip
    # Where memory is contiguous along rows, the tile is transposed: target[i][j] = source[j][i].
    into_stage = [stage, pitch, memory, column_stride, rows, columns]
    into_memory = [memory, column_stride, stage, pitch, columns, rows]
    done = f.append_basic_block("done")
    choice = f.switch(itemsize, done)
    for size in ITEMSIZES:
        block = f.append_basic_block(f"size{size}")
        choice.add_case(I64(size), block)
        f.position_at_end(block)
        step_by_step = _copy_stepwise(module, size, vector_bytes)
        with f.if_else(f.icmp_signed("==", row_stride, I64(size))) as (contiguous, otherwise):
            with contiguous, f.if_else(leaving) as (out_of_stage, into):
                with out_of_stage:
                    f.call(_transpose(module, size, vector_bytes, step_by_step, fetches=False), into_memory)
                with into:
                    f.call(_transpose(module, size, vector_bytes, step_by_step, fetches=True), into_stage)
            with otherwise:
                f.call(step_by_step, steps)
        f.branch(done)
    f.position_at_end(done)
    f.ret_void()
    return f.function_value


def _copy_stepwise(module: ir.Module, itemsize: int, vector_bytes: int) -> ir.Function:
    """copy(target, outer step, inner step, source, outer step, inner step, outer count, inner count)

    Every second element goes through registers; any other step is taken one by one.
    """
    f = Function(module, f"copy{itemsize}", (PTR, I64, I64, PTR, I64, I64, I64, I64))
    target, target_outer, target_inner, source, source_outer, source_inner, outer, inner = f.arguments
    element = ir.IntType(8 * itemsize)
    side = vector_bytes // itemsize
    picks = f.and_(
        f.icmp_signed("==", source_inner, I64(2 * itemsize)), f.icmp_signed("==", target_inner, I64(itemsize))
    )
    # Without the last element, whose right-hand neighbour may be nobody's memory.
    at_once = f.select(picks, f.and_(f.sub(inner, I64(1)), I64(-side)), I64(0))
    even = _lanes(list(range(0, 2 * side, 2)))
    with f.steps(I64(0), outer) as i:
        to, from_ = f.at(target, f.mul(i, target_outer)), f.at(source, f.mul(i, source_outer))
        with f.steps(I64(0), at_once, side) as j:
            first = f.at(from_, f.mul(j, I64(2 * itemsize)))
            pair = [f.load(f.at(first, k * side * itemsize), typ=ir.VectorType(element, side), align=1) for k in (0, 1)]
            f.store(f.shuffle_vector(*pair, even), f.at(to, f.mul(j, I64(itemsize))), align=1)
        with f.steps(at_once, inner) as j:
            value = f.load(f.at(from_, f.mul(j, source_inner)), typ=element, align=1)
            f.store(value, f.at(to, f.mul(j, target_inner)), align=1)
    f.ret_void()
    return f.function_value


def _transpose(
    module: ir.Module, itemsize: int, vector_bytes: int, step_by_step: ir.Function, *, fetches: bool
) -> ir.Function:
    """transpose(target, pitch, source, pitch, rows, columns): target[i][j] = source[j][i], i < rows, j < columns.

    Square blocks go through registers; what is left at the edges goes step by step. With `fetches` the source is
    memory: it is asked for FETCH_AHEAD blocks before it is read, since no processor foresees such steps.
    """
    name = f"transpose{itemsize}" + ("_fetching" if fetches else "")
    f = Function(module, name, (PTR, I64, PTR, I64, I64, I64))
    target, target_pitch, source, source_pitch, rows, columns = f.arguments
    side = min(16, vector_bytes // itemsize)
    element = ir.VectorType(ir.IntType(8 * itemsize), side)
    whole_rows, whole_columns = f.and_(rows, I64(-side)), f.and_(columns, I64(-side))
    size = I64(itemsize)

    def place(base: ir.Value, pitch: ir.Value, i: ir.Value, j: ir.Value) -> ir.Value:
        return f.at(base, f.add(f.mul(i, pitch), f.mul(j, size)))

    with f.steps(I64(0), whole_columns, side) as j, f.steps(I64(0), whole_rows, side) as i:
        for k in range(side if fetches else 0):
            ahead = place(source, source_pitch, f.add(j, I64(FETCH_AHEAD * side + k)), i)
            f.call(external(module, "llvm.prefetch.p0", VOID, PTR, I32, I32, I32), [ahead, *_FETCH])
        lines = [f.load(place(source, source_pitch, f.add(j, I64(k)), i), typ=element, align=1) for k in range(side)]
        for k, line in enumerate(_transposed(f, lines)):
            f.store(line, place(target, target_pitch, f.add(i, I64(k)), j), align=1)

    def edge(first_row: ir.Value, first_column: ir.Value, row_count: ir.Value, column_count: ir.Value) -> None:
        f.call(step_by_step, [
            place(target, target_pitch, first_row, first_column), size, target_pitch,
            place(source, source_pitch, first_column, first_row), source_pitch, size,
            column_count, row_count,
        ])  # fmt: skip

    edge(whole_rows, I64(0), f.sub(rows, whole_rows), columns)
    edge(I64(0), whole_columns, whole_rows, f.sub(columns, whole_columns))
    f.ret_void()
    return f.function_value


def _transposed(f: Function, lines: list[ir.Value]) -> list[ir.Value]:
    """The transposed square: in each round, pairs of lines exchange the halves of ever smaller blocks."""
    side = len(lines)
    width = side // 2
    while width:
        low = _lanes([k if not k & width else side + k - width for k in range(side)])
        high = _lanes([k + width if not k & width else side + k for k in range(side)])
        for k in range(side):
            if not k & width:
                a, b = lines[k], lines[k + width]
                lines[k], lines[k + width] = f.shuffle_vector(a, b, low), f.shuffle_vector(a, b, high)
        width //= 2
    return lines


def _lanes(numbers: list[int]) -> ir.Constant:
    return ir.Constant(ir.VectorType(I32, len(numbers)), numbers)
