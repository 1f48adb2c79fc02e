"""The command line: `python -m benchmarks COMMAND`. Exit status: 1 for a wrong result, 2 for any other error."""

from __future__ import annotations

import argparse
import sys

import actgrad

from . import ceiling, compare, documents, page, plots, power_command, rows, run_command, trials_command
from .verify import WrongResult

COMMANDS = (run_command, ceiling, compare, plots, rows, page, documents, power_command, trials_command)


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Benchmarks of actgrad, compared with other libraries and with the machine's limits.",
        epilog="examples:\n  python -m benchmarks run --quick\n  python -m benchmarks compare before.json after.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in COMMANDS:
        module.add_parser(subparsers)
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = parser().parse_args(arguments)
    try:
        status: int = given.run(given)
    except (actgrad.ActgradError, OSError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1 if isinstance(error, WrongResult) else 2
    except ImportError as error:
        print(f"benchmarks: {error}; make .venv/dev installs all that the benchmarks need", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
