"""The words that Python and machine code share: a kernel's call block, and the process's table of threads."""

from __future__ import annotations

from enum import auto

from .ir_builder import WordIndex

MAX_OPERANDS = 25  # of eight elements of a byte: two tensors, an output and the byte
MAX_DIMENSIONS = 64  # NumPy's limit on dimensions; no other library has a higher limit
BUFFER_BYTES = 64 << 10  # bytes of a thread's buffer for packed tiles and rows, on the heap
SLOTS_SYMBOL = "actgrad_thread_slots"


class Block(WordIndex):
    """The words of a call block. The scalars (for the inner loop) follow, then the counts, then the operands."""

    ROW = 0  # address of the inner loop
    ROW_STREAMING = auto()  # address of the streaming variant, or 0 if the kernel never streams
    OPERANDS = auto()  # number of operands
    OUTPUTS = auto()  # number of outputs among them
    GRAIN = auto()  # in units; with less work per thread, starting another thread takes more time than it saves
    UNITS = auto()  # flat: elements; tiled: tiles
    SHARE = auto()  # flat: a thread's share begins at a multiple of this number of units
    DIMENSIONS = auto()  # flat: 0; tiled: dimensions of the loop over tiles. The last two are tile rows and columns
    ROWS = auto()  # elements of the loop's last dimension but one
    COLUMNS = auto()  # elements of the loop's last dimension
    TILE_ROWS = auto()  # elements
    TILE_COLUMNS = auto()  # elements
    JOINED = auto()  # whether every operand is packed, so that a tile is one row
    COPIES_ROWS = auto()  # whether the rows of some operand are copied
    CHUNK = auto()  # elements to compute between two prefetches of a later row, or 0 for whole rows
    PREFETCH_START = auto()  # elements of a row to compute before its first prefetch
    COUNTS = auto()  # word at which the counts of the loop over tiles begin
    FIRST_OPERAND = auto()  # word at which the operands begin
    OPERAND_WORDS = auto()  # words per operand
    SCALARS = auto()  # word at which the scalars begin


class OperandField(WordIndex):
    """The words of one operand in a call block. The strides of the loop over tiles follow."""

    TENSOR = 0  # index of its base address
    OFFSET = auto()  # bytes
    ITEMSIZE = auto()  # bytes
    STEP = auto()  # bytes from one unit of a flat loop to the next: the itemsize, or 0 if the operand is broadcast
    ROW_STRIDE = auto()  # bytes
    COLUMN_STRIDE = auto()  # bytes
    PACKING = auto()  # a Packing
    BUFFER_OFFSET = auto()  # bytes into the thread's buffer
    AHEAD = auto()  # bytes from a row to the later row that the loop prefetches, or 0 for no prefetch
    TILE_STRIDES = auto()  # word at which the strides begin


class Packing(WordIndex):
    """How much of an operand the loop copies into the thread's buffer at a time."""

    NOTHING = 0
    TILE = auto()
    ROW = auto()  # the row is copied just before the inner loop uses it


class ThreadSlots(WordIndex):
    """The words of the process's thread table; see threads.py."""

    RUNTIME = 0  # address of the functions of the OpenMP runtime; 0 without a runtime
    CHOSEN = auto()  # the number of threads that set_num_threads chose, or 0 for MAX_THREADS
    OWNER = auto()  # the process that may use the pool, because a forked child inherits a broken pool
    SETTLED = auto()  # whether the runtime is final: it is PyTorch's, or PyTorch brings no runtime
    BUFFER_KEY = auto()  # the pthread key of each thread's buffer


class RuntimeFunctions(WordIndex):
    """The functions of an OpenMP runtime, by address."""

    PARALLEL = 0  # GOMP_parallel
    THREAD = auto()  # omp_get_thread_num
    THREADS = auto()  # omp_get_num_threads
    MAX_THREADS = auto()  # omp_get_max_threads
