"""The functions a formula may call, with NumPy's meaning. `bind` gives a formula the functions of another backend.

A formula is ordinary NumPy code, written once. Every other backend runs the same code object with these names bound
to its own functions, so that one definition means the same thing everywhere. The NumPy meaning is the standard that
the others are held to: plain, in whatever precision the array has (float64 or longdouble).
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from .errors import ActgradError, InvalidOperator, did_you_mean, kind_of

where, abs, minimum, maximum, conjugate = np.where, np.abs, np.minimum, np.maximum, np.conjugate
exp, expm1, log1p, tanh, sqrt = np.exp, np.expm1, np.log1p, np.tanh, np.sqrt


_SERIES_END = 2.5  # a power series below, a continued fraction above
_SERIES_TERMS = 60
_FRACTION_TERMS = 160
_HALLEY_STEPS = 4
_TINY = 1e-10  # below it the inverse error function is a line
FAR = 100.0  # the normal density is 0 from here on, in every dtype. Slopes would have infinity * 0 without this limit.
SATURATED = 1e9  # the slope of a logistic function of the cube is 0 from here on
MINUS_2_BY_ROOT_PI, HALF_ROOT_PI = -2 / math.sqrt(math.pi), math.sqrt(math.pi) / 2


def rsqrt(x):
    """1 / sqrt(x): infinity at 0, NaN below."""
    return 1 / sqrt(x)


def normal_pdf(x):
    """The density of the standard normal distribution at x."""
    return _exp_of_square(x, -0.5) / np.sqrt(2 * _pi_like(x))


def normal_cdf(x):
    """The distribution function of the standard normal distribution at x."""
    tail = normal_pdf(x) * _mills_ratio(np.abs(x))
    return np.where(x > 0, 1 - tail, tail)


def erfc(x):
    """The complementary error function, 1 - erf(x)."""
    tail = _exp_of_square(x, -1.0) * np.sqrt(2 / _pi_like(x)) * _mills_ratio(np.abs(x) * np.sqrt(_like(2, x)))
    return np.where(x > 0, tail, 2 - tail)


def erfinv(x):
    """The inverse error function: +-infinity at +-1, NaN beyond."""
    a = np.abs(x)
    inside = np.where(a < 1, a, _like(0, x))
    with np.errstate(all="ignore"):
        log = -np.log((1 - inside) * (1 + inside))
        rough = 2 / (np.pi * 0.147) - log / 2  # Winitzki, A handy approximation for the error function, 2008
        y = np.sqrt(np.sqrt(rough * rough + log / 0.147) - rough)
        for _ in range(_HALLEY_STEPS):
            slope = _exp_of_square(y, -1.0) * 2 / np.sqrt(_pi_like(x))
            step = np.where(inside < 0.5, _erf(y) - inside, (1 - inside) - erfc(y)) / slope
            y = y - step / (1 + y * step)
        y = np.where(inside < _TINY, inside * (np.sqrt(_pi_like(x)) / 2), y)
        return np.copysign(np.where(a < 1, y, np.where(a == 1, np.inf, np.nan)), x)


def sigmoid(x):
    """The logistic function, 1 / (1 + exp(-x)), of real and of complex numbers."""
    if np.iscomplexobj(x):
        return 1 / (1 + np.exp(-x))
    e = np.exp(-np.abs(x))
    return np.where(x > 0, 1 / (1 + e), e / (1 + e))


def exp_difference(x, y):
    """exp(x - y). A backend keeps the digits that x - y would lose."""
    return exp(x - y)


def sigmoid_cubic(x, c1, c3):
    """The logistic function of c1*x + c3*x**3 (both at least 0). The tanh form of GELU is x times it."""
    with np.errstate(over="ignore"):
        z = x * (c1 + c3 * x * x)
    return sigmoid(z)


def _times(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function (..., factor): `function(...) * factor`."""
    return lambda *arguments: function(*arguments[:-1]) * arguments[-1]


# A backend has its own form of these, which loses no digits where the function without the factor is subnormal.
exp_times, sigmoid_times, normal_pdf_times = _times(exp), _times(sigmoid), _times(normal_pdf)
normal_cdf_times, sigmoid_cubic_times = _times(normal_cdf), _times(sigmoid_cubic)


def _like(value: Any, x: Any) -> Any:
    return np.asarray(x).dtype.type(value)


def _pi_like(x: Any) -> Any:
    """Pi in the precision of x."""
    return 4 * np.arctan(_like(1, x))


