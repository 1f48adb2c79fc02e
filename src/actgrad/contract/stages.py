"""Checks that hold at a stage of a call: where a generated function plans its kernel, or unless a tensor is empty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..base.errors import TilingFailed
from .check import Call, Check, Origin, When

Group = tuple[Check, ...]


def unless_empty(names: tuple[str, ...], *groups: Group, tested_on: str = "") -> Group:
    """These checks, unless one of the named tensors is empty: the operator returns before.

    The products of `tested_on` make them on empty tensors too. Without outputs they always hold, for the shape of the
    result follows from them.
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
    """These checks, only under the rules of the documents."""
    checks = [check for group in groups for check in group]
    return tuple([replace(check, when=When.DOCUMENT, origin=Origin.DOCUMENT) for check in checks])


def tiling(*groups: Group) -> Group:
    """These checks as a generated function makes them: where it plans its kernel, unless all outputs are empty.

    In C they have the status of the planning stage. The documents promise the status of a wrong parameter, which
    their letter adds. In Python both raise the same class.
    """

    def planned(check: Check) -> Check:
        def test(call: Call) -> str | None:
            is_empty = bool(call.outputs) and all(meta.size == 0 for meta in call.outputs.values())
            return None if is_empty else check.test(call)

        return replace(check, test=test, c_error=TilingFailed, origin=Origin.OPERATOR)

    return (*document(*groups), *(planned(check) for group in groups for check in group))


def on(products: str, *groups: Group) -> Group:
    """These checks, only on these products."""
    return _where(f"on {products}", lambda name: name in products.split(), groups)


def off(products: str, *groups: Group) -> Group:
    """These checks, where another product than these judges."""
    return _where(f"off {products}", lambda name: name not in products.split(), groups)


def _where(words: str, holds: Callable[[str], bool], groups: tuple[Group, ...]) -> Group:
    def placed(check: Check) -> Check:
        def test(call: Call) -> str | None:
            return check.test(call) if call.product is not None and holds(call.product.name) else None

        origin = Origin.DOCUMENT if check.origin is Origin.DOCUMENT else Origin.OPERATOR
        return replace(check, rule=f"{words}: {check.rule}", test=test, origin=origin)

    return tuple(placed(check) for group in groups for check in group)
