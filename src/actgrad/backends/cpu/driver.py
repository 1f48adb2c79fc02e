"""The driver: machine code that runs over a loop of any layout and calls a kernel's inner loop, on several threads.

All kernels share the driver, and a process compiles it once. A kernel passes its call block (see call_block.py), which
describes the loop and never changes, and the operands' addresses:

    int32 run(int64* block, char** addresses)             1; 0 without memory, when the outputs are undefined

A flat loop has contiguous operands: it is one row, and each thread takes a part of the row. A tiled loop cuts the two
innermost dimensions into tiles, which the threads share. If an operand has contiguous rows within a tile, the inner
loop reads the operand without a copy. The driver packs any other operand: it copies the tile into a small contiguous
buffer before the inner loop, or from the buffer afterwards, in the order that suits the strides. So the inner loop sees
only contiguous rows, and a transposed operand costs one pass through the cache.

Processors read memory fast only in long runs, because they predict the next addresses. If rows are apart in memory, the
driver prefetches the beginning of a later row while it computes a row. If two rows are next to each other in memory,
the driver copies the first row before it computes, so that the processor reads both rows as one run.
"""

from __future__ import annotations

import llvmlite.ir as ir

from .call_block import MAX_OPERANDS, SLOTS_SYMBOL, Block, OperandField, RuntimeFunctions, ThreadSlots
from .fp_environment import default_environment
from .ir_builder import IRFunction, external_data
from .ir_types import I1, I32, I64, PTR, VOID
from .packing import emit_copy
from .target import LINE, Target
from .tiles import emit_tiled, operand_at

PAGE = 4096  # bytes


def emit(module: ir.Module, target: Target) -> None:
    """Add `run` and its parts to `module`."""
    segment = _segment(module, target.tuning.streams_interfere)
    flat, tiled = _flat(module, segment), emit_tiled(module, segment, emit_copy(module, target.vector_bytes))
    part = _part(module, flat, tiled, target)
    _run(module, part, _worker(module, part))


def _indirect(f: IRFunction, address: ir.Value, result: ir.Type, arguments: list[ir.Value]) -> ir.Value:
    """A call of the function at `address`, which is an integer."""
    type_ = ir.FunctionType(result, [a.type for a in arguments])
    return f.call(f.inttoptr(address, type_.as_pointer()), arguments)


def _segment(module: ir.Module, streams_interfere: bool) -> ir.Function:
    """segment(block, pointers, count): one row, by the streaming function if all outputs can be aligned for it.

    With `streams_interfere`, two outputs whose offsets in their pages differ by less than a line are not streamed.
    """
    f = IRFunction(module, "segment", (PTR, PTR, I64))
    block, pointers, count = f.arguments
    rest = f.stack_words(MAX_OPERANDS, "rest")
    can_stream = f.stack_words(1, "can_stream")
    scalars = f.word_at(block, Block.SCALARS)
    row, streaming = f.word(block, Block.ROW), f.word(block, Block.ROW_STREAMING)

    def before_boundary(k: ir.Value) -> ir.Value:
        """The number of elements of output k before its first 64-byte boundary; huge if no element begins there."""
        missing = f.and_(f.sub(I64(0), f.word(pointers, k)), I64(63))
        itemsize = f.word(operand_at(f, block, k), OperandField.ITEMSIZE)
        fits = f.icmp_signed("==", f.urem(missing, itemsize), I64(0))
        return f.select(fits, f.udiv(missing, itemsize), I64(1 << 60))

    with f.if_then(f.icmp_signed("!=", streaming, I64(0))):
        head = before_boundary(I64(0))
        f.store(f.zext(f.icmp_signed("<", head, count), I64), can_stream)
        with f.steps(I64(1), f.word(block, Block.OUTPUTS)) as k:
            same = f.icmp_signed("==", head, before_boundary(k))
            if streams_interfere:
                # A distance from -1 to 1 lines, modulo a page. Adding a line makes it 0 to 2 lines.
                apart = f.and_(f.add(f.sub(f.word(pointers, 0), f.word(pointers, k)), I64(LINE)), I64(PAGE - 1))
                same = f.and_(same, f.icmp_signed(">", apart, I64(2 * LINE)))
            f.store(f.and_(f.load(can_stream, typ=I64), f.zext(same, I64)), can_stream)
        with f.if_then(f.icmp_signed("!=", f.load(can_stream, typ=I64), I64(0))):
            with f.if_then(f.icmp_signed(">", head, I64(0))):
                _indirect(f, row, VOID, [pointers, head, scalars])
            with f.steps(I64(0), f.word(block, Block.OPERANDS)) as k:
                step = f.word(operand_at(f, block, k), OperandField.STEP)
                f.store(f.at(f.word(pointers, k, PTR), f.mul(head, step)), f.word_at(rest, k))
            _indirect(f, streaming, VOID, [rest, f.sub(count, head), scalars])
            f.leave()
    _indirect(f, row, VOID, [pointers, count, scalars])
    return f.end()


