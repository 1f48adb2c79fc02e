"""The Triton backend on a GPU, in one call of a few minutes: first that it is right, then how fast it is.

    python scripts/gpu_check.py                     # a GPU is needed; writes docs/benchmarks/gpu.json, gpu.svg, gpu.png
    python scripts/gpu_check.py --interpret         # the first part, on a small sample, on any machine

Right: every operator, set of attributes and dtype against the float64 reference, float16 and bfloat16 exhaustively;
layouts, addresses, streams, graphs, devices, more than 2**31 elements (scripts/gpu_correctness.py). Fast: the
cells of `python -m benchmarks run --device cuda` that fit into the time, the most telling ones first. When the time is
up, the results so far are written. The status is 0 where all is right, 1 where not, 2 without a GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

import actgrad

from . import plots, subject, suite
from .devices import cuda
from .measurements import contenders
from .results import Cell, Latency, Run
from .suite import Options

ROOT = Path(__file__).resolve().parents[1]

FOLDER = ROOT / "docs" / "benchmarks"
CORRECTNESS = ROOT / "scripts" / "gpu_correctness.py"
REPEATED = "The same bits on every run."  # a row of it
MINUTES = 9.0
CORRECTNESS_SHARE = 0.6  # of the time, at most, where there is something to measure too
GRACE = 60.0  # seconds that a row may take beyond the time before its process is ended


class Correctness(NamedTuple):
    """What the rows have found."""

    worst_ulp: dict[str, Any]  # of each row that is right
    wrong: list[str]  # rows that are wrong, or were not tried


def correctness(seconds: float, *more: str) -> Correctness:
    """Run the rows in a process of their own, for about so many seconds."""
    found, rows = Correctness({}, []), 0
    command = [sys.executable, str(CORRECTNESS), *more] + ["--seconds", f"{seconds:g}"] * (seconds < float("inf"))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        watch = Timer(min(seconds + GRACE, 1e6), process.kill)
        watch.daemon = True
        watch.start()
        assert process.stdout is not None
        for line in process.stdout:
            try:
                told = dict(json.loads(line))
            except (ValueError, TypeError):  # another library's, or the last of a process that was ended
                print(line, end="", file=sys.stderr)
                continue
            rows = told.get("rows", rows)
            if "ulp" in told:
                found.worst_ulp[told["row"]] = told["ulp"]
            elif "wrong" in told:
                found.wrong.append(f"{told['row']}: {told['wrong']}")
                print(f"WRONG {found.wrong[-1]}", file=sys.stderr, flush=True)
        watch.cancel()
    untried = rows - len(found.worst_ulp) - len(found.wrong)
    if untried or process.returncode or not rows:
        found.wrong.append(f"{untried} of {rows} rows not tried; the process ended with {process.returncode}")
        print(f"WRONG {found.wrong[-1]}", file=sys.stderr, flush=True)
    print(f"{len(found.worst_ulp)} of {rows} right", flush=True)
    return found


MIB = 1 << 20
ROW = 2 * 11008  # elements of a gated tensor's row, as in a network
SECONDS = 0.03  # per cell and contender
FLOATS = ("float32", "bfloat16", "float16", "float64")
MOST_FAILURES = 5  # one after the other: an illegal access leaves a GPU that fails whatever comes next
GEGLU_BACKWARD = ("geglu_backward",)


class Stage(NamedTuple):
    """Cells that are measured together."""

    name: str
    measurement: str
    operators: tuple[str, ...]
    dtypes: tuple[str, ...]
    mebibytes: int  # of the largest tensor
    peers: tuple[str, ...]


def stages() -> list[Stage]:
    """The stages in their order: slow ones that tell little come last, torch.compile above all."""
    every = tuple(actgrad.operators)
    usual = ("aten", "eager", "liger", "flaggems")
    return [
        Stage("launches", "latency", every, ("float32",), 0, ("aten", "eager")),
        Stage("64 MiB", "throughput", every, FLOATS, 64, usual),
        Stage("compiled GeGLU backward", "throughput", GEGLU_BACKWARD, FLOATS[:2], 128, ("eager", "compile")),
        Stage("256 MiB", "throughput", every, FLOATS, 256, usual),
        Stage("memory", "memory", every, ("float32",), 0, ("aten", "eager")),
        Stage("compiled operators", "throughput", every, FLOATS[:2], 128, ("inductor",)),
    ]


class OutOfTime(Exception):
    """The minutes are over."""


def options(stage: Stage, operator: str, dtype: str) -> Options:
    return Options(
        device="cuda", operators=[operator], measurements=[stage.measurement],
        sizes=[max(1, stage.mebibytes * MIB // subject.NUMPY[dtype].itemsize)], dtypes=[dtype], layouts=["contiguous"],
        caches=["cold"], threads=[0], peers=list(stage.peers), row=ROW, deviation=1.0, seconds=SECONDS, repeats=0,
        quick=False,
    )  # fmt: skip


def measure(device: Any, run: Run, deadline: float, wrong: list[str], save: Callable[[], None]) -> None:
    """All stages, as far as the time goes; `save` is called again and again."""

    def step(name: str, tasks: Iterable[Any]) -> Iterator[Any]:
        for task in tasks:
            if time.monotonic() > deadline:
                raise OutOfTime
            yield task

    failures, taken = 0, run.settings.setdefault("seconds_taken", {})
    with device.measuring():
        for stage in stages():
            begin = time.monotonic()
            loaded = contenders.load(stage.peers, run)
            for operator in stage.operators:
                for dtype in stage.dtypes:
                    if not subject.takes(actgrad.operators[operator], dtype):
                        continue
                    cells, latencies = len(run.cells), len(run.latencies)
                    try:
                        suite.measure(options(stage, operator, dtype), device, run, loaded, step)
                        failures = 0
                    except OutOfTime:
                        run.note(f"the time was over at {stage.name}, {operator}, {dtype}: the rest was left out")
                        return
                    except Exception as error:  # the results before any failure are kept
                        failures += 1
                        wrong.append(f"{stage.name}, {operator}, {dtype}: {type(error).__name__}: {error}")
                        print(f"WRONG {wrong[-1]}", file=sys.stderr, flush=True)
                        run.note(wrong[-1])
                        if failures == MOST_FAILURES:
                            run.note(f"{failures} failures one after the other: the rest was left out")
                            return
                    taken[stage.name] = round(time.monotonic() - begin, 1)
                    tell(run.cells[cells:], run.latencies[latencies:])
                    save()


def tell(cells: list[Cell], latencies: list[Latency]) -> None:
    """Print new results."""
    for cell in cells:
        ratios = ", ".join(f"{peer} {ratio:.2f}" for peer, ratio in cell.ratios.items())
        print(f"{cell.label}: {cell.of_ceiling:.2f} of a copy; {ratios}", flush=True)
    for row in latencies:
        medians = ", ".join(f"{key} {t.median * 1e6:.2f} µs" for key, t in row.times.items())
        print(f"{row.case}: {medians}", flush=True)


class Claim(NamedTuple):
    """A property of the results that we want, and the figure found."""

    text: str
    holds: bool | None  # None: not measured
    found: str


LEAST_SHARE, MOST_OF_EAGER, NOISE = 0.92, 0.45, 1.02


def claims(run: Run, found: Correctness) -> list[Claim]:
    """Each claim, whether it holds, and its worst figure."""
    is_wrong = any(line.startswith(REPEATED) for line in found.wrong)
    repeats = True if REPEATED in found.worst_ulp else False if is_wrong else None
    large = [c for c in run.cells if c.size * subject.NUMPY[c.dtype].itemsize >= 64 * MIB]
    shares = [(c.of_ceiling, c.label) for c in large]
    ratios = [(ratio, f"{c.label}, {peer}") for c in run.cells for peer, ratio in c.ratios.items()]
    gated = [c for c in run.cells if c.operator == "geglu_backward" and "eager out" in c.ratios]
    eager = [(c.ratios["eager out"], c.label) for c in gated]
    direct = "actgrad plan.run() / aten out"
    launches = [(row.ratios[direct], row.case) for row in run.latencies if direct in row.ratios]

    def claim(text: str, values: list[tuple[float, str]], limit: float, at_least: bool = False) -> Claim:
        if not values:
            return Claim(text, None, "not measured")
        value, where = min(values) if at_least else max(values)
        holds = value >= limit if at_least else value <= limit
        return Claim(text, holds, f"worst of {len(values)}: {value:.3f}, {where}")

    return [
        claim(f"at least {LEAST_SHARE} of a copy's rate from 64 MiB on", shares, LEAST_SHARE, at_least=True),
        claim(f"no peer is faster by more than {NOISE - 1:.0%}", ratios, NOISE),
        claim(f"GeGLU backward takes at most {MOST_OF_EAGER} of eager's time", eager, MOST_OF_EAGER),
        claim("plan.run() takes no longer to launch than aten", launches, 1.0),
        Claim("repeated runs give the same bits", repeats, "not tried" if repeats is None else "21 runs"),
    ]


def write(folder: Path, run: Run, more: dict[str, Any]) -> None:
    """All results so far; whole or not at all, for the process may be ended at any time."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**run.document(), **more}, indent=2, default=str) + "\n"
    part = folder / "gpu.json.part"
    part.write_text(text, encoding="utf-8")
    part.replace(folder / "gpu.json")


