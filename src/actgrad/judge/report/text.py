"""Verdicts as strings and tables, for a terminal and for a page, and as JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np

from ...base.errors import quantity
from ...writing.terminal import Row, printable, table
from ..power import weaknesses
from ..standards import REPEAT, STANDARDS, Outcome
from ..verdict import ULP_EDGES, Decision, Failure, Verdict

T = TypeVar("T")
SHOWN_RANGES = 12
_WIDE = 150  # columns of a terminal that can show all standards side by side
CAPTION = (
    "! before what fails, - if a standard is not defined for a dtype. Numbers are of all cases together; each standard "
    "was applied to each case. ULP fails only with --strict or --standard all, or where no published standard is "
    "defined."
)
#: Columns of the overview: heading, and the text of an outcome.
COLUMNS: Mapping[str, Mapping[str, Callable[[Outcome], str]]] = {
    "mixed": {"mixed:\nwithin": lambda t: _share(1 - t.share), "largest\nerror": lambda t: f"{t.largest:.1e}"},
    "mere-mare": {"MERE": lambda t: f"{t.mean:.1e}", "MARE": lambda t: f"{t.largest:.1e}"},
    "thousandth": {"thou-\nsandth": lambda t: _share(t.share)},
    "ulp": {
        "ULP:\nlargest": lambda t: f"{t.largest:.3g}",
        "mean": lambda t: f"{t.mean:.2f}",
        "over 1": lambda t: _share(t.broken / max(1, t.elements)),
    },
    "binary": {"TTK\nbinary": lambda t: f"{t.over} differ" if t.over else "equal"},
    "quant": {"TTK\nquant": lambda t: f"{t.over} differ" if t.over else "agree"},
    "nonfinite": {"NaN\nand inf": lambda t: f"{t.over} differ" if t.over else "agree"},
    REPEAT: {"runs": lambda t: f"{t.over} differ" if t.over else "same"},
}


def blocks(
    results: Sequence[Verdict],
    standard_names: Sequence[str],
    is_of_files: bool,
    most: int | None = None,
    is_verbose: bool = True,
    width: int | None = None,
) -> Iterator[Any]:
    """The lines and tables of a report: each file's verdict, or an overview and `most` failing cases.

    With `is_verbose`, the overview has the figures of every standard. If `width` is too small for all standards, each
    has a separate table.
    """
    if is_of_files:
        for result in results:
            yield from details(result)
        return
    if not is_verbose:
        yield summary(results)
    elif width is None or width >= _WIDE:
        yield overview(results, standard_names)
    else:
        yield from (overview(results, [name], is_whole=False) for name in standard_names)
        yield CAPTION
    failing = [result for result in results if not result.holds]
    for result in failing[:most]:
        yield from details(result)
    for mistake, count in Counter(one for result in results for one in weaknesses(result.power)).items():
        yield f"weak: {quantity(count, 'case')} would accept {mistake}"
    if failing:
        remark = f"; the first {most} are shown" if most is not None and len(failing) > most else ""
        yield f"{len(failing)} of {len(results)} cases fail{remark}"


def overview(results: Sequence[Verdict], standard_names: Sequence[str], is_whole: bool = True) -> Any:
    """All cases of our own backends: a row per operator and dtype, in the order of the results.

    A cell is "-" if the standard is not defined, and begins with "!" if the standard fails.
    """

    def cells(of: Sequence[Verdict]) -> Row:
        figures = [str(len(of)), *([f"{sum(r.elements for r in of):,}"] if is_whole else [])]
        for name in standard_names:
            outcomes = [o for r in of for o in r.outcomes if o.standard == name and o.holds is not None]
            mark = "! " if any(o.is_broken for o in outcomes) else ""
            figures += [mark + show(reduce(add, outcomes)) if outcomes else "-" for show in COLUMNS[name].values()]
        return figures

    headings = ["cases", *(["elements"] if is_whole else [])]
    headings += [heading for name in standard_names for heading in COLUMNS[name]]
    caption = CAPTION if is_whole else None
    return table(["operator", "dtype"], headings, grouped(results, _names, cells), caption=caption)


def summary(results: Sequence[Verdict]) -> Any:
    """All cases in few columns: a row per operator and dtype, with the worst error of all its cases."""

    def cells(of: Sequence[Verdict]) -> Row:
        verdict = "ACCEPTED" if all(result.holds for result in of) else "! REJECTED"
        outcomes = [o for r in of for o in r.outcomes if o.limits is not None]
        applied = [name for name in _WORST if any(o.standard == name for o in outcomes)][:1]
        worst = [f"{max(o.largest for o in outcomes if o.standard == n):.3g} {_WORST[n]}" for n in applied]
        return [verdict, str(len(of)), *(worst or ["-"])]

    return table(["operator", "dtype", "verdict"], ["cases", "worst error"], grouped(results, _names, cells))


#: The standards that have a worst error, and its unit. The most important one comes first.
_WORST = {"ulp": "ULP", "mixed": "absolute", "mere-mare": "relative"}


def _names(result: Verdict) -> tuple[str, str]:
    return result.operator, result.dtype


def grouped(
    results: Iterable[T], names: Callable[[T], tuple[str, str]], cells: Callable[[Sequence[T]], Row]
) -> list[list[Row]]:
    """A row per operator and dtype, grouped by operator: both names, then the cells of the results."""
    groups: dict[str, dict[str, list[T]]] = {}
    for result in results:
        operator, dtype = names(result)
        groups.setdefault(operator, {}).setdefault(dtype, []).append(result)
    return [
        [["" if k else operator, dtype, *cells(of)] for k, (dtype, of) in enumerate(by_dtype.items())]
        for operator, by_dtype in groups.items()
    ]


def details(verdict: Verdict) -> Iterator[Any]:
    """One verdict. The first line is the call."""
    attributes = ", ".join(f"{name}={value!r}" for name, value in verdict.attributes.items())
    yield f"{verdict.operator}({attributes}): {printable(verdict.case)}"
    yield f"exact values: {verdict.golden}"
    groups = [
        [
            (*(("", "") if k else (output.name, output.dtype)), STANDARDS[o.standard].title, _word(o), o.says)
            for k, o in enumerate(output.outcomes)
        ]
        for output in verdict.outputs
    ]
    if verdict.repeat is not None:
        groups[-1].append(("", "", REPEAT, _word(verdict.repeat), verdict.repeat.says))
    yield table(["output", "dtype", "standard", "", "says"], [], groups, folded="says")
    if weak := weaknesses(verdict.power):
        yield f"weak: this case would accept {', '.join(weak)}"
    if verdict.failing:
        yield from _failing(verdict)


def _failing(verdict: Verdict) -> Iterator[Any]:
    for output in verdict.outputs:
        if output.failing:
            of = f"{output.failing:,} of {output.elements:,} elements"
            yield f"{output.name}: {of} fail"
            yield _failures("the worst", output.worst)
            if output.failing > len(output.worst):
                yield _failures("the first", output.first)
    ranges = [
        (r.says, f"{r.failing:,}", f"{r.elements:,}", _share(r.failing / max(1, r.elements)))
        for r in verdict.ranges[:SHOWN_RANGES]
    ]
    if (more := len(verdict.ranges) - SHOWN_RANGES) > 0:
        ranges.append((f"{more} more", "", "", ""))
    yield table(["x"], ["fail", "of", "share"], [ranges], title="where on the axis")
    lines = [
        f"{d.says} (explains {d.explained:,} of {d.looked_at:,} looked at)" if d.explained else d.says
        for d in verdict.diagnoses
    ]
    yield "\n".join(["looks like:", *(f"  {line}" for line in lines or ["no mistake that actgrad knows"])])


def _failures(title: str, failures: Sequence[Failure]) -> Any:
    """Some failing elements. Nine digits distinguish a float32 number from its neighbours."""
    rows = [
        (
            ", ".join(map(str, f.index)) or "()",
            *(f"{value:.9g}" for value in (*f.inputs.values(), f.actual, f.golden)),
            f"{f.ulps:.4g}",
        )
        for f in failures
    ]
    return table(["index"], [*failures[0].inputs, "actual", "golden", "ULP"], [rows], title=title)


def _share(share: float) -> str:
    """A share in percent. "0" means none, and "100" means all."""
    if share in (0, 1):
        return f"{share:.0%}"
    text = f"{share:.3%}"
    return {"0.000%": "<0.001%", "100.000%": ">99.999%"}.get(text, text)


def _word(outcome: Outcome) -> str:
    """One word: whether a standard holds."""
    if outcome.holds is False and not outcome.counts:
        return "exceeded"
    return {True: "holds", False: "FAILS", None: "-"}[outcome.holds]


# JSON


def document(results: list[Verdict], settings: Mapping[str, Any], decision: Decision) -> dict[str, Any]:
    """The verdicts as JSON values. Numbers that JSON lacks become the strings "nan", "inf" and "-inf"."""
    return {
        "holds": decision.is_accepted,
        "verdict": decision.word,
        "why": decision.why,
        "warnings": list(decision.warnings),
        "gradients": [{"says": str(one), **json_value(one)} for one in decision.disagreements],
        **json_value(settings),
        "ulp_edges": ULP_EDGES,
        "results": [
            {"operator": one.operator, "dtype": one.dtype, "case": one.case, "verdict": json_value(one)}
            for one in results
        ],
    }


def json_value(value: Any) -> Any:
    """Any value of a verdict as a JSON value."""
    if isinstance(value, Outcome):
        return json_value(value.document)
    if is_dataclass(value) and not isinstance(value, type):
        plain = {f.name: json_value(getattr(value, f.name)) for f in fields(value) if not f.metadata}
        facts = {"holds": value.holds, "standards": value.standards} if isinstance(value, Verdict) else {}
        return {**facts, **plain}
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, np.generic):
        return json_value(value.item())
    return value
