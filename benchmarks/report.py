"""The results as tables: for a terminal by rich, for documents as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .results import OURS, Cell, Latency, Memory, Run, count, duration, geometric_mean, means, peers_of
from .timing import Times


class Table(NamedTuple):
    """A table of text; the first columns are words, the others numbers."""

    title: str
    note: str
    words: tuple[str, ...]
    numbers: tuple[str, ...]
    rows: list[list[str]]

    def rich(self) -> Any:
        """The table for rich."""
        from rich import box
        from rich.table import Table as RichTable

        shown = RichTable(
            title=self.title, caption=self.note, title_justify="left", caption_justify="left", box=box.SIMPLE,
            pad_edge=False,
        )  # fmt: skip
        for name in self.words:
            shown.add_column(name, no_wrap=True)
        for name in self.numbers:
            shown.add_column(name.replace(" ", "\n"), no_wrap=True, justify="right")
        for row in self.rows:
            shown.add_row(*row)
        return shown

    def markdown(self) -> str:
        """The table in Markdown, its title and note apart."""
        lines = [[*self.words, *self.numbers], ["---"] * len(self.words) + ["---:"] * len(self.numbers), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def tables(run: Run) -> Iterator[Table]:
    """All tables of a run."""
    if run.cells:
        yield throughput(run.cells)
        yield means_table(run.cells)
    if run.latencies:
        yield latency(run.latencies)
    if run.imports or run.starts:
        yield start(run)
    if run.memories:
        yield memory(run.memories)


def throughput(cells: list[Cell]) -> Table:
    """A row per cell."""
    peers = peers_of(cells)
    more = [name for name in ("layout", "threads") if len({getattr(c, name) for c in cells}) > 1]
    known = ("layout", "threads") if cells[0].threads else ("layout",)
    alike = ", ".join(f"{name} {getattr(cells[0], name)}" for name in known if name not in more)
    rows = []
    for c in cells:
        ours = c.times[f"{OURS} out"]
        rows.append([
            c.case, c.dtype, count(c.size), c.cache, *(str(getattr(c, name)) for name in more), duration(ours.median),
            f"{ours.spread:.0%}", f"{c.rate(f'{OURS} out') / 1e9:.1f}", f"{c.of_ceiling:.0%}",
            *(ratio(c.ratios.get(peer)) for peer in peers),
        ])  # fmt: skip
    return Table(
        f"Throughput ({alike})",
        "time: median of ours into given memory, ± the distance of its quartiles. GB/s: bytes of all operands. "
        "of ceiling: our rate as a share of the ceiling's over as many bytes. Then our time / theirs, below 1 is "
        "faster; out: both into given memory, new: both allocate. warm: the same buffers again, cold: buffers that "
        "are in no cache.",
        ("call", "dtype", "size", "cache", *more),
        ("time", "±", "GB/s", "of ceiling", *peers),
        rows,
    )


def means_table(cells: list[Cell]) -> Table:
    """A row per peer, layout, cache and number of threads."""
    return Table(
        "Geometric means of our time / theirs",
        "",
        ("peer", "layout", "cache", "threads", "worst cell"),
        ("mean", "cells", "worst"),
        [
            [m.peer, m.layout, m.cache, str(m.threads or ""), m.worst_cell, ratio(m.mean), str(m.cells), ratio(m.worst)]
            for m in means(cells)
        ],
    )


def latency(rows: list[Latency]) -> Table:
    """A row per case and way of calling; then the geometric mean and the worst of each way."""
    pairs = [pair.split(" / ") for row in rows for pair in row.ratios]
    peers = list(dict.fromkeys(theirs for _, theirs in pairs))
    ways = list(dict.fromkeys(key for row in rows for key in row.times if key.startswith(OURS)))
    shown = []
    for row in rows:
        for way in (way for way in ways if way in row.times):
            ours = row.times[way]
            ratios = (ratio(row.ratios.get(f"{way} / {peer}")) for peer in peers)
            call = way.removeprefix(f"{OURS} ")
            shown.append([row.case, row.dtype, call, duration(ours.median), f"{ours.spread:.0%}", *ratios])
    for name, summary in (("geometric mean", geometric_mean), ("worst", max)) if len(rows) > 1 else ():
        for way in ways:
            found = [[row.ratios[f"{way} / {p}"] for row in rows if f"{way} / {p}" in row.ratios] for p in peers]
            ratios = (ratio(summary(values)) if values else "" for values in found)
            shown.append([name, "", way.removeprefix(f"{OURS} "), "", "", *ratios])
    return Table(
        f"Calls on {rows[0].elements} elements",
        "Our time, and our time / theirs. plan.run() was checked before; out and new are calls of the function with "
        "all checks, into given memory and allocating, on PyTorch's tensors or, with NumPy in the name, on arrays. "
        "functional: torch.nn.functional. On a GPU it is the host's time to launch.",
        ("call", "dtype", "form"),
        ("time", "±", *peers),
        shown,
    )


def start(run: Run) -> Table:
    """Imports and first calls."""

    def row(name: str, dtype: str, this: Times, against: Times) -> list[str]:
        times = [text for t in (this, against) for text in (duration(t.median), f"{t.spread:.0%}")]
        return [name, dtype, *times, ratio(this.median / against.median)]

    return Table(
        "Start of a process",
        "Import: `import actgrad` against `import numpy`. First call: with machine code from the cache on disk against "
        "compiling it, llvmlite being imported already.",
        ("start", "dtype"),
        ("this", "±", "against", "±", "ratio"),
        [row("import", "", i.actgrad, i.numpy) for i in run.imports]
        + [row(f"first call: {s.case}", s.dtype, s.cached, s.uncached) for s in run.starts],
    )


def memory(rows: list[Memory]) -> Table:
    """A row per case."""
    keys = list(dict.fromkeys(key for row in rows for key in row.peak))
    return Table(
        "Peak memory of one call",
        "Memory beyond that before the call, as a multiple of its outputs' size; out: the outputs were there before.",
        ("call", "dtype", "size"),
        ("outputs", *keys),
        [
            [
                row.case, row.dtype, count(row.size), f"{row.output / 1e6:.0f} MB",
                *(f"{row.peak[k] / row.output:.2f}" if k in row.peak else "" for k in keys),
            ]
            for row in rows
        ],
    )  # fmt: skip


def ratio(value: float | None) -> str:
    """A ratio with two digits."""
    return "" if value is None else f"{value:.2f}" if value >= 0.095 else f"{value:.2g}"


def machine_line(machine: dict[str, Any]) -> str:
    """The machine in two lines."""
    caches = ", ".join(f"{name} {size >> 10} KiB" for name, size in machine["caches"].items())
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    if "capability" in machine:  # a GPU
        words = (
            f"{machine['processor']}, capability {machine['capability']}, {machine['multiprocessors']} "
            f"multiprocessors, {caches}, {machine['memory'] >> 20} MiB; {machine['runtime']}, driver "
            f"{machine['driver']}; host {machine['host']}, {machine['cores']} cores"
        )
    else:
        words = (
            f"{machine['processor']}, {machine['cores']} cores, {caches}; {machine['target']}; OpenMP: "
            f"{machine['OpenMP']}; {machine['threads']} threads"
        )
    revision = f"; revision {machine['revision']}" if machine["revision"] else ""
    return f"{words}; load {machine['load']}; {machine['date']}\n{versions}{revision}"


def machine_heading(machine: dict[str, Any]) -> str:
    """The machine in a few words, for a plot."""
    if "capability" in machine:
        words = [machine["processor"], machine["runtime"], f"driver {machine['driver']}"]
    else:
        words = [machine["processor"], f"{machine['threads']} threads", machine["target"]]
    return ", ".join([*words, machine["date"][:10]])


def in_terminal(lines: Iterable[Table | str]) -> None:
    """Print tables and lines to standard output, in the width of the terminal."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=250, highlight=False)
    for line in lines:
        console.print(line if isinstance(line, str) else line.rich(), markup=False, soft_wrap=isinstance(line, str))
