"""`actgrad check --exhaustive`: its progress bar, its table, its exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..base.errors import ActgradError
from ..calls.operator import REGISTRY, Operator
from ..conformance.exhaustive import resumption, table
from ..conformance.exhaustive.resumption import Done, Folder, default_folder
from ..conformance.exhaustive.sweep import DTYPES, Item
from ..writing import documents, terminal


def run(
    operators: Sequence[Operator], dtypes: Sequence[str], every: int, state: Path | None, write: Path | None
) -> tuple[bool, str]:
    """Whether every bound holds, and what to print; the document `write` gets all that is finished in `state`."""
    folder = state or default_folder()
    if folder is None:
        raise ActgradError("check: --exhaustive keeps what it finds in a folder: name one with --state")
    if folder.exists() and not folder.is_dir():
        raise ActgradError(f"check: --state {folder}: is no folder")
    if write is not None:
        documents.read(write, table.PART)  # refused before hours of work
    wanted = resumption.items(operators, dtypes, every)
    if not wanted:
        raise ActgradError(f"check: none of {', '.join(o.name for o in operators)} takes {', '.join(dtypes)}")
    kept = Folder(folder)
    with _progress(wanted) as advance:
        done = list(resumption.run(wanted, kept, advance))
    if write is not None:
        every_item = resumption.items(list(REGISTRY.values()), DTYPES, 1)
        finished, stale = table.finished(kept, every_item, resumption.marks(every_item))
        documents.write_part(write, table.PART, table.markdown(finished))
        if stale:
            one = f"{stale[0].operator.name} {stale[0].dtype}"
            left_out = f"{len(stale)} sweeps in {folder} are unfinished or of other code, such as {one}"
            print(f"actgrad: {left_out}: left out of the table", file=sys.stderr)
    faults = [line for one in done if table.fault_count(one) for line in table.fault_lines(one)]
    return not any(map(table.fault_count, done)), _text(done, faults)


def _text(done: list[Done], faults: list[str]) -> str:
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE, pad_edge=False)
    for k, heading in enumerate(table.HEADINGS):
        shown.add_column(heading.replace(", ", ",\n"), no_wrap=k != 1, justify="left" if k < 3 else "right")
    for row in table.rows(done):
        shown.add_row(*row)
    return terminal.rendered([shown, *faults, f"exact values: {done[0].state.verified}"])


@contextmanager
def _progress(wanted: list[Item]) -> Iterator[Callable[[Item, int], None]]:
    """A progress bar on standard error."""
    from rich import progress as rich

    columns = (
        rich.TextColumn("{task.description:<60}"), rich.BarColumn(), rich.TaskProgressColumn(),
        rich.TimeElapsedColumn(), rich.TextColumn("left"), rich.TimeRemainingColumn(),
    )  # fmt: skip
    with rich.Progress(*columns, console=terminal.progress_console()) as progress:
        bar = progress.add_task("", total=sum(item.count for item in wanted))

        def advance(item: Item, count: int) -> None:
            progress.update(bar, advance=count, description=f"{item.operator.name} {item.dtype} {item.words}"[:60])

        yield advance
