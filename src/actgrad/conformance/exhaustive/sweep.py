"""A sweep: an operator computed at one number after another, and measured against exact values in float64."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.access import split
from ...base.dtypes import BY_NAME
from .. import oracle, standards
from ..elements import Array, Elements, elements
from ..golden import Golden
from ..measurement import inherited
from .item import FIRST, Extreme, Found, Item

CHUNK = 1 << 18  # elements computed together: with fewer, threads mostly wait for each other at the interpreter
#: Elements whose error is a larger part of the bound are looked at by NumPy, which knows the terms of sums. No error
#: larger than this part is lost thereby: counted in units of the larger term an error is not more than in ULP.
SUSPECT = 0.25
ABSOLUTE = 3e-7  # of a derivative that has a distribution function, in float32
_HASH = 2654435761  # Knuth's multiplier: scatters which of `every` numbers is tried


class Sweep:
    """The memory and the kernels of one sweep, for one thread."""

    def __init__(self, item: Item):
        self.item = item
        self.chunk = min(CHUNK, 1 << 8 * BY_NAME[item.dtype].itemsize)
        x = np.zeros(self.chunk, BY_NAME[item.dtype].numpy)
        rng = np.random.default_rng(0) if item.kind == "random" else None
        self._inputs = oracle.tensors(item.operator, item.attributes, x, rng)
        self._x: Array = split(item.operator.access, item.operator.definition.main, self._inputs[-1], item.attributes)[
            0
        ]
        self._plan = item.operator.plan(*self._inputs, backend="cpu", **item.attributes)
        self._outputs = oracle.as_tuple(self._plan.result)
        self.call: Elements = elements(item.operator, item.attributes, self._inputs, self._outputs)
        self.golden = Golden(self.call.computation)
        self._dtypes = [self.call.outputs[0].array.dtype] * len(self.call.computation.loop.outputs)
        self._bounds = standards.bounds(item.operator, item.dtype)
        is_half = BY_NAME[item.dtype].itemsize == 2
        self._suspect = -1.0 if is_half else SUSPECT * self._bounds[0]
        self._absolute = is_absolute(item)
        self._torch = importlib.import_module("torch") if item.kind == "PyTorch" else None

    def bits(self, start: int, count: int) -> Array:
        """The bits of the numbers number `start` and following."""
        bits = np.arange(start, start + count, dtype=np.uint64)
        if self.item.every > 1:
            every = np.uint64(self.item.every)
            bits = bits * every + ((bits * np.uint64(_HASH)) >> np.uint64(16)) % every
        return bits.astype(f"u{self._x.itemsize}")

    def run(self, start: int, stop: int) -> list[Found]:
        """What the numbers from number `start` to before `stop` come to, for each output."""
        found = [Found() for _ in self.call.outputs]
        for begin in range(start, stop, self.chunk):
            bits = self.bits(begin, self.chunk)
            self.fill(bits)
            self.compute()
            # The last chunk may reach beyond what was asked for.
            for k, part in self._measured(bits, min(stop - begin, self.chunk)):
                found[k] = found[k] + part
        return found

    def fill(self, bits: Array) -> None:
        """Take the numbers of these bits for x."""
        self._x.view(bits.dtype)[...] = bits

    def compute(self) -> None:
        """Compute the outputs."""
        if self._torch is None:
            self._plan.run()
            return
        results = oracle.aten(self._torch, self.item.operator, self._inputs, self.item.attributes)
        for output, result in zip(self._outputs, results, strict=True):
            output[...] = result

    def lanes(self, at: Any) -> list[Array]:
        """The inputs of the formula at some elements."""
        return [lane.take(at) for lane in self.call.inputs]

    def _measured(self, bits: Array, count: int) -> Iterator[tuple[int, Found]]:
        exact = self.golden.values(self.lanes(slice(0, self.chunk)))
        judged = np.arange(self.chunk) < count
        if self._torch is not None:  # at 0 SELU's derivative is a convention, beyond numbers others have their own
            with np.errstate(invalid="ignore"):
                x = self._x.astype(np.float64)
            judged &= np.isfinite(x) & (x != 0)
        for k, (lane, number) in enumerate(zip(self.call.outputs, self.call.numbers, strict=True)):
            actual = lane.take(slice(0, self.chunk))
            ulps = oracle.ulp_errors(actual, exact[number])
            if not judged.all():
                ulps = np.where(judged, ulps, 0)
            yield k, self._clear(ulps, judged, bits) + self._suspicious(ulps, judged, bits, actual, number)
            if self._absolute and self._torch is None:
                with np.errstate(all="ignore"):
                    error = np.abs(actual.astype(np.float64) - exact[number])
                yield k, Found(absolute=_largest(np.where(np.isfinite(error), error, 0), bits))

    def _clear(self, ulps: Array, judged: Array, bits: Array) -> Found:
        """What the elements come to that are beyond suspicion."""
        count = int(np.count_nonzero(judged))
        if self._suspect < 0:
            return Found(elements=count)
        clear = np.where(ulps <= self._suspect, ulps, 0)
        suspects = int(np.count_nonzero(ulps > self._suspect))
        largest = _largest(clear, bits)
        return Found(count, count - suspects, float(np.sum(clear)), largest, largest)

    def _suspicious(self, ulps: Array, judged: Array, bits: Array, actual: Array, number: int) -> Found:
        """What the others come to, the size of their terms known; NaN's errors are infinite."""
        at = np.flatnonzero((ulps > self._suspect) & judged)
        if self._torch is not None and np.isinf(ulps[at]).any():  # many, and nothing excuses them here
            nan = at[np.isinf(ulps[at])]
            worst = Extreme(float("inf"), int(bits[nan[0]]))
            ulps = np.where(np.isinf(ulps), 0, ulps)
            rest = self._suspicious(ulps, judged, bits, actual, number)
            return rest + Found(0, len(nan), 0.0, worst, worst, None, None, len(nan))
        if not len(at):
            return Found()
        lanes, actual, ulps, bits = self.lanes(at), actual[at], ulps[at], bits[at]
        expected = self.golden.expected(lanes, self._dtypes)[number]
        cancels = expected.cancels
        with np.errstate(all="ignore"):
            slip = np.nan_to_num(expected.unit * expected.slip / oracle.ulp(expected.values, actual.dtype))
            beyond = np.where(np.isinf(ulps), ulps, np.maximum(ulps - slip, 0))
        faults = expected.faults(actual, *self._bounds)
        if self._torch is None and (wrong := np.flatnonzero(faults)).size:
            main = self.call.main
            alone = [lane[wrong] if k == main else np.ones_like(lane[wrong]) for k, lane in enumerate(lanes)]
            factor = self.golden.expected(alone, self._dtypes)[number]
            excused = inherited(actual[wrong], expected.values[wrong], factor, self._bounds[0])
            faults[wrong] = ~excused
            # Digits that a subnormal factor lacks are no matter of the last place.
            ulps, beyond = ulps.copy(), beyond.copy()
            ulps[wrong[excused]] = beyond[wrong[excused]] = 0
        measured = ~cancels
        finite = measured & np.isfinite(ulps)
        return Found(
            0,
            int(np.count_nonzero(measured)),
            float(np.sum(ulps[finite])),
            _largest(ulps[measured], bits[measured]),
            _largest(beyond[measured], bits[measured]),
            _largest(expected.term_errors(actual)[cancels], bits[cancels]),
            None,
            int(np.count_nonzero(faults)),
            tuple(int(b) for b in bits[faults][:FIRST]),
        )


def is_absolute(item: Item) -> bool:
    """Whether an absolute bound holds too: for a derivative, alone, that is of the size of 1."""
    operator = item.operator
    has_distribution = standards.bounds(operator, item.dtype)[0] == standards.TRANSCENDENTAL_ULPS
    is_derivative = operator.gradient_of is not None and not operator.gradient_of.multiplies
    return item.kind == "ones" and has_distribution and is_derivative


def _largest(errors: Array, bits: Array) -> Extreme | None:
    if not len(errors):
        return None
    k = int(np.argmax(errors))
    return Extreme(float(errors[k]), int(bits[k]))
