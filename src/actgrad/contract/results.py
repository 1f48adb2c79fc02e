"""The dtype and the shapes of a call's results, from its inputs' metadata."""

from __future__ import annotations

from ..base import dtypes
from ..base.access import elements_shape
from ..base.dtypes import BY_NAME, Dtype
from .check import Call


def result_dtype(call: Call) -> Dtype:
    """The dtype of a result without `out`: the inputs' dtype, promoted where they differ; that of packed ones alone."""
    result = None
    packed = [meta for name, meta in call.inputs.items() if name in call.definition.access.packed]
    for meta in packed or call.inputs.values():
        result = meta.dtype if result is None else dtypes.promote(result, meta.dtype)
        assert result is not None, "no two dtypes that an operator lists lack a promotion"
    assert result is not None, "every operator has a tensor"
    own = call.definition.integer_result
    return BY_NAME[own] if own and result.kind in ("bool", "int", "uint") else result


def result_shapes(call: Call) -> tuple[tuple[int, ...], ...]:
    """The shape of each output; the inputs' shapes must have passed their checks."""
    access, shapes = call.definition.access, {name: meta.shape for name, meta in call.inputs.items()}
    elements = elements_shape(access, shapes, call.attributes)
    # A packed output has the shape of the packed input; twice its half would be another expression to a tracer.
    packed = next((shape for name, shape in shapes.items() if name in access.packed), elements)
    if access.held:
        outputs = call.definition.schema.outputs
        return tuple(access.held_shape(name, elements, call.attributes, shapes) for name in outputs)
    return tuple(packed if name in access.packed else elements for name in call.definition.schema.outputs)
