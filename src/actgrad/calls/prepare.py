"""Preparation of calls. `prepare` checks a call and makes its kernel, once for calls of the same signature.

`bind` also finds addresses and allocates outputs, for every call.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from .. import arrays, backends, checks
from ..arrays import ArrayView
from ..backends import contiguous_copies
from ..base import first_use
from ..base.access import access_loop
from ..base.computation import Computation, forward, forward_of_several
from ..base.definition import Definition
from ..base.dtypes import BY_NAME, Dtype
from ..base.element_formulas import element_and_formulas
from ..base.errors import ActgradError, InvalidArgument, OutOfMemory, quote
from ..base.floating_point import default_environment
from ..base.loop import Loop, TensorMeta, are_flat, dense_strides, row_major
from ..checks import dtype_rules
from ..checks.law import LawInForce
from . import aliasing, arguments, counted_kernel, extension
from .arguments import Inputs, Outputs
from .call_cache import attribute_key, cache_of
from .plan import Prepared, packed_kernel

#: Definitions of operators that the package does not ship. The first call of each one looks for mistakes in it.
untried: set[Definition] = set()


def prepare(
    definition: Definition,
    tensors: tuple[TensorMeta | None, ...],
    attributes: dict[str, Any],
    law: LawInForce | None = None,
    backend: str = "cpu",
    device: str = "cpu",
) -> Prepared:
    """Check the metadata of a call and make its kernel, or find them in the cache.

    `tensors` are the inputs in the order of the schema, then the outputs. An optional input that is left out is None.
    An output that the call allocates is None or missing. Without a law, the operator's own checks judge the call.
    """
    keys = {name: attribute_key(value) for name, value in attributes.items()}
    settings = law, backend, device
    signature = (tensors, *keys.values(), *settings)
    cache = cache_of(definition)
    prepared = cache.prepared.get(signature)
    if prepared is None:
        schema = definition.schema
        names, scalars = (*schema.tensor_names, *schema.outputs), schema.scalars
        call = checks.Call(definition, dict(zip(names, tensors, strict=False)), attributes, law)
        same_shape = (tensors, *[key for name, key in keys.items() if name not in scalars], *settings)
        is_flat = definition.access.is_uniform and are_flat(tensors)
        same_scalars = (tuple([meta and meta.dtype for meta in tensors]), *signature[1:]) if is_flat else None
        with first_use.lock, default_environment():  # a caller's rounding mode must not change constants and tables
            if definition in untried:
                first_use.module("actgrad.author.linter").validate(definition)
                untried.discard(definition)
            checks.run(call)
            prepared = _with_shape(cache.similar.get(same_scalars), call)
            prepared = prepared or _with_scalars(cache.similar.get(same_shape), call)
            prepared = prepared or _prepare(call, backend, device)
        cache.similar.keep(same_shape, prepared)
        if same_scalars is not None:
            cache.similar.keep(same_scalars, prepared)
        cache.prepared.keep(signature, prepared)
    return prepared


def bind(
    definition: Definition,
    inputs: Inputs,
    outputs: Outputs,
    attributes: dict[str, Any],
    law: LawInForce | None,
    backend: str | None,
) -> tuple[Prepared, tuple[int, ...], Any, list[ArrayView]]:
    """The preparation of a call, the addresses of its tensors, its results, and the views of its outputs."""
    first = inputs[0]
    assert first is not None, "the first tensor is never optional"
    device = first.device
    metas: list[TensorMeta | None] = []
    for view in (*inputs, *outputs):
        if view is None:
            metas.append(None)
            continue
        metas.append(view.meta)
        if view.device != device:
            arguments.refuse_mixture(definition, inputs, outputs)
    prepared = prepare(
        definition,
        tuple(metas),
        attributes,
        law,
        "cpu" if backend is None and device == "cpu" else backends.choose(backend, device, definition.name),
        device,
    )
    if not backends.torch_is_adopted:
        backends.adopt_torch()
        if backends.torch_is_adopted:
            extension.adopt_torch()
    if outputs:
        aliasing.check(
            definition.name,
            definition.schema.outputs,
            outputs,
            definition.schema.tensor_names,
            inputs,
            prepared.layouts,
        )
        targets = [
            view or _empty(definition, first, meta) for view, meta in zip(outputs, prepared.results, strict=True)
        ]
    else:
        targets = [_empty(definition, first, meta) for meta in prepared.results]
    results = targets[0].source if len(targets) == 1 else tuple([target.source for target in targets])
    addresses = tuple([view.address for view in (*targets, *inputs) if view])
    return prepared, addresses, results, targets


def _empty(definition: Definition, first: ArrayView, meta: TensorMeta) -> ArrayView:
    """A new output. If there is not enough memory, the libraries' different errors become OutOfMemory."""
    try:
        return arrays.empty(first, meta)
    except ActgradError:
        raise
    except (MemoryError, ValueError, RuntimeError) as error:
        size = f"a result of shape {meta.shape} in {meta.dtype} takes {meta.size * meta.dtype.itemsize} bytes"
        library = "NumPy" if first.kind != "torch" and first.device == "cpu" else "PyTorch"
        fault = f"{library} must allocate them, but raises {quote(f'{type(error).__name__}: {error}')}"
        raise OutOfMemory(f"{definition.name}: {size}; {fault}; pass out= or compute in parts") from error


