"""Preparing a call: all of it that does not depend on where the data lies. Done once for calls that are alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import arrays, backends, checks, layouts, loop, overlap
from .forks import forkable_lock
from .layouts import ELEMENTWISE, GATED
from .loop import Loop, Meta
from .plan import Computation, Kernel
from .products import Product

if TYPE_CHECKING:
    from .op import Operator

CACHED = 1024  # prepared calls that are kept per operator


class Prepared(NamedTuple):
    """A checked call without its data."""

    computation: Computation
    backend: str
    kernel: Kernel
    results: tuple[Meta, ...]  # of the outputs, those to be allocated included
    extents: tuple[tuple[int, int], ...]  # of outputs, then inputs: first byte and end, from the address


_lock = forkable_lock()


def prepare(
    operator: Operator,
    inputs: tuple[Meta | None, ...],
    outputs: tuple[Meta | None, ...],
    attributes: dict[str, Any],
    *,
    product: Product | None = None,
    document: bool = False,
    backend: str = "cpu",
    float32_attributes: bool = False,
) -> Prepared:
    """Check a call by its metadata and make its kernel.

    `inputs` are in the order of the schema, None where an optional one is left out; so are `outputs`, empty where all
    are to be allocated. `float32_attributes` rounds the attributes to float32 also beside float64 tensors.
    """
    key = (
        inputs, outputs, *[_identity(value) for value in attributes.values()],
        product, document, backend, float32_attributes,
    )  # fmt: skip
    kept = operator.prepared
    prepared = kept.get(key)
    if prepared is None:
        names = zip((*operator.schema.tensor_names, *operator.schema.outputs), (*inputs, *outputs), strict=False)
        call = checks.Call(operator, dict(names), attributes, product, document)
        checks.run(call)
        prepared = _prepare(call, backend, float32_attributes)
        with _lock:
            while len(kept) >= CACHED:
                del kept[next(iter(kept))]
            kept[key] = prepared
    return prepared


def _identity(value: Any) -> Any:
    """A key that tells apart what `==` does not (0.0 and -0.0, 1.0 and 1+0j) and joins what it keeps apart (NaN)."""
    if type(value) is float:
        if value != value:
            return "nan"
        return value or str(value)
    return value, type(value)


def _prepare(call: checks.Call, backend: str, float32_attributes: bool) -> Prepared:
    operator = call.operator
    dtype = checks.result_dtype(call)
    results = tuple(
        call.outputs.get(name) or Meta(dtype, shape, _result_strides(call, shape, dtype.itemsize))
        for name, shape in zip(operator.schema.outputs, checks.result_shapes(call), strict=True)
    )
    for name, meta in call.outputs.items():
        overlap.refuse_self_overlap(operator.name, name, meta)
    tensors = (*results, *call.inputs.values())
    compute = "float64" if any(meta.dtype.compute == "float64" for meta in tensors) else "float32"
    scalars = [call.attributes[a.name] for a in operator.schema.attributes if a.type == "Scalar"]
    if compute == "float32" or float32_attributes:
        with np.errstate(over="ignore"):
            scalars = [float(np.float32(s)) for s in scalars]
    element, formulas, space = _element_and_loop(call, results)
    computation = Computation(element, formulas, tuple(scalars), compute, space)
    kernel = backends.load(backend).prepare(computation)
    return Prepared(computation, backend, kernel, results, tuple(map(loop.extent, tensors)))


def _element_and_loop(
    call: checks.Call, results: tuple[Meta, ...]
) -> tuple[Callable[..., Any], tuple[Callable[..., Any], ...], Loop]:
    """What is computed for each element, of which formulas, and where the elements are."""
    operator, inputs = call.operator, tuple(call.inputs.values())
    formula = operator.formula_for(call.attributes, call.product)
    forward = operator.gradient_of
    if operator.layout == ELEMENTWISE:
        element = layouts.forward if forward is None else layouts.backward
        return element, (formula,), loop.elementwise(results, inputs)
    assert operator.layout == GATED
    packed = call.inputs["self"]
    dim, upper = call.attributes["dim"] % len(packed.shape), not call.attributes["activate_left"]
    if forward is None:
        return layouts.gated_forward, (formula,), loop.gated_forward(results, packed, dim, upper)
    space = loop.gated_backward(results[0], inputs, dim, upper)
    if "gelu" in call.inputs:
        return layouts.gated_backward_given, (formula,), space
    return layouts.gated_backward, (forward.formula_for(call.attributes, call.product), formula), space


def _result_strides(call: checks.Call, shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Dense strides in the memory order of the first input that a result of `shape` can follow, else row by row."""
    for meta in call.inputs.values():
        if len(meta.shape) == len(shape) and all(s or n == 1 for s, n in zip(meta.strides, meta.shape, strict=True)):
            return arrays.dense_strides(shape, meta.strides, itemsize)
    return arrays.row_major(shape, itemsize)
