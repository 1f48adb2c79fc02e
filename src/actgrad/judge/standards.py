"""The acceptance standards. Each has limits, a function that measures errors, and a function that decides.

All standards use the same errors of elements. For published standards (mixed tolerance, MERE and MARE, double
thousandth), the golden value is the exact value rounded to the output's dtype, so a correctly rounded result has the
error 0. A published standard is not defined for a dtype without limits here: float64 and integers have none in the
document, and the limits that the document has for FLOAT8 and HiFLOAT32 are not applied.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

from ..backends.reference import rounded
from ..base import xp
from ..base.definition import functions_in
from ..base.dtypes import BY_NAME
from ..base.errors import InvalidArgument, either
from ..calls.operator import Operator
from ..ops import public
from . import oracle
from .elements import Array

RUNS = 50  # the number of runs of a call, which must all give the same bits
HALF_ULPS = 0.51  # for half precision, which is computed in float32 and rounded once
ULPS, TERMS = 4.5, 8.0  # the largest error in ULP and, if terms cancel, in units of the larger term
TRANSCENDENTAL_ULPS, TRANSCENDENTAL_TERMS = 12.0, 16.0  # the same for operators that call _TRANSCENDENTAL functions
_TRANSCENDENTAL = {name for name in xp.NAMES if name.startswith(("normal", "sigmoid", "erf", "tanh", "exp_times"))}


@dataclass(frozen=True)
class ElementErrors:
    """The errors of elements. Infinity counts as the number after the largest number, as in oracle.ulp_errors."""

    actual: Array
    exact: Array  # the exact values, not rounded
    golden: Array  # the exact values rounded to the output's dtype. For floats the array has the dtype of `exact`
    error: Array  # |actual - golden|, or infinity if a NaN or an infinity is wrong
    ulps: Array  # |actual - exact| in ULP. For integers, |actual - golden|
    is_finite: bool  # whether all values are finite
    faults: Array  # where errors exceed actgrad's own bounds. All False until `measurement` computes it
    by_terms: Array  # where terms cancel, so that the size of the terms bounds the error instead of ULP
    lost_signs: Array | None = None  # where a zero has the wrong sign, and the contract states the sign

    @property
    def undecided(self) -> Array:
        """Where rounding decides whether a result is NaN or infinite: a factor overflows, or is subnormal."""
        if self.is_finite:
            return np.zeros(len(self.error), bool)
        with np.errstate(invalid="ignore"):  # signalling NaNs
            wide = self.actual.astype(self.exact.dtype)
        undecided: Array = self.by_terms & ~(np.isfinite(wide) & np.isfinite(self.golden))
        return undecided

    @property
    def wrong(self) -> Array:
        """The elements that a diagnosis must explain."""
        return self.faults if self.lost_signs is None else self.faults | self.lost_signs


def compare(actual: Array, exact: Array) -> ElementErrors:
    """Compare 1-D arrays. `exact` is float64 or longdouble."""
    dtype = BY_NAME[actual.dtype.name]
    none = np.zeros(len(actual), bool)
    with np.errstate(all="ignore"):
        exact = oracle.saturated(exact, dtype)
        golden = rounded(exact, dtype)
        if "float" not in dtype.kind:  # compare integers, because two large integers may be equal as doubles
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
        # Infinity instead of a finite number is right only near the limit of the range, where rounding decides.
        apart = (np.isinf(wide) | np.isinf(golden)) & ~(ulps <= 1)
        hopeless = ~agrees & (np.isinf(exact) | np.isnan(wide) | np.isnan(golden) | apart)
        error = np.where(agrees, 0, np.where(hopeless, np.inf, np.abs(a - g)))
        return ElementErrors(actual, exact, golden, error, ulps, False, none, none)


Limits = tuple[float, ...]
Counts = dict[str, Any]  # the fields of an Outcome that a standard measures, besides `elements` and `over`


@dataclass(frozen=True)
class PublishedDocument:
    """The public document that a standard comes from, at one commit of its repository."""

    document: str  # the title, and its translation
    repository: str  # owner and name on GitHub
    path: str
    commit: str
    date: str  # of the commit, or "" if we do not know the date

    @property
    def url(self) -> str:
        return f"https://github.com/{self.repository}/blob/{self.commit}/{self.path}"

    def __str__(self) -> str:
        words = (self.document, self.repository, self.path, f"commit {self.commit[:8]}", self.date)
        return ", ".join(filter(None, words))


@dataclass(frozen=True)
class AcceptanceStandard:
    """An acceptance standard."""

    name: str  # the name for the option --standard
    title: str
    says: str  # the definition in words
    limits: Mapping[str, Limits]  # dtype -> limits. The standard is not defined for other dtypes
    measure: Callable[[ElementErrors, Limits], tuple[Array, Counts]]  # the elements above the tolerance, and the counts
    holds: Callable[[Outcome], bool]  # whether the counts are accepted
    shows: Callable[[Outcome], str]  # a function that says the counts in words
    #: The elements that make a mean too large, if no single element is above the tolerance.
    contributes: Callable[[ElementErrors, Limits], Array] | None = None

    def apply(self, c: ElementErrors, decides: bool = True) -> tuple[Array, Outcome]:
        """The elements above the tolerance, and the outcome. `decides` is whether the outcome decides."""
        dtype = c.actual.dtype.name
        if dtype not in self.limits:
            undefined = Outcome(self.name, None, decides, note=f"not defined for {dtype}")
            return np.zeros(len(c.error), bool), undefined
        over, counts = self.measure(c, self.limits[dtype])
        return over, Outcome(self.name, self.limits[dtype], decides, len(over), _count(over), **counts)


@dataclass(frozen=True)
class Outcome:
    """What a standard says about an output. Whether it holds, and the words, follow from the counts.

    Outcomes of chunks add up. If `counts` is False, reports show the outcome, but it does not decide.
    """

    standard: str
    limits: Limits | None  # for the dtype of the output. None if the standard is not defined for it
    counts: bool = True
    elements: int = 0
    over: int = 0  # the number of elements above the tolerance
    broken: int = 0  # the number of elements above the limit that no element may exceed
    total: float = 0.0  # the sum of the errors that the standard measures
    largest: float = 0.0  # the largest of these errors
    excused: int = 0  # the number of elements whose relative error does not count, see _excusing
    note: str = ""  # words in place of those that the standard finds for the counts

    def __add__(self, other: Outcome) -> Outcome:
        """The outcome for the elements of both outcomes."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in COUNTS}
        return replace(self, **{**sums, "largest": max(self.largest, other.largest)})

    @property
    def mean(self) -> float:
        return self.total / self.elements if self.elements else 0.0

    @property
    def share(self) -> float:
        return self.over / self.elements if self.elements else 0.0

    @property
    def holds(self) -> bool | None:
        """Whether the standard holds. None if it is not defined for the output."""
        return None if self.limits is None else bool(standard_of(self.standard).holds(self))

    @property
    def says(self) -> str:
        """The outcome in words."""
        return self.note or standard_of(self.standard).shows(self)

    @property
    def is_broken(self) -> bool:
        """Whether the standard fails and decides."""
        return self.counts and self.holds is False

    @property
    def is_exceeded(self) -> bool:
        """Whether the standard fails, but does not decide."""
        return not self.counts and self.holds is False

    @property
    def document(self) -> dict[str, Any]:
        """The outcome for JSON."""
        tally = None if self.limits is None else {name: getattr(self, name) for name in COUNTS}
        facts = {"standard": self.standard, "holds": self.holds, "says": self.says}
        return {**facts, "limits": self.limits or (), "tally": tally, "counts": self.counts}


