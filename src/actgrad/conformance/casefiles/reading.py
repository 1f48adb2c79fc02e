"""A file of cases of either format, by its suffix."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..sizes import UnreadableFile, available_memory
from . import atk, ttk
from .described import Described

FORMATS: dict[str, ModuleType] = {"atk": atk, "ttk": ttk}
SUFFIXES = {".json": "atk", ".csv": "ttk"}
_QUOTED = re.compile(r"""(['"])(.*?)\1""", re.S)
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


def named_files(path: Path, cases: Sequence[Described]) -> list[str]:
    """The files that any field of the cases names, from this folder or from that of the case file."""
    words: set[str] = set()
    held: list[Any] = [case.raw for case in cases]
    while held:
        value = held.pop()
        if isinstance(value, dict):
            held += value.values()
        elif isinstance(value, list):
            held += value
        elif isinstance(value, str):
            words |= {value, *(quoted[1] for quoted in _QUOTED.findall(value))}  # cells of TTK's quote names
    found = [name for word in words if "\0" not in word for name in (word, os.path.join(path.parent, word))]
    return sorted({name for name in found if os.path.isfile(name)})
