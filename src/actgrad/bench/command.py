"""The command `actgrad bench`: its options, and what it writes."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from .. import (
    ops,  # noqa: F401  fills the registry
    outputs,
    terminal,
)
from ..dtypes import BY_NAME
from ..errors import ActgradError
from ..op import REGISTRY
from . import base, devices, machine, plots, report, suite, throughput
from .buffers import LAYOUTS, ROW
from .peers import PEERS
from .results import Run
from .suite import MEASUREMENTS, Options, Step

CACHES = ("warm", "cold")
SIZES, QUICK_SIZES = (10**3, 10**5, 10**6, 16 * 10**6, 64 * 10**6), (10**3, 10**6)
DTYPES, QUICK_DTYPES = ("float32", "float16", "bfloat16"), ("float32",)
QUICK_PEERS = ("aten", "eager", "numpy")
QUICK_OPERATORS = ("elu_backward", "selu_backward", "leaky_relu_backward", "geglu_backward")
SECONDS, QUICK_SECONDS = 0.25, 0.02
REPEATS, QUICK_REPEATS = 7, 2  # of new processes
LARGEST = 10**10
WIDEST = 5000.0  # standard deviation; a pool of numbers has none beyond 6 of them
BUSY = 0.5  # processes that want a core besides this one

_DESCRIPTION = """\
Check the operators against the float64 reference, then time them beside what one would otherwise call. Both sides
take turns, on the same tensors and the same number of threads; medians of many runs, and the distance of their
quartiles. Throughput is also compared with the ceiling: a sum over as many bytes, in the same process, with streaming
or plain stores, whichever is faster; on a GPU a copy of as many bytes. Nothing is timed that is wrong. Give the machine
nothing else to do meanwhile."""

_EXAMPLES = """examples:
  actgrad bench --quick
  actgrad bench elu_backward geglu_backward --json bench.json --plot bench.svg
  actgrad bench geglu_backward --dtype float32 --size 1e6,6.4e7 --peer eager,compile
  actgrad bench elu_backward --measure throughput --layout contiguous,transposed,one-transposed --threads 1,2
  actgrad bench elu_backward --measure latency
  actgrad bench --base main --size 1e3,1e6
  actgrad bench --device cuda --dtype float32,bfloat16 --size 1.6e7,6.4e7