COUNTS = ("elements", "over", "broken", "total", "largest", "excused")  # the fields of an Outcome that add up


# Mixed tolerance

MIXED_SHARE = 0.01  # the share of elements that may exceed the tolerance
MIXED_ULPS = 32  # an error above the limit is accepted if it has at most this number of ULP


def _mixed(c: ElementErrors, limits: Limits) -> tuple[Array, Counts]:
    rtol, atol, limit = limits
    with np.errstate(invalid="ignore"):
        within = c.error <= atol + rtol * np.abs(c.golden)
    undecided = c.undecided
    within |= (c.error == 0) | undecided  # equal infinities, or NaN for NaN
    error = c.error if c.is_finite else np.where(undecided, 0, c.error)
    largest = _largest(error)
    broken = _count((error > limit) & (c.ulps > MIXED_ULPS)) if largest > limit else 0
    return ~within, {"broken": broken, "largest": largest, "excused": _count(undecided)}


def _shows_mixed(t: Outcome) -> str:
    far = f", {t.broken} beyond {_limits(t)[2]:g} and {MIXED_ULPS} ULP" if t.broken else ""
    return f"{1 - t.share:.2%} within, largest error {t.largest:.2g}{far}{_excuses(t)}"


# MERE and MARE

MERE_OFFSET = 1e-7
MARE_FACTOR = 10


