"""Formulas against mpmath at 50 digits and against PyTorch's autograd; the functions they are written in; `bind`."""

import math
import sys
from functools import partial
from itertools import product

import mpmath as mp
import numpy as np
import pytest

import actgrad
from actgrad.ascend import products
from actgrad.ascend.rules.law import Ruleset
from actgrad.base import xp
from actgrad.ops import elu, gelu, leaky_relu, selu
from actgrad.ops.gelu import gelu_erf, gelu_erf_derivative
from actgrad.samples import attribute_cases

DIGITS = 50
TOLERANCE = mp.mpf(10) ** -35  # a numerical derivative at 50 digits has about 40 of them

MPMATH = {
    "where": lambda condition, x, y: x if condition else y,
    "abs": abs,
    "conjugate": lambda x: x,
    "minimum": min,
    "maximum": max,
    "exp": mp.exp,
    "expm1": mp.expm1,
    "log1p": mp.log1p,
    "tanh": mp.tanh,
    "sqrt": mp.sqrt,
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "erfc": mp.erfc,
    "erfinv": mp.erfinv,
    "normal_cdf": mp.ncdf,
    "normal_pdf": mp.npdf,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "sigmoid_cubic": lambda x, c1, c3: 1 / (1 + mp.exp(-(c1 * x + c3 * x**3))),
    "exp_difference": lambda x, y: mp.exp(x - y),
    "exp_times": lambda x, factor: mp.exp(x) * factor,
    "sigmoid_times": lambda x, factor: factor / (1 + mp.exp(-x)),
    "normal_cdf_times": lambda x, factor: mp.ncdf(x) * factor,
    "normal_pdf_times": lambda x, factor: mp.npdf(x) * factor,
    "sigmoid_cubic_times": lambda x, c1, c3, factor: factor / (1 + mp.exp(-(c1 * x + c3 * x**3))),
}
#: Both sides of the kinks at 0, the zero of GELU's derivative, the tails; GELU's clamps begin at 40.
POINTS = tuple(
    sign * mp.mpf(x)
    for x in ("1e-6", "0.003", "0.1", "0.5", "0.7518", "1", "1.5", "2.5", "5.5", "13", "30")
    for sign in (1, -1)
)


def in_mpmath(formula):
    """The formula in mpmath's numbers, its constants too: 3.0 * C3 must not be rounded to double."""
    constants = {name: mp.mpf(value) for name, value in formula.__globals__.items() if isinstance(value, float)}
    return xp.bind(formula, {**MPMATH, **constants})


def of_gradient_1(derivative, attributes):
    """The derivative at x; a formula that is given the gradient of the result too is given 1."""
    if derivative.__code__.co_argcount == 1 + len(attributes):
        return derivative
    return lambda x, *rest: derivative(x * 0 + 1, x, *rest)


def by_each_element(function, derivative, attributes, forward_attributes):
    """(function, derivative) of one element; of two elements both pairs, the other element being 0.7."""
    if function.__code__.co_argcount == 1 + len(forward_attributes):
        return [(function, of_gradient_1(derivative, attributes))]
    if derivative.__code__.co_argcount == 3 + len(attributes):  # given the gradient of the result, here 1
        given = derivative

        def derivative(a, *rest):
            return given(a * 0 + 1, a, *rest)

    return [
        (lambda x, *rest: function(x, x * 0 + 0.7, *rest), lambda x, *rest: derivative(x, x * 0 + 0.7, *rest)[0]),
        (lambda x, *rest: function(x * 0 + 0.7, x, *rest), lambda x, *rest: derivative(x * 0 + 0.7, x, *rest)[1]),
    ]


def _at(function, scalars, x):
    return function(x, *scalars)


def derivative_faults(function, derivative, attributes, forward_attributes, from_result):
    """The points at which `derivative` is not the derivative of `function`."""
    with mp.workdps(2 * DIGITS):  # tails cancel
        pairs = by_each_element(in_mpmath(function), in_mpmath(derivative), attributes, forward_attributes)
        inner, outer = [mp.mpf(a) for a in forward_attributes], [mp.mpf(a) for a in attributes]
        faults = []
        for (value, slope_of), x in product(pairs, POINTS):
            if abs(x) in map(abs, (*attributes, *forward_attributes)):
                continue  # perhaps a kink, where each side has another slope
            slope = mp.diff(partial(_at, value, inner), x)
            claimed = slope_of(value(x, *inner) if from_result else x, *outer)
            if abs(claimed - slope) > TOLERANCE * max(abs(slope), 1 if from_result else 0):
                faults.append(float(x))
        return faults


