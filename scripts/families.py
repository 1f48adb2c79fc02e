"""docs/families.md: every operator by its family, with its names, its largest errors and its speed.

python scripts/families.py            print it
python scripts/families.py --write    write it to docs/families.md, and the largest errors into docs/accuracy.md

The interfaces come from the registry, the errors from the tables of docs/accuracy.md and docs/rows.md, and the speeds
from the kept results.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import writing
from operators import families, in_torch, link

from actgrad import operators
from actgrad.ascend.aclnn import signatures
from actgrad.writing import documents

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGE = DOCS / "families.md"
DTYPES = ("float16", "bfloat16", "float32")
LARGEST = "largest errors"  # the part of docs/accuracy.md
SPEEDS = {"AVX-512": ("families", "throughput"), "AVX2": ("families_avx2", "throughput_avx2")}  # in docs/benchmarks

INTRODUCTION = """\
# Families: names, errors and speed

This page is for people who know an operator in one interface and look for its name in another, or for its largest
error and its speed. A family is one file of `src/actgrad/ops`. [Formulas](formulas.md) says what each operator
computes.
"""

NAMES = """\
## Names

The first column is the name in Python: every operator is a function of `actgrad` that takes arrays, and an operator of
`torch.ops.actgrad`, and `actgrad check NAME` judges its results. The other columns list the other names:

- **PyTorch**: the function and the module of `actgrad.torch`. The cell is empty if the operator is only in
  `torch.ops.actgrad`. `actgrad.torch.geglu` computes `geglu_packed`.
- **C**: the functions of `actgrad.aclnn` and of the C SDK, without `aclnn`.
- **IR**: the names in `actgrad.ir`.
"""

NUMBERS = """\
## Errors and speed

- **Error**: the largest error in ULP (units in the last place) over all cases of attributes. We measured float16 and
  bfloat16 at every number. [accuracy.md](accuracy.md) says what "adjusted" means, and how many numbers of float32 we
  measured. The errors of operators on rows, such as softmax, are from random rows ([rows.md](rows.md)). The errors of
  `geglu_packed` are those of `geglu`.
- **Speed**: our time divided by PyTorch's time on the CPU, with 2 threads and results in existing memory, measured
  with actgrad {version}.
  Version 0.1 timed prepared calls (`plan.run()`), and 0.4 times calls with `out=`. The number is the geometric mean
  over sizes and data types of the results in [benchmarks](benchmarks/README.md). A cell is empty if PyTorch lacks the
  operator, or if the benchmarks lack it. The speed of operators on rows is in [rows.md](rows.md).
"""

LEFT_OUT = """\
## Operators of CANN that actgrad lacks

| family | reason |
| --- | --- |
| BinaryCrossEntropyWithLogitsTargetBackward | It is the gradient of a loss, not an activation. |
| RReluWithNoise in training | It draws random numbers from the NPU's generator. actgrad returns status 561103. |

actgrad adds no C function to an operator that CANN offers only in graphs. Functions of other folders of CANN (matrix
products, copies, reductions) belong to the C SDK: [what the SDK covers](sdk-coverage.md) lists them.
"""


def cells(document: str, part: str) -> Iterator[list[str]]:
    """The rows of the tables in a generated part of a document, cell by cell."""
    for line in documents.part((DOCS / document).read_text(encoding="utf-8"), part).splitlines():
        if line.startswith("| ") and not line.startswith("| ---"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


class Largest(NamedTuple):
    """The largest error of an operator in ULP, and without what a rounded argument of exp explains."""

    raw: float = 0.0
    adjusted: float = 0.0


def errors() -> dict[tuple[str, str], Largest]:
    """The largest errors by operator and data type."""
    found: dict[tuple[str, str], Largest] = {}
    for row in cells("accuracy.md", "exhaustive"):
        if row[0] in operators:
            for cell in filter(None, (row[4], row[10])):  # other inputs are 1, and then random
                raw, _, adjusted = cell.removesuffix(")").partition(" (")
                before = found.get((row[0], row[2]), Largest())
                largest = Largest(max(before.raw, float(raw)), max(before.adjusted, float(adjusted or raw)))
                found[row[0], row[2]] = largest
    for row in cells("rows.md", "rows"):
        if row[0] in operators and len(row) == 4:
            of_dtypes = zip(("float32", "float16", "bfloat16"), row[1:], strict=True)
            found |= {(row[0], dtype): Largest(float(cell), float(cell)) for dtype, cell in of_dtypes}
    return found


def largest_errors() -> str:
    """The part of docs/accuracy.md with the largest errors in float32: one row an operator, the largest first."""
    named = [(name, error) for (name, dtype), error in errors().items() if dtype == "float32"]
    ordered = sorted(named, key=lambda each: (-each[1].raw, each[0]))
    rows = [(name, f"{error.raw:.2f}", f"{error.adjusted:.2f}") for name, error in ordered]
    return documents.table(("operator", "raw", "adjusted"), rows)


def speeds(files: tuple[str, ...]) -> dict[str, str]:
    """The geometric mean of our time / aten's, by operator."""
    sys.path.insert(0, str(ROOT))
    from benchmarks import results

    found: dict[str, list[float]] = {}
    for file in files:
        for cell in results.read(DOCS / "benchmarks" / f"{file}.json").cells:
            if "aten out" in cell.ratios and cell.layout == "contiguous":
                found.setdefault(cell.operator, []).append(cell.ratios["aten out"])
    return {name: f"{results.geometric_mean(ratios):.2f}" for name, ratios in found.items()}


