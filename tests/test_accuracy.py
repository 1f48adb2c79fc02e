"""How exact every operator is: the CPU backend against the reference, measured in ULP, and the measure itself."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from ml_dtypes import bfloat16, finfo

import actgrad
from actgrad import testing
from actgrad.backends.reference import rounded
from actgrad.dtypes import BY_NAME
from actgrad.layouts import GATED
from actgrad.testing import attribute_cases, expected, special_values, ulp, ulp_errors

HALVES = {"float16": np.float16, "bfloat16": bfloat16}
SINGLES = {"float32": np.float32, "float64": np.float64}
FLOATS = HALVES | SINGLES

#: ULP that an operator may be off by in float32 and float64. Where terms cancel: units of the larger term.
ULPS = {"elu": 4.5, "selu": 4.5, "leaky_relu": 4.5, "gelu": 12, "geglu": 12}
DOUBLE_ULPS = ULPS | {"elu": 4, "selu": 4, "leaky_relu": 4}
TERMS = {"gelu": 16, "geglu": 16}


def bounds(operator, dtype):
    """The (ULP, units of cancelling terms) that an operator may be off by."""
    family = operator.name.removesuffix("_backward")
    if dtype in HALVES:
        return 0.51, 8  # 1 would do for the contract, but computing in float32 and rounding once gives this
    return (ULPS if dtype == "float32" else DOUBLE_ULPS).get(family, 12), TERMS.get(family, 8)


def cases(dtypes):
    for operator in actgrad.operators.values():
        for attributes, dtype in product(attribute_cases(operator), dtypes):
            words = [operator.name, dtype, *(f"{name}={value}" for name, value in attributes.items())]
            yield pytest.param(operator, attributes, dtype, id="-".join(words))


def check(operator, attributes, inputs, x, *, bound=None, only=None):
    """Assert that every output is within its bounds, in the elements that `only` says per output; return what it is of.

    `x` is what the formula meets in each element.
    """
    actual = testing.as_tuple(operator(*inputs, **attributes))
    expectations = expected(operator, inputs, attributes)
    for number, (expectation, got) in enumerate(zip(expectations, actual, strict=True)):
        faults = expectation.faults(got, *(bound or bounds(operator, x.dtype.name)))
        if only is not None:
            faults &= only[number]
        if faults.any():
            errors = np.where(faults, expectation.errors(got), 0)
            k = np.argmax(errors)
            pytest.fail(
                f"{np.count_nonzero(faults)} faults; the worst, {errors[k]:.3g} ULP, at x = {x[k % x.size]!r}: "
                f"{got[k]!r} for {expectation.values[k]!r}; other inputs {[str(i[k % i.size]) for i in inputs[:-1]]}"
            )
    return expectations


def check_all(operator, attributes, x):
    """Assert the bounds at each x, with the other inputs 1 and with random ones."""
    alone = check(operator, attributes, testing.tensors(operator, attributes, x), x)
    # A number among the subnormals has fewer digits, and a large grad_output would bring that to light.
    only = [expectation.is_normal for expectation in alone]
    inputs = testing.tensors(operator, attributes, x, np.random.default_rng(2))
    check(operator, attributes, inputs, x, only=only)
    if "gelu" in [a.name for a in operator.schema.tensors]:
        with np.errstate(all="ignore"):
            _, activated = operator.gradient_of(inputs[1], backend="reference", **attributes)
        check(operator, attributes, (*inputs, activated), x, only=only)


@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(HALVES)))
def test_all_65536_inputs(operator, attributes, dtype):
    check_all(operator, attributes, np.random.default_rng(1).permutation(testing.every_value(FLOATS[dtype])))


@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(SINGLES)))
def test_all_exponents(operator, attributes, dtype):
    check_all(operator, attributes, testing.samples(FLOATS[dtype], 60_000, np.random.default_rng(1)))


# Where it is hard


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize(
    ("dtype", "start", "stop"),
    [("float32", -15, -4), ("float32", -1.5, -0.4), ("float64", -40, -4), ("float64", -1.5, -0.4)],
)
def test_gelu_in_its_negative_tail_and_at_the_zero_of_its_derivative(approximate, dtype, start, stop):
    x = np.linspace(start, stop, 100_001).astype(dtype)
    attributes = {"approximate": approximate}
    check(actgrad.gelu, attributes, (x,), x)
    check(actgrad.gelu_backward, attributes, (np.ones_like(x), x), x)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_derivative_is_within_3e_7_absolutely(approximate):
    rng = np.random.default_rng(3)
    x = np.concatenate([np.linspace(-15, 15, 300_001, dtype=np.float32), testing.samples(np.float32, 50_000, rng)])
    inputs, attributes = (np.ones_like(x), x), {"approximate": approximate}
    got = actgrad.gelu_backward(*inputs, **attributes).astype(np.float64)
    (exact,) = testing.exact(actgrad.gelu_backward, inputs, attributes)
    assert np.nanmax(np.abs(got - exact)) <= 3e-7


@pytest.mark.parametrize("operator", [actgrad.elu, actgrad.selu], ids=str)
@pytest.mark.parametrize("dtype", SINGLES)
def test_elu_keeps_its_digits_near_zero(operator, dtype):
    magnitudes = np.geomspace(1e-30, 0.5, 100_000)
    x = np.concatenate([-magnitudes, magnitudes]).astype(dtype)
    check(operator, {}, (x,), x, bound=(2, 0))


@pytest.mark.parametrize("dtype", SINGLES)
def test_exp_in_the_tail_of_elu_down_to_the_last_subnormal(dtype):
    end = {"float32": -105, "float64": -750}[dtype]
    x = np.linspace(end, 0.8 * end, 50_001).astype(dtype)
    (expectation,) = check(actgrad.elu_backward, {}, (np.ones_like(x), x), x)
    assert 0 < expectation.values.min() / finfo(dtype).smallest_subnormal < 0.5, "the sample ends too early"


# Integers


def test_selu_backward_on_all_pairs_of_int8():
    values = np.arange(-128, 128, dtype=np.int8)
    grad_output, result = (a.ravel().copy() for a in np.meshgrid(values, values))
    for chip in (None, "Ascend910B", "Ascend950"):
        with actgrad.product(chip) if chip else actgrad.rules("operator"):
            got = actgrad.selu_backward(grad_output, result)
            np.testing.assert_array_equal(got, actgrad.selu_backward(grad_output, result, backend="reference"))
            is_positive = result > 0 if chip == "Ascend950" else result >= 0
            slope = np.where(is_positive, selu_scale(), result + selu_scale() * selu_alpha())
            np.testing.assert_array_equal(got, np.clip(np.rint(grad_output * slope), -128, 127))


def test_selu_on_integers():
    for x in (np.arange(-128, 128, dtype=np.int8), int32_values()):
        got = actgrad.selu(x)
        np.testing.assert_array_equal(got, actgrad.selu(x, backend="reference"))
        limits = np.iinfo(x.dtype)
        with np.errstate(over="ignore"):
            exact = selu_scale() * np.where(x > 0, x, selu_alpha() * np.expm1(np.minimum(x, 0).astype(np.float64)))
        np.testing.assert_array_equal(got, np.clip(np.rint(exact), limits.min, limits.max))


def test_selu_backward_on_int32():
    grad_output, result = (a.ravel().copy() for a in np.meshgrid(int32_values(), int32_values()))
    got = actgrad.selu_backward(grad_output, result)
    np.testing.assert_array_equal(got, actgrad.selu_backward(grad_output, result, backend="reference"))
    assert got.max() == 2**31 - 1
    assert got.min() == -(2**31)


def int32_values():
    """Extremes, what saturates and what just does not, what float32 cannot hold, and small numbers."""
    edge = int((2**31 - 1) / selu_scale())
    positive = [*range(40), 2**24 + 1, 2**30 + 3, 123_456_789, edge - 1, edge, edge + 1, 2**31 - 2, 2**31 - 1]
    return np.array([s * v for v in positive for s in (1, -1)] + [-(2**31)], np.int32)


def selu_alpha():
    return 1.6732632423543772848170429916717


def selu_scale():
    return 1.0507009873554804934193349852946


def test_the_reference_rounds_integers_to_nearest_even_and_saturates():
    # SELU of integers never meets a tie, so this is tested on the rounding alone.
    numbers = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, 127.5, -128.5, 1e9, -1e9, np.inf, np.nan])
    np.testing.assert_array_equal(
        rounded(numbers, BY_NAME["int8"]), [0, 2, 2, 0, -2, -2, 126, 127, -128, 127, -128, 127, 0]
    )


# Special values


@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(FLOATS)))
def test_nan_stays_nan(operator, attributes, dtype):
    x = np.full(5, np.nan, FLOATS[dtype])
    results = testing.as_tuple(operator(*testing.tensors(operator, attributes, x), **attributes))
    if operator.name.startswith("leaky_relu"):  # its comparison fails, so that NaN takes the slope
        expectation = np.nan if operator.gradient_of is None else attributes["negative_slope"]
        standard = np.full(5, expectation).astype(FLOATS[dtype])
        np.testing.assert_array_equal(results[0].astype(np.float64), standard.astype(np.float64))
        return
    for result in results:
        halves = np.split(result, 2) if result.size > x.size else [result]
        assert all(np.isnan(half.astype(np.float64)).all() for half in halves)


@pytest.mark.parametrize(("operator", "attributes", "dtype"), list(cases(FLOATS)))
def test_zeros_infinities_and_nan_meet_as_in_the_reference(operator, attributes, dtype):
    """In all combinations of the inputs, the result is NaN, infinite and negative where the reference's is."""
    values = np.array([0.0, 0.5, 1.5, np.inf, -0.0, -0.5, -1.5, -np.inf, np.nan], FLOATS[dtype])
    required = [a for a in operator.schema.tensors if not a.is_optional]
    is_gated = operator.layout == GATED
    inputs = [a.ravel() for a in np.meshgrid(*[values] * (len(required) + is_gated))]
    if is_gated:
        inputs = [*inputs[:-2], np.concatenate(inputs[-2:])]
    with np.errstate(all="ignore"):
        reference = testing.as_tuple(operator(*inputs, backend="reference", **attributes))
        for got, standard in zip(testing.as_tuple(operator(*inputs, **attributes)), reference, strict=True):
            got, standard = got.astype(np.float64), standard.astype(np.float64)
            np.testing.assert_array_equal(np.isnan(got), np.isnan(standard))
            np.testing.assert_array_equal(np.isinf(got), np.isinf(standard))
            numbers = ~np.isnan(standard)
            np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(standard[numbers]))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_gelu_at_infinity(dtype, approximate, backend):
    x = np.array([np.inf, -np.inf], FLOATS[dtype])
    arguments = {"approximate": approximate, "backend": backend}
    with np.errstate(all="ignore"):
        y = actgrad.gelu(x, **arguments).astype(np.float64)
        slope = actgrad.gelu_backward(np.ones_like(x), x, **arguments).astype(np.float64)
    np.testing.assert_array_equal(y, [np.inf, 0])
    np.testing.assert_array_equal(np.signbit(y), [False, True])
    np.testing.assert_array_equal(slope, [1, 0])


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_selu_backward_where_the_result_is_zero(dtype, backend):
    zeros, ones = np.array([0.0, -0.0], FLOATS[dtype]), np.ones(2, FLOATS[dtype])
    positive = np.full(2, selu_scale()).astype(FLOATS[dtype])
    negative = np.full(2, selu_scale() * selu_alpha()).astype(FLOATS[dtype])
    np.testing.assert_array_equal(actgrad.selu_backward(ones, zeros, backend=backend), positive)
    if dtype == "float64":
        return  # no product computes it
    for chip, slope in (("Ascend910B", positive), ("Ascend950", negative)):
        with actgrad.product(chip):
            np.testing.assert_array_equal(actgrad.selu_backward(ones, zeros, backend=backend), slope)


