"""docs/chips.md: which data types each operator takes on each product, made from the laws.

python scripts/chips.py            print it
python scripts/chips.py --write    write it to docs/chips.md
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import writing
from operators import families, first_dtypes, link

from actgrad.ascend import products
from actgrad.ascend.aclnn import signatures
from actgrad.ascend.aclnn.signatures import Signature
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
types. `actgrad list gelu --product Ascend310P` answers the same for one operator. In the table, a cell lists the data
types that the checks accept for the first tensor, and "-" means that the product does not have the operator. {without}
are not in the table, because they have no C function.

| in a cell | data type |
| --- | --- |
| 32, 16, b16, 64 | FLOAT, FLOAT16, BFLOAT16, DOUBLE |
| i8 to i64, u8 to u64, b | signed and unsigned integers, BOOL |
| c64, c128 | COMPLEX64, COMPLEX128 |

The columns are the products, by the names that `ACTGRAD_PRODUCT` takes:

{products}

C functions always apply the rules of one product, Ascend910B by default. In Python, `actgrad.product("Ascend310P")`
applies the rules of Ascend310P, so that a call that passes here also passes there. Without a product, a Python function
takes every data type of its formula ([formulas](formulas.md)).
"""
END = """\
Next: [rules and checks](operators.md) of each operator, [statuses](statuses.md), or
[port your first program](tutorials/port.md).

<!-- python scripts/chips.py --write makes this page from the laws of the operators. -->
"""


def cell(signature: Signature, product: products.Product) -> str:
    """The data types of a function's first tensor on a product, or "-"."""
    return " ".join(LETTERS.get(name, name) for name in first_dtypes(signature, product)) or "-"


def rows() -> Iterator[tuple[str, ...]]:
    """A row for each operator that has C functions, and for each law where its functions have several."""
    for stem, members in families().items():
        for operator in members:
            by_cells: dict[tuple[str, ...], list[str]] = {}
            for signature in signatures.list_signatures(operator):
                cells = tuple(cell(signature, product) for product in products.BY_NAME.values())
                by_cells.setdefault(cells, []).append(signature.name.removeprefix("aclnn"))
            for cells, functions in by_cells.items():
                yield link(operator, stem), ", ".join(functions), *cells


def page() -> str:
    """The whole page."""
    known = ((name, products.BY_NAME[name].marketing, chip) for name, (chip, _) in products.CHIPS.items())
    names = documents.table(("product", "market name in CANN's documents", "one of its chips"), known)
    table = documents.table(("operator", "C functions, without `aclnn`", *products.BY_NAME), rows())
    without = sum(not operator.law.functions for members in families().values() for operator in members)
    introduction = INTRODUCTION.replace("{products}", names).replace("{without}", f"{without} operators")
    return f"{introduction}\n{table}\n\n{END}"


if __name__ == "__main__":
    writing.page(__doc__, PAGE, page)
