"""The products (Ascend chips): one row each, and which of them judges a call.

The plain Python functions judge by a product only where one was chosen, by `with product(...)` or by the environment
variable ACTGRAD_PRODUCT, which is read when actgrad is imported. The aclnn calls always judge by one: DEFAULT where
none was chosen.
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
    """A chip family, as the operators' documents distinguish them."""

    name: str  # the SoC's name
    marketing: str  # as the documents write it
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


#: By product: one of its chips, and the names of all, as a regular expression that C and Python read alike.
CHIPS = {
    "Ascend950": ("Ascend950PR_9589", "Ascend950[A-Za-z0-9_]*"),
    "Ascend910_93": ("Ascend910_9391", "Ascend910_93[A-Za-z0-9_]*"),
    "Ascend910B": ("Ascend910B1", "Ascend910B[A-Za-z0-9_]*"),
    "Ascend310B": ("Ascend310B1", "Ascend310B[A-Za-z0-9_]*"),
    "Ascend310P": ("Ascend310P3", "Ascend310P[A-Za-z0-9_]*"),
    "Ascend910": ("Ascend910A", "Ascend910(A|ProA|ProB|PremiumA)?"),
}


def of_chip(name: str) -> str:
    """The product of a chip's full name, as aclrtGetSocName returns it. Another name is returned unchanged."""
    return next((product for product, (_, names) in CHIPS.items() if re.fullmatch(names, name)), name)


def _named(name: str) -> Product:
    return BY_NAME[name]


BY_NAME = {row.name: row for row in _ROWS}
DEFAULT = BY_NAME["Ascend910B"]
RULES = ("operator", "document")  # the real operator's checks, or the documents' letter on top of them


class Selected(NamedTuple):
    """The chosen product and the chosen set of rules, or None for one that was not chosen."""

    product: Product | None
    rules: str | None


#: Product and rules of this context. The fast path runs only while it is None.
selected: ContextVar[Selected | None] = ContextVar("actgrad_selected", default=None)
_environment_says = bool(os.environ.get("ACTGRAD_PRODUCT") or os.environ.get("ACTGRAD_RULES"))


def any_chosen() -> bool:
    """Whether a product or a set of rules was chosen, here or by the environment."""
    return selected.get() is not None or _environment_says


def current() -> Product | None:
    """The product chosen for this context, otherwise by ACTGRAD_PRODUCT, or None."""
    here = selected.get()
    return _product_of_environment() if here is None or here.product is None else here.product


def chosen_rules() -> str:
    """The set of rules in force: "operator", or "document" for the documents' letter."""
    here = selected.get()
    return _rules_of_environment() if here is None or here.rules is None else here.rules


def by_documents() -> bool:
    """Whether the documents' letter is in force."""
    return chosen_rules() == "document"


@contextmanager
def product(name: str) -> Iterator[Product]:
    """Apply the rules of one product to the calls inside, for example "Ascend310P", or of a chip, "Ascend910B3"."""
    row = BY_NAME[_known(name, "product", tuple(BY_NAME), of_chip)]
    before = selected.get()
    with selecting(Selected(row, before.rules if before else None)):
        yield row


@contextmanager
def rules(name: str) -> Iterator[None]:
    """Judge the calls inside by "operator" (the real operator's checks) or "document" (its documents' letter too)."""
    before = selected.get()
    with selecting(Selected(before.product if before else None, _known(name, "rules", RULES))):
        yield


@contextmanager
def selecting(choice: Selected | None) -> Iterator[None]:
    """A context in which this product and these rules are in force. None: the choice of the environment."""
    token = selected.set(choice)
    try:
        yield
    finally:
        selected.reset(token)


@cache
def _product_of_environment() -> Product | None:
    name = os.environ.get("ACTGRAD_PRODUCT") if _environment_says else None
    return BY_NAME[_known(name, "ACTGRAD_PRODUCT", tuple(BY_NAME), of_chip)] if name else None


@cache
def _rules_of_environment() -> str:
    name = os.environ.get("ACTGRAD_RULES") if _environment_says else None
    return _known(name, "ACTGRAD_RULES", RULES) if name else RULES[0]


def _known(name: str, noun: str, names: tuple[str, ...], read: Callable[[str], str] = str) -> str:
    if not isinstance(name, str) or read(name) not in names:
        kind = InvalidArgument if isinstance(name, str) else InvalidCall
        matches = [each for each in names if isinstance(name, str) and each.lower() == name.lower()]
        cure = f"did you mean {matches[0]}?" if matches else "pass one of these"
        raise kind(f"{noun} is {quote(name)}; it must be {either(names)}; {cure}")
    return read(name)
