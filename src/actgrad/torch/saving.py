"""The tensors that a forward call saves for its gradient: the input, the result, or the input and a further result."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import torch

from ..base import products
from ..base.errors import InvalidArgument, InvalidOperator
from ..calls.operator import REGISTRY, Operator
from .derivatives.partials import depends_on_sign_only

AUTO = "auto"
INPUT = "input"
RESULT = "result"
HALF = (torch.float16, torch.bfloat16)


class SavedForBackward(NamedTuple):
    """A backward operator, and the tensors that a forward call saves for it."""

    backward: Operator
    keeps: str  # INPUT, RESULT, or the name of the further result that is saved beside the input
    flags: dict[str, bool]  # the attribute that says whether the operator is given the result
    sources: tuple[int | None, ...]  # each of its tensors' place in (grad_output, *saved); None: left out

    @property
    def keeps_result(self) -> bool:
        """Whether the result stands in for the input."""
        return self.keeps == RESULT

    @property
    def keeps_more(self) -> bool:
        """Whether a further result is saved beside the input."""
        return self.keeps not in (INPUT, RESULT)


@cache
def ways(operator: Operator) -> dict[str, SavedForBackward]:
    """All backward operators of an operator, by the tensor that each needs. Empty where the registry has none."""
    found: dict[str, SavedForBackward] = {}
    whole = operator.part_of or operator
    for backward in REGISTRY.values():
        if backward.gradient_of is not whole:
            continue
        definition = backward.definition
        keeps = {}
        if definition.result_flag:
            keeps = {INPUT: {definition.result_flag: False}, RESULT: {definition.result_flag: True}}
        else:
            keeps[RESULT if definition.reads_result else INPUT] = {}
        if definition.given_value and whole is operator:  # a part does not have the further result
            keeps[definition.given_value] = {}
        for name, flags in keeps.items():
            found[name] = SavedForBackward(backward, name, flags, _sources(backward, name))
    return found


def _sources(backward: Operator, keeps: str) -> tuple[int | None, ...]:
    """Each of a backward operator's tensors' place in (grad_output, *saved)."""
    definition, forward = backward.definition, backward.gradient_of
    assert forward is not None, "a backward operator has a forward operator"
    tensors = forward.schema.tensor_names

    def source(name: str) -> int | None:
        if definition.is_linear(name):
            return 0
        if name == definition.given_value:
            return 1 + len(tensors) if keeps == name else None
        if name in tensors:
            return 1 + tensors.index(name)
        if len(tensors) == 1:
            return 1  # the result, or the one tensor under another name
        raise InvalidOperator(f"{backward.name}: {name} is no tensor of {forward.name}, which has {', '.join(tensors)}")

    return tuple(map(source, backward.schema.tensor_names))


def prepare(operator: Operator) -> None:
    """Evaluate an operator's gradients now, outside of any trace."""
    result = ways(operator).get(RESULT)
    if result is not None:
        _costs_nothing(result.backward)


def choose(
    operator: Operator, attributes: dict[str, Any], dtype: torch.dtype | None, save: str
) -> SavedForBackward | None:
    """The backward operator for `save`; "auto" saves the result where that is exact.

    Without a dtype, it is a call in place: the result costs no memory, a copy of the input does.

    Raises InvalidArgument for an unknown `save`, and for "result" where the result does not have the input's sign.
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


def _fault(way: SavedForBackward, attributes: dict[str, Any]) -> str | None:
    """The reason why a result cannot replace its input; None where it can."""
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
    """Whether rounding the result loses no exactness: the gradient needs only its sign."""
    assert backward.gradient_of is not None, "a backward operator has a forward operator"
    attributes = {**backward.defaults, **ways(backward.gradient_of)[RESULT].flags}
    return depends_on_sign_only(backward, attributes, backward.definition.reads_result)
