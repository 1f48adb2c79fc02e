"""Which cases a delivery has: every kind of case in every dtype, with and without each optional tensor.

A cell is an operator, a dtype, a kind of case and a state of the optional tensors. The seed shuffles the cells of each
dtype, so the kind of a case does not follow from its number.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.dtypes import BY_NAME
from ...calls.operator import Operator
from ...checks import law
from .. import oracle
from . import optional_tensors

if TYPE_CHECKING:
    from .manifest import DeliveryCase

NONE_GIVEN = "none given"
#: Kind -> what its cases test.
KINDS: Mapping[str, str] = {
    "usual": "ordinary, large and small numbers, and a few special values, in 1 to 6 dimensions",
    "tiles": "more than 12,288 elements, so that three tiles of 4,096 and a remainder are computed",
    "long rows": "rows of more than 1,024 elements",
    "other dimension": "a dimension that is not the last one",
    "transposed": "tensors whose dimensions have the reverse order in memory",
    "strided": "tensors that have every other element of their memory",
    "broadcast": "tensors of different shapes",
    "group boundaries": "groups without rows, and groups that end at the first or the last row",
    "large numbers": "numbers up to 10,000, and in rows up to 1,000, so that exp overflows",
    "edges": "the numbers of the attributes, integers and halves, and their neighbours",
    "small": "fewer than 150 elements",
    "special values": "all pairs of zeros, infinities, NaN, and the ends of the subnormal and the normal range",
    "zeros": "zeros of both signs",
    "one element": "a single element",
}
#: Kinds whose cases may be weak: some standards accept wrong outputs of such cases.
SPECIAL = frozenset({"group boundaries", "large numbers", "edges", "special values", "zeros", "one element"})
#: Kinds that fill a delivery after each cell has a case.
_USUAL = ("usual", "usual", "tiles", "long rows", "other dimension", "transposed", "strided")


def kinds_of(operator: Operator, dtype: str) -> list[str]:
    """The kinds of cases that an operator has in a dtype."""
    access, ragged = operator.access, operator.definition.ragged
    is_float = BY_NAME[dtype].kind == "float"
    applies = {
        "long rows": access.sees_rows or access.is_packed,
        "other dimension": bool(access.dimension_attribute),
        "broadcast": operator.broadcasts,
        "group boundaries": bool(ragged.counter or ragged.groups),
        "large numbers": is_float,
        "edges": is_float,
    }
    return [kind for kind in KINDS if applies.get(kind, True)]


@dataclass(frozen=True)
class CasePlan:
    """What a case tests."""

    dtype: str
    kind: str
    optional: tuple[str, ...]  # the optional tensors that the case has
    attributes: dict[str, Any]


def settings_of(operator: Operator, dtype: str) -> list[dict[str, Any]]:
    """The attributes to try, and other values of integer attributes that choose a mode."""
    judge, definition = law.current(), operator.definition
    settings = oracle.attribute_cases(operator, judge)
    fixed = {operator.access.dimension_attribute, definition.dtypes.attribute}
    fixed |= {operator.switch} if operator.choices else set()
    modes = [a.name for a in operator.schema.attributes if a.type == "int" and a.name not in fixed]
    for name in modes:
        for number in (0, 1, 2, 3):
            setting = {**settings[0], name: number}
            is_allowed = all(holds(setting) for holds in operator.requires.values())
            if number != settings[0][name] and is_allowed and (judge is None or judge.allows(definition, setting)):
                settings.append(setting)
    of_dtype = [oracle.attributes_for(operator, setting, dtype) for setting in settings]
    return [setting for k, setting in enumerate(of_dtype) if setting not in of_dtype[:k]]


def plans(operator: Operator, dtypes: Sequence[str], number: int | None, seed: int) -> Iterator[CasePlan]:
    """`number` cases of an operator, or one for each cell if it is None. Each cell has a case before others repeat.

    The dtypes take turns. Each dtype has its own random order of kinds, so no kind goes with a dtype.
    """
    rng = np.random.default_rng((seed, *operator.name.encode()))
    chosen = {dtype: _Patterns(operator, dtype, rng) for dtype in dtypes}
    queues = {dtype: deque(_queue(chosen[dtype], rng)) for dtype in dtypes}
    count = sum(map(len, queues.values())) if number is None else number
    turns = cycle(dtypes)
    for _ in range(count):
        if any(queues.values()):
            dtype = next(dtype for dtype in turns if queues[dtype])
            yield chosen[dtype].plan(*queues[dtype].popleft())
            continue
        dtype = next(turns)
        allowed = kinds_of(operator, dtype)
        kind = str(rng.choice([kind for kind in _USUAL if kind in allowed]))
        yield chosen[dtype].plan(kind, chosen[dtype].any_for(kind, rng))


def _queue(patterns: _Patterns, rng: np.random.Generator) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The cells of a dtype: each kind once, then with other optional tensors.

    The kinds have a random order, in which three usual kinds come before each special one, while there are any.
    """
    kinds = kinds_of(patterns.operator, patterns.dtype)
    needed = {kind: patterns.needed(kind) for kind in kinds}
    for level in range(max(map(len, needed.values()))):
        shuffled = [kinds[k] for k in rng.permutation(len(kinds))]
        usual = [kind for kind in shuffled if kind not in SPECIAL]
        special = [kind for kind in shuffled if kind in SPECIAL]
        while usual or special:
            for kind in (*usual[:3], *special[:1]):
                if level < len(needed[kind]):
                    yield kind, needed[kind][level]
            usual, special = usual[3:], special[1:]


