"""The commands: those of the core, and those of each wing that is there.

A folder of the package that has commands names them in a file `commands.json`: the words, and for each its module and
its summary. "kernel check" is an action of the command `kernel`. A module has `add_arguments(parser)`, which sets
`run`, a function from the parsed arguments to an exit status. It is imported when its command is used, not before.

Words without a summary are not listed. They name a module that another command asks for: "--version" a module with
`lines()`, and "check --cases" the reader of case files.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from .parsing import Parser

_PACKAGE = Path(__file__).parents[1]
_NAME = "commands.json"


@dataclass(frozen=True)
class Command:
    """A command, an action of a command, or a module that a command asks for."""

    words: str
    module: str  # within the package
    summary: str

    def load(self) -> ModuleType:
        """The module."""
        return importlib.import_module(f".{self.module}", __package__.rpartition(".")[0])

    def fill(self, parser: Parser) -> None:
        """Add the help and the arguments of the command."""
        self.load().add_arguments(parser)


@cache
def _all() -> tuple[Command, ...]:
    """What the folders of the package name, in the order of the words. Left out is what needs a missing wing."""
    return tuple(
        Command(words, f"{path.parent.name}.{entry['module']}", entry.get("summary", ""))
        for words, path, entry in sorted(
            (words, path, entry)
            for path in _PACKAGE.glob(f"*/{_NAME}")
            for words, entry in json.loads(path.read_text(encoding="utf-8")).items()
        )
        if all((_PACKAGE / wing / "__init__.py").exists() for wing in entry.get("needs", ()))
    )


def listed(under: str = "") -> dict[str, Command]:
    """The commands, or the actions under a command, by their last word."""
    prefix = f"{under} " if under else ""
    words = {each.words.removeprefix(prefix): each for each in _all() if each.words.startswith(prefix) and each.summary}
    return {word: each for word, each in words.items() if " " not in word}


def modules(words: str) -> list[ModuleType]:
    """The modules with these words, one of each wing that has it."""
    return [each.load() for each in _all() if each.words == words]


def add(subparsers: argparse._SubParsersAction[Parser], under: str = "") -> None:
    """Add a parser for each command, or for each action under a command."""
    for word, command in listed(under).items():
        subparsers.add_parser(word, help=command.summary).fill = command.fill
