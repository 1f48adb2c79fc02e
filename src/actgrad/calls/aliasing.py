"""The rule on the memory of outputs: an output may be exactly an input, or must share no memory with any tensor.

An output must not be an input that the loop needs for a later element.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from ..arrays import ArrayView, raw_array
from ..base.errors import InvalidArgument
from ..base.loop import Loop, TensorMeta, extent, same_layout

_MAX_COMPARED = 1 << 24  # the largest number of elements whose addresses are compared one by one


class ByteRange(NamedTuple):
    """The range of a tensor's bytes, counted from its address, and the tensors that it may overwrite as an output."""

    low: int  # the first byte
    high: int  # the byte after the last one
    alike: int = 0  # bit j is 1 if this output may be exactly tensor j


def layouts(
    outputs: Sequence[TensorMeta], inputs: Sequence[TensorMeta], loop: Loop | None = None
) -> tuple[ByteRange, ...]:
    """The layouts of a call's outputs and then of its inputs. `loop` is None if no loop computes the outputs.

    An output may be an input if the loop reads each element of the input at the address to which it writes. It may also
    be an input that is not in the loop, because such an input is read before the loop or never.
    """
    present = (*outputs, *inputs)
    loop_tensors = {operand.tensor for operand in loop.operands} if loop is not None else set()

    def is_alike(k: int, j: int) -> bool:
        if not same_layout(present[k], present[j]):
            return False
        return loop is None or j not in loop_tensors or loop.positions(k) == loop.positions(j)

    def alike_bits(k: int) -> int:
        return sum(is_alike(k, j) << j for j in range(len(outputs), len(present)))

    return tuple([ByteRange(*extent(meta), alike_bits(k) if k < len(outputs) else 0) for k, meta in enumerate(present)])


def resized(layouts: Sequence[ByteRange], metas: Sequence[TensorMeta]) -> tuple[ByteRange, ...]:
    """The layouts of the same call on contiguous tensors of another shape. `metas` are the outputs, then the inputs."""
    pairs = zip(layouts, metas, strict=True)
    return tuple([ByteRange(0, meta.size * meta.dtype.itemsize, layout.alike) for layout, meta in pairs])


def check(
    operator: str,
    output_names: tuple[str, ...],
    outputs: Sequence[ArrayView | None],
    input_names: tuple[str, ...],
    inputs: Sequence[ArrayView | None],
    layouts: Sequence[ByteRange],
) -> None:
    """Raise if a caller's output is read-only, overlaps another output, or overlaps an input that it may not overwrite.

    An output is None if the call allocates it. `layouts` has all outputs, then the inputs that are not None.
    """
    for k, output in enumerate(outputs):
        if output is None:
            continue
        if not output.writable:
            raise InvalidArgument(f"{operator}: {output_names[k]} is read-only; it must be writable; pass a copy")
        low, high, alike = layouts[k]
        first, end = output.address + low, output.address + high
        index = len(outputs) - 1  # among the layouts
        for j, other in enumerate(inputs):
            if other is None:
                continue
            index += 1
            low, high, _ = layouts[index]
            if end <= other.address + low or other.address + high <= first:
                continue
            is_same = output.address == other.address
            if not (is_same and alike >> index & 1) and share_memory(output, other):
                is_needed = is_same and same_layout(output.meta, other.meta)
                raise InvalidArgument(f"{operator}: {_fault(output_names[k], input_names[j], is_needed)}")
        for j in range(k):
            earlier = outputs[j]
            if earlier is None:
                continue
            low, high, _ = layouts[j]
            is_apart = end <= earlier.address + low or earlier.address + high <= first
            if not is_apart and share_memory(output, earlier):
                names = f"{output_names[k]} overlaps {output_names[j]}"
                raise InvalidArgument(f"{operator}: {names}; outputs must share no memory; pass separate memory")


def _fault(output: str, other: str, is_needed: bool) -> str:
    """The message about an output that overlaps an input. `is_needed`: it is the same view, but needed later."""
    if is_needed:
        return f"{output} overlaps {other}; results that come later need {other}; pass separate memory for {output}"
    return f"{output} overlaps {other}; it must be exactly {other}, or share no memory; pass separate memory"


def may_write(addresses: Sequence[int], layouts: Sequence[tuple[int, int, int]], outputs: int) -> bool:
    """Whether the ranges of bytes show that no output overlaps another tensor, except an input that it may overwrite.

    False if ranges overlap, although the elements may not. `addresses` and `layouts` are of outputs, then inputs.
    `_aliasing.h` states the same rule for C.
    """
    for k in range(outputs):
        address = addresses[k]
        low, high, alike = layouts[k]
        first, end = address + low, address + high
        for j, other in enumerate(addresses):
            is_free = end <= other + layouts[j][0] or other + layouts[j][1] <= first
            if not is_free and j != k and not (address == other and alike >> j & 1):
                return False
    return True


def share_memory(a: ArrayView, b: ArrayView) -> bool:
    """Whether an element of `a` and an element of `b` share a byte. The answer is exact, also for interleaved views."""
    return bool(np.shares_memory(raw_array(a.address, a.meta), raw_array(b.address, b.meta)))


def refuse_self_overlap(operator: str, name: str, meta: TensorMeta) -> None:
    """Raise if two elements of an output share a byte."""
    if overlaps_itself(meta):
        layout = f"shape {meta.shape}, strides {meta.strides} bytes"
        expected = "each element must have its own memory"
        raise InvalidArgument(f"{operator}: {name} overlaps itself ({layout}); {expected}; pass a copy")


def overlaps_itself(meta: TensorMeta) -> bool:
    """Whether two elements of a tensor share a byte."""
    if 0 in meta.shape:
        return False
    steps = sorted((abs(s), n) for n, s in zip(meta.shape, meta.strides, strict=True) if n > 1)
    reach = meta.dtype.itemsize
    for k, (stride, n) in enumerate(steps):
        if stride < reach:  # dimensions interleave, which is rare. Then only a comparison of addresses tells
            return _elements_collide(meta, steps[: k + 1]) or (k + 1 < len(steps) and _elements_collide(meta, steps))
        reach += stride * (n - 1)
    return False


def _elements_collide(meta: TensorMeta, steps: list[tuple[int, int]]) -> bool:
    if any(stride == 0 for stride, _ in steps):
        return True
    if prod(n for _, n in steps) > _MAX_COMPARED:
        return True  # refuse, because a comparison would take too long
    offsets = np.zeros(1, np.int64)
    for stride, n in steps:
        offsets = np.add.outer(offsets, stride * np.arange(n, dtype=np.int64)).ravel()
    offsets.sort()
    return bool((np.diff(offsets) < meta.dtype.itemsize).any())
