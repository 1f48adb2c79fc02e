"""docs/formulas.md: the formula of every operator in one line, with its data types and its source.

python scripts/formulas.py            print it
python scripts/formulas.py --write    write it to docs/formulas.md
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import writing
from operators import families, link, source_link

from actgrad import operators
from actgrad.checks.documentation import markdown_line
from actgrad.writing import documents

PAGE = Path(__file__).parents[1] / "docs" / "formulas.md"

INTRODUCTION = """\
# Formulas: what each operator computes

This page is for people who want one operator's formula, data types and paper. You can rely on the formulas, because a
test computes each of them with NumPy and compares the numbers with the operator's results. Some words help to read the
table:

- On the site, the name of an operator links to its page, which lists the C functions, the checks and the data types of
  each product. In the repository, the name links to the file that defines the operator.
- A formula holds for each element. If the operator takes one tensor, `x` is an element of this tensor. Every other name
  is the name of an argument.
- `sigmoid(x)` is `1 / (1 + exp(-x))`. `silu(x)` is `x * sigmoid(x)`. `gelu(x)` is `0.5 * x * (1 + erf(x / sqrt(2)))`.
  `silu'` and `gelu'` are their derivatives. `clamp(x, low, high)` is `min(max(x, low), high)`.
- The data types are those of the Python functions. A [product](chips.md) may take fewer.
- A function of NaN is NaN, unless the line says otherwise.
"""

END = """\
Next: [chips and data types](chips.md), or the [rules](operators.md) of each operator.

<!-- python scripts/formulas.py --write makes this page. -->
"""


def rows() -> Iterator[tuple[str, ...]]:
    """A row for each operator."""
    for stem, members in families().items():
        for operator in members:
            dtypes = ", ".join(operator.input_dtypes)
            source = source_link(operator) if operator.paper else ""
            yield link(operator, stem), markdown_line(operator.definition), dtypes, source


def gradients_at_nan() -> Iterator[str]:
    """What the gradients of elementwise operators are where the input is NaN."""
    kinds: dict[str, list[str]] = {}
    for name, operator in operators.items():
        access = operator.access
        if operator.gradient_of is not None and access.is_uniform:
            ones = [np.ones(1)] * (len(operator.schema.tensors) - 1)
            gradients = operator(*ones, np.full(1, np.nan), backend="reference")
            gradient = float((gradients[-1] if isinstance(gradients, tuple) else gradients)[0])
            words = {value: f"{name} * grad_output" for name, value in operator.defaults.items()} | {0.0: "0"}
            kind = "NaN" if np.isnan(gradient) else "grad_output" if gradient == 1 else words[gradient]
            kinds.setdefault(kind, []).append(f"`{name}`")
    for kind, names in kinds.items():
        yield f"- Where the input is NaN, the gradient is `{kind}` for {', '.join(names)}."


def page() -> str:
    """The whole page."""
    table = documents.table(("operator", "formula", "data types", "source"), rows())
    facts = "\n".join(gradients_at_nan())
    return f"{INTRODUCTION}{facts}\n\n{len(operators)} operators:\n\n{table}\n\n{END}"


if __name__ == "__main__":
    writing.page(__doc__, PAGE, page)