def _relative(c: ElementErrors) -> Array:
    with np.errstate(invalid="ignore"):
        relative: Array = c.error / (np.abs(c.golden) + MERE_OFFSET)
    if not c.is_finite:
        relative = np.where(c.error == 0, 0, np.where(np.isfinite(relative), relative, np.inf))
    return relative


def _above_mean(c: ElementErrors, limits: Limits) -> Array:
    above: Array = (_relative(c) >= limits[0]) & c.faults
    return above


def _mere(c: ElementErrors, limits: Limits) -> tuple[Array, Counts]:
    (threshold,) = limits
    relative = _relative(c)
    over, excused = _excusing(c, relative >= MARE_FACTOR * threshold)
    relative = np.where(excused, 0, relative)
    return over, {"total": float(np.sum(relative)), "largest": _largest(relative), "excused": _count(excused)}


def _excusing(c: ElementErrors, over: Array) -> tuple[Array, Array]:
    """The elements above a relative bound that are faults, and the elements above it that are not faults.

    Some elements have large relative errors, although no implementation that computes in the compute dtype and rounds
    once could do better: subnormal numbers, and small differences of large terms.
    """
    return over & c.faults, over & ~c.faults


# Double thousandth


def _thousandth(c: ElementErrors, limits: Limits) -> tuple[Array, Counts]:
    relative, _ = limits
    with np.errstate(invalid="ignore"):
        over = c.error > relative * np.abs(c.golden)
    if not c.is_finite:
        over |= np.isinf(c.error)
    over, excused = _excusing(c, over)
    return over, {"excused": _count(excused)}


# TTK's methods: exact integers, and quantised results

QUANTISED = ("int8", "int4")  # the dtypes for which TTK has the method quant


def _binary(c: ElementErrors, limits: Limits) -> tuple[Array, Counts]:
    over = np.asarray(c.error > 0)
    return over, {"largest": _largest(c.error)}


def _quant(c: ElementErrors, limits: Limits) -> tuple[Array, Counts]:
    over = np.asarray(c.error > limits[0])
    return over, {"largest": _largest(c.error)}


def _shows_differences(t: Outcome) -> str:
    return f"{t.over} differ, by at most {t.largest:.3g}"


# ULP, and exact integers


_own: dict[str, dict[str, float]] = {}  # operator -> dtype -> the bound in ULP that its author states


