"""What a call results in: dtype and shapes, from its inputs' metadata."""

from __future__ import annotations

from ..base import dtypes
from ..base.access import GATED
from ..base.dtypes import Dtype
from ..base.loop import broadcast_shapes
from .check import Call


def result_dtype(call: Call) -> Dtype:
    """The dtype of a result nobody chose another for: that of the inputs, promoted where they differ."""
    result = None
    for meta in call.inputs.values():
        result = meta.dtype if result is None else dtypes.promote(result, meta.dtype)
        assert result is not None, "no two dtypes that an operator lists lack a promotion"
    assert result is not None, "every operator has a tensor"
    return result


def result_shapes(call: Call) -> tuple[tuple[int, ...], ...]:
    """The shape of each output; the inputs' shapes must have passed their checks."""
    operator, shapes = call.operator, [meta.shape for meta in call.inputs.values()]
    if operator.layout == GATED:
        if operator.gradient_of is not None:
            return (shapes[1],)
        dim = call.attributes["dim"] % len(shapes[0])
        return (halved(shapes[0], dim),) * len(operator.schema.outputs)
    joined: tuple[int, ...] | None = shapes[0]
    for shape in shapes[1:]:
        assert joined is not None, "checked before"
        joined = broadcast_shapes(joined, shape)
    assert joined is not None, "checked before"
    return (joined,) * len(operator.schema.outputs)


def halved(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    """`shape` with half its size in dimension `dim`."""
    return (*shape[:dim], shape[dim] // 2, *shape[dim + 1 :])
