"""What was found, in the shape of the file that the cases came from, and in words."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ... import outputs, products, terminal
from ..run import Result
from ..sizes import UnreadableFile
from ..standards import NAMES, STANDARDS, Tally
from .execution import Outcome
from .reading import format_of

STATUS = {True: "PASS", False: "FAIL", None: "NOT_RUN"}


def check(path: Path | None, cases: Path) -> None:
    """Raise unless results have the format of the cases, which their suffix says."""
    if path is not None and format_of(path) != format_of(cases):
        raise UnreadableFile(f"{path}: results have the format of the cases; its suffix must be {cases.suffix}")


def judged(outcomes: Sequence[Outcome]) -> list[Result]:
    """The verdicts among the outcomes, as of our own cases."""
    verdicts = [(o.case.name, o.verdict) for o in outcomes if o.verdict is not None]
    return [Result(v.operator, v.outputs[0].dtype, name, v) for name, v in verdicts]


def standards_of(found: Sequence[Result]) -> list[str]:
    """The standards that anything was judged by."""
    verdicts = [result.verdict for result in found]
    names = {o.standard for v in verdicts for output in v.outputs for o in output.outcomes}
    names |= {v.repeat.standard for v in verdicts if v.repeat is not None}
    return [name for name in NAMES if name in names]


def refusals(outcomes: Sequence[Outcome]) -> tuple[list[bool], int]:
    """For each call that must be refused whether it was, and how many cases were not run."""
    expected = [o for o in outcomes if o.case.expects_error and o.holds is not None]
    return [o.verdict is None for o in expected], sum(o.holds is None for o in outcomes)


def write(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Write the cases with what was found, whole or not at all."""
    text = _json(outcomes) if format_of(path) == "atk" else _csv(outcomes)
    outputs.write(path, text)


def says(outcome: Outcome) -> str:
    """Why a case failed or was not run, "" for one that passed."""
    if outcome.verdict is None:
        return outcome.says
    if outcome.holds:
        return ""
    if outcome.case.expects_error:
        return "it was expected to be refused"
    verdict = outcome.verdict
    broken = [f"{o.name}: {STANDARDS[s.standard].title}: {s.says}" for o in verdict.outputs for s in o.outcomes
              if s.is_broken]  # fmt: skip
    return "; ".join([*broken, *(d.says for d in verdict.diagnoses)])


def _json(outcomes: Sequence[Outcome]) -> str:
    lines = []
    for outcome in outcomes:
        result: dict[str, Any] = {"precision_status": STATUS[outcome.holds], "says": says(outcome)}
        if outcome.case.notes:
            result["notes"] = list(outcome.case.notes)
        if outcome.verdict is not None:
            result["standards"] = [
                {"output": o.name, "standard": s.standard, "holds": s.holds, "counts": s.counts, "says": s.says}
                for o in outcome.verdict.outputs
                for s in o.outcomes
            ]
        lines.append(json.dumps({**outcome.case.raw, "result": result}))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _csv(outcomes: Sequence[Outcome]) -> str:
    product = products.chosen()
    file = io.StringIO(newline="")
    added = ("precision", "precision_status", "soc", "fail_reason")
    header = [name for name in outcomes[0].case.raw if name not in added]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*header, *added])
    for outcome in outcomes:
        cells = [outcome.case.raw[name] for name in header]
        reason = "; ".join([text for text in (says(outcome), *outcome.case.notes) if text])
        soc = product.name if product else ""
        writer.writerow([*cells, _precision(outcome), STATUS[outcome.holds], soc, reason])
    return file.getvalue()


def _precision(outcome: Outcome) -> str:
    """The share of elements within the tolerance, as TTK writes it."""
    if outcome.verdict is None:
        return ""
    tallies = [s.tally for o in outcome.verdict.outputs for s in o.outcomes if s.tally is not None]
    whole = sum(tallies, Tally())
    return f"{100 * (1 - whole.share)}%"


def lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What is to be said besides tables: what was not read, what was not run, and how many of all passed."""
    notes = Counter(note for outcome in outcomes for note in outcome.case.notes)
    for note, count in notes.items():
        yield terminal.printable(f"{note} (in {count} of {len(outcomes)} cases)")
    for outcome in outcomes:
        if outcome.holds is None:
            yield terminal.printable(f"{outcome.case.name}: not run: {says(outcome)}")
    counts = Counter(outcome.holds for outcome in outcomes)
    passed = f"{counts[True]} of {len(outcomes)} cases pass"
    yield f"{passed}, {counts[False]} fail, {counts[None]} were not run"
