"""Programs of the C SDK: the times of whole programs, of small and large calls, and of two threads, and Python's.

Contenders take turns; a ratio is that of the medians.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

import actgrad
from actgrad.ascend.sdk import programs

ROOT = Path(__file__).parents[1]
LARGE = 16 * 10**6
Times = Callable[[], list[float]]  # measures for a while; seconds


def built(source: Path, folder: Path) -> str:
    binary = folder / source.stem
    programs.compile_program(source, binary, programs.kept_sdk(), ["-O2"])
    return str(binary)


def whole(command: list[str], **settings: str) -> Times:
    """The time of a process."""

    def measure() -> list[float]:
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | settings)
        return [time.perf_counter() - start]

    return measure


def calls(binary: str, *arguments: int, **settings: str) -> Times:
    """The time of one call in sdk_calls.c."""

    def measure() -> list[float]:
        command = [binary, *map(str, arguments)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | settings)
        return [float(line) / 1e6 for line in done.stdout.split()]

    return measure


def together(measure: Times) -> Times:
    """The time of a call by the sum of the rates of two processes that measure at the same time."""

    def measure_both() -> list[float]:
        with ThreadPoolExecutor(2) as pool:
            first, second = pool.submit(measure), pool.submit(measure)
            return [1 / (1 / a + 1 / b) for a, b in zip(first.result(), second.result(), strict=True)]

    return measure_both


def repeated(call: Callable[[], object], count: int, rounds: int) -> Times:
    """The time of a call in Python."""

    def measure() -> list[float]:
        found = []
        for _ in range(rounds + 1):
            start = time.perf_counter()
            for _ in range(count):
                call()
            found.append((time.perf_counter() - start) / count)
        return found[1:]

    return measure


def medians(turns: int, *measures: Times) -> list[float]:
    """The median of each, measured in turns."""
    found: list[list[float]] = [[] for _ in measures]
    for _ in range(turns):
        for times, measure in zip(found, measures, strict=True):
            times += measure()
    return [statistics.median(times) for times in found]


def _table(folder: Path) -> str:
    """The table, as Markdown."""
    sources = ROOT / "examples" / "selu_backward.c", Path(__file__).with_suffix(".c")
    example, timed = (built(source, folder) for source in sources)
    lines = ["| what | here | compared with | there | ratio | wanted |", "| --- | ---: | --- | ---: | ---: | ---: |"]

    def row(what: str, mine: float, other: str, theirs: float, unit: str, wanted: str = "") -> None:
        """A line of the table, from two times in seconds; "calls/s" counts calls instead."""
        scale = {"ms": 1e3, "µs": 1e6, "calls/s": 1}[unit]
        lines.append(f"| {what} | {scale * mine:.1f} {unit} | {other} | {scale * theirs:.1f} {unit} | "
                     f"{mine / theirs:.2f} | {wanted} |")  # fmt: skip
        print(lines[-1], file=sys.stderr)

    in_server = {"ACTGRAD_SDK_HOST": "server"}
    numpy = whole([sys.executable, "-c", "import numpy"])
    program, server, python = medians(15, whole([example]), whole([example], **in_server), numpy)
    row("a whole small program", program, "`python3 -c 'import numpy'`", python, "ms", "2.0")
    row("the same, server", server, "`python3 -c 'import numpy'`", python, "ms")

    g, x = torch.ones(8), torch.linspace(-2, 2, 8)
    aten = torch.ops.aten.elu_backward
    theirs = repeated(lambda: aten(g, 1.25, 1.25, 1.25, False, x), 1000, 10)
    small = [calls(timed, 8, 1000, 10, 1), calls(timed, 8, 1000, 10, 1, **in_server), theirs]
    here, server, there = medians(7, *small)
    row("both phases, 8 elements", here, "`torch.ops.aten.elu_backward` from Python", there, "µs", "4")
    row("the same, server", server, "`torch.ops.aten.elu_backward` from Python", there, "µs")

    gradient, values = np.ones(LARGE, np.float32), np.linspace(-2, 2, LARGE, dtype=np.float32)
    out = np.zeros_like(values)
    plan = actgrad.elu_backward.plan(gradient, values, out=out, alpha=1.25, scale=1.25, input_scale=1.25)
    here, there = medians(7, calls(timed, LARGE, 1, 7, 1), repeated(plan.run, 1, 7))
    row("both phases, 16M elements", here, "the same plan in Python", there, "ms", "1.05")

    alone = {"OMP_NUM_THREADS": "1"}
    one, two = [calls(timed, 10**6, 300, 5, threads, **alone) for threads in (1, 2)]
    once, threads, processes = medians(15, one, two, together(one))
    row("two C threads, 1M elements a call", 1 / threads, "one thread", 1 / once, "calls/s", "at least 1.7")
    row("the same, two processes", 1 / processes, "one thread", 1 / once, "calls/s")
    return "\n".join(lines)


def tables() -> str:
    """The table of docs/sdk-internals.md."""
    with tempfile.TemporaryDirectory() as folder:
        return _table(Path(folder))
