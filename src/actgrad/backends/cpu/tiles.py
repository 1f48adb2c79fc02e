"""The tiled loop: machine code that goes through the tiles of a loop, packs operands and calls the inner loop."""

from __future__ import annotations

import llvmlite.ir as ir

from .call_block import (
    BUFFER_BYTES,
    MAX_DIMENSIONS,
    MAX_OPERANDS,
    SLOTS_SYMBOL,
    Block,
    OperandField,
    Packing,
    ThreadSlots,
)
from .ir_builder import IRFunction, external_data
from .ir_types import I1, I32, I64, PTR
from .packing import emit_buffer
from .target import LINE


def operand_at(f: IRFunction, block: ir.Value, k: ir.Value) -> ir.Value:
    """The address of operand k in a call block."""
    first, size = f.word(block, Block.FIRST_OPERAND), f.word(block, Block.OPERAND_WORDS)
    return f.word_at(block, f.add(first, f.mul(k, size)))


def _is_packed(f: IRFunction, operand: ir.Value, packing: Packing) -> ir.Value:
    return f.icmp_signed("==", f.word(operand, OperandField.PACKING), I64(packing))


def emit_tiled(module: ir.Module, segment: ir.Function, copy: ir.Function) -> ir.Function:
    """tiled(block, addresses, first, last): computes tiles first..last.

    Returns whether memory for the buffer was available.
    """
    f = IRFunction(module, "tiled", (PTR, PTR, I64, I64), I1)
    first, last = f.arguments[2:]
    loop = _TiledLoop(f, segment, copy)
    key = f.trunc(f.word(external_data(module, SLOTS_SYMBOL), ThreadSlots.BUFFER_KEY), I32)
    buffer = f.call(emit_buffer(module, BUFFER_BYTES), [key])
    with f.if_then(f.icmp_signed("==", f.ptrtoint(buffer, I64), I64(0))):
        f.leave(I1(0))
    loop.move_to(first)
    with f.steps(first, last):
        loop.emit_tile(buffer)
        loop.advance()
    return f.end(I1(1))


