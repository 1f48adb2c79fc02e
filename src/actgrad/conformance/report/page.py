"""Verdicts as one HTML page that stands on its own: no script, nothing fetched, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from ...writing import terminal
from ...writing.terminal import Grid
from ..standards import NAMES
from ..verdict import CaseVerdict, Decision
from . import pictures, text


def page(
    results: Sequence[CaseVerdict],
    asked: Sequence[str],
    settings: Mapping[str, Any],
    decision: Decision,
    is_of_files: bool,
) -> str:
    """The page as text."""
    template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    return template.substitute(
        word=decision.word,
        why=_escaped(decision.why),
        settings=_definitions(settings),
        results="\n".join(_files(results) if is_of_files else _backends(results, asked)),
        standards=_definitions({name: NAMES[name] for name in asked}),
    )


def _files(results: Iterable[CaseVerdict]) -> Iterator[str]:
    for result in results:
        yield from _details(result)
        yield _image({output.name: (output.points, output.histogram) for output in result.verdict.outputs})


def _backends(results: Sequence[CaseVerdict], asked: Sequence[str]) -> Iterator[str]:
    yield _table(text.overview(results, asked))
    for operator in dict.fromkeys(result.operator for result in results):
        yield f"<h2>{_escaped(operator)}</h2>"
        yield _image(_by_dtype([result for result in results if result.operator == operator]))
    for result in results:
        if not result.verdict.holds:
            yield from _details(result)


def _details(result: CaseVerdict) -> Iterator[str]:
    heading, *blocks = text.details(result)
    yield f"<h2><code>{_escaped(heading)}</code></h2>"
    for block in blocks:
        yield _table(block) if isinstance(block, Grid) else f'<p class="lines">{_lines(block)}</p>'


def _escaped(value: Any) -> str:
    """One line of any text as it may stand on a page."""
    return escape(terminal.printable(str(value)))


def _lines(value: str) -> str:
    return "\n".join(map(_escaped, value.splitlines()))


def _definitions(pairs: Mapping[str, Any]) -> str:
    entries = []
    for name, value in pairs.items():
        shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        entries.append(f"<dt>{_escaped(name)}</dt><dd><code>{_escaped(shown)}</code></dd>")
    return f"<dl>{''.join(entries)}</dl>"


def _table(grid: Grid) -> str:
    """A table; a cell that begins with "!" or is "FAILS" stands out."""

    def cells(tag: str, row: Sequence[str]) -> str:
        places = ["words"] * len(grid.words) + [""] * len(grid.numbers)
        kinds = ("fails" if t.startswith(("!", "FAILS")) else place for t, place in zip(row, places, strict=True))
        return "".join(f'<{tag} class="{kind}">{_lines(t)}</{tag}>' for kind, t in zip(kinds, row, strict=True))

    rows = "".join(f"<tr>{cells('td', row)}</tr>" for group in grid.groups for row in group)
    head = f"<thead><tr>{cells('th', (*grid.words, *grid.numbers))}</tr></thead>"
    return f"<p>{_escaped(grid.title)}</p><table>{head}<tbody>{rows}</tbody></table><p>{_escaped(grid.caption)}</p>"


def _by_dtype(results: Sequence[CaseVerdict]) -> pictures.Series:
    found: dict[str, tuple[Any, tuple[int, ...]]] = {}
    for dtype in dict.fromkeys(result.dtype for result in results):
        outputs = [o for r in results if r.dtype == dtype for o in r.verdict.outputs]
        points = np.concatenate([output.points for output in outputs])
        counts = np.sum([output.histogram for output in outputs], axis=0)
        found[dtype] = (points[:: max(1, len(points) // 3000)], tuple(int(n) for n in counts))
    return found


def _image(series: pictures.Series) -> str:
    words = "errors in ULP against x, and their histogram: " + ", ".join(series)
    return f'<p><img src="{pictures.picture(series)}" alt="{_escaped(words)}"></p>'