@pytest.mark.parametrize("dtype", FLOATS)
def test_zeros_keep_their_sign(dtype):
    zeros = np.array([0.0, -0.0], FLOATS[dtype])
    for operator in (actgrad.elu, actgrad.selu, actgrad.leaky_relu, actgrad.gelu):
        for out in (None, np.empty(2), np.empty(2, np.float32), np.empty(2, np.float16)):
            result = operator(zeros, out=out)
            np.testing.assert_array_equal(np.signbit(result), [False, True], err_msg=f"{operator}, {result.dtype}")


# The reference's rounding


@pytest.mark.parametrize("precision", [np.float64, np.longdouble])
@pytest.mark.parametrize("dtype", HALVES)
def test_the_reference_rounds_once(dtype, precision):
    """Ties and what lies just beside them, against exact fractions."""
    with np.errstate(invalid="ignore"):  # signalling NaNs
        numbers = testing.every_value(FLOATS[dtype]).astype(precision)
    numbers = np.unique(numbers[np.isfinite(numbers)])
    middles = (numbers[1:] + numbers[:-1]) / 2
    near = [middles * (1 + s * precision(2.0) ** -e) for s in (1, -1) for e in (30, 40, 52)]
    values = np.concatenate([middles, *near, numbers, [precision(0)]])
    got = rounded(values, BY_NAME[dtype]).astype(precision)
    below = np.clip(np.searchsorted(numbers, values, side="right") - 1, 0, len(numbers) - 2)
    for value, result, k in list(zip(values, got, below, strict=True))[::97]:
        low, high = Fraction(float(numbers[k])), Fraction(float(numbers[k + 1]))
        value = fraction(value)
        if value - low == high - value:
            nearest = high if is_odd(numbers[k].astype(FLOATS[dtype])) else low
        else:
            nearest = low if value - low < high - value else high
        assert Fraction(float(result)) == nearest, f"{float(value)} gave {result}, not {float(nearest)}"


