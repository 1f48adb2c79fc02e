"""The primitives of `accurate`, defined in NumPy.

Every backend binds these names to its own functions: vector instructions, Triton operations. The functions here are the
definition: tests run `accurate` on them, and every primitive of a backend matches them bit for bit. Exceptions are
`muladd`, which may round once or twice, `rounded_product` and `reciprocal`. Any argument may be a Python float, which
is rounded to the compute dtype. No primitive may trap, for any arguments.

Backends with tables have `piecewise` and `where_rare`; other backends compute an exp. The tables of a backend decide
whether `accurate` calls `piecewise` or `piecewise_cubic`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

abs, copysign, sqrt, where = np.abs, np.copysign, np.sqrt, np.where
minimum, maximum = np.minimum, np.maximum  # if either argument is NaN, so is the result


def muladd(a, b, c):
    """a*b + c, fused on machines that fuse. Here it rounds twice."""
    return a * b + c


def fma(a, b, c):
    """a*b + c with one rounding on every machine. In float64, a*b and its error must not overflow or underflow."""
    dtype = np.result_type(a, b, c)
    a, b, c = (np.asarray(v, np.float64) for v in (a, b, c))
    if dtype == np.float32:
        return _add_rounding_to_odd(a * b, c).astype(dtype)  # the product of two float32 is exact in float64
    # Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.
    high, low = _two_product(a, b)
    tail, dropped = _two_sum(c, low)
    total, rest = _two_sum(high, tail)
    fused, plain = total + _add_rounding_to_odd(dropped, rest), a * b + c
    return np.where(np.isfinite(fused) & (fused != 0), fused, plain)  # plain has the sign of a zero


def polynomial(x, coefficients):
    """The polynomial at x by Horner's rule, with one `muladd` per step.

    The coefficient of the highest power comes first.
    """
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = muladd(value, x, coefficient)
    return value


def piecewise(x, end, scale, pieces):
    """(value, slope in u) at u = scale*a - n of the polynomial of piece n, where a = min(|x|, end); float32 only.

    n is the integer nearest to scale*a, from 0 to 31. Only u is rounded, and scale*a is not.
    """
    u, (slope, second, *higher) = _in_piece(x, end, scale, pieces)
    value = muladd(slope, u, second)
    for coefficient in higher:
        slope, value = muladd(slope, u, value), muladd(value, u, coefficient)
    return value, slope


def piecewise_cubic(x, end, scale, pieces):
    """(value, slope) with any number of pieces.

    `pieces` has cubics of the value, and also of the slope if there is a slope.
    """
    value, *slope = (polynomial(*_in_piece(x, end, scale, cubics)) for cubics in pieces)
    return value, *(slope or [None])


def _in_piece(x, end, scale, rows):
    """(u, coefficients) of the piece that contains min(|x|, end)."""
    a = minimum(abs(x), np.asarray(x).dtype.type(end))
    n = np.rint(a * np.float64(scale))  # the product is exact
    coefficients = np.array(rows, np.float32)[np.where(np.isnan(n), 0, n).astype(int)]
    return fma(a, scale, -n.astype(a.dtype)), tuple(np.moveaxis(coefficients, -1, 0))


def never_positive(x):
    """Whether x is known to have no positive elements (NaN is allowed). False if nothing is known about x."""
    return False


def from_0_to_1(x):
    """x. The caller promises that all lanes are from 0 to 1, or NaN."""
    return x


def is_from_0_to_1(x):
    """Whether x is known to be a result of `from_0_to_1`."""
    return False


def reciprocal(x):
    """1 / x for x from 1 to 16. An approximation may have an error slightly above half a unit in the last place."""
    return 1.0 / x


def rounded_product(x, factor):
    """The integer nearest to x * factor, as a float, for |x * factor| < 2**21. At a tie, either neighbour.

    The product may be rounded before. A zero is positive.
    """
    return np.rint(x * factor) + 0.0


def power_of_two(factor, n):
    """factor * 2**n for an integral float n and a power of two as the factor. The result must be a normal number."""
    return scale_by_power_of_two(factor, n)


def scale_by_power_of_two(x, n):
    """x * 2**n for an integral float n of any size: rounded once if subnormal, infinity on overflow."""
    n = np.asarray(n)
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(np.asarray(x, n.dtype), np.clip(np.nan_to_num(n), -5000, 5000).astype(np.int32))


def where_rare(condition, function, arguments, otherwise):
    """where(condition, function(*arguments), otherwise).

    A backend skips the function if the condition holds nowhere.
    """
    return where(condition, function(*arguments), otherwise) if np.any(condition) else otherwise


def split_power_of_two(x):
    """(m, n) with x = m * 2**n and m in [sqrt(1/2), sqrt(2)), for normal x > 0; any pair for other x."""
    m, n = np.frexp(x)
    low = m < np.sqrt(0.5)
    return np.where(low, m * 2, m), (n - low).astype(m.dtype)


def leading(c, dtype=np.float64):
    """The Python float c rounded to the compute dtype."""
    return float(np.dtype(dtype).type(c))


def trailing(c, dtype=np.float64):
    """c - leading(c), rounded to the compute dtype; 0.0 in float64."""
    return leading(c - leading(c, dtype), dtype)


def numpy_primitives(dtype) -> dict[str, Callable[..., Any]]:
    """The primitives by name, for arrays of this compute dtype. The caller binds functions of `accurate` to them."""
    of_dtype = {"leading": partial(leading, dtype=dtype), "trailing": partial(trailing, dtype=dtype)}
    return {name: globals()[name] for name in NAMES} | of_dtype


NAMES = (
    "abs", "copysign", "fma", "from_0_to_1", "is_from_0_to_1", "leading", "maximum", "minimum", "muladd",
    "never_positive", "piecewise", "polynomial", "power_of_two", "reciprocal", "rounded_product",
    "scale_by_power_of_two", "split_power_of_two", "sqrt", "trailing", "where", "where_rare",
)  # fmt: skip


def _two_sum(a, b):
    """(s, e): s = a + b rounded, and its error e, so that s + e = a + b exactly."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


def _two_product(a, b):
    """(p, e): p = a * b rounded, and its error e (Dekker: products of 26-bit halves are exact)."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    product = a * b
    return product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _halves(x):
    """Two numbers of 26 bits whose sum is x (Veltkamp)."""
    shifted = x * 134217729.0  # 2**27 + 1
    high = shifted - (shifted - x)
    return high, x - high


def _add_rounding_to_odd(a, b):
    """a + b rounded to odd: an inexact sum becomes the neighbour with an odd last bit.

    Then a second rounding gives the right result.
    """
    total, error = _two_sum(a, b)
    inexact_and_even = np.isfinite(error) & (error != 0) & (total.view(np.int64) & 1 == 0)
    return np.where(inexact_and_even, np.nextafter(total, np.copysign(np.inf, error)), total)