def _derivatives():
    """Every (operator, attributes, formula of the forward operator, derivative), each pair of formulas once."""
    seen = set()
    for operator in actgrad.operators.values():
        forward = operator.gradient_of
        if forward is None or operator.access.sees_rows:  # test_row_gradients.py differentiates whole rows
            continue
        if operator.access.has_bits:  # a derivative of the bit: test_masks_of_bits.py
            continue
        laws = [Ruleset(chip) for chip in (None, *products.BY_NAME.values())]
        for attributes, law in product(attribute_cases(operator), laws):
            inner = {name: attributes.get(name, default) for name, default in forward.defaults.items()}
            pair = (forward.formula_for(inner, law), operator.formula_for(attributes, law))
            scalars = [attributes[a.name] for a in operator.schema.attributes if a.type == "Scalar"]
            inner_scalars = [inner[a.name] for a in forward.schema.attributes if a.type == "Scalar"]
            from_result = operator.definition.takes_result(attributes)
            key = (operator.name, *pair, *scalars, from_result)
            if key not in seen:
                seen.add(key)
                name = "-".join(map(str, [operator.name, pair[1].__name__, *scalars, from_result]))
                yield pytest.param(*pair, scalars, inner_scalars, from_result, id=name)


DERIVATIVES = list(_derivatives())
over_derivatives = pytest.mark.parametrize(
    ("function", "derivative", "scalars", "forward_scalars", "from_result"), DERIVATIVES
)


@over_derivatives
def test_derivative_is_that_of_the_formula(function, derivative, scalars, forward_scalars, from_result):
    assert derivative_faults(function, derivative, scalars, forward_scalars, from_result) == []


def test_every_backward_operator_was_looked_at():
    looked_at = {case.id.partition("-")[0] for case in DERIVATIVES}
    others = (o for o in actgrad.operators.values() if not (o.access.sees_rows or o.access.has_bits))
    elementwise = {operator.name: operator for operator in others}
    assert looked_at == {name for name, operator in elementwise.items() if operator.gradient_of}
    named = {name for name in elementwise if name.endswith("_backward")}
    # The gradient of a sum of two tensors has no forward operator: test_graph_only.py compares it with autograd.
    assert named - looked_at == {"fused_bias_leaky_relu_backward"}


# Formulas with the mistakes that are easily made; the check above must see each.

where, exp, expm1, normal_cdf, normal_pdf = xp.where, xp.exp, xp.expm1, xp.normal_cdf, xp.normal_pdf


def elu_with_expm1(x, alpha, scale, input_scale):
    return where(x > 0, scale, scale * alpha * input_scale * expm1(input_scale * where(x > 0, 0.0, x)))


def elu_without_scale(x, alpha, scale, input_scale):
    return where(x > 0, 1.0, scale * alpha * input_scale * exp(input_scale * where(x > 0, 0.0, x)))


def elu_without_input_scale(x, alpha, scale, input_scale):
    return where(x > 0, scale, scale * alpha * exp(input_scale * where(x > 0, 0.0, x)))


def elu_from_result_scaled_twice(y, alpha, scale, input_scale):
    return where(y > 0, scale, scale * input_scale * (y + alpha))


def leaky_relu_swapped(x, negative_slope):
    return where(x > 0, negative_slope, 1.0)


def gelu_without_density(x):
    return normal_cdf(x)


def gelu_slightly_off(x):
    return normal_cdf(x) + x * normal_pdf(x) * 1.00000000000001


PLANTED = [
    (elu.elu_formula, elu_with_expm1, (1.3, 0.7, 0.5), False),
    (elu.elu_formula, elu_without_scale, (1.3, 0.7, 0.5), False),
    (elu.elu_formula, elu_without_input_scale, (1.3, 0.7, 0.5), False),
    (elu.elu_formula, elu_from_result_scaled_twice, (1.3, 0.7, 0.5), True),
    (leaky_relu.leaky_relu_formula, leaky_relu_swapped, (0.3,), False),
    (selu.selu_formula, selu.selu_derivative_from_result, (), False),  # given x instead of the result
    (gelu.gelu_erf, gelu.gelu_tanh_derivative, (), False),
    (gelu.gelu_erf, gelu_without_density, (), False),
    (gelu.gelu_erf, gelu_slightly_off, (), False),
]


@pytest.mark.parametrize(("function", "derivative", "scalars", "from_result"), PLANTED)
def test_planted_mistakes_are_seen(function, derivative, scalars, from_result):
    assert derivative_faults(function, derivative, scalars, scalars, from_result)


# The functions of xp, in NumPy

