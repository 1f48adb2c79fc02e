"""exp, tanh, erfc, ... to a few units in the last place, written once for all backends and both compute dtypes.

These functions use only the names of `primitives` and the constants of `coefficients`. A backend binds all of these
names: `bind(exp, {**primitives, **coefficients.FLOAT32})`. Unbound, the functions compute in float64 on NumPy arrays.
tests/formula/test_accurate.py bounds their errors, for machines with and without fma.

Literals in the code are powers of two or small integers, so they are exact in every dtype.
"""

from math import inf, nan

from .coefficients import FLOAT32, FLOAT64
from .primitives import (
    abs,
    copysign,
    fma,
    from_0_to_1,
    is_from_0_to_1,
    leading,
    maximum,
    minimum,
    muladd,
    never_positive,
    piecewise,
    polynomial,
    power_of_two,
    reciprocal,
    rounded_product,
    scale_by_power_of_two,
    split_power_of_two,
    sqrt,
    trailing,
    where,
    where_rare,
)

LOG2_E, LN2_HIGH, LN2_LOW = FLOAT64["LOG2_E"], FLOAT64["LN2_HIGH"], FLOAT64["LN2_LOW"]
LN2, LN2_REST = FLOAT64["LN2"], FLOAT64["LN2_REST"]
EXP, EXP_MIN, EXP_MAX, LIFT = (FLOAT64[name] for name in ("EXP", "EXP_MIN", "EXP_MAX", "LIFT"))
EXPM1, EXPM1_TO_0, EXPM1_TINY = (FLOAT64[name] for name in ("EXPM1", "EXPM1_TO_0", "EXPM1_TINY"))
LOG1P, LOG1P_TO_1 = FLOAT64["LOG1P"], FLOAT64["LOG1P_TO_1"]
NORMAL, NORMAL_K, NORMAL_MID, NORMAL_MAX = (FLOAT64["NORMAL" + part] for part in ("", "_K", "_MID", "_MAX"))
ERFC, ERFC_K, ERFC_MID, ERFC_MAX = (FLOAT64["ERFC" + part] for part in ("", "_K", "_MID", "_MAX"))
ERFINV, ERFINV_K, ERFINV_MID = (FLOAT64["ERFINV" + part] for part in ("", "_K", "_MID"))
NORMAL_PDF_0 = FLOAT64["NORMAL_PDF_0"]
NORMAL_PIECES, SIGMOID_PIECES = (), ()  # backends with tables bind these names; see tracing.functions
NORMAL_NEAR, NORMAL_PER_UNIT, SIGMOID_NEAR, SIGMOID_PER_UNIT, SIGMOID_C1, SIGMOID_C3 = 6 * (nan,)
SHORT = False  # backends bind it to True for results of 16 bits, so that exp takes fewer instructions
EXP2 = FLOAT32["EXP2"]  # used with SHORT
EXPM1_MIN = -64.0  # at and below this x, expm1 is -1
SPLIT = 1.5 * 2.0**36  # adding and then subtracting SPLIT rounds a Python float to a multiple of 2**-16


def conjugate(x):
    """x, because x is real here; only the reference backend computes complex numbers."""
    return x


def exp(x):
    """exp(x) = 2**n * exp(r), where n = round(x / ln 2) and r = x - n ln 2."""
    x_within = minimum(maximum(x, EXP_MIN), EXP_MAX)  # outside, exp is 0 or infinity; a finite n keeps r from being NaN
    r, n = _reduce_exactly(x_within)
    result = scale_by_power_of_two(_exp_polynomial(r), n)
    return from_0_to_1(result) if never_positive(x) else result


def exp_difference(x, y):
    """exp(x - y). The exponent includes the rounding error of x - y (Knuth's exact sum)."""
    high = x - y
    if SHORT:  # for results of 16 bits, a rounded difference is precise enough
        return exp(high)
    back = high - x
    low = (x - (high - back)) - (y + back)
    within = minimum(maximum(high, EXP_MIN), EXP_MAX)
    r, n = _reduce(within, where(within == high, low, 0.0))
    return scale_by_power_of_two(_exp_polynomial(r), n)


