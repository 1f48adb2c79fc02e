"""Models of transformers, timm and diffusers before and after `actgrad.torch.convert`, small and with random weights.

The script adds to the file of results what it lacks, and a process of its own measures each model. `--write` makes the
tables of docs/models.md from that file. A library that is missing is left out, with a line that says so.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import multiprocessing
import os
import re
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from small_models import models

import actgrad.torch
from actgrad.backends.cpu.target import host
from actgrad.torch.models.comparison import _difference, _peak
from actgrad.torch.models.patching import call
from actgrad.writing.documents import write_part

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.machine import processor

RESULTS = Path(__file__).parents[1] / "docs" / "models.json"
FORK = multiprocessing.get_context("fork")
LIBRARIES = ("transformers", "timm", "diffusers")
RUNS = 3
STEPS = 3  # for the memory of the process
#: glibc's number of the setting that the variable MALLOC_MMAP_THRESHOLD_ sets, and the value that docs/faq.md names.
M_MMAP_THRESHOLD, THRESHOLD = -3, 1_000_000
#: What is measured of a model before and after its conversion, and its title.
MEMORIES = {
    "peak": "peak of tensors",
    "saved": "saved for backward",
    "process": "process",
    "process_with_threshold": "process, with the variable",
}


def main() -> None:
    """Measure, or make the tables from what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  python scripts/models.py --only llama\n"
        "  python scripts/models.py --only llama --again --write docs/models.md",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only models whose names match this expression")
    parser.add_argument("--again", action="store_true", help="measure also what the file of results has")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch (%(default)s)")
    parser.add_argument("--rounds", type=int, default=15, help="steps of each model for a time (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE", help="the file (%(default)s)")
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="put the tables into this document")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    warnings.simplefilter("ignore")
    results = json.loads(options.results.read_text()) if options.results.exists() else {}
    for name in [name for name, _ in models() if re.search(options.only, name)]:
        if name not in results or options.again:
            results[name] = measure(name, options)
            options.results.write_text(json.dumps(results, indent=1) + "\n")
    if options.write:
        for part, table in (("models", summary_table), ("model-memory", memory_table), ("model-times", time_table)):
            write_part(options.write, part, "\n".join(table(results)) + "\n")


