"""The registry as rows: for the command line, the README and the documents."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from ..calls.operator import REGISTRY
from ..contract import allowed_dtypes
from ..writing import documents, outputs, terminal
from . import argument_types
from .argument_types import Subparsers

PART = "operators"  # of a document
BEGIN, END = documents.markers(PART)


@dataclass(frozen=True, slots=True)
class Row:
    """The facts of one operator for a reader."""

    name: str
    schema: str
    summary: str  # its result, in one line
    dtypes: tuple[str, ...]  # the library's own list; a product's may be shorter
    products: tuple[str, ...]
    aclnn: tuple[str, ...]  # its C names
    ir: tuple[str, ...]  # its names in graph mode


def rows() -> list[Row]:
    """The facts of each operator, in the order of the registry."""
    return [
        Row(
            operator.name,
            str(operator.schema),
            " ".join(operator.summary.partition("\n\n")[0].split()),
            allowed_dtypes(operator.definition, None),
            operator.products,
            tuple(f"aclnn{c.name}" for c in operator.aclnn),
            tuple(graph.name for graph in operator.graphs),
        )
        for operator in REGISTRY.values()
    ]


def markdown_table() -> str:
    """The operators as a Markdown table."""
    headings = ("operator", "what it returns", "dtypes", "aclnn", "IR")
    cells = [(f"`{r.name}`", r.summary, ", ".join(r.dtypes), _code(r.aclnn), _code(r.ir)) for r in rows()]
    return documents.table(headings, cells)


def text() -> str:
    """The operators for a terminal, a paragraph each."""
    paragraphs = []
    for r in rows():
        c_names = f"; in C {', '.join(r.aclnn)}" if r.aclnn else ""
        graph_name = f"; in graphs {', '.join(r.ir)}" if r.ir else ""
        paragraphs.append(f"{r.schema}\n    {r.summary}\n    {', '.join(r.dtypes)}{c_names}{graph_name}")
    return "\n\n".join(paragraphs)


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `actgrad list`."""
    parser = argument_types.add_command(
        subparsers,
        "list",
        "the operators: schemas, data types, names in C and in graphs",
        "List the operators: schemas, what they return, data types, names in C (aclnn) and in graphs (IR).",
        "examples:\n  actgrad list\n  actgrad list --json | jq -r '.[].schema'\n  actgrad list --markdown",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON, with the products that have them")
    form.add_argument("--markdown", action="store_true", help="as a Markdown table")
    form.add_argument(
        "--write", metavar="FILE", type=Path, help=f"make the Markdown table between {BEGIN} and {END} in FILE anew"
    )
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    if given.write:
        outputs.check({"--write": given.write})
        documents.write_part(given.write, PART, markdown_table())
        print(f"{given.write}: {len(rows())} operators", file=sys.stderr)
    elif given.json:
        terminal.show(json.dumps([asdict(r) for r in rows()], indent=2))
    else:
        terminal.show(markdown_table() if given.markdown else text())
    return 0


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names if name) or "-"
