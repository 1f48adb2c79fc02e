"""Minimax polynomials, by Remez exchange on a fine grid, to 50 digits, and how their coefficients are rounded.

The lowest coefficients are rounded one after the other, the others being fitted again each time, so that they make up
for what the rounding lost; at last the rest is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpmath import mp, mpf

mp.dps = 50

GRID_POINTS_PER_COEFFICIENT = 24
CHECK_POINTS_PER_COEFFICIENT = 97  # no multiple of the grid's
EXCHANGES = 12
REFITS = 2  # coefficients that are rounded one by one


def rounded(x: mpf, bits: int) -> mpf:
    """x rounded to so many bits."""
    with mp.workprec(bits):
        return +x


@dataclass(frozen=True)
class Fit:
    """What to fit: a polynomial p such that the function that is built from it has the least relative error.

    An error e of p(x) is a relative error of weight(x) * e there.
    """

    name: str
    what: str
    function: Callable[[mpf], mpf]
    weight: Callable[[mpf], mpf]
    low: mpf
    high: mpf
    degree: int


def chebyshev_points(low: mpf, high: mpf, count: int) -> list[mpf]:
    """The zeros of the Chebyshev polynomial of degree `count`, mapped to the interval, in rising order."""
    return [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def horner(coefficients: Sequence[mpf], x: mpf) -> mpf:
    """The polynomial at x; lowest power first."""
    value = mpf(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def minimax(xs: Sequence[mpf], ys: Sequence[mpf], weights: Sequence[mpf], count: int) -> list[mpf]:
    """The polynomial of `count` coefficients, lowest first, with the least max |weight * (p(x) - y)| over the points.

    Remez: on count + 1 points the best polynomial has errors of one size and alternating sign; exchange these points
    for the extrema of its error over all points, until nothing changes.
    """
    chosen = [i * (len(xs) - 1) // count for i in range(count + 1)]  # the extrema of a Chebyshev polynomial
    for _ in range(EXCHANGES):
        system = mp.matrix(count + 1, count + 1)
        for row, i in enumerate(chosen):
            for power in range(count):
                system[row, power] = xs[i] ** power
            system[row, count] = (-1) ** row / weights[i]
        solution = list(mp.lu_solve(system, mp.matrix([ys[i] for i in chosen])))
        coefficients = solution[:count]
        errors = [w * (horner(coefficients, x) - y) for x, y, w in zip(xs, ys, weights, strict=True)]
        extrema = _alternating_extrema(errors, count + 1)
        if extrema == chosen:
            break
        chosen = extrema
    return coefficients


def _alternating_extrema(errors: Sequence[mpf], count: int) -> list[int]:
    """The largest error of each run of one sign; while there are more than `count`, the smallest of them dropped."""
    runs: list[int] = []
    for i, error in enumerate(errors):
        if runs and (error > 0) == (errors[runs[-1]] > 0):
            if abs(error) > abs(errors[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)
    while len(runs) > count:
        smallest = min(range(len(runs)), key=lambda k: abs(errors[runs[k]]))
        if len(runs) == count + 1 or smallest in (0, len(runs) - 1):
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        else:  # with a neighbour, or the signs would not alternate
            neighbour = min(smallest - 1, smallest + 1, key=lambda k: abs(errors[runs[k]]))
            del runs[min(smallest, neighbour) : max(smallest, neighbour) + 1]
    if len(runs) < count:
        raise ArithmeticError(f"the error changes its sign {len(runs) - 1} times, not {count - 1}")
    return runs


def fit_rounded(fit: Fit, bits: int, of_integral: bool = False) -> list[mpf]:
    """The coefficients of a fit, lowest first, rounded to some bits; or, of_integral, those of its integral are."""
    count = fit.degree + 1

    def rounded_to(place: int, c: mpf) -> mpf:
        return rounded(c / (place + 1), bits) * (place + 1) if of_integral else rounded(c, bits)

    xs = chebyshev_points(fit.low, fit.high, GRID_POINTS_PER_COEFFICIENT * count)
    ys = [fit.function(x) for x in xs]
    weights = [abs(fit.weight(x)) for x in xs]
    done: list[mpf] = []
    while len(done) < min(REFITS, count - 1):
        done.append(rounded_to(len(done), minimax(xs, ys, weights, count - len(done))[0]))
        # p(x) = c + x * q(x): go on with q.
        ys = [(y - done[-1]) / x for x, y in zip(xs, ys, strict=True)]
        weights = [w * abs(x) for x, w in zip(xs, weights, strict=True)]
    rest = minimax(xs, ys, weights, count - len(done))
    return done + [rounded_to(place, c) for place, c in enumerate(rest, len(done))]


def error_bound(fit: Fit, coefficients: Sequence[mpf]) -> mpf:
    """The largest relative error on a grid denser than the one fitted on."""
    points = chebyshev_points(fit.low, fit.high, CHECK_POINTS_PER_COEFFICIENT * len(coefficients))
    return max(abs(fit.weight(x) * (horner(coefficients, x) - fit.function(x))) for x in points)