def _prepare(call: checks.Call, backend: str, device: str) -> Prepared:
    results = result_metas(call)
    refuse_endless(call.definition, results)
    for name, meta in call.outputs.items():
        aliasing.refuse_self_overlap(call.definition.name, name, meta)
    computation = make_computation(call, results, device)
    backend = backends.for_numbers(backend, computation, call.definition.name)
    counts = row_count(call)
    make, groups = (
        backends.load(backend).prepare,
        row_groups(call, results, device) if call.definition.ragged.groups else None,
    )
    if groups is not None:
        kernel = counted_kernel.prepare_groups(computation, groups, make)
    else:
        kernel = make(computation) if counts is None else counted_kernel.prepare(computation, counts, make)
    kernel = contiguous_copies.prepare(
        kernel, copied_tensors(call, results), make, computation, counts is not None or groups is not None
    )
    schema, tensor_of = call.definition.schema, call.tensors.get
    outputs = [tensor_of(name) or result for name, result in zip(schema.outputs, results, strict=True)]
    inputs = [tensor for name in schema.tensor_names if (tensor := tensor_of(name)) is not None]
    layouts = aliasing.layouts(outputs, inputs, computation.loop)
    return Prepared(computation, backend, kernel, results, layouts, packed_kernel(computation, kernel))


def copied_tensors(call: checks.Call, results: tuple[TensorMeta, ...]) -> dict[int, TensorMeta]:
    """The tensors that the loop reads or writes as contiguous copies. The keys are indices of outputs, then inputs."""
    if call.definition.access.is_uniform or _is_unplanned(call):
        return {}
    outputs, inputs = _contiguous(call, results)
    pairs = zip((*outputs.values(), *inputs.values()), (*results, *call.inputs.values()), strict=True)
    return {number: meta for number, (copy, meta) in enumerate(pairs) if copy != meta}


def _contiguous(
    call: checks.Call, results: tuple[TensorMeta, ...]
) -> tuple[dict[str, TensorMeta], dict[str, TensorMeta]]:
    """The outputs and inputs with the strides that the loop needs. A copy replaces each tensor with other strides."""
    outputs = dict(zip(call.definition.schema.outputs, results, strict=True))
    inputs, access = call.inputs, call.definition.access
    return (
        access_loop.contiguous(access, outputs, inputs, call.attributes),
        access_loop.contiguous(access, inputs, inputs, call.attributes),
    )


def row_count(call: checks.Call) -> counted_kernel.RowCount | None:
    """The tensor that counts the rows of a call, or None. In new outputs, the other rows are 0."""
    definition, counter = call.definition, call.row_counter
    if counter is None:
        return None
    first = next(iter(call.inputs.values()))
    dimensions = definition.access.dimension(call.attributes, len(first.shape))
    assert dimensions is not None, "the linter demands an attribute"
    return counted_kernel.RowCount(counter, dimensions, definition.ragged.rest == "cleared" or not call.outputs)


def row_groups(call: checks.Call, results: tuple[TensorMeta, ...], device: str) -> counted_kernel.RowGroups | None:
    """The tensor that assigns the rows of a call to groups, or None."""
    definition = call.definition
    ragged = definition.ragged
    meta = call.tensors.get(ragged.groups)
    if meta is None:
        return None
    numbers = enumerate(call.inputs.items(), len(definition.schema.outputs))
    grouped = definition.access.grouped_tensors
    steps = {number: each.strides[0] for number, (name, each) in numbers if name in grouped}
    kind, keeps = ragged.are_counts, ragged.rest == "kept"
    are_counts = kind if isinstance(kind, bool) else call.attributes[kind] == 1
    rest = None
    if ragged.rest == "computed":
        tensors = {n: None if n in (*grouped, ragged.groups) else each for n, each in call.tensors.items()}
        rest = make_computation(call.changed(tensors=tensors), results, device)
    return counted_kernel.RowGroups(ragged.groups, meta, are_counts, steps, rest, keeps, keeps and not call.outputs)


