"""The driver: machine code that walks a loop of any layout and calls a kernel's row function, on several threads.

It is the same for every kernel and compiled once per process. A kernel hands it a call block (see `Block`), which
describes the loop and is never written to, and the operands' addresses:

    int32 run(int64* block, char** addresses)             1; 0 where memory is missing, and nothing is promised

Two ways of walking. Flat: all operands are contiguous and the loop is one row, cut into a piece per thread. Tiled: the
two innermost dimensions are cut into tiles, and threads share the tiles. Within a tile an operand whose rows are
contiguous is used where it lies; any other is staged: copied into a small contiguous buffer first, or from it
afterwards, in the order that suits its strides. So rows are contiguous always, and a transposed operand costs one
pass through the cache.

Memory is read fast only in long runs, whose continuation the processor foresees. Where rows that are used in place lie
apart, a later one, or its beginning, is fetched while this one is computed; and of two rows that lie one behind the
other the first one is copied before, so that they are read as one run.
"""

from __future__ import annotations

from enum import auto

import llvmlite.ir as ir

from .environment import Environment
from .flow import Function, Words, external, external_data
from .irtypes import I1, I32, I64, PTR, VOID
from .staging import emit_copy, emit_stage
from .target import LINE, Target

MAX_OPERANDS = 8
MAX_DIMENSIONS = 64  # of NumPy, the widest
PAGE = 4096  # bytes
STAGE_BYTES = 64 << 10  # room for staged tiles and rows; each thread keeps such a piece of the heap


class Block(Words):
    """The words of a call block. The scalars (for the row function) follow, then the counts, then the operands."""

    ROW = 0  # address of the row function
    ROW_STREAMING = auto()  # address of its streaming variant, 0 for never
    OPERANDS = auto()  # how many
    OUTPUTS = auto()  # how many of these are outputs
    GRAIN = auto()  # least work per thread, in units
    UNITS = auto()  # flat: elements; tiled: tiles
    DIMENSIONS = auto()  # flat: 0; tiled: of the walk over tiles, the last two being tile rows and tile columns
    ROWS = auto()  # elements of the loop's last dimension but one
    COLUMNS = auto()  # elements of the loop's last dimension
    TILE_ROWS = auto()  # elements
    TILE_COLUMNS = auto()  # elements
    JOINED = auto()  # every operand is staged: a tile is one row
    COPIES_ROWS = auto()  # of some operand, rows are staged
    CHUNK = auto()  # elements that are computed after as many of a later row have been fetched, or 0 for whole rows
    UNFETCHED = auto()  # elements at the beginning of a row that are computed before anything is fetched
    COUNTS = auto()  # word at which the walk's counts begin
    FIRST_OPERAND = auto()  # word at which the operands begin
    OPERAND_WORDS = auto()  # words per operand
    SCALARS = auto()  # first of the scalars


class Part(Words):
    """The words of one operand in a call block. The strides of the walk over tiles follow."""

    TENSOR = 0  # which address it is based on
    OFFSET = auto()  # bytes
    ITEMSIZE = auto()  # bytes
    STEP = auto()  # bytes from one element of a flat row to the next: the itemsize, or 0 where spread
    ROW_STRIDE = auto()  # bytes
    COLUMN_STRIDE = auto()  # bytes
    STAGED = auto()  # what of it is used in the stage, see Staged
    STAGE = auto()  # where that lies there
    AHEAD = auto()  # bytes from a row to the later one that is fetched meanwhile, or 0 for none
    WALK = auto()  # first of the strides


class Staged(Words):
    """What of an operand is used in the stage."""

    NOTHING = 0
    TILE = auto()  # its tiles
    ROW = auto()  # its rows, one at a time, copied just before it is used


class Slots(Words):
    """The words of the process's thread table, see threads.py."""

    RUNTIME = 0  # address of the OpenMP runtime's functions, 0 for none
    CHOSEN = auto()  # the number of threads asked for, or 0 for MAX_THREADS
    OWNER = auto()  # the process that may use the pool: not a forked child, which inherits it broken
    SETTLED = auto()  # whether the runtime stays: it is PyTorch's, or PyTorch is there without one
    STAGE_KEY = auto()  # the pthread key of each thread's stage


class Runtime(Words):
    """The functions of an OpenMP runtime, by address."""

    PARALLEL = 0  # GOMP_parallel
    THREAD = auto()  # omp_get_thread_num
    THREADS = auto()  # omp_get_num_threads
    MAX_THREADS = auto()  # omp_get_max_threads


