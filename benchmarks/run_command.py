"""`python -m benchmarks run`: its options, and its outputs."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import actgrad

from . import arguments, machine, plots, report, subject, suite
from .buffers import LAYOUTS, ROW
from .devices.cpu import Cpu
from .measurements import contenders
from .peers.table import PEERS
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
BUSY = 0.5  # processes that want a core besides this one

_DESCRIPTION = """\
Check the operators against the float64 reference, then compare their times with other libraries. Both sides take
turns, on the same tensors and with the same number of threads. The results are medians of many runs, and the distance
of the quartiles. Throughput is also compared with the ceiling: a copy or a sum of as many bytes, in the same process.
Operators with wrong results are not timed. Run nothing else on the machine at the same time. The command measures the
actgrad that Python finds: PYTHONPATH chooses another one."""

_EXAMPLES = """examples:
  python -m benchmarks run --quick
  python -m benchmarks run elu_backward geglu_backward --json after.json --plot after.svg
  python -m benchmarks run geglu_backward --dtype float32 --size 1e6,6.4e7 --peer eager,compile
  python -m benchmarks run elu_backward --measure throughput --layout contiguous,transposed --threads 1,2
  python -m benchmarks run elu_backward --measure latency
  python -m benchmarks run --device cuda --dtype float32,bfloat16 --size 1.6e7,6.4e7
  PYTHONPATH=../older-checkout/src python -m benchmarks run --json before.json
"""


def _lists(title: str, entries: Iterable[tuple[str, str]]) -> str:
    return f"\n{title}:\n" + "\n".join(f"  {name:<15} {says}" for name, says in entries) + "\n"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `run`."""
    parser = subparsers.add_parser(
        "run",
        help="measure throughput, latency, start and memory, also of PyTorch, NumPy, JAX and the machine's limits",
        description=_DESCRIPTION,
        epilog=_EXAMPLES
        + _lists("layouts", ((name, layout.says) for name, layout in LAYOUTS.items()))
        + _lists("peers", ((name, f"{peer.says} ({', '.join(peer.on)})") for name, peer in PEERS.items())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add_names = partial(add, type=arguments.names, metavar="A,B,...")
    add("operator", nargs="*", metavar="OPERATOR", help="names as in actgrad list (default: all)")
    add("--device", type=arguments.device, default="cpu", help="cpu, cuda or cuda:1 (default: cpu)")
    add_names("--measure", help=f"of {', '.join(MEASUREMENTS)} (default: all)")
    sizes = arguments.wholes(1, LARGEST)
    add("--size", type=sizes, metavar="N,M,...", help="elements of the largest tensor: 1000, 1e6")
    add_names("--dtype", help=f"(default: {', '.join(DTYPES)})")
    add_names("--layout", help="see below (default: contiguous)")
    add_names("--cache", help="of warm, cold (default: both)")
    add("--threads", type=arguments.wholes(1, 4096), metavar="N,M,...", help="(default: actgrad.get_num_threads())")
    add_names("--peer", help="see below; none for the ceiling alone (default: all installed)")
    row = arguments.whole(2, LARGEST)
    add("--row", type=row, default=ROW, metavar="N", help=f"elements of a gated tensor's row (default: {ROW})")
    add(
        "--deviation", type=arguments.deviation, default=1.0, metavar="S",
        help="standard deviation of the numbers that throughput is measured on (default: 1)",
    )  # fmt: skip
    add("--seconds", type=arguments.positive, help=f"per cell and contender (default: {SECONDS})")
    add("--quick", action="store_true", help="less of everything, in under a minute")
    add(
        "--json",
        type=arguments.output,
        metavar="FILE",
        help="write all results; - for standard output instead of tables",
    )
    add("--plot", type=arguments.output, metavar="FILE", help="draw the throughput, .png or .svg")
    parser.set_defaults(run=partial(_run, parser))


def _options(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Options:
    """The options, or the end of the program where one is wrong."""

    def chosen(option: str, known: Iterable[str], default: Iterable[str]) -> list[str]:
        names = list(getattr(given, option) or default)
        for name in names:
            if name not in known:
                shown = "OPERATOR" if option == "operator" else f"--{option}"
                parser.error(f"{shown}: {name!r} is unknown; known: {', '.join(known)}")
        return names

    quick = given.quick
    here = [name for name, peer in PEERS.items() if given.device.partition(":")[0] in peer.on]
    usual = [name for name in here if name in QUICK_PEERS or not quick]
    options = Options(
        device=given.device,
        operators=chosen("operator", actgrad.operators, QUICK_OPERATORS if quick else actgrad.operators),
        measurements=chosen("measure", MEASUREMENTS, MEASUREMENTS),
        sizes=given.size or list(QUICK_SIZES if quick else SIZES),
        dtypes=chosen("dtype", subject.NUMPY, QUICK_DTYPES if quick else DTYPES),
        layouts=chosen("layout", LAYOUTS, ["contiguous"]),
        caches=sorted(chosen("cache", CACHES, CACHES[:1] if quick else CACHES), key=CACHES.index),
        threads=given.threads or [0],
        peers=[] if given.peer == ["none"] else chosen("peer", here, usual),
        row=given.row,
        deviation=given.deviation,
        seconds=given.seconds or (QUICK_SECONDS if quick else SECONDS),
        repeats=QUICK_REPEATS if quick else REPEATS,
        quick=quick,
    )
    if not any(options.cases()):
        parser.error(f"--dtype: none of {', '.join(options.operators)} takes {', '.join(options.dtypes)}")
    if given.device != "cpu" and given.threads:
        parser.error(f"--threads is for the CPU: not together with --device {given.device}")
    if given.plot and "throughput" not in options.measurements:
        parser.error("--plot draws throughput: --measure must name it")
    if given.plot and given.json and Path(given.plot).resolve() == Path(given.json).resolve():
        parser.error(f"--plot {given.plot}: is the file of --json too")
    return options


def _run(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    options = _options(parser, given)
    if given.plot:
        plots.check(Path(given.plot))
    device: Any = Cpu()
    if options.device != "cpu":
        from .devices import cuda

        device = cuda.find(options.device)
    load = machine.load()
    if load is not None and load > BUSY:
        print(f"benchmarks: other processes compute here too (load {load}): expect noise", file=sys.stderr)
    run = _measured(options, device)
    document = json.dumps(run.document(), indent=2) + "\n"
    if given.json and given.json != "-":
        Path(given.json).write_text(document, encoding="utf-8")
    if given.plot:
        plots.write(run, Path(given.plot))
    if given.json == "-":
        print(document, end="")
    else:
        notes = ["Left out:\n" + "\n".join(f"  {line}" for line in run.notes)] if run.notes else []
        report.in_terminal([report.machine_line(run.machine), *report.tables(run), *notes])
    return 0


def _measured(options: Options, device: Any) -> Run:
    run = Run({}, {"command": shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]]), **vars(options)})
    with device.measuring():
        loaded = contenders.load(options.peers, run)  # before the machine is described: PyTorch's threads count
        run.machine = device.describe()
        with progress() as step:
            suite.measure(options, device, run, loaded, step)
    return run


@contextmanager
def progress() -> Iterator[Step]:
    """A progress bar on standard error; its function passes tasks on and moves it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<11}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # Drawn between measurements only: a thread that draws meanwhile would be measured too.
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False) as progress:

        def step(name: str, tasks: Iterable[Any]) -> Iterator[Any]:
            tasks = list(tasks)
            bar = progress.add_task(name, total=len(tasks))
            for task in tasks:
                progress.refresh()
                yield task
                progress.advance(bar)
            progress.refresh()

        yield step
