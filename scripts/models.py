"""Models of transformers, timm and diffusers before and after `actgrad.torch.convert`, small and with random weights.

A process of its own measures each model, because graphs of other models would stay in memory. `--costs` and `--times`
add to the file of results. `--write` makes the tables of docs/models.md from that file. A library that is missing is
left out, with a line that says so.
"""

from __future__ import annotations

import argparse
import json
import logging
import multiprocessing
import os
import re
import statistics
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import torch._inductor.config
from small_models import models
from torch._inductor import metrics
from torch._inductor.async_compile import AsyncCompile

import actgrad.torch
from actgrad.backends.cpu.target import host
from actgrad.torch.models.comparison import _difference, _peak
from actgrad.torch.models.patching import call
from actgrad.writing.documents import write_part

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.machine import processor

RESULTS = Path(__file__).parents[1] / "docs" / "models.json"
ATEN, CONVERTED, COSTS, TIMES = "aten", "converted", "costs", "times"
FORK = multiprocessing.get_context("fork")
LIBRARIES = ("transformers", "timm", "diffusers")
RUNS = 3


def main() -> None:
    """Measure, or make the tables from what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  python scripts/models.py --costs --only llama\n"
        "  python scripts/models.py --write docs/models.md",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--costs", action="store_true", help="measure kernels, bytes and memory, which no load changes")
    parser.add_argument("--times", action="store_true", help="measure times: medians of steps of both models in turn")
    parser.add_argument("--only", default="", metavar="TEXT", help="only models whose names match this expression")
    parser.add_argument("--again", action="store_true", help="measure also what the file of results has")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch (%(default)s)")
    parser.add_argument("--rounds", type=int, default=15, help="steps of each model for a time (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE", help="the file (%(default)s)")
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="put the tables into this document")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    warnings.simplefilter("ignore")
    kinds = [COSTS] * options.costs + [TIMES] * options.times
    results = json.loads(options.results.read_text()) if options.results.exists() else {}
    for name in [name for name, _ in models() if re.search(options.only, name)] if kinds else ():
        record = results.setdefault(name, {})
        for kind in kinds:
            if kind not in record or options.again:
                record[kind] = measured_apart(kind, name, options)
                options.results.write_text(json.dumps(results, indent=1) + "\n")
    if options.write:
        for part, table in (("model-costs", cost_table), ("models", time_table)):
            write_part(options.write, part, "\n".join(table(results)) + "\n")


def measured_apart(kind: str, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """A measurement by a process of its own, which begins with the libraries in memory; the error where it failed."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=send, args=(sender, kind, name, options.rounds))
    process.start()
    sender.close()
    try:
        result = receiver.recv()
    except EOFError:
        result = {"error": "the process ended"}
    process.join()
    print(f"{name}, {kind}: {result}", file=sys.stderr, flush=True)
    return result | circumstances(options.threads)


def send(sender: Any, kind: str, name: str, rounds: int) -> None:
    """Send a measurement to the process that started this one."""
    try:
        sender.send(measure_times(name, rounds) if kind == TIMES else measure_costs(name))
    except Exception as fault:
        sender.send({"error": f"{type(fault).__name__}: {fault}"[:300]})


def circumstances(threads: int) -> dict[str, Any]:
    versions = [f"{name} {metadata.version(name)}" for name in LIBRARIES if installed(name)]
    return {
        "machine": f"{processor()}, {host()}, {threads} thread",
        "versions": f"PyTorch {torch.__version__}, {', '.join(versions)}",
        "load": round(os.getloadavg()[1], 1),
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
    }


def installed(name: str) -> bool:
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False


def made(name: str) -> tuple[Any, Any]:
    """A model with its inputs; the same each time."""
    torch.manual_seed(0)
    return dict(models())[name]()


def step(model: torch.nn.Module, inputs: Any, run: Any) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """The outputs, and the gradients of their sum: a training step without an optimizer."""
    torch.manual_seed(0)
    outputs = differentiable(call(run, inputs))
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    total = torch.stack([output.float().sum() for output in outputs]).sum()
    gradients = torch.autograd.grad(total, parameters, allow_unused=True)
    return [output.detach() for output in outputs], [each for each in gradients if each is not None]


