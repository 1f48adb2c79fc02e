"""Wrong outputs for the judge: `python -m benchmarks trials wrong`. Each has one mistake that authors of kernels make.

A mistake states the names that describe it. The command counts the wrong outputs that the judge rejects and names, and
the names that do not describe the mistake.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from actgrad.base.dtypes import BY_NAME
from actgrad.base.errors import ActgradError
from actgrad.calls.operator import REGISTRY, Operator
from actgrad.judge.delivery import design, drawing
from actgrad.judge.elements import Array
from actgrad.judge.standards import MIXED_SHARE, MIXED_ULPS, STANDARDS, ULP, Outcome

from .trials import Case

Outputs = Sequence[Array]
PLACES = ("stretch", "rows", "columns", "tiles", "tile-tail", "last-block")
TILE = 64
MIXED = "mixed"
NAMED, FALSE = 0.9, 0.02  # the least share with a right name, and the largest share with a false one


@dataclass(frozen=True)
class Mistake:
    """A mistake. `apply` makes wrong outputs from a case and its right outputs, or None if the case cannot show it."""

    says: str
    names: tuple[str, ...]  # of the judge, as patterns: "*" stands for any characters
    apply: Callable[[Case, Outputs], Outputs | None]
    kind: str = "usual"  # of the case
    is_small: bool = False  # whether the tolerance of a published standard may cover it

    def is_described_by(self, name: str) -> bool:
        """Whether a name of the judge describes the mistake."""
        return any(fnmatchcase(name, pattern) for pattern in self.names)


def _computed(case: Case, **changes: Array) -> Outputs | None:
    """The outputs for other tensors, by name."""
    inputs = {**dict.fromkeys(case.operator.schema.tensor_names), **case.by_name, **changes}
    try:
        return replace(case, inputs=tuple(inputs.values())).results()
    except ActgradError:
        return None


def _with_attributes(case: Case, **changes: Any) -> Outputs | None:
    try:
        return replace(case, attributes={**case.attributes, **changes}).results()
    except ActgradError:
        return None


def _first(change: Callable[[Array], Array | None]) -> Callable[[Case, Outputs], Outputs | None]:
    """A mistake in the first output alone."""

    def apply(case: Case, right: Outputs) -> Outputs | None:
        with np.errstate(all="ignore"):
            wrong = change(right[0].copy())
        return None if wrong is None else [wrong.astype(right[0].dtype), *right[1:]]

    return apply


# Layouts


def _index_of_10_bits(array: Array) -> Array | None:
    if not array.ndim or array.shape[-1] < 1100:
        return None
    return array[..., np.arange(array.shape[-1]) % 1024]


def _rest_of_row(array: Array) -> Array | None:
    """A row's rest behind the last whole vector of 16 is not written."""
    if not array.ndim or array.shape[-1] < 20 or array.shape[-1] % 16 < 2:
        return None
    array[..., array.shape[-1] // 16 * 16 :] = 0
    return array


def _ragged_tail(array: Array) -> Array | None:
    """The last incomplete tile holds the result of the tile before."""
    size = array.size // TILE * TILE
    if array.size - size < 16 or size < 2 * TILE:
        return None
    flat = array.reshape(-1)
    flat[size:] = flat[size - TILE : size - TILE + array.size - size]
    return array


def _stale_block(array: Array) -> Array | None:
    if array.size < 1000:
        return None
    flat = array.reshape(-1)
    flat[512:768] = flat[256:512].copy()
    return array


def _stale_half(array: Array) -> Array | None:
    half = array.size // 2
    flat = array.reshape(-1)
    flat[half : 2 * half] = flat[:half].copy()
    return array if half > 100 else None


def _third_tile(array: Array) -> Array | None:
    flat = array.reshape(-1)
    if array.size < 10 * TILE:
        return None
    flat[np.arange(array.size) // TILE % 3 == 1] *= array.dtype.type(2)
    return array


def _previous_element(array: Array) -> Array | None:
    return np.roll(array.reshape(-1), 1).reshape(array.shape)


def _next_row(array: Array) -> Array | None:
    if array.ndim < 2 or array.shape[-1] < 4 or array.size // array.shape[-1] < 4:
        return None
    return np.roll(array.reshape(-1, array.shape[-1]), -1, axis=0).reshape(array.shape)


def _transposed_input(case: Case, right: Outputs) -> Outputs | None:
    """A transposed tensor is read in the order of its memory."""
    x = case.x
    if x.ndim < 2 or min(x.shape[-2:]) < 3:
        return None
    return _computed(case, **{case.operator.definition.main: x.T.reshape(x.shape)})


def _other_dim(case: Case, right: Outputs) -> Outputs | None:
    name, shape = case.operator.access.dimension_attribute, case.x.shape
    if not name or len(shape) < 2 or not case.operator.access.sees_rows:
        return None
    other = (case.attributes.get(name, -1) - 1) % len(shape)
    return _with_attributes(case, **{name: other}) if shape[other] > 2 else None


# Arguments


def _scalars(case: Case) -> Iterator[tuple[str, float]]:
    for name in case.operator.schema.scalars:
        value = case.attributes.get(name, case.operator.defaults[name])
        if isinstance(value, (int, float)) and value not in (0, 1, -1) and np.isfinite(value):
            yield name, float(value)


def _changed_attribute(change: Callable[[float], float], case: Case, right: Outputs) -> Outputs | None:
    for name, value in _scalars(case):
        wrong = _with_attributes(case, **{name: change(value)})
        if wrong is not None and _differ(wrong, right):
            return wrong
    return None


def _inside_the_exponent(case: Case, right: Outputs) -> Outputs | None:
    """exp(alpha * x) for exp(x), where x <= 0."""
    if BY_NAME[case.x.dtype.name].kind != "float" or case.operator.access.is_packed:
        return None
    for _, value in _scalars(case):
        wide = replace(case, inputs=tuple(map(_wide, case.inputs)))  # a kernel computes in float32
        with np.errstate(all="ignore"):
            moved = np.where(wide.x <= 0, wide.x * np.float32(value), wide.x)
            results = _computed(wide, **{case.operator.definition.main: moved})
            wrong = results and [a.astype(b.dtype) for a, b in zip(results, right, strict=True)]
        if wrong is not None and _differ(wrong, right):
            return wrong
    return None


def _gradients_exchanged(case: Case, right: Outputs) -> Outputs | None:
    if len(right) < 2 or right[0].shape != right[1].shape or right[0].dtype != right[1].dtype:
        return None
    return [right[1], right[0], *right[2:]]


def _without_gradient(case: Case, right: Outputs) -> Outputs | None:
    """grad_output is taken for 1."""
    if case.operator.gradient_of is None:
        return None
    name = case.operator.schema.tensor_names[0]
    return _computed(case, **{name: np.ones_like(case.by_name[name])})


def _without_optional(case: Case, right: Outputs) -> Outputs | None:
    """A tensor that the call has is ignored."""
    for argument in case.operator.schema.tensors:
        if argument.is_optional and argument.name in case.by_name:
            inputs = [None if n == argument.name else case.by_name.get(n) for n in case.operator.schema.tensor_names]
            try:
                wrong = replace(case, inputs=tuple(inputs)).results()
            except ActgradError:
                continue
            if all(a.shape == b.shape for a, b in zip(wrong, right, strict=True)) and _differ(wrong, right):
                return wrong
    return None


def _group_off_by_one(case: Case, right: Outputs) -> Outputs | None:
    ragged = case.operator.definition.ragged
    for name in filter(None, (ragged.counter, ragged.groups)):
        index = case.by_name.get(name)
        if index is not None:
            moved = np.maximum(index - 1, 0).astype(index.dtype) if name == ragged.groups else index.copy()
            if name == ragged.counter:
                moved.reshape(-1)[:1] = max(int(index.reshape(-1)[0]) - 1, 0)
            wrong = _computed(case, **{name: moved})
            if wrong is not None and _differ(wrong, right):
                return wrong
    return None


def _written_before_it_is_read(case: Case, right: Outputs) -> Outputs | None:
    """The output overwrites an input, and the second half of the elements reads the result as the input."""
    names = [n for n in case.by_name if n in case.operator.element_tensors]
    is_alike = [n for n in names if (case.by_name[n].shape, case.by_name[n].dtype) == (right[0].shape, right[0].dtype)]
    if not is_alike or not case.operator.access.is_uniform or right[0].size < 100:
        return None
    twice = _computed(case, **{is_alike[0]: right[0]})
    if twice is None:
        return None
    flat, half = right[0].copy().reshape(-1), right[0].size // 2
    flat[half:] = twice[0].reshape(-1)[half:]
    return [flat.reshape(right[0].shape), *right[1:]]


# Special values


def _without_nan(array: Array) -> Array | None:
    return np.where(np.isnan(array.astype(np.float64)), array.dtype.type(0), array) if _is_float(array) else None


def _without_infinity(array: Array) -> Array | None:
    if not _is_float(array):
        return None
    largest = array.dtype.type(ml_dtypes.finfo(array.dtype).max)
    return np.where(np.isinf(array.astype(np.float64)), np.copysign(largest, array), array)


def _nan_at_infinity(case: Case, right: Outputs) -> Outputs | None:
    """infinity * 0 where the function has a limit."""
    if not _is_float(case.x) or case.x.shape != right[0].shape or not _is_float(right[0]):
        return None
    x, exact = case.x.astype(np.float64), right[0].astype(np.float64)
    at = (x == -np.inf) & np.isfinite(exact)
    return [np.where(at, right[0].dtype.type(np.nan), right[0]), *right[1:]] if at.any() else None


def _other_side_of_zero(case: Case, right: Outputs) -> Outputs | None:
    if not _is_float(case.x):
        return None
    tiny = float(ml_dtypes.finfo(case.x.dtype).smallest_subnormal)
    for number in (tiny, -tiny):
        moved = np.where(case.x == 0, case.x.dtype.type(number), case.x)
        wrong = _computed(case, **{case.operator.definition.main: moved})
        if wrong is not None and _differ(wrong, right):
            with np.errstate(all="ignore"):
                far = np.abs(wrong[0].astype(np.float64) - right[0].astype(np.float64))
            if np.nanmax(np.where(np.isfinite(far), far, 0)) > 0.1:  # not the subnormal number itself
                return wrong
    return None


# Arithmetic and quantisation


def _rounded_inputs(case: Case, right: Outputs) -> Outputs | None:
    if case.x.dtype != np.float32:
        return None
    with np.errstate(all="ignore"):
        floats = {n: a.astype(ml_dtypes.bfloat16).astype(a.dtype) for n, a in case.by_name.items() if _is_float(a)}
    return _computed(case, **floats)


def _truncated(case: Case, right: Outputs) -> Outputs | None:
    if right[0].dtype.itemsize != 2 or not _is_float(right[0]) or len(right) > 1:
        return None
    wide = replace(case, inputs=tuple(map(_wide, case.inputs)))
    try:
        exact = wide.results()[0].astype(np.float64)
    except ActgradError:
        return None
    with np.errstate(all="ignore"):
        above = np.abs(right[0].astype(np.float64)) > np.abs(exact)
    return [(right[0].view(np.uint16) - above.astype(np.uint16)).view(right[0].dtype)]


def _scale_of_neighbour(case: Case, right: Outputs) -> Outputs | None:
    """Rows of a quantised result are divided by the scale of the next row."""
    if len(right) != 2 or right[0].dtype != np.int8 or right[0].ndim < 2 or right[1].shape != right[0].shape[:-1]:
        return None
    scale = right[1].astype(np.float64)
    if scale.size < 3 or not np.isfinite(scale).all() or (scale == 0).any():
        return None
    other = np.roll(scale.reshape(-1), -1).reshape(scale.shape)
    wrong = np.rint(right[0] * (scale / other)[..., None])
    return [np.clip(wrong, -128, 127).astype(np.int8), right[1]]


def _wide(array: Array | None) -> Array | None:
    return array.astype(np.float32) if array is not None and _is_float(array) else array


def _is_float(array: Array) -> bool:
    return BY_NAME[array.dtype.name].kind == "float"


def _differ(wrong: Outputs, right: Outputs) -> bool:
    """Whether a value differs, not only the sign of a zero."""
    return any(
        bool((~((a == b) | (np.isnan(a) & np.isnan(b)))).any())
        for a, b in ((x.astype(np.float64), y.astype(np.float64)) for x, y in zip(wrong, right, strict=True))
    )


MOVED = ("shifted", "stale", "rows-shifted", "rows-exchanged")
TRANSPOSED = ("input-transposed", "dimensions-exchanged")  # the same for a function of one tensor
MISTAKES = (
    Mistake("the index of a column has 10 bits", (*MOVED, *PLACES), _first(_index_of_10_bits), "long rows"),
    Mistake("alpha inside the exponent", ("*-in-argument",), _inside_the_exponent),
    Mistake("the rest of each row is not written", ("unwritten", *PLACES), _first(_rest_of_row)),
    Mistake("a parameter is squared", ("*-squared", "surplus-*"), partial(_changed_attribute, lambda v: v * v)),
    Mistake("NaN becomes 0", ("nan-lost",), _first(_without_nan), "special values"),
    Mistake("gradients exchanged", ("outputs-exchanged", "swapped-halves"), _gradients_exchanged),
    Mistake("the last tile is stale", (*MOVED, *PLACES), _first(_ragged_tail)),
    Mistake("a tensor that may be left out is ignored", ("*-ignored",), _without_optional, "optional"),
    Mistake("zero on the other side", ("branch-at-0",), _other_side_of_zero, "zeros"),
    Mistake("read after it is written", ("read-after-write", "forward-applied"), _written_before_it_is_read),
    Mistake("a stale block", (*MOVED, *PLACES), _first(_stale_block)),
    Mistake("groups end one row earlier", ("group-boundary",), _group_off_by_one, "group boundaries"),
    Mistake("a tensor is read in the order of its memory", TRANSPOSED, _transposed_input, "transposed"),
    Mistake("the scale of the next row", ("neighbour-row",), _scale_of_neighbour),
    Mistake("infinity becomes the largest number", ("saturated",), _first(_without_infinity), "special values"),
    Mistake("a stale half", (*MOVED, *PLACES), _first(_stale_half)),
    Mistake("inputs rounded to bfloat16", ("inputs-rounded", "lower-precision"), _rounded_inputs, is_small=True),
    Mistake("digits cut off", ("truncation",), _truncated, is_small=True),
    Mistake("NaN at infinity", ("nan-at-infinity", "exp-overflow"), _nan_at_infinity, "special values"),
    Mistake("every third tile is doubled", ("factor", *PLACES), _first(_third_tile)),
    Mistake("along another dimension", ("wrong-dim",), _other_dim),
    Mistake("grad_output is ignored", ("*-ignored",), _without_gradient),
    Mistake("each element is the one before", MOVED, _first(_previous_element)),
    Mistake("each row is the next one", MOVED, _first(_next_row)),
    Mistake("a parameter is inverted", ("*-inverted", "missing-*"), partial(_changed_attribute, lambda v: 1 / v)),
)


def planted(operator: Operator, dtype: str, first: int, seed: int) -> tuple[Mistake, Case, Outputs] | None:
    """A wrong output of an operator: of the first mistake from number `first` on that a case can show."""
    plans = list(design.plans(operator, [dtype], None, seed))
    for k in range(len(MISTAKES)):
        mistake = MISTAKES[(first + k) % len(MISTAKES)]
        kind = mistake.kind if mistake.kind != "optional" else "usual"
        fitting = [p for p in plans if p.kind == kind and (p.optional or mistake.kind != "optional")]
        for plan in fitting[:2]:
            try:
                drawn, tensors = drawing.draw_planned(operator, plan, f"{operator.name}-{dtype}", seed)
            except ActgradError:
                continue
            stated = {name: value for name, value in drawn.attributes.items() if value is not None}
            inputs = tuple(tensors.get(name) for name in operator.schema.tensor_names)
            case = Case(drawn.id, drawn.kind, operator, stated, inputs)
            right = case.results()
            wrong = mistake.apply(case, right)
            if wrong is not None and _differ(wrong, right) and not _is_rounding(case, wrong):
                return mistake, case, wrong
    return None


def _is_rounding(case: Case, wrong: Outputs) -> bool:
    """Whether no element differs by more than actgrad's own bound."""
    return not any(outcome.over for outcome in case.judged(wrong).outcomes if outcome.standard == ULP)


def run(given: argparse.Namespace) -> int:
    """Plant a mistake in each of three dtypes of some operators, and judge. Print all that is not named rightly.

    The status is 1 if a mistake is accepted without a warning that no tolerance covers, if less than 90 % of the
    rejected ones have a name, or if more than 2 % have a false one.
    """
    begin, counts, missed = time.monotonic(), Counter[str](), 0
    rng = np.random.default_rng(given.seed)
    names = given.operator or [list(REGISTRY)[k] for k in rng.permutation(len(REGISTRY))[: given.operators]]
    number = int(rng.integers(len(MISTAKES)))
    for name in names:
        operator = REGISTRY[name]
        for dtype in (one for one in drawing.DTYPES if one in operator.input_dtypes):
            found = planted(operator, dtype, number, given.seed)
            number += 7  # has no divisor in common with the number of mistakes
            if found is None:
                continue
            mistake, case, wrong = found
            word, detail = judged(mistake, case, wrong)
            counts["planted"] += 1
            counts[word] += 1
            missed += word == "not seen" and not mistake.is_small
            if word != "named":
                print(f"{word}: {name} {dtype}, {case.kind}: {mistake.says}: {detail}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in counts.items()), f"in {time.monotonic() - begin:.0f} seconds")
    rejected = counts["planted"] - counts["not seen"] - counts["warned"]
    is_named = counts["named"] >= NAMED * rejected and counts["falsely named"] <= FALSE * counts["planted"]
    return 0 if is_named and not missed else 1


def judged(mistake: Mistake, case: Case, wrong: Outputs) -> tuple[str, str]:
    """What the judge makes of a wrong output: named, unnamed, falsely named, warned or not seen; and the details.

    A warned output is accepted with a warning that names the mistake.
    """
    verdict = case.judged(wrong, explain=True)
    found = [diagnosis.mistake for diagnosis in verdict.diagnoses]
    if verdict.holds:
        is_warned = any(map(verdict.needs_warning, verdict.outcomes)) and any(map(mistake.is_described_by, found))
        words = [_with_bound(outcome) for outcome in verdict.outcomes if outcome.standard in (MIXED, ULP)]
        return "warned" if is_warned else "not seen", "; ".join(words)
    if not found:
        return "unnamed", "; ".join(verdict.sentences(lambda outcome: outcome.is_broken))
    if not all(map(mistake.is_described_by, found)):
        return "falsely named", ", ".join(found)
    return "named", ", ".join(found)


def _with_bound(outcome: Outcome) -> str:
    """What a standard says about an accepted output, and the bound that accepts it."""
    title = STANDARDS[outcome.standard].title
    if outcome.standard != MIXED or outcome.limits is None:
        return f"{title}: {outcome.says}"
    rtol, atol, limit = outcome.limits
    share = f"{1 - MIXED_SHARE:.0%} within {atol:g} + {rtol:g} * |golden|"
    return f"{title}: {outcome.says} (bound: {share}; largest {limit:g} or {MIXED_ULPS} ULP)"