SLOTS_SYMBOL = "actgrad_thread_slots"


def emit(module: ir.Module, target: Target) -> None:
    """Add `run` and what it needs to `module`."""
    segment = _segment(module, streams_disturb=target.vector_bytes < LINE)
    flat, tiled = _flat(module, segment), _tiled(module, segment, emit_copy(module, target.vector_bytes))
    part = _part(module, flat, tiled, target)
    _run(module, part, _worker(module, part))


def _operand(f: Function, block: ir.Value, index: ir.Value) -> ir.Value:
    """The address of an operand's part of the block."""
    first, size = f.word(block, Block.FIRST_OPERAND), f.word(block, Block.OPERAND_WORDS)
    return f.word_at(block, f.add(first, f.mul(index, size)))


def _indirect(f: Function, address: ir.Value, result: ir.Type, arguments: list[ir.Value]) -> ir.Value:
    """A call of the function at `address`, an integer."""
    type_ = ir.FunctionType(result, [a.type for a in arguments])
    return f.call(f.inttoptr(address, type_.as_pointer()), arguments)


def _segment(module: ir.Module, streams_disturb: bool) -> ir.Function:
    """segment(block, pointers, count): one row, by the streaming function where all outputs can be aligned for it.

    Where it takes several stores to stream a line, outputs that lie at the same place of their pages, or a line apart
    there, disturb each other (AMD Zen 3: GeGLU took 1.5 to 3 times as long as with plain stores): `streams_disturb`.
    """
    f = Function(module, "segment", (PTR, PTR, I64))
    block, pointers, count = f.arguments
    rest = f.words(MAX_OPERANDS, "rest")
    agreed = f.words(1, "agreed")
    scalars = f.word_at(block, Block.SCALARS)
    row, streaming = f.word(block, Block.ROW), f.word(block, Block.ROW_STREAMING)

    def before_boundary(k: ir.Value) -> ir.Value:
        """Elements of output k before the first 64-byte boundary; a huge number where none begins at one."""
        missing = f.and_(f.sub(I64(0), f.word(pointers, k)), I64(63))
        itemsize = f.word(_operand(f, block, k), Part.ITEMSIZE)
        fits = f.icmp_signed("==", f.urem(missing, itemsize), I64(0))
        return f.select(fits, f.udiv(missing, itemsize), I64(1 << 60))

    with f.if_then(f.icmp_signed("!=", streaming, I64(0))):
        head = before_boundary(I64(0))
        f.store(f.zext(f.icmp_signed("<", head, count), I64), agreed)
        with f.steps(I64(1), f.word(block, Block.OUTPUTS)) as k:
            same = f.icmp_signed("==", head, before_boundary(k))
            if streams_disturb:
                # From one line before to one after, modulo a page, is 0 to two lines.
                apart = f.and_(f.add(f.sub(f.word(pointers, 0), f.word(pointers, k)), I64(LINE)), I64(PAGE - 1))
                same = f.and_(same, f.icmp_signed(">", apart, I64(2 * LINE)))
            f.store(f.and_(f.load(agreed, typ=I64), f.zext(same, I64)), agreed)
        with f.if_then(f.icmp_signed("!=", f.load(agreed, typ=I64), I64(0))):
            with f.if_then(f.icmp_signed(">", head, I64(0))):
                _indirect(f, row, VOID, [pointers, head, scalars])
            with f.steps(I64(0), f.word(block, Block.OPERANDS)) as k:
                step = f.word(_operand(f, block, k), Part.STEP)
                f.store(f.at(f.word(pointers, k, PTR), f.mul(head, step)), f.word_at(rest, k))
            _indirect(f, streaming, VOID, [rest, f.sub(count, head), scalars])
            f.leave()
    _indirect(f, row, VOID, [pointers, count, scalars])
    f.ret_void()
    return f.function_value


def _flat(module: ir.Module, segment: ir.Function) -> ir.Function:
    """flat(block, addresses, first, last): elements first..last of contiguous operands."""
    f = Function(module, "flat", (PTR, PTR, I64, I64))
    block, addresses, first, last = f.arguments
    pointers = f.words(MAX_OPERANDS, "pointers")
    with f.steps(I64(0), f.word(block, Block.OPERANDS)) as k:
        part = _operand(f, block, k)
        base = f.at(f.word(addresses, f.word(part, Part.TENSOR), PTR), f.word(part, Part.OFFSET))
        f.store(f.at(base, f.mul(first, f.word(part, Part.STEP))), f.word_at(pointers, k))
    f.call(segment, [block, pointers, f.sub(last, first)])
    f.ret_void()
    return f.function_value


