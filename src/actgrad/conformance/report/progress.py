"""The progress bar of a check, on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...writing import terminal


@contextmanager
def progress(name: str, total: int) -> Iterator[Any]:
    """Show a bar; the function that it yields moves it by a count."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<11}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=terminal.progress_console()) as shown:
        bar = shown.add_task(name, total=total)
        yield lambda count: shown.advance(bar, count)
