"""`python -m benchmarks plot`: results as plots that also work in black and white, by markers, dashes and hatches."""

from __future__ import annotations

import argparse
import importlib
from math import prod
from pathlib import Path
from typing import Any

import actgrad

from .report import machine_heading
from .results import CEILING, OURS, Cell, Key, Run, count, form_of, geometric_mean, peers_of, read

MOST_PANELS = 24  # of rates; beyond that one panel shows their shares of the ceiling
SUFFIXES = (".png", ".svg")
_STYLES = (
    ("o", "-"), ("s", "--"), ("^", "-."), ("D", ":"), ("v", "--"), ("P", "-."), ("X", ":"), ("*", "--"), ("<", "-."),
)  # fmt: skip
_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo", "+++", "---", "**")
_GREYS = ("0.15", "0.45", "0.7", "0.3", "0.6", "0.85", "0.5", "0.75", "0.95")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `plot`."""
    parser = subparsers.add_parser(
        "plot", help="draw the throughput in a file of results", description=__doc__,
        epilog="example:\n  python -m benchmarks plot after.json after.svg",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("results", type=Path, help="a file of python -m benchmarks run --json")
    parser.add_argument("picture", type=Path, help="the picture, .png or .svg")
    parser.add_argument("--bars", action="store_true", help="draw a file of python -m benchmarks ceiling")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    check(given.picture)
    (write_bars if given.bars else write)(read(given.results), given.picture)
    return 0


def check(path: Path) -> None:
    """An error where a plot cannot be written to `path`, before hours are spent on measuring."""
    if path.suffix.lower() not in SUFFIXES:
        raise actgrad.ActgradError(f"--plot {path}: the suffix must be {' or '.join(SUFFIXES)}")
    importlib.import_module("matplotlib").use("Agg")


def write(run: Run, path: Path) -> None:
    """Draw the throughput: rate against size, ratios per peer, the cost of threads and of rank."""
    if not run.cells:
        raise actgrad.ActgradError("--plot draws throughput, and none was measured")
    check(path)
    rates = _groups(run.cells, ("case", "dtype", "layout", "cache"))
    rates = {key: cells for key, cells in rates.items() if len({c.size for c in cells}) > 1}
    growth = [g for g in (_by_threads(run.cells), _by_rank(run.cells)) if g]
    is_crowded = len(rates) > MOST_PANELS
    if is_crowded:
        rates = {}
    columns = min(4, max(len(rates), len(growth) + 1, 2 * is_crowded))
    rows = -(-len(rates) // columns) + is_crowded  # of rates, or one of shares; below them one row for the rest
    has_ratios = bool(peers_of(run.cells)) or not (rows or growth)
    heights = [1.5 + 0.2 * len({c.case for c in run.cells})] if is_crowded else [2.8] * rows
    heights += [3.8] * bool(has_ratios or growth)
    size = max(8, 3.8 * columns), sum(heights)
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=size, layout="constrained")
    grid = figure.add_gridspec(len(heights), columns, height_ratios=heights if is_crowded else None)
    if is_crowded:
        _share_panel(figure.add_subplot(grid[0, :]), run.cells)
    styles = {key: _STYLES[k % len(_STYLES)] for k, key in enumerate([f"{OURS} out", *peers_of(run.cells)])}
    handles: dict[str, Any] = {}  # one legend for all panels
    for k, ((case, dtype, layout, cache), cells) in enumerate(rates.items()):
        axes = figure.add_subplot(grid[k // columns, k % columns])
        _rate_panel(axes, cells, f"{case}\n{dtype}, {layout}, {cache}", styles)
        handles |= {text: handle for handle, text in zip(*axes.get_legend_handles_labels(), strict=True)}
    if handles:
        figure.legend(
            handles.values(), handles.keys(), loc="outside lower left", fontsize="x-small", ncols=len(handles)
        )
    first = columns - len(growth) if has_ratios else 0  # the first column after the ratios
    if has_ratios:
        _ratio_panel(figure.add_subplot(grid[rows, :first]), run.cells)
    for k, (label, lines) in enumerate(growth):
        _growth_panel(figure.add_subplot(grid[rows, first + k]), label, lines)
    figure.suptitle(machine_heading(run.machine), fontsize="small", x=0.01, ha="left")
    _save(figure, path)


def write_bars(run: Run, path: Path) -> None:
    """Draw time / time of the memory traffic, in the fastest runs: a group of bars for each call, the slowest first."""
    dtypes = list(dict.fromkeys(cell.dtype for cell in run.cells))
    ratios: dict[str, dict[str, float]] = {}
    for cell in run.cells:
        ratios.setdefault(cell.case, {})[cell.dtype] = cell.least_of_ceiling
    ordered = sorted(ratios.items(), key=lambda each: -max(each[1].values()))
    half = -(-len(ordered) // 2)
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(11, 1 + 0.2 * half), layout="constrained")
    for k, axes in enumerate(figure.subplots(1, 2, sharex=True)):
        calls = ordered[k * half : (k + 1) * half]
        for number, dtype in enumerate(dtypes):
            places = [place + (number - (len(dtypes) - 1) / 2) * 0.27 for place in range(len(calls))]
            widths = [of.get(dtype, 0.0) for _, of in calls]
            axes.barh(places, widths, 0.27, label=dtype, color=_GREYS[number], edgecolor="black", linewidth=0.3)
        axes.axvline(1, color="black", linewidth=1)
        axes.set_yticks(range(len(calls)), [name for name, _ in calls], fontsize="x-small")
        axes.set_ylim(len(calls) - 0.4, -0.6)
        axes.tick_params(axis="x", labelsize="x-small")
    axes.legend(fontsize="x-small", loc="lower right")
    heading = f"time / time of {run.cells[0].ceiling} over as many bytes, {count(run.cells[0].size)} elements"
    figure.suptitle(f"{heading}\n{machine_heading(run.machine)}", fontsize="small", x=0.01, ha="left")
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    form = path.suffix.lower().removeprefix(".")
    # Without a date and with fixed names, so that equal results give equal files.
    with importlib.import_module("matplotlib").rc_context({"svg.hashsalt": "actgrad"}):
        figure.savefig(path, format=form, dpi=120, metadata={"Date": None} if form == "svg" else None)


def _groups(cells: list[Cell], names: tuple[str, ...]) -> dict[tuple[Any, ...], list[Cell]]:
    """The cells that are alike in some fields, from the smallest to the largest."""
    found: dict[tuple[Any, ...], list[Cell]] = {}
    for cell in cells:
        found.setdefault(tuple(getattr(cell, name) for name in names), []).append(cell)
    return {key: sorted(group, key=lambda c: c.size) for key, group in found.items()}


def _rate_panel(axes: Any, cells: list[Cell], heading: str, styles: dict[Key, tuple[str, Any]]) -> None:
    """Lines: bytes per second against size, of ours and of the peers that write into given memory, if there are any."""
    threads = max(c.threads for c in cells)
    cells = [c for c in cells if c.threads == threads]
    peers = peers_of(cells)
    for key in [f"{OURS} out", *([p for p in peers if form_of(p) == "out"] or peers)]:
        marker, dashes = styles[key]
        held = [c for c in cells if key in c.times]
        axes.plot(
            [c.size for c in held], [c.rate(key) / 1e9 for c in held], marker=marker, linestyle=dashes,
            color="0.1" if key.startswith(OURS) else "0.45", markersize=4, linewidth=1.6 if key.startswith(OURS) else 1,
            label=key,
        )  # fmt: skip
    axes.plot(
        [c.size for c in cells], [c.rate(CEILING) / 1e9 for c in cells], color="black", linewidth=1,
        linestyle=(0, (1, 1)), label=CEILING,
    )  # fmt: skip
    axes.set(xscale="log", ylim=(0, None))
    axes.set_title(heading, fontsize="small")
    axes.set_xlabel("elements", fontsize="x-small")
    axes.set_ylabel("GB/s", fontsize="x-small")
    axes.tick_params(labelsize="x-small", which="both")


def _share_panel(axes: Any, cells: list[Cell]) -> None:
    """Points: per case and dtype the share of the ceiling's rate, at the largest size."""
    names = list(dict.fromkeys(c.case for c in cells))
    for k, dtype in enumerate(dict.fromkeys(c.dtype for c in cells)):
        largest = {c.case: c for c in sorted(cells, key=lambda c: c.size) if c.dtype == dtype}
        axes.plot(
            [c.of_ceiling for c in largest.values()], [names.index(name) for name in largest], linestyle="",
            marker=_STYLES[k % len(_STYLES)][0], color=_GREYS[k % len(_GREYS)], markersize=4, label=dtype,
        )  # fmt: skip
    axes.axvline(1, color="black", linewidth=1)
    axes.set(xlim=(0, None), ylim=(len(names) - 0.5, -0.5))
    axes.set_yticks(range(len(names)), names, fontsize="x-small")
    axes.tick_params(axis="x", labelsize="x-small")
    axes.grid(axis="y", color="0.9")
    axes.set_title(f"our rate as a share of the ceiling's ({cells[0].ceiling}), at the largest size", fontsize="small")
    axes.legend(fontsize="x-small")


