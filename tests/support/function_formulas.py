"""A formula for each function of `actgrad.backends.formula.accurate`, so that tests can compile it alone."""

from actgrad.base.xp import (
    erfc,
    erfinv,
    exp,
    expm1,
    log1p,
    normal_cdf,
    normal_pdf,
    rsqrt,
    sigmoid,
    sigmoid_cubic,
    sqrt,
    tanh,
)

C1 = 1.5957691216057308
C3 = 0.044715 * C1


def of_exp(x):
    return exp(x)


def of_expm1(x):
    return expm1(x)


def of_log1p(x):
    return log1p(x)


def of_tanh(x):
    return tanh(x)


def of_sqrt(x):
    return sqrt(x)


def of_rsqrt(x):
    return rsqrt(x)


def of_sqrt_of_attribute(x, alpha):
    return x * sqrt(alpha)


def of_sigmoid(x):
    return sigmoid(x)


def of_erfc(x):
    return erfc(x)


def of_erfinv(x):
    return erfinv(x)


def of_normal_cdf(x):
    return normal_cdf(x)


def of_normal_cdf_of_attribute(x, alpha):
    return x * normal_cdf(alpha)


def of_expm1_of_attribute(x, alpha):
    return x * expm1(alpha)


def of_nearly_linear_sigmoid(x):
    return sigmoid_cubic(x, 1.0, 1e-6)


def of_normal_cdf_of_two_numbers(x):
    return normal_cdf(x) * normal_cdf(0.5 * x)


def of_normal_pdf(x):
    return normal_pdf(x)


def of_sigmoid_cubic(x):
    return sigmoid_cubic(x, C1, C3)
