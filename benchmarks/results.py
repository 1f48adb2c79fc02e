"""The results of a run, in SI units, and their JSON: a file holds all that tables, plots and comparisons need."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import actgrad

from .timing import Times

OURS, CEILING = "actgrad", "ceiling"
#: A contender and its form: "actgrad out", "aten new". "out" writes into given memory, "new" allocates.
Key = str


def form_of(key: Key) -> str:
    """The form of a contender."""
    return key.partition(" ")[2]


@dataclass(frozen=True)
class Cell:
    """One operator on tensors of one dtype, layout and size."""

    case: str
    operator: str
    attributes: dict[str, Any]
    dtype: str
    layout: str
    size: int  # elements of the largest tensor, as given in the options
    shape: tuple[int, ...]  # of that tensor, as measured
    threads: int  # 0 on a GPU
    cache: str  # "warm": the same buffers again; "cold": buffers that are in no cache
    sets: int  # of buffers
    read: int  # bytes
    written: int  # bytes
    ceiling: str  # the contender that was the ceiling
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
        return self.times[CEILING].median / self.times[f"{OURS} out"].median

    @property
    def least_of_ceiling(self) -> float:
        """Our fastest run / the ceiling's fastest run."""
        return self.times[f"{OURS} out"].least / self.times[CEILING].least

    @property
    def ratios(self) -> dict[Key, float]:
        """Our time as a multiple of each peer's, in the peer's form."""
        return {
            key: self.times[f"{OURS} {form_of(key)}"].median / times.median
            for key, times in self.times.items()
            if key != CEILING and not key.startswith(OURS)
        }

    @property
    def label(self) -> str:
        threads = [f"{self.threads} threads"] if self.threads else []
        return ", ".join([self.case, self.dtype, count(self.size), self.layout, self.cache, *threads])


@dataclass(frozen=True)
class Latency:
    """Calls on a few elements: the cost of a call without its computation."""

    case: str
    operator: str
    attributes: dict[str, Any]
    dtype: str
    elements: int
    times: dict[Key, Times] = field(repr=False)
    ratios: dict[str, float]  # "actgrad out / aten out" -> our time as a multiple


@dataclass(frozen=True)
class Start:
    """The first call of an operator in a new process, llvmlite being imported already."""

    case: str
    operator: str
    attributes: dict[str, Any]
    dtype: str
    uncached: Times
    cached: Times  # machine code comes from the cache on disk


@dataclass(frozen=True)
class Import:
    """The import of actgrad in a new process, and of NumPy alone."""

    actgrad: Times
    numpy: Times


@dataclass(frozen=True)
class Memory:
    """The memory that one call takes at its peak, beyond the memory before the call."""

    case: str
    operator: str
    attributes: dict[str, Any]
    dtype: str
    size: int
    output: int  # bytes of the outputs, which "new" allocates and "out" does not
    peak: dict[Key, int]  # bytes


@dataclass
class Run:
    """All results of one run."""

    machine: dict[str, Any]
    settings: dict[str, Any]
    cells: list[Cell] = field(default_factory=list)
    latencies: list[Latency] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)  # one, or none
    starts: list[Start] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # left out, and why

    def note(self, text: str) -> None:
        """Add a note, each text once."""
        if text not in self.notes:
            self.notes.append(text)

    def document(self) -> dict[str, Any]:
        """The results as JSON takes them; ratios are ours / theirs."""
        cells = [{**asdict(c), "ratios": c.ratios, "of_ceiling": c.of_ceiling, "bytes": c.bytes} for c in self.cells]
        return {**asdict(self), "cells": cells, "means": [asdict(mean) for mean in means(self.cells)]}


def read(path: Path) -> Run:
    """The results in a file."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        kinds: dict[str, Any] = {
            "cells": Cell, "latencies": Latency, "imports": Import, "starts": Start, "memories": Memory
        }  # fmt: skip
        lists = {name: [_made(kind, row) for row in document[name]] for name, kind in kinds.items()}
        return Run(document["machine"], document["settings"], **lists, notes=document["notes"])
    except OSError as error:
        raise actgrad.ActgradError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise actgrad.ActgradError(f"{path}: is no result of python -m benchmarks run: {error!r}") from error


def _made(kind: Any, row: dict[str, Any]) -> Any:
    """A record of a kind; further entries are derived from its own."""
    values = {f.name: row[f.name] for f in fields(kind)}
    for name, value in values.items():
        if name in ("uncached", "cached", "actgrad", "numpy"):
            values[name] = Times(**value)
        elif name == "times":
            values[name] = {key: Times(**times) for key, times in value.items()}
    return kind(**values)


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


def means(cells: Iterable[Cell]) -> list[Mean]:
    """The geometric means per peer, layout, cache and number of threads, in order of appearance."""
    groups: dict[tuple[Key, str, str, int], list[tuple[float, str]]] = {}
    for cell in cells:
        for peer, ratio in cell.ratios.items():
            groups.setdefault((peer, cell.layout, cell.cache, cell.threads), []).append((ratio, cell.label))
    return [
        Mean(*group, geometric_mean(ratio for ratio, _ in found), len(found), *max(found))
        for group, found in groups.items()
    ]


def geometric_mean(values: Iterable[float]) -> float:
    """The mean of factors; NaN for no factors."""
    logarithms = [math.log(v) for v in values]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan


def peers_of(cells: Iterable[Cell]) -> list[Key]:
    """The peers that cells have ratios to, in order of appearance."""
    return list(dict.fromkeys(peer for cell in cells for peer in cell.ratios))


def count(number: int) -> str:
    """A number of elements, short: 1000, 1e5, 1.6e7."""
    if number < 10_000:
        return str(number)
    mantissa, exponent = f"{number:.3e}".split("e")
    return f"{float(mantissa):g}e{int(exponent)}"


def duration(seconds: float) -> str:
    """A time with three digits and its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:#.3g}".rstrip(".") + f" {unit}"
    return f"{seconds * 1e9:.0f} ns"