def fraction(value):
    """A float64 or longdouble number, exactly."""
    high = float(value)
    return Fraction(high) + Fraction(float(value - high))


def is_odd(number):
    """Whether the last bit of a 16-bit number is set."""
    return bool(np.asarray(number).view(np.uint16) & 1)


@pytest.mark.parametrize("source", SINGLES)
@pytest.mark.parametrize("dtype", HALVES)
def test_the_cpu_backend_rounds_as_the_reference_does(dtype, source):
    """Ties, what lies just beside them, and what overflows; leaky ReLU with slope 1 changes nothing else."""
    with np.errstate(invalid="ignore", over="ignore"):  # signalling NaNs; beyond the largest float32
        numbers = np.sort(testing.every_value(FLOATS[dtype]).astype(source))
        ties = (numbers[1:] / 2 + numbers[:-1] / 2).astype(source)
        values = np.concatenate([numbers, ties, np.nextafter(ties, ties * 2), np.nextafter(ties, ties / 2)])
    out = np.empty(values.shape, FLOATS[dtype])
    actgrad.leaky_relu(values, negative_slope=1, out=out)
    with np.errstate(all="ignore"):
        standard = rounded(values, BY_NAME[dtype])
        number = ~np.isnan(values)
        np.testing.assert_array_equal(np.isnan(out.astype(np.float64)), ~number)
    np.testing.assert_array_equal(out[number].view(np.uint16), standard[number].view(np.uint16))


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_reference_rounds_beyond_the_largest_number_to_infinity(dtype):
    largest = np.longdouble(float(finfo(FLOATS[dtype]).max))
    threshold = largest + ulp(largest, dtype=FLOATS[dtype]) / 2
    values = np.array([largest, np.nextafter(threshold, 0), threshold, 2 * largest], np.longdouble)
    with np.errstate(over="ignore"):
        got = rounded(values, BY_NAME[dtype]).astype(np.longdouble)
    np.testing.assert_array_equal(got, [largest, largest, np.inf, np.inf])