ARGUMENTS = {
    "exp": (-700, -1.5, 1e-9, 3, 700),
    "expm1": (-50, -1.5, -1e-9, 1e-9, 3, 700),
    "log1p": (-0.999, -1e-9, 1e-9, 0.3, 1e9),
    "tanh": (-20, -0.3, 1e-9, 0.7, 3),
    "sqrt": (5e-324, 1e-310, 1e-300, 1e-8, 1e-7, 0.5, 2, 3, 1e9, 1e300),
    "rsqrt": (5e-324, 1e-310, 1e-300, 1e-8, 1e-7, 0.5, 2, 3, 1e9, 1e300),
    "sigmoid": (-700, *np.linspace(-40, 40, 41), 1e-9),
    "erfc": (*np.linspace(-7, 26, 67), 1e-9),
    "erfinv": (*np.linspace(-0.99, 0.99, 66), 1e-12, 1e-9, 1 - 2.0**-20, 1 - 2.0**-52),
    "normal_cdf": (*np.linspace(-37, 9, 93), 1e-9),
    "normal_pdf": (*np.linspace(-37, 37, 75), 1e-9),
    "sigmoid_cubic": (*np.linspace(-20, 20, 81), 1e-9),
}
#: Units of the last place; the series of erfc and normal_cdf cancels up to its end, their fraction does not.
FUNCTION_ULPS = {
    "exp": 2,
    "expm1": 2,
    "log1p": 2,
    "tanh": 2,
    "sigmoid": 3,
    "erfc": 64,
    "erfinv": 64,
    "normal_cdf": 64,
    "normal_pdf": 6,
}


def test_every_function_has_a_meaning_in_mpmath_and_numbers_to_try():
    simple = {"where", "abs", "conjugate", "minimum", "maximum"}
    others = simple | {"exp_difference"} | {f"{name}_times" for name in ARGUMENTS}
    assert set(MPMATH) == set(xp.NAMES)
    assert set(ARGUMENTS) == set(xp.NAMES) - others


@pytest.mark.parametrize("precision", [np.float64, np.longdouble])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_numpy_functions_agree_with_mpmath(name, precision):
    constants = (1.5957691216057308, 0.07135481282553506) if name == "sigmoid_cubic" else ()
    x = np.array(ARGUMENTS[name], precision)
    got = xp.FUNCTIONS[name](x, *constants)
    assert got.dtype == precision
    with mp.workdps(DIGITS):
        exact = [MPMATH[name](mpf_of(v), *map(mp.mpf, constants)) for v in x]
        errors = np.array([float(abs(mpf_of(g) - e) / abs(e)) for g, e in zip(got, exact, strict=True)])
    # A rounding error in the argument of exp changes the logistic function's tail by as many units as it is large.
    z = 2 * np.abs(x * (1.6 + 0.072 * x * x)) if constants else 0
    assert np.max(errors / float(np.finfo(precision).eps) / (FUNCTION_ULPS.get(name, 2) + z)) <= 1


@pytest.mark.parametrize("name", xp.SLOPES)
def test_slopes_are_the_derivatives(name):
    constants = (1.5957691216057308, 0.07135481282553506) if name == "sigmoid_cubic" else ()
    points = [v for v in ARGUMENTS[name] if 1e-9 <= abs(v) <= 30]
    for x in points:
        value = xp.FUNCTIONS[name](np.float64(x), *constants)
        slope = xp.SLOPES[name](value, np.float64(x), *constants)
        with mp.workdps(DIGITS):
            exact = mp.diff(lambda u: MPMATH[name](u, *map(mp.mpf, constants)), mp.mpf(float(x)))
        assert float(slope) == pytest.approx(float(exact), rel=1e-11, abs=1e-15), x


def mpf_of(value):
    """A float64 or longdouble number as mpmath's, exactly."""
    mantissa, exponent = np.frexp(value)
    high = float(mantissa)
    return mp.ldexp(mp.mpf(high) + mp.mpf(float(mantissa - value.dtype.type(high))), int(exponent))


@pytest.mark.parametrize("name", ["normal_cdf", "erfc"])
def test_tails_underflow_to_zero_and_end_at_the_limits(name):
    low, high = {"normal_cdf": (0, 1), "erfc": (2, 0)}[name]
    with np.errstate(all="ignore"):
        got = xp.FUNCTIONS[name](np.array([-np.inf, -1e300, 1e300, np.inf, np.nan]))
    np.testing.assert_array_equal(got, [low, low, high, high, np.nan])


# bind


def uses_attribute(x):
    return np.exp(x)


def uses_builtin(x):
    return max(x, 0.0)


def uses_nested_lambda(x):
    return (lambda t: t + x)(x)


def uses_comprehension(x):
    return [x * k for k in (1, 2)]


def has_default(x, slope=0.1):
    return slope * x


def has_keyword_default(x, *, slope=0.1):
    return slope * x


TABLE = {"slope": 0.1}


def uses_other_global(x):
    return x * TABLE


def calls_a_bad_formula(x):
    return uses_builtin(x)


