"""`actgrad check --cases FILE`: the cases of a file, as the judge's command asks for them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...judge.delivery import manifest
from ...judge.standards import NAMES
from ...writing import outputs, terminal
from . import case_files, delivered, execution
from .execution import CaseOutcome


def judged(args: argparse.Namespace, written: Mapping[str, Path | None]) -> list[CaseOutcome]:
    """The outcome of each case of the file. `written` are the files that the command writes."""
    case_files.check_results_path(args.results, args.cases)
    listed = case_files.read(args.cases)
    outputs.check_paths(written, case_files.named_files(args.cases, listed))
    standard_names = None if args.standard is None else [name for name in NAMES if name in args.standard]
    outcomes = []
    with terminal.progress("cases", len(listed)) as advance:
        for k, case in enumerate(listed):
            outcomes.append(
                execution.execute(case, args.backend, standard_names, args.seed + k, args.strict, args.profile)
            )
            advance(1)
    return outcomes


def report(args: argparse.Namespace, outcomes: Sequence[CaseOutcome]) -> None:
    """Write the file of --results, and print a line about each kind of outcome."""
    if args.results:
        case_files.write(args.results, outcomes)
    for line in case_files.lines(outcomes):
        print(f"actgrad: {line}", file=sys.stderr)


def write_delivery(args: argparse.Namespace) -> int:
    """`actgrad check --cases FILE --tensors DIR`: write the cases as a delivery. Return the exit status."""
    listed = case_files.read(args.cases)
    with terminal.progress("cases", len(listed)) as advance:
        written = manifest.write(args.tensors, delivered.of_file(listed, args.seed), args.seed, advance)
    left_out = len(listed) - len(written)
    remark = f"; {left_out} cannot be run, or must be refused" if left_out else ""
    print(f"{args.tensors}: {len(written)} of {len(listed)} cases{remark}", file=sys.stderr)
    return 0
