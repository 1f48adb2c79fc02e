"""The acceptance standards: their limits as data, and for each its measure and its decision.

All standards take the same errors of actual elements. The published ones (mixed tolerance, MERE and MARE, double
thousandth) use the exact value rounded to the output's dtype as golden: a perfect result has the error 0. A dtype
without published figures is not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

import ml_dtypes
import numpy as np

from ..backends.reference import rounded
from ..base import xp
from ..base.definition import functions_in
from ..base.dtypes import BY_NAME
from ..calls.operator import Operator
from . import oracle
from .elements import Array

RUNS = 50  # runs of a call that must give the same bits
HALF_ULPS = 0.51  # computed in float32 and rounded once
ULPS, TERMS = 4.5, 8.0  # and units of the larger term where terms cancel
TRANSCENDENTAL_ULPS, TRANSCENDENTAL_TERMS = 12.0, 16.0  # for a distribution function, or a product with one or with exp
_TRANSCENDENTAL = {name for name in xp.NAMES if name.startswith(("normal", "sigmoid", "erf", "tanh", "exp_times"))}


@dataclass(frozen=True)
class ElementErrors:
    """Actual elements with exact ones. Infinity counts as the number after the largest, as in oracle.ulp_errors."""

    actual: Array
    exact: Array  # not rounded, in the golden precision
    golden: Array  # rounded to the output's dtype, and stored in the golden precision for floats
    error: Array  # |actual - golden|, infinite where one of them is NaN
    ulps: Array  # |actual - exact| in ULP. For integers, |actual - golden|
    is_finite: bool  # whether all are finite
    faults: Array  # elements beyond our own bounds. Empty until `measurement` looks for them
    by_terms: Array  # elements that are judged by the size of their terms
    lost_signs: Array | None = None  # zeros of the wrong sign where the contract states it

    @property
    def wrong(self) -> Array:
        """The elements that a diagnosis explains."""
        return self.faults if self.lost_signs is None else self.faults | self.lost_signs


def compare(actual: Array, exact: Array) -> ElementErrors:
    """Compare 1-D arrays. `exact` is float64 or longdouble."""
    dtype = BY_NAME[actual.dtype.name]
    none = np.zeros(len(actual), bool)
    with np.errstate(all="ignore"):
        golden = rounded(exact, dtype)
        if dtype.kind != "float":  # doubles may be equal where large integers are not
            error = np.maximum(actual != golden, np.abs(actual.astype(np.float64) - golden.astype(np.float64)))
            return ElementErrors(actual, exact, golden, error, error, True, none, none)
        wide, golden = actual.astype(exact.dtype), golden.astype(exact.dtype)
        error = np.abs(wide - golden)
        ulps = oracle.ulp_errors(actual, exact)
        if np.isfinite(wide).all() and np.isfinite(golden).all():
            return ElementErrors(actual, exact, golden, error, ulps, True, none, none)
        largest = exact.dtype.type(ml_dtypes.finfo(actual.dtype).max)
        beyond = largest + oracle.ulp(largest, actual.dtype)
        a, g = (np.where(np.isinf(v), np.copysign(beyond, v), v) for v in (wide, golden))
        agrees = (wide == golden) | (np.isnan(wide) & np.isnan(golden))
        # Near the limit between the largest number and infinity, rounding decides. Elsewhere it does not.
        apart = (np.isinf(wide) | np.isinf(golden)) & ~(ulps <= 1)
        hopeless = ~agrees & (np.isinf(exact) | np.isnan(wide) | np.isnan(golden) | apart)
        error = np.where(agrees, 0, np.where(hopeless, np.inf, np.abs(a - g)))
        return ElementErrors(actual, exact, golden, error, ulps, False, none, none)


@dataclass(frozen=True)
class Tally:
    """The counts of a standard. Tallies of chunks add up."""

    elements: int = 0
    over: int = 0  # beyond the standard's tolerance for one element
    broken: int = 0  # beyond the limit of every single element
    total: float = 0.0  # figures of the errors, in the words of the standard
    largest: float = 0.0
    excused: int = 0  # not judged by a relative error: see _excusing and ElementErrors.by_terms

    def __add__(self, other: Tally) -> Tally:
        sums = {name: getattr(self, name) + getattr(other, name) for name in vars(self)}
        return Tally(**{**sums, "largest": max(self.largest, other.largest)})

    @property
    def mean(self) -> float:
        return self.total / self.elements if self.elements else 0.0

    @property
    def share(self) -> float:
        return self.over / self.elements if self.elements else 0.0


Limits = tuple[float, ...]


@dataclass(frozen=True)
class AcceptanceStandard:
    """One acceptance standard."""

    name: str  # the name that --standard takes
    title: str
    says: str
    limits: Mapping[str, Limits]  # limits for each dtype. The standard does not judge other dtypes
    measure: Callable[[ElementErrors, Limits], tuple[Array, Tally]]  # the elements over, and their tally
    holds: Callable[[Tally, Limits], bool]
    shows: Callable[[Tally, Limits], str]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a standard for one output. `holds` is None without a judgement, and `says` gives the reason.

    Outcomes that do not count are shown and decide nothing.
    """

    standard: str
    holds: bool | None
    says: str
    limits: Limits = ()
    tally: Tally | None = None
    counts: bool = True

    def __add__(self, other: Outcome) -> Outcome:
        """The outcome for the elements of both."""
        if self.tally is None or other.tally is None:
            return self
        standard, tally = STANDARDS[self.standard], self.tally + other.tally
        holds, says = standard.holds(tally, self.limits), standard.shows(tally, self.limits)
        return replace(self, holds=holds, says=says, tally=tally)

    @property
    def is_broken(self) -> bool:
        """Whether this outcome rejects."""
        return self.counts and self.holds is False

    @property
    def is_exceeded(self) -> bool:
        """Whether this standard fails and decides nothing."""
        return not self.counts and self.holds is False


