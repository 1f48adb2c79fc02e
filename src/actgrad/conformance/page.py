"""Verdicts as one page that stands on its own: no script, nothing fetched, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from .. import terminal
from . import pictures, report
from .decision import Decision
from .run import Result
from .standards import NAMES, REPEAT, STANDARDS
from .verdict import Verdict

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #111; background: #fff; max-width: 75rem; margin: 2rem auto;
       padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem; border-top: 1px solid #bbb; padding-top: 1rem }
table { border-collapse: collapse; margin: .8rem 0; font-variant-numeric: tabular-nums; display: block;
        overflow-x: auto }
th, td { padding: .15rem .7rem .15rem 0; text-align: right; vertical-align: top; white-space: pre-line }
th { border-bottom: 1px solid #111; font-weight: 600 } .words { text-align: left }
.fails { font-weight: 700; background: #ffe2dc } img { max-width: 100% } code { overflow-wrap: anywhere }
dt { font-weight: 600; float: left; clear: left; width: 8rem } dd { margin-left: 9rem }
"""


def page(
    results: Sequence[Result], asked: Sequence[str], settings: Mapping[str, Any], decision: Decision, is_of_files: bool
) -> str:
    """The page as text."""
    body = [f"<h1>actgrad check: {decision.word}</h1>", f"<p>{_text(decision.why)}.</p>", _definitions(settings)]
    if is_of_files:
        for result in results:
            body += _verdict(result)
            body.append(_image({output.name: (output.points, output.histogram) for output in result.verdict.outputs}))
    else:
        body.append(_overview(results, asked))
        for operator in dict.fromkeys(result.operator for result in results):
            of = [result for result in results if result.operator == operator]
            body += [f"<h2>{_text(operator)}</h2>", _image(_by_dtype(of))]
        for result in results:
            if not result.verdict.holds:
                body += _verdict(result)
    body += ["<h2>The standards</h2>", _definitions({name: NAMES[name] for name in asked})]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
        f"<title>actgrad check: {decision.word}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _text(value: Any) -> str:
    """Any text as it may stand on a page."""
    return escape(terminal.printable(str(value)))


def _definitions(pairs: Mapping[str, Any]) -> str:
    entries = []
    for name, value in pairs.items():
        shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        entries.append(f"<dt>{_text(name)}</dt><dd><code>{_text(shown)}</code></dd>")
    return f"<dl>{''.join(entries)}</dl>"


def _table(words: Iterable[str], numbers: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a cell that begins with "!" or is "FAILS" stands out."""
    words = list(words)
    head = "".join(f'<th class="words">{_text(w)}</th>' for w in words)
    head += "".join(f"<th>{escape(n)}</th>" for n in numbers)
    lines = []
    for row in rows:
        cells = []
        for k, cell in enumerate(row):
            names = ["words"] * (k < len(words)) + ["fails"] * cell.startswith(("!", "FAILS"))
            cells.append(f'<td class="{" ".join(names)}">{_text(cell)}</td>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _overview(results: Sequence[Result], asked: Sequence[str]) -> str:
    found = (
        (r.operator, r.dtype, str(r.cases), f"{r.elements:,}", *report.cells(r, asked))
        for r in report.rows(results, asked)
    )
    table = _table(["operator", "dtype"], ["cases", "elements", *report.headings(asked)], found)
    return f"{table}<p>{_text(report.CAPTION)}</p>"


def _by_dtype(results: Sequence[Result]) -> pictures.Series:
    found: dict[str, tuple[Any, tuple[int, ...]]] = {}
    for dtype in dict.fromkeys(result.dtype for result in results):
        outputs = [o for r in results if r.dtype == dtype for o in r.verdict.outputs]
        points = np.concatenate([output.points for output in outputs])
        counts = np.sum([output.histogram for output in outputs], axis=0)
        found[dtype] = (points[:: max(1, len(points) // 3000)], tuple(int(n) for n in counts))
    return found


def _image(series: pictures.Series) -> str:
    words = "errors in ULP against x, and their histogram: " + ", ".join(series)
    return f'<p><img src="{pictures.picture(series)}" alt="{_text(words)}"></p>'


def _verdict(result: Result) -> Iterator[str]:
    verdict = result.verdict
    yield f"<h2><code>{_text(report.call_line(verdict))}</code> {_text(result.case)}</h2>"
    yield f"<p>Exact values: {_text(verdict.golden)}.</p>"
    outcomes = [
        (output.name, output.dtype, STANDARDS[o.standard].title, report.word(o), o.says)
        for output in verdict.outputs
        for o in output.outcomes
    ]
    if verdict.repeat is not None:
        outcomes.append(("", "", REPEAT, report.word(verdict.repeat), verdict.repeat.says))
    yield _table(["output", "dtype", "standard", "", ""], [], outcomes)
    yield from _failures(verdict)


def _failures(verdict: Verdict) -> Iterator[str]:
    for output in verdict.outputs:
        if not output.failing:
            continue
        yield f"<p>{_text(report.beyond_line(output))}; the worst, then the first:</p>"
        found = (
            (report.index(f), *map(report.number, (*f.inputs.values(), f.actual, f.golden)), f"{f.ulps:.4g}")
            for f in (*output.worst, *output.first)
        )
        yield _table(["index"], [*output.worst[0].inputs, "actual", "golden", "ULP"], found)
    if verdict.ranges:
        found_ranges = ((r.says, f"{r.failing:,}", f"{r.elements:,}") for r in verdict.ranges)
        yield _table(["x"], ["fail", "of"], found_ranges)
        lines = "".join(f"<li>{_text(line)}</li>" for line in report.diagnosis_lines(verdict))
        yield f"<p>It looks like:</p><ul>{lines}</ul>"
