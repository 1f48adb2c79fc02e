"""Timing: contenders take turns, and what counts is the median of many runs and how far these spread."""

from __future__ import annotations

import gc
import math
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Protocol

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


class Clock(Protocol):
    """Takes the time of calls."""

    @property
    def most_calls(self) -> int:
        """How many it times in one run at most."""

    @property
    def overhead(self) -> float:
        """Seconds that a run takes besides its calls, about."""

    def seconds(self, ahead: Sequence[Call], calls: Sequence[Call]) -> float:
        """The seconds that `calls` take together, after calls that are not timed."""


class WallClock:
    """The time that passes for this process; right for calls that have done their work when they return."""

    most_calls = sys.maxsize
    overhead = 0.0

    def seconds(self, ahead: Sequence[Call], calls: Sequence[Call]) -> float:
        """The seconds of `calls`, after calls that are not timed."""
        for call in ahead:
            call()
        begin = time.perf_counter()
        for call in calls:
            call()
        return time.perf_counter() - begin


WALL = WallClock()


@dataclass(frozen=True)
class Contender:
    """Something to be timed: one call per set of buffers, all of them alike."""

    name: str
    form: str  # "out": into memory that it is given; "new": into memory that it allocates
    calls: Sequence[Call]
    within: Callable[[], AbstractContextManager[object]] = nullcontext  # entered before a run, left after it


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
    contenders: Sequence[Contender],
    seconds: float,
    is_cold: bool = False,
    least_runs: int = LEAST_RUNS,
    clock: Clock = WALL,
) -> list[Times]:
    """The times of each contender; they take turns, so that what slows the machine down meets them all.

    `seconds` is what each contender may take, but for `least_runs` that it makes in any case. Warm: each run is
    preceded by a call that is not timed, so that what the contender before left in the caches hardly matters; and in
    each turn the order is another one, so that it matters to all alike. Cold: every call is on the set of buffers
    whose last use is longest ago, whoever used it.
    """
    sets = len(contenders[0].calls)
    place = 0

    def next_calls(contender: Contender, count: int) -> list[Call]:
        nonlocal place
        chosen = [contender.calls[(place + k) % sets] for k in range(count)]
        place = (place + count) % sets
        return chosen

    def run(contender: Contender, ahead: int, calls: int) -> float:
        with contender.within():
            return clock.seconds(next_calls(contender, ahead), next_calls(contender, calls))

    with _no_garbage_collection():
        plans = []
        for contender in contenders:
            run(contender, 0, 2)
            estimate = max(min(run(contender, 0, 1) for _ in range(3)), 1e-8)
            calls = min(clock.most_calls, math.ceil(RUN_SECONDS / estimate))
            ahead = 0 if is_cold and estimate > SLOW else 1
            runs = int(seconds / (estimate * (calls + ahead) + clock.overhead))
            plans.append((calls, ahead, max(least_runs, min(MOST_RUNS, runs))))
        rounds = max(runs for *_, runs in plans)
        taken: list[list[float]] = [[] for _ in contenders]
        order, chance = list(range(len(contenders))), random.Random(0)
        for turn in range(rounds):
            chance.shuffle(order)  # in any fixed order each would always find what the same one left in the caches
            for k in order:
                calls, ahead, runs = plans[k]
                if (turn + 1) * runs // rounds == turn * runs // rounds:
                    continue  # slow ones sit out, evenly
                taken[k].append(run(contenders[k], ahead, calls))
    return [times(s, calls) for s, (calls, *_) in zip(taken, plans, strict=True)]


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