def _with_shape(similar_call: Prepared | None, call: checks.Call) -> Prepared | None:
    """The preparation of a call that differs from a similar call only in its shape, if all tensors are contiguous.

    It has the same machine code and scalars. None if the kernel cannot be used for another shape.
    """
    if similar_call is None or similar_call.kernel.with_size is None:
        return None
    if len(similar_call.computation.loop.operands) < len(similar_call.layouts):  # a tensor is not in the loop
        return None
    shape = call.first[1].shape
    kernel = similar_call.kernel.with_size(prod(shape))
    if kernel is None:
        return None
    loop = similar_call.computation.loop.resized(shape)
    metas = [TensorMeta(o.dtype, shape, o.strides) for o in loop.operands]
    results = tuple(metas[: len(loop.outputs)])
    refuse_endless(call.definition, results)
    computation = similar_call.computation._replace(loop=loop)
    layouts = aliasing.resized(similar_call.layouts, metas)
    return Prepared(computation, similar_call.backend, kernel, results, layouts, packed_kernel(computation, kernel))


def _with_scalars(similar_call: Prepared | None, call: checks.Call) -> Prepared | None:
    """Prepare a call that differs from `similar_call` only in scalars. None if it needs other machine code."""
    if similar_call is None or similar_call.kernel.with_scalars is None:
        return None
    before, definition = similar_call.computation, call.definition
    element, formulas = element_and_formulas(definition, _tensors(call), call.attributes, call.law)
    if (element, formulas) != (before.element, before.formulas):
        return None
    computation = Computation(
        element, formulas, _scalars(call, before.compute), before.compute, before.loop, before.device
    )
    if backends.for_numbers(similar_call.backend, computation, definition.name) != similar_call.backend:
        return None
    kernel = similar_call.kernel.with_scalars(computation)
    return None if kernel is None else similar_call.with_kernel(computation, kernel)


def _scalars(call: checks.Call, compute: str) -> tuple[float, ...]:
    """The scalars of a call, rounded as a kernel needs them."""
    scalars = [call.attributes[name] for name in call.definition.schema.scalars]
    rounds = call.law is not None and call.law.rounds_scalars
    if rounds:
        scalars = [0.0 if isinstance(s, complex) else s for s in scalars]  # or the checks refuse a complex scalar
    if BY_NAME[compute].kind in ("bool", "int", "uint"):
        return tuple([_integer(scalar, BY_NAME[compute]) for scalar in scalars])
    if compute in ("float32", "complex64") or rounds:
        return tuple(map(_float32, scalars))
    return tuple(map(float, scalars))


def _integer(scalar: float, dtype: Dtype) -> int:
    """A scalar converted to integers as C does it. The checks refuse numbers for which C defines no result."""
    if dtype.kind == "bool":
        return int(scalar != 0)
    number, bits = int(scalar), 8 * dtype.itemsize
    number &= (1 << bits) - 1
    return number - (1 << bits) if dtype.kind == "int" and number >> bits - 1 else number


def _float32(scalar: float) -> float:
    """A scalar, rounded to float32 in one step. The scalar may be an integer that a double cannot represent."""
    if isinstance(scalar, int):
        return float(np.asarray(scalar).astype(np.float32))
    return ctypes.c_float(scalar).value


def refuse_endless(definition: Definition, results: tuple[TensorMeta, ...]) -> None:
    """Raise if a result has too many bytes for an address. This happens if small inputs are broadcast."""
    for name, meta in zip(definition.schema.outputs, results, strict=True):
        size = meta.size * meta.dtype.itemsize
        if size >= 1 << 63:
            shape = f"{name} would have shape {meta.shape} in {meta.dtype}, {size} bytes"
            raise InvalidArgument(f"{definition.name}: {shape}; it must have at most 2**63 - 1; pass smaller inputs")


