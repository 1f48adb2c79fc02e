"""Run a C or C++ program that calls aclnn operators, without an NPU; or check it, or build the C SDK.

  --check PROGRAM  list what the program uses and the SDK lacks
  --run PROGRAM    compile the program and run it on the CPU
  PREFIX           build the SDK in a folder, for your own build

This command needs a C compiler. For programs in C++, it also needs a C++ compiler.

examples:
  actgrad sdk --check program.cpp             list what the program uses and the SDK lacks
  actgrad sdk --run program.cpp               compile and run a program
  actgrad sdk --run program.cpp 1024 0.5      run a program with arguments
  actgrad sdk ~/actgrad-sdk                   build the SDK, then: . ~/actgrad-sdk/set_env.sh

build a program as with CANN:
  . ~/actgrad-sdk/set_env.sh
  g++ program.cpp -I $ASCEND_HOME_PATH/include -L $ASCEND_HOME_PATH/lib64 -lopapi_nn -lnnopbase -lascendcl

environment variables of programs:
  ACTGRAD_PRODUCT    apply the rules of this chip, for example Ascend950 (default: Ascend910B)
  ACTGRAD_RULES      document: also refuse what only CANN's documents forbid
  ACTGRAD_STRICT     1: stop when the host touches device memory, delay work until the program synchronizes, and
                     report leaks in aclFinalize
  ACTGRAD_SDK_HOST   inprocess: Python runs in the process of the program
                     server: Python runs in a separate process (the default if Python has no shared library, or if
                     the program contains Python)
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path

from ...cli import argument_types
from ...cli.parsing import Parser
from ...writing import terminal
from . import builder, lacking, programs
from .prefix import SdkError


def add_arguments(parser: Parser) -> None:
    """The help and the arguments of `actgrad sdk`."""
    parser.describe(__doc__)
    choices, path = parser.add_mutually_exclusive_group(required=True), argument_types.path
    choices.add_argument("prefix", nargs="?", metavar="PREFIX", type=_prefix, help="the folder to build the SDK into")
    choices.add_argument(
        "--run", metavar="PROGRAM [ARGUMENT ...]", dest="program", nargs=argparse.REMAINDER,
        help="compile a C or C++ program and run it with the arguments that follow",
    )  # fmt: skip
    choices.add_argument(
        "--check", metavar="PROGRAM", type=path, nargs="+",
        help="list what programs use and the SDK lacks; PROGRAM is a source, a built program, a library, or a folder",
    )  # fmt: skip
    parser.add_argument(
        "--flag",
        metavar="FLAG",
        action="append",
        default=[],
        help="pass this flag to the compiler; write --flag before --run or --check",
    )
    parser.add_argument("--json", action="store_true", help="with --check: print the findings as JSON")
    parser.set_defaults(run=partial(_run, parser))


def _prefix(text: str) -> Path:
    """The folder of an SDK. A program without --run or --check is a common mistake."""
    if text in ("run", "check"):
        raise argparse.ArgumentTypeError(f"got {text}; it must be a folder; write actgrad sdk --{text} program.cpp")
    if Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text} is a file; it must be a folder; write --run {text} to run it")
    return argument_types.path(text)


def _run(parser: Parser, options: argparse.Namespace) -> int:
    if options.json and not options.check:
        parser.refuse_without("--json", "--check")
    if options.flag and options.prefix is not None:
        parser.refuse_without("--flag", "--run or --check")
    if options.check:
        return _check(options.check, options.flag, options.json)
    if options.program is not None:
        if not any(options.program[:1]):
            raise SdkError("sdk: --run has no value; it must have a program; write actgrad sdk --run program.cpp")
        return programs.run_program(Path(options.program[0]), options.program[1:], options.flag)
    prefix = options.prefix.absolute()
    builder.build(prefix)
    terminal.show(str(prefix))
    print(f"the SDK is in {prefix}; use it with: . {prefix / 'set_env.sh'}", file=sys.stderr)
    return 0


def _check(paths: list[Path], flags: list[str], as_json: bool) -> int:
    findings: list[lacking.Finding] = []
    faults: list[SdkError] = []  # of files that do not compile; the others are checked all the same
    for path in paths:
        findings += lacking.findings(path, flags, faults)
    if as_json:
        rows = [asdict(finding) | {"file": str(finding.file)} for finding in findings]
        terminal.show(json.dumps(rows, indent=2))
    elif findings:
        terminal.show("\n".join(map(str, findings)))
    elif not faults:
        print("the SDK has every name of " + ", ".join(map(str, paths)), file=sys.stderr)
    if faults:
        raise SdkError("\n".join(map(str, faults)))
    return 0 if all(finding.is_note for finding in findings) else 1
