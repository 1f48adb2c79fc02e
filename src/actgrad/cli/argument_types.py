"""Types of arguments that commands share, and their parsers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

from ..base.errors import some

Subparsers = argparse._SubParsersAction


def add_command(
    subparsers: Subparsers[argparse.ArgumentParser], name: str, says: str, text: str | None, lists: str = ""
) -> argparse.ArgumentParser:
    """The parser of a command. Its module's docstring is its help, from "examples:" on below the options.

    `lists` stands before the examples. Lines stay as they are.
    """
    description, _, examples = (text or "").partition("\nexamples:\n")
    form = argparse.RawDescriptionHelpFormatter
    epilog = f"{lists}\nexamples:\n{examples}"
    return subparsers.add_parser(name, help=says, description=description, epilog=epilog, formatter_class=form)


def one_of(known: Iterable[str]) -> Callable[[str], str]:
    """A name that is known when the command line is parsed."""

    def name(text: str) -> str:
        if text not in known:
            raise argparse.ArgumentTypeError(f"{text!r} is unknown; known: {some(known, text)}")
        return text

    return name


def names(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Known names between commas, each once."""
    return lambda text: [one_of(known)(name) for name in dict.fromkeys(text.split(","))]


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """A whole number within bounds."""
    bounds = f"at least {low}" if high is None else f"from {low} to {high}"

    def number(text: str) -> int:
        if int(text) < low or (high is not None and int(text) > high):
            raise argparse.ArgumentTypeError(f"must be {bounds}, got {text}")
        return int(text)

    number.__name__ = "whole number"  # argparse shows it
    return number
