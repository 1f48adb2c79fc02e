"""The command line: `actgrad COMMAND`, or `python -m actgrad COMMAND`.

A command is a module with `add_parser(subparsers)`, which sets `run`: arguments -> exit status. Its data go to standard
output, its progress to standard error. The exit status is 0; 1 for a negative judgement (`check` rejects, `sdk --check`
finds something missing); 2 for a wrong call, a file that cannot be used, or any other error, which is one line; 141 for
a pipe without a reader.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from .. import __version__
from ..base.errors import ActgradError
from ..sdk.prefix import SdkError
from ..writing import terminal
from . import cache_command, cases_command, check_command, demo_command, list_command, moved_command, sdk_command

ERROR = 2
INTERRUPTED = 130  # the shell's number for an interrupt
COMMANDS = (list_command, check_command, cases_command, sdk_command, cache_command, demo_command, moved_command)


class _Parser(argparse.ArgumentParser):
    """A parser whose help ends as all output does when it cannot be written; argparse would say nothing."""

    def print_help(self, file: Any = None) -> None:
        if file is None:
            terminal.show(self.format_help())
        else:
            super().print_help(file)


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = _Parser(
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
    if sys.stderr is None:  # closed: print(file=None) would write to standard output
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  for the life of the process
    try:
        try:
            return _run(parser(), argv)
        finally:
            terminal.flush()  # here, where a failure can still be answered
    except BrokenPipeError:  # the reader has closed the pipe
        terminal.silence(sys.stdout)
        terminal.silence(sys.stderr)
        return terminal.BROKEN_PIPE
    except ActgradError as error:
        if isinstance(error, terminal.OutputLost):
            terminal.silence(sys.stdout)
        # A compiler's words have several lines.
        lines = str(error).expandtabs().split("\n") if isinstance(error, SdkError) else [str(error)]
        terminal.complain("\n".join(map(terminal.printable, lines)))
        return ERROR
    except OSError as error:
        terminal.complain(terminal.printable(_fault(error)))
    except MemoryError:
        terminal.complain("memory does not suffice")
    except KeyboardInterrupt:
        return INTERRUPTED
    return ERROR


def _fault(error: OSError) -> str:
    """The file of an error and its cause, in one line."""
    words = error.strerror or str(error) or type(error).__name__
    if error.filename is not None:
        return f"{error.filename}: {words}"
    try:
        os.getcwd()
    except OSError:
        return f"the working folder: {words}"
    return words


def _run(top: argparse.ArgumentParser, argv: list[str] | None) -> int:
    arguments = top.parse_args(argv)
    if arguments.version:
        terminal.show(_versions(arguments.verbose))
        return 0
    if arguments.command is None:
        top.error("a command is missing; actgrad --help lists them")
    status: int = arguments.run(arguments)
    return status


def _versions(is_verbose: bool) -> str:
    if not is_verbose:
        return f"actgrad {__version__}"
    from . import version_command  # its imports load LLVM

    return version_command.report()
