"""Documents with a generated part between two markers: `<!-- name -->` and `<!-- /name -->`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..base.errors import ActgradError, system_fault
from . import outputs


def markers(name: str) -> tuple[str, str]:
    """The lines before and after the part called `name`."""
    return f"<!-- {name} -->", f"<!-- /{name} -->"


def part(document: str, name: str) -> str:
    """The text between the markers. Raises ActgradError if a marker is missing."""
    return _split(document, name)[1]


def with_part(document: str, name: str, text: str) -> str:
    """The document with `text` between the markers. If it is up to date, it is returned unchanged."""
    before, _, after = _split(document, name)
    begin, end = markers(name)
    return f"{before}{begin}\n{text.strip(chr(10))}\n{end}{after}"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows as a Markdown table."""
    lines = ["| " + " | ".join(headings) + " |", "| --- " * len(headings) + "|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def read(path: Path, name: str) -> str:
    """A document that has the markers of the part called `name`. Otherwise, an ActgradError names the file."""
    try:
        document = path.read_text(encoding="utf-8")
        part(document, name)
    except OSError as error:
        raise ActgradError(f"{path}: {system_fault(error)}") from error
    except UnicodeDecodeError as error:
        fault = f"{path}: has {error.reason} at byte {error.start}"
        raise ActgradError(f"{fault}; it must be text in UTF-8; save it again") from error
    except ActgradError as error:
        raise ActgradError(f"{path}: {error}") from None
    return document


def write_part(path: Path, name: str, text: str) -> None:
    """Put `text` between the markers of a file. The whole file is replaced."""
    outputs.write(path, with_part(read(path, name), name, text))


def _split(document: str, name: str) -> tuple[str, str, str]:
    begin, end = markers(name)
    before, found_begin, rest = document.partition(begin)
    inside, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise ActgradError(f"has no place for the table; it must have the lines {begin} and {end}; add them")
    return before, inside.strip("\n"), after