def exp_times(x, factor):
    """exp(x) * factor, for |factor| <= 2**60. A subnormal exp(x) keeps full precision."""
    r, n = _reduce(minimum(maximum(x, 1.25 * EXP_MIN), EXP_MAX), None)
    return scale_by_power_of_two(_exp_polynomial(r) * factor, n)


def expm1(x):
    """expm1(x) = (2**n - 1) + 2**n * expm1(r), with n and r as in exp.

    expm1(r) is rounded before the sum with 2**n - 1. The other order has larger errors below 0, where ELU needs expm1;
    for n = 1 its error is half a unit smaller.
    """
    if never_positive(x):
        return _expm1_to_0(maximum(x, EXPM1_MIN))
    x_within = minimum(maximum(x, EXPM1_MIN), EXP_MAX)
    n = rounded_product(x_within, LOG2_E)
    r_high, minus_r_low = muladd(n, -LN2_HIGH, x_within), n * LN2_LOW
    r = r_high - minus_r_low
    e = r_high - muladd(-(r * r), polynomial(r, EXPM1), minus_r_low)  # r_high is exact, minus_r_low is small
    half = power_of_two(0.5, n)  # 2**n may overflow although the result does not
    result = muladd(e, half, half - 0.5)
    return where(abs(x) < EXPM1_TINY, x, result + result)  # the sign of zero and all bits of a subnormal stay


def log1p(x):
    """log1p(x) = n ln 2 + log(1 + f), where 1 + x = 2**n * (1 + f).

    The rounded sum 1 + x gives only the exponent n. f is computed from x and is exact for small x.
    """
    if is_from_0_to_1(x):
        return muladd(x * x, polynomial(x, LOG1P_TO_1), x)
    _, n = split_power_of_two(1.0 + x)
    result = _log(scale_by_power_of_two(x, -n) + (scale_by_power_of_two(1.0, -n) - 1.0), n)
    result = where(x > -1.0, copysign(result, x), -inf)
    return where(x < -1.0, nan, where(x < inf, result, x))


def tanh(x):
    """tanh(|x|) = -e / (2 + e), where e = expm1(-2|x|): nothing overflows or cancels."""
    e = _expm1_to_0(maximum(-2.0 * abs(x), EXPM1_MIN))
    return copysign(e / (2.0 + e), x)


def rsqrt(x):
    """1 / sqrt(x). Both operations are rounded correctly, so results have the same bits on all machines."""
    return 1.0 / sqrt(x)


def sigmoid(x):
    """The logistic function, 1 / (1 + exp(-x))."""
    return sigmoid_times(x, 1.0)


def sigmoid_times(x, factor):
    """sigmoid(x) * factor, for x > 0 or |factor| <= 2**60. A subnormal sigmoid(x) keeps full precision.

    With e = exp(-|x|), sigmoid(x) is 1 / (1 + e) for x > 0 and e / (1 + e) for x < 0.
    """
    r, n = _reduce(maximum(-abs(x), 1.25 * EXP_MIN), None)  # at the limit, e is 0, even times the largest factor
    lifted = _exp_polynomial(r) * power_of_two(LIFT, n)  # e * LIFT is normal, although e may be subnormal
    scaled = reciprocal(muladd(lifted, 1.0 / LIFT, 1.0)) * factor
    return where(x > 0.0, scaled, lifted * scaled * (1.0 / LIFT))


def normal_pdf(x):
    """The density of the standard normal distribution at x."""
    return normal_pdf_times(x, 1.0)


def normal_pdf_times(x, factor):
    """normal_pdf(x) * factor, for |factor| <= 64. A subnormal density keeps full precision."""
    if NORMAL_PIECES:
        _, slope = piecewise(x, NORMAL_NEAR, NORMAL_PER_UNIT, NORMAL_PIECES)
        near = slope * (-NORMAL_PER_UNIT * factor)
        return where_rare(abs(x) > NORMAL_NEAR, _normal_pdf_times_by_exp, (x, factor), near)
    return _normal_pdf_times_by_exp(x, factor)


def _normal_pdf_times_by_exp(x, factor):
    a = minimum(abs(x), NORMAL_MAX)
    return _times_exp_product(NORMAL_PDF_0 * factor, -0.5 * a, a)


