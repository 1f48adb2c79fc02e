"""What the core asks of this wing. Importing this module imports no law; its functions do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from ..base.definition import Definition
from ..checks.law import LawInForce
from .products import BY_NAME, RULES, of_chip, sold_as

PRODUCTS = tuple(BY_NAME)
__all__ = [
    "PRODUCTS",
    "RULES",
    "choosing",
    "law_of",
    "laws_with_formulas",
    "of_chip",
    "ruleset_of_environment",
    "sold_as",
    "state_law",
]


@contextmanager
def choosing(product: str | None = None, rules: str | None = None) -> Iterator[None]:
    """A context in which the rules of a product, or a set of rules, judge calls. None keeps the choice."""
    from . import choice

    with choice.product(product) if product else nullcontext(), choice.rules(rules) if rules else nullcontext():
        yield


def law_of(definition: Definition) -> Any:
    """What CANN says about an operator."""
    from . import law

    return law.law_of(definition)


def laws_with_formulas(definition: Definition) -> Iterator[LawInForce]:
    """A product's law for each formula by which the product replaces an operator's formula."""
    from .rules.law import ruleset

    for key in law_of(definition).formulas.keys() & BY_NAME:
        yield ruleset(BY_NAME[key])


def ruleset_of_environment() -> LawInForce:
    """The rules that the variables ACTGRAD_PRODUCT and ACTGRAD_RULES choose. Raises for a wrong name."""
    from . import choice

    return choice.ruleset_of_environment()


def state_law(operator: Any, fields: dict[str, Any]) -> str:
    """State the law of a user's operator from fields of old definitions. Returns the text of the Law(...) to write."""
    from . import old_fields

    return old_fields.state(operator, fields)
