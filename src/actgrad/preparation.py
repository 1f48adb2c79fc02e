"""Preparing a call: all of it that does not depend on where the data lies. Done once for calls that are alike."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import backends, checks, first_use, layouts, loop, overlap, xp
from .dtypes import Dtype
from .errors import InvalidArgument
from .floating_point import default_environment
from .forks import forkable_lock
from .layouts import ELEMENTWISE, GATED, GATED_PAIR
from .loop import Loop, Meta
from .plan import Computation, Prepared

if TYPE_CHECKING:
    from .op import Operator

CACHED = 1024  # prepared calls that are kept per operator


_lock = forkable_lock()


def prepare(
    operator: Operator,
    tensors: tuple[Meta | None, ...],
    attributes: dict[str, Any],
    terms: checks.Terms = checks.Terms(),  # noqa: B008  immutable
    backend: str = "cpu",
    scalar_dtypes: tuple[Dtype, ...] = (),
    formats: tuple[str, ...] = (),
    device: str = "cpu",
) -> Prepared:
    """Check a call by its metadata and make its kernel.

    `tensors` are the inputs in the order of the schema, None where an optional one is left out, and then the outputs,
    None or missing where they are to be allocated; `scalar_dtypes` and `formats` are those of typed calls, see
    Operator.plan_views.
    """
    key = (
        tensors, *[_identity(value) for value in attributes.values()],
        terms, backend, scalar_dtypes, formats, device,
    )  # fmt: skip
    kept = operator.prepared
    prepared = kept.get(key)
    if prepared is None:
        names = (*operator.schema.tensor_names, *operator.schema.outputs)
        scalars = [a.name for a in operator.schema.attributes if a.type == "Scalar"]
        call = checks.Call(
            operator,
            dict(zip(names, tensors, strict=False)),
            attributes,
            terms,
            dict(zip(scalars, scalar_dtypes, strict=False)),
            dict(zip(names, formats, strict=False)),
        )
        with first_use.lock, default_environment():  # constants and tables outlive the caller's environment
            checks.run(call)
            prepared = _prepare(call, backend, device)
        with _lock:
            while len(kept) >= CACHED:
                del kept[next(iter(kept))]
            kept[key] = prepared
    return prepared


def _identity(value: Any) -> Any:
    """A key that tells apart what `==` does not (0.0 and -0.0, 1.0 and 1+0j) and joins what it keeps apart (NaN)."""
    if type(value) is float:
        if abs(value) >= sys.float_info.min:
            return value
        # By bits, also subnormal numbers: a thread that flushes these finds them all equal.
        return "nan" if value != value else struct.pack("<d", value)
    return value, type(value)


def _prepare(call: checks.Call, backend: str, device: str) -> Prepared:
    results = result_metas(call)
    refuse_endless(call.operator, results)
    for name, meta in call.outputs.items():
        overlap.refuse_self_overlap(call.operator.name, name, meta)
    what = computation(call, results, device)
    kernel = backends.load(backend).prepare(what)
    return Prepared(what, backend, kernel, results, tuple(map(loop.extent, (*results, *call.inputs.values()))))


def refuse_endless(operator: Operator, results: tuple[Meta, ...]) -> None:
    """Raise where a result has more bytes than can be addressed, as broadcast inputs can make it."""
    for name, meta in zip(operator.schema.outputs, results, strict=True):
        size = meta.size * meta.dtype.itemsize
        if size >= 1 << 63:
            shape = f"{name} would have shape {meta.shape} in {meta.dtype}, {size} bytes"
            raise InvalidArgument(f"{operator.name}: {shape}; it may have at most 2**63 - 1")


def computation(call: checks.Call, results: tuple[Meta, ...], device: str) -> Computation:
    """What is to be computed for a call that passed its checks, with these results."""
    operator = call.operator
    tensors = (*results, *call.inputs.values())
    compute = "float64" if any(meta.dtype.compute == "float64" for meta in tensors) else "float32"
    scalars = [call.attributes[a.name] for a in operator.schema.attributes if a.type == "Scalar"]
    if call.terms.typed:
        scalars = [0.0 if isinstance(s, complex) else s for s in scalars]  # the checks refuse those that matter
    if compute == "float32" or call.terms.typed:  # the C interface turns its scalars into float32 in any case
        with np.errstate(over="ignore"):
            scalars = [float(np.float32(s)) for s in scalars]
    return Computation(*element_and_formulas(call), tuple(scalars), compute, _loop(call, results), device)


def result_metas(call: checks.Call) -> tuple[Meta, ...]:
    """The outputs of a call that passed its checks: those given, and what is to be allocated for the others."""
    dtype = checks.result_dtype(call)
    return tuple(
        call.outputs.get(name) or Meta(dtype, shape, _result_strides(call, shape, dtype.itemsize))
        for name, shape in zip(call.operator.schema.outputs, checks.result_shapes(call), strict=True)
    )


def element_and_formulas(call: checks.Call) -> tuple[Callable[..., Any], tuple[Callable[..., Any], ...]]:
    """What is computed for each element (of layouts.py), and of which formulas."""
    operator = call.operator
    formula = operator.formula_for(call.attributes, call.product)
    xp.check(formula)
    forward = operator.gradient_of
    if operator.layout == ELEMENTWISE:
        return layouts.forward if forward is None else layouts.backward, (formula,)
    if operator.layout == GATED_PAIR:
        if forward is None:
            return layouts.pair_forward, (formula,)
        return layouts.pair_backward, (forward.formula_for(call.attributes, call.product), formula)
    assert operator.layout == GATED
    if forward is None:
        return layouts.gated_forward if operator.part_of is None else layouts.gated_forward_alone, (formula,)
    if "gelu" in call.inputs:
        return layouts.gated_backward_given, (formula,)
    return layouts.gated_backward, (forward.formula_for(call.attributes, call.product), formula)


def _loop(call: checks.Call, results: tuple[Meta, ...]) -> Loop:
    """Where the elements are."""
    operator, inputs = call.operator, tuple(call.inputs.values())
    if operator.layout != GATED:
        return loop.elementwise(results, inputs)
    packed = call.inputs["self"]
    dim, upper = call.attributes["dim"] % len(packed.shape), not call.attributes["activate_left"]
    if operator.gradient_of is None:
        return loop.gated_forward(results, packed, dim, upper)
    return loop.gated_backward(results[0], inputs, dim, upper)


def _result_strides(call: checks.Call, shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Dense strides in the memory order of the first input that a result of `shape` can follow, else row by row."""
    for meta in call.inputs.values():
        if len(meta.shape) == len(shape) and all(s or n == 1 for s, n in zip(meta.strides, meta.shape, strict=True)):
            return loop.dense_strides(shape, meta.strides, itemsize)
    return loop.row_major(shape, itemsize)