"""


def _lists(title: str, entries: Iterable[tuple[str, str]]) -> str:
    return f"\n{title}:\n" + "\n".join(f"  {name:<15} {says}" for name, says in entries) + "\n"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `actgrad bench`."""
    parser = subparsers.add_parser(
        "bench",
        help="how fast the operators are, beside PyTorch, NumPy, JAX and the machine's limits",
        description=_DESCRIPTION,
        epilog=_EXAMPLES
        + _lists("layouts", ((name, layout.says) for name, layout in LAYOUTS.items()))
        + _lists("peers", ((name, f"{peer.says} ({', '.join(peer.on)})") for name, peer in PEERS.items())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_names = partial(parser.add_argument, type=_names, metavar="A,B,...")
    parser.add_argument("operator", nargs="*", metavar="OPERATOR", help="names as in actgrad list (default: all)")
    parser.add_argument("--device", type=_device, default="cpu", help="cpu, cuda or cuda:1 (default: cpu)")
    add_names("--measure", help=f"of {', '.join(MEASUREMENTS)} (default: all)")
    parser.add_argument("--size", type=_sizes, metavar="N,M,...", help="elements of the largest tensor: 1000, 1e6")
    add_names("--dtype", help=f"(default: {', '.join(DTYPES)})")
    add_names("--layout", help="see below (default: contiguous)")
    add_names("--cache", help="of warm, cold (default: both)")
    parser.add_argument("--threads", type=_counts, metavar="N,M,...", help="(default: actgrad.get_num_threads())")
    add_names("--peer", help="see below; none for the ceiling alone (default: all installed)")
    parser.add_argument(
        "--row", type=_row, default=ROW, metavar="N", help=f"elements of a gated tensor's row (default: {ROW})"
    )
    parser.add_argument(
        "--deviation",
        type=_deviation,
        default=1.0,
        metavar="S",
        help="standard deviation of the numbers that throughput is measured on (default: 1)",
    )
    parser.add_argument("--seconds", type=_positive, help=f"per cell and contender (default: {SECONDS})")
    parser.add_argument("--quick", action="store_true", help="less of everything, in under a minute")
    parser.add_argument("--base", metavar="REV", help="time throughput against this git revision instead of the peers")
    parser.add_argument("--json", metavar="FILE", help="write all results; - for standard output instead of tables")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the throughput, .png or .svg")
    parser.set_defaults(run=partial(_run, parser))


def _device(text: str) -> str:
    if not re.fullmatch(r"cpu|cuda(:\d{1,4})?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is unknown; known: cpu, cuda, cuda:1")
    return text


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(text.split(",")))


def _sizes(text: str) -> list[int]:
    return [_number(word, 1, LARGEST) for word in _names(text)]


def _counts(text: str) -> list[int]:
    return [_number(word, 1, 4096) for word in _names(text)]


def _row(text: str) -> int:
    return _number(text, 2, LARGEST)


def _number(text: str, low: int, high: int) -> int:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if not low <= value <= high or value != int(value):
        raise argparse.ArgumentTypeError(f"{text} is no whole number from {low} to {high}")
    return int(value)


def _deviation(text: str) -> float:
    value = _positive(text)
    if value > WIDEST:
        raise argparse.ArgumentTypeError(f"must be at most {WIDEST:g}, or float16 would overflow, got {text}")
    return value


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be positive, got {text}")
    return value


def _options(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Options:
    """The options, or the end of the program where one is wrong."""

    def chosen(option: str, known: Iterable[str], default: Iterable[str]) -> list[str]:
        names = list(default) if getattr(given, option) in (None, []) else list(getattr(given, option))
        for name in names:
            if name not in known:
                shown = "OPERATOR" if option == "operator" else f"--{option}"
                parser.error(f"{shown}: {name!r} is unknown; known: {', '.join(known)}")
        return names

    quick = given.quick
    is_cpu = given.device == "cpu"
    here = [name for name, peer in PEERS.items() if given.device.partition(":")[0] in peer.on]
    usual = [name for name in here if name in QUICK_PEERS or not quick]
    options = Options(
        device=given.device,
        operators=chosen("operator", REGISTRY, QUICK_OPERATORS if quick else REGISTRY),
        measurements=chosen("measure", MEASUREMENTS, MEASUREMENTS),
        sizes=given.size or list(QUICK_SIZES if quick else SIZES),
        dtypes=chosen("dtype", BY_NAME, QUICK_DTYPES if quick else DTYPES),
        layouts=chosen("layout", LAYOUTS, ["contiguous"]),
        caches=sorted(chosen("cache", CACHES, CACHES[:1] if quick else CACHES), key=CACHES.index),
        threads=given.threads or [0],
        peers=[] if given.peer == ["none"] else chosen("peer", here, usual),
        row=given.row,
        deviation=given.deviation,
        seconds=given.seconds or (QUICK_SECONDS if quick else SECONDS),
        repeats=QUICK_REPEATS if quick else REPEATS,
        quick=quick,
        base=given.base,
    )
    if not any(options.cases()):
        parser.error(f"--dtype: none of {', '.join(options.operators)} takes {', '.join(options.dtypes)}")
    for option in ("threads", "base"):
        if not is_cpu and getattr(given, option):
            parser.error(f"--{option} is for the CPU: not together with --device {given.device}")
    for option in ("measure", "peer", "plot"):
        if given.base and getattr(given, option):
            parser.error(f"--base measures throughput of two revisions: not together with --{option}")
    if given.plot and "throughput" not in options.measurements:
        parser.error("--plot draws throughput: --measure must name it")
    return options


def _run(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    options = _options(parser, given)
    try:
        importlib.import_module("rich")
    except ImportError as error:
        raise ActgradError(f"bench: {error}; pip install 'actgrad[demo]'") from error
    if given.plot:
        plots.check(given.plot)
    outputs.check({"--json": given.json if given.json != "-" else None, "--plot": given.plot})
    if options.base is not None:
        base.checkout()
    device = devices.find(options.device)
    load = machine.load()
    if load is not None and load > BUSY:
        print(f"actgrad: bench: others compute here too (load {load}): expect noise", file=sys.stderr)
    run = _measure(options, device)
    document = json.dumps(report.document(run), indent=2) + "\n"
    # Files before tables: standard output may be closed or full.
    if given.json and given.json != "-":
        outputs.write(given.json, document)
    if given.plot:
        plots.write(run, given.plot)
    terminal.show(document if given.json == "-" else terminal.rendered(report.tables(run)))
    return 0


def _measure(options: Options, device: devices.Device) -> Run:
    run = Run({}, {"command": shlex.join(["actgrad", *sys.argv[1:]]), **vars(options)})
    with device.measuring():
        if options.base is not None:
            run.machine = device.describe()
            _compare(options, run)
            return run
        loaded = throughput.load(options.peers, run.notes)  # before the machine is described: PyTorch's threads count
        run.machine = device.describe()
        with _progress() as step:
            suite.measure(options, device, run, loaded, step)
        return run


def _compare(options: Options, run: Run) -> None:
    assert options.base is not None
    # Warm only: the processes take turns, and either finds its own buffers as it left them, or gone.
    cells = [(case, under) for case, under in options.cells() if under.cache == options.caches[0]]
    with base.comparison(options.base) as comparison, _progress() as step:
        run.settings["base"] = comparison.revision
        for case, under in step("revisions", cells):
            result = comparison.measure(
                case, under, options.seconds, run.notes, row=options.row, deviation=options.deviation
            )
            if result is not None:
                run.revisions.append(result)
    if not run.revisions:
        raise ActgradError(f"bench: nothing could be compared: {'; '.join(run.notes.lines)}")


@contextmanager
def _progress() -> Iterator[Step]:
    """A progress bar on standard error; what it yields goes through tasks and moves it."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<11}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # Drawn between measurements only: a thread that draws meanwhile would be measured too.
    with Progress(*columns, console=terminal.progress_console(), auto_refresh=False) as progress:

        def step(name: str, tasks: Iterable[Any]) -> Iterator[Any]:
            tasks = list(tasks)
            bar = progress.add_task(name, total=len(tasks))
            for task in tasks:
                progress.refresh()
                yield task
                progress.advance(bar)
            progress.refresh()

        yield step
