"""Types of arguments that commands share, and their parsers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

from ..base.errors import some

Subparsers = argparse._SubParsersAction


def add_command(
    subparsers: Subparsers[argparse.ArgumentParser], name: str, says: str, description: str, epilog: str
) -> argparse.ArgumentParser:
    """The parser of a command whose description and examples keep their lines."""
    form = argparse.RawDescriptionHelpFormatter
    return subparsers.add_parser(name, help=says, description=description, epilog=epilog, formatter_class=form)


def names(text: str) -> list[str]:
    """Words between commas, each once."""
    return list(dict.fromkeys(text.split(",")))


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """A whole number within bounds."""
    bounds = f"at least {low}" if high is None else f"from {low} to {high}"

    def number(text: str) -> int:
        if int(text) < low or (high is not None and int(text) > high):
            raise argparse.ArgumentTypeError(f"must be {bounds}, got {text}")
        return int(text)

    number.__name__ = "whole number"  # argparse shows it
    return number


def refuse_unknown(
    parser: argparse.ArgumentParser, option: str, given: Iterable[str] | None, known: Iterable[str]
) -> None:
    """End the program where a name is unknown."""
    for name in given or ():
        if name not in known:
            parser.error(f"{option}: {name!r} is unknown; known: {some(known, name)}")
