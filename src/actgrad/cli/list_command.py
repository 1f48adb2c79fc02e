"""List the operators: schemas, results, data types, names in C (aclnn) and in graphs (IR).

examples:
  actgrad list
  actgrad list --json | jq -r '.[].schema'
  actgrad list --markdown
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from ..calls.operator import REGISTRY
from ..contract import allowed_dtypes
from ..contract.documentation import first_line, markdown_line
from ..writing import documents, terminal
from . import argument_types
from .argument_types import Subparsers


def rows() -> list[dict[str, Any]]:
    """The facts of each operator, in the order of the registry."""
    return [
        {
            "name": operator.name,
            "schema": str(operator.schema),
            "summary": first_line(operator.definition),
            "paper": operator.paper,
            "dtypes": allowed_dtypes(operator.definition, None),  # the library's own; a product's may be fewer
            "products": operator.products,
            "aclnn": [f"aclnn{c.name}" for c in operator.aclnn],
            "ir": [graph.name for graph in operator.graphs],
        }
        for operator in REGISTRY.values()
    ]


def markdown_table() -> str:
    """The operators as a Markdown table."""
    cells = []
    for row in rows():
        aclnn, ir = (", ".join(f"`{name}`" for name in row[kind]) or "-" for kind in ("aclnn", "ir"))
        formula = markdown_line(REGISTRY[row["name"]].definition)
        cells.append((f"`{row['name']}`", formula, ", ".join(row["dtypes"]), aclnn, ir))
    return documents.table(("operator", "formula", "dtypes", "aclnn", "IR"), cells)


def text() -> str:
    """The operators for a terminal, a paragraph each."""
    paragraphs = []
    for row in rows():
        c_names = f"; in C {', '.join(row['aclnn'])}" if row["aclnn"] else ""
        graph_names = f"; in graphs {', '.join(row['ir'])}" if row["ir"] else ""
        paragraphs.append(
            f"{row['schema']}\n    {row['summary']}\n    {', '.join(row['dtypes'])}{c_names}{graph_names}"
        )
    return "\n\n".join(paragraphs)


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `actgrad list`."""
    says = "the operators: schemas, data types, names in C and in graphs"
    parser = argument_types.add_command(subparsers, "list", says, __doc__)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON, with the products that have them")
    form.add_argument("--markdown", action="store_true", help="as a Markdown table")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    if given.json:
        terminal.show(json.dumps(rows(), indent=2))
    else:
        terminal.show(markdown_table() if given.markdown else text())
    return 0