def version_of_speeds() -> str:
    """The versions of actgrad whose speeds the page has."""
    from benchmarks import results

    def version(file: str) -> str:
        return str(results.read(DOCS / "benchmarks" / f"{file}.json").machine["versions"]["actgrad"])

    found = {title: ", ".join(sorted({*map(version, names)})) for title, names in SPEEDS.items()}
    return " and ".join(f"{versions} ({title})" for title, versions in found.items())


def name_rows() -> Iterator[list[str]]:
    """The names of each operator in every interface."""
    for stem, members in families().items():
        for operator in members:
            functions = ", ".join(s.name.removeprefix("aclnn") for s in signatures.list_signatures(operator))
            yield [link(operator, stem), in_torch(operator), functions, ", ".join(g.name for g in operator.graphs)]


def number_rows() -> Iterator[list[str]]:
    """The largest errors and the speeds of each operator that was measured."""
    largest, fast = errors(), [speeds(files) for files in SPEEDS.values()]
    for stem, members in families().items():
        for operator in members:
            name = operator.name
            measured = [f"{largest[name, dtype].raw:.2f}" if (name, dtype) in largest else "" for dtype in DTYPES]
            measured.append(f"{largest[name, 'float32'].adjusted:.2f}" if (name, "float32") in largest else "")
            measured += [ratios.get(name, "") for ratios in fast]
            if any(measured):
                yield [link(operator, stem), *measured]


def speed(ratio: float) -> str:
    """A ratio of times, ours / PyTorch's, in words."""
    if 0.95 < ratio < 1.05:
        return "takes as long as PyTorch"
    if ratio < 1:
        return f"is {1 / ratio:.1f} times faster than PyTorch"
    return f"takes {ratio:.1f} times as long as PyTorch"


def sentences() -> dict[str, str]:
    """What the page of a family says about the errors and the speed of each operator."""
    sentences = {}
    for row in number_rows():
        name = row[0].partition("]")[0].removeprefix("[")
        errors = [f"{ulp} in {dtype}" for ulp, dtype in zip(row[1:4], DTYPES, strict=True) if ulp]
        if row[3] != row[4]:
            errors[-1] += f" ([adjusted](../accuracy.md): {row[4]})"
        parts = [f"Largest error in ULP: {', '.join(errors)}."] if errors else []
        parts += [
            f"With {target}, it {speed(float(ratio))} ([conditions](../families.md#errors-and-speed))."
            for target, ratio in zip(SPEEDS, row[5:], strict=True)
            if ratio
        ]
        sentences[name] = " ".join(parts)
    return sentences


END = """\
Next: [formulas](formulas.md), or [performance](performance.md).

<!-- python scripts/families.py --write makes this page, and a test compares it with the registry. -->
"""


def page() -> str:
    """The whole page."""
    functions = sum(len(signatures.list_signatures(operator)) for operator in operators.values())
    graphs = sum(len(operator.graphs) for operator in operators.values())
    sizes = f"{len(families())} families, {len(operators)} operators, {functions} C functions, {graphs} graph names."
    names = documents.table(("operator", "PyTorch", "C", "IR"), name_rows())
    headings = ["operator", *(f"error, {dtype}" for dtype in DTYPES), "adjusted", *(f"speed, {t}" for t in SPEEDS)]
    numbers = documents.table(headings, number_rows())
    about_numbers = NUMBERS.replace("{version}", version_of_speeds())
    return "\n".join([INTRODUCTION, sizes, "", NAMES, names, "", about_numbers, numbers, "", LEFT_OUT, END])


if __name__ == "__main__":
    writing.page(__doc__, PAGE, page)
    if "--write" in sys.argv:
        documents.write_part(DOCS / "accuracy.md", LARGEST, largest_errors())