def decide(standard: AcceptanceStandard, dtype: str, tally: Tally, counts: bool = True) -> Outcome:
    """The outcome of a standard, given the tally of all elements."""
    limits = standard.limits.get(dtype)
    if limits is None:
        return Outcome(standard.name, None, f"not defined for {dtype}", counts=counts)
    return Outcome(standard.name, standard.holds(tally, limits), standard.shows(tally, limits), limits, tally, counts)


# Mixed tolerance

MIXED_SHARE = 0.01  # share of the elements that may exceed the tolerance
MIXED_ULPS = 32  # and none beyond the limit, unless it is this near


def _mixed(c: ElementErrors, limits: Limits) -> tuple[Array, Tally]:
    rtol, atol, limit = limits
    with np.errstate(invalid="ignore"):
        within = c.error <= atol + rtol * np.abs(c.golden)
    within |= c.error == 0  # infinities and NaNs that agree
    largest = _largest(c.error)
    broken = _count((c.error > limit) & (c.ulps > MIXED_ULPS)) if largest > limit else 0
    return ~within, Tally(len(within), _count(~within), broken, 0.0, largest)


def _shows_mixed(t: Tally, limits: Limits) -> str:
    far = f", {t.broken} beyond {limits[2]:g} and {MIXED_ULPS} ULP" if t.broken else ""
    return f"{1 - t.share:.2%} within, largest error {t.largest:.2g}{far}"


# MERE and MARE

MERE_OFFSET = 1e-7
MARE_FACTOR = 10


def _mere(c: ElementErrors, limits: Limits) -> tuple[Array, Tally]:
    (threshold,) = limits
    with np.errstate(invalid="ignore"):
        relative = c.error / (np.abs(c.golden) + MERE_OFFSET)
    if not c.is_finite:
        relative = np.where(c.error == 0, 0, np.where(np.isfinite(relative), relative, np.inf))
    over, excused = _excusing(c, relative >= MARE_FACTOR * threshold)
    relative = np.where(excused, 0, relative)
    return over, Tally(len(over), _count(over), 0, float(np.sum(relative)), _largest(relative), _count(excused))


