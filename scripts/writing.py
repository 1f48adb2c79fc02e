"""What the programs here share that make a document, or a part of one: `--write`, and where the text goes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path


def parser(description: str | None, document: Path, example: str = "") -> argparse.ArgumentParser:
    """A command line with `--write`."""
    made = argparse.ArgumentParser(
        description=description,
        epilog=f"example:\n  {example}" if example else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--write", action="store_true", help=f"write it to {'/'.join(document.parts[-2:])}")
    return made


def page(description: str | None, document: Path, text: Callable[[], str]) -> None:
    """The whole of a program that prints a page or writes it."""
    if parser(description, document).parse_args().write:
        document.write_text(text(), encoding="utf-8")
    else:
        print(text(), end="")
