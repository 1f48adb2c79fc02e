"""docs/operators.md, made from the registry: interfaces, formulas, data types and checks of every operator.

python scripts/operators.py            print it
python scripts/operators.py --write    write it to docs/operators.md
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import writing

from actgrad import Operator, operators
from actgrad.aclnn import signatures
from actgrad.aclnn.signatures import SECOND, Signature
from actgrad.base import products
from actgrad.base.dtypes import BY_NAME
from actgrad.contract import Origin, When, allowed_dtypes

PAGE = Path(__file__).parents[1] / "docs" / "operators.md"
PLOTS = PAGE.parent / "images"

INTRODUCTION = """\
# Operators

Made by `python scripts/operators.py --write` from the registry; a test compares. Per operator: how it is called, what
it computes, the data types on each product, the checks in their order with the status that a broken one gives, and
where the sources disagree.

**Whose rules.** The C functions (`actgrad.aclnn`, the C SDK) are judged by a product: `actgrad.product(...)`, else
ACTGRAD_PRODUCT, else Ascend910B. Python functions are judged by a product only where one was chosen; otherwise every
operator takes all floating data types and any rank. By default the rules are those that the real operators enforce.
`actgrad.rules("document")` or ACTGRAD_RULES=document adds what only the documents say.

**Order.** The first broken check decides: null pointers, then the product, then the operator's own order. A check
stands in the documents, in the operator's source, in both, or is a decision of this project. After all of a call's own
checks come those of memory, decisions of this project and the same for every operator:

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
    functions = signatures.of(operator)
    names = ", ".join(s.name for s in functions)
    yield f"## {operator.name}{f': {names}' if names else ''}"
    yield ""
    yield " ".join(operator.summary.split())
    yield ""
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
    if operator.definition.takes_gradient:
        yield "The gradient, g being grad_output:"
    else:
        times = f", times {operator.definition.multiplied_by}" if operator.definition.multiplied_by else ""
        is_forward = operator.gradient_of is None
        yield f"Of an element{times}:" if is_forward else "Derivative by the input, times grad_output:"
    yield ""
    formulas = operator.formula if isinstance(operator.formula, Mapping) else {None: operator.formula}
    switch = operator.switch if isinstance(operator.switch, str) else "case"
    for key, formula in formulas.items():
        words = (formula.__doc__ or formula.__name__).strip().replace("**", r"\*\*")  # a power, not bold type
        yield f"- {'' if key is None else f'{switch} {key!r}: '}{words}"
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
    rows = [
        ("workspaceSize and executor are not null (in Python they are returned)", 161001, Origin.OPERATOR, "always")
    ]
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