def differentiable(results: Any) -> list[torch.Tensor]:
    leaves = torch.utils._pytree.tree_leaves(results)
    return [leaf for leaf in leaves if torch.is_tensor(leaf) and leaf.requires_grad]


def measure_costs(name: str) -> dict[str, Any]:
    """Kernels of a compiled training step with actgrad's own, the bytes that they move, and the memory of a step.

    Inductor's kernels do nothing here, because compiling them takes minutes and these numbers do not depend on results.
    """
    count_bytes = logging.getLogger("torch._inductor.compile_fx.__inductor_metrics")
    count_bytes.setLevel(logging.INFO)  # inductor counts bytes only where it would log them
    count_bytes.propagate = False
    model, inputs = made(name)
    result: dict[str, Any] = {}
    for variant in (ATEN, CONVERTED):
        if variant == CONVERTED:
            report = actgrad.torch.convert(model, inputs=inputs)
            calls = sum(report.calls.values())
            result |= {"found": len(report) + calls, "swapped": len(report.swapped), "calls": calls}
        eager = memory(model, inputs, model)
        torch._dynamo.reset()
        metrics.reset()
        run = torch.compile(model)
        with idle_kernels():
            step(model, inputs, run)
        kernels = {"kernels": metrics.generated_kernel_count, "bytes": metrics.num_bytes_accessed}
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            step(model, inputs, run)
        opaque = sum(event.name.startswith("actgrad::") for event in profile.events())
        result[variant] = {"eager": eager, "compiled": memory(model, inputs, run) | kernels | {"opaque": opaque}}
    return result


def _idle(*args: Any) -> None:
    """Do nothing, as the place of a kernel."""


@contextmanager
def idle_kernels() -> Iterator[None]:
    """A context in which inductor compiles graphs, but no C++: the kernels do nothing."""
    with (
        torch._inductor.config.patch(force_disable_caches=True),
        mock.patch.object(AsyncCompile, "cpp_pybinding", return_value=_idle),
    ):
        yield