def _exp_of_square(x: Any, factor: float) -> Any:
    """exp(factor * x**2), the square's rounding error included: it would be magnified by the size of the exponent."""
    with np.errstate(over="ignore", invalid="ignore"):
        x = np.minimum(np.abs(x), _like(200, x))
        high = np.asarray(x, np.float32).astype(np.asarray(x).dtype)  # few enough bits for an exact square
        return np.exp(factor * (high * high)) * np.exp(factor * ((x - high) * (x + high)))


def _mills_ratio(a: Any) -> Any:
    """(1 - normal_cdf(a)) / normal_pdf(a) for a >= 0.

    Abramowitz and Stegun, Handbook of Mathematical Functions: 26.2.11 (series) and 26.2.14 (continued fraction).
    """
    small = np.minimum(a, _like(_SERIES_END, a))
    near = np.sqrt(_pi_like(a) / 2) / _exp_of_square(small, -0.5) - _series(small)
    large = np.maximum(a, _like(_SERIES_END, a))
    fraction = large
    for n in range(_FRACTION_TERMS, 0, -1):
        fraction = large + n / fraction
    return np.where(a < _SERIES_END, near, 1 / fraction)


def _series(a: Any) -> Any:
    """(normal_cdf(a) - 1/2) / normal_pdf(a) for a from 0 to _SERIES_END."""
    term = total = a
    for n in range(1, _SERIES_TERMS):
        term = term * a * a / (2 * n + 1)
        total = total + term
    return total


def _erf(y: Any) -> Any:
    """The error function, for y from 0 to 1."""
    a = np.minimum(y, _like(1, y)) * np.sqrt(_like(2, y))
    return 2 * normal_pdf(a) * _series(a)


def erfc_slope(y, x):
    """-2 / sqrt(pi) * exp(-x * x)"""
    near = minimum(maximum(x, -FAR), FAR)
    return exp(-near * near) * MINUS_2_BY_ROOT_PI


def sigmoid_cubic_slope(y, x, c1, c3):
    """y * (1 - y) * (c1 + 3 * c3 * x * x)"""
    near = minimum(maximum(x, -SATURATED), SATURATED)
    return y * sigmoid_cubic(-x, c1, c3) * (c1 + 3 * c3 * near * near)  # 1 - y loses the digits of a small slope


#: The functions that a formula may call.
NAMES = (
    "where", "abs", "minimum", "maximum", "conjugate", "exp", "expm1", "log1p", "tanh",
    "sqrt", "rsqrt", "sigmoid", "erfc", "erfinv", "normal_cdf", "normal_pdf", "sigmoid_cubic",
    "exp_difference", "exp_times", "sigmoid_times", "normal_cdf_times", "normal_pdf_times", "sigmoid_cubic_times",
)  # fmt: skip
FUNCTIONS: Mapping[str, Callable[..., Any]] = {name: globals()[name] for name in NAMES}
WITH_CONSTANTS = frozenset({"sigmoid_cubic", "sigmoid_cubic_times"})  # their second and third arguments are constants
_TIMES = "_times"  # the suffix of functions that take a factor
#: The derivative of a function, as a formula of its value y, its argument and its constants.
SLOPES: Mapping[str, Callable[..., Any]] = {
    "exp": lambda y, x: y,
    "expm1": lambda y, x: exp(x),
    "log1p": lambda y, x: 1 / (1 + x),
    "tanh": lambda y, x: 1 - y * y,
    "sqrt": lambda y, x: 0.5 / y,
    "rsqrt": lambda y, x: -0.5 * y * (y * y),
    "sigmoid": lambda y, x: y * sigmoid(-x),
    "erfc": erfc_slope,
    "erfinv": lambda y, x: exp(y * y) * HALF_ROOT_PI,
    "normal_cdf": lambda y, x: normal_pdf(x),
    "normal_pdf": lambda y, x: -minimum(maximum(x, -FAR), FAR) * y,
    "sigmoid_cubic": sigmoid_cubic_slope,
}
#: Functions of one or two instructions. The others are series of these.
SIMPLE = frozenset({"where", "abs", "minimum", "maximum", "conjugate", "sqrt", "rsqrt"})


@cache
def functions_of(formula: Callable[..., Any]) -> frozenset[str]:
    """The names of FUNCTIONS that a formula calls, the formulas that it uses included."""
    names = [function_name(formula, name) for name in formula.__code__.co_names]
    used = (formula.__globals__.get(name) for name in names if name not in FUNCTIONS)
    own_functions = frozenset(name for name in names if name in FUNCTIONS)
    return own_functions.union(*(functions_of(f) for f in used if isinstance(f, FunctionType)))


