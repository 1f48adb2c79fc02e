"""Verdicts as one HTML page. It has no script, loads no other file, and escapes every text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from ...writing import terminal
from ..standards import definitions
from ..verdict import Decision, OutputResult, Verdict
from . import svg, text


def page(
    results: Sequence[Verdict],
    standard_names: Sequence[str],
    settings: Mapping[str, Any],
    decision: Decision,
    is_of_files: bool,
    causes: str = "",
) -> str:
    """The page as text. `causes` is HTML about what explains the results, and stands first."""
    blocks = text.blocks(results, standard_names, is_of_files)
    return fill_page(
        word=decision.word,
        why=decision.why,
        settings=settings,
        results=terminal.as_html([*blocks, *map(str, decision.disagreements), *decision.warnings]),
        pictures="\n".join(_figures(results, is_of_files)),
        causes=causes,
        rest=standards_section(standard_names),
    )


def fill_page(
    word: str, why: str, settings: Mapping[str, Any], results: str, pictures: str, rest: str, causes: str = ""
) -> str:
    """The page of a verdict. The last four arguments are HTML."""
    template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    parts = {
        "causes": causes,
        "results": results,
        "pictures": pictures,
        "rest": rest,
        "settings": _definitions(settings),
    }
    return template.substitute(word=word, why=escape(terminal.printable(why)), **parts)


def standards_section(names: Collection[str]) -> str:
    """The part of a page that says what the standards require and where they were published."""
    return "<h2>The standards</h2>" + _definitions(definitions(names))


def _definitions(pairs: Mapping[str, Any]) -> str:
    entries = []
    for name, value in pairs.items():
        words = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        entries.append(f"<dt>{escape(name)}</dt><dd><code>{escape(terminal.printable(words))}</code></dd>")
    return f"<dl>{''.join(entries)}</dl>"


def _figures(results: Sequence[Verdict], is_of_files: bool) -> Iterator[str]:
    """The errors of each dtype of an operator, or of each output in a file."""
    groups: dict[str, dict[str, list[OutputResult]]] = {}
    for result in results:
        for output in result.outputs:
            label = output.name if is_of_files else result.dtype
            groups.setdefault(result.operator, {}).setdefault(label, []).append(output)
    for name, labels in groups.items():
        yield f"<h2>{name}</h2>"
        for label, outputs in labels.items():
            x, ulps, positions = np.concatenate([output.points for output in outputs]).T
            words = f", {label}"
            drawings = [svg.over_x(svg.outline(x, ulps), words)]
            drawings += [svg.over_position(svg.outline(positions, ulps), words)] if is_of_files else []
            drawings.append(svg.histogram(np.sum([output.histogram for output in outputs], axis=0), words))
            yield f'<div class="pair">{"".join(drawings)}</div>'
