"""List the operators: schemas, results, data types, names in C (aclnn) and in graphs (IR).

examples:
  actgrad list                              all operators
  actgrad list elu                          one operator and its gradient
  actgrad list gelu --product Ascend310P    the data types that this chip takes
  actgrad list --json | jq -r '.[].schema'
  actgrad list --markdown
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Any

from ..base.errors import ActgradError, did_you_mean
from ..calls.operator import REGISTRY, Operator
from ..checks import law
from ..checks.documentation import first_line, markdown_line
from ..writing import documents, terminal
from . import argument_types
from .parsing import Parser


def matching(words: Sequence[str]) -> list[Operator]:
    """The operators that words choose, in the order of the registry. Without words, all.

    A word is the name of an operator, in any spelling, or a part of names. A name also chooses the operator's
    gradients.
    """
    if not words:
        return list(REGISTRY.values())
    matches: set[str] = set()
    for word in words:
        name = argument_types.resolved(word)
        part = word.lower().replace("-", "_")
        if name is None:
            names = {operator.name for operator in REGISTRY.values() if part in operator.name}
        else:
            names = {o.name for o in REGISTRY.values() if name in (o.name, getattr(o.gradient_of, "name", ""))}
        if not part or not names:
            cure = _cure(word)
            raise ActgradError(f"list: {word!r} matches no operator; it must be a name or a part of one; {cure}")
        matches |= names
    return [operator for operator in REGISTRY.values() if operator.name in matches]


def _cure(word: str) -> str:
    """What to type instead of a word that chooses no operator."""
    if word.isdigit():
        return "see docs/statuses.md for a status, or aclGetRecentErrMsg() in C"
    if law.slots is not None and law.slots.of_chip(word) in law.slots.PRODUCTS:
        return f"write --product {word} for what this chip has"
    return did_you_mean(word, REGISTRY, "run actgrad list for all names")


def rows(operators: Iterable[Operator] | None = None, product: str = "") -> list[dict[str, Any]]:
    """The facts of each operator, by default of all. Dtypes are those of the product if one is named."""
    return [
        {
            "name": operator.name,
            "schema": str(operator.schema),
            "summary": first_line(operator.definition),
            "paper": operator.paper,
            "dtypes": _dtypes(operator, product),
            **_in_cann(operator),
        }
        for operator in (REGISTRY.values() if operators is None else operators)
    ]


def _dtypes(operator: Operator, product: str) -> tuple[str, ...]:
    """The dtypes of inputs. A product may take fewer dtypes than the library."""
    with argument_types.choosing(product or None):
        judge = law.current() if product else None  # a table of the library does not depend on the environment
        return operator.input_dtypes if judge is None else judge.dtypes(operator.definition)


def _in_cann(operator: Operator) -> dict[str, Any]:
    """The products that have an operator, and its names in C and in graphs. Empty without actgrad.ascend."""
    if law.slots is None:
        return {"products": [], "aclnn": [], "ir": []}
    return {
        "products": operator.law.product_names,
        "aclnn": [f"aclnn{c.name}" for c in operator.law.functions],
        "ir": [graph.name for graph in operator.law.graphs],
    }


def markdown_table(listed: Iterable[dict[str, Any]] | None = None) -> str:
    """The operators as a Markdown table, by default all."""
    cells = []
    for row in rows() if listed is None else listed:
        aclnn, ir = (", ".join(f"`{name}`" for name in row[kind]) or "-" for kind in ("aclnn", "ir"))
        formula = markdown_line(REGISTRY[row["name"]].definition)
        cells.append((f"`{row['name']}`", formula, ", ".join(row["dtypes"]), aclnn, ir))
    return documents.table(("operator", "formula", "dtypes", "aclnn", "IR"), cells)


def text(listed: Iterable[dict[str, Any]], width: int | None = None) -> str:
    """The operators for a terminal, each as a paragraph. Lines are broken at `width`."""

    def line(words: str, indent: str) -> str:
        return indent + words if width is None else fill(words, width, initial_indent=indent, subsequent_indent="    ")

    paragraphs = []
    for row in listed:
        lines = [line(row["schema"], ""), line(row["summary"], "    "), line(", ".join(row["dtypes"]), "    ")]
        if width is None:
            c_names = f"; in C {', '.join(row['aclnn'])}" if row["aclnn"] else ""
            graph_names = f"; in graphs {', '.join(row['ir'])}" if row["ir"] else ""
            lines[-1] += c_names + graph_names
        else:
            names = {"in C": row["aclnn"], "in graphs": row["ir"]}
            lines += [line(f"{kind}: {', '.join(them)}", "    ") for kind, them in names.items() if them]
        paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs)


def add_arguments(parser: Parser) -> None:
    """The help and the arguments of `actgrad list`."""
    parser.describe(__doc__)
    parser.add_argument(
        "name",
        nargs="*",
        metavar="NAME",
        help="actgrad's or CANN's name of an operator, or a part of a name (default: all)",
    )
    product = argument_types.product
    parser.add_argument("--product", type=product, metavar="NAME", help="list only what this product or chip has")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON, also with the products that have each operator")
    form.add_argument("--markdown", action="store_true", help="print a Markdown table")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    product = args.product or ""
    operators = matching(args.name)
    if product:
        for operator in operators if args.name and len(operators) == 1 else ():
            argument_types.require_product(operator.name, product)
        operators = [operator for operator in operators if product in operator.law.product_names]
    listed = rows(operators, product)
    if args.json:
        terminal.show(json.dumps(listed, indent=2))
    elif args.markdown:
        terminal.show(markdown_table(listed))
    else:
        terminal.show(text(listed, terminal.columns()))
    return 0