def normal_cdf(x):
    """The distribution function of the standard normal distribution at x."""
    return normal_cdf_times(x, 1.0)


def normal_cdf_times(x, factor):
    """normal_cdf(x) * factor, for x > 0 or |factor| <= 64. A subnormal normal_cdf(x) keeps full precision."""
    if NORMAL_PIECES:
        near = _near_0(x, NORMAL_NEAR, NORMAL_PER_UNIT, NORMAL_PIECES) * factor
        return where_rare(x < -NORMAL_NEAR, _normal_cdf_times_by_exp, (x, factor), near)
    return _normal_cdf_times_by_exp(x, factor)


def _normal_cdf_times_by_exp(x, factor):
    a = minimum(abs(x), NORMAL_MAX)
    # normal_cdf(-a) * exp(a**2 / 2) = t * NORMAL(a*t - MID). NORMAL is nearly constant. At small a, where precision
    # matters, a*t is more precise than t.
    t = reciprocal(muladd(a, NORMAL_K, 1.0))
    scaled = t * polynomial(fma(a, t, -NORMAL_MID), NORMAL)
    is_positive = x > 0.0
    tail = _times_exp_product(where(is_positive, scaled, scaled * factor), -0.5 * a, a)
    return where(is_positive, (1.0 - tail) * factor, tail)


def _near_0(x, end, per_unit, pieces):
    """f(x) for x >= -end, from the pieces of its tail f(-a). f(x) = 1 - f(-x), and f(x) = 1 beyond `end`."""
    tail, _ = piecewise(x, end, per_unit, pieces)
    return where(x > 0.0, 1.0 - tail, tail)


def erfc(x):
    """The complementary error function, 2 * normal_cdf(-sqrt(2) * x), with a separate fit instead of a scaled x."""
    a = minimum(abs(x), ERFC_MAX)
    t = reciprocal(muladd(a, ERFC_K, 1.0))
    scaled = t * polynomial(fma(a, t, -ERFC_MID), ERFC)
    tail = _times_exp_product(scaled, -a, a)
    return where(x < 0.0, 2.0 - tail, tail)


def erfinv(x):
    """The inverse error function, x * ERFINV(w / (1 + K*w) - MID) with w = -log(1 - x**2).

    erfinv(x) / x changes slowly with w: a quarter of the error of w reaches the result, and w = 0 need not be exact.
    """
    a = abs(x)
    m, n = split_power_of_two((1.0 - a) * (1.0 + a))
    w = -_log(m - 1.0, n)
    y = x * polynomial(fma(w, reciprocal(muladd(w, ERFINV_K, 1.0)), -ERFINV_MID), ERFINV)
    return where(a < 1.0, y, where(a > 1.0, nan, x * inf))


def sigmoid_cubic(x, c1, c3):
    """The logistic function of c1*x + c3*x**3, for Python floats c1 > 0 and c3 > 0."""
    return sigmoid_cubic_times(x, c1, c3, 1.0)


def sigmoid_cubic_times(x, c1, c3, factor):
    """sigmoid_cubic(x, c1, c3) * factor. A subnormal sigmoid_cubic keeps full precision."""
    if SIGMOID_PIECES and (c1, c3) == (SIGMOID_C1, SIGMOID_C3):
        near = _near_0(x, SIGMOID_NEAR, SIGMOID_PER_UNIT, SIGMOID_PIECES) * factor
        return where_rare(x < -SIGMOID_NEAR, _sigmoid_cubic_times_by_exp, (x, c1, c3, factor), near)
    return _sigmoid_cubic_times_by_exp(x, c1, c3, factor)