def make_computation(call: checks.Call, results: tuple[TensorMeta, ...], device: str) -> Computation:
    """The computation of a call that passed its checks, with these results."""
    definition = call.definition
    tensors = (*results, *call.inputs.values())
    compute = compute_dtype(call, tensors)
    is_unplanned = _is_unplanned(call)
    try:
        element, formulas = element_and_formulas(definition, _tensors(call), call.attributes, call.law)
    except KeyError:  # a choice that does not exist. Such a function does not check the choice
        if not is_unplanned:
            raise
        element, formulas = forward, ()
    if is_unplanned:
        return Computation(element, formulas, (), compute, Loop((0,), (), ()), device)
    if definition.integers.formula is not None and call.are_integers:
        names = definition.schema.outputs
        element = definition.access.element(names) or (forward if len(names) == 1 else forward_of_several)
        if not isinstance(definition.integers.formula, Mapping):
            formulas = (definition.integers.formula, *formulas[1:])
    outputs, inputs = _contiguous(call, results)
    if definition.ragged.groups and call.row_groups is not None:
        grouped, groups = definition.access.grouped_tensors, call.row_groups.size
        inputs = {n: counted_kernel.ungrouped(meta, groups) if n in grouped else meta for n, meta in inputs.items()}
    loop = access_loop.loop(definition.access, outputs, inputs, call.attributes)
    shapes = {name: meta.shape for name, meta in call.inputs.items()}
    rows = len(definition.access.row_dimensions(len(loop.shape), call.attributes, shapes))
    statistics = definition.access.statistics(definition.schema.outputs, rows)
    return Computation(element, formulas, _scalars(call, compute), compute, loop, device, statistics)


def _tensors(call: checks.Call) -> dict[str, Dtype]:
    """The dtypes of the formula's inputs, and the dtype of the first output if the operator fixes it."""
    definition, first = call.definition, call.definition.schema.outputs[0]
    return {**call.dtypes, first: checks.output_dtype(call, first)} if definition.dtypes_of(first) else call.dtypes


def compute_dtype(call: checks.Call, tensors: Sequence[TensorMeta]) -> str:
    """The dtype of the arithmetic for these inputs and outputs."""
    if dtype_rules.computes_integers(call):
        return checks.result_dtype(call).name
    is_wide = "float64" in {meta.dtype.compute for meta in tensors}
    if "complex" in {meta.dtype.kind for meta in call.inputs.values()}:
        return "complex128" if is_wide else "complex64"
    return "float64" if is_wide else "float32"


def result_metas(call: checks.Call) -> tuple[TensorMeta, ...]:
    """The metadata of the outputs of a call that passed its checks: of the caller's outputs and of new outputs."""
    if _is_unplanned(call):
        return tuple(call.outputs.values())

    def fresh(name: str, shape: tuple[int, ...]) -> TensorMeta:
        # Not for outputs of the caller, because the empty inputs of such a call may have no promoted dtype.
        dtype = checks.output_dtype(call, name)
        return TensorMeta(dtype, shape, _result_strides(call, shape, dtype.itemsize))

    shapes = zip(call.definition.schema.outputs, checks.result_shapes(call), strict=True)
    return tuple(
        [
            _reshaped_output(call.outputs[name], shape) if name in call.outputs else fresh(name, shape)
            for name, shape in shapes
        ]
    )


def _is_unplanned(call: checks.Call) -> bool:
    """Whether the law lets the call return before it computes."""
    return call.law is not None and call.law.returns_early(call)


def _reshaped_output(output: TensorMeta, shape: tuple[int, ...]) -> TensorMeta:
    """The metadata of a caller's output, reshaped to `shape`. Some checks allow another shape if it is contiguous."""
    return output if output.shape == shape else access_loop.reshaped(output, shape)


def _result_strides(call: checks.Call, shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Strides for a new output, as PyTorch's: the inputs' if they are equal and dense, or else in the inputs' order."""
    rows, first = row_major(shape, itemsize), call.definition.roles.orders_results
    if call.definition.access.has_contiguous_results or first is None:
        return rows
    orders = []
    for name in sorted(call.inputs, key=lambda name: name != first):
        meta = call.inputs[name]
        if len(meta.shape) == len(shape):
            steps = [stride * itemsize // meta.dtype.itemsize for stride in meta.strides]
            # The stride of a dimension that is broadcast says nothing about the order.
            sizes = zip(meta.shape, shape, steps, strict=True)
            orders.append(tuple(0 if _is_one(n) and not _is_one(m) else s for n, m, s in sizes))

    def have_all(strides: tuple[int, ...]) -> bool:
        return all(_is_one(n) or a == b for order in orders for a, b, n in zip(order, strides, shape, strict=True))

    if have_all(rows):
        return rows
    dense = dense_strides(shape, orders, itemsize)
    are_equal = all(order == orders[0] for order in orders)
    return orders[0] if are_equal and have_all(dense) else dense


def _is_one(size: int) -> bool:
    """Whether a dimension has one element. A size that a tracer does not know is not compared: it is none of them."""
    return isinstance(size, int) and size == 1