def _tiled(module: ir.Module, segment: ir.Function, copy: ir.Function) -> ir.Function:
    """tiled(block, addresses, first, last): tiles first..last of the walk over all tiles; whether there was memory."""
    f = Function(module, "tiled", (PTR, PTR, I64, I64), I1)
    block, addresses, first, last = f.arguments
    index = f.words(MAX_DIMENSIONS, "index")
    origin = f.words(MAX_OPERANDS, "origin")  # of the tile, in each operand
    pointers = f.words(MAX_OPERANDS, "pointers")
    dimensions, operands = f.word(block, Block.DIMENSIONS), f.word(block, Block.OPERANDS)
    outputs, counts = f.word(block, Block.OUTPUTS), f.word_at(block, f.word(block, Block.COUNTS))
    innermost, last_but_one = f.sub(dimensions, I64(1)), f.sub(dimensions, I64(2))
    tile_rows, tile_columns = f.word(block, Block.TILE_ROWS), f.word(block, Block.TILE_COLUMNS)
    all_rows, all_columns = f.word(block, Block.ROWS), f.word(block, Block.COLUMNS)
    joined = f.icmp_signed("!=", f.word(block, Block.JOINED), I64(0))
    copies_rows = f.icmp_signed("!=", f.word(block, Block.COPIES_ROWS), I64(0))
    chunk = f.word(block, Block.CHUNK)
    remaining = f.words(1, "remaining")
    key = f.trunc(f.word(external_data(module, SLOTS_SYMBOL), Slots.STAGE_KEY), I32)
    stage, without_stage = f.call(emit_stage(module, STAGE_BYTES), [key]), f.append_basic_block("without_stage")
    f.need(f.icmp_signed("!=", f.ptrtoint(stage, I64), I64(0)), without_stage)

    def walk(part: ir.Value, dimension: ir.Value) -> ir.Value:
        return f.word(part, f.add(I64(Part.WALK), dimension))

    def step_all(dimension: ir.Value, times: ir.Value) -> None:
        """Move every operand's origin along one dimension of the walk."""
        with f.steps(I64(0), operands) as k:
            place = f.word_at(origin, k)
            f.store(f.add(f.load(place, typ=I64), f.mul(walk(_operand(f, block, k), dimension), times)), place)

    # Where the first tile lies: its number taken apart, innermost dimension first.
    with f.steps(I64(0), operands) as k:
        part = _operand(f, block, k)
        base = f.word(addresses, f.word(part, Part.TENSOR))
        f.store(f.add(base, f.word(part, Part.OFFSET)), f.word_at(origin, k))
    f.store(first, remaining)
    with f.steps(I64(0), dimensions) as d:
        dimension = f.sub(innermost, d)
        count, number = f.word(counts, dimension), f.load(remaining, typ=I64)
        f.store(f.urem(number, count), f.word_at(index, dimension))
        f.store(f.udiv(number, count), remaining)
        step_all(dimension, f.urem(number, count))

    with f.steps(first, last):
        rows = f.least(tile_rows, f.sub(all_rows, f.mul(f.word(index, last_but_one), tile_rows)))
        columns = f.least(tile_columns, f.sub(all_columns, f.mul(f.word(index, innermost), tile_columns)))

        def staged(k: ir.Value) -> tuple[ir.Value, ir.Value]:
            """An operand's part of the block, and whether whole tiles of it are."""
            part = _operand(f, block, k)
            return part, f.icmp_signed("==", f.word(part, Part.STAGED), I64(Staged.TILE))

        def move(k: ir.Value, out: int) -> None:
            part, is_staged = staged(k)
            with f.if_then(is_staged):
                strides = [f.word(part, Part.ROW_STRIDE), f.word(part, Part.COLUMN_STRIDE)]
                room, itemsize = f.at(stage, f.word(part, Part.STAGE)), f.word(part, Part.ITEMSIZE)
                f.call(copy, [room, f.word(origin, k, PTR), *strides, rows, columns, itemsize, I64(out)])

        def copy_row(k: ir.Value) -> None:
            """Replace where an operand's row lies by where it is copied to."""
            part = _operand(f, block, k)
            with f.if_then(f.icmp_signed("==", f.word(part, Part.STAGED), I64(Staged.ROW))):
                room, place = f.at(stage, f.word(part, Part.STAGE)), f.word_at(pointers, k)
                size = f.mul(columns, f.word(part, Part.ITEMSIZE))
                f.call(external(module, "memcpy", PTR, PTR, PTR, I64), [room, f.load(place, typ=PTR), size])
                f.store(room, place)

        def fetch_ahead(k: ir.Value, passed: ir.Value, count: ir.Value) -> None:
            """Ask for `count` elements of a later row, from what is `passed` elements before `pointers` there."""
            part = _operand(f, block, k)
            ahead, itemsize = f.word(part, Part.AHEAD), f.word(part, Part.ITEMSIZE)
            with f.if_then(f.icmp_signed("!=", ahead, I64(0))):
                begin = f.add(f.word(pointers, k), f.sub(ahead, f.mul(passed, itemsize)))
                with f.steps(f.and_(begin, I64(-LINE)), f.add(begin, f.mul(count, itemsize)), LINE) as line:
                    f.fetch(f.inttoptr(line, PTR))

        def compute(count: ir.Value) -> None:
            """That many elements; then `pointers` are where the next ones lie."""
            f.call(segment, [block, pointers, count])
            with f.steps(I64(0), operands) as k:
                passed = f.mul(count, f.word(_operand(f, block, k), Part.STEP))
                f.store(f.at(f.word(pointers, k, PTR), passed), f.word_at(pointers, k))

        def compute_in_chunks(row_length: ir.Value) -> None:
            """All but the first one begin where streaming stores into the first output are aligned."""
            element = f.udiv(f.word(pointers, 0), f.word(_operand(f, block, I64(0)), Part.ITEMSIZE))
            unfetched = f.word(block, Block.UNFETCHED)
            first = f.sub(unfetched, f.urem(f.add(element, unfetched), chunk))
            passed = f.select(f.icmp_signed("<", first, I64(0)), I64(0), first)
            with f.if_then(f.icmp_signed(">", passed, I64(0))):
                compute(passed)
            with f.steps(first, row_length, chunk) as column:
                begin = f.select(f.icmp_signed("<", column, I64(0)), I64(0), column)
                count = f.sub(f.least(f.add(column, chunk), row_length), begin)
                with f.steps(outputs, operands) as k:
                    fetch_ahead(k, passed, count)
                compute(count)

        with f.steps(outputs, operands) as k:
            move(k, out=0)
        row_count, row_length = f.select(joined, I64(1), rows), f.select(joined, f.mul(rows, columns), columns)
        with f.steps(I64(0), row_count) as row:
            with f.steps(I64(0), operands) as k:
                part, is_staged = staged(k)
                room = f.at(
                    stage, f.add(f.word(part, Part.STAGE), f.mul(row, f.mul(columns, f.word(part, Part.ITEMSIZE))))
                )
                in_place = f.at(f.word(origin, k, PTR), f.mul(row, f.word(part, Part.ROW_STRIDE)))
                f.store(f.select(is_staged, room, in_place), f.word_at(pointers, k))
            with f.if_then(copies_rows), f.steps(outputs, operands) as k:
                copy_row(k)
            with f.if_else(f.icmp_signed("==", chunk, I64(0))) as (at_once, in_chunks):
                with at_once:
                    f.call(segment, [block, pointers, row_length])
                with in_chunks:
                    compute_in_chunks(row_length)
        with f.steps(I64(0), outputs) as k:
            move(k, out=1)

        # To the next tile, as an odometer turns.
        turn, turned = f.append_basic_block("turn"), f.append_basic_block("turned")
        before = f.block
        f.branch(turn)
        f.position_at_end(turn)
        dimension = f.phi(I64)
        dimension.add_incoming(innermost, before)
        place, count = f.word_at(index, dimension), f.word(counts, dimension)
        following = f.add(f.load(place, typ=I64), I64(1))
        carries = f.icmp_signed("==", following, count)
        f.store(f.select(carries, I64(0), following), place)
        step_all(dimension, f.select(carries, f.sub(I64(1), count), I64(1)))
        outer = f.sub(dimension, I64(1))
        dimension.add_incoming(outer, f.block)
        f.cbranch(f.and_(carries, f.icmp_signed(">=", outer, I64(0))), turn, turned)
        f.position_at_end(turned)
    return f.end(I1(1), without_stage, I1(0))


