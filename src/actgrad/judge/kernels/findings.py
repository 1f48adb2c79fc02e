"""The results of all cases together: the decision, and the text, JSON and HTML that show it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from pathlib import Path
from textwrap import dedent
from typing import Any

from ...base.errors import ActgradError, quantity
from ...kernel import Assumption, Fault
from ...writing import terminal
from ..report import page, text
from ..standards import STANDARDS
from ..verdict import Decision, Verdict, decide
from .launches import CaseRun

SHOWN = 20  # faults that a terminal shows
AROUND = 2  # lines of the kernel that the page shows before and after the line of a fault
UNKNOWN = "no mistake that actgrad knows"
_ORDER = ("error", "warning", "note")


@dataclass(frozen=True)
class Found:
    """A fault, and the cases that show it."""

    fault: Fault
    cases: int
    first: str  # the first case

    def lines(self, of: int) -> Iterator[str]:
        fault = self.fault
        yield f"{self.place}: {fault.severity}: {fault.message} [{fault.kind}; {self._seen(of)}]"
        if code := _source_line(fault.file, fault.line):
            yield f"    {code}"

    @property
    def place(self) -> str:
        return f"{_short(self.fault.file)}:{self.fault.line}" if self.fault.file else "the kernel"

    def _seen(self, of: int) -> str:
        return f"{self.cases} of {quantity(of, 'case')}, first in {self.first}, block {self.fault.block}"

    def html(self, of: int) -> str:
        """What happened, the kernel's lines around it, and where it was seen."""
        fault, lines = self.fault, _lines(self.fault.file)
        code = ""
        if 0 < fault.line <= len(lines):
            first = max(fault.line - AROUND, 1)
            part = dedent("\n".join(lines[first - 1 : fault.line + AROUND]).expandtabs(4)).split("\n")
            shown = (_numbered(number, text, number == fault.line) for number, text in enumerate(part, first))
            code = f'<pre class="code">{chr(10).join(shown)}</pre>'
        title = escape(terminal.printable(f"{self.place}: {fault.severity}: {fault.message}"))
        seen = escape(terminal.printable(f"{fault.kind}; {self._seen(of)}"))
        return f'<article><h3>{title}</h3>{code}<p class="place">{seen}</p></article>'


