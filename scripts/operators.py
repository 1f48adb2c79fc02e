"""docs/operators.md, and one page of the site for each family, made from the registry.

python scripts/operators.py            print docs/operators.md
python scripts/operators.py --write    write it

`scripts/site.py` makes the pages of the families when it builds the site.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import mathematics
import writing

from actgrad import Operator, checks, operators
from actgrad.ascend import products
from actgrad.ascend.aclnn import signatures
from actgrad.ascend.aclnn.signatures import SECOND, Signature
from actgrad.ascend.rules.law import ruleset
from actgrad.ascend.rules.rule import Origin, When
from actgrad.base.dtypes import BY_NAME, BY_NUMBER, Dtype
from actgrad.base.errors import ActgradError, InvalidDtype, KernelMissing
from actgrad.base.loop import Shape, TensorMeta, row_major
from actgrad.checks.documentation import first_line, formula_heading, formula_lines
from actgrad.writing import documents

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "operators.md"
SOURCES = ROOT / "src" / "actgrad" / "ops"
PLOTS = PAGE.parent / "images"
POWER = r"\*\*"  # not bold type
NOT_NULL = re.compile(r"(\w+) is not null")
ORIGINS = {
    Origin.ACTGRAD: "actgrad",
    Origin.BOTH: "documents, source",
    Origin.OPERATOR: "source",
    Origin.DOCUMENT: "documents",
}

INTRODUCTION = """\
# Operators

This page is for people who ask why a call is refused, and what actgrad does where CANN's documents and sources
disagree. [Formulas](formulas.md) says what each operator computes, [chips](chips.md) where it exists, and
[families](families.md) how it is called in every interface.

For one operator, look at the page of its family in the site that `make site` builds. It shows the formulas, the plots,
the calls in Python, C and IR, the data types of each product, the checks with their status codes, and the places where
the sources disagree. Without the site, `help(actgrad.elu)` shows the formula and the data types of an operator, and
`actgrad list elu` prints its names in C and in graphs.

## Source

