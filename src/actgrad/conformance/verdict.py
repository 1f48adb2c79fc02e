"""What the judge says of a call, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .axis import Range
from .standards import Outcome

#: Edges of the histogram of errors, in ULP; what lies above the last is its own bin, NaN among it.
ULP_EDGES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 1024.0)


@dataclass(frozen=True)
class Failure:
    """One element that fails."""

    index: tuple[int, ...]  # in the output
    inputs: Mapping[str, float | int]
    actual: float | int
    golden: float | int
    ulps: float


@dataclass(frozen=True)
class Diagnosis:
    """A mistake that would give what fails."""

    mistake: str  # one word for programs
    says: str
    explained: int  # of the failing elements that were looked at
    looked_at: int


@dataclass(frozen=True)
class Judged:
    """One output, or one half of a gated one."""

    name: str
    dtype: str
    elements: int
    failing: int  # beyond what a standard that was asked for allows one element
    by_terms: int  # judged by the size of their terms instead of by ULPs
    outcomes: tuple[Outcome, ...]
    histogram: tuple[int, ...]  # by ULP_EDGES
    first: tuple[Failure, ...]
    worst: tuple[Failure, ...]
    points: np.ndarray[Any, np.dtype[np.float64]]  # (x, error in ULP) of some elements

    @property
    def holds(self) -> bool:
        return not any(outcome.is_broken for outcome in self.outcomes)


@dataclass(frozen=True)
class Verdict:
    """What the standards say of a call, what fails where, and which mistakes that looks like."""

    operator: str
    attributes: Mapping[str, Any]
    golden: str  # where the exact values come from
    standards: tuple[str, ...]
    outputs: tuple[Judged, ...]
    ranges: tuple[Range, ...]  # of x, in which something fails
    diagnoses: tuple[Diagnosis, ...]
    repeat: Outcome | None = None  # whether runs give the same bits, where it ran here

    @property
    def holds(self) -> bool:
        """Whether every standard holds that counts and says anything."""
        repeats = self.repeat is None or not self.repeat.is_broken
        return repeats and all(output.holds for output in self.outputs)

    @property
    def is_judged(self) -> bool:
        """Whether any standard that was asked for is defined for what was given."""
        return any(outcome.holds is not None for output in self.outputs for outcome in output.outcomes)

    @property
    def elements(self) -> int:
        return sum(output.elements for output in self.outputs)

    @property
    def failing(self) -> int:
        return sum(output.failing for output in self.outputs)
