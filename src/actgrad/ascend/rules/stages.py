"""Limits on checks: to a stage of a call, to products, to the rules of the documents, or to tensors with elements."""

from __future__ import annotations

from collections.abc import Callable

from ...base.errors import TilingFailed
from ...checks.check import Call, Check
from .rule import Origin, Rule, When, limited, product_of, rule_from

Group = tuple[Check, ...]
Rules = tuple[Rule, ...]


def unless_empty(names: tuple[str, ...], *groups: Group, tested_on: str = "") -> Rules:
    """These checks, for calls in which no named tensor is empty. Otherwise the real operator returns before it checks.

    The products in `tested_on` check empty tensors too. If the call has to allocate its outputs, the checks always
    apply, because the shapes of the outputs follow from shapes that passed the checks.
    """

    def guarded(check: Check) -> Rule:
        def test(call: Call) -> str | None:
            is_empty = any((meta := call.tensors.get(name)) is not None and meta.size == 0 for name in names)
            is_tested = (product := product_of(call)) is not None and product.name in tested_on.split()
            return None if is_empty and call.outputs and not is_tested else check.test(call)

        words = f" (tested on {tested_on})" if tested_on else ""
        return rule_from(check, rule=f"{check.rule}, unless {' or '.join(names)} is empty{words}", test=test)

    return tuple(guarded(check) for group in groups for check in group)


def only_documents(*groups: Group) -> Rules:
    """These checks, as rules that only the documents state."""
    return limited(tuple([check for group in groups for check in group]), when=When.DOCUMENT, origin=Origin.DOCUMENT)


def in_tiling(*groups: Group) -> Rules:
    """These checks, which a generated function makes when it plans its kernel (tiling), unless all outputs are empty.

    In C, a failed check has the status of the tiling stage. The documents promise the status of a wrong parameter, so
    under the rules of the documents the same checks also come earlier, with that status. In Python both checks raise
    the same class.
    """

    def at_tiling(check: Check) -> Rule:
        def test(call: Call) -> str | None:
            is_empty = bool(call.outputs) and all(meta.size == 0 for meta in call.outputs.values())
            return None if is_empty else check.test(call)

        return rule_from(check, test=test, c_error=TilingFailed, origin=Origin.OPERATOR)

    return (*only_documents(*groups), *(at_tiling(check) for group in groups for check in group))


def only_on(products: str, *groups: Group) -> Rules:
    """Checks that apply only on these products."""
    return _where(f"on {products}", lambda name: name in products.split(), groups)


def except_on(products: str, *groups: Group) -> Rules:
    """Checks that apply only on other products than these."""
    return _where(f"off {products}", lambda name: name not in products.split(), groups)


def _where(words: str, holds: Callable[[str], bool], groups: tuple[Group, ...]) -> Rules:
    def limited_check(check: Check) -> Rule:
        def test(call: Call) -> str | None:
            product = product_of(call)
            return check.test(call) if product is not None and holds(product.name) else None

        is_documented = isinstance(check, Rule) and check.origin is Origin.DOCUMENT
        origin = Origin.DOCUMENT if is_documented else Origin.OPERATOR
        return rule_from(check, rule=f"{words}: {check.rule}", test=test, origin=origin)

    return tuple(limited_check(check) for group in groups for check in group)
