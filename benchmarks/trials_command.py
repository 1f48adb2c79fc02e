"""Tries the judge: right outputs, of which it must reject none, and wrong outputs, of which it must accept none."""

from __future__ import annotations

import argparse

CASES, SEEDS = 9, 5
OPERATORS = 50


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "trials", help="try the judge with right and with wrong outputs", description=__doc__,
        epilog="examples:\n  python -m benchmarks trials right softmax --seeds 1\n"
        "  python -m benchmarks trials wrong --seed 4",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("outputs", choices=("right", "wrong"), help="what the judge gets")
    parser.add_argument("operator", nargs="*", metavar="OPERATOR", help="names as in actgrad list (default: all)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the first random seed (default: 0)")
    parser.add_argument("--seeds", type=int, default=SEEDS, metavar="N", help="right: seeds (default: %(default)s)")
    words = "right: cases of each operator and seed (default: %(default)s)"
    parser.add_argument("--cases", type=int, default=CASES, metavar="N", help=words)
    words = "wrong: operators that get a mistake in each of three dtypes (default: %(default)s)"
    parser.add_argument("--operators", type=int, default=OPERATORS, metavar="N", help=words)
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    from . import trials  # the other commands need public names alone

    return trials.run(given)
