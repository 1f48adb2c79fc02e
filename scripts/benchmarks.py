"""docs/benchmarks/results.md, made from the files of docs/benchmarks: every ratio and time that was measured.

python scripts/benchmarks.py            print it
python scripts/benchmarks.py --write    write it to docs/benchmarks/results.md
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import writing

from actgrad.bench.report import machine_line

FOLDER = Path(__file__).parents[1] / "docs" / "benchmarks"
PAGE = FOLDER / "results.md"

INTRODUCTION = """\
# Benchmarks: all ratios

Made by `python scripts/benchmarks.py --write` from the files of this folder; a test compares. [Benchmarks](README.md)
says how they are measured, what peers and forms are, and has the means. Ratios are our time / theirs: below 1 is
faster. Columns are elements of the largest tensor; **c** stands beside what was measured on buffers in no cache.
"""


def page() -> str:
    """The whole page."""
    lines = [INTRODUCTION]
    for path in sorted(FOLDER.glob("*.json")):
        lines += section(path)
    return "\n".join(lines).rstrip() + "\n"


def section(path: Path) -> Iterator[str]:
    """What one file holds."""
    results = json.loads(path.read_text(encoding="utf-8"))
    yield f"## {path.stem}"
    yield ""
    yield f"[{path.name}]({path.name}), made by"
    yield ""
    yield "```console"
    yield f"$ {results['settings']['command']}"
    yield "```"
    yield ""
    yield f"Measured on: {machine_line(results['machine']).replace(chr(10), '; ')}."
    yield ""
    if path.with_suffix(".svg").exists():
        yield f"The [plot]({path.stem}.svg) of these."
        yield ""
    yield from _ratios(results["cells"])
    yield from _latencies(results["latencies"])
    yield from _starts(results["imports"], results["starts"])
    yield from _memories(results["memories"])
    for note in results["notes"]:
        yield f"- {note}"
    yield ""


def _ratios(cells: list[dict[str, Any]]) -> Iterator[str]:
    """A table per peer and form."""
    sizes = sorted({c["size"] for c in cells})
    for peer in dict.fromkeys(peer for c in cells for peer in c["ratios"]):
        rows: dict[tuple[str, str], dict[int, list[str]]] = {}
        for c in cells:
            if peer in c["ratios"]:
                row = rows.setdefault((c["case"], c["dtype"]), {})
                row.setdefault(c["size"], []).append(f"{c['ratios'][peer]:.2f}{' c' * (c['cache'] == 'cold')}")
        yield f"### Beside {peer.replace(' ', ', ')}"
        yield ""
        yield from _table(
            ["call", "dtype", *map(_power, sizes)],
            ([*key, *(", ".join(row.get(size, [])) for size in sizes)] for key, row in rows.items()),
        )


def _latencies(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield f"### One call of {row['case']}, {row['elements']} elements, {row['dtype']}"
        yield ""
        times = sorted(row["times"].items(), key=lambda item: item[1]["median"])
        yield from _table(["", "median, µs"], ([name, f"{t['median'] * 1e6:.2f}"] for name, t in times))


def _starts(imports: list[dict[str, Any]], starts: list[dict[str, Any]]) -> Iterator[str]:
    rows = [[f"import {name}", row[name]] for row in imports for name in ("actgrad", "numpy")]
    for row in starts:
        rows.append([f"first call of {row['case']}, compiled", row["uncached"]])
        rows.append([f"first call of {row['case']}, from the cache on disk", row["cached"]])
    if rows:
        yield "### The start of a process"
        yield ""
        yield from _table(["", "median, ms"], ([name, f"{t['median'] * 1e3:.0f}"] for name, t in rows))


def _memories(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield f"### Peak memory of {row['case']}, {_power(row['size'])} elements, {row['dtype']}"
        yield ""
        yield from _table(
            ["", "of the result's bytes"], ([n, f"{b / row['output']:.2f}"] for n, b in row["peak"].items())
        )


def _table(header: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """Words to the left, numbers to the right."""
    words = 2 if header[:2] == ["call", "dtype"] else 1
    yield f"| {' | '.join(header)} |"
    yield f"| {' | '.join(['---'] * words + ['---:'] * (len(header) - words))} |"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def _power(size: int) -> str:
    mantissa, _, exponent = f"{size:.1e}".partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}"


def main() -> None:
    """Print or write the page."""
    writing.page(__doc__, PAGE, page)


if __name__ == "__main__":
    main()
