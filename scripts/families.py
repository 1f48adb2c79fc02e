"""docs/families.md: every operator by its family, with its interfaces, its largest errors and its speed.

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

import actgrad
from actgrad import Operator, operators
from actgrad.aclnn import signatures
from actgrad.writing import documents

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGE = DOCS / "families.md"
DTYPES = ("float16", "bfloat16", "float32")
LARGEST = "largest errors"  # the part of docs/accuracy.md
SPEEDS = {"AVX-512": ("families", "throughput"), "AVX2": ("families_avx2", "throughput_avx2")}  # in docs/benchmarks

INTRODUCTION = """\
# Families: what is there

Made by `python scripts/families.py --write`; a test compares. A family is one file of `src/actgrad/ops`.
[Formulas](formulas.md) says what each operator computes.

- **NumPy**: "yes" means that `actgrad.NAME` takes arrays. **check**: "yes" means that `actgrad check NAME` judges
  results.
- **PyTorch**: the function and the module of `actgrad.torch`. "ops" means that the operator is only in
  `torch.ops.actgrad`. `actgrad.torch.geglu` computes `geglu_packed`.
- **C**: the functions of `actgrad.aclnn` and of the C SDK, without `aclnn`. **IR**: the names in `actgrad.ir`.
- **Error**: the largest error in ULP (units in the last place) over all cases of attributes. For float16 and bfloat16
  it was measured at every number. [accuracy.md](accuracy.md) says what "adjusted" means, and at how many numbers of
  float32 it was measured. Operators on rows were measured on random rows, see [rows.md](rows.md). `geglu_packed` has
  the errors of `geglu`.
- **Speed**: our time / PyTorch's time on the CPU, both with 2 threads and into given memory. It is the geometric mean
  over sizes and data types of the kept results in [benchmarks](benchmarks/README.md). A cell is empty if PyTorch
  lacks the operator, or if the kept results lack it. [rows.md](rows.md) has the speed of operators on rows.
"""

LEFT_OUT = """\
## What CANN's folder has and this library does not

| family | why |
| --- | --- |
| GeluQuant, SwigluGroupQuant, SwigluGroupQuantGrad | results are quantised (int8, FP8), with scales of their own |
| ReluV2, ReluGradV2 | they write and read a mask of bits beside the values |
| BinaryCrossEntropyWithLogitsTargetBackward | no activation: the gradient of a loss by its target |
| RReluWithNoise in training | it draws the random numbers of the NPU's generator: status 561103 and a text |

Graph names without a C function in CANN have none here. Functions that other folders have and clients call (matrix
products, copies, reductions) belong to the C SDK: see [sdk.md](sdk.md).
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


def rows() -> Iterator[list[str]]:
    """The table: a row for each operator."""
    largest, fast = errors(), [speeds(files) for files in SPEEDS.values()]
    for name, operator in operators.items():
        yield [
            family(operator),
            f"[{name}](operators.md#{anchor(operator)})",
            "yes" if getattr(actgrad, name, None) is operator else "",
            in_torch(operator),
            ", ".join(s.name.removeprefix("aclnn") for s in signatures.list_signatures(operator)),
            ", ".join(graph.name for graph in operator.graphs),
            "yes",
            *(f"{largest[name, dtype].raw:.2f}" if (name, dtype) in largest else "" for dtype in DTYPES),
            f"{largest[name, 'float32'].adjusted:.2f}" if (name, "float32") in largest else "",
            *(ratios.get(name, "") for ratios in fast),
        ]


def family(operator: Operator) -> str:
    """The file that has an operator's schema line."""
    files = sorted((ROOT / "src" / "actgrad" / "ops").glob("*.py"))
    return next(file.stem for file in files if f'"{operator.name}(Tensor' in file.read_text(encoding="utf-8"))


def anchor(operator: Operator) -> str:
    """The anchor of an operator's section in operators.md."""
    functions = "".join(f"-{s.name.lower()}" for s in signatures.list_signatures(operator))
    return operator.name + functions


def in_torch(operator: Operator) -> str:
    """The function and the module in actgrad.torch; an operator without them has its name in torch.ops.actgrad."""
    names = operator.definition.torch
    return (
        "ops"
        if names is None
        else ", ".join(filter(None, (name.partition("(")[0] for name in (names.function, names.module))))
    )


def page() -> str:
    """The whole page."""
    headings = ["family", "operator", "NumPy", "PyTorch", "C", "IR", "check"]
    headings += [*(f"error, {dtype}" for dtype in DTYPES), "error, float32, adjusted"]
    headings += [f"speed, {target}" for target in SPEEDS]
    count = len({row[0] for row in rows()})
    functions = sum(len(signatures.list_signatures(operator)) for operator in operators.values())
    graphs = sum(len(operator.graphs) for operator in operators.values())
    sizes = f"{count} families, {len(operators)} operators, {functions} C functions, {graphs} graph names."
    return "\n".join([INTRODUCTION, sizes, "", documents.table(headings, rows()), "", LEFT_OUT])


if __name__ == "__main__":
    writing.page(__doc__, PAGE, page)
    if "--write" in sys.argv:
        documents.write_part(DOCS / "accuracy.md", LARGEST, largest_errors())
