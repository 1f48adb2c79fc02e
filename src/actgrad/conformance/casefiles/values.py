"""The numbers of a tensor as a case describes them, and how they are drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from ...dtypes import BY_NAME
from ..elements import Array

NAMED = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}  # numbers that JSON and CSV have only names for


@dataclass(frozen=True)
class Values:
    """Numbers from low to high, uniformly distributed; or, with deviations, normally around a mean of that range."""

    low: float
    high: float
    deviations: tuple[float, float] | None = None
    among: tuple[float, ...] = ()  # numbers that must occur
    is_result: bool = False  # what the forward pass makes of them

    def draw(self, shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
        """An array of these numbers; what the dtype cannot hold becomes its largest number."""
        kind = BY_NAME[dtype]
        count = math.prod(shape)
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            return np.full(shape, self.low).astype(kind.numpy)
        limits: Any = np.iinfo(kind.numpy) if kind.kind == "int" else ml_dtypes.finfo(kind.numpy)
        least, most = float(limits.min), float(limits.max)
        if self.deviations is not None:
            numbers = rng.normal(rng.uniform(self.low, self.high), rng.uniform(*self.deviations), count)
        elif kind.kind == "int":
            low, high = (int(min(max(v, least), most)) for v in (self.low, self.high))
            numbers = rng.integers(low, high, count, endpoint=True).astype(np.float64)
        else:
            share = rng.random(count)
            numbers = self.low * (1 - share) + self.high * share
        numbers = np.clip(np.rint(numbers) if kind.kind == "int" else numbers, least, most)
        if self.among:
            some = rng.permutation(count)[: len(self.among)]
            numbers[some] = self.among[: len(some)]
        with np.errstate(all="ignore"):
            return np.asarray(numbers.astype(kind.numpy).reshape(shape))


UNTOLD = Values(-2.0, 2.0)  # what TTK draws from unless it is told


def number(value: Any) -> float | None:
    """A number as the files write it, or None for what is none; True and False are none."""
    if isinstance(value, str):
        return NAMED.get(value.strip().lower().removeprefix("+"))
    if type(value) not in (int, float):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return None


def written(value: float) -> Any:
    """A number as the files write it: by name where JSON has no other way."""
    if math.isfinite(value):
        return int(value) if value == int(value) and abs(value) < 1 << 53 else value
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
