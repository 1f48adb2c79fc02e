"""Timing: contenders take turns, and what counts is the median of many runs and how far these spread."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

Call = Callable[[], object]

RUN_SECONDS = 2e-4  # a run repeats a shorter call until it takes this long: the clock is read to about 50 ns
LEAST_RUNS, MOST_RUNS = 7, 1001
SLOW = 1e-3  # seconds; a call this long is not slowed down by code that is not in the cache


@dataclass(frozen=True)
class Times:
    """Seconds per call over many runs."""

    median: float
    lower: float  # first quartile
    upper: float  # third quartile
    least: float
    runs: int
    calls: int  # per run

    @property
    def spread(self) -> float:
        """The distance of the quartiles, relative to the median."""
        return (self.upper - self.lower) / self.median


@dataclass(frozen=True)
class Contender:
    """Something to be timed: one call per set of buffers, all of them alike."""

    name: str
    form: str  # "out": into memory that it is given; "new": into memory that it allocates
    calls: Sequence[Call]


def times(seconds: Sequence[float], calls: int = 1) -> Times:
    """The summary of runs, given the seconds of each and how many calls one makes."""
    each = sorted(s / calls for s in seconds)
    median, lower, upper = (_quantile(each, q) for q in (0.5, 0.25, 0.75))
    return Times(median, lower, upper, each[0], len(each), calls)


def _quantile(ascending: Sequence[float], q: float) -> float:
    """Linear between the two neighbours, as NumPy's default."""
    place = q * (len(ascending) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (place - below) * (ascending[above] - ascending[below])


def interleaved(
    contenders: Sequence[Contender], seconds: float, is_cold: bool = False, least_runs: int = LEAST_RUNS
) -> list[Times]:
    """The times of each contender; they take turns, so that what slows the machine down meets them all.

    `seconds` is what each contender may take, but for `least_runs` that it makes in any case. Warm: each run is
    preceded by a call that is not timed, so that what the contender before left in the caches does not matter. Cold:
    every call is on the set of buffers whose last use is longest ago, whoever used it.
    """
    sets = len(contenders[0].calls)
    place = 0

    def next_calls(contender: Contender, count: int) -> list[Call]:
        nonlocal place
        chosen = [contender.calls[(place + k) % sets] for k in range(count)]
        place = (place + count) % sets
        return chosen

    with _no_garbage_collection():
        plans = []
        for contender in contenders:
            _seconds(next_calls(contender, 2))
            estimate = min(_seconds(next_calls(contender, 1)) for _ in range(3))
            calls = max(1, math.ceil(RUN_SECONDS / max(estimate, 1e-8)))
            ahead = 0 if is_cold and estimate > SLOW else 1
            runs = int(seconds / (estimate * (calls + ahead)))
            plans.append((calls, ahead, max(least_runs, min(MOST_RUNS, runs))))
        rounds = max(runs for *_, runs in plans)
        taken: list[list[float]] = [[] for _ in contenders]
        for turn in range(rounds):
            for offset in range(len(contenders)):
                k = (turn + offset) % len(contenders)  # nobody always follows the same one
                calls, ahead, runs = plans[k]
                if (turn + 1) * runs // rounds == turn * runs // rounds:
                    continue  # slow ones sit out, evenly
                _seconds(next_calls(contenders[k], ahead))
                taken[k].append(_seconds(next_calls(contenders[k], calls)))
    return [times(s, calls) for s, (calls, *_) in zip(taken, plans, strict=True)]


def _seconds(calls: Sequence[Call]) -> float:
    begin = time.perf_counter()
    for call in calls:
        call()
    return time.perf_counter() - begin


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
