"""Run an Ascend C kernel on drawn cases, name the line of each fault, and judge its numbers. No NPU is needed.

FILE is a kernel. Its parameters are the tensors of the operator (see actgrad list), inputs first, then workspace and
tiling. The tiling data comes from --tiling, or from a tiling function with --host.
FOLDER is an operator project with op_host and op_kernel, as in ops-nn or made by msopgen. Its definition (OpDef) says
the operator, the dtypes and the parameters, and its own tiling function computes the tiling data.

The cases are those of `actgrad cases`, and a large one for each dtype. Every output is filled with NaN before a run.
The report has each fault once, with the kernel's line, the verdict of the acceptance standards, the mistake that
explains wrong numbers, and the assumptions where the documents leave something open.

--tiling is JSON with the fields of the struct. A text stands for a number of the case: an attribute, or elements, rows,
columns (of the first output), blocks, elements_per_block, rows_per_block, itemsize. Or a file .py with a function
tiling(case) that returns a dict of the fields; case has the same names, and inputs, outputs and attributes.
The macros DTYPE_NAME are defined for each parameter.

Exit status: 0 if the kernel is accepted and has no fault of severity error, 1 otherwise. 2 if the check cannot be made:
a usage error, a file that does not compile, an unknown operator.

examples:
  actgrad kernel check celu.cpp --operator celu --tiling-struct CeluTiling --tiling '{"total": "elements", "alpha": "alpha", "tile": 2048}'
  actgrad kernel check selu_grad.cpp --operator selu_backward --product Ascend950 --host op_host/selu_grad_tiling.cpp --dtypes float16,float32
  actgrad kernel check my_kernel.cpp --operators my_operators.py --operator my_swish --tiling tiling.py --tiling-struct SwishTiling
  actgrad kernel check my_project/ --html report.html --json report.json
"""  # noqa: E501  a command line is one line

from __future__ import annotations

import argparse
import json
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any

from ... import __version__
from ...base.errors import InvalidArgument, library
from ...calls.operator import REGISTRY
from ...checks import law
from ...cli import argument_types
from ...cli.parsing import Parser
from ...kernel.products import facts
from ...writing import outputs, terminal
from . import fixed_tiling, launches, project
from .findings import Findings
from .project import Project

CASES = 40
BLOCKS = 8
DEFAULT_PRODUCT = "Ascend910B"


def add_arguments(parser: Parser) -> None:
    """The help and the arguments of `actgrad kernel check`."""
    parser.describe(__doc__)
    add, path, integer = parser.add_argument, argument_types.path, argument_types.integer
    add("path", metavar="FILE|FOLDER", type=path, help="the kernel's C++ file, or the folder of an operator project")
    add("--operator", metavar="NAME", help="what the kernel computes, as in actgrad list (a project: its definition)")
    add("--operators", metavar="FILE", type=path, help="a Python file that defines operators of your own")
    add("--entry", metavar="NAME", help='the kernel function, or an instance: "elu<0>" (default: the only one)')
    names = argument_types.several(str)
    add(
        "--arguments", metavar="A,B,...", type=names,
        help="the operator's tensors in the kernel's order (default: inputs, then outputs)",
    )  # fmt: skip
    add("--product", choices=tuple(facts()["products"]), help=f"(default: {DEFAULT_PRODUCT}, or of the definition)")
    add = parser.add_argument_group("tiling").add_argument
    add("--host", metavar="FILE", type=path, help="the C++ file with the tiling function")
    add("--tiling", metavar="JSON|FILE", help="fields of the tiling struct, see above; or bytes in a .bin")
    add("--tiling-struct", metavar="NAME", help="the name of the struct")
    add("--tiling-key", type=integer(0), metavar="N", help="the key for TILING_KEY_IS")
    add("--blocks", type=integer(1, 65535), metavar="N", help=f"without --host (default: {BLOCKS})")
    add("--workspace", type=integer(0), metavar="BYTES", help="without --host (default: 0)")
    add = parser.add_argument_group("cases").add_argument
    add("--cases", type=integer(1, 100_000), default=CASES, metavar="N", help=f"(default: {CASES})")
    dtypes = argument_types.several(argument_types.dtype)
    add("--dtypes", type=dtypes, metavar="A,B,...", help="(default: all of the project's definition, or float32)")
    add("--seed", type=integer(0, 1 << 62), default=0, metavar="N", help="(default: 0)")
    add("--strict", action="store_true", help="actgrad's own bounds (ulp) decide too")
    add = parser.add_argument_group("compiling and running").add_argument
    add("--define", action="append", default=[], metavar="NAME=VALUE", help="a macro; may be repeated")
    add("--include", action="append", default=[], type=path, metavar="PATH", help="a folder, or a file to include")
    add("--timeout", type=float, default=60.0, metavar="SECONDS", help="of each run (default: 60)")
    add("--assume", action="append", default=[], metavar="NAME=VALUE", help="half_overflow=saturate, ...")
    add = parser.add_argument_group("reports").add_argument
    add("--json", metavar="FILE", type=argument_types.file_name, help="write the results as JSON; - prints them")
    add("--html", metavar="FILE", type=path, help="write one HTML file with pictures; it needs no other file")
    parser.set_defaults(run=partial(_run, parser))


