"""The data types, with one row for each, and the two rules about pairs of them: promotion and conversion.

Numbers and rules are CANN's (aclDataType). Names are NumPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import first_use
from .errors import InvalidDtype
from .records import Record


class Dtype(Record):
    """A storage type of tensor elements."""

    name: str
    itemsize: int  # bytes
    #: "bool", "int", "uint", "float", "complex", "float8" for types that kernels write but do not read, or "other".
    kind: str
    acl: int  # aclDataType
    acl_name: str  # as the documents write it
    compute: str  # the type that arithmetic on it is done in (opmath)

    __eq__, __hash__ = object.__eq__, object.__hash__  # one object for each dtype

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        return _numbered, (self.acl,)

    @property
    def part(self) -> Dtype:
        """The dtype of a complex dtype's real and imaginary part."""
        return BY_NAME[f"float{4 * self.itemsize}"]

    @property
    def limits(self) -> Any:
        """The numbers of a floating dtype, as `finfo` has them."""
        return first_use.module("ml_dtypes").finfo(self.numpy)

    @property
    def largest(self) -> float:
        """The largest number."""
        return float(self.limits.max if "float" in self.kind else np.iinfo(self.numpy).max)

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy dtype. ml_dtypes provides bfloat16 and the dtypes of 8 bits."""
        if self.name == "bfloat16" or self.kind == "float8":
            return np.dtype(getattr(first_use.module("ml_dtypes"), self.name))
        if self.name == "complex32":
            raise InvalidDtype("the dtype is complex32; NumPy must have the dtype; pass complex64")
        return np.dtype(self.name)


_ROWS = (
    Dtype("float32", 4, "float", 0, "FLOAT", "float32"),
    Dtype("float16", 2, "float", 1, "FLOAT16", "float32"),
    Dtype("int8", 1, "int", 2, "INT8", "float32"),
    Dtype("int32", 4, "int", 3, "INT32", "float64"),  # float32 cannot hold every int32
    Dtype("uint8", 1, "uint", 4, "UINT8", "float32"),
    Dtype("int16", 2, "int", 6, "INT16", "float32"),
    Dtype("uint16", 2, "uint", 7, "UINT16", "float32"),
    Dtype("uint32", 4, "uint", 8, "UINT32", "float64"),
    Dtype("int64", 8, "int", 9, "INT64", "float64"),
    Dtype("uint64", 8, "uint", 10, "UINT64", "float64"),
    Dtype("float64", 8, "float", 11, "DOUBLE", "float64"),
    Dtype("bool", 1, "bool", 12, "BOOL", "float32"),
    Dtype("complex64", 8, "complex", 16, "COMPLEX64", "float32"),
    Dtype("complex128", 16, "complex", 17, "COMPLEX128", "float64"),
    Dtype("bfloat16", 2, "float", 27, "BF16", "float32"),
    Dtype("complex32", 4, "complex", 33, "COMPLEX32", "float32"),
    Dtype("float8_e5m2", 1, "float8", 35, "FLOAT8_E5M2", "float32"),
    Dtype("float8_e4m3fn", 1, "float8", 36, "FLOAT8_E4M3FN", "float32"),
    Dtype("float8_e8m0fnu", 1, "float8", 37, "FLOAT8_E8M0", "float32"),  # powers of two and NaN, for scales
)

#: Types that a tensor or a scalar of the C interface may have, but no array that a kernel reads or writes.
_OTHERS = tuple(
    Dtype(name, 1, "other", number, acl_name, "float32")
    for number, acl_name, name in (
        (-1, "DT_UNDEFINED", "undefined"),
        (13, "STRING", "string"),
        (29, "INT4", "int4"),
        (30, "UINT1", "uint1"),
        (34, "HIFLOAT8", "hifloat8"),
        (38, "FLOAT6_E3M2", "float6_e3m2fn"),
        (39, "FLOAT6_E2M3", "float6_e2m3fn"),
        (40, "FLOAT4_E2M1", "float4_e2m1fn"),
        (41, "FLOAT4_E1M2", "float4_e1m2"),
    )
)

BY_NAME = {row.name: row for row in _ROWS}
BY_NUMBER = {row.acl: row for row in (*_ROWS, *_OTHERS)}  # by aclDataType
#: Other usual names: of PyTorch, C and CANN's tools.
ALIASES = {
    "fp16": "float16", "half": "float16", "bf16": "bfloat16", "fp32": "float32", "float": "float32",
    "fp64": "float64", "double": "float64", "int32_t": "int32", "int64_t": "int64", "c32": "complex32",
    "c64": "complex64", "c128": "complex128",
}  # fmt: skip
EXACT = 1 << 53  # up to this size every integer is a double
FLOAT32_ZERO = 2.0**-150  # half the least float32: numbers up to this size round to 0
FLOATS = ("float16", "bfloat16", "float32", "float64")


def _numbered(acl: int) -> Dtype:
    return BY_NUMBER[acl]


def promote(a: Dtype, b: Dtype) -> Dtype | None:
    """The dtype to which `a` and `b` are promoted, or None if the documents define no promotion."""
    if a == b:
        return a
    if any(d.kind in ("float8", "other") or (d.kind == "uint" and d.itemsize > 1) for d in (a, b)):
        return None
    names = {a.name, b.name}
    if "complex" in (a.kind, b.kind):
        if names & {"complex128", "float64"}:
            return BY_NAME["complex128"]
        return BY_NAME["complex64" if names & {"complex64", "float32"} else "complex32"]
    floats = [d for d in (a, b) if d.kind == "float"]
    if len(floats) == 2:  # float16 and bfloat16 are promoted to float32
        return BY_NAME["float64" if "float64" in names else "float32"]
    if floats:
        return floats[0]
    integers = [d for d in (a, b) if d.kind != "bool"]
    if len(integers) == 1:
        return integers[0]
    if names == {"int8", "uint8"}:
        return BY_NAME["int16"]
    return max(integers, key=lambda d: d.itemsize)


def can_convert(source: Dtype, target: Dtype) -> bool:
    """Whether the operators' rule of conversion lets a result of dtype `source` be written to one of dtype `target`.

    The rule allows types of the kinds "float8" and "other", although kernels write few of them.
    """
    order = {"bool": 0, "int": 1, "uint": 1, "float": 2, "float8": 2, "other": 2, "complex": 3}
    return order[source.kind] <= order[target.kind]