class _TiledLoop:
    """The state of the loop over tiles: the indices of the tile, and its first element in each operand."""

    def __init__(self, f: IRFunction, segment: ir.Function, copy: ir.Function):
        self.f = f
        self.segment = segment
        self.copy = copy
        self.block, self.addresses, _, _ = f.arguments
        block = self.block
        self.index = f.stack_words(MAX_DIMENSIONS, "index")
        self.origin = f.stack_words(MAX_OPERANDS, "origin")
        self.pointers = f.stack_words(MAX_OPERANDS, "pointers")  # pointers to the computed row, per operand
        self.dimensions, self.operands = f.word(block, Block.DIMENSIONS), f.word(block, Block.OPERANDS)
        self.outputs, self.counts = f.word(block, Block.OUTPUTS), f.word_at(block, f.word(block, Block.COUNTS))
        self.innermost, self.last_but_one = f.sub(self.dimensions, I64(1)), f.sub(self.dimensions, I64(2))
        self.tile_rows, self.tile_columns = f.word(block, Block.TILE_ROWS), f.word(block, Block.TILE_COLUMNS)
        self.all_rows, self.all_columns = f.word(block, Block.ROWS), f.word(block, Block.COLUMNS)
        self.joined = f.icmp_signed("!=", f.word(block, Block.JOINED), I64(0))
        self.copies_rows = f.icmp_signed("!=", f.word(block, Block.COPIES_ROWS), I64(0))
        self.chunk = f.word(block, Block.CHUNK)
        self.remaining = f.stack_words(1, "remaining")

    # Positions

    def move_to(self, number: ir.Value) -> None:
        """Begin at a tile: divide its number by the counts, innermost dimension first."""
        f = self.f
        with f.steps(I64(0), self.operands) as k:
            operand = operand_at(f, self.block, k)
            base = f.word(self.addresses, f.word(operand, OperandField.TENSOR))
            f.store(f.add(base, f.word(operand, OperandField.OFFSET)), f.word_at(self.origin, k))
        f.store(number, self.remaining)
        with f.steps(I64(0), self.dimensions) as d:
            dimension = f.sub(self.innermost, d)
            count, rest = f.word(self.counts, dimension), f.load(self.remaining, typ=I64)
            f.store(f.urem(rest, count), f.word_at(self.index, dimension))
            f.store(f.udiv(rest, count), self.remaining)
            self._step(dimension, f.urem(rest, count))

    def advance(self) -> None:
        """Move to the next tile, like an odometer."""
        f = self.f
        turn, turned = f.append_basic_block("turn"), f.append_basic_block("turned")
        before = f.block
        f.branch(turn)
        f.position_at_end(turn)
        dimension = f.phi(I64)
        dimension.add_incoming(self.innermost, before)
        pointer, count = f.word_at(self.index, dimension), f.word(self.counts, dimension)
        following = f.add(f.load(pointer, typ=I64), I64(1))
        carries = f.icmp_signed("==", following, count)
        f.store(f.select(carries, I64(0), following), pointer)
        self._step(dimension, f.select(carries, f.sub(I64(1), count), I64(1)))
        outer = f.sub(dimension, I64(1))
        dimension.add_incoming(outer, f.block)
        f.cbranch(f.and_(carries, f.icmp_signed(">=", outer, I64(0))), turn, turned)
        f.position_at_end(turned)

    def _step(self, dimension: ir.Value, times: ir.Value) -> None:
        """Move every operand's origin along one dimension of the loop over tiles."""
        f = self.f
        with f.steps(I64(0), self.operands) as k:
            pointer = f.word_at(self.origin, k)
            element, operand = f.load(pointer, typ=I64), operand_at(f, self.block, k)
            stride = f.word(operand, f.add(I64(OperandField.TILE_STRIDES), dimension))
            f.store(f.add(element, f.mul(stride, times)), pointer)

    # One tile

    def emit_tile(self, buffer: ir.Value) -> None:
        """Pack the inputs, compute row by row, unpack the outputs."""
        f = self.f
        rows = f.minimum(
            self.tile_rows, f.sub(self.all_rows, f.mul(f.word(self.index, self.last_but_one), self.tile_rows))
        )
        columns = f.minimum(
            self.tile_columns, f.sub(self.all_columns, f.mul(f.word(self.index, self.innermost), self.tile_columns))
        )
        with f.steps(self.outputs, self.operands) as k:
            self._move(buffer, k, rows, columns, out=0)
        row_count = f.select(self.joined, I64(1), rows)
        row_length = f.select(self.joined, f.mul(rows, columns), columns)
        with f.steps(I64(0), row_count) as row:
            with f.steps(I64(0), self.operands) as k:
                operand = operand_at(f, self.block, k)
                is_packed = _is_packed(f, operand, Packing.TILE)
                tile = f.word(operand, OperandField.BUFFER_OFFSET)
                row_offset = f.mul(row, f.mul(columns, f.word(operand, OperandField.ITEMSIZE)))
                packed = f.at(buffer, f.add(tile, row_offset))
                in_place = f.at(f.word(self.origin, k, PTR), f.mul(row, f.word(operand, OperandField.ROW_STRIDE)))
                f.store(f.select(is_packed, packed, in_place), f.word_at(self.pointers, k))
            with f.if_then(self.copies_rows), f.steps(self.outputs, self.operands) as k:
                self._copy_row(buffer, k, columns)
            with f.if_else(f.icmp_signed("==", self.chunk, I64(0))) as (at_once, in_chunks):
                with at_once:
                    f.call(self.segment, [self.block, self.pointers, row_length])
                with in_chunks:
                    self._compute_in_chunks(row_length)
        with f.steps(I64(0), self.outputs) as k:
            self._move(buffer, k, rows, columns, out=1)

    def _move(self, buffer: ir.Value, k: ir.Value, rows: ir.Value, columns: ir.Value, out: int) -> None:
        """Copy a packed operand's tile into the buffer, or, with `out`, out of the buffer."""
        f = self.f
        operand = operand_at(f, self.block, k)
        with f.if_then(_is_packed(f, operand, Packing.TILE)):
            strides = [f.word(operand, OperandField.ROW_STRIDE), f.word(operand, OperandField.COLUMN_STRIDE)]
            pointer = f.at(buffer, f.word(operand, OperandField.BUFFER_OFFSET))
            itemsize = f.word(operand, OperandField.ITEMSIZE)
            f.call(self.copy, [pointer, f.word(self.origin, k, PTR), *strides, rows, columns, itemsize, I64(out)])

    def _copy_row(self, buffer: ir.Value, k: ir.Value, columns: ir.Value) -> None:
        """Copy an operand's row into the buffer, and let the pointer point to the copy."""
        f = self.f
        operand = operand_at(f, self.block, k)
        with f.if_then(_is_packed(f, operand, Packing.ROW)):
            copied, pointer = f.at(buffer, f.word(operand, OperandField.BUFFER_OFFSET)), f.word_at(self.pointers, k)
            size = f.mul(columns, f.word(operand, OperandField.ITEMSIZE))
            f.call_by_name("memcpy", PTR, copied, f.load(pointer, typ=PTR), size)
            f.store(copied, pointer)

    # Rows with prefetches

    def _compute_in_chunks(self, row_length: ir.Value) -> None:
        """Compute a row in chunks.

        For streaming stores, all chunks but the first begin at a cache line of the first output.
        """
        f, chunk = self.f, self.chunk
        address, output = f.word(self.pointers, 0), operand_at(f, self.block, I64(0))
        element = f.udiv(address, f.word(output, OperandField.ITEMSIZE))
        start = f.word(self.block, Block.PREFETCH_START)
        first = f.sub(start, f.urem(f.add(element, start), chunk))
        passed = f.select(f.icmp_signed("<", first, I64(0)), I64(0), first)
        with f.if_then(f.icmp_signed(">", passed, I64(0))):
            self._compute(passed)
        with f.steps(first, row_length, chunk) as column:
            begin = f.select(f.icmp_signed("<", column, I64(0)), I64(0), column)
            count = f.sub(f.minimum(f.add(column, chunk), row_length), begin)
            with f.steps(self.outputs, self.operands) as k:
                _prefetch(self, k, passed, count)
            self._compute(count)

    def _compute(self, count: ir.Value) -> None:
        """Compute `count` elements, and advance the pointers."""
        f = self.f
        f.call(self.segment, [self.block, self.pointers, count])
        with f.steps(I64(0), self.operands) as k:
            passed = f.mul(count, f.word(operand_at(f, self.block, k), OperandField.STEP))
            f.store(f.at(f.word(self.pointers, k, PTR), passed), f.word_at(self.pointers, k))


def _prefetch(loop: _TiledLoop, k: ir.Value, passed: ir.Value, count: ir.Value) -> None:
    """Prefetch `count` elements of an operand's later row, beginning `passed` elements before its pointer."""
    f, operand = loop.f, operand_at(loop.f, loop.block, k)
    ahead, itemsize = f.word(operand, OperandField.AHEAD), f.word(operand, OperandField.ITEMSIZE)
    with f.if_then(f.icmp_signed("!=", ahead, I64(0))):
        begin = f.add(f.word(loop.pointers, k), f.sub(ahead, f.mul(passed, itemsize)))
        with f.steps(f.and_(begin, I64(-LINE)), f.add(begin, f.mul(count, itemsize)), LINE) as line:
            f.prefetch(f.inttoptr(line, PTR))
