"""The registry as rows: for the command line, the README and the documents."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from . import ops  # noqa: F401  fills the registry
from .checks import allowed_dtypes
from .errors import ActgradError
from .op import REGISTRY, Operator

BEGIN, END = "<!-- operators -->", "<!-- /operators -->"


@dataclass(frozen=True, slots=True)
class Row:
    """What a reader wants to know of one operator."""

    name: str
    schema: str
    summary: str  # what it returns, in one line
    dtypes: tuple[str, ...]  # the library's own list; a product's may be shorter
    products: tuple[str, ...]
    aclnn: tuple[str, ...]  # its C names
    ir: str  # its name in graph mode, "" where it has none


def row(operator: Operator) -> Row:
    """The row of one operator."""
    paragraph = operator.summary.partition("\n\n")[0]
    return Row(
        name=operator.name,
        schema=str(operator.schema),
        summary=" ".join(paragraph.split()),
        dtypes=allowed_dtypes(operator, None),
        products=operator.products,
        aclnn=tuple(f"aclnn{name}" for name in operator.aclnn),
        ir=operator.ir,
    )


def rows() -> list[Row]:
    """One row per operator, in the order of the registry."""
    return [row(operator) for operator in REGISTRY.values()]


def markdown_table() -> str:
    """The operators as a Markdown table."""
    lines = ["| operator | what it returns | dtypes | aclnn | IR |", "| --- | --- | --- | --- | --- |"]
    for r in rows():
        cells = (f"`{r.name}`", r.summary, ", ".join(r.dtypes), _code(r.aclnn), _code((r.ir,)))
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def with_current_table(text: str) -> str:
    """`text` with the operators' table between its two markers made anew; a fresh text is returned as it is."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ActgradError(f"no place for the operators' table: the text needs the lines {BEGIN} and {END}")
    return f"{before}{begin}\n{markdown_table()}\n{end}{after}"


def plain_table() -> str:
    """The operators as aligned columns, one line each, for a terminal."""
    table = [("operator", "aclnn", "IR", "dtypes")]
    table += [(r.name, " ".join(r.aclnn) or "-", r.ir or "-", " ".join(r.dtypes)) for r in rows()]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in table)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `actgrad list`."""
    parser = subparsers.add_parser(
        "list",
        help="the operators: C and IR names, data types",
        description="List the operators: their names in Python, in C (aclnn) and in graph mode (IR), and the data types "
        "of their tensors.",
        epilog="examples:\n  actgrad list\n  actgrad list --json | jq -r '.[].schema'\n  actgrad list --write README.md",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON, with schemas, summaries and products")
    form.add_argument("--markdown", action="store_true", help="as a Markdown table")
    form.add_argument(
        "--write", metavar="FILE", type=Path, help=f"make the Markdown table between {BEGIN} and {END} in FILE anew"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.write:
        try:
            text = arguments.write.read_text(encoding="utf-8")
            arguments.write.write_text(with_current_table(text), encoding="utf-8")
        except OSError as error:
            raise ActgradError(f"{arguments.write}: {error.strerror}") from error
        print(f"{arguments.write}: {len(rows())} operators", file=sys.stderr)
    elif arguments.json:
        print(json.dumps([asdict(r) for r in rows()], indent=2))
    else:
        print(markdown_table() if arguments.markdown else plain_table())
    return 0


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names if name) or "-"
