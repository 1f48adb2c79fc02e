"""What is looked up for each element of a block before the first of them is computed, and noted meanwhile.

A processor has room for the results of two or three vectors. It would wait for each of them if it had to find out first
where to look. So a formula is traced twice: first to note, then to use what was noted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import llvmlite.ir as ir

from .ir_types import I64

if TYPE_CHECKING:
    from .emitter import Emitter


class Notes:
    """Where a row function notes, in an array for each thing that is looked up, of one or more words per element."""

    BLOCK = 256  # elements

    def __init__(self, emitter: Emitter):
        self.emitter = emitter
        self.is_noting = False
        self.words = 0  # that were noted, or used, of each element since the beginning
        self._array: ir.Value | None = None
        self._element: ir.Value | None = None

    def note_in(self, array: ir.Value, element: ir.Value) -> None:
        """From now on a vector is noted, of which `element` is the first one's number in the block."""
        self.is_noting, self._array, self._element = True, array, element

    def pick_from(self, array: ir.Value, element: ir.Value) -> None:
        """From now on what was noted of that vector is used."""
        self.is_noting, self._array, self._element = False, array, element

    def begin(self) -> None:
        """A formula is traced from its beginning: its notes are counted anew."""
        self.words = 0

    def room(self, words: int) -> ir.Value:
        """Where the vector's next notes are, so many words of each element."""
        builder = self.emitter.builder
        array = builder.at(self._array, 4 * self.BLOCK * self.words)
        self.words += words
        return builder.at(array, builder.mul(self._element, I64(4 * words)))
