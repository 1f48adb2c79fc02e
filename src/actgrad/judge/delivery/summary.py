"""The verdict on a delivery: tables for a terminal, report.json, JUnit XML, and a page that needs no other file."""

from __future__ import annotations

import math
import os
import platform
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timezone
from html import escape
from operator import itemgetter
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from ... import __version__
from ...backends import cores
from ...base.errors import quantity, some
from ...writing import terminal
from ..power import WRONG
from ..profiles import CANN
from ..report import page, svg
from ..report.text import grouped
from ..state import is_state
from ..waivers import Waiver, matching
from .design import Coverage
from .manifest import NAME, DeliveryCase
from .trial import ACCEPTED, MISSING, REJECTED, WAIVED, Entry

MARK = "actgrad-delivery"  # near the beginning of every file that `check` makes
SHOWN = 8  # failing cases that a terminal shows
LARGEST_ULP = 1e9  # above this number, ULPs say only that a result is wrong
PICTURES = 1000  # failing cases with pictures on the page
UNKNOWN = "no mistake that actgrad knows"
_KEYS = (
    "id", "operator", "attributes", "dtype", "inputs", "verdict", "why", "diagnosis", "says", "power",
    "power by standard", "worst", "failing", "elements", "failing by standard", "warnings", "kind", "seconds",
    "reproduce", "waiver",
)  # fmt: skip


def report(
    entries: Sequence[Entry], surplus: Sequence[str], settings: Mapping[str, Any], coverage: Coverage | None = None
) -> dict[str, Any]:
    """The content of report.json. `coverage` is that of the whole delivery, or None if only some cases are judged."""
    counts = Counter(entry["verdict"] for entry in entries)
    is_judged = any(entry.get("elements") for entry in entries if entry["verdict"] == ACCEPTED)
    is_accepted = counts[ACCEPTED] + counts[WAIVED] == len(entries) and is_judged
    verb = "is" if len(entries) == 1 else "are"
    words = [f"{counts[ACCEPTED]} of {quantity(len(entries), 'case')} {verb} accepted"]
    words += [f"{counts[word]} {word.lower()}" for word in (REJECTED, MISSING, WAIVED) if counts[word]]
    if not is_judged and counts[ACCEPTED] + counts[WAIVED] == len(entries):
        words.append("no element that was judged is accepted")
    shown = [ACCEPTED, REJECTED, MISSING, *([WAIVED] if counts[WAIVED] else [])]
    return {
        "format": f"{MARK}-report",
        "verdict": ACCEPTED if is_accepted else REJECTED,
        "why": ", ".join(words),
        "counts": {word: counts[word] for word in shown},
        "weak": weak(entries),
        "surplus": list(surplus),
        **({} if coverage is None else {"coverage": {"says": coverage.sentence(), **coverage.document}}),
        **settings,
        "cases": [{key: entry[key] for key in _KEYS if key in entry} for entry in entries],
    }


def with_waivers(entries: Iterable[Entry], waivers: Sequence[Waiver], today: date) -> list[Entry]:
    """The entries, in which a rejected case that waivers accept is WAIVED."""
    result = []
    for entry in entries:
        found: list[Waiver] = []
        if entry["verdict"] == REJECTED:
            found = matching(waivers, entry["operator"], entry["diagnosis"], entry.get("kind", ""), today)
        words = "; ".join(map(str, found))
        result.append({**entry, "verdict": WAIVED, "waiver": words} if found else entry)
    return result


def waived(entries: Iterable[Entry]) -> Iterator[str]:
    """A line for each waived case."""
    for entry in entries:
        if entry["verdict"] == WAIVED:
            yield f"waived: {entry['id']}: {entry['waiver']}; {entry['why']}"


def weak(entries: Iterable[Entry]) -> dict[str, int]:
    """For each wrong output, the number of cases that would accept it. Cases for special values do not count."""
    usual = [entry for entry in entries if not entry["special"]]
    counts = {mistake: sum(entry["power"].get(mistake) == "accepted" for entry in usual) for mistake in WRONG}
    return {mistake: count for mistake, count in counts.items() if count}


def settings(options: Mapping[str, Any], command: str, manifest_hash: str) -> dict[str, Any]:
    """Everything that a verdict depends on, except the files."""
    return {
        "actgrad": __version__,
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC"),
        "machine": f"{platform.platform()}, {quantity(cores(), 'core')}",
        "command": command,
        "standards that decide": ", ".join(options["deciding"]) + (", strict" if options["strict"] else ""),
        "profile": options.get("profile") or CANN,
        "product": ", ".join(word for name in ("product", "rules") if (word := options[name])) or "none",
        "SHA-256 of manifest.json": manifest_hash,
    }


