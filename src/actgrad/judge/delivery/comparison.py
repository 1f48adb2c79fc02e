"""The difference of two reports of a delivery: which cases are fixed, which are broken, and which are still open.

The reports must have a case in common. If they were made by another version or by other standards, a verdict may have
changed without a change of its output, and the difference says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...base.errors import quantity, quote
from ...writing import terminal
from ..files import fields, sizes
from ..files.fields import FieldError
from ..files.sizes import UnreadableFile
from .summary import MARK
from .trial import ACCEPTED, MISSING, REJECTED, WAIVED

PASSING = (ACCEPTED, WAIVED)
VERDICTS = (*PASSING, REJECTED, MISSING)
#: Facts of a report that change verdicts without a change of outputs.
FACTS = ("actgrad", "standards that decide", "profile", "product", "SHA-256 of manifest.json")
#: The groups, and what each says about a case.
GROUPS = {
    "broken": "accepted before, fails now",
    "still open": "failed before, fails now",
    "fixed": "failed before, accepted now",
    "new": "only in the new report",
    "gone": "only in the old report",
}


@dataclass(frozen=True)
class JudgedCases:
    """The cases of a report by their ids, and the facts on which verdicts depend."""

    cases: Mapping[str, Mapping[str, Any]]
    facts: Mapping[str, str]


def read(path: Path) -> JudgedCases:
    """The report in a file. Raises UnreadableFile if the file is not a report, or is damaged."""
    try:
        with sizes.reading(path):
            document = fields.json_document(path.read_text(encoding="utf-8"), "a report of check --manifest --json")
        if not isinstance(document, dict) or document.get("format") != f"{MARK}-report":
            found = document.get("format") if isinstance(document, dict) else document
            expected = f"its format must be {MARK}-report"
            raise FieldError(
                f"has the format {quote(found)}; {expected}; name a file that check --manifest --json wrote"
            )
        entries = document.get("cases")
        cases: dict[str, Mapping[str, Any]] = {}
        for number, case in enumerate(entries if isinstance(entries, list) else ()):
            if not _is_case(case) or case["id"] in cases:
                word = f"has the id {quote(case['id'])} of another case" if _is_case(case) else "is damaged"
                raise FieldError(f"case {number} {word}; check --manifest --json must have written it; write it again")
            cases[case["id"]] = case
        if not cases:
            raise FieldError("has no case; it must have at least one; write it again")
        facts = {name: str(document.get(name, "not stated")) for name in FACTS}
    except FieldError as fault:
        raise UnreadableFile(f"{path}: {fault}") from fault
    return JudgedCases(cases, facts)


def _is_case(case: Any) -> bool:
    """Whether an entry has the fields that are compared."""
    if not isinstance(case, dict):
        return False
    says = case.get("says", [])
    is_text = isinstance(case.get("id"), str) and isinstance(case.get("why", ""), str)
    return is_text and case.get("verdict") in VERDICTS and isinstance(says, list) and all(map(_is_text, says))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def differences(old: JudgedCases, new: JudgedCases) -> Iterator[str]:
    """The facts in which the reports differ, in words."""
    for name in FACTS:
        if old.facts[name] != new.facts[name]:
            yield f"{name}: {old.facts[name]} in the old report, {new.facts[name]} in the new one"


def refuse_others(old: JudgedCases, new: JudgedCases) -> None:
    """Raise if the reports have no case in common, because then nothing can be compared."""
    if not old.cases.keys() & new.cases.keys():
        fault = "check --compare: the reports have no case in common"
        raise UnreadableFile(f"{fault}; they must be about the same delivery; name two of its reports")


def compare(old_report: JudgedCases, new_report: JudgedCases) -> dict[str, list[dict[str, Any]]]:
    """The cases of each group, with both verdicts and both diagnoses."""
    old, new = old_report.cases, new_report.cases
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
    shown = ["fixed", "broken", "still open", *(name for name in ("new", "gone") if groups[name])]
    counts = ", ".join(f"{len(groups[name])} {name}" for name in shown)
    yield f"{'WORSE' if groups['broken'] else 'NOT WORSE'}: {counts}"
