"""The lookup buffer: table entries of a block of elements, found before the first of these elements is computed.

Without it a processor with few registers would wait for each table entry, since it overlaps only two or three vectors.
So the formula is traced twice: the first trace records the entries, the second one replays them.
"""

from __future__ import annotations

import llvmlite.ir as ir

from .ir_builder import IRFunction
from .ir_types import I64


class LookupBuffer:
    """An array of words on the stack for each lookup of a formula, one or more words per element of a block."""

    BLOCK = 256  # elements; measured on AMD Zen 3

    def __init__(self, function: IRFunction, array: ir.Value | None):
        self.function = function
        self.array = array  # None for a formula without lookups
        self.is_recording = False
        self.words = 0  # per element, recorded or replayed since the trace began
        self._element: ir.Value | None = None

    def record(self, element: ir.Value) -> None:
        """Begin a trace that records a vector, whose first element has the number `element` in the block."""
        self.is_recording, self.words, self._element = True, 0, element

    def replay(self, element: ir.Value) -> None:
        """Begin a trace that replays the words recorded for that vector."""
        self.is_recording, self.words, self._element = False, 0, element

    def next_words(self, words: int) -> ir.Value:
        """The address of the vector's next words, `words` of them for each element."""
        function = self.function
        array = function.at(self.array, 4 * self.BLOCK * self.words)
        self.words += words
        return function.at(array, function.mul(self._element, I64(4 * words)))