def _ratio_panel(axes: Any, cells: list[Cell]) -> None:
    """Bars: per case and peer the geometric mean over dtypes, sizes and all other conditions."""
    names = list(dict.fromkeys(c.case for c in cells))
    peers = peers_of(cells)
    width = 0.8 / max(1, len(peers))
    for k, peer in enumerate(peers):
        of = [[c.ratios[peer] for c in cells if c.case == name and peer in c.ratios] for name in names]
        axes.bar(
            [n + (k - (len(peers) - 1) / 2) * width for n in range(len(names))],
            [geometric_mean(values) if values else 0 for values in of], width, label=peer,
            color=_GREYS[k % len(_GREYS)], hatch=_HATCHES[k % len(_HATCHES)], edgecolor="black", linewidth=0.6,
        )  # fmt: skip
    axes.axhline(1, color="black", linewidth=1)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize="x-small")
    axes.tick_params(axis="y", labelsize="x-small")
    axes.set_title("our time / theirs, geometric means: below the line is faster", fontsize="small")
    if peers:
        axes.legend(fontsize="x-small", ncols=2)


Lines = dict[str, list[tuple[int, float]]]


def _by_threads(cells: list[Cell]) -> tuple[str, Lines] | None:
    """Speed-up over the fewest threads, at the largest size."""
    if len({c.threads for c in cells}) < 2:
        return None
    lines: Lines = {}
    for case, of in _comparable(cells, "layout").items():
        points = sorted((c.threads, c.times[f"{OURS} out"].median) for c in of)
        lines[case] = [(threads, points[0][1] / seconds) for threads, seconds in points]
    return "threads\nspeed-up", lines


