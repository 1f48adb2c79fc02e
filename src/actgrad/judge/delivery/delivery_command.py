"""`actgrad check --manifest DIR`: judges all cases of a delivery and writes the reports."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import actgrad

from ...backends import cores
from ...base.errors import ActgradError, did_you_mean, some
from ...writing import outputs, terminal
from .. import cluster, cross_check, runner, waivers
from ..files import operator_files
from ..profiles import CANN
from ..standards import IN_FORCE, REPEAT, STANDARDS
from . import comparison, design, manifest, reproduction, summary, trial
from .manifest import DeliveryCase


def run(args: argparse.Namespace) -> bool:
    """Judge, report and decide. Return whether all cases are accepted."""
    folder = args.manifest
    cases = manifest.read(folder)
    if args.original is not None:
        manifest.refuse_changes(folder, cases, manifest.described(args.original))
    named, cases = cases, _chosen(args, cases)
    listed = [] if args.waivers is None else waivers.read(args.waivers)
    files = {"--json": args.json, "--html": args.html, "--junit": args.junit, "--state": args.state}
    files = {option: path for option, path in files.items() if path != "-"}
    inputs = [folder / manifest.NAME, *(folder / tensor.file for case in cases for tensor in case.files)]
    outputs.check_paths(files, inputs)
    if args.level is not None and args.baseline is None:
        raise ActgradError(
            "check: --level needs --baseline; it says how far from the second device; add --baseline DIR"
        )
    if args.baseline is not None:
        _refuse_itself(folder, args.baseline, cases)
    names = None if args.standard is None else [name for name in args.standard if name != REPEAT]
    options = {
        "measured": names, "deciding": [name for name in (IN_FORCE if names is None else names) if name != REPEAT],
        "strict": args.strict,
        "product": args.product, "rules": args.rules, "profile": args.profile,
        "baseline": None if args.baseline is None else os.path.abspath(args.baseline),
        "level": args.level or cross_check.LEVEL,
        "operators": None if args.operators is None
        else [str(args.operators.resolve()), operator_files.digest(args.operators)],
    }  # fmt: skip
    by_id = {}
    try:
        with (
            _executor(args, cases, options) as execute,
            terminal.progress("judging", len(cases)) as advance,
            closing(trial.judge_all(folder, cases, options, execute, args.state)) as judged,
        ):
            for entry in judged:
                by_id[entry["id"]] = entry
                advance(1)
    except KeyboardInterrupt:
        lost = "the results are lost; use --state to keep them"
        words = f"{args.state} has the results; repeat the command to continue" if args.state else lost
        terminal.complain(f"check: interrupted: {len(by_id)} of {len(cases)} cases were judged; {words}")
        raise
    today = datetime.now(timezone.utc).date()
    entries = summary.with_waivers([_reproducible(args, by_id[case.id]) for case in cases], listed, today)
    digest = hashlib.sha256((folder / manifest.NAME).read_bytes()).hexdigest()
    facts = summary.settings(options, shlex.join(["actgrad", *sys.argv[1:]]), digest)
    if args.baseline is not None and all(_is_equal(folder, args.baseline, case) for case in cases):
        facts["second device"] = "all outputs are equal bit for bit, so the cross check shows nothing"
        terminal.complain(f"warning: --baseline {args.baseline}: {facts['second device']}")
    reports = {str(path) for path in files.values() if path is not None}
    surplus = [name for name in summary.surplus_files(folder, named) if not _is_among(folder / name, reports)]
    document = summary.report(entries, surplus, facts, None if args.case else design.coverage(cases))
    text = json.dumps(document, indent=1, allow_nan=False) + "\n"
    if args.html:
        outputs.write(args.html, summary.html(entries, document, facts, names or STANDARDS))
    if args.junit:
        outputs.write(args.junit, summary.junit(entries, document))
    if args.json == "-":
        terminal.show(text)
        terminal.complain(f"{document['verdict']}: {document['why']}")
    else:
        if args.json:
            outputs.write(args.json, text)
        terminal.show(terminal.rendered(summary.blocks(entries, document)))
    return bool(document["verdict"] == trial.ACCEPTED)


@contextmanager
def _executor(
    args: argparse.Namespace, cases: Sequence[DeliveryCase], options: Mapping[str, Any]
) -> Iterator[runner.Execute]:
    """Where the cases are judged: on a cluster, in several processes, or in this process."""
    is_known = trial.is_known_elsewhere(cases, options)
    if args.executor is None:
        yield runner.processes(min(args.jobs or cores(), len(cases)) if is_known else 1)
        return
    if not is_known:
        names = sorted({case.operator_name for case in cases if not hasattr(actgrad, case.operator_name)})
        raise ActgradError(
            f"--executor: {some(names)} exists only in this process; workers must know it; put it into a file and add "
            "--operators FILE"
        )
    with cluster.connected(args.executor) as execute:
        yield execute


def _refuse_itself(folder: Path, baseline: Path, cases: Sequence[DeliveryCase]) -> None:
    """Raise if the second device's outputs are the files of the delivery."""
    for one in (tensor.file for case in cases for tensor in case.outputs.values()):
        pair = folder / one, baseline / one
        if all(path.is_file() for path in pair) and os.path.samefile(*pair):
            fault = f"--baseline {baseline}: {one} is the delivery's own file"
            raise ActgradError(f"{fault}; it must be a second device's output; name the folder of that device")


