"""Whether an output may lie where it does: exactly on an input that no later result needs, or apart from everything."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from ..arrays import ArrayView, raw_array
from ..base.errors import InvalidArgument
from ..base.loop import Loop, TensorMeta, extent, same_layout

_ENUMERABLE = 1 << 24  # elements of an output whose addresses are compared one by one


class Layout(NamedTuple):
    """A tensor's bytes, counted from its address, and the tensors whose memory it may overwrite as an output."""

    low: int  # the first byte
    high: int  # the byte after the last one
    alike: int = 0  # bit j: as an output, the tensor may be exactly tensor j


def layouts(
    outputs: Sequence[TensorMeta], inputs: Sequence[TensorMeta], loop: Loop | None = None
) -> tuple[Layout, ...]:
    """The layouts of a call's outputs and then of its inputs. `loop` computes them, or nothing does.

    An output may be an input if the loop reads and writes each of its elements at the same place. An input that the
    loop does not see is read before it, or never.
    """
    present = (*outputs, *inputs)
    loop_tensors = {operand.tensor for operand in loop.operands} if loop is not None else set()

    def is_alike(k: int, j: int) -> bool:
        if not same_layout(present[k], present[j]):
            return False
        return loop is None or j not in loop_tensors or loop.positions(k) == loop.positions(j)

    def alike(k: int) -> int:
        return sum(is_alike(k, j) << j for j in range(len(outputs), len(present)))

    return tuple([Layout(*extent(meta), alike(k) if k < len(outputs) else 0) for k, meta in enumerate(present)])


def resized(layouts: Sequence[Layout], metas: Sequence[TensorMeta]) -> tuple[Layout, ...]:
    """The layouts of a call on contiguous tensors with another shape: outputs, then inputs."""
    pairs = zip(layouts, metas, strict=True)
    return tuple([Layout(0, meta.size * meta.dtype.itemsize, layout.alike) for layout, meta in pairs])


def check(
    operator: str,
    output_names: tuple[str, ...],
    outputs: Sequence[ArrayView | None],
    input_names: tuple[str, ...],
    inputs: Sequence[ArrayView | None],
    layouts: Sequence[Layout],
) -> None:
    """Raise if a given output is read-only, or overlaps an input that it may not overwrite, or another output.

    `layouts` belong to all outputs, also fresh ones, and then to the inputs that the call has.
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
    """The fault of an output that overlaps an input. `is_needed`: it is the same view, but later results need it."""
    if is_needed:
        return f"{output} overlaps {other}; results that come later need {other}; pass separate memory for {output}"
    return f"{output} overlaps {other}; it must be exactly {other}, or share no memory; pass separate memory"


def may_write(addresses: Sequence[int], layouts: Sequence[tuple[int, int, int]], outputs: int) -> bool:
    """Whether each output is exactly an input that it may be, or apart from it. False if only each address can tell.

    `layouts` are of outputs, then inputs. `_aliasing.h` states the same rule for C.
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
    """Whether an element of `a` and one of `b` share a byte. The answer is exact, which interleaved views need."""
    return bool(np.shares_memory(raw_array(a.address, a.meta), raw_array(b.address, b.meta)))


def refuse_self_overlap(operator: str, name: str, meta: TensorMeta) -> None:
    """Raise if two elements of an output lie on the same byte."""
    if overlaps_itself(meta):
        layout = f"shape {meta.shape}, strides {meta.strides} bytes"
        expected = "each element must have its own memory"
        raise InvalidArgument(f"{operator}: {name} overlaps itself ({layout}); {expected}; pass a copy")


def overlaps_itself(meta: TensorMeta) -> bool:
    """Whether two elements of a tensor lie on the same byte."""
    if 0 in meta.shape:
        return False
    steps = sorted((abs(s), n) for n, s in zip(meta.shape, meta.strides, strict=True) if n > 1)
    reach = meta.dtype.itemsize
    for k, (stride, n) in enumerate(steps):
        if stride < reach:  # dimensions interlock: rare, and told only by the addresses themselves
            return _elements_collide(meta, steps[: k + 1]) or (k + 1 < len(steps) and _elements_collide(meta, steps))
        reach += stride * (n - 1)
    return False


def _elements_collide(meta: TensorMeta, steps: list[tuple[int, int]]) -> bool:
    if any(stride == 0 for stride, _ in steps):
        return True
    if prod(n for _, n in steps) > _ENUMERABLE:
        return True  # too many to compare, so refuse
    offsets = np.zeros(1, np.int64)
    for stride, n in steps:
        offsets = np.add.outer(offsets, stride * np.arange(n, dtype=np.int64)).ravel()
    offsets.sort()
    return bool((np.diff(offsets) < meta.dtype.itemsize).any())