def bound(operator: Operator, **ulps: float) -> None:
    """State the largest error in ULP of an operator of your own, by dtype: `bound(my_swish, float32=20, float16=1)`.

    It replaces actgrad's own bound, so `ulp` and `--strict` judge by it. Write the call into the file of `--operators`.
    """
    if hasattr(public, operator.name):
        fault = f"bound: {operator.name} is an operator of actgrad"
        raise InvalidArgument(f"{fault}; its bounds are fixed; state bounds only for operators of your own")
    for dtype, number in ulps.items():
        if dtype not in operator.input_dtypes or BY_NAME[dtype].kind != "float":
            names = [name for name in operator.input_dtypes if BY_NAME[name].kind == "float"]
            raise InvalidArgument(f"bound: {dtype} is {number}; a dtype must be {either(names)}; change the name")
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0.5 <= number < 2**20:
            expected = "it must be a number of ULP from 0.5, which is correct rounding, to 2**20"
            raise InvalidArgument(f"bound: {dtype} is {number!r}; {expected}; change the number")
    _own[operator.name] = {dtype: float(number) for dtype, number in ulps.items()}


def bounds(operator: Operator, dtype: str) -> tuple[float, float]:
    """The largest error of an operator in ULP and, if terms cancel, in units of the larger term."""
    if (own := _own.get(operator.name, {}).get(dtype)) is not None:
        return own, max(own, TERMS)
    is_transcendental = bool(_functions(operator) & _TRANSCENDENTAL)
    if "float" not in BY_NAME[dtype].kind:
        if not any(map(operator.definition.dtypes_of, operator.schema.outputs)):
            return 0.0, 0.0  # integer results must be exact
        return 0.0, TRANSCENDENTAL_TERMS if is_transcendental else TERMS
    if BY_NAME[dtype].itemsize <= 2:
        return HALF_ULPS, TRANSCENDENTAL_TERMS if is_transcendental else TERMS
    return (TRANSCENDENTAL_ULPS, TRANSCENDENTAL_TERMS) if is_transcendental else (ULPS, TERMS)


def _functions(operator: Operator) -> frozenset[str]:
    """The functions that the formulas of an operator and of its forward operator call."""
    names: frozenset[str] = frozenset()
    for related in filter(None, (operator, operator.gradient_of)):
        terms = [f for term in related.access.terms for f in functions_in(term)]
        names = names.union(*map(xp.functions_of, (*functions_in(related.formula), *terms)))
    return names


def _ulp(c: ElementErrors, limits: Limits) -> tuple[Array, Counts]:
    judged = np.where(c.by_terms, 0, c.ulps)
    over_one, total = _count(judged > 1), float(np.sum(judged))
    counts = {"broken": over_one, "total": total, "largest": _largest(judged), "excused": _count(c.by_terms)}
    return c.faults, counts


def _shows_ulp(t: Outcome) -> str:
    beyond = f"; {t.over} beyond the bound" if t.over else ""
    beyond += f"; {t.excused} judged by the size of their terms" if t.excused else ""
    return f"largest {t.largest:.3g}, mean {t.mean:.2g}, over 1 in {t.broken / max(1, t.elements):.2%}{beyond}"


# NaN and infinity


def _nonfinite(c: ElementErrors, limits: Limits) -> tuple[Array, Counts]:
    over = np.zeros(len(c.error), bool) if c.lost_signs is None else c.lost_signs
    if not c.is_finite:
        with np.errstate(invalid="ignore"):  # signalling NaNs
            wide = c.actual.astype(c.exact.dtype)
        concerned = ~(np.isfinite(wide) & np.isfinite(c.golden))
        over = over | (concerned & (c.error > 0) & ~(c.ulps <= 1) & ~c.undecided)
    return over, {}


def _excuses(t: Outcome) -> str:
    return f"; {t.excused} excused, as near as rounding allows" if t.excused else ""


def _limits(outcome: Outcome) -> Limits:
    assert outcome.limits is not None, "only a standard that is defined has words"
    return outcome.limits


def _count(mask: Array) -> int:
    return int(np.count_nonzero(mask))


def _largest(values: Array) -> float:
    return float(np.max(values, initial=0))


