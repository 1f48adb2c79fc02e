"""The results as tables for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from .results import OURS, Cell, Latency, Mean, Memory, Notes, Run, count, geometric_mean, means, peers_of, title
from .timing import Times

#: What a result says beside its fields.
_DERIVED = {
    "Cell": ("ratios", "of_ceiling", "bytes"),
    "Start": ("ratio",),
    "Import": ("ratio",),
    "Revision": ("ratio",),
}


def document(run: Run) -> dict[str, Any]:
    """The results as JSON takes them; seconds and bytes throughout, ratios are ours / theirs."""
    return {**_plain(run), "means": [{**_plain(mean), "peer": title(mean.peer)} for mean in means(run.cells)]}


def _plain(value: Any) -> Any:
    if isinstance(value, Notes):
        return value.lines
    if is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in fields(value)] + list(_DERIVED.get(type(value).__name__, ()))
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key[0], tuple):
        return f"{title(key[0])} / {title(key[1])}"
    return title(key)


def machine_line(machine: dict[str, Any]) -> str:
    """The machine in two lines."""
    caches = ", ".join(f"{name} {size >> 10} KiB" for name, size in machine["caches"].items())
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    if "capability" in machine:  # a GPU
        what = (
            f"{machine['processor']}, capability {machine['capability']}, {machine['multiprocessors']} "
            f"multiprocessors, {caches}, {machine['memory'] >> 20} MiB; {machine['runtime']}, driver "
            f"{machine['driver']}; host {machine['host']}, {machine['cores']} cores"
        )
    else:
        what = (
            f"{machine['processor']}, {machine['cores']} cores, {caches}; {machine['target']}; OpenMP of "
            f"{machine['OpenMP']}, {machine['threads']} threads"
        )
    return f"{what}; load {machine['load']}; {machine['date']}\n{versions}" + (
        f"; revision {machine['revision']}" if machine["revision"] else ""
    )


def machine_heading(machine: dict[str, Any]) -> str:
    """The machine in a few words, for a plot."""
    if "capability" in machine:
        words = [machine["processor"], machine["runtime"], f"driver {machine['driver']}"]
    else:
        words = [machine["processor"], f"{machine['threads']} threads", machine["target"]]
    return ", ".join([*words, machine["date"][:10]])


def tables(run: Run) -> Iterator[Any]:
    """What to print, in rich's terms."""
    yield machine_line(run.machine)
    if run.cells:
        yield _throughput(run.cells)
        yield _means(means(run.cells))
    if run.latencies:
        yield _latency(run.latencies)
    if run.imports or run.starts:
        yield _start(run)
    if run.memories:
        yield _memory(run.memories)
    if run.revisions:
        yield _revisions(run)
    if run.notes.lines:
        yield "Left out:\n" + "\n".join(f"  {line}" for line in run.notes.lines)


