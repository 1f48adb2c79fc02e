"""The actgrad that is measured: the one that Python finds, by PYTHONPATH or installed, of this version or of 0.1.

All other files here use its public names alone. Differences between versions are told apart in this file.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

import actgrad
import actgrad.aclnn

NUMPY = {name: np.dtype(name) for name in ("float32", "float16", "float64", "int8", "int32")}
NUMPY["bfloat16"] = np.dtype(ml_dtypes.bfloat16)
SOURCE = Path(actgrad.__file__).resolve().parents[1]


def packed(operator: Any) -> tuple[str, ...]:
    """The tensors, outputs included, that hold both halves of a gated call."""
    if hasattr(operator, "access"):
        names = (*operator.schema.tensor_names, *operator.schema.outputs)
        return tuple(name for name in names if operator.access.part_count(name) > 1)
    return ("self", "grad_input") if operator.layout == "gated" else ()  # version 0.1


def activates_lower(operator: Any, attributes: Mapping[str, Any]) -> bool:
    """Whether a gated call activates the lower half of its packed tensor, and not the upper one."""
    active = getattr((operator.gradient_of or operator).layout, "active", "upper")  # version 0.1: always the upper one
    return active == "lower" or bool(attributes.get(active, False))


def multiplies(operator: Any) -> bool:
    """Whether a forward operator of two tensors multiplies one by the function of the other."""
    return not hasattr(operator, "roles") or bool(operator.roles.multiplies)  # version 0.1: it always does


def takes_result(operator: Any, attributes: Mapping[str, Any]) -> bool:
    """Whether a gradient is given the result of the forward pass in place of its input."""
    if hasattr(operator, "takes_result"):
        return bool(operator.takes_result(attributes))
    flags = [value for name, value in attributes.items() if name.endswith("is_result")]  # version 0.1
    return any(flags) or "result" in operator.schema.tensor_names


def c_function(operator: Any) -> tuple[str, list[str]] | None:
    """The C function that computes an operator with any attributes, and the operator's arguments in its order."""
    if isinstance(operator.aclnn, Mapping):  # version 0.1
        name = next((f"aclnn{name}" for name, fixed in operator.aclnn.items() if not fixed), "")
        given = inspect.signature(getattr(actgrad.aclnn, f"{name}GetWorkspaceSize")).parameters if name else ()
        return (name, [re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", p) for p in given]) if name else None
    for signature in importlib.import_module("actgrad.ascend.aclnn.signatures").list_signatures(operator):
        if not signature.fixed:
            return signature.name, [parameter.argument for parameter in signature.parameters]
    return None


@cache
def takes(operator: Any, dtype: str) -> bool:
    """Whether the operator takes tensors of a dtype."""
    double = packed(operator)
    tensors = [np.ones(2 if a.name in double else 1 + (not double), NUMPY[dtype]) for a in operator.schema.tensors]
    try:
        operator.plan(*tensors, backend="reference")
    except actgrad.ActgradError:
        return False
    return True


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def environment() -> dict[str, str]:
    """The environment of a new process that finds the same actgrad."""
    path = os.pathsep.join(filter(None, (str(SOURCE), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}