@dataclass(frozen=True)
class Findings:
    """What the cases of a kernel showed."""

    runs: tuple[CaseRun, ...]
    planned: int  # the number of cases that were drawn

    @property
    def verdicts(self) -> list[Verdict]:
        return [run.verdict for run in self.runs if run.verdict is not None]

    @property
    def faults(self) -> list[Found]:
        """Each fault once for a line of the kernel: errors first, and before others what most cases show.

        Undefined bytes come last among equals, because another fault often is their cause.
        """
        first: dict[tuple[str, str, int], list[tuple[Fault, str]]] = {}
        for run in self.runs:
            for fault in run.report.faults if run.report is not None else ():
                first.setdefault((fault.kind, fault.file, fault.line), []).append((fault, run.case))
        found = [Found(seen[0][0], len({case for _, case in seen}), seen[0][1]) for seen in first.values()]
        return sorted(
            found, key=lambda one: (_ORDER.index(one.fault.severity), -one.cases, one.fault.kind == "ub-uninitialised")
        )

    @property
    def refusals(self) -> list[CaseRun]:
        return [run for run in self.runs if run.refusal]

    @property
    def assumptions(self) -> list[Assumption]:
        reports = [run.report for run in self.runs if run.report is not None]
        return list(dict.fromkeys(one for report in reports for one in report.assumptions))

    def decision(self) -> Decision:
        """Accepted if no run has an error, the tiling function takes each case, and the judge accepts the numbers."""
        verdicts = self.verdicts
        if verdicts and not any(one.is_judged for one in verdicts):
            dtypes = ", ".join(dict.fromkeys(one.dtype for one in verdicts))
            raise ActgradError(f"kernel check: no result was judged; a standard must cover {dtypes}; change --dtypes")
        kinds = list(dict.fromkeys(one.fault.kind for one in self.faults if one.fault.severity == "error"))
        count = sum(one.fault.severity == "error" for one in self.faults)
        said = [f"{quantity(count, 'fault')} in the kernel ({', '.join(kinds)})"] if count else []
        if self.refusals:
            said.append(f"the tiling function refuses {len(self.refusals)} of {quantity(self.planned, 'case')}")
        judged = decide(verdicts, not_run=self.planned - len(self.runs))
        said += [judged.why] if judged.why else []
        if not said[:1] or (verdicts and not count and not self.refusals):
            said.insert(0, f"no fault in {quantity(len(self.runs), 'case')}")
        is_accepted = judged.is_accepted and not count and not self.refusals and bool(verdicts)
        return replace(judged, is_accepted=is_accepted, why="; ".join(said))

    def blocks(self, most: int = SHOWN) -> Iterator[Any]:
        """The lines and tables for a terminal, without the decision."""
        ran = len(self.runs) - len(self.refusals)
        faults = self.faults
        for one in faults[:most]:
            yield "\n".join(map(terminal.printable, one.lines(ran)))
        if len(faults) > most:
            yield f"{len(faults) - most} more faults; --json and --html have all"
        if self.refusals:
            first = self.refusals[0]
            yield terminal.printable(f"{first.case}: {first.refusal}")
        if self.verdicts:
            yield text.summary(self.verdicts)
            yield from self._mistakes()
        yield from (f"assumed: {one}" for one in self.assumptions)

    def _mistakes(self) -> Iterator[Any]:
        """Each mistake with the number of its cases, and one case in full: an ordinary one, if there is one."""
        failing = [verdict for verdict in self.verdicts if not verdict.holds]
        if not failing:
            return
        counts = Counter("; ".join(dict.fromkeys(d.says.partition(":")[0] for d in one.diagnoses)) for one in failing)
        for says, count in counts.most_common():
            yield f"{count} of {quantity(len(self.verdicts), 'case')}: looks like: {says or UNKNOWN}"
        if any(one.fault.severity == "error" for one in self.faults):  # they may explain the numbers
            yield "correct the faults first; --html shows the wrong numbers"
            return
        yield from text.details(max(failing, key=_explained))

    def document(self, settings: Mapping[str, Any], decision: Decision) -> dict[str, Any]:
        """The results as JSON values."""
        document = text.document(self.verdicts, settings, decision)
        reports = [run.report for run in self.runs if run.report is not None]
        document["faults"] = [{**vars(one.fault), "cases": one.cases, "first_case": one.first} for one in self.faults]
        document["refused"] = [{"case": one.case, "why": one.refusal} for one in self.refusals]
        document["assumptions"] = [vars(one) for one in self.assumptions]
        document["cases"] = {"drawn": self.planned, "run": len(reports), "judged": len(self.verdicts)}
        document["seconds"] = sum(report.seconds for report in reports)
        pairs = dict.fromkeys((run.entry, run.key) for run in self.runs if not run.refusal)
        document["instances"] = [{"entry": entry, "tiling_key": key} for entry, key in pairs]
        return document

    def html(self, settings: Mapping[str, Any], decision: Decision) -> str:
        """One page: the decision, the faults with their lines, the verdicts with pictures."""
        ran = len(self.runs) - len(self.refusals)
        applied = {outcome.standard for verdict in self.verdicts for outcome in verdict.outcomes}
        names = [name for name in STANDARDS if name in applied]
        return page.page(self.verdicts, names, settings, decision, False, "\n".join(self._causes(ran)))

    def _causes(self, ran: int) -> Iterator[str]:
        faults = self.faults
        yield f"<h2>{quantity(len(faults), 'fault') if faults else 'No fault'} in the kernel</h2>"
        yield from (one.html(ran) for one in faults)
        if self.verdicts and any(one.fault.severity == "error" for one in faults):
            yield "<p>Correct the faults first. They may explain wrong numbers.</p>"
        if self.refusals:
            lines = [terminal.printable(f"{one.case}: {one.refusal}") for one in self.refusals]
            yield f"<h2>Refused by the tiling function</h2><pre>{escape(chr(10).join(lines))}</pre>"
        if self.assumptions:
            lines = [str(one) for one in self.assumptions]
            yield f"<h2>Assumptions</h2><ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"
        yield "<h2>The run</h2>"


def _explained(verdict: Verdict) -> float:
    """The share of the failing elements that a mistake explains."""
    return max((one.explained / one.looked_at for one in verdict.diagnoses if one.looked_at), default=0.0)


def _short(file: str) -> str:
    """A path relative to the working folder, if the file is below it."""
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative


def _source_line(file: str, line: int) -> str:
    lines = _lines(file)
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def _numbered(number: int, text: str, is_marked: bool) -> str:
    """A line of the kernel with its number, as HTML."""
    line = escape(terminal.printable(f"{number:5}  {text.rstrip()}"))
    return f"<b>{line}</b>" if is_marked else line


@lru_cache(maxsize=64)
def _lines(file: str) -> Sequence[str]:
    path = Path(file)
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if file and path.is_file() else ()