def _by_rank(cells: list[Cell]) -> tuple[str, Lines] | None:
    """Time per element against the number of dimensions that cannot be joined, at the largest size."""
    if not any(c.layout.startswith("rank-") for c in cells):
        return None
    ranked = [c for c in cells if c.layout.startswith("rank-") or c.layout == "contiguous"]
    lines: Lines = {}
    for case, of in _comparable(ranked, "threads").items():
        ranks = [1 if c.layout == "contiguous" else len(c.shape) for c in of]
        nanoseconds = [c.times[f"{OURS} out"].median / prod(c.shape) * 1e9 for c in of]
        lines[case] = sorted(zip(ranks, nanoseconds, strict=True))
    return "dimensions that cannot be joined\nns per element", lines


def _comparable(cells: list[Cell], *names: str) -> dict[str, list[Cell]]:
    """Per case the cells of the largest size that are like the first one in dtype, cache and `names`."""
    first = next(c for c in cells if c.size == max(d.size for d in cells))
    names = ("size", "dtype", "cache", *names)
    alike = [c for c in cells if all(getattr(c, name) == getattr(first, name) for name in names)]
    return {case: of for (case,), of in _groups(alike, ("case",)).items()}


def _growth_panel(axes: Any, label: str, lines: Lines) -> None:
    x_label, y_label = label.split("\n")
    for k, (name, points) in enumerate(lines.items()):
        marker, dashes = _STYLES[k % len(_STYLES)]
        axes.plot(
            [x for x, _ in points], [y for _, y in points], marker=marker, linestyle=dashes, color="0.2",
            markersize=4, label=name,
        )  # fmt: skip
    axes.set(ylim=(0, None), xticks=sorted({x for points in lines.values() for x, _ in points}))
    axes.set_xlabel(x_label, fontsize="x-small")
    axes.set_ylabel(y_label, fontsize="x-small")
    axes.tick_params(labelsize="x-small")
    axes.legend(fontsize="x-small")
