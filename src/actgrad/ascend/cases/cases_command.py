"""Write the test cases that the acceptance standards require, as a file in the format of ATK or TTK.

The cases test every data type and class of attributes, 1 to 8 dimensions of sizes 2^k and 2^k - 1, uniform and normal
numbers, empty tensors, one element, the bounds of the data type, infinities, NaN, results of the forward pass, calls in
place, broadcasting and type promotion. `actgrad check --cases FILE` runs the cases of a file.

With --tensors DIR, the command writes a delivery: a folder with the inputs of many cases and manifest.json, which says
where another program must write its outputs. `actgrad check --manifest DIR` judges these outputs. The tensors mix
ordinary, large, small and special numbers. A delivery has every kind of case in every data type, with and without each
optional tensor. The table at the end shows the number of cases of each kind. If --number is too small for all kinds,
the last line says INCOMPLETE.

examples:
  actgrad cases elu_backward --standard v2 -o elu_backward.json
  actgrad cases elu_backward selu_backward leaky_relu_backward geglu_backward -o backward.csv --seed 1
  actgrad cases gelu -o gelu.json --number 20 --largest 1000000
  actgrad check --cases elu_backward.json --results judged.json
  actgrad cases swiglu gelu_backward softmax --tensors DIR --seed 7
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from math import prod
from typing import Any

from ...base.errors import quantity
from ...calls.operator import REGISTRY
from ...cli import argument_types
from ...cli.parsing import Parser
from ...judge.delivery import design, drawing, manifest
from ...writing import outputs, terminal
from . import case_files, generation
from .case_model import FileCase

_MOST = 100_000  # most cases per operator
_LARGEST = 1 << 28


def add_arguments(parser: Parser) -> None:
    """The help and the arguments of `actgrad cases`."""
    standards = "\nstandards:\n" + "\n".join(f"  {n:<4} {text}" for n, text in generation.STANDARDS.items()) + "\n"
    parser.describe(__doc__, standards)
    operator = argument_types.operator
    parser.add_argument("operator", nargs="+", type=operator, metavar="OPERATOR", help="names as in actgrad list")
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("-o", dest="output", metavar="FILE", type=argument_types.path, help="the file to write")
    target.add_argument("--tensors", metavar="DIR", type=argument_types.path, help="the folder to write a delivery to")
    dtypes = argument_types.several(argument_types.dtype)
    words = f"with --tensors: float16 or fp16, and so on (default: {','.join(drawing.DTYPES)})"
    parser.add_argument("--dtypes", type=dtypes, metavar="A,B,...", help=words)
    parser.add_argument("--standard", choices=generation.STANDARDS, default="v2", help="see below (default: v2)")
    parser.add_argument(
        "--product", type=argument_types.product, metavar="NAME", help="only cases that this product or chip takes"
    )
    parser.add_argument("--format", choices=case_files.WRITTEN, help="atk for .json, ttk for .csv")
    parser.add_argument("--seed", type=argument_types.integer(0, 1 << 62), default=0, metavar="N", help="(default: 0)")
    parser.add_argument(
        "--number", type=argument_types.integer(1, _MOST), metavar="N",
        help="number of cases per operator, shared by all kinds (default: as many as there are kinds)",
    )  # fmt: skip
    parser.add_argument(
        "--largest", type=argument_types.integer(2, _LARGEST), default=generation.LARGEST, metavar="N",
        help=f"the largest number of elements of a tensor (default: {generation.LARGEST})",
    )  # fmt: skip
    parser.set_defaults(run=partial(_run, parser))


def _run(parser: Parser, args: argparse.Namespace) -> int:
    names = list(dict.fromkeys(args.operator))
    if args.tensors is not None:
        return _write_delivery(parser, args, names)
    if args.dtypes is not None:
        parser.refuse_without("--dtypes", "--tensors")
    format_name = case_files.format_of(args.output)
    if format_name not in case_files.WRITTEN:
        parser.error(f"-o {args.output}: {args.output.suffix} is a suffix of {format_name}; name a .json or a .csv")
    if args.format not in (None, format_name):
        suffix = args.output.suffix
        parser.error(f"--format is {args.format}; {suffix} is the suffix of {format_name}; change one of them")
    outputs.check_paths({"-o": args.output})
    cases: list[FileCase] = []
    covered: list[design.Coverage] = []
    with argument_types.choosing(args.product):
        for name in names:
            argument_types.require_product(name, args.product)
            made = generation.generate(REGISTRY[name], args.number, args.largest, args.seed)
            covered.append(generation.coverage(REGISTRY[name], made, args.largest, args.seed))
            cases += made
    outputs.write(args.output, case_files.FORMATS[format_name].text(cases))
    count = sum(prod(tensor.shape) for case in cases for tensor in case.outputs.values())
    print(f"{args.output}: {quantity(len(cases), 'case')}, {count:,} elements", file=sys.stderr)
    kinds = list(dict.fromkeys(kind for one in covered for kind in one.all_kinds))
    coverage = design.Coverage({cell: n for one in covered for cell, n in one.counts.items()}, kinds)
    terminal.show(terminal.rendered([_table(coverage), coverage.sentence()]))
    return 0


def _write_delivery(parser: Parser, args: argparse.Namespace, names: list[str]) -> int:
    for option, is_given in (("--format", args.format), ("--largest", args.largest != generation.LARGEST)):
        if is_given:
            parser.error(f"{option} and --tensors cannot be combined; only one is allowed; leave one out")
    with argument_types.choosing(args.product):
        for name in names:
            argument_types.require_product(name, args.product)
        dtypes = {name: drawing.dtypes_of(REGISTRY[name], args.dtypes or drawing.DTYPES) for name in names}
        plans = {name: [*design.plans(REGISTRY[name], dtypes[name], args.number, args.seed)] for name in names}
        cases = (case for name in names for case in drawing.draw(REGISTRY[name], dtypes[name], args.number, args.seed))
        with terminal.progress("cases", sum(map(len, plans.values()))) as advance:
            written = manifest.write(args.tensors, cases, args.seed, advance)
        coverage = design.coverage(written, dtypes)
    special = [case for case in written if case.special]
    print(f"{args.tensors}: {quantity(len(written), 'case')}, {len(special)} for special values", file=sys.stderr)
    terminal.show(terminal.rendered([_table(coverage), coverage.sentence()]))
    return 0


def _table(coverage: design.Coverage) -> Any:
    """The number of cases in each cell: a row per operator, dtype and optional tensor, a column per kind."""
    groups: dict[str, list[terminal.Row]] = {}
    for (operator, dtype, state), cells in coverage.rows():
        group = groups.setdefault(operator, [])
        group.append(["" if group else operator, dtype, state, *cells])
    headings = [kind.replace(" ", "\n") for kind in coverage.kinds]
    return terminal.table(["operator", "dtype", "optional tensor"], headings, list(groups.values()))
