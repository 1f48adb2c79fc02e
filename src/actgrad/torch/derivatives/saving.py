"""The tensors that a forward call saves for its gradient: its inputs, its result, or further outputs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple, NoReturn

import torch

from ...base.definition import Definition
from ...base.dtypes import FLOATS
from ...base.errors import InvalidArgument, InvalidOperator, did_you_mean, either, quote
from ...calls.operator import REGISTRY, Operator
from .partials import depends_on_sign_only

AUTO = "auto"
INPUT = "input"
RESULT = "result"
HALF = (torch.float16, torch.bfloat16)


class SavedForBackward(NamedTuple):
    """A backward operator, and the tensors that a forward call saves for it."""

    backward: Operator
    keeps: str  # INPUT, RESULT, or the name that the backward operator has for a further saved output
    flags: dict[str, bool]  # the attribute that says whether the saved tensor is the result, such as is_result
    saves: tuple[int, ...]  # the saved tensors: their positions among the forward operator's tensors and then outputs
    sources: tuple[int | None, ...]  # per tensor: its position in (grad_output, *saved), or None if it is left out

    @property
    def keeps_result(self) -> bool:
        """Whether the result is saved instead of the input."""
        return self.keeps == RESULT


@cache
def ways(operator: Operator) -> dict[str, SavedForBackward]:
    """All backward operators of an operator, by the tensor that each needs. Empty if the registry has none."""
    table: dict[str, SavedForBackward] = {}
    parent = operator.part_of or operator
    for backward in REGISTRY.values():
        if backward.gradient_of is not parent:
            continue
        definition = backward.definition
        keeps = {}
        if definition.result.flag:
            keeps = {INPUT: {definition.result.flag: False}, RESULT: {definition.result.flag: True}}
        else:
            keeps[RESULT if definition.result.tensor else next(iter(definition.required_outputs), INPUT)] = {}
        if definition.given_value and parent is operator:  # an operator with a part of the results has no second result
            keeps[definition.given_value] = {}
        for name, flags in keeps.items():
            table[name] = _saved_for(backward, name, flags)
    return table


def _saved_for(backward: Operator, keeps: str, flags: dict[str, bool]) -> SavedForBackward:
    """What a forward call saves for a backward operator.

    The formula differentiates further outputs of floats, and needs all of the forward operator's tensors.
    """
    definition, forward = backward.definition, backward.gradient_of
    assert forward is not None, "a backward operator has a forward operator"
    tensors = len(forward.schema.tensor_names)
    positions = [_position(definition, forward, name, keeps) for name in backward.schema.tensor_names]
    saved = {position for position in positions if position is not None and position >= 0}
    if keeps not in (RESULT, *definition.required_outputs) or _has_further_gradients(forward):
        saved |= {*range(tensors)}
    saves = tuple(sorted(saved))
    sources = [None if k is None else 0 if k < 0 else 1 + saves.index(k) for k in positions]
    return SavedForBackward(backward, keeps, flags, saves, tuple(sources))


def _position(definition: Definition, forward: Operator, name: str, keeps: str) -> int | None:
    """The position of a backward operator's tensor among the forward operator's tensors and then its outputs.

    -1 is the gradient of the result. None: the tensor is left out.
    """
    tensors, outputs = forward.schema.tensor_names, forward.schema.outputs
    if definition.is_linear(name):
        return -1
    if name in definition.forward_outputs:
        is_left_out = name == definition.given_value and keeps != name
        return None if is_left_out else len(tensors) + outputs.index(definition.forward_outputs[name])
    if keeps == RESULT and name == definition.result.tensor:
        return len(tensors)
    if name == definition.roles.only_checked and name not in tensors:
        return None
    if name in tensors or len(tensors) == 1:
        return tensors.index(name) if name in tensors else 0  # the only tensor may have another name
    raise InvalidOperator(
        f"operator {definition.name}: {name} has no role; it must be a tensor of {forward.name}: "
        f"{', '.join(tensors)}; rename it or state its role"
    )


def _has_further_gradients(forward: Operator) -> bool:
    """Whether an output after the first one has floats. Such an output has a gradient."""
    dtypes = map(forward.definition.dtypes_of, forward.schema.outputs[1:])
    return any({*each} <= {*FLOATS} for each in dtypes)


def prepare(operator: Operator) -> None:
    """Evaluate an operator's gradients now, because a trace cannot."""
    result = ways(operator).get(RESULT)
    if result is not None:
        _gradient_needs_only_sign(result.backward)