def _excusing(c: ElementErrors, over: Array) -> tuple[Array, Array]:
    """The elements over a relative bound, without those as near as rounding allows, and the latter.

    The neighbours of a subnormal number, and of the remainder of cancelling terms, have large relative distances: no
    implementation that computes in the compute dtype and rounds once could do better.
    """
    return over & c.faults, over & ~c.faults


# Double thousandth


def _thousandth(c: ElementErrors, limits: Limits) -> tuple[Array, Tally]:
    relative, _ = limits
    with np.errstate(invalid="ignore"):
        over = c.error > relative * np.abs(c.golden)
    if not c.is_finite:
        over |= np.isinf(c.error)
    over, excused = _excusing(c, over)
    return over, Tally(len(over), _count(over), excused=_count(excused))


# ULP, and exact integers


def bounds(operator: Operator, dtype: str) -> tuple[float, float]:
    """The ULP that an operator may be off by, and where terms cancel the units of the larger one."""
    is_transcendental = bool(_functions(operator) & _TRANSCENDENTAL)
    if BY_NAME[dtype].kind != "float":
        if not any(map(operator.definition.dtypes_of, operator.schema.outputs)):
            return 0.0, 0.0  # the reference computes exactly, or rounds a number that it computed in float64
        return 0.0, TRANSCENDENTAL_TERMS if is_transcendental else TERMS
    if BY_NAME[dtype].itemsize == 2:
        return HALF_ULPS, TRANSCENDENTAL_TERMS if is_transcendental else TERMS
    return (TRANSCENDENTAL_ULPS, TRANSCENDENTAL_TERMS) if is_transcendental else (ULPS, TERMS)


def _functions(operator: Operator) -> frozenset[str]:
    """The functions that the formulas of an operator and of its forward pass call."""
    names: frozenset[str] = frozenset()
    for related in filter(None, (operator, operator.gradient_of)):
        terms = [f for term in related.access.terms for f in functions_in(term)]
        names = names.union(*map(xp.functions_of, (*functions_in(related.formula), *terms)))
    return names


def _ulp(c: ElementErrors, limits: Limits) -> tuple[Array, Tally]:
    judged = np.where(c.by_terms, 0, c.ulps)
    over_one, total = _count(judged > 1), float(np.sum(judged))
    return c.faults, Tally(len(judged), _count(c.faults), over_one, total, _largest(judged), _count(c.by_terms))


def _shows_ulp(t: Tally, limits: Limits) -> str:
    beyond = f"; {t.over} beyond the bound" if t.over else ""
    beyond += f"; {t.excused} judged by the size of their terms" if t.excused else ""
    return f"largest {t.largest:.3g}, mean {t.mean:.2g}, over 1 in {t.broken / max(1, t.elements):.2%}{beyond}"


# NaN and infinity


def _nonfinite(c: ElementErrors, limits: Limits) -> tuple[Array, Tally]:
    over = np.zeros(len(c.error), bool) if c.lost_signs is None else c.lost_signs
    if not c.is_finite:
        wide = c.actual.astype(c.exact.dtype)
        concerned = ~(np.isfinite(wide) & np.isfinite(c.golden))
        over = over | (concerned & (c.error > 0) & ~(c.ulps <= 1) & ~c.by_terms)
    return over, Tally(len(over), _count(over))


def _excuses(t: Tally) -> str:
    return f"; {t.excused} excused, as near as rounding allows" if t.excused else ""


def _count(mask: Array) -> int:
    return int(np.count_nonzero(mask))


def _largest(values: Array) -> float:
    return float(np.max(values, initial=0))


