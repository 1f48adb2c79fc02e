"""The loop over the elements of a call, with the parts of its tensors as operands, and the strides that the loop takes.

A loop takes any strides, except where several dimensions of a tensor count as one: these dimensions must be contiguous.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

from ..loop import Loop, Operand, Shape, TensorMeta, row_major, with_ones
from .elementwise import Access, Part


class _Elements(NamedTuple):
    """The elements of a loop, before the dimensions of rows become its last."""

    shape: Shape
    call_rank: int  # of the elements in the call
    merged: int | None  # the dimension from which on all count as one
    rows: tuple[int, ...]  # the dimensions of a row


def _elements(access: Access, inputs: Mapping[str, TensorMeta], attributes: Mapping[str, Any]) -> _Elements:
    shapes = {name: meta.shape for name, meta in inputs.items()}
    shape = access.elements_shape(shapes, attributes)
    if access.is_uniform:
        return _Elements(shape, len(shape), None, ())
    merged = access.merged_from(attributes, len(shape))
    rows = access.row_dimensions(len(shape), attributes, shapes)
    if access.sees_rows and not rows:  # an element is a row
        return _Elements((1, *shape), len(shape), None, (0,))
    joined = shape if merged is None else (*shape[:merged], prod(shape[merged:]))
    return _Elements(joined, len(joined), merged, rows)


def contiguous(
    access: Access, tensors: Mapping[str, TensorMeta], inputs: Mapping[str, TensorMeta], attributes: Mapping[str, Any]
) -> dict[str, TensorMeta]:
    """These tensors as the loop takes them: one is row-major here if it lacks the contiguous dimensions that it needs.

    `inputs` are the loop's inputs.
    """
    if access.is_uniform:
        return dict(tensors)
    elements = _elements(access, inputs, attributes)

    def as_needed(name: str, meta: TensorMeta) -> TensorMeta:
        first = _contiguous_from(access, name, meta, elements)
        if first is None or is_in_a_row(meta, first):
            return meta
        return meta._replace(strides=row_major(meta.shape, meta.dtype.itemsize))

    return {name: as_needed(name, meta) for name, meta in tensors.items()}


def _contiguous_from(access: Access, name: str, meta: TensorMeta, elements: _Elements) -> int | None:
    """The first of the dimensions that must be contiguous, or None if any strides are allowed."""
    if access.flattens(name):
        return 0
    if access.is_per_row(name) and _is_reshaped(meta, elements):
        return 0
    return elements.merged


def _is_reshaped(meta: TensorMeta, elements: _Elements) -> bool:
    """Whether the shape of a tensor with an element for each row differs from the rows' shape, also followed by 1."""
    rows = elements.shape[:-1]
    return meta.shape not in (rows, (*rows, 1))


def loop(
    access: Access, outputs: Mapping[str, TensorMeta], inputs: Mapping[str, TensorMeta], attributes: Mapping[str, Any]
) -> Loop:
    """The loop over the elements, where every part of every tensor is an operand. A row's dimensions are the last.

    The tensors have the strides that `contiguous` gives them. If rows are cut into blocks, the loop's rows are blocks.
    """
    elements = _elements(access, inputs, attributes)
    shape, rows = elements.shape, elements.rows
    blocks = access.blocks(shape[-1], attributes) if shape else ()
    of_blocks: dict[int, Shape] = {}  # the number of a statistic -> its strides along the blocks

    def merged(name: str, meta: TensorMeta) -> TensorMeta:
        if access.is_uniform:
            return meta
        if access.is_statistic(name) and not access.is_per_row(name) and not access.flattens(name):
            return with_ones(meta, rows)
        first = _contiguous_from(access, name, meta, elements)
        if first is None or (access.flattens(name) and len(meta.shape) == 1):
            return meta
        if access.is_per_row(name) and _is_reshaped(meta, elements):
            return reshaped(meta, shape[:-1])
        return in_a_row(meta, first)

    def operands(tensors: Mapping[str, TensorMeta], first: int) -> tuple[Operand, ...]:
        result = []
        for number, (name, meta) in enumerate(tensors.items(), first):
            if blocks and access.is_statistic(name):
                of_blocks[number] = meta.strides[-len(blocks) :]
                meta = TensorMeta(meta.dtype, meta.shape[: -len(blocks)], meta.strides[: -len(blocks)])
            joined = merged(name, meta)
            is_aligned = len(joined.shape) == elements.call_rank
            aligned = joined.shape if is_aligned else access.aligned(name, joined.shape, elements.call_rank, attributes)
            result += [
                _operand(number, joined, part, aligned, shape) for part in access.parts(name, meta.shape, attributes)
            ]
        return tuple(result)

    result = Loop(shape, operands(outputs, 0), operands(inputs, len(outputs)))
    result = result.reordered([d for d in range(len(shape)) if d not in rows] + list(rows)) if rows else result
    return _cut(result, blocks, of_blocks) if blocks else result


def _cut(loop: Loop, blocks: Shape, of_blocks: Mapping[int, Shape]) -> Loop:
    """The loop with its last dimension cut into blocks. `of_blocks` has the strides of statistics along the blocks."""
    sizes = (*blocks, loop.shape[-1] // max(prod(blocks), 1))

    def cut(operand: Operand) -> Operand:
        *outer, last = operand.strides
        inner = (*of_blocks[operand.tensor], 0) if operand.tensor in of_blocks else row_major(sizes, last)
        return operand._replace(strides=(*outer, *inner))

    return Loop((*loop.shape[:-1], *sizes), tuple(map(cut, loop.outputs)), tuple(map(cut, loop.inputs)))


def is_in_a_row(meta: TensorMeta, first: int) -> bool:
    """Whether one step leads from each element to the next of the dimensions from `first` on."""
    pairs = [(n, stride) for n, stride in zip(meta.shape[first:], meta.strides[first:], strict=True) if n != 1]
    return meta.size == 0 or all(outer == n * inner for (_, outer), (n, inner) in pairwise(pairs))


def in_a_row(meta: TensorMeta, first: int) -> TensorMeta:
    """A tensor with its dimensions from `first` on merged into one. These dimensions must be contiguous."""
    steps = [stride for n, stride in zip(meta.shape[first:], meta.strides[first:], strict=True) if n != 1]
    last = steps[-1] if steps else meta.dtype.itemsize
    return TensorMeta(meta.dtype, (*meta.shape[:first], prod(meta.shape[first:])), (*meta.strides[:first], last))


def reshaped(meta: TensorMeta, shape: Shape) -> TensorMeta:
    """A contiguous tensor with another shape of as many elements."""
    (step,) = in_a_row(meta, 0).strides
    return TensorMeta(meta.dtype, shape, row_major(shape, step))


def _operand(tensor: int, meta: TensorMeta, part: Part | None, aligned: Shape, shape: Shape) -> Operand:
    """A part of a tensor, broadcast to `shape`."""
    sizes, offset = list(aligned), 0
    steps = [*meta.strides[: len(aligned)], *(0,) * (len(aligned) - len(meta.shape))]
    if part is not None:
        sizes[part.dim] = part.size
        offset, steps[part.dim] = part.start * steps[part.dim], part.step * steps[part.dim]
    missing = len(shape) - len(sizes)
    pairs = zip(sizes, shape[missing:], steps, strict=True)
    strides = (0,) * missing + tuple(0 if m != n else step for m, n, step in pairs)
    return Operand(tensor, meta.dtype, offset, strides)