def choose(
    operator: Operator, attributes: dict[str, Any], dtype: torch.dtype | None, save: str
) -> SavedForBackward | None:
    """The backward operator for `save`. "auto" saves the result if that loses no accuracy.

    Without a dtype, the call is in place: then the result costs no memory, but a copy of the input does.

    Raises InvalidArgument for an unknown `save`, and for "result" if the result does not have the input's sign.
    """
    candidates = ways(operator)
    if save != AUTO:
        if save not in candidates:
            _refuse(operator, save, candidates)
        rule = _broken_rule(candidates[save], attributes)
        if rule:
            rule = rule.removesuffix(f" when {candidates[save].backward.definition.result.flag}")
            words = [
                f"{name} is {quote(value)}" for name, value in attributes.items() if name in re.findall(r"\w+", rule)
            ]
            expected = f"save={RESULT!r} needs {rule}, so that the result has the sign of the input"
            cure = f"pass save={AUTO!r} or save={INPUT!r}"
            raise InvalidArgument(f"{operator.name}: {' and '.join(words)}; {expected}; {cure}")
        return candidates[save]
    result, from_input = candidates.get(RESULT), candidates.get(INPUT)
    if result is None or from_input is None:
        return result or from_input or next(iter(candidates.values()), None)
    if any(map(_is_unknown, attributes.values())):
        return from_input
    if _broken_rule(result, attributes) or (dtype in HALF and not _gradient_needs_only_sign(result.backward)):
        return from_input
    return result


def require(operator: Operator, attributes: dict[str, Any], save: Any) -> None:
    """Raise the errors of `choose`, also for an operator that returns a part of its parent's results."""
    options = {**ways(operator), **ways(operator.part_of or operator)}
    if not isinstance(save, str) or save not in (AUTO, *options):
        _refuse(operator, save, options)
    if save in ways(operator):
        choose(operator, attributes, None, save)


def _refuse(operator: Operator, save: object, options: Iterable[str]) -> NoReturn:
    names = [AUTO, *options]
    cure = did_you_mean(save, names, "pass one of these")
    raise InvalidArgument(f"{operator.name}: save is {quote(save)}; it must be {either(map(repr, names))}; {cure}")


def _is_unknown(value: Any) -> bool:
    """Whether a trace does not know a number, such as the result of `item`. Then it cannot test the rules."""
    if not isinstance(value, (torch.SymInt, torch.SymFloat)):
        return False
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols  # imported only if there are symbols

    return bool(free_unbacked_symbols(value))


def _broken_rule(way: SavedForBackward, attributes: dict[str, Any]) -> str | None:
    """The first rule that forbids saving the result instead of the input, or None."""
    values = _arguments(way, attributes)
    if not way.keeps_result or any(isinstance(value, complex) for value in values.values()):
        return None  # the operator itself refuses complex numbers
    rules = {**way.backward.requires, **way.backward.result.suffices}
    return next((rule for rule, holds in rules.items() if not holds(values)), None)


def _arguments(way: SavedForBackward, attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes of the backward operator."""
    return {**{name: attributes.get(name) for name in way.backward.defaults}, **way.flags}


@cache
def _gradient_needs_only_sign(backward: Operator) -> bool:
    """Whether rounding the result loses no accuracy, because the gradient needs only its sign."""
    assert backward.gradient_of is not None, "a backward operator has a forward operator"
    attributes = {**backward.defaults, **ways(backward.gradient_of)[RESULT].flags}
    return depends_on_sign_only(backward, attributes, backward.definition.result.tensor)
