"""Checks of the memory of a call's tensors: formats, storage sizes and overlaps."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from ...arrays import ArrayView
from ...base.dtypes import BY_NAME
from ...calls import aliasing
from ...calls.operator import Operator
from .objects import AclTensor
from .signatures import CParameter

_log = logging.getLogger(__package__)


def formats_and_fault(function: str, arguments: Sequence[tuple[CParameter, Any]]) -> tuple[tuple[str, ...], str]:
    """The formats of all tensors, or () if all are ND. The first message about memory that cannot be used, or "".

    The function warns about FRACTAL_NZ, which actgrad reads as ND, and about a storage that is declared too small.
    """
    tensors = [(parameter, tensor) for parameter, tensor in arguments if type(tensor) is AclTensor]
    for parameter, tensor in tensors:
        if tensor.format == "FRACTAL_NZ":
            name = f"{function}: {parameter.name}"
            _log.warning("%s has format FRACTAL_NZ; actgrad reads it as ND; create it with ACL_FORMAT_ND", name)
    fault = next((f"{parameter.argument} {tensor.fault}" for parameter, tensor in tensors if tensor.fault), "")
    for parameter, tensor in () if fault else tensors:
        if tensor.reach > tensor.storage_size:  # storageDims is too small, but the memory is large enough
            _log.warning(
                "%s: %s needs %d bytes, but storageDims %s has %d; actgrad uses the memory behind it; enlarge "
                "storageDims",
                function, parameter.name, tensor.reach, tensor.storage_dims, tensor.storage_size,
            )  # fmt: skip
    if all(tensor.format == "ND" for _, tensor in tensors):
        return (), fault
    return tuple(tensor.format if type(tensor) is AclTensor else "ND" for _, tensor in arguments), fault


def refuse_overlaps(operator: Operator, inputs: Sequence[ArrayView | None], outputs: Sequence[ArrayView]) -> None:
    """Raise if an output overlaps itself or another tensor. Dtypes that actgrad cannot compute are not checked."""
    schema = operator.schema
    metas = [view.meta for view in (*outputs, *inputs) if view]
    if all(meta.dtype.name in BY_NAME for meta in metas):
        for name, view in zip(schema.outputs, outputs, strict=True):
            aliasing.refuse_self_overlap(operator.name, name, view.meta)
        layouts = aliasing.layouts(metas[: len(outputs)], metas[len(outputs) :])
        aliasing.check(operator.name, schema.outputs, outputs, schema.tensor_names, inputs, layouts)