The operators follow [hicann/ops-nn](https://github.com/hicann/ops-nn) at commit e5c3fa93 (22 August 2026): the
documents, the source and the tests of its folder `activation`. The functions of tanh and hardtanh follow
[hicann/ops-math](https://github.com/hicann/ops-math) at commit c4193324 (22 August 2026). "The documents" and "the
source" mean the documents and the C++ source of these commits. A check that neither of them states is marked "actgrad",
because actgrad decided it.

## Rules of the products

A product is a chip family of Ascend. It matters, because the same call can be right on one product and refused on
another. `actgrad.product(...)` or the variable `ACTGRAD_PRODUCT` chooses the product. Calls of C functions
(`actgrad.aclnn` and the C SDK) always follow the rules of one product, Ascend910B by default. Python functions follow
the rules of a product only if you chose one. Otherwise each operator takes all floating data types and any number of
dimensions. You may also name a chip, such as `Ascend910B3`: the rules of its product apply.

{products}

By default, actgrad refuses what the real operators refuse. With `actgrad.rules("document")` or `ACTGRAD_RULES=document`
it also refuses what only the documents forbid. These rules are marked "documents only".

## Checks of every function

Checks run in a fixed order, and the first check that fails gives the status. Null pointers come first, then the
product, then the checks of the operator. These checks are the same for every function:

| when | check | status |
| --- | --- | --- |
| first | workspaceSize and executor are not null (Python returns them) | 161001 |
| last | a tensor with elements has storage, the storage is large enough, and the view lies inside it | 161002 |
| last | an output is writable, and no two of its elements share memory | 161002 |
| last | an output is exactly an input (in place), or shares no memory with any input or other output | 161002 |

The last three checks are decisions of actgrad. The pages of the families list only the other checks.

## Phase two and executors

| function | case | status |
| --- | --- | --- |
| phase two | the executor is null | 161001 |
| phase two | the workspace is null although workspaceSize is not 0 (the executor is then used up) | 161001 |
| phase two | the executor ran before, was destroyed, or belongs to another operator | 561000 |
| phase two | the stream was destroyed | 361001 |
| aclSetAclOpExecutorRepeatable, aclDestroyAclOpExecutor, aclSet...TensorAddr | executor or tensor is null | 561103 |
| the same | the executor ran before or was destroyed | 561000 |
| aclSet...TensorAddr | the executor is not reusable | 561000 |
| aclSet...TensorAddr | the index is out of range, or the tensor or its memory does not fit | 161002 |
| aclSetRawTensorAddr | the tensor is null | 161001 |

workspaceSize is 0 for every call, because no kernel needs scratch memory. A call on empty tensors passes the same
checks and computes nothing. Graph mode exists in Python (`actgrad.ir`). actgrad cannot build graphs for CANN's graph
engine in C++.
"""

NOT_COMPUTED = """\
## Data types that actgrad does not compute

On these products, the checks of CANN accept these data types of the first output, but actgrad has no kernel that writes
them. In C, such a call returns 561103, and in Python it raises `KernelMissing`. The number of a data type is its
aclDataType, which attributes such as `dst_type` take.
"""

DIFFERENCES = """\
## Where the sources disagree

CANN's documents, source, tests and READMEs do not always agree, so actgrad had to choose. Each line names a difference
in a family, and what actgrad does. `actgrad.rules("document")` turns the documents' rules on.
"""

END = """\
Next: [statuses](statuses.md), or [troubleshooting](troubleshooting.md).

<!-- python scripts/operators.py --write makes this page, and a test compares it with the registry. -->
"""


@functools.cache
def families() -> dict[str, list[Operator]]:
    """The operators by the file of `ops` that defines them, in the order of the registry."""
    texts = {file.stem: file.read_text(encoding="utf-8") for file in sorted(SOURCES.glob("*.py"))}
    groups: dict[str, list[Operator]] = {}
    for operator in operators.values():
        stem = next((stem for stem, text in texts.items() if f'"{operator.name}(Tensor' in text), None)
        if stem is not None:  # an operator of a test has no file
            groups.setdefault(stem, []).append(operator)
    return groups


def link(operator: Operator, stem: str) -> str:
    """An operator as a link to its source; `scripts/site.py` leads it to the page of the family."""
    return f"[{operator.name}](../src/actgrad/ops/{stem}.py)"


def page() -> str:
    """docs/operators.md: the rules, the families, and the differences between the sources."""
    rows = [
        (
            title(stem),
            ", ".join(link(operator, stem) for operator in members),
            ", ".join(s.name.removeprefix("aclnn") for o in members for s in signatures.list_signatures(o)),
        )
        for stem, members in families().items()
    ]
    index = documents.table(("family", "operators", "C functions, without `aclnn`"), rows)
    lacking = documents.table(("operator", "data types", "products"), list(not_computed()))
    known = ((name, products.BY_NAME[name].marketing, chip) for name, (chip, _) in products.CHIPS.items())
    rules = documents.table(("`ACTGRAD_PRODUCT`", "market name in CANN's documents", "one of its chips"), known)
    introduction = INTRODUCTION.replace("{products}", rules)
    lines = [introduction, "## Families", "", index, "", NOT_COMPUTED, lacking, "", DIFFERENCES]
    for stem, members in families().items():
        lines += [f"- {link(o, stem)}: {escaped(text)}" for o in members for text in o.differences]
    return "\n".join(lines) + f"\n\n{END}"


def not_computed() -> Iterator[tuple[str, str, str]]:
    """The dtypes of first outputs that the checks of CANN accept and that no kernel of actgrad writes.

    Each row has an operator, its dtypes, and the products that have all of these dtypes.
    """
    for stem, members in families().items():
        for operator in members:
            if operator.definition.gradient_of is not None or not operator.definition.dtypes_of(
                operator.schema.outputs[0]
            ):
                continue
            by_product = {
                name: ", ".join(
                    f"{row.acl_name} ({row.acl})" for row in BY_NUMBER.values() if lacks_kernel(operator, row, p)
                )
                for name, p in products.BY_NAME.items()
            }
            for words in filter(None, dict.fromkeys(by_product.values())):
                yield link(operator, stem), words, ", ".join(name for name, each in by_product.items() if each == words)


def lacks_kernel(operator: Operator, dtype: Dtype, product: products.Product) -> bool:
    """Whether checks on kernels, and no other checks, refuse every call with a first output of this dtype.

    The calls vary in the modes, the flags and the dtypes of the other outputs.
    """
    definition, outputs = operator.definition, operator.schema.outputs
    flags = [a.name for a in operator.schema.attributes if a.type == "bool"]
    modes = [name for name in operator.defaults if name == "quant_mode" and not operator.choices]
    number = {definition.dtypes.attribute: dtype.acl} if definition.dtypes.attribute else {}
    shape, is_lacking = (4, 512), False
    inputs = {a.name: shape for a in operator.schema.tensors if not a.is_optional}
    inputs = {
        name: definition.access.whole_shape(name, shape, operator.defaults) if len(inputs) > 1 else shape
        for name in inputs
    }
    kinds = {name: dict.fromkeys((*definition.dtypes_of(name), "float32")) for name in outputs[1:]}
    for values in itertools.product(*[range(4)] * len(modes), *[(False, True)] * len(flags)):
        attributes = {**operator.defaults, **number, **dict(zip((*modes, *flags), values, strict=True))}
        shapes = dict(zip(outputs, definition.access.result_shapes(outputs, inputs, attributes), strict=True))
        if dtype.name == "int32":  # it holds eight numbers of INT4
            shapes[outputs[0]] = (*shapes[outputs[0]][:-1], shapes[outputs[0]][-1] // 8)
        for names in itertools.product(*kinds.values()):
            metas = {name: meta(each, BY_NAME["float16"]) for name, each in inputs.items()}
            dtypes = (dtype, *map(BY_NAME.__getitem__, names))
            metas |= {name: meta(shapes[name], each) for name, each in zip(outputs, dtypes, strict=True)}
            try:
                checks.run(checks.Call(definition, metas, attributes, ruleset(product)))
            except KernelMissing:
                is_lacking = True
            except ActgradError:
                continue
            else:
                return False
    return is_lacking


def first_dtypes(signature: Signature, product: products.Product) -> list[str]:
    """The data types that the checks of a C function on a product accept for its first tensor."""
    operator = signature.operator
    law, definition = ruleset(product)._replace(function=signature.law), operator.definition
    if product.name not in signature.law.product_names:
        return []
    first, *others = (tensor.name for tensor in operator.schema.tensors if not tensor.is_optional)
    known = {first, *others, *operator.defaults}
    judges = [check for check in law.checks(definition) if issubclass(check.error, InvalidDtype)]
    judges = [check for check in judges if check.about and {*check.about} <= known]

    def accepts(dtype: Dtype) -> bool:
        """Whether the checks accept the dtype, with the same or another usual dtype for the other tensors."""
        usual = [dtype, *map(BY_NAME.__getitem__, ("float32", "int64", "uint8", "int32"))]
        for dtypes in itertools.product(usual, repeat=len(others)):
            tensors = {
                name: meta((4, 512), each) for name, each in zip((first, *others), (dtype, *dtypes), strict=True)
            }
            call = checks.Call(definition, tensors, dict(operator.defaults), law)
            if not any(check.test(call) for check in judges):
                return True
        return False

    listed = law.dtypes(definition)
    order = {name: place for place, name in enumerate(listed)}
    accepted = [name for name, row in BY_NAME.items() if row.acl is not None and accepts(row)]
    return sorted(accepted, key=lambda name: order.get(name, len(order)))


def meta(shape: Shape, dtype: Dtype) -> TensorMeta:
    """A contiguous tensor."""
    return TensorMeta(dtype, shape, row_major(shape, dtype.itemsize))


def title(stem: str) -> str:
    """The first line of the docstring of a family's file."""
    docstring = ast.get_docstring(ast.parse((SOURCES / f"{stem}.py").read_text(encoding="utf-8"))) or stem
    return docstring.splitlines()[0].partition(". ")[0].removesuffix(".")


def escaped(text: str) -> str:
    """A text in which powers are no bold type, and names with underscores no emphasis."""
    return re.sub(r"(?<!`)\b\w*__\w+\b(?!`)", r"`\g<0>`", text.replace("**", POWER))


def family_page(stem: str, numbers: dict[str, str]) -> str:
    """The site's page of a family; `numbers` has a sentence on errors and speed for each operator."""
    lines = [f"# {title(stem)}", ""]
    for operator in families()[stem]:
        lines += section(operator, numbers.get(operator.name, ""))
    return "\n".join(lines).rstrip() + "\n"


def section(operator: Operator, numbers: str = "") -> Iterator[str]:
    """An operator's part of its family's page."""
    functions = signatures.list_signatures(operator)
    yield f"## {operator.name}"
    yield ""
    for part in mathematics.display(first_line(operator.definition)):
        yield part
        yield ""
    for paragraph in operator.summary.split("\n\n")[1:]:
        yield escaped(" ".join(paragraph.split()))
        yield ""
    if operator.paper:
        yield f"Source: {source_link(operator)}."
        yield ""
    if (PLOTS / f"{operator.name}.svg").exists():  # made by scripts/plots.py
        yield f"![{operator.name} of x, a solid line, and its derivative, dashed](../images/{operator.name}.svg)"
        yield ""
    yield from _interfaces(operator, functions)
    yield from _formulas(operator)
    if numbers:
        yield numbers
        yield ""
    if functions:
        yield from _dtypes(functions[0])
        for signature in functions:
            yield from _checks(signature, functions)
    else:
        yield f"Data types: {', '.join(operator.input_dtypes)}. This operator has no C function."
        if operator.requires:
            yield f"It requires: {'; '.join(operator.requires)}."
        yield ""
    if operator.differences:
        yield "**Where the sources disagree**"
        yield ""
        yield from (f"- {escaped(text)}" for text in operator.differences)
        yield ""


def in_torch(operator: Operator) -> str:
    """The function and the module in actgrad.torch."""
    names = operator.definition.torch
    both = () if names is None else (names.function, names.module)
    return ", ".join(name.partition("(")[0] for name in both if name)


def source_link(operator: Operator) -> str:
    """The source of an operator as a link."""
    words, _, address = operator.paper.rpartition(", ")
    return f"[{words}]({address})"


def _interfaces(operator: Operator, functions: tuple[Signature, ...]) -> Iterator[str]:
    yield "```python"
    yield _broken(f"actgrad.{operator.name}{operator.__signature__}")
    for graph in operator.graphs:
        attributes = [f"{name}={value!r}" for name, value in graph.attributes.items()]
        outputs = ", ".join(graph.outputs)
        yield _broken(f"actgrad.ir.{graph.name}({', '.join([*graph.inputs, *attributes])}) -> {outputs}")
    yield "```"
    yield ""
    if in_torch(operator):
        names = in_torch(operator).split(", ")
        yield f"In PyTorch: {' and '.join(f'`actgrad.torch.{name}`' for name in names)} ([names](../api/torch.md))."
        yield ""
    if functions:
        yield "```c"
        yield from (f"{line};" for signature in functions for line in _prototypes(signature))
        yield "```"
        yield ""
    for signature in functions:
        if signature.fixed:
            facts = (f"{name} is {value!r}" for name, value in signature.fixed.items())
            yield f"In {signature.name}, {', '.join(facts)}."
            yield ""


def _prototypes(signature: Signature) -> Iterator[str]:
    """Both prototypes."""
    yield _broken(str(signature))
    yield _broken(f"aclnnStatus {signature.name}({', '.join(SECOND)})")


def _broken(text: str) -> str:
    """A signature in lines that fit, broken after commas."""
    text = re.sub(r"(?<!,) ", "\N{NO-BREAK SPACE}", text)
    lines = textwrap.fill(text, 88, subsequent_indent=" " * 4, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def _formulas(operator: Operator) -> Iterator[str]:
    """The formulas as the code names them, if they say more than the summary."""
    plain = [re.sub(r",(?= else)", "", line) for line in (first_line(operator.definition), *_lines(operator))]
    if plain[1:] != plain[:1]:
        yield f"{formula_heading(operator.definition)}, as the code computes it:"
        yield ""
        yield "```text"
        yield from _lines(operator)
        yield "```"
        yield ""


def _lines(operator: Operator) -> list[str]:
    formulas = (operator.formula, *operator.law.formulas.values())
    return [line for formula in formulas for line in formula_lines(operator.definition, formula)]


def _dtypes(signature: Signature) -> Iterator[str]:
    """Products that take the same data types share a row."""
    missing = f"not available: status {561003 if signature.law.is_autogenerated_in_cann else 561103}"

    def types(product: products.Product) -> str:
        return ", ".join(BY_NAME[name].acl_name for name in first_dtypes(signature, product)) or missing

    yield "| product | data types |"
    yield "| --- | --- |"
    for text, group in itertools.groupby(products.BY_NAME.values(), types):
        yield f"| {', '.join(product.name for product in group)} | {text} |"
    yield ""


def _checks(signature: Signature, functions: tuple[Signature, ...]) -> Iterator[str]:
    """The checks of a function; a function with the checks of an earlier one refers to it."""
    alike = next(s for s in functions if s.checks == signature.checks)
    if alike is not signature:
        also = f", with {signature.parameters[0].name} as input and output" if signature.in_place else ""
        yield f"{signature.name} has the checks of {alike.name}{also}."
        yield ""
        return
    yield f"Checks of {signature.name}, after the [checks of every function](../operators.md#checks-of-every-function):"
    yield ""
    yield "| check | status | where it comes from |"
    yield "| --- | --- | --- |"
    for rule, status, origin in check_rows(signature):
        yield f"| {rule} | {status} | {origin} |"
    yield ""


def check_rows(signature: Signature) -> list[tuple[str, int, str]]:
    """The checks in their order; tensors that must not be null, one after the other, share a row."""
    rows: list[tuple[str, int, str]] = []
    for check in signature.checks:
        rule, origin = signature.translated(check.rule), ORIGINS[check.origin]
        if check.when is When.DOCUMENT:
            origin = "documents only" if check.origin is Origin.DOCUMENT else f"{origin}, by the documents' rules only"
        name = NOT_NULL.fullmatch(rule)
        if name and rows and rows[-1][1:] == (check.status, origin) and (last := rows[-1][0]).endswith("not null"):
            before = last.removesuffix(" is not null").removesuffix(" are not null")
            rows[-1] = (f"{before}, {name[1]} are not null", check.status, origin)
        else:
            rows.append((rule, check.status, origin))
    return rows


def main() -> None:
    """Print or write docs/operators.md."""
    writing.page(__doc__, PAGE, page)


if __name__ == "__main__":
    main()
