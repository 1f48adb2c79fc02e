"""A case that a file describes: function, tensors and attributes. All formats share these classes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.dtypes import BY_NAME
from ...base.errors import quantity
from ...base.loop import row_major
from ...judge.elements import Array
from ...judge.oracle import ends
from ..aclnn.signatures import Signature


class NotRun(Exception):
    """The reason why a case cannot be run."""


@dataclass(frozen=True)
class Values:
    """Random numbers. They are uniform from low to high or, with deviations, normal around a mean in this range."""

    low: float
    high: float
    deviations: tuple[float, float] | None = None
    among: tuple[float, ...] = ()  # numbers that must occur
    #: "nan": half of the numbers are NaN. "inf": the first twentieth is -inf, and the last one is inf.
    special: str = ""

    def draw(self, shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
        """An array of these numbers. The dtype's largest number replaces larger numbers."""
        kind = BY_NAME[dtype]
        is_float, count = kind.kind == "float", math.prod(shape)
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            return np.full(shape, self.low if is_float else 0).astype(kind.numpy)  # integers have no infinity
        minimum, maximum = ends(dtype)
        numbers: Array
        if self.deviations is not None:
            numbers = rng.normal(rng.uniform(self.low, self.high), rng.uniform(*self.deviations), count)
            numbers = numbers if is_float else np.rint(numbers)
        elif is_float:
            share = rng.random(count)
            numbers = self.low * (1 - share) + self.high * share
        else:
            low, high = (int(min(max(v, minimum), maximum)) for v in (self.low, self.high))
            numbers = rng.integers(low, high, count, endpoint=True)
        numbers = np.clip(numbers, minimum, maximum)
        if self.among:
            some = rng.permutation(count)[: len(self.among)]
            numbers[some] = self.among[: len(some)]
        if self.special == "nan":
            numbers[rng.random(count) < 0.5] = np.nan
        elif self.special == "inf" and count:
            few = max(1, count // 20)
            numbers[:few], numbers[count - few :] = -np.inf, np.inf
        with np.errstate(all="ignore"):
            return np.asarray(numbers.astype(kind.numpy).reshape(shape))


DEFAULT = Values(-2.0, 2.0)  # TTK's default


@dataclass(frozen=True)
class Tensor:
    """A tensor. Strides and offset count elements of the storage. If strides is None, the tensor is contiguous."""

    dtype: str
    shape: tuple[int, ...]
    values: Values = DEFAULT
    strides: tuple[int, ...] | None = None
    offset: int = 0
    storage: tuple[int, ...] | None = None
    is_result: bool = False  # whether the tensor is the forward pass's result for such numbers

    @property
    def _storage_size(self) -> int:
        """The number of elements in the storage. By default, the storage ends at the last element of the tensor."""
        if self.storage is not None:
            return math.prod(self.storage)
        strides = row_major(self.shape, 1) if self.strides is None else self.strides
        last = sum((n - 1) * s for n, s in zip(self.shape, strides, strict=False))
        return self.offset + (0 if 0 in self.shape else last + 1)

    @property
    def nbytes(self) -> int:
        """The memory that the elements or the storage take, whichever is larger."""
        return max(math.prod(self.shape), self._storage_size) * BY_NAME[self.dtype].itemsize

    def empty(self, name: str) -> Array:
        """A view with this shape and these strides on new storage."""
        dtype = BY_NAME[self.dtype].numpy
        storage = np.zeros(self._storage_size, dtype)
        strides = None if self.strides is None else [s * dtype.itemsize for s in self.strides]
        try:
            return np.ndarray(self.shape, dtype, storage, self.offset * dtype.itemsize, strides)
        except (TypeError, ValueError) as error:
            fault = f"{name} has {quantity(len(storage), 'element')} of storage"
            raise NotRun(f"{fault}; its shape, strides and offset need more ({error}); enlarge the storage") from error

    def drawn(self, name: str, rng: np.random.Generator) -> Array:
        """The tensor with its numbers, in the layout that the case describes."""
        view = self.empty(name)
        view[...] = self.values.draw(self.shape, self.dtype, rng)
        return view


@dataclass(frozen=True)
class Scalar:
    """An attribute. Its value is drawn at random, or rounded to a dtype."""

    value: Any  # None if it is drawn at random
    dtype: str = ""  # "" for the dtype of the value itself
    values: Values = DEFAULT

    def number(self, name: str, rng: np.random.Generator) -> Any:
        """The value, rounded to its dtype."""
        if isinstance(self.value, (bool, int, str)) and not self.dtype:
            return self.value
        dtype = BY_NAME[self.dtype or "float64"]
        if dtype.kind in ("complex", "float8", "other"):
            raise NotRun(f"{name} is a scalar of {dtype}; it must be a real number; use another dtype")
        if self.value is None:
            return float(self.values.draw((), dtype.name, rng))
        if dtype.kind in ("int", "uint"):
            return float(int(self.value))
        with np.errstate(all="ignore"):
            return float(np.float64(self.value).astype(dtype.numpy))


@dataclass(frozen=True)
class FileCase:
    """A case. `problem` is the reason why the case cannot run, if the file already shows a reason."""

    name: str
    raw: dict[str, Any]  # the entry of the file
    signature: Signature | None = None
    inputs: dict[str, Tensor] = field(default_factory=dict)  # by names of the schema, in its order
    outputs: dict[str, Tensor] = field(default_factory=dict)
    attributes: dict[str, Scalar] = field(default_factory=dict)
    standards: tuple[str, ...] = ()  # the standards that the case names. () means the standard in force
    seed: int | None = None
    expects_error: bool = False
    problem: str = ""
    notes: tuple[str, ...] = ()  # fields that were not read, and fields that differ from the documents
