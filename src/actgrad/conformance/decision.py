"""The decision about results: accepted or rejected, and why, in one line. Diagnoses take no part in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .run import Result
from .standards import NAMES, OWN, PUBLISHED, REPEAT, STANDARDS, Outcome


@dataclass(frozen=True)
class Decision:
    """Whether results are accepted. The exit status, the last line and both reports say the same."""

    is_accepted: bool
    why: str

    @property
    def word(self) -> str:
        return "ACCEPTED" if self.is_accepted else "REJECTED"

    def __str__(self) -> str:
        return f"{self.word}: {self.why}"


def decide(results: Sequence[Result], refused: Sequence[bool] = (), not_run: int = 0) -> Decision:
    """The decision about all results together.

    `refused` tells for each case that must be refused whether it was; `not_run` counts cases without a result.
    """
    outcomes = [one for result in results for one in _outcomes(result)]
    failing = {one.standard for one in outcomes if one.counts and one.holds is False}
    holding = {one.standard for one in outcomes if one.counts and one.holds} - failing
    beyond = {one.standard for one in outcomes if not one.counts and one.holds is False}
    is_accepted = not failing and all(refused)
    said = [_sentence(failing, "fails", "fail"), _sentence(holding, "holds", "hold")]
    if beyond:
        said.append(f"{_sentence(beyond, 'is exceeded', 'are exceeded')}, which counts only with --strict")
    unpublished = {
        output.dtype
        for result in results
        for output in result.verdict.outputs
        if not any(o.standard in PUBLISHED and o.holds is not None for o in output.outcomes)
        and any(o.standard == OWN and o.counts for o in output.outcomes)
        and not all(o.standard == OWN for o in output.outcomes)
    }
    if unpublished:
        said.append(f"no published standard is defined for {', '.join(sorted(unpublished))}")
    if refused:
        said.append(f"{sum(refused)} of {len(refused)} calls that must be refused were refused")
    if not_run:
        said.append(f"{not_run} of {len(results) + sum(refused) + not_run} cases were not run")
    if len(results) > 1 and failing:
        count = sum(not result.verdict.holds for result in results)
        said.insert(0, f"{count} of {len(results)} cases fail")
    return Decision(is_accepted, "; ".join(filter(None, said)))


def _outcomes(result: Result) -> Iterator[Outcome]:
    for output in result.verdict.outputs:
        yield from output.outcomes
    if result.verdict.repeat is not None:
        yield result.verdict.repeat


def _sentence(names: Iterable[str], one: str, several: str) -> str:
    known = set(names)
    titles = [STANDARDS[n].title if n != REPEAT else "equal bits in all runs" for n in NAMES if n in known]
    return f"{', '.join(titles)} {one if len(titles) == 1 else several}" if titles else ""