def _table(heading: str, caption: str, words: Iterable[str], numbers: Iterable[str]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(
        title=heading, caption=caption, title_justify="left", caption_justify="left", box=box.SIMPLE, pad_edge=False
    )
    for name in words:
        table.add_column(name, no_wrap=True)
    for name in numbers:
        table.add_column(name, no_wrap=True, justify="right")
    return table


def _throughput(cells: list[Cell]) -> Any:
    peers = peers_of(cells)
    more = [name for name in ("layout", "threads") if len({getattr(c, name) for c in cells}) > 1]
    said = ("layout", "threads") if cells[0].threads else ("layout",)
    alike = ", ".join(f"{name} {getattr(cells[0], name)}" for name in said if name not in more)
    table = _table(
        f"Throughput ({alike})",
        "time: median of ours into given memory, and the distance of its quartiles. GB/s: bytes of all operands. "
        "of ceiling: our rate as a share of the ceiling's over as many bytes. Then our time / theirs, below 1 is "
        "faster; out: both into given memory, new: both allocate. warm: the same buffers again, cold: buffers that are "
        "in no cache.",
        ["", "dtype", "size", "cache", *more],
        ["time", "±", "GB/s", "of ceiling", *(title(p).replace(" ", "\n") for p in peers)],
    )
    before = ""
    for c in cells:
        if c.case != before:
            table.add_section()
        ours = c.times[OURS, "out"]
        table.add_row(
            c.case if c.case != before else "", c.dtype, count(c.size), c.cache, *(str(getattr(c, n)) for n in more),
            duration(ours.median), f"{ours.spread:.0%}", f"{c.rate((OURS, 'out')) / 1e9:.1f}", f"{c.of_ceiling:.0%}",
            *(_ratio(c.ratios.get(p)) for p in peers),
        )  # fmt: skip
        before = c.case
    return table


def _means(rows: list[Mean]) -> Any:
    table = _table(
        "Geometric means of our time / theirs",
        "",
        ["", "layout", "cache", "threads"],
        ["mean", "cells", "worst", "in"],
    )
    table.columns[-1].justify = "left"
    for m in rows:
        table.add_row(
            title(m.peer), m.layout, m.cache, str(m.threads or ""), _ratio(m.mean), str(m.cells), _ratio(m.worst),
            m.worst_cell,
        )  # fmt: skip
    return table


def _latency(rows: list[Latency]) -> Any:
    peers = list(dict.fromkeys(peer for row in rows for _, peer in row.ratios))
    ways = list(dict.fromkeys(key for row in rows for key in row.times if key[0] == OURS))
    table = _table(
        f"Calls on {rows[0].elements} elements",
        "Our time, and our time / theirs. plan.run() was checked before; out and new are calls of the function with "
        "all checks, into given memory and allocating, on PyTorch's tensors or, where it says so, on NumPy's arrays. "
        "functional: torch.nn.functional. On a GPU it is the host's time to launch.",
        ["", "dtype", "call"],
        ["time", "±", *(title(p).replace(" ", "\n") for p in peers)],
    )
    for row in rows:
        table.add_section()
        for k, way in enumerate(key for key in ways if key in row.times):
            ours = row.times[way]
            table.add_row(
                *((row.case, row.dtype) if k == 0 else ("", "")), way[1], duration(ours.median), f"{ours.spread:.0%}",
                *(_ratio(row.ratios.get((way, peer))) for peer in peers),
            )  # fmt: skip
    if len(rows) > 1:
        for name, summary in (("geometric mean", geometric_mean), ("worst", max)):
            table.add_section()
            for k, way in enumerate(ways):
                found = [[row.ratios[way, p] for row in rows if (way, p) in row.ratios] for p in peers]
                shown = [_ratio(summary(ratios)) if ratios else "" for ratios in found]
                table.add_row(name if k == 0 else "", "", way[1], "", "", *shown)
    return table


def _start(run: Run) -> Any:
    table = _table(
        "Start of a process",
        "Import: `import actgrad` against `import numpy`. First call: with machine code from the object cache against "
        "compiling it, llvmlite being imported already.",
        ["", "dtype"],
        ["this", "±", "against", "±", "ratio"],
    )

    def row(name: str, dtype: str, this: Times, against: Times) -> None:
        table.add_row(
            name, dtype, duration(this.median), f"{this.spread:.0%}", duration(against.median),
            f"{against.spread:.0%}", _ratio(this.median / against.median),
        )  # fmt: skip

    for i in run.imports:
        row("import", "", i.actgrad, i.numpy)
    for s in run.starts:
        row(f"first call: {s.case}", s.dtype, s.cached, s.uncached)
    return table


def _memory(rows: list[Memory]) -> Any:
    keys = list(dict.fromkeys(key for row in rows for key in row.peak))
    table = _table(
        "Peak memory of one call",
        "What it takes beyond what was there before, as a multiple of its outputs' size; out: they were there before.",
        ["", "dtype", "size"],
        ["outputs", *(title(k).replace(" ", "\n") for k in keys)],
    )
    for row in rows:
        table.add_row(
            row.case, row.dtype, count(row.size), f"{row.output / 1e6:.0f} MB",
            *(f"{row.peak[k] / row.output:.2f}" if k in row.peak else "" for k in keys),
        )  # fmt: skip
    return table


def _revisions(run: Run) -> Any:
    rows = run.revisions
    table = _table(
        f"This tree / revision {run.settings['base'][:12]}",
        f"Into given memory, warm. Geometric mean {_ratio(geometric_mean(r.ratio for r in rows))}, "
        f"worst {_ratio(max(r.ratio for r in rows))}.",
        ["", "dtype", "size", "layout", "threads"],
        ["this", "±", "base", "±", "ratio"],
    )
    for r in rows:
        table.add_row(
            r.case, r.dtype, count(r.size), r.layout, str(r.threads), duration(r.ours.median), f"{r.ours.spread:.0%}",
            duration(r.base.median), f"{r.base.spread:.0%}", _ratio(r.ratio),
        )  # fmt: skip
    return table


def duration(seconds: float) -> str:
    """A time with three digits and its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:#.3g}".rstrip(".") + f" {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}" if value >= 0.095 else f"{value:.2g}"