REPEAT = "repeat"
OWN = "ulp"  # actgrad's own bounds
IN_FORCE = ("mixed", "nonfinite", REPEAT)  # these decide unless others are named
ALL = "all"  # the word for every standard, as --standard takes it
PUBLISHED = ("mixed", "mere-mare", "thousandth")  # standards of accuracy, each for some dtypes
STANDARDS: Mapping[str, AcceptanceStandard] = {
    s.name: s
    for s in (
        AcceptanceStandard(
            "mixed",
            "mixed tolerance",
            "|actual - golden| <= atol + rtol * |golden| in 99 % of the elements, and no error above a limit unless "
            f"within {MIXED_ULPS} ULP; of Ascend's operators since July 2026",
            {  # rtol, atol, limit
                "float16": (2**-9, 2**-9, 1e-1),
                "bfloat16": (2**-6, 2**-6, 1.0),
                "float32": (2**-10, 2**-16, 1e-2),
            },
            _mixed,
            lambda t, limits: t.over <= MIXED_SHARE * t.elements and not t.broken,
            _shows_mixed,
        ),
        AcceptanceStandard(
            "mere-mare",
            "MERE and MARE",
            f"mean and maximum of |actual - golden| / (|golden| + {MERE_OFFSET:g}) below T and {MARE_FACTOR} T; of "
            "Ascend's open operators, before the mixed tolerance",
            {"float16": (2**-10,), "bfloat16": (2**-7,), "float32": (2**-13,)},
            _mere,
            lambda t, limits: t.mean < limits[0] and t.largest < MARE_FACTOR * limits[0],
            lambda t, limits: f"MERE {t.mean:.2g}, MARE {t.largest:.2g} (T = {limits[0]:.2g}){_excuses(t)}",
        ),
        AcceptanceStandard(
            "thousandth",
            "double thousandth",
            "relative error above 0.001 (float32: 0.0001) in less than that share of the elements",
            # bfloat16's own step is larger: one rounding the other way would count.
            {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-4)},
            _thousandth,
            lambda t, limits: t.share < limits[1],
            lambda t, limits: f"{t.share:.3%} beyond {limits[0]:g}{_excuses(t)}",
        ),
        AcceptanceStandard(
            "ulp",
            "ULP",
            f"actgrad's own bounds: {HALF_ULPS} ULP in half precision (rounded once), else {ULPS} or, with a "
            f"distribution function, {TRANSCENDENTAL_ULPS:g}; where terms cancel, units of the larger term; integers "
            "exactly, or the other of two if the exact value lies between them",
            dict.fromkeys(BY_NAME, ()),
            _ulp,
            lambda t, limits: not t.over,
            _shows_ulp,
        ),
        AcceptanceStandard(
            "nonfinite",
            "NaN and infinity",
            "NaN and infinities where the exact value, rounded, is one, and nowhere else; the sign of a zero that is "
            "the limit at x = -inf",
            dict.fromkeys(BY_NAME, ()),
            _nonfinite,
            lambda t, limits: not t.over,
            lambda t, limits: f"{t.over} disagree" if t.over else "agree",
        ),
    )
}
#: The names that --standard takes, with the meaning of each.
NAMES: Mapping[str, str] = {
    **{name: standard.says for name, standard in STANDARDS.items()},
    REPEAT: f"the same bits in {RUNS} runs; of what runs here, not of files",
}


def counts(name: str, dtype: str, deciding: Collection[str], strict: bool) -> bool:
    """Whether a standard decides about a dtype: one of `deciding`, or our own bounds.

    Our own bounds decide if `strict`, or where no published standard among `deciding` covers the dtype.
    """
    if name != OWN:
        return name in deciding
    return strict or not any(n in PUBLISHED and dtype in STANDARDS[n].limits for n in deciding)


def repeat(runs: int, different: int) -> Outcome:
    """The outcome of `runs` runs of one call. `different` of them gave other bits than the first."""
    says = f"{different} of {runs} runs differ from the first" if different else f"{runs} runs give the same bits"
    return Outcome(REPEAT, not different, says, (), Tally(runs, different))
