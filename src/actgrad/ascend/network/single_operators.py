"""Calls of the older interface, which names an operator of `actgrad.ir`."""

from __future__ import annotations

import json
import struct
from typing import Any

from ...base.errors import KernelMissing, did_you_mean
from ...calls.plan import Plan
from .. import graph as ir
from ..aclnn.objects import AclTensor
from .arrays import array_of
from .work import check_argument, check_kernel


def plan(name: str, attributes: str, inputs: tuple[AclTensor | None, ...], outputs: tuple[AclTensor, ...]) -> Plan:
    """The call, checked and ready to run. `attributes` is JSON without braces."""
    if name not in ir.names():
        names = ir.names()
        cure = did_you_mean(name, names, "use one that it has")
        raise KernelMissing(f"operator {name} is not in actgrad; it must be one of actgrad.ir.names(); {cure}")
    for parameter, tensors in (("input", inputs), ("output", outputs)):
        for number, tensor in enumerate(tensors):
            check_argument(name, f"{parameter} {number}", tensor, parameter == "input")
            check_kernel(name, f"{parameter} {number}", tensor, reads_nibbles=False)
    arrays = [tensor and array_of(tensor, 0) for tensor in inputs]
    results = tuple(array_of(tensor, 0) for tensor in outputs)
    graph: ir.GraphOperator = getattr(ir, name)
    options = json.loads(f"{{{attributes}}}", object_hook=_number)
    return graph.plan(*arrays, out=results[0] if len(results) == 1 else results, **options)


def _number(value: dict[str, Any]) -> Any:
    """A float from its bits. Any other object stays."""
    return struct.unpack("<f", struct.pack("<I", value["bits"]))[0] if "bits" in value else value
