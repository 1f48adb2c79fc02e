"""The command line: `actgrad COMMAND`, or `python -m actgrad COMMAND`.

`commands` knows which commands there are. A command prints its data to standard output, and its progress to standard
error.

Exit statuses: 0 for success. 1 for a negative judgement: `check` rejects, or `sdk --check` finds something missing. 2
for a usage error, a file that cannot be used, or any other error; each prints one line. 141 for a pipe without a
reader.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback

from .. import __version__
from ..base.errors import ActgradError, system_fault
from ..writing import terminal
from . import commands
from .parsing import ERROR, Parser, options_first

_STARTS = """\
Run Ascend operators, judge kernels and train models on a PC, without an NPU. What do you want to do?

  run a C or C++ program            actgrad sdk --check program.cpp, then actgrad sdk --run program.cpp
  run and judge an Ascend C kernel  actgrad kernel check kernel.cpp --operator elu --tiling tiling.json ...
  judge outputs from any device     actgrad check elu --inputs x.npy --actual y.npy
  see the data types on your chip   actgrad list gelu --product Ascend310P
  lower a PyTorch model's memory    in Python: actgrad.torch.report(model, inputs), then actgrad.torch.convert(model)
  understand a status (161002)      in C: aclGetRecentErrMsg() says the reason; docs/statuses.md lists all statuses"""
INTERRUPTED = 130  # the exit status of a program that an interrupt ended


def parser() -> Parser:
    """The parser of the whole command line."""
    top = Parser(
        prog="actgrad",
        usage="actgrad COMMAND ...    (actgrad COMMAND --help has examples)",
        description=_STARTS,
        epilog="examples:\n  actgrad demo\n  actgrad list\n  actgrad check elu\n  actgrad --version --verbose",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("-V", "--version", action="store_true", help="print the version and exit")
    top.add_argument(
        "--verbose",
        action="store_true",
        help="with --version: also the versions of libraries, the processor and the backends",
    )
    subparsers = top.add_subparsers(prog="actgrad", title="commands", metavar="COMMAND", dest="command")
    commands.add(subparsers)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    if sys.stderr is None:  # standard error is closed, and print(file=None) would write to standard output
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  for the life of the process
    try:
        try:
            return _run(parser(), argv)
        finally:
            terminal.flush()  # flush here, because a later failure could not be reported
    except BrokenPipeError:  # the reader has closed the pipe
        terminal.silence(sys.stdout)
        terminal.silence(sys.stderr)
        return terminal.BROKEN_PIPE
    except ActgradError as error:
        if isinstance(error, terminal.OutputLost):
            terminal.silence(sys.stdout)
        lines = str(error).expandtabs().split("\n") if error.has_lines else [str(error)]
        terminal.complain("\n".join(map(terminal.printable, lines)))
        return ERROR
    except OSError as error:
        terminal.complain(terminal.printable(_fault(error)))
    except MemoryError:
        terminal.complain("memory ran out; the command needs more; free memory or give it smaller inputs")
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # Python's own status for it would be that of a rejected output
        terminal.complain(terminal.printable(_internal_error(error)))
    return ERROR


def _internal_error(error: Exception) -> str:
    """One line for a fault of this program: the exception, and the line of code that raised it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    cause = " ".join(f"{type(error).__name__}: {error}".split())
    return f"internal error: {cause}, raised at {last.filename}:{last.lineno}; report this line with the command"


def _fault(error: OSError) -> str:
    """One line for an error: the file, the cause and what to do."""
    if error.filename is not None:
        return f"{error.filename}: {system_fault(error)}"
    try:
        os.getcwd()
    except OSError:
        return "the working folder was removed; it must exist; change to another folder"
    return system_fault(error)


def _run(top: Parser, argv: list[str] | None) -> int:
    words = options_first(sys.argv[1:] if argv is None else argv, commands.listed())
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    arguments = top.parse_args(words)
    if arguments.version:
        terminal.show(_versions(arguments.verbose))
        return 0
    if arguments.command is None:
        top.print_help()
        return 0
    status: int = arguments.run(arguments)
    return status


def _versions(is_verbose: bool) -> str:
    if not is_verbose:
        return f"actgrad {__version__}"
    from . import version_command  # its imports load LLVM

    return version_command.report()