def _flat(module: ir.Module, segment: ir.Function) -> ir.Function:
    """flat(block, addresses, first, last): elements first..last of contiguous operands."""
    f = IRFunction(module, "flat", (PTR, PTR, I64, I64))
    block, addresses, first, last = f.arguments
    pointers = f.stack_words(MAX_OPERANDS, "pointers")
    with f.steps(I64(0), f.word(block, Block.OPERANDS)) as k:
        operand = operand_at(f, block, k)
        base = f.at(f.word(addresses, f.word(operand, OperandField.TENSOR), PTR), f.word(operand, OperandField.OFFSET))
        f.store(f.at(base, f.mul(first, f.word(operand, OperandField.STEP))), f.word_at(pointers, k))
    f.call(segment, [block, pointers, f.sub(last, first)])
    return f.end()


def _part(module: ir.Module, flat: ir.Function, tiled: ir.Function, target: Target) -> ir.Function:
    """part(block, addresses, first, last): computes some units, flat or tiled. Returns whether memory was available."""
    f = IRFunction(module, "part", (PTR, PTR, I64, I64), I1)
    done = f.stack_words(1, "done")
    with default_environment(f, target):
        is_flat = f.icmp_signed("==", f.word(f.arguments[0], Block.DIMENSIONS), I64(0))
        with f.if_else(is_flat) as (then, otherwise):
            with then:
                f.call(flat, f.arguments)
                f.store(I64(1), done)
            with otherwise:
                f.store(f.zext(f.call(tiled, f.arguments), I64), done)
        if target.fence:  # orders streaming stores before all later stores
            has_streamed = f.icmp_signed("!=", f.word(f.arguments[0], Block.ROW_STREAMING), I64(0))
            with f.if_then(has_streamed):
                f.call_by_name(target.fence, VOID)
    return f.end(f.trunc(f.load(done, typ=I64), I1))


def _worker(module: ir.Module, part: ir.Function) -> ir.Function:
    """worker({block, addresses, runtime, failed}): this thread's share of the units, for the thread pool."""
    f = IRFunction(module, "worker", (PTR,))
    block, addresses, runtime = (f.word(f.arguments[0], k, PTR) for k in range(3))
    thread = f.sext(_indirect(f, f.word(runtime, RuntimeFunctions.THREAD), I32, []), I64)
    threads = f.sext(_indirect(f, f.word(runtime, RuntimeFunctions.THREADS), I32, []), I64)
    units = f.word(block, Block.UNITS)
    share = f.sdiv(f.add(units, f.sub(threads, I64(1))), threads)
    step = f.word(block, Block.SHARE)
    even = f.mul(f.sdiv(f.add(share, f.sub(step, I64(1))), step), step)
    share = f.select(f.icmp_signed("==", f.word(block, Block.DIMENSIONS), I64(0)), even, share)
    first = f.minimum(f.mul(thread, share), units)
    last = f.minimum(f.add(first, share), units)
    with f.if_then(f.icmp_signed("<", first, last)):
        done = f.call(part, [block, addresses, first, last])
        with f.if_then(f.not_(done)):
            f.store(I64(1), f.word_at(f.arguments[0], 3))
    return f.end()


def _run(module: ir.Module, part: ir.Function, worker: ir.Function) -> None:
    """run(block, addresses): the whole loop, on as many threads as its work is worth.

    Returns 1, or 0 without memory.
    """
    f = IRFunction(module, "run", (PTR, PTR), I32, public=True)
    block, addresses = f.arguments
    slots, shared = external_data(module, SLOTS_SYMBOL), f.stack_words(4, "shared")
    units = f.word(block, Block.UNITS)
    worth = f.sdiv(units, f.word(block, Block.GRAIN))
    runtime = f.word(slots, ThreadSlots.RUNTIME, PTR)
    has_runtime = f.icmp_signed("!=", f.ptrtoint(runtime, I64), I64(0))
    with f.if_then(f.and_(f.icmp_signed(">", worth, I64(1)), has_runtime)):
        setting = f.word(slots, ThreadSlots.CHOSEN)
        available = f.sext(_indirect(f, f.word(runtime, RuntimeFunctions.MAX_THREADS), I32, []), I64)
        threads = f.minimum(worth, f.select(f.icmp_signed(">", setting, I64(0)), setting, available))
        # A forked child inherits the pool's memory but not its threads, and would wait for these threads forever.
        process = f.sext(f.call_by_name("getpid", I32), I64)
        is_owner = f.icmp_signed("==", process, f.word(slots, ThreadSlots.OWNER))
        with f.if_then(f.and_(is_owner, f.icmp_signed(">", threads, I64(1)))):
            for k, word in enumerate((block, addresses, runtime, I64(0))):
                f.store(word, f.word_at(shared, k))
            start = f.word(runtime, RuntimeFunctions.PARALLEL)
            _indirect(f, start, VOID, [worker, shared, f.trunc(threads, I32), I32(0)])
            f.leave(f.zext(f.icmp_signed("==", f.word(shared, 3), I64(0)), I32))
    f.end(f.zext(f.call(part, [block, addresses, I64(0), units]), I32))