def _part(module: ir.Module, flat: ir.Function, tiled: ir.Function, target: Target) -> ir.Function:
    """part(block, addresses, first, last): some of the units, whichever they are; whether there was memory."""
    f = Function(module, "part", (PTR, PTR, I64, I64), I1)
    done = f.words(1, "done")
    environment = Environment(f, target)
    is_flat = f.icmp_signed("==", f.word(f.arguments[0], Block.DIMENSIONS), I64(0))
    with f.if_else(is_flat) as (then, otherwise):
        with then:
            f.call(flat, f.arguments)
            f.store(I64(1), done)
        with otherwise:
            f.store(f.zext(f.call(tiled, f.arguments), I64), done)
    if target.fence:  # streaming stores are not ordered with others until then
        has_streamed = f.icmp_signed("!=", f.word(f.arguments[0], Block.ROW_STREAMING), I64(0))
        with f.if_then(has_streamed):
            f.call(external(module, target.fence, VOID), [])
    environment.restore()
    f.ret(f.trunc(f.load(done, typ=I64), I1))
    return f.function_value


def _worker(module: ir.Module, part: ir.Function) -> ir.Function:
    """worker({block, addresses, runtime, failed}): this thread's share of the units; what the thread pool calls."""
    f = Function(module, "worker", (PTR,))
    block, addresses, runtime = (f.word(f.arguments[0], k, PTR) for k in range(3))
    thread = f.sext(_indirect(f, f.word(runtime, Runtime.THREAD), I32, []), I64)
    threads = f.sext(_indirect(f, f.word(runtime, Runtime.THREADS), I32, []), I64)
    units = f.word(block, Block.UNITS)
    share = f.sdiv(f.add(units, f.sub(threads, I64(1))), threads)
    # Flat shares begin at multiples of 1024 elements, so that no two threads write to one cache line.
    even = f.and_(f.add(share, I64(1023)), I64(-1024))
    share = f.select(f.icmp_signed("==", f.word(block, Block.DIMENSIONS), I64(0)), even, share)
    first = f.least(f.mul(thread, share), units)
    last = f.least(f.add(first, share), units)
    with f.if_then(f.icmp_signed("<", first, last)):
        done = f.call(part, [block, addresses, first, last])
        with f.if_then(f.not_(done)):
            f.store(I64(1), f.word_at(f.arguments[0], 3))
    f.ret_void()
    return f.function_value