def measure(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """All measurements of a model; the error where one failed."""
    try:
        result = apart(measure_conversion, name) | apart(measure_times, name, options.rounds)
        for key, threshold in (("process", 0), ("process_with_threshold", THRESHOLD)):
            result[key] = [apart(process_memory, name, is_converted, threshold) for is_converted in (False, True)]
    except RuntimeError as fault:
        result = {"error": str(fault)}
    print(f"{name}: {result}", file=sys.stderr, flush=True)
    return result | circumstances(options.threads)


def apart(measurement: Callable[..., Any], *arguments: Any) -> Any:
    """A measurement by a process of its own, which begins with the libraries in memory; RuntimeError if it fails."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=send, args=(sender, measurement, arguments))
    process.start()
    sender.close()
    try:
        result = receiver.recv()
    except EOFError:
        result = RuntimeError("the process ended")
    process.join()
    if isinstance(result, RuntimeError):
        raise result
    return result


def send(sender: Any, measurement: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Send a measurement to the process that started this one."""
    try:
        sender.send(measurement(*arguments))
    except Exception as fault:
        sender.send(RuntimeError(f"{type(fault).__name__}: {fault}"[:300]))


def circumstances(threads: int) -> dict[str, Any]:
    versions = [f"{name} {metadata.version(name)}" for name in LIBRARIES if installed(name)]
    return {
        "machine": f"{processor()}, {host()}, {threads} thread",
        "versions": f"actgrad {actgrad.__version__}, PyTorch {torch.__version__}, {', '.join(versions)}",
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


def measure_conversion(name: str) -> dict[str, Any]:
    """What `convert` swaps, the memory of tensors before and after, and whether the compiled graphs are the same."""
    model, inputs = made(name)
    before, graphs = memory(model, inputs), graphs_of(model, inputs)
    report = actgrad.torch.convert(model, inputs=inputs)
    found = {"found": len(report) + sum(report.calls.values()), "swapped": len(report.swapped)}
    after = memory(model, inputs)
    pairs = {key: [before[key], after[key]] for key in before}
    return found | pairs | {"has_same_graphs": graphs == graphs_of(model, inputs)}


def graphs_of(model: torch.nn.Module, inputs: Any) -> list[str]:
    """The graphs that `torch.compile` finds in a training step, as code."""
    graphs: list[str] = []

    def record(graph: torch.fx.GraphModule, examples: list[torch.Tensor]) -> Any:
        graphs.append(graph.code)
        return graph

    torch._dynamo.reset()
    step(model, inputs, torch.compile(model, backend=record))
    return graphs


def memory(model: torch.nn.Module, inputs: Any) -> dict[str, int]:
    """What a forward pass leaves for the backward pass, and the largest memory of a step; both in bytes."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        torch.manual_seed(0)
        results = call(model, inputs)
    events = profile.profiler.kineto_results.events()
    saved = sum(event.nbytes() for event in events if event.name() == "[memory]")
    del results
    return {"saved": saved, "peak": _peak(lambda: step(model, inputs, model))}


def process_memory(name: str, is_converted: bool, threshold: int) -> int:
    """The largest memory of the process in training steps, beyond that of the libraries, in bytes.

    If `threshold` is not 0, malloc gets this setting first, as by the variable MALLOC_MMAP_THRESHOLD_.
    """
    if threshold and not ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, threshold):
        raise RuntimeError("mallopt refused the setting")
    load_libraries()
    libraries = status_of_process("VmRSS")
    model, inputs = made(name)
    if is_converted:
        actgrad.torch.convert(model)
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    for _ in range(STEPS):
        step(model, inputs, model)
    return status_of_process("VmHWM") - libraries


def load_libraries() -> None:
    """Load what the first step of a converted model loads, such as the compiler of kernels."""
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ELU(), torch.nn.Linear(64, 64), torch.nn.GELU())
    actgrad.torch.convert(model)
    step(model, torch.randn(4096, 64), model)


def status_of_process(field: str) -> int:
    """A number of bytes in /proc/self/status."""
    (kilobytes,) = re.findall(rf"{field}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(kilobytes) * 1024


def measure_times(name: str, rounds: int) -> dict[str, Any]:
    """Median times of a step before and after the conversion, in the median of three runs; and the differences."""
    (theirs, inputs), (ours, _) = made(name), made(name)
    ours.load_state_dict(theirs.state_dict())
    actgrad.torch.convert(ours)
    pairs = zip(step(theirs, inputs, theirs), step(ours, inputs, ours), strict=True)
    output, gradient = (_difference(one, other) for one, other in pairs)
    with real_time():
        runs = [medians((theirs, ours), inputs, rounds) for _ in range(RUNS)]
    seconds = sorted(runs, key=lambda each: each[1] / each[0])[RUNS // 2]
    return {
        "seconds": seconds,
        "ratios": [each[1] / each[0] for each in runs],
        "output": output,
        "gradient": gradient,
    }


def medians(both: tuple[torch.nn.Module, ...], inputs: Any, rounds: int) -> list[float]:
    """Medians of the times of both models, whose steps alternate."""
    times: list[list[float]] = [[] for _ in both]
    for _ in range(rounds):
        for model, durations in zip(both, times, strict=True):
            start = time.perf_counter()
            step(model, inputs, model)
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


def measured(results: dict[str, Any]) -> dict[str, Any]:
    """The measurements that did not fail."""
    return {name: record for name, record in results.items() if "error" not in record}


def summary_table(results: dict[str, Any]) -> Iterator[str]:
    """Ratios over all models."""
    rows = list(measured(results).values())
    yield from headed(rows)
    yield "| ratio of after to before | models | median | least | largest |"
    yield "| --- " + "| ---: " * 4 + "|"
    for key, title in {"seconds": "time", **MEMORIES}.items():
        ratios = [ratio(row[key]) for row in rows]
        figures = " | ".join(f"{f(ratios):.2f}" for f in (statistics.median, min, max))
        yield f"| {title} | {len(ratios)} | {figures} |"
    yield ""
    same = sum(row["has_same_graphs"] for row in rows)
    yield f"`torch.compile` found the same graphs before and after `convert` in {same} of these {len(rows)} models."


def memory_table(results: dict[str, Any]) -> Iterator[str]:
    yield f"| model | swapped of found | {' | '.join(MEMORIES.values())} |"
    yield "| --- " + "| ---: " * (1 + len(MEMORIES)) + "|"
    for name, row in measured(results).items():
        cells = [f"{row[key][0] / 2**20:.1f} → {row[key][1] / 2**20:.1f} ({ratio(row[key]):.2f})" for key in MEMORIES]
        yield f"| {name} | {row['swapped']} of {row['found']} | {' | '.join(cells)} |"


def time_table(results: dict[str, Any]) -> Iterator[str]:
    yield "| model | time in ms | three runs | output | gradient |"
    yield "| --- " + "| ---: " * 4 + "|"
    for name, row in measured(results).items():
        before, after = row["seconds"]
        cell = f"{before * 1e3:.1f} → {after * 1e3:.1f} ({after / before:.2f})"
        runs = f"{min(row['ratios']):.2f} to {max(row['ratios']):.2f}"
        yield f"| {name} | {cell} | {runs} | {row['output']:.1e} | {row['gradient']:.1e} |"


def ratio(pair: list[Any]) -> float:
    return float(pair[1] / pair[0])


def headed(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The lines above a table."""
    dates, loads = sorted({row["date"] for row in rows}), [row["load"] for row in rows]
    days = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    yield f"{rows[-1]['machine']}, {rows[-1]['versions']}, {days}."
    yield f"The load of the machine was {min(loads)} to {max(loads)}."
    yield ""


if __name__ == "__main__":
    main()
