"""Mistakes of quantisation and of optional tensors: scales, zero points, signs, rows, groups, tensors left out.

A quantised result is an integer or a float of 8 bits. Its scale, if the call returns one, is another output.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.errors import ActgradError
from ..elements import Array, new_elements
from ..golden import Golden
from ..oracle import Expected
from .sample import Prediction, Rule, Sample, Suspicion, cleared

LEAST = 12  # wrong elements from which a scale or a zero point can be estimated
LARGE = 8.0  # quantised values above which a ratio shows a scale
FEWEST_SCALES = 3  # different scales that show a factor, because any two numbers have one
LARGEST_CALL = 1 << 18


def tensor_left_out(sample: Sample) -> Iterator[Suspicion]:
    """An optional tensor that the kernel ignores."""
    call = sample.call
    names = call.operator.schema.tensor_names
    if call.size > LARGEST_CALL:
        return
    for k, argument in enumerate(call.operator.schema.tensors):
        if argument.is_optional and k < len(call.tensors) and call.tensors[k] is not None:
            tensors = [None if j == k else tensor for j, tensor in enumerate(call.tensors)]
            sentence = f"{names[k]} is ignored: as if it were not there"
            yield Suspicion(f"{names[k]}-ignored", sentence, _recomputed(sample, tensors))


def group_boundaries(sample: Sample) -> Iterator[Suspicion]:
    """Groups of rows that end a row earlier or later, or sizes that are read as ends."""
    call, ragged = sample.call, sample.call.operator.definition.ragged
    names = call.operator.schema.tensor_names
    for name in filter(None, (ragged.counter, ragged.groups)):
        index = dict(zip(names, call.tensors, strict=False)).get(name)
        if index is None or call.size > LARGEST_CALL:
            continue
        numbers = index.astype(np.int64)
        first = np.zeros_like(numbers)
        first[:1] = 1
        changes = {
            "each group ends one row later": numbers + (first if name == ragged.counter else 1),
            "each group ends one row earlier": np.maximum(numbers - (first if name == ragged.counter else 1), 0),
            "sizes of groups are read as ends": np.diff(numbers, prepend=0),
            "ends of groups are read as sizes": np.cumsum(numbers),
        }
        for how, changed in changes.items():
            tensors = list(call.tensors)
            tensors[names.index(name)] = changed.astype(index.dtype)
            yield Suspicion("group-boundary", f"{name}: {how}", _recomputed(sample, tensors))


def quantised_value(sample: Sample) -> Iterator[Suspicion]:
    """A wrong sign, zero point or scale in the quantised output."""
    right, actual, wrong = sample.right[0], sample.actual[0], sample.wrong[0]
    if not _quantises(sample) or np.count_nonzero(wrong) < 1:
        return
    with np.errstate(all="ignore"):
        yield Suspicion("sign", "the sign of the quantised values is turned", _first(sample, -right.values))
        if np.count_nonzero(wrong) < LEAST:
            return
        wide = actual.astype(np.float64)
        inside = wrong & (np.abs(wide) < _limit(actual)) & np.isfinite(right.values)
        shift = np.median(wide[inside] - right.values[inside]) if inside.any() else 0.0
        if abs(shift) >= 0.75:
            whole = round(float(shift))
            sentence = (
                f"the zero point is wrong: quantised values are {abs(whole)} too {'large' if whole > 0 else 'small'}"
            )
            yield Suspicion("zero-point", sentence, _first(sample, right.values + whole))
        large = (np.abs(wide) < _limit(actual)) & (np.abs(right.values) > LARGE) & np.isfinite(right.values)
        if np.count_nonzero(large & wrong) >= LEAST:
            exact = right.values[large].astype(np.float64)
            ratio = float(np.dot(wide[large], exact) / np.dot(exact, exact))  # least squares
            if abs(ratio - 1) > 0.003 and np.isfinite(ratio):
                sentence = f"the scale is wrong: quantised values are multiplied by {ratio:.4g}"
                yield Suspicion("scale", sentence, _first(sample, right.values * ratio), share=0.7)


def neighbour_row(sample: Sample) -> Iterator[Suspicion]:
    """Values that were quantised with the scale of a neighbouring row, or with one scale for all rows."""
    call = sample.call
    if not _quantises(sample) or not call.statistics_axes or call.size > LARGEST_CALL:
        return
    scale = _scale_of_elements(sample)
    if scale is None:
        return
    right, columns = sample.right[0].values, call.shape[-1]
    rows = scale.size // columns
    by_row = scale.reshape(rows, columns)
    moves: dict[str, tuple[str, Any]] = {
        "the next row": ("neighbour-row", np.roll(by_row, -1, axis=0)),
        "the row before": ("neighbour-row", np.roll(by_row, 1, axis=0)),
        "the whole tensor": ("scale-of-tensor", np.full_like(by_row, by_row.max())),
        "the first row": ("scale-of-tensor", np.broadcast_to(by_row[:1], by_row.shape)),
    }
    at = sample.positions
    with np.errstate(all="ignore"):
        for words, (mistake, other) in moves.items():
            ratio = scale[at] / np.ascontiguousarray(other).ravel()[at]
            sentence = f"a row is quantised with the scale of {words}"
            for factor in (ratio, 1 / ratio):  # a returned scale divides or multiplies
                yield Suspicion(mistake, sentence, _first(sample, right * factor))
        whole = Golden(call.computation).values([lane.take(slice(0, call.size)) for lane in call.inputs])
        exact = np.asarray(whole[call.numbers[0]], np.float64).reshape(rows, columns)
        for words, shift in (("next", -1), ("previous", 1)):
            sentence = f"rows are exchanged: each row holds the result of the {words} row"
            yield Suspicion("rows-shifted", sentence, _first(sample, np.roll(exact, shift, axis=0).ravel()[at]))


def scale_output(sample: Sample) -> Iterator[Suspicion]:
    """A returned scale that is inverted, or wrong by one factor."""
    if not _quantises(sample):
        return
    for k, lane in enumerate(sample.call.outputs):
        right, actual, wrong = sample.right[k], sample.actual[k], sample.wrong[k]
        if _is_quantised(actual) or not wrong.any():
            continue
        with np.errstate(all="ignore"):
            ratios = actual[wrong].astype(np.float64) / right.values[wrong].astype(np.float64)
            ratio = float(np.median(ratios[np.isfinite(ratios)])) if np.isfinite(ratios).any() else 1.0
            predictions = {f"{lane.name}-inverted": (f"{lane.name} is inverted", 1 / right.values)}
            is_shown = len(np.unique(right.values[wrong])) >= FEWEST_SCALES
            if is_shown and abs(ratio - 1) > 1e-4 and ratio != 0:
                words = f"{lane.name} is multiplied by {ratio:.5g}"
                predictions[f"{lane.name}-factor"] = (words, right.values * ratio)
            for mistake, (words, values) in predictions.items():
                yield Suspicion(mistake, words, _at(sample, k, values))


def _quantises(sample: Sample) -> bool:
    """Whether the operator quantises: it states the dtype of its first output, and computes this output in floats."""
    operator = sample.call.operator
    states_dtype = bool(operator.definition.dtypes_of(operator.schema.outputs[0]))
    return states_dtype and _is_quantised(sample.actual[0]) and sample.right[0].values.dtype.kind == "f"


def _is_quantised(actual: Array) -> bool:
    return actual.dtype.kind in "iu" or actual.dtype.itemsize == 1


def _limit(actual: Array) -> float:
    return float(np.iinfo(actual.dtype).max) if actual.dtype.kind in "iu" else np.inf


def _first(sample: Sample, values: Array) -> Prediction:
    return _at(sample, 0, values)


def _at(sample: Sample, k: int, values: Array) -> Prediction:
    """The right values, with other values of output lane `k`."""
    prediction = list(sample.right)
    zero = np.zeros_like(prediction[k].values)
    prediction[k] = replace(prediction[k], values=values, size=np.abs(values), argument_error=zero)
    return prediction


def _scale_of_elements(sample: Sample) -> Array | None:
    """The scale with which each element is quantised: the largest value of its row. None if it cannot be told."""
    call = sample.call
    scales = [k for k, lane in enumerate(call.outputs) if not _is_quantised(lane.array)]
    if not scales:
        return None
    everything = slice(0, call.size)
    exact = Golden(call.computation).expected([lane.take(everything) for lane in call.inputs], np.float64)
    values = np.broadcast_to(exact[call.numbers[scales[0]]].values, (call.size,)).astype(np.float64)
    return values if np.all(values != 0) else None


def _recomputed(sample: Sample, tensors: list[Array | None]) -> Prediction | None:
    """The results at the sample's elements of a call on other tensors. None if the call is refused."""
    try:
        call = new_elements(sample.call.operator, sample.call.attributes, tensors)
    except (ActgradError, ValueError, IndexError):
        return None
    if call.size != sample.call.size:
        return None
    results: list[Expected] = Golden(call.computation).expected(
        [lane.take(sample.positions) for lane in call.inputs], sample.actual[0].dtype
    )
    pairs = zip(sample.call.numbers, sample.actual, strict=True)
    return [cleared(call, replace(results[n], dtype=lane.dtype), sample.positions) for n, lane in pairs]


RULES: tuple[Rule, ...] = (
    tensor_left_out, scale_output, neighbour_row, quantised_value,
)  # fmt: skip
