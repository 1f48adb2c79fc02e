"""The difference of two reports of a delivery: which cases are fixed, which are broken, and which are still open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...base.errors import quantity, quote
from ...writing import terminal
from ..files import fields, sizes
from ..files.fields import FieldError
from ..files.sizes import UnreadableFile
from .summary import MARK

PASSING = ("ACCEPTED", "WAIVED")
#: The groups, and what each says about a case.
GROUPS = {
    "broken": "accepted before, fails now",
    "still open": "failed before, fails now",
    "fixed": "failed before, accepted now",
    "new": "only in the new report",
    "gone": "only in the old report",
}


def read(path: Path) -> dict[str, Mapping[str, Any]]:
    """The cases of a report.json by their ids."""
    try:
        with sizes.reading(path):
            document = fields.json_document(path.read_text(encoding="utf-8"), "a report of check --manifest --json")
        if not isinstance(document, dict) or document.get("format") != f"{MARK}-report":
            found = document.get("format") if isinstance(document, dict) else document
            expected = f"its format must be {MARK}-report"
            raise FieldError(
                f"has the format {quote(found)}; {expected}; name a file that check --manifest --json wrote"
            )
        cases = {case["id"]: case for case in document["cases"]}
        assert all(isinstance(case["verdict"], str) for case in cases.values()), "a verdict is a word"
    except FieldError as fault:
        raise UnreadableFile(f"{path}: {fault}") from fault
    except (KeyError, TypeError, AssertionError) as error:
        expected = "it must be a report of check --manifest --json; write it again"
        raise UnreadableFile(f"{path}: is damaged ({type(error).__name__}: {error}); {expected}") from error
    return cases


def compare(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]
) -> dict[str, list[dict[str, Any]]]:
    """The cases of each group, with both verdicts and both diagnoses."""
    groups: dict[str, list[dict[str, Any]]] = {name: [] for name in GROUPS}
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        one = after if after is not None else before
        assert one is not None, "the case is in one of the reports"
        entry = {"id": key, "operator": one.get("operator"), "before": _words(before), "after": _words(after)}
        if before is None or after is None:
            groups["new" if before is None else "gone"].append(entry)
            continue
        held, holds = before["verdict"] in PASSING, after["verdict"] in PASSING
        if not (held and holds):
            groups["fixed" if holds else "broken" if held else "still open"].append(entry)
    return groups


def _words(case: Mapping[str, Any] | None) -> str:
    if case is None:
        return ""
    says = "; ".join(case.get("says", ()))
    return f"{case['verdict']}: {says or case.get('why', '')}" if case["verdict"] not in PASSING else case["verdict"]


def lines(groups: Mapping[str, list[dict[str, Any]]]) -> Iterator[str]:
    """The lines for a terminal. The last line has the counts."""
    for name, words in GROUPS.items():
        for case in groups[name]:
            change = " -> ".join(dict.fromkeys(filter(None, (case["before"], case["after"]))))
            yield terminal.printable(f"{name}: {case['id']}: {change}")
        if groups[name]:
            yield f"{quantity(len(groups[name]), 'case')} {name}: {words}"
    counts = ", ".join(f"{len(groups[name])} {name}" for name in ("fixed", "broken", "still open"))
    yield f"{'WORSE' if groups['broken'] else 'NOT WORSE'}: {counts}"
