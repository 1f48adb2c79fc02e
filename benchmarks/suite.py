"""The measurements of one run, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import actgrad

from . import subject
from .cases import Case, cases
from .measurements import latency, peak_memory, start, throughput
from .measurements.contenders import Loaded
from .measurements.throughput import Conditions
from .results import Run

MEASUREMENTS = ("throughput", "latency", "start", "memory")

#: (measurement, tasks) -> the tasks, one after the other; it may show progress, or end early.
Step = Callable[[str, Iterable[Any]], Iterator[Any]]


@dataclass(frozen=True)
class Options:
    """The options of a run, all defaults filled in."""

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

    def cells(self) -> Iterator[tuple[Case, Conditions]]:
        """The cells of throughput."""
        for name, dtype in product(self.operators, self.dtypes):
            if not subject.takes(actgrad.operators[name], dtype):
                continue
            for case in cases(actgrad.operators[name]):
                for layout, size, threads, cache in product(self.layouts, self.sizes, self.threads, self.caches):
                    yield case, Conditions(dtype, layout, size, cache, threads)

    def cases(self) -> Iterator[tuple[Case, str]]:
        """Each case with the first dtype that it takes."""
        for name in self.operators:
            dtype = next((d for d in self.dtypes if subject.takes(actgrad.operators[name], d)), None)
            if dtype is not None:
                yield from ((case, dtype) for case in cases(actgrad.operators[name]))


def measure(options: Options, device: Any, run: Run, loaded: Loaded, step: Step) -> None:
    """Measure, within the device's `measuring`, and add the results to `run`."""
    small = list(options.cases())
    for name in options.measurements:
        if name in device.lacks:
            run.note(f"{name}: {device.lacks[name]}")
    measurements = [name for name in options.measurements if name not in device.lacks]
    if "throughput" in measurements:
        _throughput(options, device, run, loaded, step)
    if "latency" in measurements:
        for case, dtype in step("latency", small):
            run.latencies.append(latency.measure(case, dtype, loaded, device, options.seconds, run))
    if "start" in measurements:
        names = [case.operator.name for case, _ in small]
        first = [task for k, task in enumerate(small) if not options.quick or names[k] not in names[:k]]
        for task in step("start", [None, *first]):
            if task is None:
                run.imports.append(start.imports(options.repeats))
            else:
                case, dtype = task
                run.starts.append(start.measure(case, dtype, options.repeats))
    if "memory" in measurements:
        for case, dtype in step("memory", small):
            run.memories.append(peak_memory.measure(case, dtype, loaded, device, run))


def _throughput(options: Options, device: Any, run: Run, loaded: Loaded, step: Step) -> None:
    always_cold: set[tuple[Any, ...]] = set()
    for case, under in step("throughput", list(options.cells())):
        device.set_threads(under.threads)
        key = (case.title, under.dtype, under.layout, under.size, under.threads)
        if key in always_cold:
            continue  # measured already, as warm
        try:
            cell = throughput.measure(
                case, under, loaded, device, options.seconds, run, row=options.row, deviation=options.deviation
            )
        except (actgrad.InvalidArgument, actgrad.InvalidDtype) as error:  # all tensors of a cell get one dtype and row
            run.note(f"{case.title}, {under.dtype}: the benchmark cannot make its tensors: {error}")
            continue
        run.cells.append(cell)
        if cell.cache != under.cache:
            always_cold.add(key)
    device.set_threads(options.threads[0])