class _Patterns:
    """The sets of optional tensors that calls in one dtype may have, and the attributes that each set allows."""

    def __init__(self, operator: Operator, dtype: str, rng: np.random.Generator) -> None:
        self.operator, self.dtype, self.rng = operator, dtype, rng
        self.settings = settings_of(operator, dtype)
        self.used: Counter[int] = Counter()

    def possible(self, kind: str) -> dict[tuple[str, ...], list[int]]:
        """The sets of optional tensors for a kind of case, with the indices of the settings that allow each."""
        dim = 0 if kind == "other dimension" else -1
        allowed = optional_tensors.patterns(self.operator, self.dtype, self.settings, dim)
        if kind != "group boundaries":
            return allowed
        ragged = self.operator.definition.ragged
        return {pattern: of for pattern, of in allowed.items() if {ragged.counter, ragged.groups} & {*pattern}}

    def needed(self, kind: str) -> list[tuple[str, ...]]:
        """A few sets that together give every optional tensor, and leave every one out, as far as calls allow."""
        possible, needed = self.possible(kind), list[tuple[str, ...]]()
        missing = {state for pattern in possible for state in self.states(pattern)}
        while missing:
            fewest = 1 if not needed else -1  # the first set has the fewest tensors
            best = max(possible, key=lambda one: (len(missing & self.states(one)), -fewest * len(one)))
            needed.append(best)
            missing -= self.states(best)
        return needed or [pattern for pattern in possible if not pattern]

    def states(self, pattern: tuple[str, ...]) -> set[tuple[str, bool]]:
        """Each optional tensor, and whether the set has it."""
        return {(name, name in pattern) for name in optional_tensors.names_of(self.operator)}

    def any_for(self, kind: str, rng: np.random.Generator) -> tuple[str, ...]:
        """Any set of optional tensors."""
        possible = list(self.possible(kind))
        return possible[int(rng.integers(len(possible)))]

    def plan(self, kind: str, pattern: tuple[str, ...]) -> CasePlan:
        """A case with the allowed attributes that have been used least."""
        allowed = self.possible(kind)[pattern]
        least = min(self.used[k] for k in allowed)
        fresh = [k for k in allowed if self.used[k] == least]
        chosen = fresh[int(self.rng.integers(len(fresh)))]
        self.used[chosen] += 1
        return CasePlan(self.dtype, kind, pattern, dict(self.settings[chosen]))


