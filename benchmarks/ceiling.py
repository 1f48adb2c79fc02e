"""`python -m benchmarks ceiling`: the time of each operator, divided by the time that its memory traffic takes.

`torch.add` moves as many bytes on the same threads, in turn with the operator. Tensors are contiguous, and the results
go into given memory. Both sides run on new memory several times, and the fastest run of each side counts, because the
placement of pages and other processes only ever make a run slower. This command compares no results: `run` does.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any

import actgrad

from . import arguments, buffers, machine, report, run_command, subject
from .cases import Case, cases
from .results import CEILING, OURS, Cell, Run, count, duration, read
from .timing import WALL, Call, times

SIZE, ROW = 1 << 24, 1024  # elements of the largest tensor, and of a row
DTYPES = ("float32", "bfloat16", "float16")
ADD = "torch.add"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `ceiling`."""
    parser = subparsers.add_parser(
        "ceiling", help="the time of each operator / the time of its memory traffic", description=__doc__,
        epilog="examples:\n  python -m benchmarks ceiling\n"
        "  ACTGRAD_CPU=avx2 ATEN_CPU_CAPABILITY=avx2 python -m benchmarks ceiling softplus --dtype float32",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("operator", nargs="*", metavar="OPERATOR", help="names as in actgrad list (default: all)")
    parser.add_argument("--dtype", type=arguments.names, default=DTYPES, help=f"default: {','.join(DTYPES)}")
    parser.add_argument("--size", type=arguments.whole(ROW * 2, 10**9), default=SIZE, help="default: %(default)s")
    parser.add_argument(
        "--memories", type=arguments.whole(1, 1000), default=3, help="times that both sides get new memory"
    )
    parser.add_argument("--runs", type=arguments.whole(1, 1000), default=4, help="runs on each memory")
    parser.add_argument("--json", type=arguments.output, metavar="FILE", help="write the results")
    parser.add_argument(
        "--add", action="store_true", help="add to the results in FILE; the smaller ratio of a call counts"
    )
    parser.set_defaults(run=_run)


def measure(case: Case, dtype: str, size: int, memories: int, runs: int) -> Cell:
    """The cell of a case."""
    pool = case.pool(dtype)
    seconds: tuple[list[float], list[float]] = [], []
    for _ in range(memories):
        inputs, outputs = tensors(case, size, pool)
        bytes_read, written = (sum(t.nbytes for t in some) for some in (inputs, outputs))
        plan = case.operator.plan(*inputs, out=outputs if len(outputs) > 1 else outputs[0], **case.attributes)
        calls: tuple[Call, Call] = plan.run, _adding(bytes_read + written)
        for turn in range(1 + runs):
            for call, taken in zip(calls, seconds, strict=True):
                second = WALL.seconds((), (call,))
                if turn:
                    taken.append(second)
    largest = max((t.shape for t in (*inputs, *outputs)), key=prod)
    return Cell(
        case.title, case.operator.name, dict(case.attributes), dtype, "contiguous", size, largest,
        actgrad.get_num_threads(), "cold", memories, bytes_read, written, ADD,
        {f"{OURS} out": times(seconds[0]), CEILING: times(seconds[1])},
    )  # fmt: skip


def tensors(case: Case, size: int, pool: buffers.Pool) -> tuple[list[Any], list[Any]]:
    """The inputs and the outputs of a call, without optional tensors; the largest has about `size` elements."""
    operator, attributes = case.operator, case.all_attributes
    arguments = [argument for argument in operator.schema.tensors if not argument.is_optional]
    names = [argument.name for argument in arguments]
    access = operator.access
    parts = max(access.part_count(name) for name in (*names, *operator.schema.outputs))
    row = ROW // 8 if access.has_bits else ROW
    elements = (size // parts // row, row)
    inputs = [
        buffers.room(
            access.whole_shape(name, elements, attributes),
            buffers.numbers_of(operator, name, pool.main if name == names[-1] else pool.others),
        )
        for name in names
    ]
    results = operator.plan(*inputs, **case.attributes).prepared.results
    return inputs, [buffers.room(meta.shape, pool.others.astype(meta.dtype.numpy)) for meta in results]


def _adding(size: int) -> Call:
    """A call of torch.add that reads and writes `size` bytes together."""
    torch = import_module("torch")
    ones = buffers.Pool(subject.NUMPY["float32"]).main
    a, b, out = (torch.from_numpy(buffers.room((size // 12,), ones)) for _ in range(3))
    return lambda: torch.add(a, b, out=out)


def table(cells: list[Cell]) -> report.Table:
    """A row for each case, the slowest first: the ratio of each dtype, and the time of the first one."""
    dtypes = list(dict.fromkeys(cell.dtype for cell in cells))
    by_case: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        by_case.setdefault(cell.case, {})[cell.dtype] = cell
    ordered = sorted(by_case.items(), key=lambda each: -max(cell.least_of_ceiling for cell in each[1].values()))
    rows = [
        [case, *(report.ratio(of[dtype].least_of_ceiling) if dtype in of else "" for dtype in dtypes), _first_time(of)]
        for case, of in ordered
    ]
    heading = f"Time / time of {ADD} over as many bytes, {count(cells[0].size)} elements, {cells[0].threads} threads"
    return report.Table(heading, "The fastest run of each side counts.", ("call",), (*dtypes, "time"), rows)


def _first_time(of: dict[str, Cell]) -> str:
    return duration(next(iter(of.values())).times[f"{OURS} out"].least)


def _tasks(names: list[str], dtypes: list[str]) -> list[tuple[Case, str]]:
    """Each case of the operators with each dtype that the operator takes."""
    unknown = next((name for name in names if name not in actgrad.operators), None)
    if unknown:
        raise actgrad.ActgradError(f"OPERATOR: {unknown!r} is unknown; known: {', '.join(actgrad.operators)}")
    return [
        (case, dtype)
        for dtype in dtypes
        for operator in (actgrad.operators[name] for name in names or actgrad.operators)
        for case in cases(operator)
        if dtype in operator.law.dtype_names and not case.with_optional
    ]


def _run(given: argparse.Namespace) -> int:
    import_module("torch").set_num_threads(actgrad.get_num_threads())
    known = read(Path(given.json)).cells if given.add and given.json else []
    found = {(cell.case, cell.dtype): cell for cell in known}
    settings = {"command": shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])}
    run = Run(machine.describe(), settings)
    with run_command.progress() as step:
        for case, dtype in step("ceiling", _tasks(given.operator, given.dtype)):
            cell = measure(case, dtype, given.size, given.memories, given.runs)
            before = found.get((cell.case, dtype), cell)
            found[cell.case, dtype] = min(cell, before, key=lambda one: one.least_of_ceiling)
    run.cells = list(found.values())
    if given.json:
        Path(given.json).write_text(json.dumps(run.document(), indent=2) + "\n", encoding="utf-8")
    report.in_terminal([report.machine_line(run.machine), table(run.cells)])
    return 0
