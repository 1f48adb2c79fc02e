"""The accurate functions, bound to the NumPy primitives: their error in ULPs, their limits, and their coefficients.

Once as NumPy computes (a muladd rounds twice), once as a machine with fused multiply-add does.
"""

import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import mpmath
import numpy as np
import pytest

from actgrad.backends.formula import accurate, coefficients, cubics, primitives
from actgrad.base import xp
from actgrad.base.xp import bind

pytestmark = pytest.mark.share(16)

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "fit_coefficients.py"

C1 = 2 * math.sqrt(2 / math.pi)  # of GELU in its tanh form
C3 = 0.044715 * C1

# name: largest error in ULPs, with two roundings and fused; interval of the dense samples, a little more than where the
# result is neither 0 nor constant in float32; its scale in float64.
FUNCTIONS = {
    "exp": ((0.9, 0.9), (-105, 90), 7.2),
    "expm1": ((1.8, 1.75), (-18, 90), 7.9),
    "log1p": ((1.5, 1.5), (-1, 4), 1),
    "tanh": ((2.6, 2.6), (-10, 10), 2.1),
    "sigmoid": ((2.4, 2.4), (-105, 17), 7.2),
    "erfc": ((4.0, 3.8), (-4, 10.2), 2.66),
    "erfinv": ((3.7, 3.6), (-1, 1), 1),
    "normal_cdf": ((4.0, 3.8), (-14.4, 6), 2.68),
    "normal_pdf": ((1.6, 1.5), (-14.4, 14.4), 2.68),
    "sigmoid_cubic": ((3.0, 3.0), (-10.5, 5.5), 2),
}
# The same for functions in pieces, by the source of the coefficients: registers or memory.
IN_PIECES = {
    "registers": {"normal_cdf": (3.2, 2.9), "normal_pdf": (2.5, 2.6), "sigmoid_cubic": (1.5, 1.4)},
    "memory": {"normal_cdf": (2.6, 2.7), "normal_pdf": (1.7, 1.7), "sigmoid_cubic": (1.8, 1.9)},
}
IN_PIECES_CASES = [(tables, name) for tables, names in IN_PIECES.items() for name in names]
CASES = [(name, dtype) for dtype in (np.float32, np.float64) for name in FUNCTIONS]


def fused_polynomial(x, powers):
    value = powers[0]
    for coefficient in powers[1:]:
        value = primitives.fma(value, x, coefficient)
    return value


def in_piece(x, end, scale, pieces):
    """(u, coefficients) as in `primitives`, the pieces found by searching."""
    a = np.minimum(np.abs(x), x.dtype.type(end)).astype(np.float64)
    number = np.searchsorted(np.arange(len(pieces) - 1) + 0.5, a * scale)
    number += (a * scale == number + 0.5) & (number % 2 == 1)  # half-way the even one is the nearest
    return (a * scale - number).astype(x.dtype), np.array(pieces, x.dtype)[number].T


def fused_piecewise(x, end, scale, pieces):
    """As primitives.piecewise, value and slope each by itself."""
    u, rows = in_piece(x, end, scale, pieces)
    partial = [rows[0]]
    for row in rows[1:-1]:
        partial.append(primitives.fma(partial[-1], u, row))
    return fused_polynomial(u, rows), fused_polynomial(u, partial)


def fused_piecewise_cubic(x, end, scale, pieces):
    value, *slope = (fused_polynomial(*in_piece(x, end, scale, rows)) for rows in pieces)
    return value, *(slope or [None])


#: By the source of the coefficients: their tables, and `piecewise` with two roundings and fused.
PIECEWISE = {
    "registers": (coefficients.FLOAT32_PIECES, primitives.piecewise, fused_piecewise),
    "memory": (cubics.tables(), primitives.piecewise_cubic, fused_piecewise_cubic),
}