# Coverage


@dataclass(frozen=True)
class Coverage:
    """The number of cases in each cell of a delivery."""

    counts: Mapping[tuple[str, str, str, str], int]  # (operator, dtype, state of optional tensors, kind) -> cases
    all_kinds: Sequence[str] = tuple(KINDS)

    @property
    def kinds(self) -> list[str]:
        return [kind for kind in self.all_kinds if any(cell[3] == kind for cell in self.counts)]

    @property
    def empty(self) -> list[tuple[str, str, str, str]]:
        """The cells without a case."""
        return [cell for cell, count in self.counts.items() if not count]

    def rows(self) -> Iterator[tuple[tuple[str, str, str], list[str]]]:
        """For each operator, dtype and state: the number of cases of each kind, "-" for a kind that does not apply."""
        for head in dict.fromkeys(cell[:3] for cell in self.counts):
            cells = [self.counts.get((*head, kind)) for kind in self.kinds]
            yield head, ["-" if count is None else f"{count}" if count else "! 0" for count in cells]

    @property
    def document(self) -> dict[str, Any]:
        """The coverage for report.json."""
        empty = [dict(zip(("operator", "dtype", "optional tensor", "kind"), cell, strict=True)) for cell in self.empty]
        return {"complete": bool(self.counts) and not empty, "cells": len(self.counts), "empty": empty}

    def sentence(self) -> str:
        """One line: whether each cell has a case."""
        of = f"{len(self.counts):,} cells (operator, dtype, optional tensor, kind of case)"
        if not any(self.counts.values()):
            return f"INCOMPLETE: no case of the manifest has a kind, so none of {of} is known to have a case"
        if not self.empty:
            return f"complete: each of {of} has a case"
        operator, dtype, state, kind = self.empty[0]
        words = f"{operator} {dtype} {kind}" + (f" with {state}" if state != NONE_GIVEN else "")
        return f"INCOMPLETE: {len(self.empty):,} of {of} have no case, such as {words}"


def dtype_of(case: DeliveryCase) -> str | None:
    """The dtype of a case: the one of its main tensor."""
    return case.inputs[case.operator.definition.main].dtype


def coverage(cases: Iterable[DeliveryCase], dtypes: Mapping[str, Sequence[str]] | None = None) -> Coverage:
    """The coverage of cases. `dtypes` are the dtypes of each operator, by default those that the cases have."""
    by_operator: dict[str, list[DeliveryCase]] = {}
    for case in cases:
        by_operator.setdefault(case.operator_name, []).append(case)
    counts: dict[tuple[str, str, str, str], int] = {}
    for name, of in by_operator.items():
        operator = of[0].operator
        optional = optional_tensors.names_of(operator)
        for dtype in dtypes[name] if dtypes else dict.fromkeys(filter(None, map(dtype_of, of))):
            patterns = _Patterns(operator, dtype, np.random.default_rng(0))
            for kind in kinds_of(operator, dtype):
                possible = patterns.possible(kind)
                states = [NONE_GIVEN] if () in possible else []
                states += [one for one in optional if any(one in pattern for pattern in possible)]
                lacking = [one for one in optional if any(one not in pattern for pattern in possible)]
                states += [] if () in possible else [f"no {one}" for one in lacking]
                counts |= {(name, dtype, state, kind): 0 for state in states}
            for case in (one for one in of if dtype_of(one) == dtype):
                given = [one for one in optional if one in case.inputs]
                for state in (*(given or [NONE_GIVEN]), *(f"no {one}" for one in optional if one not in given)):
                    if (cell := (name, dtype, state, case.kind)) in counts:
                        counts[cell] += 1
    ordered = sorted(counts.items(), key=lambda item: list(by_operator).index(item[0][0]))
    return Coverage(dict(ordered))
