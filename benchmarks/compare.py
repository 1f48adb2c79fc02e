"""`python -m benchmarks compare`: two files of results, such as those of two revisions, held against each other."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import actgrad

from . import arguments, report
from .report import Table, ratio
from .results import OURS, Run, count, duration, geometric_mean, read
from .timing import Times

SLOW_MEAN = 3  # exit status of --limit

_DESCRIPTION = """\
Compare our own times in two files of `python -m benchmarks run --json`: second / first, below 1 is faster. Entries are
matched by case, dtype, layout, size, cache, threads and form of the call; the others are counted. Ratios are comparable
where both files are of one machine with nothing else to do."""

_EXAMPLES = """examples:
  python -m benchmarks compare before.json after.json
  python -m benchmarks compare before.json after.json --worst 40 --limit 1.05
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `compare`."""
    parser = subparsers.add_parser(
        "compare", help="hold two files of results against each other", description=_DESCRIPTION, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("first", type=Path, help="the file of the older results")
    parser.add_argument("second", type=Path, help="the file of the newer results")
    parser.add_argument(
        "--worst", type=arguments.whole(0, 10**6), default=20, metavar="N", help="entries to show (default: 20)"
    )
    parser.add_argument("--least", action="store_true", help="compare the fastest runs, not the medians: less noise")
    parser.add_argument(
        "--limit", type=arguments.positive, metavar="R",
        help=f"exit with {SLOW_MEAN} where a geometric mean is above R",
    )  # fmt: skip
    parser.set_defaults(run=_run)


def times(run: Run) -> Iterator[tuple[tuple[str, str], Times]]:
    """Our own times, each with its kind and its name."""
    for c in run.cells:
        shared = f"{c.case}, {c.dtype}, {c.layout}, {count(c.size)}, {c.cache}, {c.threads} threads"
        for key in (key for key in c.times if key.startswith(OURS)):
            yield (f"throughput, {key.removeprefix(OURS).strip()}, {c.cache}", shared), c.times[key]
    for row in run.latencies:
        for key in (key for key in row.times if key.startswith(OURS)):
            yield (
                (f"call on {row.elements}, {key.removeprefix(OURS).strip()}", f"{row.case}, {row.dtype}"),
                row.times[key],
            )
    for imported in run.imports:
        yield ("import", "import actgrad"), imported.actgrad
    for start in run.starts:
        yield ("first call, compiled", f"{start.case}, {start.dtype}"), start.uncached
        yield ("first call, from the cache", f"{start.case}, {start.dtype}"), start.cached


def comparison(first: Run, second: Run, worst: int, statistic: str = "median") -> tuple[list[Table], float, int]:
    """The tables, the largest geometric mean, and the number of entries that one file alone has."""
    before, after = dict(times(first)), dict(times(second))
    shared = [key for key in before if key in after]
    if not shared:
        raise actgrad.ActgradError("the two files have no measurement in common")
    seconds = {key: (getattr(before[key], statistic), getattr(after[key], statistic)) for key in shared}
    ratios = {key: second / first for key, (first, second) in seconds.items()}
    kinds: dict[str, list[tuple[float, str]]] = {}
    for kind, name in shared:
        kinds.setdefault(kind, []).append((ratios[kind, name], name))
    means = {kind: geometric_mean(value for value, _ in found) for kind, found in kinds.items()}
    summary = Table(
        "Geometric means, second / first",
        "",
        ("measurement", "worst entry"),
        ("mean", "entries", "worst"),
        [[kind, max(f)[1], ratio(means[kind]), str(len(f)), ratio(max(f)[0])] for kind, f in kinds.items()],
    )
    rows = []
    for key in sorted(shared, key=lambda key: -ratios[key])[:worst]:
        old, new = seconds[key]
        spreads = f"{before[key].spread:.0%}", f"{after[key].spread:.0%}"
        rows.append([*key, duration(old), spreads[0], duration(new), spreads[1], ratio(ratios[key])])
    slowest = Table("The largest ratios", "", ("measurement", "entry"), ("first", "±", "second", "±", "ratio"), rows)
    return [summary, slowest], max(means.values()), len(before) + len(after) - 2 * len(shared)


def _run(given: argparse.Namespace) -> int:
    first, second = read(given.first), read(given.second)
    tables, largest, alone = comparison(first, second, given.worst, "least" if given.least else "median")
    machines = [
        f"{path}: {report.machine_line(run.machine)}" for path, run in ((given.first, first), (given.second, second))
    ]
    report.in_terminal([*machines, *tables, *([f"{alone} entries are in one file alone"] if alone else [])])
    return SLOW_MEAN if given.limit is not None and largest > given.limit else 0
