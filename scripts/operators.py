"""docs/operators.md, made from the registry: interfaces, formulas, data types and checks of every operator.

python scripts/operators.py            print it
python scripts/operators.py --write    write it to docs/operators.md
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import writing

from actgrad import Operator, operators
from actgrad.aclnn import signatures
from actgrad.aclnn.signatures import SECOND, Signature
from actgrad.base import products
from actgrad.base.dtypes import BY_NAME
from actgrad.contract import Origin, When, allowed_dtypes
from actgrad.contract.documentation import formula_heading, formula_lines, markdown_line

PAGE = Path(__file__).parents[1] / "docs" / "operators.md"
PLOTS = PAGE.parent / "images"
POWER = r"\*\*"  # not bold type

INTRODUCTION = """\
# Operators

Made by `python scripts/operators.py --write` from the registry; a test compares. For each operator, this page says
how it is called, what it computes, which data types each product has, which checks run in which order and with which
status, and where the sources disagree. [Formulas](formulas.md) is the short table.

**Source.** The operators follow [hicann/ops-nn](https://github.com/hicann/ops-nn) at commit e5c3fa93 (22 August
2026): the documents, the source and the tests of its folder `activation`. "The documents" and "the operator's source"
below mean those of this commit. A check that is in neither of them is "actgrad's decision".

**Whose rules.** A product judges the calls of C functions (`actgrad.aclnn`, the C SDK): the one of
`actgrad.product(...)`, else of ACTGRAD_PRODUCT, else Ascend910B. Python functions are judged by a product only if you
chose one. Otherwise every operator takes all floating data types and any rank. By default, the rules are those that
the real operators enforce. `actgrad.rules("document")` or ACTGRAD_RULES=document adds the rules that only the
documents have.

**Order.** The first broken check decides: null pointers first, then the product, then the operator's own order. After
them come the checks of memory, which are actgrad's decisions and the same for every operator:

| holds | status |
| --- | --- |
| a tensor that has elements has storage, as much as it says, and its view lies within | 161002 |
| an output is writable, and no two of its elements share memory | 161002 |
| an output is exactly an input (in place) or shares no memory with it, nor with another output | 161002 |

**Phase two and executors.**

| function | case | status |
| --- | --- | --- |
| phase two | null executor | 161001 |
| phase two | null workspace although workspaceSize is not 0; the executor is used up | 161001 |
| phase two | executor that ran or was destroyed, or of another operator | 561000 |
| phase two | stream that was destroyed | 361001 |
| aclSetAclOpExecutorRepeatable, aclDestroyAclOpExecutor, aclSet...TensorAddr | null executor or tensor | 561103 |
| the same | executor that ran or was destroyed | 561000 |
| aclSet...TensorAddr | executor that is not reusable | 561000 |
| aclSet...TensorAddr | index out of range, another tensor, memory that does not do | 161002 |
| aclSetRawTensorAddr | null tensor | 161001 |

workspaceSize is 0 for every call: no kernel needs scratch memory. A call on no elements passes the same checks and
computes nothing. Graph mode is there in Python (`actgrad.ir`); building graphs for CANN's graph engine in C++ is not.
"""


def page() -> str:
    """The whole page."""
    return (
        "\n".join([INTRODUCTION, *(line for operator in operators.values() for line in section(operator))]).rstrip()
        + "\n"
    )


def section(operator: Operator) -> Iterator[str]:
    """An operator's part of the page."""
    functions = signatures.list_signatures(operator)
    names = ", ".join(s.name for s in functions)
    yield f"## {operator.name}{f': {names}' if names else ''}"
    yield ""
    yield from summary_in_markdown(operator)
    if (PLOTS / f"{operator.name}.svg").exists():  # made by scripts/plots.py
        yield f"![{operator.name} of x, a solid line, and its derivative, dashed]({PLOTS.name}/{operator.name}.svg)"
        yield ""
    yield from _interfaces(operator, functions)
    yield from _formula(operator)
    if functions:
        yield from _dtypes(operator)
        for signature in functions:
            yield from _checks(signature, functions)
    else:
        dtypes = ", ".join(allowed_dtypes(operator.definition, None))
        yield f"Data types: {dtypes}. There is no C function of this operator."
        if operator.requires:
            yield f"Requires {'; '.join(operator.requires)}."
        yield ""
    if operator.differences:
        yield "Where the sources disagree:"
        yield ""
        yield from (f"- {text}" for text in operator.differences)
        yield ""


