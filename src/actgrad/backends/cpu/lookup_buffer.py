"""The lookup buffer: table entries for a block of elements, loaded before the block's first element is computed.

A processor with few registers overlaps only two or three vectors, and would wait for each table entry without this
buffer. So the formula is traced twice: the first trace records the entries, the second trace reads them back.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir

from .ir_builder import IRFunction
from .ir_types import I64


class LookupBuffer:
    """An array of words on the stack for each lookup of a formula, one or more words per element of a block."""

    BLOCK = 256  # elements; measured on AMD Zen 3

    def __init__(self, function: IRFunction, array: ir.Value | None):
        self.function = function
        self.array = array  # None if the formula has no lookups
        self.begin(I64(0), is_recording=False)

    def begin(self, element: ir.Value, is_recording: bool) -> None:
        """Begin a trace that records or replays a vector.

        `element` is the index of the vector's first element in the block.
        """
        self.element = element
        self.is_recording = is_recording
        self.words = 0  # words per element that were recorded or replayed in this trace
        self.results: dict[Any, Any] = {}  # results of lookups in this trace; another trace may be in another block

    def next_words(self, words: int) -> ir.Value:
        """The address of the vector's next words, with `words` words per element."""
        function = self.function
        array = function.at(self.array, 4 * self.BLOCK * self.words)
        self.words += words
        return function.at(array, function.mul(self.element, I64(4 * words)))
