"""A computation: all that a backend is told of a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from .loop import Loop

LARGEST, TOTAL, ONCE = "largest", "total", "once"


@dataclass(frozen=True)
class RowStatistics:
    """The statistics of a computation's rows. A row is the elements along the loop's last `dims` dimensions.

    The computation's formulas are that of an element, and then a term for each statistic. A term is a function of the
    inputs, the statistics of earlier passes and the attributes; an element is one of the inputs, all statistics and the
    attributes. With `kept`, an element sees the last pass's last term in place of the inputs.

    A pass of the kind ONCE visits no elements: its one term is a function of the earlier statistics and the attributes.
    """

    passes: tuple[tuple[str, ...], ...]  # the statistics of each pass: LARGEST or TOTAL of its terms; or one ONCE
    held_by: tuple[int, ...]  # per output: the statistic that it holds for each row; -1 for the elements' results
    dims: int
    kept: bool = False

    def find(
        self,
        terms: Sequence[Callable[..., Any]],
        inputs: Sequence[Any],
        attributes: Sequence[Any],
        combine: Callable[[str, Any], Any],
    ) -> list[Any]:
        """All statistics; `combine(LARGEST or TOTAL, terms)` makes one."""
        found: list[Any] = []
        for one in self.passes:
            if one == (ONCE,):
                found.append(terms[len(found)](*found, *attributes))
                continue
            seen, first = [*inputs, *found, *attributes], len(found)
            found += [combine(kind, terms[k](*seen)) for k, kind in enumerate(one, first)]
        return found

    @property
    def kept_term(self) -> tuple[int, int]:
        """The number of the term that elements see, and how many statistics it sees."""
        visiting = [k for k, one in enumerate(self.passes) if one != (ONCE,)]
        seen = sum(map(len, self.passes[: visiting[-1]]))
        return seen + len(self.passes[visiting[-1]]) - 1, seen

    def results(
        self,
        element: Callable[..., Any],
        formulas: Sequence[Callable[..., Any]],
        inputs: Sequence[Any],
        found: Sequence[Any],
        attributes: Sequence[Any],
    ) -> list[Any]:
        """A value of each output, given all statistics."""
        if self.kept:
            term, seen = self.kept_term
            inputs = [formulas[1 + term](*inputs, *found[:seen], *attributes)]
        of_elements = iter(element(formulas[0], *inputs, *found, *attributes))
        return [next(of_elements) if held < 0 else found[held] for held in self.held_by]

    def rows(self, loop: Loop) -> int:
        """The number of rows."""
        return prod(loop.shape[: len(loop.shape) - self.dims])


@dataclass(frozen=True)
class Computation:
    """What a kernel computes and where, without the data: all that a backend is told."""

    element: Callable[..., Any]  # of base/chain_rule.py: (formulas..., inputs..., attributes...) -> outputs
    formulas: tuple[Callable[..., Any], ...]
    scalars: tuple[float, ...]
    compute: str  # dtype of the arithmetic
    loop: Loop
    device: str = "cpu"  # whose memory it is, as "cuda:0"
    statistics: RowStatistics | None = None  # None where an element sees no row

    @property
    def is_empty(self) -> bool:
        """Whether no element of an output is computed."""
        if self.statistics is None or not any(held >= 0 for held in self.statistics.held_by):
            return self.loop.size == 0
        return self.statistics.rows(self.loop) == 0
