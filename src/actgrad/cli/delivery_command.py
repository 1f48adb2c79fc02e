"""`actgrad check --manifest DIR`: judges all cases of a delivery and writes the reports."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from ..backends import cores
from ..judge.delivery import manifest, summary, trial
from ..judge.standards import IN_FORCE, REPEAT, STANDARDS
from ..writing import outputs, terminal


def run(args: argparse.Namespace) -> bool:
    """Judge, report and decide. Return whether all cases are accepted."""
    folder = args.manifest
    cases = manifest.read(folder)
    files = {"--json": args.json, "--html": args.html, "--junit": args.junit, "--state": args.state}
    files = {option: path for option, path in files.items() if path != "-"}
    inputs = [folder / manifest.NAME, *(folder / tensor.file for case in cases for tensor in case.files)]
    outputs.check_paths(files, inputs)
    names = None if args.standard is None else [name for name in args.standard if name != REPEAT]
    options = {
        "measured": names, "deciding": [name for name in (IN_FORCE if names is None else names) if name != REPEAT],
        "strict": args.strict,
        "product": args.product, "rules": args.rules,
    }  # fmt: skip
    jobs = min(args.jobs or cores(), len(cases))
    by_id = {}
    try:
        judged = trial.judge_all(folder, cases, options, jobs, args.state)
        with terminal.progress("judging", len(cases)) as advance, closing(judged):
            for entry in judged:
                by_id[entry["id"]] = entry
                advance(1)
    except KeyboardInterrupt:
        lost = "the results are lost; use --state to keep them"
        words = f"{args.state} has the results; repeat the command to continue" if args.state else lost
        terminal.complain(f"check: interrupted: {len(by_id)} of {len(cases)} cases were judged; {words}")
        raise
    entries = [by_id[case.id] for case in cases]
    digest = hashlib.sha256((folder / manifest.NAME).read_bytes()).hexdigest()
    facts = summary.settings(options, shlex.join(["actgrad", *sys.argv[1:]]), digest)
    reports = {str(path) for path in files.values() if path is not None}
    surplus = [name for name in summary.surplus_files(folder, cases) if not _is_among(folder / name, reports)]
    document = summary.report(entries, surplus, facts)
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


def write_cases(args: argparse.Namespace) -> int:
    """`actgrad check --cases FILE --tensors DIR`: write a file's cases as a delivery. Return the exit status."""
    from ..ascend.cases import case_files, delivered  # the wing need not be there for other modes

    listed = case_files.read(args.cases)
    with terminal.progress("cases", len(listed)) as advance:
        written = manifest.write(args.tensors, delivered.of_file(listed, args.seed), args.seed, advance)
    left_out = len(listed) - len(written)
    remark = f"; {left_out} cannot be run, or must be refused" if left_out else ""
    print(f"{args.tensors}: {len(written)} of {len(listed)} cases{remark}", file=sys.stderr)
    return 0


def _is_among(path: Path, paths: Iterable[str]) -> bool:
    return any(os.path.realpath(path) == os.path.realpath(other) for other in paths)