def _sigmoid_cubic_times_by_exp(x, c1, c3, factor):
    """sigmoid_cubic_times for any x, c1 and c3, without tables.

    With z = c1*x + c3*x**3 and e = exp(-|z|), sigmoid(z) is 1 / (1 + e) for z > 0 and e / (1 + e) for z < 0. An
    absolute error of |z| is a relative error of the tail, and |z| may be above 100. So the code keeps |z| as a sum,
    high + low.
    """
    # At the largest a, |z| is 0.98 to 1.18 times `end`. For larger |z|, e is 0 even times 64. For smaller |z|, nothing
    # overflows.
    end = -1.25 * EXP_MIN
    a = minimum(abs(x), ((c3 / end) ** (2.0 / 3.0) + (c1 / end) ** 2.0) ** -0.5)
    square = a * a
    square_low = fma(a, a, -square)
    # p = c1 + c3 * a**2. c1_short has fewer bits than c1, so p - c1_short is exact, and one more fma gives the error of
    # p.
    c1_short = (c1 + SPLIT) - SPLIT
    p = fma(square, leading(c3), c1_short)
    p_low = muladd(square, trailing(c3), c1 - c1_short)
    p_low = muladd(square_low, leading(c3), p_low) + fma(square, leading(c3), c1_short - p)
    high = -a * p
    low = muladd(-a, p_low, fma(-a, p, -high))
    r, n = _reduce(high, low)
    power = _exp_polynomial(r)
    q = reciprocal(1.0 + scale_by_power_of_two(power, n))
    scaled = q * factor
    return where(x > 0.0, scaled, scale_by_power_of_two(power * scaled, n))


def _log(f, n):
    """n ln 2 + log(1 + f), for 1 + f from sqrt(1/2) to sqrt(2).

    With s = f / (2 + f), log(1 + f) = 2 atanh(s) = f - s*f + s**3 * LOG1P(s**2), where 2 s = f - s*f, and
    s*f = f**2/2 - s*f**2/2.
    """
    s = f / (2.0 + f)
    z = s * s
    half_square = 0.5 * f * f
    rest = s * muladd(z, polynomial(z, LOG1P), half_square)
    return muladd(n, LN2_HIGH, f - (half_square - muladd(n, LN2_LOW, rest)))


def _times_exp_product(factor, a, b):
    """factor * exp(a*b), corrected for the rounding error of a*b, for a*b in the range of exp."""
    high = a * b
    r, n = _reduce(high, fma(a, b, -high))
    if SHORT:
        return scale_by_power_of_two(_exp_polynomial(r) * factor, n)
    q = r * muladd(polynomial(r, EXP), r, 1.0)
    return scale_by_power_of_two(muladd(q, factor, factor), n)  # exp(r) = 1 + q would be rounded once more


def _reduce(high, low):
    """(r, n) with high + low = n ln 2 + r, for high in the range of exp and a small low. A low of None means 0.

    With SHORT, (high + low) / ln 2 = n + r.
    """
    if SHORT:
        r, n = _reduce_exactly(high)
        return r if low is None else muladd(low, LOG2_E, r), n
    n = rounded_product(high, LOG2_E)
    return muladd(n, -LN2_HIGH, high) + muladd(n, -LN2_LOW, 0.0 if low is None else low), n


def _reduce_exactly(x):
    """(r, n) with x = n ln 2 + r, for x in the range of exp. With SHORT, x / ln 2 = n + r."""
    n = rounded_product(x, LOG2_E)
    if SHORT:
        return muladd(x, LOG2_E, -n), n
    return muladd(n, -LN2_LOW, muladd(n, -LN2_HIGH, x)), n  # LN2_HIGH ends in zero bits, so its product with n is exact


def _exp_polynomial(r):
    """exp(r), for |r| <= ln 2 / 2. With SHORT, 2**r for |r| <= 1/2."""
    if SHORT:
        return muladd(polynomial(r, EXP2), r, 1.0)
    return fma(fma(polynomial(r, EXP), r, 1.0), r, 1.0)


def _expm1_to_0(x):
    """expm1(x) for x from EXPM1_MIN to 0. The sign of zero stays."""
    if SHORT:
        r, n = _reduce_exactly(x)
        e = r * polynomial(r, EXP2)
    else:
        n = rounded_product(x, LOG2_E)
        r = muladd(n, -LN2, x)
        minus_r_low = n * LN2_REST if LN2_REST else 0.0
        e = r - muladd(-(r * r), polynomial(r, EXPM1_TO_0), minus_r_low)  # an r of -0.0 stays -0.0
    power = power_of_two(1.0, n)  # n is so small that n times the rounding error of LN2 is negligible
    return muladd(e, power, -(1.0 - power))
