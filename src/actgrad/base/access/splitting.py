"""Functions that split tensors of any library into parts, such as the halves of a packed tensor, and join parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from .elementwise import Access


def split(access: Access, name: str, tensor: Any, attributes: Mapping[str, Any], rank: int = 0) -> list[Any]:
    """The parts of a tensor of any library, as views that broadcast to elements of `rank` dimensions."""
    shape = tuple(tensor.shape)
    aligned = access.aligned(name, shape, rank, attributes)
    array = tensor if aligned == shape else tensor.reshape(aligned)
    merged = access.merged_from(attributes, len(shape))
    if merged is not None and access.part_count(name) > 1:
        half, row = access.part_shape(name, shape, attributes), tensor.reshape((*shape[:merged], prod(shape[merged:])))
        return [row[part.slices].reshape(half) for part in access.parts(name, shape, attributes) if part is not None]
    return [array if part is None else tensor[part.slices] for part in access.parts(name, shape, attributes)]


def join(
    access: Access, name: str, parts: Sequence[Any], attributes: Mapping[str, Any], concatenate: Callable[..., Any]
) -> Any:
    """The tensor with these parts. `concatenate(tensors, dim)` is a function of the tensors' library."""
    if len(parts) == 1:
        return parts[0]
    shape = access.whole_shape(name, tuple(parts[0].shape), attributes)
    ranges = [part for part in access.parts(name, shape, attributes) if part is not None]
    ordered = [part for _, part in sorted(zip(ranges, parts, strict=True), key=lambda pair: pair[0].start)]
    dim = ranges[0].dim
    merged = access.merged_from(attributes, len(shape))
    if merged is not None:
        rows = [part.reshape((*shape[:dim], prod(part.shape[dim:]), 1)) for part in ordered]
        return concatenate(rows, dim + 1).reshape(shape)
    if ranges[0].step == 1:
        return concatenate(ordered, dim)
    single = (*parts[0].shape[: dim + 1], 1, *parts[0].shape[dim + 1 :])
    return concatenate([part.reshape(single) for part in ordered], dim + 1).reshape(shape)
