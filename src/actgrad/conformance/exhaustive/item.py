"""What a sweep is of, and what it finds, as plain data that adds up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...base.dtypes import BY_NAME
from ...calls.operator import Operator

DTYPES = ("float16", "bfloat16", "float32")  # of which all numbers can be tried
#: What the operator takes besides x, and who computes. One number in so many is tried in the longest dtype.
PASSES = {"ones": 1, "random": 64, "PyTorch": 256}
FIRST = 5  # faults that are remembered


@dataclass(frozen=True)
class Item:
    """One sweep: an operator, all of its attributes, at one in `every` of the numbers of a dtype."""

    operator: Operator
    attributes: dict[str, Any]
    dtype: str
    kind: str  # of PASSES
    every: int = 1

    @property
    def count(self) -> int:
        return -(-(1 << 8 * BY_NAME[self.dtype].itemsize) // self.every)

    @property
    def words(self) -> str:
        """The attributes as the documents write them."""
        return ", ".join(f"{name}={value}" for name, value in self.attributes.items() if name != "dim")


@dataclass(frozen=True)
class Extreme:
    """The largest error of its kind, and the bits of the x it is at."""

    error: float
    bits: int

    @staticmethod
    def larger(a: Extreme | None, b: Extreme | None) -> Extreme | None:
        """The larger of two; the first of equal ones, which is that of the smaller bits."""
        if a is None or b is None:
            return a or b
        return b if b.error > a.error else a


@dataclass(frozen=True)
class Found:
    """What some elements come to; what parts of a sweep come to adds up."""

    elements: int = 0
    counted: int = 0  # elements measured in ULP: all but where terms cancel
    total: float = 0.0  # of their errors
    ulps: Extreme | None = None
    beyond: Extreme | None = None  # the same, less what rounding an argument of exp may move
    terms: Extreme | None = None  # where terms cancel, in units of the larger one; None for nowhere
    absolute: Extreme | None = None  # of finite numbers
    faults: int = 0  # beyond the bounds
    first: tuple[int, ...] = ()  # the bits of x of some

    def __add__(self, other: Found) -> Found:
        return Found(
            self.elements + other.elements,
            self.counted + other.counted,
            self.total + other.total,
            Extreme.larger(self.ulps, other.ulps),
            Extreme.larger(self.beyond, other.beyond),
            Extreme.larger(self.terms, other.terms),
            Extreme.larger(self.absolute, other.absolute),
            self.faults + other.faults,
            (*self.first, *other.first)[:FIRST],
        )

    @property
    def mean(self) -> float:
        return self.total / self.counted if self.counted else 0.0

    def plain(self) -> dict[str, Any]:
        """This as JSON takes it; infinite errors are the string "inf"."""

        def part(value: Any) -> Any:
            if isinstance(value, Extreme):
                return [value.error if math.isfinite(value.error) else "inf", value.bits]
            return list(value) if isinstance(value, tuple) else value

        return {name: part(value) for name, value in vars(self).items()}

    @staticmethod
    def of_plain(plain: dict[str, Any]) -> Found:
        """The inverse of `plain`; a KeyError, TypeError or ValueError for what it did not write."""
        counts = {name: plain[name] for name in ("elements", "counted", "faults")}
        first = tuple(plain["first"])
        if not all(type(n) is int for n in (*counts.values(), *first)):
            raise TypeError("counts are whole numbers")

        def extreme(name: str) -> Extreme | None:
            pair = plain[name]
            return None if pair is None else Extreme(float(pair[0]), int(pair[1]))

        return Found(
            **counts,
            total=float(plain["total"]),
            ulps=extreme("ulps"),
            beyond=extreme("beyond"),
            terms=extreme("terms"),
            absolute=extreme("absolute"),
            first=first,
        )


def together(found: Sequence[Found]) -> Found:
    """Several outputs as one."""
    return sum(found, Found())
