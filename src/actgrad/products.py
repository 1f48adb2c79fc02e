"""The products (Ascend chips): one row each, and which of them judges a call.

The plain Python functions judge by a product only where one was chosen, by `with product(...)` or by the environment
variable ACTGRAD_PRODUCT, which is read at the first call. The aclnn calls always do, and take DEFAULT where none was.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache

from .errors import InvalidArgument


@dataclass(frozen=True, slots=True, eq=False)  # one object per product
class Product:
    """A chip family, as the operators' documents distinguish them."""

    name: str  # the SoC's name
    marketing: str  # as the documents write it
    bfloat16: bool  # whether its tensors may be bfloat16

    def __str__(self) -> str:
        return self.name


_ROWS = (
    Product("Ascend950", "Ascend 950PR / 950DT", bfloat16=True),
    Product("Ascend910_93", "Atlas A3 training / inference", bfloat16=True),
    Product("Ascend910B", "Atlas A2 training / inference", bfloat16=True),
    Product("Ascend310B", "Atlas 200I/500 A2 inference", bfloat16=False),
    Product("Ascend310P", "Atlas inference series", bfloat16=False),
    Product("Ascend910", "Atlas training series", bfloat16=False),
)

BY_NAME = {row.name: row for row in _ROWS}
DEFAULT = BY_NAME["Ascend910B"]
RULES = ("operator", "document")  # what the real operator does, or the documents' letter on top of it

_product: ContextVar[Product | None] = ContextVar("actgrad_product", default=None)
_rules: ContextVar[str | None] = ContextVar("actgrad_rules", default=None)


def _choice(name: str, what: str, known: tuple[str, ...]) -> str:
    if name not in known:
        raise InvalidArgument(f"{what} is {name!r}; known: {', '.join(known)}")
    return name


def chosen() -> Product | None:
    """The product chosen for this context, else by ACTGRAD_PRODUCT, else None."""
    here = _product.get()
    if here is not None:
        return here
    return _product_of_environment()


def chosen_rules() -> str:
    """The set of rules in force: "operator", or "document" where the documents' letter was asked for."""
    here = _rules.get()
    if here is not None:
        return here
    return _rules_of_environment()


@cache  # read once: looking the environment up costs as much as a small kernel
def _product_of_environment() -> Product | None:
    name = os.environ.get("ACTGRAD_PRODUCT")
    return BY_NAME[_choice(name, "ACTGRAD_PRODUCT", tuple(BY_NAME))] if name else None


@cache
def _rules_of_environment() -> str:
    name = os.environ.get("ACTGRAD_RULES")
    return _choice(name, "ACTGRAD_RULES", RULES) if name else RULES[0]


@contextmanager
def product(name: str) -> Iterator[Product]:
    """Judge the calls inside by the rules of one product, for example "Ascend310P"."""
    row = BY_NAME[_choice(name, "product", tuple(BY_NAME))]
    token = _product.set(row)
    try:
        yield row
    finally:
        _product.reset(token)


@contextmanager
def rules(name: str) -> Iterator[None]:
    """Judge the calls inside by "operator" (what the real operator does) or "document" (its documents' letter too)."""
    token = _rules.set(_choice(name, "rules", RULES))
    try:
        yield
    finally:
        _rules.reset(token)