def draw(folder: Path, run: Run) -> None:
    """The plots, where there is something to draw and to draw with."""
    for name in ("gpu.svg", "gpu.png"):
        try:
            plots.write(run, folder / name)
        except Exception as error:  # a plot is not worth the results
            run.note(f"{name}: {error}")


def main(arguments: list[str] | None = None) -> int:
    """Check and measure; the status is as the head of this file says."""
    begin = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interpret", action="store_true", help="Triton's interpreter, a small sample, no timing")
    parser.add_argument("--only-correctness", action="store_true", help="no timing")
    parser.add_argument("--minutes", type=float, default=MINUTES, help=f"when to end, about (default: {MINUTES:g})")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where gpu.json and the plots go")
    given = parser.parse_args(arguments)
    if given.interpret:
        return 1 if correctness(float("inf"), "--interpret").wrong else 0
    try:
        device = cuda.find("cuda")
    except actgrad.ActgradError as error:
        print(f"gpu_check: {error}; --interpret runs without one", file=sys.stderr)
        return 2
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # one kernel at a time: a pool takes longer to start
    minutes = given.minutes
    found = correctness(60 * minutes * (1 if given.only_correctness else CORRECTNESS_SHARE))
    taken = {"correctness": round(time.monotonic() - begin, 1)}
    if given.only_correctness:
        return 1 if found.wrong else 0
    command = ["python", "scripts/gpu_check.py", *(["--minutes", f"{minutes:g}"] if minutes != MINUTES else [])]
    settings = {"command": shlex.join(command), "row": ROW, "seconds": SECONDS, "seconds_taken": taken}
    run = Run(device.describe(), settings | {"stages": [stage._asdict() for stage in stages()]})

    def save() -> None:
        held = [claim._asdict() for claim in claims(run, found)]
        write(given.folder, run, {"worst_ulp": found.worst_ulp, "wrong": found.wrong, "claims": held})

    save()
    measure(device, run, begin + 60 * minutes, found.wrong, save)
    draw(given.folder, run)
    save()
    for claim in claims(run, found):
        word = {True: "holds", False: "DOES NOT HOLD", None: "not measured"}[claim.holds]
        print(f"{word}: {claim.text}: {claim.found}")
    print(*run.notes, sep="\n")
    return 1 if found.wrong else 0