def test_exact_values_are_what_the_reference_rounds():
    rng = np.random.default_rng(4)
    for operator in actgrad.operators.values():
        for attributes in attribute_cases(operator):
            inputs = testing.tensors(operator, attributes, rng.uniform(-5, 5, 64).astype(np.float32), rng)
            results = testing.as_tuple(operator(*inputs, backend="reference", **attributes))
            for exact, result in zip(testing.exact(operator, inputs, attributes), results, strict=True):
                np.testing.assert_array_equal(rounded(exact, BY_NAME["float32"]), result)


def test_exact_values_of_gated_operators_follow_the_memory_order_of_the_result():
    rng = np.random.default_rng(5)
    packed = rng.standard_normal((3, 8, 5)).astype(np.float32).transpose(2, 0, 1)
    attributes = {"dim": 2, "activate_left": True}
    grad_output = rng.standard_normal((5, 3, 4)).astype(np.float32)
    (exact,) = testing.exact(actgrad.geglu_backward, (grad_output, packed), attributes)
    got = actgrad.geglu_backward(grad_output, packed, **attributes)
    np.testing.assert_allclose(got, exact.astype(np.float64), rtol=1e-5)


def test_out_may_have_another_dtype_and_is_rounded_once():
    x = testing.samples(np.float32, 20_000, np.random.default_rng(6))
    inputs = (np.ones_like(x), x)
    for dtype in FLOATS.values():
        out = np.empty(x.shape, dtype)
        actgrad.elu_backward(*inputs, alpha=1.3, out=out)
        (expectation,) = expected(actgrad.elu_backward, inputs, {"alpha": 1.3}, dtype)
        ulps = 1 if np.dtype(dtype).itemsize == 2 else 4.5
        assert not expectation.faults(out, ulps).any()