def surplus_files(folder: Path, cases: Sequence[DeliveryCase]) -> list[str]:
    """The files in the folder that the manifest does not name and `check` did not make."""
    names = {NAME, *(os.path.normpath(tensor.file) for case in cases for tensor in case.files)}
    paths = [
        os.path.relpath(os.path.join(root, file), folder)
        for root, _, files in os.walk(folder)
        for file in files
        if not (file.startswith(".actgrad-") and file.endswith(".part"))
    ]
    return sorted(path for path in paths if path not in names and not _is_made_here(folder / path))


def _is_made_here(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(400)
            return MARK.encode() in head or is_state(head)
    except OSError:
        return False


def blocks(entries: Sequence[Entry], document: Mapping[str, Any]) -> Iterator[Any]:
    """The lines and tables for a terminal."""
    figures = ("accepted", "worst ULP")
    yield from (terminal.printable(line) for line in by_mistake(entries))
    yield terminal.table(["operator", "dtype"], figures, _overview(entries, figures))
    failing = [entry for entry in entries if entry["verdict"] in (REJECTED, MISSING)]
    for entry in failing[:SHOWN]:
        is_rejected = entry["verdict"] == REJECTED
        details = f"; worst: {_worst(entry)}; looks like: {looks_like(entry)}" if is_rejected else ""
        yield terminal.printable(f"{entry['id']}: {entry['verdict']}: {entry['why']}{details}")
    if len(failing) > SHOWN:
        yield f"{len(failing) - SHOWN} more cases fail; --json and --html have all"
    yield from (terminal.printable(line) for line in (*waived(entries), *warnings(entries, SHOWN), *remarks(document)))
    yield f"{document['verdict']}: {document['why']}"


def by_mistake(entries: Sequence[Entry]) -> Iterator[str]:
    """For each operator and mistake, the number of rejected cases, of missing cases, and of cases with a warning."""
    warned = [entry for entry in entries if entry.get("warnings")]
    rejected, missing = ([entry for entry in entries if entry["verdict"] == word] for word in (REJECTED, MISSING))
    for how, of in (("rejected", rejected), ("missing", missing), ("accepted with a warning", warned)):
        counts = Counter((entry["operator"], "" if of is missing else _mistakes(entry)) for entry in of)
        for (operator, mistakes), count in counts.most_common():
            yield f"{quantity(count, 'case')} of {operator} {how}{': ' if mistakes else ''}{mistakes}"


def _mistakes(entry: Entry) -> str:
    """The diagnosis without details, such as positions."""
    return "; ".join(dict.fromkeys(words.partition(":")[0] for words in entry["says"])) or UNKNOWN


def remarks(document: Mapping[str, Any]) -> Iterator[str]:
    """Lines on the coverage, weak cases and surplus files."""
    if "coverage" in document:
        yield f"coverage: {document['coverage']['says']}"
    for mistake, count in document["weak"].items():
        yield f"weak: {quantity(count, 'case')} would accept {mistake}"
    if document["surplus"]:
        yield f"surplus: the manifest does not name {some(document['surplus'])}"


def warnings(entries: Sequence[Entry], most: int) -> Iterator[str]:
    """The first warnings about accepted cases, and how many more there are."""
    warned = [entry for entry in entries if entry.get("warnings")]
    for entry in warned[:most]:
        yield f"warning: {entry['id']}: {'; '.join(entry['warnings'])}; looks like: {looks_like(entry)}"
    if len(warned) > most:
        more = len(warned) - most
        yield f"{more} more accepted cases exceed a standard that does not decide; --json and --html have all"


def looks_like(entry: Entry) -> str:
    """The diagnosis in words."""
    return "; ".join(entry.get("says", ())) or UNKNOWN


def _overview(entries: Iterable[Entry], names: Sequence[str]) -> list[list[terminal.Row]]:
    """A row per operator and dtype with the figures of these names, grouped by operator."""

    def cells(of: Sequence[Entry]) -> terminal.Row:
        counts = Counter(entry["verdict"] for entry in of)
        errors = [float(entry["worst"]["ulp"]) for entry in of if entry["worst"]]
        mark = "! " if counts[ACCEPTED] < len(of) else ""
        figures = {
            "accepted": f"{mark}{counts[ACCEPTED]} of {len(of)}",
            **{word.lower(): f"! {counts[word]}" if counts[word] else "0" for word in (REJECTED, MISSING)},
            "worst ULP": _ulps(max(errors)) if errors else "-",
        }
        return [figures[name] for name in names]

    return grouped(entries, itemgetter("operator", "dtype"), cells)


def _ulps(error: float) -> str:
    return f"{error:.3g}" if error <= LARGEST_ULP or math.isinf(error) else f"> {LARGEST_ULP:.0e}"


def junit(entries: Sequence[Entry], document: Mapping[str, Any]) -> str:
    """JUnit XML with one test case for each case."""
    counts = document["counts"]
    numbers = f'tests="{len(entries)}" failures="{counts[REJECTED]}" errors="{counts[MISSING]}"'
    numbers += f' skipped="{counts.get(WAIVED, 0)}" time="{sum(entry.get("seconds", 0) for entry in entries):.3f}"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<!-- {MARK}-junit -->"]
    lines += [f'<testsuites name="actgrad check" {numbers}>', f'<testsuite name="actgrad check" {numbers}>']
    for entry in entries:
        head = f"  <testcase classname={_attribute(entry['operator'])} name={_attribute(entry['id'])}"
        head += f' time="{entry.get("seconds", 0):.3f}"'
        if entry["verdict"] == WAIVED:
            lines.append(f"{head}><skipped message={_attribute(entry['waiver'])}/></testcase>")
            continue
        kind = {REJECTED: "failure", MISSING: "error"}.get(entry["verdict"])
        if kind is None:
            lines.append(f"{head}/>")
            continue
        text = looks_like(entry) if kind == "failure" else entry["why"]
        words = (
            f"message={_attribute(entry['why'])} type={_attribute(', '.join(entry['diagnosis']) or entry['verdict'])}"
        )
        lines.append(f"{head}><{kind} {words}>{escape(terminal.printable(text))}</{kind}></testcase>")
    return "\n".join([*lines, "</testsuite>", "</testsuites>", ""])


def _attribute(text: str) -> str:
    return quoteattr(terminal.printable(text))


# The page


def html(
    entries: Sequence[Entry], document: Mapping[str, Any], facts: Mapping[str, Any], standard_names: Collection[str]
) -> str:
    """The page as text. It defines these standards."""
    failing = [entry for entry in entries if entry["verdict"] in (REJECTED, MISSING)]

    def paragraphs(lines: Iterable[str]) -> list[str]:
        return [f"<p>{escape(terminal.printable(line))}</p>" for line in lines]

    lines = [*waived(entries), *remarks(document)]
    results = [*paragraphs(by_mistake(entries)), _table(entries), *paragraphs(lines)]
    warned = paragraphs(warnings(entries, len(entries)))
    articles = _by_cause(failing)
    hashes = [f"{digest or 'missing':64}  {name}" for entry in entries for name, digest in entry["hashes"].items()]
    return page.fill_page(
        word=document["verdict"],
        why=document["why"],
        settings=facts,
        results="\n".join(results),
        pictures="<h2>Cases that fail</h2>\n" + "\n".join(articles) if articles else "",
        rest="\n".join(["<h2>Warnings about accepted cases</h2>", *warned] if warned else [])
        + page.standards_section(standard_names)
        + f"<h2>Files</h2><details><summary>SHA-256 of {quantity(len(hashes), 'file')}</summary>"
        f"<pre>{escape(chr(10).join(map(terminal.printable, hashes)))}</pre></details>",
    )


def _table(entries: Sequence[Entry]) -> str:
    """The overview. On a narrow page, the cells of a row are stacked, and each shows its title."""
    figures = ("accepted", "rejected", "missing", "worst ULP")
    head = ("operator", "dtype", *figures)

    def line(cells: Sequence[str], tag: str) -> str:
        pairs = zip(head, cells, strict=True)
        marked = (f'<{tag} title="{name}">{escape(terminal.printable(cell))}</{tag}>' for name, cell in pairs)
        return f"<tr>{''.join(marked)}</tr>"

    groups = _overview(entries, figures)
    failing = {entry["operator"] for entry in entries if entry["verdict"] in (REJECTED, MISSING)}

    def linked(cells: Sequence[str]) -> str:
        text = line(cells, "td")
        name = escape(terminal.printable(cells[0]))
        return text.replace(f">{name}<", f'><a href="#{_anchor(name)}">{name}</a><', 1) if name in failing else text

    rows = [linked([group[0][0], *row[1:]]) for group in groups for row in group]
    return f'<div class="wide"><table>{line(head, "th")}\n{chr(10).join(rows)}</table></div>'


def _by_cause(failing: Sequence[Entry]) -> list[str]:
    """The failing cases, grouped by operator and cause. A heading has the cause once, and links to its cases.

    The first case of each cause is open. The others open with a click.
    """
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in failing:
        cause = "missing output" if entry["verdict"] == MISSING else _mistakes(entry)
        groups.setdefault((entry["operator"], cause), []).append(entry)
    parts, drawn = [], 0
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    for number, ((operator, cause), of) in enumerate(ordered):
        text = escape(terminal.printable(f"{operator}: {cause}"))
        links = [
            f'<a href="#case-{drawn + k}">{escape(terminal.printable(entry["id"]))}</a>' for k, entry in enumerate(of)
        ]
        anchor = f'<span id="{_anchor(operator)}"></span>' if _is_first(ordered, number) else ""
        parts.append(f"{anchor}<h3>{text}</h3><p>{quantity(len(of), 'case')}: {', '.join(links)}</p>")
        for entry in of:
            parts.append(_article(entry, f"case-{drawn}", drawn < PICTURES, entry is of[0]))
            drawn += 1
    return parts


def _is_first(ordered: Sequence[tuple[tuple[str, str], Any]], number: int) -> bool:
    return ordered[number][0][0] not in [operator for (operator, _), _ in ordered[:number]]


def _anchor(operator: str) -> str:
    return f"fails-{operator}"


def _worst(entry: Entry) -> str:
    """The worst element: its index, the inputs there, and the actual and the golden value."""
    worst = entry["worst"]
    if "output" not in worst:
        return "no element"
    inputs = "".join(f", {name} = {_number(value)}" for name, value in worst.get("inputs", {}).items())
    numbers = f"{_number(worst.get('actual'))} instead of {_number(worst.get('golden'))}"
    if float(worst["ulp"]) <= LARGEST_ULP:  # far from 0; otherwise the number of ULPs says nothing
        numbers += f", {_number(worst['ulp'], 3)} ULP"
    return f"{worst.get('output')} at {tuple(worst.get('index', ()))}{inputs}: {numbers}"


def _article(entry: Entry, anchor: str, has_pictures: bool, is_open: bool) -> str:
    """A failing case: its diagnosis, its worst element, and its errors over x and over the position."""

    def text(value: object) -> str:
        return escape(terminal.printable(str(value)))

    attributes = ", ".join(f"{name}={value!r}" for name, value in entry["attributes"].items())
    tensors = ", ".join(f"{name} {one['dtype']} {tuple(one['shape'])}" for name, one in entry["inputs"].items())
    lines = [f'<article id="{anchor}"><details{" open" if is_open else ""}>']
    lines += [f"<summary><strong>{text(entry['id'])}: {text(entry['verdict'])}</strong>"]
    lines += [f"<code>{text(entry['operator'])}({text(attributes)})</code>, {text(tensors)}</summary>"]
    lines += [f"<p>{text(entry['why'])}</p>"]
    if entry["verdict"] == REJECTED:
        lines.append(f"<p><strong>Looks like:</strong> {text(looks_like(entry))}</p>")
        counts = ", ".join(f"{count:,} by {name}" for name, count in entry["failing by standard"].items() if count)
        lines.append(
            f"<p>{entry['failing']:,} of {entry['elements']:,} elements are beyond a standard ({counts}). "
            f"The worst is {text(_worst(entry))}.</p>"
        )
    if has_pictures:
        draw = (svg.over_x, svg.over_position)
        drawings = (function(points) for function, points in zip(draw, entry.get("pictures", ()), strict=False))
        lines += [f'<div class="pair">{"".join(drawings)}</div>']
    if "reproduce" in entry:
        again = entry["reproduce"]
        lines.append(
            f"<details><summary>Reproduce</summary><pre>{text(again['command'])}</pre>"
            f"<pre>{escape(again['script'])}</pre></details>"
        )
    return "\n".join([*lines, "</details></article>"])


def _number(value: object, digits: int = 6) -> str:
    return f"{value:.{digits}g}" if isinstance(value, float) else escape(terminal.printable(str(value)))