def _is_equal(folder: Path, baseline: Path, case: DeliveryCase) -> bool:
    """Whether all outputs of a case are the same files as those of the second device."""
    folders = folder, baseline
    return all(len({trial.output_digest(one, tensor) for one in folders}) == 1 for tensor in case.outputs.values())


#: The options that change a verdict.
_OF_VERDICT = ("operators", "product", "rules", "profile", "baseline", "level")


def _reproducible(args: argparse.Namespace, entry: trial.Entry) -> trial.Entry:
    """The result of a case, with the command that repeats a failing case."""
    if "reproduce" not in entry:
        return entry
    given = [(f"--{name}", getattr(args, name)) for name in _OF_VERDICT]
    options = [str(word) for pair in given if pair[1] is not None and pair[1] != CANN for word in pair]
    options += ["--standard", ",".join(args.standard)] if args.standard else []
    options += ["--strict"] if args.strict else []
    command = reproduction.command(args.manifest, entry["id"], options)
    return {**entry, "reproduce": {"command": command, **entry["reproduce"]}}


def _chosen(args: argparse.Namespace, cases: list[DeliveryCase]) -> list[DeliveryCase]:
    """The cases that --case names, or all."""
    if not args.case:
        return cases
    known = [case.id for case in cases]
    for name in args.case:
        if name not in known:
            cure = did_you_mean(name, known, "see manifest.json")
            raise ActgradError(f"--case {name}: is not in {args.manifest}; it must be the id of a case; {cure}")
    return [case for case in cases if case.id in args.case]


def compare(args: argparse.Namespace) -> bool:
    """`actgrad check --compare OLD NEW`: report the differences. Return whether no case is broken."""
    old, new = map(comparison.read, args.compare)
    comparison.refuse_others(old, new)
    for words in comparison.differences(old, new):
        terminal.complain(terminal.printable(f"warning: the reports differ in {words}"))
    groups = comparison.compare(old, new)
    text = json.dumps({"format": "actgrad-comparison", **groups}, indent=1) + "\n"
    if args.json == "-":
        terminal.show(text)
    else:
        if args.json:
            outputs.write(args.json, text)
        terminal.show(terminal.rendered(comparison.lines(groups)))
    return not groups["broken"]


def _is_among(path: Path, paths: Iterable[str]) -> bool:
    return any(os.path.realpath(path) == os.path.realpath(other) for other in paths)