# The measure


@pytest.mark.parametrize("dtype", FLOATS)
def test_rounding_is_half_a_ulp_at_most(dtype):
    rng = np.random.default_rng(7)
    exact = testing.samples(np.float64, 20_000, rng).astype(np.longdouble)
    with np.errstate(over="ignore", under="ignore"):
        nearest = exact.astype(FLOATS[dtype])
        errors = ulp_errors(nearest, exact)
    assert errors.max() <= 0.5 + 1e-3 * (dtype in HALVES)  # NumPy rounds these twice


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_next_number_is_one_ulp_away(dtype):
    numbers = np.sort(testing.stratified(FLOATS[dtype], 5000, np.random.default_rng(8)))
    bits = numbers.view(f"i{numbers.itemsize}")
    away = (bits + 1).view(numbers.dtype)  # away from zero, whatever the sign
    exact = numbers.astype(np.longdouble)
    finite = np.isfinite(away.astype(np.float64))
    np.testing.assert_array_equal(ulp_errors(away, exact)[finite], 1)
    np.testing.assert_array_equal(ulp_errors(numbers, exact), 0)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_measure_at_its_ends(dtype):
    limits = finfo(FLOATS[dtype])
    tiny, largest = (np.longdouble(float(v)) for v in (limits.smallest_subnormal, limits.max))
    step = ulp(largest, FLOATS[dtype])
    inf, nan = np.inf, np.nan
    table = [
        # got, exact, ULP
        (0, tiny / 4, 0.25),
        (float(tiny), tiny / 4, 0.75),
        (-float(tiny), tiny, 2),
        (-0.0, 0, 0),
        (inf, inf, 0),
        (inf, -inf, inf),
        (nan, nan, 0),
        (nan, 1, inf),
        (1, nan, inf),
        (float(largest), inf, inf),
        (inf, largest + step / 2, 0.5),
        (inf, largest + 0.75 * step, 0.25),
        (inf, largest * 4, 0),
        (inf, largest, 1),
        (float(largest), largest + step * 3, 3),
    ]
    got, exact, ulps = zip(*table, strict=True)
    errors = ulp_errors(np.array(got).astype(FLOATS[dtype]), np.array(exact, np.longdouble))
    np.testing.assert_array_equal(errors, ulps)


def test_ulp_of_float16():
    values = np.array([0, 2.0**-24, 2.0**-14, 0.999, 1, 1.5, 2, 65504, 1e9])
    powers = [-24, -24, -24, -11, -10, -10, -9, 5, 5]
    np.testing.assert_array_equal(ulp(values, np.float16), 2.0 ** np.array(powers))


