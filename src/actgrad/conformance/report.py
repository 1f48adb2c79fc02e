"""Verdicts as tables for a terminal and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from ..terminal import printable
from .decision import Decision
from .run import Result
from .standards import REPEAT, STANDARDS, Outcome, Tally
from .verdict import ULP_EDGES, Failure, Judged, Verdict

SHOWN_RANGES = 12


@dataclass(frozen=True)
class Row:
    """An operator in one dtype: all its cases together."""

    operator: str
    dtype: str
    cases: int
    elements: int
    holds: Mapping[str, bool | None]  # by standard; None where it says nothing
    tallies: Mapping[str, Tally]


def rows(results: Iterable[Result], asked: Sequence[str]) -> list[Row]:
    """One row per operator and dtype, in the order of the results."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        groups.setdefault((result.operator, result.dtype), []).append(result)
    found = []
    for (operator, dtype), group in groups.items():
        outcomes = {name: [o for r in group for o in _outcomes(r.verdict, name)] for name in asked}
        found.append(
            Row(
                operator, dtype, len(group), sum(r.verdict.elements for r in group),
                {n: not any(o.is_broken for o in of) if of else None for n, of in outcomes.items()},
                {n: sum((o.tally for o in of if o.tally is not None), Tally()) for n, of in outcomes.items()},
            )
        )  # fmt: skip
    return found


def _outcomes(verdict: Verdict, name: str) -> list[Outcome]:
    if name == REPEAT:
        return [] if verdict.repeat is None else [verdict.repeat]
    return [o for output in verdict.outputs for o in output.outcomes if o.standard == name and o.holds is not None]


#: Columns of the overview: heading, and what to show of a tally.
COLUMNS: Mapping[str, tuple[tuple[str, Callable[[Tally], str]], ...]] = {
    "mixed": (("mixed:\nwithin", lambda t: _share(1 - t.share)), ("largest\nerror", lambda t: f"{t.largest:.1e}")),
    "mere-mare": (("MERE", lambda t: f"{t.mean:.1e}"), ("MARE", lambda t: f"{t.largest:.1e}")),
    "thousandth": (("thou-\nsandth", lambda t: _share(t.share)),),
    "ulp": (
        ("ULP:\nlargest", lambda t: f"{t.largest:.3g}"),
        ("mean", lambda t: f"{t.mean:.2f}"),
        ("over 1", lambda t: _share(t.broken / max(1, t.elements))),
    ),
    "nonfinite": (("NaN\nand inf", lambda t: f"{t.over} differ" if t.over else "agree"),),
    REPEAT: (("runs", lambda t: f"{t.over} differ" if t.over else "same"),),
}


def cells(row: Row, asked: Iterable[str]) -> list[str]:
    """The cells of a row behind its names: "-" where a standard says nothing, "!" before what fails."""
    found = []
    for name in asked:
        for _, show in COLUMNS[name]:
            holds = row.holds[name]
            found.append("-" if holds is None else ("" if holds else "! ") + show(row.tallies[name]))
    return found


def headings(asked: Iterable[str]) -> list[str]:
    """The headings above these cells."""
    return [heading for name in asked for heading, _ in COLUMNS[name]]


CAPTION = (
    "! before what fails, - where a standard says nothing of a dtype. Numbers are of all cases together; each standard "
    "was applied to each case. ULP fails only with --strict, or where no published standard is defined."
)


def tables(results: list[Result], asked: Sequence[str]) -> Iterator[Any]:
    """What to print of our own backends, in rich's terms."""
    table = _table("", ["operator", "dtype"], ["cases", "elements", *headings(asked)])
    table.caption = CAPTION
    before = ""
    for row in rows(results, asked):
        if row.operator != before:
            table.add_section()
        name = "" if row.operator == before else row.operator
        table.add_row(name, row.dtype, str(row.cases), f"{row.elements:,}", *cells(row, asked))
        before = row.operator
    yield table


