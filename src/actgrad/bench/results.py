"""The results of a run: what was measured, in SI units, as it goes into tables, plots and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .timing import Times

OURS, CEILING = "actgrad", "ceiling"
Key = tuple[str, str]  # contender, form


def title(key: Key) -> str:
    """A contender as tables name it."""
    name, form = key
    return name if name == CEILING else f"{name} {form}"


class Notes:
    """What had to be left out and why, each said once."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, text: str) -> None:
        if text not in self.lines:
            self.lines.append(text)


@dataclass(frozen=True)
class Cell:
    """One operator on tensors of one dtype, layout and size."""

    case: str
    operator: str
    attributes: dict[str, Any]
    dtype: str
    layout: str
    size: int  # elements of the largest tensor, as asked for
    shape: tuple[int, ...]  # of that tensor, as measured
    threads: int  # 0 on a GPU
    cache: str  # "warm": the same buffers again; "cold": buffers that are in no cache
    sets: int  # of buffers
    read: int  # bytes
    written: int  # bytes
    error_ulp: float  # the largest of ours, where terms do not cancel
    ceiling: str  # the form of the ceiling that was the faster one
    times: dict[Key, Times] = field(repr=False)

    @property
    def bytes(self) -> int:
        return self.read + self.written

    def rate(self, key: Key) -> float:
        """Bytes per second."""
        return self.bytes / self.times[key].median

    @property
    def of_ceiling(self) -> float:
        """Our rate into given memory as a share of the ceiling."""
        return self.times[CEILING, "out"].median / self.times[OURS, "out"].median

    @property
    def ratios(self) -> dict[Key, float]:
        """Our time as a multiple of each peer's, in the peer's form."""
        return {
            key: self.times[OURS, key[1]].median / times.median
            for key, times in self.times.items()
            if key[0] not in (OURS, CEILING)
        }

    @property
    def label(self) -> str:
        threads = [f"{self.threads} threads"] if self.threads else []
        return ", ".join([self.case, self.dtype, count(self.size), self.layout, self.cache, *threads])


@dataclass(frozen=True)
class Mean:
    """Our time as a multiple of a peer's over all cells of a kind."""

    peer: Key
    layout: str
    cache: str
    threads: int
    mean: float  # geometric
    cells: int
    worst: float
    worst_cell: str


@dataclass(frozen=True)
class Latency:
    """Calls on a few elements: what they cost beside the computing."""

    case: str
    operator: str
    attributes: dict[str, Any]
    dtype: str
    elements: int
    times: dict[Key, Times] = field(repr=False)
    ratios: dict[tuple[Key, Key], float]  # ours, peer -> our time as a multiple


@dataclass(frozen=True)
class Start:
    """The first call of an operator in a new process, llvmlite being imported already."""

    case: str
    operator: str
    attributes: dict[str, Any]
    dtype: str
    uncached: Times
    cached: Times  # machine code comes from the object cache on disk

    @property
    def ratio(self) -> float:
        return self.cached.median / self.uncached.median


@dataclass(frozen=True)
class Import:
    """The import of this package in a new process, and of NumPy alone."""

    actgrad: Times
    numpy: Times

    @property
    def ratio(self) -> float:
        return self.actgrad.median / self.numpy.median


@dataclass(frozen=True)
class Memory:
    """The memory that one call takes at its peak, beyond what was there before."""

    case: str
    operator: str
    attributes: dict[str, Any]
    dtype: str
    size: int
    output: int  # bytes of the outputs, which "new" allocates and "out" does not
    peak: dict[Key, int]  # bytes


@dataclass(frozen=True)
class Revision:
    """Our time as a multiple of another revision's."""

    case: str
    operator: str
    attributes: dict[str, Any]
    dtype: str
    layout: str
    size: int
    threads: int
    ours: Times
    base: Times

    @property
    def ratio(self) -> float:
        return self.ours.median / self.base.median


@dataclass
class Run:
    """All that one call of `actgrad bench` found out."""

    machine: dict[str, Any]
    settings: dict[str, Any]
    cells: list[Cell] = field(default_factory=list)
    latencies: list[Latency] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)  # one, or none
    starts: list[Start] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    revisions: list[Revision] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)


def geometric_mean(values: Iterable[float]) -> float:
    """The mean of factors; of none it is NaN."""
    logarithms = [math.log(v) for v in values]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan


def peers_of(cells: Iterable[Cell]) -> list[Key]:
    """The peers that cells have ratios to, in order of appearance."""
    return list(dict.fromkeys(peer for cell in cells for peer in cell.ratios))


def means(cells: Iterable[Cell]) -> list[Mean]:
    """The geometric means per peer, apart for layouts, caches and threads, in order of appearance."""
    groups: dict[tuple[Key, str, str, int], list[tuple[float, str]]] = {}
    for cell in cells:
        for peer, ratio in cell.ratios.items():
            groups.setdefault((peer, cell.layout, cell.cache, cell.threads), []).append((ratio, cell.label))
    return [
        Mean(*group, geometric_mean(ratio for ratio, _ in found), len(found), *max(found))
        for group, found in groups.items()
    ]


def count(number: int) -> str:
    """A number of elements, short: 1000, 1e5, 1.6e7."""
    if number < 10_000:
        return str(number)
    mantissa, exponent = f"{number:.3e}".split("e")
    return f"{float(mantissa):g}e{int(exponent)}"