def test_terms_that_cancel_are_judged_by_their_size():
    y = np.array([-1.2999999, -0.5, 3.0], np.float32)
    (expectation,) = expected(actgrad.elu_backward, (np.ones_like(y), y), {"alpha": 1.3, "is_result": True})
    np.testing.assert_array_equal(expectation.cancels, [True, False, False])
    np.testing.assert_allclose(expectation.size[:2].astype(float), 1.3, rtol=1e-6)
    off = expectation.values + 7 * 2.0**-24 * expectation.size
    assert not expectation.faults(off.astype(np.float32), ulps=4.5)[0]
    off = expectation.values + 9 * 2.0**-24 * expectation.size
    assert expectation.faults(off.astype(np.float32), ulps=4.5)[0]
    assert expectation.faults(off.astype(np.float32), ulps=4.5, terms=9.5).tolist() == [False, True, False]


def test_a_rounded_argument_of_exp_is_allowed_for_and_an_exact_one_is_not():
    x = np.array([-60.0], np.float32)
    for input_scale, slip in ((1.0, 0), (0.5, 0), (1.1, 66)):
        (expectation,) = expected(actgrad.elu_backward, (np.ones_like(x), x), {"input_scale": input_scale})
        assert float(expectation.slip[0] / expectation.values[0]) == pytest.approx(slip, rel=1e-5)


# What there is to try


def test_stratified_values_have_every_exponent_in_both_signs():
    for dtype in FLOATS.values():
        values = testing.stratified(dtype, 100, np.random.default_rng(9))
        assert np.isfinite(values.astype(np.float64)).all()
        word = values.view(f"u{values.itemsize}") >> np.uint64(finfo(dtype).nmant).astype(f"u{values.itemsize}")
        _, counts = np.unique(word, return_counts=True)
        assert len(counts) == 2 * (2 ** (8 * values.itemsize - 1 - finfo(dtype).nmant) - 1)
        assert counts.min() == counts.max()


def test_special_values_are_what_their_name_says():
    for dtype in FLOATS.values():
        values = special_values(dtype).astype(np.float64)
        limits = finfo(dtype)
        for magnitude in (0, limits.smallest_subnormal, limits.smallest_normal, limits.max, np.inf):
            hits = values[np.abs(values) == float(magnitude)]
            assert np.signbit(hits).tolist() == [False, True]
        assert np.isnan(values).sum() == 1


def test_attribute_cases_of_elu_backward():
    found = attribute_cases(actgrad.elu_backward)
    assert actgrad.elu_backward.defaults in found
    assert {case["is_result"] for case in found} == {False, True}
    assert all(case["alpha"] >= 0 for case in found if case["is_result"])
    assert any(case["alpha"] < 0 for case in found)
    off = [case for case in found if case["alpha"] != 1]
    assert all(len({case["alpha"], case["scale"], case["input_scale"], 1.0}) == 4 for case in off)
    assert len(found) == 7


def test_mpmath_confirms_the_exact_values():
    """The reference's own arithmetic, which everything above rests on, against 50 digits."""
    x = np.array([-35.0, -9.0, -2.6, -2.4, -0.7, 0.3, 2.6, 9.0])
    with mp.workdps(50):
        for operator, function in (
            (actgrad.gelu, lambda t: t * mp.ncdf(t)),
            (actgrad.gelu_backward, lambda t: mp.ncdf(t) + t * mp.npdf(t)),
        ):
            (exact,) = testing.exact(operator, testing.tensors(operator, operator.defaults, x), {})
            for value, t in zip(exact, x, strict=True):
                standard = function(mp.mpf(t))
                got = mp.mpf(float(value)) + mp.mpf(float(value - np.longdouble(float(value))))
                assert abs(got / standard - 1) < 2.0**-57


def test_the_document_has_a_row_for_every_case():
    lines = (Path(__file__).parents[1] / "docs" / "accuracy.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ")[:2] for line in lines if line.startswith("| ")]
    for operator in actgrad.operators.values():
        for attributes in attribute_cases(operator):
            words = ", ".join(f"{name}={value}" for name, value in attributes.items() if name != "dim")
            assert [f"| {operator.name}", words] in rows
