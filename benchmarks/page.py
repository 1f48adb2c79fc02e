"""`python -m benchmarks page`: one page of all files of docs/benchmarks; the site has it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from . import report
from .results import read

FOLDER = Path(__file__).parents[1] / "docs" / "benchmarks"

INTRODUCTION = """\
# Benchmarks: all results

`python -m benchmarks page` makes this page from the files of this folder when the site is built.
[Benchmarks](README.md) describes how we measured them, and has the means. A ratio is our time / the time of the other
library, so a ratio below 1 means that actgrad is faster. A command that begins with `actgrad bench` is from version
0.1. Today's command is `python -m benchmarks run` with the same options.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `page`."""
    parser = subparsers.add_parser(
        "page", help="print a page of all kept results", description=__doc__,
        epilog="example:\n  python -m benchmarks page > results.md",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=_run)


def page() -> str:
    """The whole page."""
    return INTRODUCTION + "".join(f"\n{section(path)}\n" for path in sorted(FOLDER.glob("*.json")))


def section(path: Path) -> str:
    """The results of one file."""
    return "\n\n".join(_paragraphs(path))


def _paragraphs(path: Path) -> Iterator[str]:
    run = read(path)
    yield f"## {path.stem}"
    yield f"[{path.name}]({path.name}), made by"
    yield f"```console\n$ {run.settings['command']}\n```"
    yield f"Measured on: {report.machine_line(run.machine).replace(chr(10), '; ')}."
    if path.with_suffix(".svg").exists():
        yield f"The [plot]({path.stem}.svg) of these."
    for table in report.tables(run):
        yield f"### {table.title}"
        yield table.markdown()
    if run.notes:
        yield "\n".join(f"- {note}" for note in run.notes)


def _run(given: argparse.Namespace) -> int:
    print(page(), end="")
    return 0