def makes_closure():
    slope = 0.1

    def closes_over_slope(x):
        return slope * x

    return closes_over_slope


REFUSED = [
    (uses_attribute, ["uses_attribute", "'np'", "module"]),
    (uses_builtin, ["uses_builtin", "'max'", "a Python built-in"]),
    (uses_nested_lambda, ["uses_nested_lambda", "a lambda"]),
    pytest.param(
        uses_comprehension,
        ["uses_comprehension"],
        marks=pytest.mark.skipif(sys.version_info >= (3, 12), reason="it is compiled in line, and does no harm"),
    ),
    (has_default, ["has_default", "defaults"]),
    (has_keyword_default, ["has_keyword_default", "defaults"]),
    (makes_closure(), ["closes_over_slope", "closure"]),
    (uses_other_global, ["uses_other_global", "'TABLE'", "dict"]),
    (calls_a_bad_formula, ["uses_builtin", "'max'"]),
    (np.exp, ["exp", "plain function of a module"]),
]


@pytest.mark.parametrize(("formula", "words"), REFUSED, ids=lambda value: getattr(value, "__name__", ""))
def test_bind_names_the_offending_word(formula, words):
    with pytest.raises(TypeError) as caught:
        xp.bind(formula, xp.FUNCTIONS)
    assert [word for word in words if word not in str(caught.value)] == []


def test_bind_leaves_the_formula_as_it_was():
    bound = xp.bind(gelu_erf, MPMATH)
    assert bound(mp.mpf(1)) == mp.ncdf(1)
    assert gelu_erf(np.float64(1)) == xp.normal_cdf(np.float64(1))


# PyTorch differentiates the same formulas


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def torch_functions(torch):
    def number(x):
        return torch.as_tensor(x, dtype=torch.float64)

    functions = {
        "where": lambda condition, x, y: torch.where(torch.as_tensor(condition), number(x), number(y)),
        "abs": torch.abs,
        "conjugate": lambda x: x,
        "minimum": lambda x, y: torch.minimum(number(x), number(y)),
        "maximum": lambda x, y: torch.maximum(number(x), number(y)),
        "exp": torch.exp,
        "expm1": torch.expm1,
        "log1p": torch.log1p,
        "tanh": torch.tanh,
        "sqrt": torch.sqrt,
        "rsqrt": torch.rsqrt,
        "sigmoid": torch.sigmoid,
        "erfc": torch.special.erfc,
        "erfinv": torch.special.erfinv,
        "normal_cdf": torch.special.ndtr,
        "normal_pdf": lambda x: torch.exp(-0.5 * x * x) / math.sqrt(2 * math.pi),
        "sigmoid_cubic": lambda x, c1, c3: torch.sigmoid(c1 * x + c3 * x * x * x),
    }
    for name in ("exp", "sigmoid", "normal_cdf", "normal_pdf", "sigmoid_cubic"):
        functions[f"{name}_times"] = lambda *a, plain=functions[name]: plain(*a[:-1]) * a[-1]
    return functions


@pytest.mark.parametrize("derivative", [gelu_erf_derivative, gelu.gelu_tanh_derivative])
def test_second_derivative_of_gelu_at_zero(torch, torch_functions, derivative):
    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    (second,) = torch.autograd.grad(xp.bind(derivative, torch_functions)(x), x)
    assert second.item() == pytest.approx(2 / math.sqrt(2 * math.pi), rel=1e-15)  # 0.797884560802865


@pytest.mark.share(4)
@over_derivatives
def test_torch_differentiates_the_formulas(
    torch, torch_functions, function, derivative, scalars, forward_scalars, from_result
):
    pairs = by_each_element(
        xp.bind(function, torch_functions), xp.bind(derivative, torch_functions), scalars, forward_scalars
    )
    for pair in pairs:
        assert_torch_differentiates(torch, *pair, scalars, forward_scalars, from_result)


def assert_torch_differentiates(torch, function, derivative, scalars, forward_scalars, from_result):
    """Assert that autograd's derivative of the function is the derivative, and that of both is the numerical one."""
    x = torch.tensor([-4.1, -1.25, -0.75, -0.2, 0.3, 0.9, 3.7], dtype=torch.float64, requires_grad=True)
    y = function(x, *forward_scalars)
    (slope,) = torch.autograd.grad(y.sum(), x)
    given = (y if from_result else x).detach().requires_grad_()
    torch.testing.assert_close(derivative(given, *scalars), slope, rtol=1e-12, atol=1e-14)
    assert torch.autograd.gradcheck(lambda t: function(t, *forward_scalars), x)
    beside = given[given != 0].detach().requires_grad_()  # the result of a ReLU is 0 on one side
    assert torch.autograd.gradcheck(lambda t: derivative(t, *scalars), beside)
