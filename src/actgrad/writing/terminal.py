"""Standard output and standard error of the command line, which may be closed, full, or a pipe without a reader."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..base.errors import ActgradError

WIDTH = 250  # columns of tables in a file, which has no edge to fold rows at
BROKEN_PIPE = 141  # the shell's number for a program that SIGPIPE ended
Row = Sequence[str]  # the cells of a table


class OutputLost(ActgradError):
    """Standard output takes no more."""


def show(text: str) -> None:
    """Print lines to standard output at once; OutputLost when they cannot be written."""
    if sys.stdout is None:
        raise OutputLost(f"standard output: {os.strerror(errno.EBADF)}")
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    with _writing():
        # Characters that this encoding lacks are written by their numbers.
        sys.stdout.write(text.rstrip("\n").encode(encoding, "backslashreplace").decode(encoding) + "\n")
    flush()


def flush() -> None:
    """Write buffered text; OutputLost when it cannot be written."""
    with _writing():
        if sys.stdout is not None:
            sys.stdout.flush()


@contextmanager
def _writing() -> Iterator[None]:
    """Within, errors of the system are OutputLost, but for a pipe without a reader."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(f"standard output: {error.strerror}") from error


def complain(text: str) -> None:
    """Print a message to standard error, as far as it takes one."""
    try:
        print(f"actgrad: {text}", file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def silence(stream: Any) -> None:
    """Send the rest of a stream nowhere: Python flushes once more at exit, which must not fail again."""
    try:
        number = stream.fileno()
    except (AttributeError, OSError, ValueError):  # no file
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)


def printable(text: str) -> str:
    """Text without control characters, which a terminal would obey: each by its number."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


class _Text(io.StringIO):
    """Text for standard output: rich draws tables in characters of its encoding."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(sys.stdout, "encoding", None) or "utf-8"


@dataclass(frozen=True)
class Grid:
    """A table: columns of words, then columns of numbers; rules part the groups of rows."""

    words: Sequence[str]  # headings
    numbers: Sequence[str]
    groups: Sequence[Sequence[Row]]
    title: str = ""
    caption: str = ""
    folded: int | None = None  # the column whose text may take several lines

    def __rich__(self) -> Any:
        """The table in rich's terms."""
        from rich import box
        from rich.table import Table

        shape: Any = {"box": box.SIMPLE, "pad_edge": False, "title_justify": "left", "caption_justify": "left"}
        table = Table(title=self.title or None, caption=self.caption or None, **shape)
        for k, name in enumerate((*self.words, *self.numbers)):
            text: Any = {"justify": "left" if k < len(self.words) else "right"}
            text |= {"overflow": "fold"} if k == self.folded else {"no_wrap": True}
            table.add_column(name, **text)
        for group in self.groups:
            table.add_section()
            for row in group:
                table.add_row(*row)
        return table


def rendered(parts: Iterable[Any]) -> str:
    """Tables and lines of `rich` as text, in the width of the terminal. Nothing is written yet."""
    from rich.console import Console

    terminal, text = Console(), _Text()
    width = terminal.width if terminal.is_terminal else WIDTH
    console = Console(file=text, highlight=False, force_terminal=terminal.is_terminal, width=width)
    for part in parts:
        console.print(part, markup=False, soft_wrap=isinstance(part, str))
    return text.getvalue()


def progress_console() -> Any:
    """The console of progress bars: standard error. A pipe without a reader is a BrokenPipeError there too."""
    from rich.console import Console

    class _Console(Console):
        def on_broken_pipe(self) -> None:  # rich would end the program with 1
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    return _Console(stderr=True)


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
    with rich.Progress(*columns, console=progress_console()) as shown:
        bar = shown.add_task(name, total=total)
        yield lambda count, step=name: shown.update(bar, advance=count, description=step)
