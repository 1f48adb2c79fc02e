"""Limits on checks: to a stage of a call, to products, to the rules of the documents, or to tensors with elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..base.errors import TilingFailed
from .check import Call, Check, Origin, When

Group = tuple[Check, ...]


def unless_empty(names: tuple[str, ...], *groups: Group, tested_on: str = "") -> Group:
    """These checks, for calls in which no named tensor is empty. Otherwise the real operator returns before it checks.

    The products in `tested_on` check empty tensors too. If the call has to allocate its outputs, the checks always
    apply, because the shapes of the outputs follow from shapes that passed the checks.
    """

    def guarded(check: Check) -> Check:
        def test(call: Call) -> str | None:
            is_empty = any((meta := call.tensors.get(name)) is not None and meta.size == 0 for name in names)
            is_tested = call.product is not None and call.product.name in tested_on.split()
            return None if is_empty and call.outputs and not is_tested else check.test(call)

        words = f" (tested on {tested_on})" if tested_on else ""
        return replace(check, rule=f"{check.rule}, unless {' or '.join(names)} is empty{words}", test=test)

    return tuple(guarded(check) for group in groups for check in group)


def document(*groups: Group) -> Group:
    """These checks, as rules that only the documents state."""
    checks = [check for group in groups for check in group]
    return tuple([replace(check, when=When.DOCUMENT, origin=Origin.DOCUMENT) for check in checks])


def tiling(*groups: Group) -> Group:
    """These checks, which a generated function makes when it plans its kernel (tiling), unless all outputs are empty.

    In C, a failed check has the status of the tiling stage. The documents promise the status of a wrong parameter, so
    under the rules of the documents the same checks also come earlier, with that status. In Python both checks raise
    the same class.
    """

    def at_tiling(check: Check) -> Check:
        def test(call: Call) -> str | None:
            is_empty = bool(call.outputs) and all(meta.size == 0 for meta in call.outputs.values())
            return None if is_empty else check.test(call)

        return replace(check, test=test, c_error=TilingFailed, origin=Origin.OPERATOR)

    return (*document(*groups), *(at_tiling(check) for group in groups for check in group))


def on(products: str, *groups: Group) -> Group:
    """Checks that apply only on these products."""
    return _where(f"on {products}", lambda name: name in products.split(), groups)


def off(products: str, *groups: Group) -> Group:
    """Checks that apply only on other products than these."""
    return _where(f"off {products}", lambda name: name not in products.split(), groups)


def _where(words: str, holds: Callable[[str], bool], groups: tuple[Group, ...]) -> Group:
    def limited_check(check: Check) -> Check:
        def test(call: Call) -> str | None:
            return check.test(call) if call.product is not None and holds(call.product.name) else None

        origin = Origin.DOCUMENT if check.origin is Origin.DOCUMENT else Origin.OPERATOR
        return replace(check, rule=f"{words}: {check.rule}", test=test, origin=origin)

    return tuple(limited_check(check) for group in groups for check in group)
