"""`python -m benchmarks training` and `sdk`: measured tables of docs/torch-reference.md and docs/sdk-internals.md."""

from __future__ import annotations

import argparse
import importlib
from functools import partial
from pathlib import Path
from typing import NamedTuple

from . import machine

DOCS = Path(__file__).parents[1] / "docs"


class Measured(NamedTuple):
    """A measured part of a document; the module has a function `tables`."""

    module: str
    document: Path
    part: str
    says: str


TABLES = {
    "training": Measured(
        "training", DOCS / "torch-reference.md", "training", "training with PyTorch: memory, exactness, time"
    ),
    "sdk": Measured("sdk_calls", DOCS / "sdk-internals.md", "times", "programs of the C SDK, compared with Python"),
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands."""
    for name, measured in TABLES.items():
        parser = subparsers.add_parser(
            name, help=measured.says, description=f"Measure {measured.says}.",
            epilog=f"example:\n  python -m benchmarks {name} --write",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        parser.add_argument("--write", action="store_true", help=f"put the tables into docs/{measured.document.name}")
        parser.set_defaults(run=partial(_run, measured))


def _run(measured: Measured, given: argparse.Namespace) -> int:
    load = machine.load()
    tables = importlib.import_module(f".{measured.module}", __package__).tables()
    text = f"Measured on: {machine.line()}; load average before: {load}.\n\n{tables}\n"
    print(text)
    if given.write:
        importlib.import_module("actgrad.writing.documents").write_part(measured.document, measured.part, text)
    return 0
