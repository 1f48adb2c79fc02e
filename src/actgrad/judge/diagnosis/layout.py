"""Mistakes in the layout: elements with another element's result, rows along another dimension, ranges of positions.

Predictions come from the right values at other positions, or from the call on rearranged tensors. If no rule predicts
the values, `positions` describes only the positions of the failing elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

from ...base.errors import ActgradError, quantity
from ..elements import Array, At, Elements, new_elements
from ..golden import Golden
from .sample import Prediction, Rule, Sample, Suspicion, cleared, where_wrong

LARGEST_CALL = 1 << 18  # elements of a call that a rule examines
LEAST_SHARE = 0.8  # share of the failing elements that a layout must explain
MOST_ROWS = 512
FEWEST = 12  # failing elements that are enough to show a layout
VOTERS = 256  # failing elements that vote for a shift
_REPEATED = 16  # an output repeats numbers if it has fewer different numbers than a 16th of its elements
_MISSES = 0.05  # share of the failing elements that need not agree with a distance
_CANDIDATES = 32  # distances that are tried
_BITS = 10.0  # the elements must be so many that they agree by chance in less than one of 2^10 outputs
_NAN = 1.0e300  # stands for every NaN, because NaN does not equal itself
_PERIODS = (16, 32, 64, 128, 256, 512, 1024)
_OTHER_PERIODS = tuple(n for n in range(24, 128, 8) if n not in _PERIODS)  # tiles of other multiples of 8
_EVERY = (3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15)  # possible periods of tiles, besides powers of two
_PADDED = (8, 16, 32, 64, 128, 256)
#: Arrangements of halves: the indices of the elements along the dimension, in the order of the other arrangement.
_ORDERS: tuple[tuple[Callable[[int], Array], str], ...] = (
    (lambda n: np.concatenate([np.arange(0, n, 2), np.arange(1, n, 2)]), "interleaved for split halves"),
    (lambda n: np.arange(n).reshape(2, -1).T.ravel(), "split for interleaved halves"),
)
_misread = partial(Suspicion, share=LEAST_SHARE)
_FAILS, _HOLDS = 0.8, 0.02  # shares of failing elements: a group above the first fails, a group below the second holds


def shifted(sample: Sample) -> Iterator[Suspicion]:
    """Results of elements at a fixed distance. The failing elements vote for the distance."""
    if not 8 <= sample.call.size <= LARGEST_CALL:
        return
    if sample.is_integer:  # many integers are equal, so their votes say nothing; see repeated_numbers_shifted
        return
    votes = []
    for (indices, exact, _), actual, wrong in zip(sample.memory, sample.actual, sample.wrong, strict=True):
        with np.errstate(all="ignore"):
            single, failing = exact.astype(np.float32), np.flatnonzero(wrong & np.isfinite(actual.astype(np.float32)))
        order = np.argsort(single, kind="stable")
        ranked = single[order]
        tolerance = 4 * float(np.finfo(np.float32).eps) if actual.dtype.itemsize > 2 else sample.room * 2.0**-8
        for k in failing[:: -(-len(failing) // VOTERS) or 1]:
            value = float(actual[k])
            first, last = np.searchsorted(ranked, sorted((value * (1 - tolerance), value * (1 + tolerance))))
            if value != 0 and last - first <= 64:
                votes.append(indices[k] - order[first:last])
    if len(votes) < 6:
        return
    distances, counts = np.unique(np.concatenate(votes), return_counts=True)
    for k in np.argsort(-counts, kind="stable")[:3]:
        distance = int(distances[k])
        if counts[k] >= 0.25 * len(votes) and distance:
            words = _shift_words(sample, distance, _pattern(sample))
            yield _misread(*words, _where_wrong(sample, partial(_minus, distance)))


@dataclass(frozen=True)
class _Output:
    """An output in the order of its memory, with one number for all NaN."""

    stored: Array  # the right values, rounded
    actual: Array
    wrong: Array
    shape: tuple[int, ...]
    is_integer: bool

    @cached_property
    def shares(self) -> Array:
        """For each right value, its share among all right values."""
        _, inverse, counts = np.unique(self.stored, return_inverse=True, return_counts=True)
        return np.asarray((counts / len(self.stored))[inverse])

    @property
    def repeats_numbers(self) -> bool:
        """Whether the output has few different numbers."""
        return len(np.unique(self.stored)) <= len(self.stored) / _REPEATED

    def distances(self) -> Array:
        """The distances at which failing elements find their values among the right values."""
        size, failing = len(self.stored), np.flatnonzero(self.wrong)
        failing = failing[:: -(-len(failing) // VOTERS)]
        distances: Array = np.arange(1, size)
        misses: Array = np.zeros(size - 1, int)
        for k in failing:
            misses = misses + (self.stored[(k - distances) % size] != self.actual[k])
            is_possible = misses <= _MISSES * len(failing)
            distances, misses = distances[is_possible], misses[is_possible]
        return distances


def _outputs(sample: Sample) -> Iterator[_Output]:
    """The outputs that have failing elements. The halves of one output share its memory."""
    lanes = list(zip(sample.call.outputs, sample.memory, sample.right, sample.actual, sample.wrong, strict=True))
    for name in dict.fromkeys(lane.name.partition(",")[0] for lane in sample.call.outputs):
        own = [one for one in lanes if one[0].name.partition(",")[0] == name]
        shape, places = own[0][1][2], [indices for _, (indices, _, _), *_ in own]
        size = prod(shape)
        if len(np.unique(np.concatenate(places))) < size or sum(map(len, places)) > size:  # bits share their byte
            continue
        arrays: list[Array] = [np.zeros(size), np.zeros(size), np.zeros(size, bool)]
        for _, (indices, _, _), right, *others in own:
            for array, values in zip(arrays, (right.stored, *others), strict=True):
                array[indices] = values
        stored, actual, wrong = (np.where(np.isnan(array), _NAN, array) for array in arrays)
        if wrong.any():
            yield _Output(stored, actual, wrong.astype(bool), shape, own[0][3].dtype.kind in "iu")


def repeated_numbers_shifted(sample: Sample) -> Iterator[Suspicion]:
    """Results of elements at a fixed distance, in an output of few different numbers, such as 0 and 1.

    A failing element then agrees with many others. So the rule tries all distances. A distance must also explain why
    the elements between the failing ones are right, it must be the only one, and the elements must be so many that
    they hardly agree by chance.
    """
    if not 8 <= sample.call.size <= LARGEST_CALL or len(sample.positions) < sample.call.size:
        return
    for output in _outputs(sample):
        size, failing = len(output.stored), np.flatnonzero(output.wrong)
        if not (output.is_integer or output.repeats_numbers) or len(failing) < 4:
            continue
        distances = output.distances()
        found: list[tuple[int, tuple[str, str] | None]] = []
        for distance in distances if len(distances) <= _CANDIDATES else ():
            moved = np.roll(output.stored, distance) != output.stored
            is_whole = np.count_nonzero(moved & ~output.wrong) <= _MISSES * len(failing)
            pattern = None if is_whole else _pattern_of(output.wrong, ~moved, output.shape)
            if is_whole or pattern:
                found.append((int(distance), pattern))
        if len(found) != 1:
            continue
        ((distance, pattern),) = found
        is_stretch = pattern is None or pattern[0] == "stretch"
        at: At = slice(failing[0], failing[-1] + 1) if is_stretch else output.wrong
        if -np.log2(np.roll(output.shares, distance)[at]).sum() < np.log2(size) + _BITS:
            continue
        distance -= size if distance > size // 2 else 0
        yield _misread(*_shift_words(sample, distance, pattern), _where_wrong(sample, partial(_minus, distance)))


def _minus(distance: int, indices: Array) -> Array:
    return np.asarray(indices - distance)


def _shift_words(sample: Sample, distance: int, pattern: tuple[str, str] | None) -> tuple[str, str]:
    shape = sample.memory[0][2]
    columns = shape[-1] if shape else 1
    size, way = abs(distance), "earlier" if distance > 0 else "later"
    where = f", {pattern[1]}" if pattern else ""
    if columns > 1 and size % columns == 0 and len(shape) > 1 and not where:
        return "rows-shifted", f"rows are exchanged: each row holds the result of the row {size // columns} {way}"
    if where and size >= 16:
        return "stale", f"stale output: elements hold the results of {size} elements {way}{where}"
    return (
        "shifted",
        f"shifted by {quantity(size, 'element')}: each element holds the result of the element {size} {way}{where}",
    )


def of_earlier_call(sample: Sample) -> Iterator[Suspicion]:
    """The output of an earlier call that is still in the memory."""
    for name, array in sample.earlier():
        if array.size and array.dtype == sample.actual[0].dtype:
            lanes = zip(sample.memory, sample.actual, sample.wrong, strict=True)
            explains = [
                wrong & (array.ravel()[indices % array.size] == actual) for (indices, _, _), actual, wrong in lanes
            ]
            numbers = np.concatenate([actual[at] for at, actual in zip(explains, sample.actual, strict=True)])
            _, counts = np.unique(numbers, return_counts=True)
            if 2 * max(counts, default=0) < len(numbers):  # a common number such as 0 may be anywhere
                sentence = f"stale output: elements hold the output of {name}"
                yield _misread("stale", sentence, explains=tuple(explains))


def exchanged_dimensions(sample: Sample) -> Iterator[Suspicion]:
    """Two dimensions of the output that were exchanged."""
    if len(sample.call.shape) < 2 or sample.call.size > LARGEST_CALL:
        return
    shape = sample.memory[0][2]
    number = np.arange(prod(shape))
    for a in range(len(shape)):
        for b in range(a + 1, len(shape)):
            if shape[a] > 1 and shape[b] > 1:
                there = number.reshape(shape).swapaxes(a, b).ravel()
                sentence = f"dimensions {a} and {b} of the result are exchanged, as rows and columns"
                for source in (there, np.argsort(there)):
                    yield _misread("dimensions-exchanged", sentence, _rearranged(sample, source.__getitem__))


def permuted_rows(sample: Sample) -> Iterator[Suspicion]:
    """Whole rows that hold the results of other rows, for example exchanged neighbours."""
    size, shape = sample.call.size, sample.memory[0][2]
    if len({lane[2] for lane in sample.memory}) > 1 or len(shape) < 2 or shape[-1] < 4 or sample.is_integer:
        return
    rows = prod(shape[:-1])
    if rows < 3 or rows > MOST_ROWS or len(sample.positions) < size:  # the sample must have all elements
        return
    memory, exact = np.zeros(prod(shape)), sample.memory[0][1].astype(np.float64).reshape(rows, -1)
    for (indices, _, _), values in zip(sample.memory, sample.actual, strict=True):
        memory[indices] = values
    actual, tolerance = memory.reshape(rows, -1), float(ml_dtypes.finfo(sample.actual[0].dtype).eps)
    source = np.arange(rows)
    with np.errstate(all="ignore"):
        for row in range(rows):
            near = np.abs(exact - actual[row]) <= tolerance * 4 * np.abs(actual[row])
            near |= (exact == actual[row]) | (np.isnan(exact) & np.isnan(actual[row]))
            shares = near.mean(axis=1)
            if shares[row] < LEAST_SHARE and shares.max() >= LEAST_SHARE:
                source[row] = np.argmax(shares)
    first = np.flatnonzero(source != np.arange(rows))
    if len(first) > 1 and len(np.unique(source[first])) > 1:
        number = np.arange(prod(shape)).reshape(rows, -1)
        there = number[source].ravel()
        words = f"row {first[0]} holds the result of row {source[first[0]]}, and other rows are exchanged too"
        sentence = f"rows are exchanged: {words}"
        yield _misread("rows-exchanged", sentence, _where_wrong(sample, there.__getitem__))


def rearranged(sample: Sample) -> Iterator[Suspicion]:
    """Compute the call with wrongly read tensors: along another dimension, with interleaved halves, with padding."""
    operator, call = sample.call.operator, sample.call
    name, access = operator.access.dimension_attribute, operator.access
    if not name or call.size > LARGEST_CALL:
        return
    names = operator.schema.tensor_names
    main = call.tensors[names.index(operator.definition.main)]
    assert main is not None, "the main tensor is never optional"
    rank, dim = main.ndim, call.attributes[name]
    for other in range(rank):
        if other != dim % rank:
            sentence = f"computed along dimension {other} instead of {dim}"
            yield _misread("wrong-dim", sentence, _recomputed(sample, {**call.attributes, name: other}, call.tensors))
    if rank > 1:
        sentence = "computed as if the tensors had one dimension"
        tensors = [None if tensor is None else tensor.reshape(-1) for tensor in call.tensors]
        yield _misread("wrong-dim", sentence, _recomputed(sample, {**call.attributes, name: 0}, tensors))
    for order, sentence in _ORDERS if access.is_packed else ():
        tensors = [
            np.take(tensor, order(tensor.shape[dim]), axis=dim)
            if tensor is not None and len(access.parts(n, tensor.shape, call.attributes)) > 1
            else tensor
            for n, tensor in zip(names, call.tensors, strict=False)
        ]
        words = f"{sentence}: the even and the odd elements are taken for the other arrangement"
        yield _misread("interleaved-halves", words, _recomputed(sample, call.attributes, tensors))
        if all(lane.numbers is not None for lane in call.outputs):
            shape = sample.memory[0][2]
            number = np.arange(prod(shape)).reshape(shape)
            there = np.take(number, order(shape[dim]), axis=dim).ravel()
            words = f"the results are written {words}"
            yield _misread("interleaved-halves", words, _rearranged(sample, there.__getitem__))
            read = _other_call(sample, call.attributes, tensors)
            assert read is not None, "a call on tensors of the same shapes"
            back = np.take(number, np.argsort(order(shape[dim])), axis=dim).ravel()
            prediction = _rearranged(sample, back.__getitem__, replace(sample, call=read).memory)
            words = f"{sentence}: the tensors are read and the results are written in the other arrangement"
            yield _misread("interleaved-halves", words, prediction)
    if access.sees_rows and len(call.statistics_axes) == 1:
        axis = call.statistics_axes[0] % rank
        for count in sorted({-main.shape[axis] % block for block in _PADDED} - {0}):
            sentence = f"padding counted: {count} zeros behind each row count as its elements"
            yield _misread("padding-counted", sentence, _padded(sample, axis, count))


def broadcast_otherwise(sample: Sample) -> Iterator[Suspicion]:
    """A smaller tensor that was broadcast along another dimension, or repeated in the order of memory."""
    call = sample.call
    if len(call.shape) < 2 or call.size > LARGEST_CALL or call.operator.access.sees_rows:
        return
    strides = [prod(call.shape[d + 1 :]) for d in range(len(call.shape))]
    names = call.operator.schema.tensor_names
    for name, tensor in zip(names, call.tensors, strict=False):
        at = [k for k, lane in enumerate(call.inputs) if lane.name == name]
        if not at or tensor is None or not 1 < tensor.size < call.size:
            continue
        for d, stride in enumerate(strides):
            sentence = f"wrong broadcast: {name} is repeated along dimension {d}"
            other = tensor.ravel()[sample.positions // stride % tensor.size]
            yield _misread("wrong-broadcast", sentence, sample.recomputed(inputs={at[0]: other}))
        sentence = f"wrong broadcast: the first element of {name} is taken for all"
        other = np.full(len(sample.positions), tensor.ravel()[0])
        yield _misread("wrong-broadcast", sentence, sample.recomputed(inputs={at[0]: other}))


def read_transposed(sample: Sample) -> Iterator[Suspicion]:
    """One tensor that was read in another order of its dimensions, for example without its strides."""
    call = sample.call
    if call.size > LARGEST_CALL:
        return
    for at, (name, tensor) in enumerate(zip(call.operator.schema.tensor_names, call.tensors, strict=False)):
        if tensor is None or tensor.ndim < 2 or tensor.size < FEWEST:
            continue
        sentence = f"{name} is read in the order of its transposed shape"
        for read in _other_orders(tensor):
            tensors = [read if k == at else other for k, other in enumerate(call.tensors)]
            yield _misread("input-transposed", sentence, _recomputed(sample, call.attributes, tensors))


def _other_orders(tensor: Array) -> Iterator[Array]:
    """The elements of a tensor in the order of other dimensions, as a tensor of the same shape.

    All dimensions are reversed, the last two are exchanged, or one end moves to the other end. A kernel may also write
    the elements in such an order, which is the inverse.
    """
    axes = [*range(tensor.ndim)]
    permutations = {
        tuple(one) for one in (axes[::-1], [*axes[:-2], axes[-1], axes[-2]], [axes[-1], *axes[:-1]], [*axes[1:], 0])
    }
    seen = {tensor.tobytes()}
    for order in sorted(permutations):
        there = tensor.transpose(order).reshape(tensor.shape)
        shape = [tensor.shape[axis] for axis in order]
        back = tensor.reshape(shape).transpose([int(axis) for axis in np.argsort(order)])
        for read in (there, np.ascontiguousarray(back)):
            if read.tobytes() not in seen:
                seen.add(read.tobytes())
                yield read


def _padded(sample: Sample, axis: int, count: int) -> Prediction | None:
    def pad(tensor: Array | None) -> Array | None:
        if tensor is None or tensor.shape != sample.call.shape:
            return tensor
        widths = [(0, count if d == axis else 0) for d in range(tensor.ndim)]
        return np.pad(tensor, widths)

    shape = tuple(n + count * (d == axis) for d, n in enumerate(sample.call.shape))
    index = np.unravel_index(sample.positions, sample.call.shape)
    positions = np.ravel_multi_index(index, shape)
    return _recomputed(sample, sample.call.attributes, [pad(t) for t in sample.call.tensors], positions)


def _recomputed(
    sample: Sample, attributes: dict[str, Any], tensors: Sequence[Array | None], positions: Array | None = None
) -> Prediction | None:
    """The results at some elements of a call on other tensors. None if the call is refused or has another shape."""
    at = sample.positions if positions is None else positions
    call = _other_call(sample, attributes, tensors)
    if call is None or (positions is None and call.size != sample.call.size):  # another shape may fill the same memory
        return None
    lanes = [lane.take(at) for lane in call.inputs]
    results = Golden(call.computation).expected(lanes, sample.actual[0].dtype)
    pairs = zip(sample.call.numbers, sample.actual, strict=True)
    return [cleared(call, replace(results[n], dtype=lane.dtype), at) for n, lane in pairs]


def _other_call(sample: Sample, attributes: dict[str, Any], tensors: Sequence[Array | None]) -> Elements | None:
    """The call on other tensors, or None if it is refused."""
    try:
        return new_elements(sample.call.operator, attributes, tensors)
    except (ActgradError, ValueError):
        return None


def _rearranged(
    sample: Sample, sources: Callable[[Array], Array], memory: Sequence[tuple[Array, Array, Any]] = ()
) -> Prediction:
    """For each element, the value at another index of the memory."""
    prediction = []
    for right, (indices, values, _) in zip(sample.right, memory or sample.memory, strict=True):
        there = values[sources(indices) % len(values)]
        size, no_error = np.maximum(np.abs(there), 1e-300), np.zeros_like(right.argument_error)
        prediction.append(replace(right, values=there, size=size, argument_error=no_error))
    return prediction


def _where_wrong(sample: Sample, sources: Callable[[Array], Array]) -> Prediction:
    """For each failing element, the value at another index of the memory. For any other element, its right value."""
    return where_wrong(sample, _rearranged(sample, sources))


# Rules on positions


def positions(sample: Sample) -> Iterator[Suspicion]:
    """Failing elements at positions that a tile, a tail, a row or a range explains."""
    pattern = _pattern(sample)
    if pattern:
        yield Suspicion(pattern[0], pattern[1], explains=sample.wrong, is_loose=True)


def _pattern(sample: Sample) -> tuple[str, str] | None:
    """The name and the words of the positions that fail, or None if they show no pattern."""
    if not 32 <= sample.call.size <= LARGEST_CALL or len(sample.positions) < sample.call.size:
        return None  # the sample must have all elements
    return _pattern_among(sample, sample.outside) or _pattern_among(sample, sample.wrong)


def _pattern_among(sample: Sample, failing_elements: Sequence[Array]) -> tuple[str, str] | None:
    call = sample.call
    failing: dict[str, Array] = {}  # by output, because the halves of an output share its memory
    silent: dict[str, Array] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    lanes = zip(call.outputs, sample.memory, sample.actual, failing_elements, strict=True)
    for lane, (indices, values, shape), actual, wrong in lanes:
        name = lane.name.partition(",")[0]
        shapes[name] = shape
        failing.setdefault(name, np.zeros(len(values), bool))[indices[wrong]] = True
        silent.setdefault(name, np.zeros(len(values), bool))[indices] = ~wrong & (actual == 0)
    patterns = [_pattern_of(wrong, silent[name], shapes[name]) for name, wrong in failing.items() if wrong.any()]
    if len(failing) == 1 and not any(patterns) and sample.memory[0][2] != call.shape:  # lanes are halves
        wrong = np.any(failing_elements, axis=0)
        patterns = [_pattern_of(wrong, np.zeros_like(wrong), call.shape)]
    return next(filter(None, patterns), None)


def _pattern_of(wrong: Array, silent: Array, shape: tuple[int, ...]) -> tuple[str, str] | None:
    """The name and the words of a pattern among the elements of one shape, or None.

    Silent elements are right zeros, which many mistakes do not change.
    """
    size = len(wrong)
    failing = np.flatnonzero(wrong)
    if len(failing) < 4 or len(failing) > 0.95 * size:
        return None
    first, last = int(failing[0]), int(failing[-1])
    heard = last - first + 1 - int(np.count_nonzero(silent[first : last + 1]))
    is_dense = heard <= len(failing) / _FAILS and last - first + 1 <= 4 * len(failing)
    if 0.9 * size >= last - first + 1 and is_dense:
        tile = next((n for n in (256, 128, 64, 32, 16) if first % n == 0 and (last + 1 - first) % n == 0), None)
        stretch = f"one tile of {tile}" if tile and last - first + 1 == tile else "one stretch"
        end = str(last)
        if last == size - 1 and stretch == "one stretch":
            is_row = len(shape) > 1 and 1 < shape[-1] == size - first
            stretch, end = "the last row" if is_row else "the last elements", "the end"
        return "stretch", f"wrong in {stretch}: positions {first} to {end} in C order"
    number = np.arange(size)
    rows = prod(shape[:-1])
    if len(shape) > 1 and rows > 1 and shape[-1] > 1:
        run = _run(wrong, silent, number % shape[-1], shape[-1])
        if run is not None:
            is_last = run[1] == shape[-1] - 1
            stretch = "the last block of each row" if is_last else "columns"
            return "last-block" if is_last else "columns", f"wrong in {stretch}: columns {run[0]} to {run[1]}"
        run = _run(wrong, silent, number // shape[-1], rows)
        if run is not None:
            return "rows", f"wrong in rows {run[0]} to {run[1]} of {rows}"
    for period in (*_PERIODS, *_OTHER_PERIODS):
        most = size * 2 // 3 if period in _PERIODS else size // 4
        run = _run(wrong, silent, number % period, period) if period <= most else None
        if run is not None:
            words = f"p mod {period} >= {run[0]}" if run[1] == period - 1 else f"{run[0]} <= p mod {period} <= {run[1]}"
            words = f"p mod {period} <= {run[1]}" if run[0] == 0 else words
            tile = run[1] + 1 - run[0]
            if tile in _PERIODS and run[0] % tile == 0:
                begin = run[0] // tile
                return "tiles", f"wrong in every {period // tile}th tile of {tile}, from tile {begin} on: {words}"
            return "tile-tail", f"wrong at positions p where {words}"
    for tile, every in product(_PERIODS, _EVERY):
        run = _run(wrong, silent, number // tile % every, every) if 2 * tile * every <= size else None
        if run is not None and run[0] == run[1]:
            return "tiles", f"wrong in every {every}th tile of {tile}, from tile {run[0]} on"
    for period in _spacings(wrong):
        run = _run(wrong, silent, number % period, period) if period <= size // 3 else None
        if run is not None:
            words = f"{run[0]} <= p mod {period} <= {run[1]}"
            return "tile-tail", f"wrong at positions p where {words}, in tiles of {period}"
    return None


def _spacings(wrong: Array) -> list[int]:
    """The most frequent distances between the beginnings of stretches that fail: tiles of any size."""
    starts = np.flatnonzero(wrong & ~np.append(False, wrong[:-1]))
    if len(starts) < 4:
        return []
    distances, counts = np.unique(np.diff(starts), return_counts=True)
    best = np.argsort(-counts, kind="stable")[:3]
    return [int(distances[k]) for k in best if distances[k] > 2 and counts[k] >= 0.3 * (len(starts) - 1)]


def _run(wrong: Array, silent: Array, group: Array, count: int) -> tuple[int, int] | None:
    """The first and the last of adjacent groups whose elements fail, while elements of other groups hold.

    A few elements of the groups may hold, because a wrong kernel may write the right value by chance, for example 0.
    """
    sizes = np.bincount(group[~silent], minlength=count)
    failing = np.flatnonzero(np.bincount(group[wrong], minlength=count) >= np.maximum(sizes, 1) / 2)
    if not len(failing):
        return None
    first, last = int(failing[0]), int(failing[-1])
    inside = (group >= first) & (group <= last)
    outside = ~inside & ~silent
    if last - first + 1 > 0.95 * count or not outside.any():
        return None
    if wrong[inside & ~silent].mean() < _FAILS or wrong[outside].mean() > _HOLDS:
        return None
    return first, last


RULES: tuple[Rule, ...] = (
    of_earlier_call, rearranged, broadcast_otherwise, exchanged_dimensions, read_transposed, shifted,
    repeated_numbers_shifted, permuted_rows, positions,
)  # fmt: skip
