"""Phase one of the C SDK's functions around the activations: each wrong call has the status that hardware returns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import actgrad
from actgrad import aclnn
from actgrad.aclnn.signatures import CParameter
from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import ActgradError
from actgrad.sdk import clients
from actgrad.sdk.glue import checks
from actgrad.sdk.glue.check_row import Row
from actgrad.sdk.glue.work import Work

NULL, WRONG, TILING, NO_CHIP, INNER = 161001, 161002, 561002, 561003, 561103


class T(NamedTuple):
    """A tensor of a call."""

    shape: tuple[int, ...] = (2, 3)
    dtype: str = "float32"
    format: int = 2  # ND


class S(NamedTuple):
    """A scalar of a call."""

    value: Any = 1.0
    dtype: str = "float32"


def tensor(given: T) -> Any:
    storage = np.zeros(max(math.prod(given.shape), 1) * BY_NAME[given.dtype].itemsize, np.uint8)
    strides = [math.prod(given.shape[k + 1 :]) for k in range(len(given.shape))]
    return aclnn.aclCreateTensor(
        given.shape, BY_NAME[given.dtype].acl, strides, 0, given.format, given.shape or (1,), storage
    )


def value_of(given: Any) -> Any:
    if isinstance(given, T):
        return tensor(given)
    if isinstance(given, S):
        return aclnn.aclCreateScalar(given.value, BY_NAME[given.dtype].acl)
    return tuple(map(value_of, given)) if isinstance(given, tuple) else given


def status(name: str, arguments: dict[str, Any]) -> int:
    """What phase one returns."""
    function = clients.glue()[f"aclnn{name}"]
    try:
        values = [value_of(arguments[p.name]) for p in function.arguments]
        Work(f"aclnn{name}", function.rule, function.arguments, values)
    except ActgradError as error:
        text = str(error)
        assert text.startswith(f"aclnn{name}: "), text
        assert text.count("; ") >= 2, text  # what was given; what is expected; what to do
        assert "\n" not in text
        return error.status
    return 0


# The 22 wrong calls

F64, I32, I64 = "float64", "int32", "int64"
MATRIX = {"self": T((2, 2)), "mat2": T((2, 2)), "out": T((2, 2)), "cubeMathType": 0}
BATCH = {"self": T((1, 2, 2)), "mat2": T((1, 2, 2)), "out": T((1, 2, 2)), "cubeMathType": 0}
LAYER = {
    "input": T((3, 2)), "normalizedShape": (2,), "weightOptional": T((2,)), "biasOptional": T((2,)), "eps": 1e-5,
    "out": T((3, 2)), "meanOutOptional": T((3, 1)), "rstdOutOptional": T((3, 1)),
}  # fmt: skip
RMS = {"x": T((3, 2)), "gamma": T((2,)), "epsilon": 1e-5, "yOut": T((3, 2)), "rstdOut": T((3, 1))}
LOSS = {"self": T(), "target": T(), "reduction": 1, "out": T(())}
GATHER = {"self": T((2, 3)), "dim": 0, "index": T((1, 3), I64), "out": T((1, 3))}
TABLE = {"weight": T((5, 3)), "indices": T((2,), I64), "out": T((2, 3))}
TOP = {
    "self": T((2, 4)), "k": 2, "dim": 1, "largest": True, "sorted": True, "valuesOut": T((2, 2)),
    "indicesOut": T((2, 2), I64),
}  # fmt: skip
SORT = {
    "self": T((2, 4)), "stable": False, "dim": 1, "descending": False, "valuesOut": T((2, 4)),
    "indicesOut": T((2, 4), I64),
}  # fmt: skip
SCATTER = {"self": T((2, 3)), "dim": 0, "index": T((2, 3), I64), "src": T((2, 3)), "out": T((2, 3))}


def all_of(call: dict[str, Any], dtype: str) -> dict[str, Any]:
    return {k: v._replace(dtype=dtype) if isinstance(v, T) else v for k, v in call.items()}


CALLS: dict[str, tuple[str, dict[str, Any], dict[str, Any], int]] = {
    "matrix product of INT64": ("Mm", MATRIX, all_of(MATRIX, I64), WRONG),
    "product of tensors of INT64": ("Matmul", MATRIX, all_of(MATRIX, I64), WRONG),
    "batch product of INT32": ("BatchMatMul", BATCH, all_of(BATCH, I32), WRONG),
    "layer norm of INT32": ("LayerNorm", LAYER, all_of(LAYER, I32), WRONG),
    "layer norm of DOUBLE": ("LayerNorm", LAYER, all_of(LAYER, F64), WRONG),
    "RMS norm of INT32": ("RmsNorm", RMS, all_of(RMS, I32), WRONG),
    "RMS norm of DOUBLE": ("RmsNorm", RMS, all_of(RMS, F64), WRONG),
    "layer norm, gamma of 3 for rows of 2": ("LayerNorm", LAYER, {**LAYER, "weightOptional": T((3,))}, WRONG),
    "RMS norm, gamma of 3 for rows of 2": ("RmsNorm", RMS, {**RMS, "gamma": T((3,))}, TILING),
    "mean squares with reduction 7": ("MseLoss", LOSS, {**LOSS, "reduction": 7}, WRONG),
    "mean distance with reduction 7": ("L1Loss", LOSS, {**LOSS, "reduction": 7}, WRONG),
    "mean squares of INT32": ("MseLoss", LOSS, all_of(LOSS, I32), WRONG),
    "mean distance of INT32": ("L1Loss", LOSS, all_of(LOSS, I32), WRONG),
    "FLOAT indices": ("Embedding", TABLE, {**TABLE, "indices": T((2,))}, WRONG),
    "embedding into INT32": ("Embedding", TABLE, {**TABLE, "out": T((2, 3), I32)}, WRONG),
    "topk with k = 9 of 4": (
        "Topk", TOP, {**TOP, "k": 9, "valuesOut": T((2, 9)), "indicesOut": T((2, 9), I64)}, WRONG,
    ),
    "INT32 indices of topk": ("Topk", TOP, {**TOP, "indicesOut": T((2, 2), I32)}, WRONG),
    "sort with dim 9": ("Sort", SORT, {**SORT, "dim": 9}, WRONG),
    "INT32 indices of sort": ("Sort", SORT, {**SORT, "indicesOut": T((2, 4), I32)}, WRONG),
    "gather with dim 9": ("Gather", GATHER, {**GATHER, "dim": 9}, WRONG),
    "gather with ranks that differ": ("Gather", GATHER, {**GATHER, "index": T((3,), I64), "out": T((3,))}, WRONG),
    "scatter_add of DOUBLE into FLOAT": ("ScatterAdd", SCATTER, {**SCATTER, "src": T((2, 3), F64)}, WRONG),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_wrong_calls(call: str) -> None:
    name, right, wrong, expected = CALLS[call]
    assert status(name, right) == 0
    assert status(name, wrong) == expected
