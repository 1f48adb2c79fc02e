"""How a loop is walked: flat or in tiles, which operands are staged, how much work makes a thread worth its start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, prod
from pathlib import Path

from ...base.loop import Loop, Operand
from .driver import MAX_DIMENSIONS, MAX_OPERANDS, STAGE_BYTES, Block, Part, Staged
from .target import LINE, Target

GRAIN = 16384  # elements that make a second thread worth its start
SHORT_ROW = 24  # elements; shorter rows are staged, since each call of a row function has its price
IN_PLACE_COLUMNS = 16384  # elements of a row that one tile takes when nothing is staged
# A staged tile: its columns are contiguous in the operands used in place, its rows in most of the staged ones. Two
# lines of the latter are enough, which are fetched ahead; the longer the columns, the better. It fits the stage.
STAGED_RUN = 128  # bytes
BLOCK = 16  # elements; what a transposing copy takes at once
DISTANCE = 4096  # bytes of rows from what is computed to what is fetched, at least


@dataclass(frozen=True, slots=True)
class Reading:
    """What helps a processor to read rows that lie apart in memory, see driver.py; in bytes."""

    longest_copied: int  # in longer rows it finds its way
    longest_fetched: int
    fetched: int  # of a later row, from its beginning on
    at_once: int  # of these


WITH_LINES = Reading(8192, 16384, fetched=16384, at_once=1024)  # where a vector is a line: measured on AMD's Zen 4
WITH_LESS = Reading(1536, 16384, fetched=1024, at_once=512)  # on Zen 3, which finds the rest of a row better by itself


@dataclass(frozen=True, slots=True)
class Walk:
    """A loop with the decisions taken."""

    loop: Loop  # coalesced; tiled walks have at least two dimensions
    is_flat: bool
    spread: tuple[bool, ...]  # per input: one element for the whole row
    staged: tuple[Staged, ...]  # per operand
    tile: tuple[int, int]  # rows, columns
    streaming: bool
    ahead: tuple[int, ...] = ()  # per operand: bytes to a later row that is fetched meanwhile, 0 for none
    fetched: int = 0  # elements of that row
    at_once: int = 0  # of these

    def __str__(self) -> str:
        stores = ", streaming stores" if self.streaming else ""
        if self.is_flat:
            return f"flat{stores}"
        how = [f"tiles of {self.tile[0]} x {self.tile[1]}", f"{self.staged.count(Staged.TILE)} operands staged"]
        how += [f"{self.staged.count(Staged.ROW)} copied by rows"] if Staged.ROW in self.staged else []
        how += [f"{sum(map(bool, self.ahead))} fetched ahead"] if any(self.ahead) else []
        return ", ".join(how) + stores

    def words(self, row: int, row_streaming: int, scalars: Sequence[int]) -> list[int]:
        """The call block for the driver, see driver.Block; the scalars as the row functions want their words."""
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
        words[Block.GRAIN], words[Block.UNITS] = max(1, GRAIN // per_unit), units
        words[Block.DIMENSIONS] = len(counts)
        if not self.is_flat:
            words[Block.ROWS], words[Block.COLUMNS] = shape[-2:]
            words[Block.TILE_ROWS], words[Block.TILE_COLUMNS] = self.tile
            words[Block.JOINED] = all(staged == Staged.TILE for staged in self.staged)
            words[Block.COPIES_ROWS] = Staged.ROW in self.staged
            words[Block.CHUNK] = self.at_once
            words[Block.UNFETCHED] = shape[-1] - self.fetched
        words += scalars
        words[Block.COUNTS] = len(words)
        words += counts
        words[Block.FIRST_OPERAND], words[Block.OPERAND_WORDS] = len(words), Part.WALK + len(counts)
        stage, ahead = 0, self.ahead or (0,) * len(self.loop.operands)
        rows_held = {Staged.NOTHING: 0, Staged.TILE: self.tile[0], Staged.ROW: 1}  # in the stage at a time
        for k, (operand, is_spread) in enumerate(zip(self.loop.operands, self._all_spread(), strict=True)):
            part = self._part(operand, is_spread)
            part[Part.STAGED], part[Part.STAGE], part[Part.AHEAD] = self.staged[k], stage, ahead[k]
            words += part
            stage += -(-rows_held[self.staged[k]] * self.tile[1] * operand.dtype.itemsize // LINE) * LINE
        assert stage <= STAGE_BYTES
        return words

    def _all_spread(self) -> tuple[bool, ...]:
        return (False,) * len(self.loop.outputs) + self.spread

    def _part(self, operand: Operand, is_spread: bool) -> list[int]:
        part = [0] * Part.WALK
        part[Part.TENSOR], part[Part.OFFSET] = operand.tensor, operand.offset
        part[Part.ITEMSIZE] = operand.dtype.itemsize
        part[Part.STEP] = 0 if is_spread else operand.dtype.itemsize
        if not self.is_flat:
            part[Part.ROW_STRIDE], part[Part.COLUMN_STRIDE] = operand.strides[-2:]
            rows, columns = self.tile
            part += [*operand.strides[:-2], operand.strides[-2] * rows, operand.strides[-1] * columns]
        return part


def plan(loop: Loop, target: Target) -> Walk:
    """Decide how to walk a coalesced loop."""
    assert len(loop.operands) <= MAX_OPERANDS
    assert len(loop.shape) <= MAX_DIMENSIONS - 2
    loop = _with_best_rows(loop)
    streaming = bool(target.fence) and _is_large(loop)
    spread = tuple(bool(loop.shape) and o.strides[-1] == 0 for o in loop.inputs)
    rows_in_place = tuple(
        not loop.shape or o.strides[-1] == o.dtype.itemsize or is_spread
        for o, is_spread in zip(loop.operands, (False,) * len(loop.outputs) + spread, strict=True)
    )
    if len(loop.shape) <= 1 and all(rows_in_place):
        return Walk(loop, True, spread, (Staged.NOTHING,) * len(loop.operands), (1, 1), streaming)
    loop = _two_dimensional(loop)
    if all(rows_in_place) and loop.shape[-1] >= SHORT_ROW:
        columns = min(loop.shape[-1], IN_PLACE_COLUMNS)
        rows = max(1, min(loop.shape[-2], GRAIN // columns))
        walk = Walk(loop, False, spread, (Staged.NOTHING,) * len(loop.operands), (rows, columns), streaming)
        reading = WITH_LINES if target.vector_bytes == LINE else WITH_LESS
        return _reading_rows(walk, reading) if _is_large(loop) else walk
    loop = _with_best_partner(loop)
    in_place = tuple(o.strides[-1] == o.dtype.itemsize for o in loop.operands)
    if loop.shape[-1] < SHORT_ROW:
        in_place = (False,) * len(in_place)
    staged = tuple(Staged.NOTHING if here else Staged.TILE for here in in_place)
    sizes = [o.dtype.itemsize for o, is_staged in zip(loop.operands, staged, strict=True) if is_staged]
    elements = (STAGE_BYTES - LINE * MAX_OPERANDS) // sum(sizes)
    rows = min(loop.shape[-2], max(STAGED_RUN // max(sizes), elements // loop.shape[-1]))
    columns = _even(loop.shape[-1], max(1, elements // rows))
    # A staged element is no longer one for the whole row: it is copied as often as it is used.
    return Walk(
        loop,
        False,
        (False,) * len(loop.inputs),
        staged,
        (rows, columns),
        streaming and not any(staged[: len(loop.outputs)]),
    )


def _reading_rows(walk: Walk, reading: Reading) -> Walk:
    """A walk along rows that are used in place, with what is done about inputs whose rows lie apart.

    The processor copes with a run that ends beside others that go on, be it one row for all: rows are fetched where all
    inputs' end.
    """
    loop = walk.loop
    columns = loop.shape[-1]
    sizes = {o: columns * o.dtype.itemsize for o in loop.inputs if o.strides[-1]}
    apart = [o for o, size in sizes.items() if o.strides[-2] not in (0, size)]
    first_of_two = [o for o in apart if replace(o, offset=o.offset + sizes[o]) in apart]
    if first_of_two or len(apart) < len(sizes):
        copied = [o for o in first_of_two if sizes[o] <= reading.longest_copied]
        return replace(walk, staged=tuple(Staged.ROW if o in copied else Staged.NOTHING for o in loop.operands))
    fetched = [o for o in apart if sizes[o] <= reading.longest_fetched]
    if not fetched:
        return walk
    widest, narrowest = max(o.dtype.itemsize for o in loop.operands), min(o.dtype.itemsize for o in fetched)
    return replace(
        walk,
        ahead=tuple(o.strides[-2] * ceil(DISTANCE / sizes[o]) if o in fetched else 0 for o in loop.operands),
        fetched=min(columns, reading.fetched // narrowest),
        at_once=reading.at_once // widest,
    )


def _even(count: int, most: int) -> int:
    """The columns of tiles that share `count` about equally, and are whole blocks where there are several."""
    if count <= most or most < BLOCK:
        return min(count, most)
    most -= most % BLOCK
    even = ceil(count / ceil(count / most))
    return ceil(even / BLOCK) * BLOCK


def _two_dimensional(loop: Loop) -> Loop:
    """The loop with dimensions of one element in front until it has two."""
    missing = max(0, 2 - len(loop.shape))

    def widen(operand: Operand) -> Operand:
        return Operand(operand.tensor, operand.dtype, operand.offset, (0,) * missing + operand.strides)

    return Loop((1,) * missing + loop.shape, tuple(map(widen, loop.outputs)), tuple(map(widen, loop.inputs)))


def _with_best_rows(loop: Loop) -> Loop:
    """The loop with that dimension last in which most operands are contiguous."""
    if len(loop.shape) < 2:
        return loop

    def contiguous(d: int) -> int:
        return sum(o.strides[d] == o.dtype.itemsize for o in loop.operands)

    last = max(range(len(loop.shape)), key=lambda d: (contiguous(d), d))
    return loop.reordered([*(d for d in range(len(loop.shape)) if d != last), last])


def _with_best_partner(loop: Loop) -> Loop:
    """The loop with that dimension last but one which an operand with strided rows steps through most closely."""
    dimensions = range(len(loop.shape) - 1)
    strided = [o for o in loop.operands if o.strides[-1] != o.dtype.itemsize]
    if not strided:
        return loop

    def closeness(d: int) -> int:
        return min(abs(o.strides[d]) if o.strides[d] else 1 << 62 for o in strided)

    partner = min(dimensions, key=lambda d: (closeness(d), -d))
    return loop.reordered([d for d in dimensions if d != partner] + [partner, len(loop.shape) - 1])


def _is_large(loop: Loop) -> bool:
    """Whether the outputs would only push everything else out of the last cache, half of it being theirs at most."""
    return loop.size * sum(o.dtype.itemsize for o in loop.outputs) >= _last_cache_bytes() // 2


@cache
def _last_cache_bytes() -> int:
    """The size of the last-level cache as the system tells it, 32 MiB where it does not."""
    sizes = []
    for file in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        try:
            text = file.read_text().strip()
            sizes.append(int(text.rstrip("KM")) * {"K": 1 << 10, "M": 1 << 20}.get(text[-1:], 1))
        except (OSError, ValueError):  # containers show strange files
            continue
    return max(sizes, default=32 << 20)
