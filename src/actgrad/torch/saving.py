"""What a forward operator keeps for its gradient: its input, its result in place of it, or a further result too."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import torch

from ..base import products
from ..base.errors import InvalidArgument
from ..calls.operator import REGISTRY, Operator
from .partials import depends_on_sign_only

AUTO = "auto"
INPUT = "input"
RESULT = "result"
HALF = (torch.float16, torch.bfloat16)


class Way(NamedTuple):
    """A way to the gradient: which operator computes it, and from what."""

    backward: Operator
    keeps: str
    flags: dict[str, bool]  # the attributes that tell the backward operator what it is given

    @property
    def keeps_result(self) -> bool:
        """Whether the result stands in for the input."""
        return self.keeps == RESULT

    @property
    def keeps_more(self) -> bool:
        """Whether a further result is kept beside the input."""
        return self.keeps not in (INPUT, RESULT)


@cache
def ways(operator: Operator) -> dict[str, Way]:
    """The ways to an operator's gradient, by what they keep. Empty where the registry has no backward operator."""
    found: dict[str, Way] = {}
    whole = operator.part_of or operator
    for backward in REGISTRY.values():
        if backward.gradient_of is not whole:
            continue
        *_, last = [a.name for a in backward.schema.tensors if not a.is_optional]
        flags = [name for name in backward.defaults if name.endswith("is_result")]
        if flags:
            found[INPUT] = Way(backward, INPUT, dict.fromkeys(flags, False))
            found[RESULT] = Way(backward, RESULT, dict.fromkeys(flags, True))
        else:
            keeps = RESULT if last == RESULT else INPUT
            found[keeps] = Way(backward, keeps, {})
        for argument in backward.schema.tensors:
            if argument.is_optional and whole is operator:  # a further result, which a part does not have
                found[argument.name] = Way(backward, argument.name, {})
    return found


def prepare(operator: Operator) -> None:
    """Find out about an operator's gradients now: later, a tracer may be watching."""
    result = ways(operator).get(RESULT)
    if result is not None:
        _costs_nothing(result.backward)


def choose(operator: Operator, attributes: dict[str, Any], dtype: torch.dtype, save: str) -> Way | None:
    """The way that `save` asks for; "auto" keeps the result where it tells all there is to know, exactly.

    Where the result does not tell the sign of the input, asking for it is an InvalidArgument.
    """
    known = ways(operator)
    if save != AUTO:
        if save not in known:
            names = ", ".join(map(repr, [AUTO, *known]))
            raise InvalidArgument(f"{operator.name}: save is {save!r}; it must be one of {names}")
        fault = _fault(known[save], attributes)
        if fault:
            raise InvalidArgument(f"{operator.name}: {fault}; pass save={AUTO!r} or save={INPUT!r}")
        return known[save]
    result, kept_input = known.get(RESULT), known.get(INPUT)
    if result is None or kept_input is None:
        return result or kept_input
    if _fault(result, attributes) or (dtype in HALF and not _costs_nothing(result.backward)):
        return kept_input
    return result


def choose_in_place(operator: Operator, attributes: dict[str, Any]) -> Way | None:
    """The same where the input is overwritten: the result costs no memory; a copy of the input would."""
    known = ways(operator)
    result = known.get(RESULT)
    return known.get(INPUT) if result is None or _fault(result, attributes) else result


def _fault(way: Way, attributes: dict[str, Any]) -> str | None:
    """Why a result does not stand in for its input, None where it does."""
    if not way.keeps_result:
        return None
    product = products.chosen()
    given = {**{name: attributes.get(name) for name in way.backward.defaults}, **way.flags}
    for rule, holds in {**way.backward.requires, **way.backward.result_suffices}.items():
        if not holds(given, product):
            concerned = ", ".join(
                f"{name}={value!r}" for name, value in given.items() if re.search(rf"\b{name}\b", rule)
            )
            return f"save={RESULT!r} needs {rule}, for the result to tell the sign of the input; got {concerned}"
    return None


@cache
def _costs_nothing(backward: Operator) -> bool:
    """Whether the result loses no exactness by being rounded: where only its sign is asked for."""
    assert backward.gradient_of is not None, "it has a forward operator"
    return depends_on_sign_only(backward, {**backward.defaults, **ways(backward.gradient_of)[RESULT].flags})