def _run(module: ir.Module, part: ir.Function, worker: ir.Function) -> None:
    """run(block, addresses): all of the loop, on as many threads as there is work for; 1, or 0 without memory."""
    f = Function(module, "run", (PTR, PTR), I32, public=True)
    block, addresses = f.arguments
    slots, shared = external_data(module, SLOTS_SYMBOL), f.words(4, "shared")
    units = f.word(block, Block.UNITS)
    wanted = f.sdiv(units, f.word(block, Block.GRAIN))
    several = f.append_basic_block("several")
    alone = f.append_basic_block("alone")
    runtime = f.word(slots, Slots.RUNTIME, PTR)
    has_runtime = f.icmp_signed("!=", f.ptrtoint(runtime, I64), I64(0))
    f.cbranch(f.and_(f.icmp_signed(">", wanted, I64(1)), has_runtime), several, alone)

    f.position_at_end(several)
    chosen = f.word(slots, Slots.CHOSEN)
    available = f.sext(_indirect(f, f.word(runtime, Runtime.MAX_THREADS), I32, []), I64)
    threads = f.least(wanted, f.select(f.icmp_signed(">", chosen, I64(0)), chosen, available))
    # A forked child inherits the pool's memory but not its threads, and would wait for them for ever.
    owner = f.icmp_signed("==", f.sext(f.call(external(module, "getpid", I32), []), I64), f.word(slots, Slots.OWNER))
    spread = f.append_basic_block("spread")
    f.cbranch(f.and_(owner, f.icmp_signed(">", threads, I64(1))), spread, alone)

    f.position_at_end(spread)
    f.store(block, f.word_at(shared, 0))
    f.store(addresses, f.word_at(shared, 1))
    f.store(runtime, f.word_at(shared, 2))
    f.store(I64(0), f.word_at(shared, 3))
    _indirect(f, f.word(runtime, Runtime.PARALLEL), VOID, [worker, shared, f.trunc(threads, I32), I32(0)])
    f.ret(f.zext(f.icmp_signed("==", f.word(shared, 3), I64(0)), I32))

    f.position_at_end(alone)
    f.ret(f.zext(f.call(part, [block, addresses, I64(0), units]), I32))
