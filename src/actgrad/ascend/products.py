"""The products, which are families of Ascend chips."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..base.errors import InvalidArgument, InvalidCall, either, quote


@dataclass(frozen=True, slots=True, eq=False)  # one object per product
class Product:
    """A family of chips with the same rules in the operators' documents."""

    name: str  # the SoC's name
    marketing: str  # the name in the documents
    bfloat16: bool  # whether its tensors may be bfloat16

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        return _named, (self.name,)


_ROWS = (
    Product("Ascend950", "Ascend 950PR / 950DT", bfloat16=True),
    Product("Ascend910_93", "Atlas A3 training / inference", bfloat16=True),
    Product("Ascend910B", "Atlas A2 training / inference", bfloat16=True),
    Product("Ascend310B", "Atlas 200I/500 A2 inference", bfloat16=False),
    Product("Ascend310P", "Atlas inference series", bfloat16=False),
    Product("Ascend910", "Atlas training series", bfloat16=False),
)


#: Product -> the name of one of its chips, and a regular expression for the names of all. C and Python use both.
CHIPS = {
    "Ascend950": ("Ascend950PR_9589", "Ascend950[A-Za-z0-9_]*"),
    "Ascend910_93": ("Ascend910_9391", "Ascend910_93[A-Za-z0-9_]*"),
    "Ascend910B": ("Ascend910B1", "Ascend910B[A-Za-z0-9_]*"),
    "Ascend310B": ("Ascend310B1", "Ascend310B[A-Za-z0-9_]*"),
    "Ascend310P": ("Ascend310P3", "Ascend310P[A-Za-z0-9_]*"),
    "Ascend910": ("Ascend910A", "Ascend910(A|ProA|ProB|PremiumA)?"),
}


def of_chip(name: str) -> str:
    """The product of a chip with this name, which aclrtGetSocName returns. Any other name is returned unchanged."""
    return next((product for product, (_, names) in CHIPS.items() if re.fullmatch(names, name)), name)


def sold_as(name: str) -> list[str]:
    """The products whose market name has all words of a name: "Atlas A2" is Ascend910B."""
    words = set(name.lower().split()) - {"series", "product", "products"}
    return [row.name for row in _ROWS if words and words <= set(row.marketing.lower().split())]


def _named(name: str) -> Product:
    return BY_NAME[name]


BY_NAME = {row.name: row for row in _ROWS}
DEFAULT = BY_NAME["Ascend910B"]
RULES = ("operator", "document")  # the checks of the real operator, or also the rules that only its documents state


def valid_name(name: str, noun: str, names: tuple[str, ...], read: Callable[[str], str] = str) -> str:
    """A name as `read` returns it, if it is one of `names`. Otherwise raises an error that begins with the noun."""
    if not isinstance(name, str) or read(name) not in names:
        kind = InvalidArgument if isinstance(name, str) else InvalidCall
        matches = [each for each in names if isinstance(name, str) and each.lower() == name.lower()]
        cure = f"did you mean {matches[0]}?" if matches else "pass one of these"
        chip = f", or a chip of one of them, such as {CHIPS[DEFAULT.name][0]}" if read is of_chip else ""
        raise kind(f"{noun} is {quote(name)}; it must be {either(names)}{chip}; {cure}")
    return read(name)