def function_name(formula: Callable[..., Any], name: str) -> str:
    """The name in FUNCTIONS of a name that a formula uses: its module may import a function under another name."""
    value = formula.__globals__.get(name)
    return next((standard_name for standard_name, function in FUNCTIONS.items() if function is value), name)


def arity(name: str) -> int:
    """The number of arguments that one of FUNCTIONS takes."""
    if name.endswith(_TIMES):
        return 1 + arity(name.removesuffix(_TIMES))
    function = FUNCTIONS[name]
    return 3 if function is where else getattr(function, "nin", 0) or function.__code__.co_argcount


def with_factors(functions: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """`functions`, and for each that NAMES also has with a factor, the product with that last argument."""
    stems = {name: name.removesuffix(_TIMES) for name in NAMES if name.endswith(_TIMES)}
    return {**functions, **{name: _times(functions[stem]) for name, stem in stems.items() if stem in functions}}


def missing(formula: Callable[..., Any], functions: Mapping[str, Any]) -> str | None:
    """The first of NAMES that a formula calls and `functions` lacks, without its factor, or None."""
    lacking = (name for name in NAMES if name in functions_of(formula) and name not in functions)
    first = next(lacking, None)
    return None if first is None else first.removesuffix(_TIMES)


def bind(formula: Callable[..., Any], functions: Mapping[str, Any]) -> Callable[..., Any]:
    """Return `formula` with the names it uses bound to `functions`.

    Names that `functions` lacks must be numbers, tuples of numbers, or other formulas, which are bound the same way.
    A formula is a plain module-level function: no closure, no defaults, no attributes, no names of other kinds.
    Anything else is an InvalidOperator that names the offending word.
    """
    return _bound(formula, functions, ())


@cache
def check(formula: Callable[..., Any]) -> None:
    """Raise what `bind` would for a formula."""
    bind(formula, FUNCTIONS)


@contextmanager
def calling(formulas: Iterable[Callable[..., Any]]) -> Iterator[None]:
    """A context that turns exceptions of formulas into an InvalidOperator that names them."""
    try:
        yield
    except (ActgradError, MemoryError):
        raise
    except Exception as error:
        names = ", ".join(f"{formula.__qualname__} ({formula.__module__})" for formula in formulas)
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        raise InvalidOperator(
            f"formula {names}: raises {cause}; a formula must compute for all its operands; repair it"
        ) from error


def refuse_other_functions(formula: Any) -> None:
    """Raise for anything but a plain function."""
    if not isinstance(formula, FunctionType) or formula.__closure__ or formula.__defaults__ or formula.__kwdefaults__:
        fault = f"{_place_of(formula)}: is a class, a closure or a function with defaults"
        raise InvalidOperator(f"{fault}; it must be a plain function of a module; move what it needs to its arguments")


def _place_of(formula: Any) -> str:
    name, module = getattr(formula, "__qualname__", formula), getattr(formula, "__module__", None)
    return f"formula {name} ({module})"


def _bound(
    formula: Callable[..., Any], functions: Mapping[str, Any], callers: tuple[Callable[..., Any], ...]
) -> Callable[..., Any]:
    """`bind` for a formula that `callers` call."""
    refuse_other_functions(formula)
    where_ = _place_of(formula)
    if formula in callers:
        raise InvalidOperator(f"{where_}: calls itself; a formula must have no loops; write the steps out")
    scope: dict[str, Any] = {}
    for name in formula.__code__.co_names:
        known = function_name(formula, name)
        if known in functions:
            scope[name] = functions[known]
            continue
        if name not in formula.__globals__:
            kind = "a Python built-in" if hasattr(builtins, name) else "unknown here"
            cure = did_you_mean(name, NAMES, "use one of these")
            raise InvalidOperator(f"{where_}: {name!r} is {kind}; a formula may call {', '.join(NAMES)}; {cure}")
        value = formula.__globals__[name]
        if isinstance(value, FunctionType) and value.__module__ != __name__:
            scope[name] = _bound(value, functions, (*callers, formula))
        elif isinstance(value, (int, float, tuple)):
            scope[name] = value
        else:
            raise InvalidOperator(
                f"{where_}: {name!r} is {kind_of(value)}; a formula may use numbers and formulas; make it one"
            )
    # An operator written in C, as PyTorch's are, may import something, and does so by the builtins of this frame.
    scope["__builtins__"] = {"__import__": builtins.__import__}
    if any(isinstance(c, CodeType) for c in formula.__code__.co_consts):
        fault = f"{where_}: contains a function, a lambda or a comprehension"
        raise InvalidOperator(f"{fault}; a formula must be one expression; move it to a formula of its own")
    return FunctionType(formula.__code__, scope, formula.__name__)