def summary_in_markdown(operator: Operator) -> Iterator[str]:
    """The summary and the source of an operator."""
    yield markdown_line(operator.definition)
    yield ""
    for paragraph in operator.summary.split("\n\n")[1:]:
        yield " ".join(paragraph.replace("**", POWER).split())
        yield ""
    if operator.paper:
        yield f"Source: {source_link(operator)}."
        yield ""


def source_link(operator: Operator) -> str:
    """The source of an operator as a link."""
    words, _, address = operator.paper.rpartition(", ")
    return f"[{words}]({address})"


def _interfaces(operator: Operator, functions: tuple[Signature, ...]) -> Iterator[str]:
    if functions:
        yield "```c"
        yield from (f"{line};" for signature in functions for line in _prototypes(signature))
        yield "```"
    yield "```python"
    yield f"actgrad.{operator.name}{operator.__signature__}"
    for graph in operator.graphs:
        attributes = [f"{name}={value!r}" for name, value in graph.attributes.items()]
        outputs = ", ".join(graph.outputs)
        yield f"ir.{graph.name}({', '.join([*graph.inputs, *attributes])})  # {outputs}"
    yield "```"
    yield ""
    for signature in functions:
        if signature.fixed:
            yield f"{signature.name}: {', '.join(f'{name} is {value!r}' for name, value in signature.fixed.items())}."
            yield ""


def _prototypes(signature: Signature) -> Iterator[str]:
    """Both prototypes, the first broken into lines that fit."""
    yield textwrap.fill(str(signature), 110, subsequent_indent=" " * 4, break_long_words=False)
    yield f"aclnnStatus {signature.name}({', '.join(SECOND)})"


def _formula(operator: Operator) -> Iterator[str]:
    yield f"{formula_heading(operator.definition)}:"
    yield ""
    yield from (f"- `{line}`" for line in formula_lines(operator.definition))
    yield ""


def _dtypes(operator: Operator) -> Iterator[str]:
    yield "| product | data types |"
    yield "| --- | --- |"
    for product in products.BY_NAME.values():
        names = [BY_NAME[name].acl_name for name in allowed_dtypes(operator.definition, product)]
        status = 561003 if operator.generated else 561103
        has = ", ".join(names) if product.name in operator.products else f"not available: {status}"
        yield f"| {product} ({product.marketing}) | {has} |"
    yield ""


def _checks(signature: Signature, functions: tuple[Signature, ...]) -> Iterator[str]:
    """The checks of a function; of one that has those of an earlier function only a line."""
    alike = next(s for s in functions if s.checks == signature.checks)
    if alike is not signature:
        also = f", with {signature.parameters[0].name} as input and output" if signature.in_place else ""
        yield f"{signature.name}: the checks of {alike.name}{also}."
        yield ""
        return
    if len(functions) > 1:
        yield f"{signature.name}:"
        yield ""
    yield "| | holds | status | where it stands | in force |"
    yield "| --- | --- | --- | --- | --- |"
    origin = Origin.OPERATOR if signature.operator.has_document else Origin.ACTGRAD
    rows = [("workspaceSize and executor are not null (in Python they are returned)", 161001, origin, "always")]
    for check in signature.checks:
        force = "by the documents' letter" if check.when is When.DOCUMENT else "always"
        rows.append((signature.translated(check.rule), check.status, check.origin, force))
    for number, (rule, status, origin, force) in enumerate(rows, 1):
        yield f"| {number} | {rule} | {status} | {origin.value} | {force} |"
    yield ""


def main() -> None:
    """Print or write the page."""
    writing.page(__doc__, PAGE, page)


if __name__ == "__main__":
    main()
