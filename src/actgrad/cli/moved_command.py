"""`actgrad bench` and `actgrad plot`: where benchmarks went. Out with version 0.3."""

from __future__ import annotations

import argparse
from functools import partial

from ..base.errors import ActgradError
from .argument_types import Subparsers

NOW = {
    "bench": "python -m benchmarks run, with the same options; its compare is for --base",
    "plot": "python -m benchmarks plot RESULTS.json PICTURE.svg",
}


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add the names without listing them; all that follows a name is taken."""
    for name in NOW:
        parser = subparsers.add_parser(name, add_help=False, prefix_chars="\0")
        parser.add_argument("anything", nargs="*")
        parser.set_defaults(run=partial(_run, name))


def _run(name: str, arguments: argparse.Namespace) -> int:
    raise ActgradError(f"{name}: benchmarks are not installed any more; in a clone of the project: {NOW[name]}")