def memory(model: torch.nn.Module, inputs: Any, run: Any) -> dict[str, int]:
    """What a forward pass leaves for the backward pass, and the largest memory of a step; both in bytes."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        torch.manual_seed(0)
        results = call(run, inputs)
    events = profile.profiler.kineto_results.events()
    saved = sum(event.nbytes() for event in events if event.name() == "[memory]")
    del results
    return {"saved": saved, "peak": _peak(lambda: step(model, inputs, run))}


def measure_times(name: str, rounds: int) -> dict[str, Any]:
    """Median times of a step before and after the conversion, in the median of three runs; and the differences."""
    (theirs, inputs), (ours, _) = made(name), made(name)
    ours.load_state_dict(theirs.state_dict())
    actgrad.torch.convert(ours)
    reference = step(theirs, inputs, theirs)
    result: dict[str, Any] = {}
    for way, runs in (("eager", (theirs, ours)), ("compiled", (torch.compile(theirs), torch.compile(ours)))):
        model_runs = list(zip((theirs, ours), runs, strict=True))
        values = [step(model, inputs, run) for model, run in model_runs]
        both = [[_difference(one, other) for one, other in zip(reference, each, strict=True)] for each in values]
        with real_time():
            runs_of_steps = [medians(model_runs, inputs, rounds) for _ in range(RUNS)]
        seconds = sorted(runs_of_steps, key=lambda each: each[1] / each[0])[RUNS // 2]
        ratios = [each[1] / each[0] for each in runs_of_steps]
        result[way] = {"seconds": seconds, "ratios": ratios, "differences of aten": both[0], "differences": both[1]}
    return result


def medians(model_runs: list[tuple[Any, Any]], inputs: Any, rounds: int) -> list[float]:
    """Medians of the times of both models, whose steps alternate."""
    times: list[list[float]] = [[] for _ in model_runs]
    for _ in range(rounds):
        for (model, run), durations in zip(model_runs, times, strict=True):
            start = time.perf_counter()
            step(model, inputs, run)
            durations.append(time.perf_counter() - start)
    return [statistics.median(each) for each in times]


@contextmanager
def real_time() -> Iterator[None]:
    """A context in which no other program takes this thread's processor, as by `chrt -f 50`, if the user may do that.

    Only the thread that measures has the priority, so that other programs wait for seconds and not for minutes.
    """
    usual = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    except PermissionError:
        print("times without priority: other programs may change them", file=sys.stderr)
    try:
        yield
    finally:
        os.sched_setscheduler(0, *usual)


def measured(results: dict[str, Any], kind: str) -> dict[str, Any]:
    """The measurements of a kind, without those that failed."""
    return {name: record[kind] for name, record in results.items() if "error" not in record.get(kind, {"error": ""})}


def cost_table(results: dict[str, Any]) -> Iterator[str]:
    rows = measured(results, COSTS)
    yield from headed("Costs", list(rows.values()))
    titles = "peak, eager | saved, eager | kernels | bytes | peak, compiled | saved, compiled"
    yield f"| model | swapped of found | {titles} |"
    yield "| --- " + "| ---: " * 7 + "|"
    for name, costs in rows.items():
        columns = [("eager", "peak"), ("eager", "saved"), ("compiled", "kernels"), ("compiled", "bytes")]
        columns += [("compiled", "peak"), ("compiled", "saved")]
        cells = [compared(costs, way, what) for way, what in columns]
        yield f"| {name} | {costs['swapped']} of {costs['found']} | {' | '.join(cells)} |"


def time_table(results: dict[str, Any]) -> Iterator[str]:
    """Ratios over all models, then a row for each model."""
    costs, rows = measured(results, COSTS), measured(results, TIMES)
    yield from headed("Times", list(rows.values()))
    yield "| ratio of after to before | models | median | least | largest |"
    yield "| --- " + "| ---: " * 4 + "|"
    for way in ("eager", "compiled"):
        yield summary(f"time, {way}", [ratio(row[way]["seconds"]) for row in rows.values()])
    for way in ("eager", "compiled"):
        peaks = [ratio([row[each][way]["peak"] for each in (ATEN, CONVERTED)]) for row in costs.values()]
        yield summary(f"peak, {way}", peaks)
    yield ""
    yield "| model | time, eager | three runs | time, compiled | three runs | output | gradient |"
    yield "| --- " + "| ---: " * 6 + "|"
    for name, times in rows.items():
        cells = [cell for way in ("eager", "compiled") for cell in timed(times[way])]
        cells += [f"{difference:.1e}" for difference in times["eager"]["differences"]]
        yield f"| {name} | {' | '.join(cells)} |"


def ratio(pair: list[Any]) -> float:
    return float(pair[1] / pair[0])


def summary(title: str, ratios: list[float]) -> str:
    return f"| {title} | {len(ratios)} | {statistics.median(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f} |"


def headed(title: str, rows: list[dict[str, Any]]) -> Iterator[str]:
    """The lines above a table."""
    dates, loads = sorted({row["date"] for row in rows}), [row["load"] for row in rows]
    days = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    yield f"{title}: {rows[-1]['machine']}, {rows[-1]['versions']}, {days}."
    yield f"The load of the machine was {min(loads)} to {max(loads)}."
    yield ""


def timed(way: dict[str, Any]) -> list[str]:
    """The times of a step with their ratio, and the least and the largest ratio of the runs."""
    before, after = way["seconds"]
    cell = f"{before * 1e3:.1f} → {after * 1e3:.1f} ms ({after / before:.2f})"
    return [cell, f"{min(way['ratios']):.2f} to {max(way['ratios']):.2f}"]


def compared(costs: dict[str, Any], way: str, what: str) -> str:
    """A number before and after the conversion; actgrad's own kernels count as kernels."""
    before, after = (costs[variant][way][what] for variant in (ATEN, CONVERTED))
    if what == "kernels":
        after += costs[CONVERTED][way]["opaque"]
        return f"{before} → {after} ({after / before:.2f})"
    return f"{before / 2**20:.1f} → {after / 2**20:.1f} MiB ({after / before:.2f})"


if __name__ == "__main__":
    main()
