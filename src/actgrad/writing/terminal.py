"""Standard output and standard error of the command line, which may be closed, full, or a pipe without a reader."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ..base.errors import ActgradError

_ANY_WIDTH = 10_000  # more columns than any table has
_FOLDED = 24  # least width of a folded column, in columns
LINE_SECONDS = 5.0  # seconds between lines of progress
WIDTH = 250  # columns of tables in a file, so that no row is folded
BROKEN_PIPE = 141  # the exit status of a program that SIGPIPE ended
_WRITABLE = "it must take what is written; redirect it to a file or a terminal"
Row = Sequence[str]  # the cells of a table


class OutputLost(ActgradError):
    """Nothing more can be written to standard output."""


def show(text: str) -> None:
    """Print lines to standard output at once. Raises OutputLost if they cannot be written."""
    if sys.stdout is None:
        raise OutputLost(f"standard output: is closed; {_WRITABLE}")
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    with _writing():
        # Write characters that this encoding lacks as escape sequences.
        sys.stdout.write(text.rstrip("\n").encode(encoding, "backslashreplace").decode(encoding) + "\n")
    flush()


def flush() -> None:
    """Write buffered text. Raises OutputLost if it cannot be written."""
    with _writing():
        if sys.stdout is not None:
            sys.stdout.flush()


@contextmanager
def _writing() -> Iterator[None]:
    """A context that replaces an OSError by OutputLost, except for a pipe without a reader."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(f"standard output: {error.strerror}; {_WRITABLE}") from error


def columns() -> int | None:
    """The width of the terminal, or None if standard output is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else None


def complain(text: str) -> None:
    """Print a message to standard error, if possible."""
    try:
        print(f"actgrad: {text}", file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def silence(stream: Any) -> None:
    """Discard all further output of a stream. Python flushes the stream at exit, and the flush must not fail."""
    try:
        number = stream.fileno()
    except (AttributeError, OSError, ValueError):  # no file
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)


def printable(text: str) -> str:
    """Text without control characters, which a terminal would obey. Each becomes an escape sequence."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def table(
    words: Sequence[str],
    numbers: Sequence[str],
    groups: Iterable[Iterable[Row]],
    title: str | None = None,
    caption: str | None = None,
    folded: str | None = None,
) -> Any:
    """A table of `rich`: columns of words, then columns of numbers. Rules separate the groups of rows.

    The text of the column `folded` may take several lines. A cell that begins with "!" or "FAILS" is highlighted.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    result = Table(
        title=title, caption=caption, box=box.SIMPLE, pad_edge=False, title_justify="left", caption_justify="left"
    )
    for name in words:
        is_folded = name == folded
        result.add_column(name, overflow="fold" if is_folded else "ellipsis", no_wrap=not is_folded)
    for name in numbers:
        result.add_column(name, justify="right", no_wrap=True)
    for group in groups:
        result.add_section()
        for row in group:
            result.add_row(*(Text(cell, "bold red" if cell.startswith(("!", "FAILS")) else "") for cell in row))
    return result


def rendered(parts: Iterable[Any]) -> str:
    """Tables and lines of `rich` as text, in the width of the terminal. Nothing is printed yet."""
    console = _console(sys.stdout)
    if not console.is_terminal:
        console.width = WIDTH
    with _writing(), console.capture() as text:  # rich flushes the stream even here
        _print(console, parts)
    return str(text.get())


def as_html(parts: Iterable[Any]) -> str:
    """Tables and lines of `rich` as preformatted HTML, escaped."""
    console = _console(io.StringIO(), record=True, width=WIDTH)
    _print(console, parts)
    return str(console.export_html(inline_styles=True, code_format="<pre>{code}</pre>"))


def _console(stream: Any, **options: Any) -> Any:
    from rich.console import Console

    class _Console(Console):
        def on_broken_pipe(self) -> None:  # rich would end the program with status 1
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    return _Console(file=stream, highlight=False, **options)


def _print(console: Any, parts: Iterable[Any]) -> None:
    size = console.size
    for part in parts:
        if isinstance(part, str):
            console.print(part, markup=False, soft_wrap=True)
        else:  # a terminal folds a long line, but rich would cut its figures
            console.size = (max(size.width, _needed(console, part)), size.height)
            console.print(part, markup=False)
            console.size = size


def _needed(console: Any, part: Any) -> int:
    """The width at which no cell of a table is cut. Only a folded column may be narrower."""
    from rich.measure import Measurement

    width = Measurement.get(console, console.options.update(width=_ANY_WIDTH), part).maximum
    for column in part.columns:
        if not column.no_wrap:
            longest = max(map(len, map(str, (column.header, *column.cells))))
            width -= max(0, longest - _FOLDED)
    return int(width)


@contextmanager
def progress(name: str, total: int) -> Iterator[Any]:
    """Show a bar on standard error. Without a terminal, print a line every few seconds and at the end.

    The function that it yields moves the bar by a count, and may name the step.
    """
    if not sys.stderr.isatty():
        yield _lines_of_progress(name, total)
        return
    from rich import progress as rich

    columns = (*rich.Progress.get_default_columns(), rich.TimeElapsedColumn())
    with rich.Progress(*columns, console=_console(sys.stderr)) as display:
        bar = display.add_task(name, total=total)
        yield lambda count, step=name: display.update(bar, advance=count, description=step)


def _lines_of_progress(name: str, total: int) -> Any:
    count, last = 0, time.monotonic()

    def advance(more: int, step: str = name) -> None:
        nonlocal count, last
        count += more
        if count >= total or time.monotonic() - last > LINE_SECONDS:
            last = time.monotonic()
            with suppress(OSError):
                print(f"{step}: {count:,} of {total:,}", file=sys.stderr, flush=True)

    return advance
