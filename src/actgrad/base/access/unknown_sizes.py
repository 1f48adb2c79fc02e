"""Inference of unknown sizes in the shapes of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..loop import UNKNOWN, UNKNOWN_RANK, Shape, first_known
from .elementwise import Access


def completed_shapes(
    access: Access, shapes: Mapping[str, Shape], attributes: Mapping[str, Any], broadcasts: bool
) -> dict[str, Shape]:
    """The shapes of the inputs, with unknown sizes taken from other inputs. Empty if the rank of elements is unknown.

    Unless the operator broadcasts, the parts of all tensors have the same shape.
    """
    names = [name for name in shapes if access.brings_elements(name)]
    ranked = [name for name in names if shapes[name] is not UNKNOWN_RANK]
    if not ranked or (broadcasts and len(ranked) < len(names)):
        return {}
    any_sizes = (UNKNOWN,) * len(shapes[ranked[0]])
    complete = {name: any_sizes if shape is UNKNOWN_RANK else shape for name, shape in shapes.items()}
    alike = [name for name in names if not broadcasts and len(complete[name]) == len(any_sizes)]
    parts = [access.part_shape(name, complete[name], attributes) for name in alike]
    elements = tuple(map(first_known, zip(*parts, strict=True)))
    for name in alike:
        pairs = zip(complete[name], access.whole_shape(name, elements, attributes), strict=True)
        complete[name] = tuple(map(first_known, pairs))
    return complete
