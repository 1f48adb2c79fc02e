"""How many wrong kernels each acceptance standard accepts: seeded mutations of each operator's formula are judged."""

from __future__ import annotations

import argparse
from pathlib import Path

DTYPES = ("float16", "bfloat16", "float32")
MUTATIONS = 50


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "power", help="how many wrong kernels each acceptance standard accepts", description=__doc__,
        epilog="example:\n  python -m benchmarks power gelu softmax --dtypes float16 --seed 1",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("operator", nargs="*", metavar="OPERATOR", help="names as in actgrad list (default: all)")
    parser.add_argument("--dtypes", default=",".join(DTYPES), metavar="A,B,...", help="(default: %(default)s)")
    parser.add_argument("--mutations", type=int, default=MUTATIONS, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all counts, and the accepted mutations")
    parser.add_argument("--write", action="store_true", help="put the table into docs/power.md")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    from . import power  # the other commands need public names alone

    return power.run(given)