REPEAT = "repeat"
ULP = "ulp"  # the standard with actgrad's own bounds
IN_FORCE = ("mixed", "nonfinite", REPEAT)  # the standards that decide if a caller names none
ALL = "all"  # the value of --standard that means all standards
#: Standards that are measured only if a caller names them.
ONLY_IF_NAMED = ("binary", "quant")
CROSS_CHECK = "cross-check"  # the comparison with a second device's outputs, see cross_check.py
PUBLISHED = (
    "mixed",
    "mere-mare",
    "thousandth",
    *ONLY_IF_NAMED,
)  # published standards of accuracy. Each is defined for some dtypes
STANDARDS: Mapping[str, AcceptanceStandard] = {
    s.name: s
    for s in (
        AcceptanceStandard(
            "mixed",
            "mixed tolerance",
            "|actual - golden| <= atol + rtol * |golden| in 99 % of the elements, and every error is below a limit or "
            f"within {MIXED_ULPS} ULP; CANN asks this of operators that others contribute, since July 2026",
            {  # rtol, atol, limit
                "float16": (2**-9, 2**-9, 1e-1),
                "bfloat16": (2**-6, 2**-6, 1.0),
                "float32": (2**-10, 2**-16, 1e-2),
                "float8_e4m3fn": (2**-2, 2**-4, 1.0),
                "float8_e5m2": (2**-1, 2**-3, 1e-1),
            },
            _mixed,
            lambda t: t.over <= MIXED_SHARE * t.elements and not t.broken,
            _shows_mixed,
        ),
        AcceptanceStandard(
            "mere-mare",
            "MERE and MARE",
            f"mean and maximum of |actual - golden| / (|golden| + {MERE_OFFSET:g}) below T and {MARE_FACTOR} T; CANN "
            "asked this of contributed operators before the mixed tolerance",
            {
                "float16": (2**-10,),
                "bfloat16": (2**-7,),
                "float32": (2**-13,),
                "float8_e4m3fn": (2**-3,),
                "float8_e5m2": (2**-2,),
            },
            _mere,
            lambda t: t.mean < _limits(t)[0] and t.largest < MARE_FACTOR * _limits(t)[0],
            lambda t: f"MERE {t.mean:.2g}, MARE {t.largest:.2g} (T = {_limits(t)[0]:.2g}){_excuses(t)}",
            _above_mean,
        ),
        AcceptanceStandard(
            "thousandth",
            "double thousandth",
            "less than 0.1 % of the elements have a relative error above 0.1 % (float32: 0.01 % and 0.01 %)",
            # not for bfloat16: a relative error of 0.001 is less than the distance of two bfloat16 numbers
            {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-4)},
            _thousandth,
            lambda t: t.share < _limits(t)[1],
            lambda t: f"{t.share:.3%} beyond {_limits(t)[0]:g}{_excuses(t)}",
        ),
        AcceptanceStandard(
            "ulp",
            "ULP",
            f"actgrad's own bounds: {HALF_ULPS} ULP in half precision; otherwise {ULPS}, or {TRANSCENDENTAL_ULPS:g} "
            "ULP for formulas such as GELU, tanh and Mish; where terms cancel, the unit is an ULP of the larger term; "
            "integers must be equal, but next to a tie, both integers around the exact value are accepted",
            dict.fromkeys(BY_NAME, ()),
            _ulp,
            lambda t: not t.over,
            _shows_ulp,
        ),
        AcceptanceStandard(
            "binary",
            "TTK binary",
            "integers and bits must be equal, as TTK compares them by default",
            {name: () for name, row in BY_NAME.items() if row.kind in ("bool", "int", "uint")},
            _binary,
            lambda t: not t.over,
            _shows_differences,
        ),
        AcceptanceStandard(
            "quant",
            "TTK quant",
            "INT8 and INT4 results of floats differ by at most 1",
            {name: (1.0,) for name in QUANTISED if name in BY_NAME},
            _quant,
            lambda t: not t.over,
            _shows_differences,
        ),
        AcceptanceStandard(
            CROSS_CHECK,
            "TTK cross check",
            "the errors are at most a few times those of a second device (--baseline)",
            {},
            _binary,
            lambda t: not t.over,
            _shows_differences,
        ),
        AcceptanceStandard(
            "nonfinite",
            "NaN and infinity",
            "an element is NaN or infinite if and only if the rounded exact value is; a zero that is the limit at "
            "x = -inf has the right sign",
            dict.fromkeys(BY_NAME, ()),
            _nonfinite,
            lambda t: not t.over,
            lambda t: f"{t.over} disagree" if t.over else "agree",
        ),
    )
}
#: Value of --standard -> its meaning.
NAMES: Mapping[str, str] = {
    **{name: standard.says for name, standard in STANDARDS.items() if name != CROSS_CHECK},
    REPEAT: f"the same bits in {RUNS} runs; only for actgrad's own backends, because a file has one run",
}
_OF_CANN = (
    "生态算子开源精度标准 (accuracy standard for open-source ecosystem operators)", "hicann/opbase",
    "docs/zh/ops_precision_standard/experimental_standard.md",
)  # fmt: skip
_OF_TTK = PublishedDocument(
    "精度比对方法 (methods of comparing accuracy)", "hicann/ops-test-kit", "docs/Precision_Comparison.md",
    "367509326971c56f08cf313a3a5f1ccc4508960c", "",
)  # fmt: skip
#: Value of --standard -> the public document that the standard comes from. actgrad's own bounds have none.
SOURCES: Mapping[str, PublishedDocument] = {
    "mixed": PublishedDocument(*_OF_CANN, "adbe441e9254676174937047457419b6e645e384", "15 July 2026"),
    "mere-mare": PublishedDocument(*_OF_CANN, "60496434718ec45c5c61de86389d4e947bff1d58", "9 April 2026"),
    "thousandth": _OF_TTK,
    "binary": _OF_TTK,
    "quant": _OF_TTK,
    CROSS_CHECK: _OF_TTK,
    "nonfinite": _OF_TTK,
    REPEAT: PublishedDocument(
        "昇腾算子精度标准 (accuracy standard for Ascend operators)",
        "hicann/opbase",
        "docs/zh/ops_precision_standard/commercial_standard.md",
        "3e62966542938699f87177ad95a53d2259eacfd1",
        "10 April 2026",
    ),
}


