"""The verdict on a call as data, and the decision about all verdicts: accepted or rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import add
from typing import Any

import numpy as np

from ..base.dtypes import BY_NAME
from .diagnosis.axis import Range
from .elements import Array
from .gradient_check import Disagreement
from .standards import CROSS_CHECK, NAMES, PUBLISHED, STANDARDS, ULP, Outcome, standard_of

#: Edges of the histogram of errors, in ULP. Errors above the last edge, NaN among them, have their own bin.
ULP_EDGES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 1024.0)
MAX_FAILURES = 5  # the number of failures that a verdict keeps in each of its lists
SAMPLE_SIZE = 4096  # the number of elements for plots, and of failing elements for the diagnosis
EXPLAINED = 0.9  # the share of the failing elements that a mistake must explain for a warning about few elements
WARNING_SHARE = 0.1  # the share of elements beyond actgrad's own bounds above which an accepted result gets a warning
NO_JSON = {"json": False}  # marks fields that JSON leaves out


@dataclass(frozen=True)
class Failure:
    """An element that fails."""

    index: tuple[int, ...]  # the index in the output
    inputs: Mapping[str, float | int]
    actual: float | int
    golden: float | int
    ulps: float
    judged_ulps: float = field(metadata=NO_JSON)  # the error in ULP, or 0 if the size of the terms bounds the error


@dataclass(frozen=True)
class Diagnosis:
    """A mistake that explains failing elements."""

    mistake: str  # a word for programs
    says: str  # a sentence for readers
    explained: int  # the number of failing elements in the sample that the mistake explains
    looked_at: int  # the number of failing elements in the sample


@dataclass(frozen=True)
class OutputResult:
    """The result for an output or for a half of an output: what each standard says, and which elements fail.

    Results of chunks are added in the order of the chunks. A Verdict is about a call. (It is not named Result, because
    the definition of an operator has a Result: a tensor that is the result of the forward operator.)
    """

    name: str
    dtype: str
    elements: int  # the number of elements
    failing: int  # the number of elements above the tolerance of a standard
    by_terms: int  # the number of elements whose error is bounded by the size of terms instead of ULP
    outcomes: tuple[Outcome, ...]
    histogram: tuple[int, ...]  # the number of elements in each bin of ULP_EDGES
    first: tuple[Failure, ...]
    worst: tuple[Failure, ...]
    points: Array = field(metadata=NO_JSON)  # (x, error in ULP, position) of some elements
    positions: Array = field(metadata=NO_JSON)  # the positions of some failing elements
    failing_by_range: Array = field(metadata=NO_JSON)  # the number of failing elements in each range of axis.py

    def __add__(self, other: OutputResult) -> OutputResult:
        positions = np.concatenate([self.positions, other.positions])
        if len(positions) > 8 * SAMPLE_SIZE:  # keep the first positions and half of the others
            positions = np.concatenate([positions[:MAX_FAILURES], positions[MAX_FAILURES::2]])
        return replace(
            self,
            elements=self.elements + other.elements,
            failing=self.failing + other.failing,
            by_terms=self.by_terms + other.by_terms,
            outcomes=tuple(map(add, self.outcomes, other.outcomes)),
            histogram=tuple(map(add, self.histogram, other.histogram)),
            first=(*self.first, *other.first)[:MAX_FAILURES],
            worst=tuple(sorted((*self.worst, *other.worst), key=lambda failure: -failure.judged_ulps)[:MAX_FAILURES]),
            points=np.concatenate([self.points, other.points]),
            positions=positions,
            failing_by_range=self.failing_by_range + other.failing_by_range,
        )

    @property
    def is_unpublished(self) -> bool:
        """Whether actgrad's own bounds decide because no published standard is defined for the dtype."""
        decides = any(o.standard == ULP and o.counts for o in self.outcomes)
        is_published = any(o.standard in PUBLISHED and o.holds is not None for o in self.outcomes)
        return decides and not is_published and len(self.outcomes) > 1


