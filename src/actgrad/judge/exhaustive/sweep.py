"""A sweep computes an operator at one number after another, and measures it against exact values in float64."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import numpy as np

from ... import aten
from ...backends.reference import rounded
from ...base.access import split
from ...base.dtypes import BY_NAME
from ...calls.operator import Operator
from .. import oracle, standards
from ..elements import Array, At, elements
from ..golden import Golden
from ..measurement import CHUNK, faults_among

DTYPES = ("float16", "bfloat16", "float32")  # dtypes that are small enough to try all numbers
#: The values of the other inputs, or the library that computes. The number thins the sweep of the longest dtype.
PASSES = {"ones": 1, "random": 64, "PyTorch": 256}
FIRST = 5  # the numbers of the first FIRST faults are recorded
#: An element is suspect if its error in ULP exceeds this share of the bound. Only for suspects, NumPy computes the
#: terms of sums. No fault is lost, because an error in units of the larger term is at most the error in ULP.
SUSPECT = 0.25
ABSOLUTE = 3e-7  # bound for a derivative that uses a distribution function, in float32
_HASH = 2654435761  # Knuth's multiplier, which scatters the numbers that a thinned sweep tries


@dataclass(frozen=True)
class Item:
    """The task of one sweep: an operator, all its attributes, and one in `every` of the numbers of a dtype."""

    operator: Operator
    attributes: dict[str, Any]
    dtype: str
    kind: str  # a key of PASSES
    every: int = 1

    @property
    def count(self) -> int:
        return -(-(1 << 8 * BY_NAME[self.dtype].itemsize) // self.every)

    @property
    def words(self) -> str:
        """The attributes in the notation of the documents."""
        dim = self.operator.access.dimension_attribute
        return ", ".join(f"{name}={value}" for name, value in self.attributes.items() if name != dim)

    @property
    def is_absolute(self) -> bool:
        """Whether an absolute bound also applies: only to a derivative by x whose size is about 1."""
        operator = self.operator
        has_distribution = standards.bounds(operator, self.dtype)[0] == standards.TRANSCENDENTAL_ULPS
        has_other_half = operator.access.is_packed or (operator.gradient_of and operator.gradient_of.roles.multiplies)
        is_derivative = operator.gradient_of is not None and not has_other_half
        is_of_result = operator.definition.takes_result(self.attributes)
        return self.kind == "ones" and has_distribution and is_derivative and not is_of_result


@dataclass(frozen=True)
class SweepErrors:
    """The errors of some elements. Errors of the parts of a sweep can be added.

    `largest` has the largest error of each kind, and the bits of its x: "ulps", "beyond" (the same without the error
    that a rounded argument of exp explains), "terms" (if terms cancel, in units of the larger term), "absolute".
    """

    elements: int = 0
    count: int = 0  # elements measured in ULP: all elements, except if terms cancel
    total: float = 0.0  # sum of their finite errors
    faults: int = 0  # the number of elements with errors above the bounds
    first: Sequence[int] = ()  # the bits of x of the first faults
    largest: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __add__(self, other: SweepErrors) -> SweepErrors:
        names = ("elements", "count", "total", "faults")
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        largest = dict(self.largest)
        for kind, extreme in other.largest.items():  # among equal errors, the first has the smallest bits
            largest[kind] = max(largest.get(kind, extreme), extreme, key=itemgetter(0))
        return SweepErrors(**sums, first=[*self.first, *other.first][:FIRST], largest=largest)

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    def error(self, kind: str) -> float | None:
        """The largest error of a kind, or None if there are no elements."""
        return self.largest[kind][0] if kind in self.largest else None


def _errors_of_integers(actual: Array, exact: Array, bits: Array) -> SweepErrors:
    """The errors of an integer output, which are the differences. Each difference is a fault."""
    stored = rounded(exact, BY_NAME[actual.dtype.name])
    errors = np.abs(actual.astype(np.float64) - stored.astype(np.float64))
    faults, kinds = np.flatnonzero(errors), dict.fromkeys(("ulps", "beyond"), (errors, bits))
    first = bits[faults[:FIRST]].tolist()
    return SweepErrors(len(errors), len(errors), float(errors.sum()), len(faults), first, _largest(kinds))


def _largest(errors: Mapping[str, tuple[Array, Array]]) -> dict[str, list[Any]]:
    """The largest error of each kind, and the bits of its x."""
    positions = {kind: int(np.argmax(values)) for kind, (values, _) in errors.items() if len(values)}
    return {kind: [float(errors[kind][0][k]), int(errors[kind][1][k])] for kind, k in positions.items()}


class Sweep:
    """The memory and the kernels of one sweep, for one thread."""

    def __init__(self, item: Item):
        operator, dtype = item.operator, BY_NAME[item.dtype]
        self.item = item
        self.chunk = min(CHUNK, 1 << 8 * dtype.itemsize)
        rng = np.random.default_rng(0) if item.kind == "random" else None
        self._inputs = oracle.tensors(operator, item.attributes, np.zeros(self.chunk, dtype.numpy), rng)
        names = [argument.name for argument in operator.schema.tensors if not argument.is_optional]
        main = operator.definition.main
        self.x: Array = split(operator.access, main, self._inputs[names.index(main)], item.attributes)[0]
        self._plan = operator.plan(*self._inputs, backend="cpu", **item.attributes)
        self.outputs = oracle.as_tuple(self._plan.result)
        self.call = elements(operator, item.attributes, self._inputs, self.outputs)
        self.golden = Golden(self.call.computation)
        self._suspect = -1.0 if dtype.itemsize == 2 else SUSPECT * standards.bounds(operator, item.dtype)[0]
        self._torch = importlib.import_module("torch") if item.kind == "PyTorch" else None

    def bits(self, start: int, count: int) -> Array:
        """The bits of `count` numbers, from number `start` on."""
        kind = f"u{self.x.itemsize}"
        if self.item.every == 1:
            return np.arange(start, start + count, dtype=kind)
        bits, every = np.arange(start, start + count, dtype=np.uint64), np.uint64(self.item.every)
        return (bits * every + ((bits * np.uint64(_HASH)) >> np.uint64(16)) % every).astype(kind)

    def measure(self, start: int, stop: int) -> list[SweepErrors]:
        """For each output, the errors at the numbers from `start` to `stop`, without `stop`."""
        errors = [SweepErrors() for _ in self.call.outputs]
        for begin in range(start, stop, self.chunk):
            bits = self.bits(begin, self.chunk)
            self.fill(bits)
            self.compute()
            # The last chunk may end after `stop`.
            errors = [a + b for a, b in zip(errors, self._chunk(bits, min(stop - begin, self.chunk)), strict=True)]
        return errors

    def fill(self, bits: Array) -> None:
        """Set x to the numbers with these bits."""
        self.x.view(bits.dtype)[...] = bits

    def compute(self) -> None:
        """Compute the outputs."""
        if self._torch is None:
            self._plan.run()
            return
        results = aten.results(self._torch, self.item.operator, self._inputs, self.item.attributes)
        for output, result in zip(self.outputs, results, strict=True):
            output[...] = result

    def lanes(self, at: Any) -> list[Array]:
        """The inputs of the formula at some elements."""
        return [lane.take(at) for lane in self.call.inputs]

    def _chunk(self, bits: Array, count: int) -> Iterator[SweepErrors]:
        """The errors of each output at the first `count` elements."""
        lanes = self.lanes(slice(0, self.chunk))
        exact = self.golden.values(lanes)
        at: At = slice(0, count)
        if self._torch is not None:  # SELU's derivative at 0 is a convention; infinities and NaN differ too
            x = lanes[self.call.main][at]
            with np.errstate(invalid="ignore"):
                at = np.flatnonzero(np.isfinite(x) & (x != 0))
        lanes = [lane[at] for lane in lanes]
        for lane, number in zip(self.call.outputs, self.call.numbers, strict=True):
            yield self._errors(lane.take(at), exact[number][at], bits[at], lanes, number)

    def _errors(self, actual: Array, exact: Array, bits: Array, lanes: list[Array], number: int) -> SweepErrors:
        """The errors of one output. The error of NaN is infinite. Only suspects need the size of their terms."""
        if actual.dtype.kind in "iu":
            return _errors_of_integers(actual, exact, bits)
        ulps = oracle.ulp_errors(actual, exact)
        count, faults, kinds = len(ulps), np.zeros(0, np.int64), {"ulps": (ulps, bits), "beyond": (ulps, bits)}
        at = np.flatnonzero(ulps > self._suspect)
        if self._torch is not None:  # PyTorch has many infinite errors, and no rule excuses them
            at = at[np.isfinite(ulps[at])]
        if at.size:
            beyond = ulps.copy()
            expected, wrong, excused = faults_among(actual[at], self.call, self.golden, [x[at] for x in lanes], number)
            excused &= self._torch is None
            with np.errstate(all="ignore"):
                argument_error = np.nan_to_num(
                    expected.unit * expected.argument_error / oracle.ulp(expected.values, actual.dtype)
                )
                beyond[at] = np.where(np.isinf(ulps[at]), ulps[at], np.maximum(ulps[at] - argument_error, 0))
            faults, cancels = at[wrong], expected.cancels
            count -= int(np.count_nonzero(cancels))
            # A subnormal factor lacks digits, so its error in ULP does not count.
            ulps[at[cancels | excused]] = beyond[at[cancels | excused]] = 0
            terms = expected.term_errors(actual[at])[cancels]
            kinds |= {"beyond": (beyond, bits), "terms": (terms, bits[at[cancels]])}
        if self.item.is_absolute:
            with np.errstate(all="ignore"):
                error = np.abs(actual.astype(np.float64) - exact)
            kinds["absolute"] = np.where(np.isfinite(error), error, 0), bits
        finite = ulps if np.max(ulps, initial=0) < np.inf else ulps[np.isfinite(ulps)]
        first = bits[faults[:FIRST]].tolist()
        return SweepErrors(len(ulps), count, float(np.sum(finite)), len(faults), first, _largest(kinds))
