"""The functions that a formula may call, defined in NumPy. `bind` gives a formula the functions of another backend.

A formula is ordinary NumPy code, written once. Every other backend runs the same code object, with these names bound to
the backend's functions. So one definition has the same meaning everywhere. The other backends must agree with the
functions here, which compute in the precision of the array (float64 or longdouble).
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


_SERIES_END = 2.5  # a power series computes smaller numbers, a continued fraction computes larger numbers
_SERIES_TERMS = 60
_FRACTION_TERMS = 160
_HALLEY_STEPS = 4
_LINEAR_END = 1e-10  # erfinv(x) = x * sqrt(pi) / 2 for smaller x
DENSITY_END = 100.0  # the normal density of larger x is 0 in every dtype. Slopes limit x to avoid infinity * 0
CUBIC_END = 1e9  # the slope of sigmoid_cubic is 0 for larger x
MINUS_2_BY_ROOT_PI, HALF_ROOT_PI = -2 / math.sqrt(math.pi), math.sqrt(math.pi) / 2


def rsqrt(x):
    """1 / sqrt(x): infinity at 0, NaN if x < 0."""
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
    """The inverse error function: +-infinity at +-1, NaN if abs(x) > 1."""
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
        y = np.where(inside < _LINEAR_END, inside * (np.sqrt(_pi_like(x)) / 2), y)
        return np.copysign(np.where(a < 1, y, np.where(a == 1, np.inf, np.nan)), x)


def sigmoid(x):
    """The logistic function, 1 / (1 + exp(-x)), of real and of complex numbers."""
    if np.iscomplexobj(x):
        return 1 / (1 + np.exp(-x))
    e = np.exp(-np.abs(x))
    return np.where(x > 0, 1 / (1 + e), e / (1 + e))


def exp_difference(x, y):
    """exp(x - y). Backends compute this without the rounding error of x - y."""
    return exp(x - y)


def sigmoid_cubic(x, c1, c3):
    """sigmoid(c1*x + c3*x**3), for c1 >= 0 and c3 >= 0. The tanh form of GELU is x * sigmoid_cubic(x, c1, c3)."""
    with np.errstate(over="ignore"):
        z = x * (c1 + c3 * x * x)
    return sigmoid(z)


def _times(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of the arguments (..., factor) that returns `function(...) * factor`."""
    return lambda *arguments: function(*arguments[:-1]) * arguments[-1]


# Backends compute these with full precision, even if the function without the factor is subnormal.
exp_times, sigmoid_times, normal_pdf_times = _times(exp), _times(sigmoid), _times(normal_pdf)
normal_cdf_times, sigmoid_cubic_times = _times(normal_cdf), _times(sigmoid_cubic)


def _like(value: Any, x: Any) -> Any:
    return np.asarray(x).dtype.type(value)


def _pi_like(x: Any) -> Any:
    """Pi in the precision of x."""
    return 4 * np.arctan(_like(1, x))


def _exp_of_square(x: Any, factor: float) -> Any:
    """exp(factor * x**2). The rounding error of x**2 is taken into account, because exp would magnify this error."""
    with np.errstate(over="ignore", invalid="ignore"):
        x = np.minimum(np.abs(x), _like(200, x))
        high = np.asarray(x, np.float32).astype(np.asarray(x).dtype)  # the square of a float32 is exact in float64
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
    near = minimum(maximum(x, -DENSITY_END), DENSITY_END)
    return exp(-near * near) * MINUS_2_BY_ROOT_PI


def sigmoid_cubic_slope(y, x, c1, c3):
    """y * (1 - y) * (c1 + 3 * c3 * x * x)"""
    near = minimum(maximum(x, -CUBIC_END), CUBIC_END)
    # sigmoid_cubic(-x) is 1 - y. Subtraction would lose the digits of a small slope.
    return y * sigmoid_cubic(-x, c1, c3) * (c1 + 3 * c3 * near * near)


#: The functions that a formula may call.
NAMES = (
    "where", "abs", "minimum", "maximum", "conjugate", "exp", "expm1", "log1p", "tanh",
    "sqrt", "rsqrt", "sigmoid", "erfc", "erfinv", "normal_cdf", "normal_pdf", "sigmoid_cubic",
    "exp_difference", "exp_times", "sigmoid_times", "normal_cdf_times", "normal_pdf_times", "sigmoid_cubic_times",
)  # fmt: skip
FUNCTIONS: Mapping[str, Callable[..., Any]] = {name: globals()[name] for name in NAMES}
_NAMES_BY_IDENTITY = {id(function): name for name, function in FUNCTIONS.items()}
WITH_CONSTANTS = frozenset({"sigmoid_cubic", "sigmoid_cubic_times"})  # functions of x and two constants
_TIMES = "_times"  # the suffix of functions that take a factor
#: Function -> the formula of its derivative. The formula takes the value y, the argument x and the constants.
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
    "normal_pdf": lambda y, x: -minimum(maximum(x, -DENSITY_END), DENSITY_END) * y,
    "sigmoid_cubic": sigmoid_cubic_slope,
}
#: Functions that need one or two instructions. Backends compute the other functions by many operations.
SIMPLE = frozenset({"where", "abs", "minimum", "maximum", "conjugate", "sqrt", "rsqrt"})


