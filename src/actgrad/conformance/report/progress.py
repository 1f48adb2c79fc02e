"""The progress bar of a check, on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...writing import terminal


@contextmanager
def progress(name: str, total: int, is_long: bool = False) -> Iterator[Any]:
    """Show a bar; the function that it yields moves it by a count, and may name the step.

    A long run has long names, and shows the time that is left.
    """
    from rich import progress as rich

    width = 60 if is_long else 11
    columns = [rich.TextColumn(f"{{task.description:<{width}}}"), rich.BarColumn(), rich.TaskProgressColumn()]
    columns.append(rich.TimeElapsedColumn())
    if is_long:
        columns += [rich.TextColumn("left"), rich.TimeRemainingColumn()]
    with rich.Progress(*columns, console=terminal.progress_console()) as shown:
        bar = shown.add_task(name, total=total)
        yield lambda count, step=name: shown.update(bar, advance=count, description=step)