@dataclass(frozen=True)
class Verdict:
    """The outcomes of the standards for a call, the failing elements, and the mistakes that explain them."""

    operator: str
    attributes: Mapping[str, Any]
    golden: str  # a phrase that says how the exact values were computed
    outputs: tuple[OutputResult, ...]
    ranges: tuple[Range, ...] = ()  # ranges of x that have failing elements
    diagnoses: tuple[Diagnosis, ...] = ()
    #: Whether each standard accepts each wrong output, see power.py.
    power: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    repeat: Outcome | None = None  # whether all runs give the same bits. None if the call ran only once
    dtype: str = field(default="", metadata=NO_JSON)  # the dtype of the case
    case: str = field(default="", metadata=NO_JSON)  # the name of the case

    @property
    def holds(self) -> bool:
        """Whether no deciding standard fails."""
        return not any(outcome.is_broken for outcome in self.outcomes)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcomes of all standards for all outputs."""
        repeat = () if self.repeat is None else (self.repeat,)
        return (*(outcome for output in self.outputs for outcome in output.outcomes), *repeat)

    @property
    def standards(self) -> tuple[str, ...]:
        """The standards that were measured, besides equal bits in all runs."""
        return tuple(dict.fromkeys(outcome.standard for output in self.outputs for outcome in output.outcomes))

    def needs_warning(self, outcome: Outcome) -> bool:
        """Whether an accepted result needs a warning: this standard fails, but does not decide.

        actgrad's own bounds give a warning only if a mistake explains the elements beyond them, and these elements are
        16-bit and many, or beyond the mixed tolerance too: a stale tile is less than the 1 % that it ignores. In
        float32, the order of a sum moves a result beyond the bounds, and a mistake may explain this by chance.
        """
        if outcome.standard != ULP or outcome.limits is None:
            return outcome.is_exceeded
        if outcome.is_exceeded and any(one.standard == "mixed" and one.over for one in self.outcomes):
            return any(d.explained >= EXPLAINED * d.looked_at > 0 for d in self.diagnoses)
        is_half = all(BY_NAME[output.dtype].itemsize == 2 for output in self.outputs)
        return (
            outcome.is_exceeded
            and is_half
            and outcome.share > WARNING_SHARE
            and any(d.explained for d in self.diagnoses)
        )

    @property
    def is_judged(self) -> bool:
        """Whether any of the standards is defined for any of the outputs."""
        return any(outcome.holds is not None for output in self.outputs for outcome in output.outcomes)

    def sentences(self, selects: Callable[[Outcome], bool]) -> list[str]:
        """The outcomes for which `selects` is true, in words."""
        pairs = [(output.name, outcome) for output in self.outputs for outcome in output.outcomes if selects(outcome)]
        return [f"{name}: {STANDARDS[outcome.standard].title}: {outcome.says}" for name, outcome in pairs]

    @property
    def elements(self) -> int:
        return sum(output.elements for output in self.outputs)

    @property
    def failing(self) -> int:
        return sum(output.failing for output in self.outputs)


@dataclass(frozen=True)
class Decision:
    """Whether results are accepted, and why. The exit status, the last line and all reports follow from a Decision."""

    is_accepted: bool
    why: str
    disagreements: tuple[Disagreement, ...] = ()  # outputs of gradient operators that are not gradients
    warnings: tuple[str, ...] = ()  # accepted results that fail a standard which does not decide

    @property
    def word(self) -> str:
        return "ACCEPTED" if self.is_accepted else "REJECTED"

    def __str__(self) -> str:
        return f"{self.word}: {self.why}"


def decide(
    results: Sequence[Verdict],
    refused: Sequence[bool] = (),
    not_run: int = 0,
    disagreements: Sequence[Disagreement] = (),
    waived: int = 0,
) -> Decision:
    """The decision about all results together.

    `refused` has a flag for each case that must be refused: whether the call was refused. `not_run` is the number of
    cases without a result. `disagreements` are of the operators of these results.
    """
    outcomes = [one for result in results for one in result.outcomes]
    failing = {one.standard for one in outcomes if one.is_broken}
    holding = {one.standard for one in outcomes if one.counts and one.holds} - failing
    beyond = {one.standard for one in outcomes if one.is_exceeded}
    said = []
    if len(results) > 1 and failing:
        said.append(f"{sum(not r.holds for r in results)} of {len(results)} cases fail")
    said += [_sentence(failing, "fails", "fail"), _sentence(holding, "holds", "hold")]
    for exceeded, option in ((beyond - {ULP}, "--standard all"), (beyond & {ULP}, "--strict")):
        if exceeded:
            verb = _sentence(exceeded, "is exceeded, which counts", "are exceeded, which count")
            said.append(f"{verb} only with {option}")
    if unpublished := {o.dtype for result in results for o in result.outputs if o.is_unpublished}:
        said.append(f"no published standard is defined for {', '.join(sorted(unpublished))}")
    if refused:
        said.append(f"{sum(refused)} of {len(refused)} calls that must be refused were refused")
    if waived:
        said.append(f"{waived} of {len(results) + waived} cases are waived")
    if not_run:
        said.append(f"{not_run} of {len(results) + sum(refused) + not_run} cases were not run")
    if disagreements:
        names = ", ".join(dict.fromkeys(one.operator for one in disagreements))
        said.insert(0, f"the gradient of {names} is not that of the forward formula")
    is_accepted = not failing and all(refused) and not disagreements
    warnings = tuple(text for result in results if result.holds and (text := _warning(result)))
    return Decision(is_accepted, "; ".join(filter(None, said)), tuple(disagreements), warnings)


def _warning(result: Verdict) -> str:
    """The warning about an accepted result, with the mistakes that explain it, or ""."""
    exceeded = [o for o in result.outcomes if result.needs_warning(o)]
    if not exceeded:
        return ""
    words = "; ".join(dict.fromkeys(f"{STANDARDS[o.standard].title} is exceeded: {o.says}" for o in exceeded))
    looks = "; ".join(d.says for d in result.diagnoses) or "no mistake that actgrad knows"
    return f"warning: {result.operator} {result.dtype} {result.case}: {words}; looks like: {looks}"


def _sentence(names: Iterable[str], singular: str, plural: str) -> str:
    name_set = set(names)
    titles = [standard_of(n).title for n in (*NAMES, CROSS_CHECK) if n in name_set]
    return f"{', '.join(titles)} {singular if len(titles) == 1 else plural}" if titles else ""
