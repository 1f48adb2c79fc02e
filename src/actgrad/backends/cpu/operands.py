"""The operands of an inner loop: load and widen vectors of the inputs, narrow and store vectors of results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import llvmlite.ir as ir

from ...base.dtypes import Dtype
from . import casting
from .emitter import Emitter, Vector
from .facts import Facts
from .ir_types import I32, I64, PTR
from .kernel_spec import KernelSpec
from .target import LINE


class RowPointer(NamedTuple):
    """The first element of an operand's row."""

    pointer: ir.Value
    dtype: Dtype
    is_broadcast: bool  # whether one element serves the whole row


class Operands:
    """The rows of all operands, in the order of the pointers: outputs, then inputs."""

    def __init__(self, emitter: Emitter, spec: KernelSpec, pointers: ir.Value):
        self.emitter = emitter
        self.function = function = emitter.builder
        is_broadcast = (False,) * len(spec.outputs) + spec.broadcast
        self.rows = [
            RowPointer(function.word(pointers, k, PTR), dtype, is_broadcast[k]) for k, dtype in enumerate(spec.dtypes)
        ]
        self.outputs, self.inputs = self.rows[: len(spec.outputs)], self.rows[len(spec.outputs) :]
        self.varying_inputs = [row for row in self.inputs if not row.is_broadcast]
        self._broadcast: dict[RowPointer, Vector] = {}
        all_bfloat16 = {row.dtype.name for row in (*self.outputs, *self.varying_inputs)} == {"bfloat16"}
        self.in_pairs = emitter.target.tuning.bfloat16_pairs and all_bfloat16 and not emitter.is_double

    def load_broadcast(self) -> None:
        """Load the inputs that are one element, before the loop."""
        for row in self.inputs:
            if row.is_broadcast:
                element = casting.memory_type(row.dtype, 1).element
                raw = self.emitter.broadcast(self.function.load(row.pointer, typ=element, align=1))
                self._broadcast[row] = self._widened(raw, row)

    def pointer_to(self, row: RowPointer, index: ir.Value) -> ir.Value:
        """The address of an element."""
        return self.function.at(row.pointer, self.function.mul(index, I64(row.dtype.itemsize)))

    def type_of(self, row: RowPointer) -> ir.VectorType:
        """The type of a vector of the operand in memory."""
        return casting.memory_type(row.dtype, self.emitter.lanes)

    # Inputs

    def load(self, index: ir.Value, row: RowPointer) -> ir.Value:
        """A vector of the input in its storage dtype."""
        return self.function.load(self.pointer_to(row, index), typ=self.type_of(row), align=1)

    def inputs_by(self, load: Callable[[RowPointer], ir.Value]) -> list[Vector]:
        """A widened vector of each input; `load(row)` loads the inputs that vary."""
        return [self._broadcast[row] if row.is_broadcast else self._widened(load(row), row) for row in self.inputs]

    def inputs_at(self, index: ir.Value) -> list[Vector]:
        """A vector of each input, from element `index` on."""
        inputs = self.inputs_by(partial(self.load, index))
        for row, x in zip(self.inputs, inputs, strict=True):
            if not row.is_broadcast:
                x.facts = replace(x.facts, lanes=(self.pointer_to(row, index), row.dtype.itemsize))
        return inputs

    def pairs_at(self, index: ir.Value) -> list[list[Vector]]:
        """The even and the odd elements of two vectors of each input."""
        pairs = [
            2 * (self._broadcast[row],) if row.is_broadcast else self._pair(self.pointer_to(row, index))
            for row in self.inputs
        ]
        return [list(inputs) for inputs in zip(*pairs, strict=True)]

    def _pair(self, pointer: ir.Value) -> tuple[Vector, Vector]:
        words = self.function.load(pointer, typ=self.emitter.vector_type(I32), align=1)
        even, odd = casting.widen_pair(self.emitter, words)
        even.facts, odd.facts = Facts(lanes=(pointer, 4)), Facts(lanes=(self.function.at(pointer, 2), 4))
        return even, odd

    def _widened(self, raw: ir.Value, row: RowPointer) -> Vector:
        return Vector(self.emitter, casting.widen(self.emitter, raw, row.dtype), Facts(raw=raw))

    # Outputs

    def narrowed(self, results: list[Vector]) -> list[ir.Value]:
        """A vector of each output, in the output's storage dtype."""
        return [casting.narrow(self.emitter, r, row.dtype) for r, row in zip(results, self.outputs, strict=True)]

    def narrowed_pair(self, pair: tuple[list[Vector], list[Vector]]) -> list[ir.Value]:
        """Two vectors of each output, from their even and their odd elements."""
        return [casting.narrow_pair(self.emitter, even, odd) for even, odd in zip(*pair, strict=True)]

    def store(self, index: ir.Value, step: list[list[ir.Value]]) -> None:
        """Store consecutive vectors, each with all outputs, from element `index` on."""
        lanes = self.emitter.lanes * (2 if self.in_pairs else 1)
        for k, vectors in enumerate(step):
            first = self.function.add(index, I64(k * lanes))
            for row, vector in zip(self.outputs, vectors, strict=True):
                self.function.store(vector, self.pointer_to(row, first), align=1)

    def stream(self, index: ir.Value, step: list[list[ir.Value]]) -> None:
        """Like `store`, but with streaming stores, which bypass the caches.

        Each output must be aligned to a cache line.
        """
        for row, *vectors in zip(self.outputs, *step, strict=True):
            joined = vectors[0] if len(vectors) == 1 else self._joined(vectors)
            size = joined.type.count * bits_of(joined.type.element) // 8
            self.function.stream(joined, self.pointer_to(row, index), align=min(size, LINE))

    def _joined(self, vectors: list[ir.Value]) -> ir.Value:
        """Consecutive vectors as one vector of words, because LLVM streams only words."""
        shuffle = self.function.shuffle
        while len(vectors) > 1:
            both = range(2 * vectors[0].type.count)
            vectors = [shuffle(a, b, both) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
        bits = vectors[0].type.count * bits_of(vectors[0].type.element)
        return self.function.bitcast(vectors[0], ir.VectorType(I32, bits // 32))


def bits_of(type_: ir.Type) -> int:
    """The size of a number in bits."""
    return {"half": 16, "float": 32, "double": 64}.get(str(type_)) or int(type_.width)
