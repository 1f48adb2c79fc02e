"""Timing: contenders take turns; the median of many runs counts, and the distance of their quartiles."""

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

RUN_SECONDS = 2e-4  # a run repeats a shorter call until it takes this long: the clock has steps of about 50 ns
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
        """The most calls in one run."""

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
    """A function to be timed: one call per set of buffers, all calls alike."""

    key: str  # its name in the results
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
    """The times of each contender; they take turns, so that a busy machine slows all of them down alike.

    Each contender may take `seconds`, and makes at least `least_runs`. Warm: an untimed call precedes each run, and
    each turn has another order: the contender before left other data in the caches. Cold: every call takes the set of
    buffers whose last use by any contender is longest ago.
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
            chance.shuffle(order)  # in a fixed order each would always follow the same one
            for k in order:
                calls, ahead, runs = plans[k]
                if (turn + 1) * runs // rounds == turn * runs // rounds:
                    continue  # slow contenders skip turns, evenly
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
