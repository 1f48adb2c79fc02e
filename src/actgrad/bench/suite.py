"""What one call of `actgrad bench` measures, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from ..calls.operator import REGISTRY
from ..contract import allowed_dtypes
from . import latency, memory, start, throughput
from .cases import Case, cases
from .devices import Device
from .peer import Peer
from .results import Run
from .throughput import Conditions

MEASUREMENTS = ("throughput", "latency", "start", "memory")

#: Of a measurement and its tasks: the tasks, one after the other; it may show how far they are, or end early.
Step = Callable[[str, Iterable[Any]], Iterator[Any]]
Loaded = dict[str, tuple[Peer, Any]]


@dataclass(frozen=True)
class Options:
    """What to measure, all defaults filled in."""

    device: str
    operators: list[str]
    measurements: list[str]
    sizes: list[int]
    dtypes: list[str]
    layouts: list[str]
    caches: list[str]
    threads: list[int]  # 0 for the default
    peers: list[str]
    row: int
    deviation: float
    seconds: float
    repeats: int
    quick: bool
    base: str | None

    def cells(self) -> Iterator[tuple[Case, Conditions]]:
        """What throughput is measured of."""
        for name, dtype in product(self.operators, self.dtypes):
            if dtype not in allowed_dtypes(REGISTRY[name].definition, None):
                continue
            for case in cases(REGISTRY[name]):
                for layout, size, threads, cache in product(self.layouts, self.sizes, self.threads, self.caches):
                    yield case, Conditions(dtype, layout, size, cache, threads)

    def cases(self) -> Iterator[tuple[Case, str]]:
        """Each case with the first dtype that it takes."""
        for name in self.operators:
            allowed = allowed_dtypes(REGISTRY[name].definition, None)
            dtype = next((d for d in self.dtypes if d in allowed), None)
            if dtype is not None:
                yield from ((case, dtype) for case in cases(REGISTRY[name]))


def measure(options: Options, device: Device, run: Run, loaded: Loaded, step: Step) -> None:
    """Measure, within the device's `measuring`, and add to `run` what is found."""
    small = list(options.cases())
    for name in options.measurements:
        if name in device.lacks:
            run.notes.add(f"{name}: {device.lacks[name]}")
    measurements = [name for name in options.measurements if name not in device.lacks]
    if "throughput" in measurements:
        _throughput(options, device, run, loaded, step)
    if "latency" in measurements:
        for case, dtype in step("latency", small):
            run.latencies.append(latency.measure(case, dtype, loaded, device, options.seconds, run.notes))
    if "start" in measurements:
        first = [s for k, s in enumerate(small) if not options.quick or s[0].operator is not small[k - 1][0].operator]
        for task in step("start", [None, *first]):
            if task is None:
                run.imports.append(start.imports(options.repeats))
            else:
                case, dtype = task
                run.starts.append(start.measure(case, dtype, options.repeats))
    if "memory" in measurements:
        for case, dtype in step("memory", small):
            run.memories.append(memory.measure(case, dtype, loaded, device, run.notes))


def _throughput(options: Options, device: Device, run: Run, loaded: Loaded, step: Step) -> None:
    always_cold: set[tuple[Any, ...]] = set()
    for case, under in step("throughput", list(options.cells())):
        device.set_threads(under.threads)
        key = (case.title, under.dtype, under.layout, under.size, under.threads)
        if key in always_cold:
            continue  # asked for cold after warm: measured already
        cell = throughput.measure(
            case, under, loaded, device, options.seconds, run.notes, row=options.row, deviation=options.deviation
        )
        run.cells.append(cell)
        if cell.cache != under.cache:
            always_cold.add(key)
    device.set_threads(options.threads[0])
