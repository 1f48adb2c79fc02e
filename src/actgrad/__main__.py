"""The command line: `actgrad COMMAND`, or `python -m actgrad COMMAND`.

A command is a module with `add_parser(subparsers)`, which sets `run`: arguments -> exit status. Its data go to standard
output, its progress to standard error. The exit status is 0, 1 for an error that the command met, 2 for a wrong call.
"""

from __future__ import annotations

import argparse
import os
import sys

from . import __version__, bench, cache, catalogue, conformance, demo, sdk
from .conformance import casefiles
from .errors import ActgradError

COMMANDS = (catalogue, conformance, casefiles, bench, sdk, cache, demo)


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="actgrad",
        description="Activation functions and their gradients, to the contract of the CANN aclnn operators.",
        epilog="examples:\n  actgrad demo\n  actgrad list --json\n  actgrad --version --verbose",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="store_true", help="print the version and exit")
    top.add_argument("--verbose", action="store_true", help="with --version: also what it computes with")
    subparsers = top.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for module in COMMANDS:
        module.add_parser(subparsers)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    try:
        try:
            return _run(parser(), argv)
        finally:
            sys.stdout.flush()  # here, where a closed pipe can still be answered
    except ActgradError as error:
        print(f"actgrad: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader has what it wanted
        # Python flushes once more at exit, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130  # the shell's number for an interrupt


def _run(top: argparse.ArgumentParser, argv: list[str] | None) -> int:
    arguments = top.parse_args(argv)
    if arguments.version:
        print(_versions(arguments.verbose))
        return 0
    if arguments.command is None:
        top.error("a command is missing; actgrad --help lists them")
    status: int = arguments.run(arguments)
    return status


def _versions(is_verbose: bool) -> str:
    if not is_verbose:
        return f"actgrad {__version__}"
    from . import about  # loads LLVM, through what it asks

    return about.report()


if __name__ == "__main__":
    sys.exit(main())