def _run(parser: Parser, args: argparse.Namespace) -> int:
    files = {"--json": None if args.json == "-" else args.json, "--html": args.html}
    read = [path for path in (args.path, args.host, args.operators) if path is not None and path.is_file()]
    outputs.check_paths(files, read)
    library("rich", "kernel check needs rich", "check")
    if args.operators is not None:
        fixed_tiling.run_file(args.operators, "--operators")
    if args.operator is not None:
        args.operator = _operator(parser, args.operator)
    checked = _project(parser, args)
    settings = launches.Settings(
        defines=argument_types.pairs(args.define, "--define"), include=args.include, blocks=args.blocks or BLOCKS,
        tiling=None if args.tiling is None else fixed_tiling.read(args.tiling), struct=args.tiling_struct,
        key=args.tiling_key, workspace=args.workspace or 0, timeout=args.timeout,
        assumptions=argument_types.pairs(args.assume, "--assume"), strict=args.strict,
    )  # fmt: skip
    with launches.in_force(checked.operator, checked.product):
        names = launches.dtypes(checked, args.dtypes)
        planned = args.cases + len(names)
        with terminal.progress("running", planned) as advance:
            listed = launches.cases(checked.operator, names, args.cases, args.seed)
            findings = Findings(tuple(launches.run_all(checked, settings, listed, advance)), planned)
        facts_of_run = _facts(args, checked, names)
    return _report(args, findings, facts_of_run)


def _report(args: argparse.Namespace, findings: Findings, settings: dict[str, Any]) -> int:
    decision = findings.decision()
    if args.html:
        outputs.write(args.html, findings.html(settings, decision))
    document = json.dumps(findings.document(settings, decision), indent=2, allow_nan=False) + "\n"
    if args.json == "-":
        terminal.show(document)
        terminal.complain(terminal.printable(str(decision)))
    else:
        if args.json:
            outputs.write(args.json, document)
        warnings = map(terminal.printable, decision.warnings[:3])
        terminal.show(terminal.rendered([*findings.blocks(), *warnings, str(decision)]))
    return 0 if decision.is_accepted else 1


def _operator(parser: Parser, text: str) -> str:
    try:
        return argument_types.operator(text)
    except argparse.ArgumentTypeError as error:
        parser.error(f"--operator: {error}")


def _project(parser: Parser, args: argparse.Namespace) -> Project:
    if args.path.is_dir():
        if args.arguments is not None:
            parser.error("--arguments is given for a folder; the definition has the order; leave --arguments out")
        return project.of_folder(
            args.path, argument_types.resolved, operator=args.operator, product=args.product, host=args.host,
            entry=args.entry, include=args.include,
        )  # fmt: skip
    if not args.path.is_file():
        raise InvalidArgument(
            f"{args.path}: no such file; it must be a kernel's C++ file or a project's folder; check the path"
        )
    if args.operator is None:
        parser.error("--operator is missing; the judge needs to know what the kernel computes; add --operator NAME")
    if args.host is None and args.tiling is None and (args.tiling_struct is not None):
        parser.refuse_without("--tiling-struct", "--tiling")
    if args.host is not None:
        if args.tiling is not None:
            parser.error("--host and --tiling cannot be combined; only one is allowed; leave one out")
        for option in ("blocks", "workspace", "tiling_key"):
            if getattr(args, option) is not None:
                name = f"--{option.replace('_', '-')}"
                parser.error(f"{name} and --host cannot be combined; the tiling function decides; leave {name} out")
        if not args.host.is_file():
            raise InvalidArgument(f"--host {args.host}: no such file; it must be a C++ file; check the path")
    return project.of_file(
        args.path, REGISTRY[args.operator], args.product or DEFAULT_PRODUCT, entry=args.entry,
        arguments=args.arguments, host=args.host, include=args.include,
    )  # fmt: skip


def _facts(args: argparse.Namespace, checked: Project, names: list[str]) -> dict[str, Any]:
    in_force = law.current()
    rules = {"rules": "operator"} if in_force is None else {"rules": in_force.description["rules"]}
    return {
        "actgrad": __version__,
        "command": shlex.join(["actgrad", *sys.argv[1:]]),
        "kernel": str(checked.kernel),
        "entry": checked.entry,
        "operator": checked.operator.name,
        "parameters": checked.parameters,
        "tiling": str(checked.host or args.tiling or "none") if args.tiling is None else _short(args.tiling),
        "product": checked.product,
        **rules,
        "dtypes": names,
        "seed": args.seed,
    }


def _short(text: str) -> str:
    return text if Path(text).suffix else " ".join(text.split())
