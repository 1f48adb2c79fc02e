"""docs/chips.md: which data types each operator takes on each product, made from the laws.

python scripts/chips.py            print it
python scripts/chips.py --write    write it to docs/chips.md
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import writing
from operators import families, link

from actgrad import Operator
from actgrad.ascend import products
from actgrad.ascend.rules.law import ruleset
from actgrad.base.dtypes import BY_NAME
from actgrad.writing import documents

PAGE = Path(__file__).parents[1] / "docs" / "chips.md"
LETTERS = {
    "float32": "32", "float16": "16", "bfloat16": "b16", "float64": "64", "int8": "i8", "uint8": "u8", "int16": "i16",
    "int32": "i32", "int64": "i64", "bool": "b", "complex64": "c64", "complex128": "c128", "uint16": "u16",
    "uint32": "u32", "uint64": "u64",
}  # fmt: skip

INTRODUCTION = """\
# Chips and data types

This page is for people who port to one Ascend chip and ask whether an operator exists there, and for which data
types. A cell lists the data types of the inputs: 32 is FLOAT, 16 is FLOAT16, b16 is BFLOAT16, 64 is DOUBLE, i8 to i64
and u8 to u64 are integers, b is BOOL, and c64 and c128 are complex. "-" means that CANN does not have the operator on
the product. The columns are the products, by the names that `ACTGRAD_PRODUCT` takes:

{products}

Calls of C functions always follow the rules of one product, and Ascend910B is the default. From Python,
`actgrad.product("Ascend310P")` chooses one, so that a call that passes here also passes there. Without a product, a
Python function takes every data type of its formula ([formulas](formulas.md)).
"""
END = """\
Next: [rules and checks](operators.md) of each operator, [statuses](statuses.md), or
[port your first program](tutorials/port.md).

`python scripts/chips.py --write` makes this page from the laws of the operators.
"""


def cell(operator: Operator, product: products.Product) -> str:
    """The data types of an operator on a product, or "-"."""
    if product.name not in operator.law.product_names:
        return "-"
    names = [BY_NAME[name].name for name in ruleset(product).dtypes(operator.definition)]
    return " ".join(LETTERS.get(name, name) for name in names)


def rows() -> Iterator[tuple[str, ...]]:
    """A row for each operator that has a C function."""
    for stem, members in families().items():
        for operator in members:
            if operator.law.functions:
                names = (link(operator, stem), *(cell(operator, product) for product in products.BY_NAME.values()))
                yield names


def page() -> str:
    """The whole page."""
    known = ((name, products.BY_NAME[name].marketing, chip) for name, (chip, _) in products.CHIPS.items())
    names = documents.table(("product", "market name in CANN's documents", "one of its chips"), known)
    table = documents.table(("operator", *products.BY_NAME), rows())
    return f"{INTRODUCTION.replace('{products}', names)}\n{table}\n\n{END}"


if __name__ == "__main__":
    writing.page(__doc__, PAGE, page)
