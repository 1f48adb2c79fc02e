"""A call bound to memory: its arrays, the addresses of a kernel, fresh results, and the entry for the fast path."""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from typing import Any

from .. import arrays, backends
from ..arrays import ArrayView
from ..base.definition import Definition
from ..base.dtypes import Dtype
from ..base.errors import ActgradError, OutOfMemory, quote
from ..base.loop import TensorMeta
from ..contract import Ruleset
from . import aliasing, arguments, extension, prepare
from .arguments import Inputs, Outputs
from .fast_path import CachedCall
from .plan import Prepared


def refuse_mixture(definition: Definition, inputs: Inputs, outputs: Outputs) -> None:
    """Raise where the arrays are of several libraries."""
    first = inputs[0]
    assert first is not None, "the first tensor is never optional"
    for view in (*inputs, *outputs):
        if view is not None and view.kind != first.kind:
            arguments.refuse_mixture(definition, inputs, outputs)


def bind(
    definition: Definition,
    inputs: Inputs,
    outputs: Outputs,
    attributes: dict[str, Any],
    terms: Ruleset,
    backend: str | None,
    scalar_dtypes: tuple[Dtype, ...] = (),
    formats: tuple[str, ...] = (),
) -> tuple[Prepared, tuple[int, ...], Any, list[ArrayView]]:
    """A call with its memory: what runs, the addresses that it runs on, its results, and the outputs' views."""
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
    prepared = prepare.prepare(
        definition,
        tuple(metas),
        attributes,
        terms,
        "cpu" if backend is None and device == "cpu" else backends.choose(backend, device, definition.name),
        scalar_dtypes,
        formats,
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
    """A fresh result. Libraries raise of their own kinds where there is no memory for it."""
    try:
        return arrays.empty(first, meta)
    except ActgradError:
        raise
    except (MemoryError, ValueError, RuntimeError) as error:
        what = f"a result of shape {meta.shape} in {meta.dtype} takes {meta.size * meta.dtype.itemsize} bytes"
        library = "NumPy" if first.kind != "torch" and first.device == "cpu" else "PyTorch"
        fault = f"{library} must allocate them, but raises {quote(f'{type(error).__name__}: {error}')}"
        raise OutOfMemory(f"{definition.name}: {what}; {fault}; pass out= or compute in parts") from error


def cached_call(
    attributes: dict[str, Any], inputs: Inputs, outputs: Sequence[ArrayView], prepared: Prepared, is_fresh: bool
) -> CachedCall | None:
    """The call as the fast path remembers it; None where there is no fast path for calls like it."""
    kind = outputs[0].kind
    if kind not in ("numpy", "torch") or outputs[0].device != "cpu" or prepared.kernel.machine_code is None:
        return None
    layouts = [word for layout in prepared.layouts for word in layout]
    return CachedCall(
        tuple(attributes),
        tuple(attributes.values()),
        struct.pack(f"<{len(layouts)}q", *layouts),
        prepared.packed,
        tuple([_allocator(view, inputs) for view in outputs]) if is_fresh else None,
        arrays.note_written(kind),
        prepared.kernel,
    )


def _allocator(result: ArrayView, inputs: Inputs) -> tuple[Any, int]:
    """A function that allocates results like this one, and the number of the input that it takes, -1 for none."""
    for number, view in enumerate(inputs):
        if view is not None and view.meta == result.meta:
            return arrays.empty_like(result), number
    return functools.partial(arrays.fresh, result.kind, result.meta, result.device), -1