def definitions(names: Collection[str]) -> dict[str, str]:
    """What these standards require and the documents that they come from, for a report."""
    return {
        name: f"{says}. Source: {SOURCES[name]}" if name in SOURCES else says
        for name, says in NAMES.items()
        if name in names
    }


def counts(name: str, dtype: str, deciding: Collection[str], strict: bool) -> bool:
    """Whether a standard decides about a dtype. The standards in `deciding` do.

    actgrad's own bounds decide if `strict`, or if no published standard in `deciding` is defined for the dtype.
    """
    if name != ULP:
        return name in deciding
    # The mixed tolerance of FLOAT8 accepts a difference of several steps, so it does not replace the bounds by default.
    is_coarse = BY_NAME[dtype].kind == "float8" and {"mixed", "nonfinite"} <= {*deciding}
    return strict or is_coarse or not any(n in PUBLISHED and dtype in STANDARDS[n].limits for n in deciding)


_REPEATS = AcceptanceStandard(
    REPEAT, "equal bits in all runs", NAMES[REPEAT], dict.fromkeys(BY_NAME, ()), _binary,
    lambda t: not t.over,
    lambda t: (
        f"{t.over} of {t.elements} runs differ from the first" if t.over else f"{t.elements} runs give the same bits"
    ),
)  # fmt: skip


def repeat(runs: int, different: int) -> Outcome:
    """The outcome of `runs` runs of a call. In `different` runs, the bits differ from the bits of the first run."""
    return Outcome(REPEAT, (), True, runs, different)


def standard_of(name: str) -> AcceptanceStandard:
    """The standard of an outcome."""
    return _REPEATS if name == REPEAT else STANDARDS[name]
