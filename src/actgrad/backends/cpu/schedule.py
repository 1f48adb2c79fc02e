"""The schedule of a loop: flat or tiled, which operands to pack, how much work pays for another thread.

The constants were measured on AMD Zen 4. Tuning has the constants that differ between processors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import ceil, prod
from pathlib import Path
from typing import NamedTuple

from ...base.loop import Loop, Operand
from .call_block import BUFFER_BYTES, MAX_DIMENSIONS, MAX_OPERANDS, Block, OperandField, Packing
from .target import LINE, Target
from .tuning import RowReading

GRAIN = 16384  # with more elements than this, a second thread saves more time than its start takes
ROW_WORK = 4  # this number of elements without rows takes as long as one element with rows; measured on AMD Zen 5
SHARE = 1024  # elements, so that no two threads write to one cache line
SHORT_ROW = 24  # elements; shorter rows are packed, because each call of an inner loop takes time
IN_PLACE_COLUMNS = 16384  # elements of a row in one tile, if no operand is packed
# A packed tile has contiguous columns in the operands that are used in place, and contiguous rows in most packed
# operands. Two cache lines per row are enough, because rows are prefetched. Longer columns are faster. The tile fits
# the buffer.
PACKED_RUN = 128  # bytes
BLOCK = 16  # elements of a transposing copy's block
DISTANCE = 4096  # bytes, at least, from the computed row to the prefetched row
FEWEST_ACROSS = 8  # rows; fewer leave vector lanes empty: softmax of 4 rows took 4 times as long on AMD Zen 3


class Schedule(NamedTuple):
    """A loop, and all decisions about how to run it."""

    loop: Loop  # coalesced; tiled loops have at least two dimensions
    is_flat: bool
    broadcast: tuple[bool, ...]  # per input: whether one element serves the whole row
    packing: tuple[Packing, ...]  # per operand
    tile: tuple[int, int]  # rows, columns
    streaming: bool
    ahead: tuple[int, ...] = ()  # per operand: bytes to the later row to prefetch, or 0 for no prefetch
    prefetched: int = 0  # elements of that row to prefetch
    chunk: int = 0  # elements between two prefetches
    share: int = SHARE  # flat: a thread's share begins at a multiple of this
    work: int = 1  # elements in a unit of the loop

    def __str__(self) -> str:
        stores = ", streaming stores" if self.streaming else ""
        if self.is_flat:
            return f"flat{stores}"
        how = [f"tiles of {self.tile[0]} x {self.tile[1]}", f"{self.packing.count(Packing.TILE)} operands packed"]
        how += [f"{self.packing.count(Packing.ROW)} copied by rows"] if Packing.ROW in self.packing else []
        how += [f"{sum(map(bool, self.ahead))} prefetched"] if any(self.ahead) else []
        return ", ".join(how) + stores

    def resized(self, size: int, target: Target) -> Schedule:
        """This flat schedule of contiguous operands, for another number of elements."""
        loop = Loop((size,), self.loop.outputs, self.loop.inputs)
        return self._replace(loop=loop, streaming=_streams(loop, target))

    def words(self, row: int, row_streaming: int, scalars: Sequence[int]) -> list[int]:
        """The call block. `scalars` are the words of the inner loop's argument `scalars`."""
        shape = self.loop.shape
        counts: list[int] = []
        if not self.is_flat:
            rows, columns = self.tile
            counts = [*shape[:-2], ceil(shape[-2] / rows), ceil(shape[-1] / columns)]
        units = self.loop.size if self.is_flat else prod(counts)
        per_unit = 1 if self.is_flat else max(1, self.loop.size // units)
        words = [0] * Block.SCALARS
        words[Block.ROW], words[Block.ROW_STREAMING] = row, row_streaming if self.streaming else 0
        words[Block.OPERANDS], words[Block.OUTPUTS] = len(self.loop.operands), len(self.loop.outputs)
        words[Block.GRAIN], words[Block.UNITS] = max(1, GRAIN // (per_unit * self.work)), units
        words[Block.SHARE] = self.share
        words[Block.DIMENSIONS] = len(counts)
        if not self.is_flat:
            words[Block.ROWS], words[Block.COLUMNS] = shape[-2:]
            words[Block.TILE_ROWS], words[Block.TILE_COLUMNS] = self.tile
            words[Block.JOINED] = all(packing == Packing.TILE for packing in self.packing)
            words[Block.COPIES_ROWS] = Packing.ROW in self.packing
            words[Block.CHUNK] = self.chunk
            words[Block.PREFETCH_START] = shape[-1] - self.prefetched
        words += scalars
        words[Block.COUNTS] = len(words)
        words += counts
        words[Block.FIRST_OPERAND], words[Block.OPERAND_WORDS] = len(words), OperandField.TILE_STRIDES + len(counts)
        offset, ahead = 0, self.ahead or (0,) * len(self.loop.operands)
        is_broadcast = (False,) * len(self.loop.outputs) + self.broadcast
        rows_held = {Packing.NOTHING: 0, Packing.TILE: self.tile[0], Packing.ROW: 1}  # rows in the buffer at once
        for k, operand in enumerate(self.loop.operands):
            fields = self._operand_words(operand, is_broadcast[k])
            fields[OperandField.PACKING], fields[OperandField.BUFFER_OFFSET] = self.packing[k], offset
            fields[OperandField.AHEAD] = ahead[k]
            words += fields
            offset += -(-rows_held[self.packing[k]] * self.tile[1] * operand.dtype.itemsize // LINE) * LINE
        assert offset <= BUFFER_BYTES
        return words

    def _operand_words(self, operand: Operand, is_broadcast: bool) -> list[int]:
        fields = [0] * OperandField.TILE_STRIDES
        fields[OperandField.TENSOR], fields[OperandField.OFFSET] = operand.tensor, operand.offset
        fields[OperandField.ITEMSIZE] = operand.dtype.itemsize
        fields[OperandField.STEP] = 0 if is_broadcast else operand.dtype.itemsize
        if self.is_flat and self.loop.shape:
            fields[OperandField.STEP] = operand.strides[-1]
        if not self.is_flat:
            fields[OperandField.ROW_STRIDE], fields[OperandField.COLUMN_STRIDE] = operand.strides[-2:]
            rows, columns = self.tile
            fields += [*operand.strides[:-2], operand.strides[-2] * rows, operand.strides[-1] * columns]
        return fields


def plan(loop: Loop, target: Target) -> Schedule:
    """The schedule of a coalesced loop."""
    assert len(loop.operands) <= MAX_OPERANDS
    assert len(loop.shape) <= MAX_DIMENSIONS - 2
    loop = _with_best_rows(loop)
    streaming = _streams(loop, target)
    broadcast = tuple(bool(loop.shape) and o.strides[-1] == 0 for o in loop.inputs)
    varying = [*loop.outputs, *(o for o, is_one in zip(loop.inputs, broadcast, strict=True) if not is_one)]
    has_rows_in_place = all(not loop.shape or o.strides[-1] == o.dtype.itemsize for o in varying)
    in_place = (Packing.NOTHING,) * len(loop.operands)
    if len(loop.shape) <= 1 and has_rows_in_place:
        return Schedule(loop, True, broadcast, in_place, (1, 1), streaming)
    loop = _two_dimensional(loop)
    if has_rows_in_place and loop.shape[-1] >= SHORT_ROW:
        columns = min(loop.shape[-1], IN_PLACE_COLUMNS)
        rows = max(1, min(loop.shape[-2], GRAIN // columns))
        schedule = Schedule(loop, False, broadcast, in_place, (rows, columns), streaming)
        return _reading_rows(schedule, target.tuning.row_reading) if _are_large(loop, loop.outputs) else schedule
    loop = _with_best_partner(loop)
    is_short = loop.shape[-1] < SHORT_ROW
    packing = tuple(
        Packing.TILE if is_short or o.strides[-1] != o.dtype.itemsize else Packing.NOTHING for o in loop.operands
    )
    sizes = [o.dtype.itemsize for o, is_packed in zip(loop.operands, packing, strict=True) if is_packed]
    elements = (BUFFER_BYTES - LINE * len(loop.operands)) // sum(sizes)
    rows = min(loop.shape[-2], max(PACKED_RUN // max(sizes), elements // loop.shape[-1]))
    columns = _even(loop.shape[-1], max(1, elements // rows))
    streaming = streaming and not any(packing[: len(loop.outputs)])
    # Packing copies a broadcast element as often as the row uses it, so the tile has no broadcast operand.
    return Schedule(loop, False, (False,) * len(loop.inputs), packing, (rows, columns), streaming)


class RowSchedule(NamedTuple):
    """The schedule of a loop over rows, and the rows' own dimensions."""

    schedule: Schedule  # each element of this loop is a row
    across: bool  # whether lanes are rows
    sizes: tuple[int, ...]  # sizes of a row's dimensions
    strides: tuple[tuple[int, ...], ...]  # per operand: along these dimensions, then from row to row
    is_large: bool  # whether the operands exceed the caches
    outputs_are_large: bool

    @property
    def lane_strides(self) -> tuple[int, ...]:
        """Bytes from lane to lane, per operand."""
        return tuple(strides[-1 if self.across else -2] for strides in self.strides)


def plan_rows(loop: Loop, dims: int) -> RowSchedule:
    """The schedule of a loop whose last `dims` dimensions are rows. Rows are never cut.

    Lanes run along the dimension in which most operands are contiguous, or along the rows if there are few rows.
    """
    rank = len(loop.shape)
    row_dims = [d for d in range(rank - dims, rank) if loop.shape[d] != 1 or d == rank - 1]
    along = sum(o.strides[-1] == o.dtype.itemsize for o in loop.operands)
    rows = _with_best_rows(loop.reordered(range(rank - dims)).coalesced())
    has_lanes = bool(rows.shape) and rows.shape[-1] >= FEWEST_ACROSS
    across = has_lanes and sum(o.strides[-1] == o.dtype.itemsize for o in rows.operands) > along
    work = max(1, ROW_WORK * prod(loop.shape[d] for d in row_dims))
    is_flat = len(rows.shape) <= 1
    if not is_flat:
        rows = _two_dimensional(rows)
    columns = 1 if is_flat else min(rows.shape[-1], max(LINE, GRAIN // work))
    in_place, broadcast = (Packing.NOTHING,) * len(loop.operands), (False,) * len(loop.inputs)
    share = _share_across(loop, rows.shape[-1]) if across else 1
    schedule = Schedule(rows, is_flat, broadcast, in_place, (1, columns), False, share=share, work=work)
    strides = [
        (*(o.strides[d] for d in row_dims), row.strides[-1] if rows.shape else 0)
        for o, row in zip(loop.operands, rows.operands, strict=True)
    ]
    return RowSchedule(
        schedule,
        across,
        tuple(loop.shape[d] for d in row_dims),
        tuple(strides),
        _are_large(loop, loop.operands),
        _are_large(loop, loop.outputs),
    )


def _share_across(loop: Loop, rows: int) -> int:
    """The least number of rows for a thread: a cache line of elements, or half of few rows, which share their lines."""
    line = LINE // min(o.dtype.itemsize for o in loop.outputs)
    return min(line, max(2 * FEWEST_ACROSS, rows // 2))


def _reading_rows(schedule: Schedule, reading: RowReading) -> Schedule:
    """The schedule for rows in place, with copies or prefetches of inputs whose rows are apart in memory.

    Rows are prefetched only if every input has a gap after its row. If one input has no gap, or repeats one row, the
    processor predicts the next rows of the other inputs by itself.
    """
    loop = schedule.loop
    columns = loop.shape[-1]
    sizes = {o: columns * o.dtype.itemsize for o in loop.inputs if o.strides[-1]}
    apart = [o for o, size in sizes.items() if o.strides[-2] not in (0, size)]
    first_of_two = [o for o in apart if o._replace(offset=o.offset + sizes[o]) in apart]
    if first_of_two or len(apart) < len(sizes):
        copied = [o for o in first_of_two if sizes[o] <= reading.longest_copied]
        packing = tuple(Packing.ROW if o in copied else Packing.NOTHING for o in loop.operands)
        return schedule._replace(packing=packing)
    prefetched = [o for o in apart if sizes[o] <= reading.longest_prefetched]
    if not prefetched:
        return schedule
    widest, narrowest = max(o.dtype.itemsize for o in loop.operands), min(o.dtype.itemsize for o in prefetched)
    return schedule._replace(
        ahead=tuple(o.strides[-2] * ceil(DISTANCE / sizes[o]) if o in prefetched else 0 for o in loop.operands),
        prefetched=min(columns, reading.prefetched // narrowest),
        chunk=reading.chunk // widest,
    )


def _even(count: int, most: int) -> int:
    """The columns of a tile, so that all tiles have about equal shares of `count`.

    If there are several, they have whole blocks.
    """
    if count <= most or most < BLOCK:
        return min(count, most)
    most -= most % BLOCK
    even = ceil(count / ceil(count / most))
    return ceil(even / BLOCK) * BLOCK


def _two_dimensional(loop: Loop) -> Loop:
    """The loop with at least two dimensions. A missing dimension has one element and comes first."""
    missing = max(0, 2 - len(loop.shape))

    def widen(operand: Operand) -> Operand:
        return Operand(operand.tensor, operand.dtype, operand.offset, (0,) * missing + operand.strides)

    return Loop((1,) * missing + loop.shape, tuple(map(widen, loop.outputs)), tuple(map(widen, loop.inputs)))


def _with_best_rows(loop: Loop) -> Loop:
    """The loop with its dimensions in another order, so that most operands are contiguous in the last dimension."""
    if len(loop.shape) < 2:
        return loop

    def contiguous(d: int) -> int:
        return sum(o.strides[d] == o.dtype.itemsize for o in loop.operands)

    last = max(range(len(loop.shape)), key=lambda d: (contiguous(d), d))
    return loop.reordered([*(d for d in range(len(loop.shape)) if d != last), last])


def _with_best_partner(loop: Loop) -> Loop:
    """The loop in another order of dimensions: some operand with strided rows has its smallest stride last but one."""
    dimensions = range(len(loop.shape) - 1)
    strided = [o for o in loop.operands if o.strides[-1] != o.dtype.itemsize]
    if not strided:
        return loop

    def closeness(d: int) -> int:
        return min(abs(o.strides[d]) if o.strides[d] else 1 << 62 for o in strided)

    partner = min(dimensions, key=lambda d: (closeness(d), -d))
    return loop.reordered([d for d in dimensions if d != partner] + [partner, len(loop.shape) - 1])


def _streams(loop: Loop, target: Target) -> bool:
    """Whether the outputs are so large that stores bypass the caches."""
    return bool(target.fence) and _are_large(loop, loop.outputs)


def _are_large(loop: Loop, operands: Sequence[Operand]) -> bool:
    """Whether operands fill half of the last-level cache. Such outputs would only evict other data from the cache."""
    return loop.size * sum(o.dtype.itemsize for o in operands) >= _last_cache_bytes() // 2


@cache
def _last_cache_bytes() -> int:
    """The size of the last-level cache as the system states it, otherwise 32 MiB."""
    sizes = []
    for file in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        try:
            text = file.read_text().strip()
            sizes.append(int(text.rstrip("KM")) * {"K": 1 << 10, "M": 1 << 20}.get(text[-1:], 1))
        except (OSError, ValueError):  # some containers have malformed files
            continue
    return max(sizes, default=32 << 20)
