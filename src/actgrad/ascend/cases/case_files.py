"""Reads a file of cases, and writes it again with the results of its cases. The suffix tells the format."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ...base.errors import suffix_of
from ...checks import law
from ...judge.files import sizes
from ...judge.files.fields import FieldError
from ...judge.files.sizes import UnreadableFile
from ...writing import outputs, terminal
from . import atk, cann_bench, ttk
from .case_model import FileCase
from .execution import CaseOutcome

FORMATS: dict[str, ModuleType] = {"atk": atk, "ttk": ttk, "cann-bench": cann_bench}
WRITTEN = ("atk", "ttk")  # the formats that `actgrad cases` writes
SUFFIXES = {".json": "atk", ".csv": "ttk", ".yaml": "cann-bench", ".yml": "cann-bench"}
STATUS = {True: "PASS", False: "FAIL", None: "NOT_RUN"}
_QUOTED = re.compile(r"""(['"])(.*?)\1""", re.S)
_TIMES = 20  # memory that a file takes after reading, relative to the size of its text


def format_of(path: Path) -> str:
    """The format of a file: atk, ttk or cann-bench."""
    name = SUFFIXES.get(path.suffix.lower())
    if name is None:
        raise UnreadableFile(
            f"{path}: has {suffix_of(path)}; it must be .json (ATK), .csv (TTK) or .yaml (cann-bench); rename it"
        )
    return name


def read(path: Path) -> list[FileCase]:
    """The cases of a file. Raises an UnreadableFile that names file, case and field if the file is damaged."""
    name = format_of(path)
    with sizes.reading(path):
        sizes.refuse_large(path, _TIMES * path.stat().st_size, "when it is read")
        return parse(path, name, path.read_text(encoding="utf-8-sig"))


def parse(path: Path, name: str, text: str) -> list[FileCase]:
    """The cases in the text of a file of this format."""
    cases, where = [], ""
    try:
        module = FORMATS[name]
        beside = [cann_bench.input_names(path)] if module is cann_bench else []
        for position, raw, number in module.entries(text, *beside):
            where = f"{position}: "
            cases.append(module.describe(raw, number))
            where = ""
    except FieldError as fault:
        raise UnreadableFile(f"{path}: {where}{fault}") from fault
    return cases


def named_files(path: Path, cases: Sequence[FileCase]) -> list[str]:
    """The existing files that fields of the cases name, relative to this folder or to the folder of the case file."""
    words: set[str] = set()
    values: list[Any] = [case.raw for case in cases]
    while values:
        value = values.pop()
        if isinstance(value, dict):
            values += value.values()
        elif isinstance(value, list):
            values += value
        elif isinstance(value, str):
            words |= {value, *(quoted[1] for quoted in _QUOTED.findall(value))}  # TTK's cells quote names
    paths = [name for word in words if "\0" not in word for name in (word, os.path.join(path.parent, word))]
    return sorted({name for name in paths if os.path.isfile(name)})


# Results


def check_results_path(path: Path | None, cases: Path) -> None:
    """Raise unless results have the format of the cases."""
    if path is not None and format_of(path) != format_of(cases):
        expected = f"it must be {cases.suffix}, the suffix of the cases"
        raise UnreadableFile(f"--results {path}: has {suffix_of(path)}; {expected}; rename it")


def write(path: Path, outcomes: Sequence[CaseOutcome]) -> None:
    """Write the cases with their results. After a failure, the old file is still there."""
    texts = {"atk": _atk_text, "ttk": _ttk_text, "cann-bench": _cann_bench_text}
    outputs.write(path, texts[format_of(path)](outcomes))


def _atk_text(outcomes: Sequence[CaseOutcome]) -> str:
    return atk.in_lines(_with_results(outcomes))


def _cann_bench_text(outcomes: Sequence[CaseOutcome]) -> str:
    return cann_bench.in_yaml(list(_with_results(outcomes)))


def _with_results(outcomes: Sequence[CaseOutcome]) -> Iterator[dict[str, Any]]:
    """The entries of the file, each with its result."""

    def result(outcome: CaseOutcome) -> dict[str, Any]:
        entry: dict[str, Any] = {"precision_status": STATUS[outcome.holds], "says": outcome.reason}
        if outcome.case.notes:
            entry["notes"] = list(outcome.case.notes)
        if outcome.verdict is not None:
            entry["standards"] = [
                {"output": o.name, "standard": s.standard, "holds": s.holds, "counts": s.counts, "says": s.says}
                for o in outcome.verdict.outputs
                for s in o.outcomes
            ]
        return entry

    return ({**outcome.case.raw, "result": result(outcome)} for outcome in outcomes)


def _ttk_text(outcomes: Sequence[CaseOutcome]) -> str:
    judge = law.current()
    product = "" if judge is None else judge.description["product"].removeprefix("none")
    added = ("precision", "precision_status", "soc", "fail_reason")
    header = [name for name in outcomes[0].case.raw if name not in added]
    rows = [[*header, *added]]
    for outcome in outcomes:
        reason = "; ".join(filter(None, (outcome.reason, *outcome.case.notes)))
        cells = [outcome.case.raw[name] for name in header]
        rows.append([*cells, _precision(outcome), STATUS[outcome.holds], product, reason])
    return ttk.in_rows(rows)


def _precision(outcome: CaseOutcome) -> str:
    """The share of elements within the tolerance, in TTK's format."""
    if outcome.verdict is None:
        return ""
    outcomes = [s for o in outcome.verdict.outputs for s in o.outcomes]
    elements, over = (sum(getattr(s, name) for s in outcomes) for name in ("elements", "over"))
    return f"{100 * (1 - over / max(1, elements))}%"


def lines(outcomes: Sequence[CaseOutcome]) -> Iterator[str]:
    """Lines in addition to the tables: fields that were not read, cases that were not run, and the counts."""
    notes = Counter(note for outcome in outcomes for note in outcome.case.notes)
    for note, count in notes.items():
        yield terminal.printable(f"{note} (in {count} of {len(outcomes)} cases)")
    for outcome in outcomes:
        if outcome.holds is None:
            yield terminal.printable(f"{outcome.case.name}: not run: {outcome.reason}")
    counts = Counter(outcome.holds for outcome in outcomes)
    yield f"{counts[True]} of {len(outcomes)} cases pass, {counts[False]} fail, {counts[None]} were not run"
