"""Fit the polynomials of src/actgrad/backends/formula/accurate.py and write them to coefficients.json in its folder.

Each fit is a relative-error minimax polynomial, its coefficients rounded to the compute dtype (see minimax.py), whose
error is then measured on a denser grid.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
from minimax import (
    GRID_POINTS_PER_COEFFICIENT,
    Fit,
    chebyshev_points,
    error_bound,
    fit_rounded,
    horner,
    minimax,
    rounded,
)
from mpmath import mp, mpf

from actgrad.ops.gelu import C1, C3

TARGET = Path(__file__).resolve().parent.parent / "src" / "actgrad" / "backends" / "formula" / "coefficients.json"


@dataclass(frozen=True)
class Precision:
    """A compute dtype, and the constants that are chosen for it."""

    name: str
    bits: int  # of the significand
    exponent_bits: int  # that the exponent n of a result takes, subnormals included
    emin: int  # of the smallest normal number
    degree: dict[str, int]
    # K and MID of accurate.normal_cdf and accurate.erfc: chosen by trial, for the least error of the whole function
    # after rounding (and so that its value at 0 is exact).
    normal: tuple[float, float]
    erfc: tuple[float, float]
    erfinv: tuple[float, float]  # those of accurate.erfinv, chosen alike

    def round(self, x: mpf) -> mpf:
        return rounded(x, self.bits)

    @property
    def largest_exponent(self) -> int:
        return 1 - self.emin

    @property
    def exp_min(self) -> mpf:
        """Where exp is below half the smallest subnormal number, and so 0; a multiple of 1/8."""
        return mpmath.floor(8 * (self.emin - self.bits) * mp.log(2)) / 8

    @property
    def exp_max(self) -> mpf:
        """Where exp overflows; a multiple of 1/8."""
        return mpmath.ceil(8 * (self.largest_exponent + 1) * mp.log(2)) / 8


PIECES = 32  # of primitives.piecewise

PRECISIONS = (
    Precision(
        name="FLOAT32",
        bits=24,
        exponent_bits=8,
        emin=-126,
        degree={
            "EXP": 4,
            "EXPM1": 4,
            "EXPM1_TO_0": 4,
            "EXP2": 4,
            "LOG1P": 2,
            "LOG1P_TO_1": 8,
            "NORMAL": 9,
            "ERFC": 9,
            "ERFINV": 14,
        },
        normal=(0.40625, 0.8125),
        erfc=(0.5625, 0.8125),
        erfinv=(0.109375, 1.5),
    ),
    Precision(
        name="FLOAT64",
        bits=53,
        exponent_bits=11,
        emin=-1022,
        degree={
            "EXP": 9,
            "EXPM1": 9,
            "EXPM1_TO_0": 9,
            "LOG1P": 6,
            "LOG1P_TO_1": 20,
            "NORMAL": 22,
            "ERFC": 22,
            "ERFINV": 36,
        },
        normal=(0.28125, 1.6875),
        erfc=(0.4375, 1.1875),
        erfinv=(0.09375, 3.0),
    ),
)


def fits(precision: Precision) -> Iterator[Fit]:
    """The fits of one precision."""
    # n = round(x / ln 2) is off by the rounding error of x / ln 2: the interval has 0.1 % to spare.
    half_ln2 = mp.log(2) / 2 * mpf("1.001")
    for name, what, result in (
        ("EXP", "exp(r) = 1 + r + r**2 * p(r)", mp.exp),
        ("EXPM1", "expm1(r) = r + r**2 * p(r)", mp.expm1),
        (  # where n is -1 or less, and where r > 0 it is, the result is exp(r) / 2 - 1 or less
            "EXPM1_TO_0",
            "expm1(r) = r + r**2 * p(r), relative to exp(r) / 2 - 1 where r > 0",
            lambda r: mp.expm1(r) if r <= 0 else mp.exp(r) - 2,
        ),
    ):
        yield Fit(
            name,
            what,
            lambda r: (mp.expm1(r) - r) / r**2,
            lambda r, result=result: r**2 / abs(result(r)),
            -half_ln2,
            half_ln2,
            precision.degree[name],
        )
    if "EXP2" in precision.degree:
        half = mpf("0.5005")
        degree = precision.degree["EXP2"]
        yield Fit("EXP2", "2**r = 1 + r * p(r)", lambda r: (2**r - 1) / r, lambda r: r / 2**r, -half, half, degree)
    # f = m - 1 with m in [sqrt(1/2), sqrt(2)), and s = f / (2 + f).
    s_max = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mpf("1.001")
    yield Fit(
        "LOG1P",
        "log((1 + s) / (1 - s)) = 2*s + s**3 * p(z), z = s**2",
        lambda z: (2 * mp.atanh(mp.sqrt(z)) - 2 * mp.sqrt(z)) / mp.sqrt(z) ** 3,
        lambda z: mp.sqrt(z) ** 3 / (2 * mp.atanh(mp.sqrt(z))),
        mpf(0),
        s_max**2,
        precision.degree["LOG1P"],
    )
    yield Fit(
        "LOG1P_TO_1",
        "log(1 + x) = x + x**2 * p(x)",
        lambda x: (mp.log1p(x) - x) / x**2,
        lambda x: x**2 / mp.log1p(x),
        mpf(0),
        mpf(1),
        precision.degree["LOG1P_TO_1"],
    )
    yield _tail_fit(precision, "NORMAL", "normal_cdf(-a) = exp(-a**2/2) * t * p(a*t - {mid})", mpf(1) / 2)
    yield _tail_fit(precision, "ERFC", "erfc(a) = exp(-a**2) * t * p(a*t - {mid})", mpf(1))
    yield _inverse_fit(precision)


def _tail_fit(precision: Precision, name: str, what: str, square_factor: mpf) -> Fit:
    """The tail of the normal distribution (square_factor 1/2) or of erfc (1), in s = a*t - mid, t = 1 / (1 + k*a)."""
    k, mid = precision.normal if name == "NORMAL" else precision.erfc
    a_max = tail_end(precision, square_factor)

    # The factor of the square is, by chance, also the factor of erfc: normal_cdf(-a) = erfc(a * sqrt(1/2)) / 2.
    def function(s: mpf) -> mpf:
        a = (s + mid) / (1 - k * (s + mid))
        return square_factor * mp.erfc(a * mp.sqrt(square_factor)) * mp.exp(square_factor * a * a) * (1 + k * a)

    what = what.format(mid=mid) + f", t = 1 / (1 + {k}*a), a <= {float(a_max)}"
    high = a_max / (1 + k * a_max) - mid
    return Fit(name, what, function, lambda s: 1 / function(s), mpf(-mid), high, precision.degree[name])


def _inverse_fit(precision: Precision) -> Fit:
    """erfinv(x) / x in s = w*t - mid, t = 1 / (1 + k*w), w = -log(1 - x**2), up to the last x below 1."""
    k, mid = precision.erfinv
    w_max = mpmath.ceil(16 * (precision.bits - 1) * mp.log(2)) / 16

    def function(s: mpf) -> mpf:
        w = (s + mid) / (1 - k * (s + mid))
        with mp.extradps(40):  # 1 - x loses as many
            x = mp.sqrt(-mp.expm1(-w))
            return mp.sqrt(mp.pi) / 2 if x < mpf(10) ** -30 else mp.erfinv(x) / x

    what = f"erfinv(x) = x * p(w*t - {mid}), t = 1 / (1 + {k}*w), w = -log(1 - x**2) <= {float(w_max)}"
    high = w_max / (1 + k * w_max) - mid
    return Fit("ERFINV", what, function, lambda s: 1 / function(s), mpf(-mid), high, precision.degree["ERFINV"])


@dataclass(frozen=True)
class Pieces:
    """A function to fit in pieces for a from 0 to near: as polynomials in u = a*per_unit - number of the piece.

    Where `derivative` is given, the polynomials' derivatives are near to it, as precisely as they are themselves.
    1 minus the function is 1 from near on; near*per_unit is less than 31.5.
    """

    name: str
    what: str
    near: mpf
    per_unit: mpf
    degree: int
    function: Callable[[mpf], mpf]
    derivative: Callable[[mpf], mpf] | None = None


PIECEWISE = (
    Pieces(
        name="NORMAL",
        what="normal_cdf(-a)",
        near=mpf("5.5"),
        per_unit=mpf("5.6875"),
        degree=7,
        function=lambda a: mp.ncdf(-a),
        derivative=lambda a: -mp.npdf(a),
    ),
    Pieces(
        name="SIGMOID",
        what="sigmoid_cubic(-a, SIGMOID_C1, SIGMOID_C3)",
        near=mpf("5.125"),
        per_unit=mpf("6.125"),
        degree=6,
        function=lambda a: 1 / (1 + mp.exp(C1 * a + C3 * a**3)),
    ),
)


def fit_piece(pieces: Pieces, number: int, precision: Precision) -> tuple[list[mpf], list[mpf]]:
    """(coefficients, lowest first; relative errors of the polynomial and, where it is fitted, of its derivative)."""

    def at(function: Callable[[mpf], mpf]) -> Callable[[mpf], mpf]:
        return lambda u: function((number + u) / pieces.per_unit)

    def fit(function: Callable[[mpf], mpf], degree: int) -> Fit:
        half = mpf(1) / 2
        return Fit(pieces.name, "", function, lambda u: 1 / function(u), -half if number else mpf(0), half, degree)

    whole = fit(at(pieces.function), pieces.degree)
    if pieces.derivative is None:
        coefficients = fit_rounded(whole, precision.bits)
        return coefficients, [error_bound(whole, coefficients)]
    # The integral of a polynomial that is near to the derivative is nearer still to the function.
    derivative = at(pieces.derivative)
    derived = fit(lambda u: derivative(u) / pieces.per_unit, pieces.degree - 1)
    rest = [c / power for power, c in enumerate(fit_rounded(derived, precision.bits, of_integral=True), 1)]
    xs = chebyshev_points(whole.low, whole.high, GRID_POINTS_PER_COEFFICIENT)
    constants_there = [whole.function(u) - u * horner(rest, u) for u in xs]
    (constant,) = minimax(xs, constants_there, [whole.weight(u) for u in xs], 1)
    coefficients = [precision.round(constant), *rest]
    slopes = [power * c for power, c in enumerate(coefficients)][1:]
    return coefficients, [error_bound(whole, coefficients), error_bound(derived, slopes)]


def tail_end(precision: Precision, square_factor: mpf) -> mpf:
    """The multiple of 1/16 where exp(-square_factor * a**2) is 0, even times 64."""
    return mpmath.ceil(16 * mp.sqrt((mp.log(64) - precision.exp_min) / square_factor)) / 16


def constants(precision: Precision) -> dict[str, tuple[mpf, str]]:
    """The scalars: name -> (value, comment)."""
    ln2 = mp.log(2)
    with mp.workprec(precision.bits - precision.exponent_bits):
        ln2_high = +ln2
    rounded = precision.round
    ln2_rest = ln2 - rounded(ln2)
    if abs(ln2_rest) < mpf(2) ** -precision.bits / 20:
        ln2_rest = mpf(0)
    return {
        "LOG2_E": (rounded(1 / ln2), "1 / ln 2"),
        "LN2": (rounded(ln2), "ln 2"),
        "LN2_REST": (rounded(ln2_rest), "ln 2 - LN2; 0 if that is less than a twentieth of LN2's last unit"),
        "LN2_HIGH": (ln2_high, f"ln 2 in {precision.bits - precision.exponent_bits} bits: n times it is exact"),
        "LN2_LOW": (rounded(ln2 - ln2_high), "ln 2 - LN2_HIGH"),
        "EXP_MIN": (precision.exp_min, "exp is 0 from here down"),
        "EXP_MAX": (precision.exp_max, "exp is infinite from here up"),
        "LIFT": (mpf(2) ** 2 ** (precision.exponent_bits - 2), "exp(1.25 * EXP_MIN) * LIFT is a normal number"),
        "EXPM1_TINY": (mpf(2) ** -(precision.bits + 1), "expm1(x) is x below"),
        "NORMAL_PDF_0": (rounded(1 / mp.sqrt(2 * mp.pi)), "normal_pdf(0)"),
        "NORMAL_K": (mpf(precision.normal[0]), "of NORMAL"),
        "NORMAL_MID": (mpf(precision.normal[1]), "of NORMAL"),
        "NORMAL_MAX": (tail_end(precision, mpf(1) / 2), "normal_cdf(-a) and normal_pdf(a) are 0 from here up"),
        "ERFC_K": (mpf(precision.erfc[0]), "of ERFC"),
        "ERFC_MID": (mpf(precision.erfc[1]), "of ERFC"),
        "ERFC_MAX": (tail_end(precision, mpf(1)), "erfc is 0 from here up"),
        "ERFINV_K": (mpf(precision.erfinv[0]), "of ERFINV"),
        "ERFINV_MID": (mpf(precision.erfinv[1]), "of ERFINV"),
    }


Entry = dict[str, Any]  # {"about": a sentence, "value": a number, or a polynomial's, or the polynomials of all pieces}


def render() -> str:
    """The text of coefficients.json."""
    tables = {precision.name: {**_scalars(precision), **_polynomials(precision)} for precision in PRECISIONS}
    tables[f"{PRECISIONS[0].name}_PIECES"] = _pieces(PRECISIONS[0])
    return json.dumps(tables, indent=1) + "\n"


def _scalars(precision: Precision) -> dict[str, Entry]:
    return {name: _entry(about, float(value)) for name, (value, about) in constants(precision).items()}


def _polynomials(precision: Precision) -> dict[str, Entry]:
    entries = {}
    for fit in fits(precision):
        coefficients = fit_rounded(fit, precision.bits)
        error = _short(error_bound(fit, coefficients))
        print(f"{precision.name} {fit.name}: degree {fit.degree}, relative error {error}", file=sys.stderr, flush=True)
        interval = f"[{mp.nstr(fit.low, 6)}, {mp.nstr(fit.high, 6)}]"
        about = f"{fit.what}; degree {fit.degree} on {interval}, relative error {error}"
        entries[fit.name] = _entry(about, _highest_first(coefficients))
    return entries


def _pieces(precision: Precision) -> dict[str, Entry]:
    """The polynomials of `primitives.piecewise`, one for each piece of a tail."""
    gelu = "of GELU in its tanh form"
    entries = {"SIGMOID_C1": _entry(gelu, C1), "SIGMOID_C3": _entry(gelu, C3)}
    for pieces in PIECEWISE:
        fitted = [fit_piece(pieces, number, precision) for number in range(PIECES)]
        worst = [_short(max(errors)) for errors in zip(*(e for _, e in fitted), strict=True)]
        errors = ", its derivative's ".join([f"degree {pieces.degree}, relative error {worst[0]}", *worst[1:]])
        print(f"{precision.name} {pieces.name} in {PIECES} pieces: {errors}", file=sys.stderr, flush=True)
        entries[f"{pieces.name}_NEAR"] = _entry("the end of the last piece", float(pieces.near))
        entries[f"{pieces.name}_PER_UNIT"] = _entry("pieces per unit of a", float(pieces.per_unit))
        about = f"{pieces.what}; {PIECES} pieces, {errors}"
        entries[f"{pieces.name}_PIECES"] = _entry(about, [_highest_first(coefficients) for coefficients, _ in fitted])
    return entries


def _entry(about: str, value: object) -> Entry:
    return {"about": about, "value": value}


def _highest_first(coefficients: list[mpf]) -> list[float]:
    return [float(c) for c in reversed(coefficients)]


def _short(error: mpf) -> str:
    text: str = mp.nstr(error, 2, min_fixed=0, max_fixed=0)
    return text


def main() -> int:
    """Write the coefficients, or check them."""
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0],
        epilog="example: python scripts/fit_coefficients.py --check",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file is not what this makes")
    arguments = parser.parse_args()
    text = render()
    if not arguments.check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET} is out of date: run python scripts/fit_coefficients.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
