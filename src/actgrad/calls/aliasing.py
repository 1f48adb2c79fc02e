"""Whether views share memory: an output may be exactly an input, but may not half overlap one, nor itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ..arrays import View, raw_array
from ..base.errors import InvalidArgument
from ..base.loop import Meta, same_layout

_ENUMERABLE = 1 << 24  # elements of an output whose addresses are compared one by one


def check(
    operator: str,
    output_names: tuple[str, ...],
    outputs: Sequence[View | None],
    input_names: tuple[str, ...],
    inputs: Sequence[View | None],
    extents: tuple[tuple[int, int], ...],
) -> None:
    """Raise where a given output is read-only, or overlaps an input without being the same view, or another output.

    `extents` are those of all outputs, given or not, and then of the inputs that are there.
    """
    for k, output in enumerate(outputs):
        if output is None:
            continue
        if not output.writable:
            raise InvalidArgument(f"{operator}: {output_names[k]} is read-only; it must be writable; pass a copy")
        low, high = extents[k]
        first, end = output.address + low, output.address + high
        place = len(outputs)  # among the extents
        for j, other in enumerate(inputs):
            if other is None:
                continue
            low, high = extents[place]
            place += 1
            if end <= other.address + low or other.address + high <= first:
                continue
            is_same = output.address == other.address and same_layout(output.meta, other.meta)
            if not is_same and share_memory(output, other):
                raise InvalidArgument(
                    f"{operator}: {output_names[k]} overlaps {input_names[j]}; an output must be exactly an input or "
                    f"share no memory with it; pass another {output_names[k]}"
                )
        for j in range(k):
            earlier = outputs[j]
            if earlier is None:
                continue
            low, high = extents[j]
            is_apart = end <= earlier.address + low or earlier.address + high <= first
            if not is_apart and share_memory(output, earlier):
                names = f"{output_names[k]} overlaps {output_names[j]}"
                expected = "outputs must share no memory"
                raise InvalidArgument(f"{operator}: {names}; {expected}; pass another {output_names[k]}")


def may_write(addresses: Sequence[int], layouts: Sequence[tuple[int, int, int]], outputs: int) -> bool:
    """Whether each output is exactly an input or apart from it; false also where only addresses can tell.

    `layouts` are of outputs, then inputs: first byte and end from the address, and of an output the bits of the tensors
    that it may be. `_aliasing.h` states the same rule for C.
    """
    for k in range(outputs):
        place = addresses[k]
        low, high, alike = layouts[k]
        first, end = place + low, place + high
        for j, other in enumerate(addresses):
            is_free = end <= other + layouts[j][0] or other + layouts[j][1] <= first
            if not is_free and j != k and not (place == other and alike >> j & 1):
                return False
    return True


def layout_words(outputs: Sequence[Meta], others: Sequence[Meta], extents: Sequence[tuple[int, int]]) -> list[int]:
    """The layouts that `may_write` takes, in a row; `extents` are those of the outputs and then of `others`."""
    words: list[int] = []
    for k, (low, high) in enumerate(extents):
        alike = 0
        if k < len(outputs):
            alike = sum(same_layout(outputs[k], other) << j for j, other in enumerate(others, len(outputs)))
        words += (low, high, alike)
    return words


def share_memory(a: View, b: View) -> bool:
    """Whether an element of `a` and one of `b` share a byte; exact, which interleaved views need."""
    return bool(np.shares_memory(raw_array(a.address, a.meta), raw_array(b.address, b.meta)))


def refuse_self_overlap(operator: str, name: str, meta: Meta) -> None:
    """Raise where two elements of an output lie on the same byte."""
    if overlaps_itself(meta):
        layout = f"shape {meta.shape}, strides {meta.strides} bytes"
        expected = "each element must have its own memory"
        raise InvalidArgument(f"{operator}: {name} overlaps itself ({layout}); {expected}; pass a copy")


def overlaps_itself(meta: Meta) -> bool:
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


def _elements_collide(meta: Meta, steps: list[tuple[int, int]]) -> bool:
    if any(stride == 0 for stride, _ in steps):
        return True
    if prod(n for _, n in steps) > _ENUMERABLE:
        return True  # too many to tell; refusing is the safe answer
    offsets = np.zeros(1, np.int64)
    for stride, n in steps:
        offsets = np.add.outer(offsets, stride * np.arange(n, dtype=np.int64)).ravel()
    offsets.sort()
    return bool((np.diff(offsets) < meta.dtype.itemsize).any())