def function(name, dtype, fused=False, tables="", never_positive=False, from_0_to_1=False, short=False):
    """One function of `accurate` for arrays of a dtype."""
    functions = {**primitives.numpy_primitives(dtype), "never_positive": lambda x: never_positive, "SHORT": short}
    functions["is_from_0_to_1"] = lambda x: from_0_to_1
    if fused:
        functions |= {"muladd": primitives.fma, "polynomial": fused_polynomial}
    if tables:
        constants, *piecewise = PIECEWISE[tables]
        functions |= {**constants, "piecewise": piecewise[fused]}
    bound = bind(getattr(accurate, name), {**functions, **getattr(coefficients, np.dtype(dtype).name.upper())})

    def call(x):
        with np.errstate(all="ignore"):
            result = bound(x, C1, C3) if name == "sigmoid_cubic" else bound(x)
        assert result.dtype == dtype
        return result

    return call


def samples(name, dtype):
    """Values of all exponents and both signs, and dense ones where the function varies."""
    info = np.finfo(dtype)
    bits, step, dense = (np.uint32, 12_007, 150_001) if dtype == np.float32 else (np.uint64, 2**64 // 2003, 1501)
    everywhere = (np.arange(2**info.bits // step, dtype=bits) * bits(step)).view(dtype)
    everywhere = everywhere[np.isfinite(everywhere)]
    _, ends, scale = FUNCTIONS[name]
    low, high = (end * (scale if dtype == np.float64 and end != -1 else 1) for end in ends)
    around_0 = np.linspace(-1, 1, dense, dtype=dtype)
    around_half_ln2 = np.linspace(0.33, 0.40, dense // 3, dtype=dtype)  # where n becomes 1, or -1
    values = [everywhere, around_0, np.linspace(low, high, dense, dtype=dtype), edges(dtype)]
    values = np.concatenate([*values, around_half_ln2, -around_half_ln2])
    if name == "erfinv":
        near_1 = 1 - np.exp2(-np.linspace(1, info.nmant + 1, dense // 3)).astype(dtype)
        values = np.concatenate([values, near_1, -near_1])
        return values[np.abs(values) < 1]
    return values[values > -1] if name == "log1p" else values


def edges(dtype):
    """Both sides of the places where the structure changes: clamps, and n going from 0 to 1."""
    table = getattr(coefficients, np.dtype(dtype).name.upper())
    names = ("EXP_MIN", "EXP_MAX", "EXPM1_TINY", "NORMAL_MAX", "ERFC_MAX")
    places = [table[name] for name in names]
    places += [(-table["EXP_MIN"] / C3) ** (1 / 3), math.log(2) / 2, math.sqrt(2) - 1]
    places += [math.log(float(np.finfo(dtype).max))]
    places += [tables[name] for tables, *_ in PIECEWISE.values() for name in ("NORMAL_NEAR", "SIGMOID_NEAR")]
    places = np.array(places, dtype)
    places = np.concatenate([places, np.nextafter(places, dtype(0)), np.nextafter(places, dtype(np.inf))])
    return np.concatenate([places, -places])


def exact(name, x):
    """The function in mpmath."""
    mp = mpmath.mp
    if name != "log1p":
        x = max(-1000, min(x, 1000))  # mpmath takes no larger ones, and all results are constant or overflow there
    if name == "sigmoid":
        return 1 / (1 + mp.exp(-x))
    if name == "normal_cdf":
        return mp.erfc(-x / mp.sqrt(2)) / 2
    if name == "normal_pdf":
        return mp.npdf(x)
    if name == "sigmoid_cubic":
        return 1 / (1 + mp.exp(-(mp.mpf(C1) * x + mp.mpf(C3) * x**3)))
    return getattr(mp, name)(x)


def nearly_exact(name, x):
    """The function in float64, for the float32 values x: some 1e-7 ULPs off."""
    x = x.astype(np.float64)
    erfc = np.vectorize(math.erfc, otypes=[np.float64])
    with np.errstate(all="ignore"):
        if name == "erfc":
            return erfc(x)
        if name == "sigmoid":
            return 1 / (1 + np.exp(-x))
        if name == "erfinv":
            return xp.erfinv(x)  # test_formulas.py compares it with mpmath's
        if name == "normal_cdf":
            return erfc(-x / math.sqrt(2)) / 2
        if name == "normal_pdf":
            return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        if name == "sigmoid_cubic":
            return 1 / (1 + np.exp(-(C1 * x + C3 * x**3)))
        return getattr(np, name)(x)


def largest_error(name, dtype, x, result):
    """(ULPs, x) where the result is worst; an infinity counts as the power of two after the largest number."""
    info = np.finfo(dtype)
    if dtype == np.float32:
        expected = nearly_exact(name, x)
        overflow = math.ldexp(1.0, info.maxexp)
        expected = np.clip(expected, -overflow, overflow)
        got = np.clip(result.astype(np.float64), -overflow, overflow)
        exponents = np.maximum(np.frexp(expected)[1] - 1, info.minexp)
        errors = np.abs(got - expected) / np.ldexp(1.0, exponents - info.nmant)
        worst = int(np.argmax(errors))  # a NaN would be the largest
        return errors[worst], x[worst]
    errors = []
    with mpmath.workprec(200):
        overflow = mpmath.ldexp(1, int(info.maxexp))
        for value, got in zip(x.tolist(), result.tolist(), strict=True):
            assert not math.isnan(got), value
            expected = min(exact(name, mpmath.mpf(value)), overflow)
            exponent = max(mpmath.frexp(expected)[1] - 1, int(info.minexp))
            errors.append(abs(min(mpmath.mpf(got), overflow) - expected) / mpmath.ldexp(1, exponent - info.nmant))
    worst = max(range(len(errors)), key=errors.__getitem__)
    return float(errors[worst]), x[worst]


@pytest.mark.parametrize("fused", [False, True], ids=["two roundings", "fused"])
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_error_in_ulps(name, dtype, fused):
    x = samples(name, dtype)
    error, at = largest_error(name, dtype, x, function(name, dtype, fused)(x))
    assert error <= FUNCTIONS[name][0][fused], f"{error} ULP at {at!r}"


@pytest.mark.parametrize("fused", [False, True], ids=["two roundings", "fused"])
@pytest.mark.parametrize(("tables", "name"), IN_PIECES_CASES)
def test_error_in_pieces(tables, name, fused):
    x = samples(name, np.float32)
    error, at = largest_error(name, np.float32, x, function(name, np.float32, fused, tables)(x))
    assert error <= IN_PIECES[tables][name][fused], f"{error} ULP at {at!r}"


@pytest.mark.parametrize(("tables", "name"), IN_PIECES_CASES)
def test_special_values_in_pieces(tables, name):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 3e38, -3e38], np.float32)
    got, wanted = (function(name, np.float32, tables=p)(x) for p in (tables, ""))
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_limits_and_special_values(name, dtype):
    inf, nan = np.inf, np.nan
    at_zero, low, high = {
        "exp": (1, 0, inf),
        "expm1": (0, -1, inf),
        "log1p": (0, nan, inf),
        "tanh": (0, -1, 1),
        "sigmoid": (0.5, 0, 1),
        "erfc": (1, 2, 0),
        "erfinv": (0, nan, nan),
        "normal_cdf": (0.5, 0, 1),
        "normal_pdf": (dtype(1 / math.sqrt(2 * math.pi)), 0, 0),
        "sigmoid_cubic": (0.5, 0, 1),
    }[name]
    huge = np.finfo(dtype).max
    x = np.array([0.0, -0.0, -huge, -inf, inf, nan], dtype)
    np.testing.assert_array_equal(function(name, dtype)(x), np.array([at_zero, at_zero, low, low, high, nan], dtype))
    if at_zero == 0 and name != "erfinv":  # odd at 0: the sign of zero stays, and so do all bits of a tiny number
        tiny = np.finfo(dtype).smallest_subnormal * np.array([0, 1, 2, 3, 1001], dtype)
        for x in (tiny, -tiny):
            result = function(name, dtype)(x)
            np.testing.assert_array_equal(result, x)
            np.testing.assert_array_equal(np.signbit(result), np.signbit(x))


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_expm1_of_what_is_never_positive(dtype, fused):
    """A shorter way, where that is known, and more exact; signs of zeros and subnormal numbers included."""
    x = samples("expm1", dtype)
    tiny = np.finfo(dtype).smallest_subnormal * np.arange(200, dtype=dtype)
    x = np.concatenate([x[x <= 0], -tiny, np.array([0.0, -0.0, -np.inf, np.nan], dtype)])
    is_tiny = np.abs(x) <= tiny[-1]
    result = function("expm1", dtype, fused, never_positive=True)(x)
    error, at = largest_error("expm1", dtype, x[np.isfinite(x)], result[np.isfinite(x)])
    assert error <= 0.95, f"{error} ULP at {at!r}"
    np.testing.assert_array_equal(result[-2:], [-1, np.nan])
    np.testing.assert_array_equal(result[is_tiny], x[is_tiny])
    np.testing.assert_array_equal(np.signbit(result[is_tiny]), np.signbit(x[is_tiny]))


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_log1p_of_what_is_from_0_to_1(dtype, fused):
    """A shorter way, where that is known; signs of zeros and subnormal numbers included."""
    x = samples("log1p", dtype)
    tiny = np.finfo(dtype).smallest_subnormal * np.arange(200, dtype=dtype)
    x = np.concatenate([x[(x >= 0) & (x <= 1)], tiny, np.array([-0.0, 1.0, np.nan], dtype)])
    result = function("log1p", dtype, fused, from_0_to_1=True)(x)
    error, at = largest_error("log1p", dtype, x[:-1], result[:-1])
    assert error <= (1.1 if fused else 1.4), f"{error} ULP at {at!r}"
    assert np.isnan(result[-1])
    is_tiny = x <= tiny[-1]
    np.testing.assert_array_equal(result[is_tiny], x[is_tiny])


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("name", ["exp", "expm1", "tanh", "sigmoid", "normal_cdf", "normal_pdf", "sigmoid_cubic"])
@pytest.mark.parametrize("half", [np.float16, ml_dtypes.bfloat16], ids=["float16", "bfloat16"])
def test_short_functions_of_all_halves(half, name, fused):
    """Before they are rounded to 16 bits: at most 0.01 units in the last place of 16 bits, so at most 0.51 after it."""
    x = np.arange(1 << 16, dtype=np.uint16).view(half).astype(np.float32)
    x = x[np.isfinite(x) & ((x <= 0) | (name != "expm1"))]
    result = function(name, np.float32, fused, never_positive=name == "expm1", short=True)(x).astype(np.float64)
    expected, info = nearly_exact(name, x), ml_dtypes.finfo(half)
    exponents = np.maximum(np.frexp(expected)[1] - 1, info.minexp)
    with np.errstate(invalid="ignore"):
        errors = np.abs(result - expected) / np.ldexp(1.0, exponents - info.nmant)
    is_finite = np.abs(expected) <= float(info.max)
    worst = int(np.argmax(np.where(is_finite, errors, 0)))
    assert errors[worst] <= 0.01, f"{errors[worst]} ULP at {x[worst]!r}"
    assert (result[~is_finite] > float(info.max)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_log1p_from_minus_1_down(dtype):
    x = np.array([-1, np.nextafter(dtype(-1), dtype(-2)), -2], dtype)
    np.testing.assert_array_equal(function("log1p", dtype)(x), np.array([-np.inf, np.nan, np.nan], dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_erfinv_at_zero_and_from_1_up(dtype):
    x = np.array([0.0, -0.0, 1, -1, np.nextafter(dtype(1), dtype(2)), -2], dtype)
    result = function("erfinv", dtype)(x)
    np.testing.assert_array_equal(result, np.array([0, 0, np.inf, -np.inf, np.nan, np.nan], dtype))
    np.testing.assert_array_equal(np.signbit(result[:2]), [False, True])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sigmoid_cubic_with_other_constants(dtype):
    for c1, c3 in ((1.0, 1e-3), (0.01, 0.5), (3.3, 0.2), (1.0, 1e-6), (1.0, 1e-20), (1e-20, 1.0), (0.9, 7e-5)):
        bound = bind(
            accurate.sigmoid_cubic,
            {**primitives.numpy_primitives(dtype), **getattr(coefficients, np.dtype(dtype).name.upper())},
        )
        x = np.concatenate(
            [np.linspace(-6, 6, 301), np.outer([-1, 1], [20, 60, 87, 103, 200, 1e3, 1e6, 1e9, np.inf]).flat]
        )
        x = x.astype(dtype)
        with np.errstate(over="ignore", under="ignore"):
            expected = 1 / (1 + np.exp(-(c1 * x.astype(np.longdouble) + c3 * x.astype(np.longdouble) ** 3)))
            expected = expected.astype(dtype)
        info = np.finfo(dtype)
        np.testing.assert_allclose(bound(x, c1, c3), expected, rtol=4 * info.eps, atol=info.smallest_subnormal)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fma_rounds_once(dtype):
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(2000).astype(dtype) for _ in range(2))
    c = -(a * b) * rng.choice(np.array([1, 1.5, 2**20, 2**-20, 2**-40], dtype), 2000)
    for x, y, z, got in zip(a.tolist(), b.tolist(), c.tolist(), primitives.fma(a, b, c), strict=True):
        total = Fraction(x) * Fraction(y) + Fraction(z)
        error = abs(Fraction(float(got)) - total)
        for neighbour in (np.nextafter(got, dtype(-np.inf)), np.nextafter(got, dtype(np.inf))):
            assert error <= abs(Fraction(float(neighbour)) - total)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_of_two(dtype):
    info = np.finfo(dtype)
    x = np.array([info.tiny, 0.7, math.sqrt(0.5), 1, 1.4, 1.5, 2, 3e30, info.max], dtype)
    m, n = primitives.split_power_of_two(x)
    assert m.dtype == n.dtype == dtype
    assert all(0.5 <= Fraction(v) ** 2 < 2 for v in m.tolist())
    np.testing.assert_array_equal(primitives.scale_by_power_of_two(m, n), x)
    smallest = info.minexp - info.nmant
    cases = [  # x, n, expected
        (0.75, info.maxexp, 0.75 * 2.0 ** (info.maxexp - 1) * 2),
        (1.0, smallest - 1, 0),
        (1.5, smallest - 1, info.smallest_subnormal),
        (1.0, -30_000, 0),
        (1.0, 30_000, np.inf),
        (np.nan, np.nan, np.nan),
    ]
    x, n, expected = np.array(cases, dtype).T
    np.testing.assert_array_equal(primitives.scale_by_power_of_two(x, n), expected)


@pytest.mark.parametrize("c", [0.1, math.pi, 1.0])
def test_leading_and_trailing(c):
    leading, trailing = (primitives.numpy_primitives(np.float32)[name](c) for name in ("leading", "trailing"))
    assert leading == np.float32(c)
    assert abs(leading + trailing - c) <= 2**-49 * c
    assert (primitives.leading(c), primitives.trailing(c)) == (c, 0.0)


@pytest.mark.slow  # half a minute: fits all polynomials anew
def test_coefficients_are_what_the_script_makes():
    result = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_difference_of_large_numbers_keeps_its_digits(dtype):
    """exp(x - y) of numbers whose difference is not a number of the dtype; rounding it costs up to 64 ULP."""
    rng, end = np.random.default_rng(11), 80 if dtype == np.float32 else 600
    y = (rng.uniform(-1000, 1000, 4000)).astype(dtype)
    x = (y.astype(np.longdouble) - rng.uniform(-end, end, 4000)).astype(dtype)
    constants = coefficients.FLOAT32 if dtype == np.float32 else coefficients.FLOAT64
    function = bind(accurate.exp_difference, {**primitives.numpy_primitives(dtype), **constants})
    exact = np.exp(x.astype(np.longdouble) - y.astype(np.longdouble))
    errors = np.abs(function(x, y) - exact) / np.spacing(exact.astype(dtype))
    assert errors.max() <= 1.2
    assert (np.abs(np.exp(x - y) - exact) / np.spacing(exact.astype(dtype))).max() > 10
    with np.errstate(all="ignore"):
        pairs = [(np.inf, 1), (-np.inf, 1), (3e38, -3e38), (-3e38, 3e38), (np.nan, 1), (1, -np.inf)]
        ends = function(*np.array(pairs, dtype).T)
    np.testing.assert_array_equal(ends, [np.inf, 0, np.inf, 0, np.nan, np.inf])
