"""A file of cases of either format, by its suffix."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from ..files import UnreadableFile, available_memory
from . import atk, ttk
from .described import Described

FORMATS: dict[str, ModuleType] = {"atk": atk, "ttk": ttk}
SUFFIXES = {".json": "atk", ".csv": "ttk"}
_TIMES = 20  # memory that the text of a file takes once it is read, in its own size


def format_of(path: Path) -> str:
    """The format of a file: atk or ttk."""
    name = SUFFIXES.get(path.suffix.lower())
    if name is None:
        raise UnreadableFile(f"{path}: the suffix says which format it has: .json for ATK's, .csv for TTK's")
    return name


def read(path: Path) -> list[Described]:
    """The cases of a file; UnreadableFile, naming file, case and field, for one that is damaged."""
    module = FORMATS[format_of(path)]
    try:
        if not path.is_file():
            raise UnreadableFile(f"{path}: {'is no file' if path.exists() else 'no such file'}")
        free = available_memory()
        if free is not None and _TIMES * path.stat().st_size > free:
            raise UnreadableFile(f"{path}: {path.stat().st_size} bytes are too many to be read")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path}: is no text: {error.reason} at byte {error.start}") from error
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror or error}") from error
    cases: list[Described] = module.read(path, text)
    return cases
