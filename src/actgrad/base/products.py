"""The products (families of Ascend chips), and the choice of the product whose rules apply to a call.

Python functions apply the rules of a product only if a program chooses one: with `product(...)`, or with the
environment variable ACTGRAD_PRODUCT, which actgrad reads when it is imported. The aclnn calls always apply the rules of
a product. Without a choice, this product is DEFAULT.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from .errors import InvalidArgument, InvalidCall, either, quote


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


def _named(name: str) -> Product:
    return BY_NAME[name]


BY_NAME = {row.name: row for row in _ROWS}
DEFAULT = BY_NAME["Ascend910B"]
RULES = ("operator", "document")  # the checks of the real operator, or also the rules that only its documents state


class Selection(NamedTuple):
    """The product and the set of rules that a program chose. None means no choice."""

    product: Product | None
    rules: str | None


#: The choice of this context. The fast path runs only while it is None.
selected: ContextVar[Selection | None] = ContextVar("actgrad_selected", default=None)
_environment_chooses = bool(os.environ.get("ACTGRAD_PRODUCT") or os.environ.get("ACTGRAD_RULES"))


def any_chosen() -> bool:
    """Whether this context or the environment chooses a product or a set of rules."""
    return selected.get() is not None or _environment_chooses


def current() -> Product | None:
    """The product that this context chooses, otherwise the product of ACTGRAD_PRODUCT, or None."""
    here = selected.get()
    return _product_of_environment() if here is None or here.product is None else here.product


def chosen_rules() -> str:
    """The set of rules in force: "operator", or "document" if rules that only the documents state apply too."""
    here = selected.get()
    return _rules_of_environment() if here is None or here.rules is None else here.rules


def by_documents() -> bool:
    """Whether rules apply that only the documents state."""
    return chosen_rules() == "document"


@contextmanager
def product(name: str) -> Iterator[Product]:
    """Apply the rules of a product to the calls inside: "Ascend310P", or the product of a chip, "Ascend910B3"."""
    row = BY_NAME[_valid_name(name, "product", tuple(BY_NAME), of_chip)]
    before = selected.get()
    with selecting(Selection(row, before.rules if before else None)):
        yield row


@contextmanager
def rules(name: str) -> Iterator[None]:
    """Apply a set of rules to the calls inside.

    "operator" means the checks of the real operator. "document" adds the rules that only its documents state.
    """
    before = selected.get()
    with selecting(Selection(before.product if before else None, _valid_name(name, "rules", RULES))):
        yield


@contextmanager
def selecting(choice: Selection | None) -> Iterator[None]:
    """A context in which this choice is in force. None means the choice of the environment."""
    token = selected.set(choice)
    try:
        yield
    finally:
        selected.reset(token)


@cache
def _product_of_environment() -> Product | None:
    name = os.environ.get("ACTGRAD_PRODUCT") if _environment_chooses else None
    return BY_NAME[_valid_name(name, "ACTGRAD_PRODUCT", tuple(BY_NAME), of_chip)] if name else None


@cache
def _rules_of_environment() -> str:
    name = os.environ.get("ACTGRAD_RULES") if _environment_chooses else None
    return _valid_name(name, "ACTGRAD_RULES", RULES) if name else RULES[0]


def _valid_name(name: str, noun: str, names: tuple[str, ...], read: Callable[[str], str] = str) -> str:
    if not isinstance(name, str) or read(name) not in names:
        kind = InvalidArgument if isinstance(name, str) else InvalidCall
        matches = [each for each in names if isinstance(name, str) and each.lower() == name.lower()]
        cure = f"did you mean {matches[0]}?" if matches else "pass one of these"
        chip = f", or a chip of one of them, such as {CHIPS[DEFAULT.name][0]}" if read is of_chip else ""
        raise kind(f"{noun} is {quote(name)}; it must be {either(names)}{chip}; {cure}")
    return read(name)
