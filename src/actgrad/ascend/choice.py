"""The choice of the product and of the set of rules that judge calls.

Python functions apply the rules of a product only if a program chooses one: with `product(...)`, or with the
environment variable ACTGRAD_PRODUCT, which actgrad reads when it is imported. The aclnn calls always apply the rules of
a product. Without a choice, this product is DEFAULT.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from ..checks import law
from .products import BY_NAME, RULES, Product, of_chip, valid_name
from .rules.law import Ruleset, current_ruleset, ruleset


def current_product() -> Product | None:
    """The product whose rules judge the calls of this context, or None."""
    here = current_ruleset()
    return None if here is None else here.product


def current_rules() -> str:
    """The set of rules in force: "operator", or "document" if rules that only the documents state apply too."""
    here = current_ruleset()
    return RULES[1] if here is not None and here.document else RULES[0]


@contextmanager
def product(name: str) -> Iterator[Product]:
    """Apply the rules of a product to the calls inside: "Ascend310P", or the product of a chip, "Ascend910B3"."""
    row = BY_NAME[valid_name(name, "product", tuple(BY_NAME), of_chip)]
    with law.putting_in_force(ruleset(row, current_rules() == "document")):
        yield row


@contextmanager
def rules(name: str) -> Iterator[None]:
    """Apply a set of rules to the calls inside.

    "operator" means the checks of the real operator. "document" adds the rules that only its documents state.
    """
    is_document = valid_name(name, "rules", RULES) == "document"
    with law.putting_in_force(ruleset(current_product(), is_document)):
        yield


@cache
def ruleset_of_environment() -> Ruleset:
    """The rules that the variables ACTGRAD_PRODUCT and ACTGRAD_RULES choose. Raises for a wrong name."""
    name, chosen = os.environ.get("ACTGRAD_PRODUCT"), os.environ.get("ACTGRAD_RULES")
    row = BY_NAME[valid_name(name, "ACTGRAD_PRODUCT", tuple(BY_NAME), of_chip)] if name else None
    is_document = bool(chosen) and valid_name(str(chosen), "ACTGRAD_RULES", RULES) == "document"
    return ruleset(row, is_document)