def details(result: Result) -> Iterator[Any]:
    """What to print of one verdict."""
    verdict = result.verdict
    yield f"{call_line(verdict)}: {printable(result.case)}\nexact values: {verdict.golden}"
    table = _table("", ["output", "dtype", "standard", ""], [])
    table.add_column("", overflow="fold")
    for output in verdict.outputs:
        table.add_section()
        for k, outcome in enumerate(output.outcomes):
            names = (output.name, output.dtype) if k == 0 else ("", "")
            table.add_row(*names, STANDARDS[outcome.standard].title, word(outcome), outcome.says)
    if verdict.repeat is not None:
        table.add_row("", "", REPEAT, word(verdict.repeat), verdict.repeat.says)
    yield table
    if not verdict.failing:
        return
    for output in verdict.outputs:
        if output.failing:
            yield beyond_line(output)
            yield _failures("the worst", output.worst)
            if output.failing > len(output.worst):
                yield _failures("the first", output.first)
    table = _table("where on the axis", ["x"], ["fail", "of", "share"])
    for entry in verdict.ranges[:SHOWN_RANGES]:
        share = _share(entry.failing / max(1, entry.elements))
        table.add_row(entry.says, f"{entry.failing:,}", f"{entry.elements:,}", share)
    if len(verdict.ranges) > SHOWN_RANGES:
        table.add_row(f"{len(verdict.ranges) - SHOWN_RANGES} more", "", "", "")
    yield table
    yield "\n".join(["looks like:", *(f"  {line}" for line in diagnosis_lines(verdict))])


def beyond_line(output: Judged) -> str:
    """How many elements fail."""
    of = f"{output.failing:,} of {output.elements:,} elements"
    return f"{output.name}: {of} are beyond what a standard allows one element"


def diagnosis_lines(verdict: Verdict) -> list[str]:
    """The mistakes in words."""
    lines = [f"{d.says} (explains {d.explained:,} of {d.looked_at:,} looked at)" for d in verdict.diagnoses]
    return lines or ["no mistake that actgrad knows"]


def call_line(verdict: Verdict) -> str:
    """The operator with its attributes."""
    return f"{verdict.operator}({', '.join(f'{name}={value!r}' for name, value in verdict.attributes.items())})"


def _failures(heading: str, failures: Sequence[Failure]) -> Any:
    table = _table(heading, ["index"], [*failures[0].inputs, "actual", "golden", "ULP"])
    for f in failures:
        values = [number(v) for v in (*f.inputs.values(), f.actual, f.golden)]
        table.add_row(index(f), *values, f"{f.ulps:.4g}")
    return table


def index(failure: Failure) -> str:
    """The place of an element in its output."""
    return ", ".join(map(str, failure.index)) or "()"


def number(value: float) -> str:
    """A value with the digits that tell it from its neighbours in float32."""
    return f"{value:.9g}"


def _table(heading: str, words: Iterable[str], numbers: Iterable[str]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(title=heading or None, title_justify="left", caption_justify="left", box=box.SIMPLE, pad_edge=False)
    for name in words:
        table.add_column(name, no_wrap=True)
    for name in numbers:
        table.add_column(name, no_wrap=True, justify="right")
    return table


def _share(share: float) -> str:
    """A share in percent that is 0 or 100 only where nothing or all is meant."""
    if share in (0, 1):
        return f"{share:.0%}"
    text = f"{share:.3%}"
    return {"0.000%": "<0.001%", "100.000%": ">99.999%"}.get(text, text)


def word(outcome: Outcome) -> str:
    """Whether a standard holds, in a word."""
    if outcome.holds is False and not outcome.counts:
        return "exceeded"
    return {True: "holds", False: "FAILS", None: "-"}[outcome.holds]


# JSON


def document(results: list[Result], settings: Mapping[str, Any], decision: Decision) -> dict[str, Any]:
    """All that was found, as JSON takes it: numbers that JSON lacks are strings, "nan", "inf" and "-inf"."""
    return {
        "holds": decision.is_accepted,
        "verdict": decision.word,
        "why": decision.why,
        **_plain(settings),
        "ulp_edges": ULP_EDGES,
        "results": [_plain(result) for result in results],
    }


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        plain = {f.name: _plain(getattr(value, f.name)) for f in fields(value) if f.name != "points"}
        return {"holds": value.holds, **plain} if isinstance(value, Verdict) else plain
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, np.generic):
        return _plain(value.item())
    return value
