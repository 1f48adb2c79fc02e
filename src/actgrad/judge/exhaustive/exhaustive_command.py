"""`actgrad check --exhaustive`: its progress bar, its table, its exit status."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext

from ...base.errors import ActgradError, either, some
from ...calls.operator import REGISTRY
from ...writing import documents, terminal
from .. import cluster, runner
from ..files import operator_files
from ..verdict import Decision
from . import resumption, table
from .sweep import DTYPES, Item


def run(args: argparse.Namespace) -> bool:
    """Print the table of all sweeps, and write the finished sweeps into a document.

    Return whether every bound holds.
    """
    folder, write = args.state or resumption.default_folder(), args.write
    names, dtypes = list(dict.fromkeys(args.operator)) or list(REGISTRY), args.dtype or DTYPES
    if folder is None:
        raise ActgradError(
            "check: no home folder was found; --exhaustive needs a folder for its state; add --state DIR"
        )
    if folder.exists() and not folder.is_dir():
        raise ActgradError(f"check: --state {folder}: is a file; it must be a folder; name another one")
    if write is not None:
        documents.read(write, table.PART)  # raises before hours of work
    tasks = resumption.items([REGISTRY[name] for name in names], dtypes, args.every or 1, args.defaults)
    if not tasks:
        raise ActgradError(
            f"check: {some(names)} cannot be swept in {either(dtypes)}; --exhaustive needs operators that take the "
            "dtype and read one number each; name another operator or dtype"
        )
    operators = None
    if args.operators is not None:
        operators = str(args.operators.resolve()), operator_files.digest(args.operators)
    try:
        with terminal.progress("", sum(item.count for item in tasks)) as advance:

            def show(item: Item, count: int) -> None:
                advance(count, f"{item.operator.name} {item.dtype} {item.words}"[:60])

            with (
                nullcontext(runner.in_threads) if args.executor is None else cluster.connected(args.executor) as execute
            ):
                done = list(resumption.sweep_all(tasks, folder, show, execute, operators))
    except KeyboardInterrupt:
        terminal.complain(f"check: interrupted: {folder} has the results; repeat the command to continue")
        raise
    if write is not None:
        every_item = resumption.items(list(REGISTRY.values()), DTYPES, 1)
        finished, stale = resumption.finished(folder, every_item)
        documents.write_part(write, table.PART, table.markdown(finished))
        if stale:
            sample = f"{stale[0].operator.name} {stale[0].dtype}"
            left_out = f"{len(stale)} sweeps in {folder} are unfinished or of other code, such as {sample}"
            print(f"actgrad: {left_out}; the table has only finished sweeps; run the others again", file=sys.stderr)
    faults = [state for state in done if table.fault_count(state)]
    lines = [line for state in faults for line in table.fault_lines(state)]
    headings = [heading.replace(", ", ",\n") for heading in table.HEADINGS]
    figures = terminal.table(headings[:3], headings[3:], [table.rows(done)], folded=headings[1])
    decision = Decision(not faults, f"{'numbers are' if faults else 'no number is'} beyond actgrad's own bounds")
    terminal.show(terminal.rendered([figures, *lines, f"exact values: {done[0].verified}", str(decision)]))
    return not faults
