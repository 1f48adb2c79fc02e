"""The dtype and the shapes of a call's results, from its inputs' metadata."""

from __future__ import annotations

from ..base import dtypes
from ..base.dtypes import BY_NAME, Dtype
from .check import Call


def result_dtype(call: Call) -> Dtype:
    """The dtype of a new output: the promoted dtype of the inputs that `dtype_tensors` of the access names.

    An output of the forward operator that states a separate dtype does not count.
    """
    result = None
    for name in call.definition.access.dtype_tensors([n for n in call.inputs if not call.definition.dtypes_of(n)]):
        dtype = call.inputs[name].dtype
        result = dtype if result is None else dtypes.promote(result, dtype)
        assert result is not None, "no two dtypes that an operator lists lack a promotion"
    assert result is not None, "every operator has a tensor"
    of_integers = call.definition.integers.dtype
    return BY_NAME[of_integers] if of_integers and result.kind in ("bool", "int", "uint") else result


def output_dtype(call: Call, name: str) -> Dtype:
    """The dtype of an output: a dtype that the operator states for this output, otherwise the promoted dtype.

    If the operator states several dtypes, the output has the dtype of the caller's tensor. A new output has the first.
    """
    dtypes, output = call.definition.dtypes_of(name), call.outputs.get(name)
    if not dtypes:
        return result_dtype(call)
    if output is not None and output.dtype.name in dtypes:
        return output.dtype
    return BY_NAME[call.definition.new_dtype_of(name, call.attributes)]


def result_shapes(call: Call) -> tuple[tuple[int, ...], ...]:
    """The shape of each output. The inputs' shapes must have passed their checks."""
    shapes = {name: meta.shape for name, meta in call.inputs.items()}
    return call.definition.access.result_shapes(call.definition.schema.outputs, shapes, call.attributes)
