"""Calls of the aclnn functions as plain data: tensors, scalars and the other parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

FLOATS = ("FLOAT", "FLOAT16", "BF16", "DOUBLE")
INTEGERS = ("INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64")
SIGNED = ("INT8", "INT16", "INT32", "INT64")
COMPLEX = ("COMPLEX32", "COMPLEX64", "COMPLEX128")
SMALL_FLOATS = (
    "HIFLOAT8", "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT8_E8M0", "FLOAT6_E3M2", "FLOAT6_E2M3", "FLOAT4_E2M1",
    "FLOAT4_E1M2",
)  # fmt: skip
#: No kernel reads or writes these.
OTHERS = (*SMALL_FLOATS, "STRING", "DT_UNDEFINED", "INT4", "UINT1")
DTYPES = (*FLOATS, *INTEGERS, "BOOL", *COMPLEX, *OTHERS)
SCALARS = (*FLOATS, *INTEGERS, "BOOL", "COMPLEX64", "COMPLEX128", "FLOAT8_E5M2", "FLOAT8_E4M3FN")

ITEMSIZE = {
    "FLOAT": 4, "FLOAT16": 2, "BF16": 2, "DOUBLE": 8, "BOOL": 1, "COMPLEX32": 4, "COMPLEX64": 8, "COMPLEX128": 16,
    **{name: int(name.lstrip("UINT")) // 8 for name in INTEGERS},
}  # fmt: skip
NUMPY = {
    "FLOAT": np.float32, "FLOAT16": np.float16, "BF16": ml_dtypes.bfloat16, "DOUBLE": np.float64,
    "FLOAT8_E5M2": ml_dtypes.float8_e5m2, "FLOAT8_E4M3FN": ml_dtypes.float8_e4m3fn, "BOOL": np.bool_,
    "COMPLEX64": np.complex64, "COMPLEX128": np.complex128, **{name: np.dtype(name.lower()).type for name in INTEGERS},
}  # fmt: skip


@dataclass(frozen=True)
class Tensor:
    """A tensor: a view on storage. Strides and offset count elements, `start` and `room` bytes."""

    dtype: str = "FLOAT"
    shape: tuple[int, ...] = (2, 4)
    strides: tuple[int, ...] | None = None  # None: contiguous
    offset: int = 0
    format: str = "ND"
    storage: tuple[int, ...] | None = None  # the storage's dimensions; None: just what the view reaches
    room: int | None = None  # bytes that are really there; None: as many as the storage's dimensions say
    memory: str = ""  # tensors of the same memory may overlap; empty: one of its own
    start: int = 0  # where in that memory the storage begins
    is_null: bool = False  # whether the address is
    is_destroyed: bool = False

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def steps(self) -> tuple[int, ...]:
        if self.strides is not None:
            return self.strides
        return tuple(prod(n or 1 for n in self.shape[k + 1 :]) for k in range(len(self.shape)))

    @property
    def reach(self) -> int:
        """How many elements of the storage the view needs."""
        return self.offset + 1 + sum((n - 1) * s for n, s in zip(self.shape, self.steps, strict=True)) * (self.size > 0)

    @property
    def storage_dims(self) -> tuple[int, ...]:
        return (self.reach,) if self.storage is None else self.storage

    @property
    def has_memory(self) -> bool:
        """Whether any memory is touched through it."""
        return self.size > 0 and self.dtype in ITEMSIZE

    def places(self, shape: tuple[int, ...] | None = None) -> np.ndarray:
        """Where its elements begin, in bytes of its memory, in order; stretched to a shape."""
        at = np.full((1,) * len(self.shape), self.offset, np.int64)
        for axis, (n, step) in enumerate(zip(self.shape, self.steps, strict=True)):
            at = at + np.arange(n).reshape([-1 if k == axis else 1 for k in range(len(self.shape))]) * step
        at = self.start + at * ITEMSIZE[self.dtype]
        return np.broadcast_to(at, self.shape if shape is None else shape).ravel()

    def touched(self) -> set[int]:
        """The bytes of its memory that the view covers."""
        return set((self.places()[:, None] + np.arange(ITEMSIZE[self.dtype])).ravel().tolist())


@dataclass(frozen=True)
class Scalar:
    """A number with a dtype."""

    dtype: str = "FLOAT"
    value: Any = 1.0

    @property
    def stored(self) -> Any:
        with np.errstate(all="ignore"):
            return NUMPY[self.dtype](self.value)

    @property
    def single(self) -> float:
        """As float: what C's conversion gives, in one rounding; a complex number counts as 0."""
        with np.errstate(all="ignore"):
            return 0.0 if self.dtype in COMPLEX else float(np.float32(self.stored))

    @property
    def double(self) -> float:
        return 0.0 if self.dtype in COMPLEX else float(self.stored)

    @property
    def integer(self) -> int:
        return 0 if self.dtype in COMPLEX else int(self.stored)


@dataclass(frozen=True)
class Call:
    """A call of phase one. Arguments by their C names, in order; None is the null pointer."""

    function: str
    arguments: dict[str, Any]
    product: str = "Ascend910B"
    document: bool = False

    def but(self, changes: dict[str, Any]) -> Call:
        """This call with other arguments: {"self": None, "self.dtype": "INT8"}."""
        arguments = dict(self.arguments)
        for path, value in changes.items():
            name, _, attribute = path.partition(".")
            arguments[name] = replace(arguments[name], **{attribute: value}) if attribute else value
        return replace(self, arguments=arguments)

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]


def convertible(source: str, target: str) -> bool:
    """Whether a result may be cast: not complex to real, float to integer, or anything but BOOL to BOOL."""
    if target == "BOOL":
        return source == "BOOL"
    if source in COMPLEX:
        return target in COMPLEX
    return not (source in (*FLOATS, *SMALL_FLOATS) and target in INTEGERS)


def promoted(a: str, b: str) -> str | None:
    """The dtype in which two meet; None where the documents define none."""
    if a == b:
        return a
    if not {a, b} <= {*FLOATS, *COMPLEX, *SIGNED, "UINT8", "BOOL"}:
        return None
    if {a, b} & {*COMPLEX}:
        if {a, b} & {"COMPLEX128", "DOUBLE"}:
            return "COMPLEX128"
        return "COMPLEX64" if {a, b} & {"COMPLEX64", "FLOAT"} else "COMPLEX32"
    floats = {a, b} & {*FLOATS}
    if floats:
        return "DOUBLE" if "DOUBLE" in floats else "FLOAT" if len(floats) == 2 else floats.pop()
    if "BOOL" in (a, b):
        return b if a == "BOOL" else a
    first, second = ("INT16" if {a, b} == {"INT8", "UINT8"} else name for name in (a, b))
    return first if ITEMSIZE[first] >= ITEMSIZE[second] else second