@cache
def functions_of(formula: Callable[..., Any]) -> frozenset[str]:
    """The names of FUNCTIONS that a formula calls, directly or in formulas that it calls."""
    names = [function_name(formula, name) for name in formula.__code__.co_names]
    used = (formula.__globals__.get(name) for name in names if name not in FUNCTIONS)
    own_functions = frozenset(name for name in names if name in FUNCTIONS)
    return own_functions.union(*(functions_of(f) for f in used if isinstance(f, FunctionType)))


def function_name(formula: Callable[..., Any], name: str) -> str:
    """The name in FUNCTIONS of a function that a formula calls `name`. Modules may import functions as other names."""
    return _NAMES_BY_IDENTITY.get(id(formula.__globals__.get(name)), name)


def arity(name: str) -> int:
    """The number of arguments of a function in FUNCTIONS."""
    if name.endswith(_TIMES):
        return 1 + arity(name.removesuffix(_TIMES))
    function = FUNCTIONS[name]
    return 3 if function is where else getattr(function, "nin", 0) or function.__code__.co_argcount


def with_factors(functions: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """`functions` and their forms with a factor: `exp_times` for `exp`, if `functions` has `exp`."""
    stems = {name: name.removesuffix(_TIMES) for name in NAMES if name.endswith(_TIMES)}
    return {**functions, **{name: _times(functions[stem]) for name, stem in stems.items() if stem in functions}}


def missing(formula: Callable[..., Any], functions: Mapping[str, Any]) -> str | None:
    """The first function of NAMES that a formula calls and `functions` lacks, without the suffix `_times`, or None."""
    lacking = (name for name in NAMES if name in functions_of(formula) and name not in functions)
    first = next(lacking, None)
    return None if first is None else first.removesuffix(_TIMES)


def bind(formula: Callable[..., Any], functions: Mapping[str, Any]) -> Callable[..., Any]:
    """Return a copy of `formula` that calls the functions in `functions`.

    Names that `functions` lacks must be numbers, tuples of numbers, or other formulas, which `bind` copies too.
    A formula is a plain module-level function: no closure, no defaults, no attributes, no names of other kinds.
    Otherwise `bind` raises an InvalidOperator with the wrong name.
    """
    return _bound(formula, functions, ())


@cache
def check(formula: Callable[..., Any]) -> None:
    """Raise the error that `bind` raises for a wrong formula."""
    bind(formula, FUNCTIONS)


def with_parts(formula: Callable[..., Any], **parts: Callable[..., Any]) -> Callable[..., Any]:
    """A copy of `formula` in which these names stand for other formulas."""
    refuse_other_functions(formula)
    return FunctionType(formula.__code__, {**formula.__globals__, **parts}, formula.__name__)


@cache
def with_numbers(formula: Callable[..., Any], numbers: tuple[float | None, ...]) -> Callable[..., Any]:
    """`formula` with these numbers as its first arguments. None keeps an argument, which the caller passes."""
    refuse_other_functions(formula)
    code = formula.__code__
    parameters = code.co_varnames[: code.co_argcount]
    padded = (*numbers, *(None,) * (len(parameters) - len(numbers)))
    arguments = [repr(number) if number is not None else p for p, number in zip(parameters, padded, strict=True)]
    rest = [p for p, number in zip(parameters, padded, strict=True) if number is None]
    text = f"lambda {', '.join(rest)}: _{code.co_name}({', '.join(arguments)})"
    function = eval(compile(text, code.co_filename, "eval"), {f"_{code.co_name}": formula})
    function.__name__, function.__module__, function.__doc__ = formula.__name__, formula.__module__, formula.__doc__
    return function


@contextmanager
def formula_errors(formulas: Iterable[Callable[..., Any]]) -> Iterator[None]:
    """A context that turns an exception of `formulas` into an InvalidOperator with their names."""
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
    """Raise an error unless `formula` is a plain function."""
    if not isinstance(formula, FunctionType) or formula.__closure__ or formula.__defaults__ or formula.__kwdefaults__:
        fault = f"{_place_of(formula)}: is a class, a closure or a function with defaults"
        raise InvalidOperator(f"{fault}; it must be a plain function of a module; move what it needs to its arguments")


def _place_of(formula: Any) -> str:
    name, module = getattr(formula, "__qualname__", formula), getattr(formula, "__module__", None)
    return f"formula {name} ({module})"


def _bound(
    formula: Callable[..., Any], functions: Mapping[str, Any], callers: tuple[Callable[..., Any], ...]
) -> Callable[..., Any]:
    """`bind`, for a formula that the formulas `callers` call."""
    refuse_other_functions(formula)
    where_ = _place_of(formula)
    if formula in callers:
        raise InvalidOperator(f"{where_}: calls itself; a formula must have no loops; write the steps out")
    scope: dict[str, Any] = {}
    for name in formula.__code__.co_names:
        function = function_name(formula, name)
        if function in functions:
            scope[name] = functions[function]
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
    # C code may import a module, for example when it adds two tensors of PyTorch. It looks up __import__ in this scope.
    scope["__builtins__"] = {"__import__": builtins.__import__}
    if any(isinstance(c, CodeType) for c in formula.__code__.co_consts):
        fault = f"{where_}: contains a function, a lambda or a comprehension"
        raise InvalidOperator(f"{fault}; a formula must be one expression; move it to a separate formula")
    return FunctionType(formula.__code__, scope, formula.__name__)
