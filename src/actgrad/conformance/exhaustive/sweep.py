"""A sweep: an operator computed at one number after another, and measured against exact values in float64."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ... import aten
from ...base.access import split
from ...base.dtypes import BY_NAME
from ...calls.operator import Operator
from .. import oracle, standards
from ..elements import Array, At, elements
from ..golden import Golden
from ..measurement import CHUNK, faults_among

DTYPES = ("float16", "bfloat16", "float32")  # dtypes that are small enough to try all numbers
#: The values of the other inputs, or the library that computes; the longest dtype is tried at one number in so many.
PASSES = {"ones": 1, "random": 64, "PyTorch": 256}
FIRST = 5  # faults whose numbers are kept
#: A larger part of the bound makes an element suspect: NumPy computes the terms of its sums. No larger error is lost,
#: for an error in units of the larger term is at most the error in ULP.
SUSPECT = 0.25
ABSOLUTE = 3e-7  # bound of a derivative that has a distribution function, in float32
_HASH = 2654435761  # Knuth's multiplier scatters the numbers that a thinned sweep tries
_EXTREMES = ("ulps", "beyond", "terms", "absolute")


@dataclass(frozen=True)
class Item:
    """The task of one sweep: an operator, all its attributes, and one in `every` of the numbers of a dtype."""

    operator: Operator
    attributes: dict[str, Any]
    dtype: str
    kind: str  # of PASSES
    every: int = 1

    @property
    def count(self) -> int:
        return -(-(1 << 8 * BY_NAME[self.dtype].itemsize) // self.every)

    @property
    def words(self) -> str:
        """The attributes as the documents write them."""
        dim = self.operator.access.dim
        return ", ".join(f"{name}={value}" for name, value in self.attributes.items() if name != dim)

    @property
    def is_absolute(self) -> bool:
        """Whether an absolute bound holds too: for a derivative by x, alone, that is of the size of 1."""
        operator = self.operator
        has_distribution = standards.bounds(operator, self.dtype)[0] == standards.TRANSCENDENTAL_ULPS
        has_other_half = operator.access.packed or (operator.gradient_of and operator.gradient_of.multiplies)
        is_derivative = operator.gradient_of is not None and not has_other_half
        is_of_result = operator.definition.takes_result(self.attributes)
        return self.kind == "ones" and has_distribution and is_derivative and not is_of_result


class Extreme(NamedTuple):
    """The largest error of its kind, and the bits of the x where it is."""

    error: float
    bits: int


@dataclass(frozen=True)
class SweepErrors:
    """The errors of some elements; the parts of a sweep add up."""

    elements: int = 0
    counted: int = 0  # elements measured in ULP: all but where terms cancel
    total: float = 0.0  # sum of their finite errors
    ulps: Extreme | None = None
    beyond: Extreme | None = None  # less the error that a rounded argument of exp explains
    terms: Extreme | None = None  # where terms cancel, in units of the larger term
    absolute: Extreme | None = None  # of finite numbers
    faults: int = 0  # elements beyond the bounds
    first: tuple[int, ...] = ()  # the bits of x of the first faults

    def __add__(self, other: SweepErrors) -> SweepErrors:
        mine, more = vars(self), vars(other)
        sums = {name: mine[name] + more[name] for name in ("elements", "counted", "total", "faults")}
        extremes: dict[str, Any] = {name: _larger(mine[name], more[name]) for name in _EXTREMES}
        return SweepErrors(**sums, **extremes, first=(*self.first, *other.first)[:FIRST])

    @property
    def mean(self) -> float:
        return self.total / self.counted if self.counted else 0.0

    @staticmethod
    def of_json(plain: dict[str, Any]) -> SweepErrors:
        """The inverse of `vars` through JSON; a KeyError, TypeError or ValueError for anything else."""
        extremes = {n: None if plain[n] is None else Extreme(*plain[n]) for n in _EXTREMES}
        return SweepErrors(**{**plain, **extremes, "first": tuple(plain["first"])})


def together(parts: Sequence[SweepErrors]) -> SweepErrors:
    """Several outputs as one."""
    return sum(parts, SweepErrors())


def _larger(a: Extreme | None, b: Extreme | None) -> Extreme | None:
    """The larger of two errors; of equal ones the first, which has the smaller bits."""
    if a is None or b is None:
        return a or b
    return b if b.error > a.error else a


def _largest(errors: Array, bits: Array) -> Extreme | None:
    """The largest error, None without elements."""
    if not len(errors):
        return None
    k = int(np.argmax(errors))
    return Extreme(float(errors[k]), int(bits[k]))


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
        """The bits of `count` numbers from number `start`."""
        kind = f"u{self.x.itemsize}"
        if self.item.every == 1:
            return np.arange(start, start + count, dtype=kind)
        bits, every = np.arange(start, start + count, dtype=np.uint64), np.uint64(self.item.every)
        return (bits * every + ((bits * np.uint64(_HASH)) >> np.uint64(16)) % every).astype(kind)

    def run(self, start: int, stop: int) -> list[SweepErrors]:
        """The errors at the numbers from number `start` to before `stop`, for each output."""
        errors = [SweepErrors() for _ in self.call.outputs]
        for begin in range(start, stop, self.chunk):
            bits = self.bits(begin, self.chunk)
            self.fill(bits)
            self.compute()
            # The last chunk may reach beyond `stop`.
            errors = [a + b for a, b in zip(errors, self._measured(bits, min(stop - begin, self.chunk)), strict=True)]
        return errors

    def fill(self, bits: Array) -> None:
        """Take the numbers of these bits for x."""
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

    def _measured(self, bits: Array, count: int) -> Iterator[SweepErrors]:
        """The errors of each output at the first `count` elements."""
        lanes = self.lanes(slice(0, self.chunk))
        exact = self.golden.values(lanes)
        judged: At = slice(0, count)
        if self._torch is not None:  # SELU's derivative at 0 is a convention; infinities and NaN differ too
            x = lanes[self.call.main][judged]
            with np.errstate(invalid="ignore"):
                judged = np.flatnonzero(np.isfinite(x) & (x != 0))
        lanes = [lane[judged] for lane in lanes]
        for lane, number in zip(self.call.outputs, self.call.numbers, strict=True):
            yield self._found(lane.take(judged), exact[number][judged], bits[judged], lanes, number)

    def _found(self, actual: Array, exact: Array, bits: Array, lanes: list[Array], number: int) -> SweepErrors:
        """The errors of one output; NaN's are infinite. Only suspects need the size of their terms."""
        ulps = beyond = oracle.ulp_errors(actual, exact)
        counted, faults, terms, absolute = len(ulps), np.zeros(0, np.int64), None, None
        at = np.flatnonzero(ulps > self._suspect)
        if self._torch is not None:  # nothing excuses PyTorch's infinite errors, and they are many
            at = at[np.isfinite(ulps[at])]
        if at.size:
            beyond = ulps.copy()
            expected, wrong, excused = faults_among(actual[at], self.call, self.golden, [x[at] for x in lanes], number)
            excused &= self._torch is None
            with np.errstate(all="ignore"):
                slip = np.nan_to_num(expected.unit * expected.slip / oracle.ulp(expected.values, actual.dtype))
                beyond[at] = np.where(np.isinf(ulps[at]), ulps[at], np.maximum(ulps[at] - slip, 0))
            faults, cancels = at[wrong], expected.cancels
            terms = _largest(expected.term_errors(actual[at])[cancels], bits[at[cancels]])
            counted -= int(np.count_nonzero(cancels))
            # A subnormal factor lacks digits; its error is none in the last place.
            ulps[at[cancels | excused]] = beyond[at[cancels | excused]] = 0
        if self.item.is_absolute:
            with np.errstate(all="ignore"):
                error = np.abs(actual.astype(np.float64) - exact)
            error[~np.isfinite(error)] = 0
            absolute = _largest(error, bits)
        largest = _largest(ulps, bits)
        is_finite = largest is None or largest.error < np.inf
        return SweepErrors(
            len(ulps), counted, float(np.sum(ulps if is_finite else ulps[np.isfinite(ulps)])), largest,
            largest if beyond is ulps else _largest(beyond, bits), terms, absolute, len(faults),
            tuple(int(b) for b in bits[faults[:FIRST]]),
        )  # fmt: skip
